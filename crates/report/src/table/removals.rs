//! `removed` and `review`: documents that `dedup` took out or leaves to a person, and why.

use retold_core::relation::Kind;

use super::columns::{Column, ColumnType, Value};
use super::json::{put_count, put_share, put_text};
use super::{Table, TableWriter};

/// One document that a kept document covers.
#[derive(Clone, Copy, Debug)]
pub struct RemovalRow<'a> {
    /// Id of the document.
    pub id: &'a str,
    /// Input file it came from.
    pub file: &'a str,
    /// Number of its record in the file, counted from 0.
    pub record: u64,
    /// Id of the kept document that covers it.
    pub covered_by: &'a str,
    /// How it relates to the kept document.
    pub relation: Kind,
    /// Share of it found in the kept document.
    pub covered: f64,
    /// Words in its text.
    pub words: u32,
    /// What was done: `removed` or `review`.
    pub decision: &'a str,
}

/// The table of removals; `review` has the same columns.
#[derive(Clone, Copy, Debug)]
pub struct Removals;

/// Writes `removed.jsonl`, `removed.csv` or `removed.parquet`, and with
/// [`create_named`](TableWriter::create_named) the same as `review`.
pub type RemovalsWriter = TableWriter<Removals>;

impl Table for Removals {
    type Row<'a> = RemovalRow<'a>;

    const NAME: &'static str = "removed";

    const COLUMNS: &'static [Column] = &[
        Column::of("id", ColumnType::Text),
        Column::of("file", ColumnType::Text),
        Column::of("record", ColumnType::Count),
        Column::of("decision", ColumnType::Text),
        Column::of("covered_by", ColumnType::Text),
        Column::of("relation", ColumnType::Text),
        Column::of("covered", ColumnType::Share),
        Column::of("words", ColumnType::Count),
    ];

    fn encode(row: &RemovalRow<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"id\":");
        put_text(out, row.id);
        out.extend_from_slice(b",\"file\":");
        put_text(out, row.file);
        out.extend_from_slice(b",\"record\":");
        put_count(out, row.record);
        out.extend_from_slice(b",\"decision\":");
        put_text(out, row.decision);
        out.extend_from_slice(b",\"covered_by\":");
        put_text(out, row.covered_by);
        out.extend_from_slice(b",\"relation\":\"");
        out.extend_from_slice(row.relation.name().as_bytes());
        out.extend_from_slice(b"\",\"covered\":");
        put_share(out, row.covered);
        out.extend_from_slice(b",\"words\":");
        put_count(out, u64::from(row.words));
        out.extend_from_slice(b"}\n");
    }

    fn values(row: &RemovalRow<'_>, emit: &mut dyn FnMut(Value<'_>)) {
        emit(Value::Text(row.id));
        emit(Value::Text(row.file));
        emit(Value::Count(row.record));
        emit(Value::Text(row.decision));
        emit(Value::Text(row.covered_by));
        emit(Value::Text(row.relation.name()));
        emit(Value::Share(row.covered));
        emit(row.words.into());
    }
}
