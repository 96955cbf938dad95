//! PDF files with a text layer: the file is one document.
//!
//! The text is what `pdf-extract` makes of the pages. Compared with `lopdf` alone on two manuals it
//! keeps lines and paragraphs apart, which `lopdf` runs together, for ten times the time. It
//! answers some broken files with a panic, which is caught, and recurses without a bound, so it
//! runs on a thread with a stack of its own.

use crate::bad::Fault;
use crate::format::{Chunk, Draft, Input, Opened, Source, Spec, Work};
use crate::text::read_whole;

pub(crate) static SPEC: Spec = Spec {
    endings: &["pdf"],
    input: Input::Bytes,
    is_collection: false,
    // Some bytes may stand before the mark, as readers of PDF allow.
    shows: |look| {
        let head = &look.bytes[..look.bytes.len().min(1024)];
        memchr::memmem::find(head, b"%PDF-")
            .is_some_and(|at| at == 0 || !head[..at].is_ascii() || look.ending == "pdf")
    },
    open: |opened| Box::new(Pdf(Some(opened))),
};

struct Pdf(Option<Opened>);

impl Source for Pdf {
    fn next(&mut self) -> Option<Chunk> {
        let mut opened = self.0.take()?;
        let bytes = match read_whole(&mut opened) {
            Ok(bytes) => bytes,
            Err(fault) => return Some(Chunk::fault(fault)),
        };
        let (n_bytes, limit) = (bytes.len(), opened.context.limits().document_bytes);
        let parse = move |each: &mut dyn FnMut(Result<Draft, Fault>)| {
            let text = text_of(bytes).and_then(|text| match text.trim().is_empty() {
                true => Err("holds no text; its pages may be pictures".to_owned()),
                false if text.len() as u64 > limit => Err(crate::text::too_large(limit)),
                false => Ok(text),
            });
            each(match text {
                Ok(text) => {
                    let document = retold_core::document::Document::plain("", text);
                    Ok(Draft { document, record: 0, is_whole: true, again: None })
                }
                Err(reason) => Err(Fault { record: Some(0), offset: None, reason }),
            });
        };
        Some(Chunk { records: 1, bytes: n_bytes, work: Work::Later(Box::new(parse)) })
    }
}

/// Takes the text out of a PDF file.
#[cfg(feature = "pdf")]
fn text_of(bytes: Vec<u8>) -> Result<String, String> {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Stack of the thread that parses; nesting in a hostile file stops at the parser's own limits
    /// long before.
    const STACK_BYTES: usize = 64 << 20;

    let work = move || {
        let extract = || pdf_extract::extract_text_from_mem(&bytes);
        crate::quiet::quietly(|| catch_unwind(AssertUnwindSafe(extract)))
    };
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    let thread = thread.map_err(|error| format!("no thread to read PDF on: {error}"))?;
    match thread.join() {
        Ok(Ok(text)) => text.map_err(|error| format!("is broken PDF: {error}")),
        _ => Err("is broken PDF: the parser gave up on it".to_owned()),
    }
}

/// Says that PDF is not read.
#[cfg(not(feature = "pdf"))]
fn text_of(_: Vec<u8>) -> Result<String, String> {
    Err("is PDF, which this build does not read (feature `pdf`)".to_owned())
}
