//! Plain text: a file, or a member of an archive, is one document.

use retold_core::document::{Document, Markup};

use crate::bad::Fault;
use crate::format::{Chunk, Draft, Format, Input, Opened, Source, Spec, Work};
use crate::{encoding, html};

pub(crate) static SPEC: Spec = Spec {
    endings: &["txt", "text", "rst", "log"],
    input: Input::Text,
    is_collection: false,
    // Never: plain text is what no other format recognises.
    shows: |_| false,
    open: |opened| whole(opened, Format::Text),
};

/// Opens a stream that is one document.
pub(crate) fn whole(opened: Opened, format: Format) -> Box<dyn Source> {
    Box::new(Whole { opened: Some(opened), format })
}

struct Whole {
    opened: Option<Opened>,
    format: Format,
}

impl Source for Whole {
    fn next(&mut self) -> Option<Chunk> {
        let mut opened = self.opened.take()?;
        let bytes = match read_whole(&mut opened) {
            Ok(bytes) => bytes,
            Err(fault) => return Some(Chunk::fault(fault)),
        };
        let (format, is_seekable) = (self.format, opened.is_seekable);
        let (context, n_bytes) = (opened.context, bytes.len());
        let parse = move |each: &mut dyn FnMut(Result<Draft, Fault>)| {
            let again = is_seekable.then_some(0..n_bytes as u64);
            let forced = context.options.encoding.as_deref();
            each(match document(bytes, format, forced) {
                Ok(document) => {
                    Ok(Draft { document, record: 0, is_whole: true, part: None, again })
                }
                Err(reason) => Err(Fault { record: Some(0), offset: None, reason }),
            });
        };
        Some(Chunk { records: 1, bytes: n_bytes, work: Work::Later(Box::new(parse)) })
    }
}

/// Reads a stream that is one document, if it is no longer than a document may be.
pub(crate) fn read_whole(opened: &mut Opened) -> Result<Vec<u8>, Fault> {
    let limit = opened.context.limits().document_bytes;
    let one = |reason| Fault { record: Some(0), offset: None, reason };
    match opened.stream.rest(limit) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(one(too_large(limit))),
        Err(error) => Err(one(format!("cannot be read: {error}"))),
    }
}

/// Returns the reason for refusing a document.
pub(crate) fn too_large(document_bytes: u64) -> String {
    format!("document larger than the limit of {document_bytes} bytes (`document_bytes`)")
}

/// Makes the document from its bytes; its id is empty.
pub(crate) fn document(
    bytes: Vec<u8>,
    format: Format,
    forced: Option<&str>,
) -> Result<Document, String> {
    let (markup, charset) = match format {
        Format::Html => (Markup::Html, html::charset(&bytes)),
        Format::Markdown => (Markup::Markdown, None),
        Format::Wiki => (Markup::Wiki, None),
        Format::Latex => (Markup::Latex, None),
        _ => (Markup::Plain, None),
    };
    let text = encoding::decode(bytes, forced, charset.as_deref())?;
    Ok(Document { text, markup, ..Document::default() })
}
