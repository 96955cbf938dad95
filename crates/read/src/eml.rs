//! Messages, each in a file of its own.

use crate::bad::Fault;
use crate::format::{Chunk, Draft, Input, Opened, Source, Spec, Work};
use crate::mail::{count_headers, document};
use crate::text::read_whole;

pub(crate) static SPEC: Spec = Spec {
    endings: &["eml"],
    input: Input::Bytes,
    is_collection: false,
    shows: |look| {
        let first = look.text.split('\n').next().unwrap_or_default();
        count_headers(first) == 1 && count_headers(look.text) >= 4
    },
    open: |opened| Box::new(Message(Some(opened))),
};

struct Message(Option<Opened>);

impl Source for Message {
    fn next(&mut self) -> Option<Chunk> {
        let mut opened = self.0.take()?;
        let bytes = match read_whole(&mut opened) {
            Ok(bytes) => bytes,
            Err(fault) => return Some(Chunk::fault(fault)),
        };
        let (context, n_bytes) = (opened.context, bytes.len());
        let parse = move |each: &mut dyn FnMut(Result<Draft, Fault>)| {
            each(match document(&bytes, &context) {
                Ok(document) => {
                    Ok(Draft { document, record: 0, is_whole: true, part: None, again: None })
                }
                Err(reason) => Err(Fault { record: Some(0), offset: None, reason }),
            });
        };
        Some(Chunk { records: 1, bytes: n_bytes, work: Work::Later(Box::new(parse)) })
    }
}
