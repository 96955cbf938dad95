//! `pairs`: two documents, how they relate, and the passages that prove it.

use retold_core::relation::{Evidence, Kind, Scores};

use super::columns::{Column, ColumnType, Value};
use super::json::{put_count, put_passages, put_share, put_text};
use super::{Table, TableWriter};

/// One verified pair.
#[derive(Clone, Copy, Debug)]
pub struct PairRow<'a> {
    /// Id of the first document.
    pub a: &'a str,
    /// Id of the second document.
    pub b: &'a str,
    /// How they relate, seen from `a`.
    pub relation: Kind,
    /// How strongly.
    pub scores: Scores,
    /// The passages.
    pub evidence: &'a Evidence,
}

/// The table of pairs.
///
/// A line of `pairs.jsonl`:
///
/// ```text
/// {"a":"one","b":"two","relation":"near-duplicate","resemblance":0.83,"a_in_b":0.9,"b_in_a":0.91,
///  "a_words":120,"b_words":118,"evidence":[{"a":[0,40],"b":[3,43],"words":8,"differ":0}]}
/// ```
///
/// (without the line break). `a_words` and `b_words` count the words inside passages, spans are
/// bytes of the original documents, and `evidence_cut` follows if passages were left out.
#[derive(Clone, Copy, Debug)]
pub struct Pairs;

/// Writes `pairs.jsonl`, `pairs.csv` or `pairs.parquet`.
pub type PairsWriter = TableWriter<Pairs>;

impl Table for Pairs {
    type Row<'a> = PairRow<'a>;

    const NAME: &'static str = "pairs";

    const COLUMNS: &'static [Column] = &[
        Column::of("a", ColumnType::Text),
        Column::of("b", ColumnType::Text),
        Column::of("relation", ColumnType::Text),
        Column::of("resemblance", ColumnType::Share),
        Column::of("a_in_b", ColumnType::Share),
        Column::of("b_in_a", ColumnType::Share),
        Column::of("a_words", ColumnType::Count),
        Column::of("b_words", ColumnType::Count),
        Column::of("evidence", ColumnType::Passages),
        Column::of("evidence_cut", ColumnType::Count),
    ];

    fn encode(row: &PairRow<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"a\":");
        put_text(out, row.a);
        out.extend_from_slice(b",\"b\":");
        put_text(out, row.b);
        out.extend_from_slice(b",\"relation\":\"");
        out.extend_from_slice(row.relation.name().as_bytes());
        out.extend_from_slice(b"\",\"resemblance\":");
        put_share(out, row.scores.resemblance.get());
        out.extend_from_slice(b",\"a_in_b\":");
        put_share(out, row.scores.a_in_b.get());
        out.extend_from_slice(b",\"b_in_a\":");
        put_share(out, row.scores.b_in_a.get());
        out.extend_from_slice(b",\"a_words\":");
        put_count(out, u64::from(row.evidence.a_words));
        out.extend_from_slice(b",\"b_words\":");
        put_count(out, u64::from(row.evidence.b_words));
        out.extend_from_slice(b",\"evidence\":");
        put_passages(out, &row.evidence.passages);
        if row.evidence.n_cut > 0 {
            out.extend_from_slice(b",\"evidence_cut\":");
            put_count(out, u64::from(row.evidence.n_cut));
        }
        out.extend_from_slice(b"}\n");
    }

    fn values(row: &PairRow<'_>, emit: &mut dyn FnMut(Value<'_>)) {
        emit(Value::Text(row.a));
        emit(Value::Text(row.b));
        emit(Value::Text(row.relation.name()));
        emit(Value::Share(row.scores.resemblance.get()));
        emit(Value::Share(row.scores.a_in_b.get()));
        emit(Value::Share(row.scores.b_in_a.get()));
        emit(row.evidence.a_words.into());
        emit(row.evidence.b_words.into());
        emit(Value::Passages(&row.evidence.passages));
        emit(row.evidence.n_cut.into());
    }
}
