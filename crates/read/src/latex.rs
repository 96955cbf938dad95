//! LaTeX: a file is one document, kept with its commands, which cleaning takes out.

use crate::format::{Format, Input, Spec};
use crate::text;

pub(crate) static SPEC: Spec = Spec {
    endings: &["tex", "latex", "ltx"],
    input: Input::Text,
    is_collection: false,
    shows: |look| look.start().starts_with("\\documentclass"),
    open: |opened| text::whole(opened, Format::Latex),
};
