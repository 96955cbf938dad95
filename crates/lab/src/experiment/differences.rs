//! Two methods over the same documents: which of them are duplicates, by the protocol of the thesis
//! and without it.
//!
//! By the protocol, what both methods put into a cluster is a duplicate and what neither does is
//! not; a document that one of them found is a duplicate if it resembles a mate of its cluster by
//! at least t. Without it, a document is a duplicate if it resembles any other document of the set
//! by at least t. Every t gives rows of its own, under the axis `judge`.
//!
//! Uyar: Near-duplicate news detection using named entities, 2009, section 6.1.

use std::collections::BTreeMap;

use super::measure::Measure;
use super::outcome::{Cell, Record};
use crate::measures::documents::{Costs, DocumentCounts};

/// Name of the axis that tells how documents were judged.
const AXIS: &str = "judge";

/// What is known of a document of a set.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// Whether each method put it into a cluster, and how much it resembles a mate there.
    by: [Option<f64>; 2],
    /// How much it resembles any other document.
    best: f64,
}

/// Counts documents by every judge; records of a judge come together. A record whose other method
/// is missing is left out.
pub(super) fn judge_differences(records: &[Record], judges: &[f64]) -> Vec<Record> {
    let mut by_set: BTreeMap<(BTreeMap<String, String>, usize), Vec<usize>> = BTreeMap::new();
    for (index, record) in records.iter().enumerate() {
        by_set.entry((record.cell.at.clone(), record.cell.set)).or_default().push(index);
    }
    let mut counted: BTreeMap<usize, Vec<Record>> = BTreeMap::new();
    for members in by_set.values() {
        let &[first, second] = members.as_slice() else { continue };
        let seen = seen([&records[first].cell, &records[second].cell]);
        for (which, index) in [first, second].into_iter().enumerate() {
            counted.insert(index, judged(&records[index], which, &seen, judges));
        }
    }
    // Judge by judge, and by set within a judge, as cells come.
    let n_judges = 2 * judges.len();
    let mut columns: Vec<Vec<Record>> = vec![Vec::new(); n_judges];
    for records in counted.into_values() {
        for (column, record) in columns.iter_mut().zip(records) {
            column.push(record);
        }
    }
    columns.concat()
}

/// Brings together what two methods say of each document.
fn seen(cells: [&Cell; 2]) -> Vec<Seen> {
    let mut seen = vec![Seen::default(); cells[0].n_documents];
    for (which, cell) in cells.into_iter().enumerate() {
        for (&document, &mate) in cell.flagged.iter().zip(&cell.mate) {
            seen[document as usize].by[which] = Some(mate);
        }
    }
    for &(document, best) in &cells[0].known {
        seen[document as usize].best = best;
    }
    seen
}

/// Returns the record of one method under every judge: by the protocol, then without it.
fn judged(record: &Record, which: usize, seen: &[Seen], judges: &[f64]) -> Vec<Record> {
    let by_protocol = judges.iter().map(|&least| {
        let counts = DocumentCounts::of(seen.iter().map(|document| {
            let is_duplicate = match document.by {
                [Some(_), Some(_)] => true,
                [Some(mate), None] | [None, Some(mate)] => mate >= least,
                [None, None] => false,
            };
            (document.by[which].is_some(), is_duplicate)
        }));
        let count = |is: &dyn Fn(&Seen) -> bool| seen.iter().filter(|one| is(one)).count() as f64;
        let n_judged = count(&|one| one.by[0].is_some() != one.by[1].is_some());
        let n_passed = count(&|one| match one.by {
            [Some(first), Some(second)] => first.max(second) < least,
            _ => false,
        });
        let more = [(Measure::Judged, n_judged), (Measure::LetThrough, n_passed)];
        with_counts(record, format!("judged at {least}"), &counts, &more)
    });
    let by_all = judges.iter().map(|&least| {
        let counts = DocumentCounts::of(
            seen.iter().map(|document| (document.by[which].is_some(), document.best >= least)),
        );
        with_counts(record, format!("all known at {least}"), &counts, &[])
    });
    by_protocol.chain(by_all).collect()
}

/// Returns a record with the figures of counted documents.
fn with_counts(
    record: &Record,
    judge: String,
    counts: &DocumentCounts,
    more: &[(Measure, f64)],
) -> Record {
    let mut record = record.clone();
    let costs = Costs::default();
    let figures = [
        (Measure::A, counts.a as f64),
        (Measure::B, counts.b as f64),
        (Measure::C, counts.c as f64),
        (Measure::D, counts.d as f64),
        (Measure::Miss, counts.miss()),
        (Measure::FalseAlarm, counts.false_alarm()),
        (Measure::Precision, counts.precision()),
        (Measure::Recall, counts.recall()),
        (Measure::F1, counts.f1()),
        (Measure::CDup, counts.cost(&costs)),
        (Measure::CNorm, counts.normalised_cost(&costs)),
    ];
    for &(measure, value) in figures.iter().chain(more) {
        record.cell.put(measure, value);
    }
    record.cell.at.insert(AXIS.to_owned(), judge);
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(method: &str, flagged: &[(u32, f64)], known: &[(u32, f64)]) -> Record {
        let cell = Cell {
            method: method.to_owned(),
            set: 1,
            n_documents: 8,
            flagged: flagged.iter().map(|(document, _)| *document).collect(),
            mate: flagged.iter().map(|(_, mate)| *mate).collect(),
            known: known.to_vec(),
            ..Cell::default()
        };
        Record { cell, ..Record::default() }
    }

    /// Both found 0 and 1, which are none at 0.5; the first found 2 and 3, the second 4 and 5.
    /// Nobody found 6, which resembles something.
    fn records() -> Vec<Record> {
        let known = [(2, 0.9), (3, 0.9), (4, 0.6), (6, 0.8)];
        vec![
            record("first", &[(0, 0.4), (1, 0.4), (2, 0.9), (3, 0.9)], &known),
            record("second", &[(0, 0.2), (1, 0.4), (4, 0.6), (5, 0.1)], &known),
        ]
    }

    fn counts(record: &Record) -> [String; 4] {
        ["a", "b", "c", "d"].map(|name| record.cell.measures[name].to_string())
    }

    #[test]
    fn who_only_one_method_found_is_judged_by_a_mate() {
        let all = judge_differences(&records(), &[0.5, 0.7]);
        let of = |method: &str, judge: &str| {
            let is =
                |record: &&Record| record.cell.method == method && record.cell.at[AXIS] == judge;
            all.iter().find(is).expect("a row")
        };
        assert_eq!(all.len(), 8);
        assert_eq!(counts(of("first", "judged at 0.5")), ["4", "0", "1", "3"]);
        assert_eq!(counts(of("second", "judged at 0.5")), ["3", "1", "2", "2"]);
        assert_eq!(counts(of("second", "judged at 0.7")), ["2", "2", "2", "2"]);
        let judged = &of("first", "judged at 0.5").cell.measures;
        assert_eq!((judged["judged"], judged["let_through"]), (4.0, 2.0));
        // What the protocol cannot see: 0 and 1 are none, 6 was missed by both.
        assert_eq!(counts(of("first", "all known at 0.5")), ["2", "2", "2", "2"]);
        assert_eq!(counts(of("second", "all known at 0.5")), ["1", "3", "3", "1"]);
    }

    #[test]
    fn the_difference_is_that_of_two() {
        let mut records = records();
        records.pop();
        assert!(judge_differences(&records, &[0.5]).is_empty());
    }
}
