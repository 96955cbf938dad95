//! Tables with tabs between the columns.

use crate::csv;
use crate::format::Spec;

pub(crate) static SPEC: Spec = Spec {
    endings: &["tsv", "tab"],
    is_text: true,
    holds_records: true,
    needs_access: false,
    shows: |look| csv::has_header(look, '\t'),
    open: |opened| csv::open(opened, Some(b'\t')),
};
