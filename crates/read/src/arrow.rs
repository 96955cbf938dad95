//! Arrow: files and streams of record batches; a row is a document, columns are its fields.
//!
//! What stands in front of a batch, its metadata, is read with the `arrow-ipc` library after it was
//! verified. The columns themselves are not: the library allocates what a batch says it holds, and a
//! few compressed bytes may say anything. Here each buffer of the needed columns is a stream of its
//! own, decompressed on the way, so that a row is all that is in memory however large a batch is. A
//! file is read in the order of its batches, as a stream is; its footer only says where it ends.
//!
//! Dictionaries, and compressed strings that are stored by reference (views), have to be held. They may
//! take a multiple of the size of the file.

mod batch;
mod buffers;
mod messages;
mod schema;
mod values;

use std::collections::HashMap;
use std::sync::Arc;

use arrow_ipc::MessageHeader;
use retold_core::document::Document;

use crate::access::Access;
use crate::arrow::batch::{Batch, Place};
use crate::arrow::messages::Messages;
use crate::arrow::schema::Schema;
use crate::arrow::values::{Cell, Dictionary};
use crate::bad::{Fault, quoted};
use crate::fields::{Gathered, Use};
use crate::format::{Context, Input, Opened, Spec};
use crate::pack::{Documents, Packed};
use crate::text::too_large;

pub(crate) static SPEC: Spec = Spec {
    endings: &["arrow", "arrows", "feather", "ipc"],
    input: Input::Positions,
    is_collection: true,
    shows: |look| messages::shows(look.bytes),
    open: |opened| Box::new(Packed::new(Rows::new(opened))),
};

/// Bytes that a row counts for beside those of its values.
const ROW_BYTES: u64 = 64;
/// Bytes of documents up to which the ratio is not checked.
const RATIO_FROM: u64 = 16 << 20;
/// Bytes of dictionaries and the like that any file may have in memory.
const HELD_BYTES: u64 = 32 << 20;
/// How many times its size a file may have in memory of them.
const HELD_RATIO: u64 = 4;

struct Rows {
    context: Arc<Context>,
    file: Option<File>,
    /// Why there is nothing to read.
    fault: Option<String>,
}

/// A file of which the schema has been read.
struct File {
    place: Place,
    messages: Messages,
    schema: Schema,
    dictionaries: HashMap<i64, Arc<Dictionary>>,
    batch: Option<Batch>,
    ratio: u64,
    /// Bytes that documents still may take.
    left: u64,
}

impl Rows {
    fn new(opened: Opened) -> Self {
        let context = opened.context;
        let access = opened.access.ok_or_else(|| "cannot be read by position".to_owned());
        let (file, fault) = match access.and_then(|access| File::open(access, &context)) {
            Ok(file) => (Some(file), None),
            Err(reason) => (None, Some(reason)),
        };
        Self { context, file, fault }
    }
}

impl Documents for Rows {
    fn next(&mut self) -> Option<Result<Document, Fault>> {
        if let Some(reason) = self.fault.take() {
            return Some(Err(Fault::rest(None, reason)));
        }
        let file = self.file.as_mut()?;
        match file.next(&self.context) {
            Ok(document) => document.map(|document| {
                document.map_err(|reason| Fault { record: Some(0), offset: None, reason })
            }),
            Err(reason) => {
                self.file = None;
                Some(Err(Fault::rest(None, format!("the rest cannot be read: {reason}"))))
            }
        }
    }
}

impl File {
    fn open(access: Access, context: &Context) -> Result<Self, String> {
        let limits = context.limits();
        let broken = |reason| format!("is broken Arrow: {reason}");
        let mut messages = Messages::open(access.clone())?;
        let schema = messages.schema(&context.names).map_err(broken)?;
        if !schema.columns.iter().any(|column| column.used.is_text()) {
            return Err(match schema.odd_text {
                Some(name) => format!("the text must be a string, column {} is not", quoted(&name)),
                None => context.names.no_column(schema.names.iter().map(String::as_str)),
            });
        }
        let ratio = limits.ratio.saturating_mul(10);
        let bytes = access.bytes();
        Ok(Self {
            place: Place {
                access,
                ratio,
                document_bytes: limits.document_bytes,
                held_bytes: bytes.saturating_mul(HELD_RATIO).max(HELD_BYTES),
            },
            messages,
            schema,
            dictionaries: HashMap::new(),
            batch: None,
            ratio,
            left: bytes.saturating_mul(ratio).max(RATIO_FROM),
        })
    }

    /// Returns the next row: a document or why it is none. An error ends the file.
    fn next(&mut self, context: &Context) -> Result<Option<Result<Document, String>>, String> {
        loop {
            if let Some(batch) = &mut self.batch {
                if batch.rows_left() > 0 {
                    let row = batch.next_row()?;
                    let cells = row.iter().zip(&self.schema.columns);
                    let bytes = row.iter().map(Cell::bytes).sum::<u64>();
                    let Some(left) = self.left.checked_sub(bytes.saturating_add(ROW_BYTES)) else {
                        let ratio = self.ratio;
                        return Err(format!(
                            "its rows take more than {ratio} times its size (`ratio`)"
                        ));
                    };
                    self.left = left;
                    return Ok(Some(document(
                        cells.map(|(cell, column)| (cell, column.used)),
                        context,
                    )));
                }
                self.batch = None;
            }
            let Some(message) = self.messages.next()? else { return Ok(None) };
            let header = message.header()?;
            match header.header_type() {
                MessageHeader::RecordBatch => {
                    let batch = header.header_as_record_batch().ok_or("a batch has no header")?;
                    let (schema, dictionaries) = (&self.schema, &self.dictionaries);
                    self.batch = Some(Batch::open(
                        &self.place,
                        schema,
                        dictionaries,
                        &batch,
                        &message.body,
                    )?);
                }
                MessageHeader::DictionaryBatch => {
                    let batch = header.header_as_dictionary_batch();
                    let batch = batch.ok_or("a dictionary has no header")?;
                    let Some(kind) = self.schema.dictionary(batch.id()) else { continue };
                    let before = self.dictionaries.remove(&batch.id());
                    let before = before.filter(|_| batch.isDelta());
                    let held = self.dictionaries.values().map(|it| it.held_bytes()).sum();
                    let body = &message.body;
                    let entries = Dictionary::read(&self.place, kind, before, &batch, body, held)?;
                    self.dictionaries.insert(batch.id(), Arc::new(entries));
                }
                MessageHeader::Schema => return Err("a second schema follows".to_owned()),
                // Tensors are no documents.
                _ => {}
            }
        }
    }
}

/// Makes a document of a row.
fn document<'a>(
    cells: impl Iterator<Item = (&'a Cell, Use)>,
    context: &Context,
) -> Result<Document, String> {
    let mut gathered = Gathered::new();
    for (cell, used) in cells {
        if matches!(cell, Cell::Absent) || !gathered.wants(used) {
            continue;
        }
        match cell {
            Cell::Value(value) => gathered.put(used, value.clone()),
            Cell::TooLarge => return Err(too_large(context.limits().document_bytes)),
            Cell::Odd if used.is_text() => return Err("the text is not UTF-8".to_owned()),
            Cell::Absent | Cell::Odd => {}
        }
    }
    gathered.finish(&context.names)
}
