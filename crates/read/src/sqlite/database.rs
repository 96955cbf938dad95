//! Opening a database that nobody vouches for.
//!
//! After "Defense Against The Dark Arts" in the documentation of SQLite: it is read only and immutable, so
//! that no journal beside it is followed and nothing is written; its schema is not trusted; cells are checked
//! against their pages; nothing can be attached; and a statement may only select.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, Error, ErrorCode, MAIN_DB, OpenFlags, Statement};

use crate::access::Access;
use crate::bad::quoted;
use crate::options::Limits;

/// Bytes that SQLite may have in memory for all databases of the process together. A table needs a few
/// MiB; what a query sorts or collects is held in memory.
const HEAP_BYTES: u64 = 1 << 30;
/// KiB of pages that are kept of a database.
const CACHE_KIB: u32 = 4 << 10;
/// Steps of SQLite between two looks at the bounds.
const STEPS_PER_LOOK: i32 = 1000;

/// Where a database stands.
pub(super) enum Place {
    File(PathBuf, u64),
    /// What came out of an archive or a stream.
    Memory(Arc<Vec<u8>>),
}

impl Place {
    pub(super) fn of(access: Option<Access>, path: Option<PathBuf>) -> Result<Self, String> {
        match (access, path) {
            (Some(Access::Memory(bytes)), _) => Ok(Self::Memory(bytes)),
            (Some(Access::File(_, bytes)), Some(path)) => Ok(Self::File(path, bytes)),
            _ => Err("cannot be read by position".to_owned()),
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::File(_, bytes) => *bytes,
            Self::Memory(bytes) => bytes.len() as u64,
        }
    }
}

/// Whether reading goes on, as it is asked now and then.
#[derive(Debug)]
pub(super) struct Bounds {
    /// Whether the run was asked to stop.
    stop: Arc<AtomicBool>,
    /// Whether nobody takes rows any more.
    is_left: AtomicBool,
    /// Steps that may still be taken.
    steps: AtomicU64,
    /// How many they were at first.
    most_steps: AtomicU64,
}

impl Bounds {
    pub(super) fn new(stop: Arc<AtomicBool>) -> Self {
        Self {
            stop,
            is_left: AtomicBool::new(false),
            steps: AtomicU64::new(0),
            most_steps: AtomicU64::new(0),
        }
    }

    /// Says that nobody takes rows any more.
    pub(super) fn leave(&self) {
        self.is_left.store(true, Ordering::Relaxed);
    }

    /// Returns whether the run was asked to stop, or nobody takes rows.
    pub(super) fn is_left(&self) -> bool {
        self.is_left.load(Ordering::Relaxed) || self.stop.load(Ordering::Relaxed)
    }

    fn set_steps(&self, most: u64) {
        self.most_steps.store(most, Ordering::Relaxed);
        self.steps.store(most, Ordering::Relaxed);
    }

    /// Counts some steps; returns whether they were too many.
    fn count(&self) -> bool {
        let left = self.steps.load(Ordering::Relaxed).saturating_sub(STEPS_PER_LOOK as u64);
        self.steps.store(left, Ordering::Relaxed);
        left == 0 || self.is_left()
    }

    /// Says why a statement ended.
    pub(super) fn told(&self, error: &Error, limits: &Limits) -> String {
        match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => {
                let most = self.most_steps.load(Ordering::Relaxed);
                format!("it takes more than {most} steps, the most for a database of its size")
            }
            Some(ErrorCode::TooBig) => {
                let limit = limits.document_bytes;
                format!("a value has more than twice the limit of {limit} bytes (`document_bytes`)")
            }
            Some(ErrorCode::OutOfMemory) => {
                let mib = HEAP_BYTES >> 20;
                format!("SQLite needs more than the {mib} MiB that all databases have together")
            }
            _ => error.to_string(),
        }
    }
}

/// A database that can only be selected from.
pub(super) struct Database {
    connection: Connection,
}

impl Database {
    pub(super) fn open(place: Place, limits: &Limits) -> Result<Self, String> {
        let cannot = |error: Error| format!("cannot be read as a database: {error}");
        has_whole_pages(&place)?;
        let connection = match place {
            Place::File(path, _) => {
                if let Some(journal) = journal_of(&path) {
                    return Err(format!(
                        "changes that are not in it stand in {} beside it: end the programs that \
                         have it open, or let `sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)'` \
                         put them in",
                        quoted(&journal)
                    ));
                }
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
                    | OpenFlags::SQLITE_OPEN_URI
                    | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                Connection::open_with_flags(uri(&path), flags).map_err(cannot)?
            }
            Place::Memory(bytes) => {
                let mut connection = Connection::open_in_memory().map_err(cannot)?;
                limit_heap(&connection).map_err(cannot)?;
                // A database in memory must not say that it has a write-ahead log.
                let mut head = [0; 20];
                let n = bytes.len().min(head.len());
                head[..n].copy_from_slice(&bytes[..n]);
                for version in head[18..].iter_mut().filter(|version| **version == 2) {
                    *version = 1;
                }
                let reader = head[..n].chain(&bytes[n..]);
                connection
                    .deserialize_read_exact(MAIN_DB, reader, bytes.len(), true)
                    .map_err(cannot)?;
                connection
            }
        };
        limit_heap(&connection).map_err(cannot)?;
        harden(&connection, limits).map_err(cannot)?;
        Ok(Self { connection })
    }

    /// Bounds what statements may do from here on. A table has few steps for each byte; a query may take
    /// more, and use functions.
    pub(super) fn bound(
        &mut self,
        n_bytes: u64,
        bounds: &Arc<Bounds>,
        is_table: bool,
    ) -> Result<(), String> {
        bounds.set_steps(if is_table {
            n_bytes.saturating_mul(200).saturating_add(1 << 20)
        } else {
            n_bytes.saturating_mul(10_000).saturating_add(1 << 33)
        });
        let cannot = |error: Error| format!("cannot be read as a database: {error}");
        let counted = Arc::clone(bounds);
        let count = move || counted.count();
        self.connection.progress_handler(STEPS_PER_LOOK, Some(count)).map_err(cannot)?;
        let allowed = move |action: AuthAction<'_>| match action {
            AuthAction::Select | AuthAction::Read { .. } => true,
            AuthAction::Recursive => !is_table,
            AuthAction::Function { function_name: name } => {
                // The same query has to give the same rows again.
                !is_table && !matches!(name, "random" | "randomblob" | "load_extension")
                    || matches!(name, "octet_length" | "iif" | "if")
            }
            _ => false,
        };
        let authorize = move |context: rusqlite::hooks::AuthContext<'_>| {
            if allowed(context.action) { Authorization::Allow } else { Authorization::Deny }
        };
        self.connection.authorizer(Some(authorize)).map_err(cannot)
    }

    /// Makes a statement of a query.
    pub(super) fn prepare(&self, sql: &str) -> Result<Statement<'_>, String> {
        let cannot = |reason: String| format!("cannot be asked {}: {reason}", quoted(sql));
        let statement = self.connection.prepare(sql).map_err(|error| {
            cannot(match error {
                Error::MultipleStatement => "it is more than one statement".to_owned(),
                Error::SqlInputError { msg, .. } => msg,
                error => error.to_string(),
            })
        })?;
        if !statement.readonly() || statement.is_explain() != 0 || statement.column_count() == 0 {
            return Err(cannot("it does not select rows".to_owned()));
        }
        Ok(statement)
    }

    /// Runs a statement of ours and takes what `take` makes of its rows.
    pub(super) fn list<T>(
        &self,
        sql: &str,
        mut take: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<Option<T>>,
    ) -> Result<Vec<T>, String> {
        let mut list = || {
            let mut statement = self.connection.prepare(sql)?;
            let mut rows = statement.raw_query();
            let mut taken = Vec::new();
            while let Some(row) = rows.next()? {
                taken.extend(take(row)?);
            }
            Ok(taken)
        };
        list().map_err(|error: Error| format!("cannot be read as a database: {}", told(&error)))
    }
}

/// Checks that a file does not end inside a page: SQLite would read zeros there.
fn has_whole_pages(place: &Place) -> Result<(), String> {
    let mut head = Vec::new();
    match place {
        Place::Memory(bytes) => head.extend_from_slice(&bytes[..bytes.len().min(18)]),
        Place::File(path, _) => {
            let read = File::open(path).and_then(|file| file.take(18).read_to_end(&mut head));
            read.map_err(|error| format!("cannot be opened: {error}"))?;
        }
    }
    let Some(&[high, low]) = head.get(16..18) else { return Ok(()) };
    // A page of 65,536 bytes does not fit into two bytes, and is written as 1.
    let page = match u64::from(u16::from_be_bytes([high, low])) {
        1 => 1 << 16,
        bytes => bytes,
    };
    let bytes = place.bytes();
    if page >= 512 && page.is_power_of_two() && !bytes.is_multiple_of(page) {
        return Err(format!("is cut short: its {bytes} bytes are not whole pages of {page}"));
    }
    Ok(())
}

/// Returns what SQLite says, without the statement.
fn told(error: &Error) -> String {
    match error {
        Error::SqlInputError { msg, .. } => msg.clone(),
        error => error.to_string(),
    }
}

/// Bounds the memory of all databases of the process; it can only become less.
fn limit_heap(connection: &Connection) -> rusqlite::Result<()> {
    pragma(connection, &format!("hard_heap_limit = {HEAP_BYTES}"))
}

fn pragma(connection: &Connection, pragma: &str) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(&format!("PRAGMA {pragma}"))?;
    let mut rows = statement.raw_query();
    while rows.next()?.is_some() {}
    Ok(())
}

fn harden(connection: &Connection, limits: &Limits) -> rusqlite::Result<()> {
    // A text of UTF-16 has up to twice the bytes; statements of the schema count as values, too.
    let length = limits.document_bytes.saturating_mul(2).max(1 << 20).saturating_add(1024);
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_LENGTH, i32::try_from(length).unwrap_or(i32::MAX)),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
        (Limit::SQLITE_LIMIT_COLUMN, 2000),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 50),
        (Limit::SQLITE_LIMIT_VDBE_OP, 1 << 20),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 0),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
        (Limit::SQLITE_LIMIT_SCHEMA, 10_000),
    ] {
        connection.set_limit(limit, most)?;
    }
    for (config, value) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, false),
    ] {
        connection.set_db_config(config, value)?;
    }
    pragma(connection, "cell_size_check = ON")?;
    pragma(connection, "query_only = ON")?;
    pragma(connection, "mmap_size = 0")?;
    pragma(connection, "temp_store = MEMORY")?;
    pragma(connection, &format!("cache_size = -{CACHE_KIB}"))
}

/// Returns the file beside a database that holds changes which are not in it, if there is one.
fn journal_of(path: &Path) -> Option<String> {
    let beside = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let named = |path: PathBuf| Some(path.file_name()?.to_string_lossy().into_owned());
    let log = beside("-wal");
    // A log without a frame is its header alone.
    if log.metadata().is_ok_and(|found| found.is_file() && found.len() > 32) {
        return named(log);
    }
    let journal = beside("-journal");
    if journal.metadata().is_ok_and(|found| found.is_file() && found.len() > 512) {
        let mut start = [0; 8];
        let read = File::open(&journal).and_then(|mut file| file.read_exact(&mut start));
        if read.is_ok() && start == [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7] {
            return named(journal);
        }
    }
    None
}

/// Returns the name of a file as SQLite takes it with parameters.
fn uri(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let mut uri = match bytes.first() {
        Some(b'/') => "file://".to_owned(),
        // A drive of Windows.
        Some(_) if path.is_absolute() => "file:///".to_owned(),
        _ => "file:".to_owned(),
    };
    for &byte in bytes {
        match byte {
            b'\\' if std::path::MAIN_SEPARATOR == '\\' => uri.push('/'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' | b':' => {
                uri.push(char::from(byte));
            }
            _ => {
                uri.push('%');
                uri.extend(
                    [byte >> 4, byte & 15]
                        .map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])),
                );
            }
        }
    }
    uri + "?mode=ro&immutable=1"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_add_parameters() {
        let end = "?mode=ro&immutable=1";
        assert_eq!(uri(Path::new("a/b.db")), format!("file:a/b.db{end}"));
        assert_eq!(uri(Path::new("/a b?c#d%41.db")), format!("file:///a%20b%3fc%23d%2541.db{end}"));
        assert_eq!(uri(Path::new("ü.db")), format!("file:%c3%bc.db{end}"));
    }

    #[test]
    fn a_selection_is_all_that_can_be_asked() {
        let folder = tempfile::tempdir().expect("a folder for a test");
        let path = folder.path().join("x.sqlite");
        let made = Connection::open(&path).expect("a database can be made");
        made.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2);").expect("a table");
        drop(made);
        let n_bytes = path.metadata().expect("it was written").len();
        let bounds = Arc::new(Bounds::new(Arc::default()));
        let mut database =
            Database::open(Place::File(path, n_bytes), &Limits::default()).expect("a database");
        database.bound(n_bytes, &bounds, false).expect("bounds");
        assert!(database.prepare("SELECT upper(a) FROM t").is_ok());
        assert!(database.prepare("WITH RECURSIVE n(i) AS (SELECT 1) SELECT i FROM n").is_ok());
        for sql in [
            "INSERT INTO t VALUES (3)",
            "CREATE TEMP TABLE u(a)",
            "PRAGMA writable_schema = ON",
            "ATTACH '/etc/passwd' AS other",
            "VACUUM INTO 'copy.db'",
            "BEGIN",
            "EXPLAIN SELECT a FROM t",
            "SELECT a FROM t; DELETE FROM t",
            "SELECT load_extension('x')",
            "SELECT random()",
            "SELECT \"no such column\" FROM t",
            "",
        ] {
            assert!(database.prepare(sql).is_err(), "{sql}");
        }
    }
}
