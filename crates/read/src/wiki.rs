//! Wikitext of `MediaWiki`: a file is one document, kept with its markup, which cleaning takes out.
//!
//! Dumps of a wiki are XML, and read as such.

use crate::format::{Format, Input, Spec};
use crate::text;

pub(crate) static SPEC: Spec = Spec {
    endings: &["wiki", "mediawiki", "wikitext"],
    input: Input::Text,
    is_collection: false,
    shows: |_| false,
    open: |opened| text::whole(opened, Format::Wiki),
};
