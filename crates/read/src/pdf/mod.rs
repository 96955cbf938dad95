//! PDF files with a text layer: the file is one document.
//!
//! PDF is a language, and programs in it can be made to run for ever or to fill any memory with a
//! file of two kilobytes. No library stands up to all of them, so a file is read in a process of
//! its own ([`helper`]), which has limits of memory and time and whose end costs nothing but that
//! file. The other side of the pipe is [`serve`]; `retold` starts itself for it.
//!
//! The text itself is taken out by [`extract`]: `hayro-syntax` reads objects and streams,
//! `hayro-font` tells what the codes of fonts stand for, [`content`] follows the operators that
//! show text and [`lines`] makes words and lines of the glyphs. `bench/README.md` compares it with
//! what else there is.

#[cfg(feature = "pdf")]
mod content;
#[cfg(feature = "pdf")]
mod extract;
#[cfg(feature = "pdf")]
mod fonts;
mod frame;
pub(crate) mod helper;
#[cfg(feature = "pdf")]
mod limits;
#[cfg(feature = "pdf")]
mod lines;
#[cfg(feature = "pdf")]
mod serve;

use crate::bad::Fault;
use crate::format::{Chunk, Draft, Input, Opened, Source, Spec, Work};
use crate::text::read_whole;

pub use helper::PdfHelper;
#[cfg(feature = "pdf")]
pub use serve::serve_pdf;

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
        let (context, n_bytes) = (opened.context, bytes.len());
        let parse = move |each: &mut dyn FnMut(Result<Draft, Fault>)| {
            let limit = context.limits().document_bytes;
            let Some(text) = context.pdf.text_of(bytes, limit, &context.stop) else { return };
            each(match text {
                Ok(text) if text.trim().is_empty() => {
                    let reason = "holds no text; its pages may be pictures".to_owned();
                    Err(Fault { record: Some(0), offset: None, reason })
                }
                Ok(text) => {
                    let document = retold_core::document::Document::plain("", text);
                    Ok(Draft { document, record: 0, is_whole: true, part: None, again: None })
                }
                Err(reason) => Err(Fault { record: Some(0), offset: None, reason }),
            });
        };
        Some(Chunk { records: 1, bytes: n_bytes, work: Work::Later(Box::new(parse)) })
    }
}
