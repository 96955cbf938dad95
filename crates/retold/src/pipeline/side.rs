//! One of two documents that are shown side by side.

use retold_core::document::{Document, Span};
use retold_report::{SideView, WINDOW_BYTES, Window};

/// Returns one side of a view: the stretches around some spans.
pub(crate) fn side(
    document: &Document,
    n_words: usize,
    spans: impl IntoIterator<Item = Span>,
) -> SideView {
    SideView {
        id: document.id.clone(),
        title: document.title.clone(),
        source: document.source.clone(),
        time: document.time.clone(),
        n_words: n_words as u32,
        markup: document.markup,
        n_bytes: document.text.len(),
        windows: Window::around(&document.text, spans, WINDOW_BYTES),
    }
}
