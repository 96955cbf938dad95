//! `pairs`: two documents, how they relate, and the passages that prove it.

use retold_core::relation::{Evidence, Kind, Scores};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::cell::Cell;
use super::columns::{Column, ColumnType, RowVisitor, columns};
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

/// What a pair says, without the ids of its documents.
///
/// It serialises to the entries that a line of `pairs.jsonl` has after `a` and `b`: the same names,
/// in the same order, with shares of at most six decimals. Made for `#[serde(flatten)]`.
#[derive(Clone, Debug, PartialEq)]
pub struct PairFields {
    /// How they relate, seen from `a`.
    pub relation: Kind,
    /// How strongly.
    pub scores: Scores,
    /// The passages.
    pub evidence: Evidence,
}

/// The table of pairs.
///
/// A line of `pairs.jsonl`:
///
/// ```text
/// {"a":"one","b":"two","relation":"near-duplicate","resemblance":0.83,"a_in_b":0.9,"b_in_a":0.91,
///  "a_words":120,"b_words":118,"evidence":[{"a":[0,40],"b":[3,43],"words":8,"differ":0,"agrees":"equal"}]}
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

    const HELP: &'static str =
        "a verified pair of documents: how they relate, and the passages that prove it";

    columns! { row;
        always "a": Text = row.a,
            "id of the first document: the one that was read first";
        always "b": Text = row.b,
            "id of the second document";
        always "relation": Name = row.relation.name(),
            "how they relate, seen from `a`: `exact`, `near-duplicate`, `contains` (`a` holds `b`), \
             `contained` or `partial`";
        always "resemblance": Share = row.scores.resemblance.get(),
            "runs of words that both have, as a share of all runs of both";
        always "a_in_b": Share = row.scores.a_in_b.get(),
            "share of the runs of `a` found in `b`";
        always "b_in_a": Share = row.scores.b_in_a.get(),
            "share of the runs of `b` found in `a`";
        always "a_words": Count = u64::from(row.evidence.a_words),
            "words of `a` inside passages, each counted once";
        always "b_words": Count = u64::from(row.evidence.b_words),
            "words of `b` inside passages, each counted once";
        optional "a_runs": Count = row.evidence.counted.map(|counted| u64::from(counted.a_runs)),
            "distinct runs of `a`, unless the pair is exact or the method decides by scores of its own";
        optional "b_runs": Count = row.evidence.counted.map(|counted| u64::from(counted.b_runs)),
            "distinct runs of `b`, likewise";
        optional "common_runs": Count = row.evidence.counted.map(|counted| u64::from(counted.common_runs)),
            "distinct runs that both have, likewise: the shares are computed from these three";
        optional "longest_words": Count = row.evidence.counted.map(|counted| u64::from(counted.longest_words)),
            "equal words of the longest passage, likewise; with heavy edits the words of all edited passages, \
             if these are more";
        optional "shared_words": Count = row.evidence.counted.map(|counted| u64::from(counted.shared_words)),
            "equal words of all passages of at least eight words, likewise; short ones that stand alone beside a \
             long passage count here and are not listed";
        optional "distinctive_runs": Count = row.evidence.counted
            .and_then(|counted| counted.distinctive_runs).map(u64::from),
            "distinct runs that both have and at most five documents of the collection, with `--distinctive` \
             only";
        always "evidence": Passages = &row.evidence.passages,
            "the passages that both have, in the order of `a`";
        unless_empty "evidence_cut": Count = u64::from(row.evidence.n_cut),
            "passages found but not listed, because of `--passages-per-pair`";
    }
}

impl Serialize for PairFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { relation, scores, ref evidence } = *self;
        let mut entries = Entries { map: serializer.serialize_map(None)?, failed: None };
        Pairs::visit(&PairRow { a: "", b: "", relation, scores, evidence }, &mut entries);
        match entries.failed {
            Some(error) => Err(error),
            None => entries.map.end(),
        }
    }
}

/// Columns of a row as entries of a map, all but the ids.
struct Entries<M: SerializeMap> {
    map: M,
    /// The first error; nothing is written after it.
    failed: Option<M::Error>,
}

impl<M: SerializeMap> RowVisitor for Entries<M> {
    fn visit(&mut self, column: &'static Column, cell: Cell<'_>) {
        if self.failed.is_none() && !matches!(column.name, "a" | "b") && !column.is_left_out(cell) {
            self.failed = self.map.serialize_entry(column.name, &cell).err();
        }
    }
}
