//! Rows of one batch.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use arrow_ipc::{FieldNode, RecordBatch};

use crate::access::Access;
use crate::arrow::buffers::Buffers;
use crate::arrow::schema::Schema;
use crate::arrow::values::{Cell, Dictionary, Values};

/// A file, and what may be asked of it.
pub(super) struct Place {
    pub(super) access: Access,
    /// Bytes that one compressed byte may become.
    pub(super) ratio: u64,
    pub(super) document_bytes: u64,
    /// Bytes that may be held of dictionaries and of strings by reference.
    pub(super) held_bytes: u64,
}

/// A batch that is being read.
pub(super) struct Batch {
    rows_left: u64,
    columns: Vec<Values>,
}

impl Batch {
    /// Opens a batch; its body lies at `body` in the file.
    pub(super) fn open(
        place: &Place,
        schema: &Schema,
        dictionaries: &HashMap<i64, Arc<Dictionary>>,
        batch: &RecordBatch<'_>,
        body: &Range<u64>,
    ) -> Result<Self, String> {
        let rows_left = u64::try_from(batch.length()).map_err(|_| "a batch of negative length")?;
        let buffers = Buffers::of(&place.access, body, batch, place.ratio)?;
        let dictionary_bytes = dictionaries.values().map(|it| it.held_bytes()).sum();
        let mut held = place.held_bytes.saturating_sub(dictionary_bytes);
        let mut counts = batch.variadicBufferCounts().into_iter().flatten();
        let mut nodes = batch.nodes().into_iter().flatten();
        let mut columns = Vec::with_capacity(schema.columns.len());
        let mut wanted = schema.columns.iter().peekable();
        let mut first = 0_usize;
        for (place_in_file, layout) in schema.layouts.iter().enumerate() {
            let Some(column) = wanted.peek() else { break };
            let mut end = first + layout.buffers;
            for _ in 0..layout.views {
                let count = counts.next().and_then(|count| usize::try_from(count).ok());
                let count = count.filter(|&count| count <= buffers.len());
                end += count.ok_or("a column of views does not say how many buffers it has")?;
            }
            if end > buffers.len() {
                return Err("a batch has too few buffers".to_owned());
            }
            let length = nodes.next().map(FieldNode::length);
            nodes.by_ref().take(layout.nodes - 1).for_each(drop);
            if column.place == place_in_file {
                if length != Some(batch.length()) {
                    return Err("columns differ in length".to_owned());
                }
                let entries = match column.dictionary {
                    None => None,
                    Some((id, fixed)) => {
                        let dictionary = dictionaries.get(&id).cloned();
                        Some((fixed, dictionary.ok_or("a dictionary is missing")?))
                    }
                };
                let range = first..end;
                columns.push(Values::open(
                    place,
                    &buffers,
                    range,
                    column.kind,
                    entries,
                    &mut held,
                )?);
                wanted.next();
            }
            first = end;
        }
        Ok(Self { rows_left, columns })
    }

    /// Returns how many rows have not been read yet.
    pub(super) fn rows_left(&self) -> u64 {
        self.rows_left
    }

    /// Returns the next row.
    pub(super) fn next_row(&mut self) -> Result<Vec<Cell>, String> {
        self.rows_left = self.rows_left.saturating_sub(1);
        self.columns.iter_mut().map(Values::next).collect()
    }
}
