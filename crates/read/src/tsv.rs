//! Tables with tabs between the columns.

use crate::csv;
use crate::format::{Input, Spec};

pub(crate) static SPEC: Spec = Spec {
    endings: &["tsv", "tab"],
    input: Input::Utf8,
    is_collection: true,
    shows: |look| csv::has_header(look, '\t'),
    open: |opened| csv::open(opened, Some(b'\t')),
};
