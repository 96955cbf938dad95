//! Markdown: a file is one document, kept with its marks, which cleaning takes out.

use crate::format::{Format, Input, Spec};
use crate::text;

pub(crate) static SPEC: Spec = Spec {
    endings: &["md", "markdown", "mdown"],
    input: Input::Text,
    is_collection: false,
    // Never: any text may be Markdown.
    shows: |_| false,
    open: |opened| text::whole(opened, Format::Markdown),
};
