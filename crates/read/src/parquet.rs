//! Parquet: a row is a document, columns are its fields.
//!
//! Only the columns that are needed are decoded, some rows at a time. The library trusts the sizes
//! and counts in a file, so they are checked before it sees them: the footer in `batches`, pages in
//! `pages`. Strings are references into the pages, so that a row that repeats an entry of a
//! dictionary costs nothing until it is a document, and the documents together may not take more
//! than a multiple of the size of the file. A panic of the library becomes a bad record.

mod batches;
mod cells;
mod delta;
mod header;
mod pages;

use std::sync::Arc;

use retold_core::document::Document;

use crate::bad::{Fault, quoted};
use crate::fields::{Gathered, Use};
use crate::format::{Context, Input, Opened, Spec};
use crate::pack::{Documents, Packed};
use crate::parquet::cells::Cell;
use crate::text::too_large;

pub(crate) use batches::{Batch, Batches, batch_rows, guarded};
pub(crate) use cells::{date, time};
pub(crate) use pages::CheckedFile;

pub(crate) static SPEC: Spec = Spec {
    endings: &["parquet"],
    input: Input::Positions,
    is_collection: true,
    shows: |look| look.bytes.starts_with(b"PAR1"),
    open: |opened| Box::new(Packed::new(Rows::new(opened))),
};

struct Rows {
    context: Arc<Context>,
    batches: Option<Batches>,
    batch: Option<Batch>,
    row: usize,
    /// Why there is nothing to read.
    fault: Option<String>,
}

impl Rows {
    fn new(opened: Opened) -> Self {
        let context = opened.context;
        let access = opened.access.ok_or_else(|| "cannot be read by position".to_owned());
        let batches = access.and_then(|access| Batches::open(access, &context));
        let (batches, fault) = match batches {
            Err(reason) => (None, Some(reason)),
            Ok(batches) if batches.uses().any(Use::is_text) => (Some(batches), None),
            Ok(batches) => {
                let schema = batches.metadata().file_metadata().schema();
                let columns = schema.get_fields().iter().map(|column| column.name());
                let reason = match columns.clone().find(|name| context.names.is_column(name)) {
                    Some(name) => {
                        format!("the text must be a string, column {} is not", quoted(name))
                    }
                    None => context.names.no_column(columns),
                };
                (None, Some(reason))
            }
        };
        Self { context, batches, batch: None, row: 0, fault }
    }
}

impl Documents for Rows {
    fn next(&mut self) -> Option<Result<Document, Fault>> {
        if let Some(reason) = self.fault.take() {
            return Some(Err(Fault::rest(None, reason)));
        }
        loop {
            let batches = self.batches.as_mut()?;
            if let Some(batch) = &self.batch
                && self.row < batch.n_rows
            {
                let row = self.row;
                self.row += 1;
                let document = batches.document(batch, row, &self.context);
                return Some(document.map_err(|reason| Fault {
                    record: Some(0),
                    offset: None,
                    reason,
                }));
            }
            // Frees its pages before the next are read.
            self.batch = None;
            match batches.next()? {
                Ok(batch) => (self.batch, self.row) = (Some(batch), 0),
                Err(reason) => {
                    self.batches = None;
                    return Some(Err(Fault::rest(None, reason)));
                }
            }
        }
    }
}

impl Batches {
    /// Makes a document of a row.
    pub(crate) fn document(
        &self,
        batch: &Batch,
        row: usize,
        context: &Context,
    ) -> Result<Document, String> {
        let mut gathered = Gathered::new();
        for (cell, used) in batch.row(row).zip(self.uses()) {
            if matches!(cell, Cell::Absent) || !gathered.wants(used) {
                continue;
            }
            if cell.text_bytes() > context.limits().document_bytes {
                return Err(too_large(context.limits().document_bytes));
            }
            match cell.to_text() {
                Some(value) => gathered.put(used, value),
                None if used.is_text() => return Err("the text is not UTF-8".to_owned()),
                None => {}
            }
        }
        gathered.finish(&context.names)
    }
}
