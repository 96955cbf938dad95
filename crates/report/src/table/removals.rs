//! `removed` and `review`: documents that `dedup` took out or leaves to a person, and why.

use retold_core::relation::Kind;

use super::cell::Cell;
use super::columns::{Column, ColumnType, RowVisitor, columns};
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
    /// File or index of an archive that the kept document stands in, if it is of one.
    pub covered_in: Option<&'a str>,
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

    const HELP: &'static str = "a document that a kept document covers";

    columns! { row;
        always "id": Text = row.id,
            "id of the document";
        always "file": Text = row.file,
            "input file it came from";
        always "record": Count = row.record,
            "number of its record in the file, counted from 0";
        always "decision": Text = row.decision,
            "what was done with it: `removed`, or `review` if a person is to decide";
        always "covered_by": Text = row.covered_by,
            "id of the kept document that covers it";
        optional "covered_in": Text = row.covered_in,
            "file or index that the kept document stands in, if it is one of those that `--against` names";
        always "relation": Name = row.relation.name(),
            "how it relates to the kept document, named as in `pairs`";
        always "covered": Share = row.covered,
            "share of its runs of words found in the kept document";
        always "words": Count = u64::from(row.words),
            "words in its text";
    }
}
