//! SQLite databases: a row of a table, or of a query, is a document, columns are its fields.
//!
//! SQLite itself reads the file, as it was made for files that nobody vouches for: read only, without
//! journals, with limits of memory, of the length of values and of steps (`database.rs`). A table is read
//! from its first row to its last by names and lengths alone, without anything that the file computes
//! (`tables.rs`). Rows come from a thread of their own, since a statement of SQLite cannot move between
//! threads as batches do.
//!
//! Together the rows may not take more than a multiple of the size of the file: a page may stand in it once
//! and be named many times.

mod database;
mod tables;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::vec;

use retold_core::document::Document;
use rusqlite::types::ValueRef;

use crate::bad::Fault;
use crate::fields::{Gathered, Use};
use crate::format::{Context, Input, Opened, Spec};
use crate::pack::{Documents, Packed};
use crate::quiet::quietly;
use crate::sqlite::database::{Bounds, Database, Place};
use crate::sqlite::tables::Selected;
use crate::text::too_large;

pub(crate) static SPEC: Spec = Spec {
    endings: &["sqlite", "sqlite3", "db3"],
    input: Input::Positions,
    is_collection: true,
    shows: |look| look.bytes.starts_with(b"SQLite format 3\0"),
    open: |opened| Box::new(Packed::new(Rows::new(opened))),
};

/// Bytes that a row counts for beside those of its values.
const ROW_BYTES: u64 = 64;
/// Bytes of documents up to which the ratio is not checked.
const RATIO_FROM: u64 = 16 << 20;
/// Bytes of rows that are handed over together.
const BATCH_BYTES: u64 = 256 << 10;

/// What the thread that reads hands over.
enum Message {
    /// Rows: documents, or why they are none.
    Rows(Vec<Result<Document, String>>),
    /// Why nothing follows.
    Fault(String),
}

/// The rows of a database.
struct Rows {
    bounds: Arc<Bounds>,
    /// `None` once there is nothing more to come.
    messages: Option<Receiver<Message>>,
    thread: Option<JoinHandle<()>>,
    ready: vec::IntoIter<Result<Document, String>>,
    /// Why there is nothing to read.
    fault: Option<String>,
}

impl Rows {
    fn new(opened: Opened) -> Self {
        let (sender, messages) = sync_channel(1);
        let context = opened.context;
        let bounds = Arc::new(Bounds::new(Arc::clone(&context.stop)));
        let mut rows = Self {
            bounds: Arc::clone(&bounds),
            messages: Some(messages),
            thread: None,
            ready: Vec::new().into_iter(),
            fault: None,
        };
        let started = Place::of(opened.access, opened.path).and_then(|place| {
            let body = move || run(place, &context, &bounds, &sender);
            let started = thread::Builder::new().name("retold-sqlite".to_owned()).spawn(body);
            started.map_err(|error| format!("cannot be read: no thread can be started: {error}"))
        });
        match started {
            Ok(thread) => rows.thread = Some(thread),
            Err(reason) => rows.fault = Some(reason),
        }
        rows
    }
}

impl Documents for Rows {
    fn next(&mut self) -> Option<Result<Document, Fault>> {
        if let Some(reason) = self.fault.take() {
            self.messages = None;
            return Some(Err(Fault::rest(None, reason)));
        }
        loop {
            if let Some(row) = self.ready.next() {
                let fault = |reason| Fault { record: Some(0), offset: None, reason };
                return Some(row.map_err(fault));
            }
            match self.messages.as_ref()?.recv() {
                Ok(Message::Rows(rows)) => self.ready = rows.into_iter(),
                Ok(Message::Fault(reason)) => {
                    self.messages = None;
                    return Some(Err(Fault::rest(None, reason)));
                }
                Err(_) => self.messages = None,
            }
        }
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        self.bounds.leave();
        // A thread that waits for its rows to be taken is told that nobody will.
        self.messages = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Reads a database to its end, on a thread of its own.
fn run(place: Place, context: &Context, bounds: &Arc<Bounds>, sender: &SyncSender<Message>) {
    let mut outlet = Outlet { sender, rows: Vec::new(), bytes: 0 };
    // The library that wraps SQLite panics where SQLite is out of memory while it converts a text.
    let read =
        quietly(|| catch_unwind(AssertUnwindSafe(|| read(place, context, bounds, &mut outlet))));
    let read = read.unwrap_or_else(|_| Err("the rest cannot be read: out of memory".to_owned()));
    if outlet.flush()
        && !bounds.is_left()
        && let Err(reason) = read
    {
        let _ = sender.send(Message::Fault(reason));
    }
}

/// Rows on their way to the reader.
struct Outlet<'a> {
    sender: &'a SyncSender<Message>,
    rows: Vec<Result<Document, String>>,
    bytes: u64,
}

impl Outlet<'_> {
    /// Hands a row over; `false` if nobody takes it.
    fn put(&mut self, row: Result<Document, String>, bytes: u64) -> bool {
        self.rows.push(row);
        self.bytes += bytes;
        self.bytes < BATCH_BYTES || self.flush()
    }

    fn flush(&mut self) -> bool {
        self.bytes = 0;
        let rows = std::mem::take(&mut self.rows);
        rows.is_empty() || self.sender.send(Message::Rows(rows)).is_ok()
    }
}

fn read(
    place: Place,
    context: &Context,
    bounds: &Arc<Bounds>,
    outlet: &mut Outlet<'_>,
) -> Result<(), String> {
    let limits = context.limits();
    let n_bytes = place.bytes();
    let mut database = Database::open(place, limits)?;
    let Selected { sql, columns, has_lengths } = tables::select(&mut database, context)?;
    database.bound(n_bytes, bounds, has_lengths)?;
    let mut statement = database.prepare(&sql)?;
    let columns = match columns {
        Some(columns) => columns,
        None => tables::of_query(&statement, context)?,
    };
    let rest = |reason: String| format!("the rest cannot be read: {reason}");
    let ratio = limits.ratio.saturating_mul(10);
    let mut left = n_bytes.saturating_mul(ratio).max(RATIO_FROM);
    let mut rows = statement.raw_query();
    loop {
        let row = match rows.next() {
            Ok(None) => return Ok(()),
            Ok(Some(row)) => row,
            Err(error) => return Err(rest(bounds.told(&error, limits))),
        };
        let mut gathered = Gathered::new();
        let (mut bytes, mut refused) = (ROW_BYTES, None);
        for (at, used) in &columns {
            let value = row.get_ref(*at).map_err(|error| rest(error.to_string()))?;
            // The second of the two columns is the length where the first was left out for it.
            let is_long = has_lengths
                && matches!(row.get_ref(at + 1), Ok(ValueRef::Integer(length)) if length > 0);
            let text_bytes = match value {
                ValueRef::Text(value) | ValueRef::Blob(value) => value.len() as u64,
                _ => 0,
            };
            bytes += text_bytes;
            if is_long || text_bytes > limits.document_bytes {
                refused = Some(too_large(limits.document_bytes));
            } else if gathered.wants(*used) {
                refused = put(&mut gathered, *used, value).err().or(refused);
            }
        }
        left = left
            .checked_sub(bytes)
            .ok_or_else(|| format!("its rows take more than {ratio} times its size (`ratio`)"))?;
        let document = match refused {
            Some(reason) => Err(reason),
            None => gathered.finish(&context.names),
        };
        if !outlet.put(document, bytes) {
            return Ok(());
        }
    }
}

/// Keeps the value of a column: numbers as they are written, strings and blobs if they are UTF-8.
fn put(gathered: &mut Gathered, used: Use, value: ValueRef<'_>) -> Result<(), String> {
    let text = match value {
        ValueRef::Null => return Ok(()),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => match simdutf8::basic::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) if used.is_text() => return Err("the text is not UTF-8".to_owned()),
            Err(_) => return Ok(()),
        },
    };
    gathered.put(used, text);
    Ok(())
}
