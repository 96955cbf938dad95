//! SQLite databases: tables, queries, and files that are none.

use std::path::Path;
use std::time::Duration;

use retold_read::{Limits, ReadOptions, copy_kept, discover};
use rusqlite::Connection;

use crate::archives::{Zipped, gzip, zip};
use crate::common::{Files, Outcome, read, read_one, read_one_with, read_with};

/// Returns the bytes of a database that was made with these statements.
fn database(sql: &str) -> Vec<u8> {
    let files = Files::new();
    let path = files.path().join("made.sqlite");
    let connection = Connection::open(&path).expect("a database can be made");
    connection.execute_batch(sql).expect("statements are right");
    connection.close().expect("it is whole");
    std::fs::read(&path).expect("it was written")
}

const NEWS: &str = "
    CREATE TABLE articles(url TEXT PRIMARY KEY, body TEXT, headline TEXT, date TEXT, source, rank REAL, raw BLOB);
    INSERT INTO articles VALUES
        ('a', 'The harbour board will close the east quay.', 'Quay', '2011-03-21', 'one', 1.5, x'6869'),
        ('b', NULL, 'No text', NULL, 'two', 2, NULL),
        ('c', 42, NULL, NULL, 7, NULL, x'ff'),
        ('d', x'74657874206f66206120626c6f62', NULL, '2012', NULL, NULL, NULL),
        ('e', CAST(x'c328' AS TEXT), NULL, NULL, NULL, NULL, NULL);";

const TWO: &str = "
    CREATE TABLE articles(id INTEGER PRIMARY KEY, text TEXT);
    CREATE TABLE Authors(number INTEGER, text TEXT);
    INSERT INTO articles VALUES (3, 'third'), (1, 'first'), (2, 'second');
    INSERT INTO Authors VALUES (1, 'Ada'), (2, 'Ben');";

fn with(table: Option<&str>, sql: Option<&str>) -> ReadOptions {
    let (table, sql) = (table.map(str::to_owned), sql.map(str::to_owned));
    ReadOptions { table, sql, ..ReadOptions::default() }
}

fn table(bytes: &[u8], name: &str) -> Outcome {
    read_one_with("x.db", bytes, with(Some(name), None))
}

fn query(bytes: &[u8], sql: &str) -> Outcome {
    read_one_with("x.db", bytes, with(None, Some(sql)))
}

#[test]
fn columns_are_fields_as_in_other_tables() {
    let mut options = ReadOptions::default();
    options.fields.id = vec!["url".to_owned()];
    options.further_fields = vec!["rank".to_owned(), "raw".to_owned()];
    // The first bytes tell, whatever the name.
    let read = read_one_with("news.bin", database(NEWS), options);
    assert_eq!(read.kinds, ["sqlite"]);
    assert_eq!(read.ids(), ["a", "c", "d"]);
    assert_eq!(
        read.texts(),
        ["The harbour board will close the east quay.", "42", "text of a blob"]
    );
    let first = &read.documents[0];
    assert_eq!(first.title.as_deref(), Some("Quay"));
    assert_eq!(first.time.as_deref(), Some("2011-03-21"));
    assert_eq!(first.source.as_deref(), Some("one"));
    assert_eq!(first.fields["rank"], "1.5");
    assert_eq!(first.fields["raw"], "hi");
    assert_eq!(read.documents[1].source.as_deref(), Some("7"));
    assert!(!read.documents[1].fields.contains_key("raw"), "bytes that are no text");
    let reasons = read.reasons();
    assert!(reasons.contains("record 1: no text"), "{reasons}");
    assert!(reasons.contains("record 4: the text is not UTF-8"), "{reasons}");
}

#[test]
fn the_table_is_named_where_there_are_several() {
    let bytes = database(TWO);
    let none = read_one("x.db", &bytes);
    assert!(none.documents.is_empty());
    let reasons = none.reasons();
    assert!(reasons.contains("x.db: it has 2 tables"), "{reasons}");
    assert!(
        reasons.contains("(`table`), or select rows (`sql`): `articles`, `Authors`"),
        "{reasons}"
    );
    // In the order in which rows stand, which is that of their numbers.
    assert_eq!(table(&bytes, "articles").texts(), ["first", "second", "third"]);
    let authors = table(&bytes, "authors");
    assert_eq!(authors.texts(), ["Ada", "Ben"]);
    assert!(authors.ids()[1].ends_with("x.db#1"), "{:?}", authors.ids());
    let other = table(&bytes, "papers").reasons();
    assert!(other.contains("it has no table `papers`, it has: `articles`, `Authors`"), "{other}");
    let both = read_one_with("x.db", &bytes, with(Some("articles"), Some("SELECT 1 AS text")));
    assert!(both.reasons().contains("exclude each other"));
    let empty = read_one("x.db", database("CREATE TABLE t(a); DROP TABLE t;")).reasons();
    assert!(empty.contains("no table with rows of its own"), "{empty}");
}

#[test]
fn tables_of_sqlite_and_of_its_extensions_are_not_counted() {
    let bytes = database(
        "CREATE TABLE notes(id INTEGER PRIMARY KEY AUTOINCREMENT, text UNIQUE);
         INSERT INTO notes(text) VALUES ('one note'), ('another note');
         CREATE VIRTUAL TABLE search USING fts5(text);
         INSERT INTO search VALUES ('one note');
         CREATE VIEW short AS SELECT text FROM notes;
         ANALYZE;",
    );
    assert_eq!(read_one("x.db", &bytes).texts(), ["one note", "another note"]);
    assert!(table(&bytes, "search").reasons().contains("it has no table `search`"));
    assert_eq!(query(&bytes, "SELECT text FROM short").texts(), ["one note", "another note"]);
}

#[test]
fn a_query_makes_documents() {
    let bytes = database(TWO);
    let read = query(
        &bytes,
        "SELECT a.id, upper(b.text) || ': ' || a.text AS text FROM articles a
         JOIN authors b ON b.number = a.id ORDER BY a.id DESC",
    );
    assert_eq!(read.texts(), ["BEN: second", "ADA: first"]);
    assert_eq!(read.ids(), ["2", "1"]);
    for (sql, reason) in [
        ("SELECT id FROM articles", "no column is named `text`"),
        ("SELECT id, 1 AS one FROM articles", "its columns: `id`, `one`"),
        ("SELECT text FROM nowhere", "no such table: nowhere"),
        ("DELETE FROM articles", "not authorized"),
        ("SELECT 1 AS text; SELECT 2 AS text", "more than one statement"),
        ("SELECT random() AS text", "not authorized"),
        ("PRAGMA user_version", "not authorized"),
    ] {
        let read = query(&bytes, sql);
        assert!(read.documents.is_empty(), "{sql}");
        assert!(read.reasons().contains(reason), "{sql}: {}", read.reasons());
    }
}

#[test]
fn tables_without_row_numbers_wide_encodings_and_odd_names_are_read() {
    let bytes = database(
        "PRAGMA encoding = 'UTF-16le';
         CREATE TABLE \"odd \"\" name\"(id TEXT PRIMARY KEY, \"TEXT\" TEXT, twice AS (text || text)) WITHOUT ROWID;
         INSERT INTO \"odd \"\" name\" VALUES ('z', 'İstanbul 🛳'), ('b', 'second');",
    );
    let read = read_one("x.sqlite", &bytes);
    assert_eq!(read.texts(), ["second", "İstanbul 🛳"], "{}", read.reasons());
    // What the database computes is read only if it is asked for.
    let mut options = ReadOptions::default();
    options.fields.text = vec!["twice".to_owned()];
    let computed = read_one_with("x.sqlite", &bytes, options.clone());
    assert!(computed.reasons().contains("column `twice` is computed"), "{}", computed.reasons());
    options.sql = Some("SELECT twice FROM \"odd \"\" name\"".to_owned());
    let asked = read_one_with("x.sqlite", &bytes, options);
    assert_eq!(asked.texts()[0], "secondsecond", "{}", asked.reasons());
}

#[test]
fn databases_in_archives_are_read_from_memory() {
    // In a database with a write-ahead log two bytes say so.
    let mut logged = database(NEWS);
    (logged[18], logged[19]) = (2, 2);
    let expected = read_one("x.db", database(NEWS));
    assert!(expected.documents.len() == 3);
    for (name, bytes) in [
        ("x.db.gz", gzip(&logged)),
        ("x.zip", zip(&[Zipped::new("in/x.db", &logged)])),
        ("x.db", logged),
    ] {
        let read = read_one(name, bytes);
        assert_eq!(read.texts(), expected.texts(), "{name}: {}", read.reasons());
        assert_eq!(read.bad.len(), expected.bad.len(), "{name}");
    }
}

#[test]
fn nothing_is_written_beside_a_database() {
    let files = Files::new();
    let mut logged = database(NEWS);
    (logged[18], logged[19]) = (2, 2);
    let path = files.write("a ?#%20.db", &logged);
    let read_it = || read(std::slice::from_ref(&path));
    assert_eq!(read_it().documents.len(), 3);
    let entries = std::fs::read_dir(files.path()).expect("the folder is there");
    assert_eq!(entries.count(), 1, "no log, no journal");
    // Of what stands beside it, it would say too little.
    files.write("a ?#%20.db-wal", [0; 100]);
    let reasons = read_it().reasons();
    assert!(reasons.contains("changes that are not in it stand in `a ?#%20.db-wal`"), "{reasons}");
    files.write("a ?#%20.db-wal", []);
    assert_eq!(read_it().documents.len(), 3);
    let journal = [&b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"[..], &[0; 1000]].concat();
    files.write("a ?#%20.db-journal", journal);
    assert!(read_it().reasons().contains("-journal"), "{}", read_it().reasons());
}

#[test]
fn a_broken_database_gives_the_rows_before() {
    let rows = (0..2000).map(|number| format!("('text of the row with number {number}')"));
    let rows = rows.collect::<Vec<_>>().join(", ");
    let whole = database(&format!("CREATE TABLE t(text); INSERT INTO t VALUES {rows};"));
    assert_eq!(read_one("x.db", &whole).documents.len(), 2000);
    let mut broken = whole.clone();
    let page = 4096 * 12;
    broken[page..page + 4096].fill(0xff);
    let read = read_one("x.db", &broken);
    let n = read.documents.len();
    assert!((100..2000).contains(&n), "{n}");
    assert_eq!(read.texts()[n - 1], format!("text of the row with number {}", n - 1));
    assert!(
        read.reasons().contains("x.db: the rest cannot be read: database disk image is malformed"),
        "{}",
        read.reasons()
    );
    // Cut short, it says so at once or where it ends.
    for end in [16, 99, 100, 4096, 40_000, whole.len() - 1] {
        let read = read_one("x.db", &whole[..end]);
        assert!(read.documents.is_empty() && !read.bad.is_empty(), "{end}");
    }
    let none = read_one("x.sqlite", "no database at all, only a name");
    assert!(none.reasons().contains("not a database"), "{}", none.reasons());
}

#[test]
fn a_value_past_the_limit_costs_its_row_alone() {
    let bytes = database(
        "CREATE TABLE t(text);
         INSERT INTO t VALUES ('short'), (printf('%.*c', 15000, 'x')), (zeroblob(3000000)), ('brief');",
    );
    let limits = Limits { document_bytes: 10_000, ..Limits::default() };
    let options = ReadOptions { limits, ..ReadOptions::default() };
    let read = read_one_with("x.db", &bytes, options.clone());
    assert_eq!(read.texts(), ["short", "brief"], "{}", read.reasons());
    assert!(read.reasons().contains("record 1") && read.reasons().contains("record 2"));
    // A query ends there: what it computed cannot be passed over.
    let sql = Some("SELECT text FROM t".to_owned());
    let read = read_one_with("x.db", &bytes, ReadOptions { sql, ..options });
    assert_eq!(read.texts(), ["short"]);
    assert!(read.reasons().contains("(`document_bytes`)"), "{}", read.reasons());
}

#[test]
fn a_query_cannot_run_or_grow_for_ever() {
    let bytes = database("CREATE TABLE t(text); INSERT INTO t VALUES ('x');");
    let endless =
        "WITH RECURSIVE n(text) AS (SELECT 'x' UNION ALL SELECT text FROM n) SELECT text FROM n";
    let read = query(&bytes, endless);
    assert!(read.reasons().contains("(`ratio`)"), "{}", read.reasons());
    let large = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100)
                 SELECT group_concat(hex(zeroblob(30000000))) AS text FROM n";
    let read = query(&bytes, large);
    assert!(read.documents.is_empty());
    assert!(read.reasons().contains("(`document_bytes`)"), "{}", read.reasons());
    let many = "WITH RECURSIVE n(i, b) AS (SELECT 1, zeroblob(60000000) UNION ALL
                SELECT i + 1, hex(zeroblob(30000000)) FROM n WHERE i < 100)
                SELECT i AS text FROM n ORDER BY b DESC";
    let read = query(&bytes, many);
    assert!(read.documents.is_empty());
    assert!(read.reasons().contains("1024 MiB"), "{}", read.reasons());
}

#[test]
fn a_query_ends_when_the_run_is_asked_to_stop() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    let files = Files::new();
    let path = files.write("x.db", database("CREATE TABLE t(text); INSERT INTO t VALUES ('x');"));
    let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS text FROM n";
    let stop = Arc::<AtomicBool>::default();
    let found = discover(&[path]).expect("the file is there").files;
    let mut reader =
        retold_read::Reader::stopped_by(found, with(None, Some(sql)), Arc::clone(&stop));
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        stop.store(true, Ordering::Relaxed);
    });
    let mut n_records = 0;
    while let Some(batch) = reader.next_batch() {
        batch.parse(&mut |_| n_records += 1);
    }
    stopper.join().expect("it only waits");
    assert_eq!(n_records, 0, "nothing is told of what was stopped");
}

#[test]
fn rows_that_are_kept_become_lines() {
    let files = Files::new();
    let path = files.write("in/rows.db", database(TWO));
    let found = discover(&[path]).expect("the file is there").files;
    let out = files.path().join("out");
    let keeps = |_, record| record == 1;
    let options = with(Some("articles"), None);
    let copied = copy_kept(&found, &[], &options, &out, &keeps, &|_| {});
    let copied = copied.expect("it can be copied");
    let lines = std::fs::read_to_string(&copied[0].path).expect("it was written");
    assert!(copied[0].path.ends_with("rows.db.jsonl"), "{}", copied[0].path.display());
    assert!(lines.starts_with(r#"{"id":"2","text":"second""#), "{lines}");
}

#[test]
fn many_rows_come_in_order() {
    let files = Files::new();
    let sql = "CREATE TABLE t(id INTEGER PRIMARY KEY, text);
               WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
               INSERT INTO t SELECT i, 'text of number ' || i FROM n;
               CREATE INDEX by_text ON t(text DESC, id);";
    let path = files.write("many.db", database(sql));
    let read = read_with(&[Path::new(&path).to_owned()], ReadOptions::default());
    assert_eq!(read.documents.len(), 20_000);
    assert!(read.documents.iter().zip(1..).all(|(found, n)| found.id == format!("{n}")));
    assert!(read.places.iter().zip(0..).all(|(place, n)| place.record == n));
}
