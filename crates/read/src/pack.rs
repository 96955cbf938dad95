//! Readers that make one document after another, packed into chunks.

use retold_core::document::Document;

use crate::bad::Fault;
use crate::format::{Chunk, Draft, Source, Work};
use crate::jsonl::BLOCK_BYTES;

/// Makes documents in order.
///
/// A fault with a record number, whatever it is, stands for one record. After a fault without one
/// nothing follows.
pub(crate) trait Documents: Send {
    /// Returns the next document; its id is empty if it has none.
    fn next(&mut self) -> Option<Result<Document, Fault>>;

    /// Returns what the document that was returned last is called inside its file, if it has a name
    /// there.
    fn part(&mut self) -> Option<Box<str>> {
        None
    }

    /// Returns how many records were passed over because they hold no text.
    fn skipped(&self) -> u64 {
        0
    }
}

/// Packs documents into chunks of about a block.
pub(crate) struct Packed<D> {
    documents: D,
    is_done: bool,
}

impl<D: Documents> Packed<D> {
    pub(crate) fn new(documents: D) -> Self {
        Self { documents, is_done: false }
    }
}

impl<D: Documents> Source for Packed<D> {
    fn next(&mut self) -> Option<Chunk> {
        let mut drafts = Vec::new();
        let (mut bytes, mut records) = (0, 0);
        while bytes < BLOCK_BYTES && !self.is_done {
            let draft = match self.documents.next() {
                None => {
                    self.is_done = true;
                    break;
                }
                Some(Ok(document)) => {
                    bytes += document.text.len() + 256;
                    let part = self.documents.part();
                    Ok(Draft { document, record: records, is_whole: false, part, again: None })
                }
                Some(Err(fault)) => {
                    bytes += 256;
                    self.is_done = fault.record.is_none();
                    Err(Fault { record: fault.record.map(|_| records), ..fault })
                }
            };
            records += u64::from(!self.is_done);
            drafts.push(draft);
        }
        (!drafts.is_empty()).then_some(Chunk { records, bytes, work: Work::Ready(drafts) })
    }

    fn skipped(&self) -> u64 {
        self.documents.skipped()
    }
}

/// Makes the work that turns pieces of a stream into documents, each piece a record. `parse` also
/// returns the byte at which its piece begins.
pub(crate) fn parsed_later<T: Send + 'static>(
    pieces: Vec<Result<T, Fault>>,
    parse: impl Fn(T) -> (u64, Result<Document, String>) + Send + 'static,
) -> Work {
    Work::Later(Box::new(move |each| {
        for (record, piece) in (0..).zip(pieces) {
            each(match piece {
                Err(fault) => Err(Fault { record: fault.record.map(|_| record), ..fault }),
                Ok(piece) => {
                    let (offset, document) = parse(piece);
                    let draft = |document| Draft {
                        document,
                        record,
                        is_whole: false,
                        part: None,
                        again: None,
                    };
                    document.map(draft).map_err(|reason| Fault {
                        record: Some(record),
                        offset: Some(offset),
                        reason,
                    })
                }
            });
        }
    }))
}

/// Makes a fault about the next record.
pub(crate) fn one(offset: u64, reason: impl Into<String>) -> Fault {
    Fault { record: Some(0), offset: Some(offset), reason: reason.into() }
}
