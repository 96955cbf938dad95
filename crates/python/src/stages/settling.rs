//! Relations in; limits, groups, clusters and decisions out.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch};
use retold::Error;
use retold::stages::{Extent, GroupDecision, GroupDocument, GroupRelation, LimitedPair, Stages};

use super::arrow::{Said, joined, long, numbers, short, small, stretches, table};
use crate::tables::Table;

/// Says which pairs are reported of documents that have very many.
pub(super) fn limit(stages: &Stages, batches: &[RecordBatch]) -> Result<Table, Error> {
    let mut extents = Vec::new();
    let (mut of_a, mut of_b, mut of_phase) = (Vec::new(), Vec::new(), Vec::new());
    if let Some(batch) = joined(batches)? {
        let column = |name| numbers(&batch, name);
        let (a, b) = (column("a_ordinal")?, column("b_ordinal")?);
        let (n_a, n_b) = (column("a_copies")?, column("b_copies")?);
        let (exact_a, exact_b) = (column("a_exact")?, column("b_exact")?);
        let phase = small(&batch, "phase")?;
        for rows in stretches(column("component")?) {
            let mut n_before: HashMap<u64, u64> = HashMap::new();
            let mut pairs = Vec::with_capacity(rows.len());
            for row in rows.clone() {
                let (doc_a, doc_b) = (a.value(row).cast_unsigned(), b.value(row).cast_unsigned());
                n_before.insert(doc_a, exact_a.value(row).cast_unsigned());
                n_before.insert(doc_b, exact_b.value(row).cast_unsigned());
                pairs.push(LimitedPair {
                    a: (doc_a, n_a.value(row).cast_unsigned()),
                    b: (doc_b, n_b.value(row).cast_unsigned()),
                    is_in_star: phase.value(row) == 1,
                });
            }
            for (row, extent) in rows.zip(stages.limited(&pairs, &n_before)) {
                of_a.push(a.value(row));
                of_b.push(b.value(row));
                of_phase.push(phase.value(row));
                extents.push(match extent {
                    Extent::All => 0,
                    Extent::Firsts => 1,
                    Extent::Nothing => 2,
                });
            }
        }
    }
    table([
        ("a_ordinal", long(of_a)),
        ("b_ordinal", long(of_b)),
        ("phase", short(of_phase)),
        ("extent", short(extents)),
    ])
}

/// Returns each document of some pairs with the smallest it hangs together with.
pub(super) fn forest(_: &Stages, batches: &[RecordBatch]) -> Result<Table, Error> {
    let mut pairs = Vec::new();
    for batch in batches {
        let (a, b) = (numbers(batch, "a")?, numbers(batch, "b")?);
        pairs.extend(a.values().iter().copied().zip(b.values().iter().copied()));
    }
    let (nodes, roots) = retold::stages::forest(&pairs).into_iter().unzip();
    table([("a", long(nodes)), ("b", long(roots))])
}

/// What groups came to, as one table: `what` is `cluster`, `star`, `removed` or `review`.
#[derive(Default)]
struct Told {
    component: Vec<i64>,
    what: Vec<i32>,
    doc: Vec<i64>,
    other: Vec<i64>,
    kind: Vec<i32>,
    share: Vec<f64>,
    members: ListBuilder<Int64Builder>,
    kind_counts: ListBuilder<Int64Builder>,
    n_derived: Vec<i64>,
    is_of_copies: Vec<bool>,
}

impl Told {
    fn push(&mut self, component: i64, what: i32, (doc, other): (u64, u64), kind: i32, share: f64) {
        self.component.push(component);
        self.what.push(what);
        self.doc.push(doc.cast_signed());
        self.other.push(other.cast_signed());
        self.kind.push(kind);
        self.share.push(share);
    }

    /// Ends a row that is no cluster.
    fn end(&mut self) {
        self.members.append(false);
        self.kind_counts.append(false);
        self.n_derived.push(0);
        self.is_of_copies.push(false);
    }

    fn decision(&mut self, component: i64, what: i32, decision: &GroupDecision) {
        let docs = (decision.doc, decision.covered_by);
        self.push(component, what, docs, decision.kind as i32, decision.covered);
        self.end();
    }
}

/// Makes clusters of groups and decides what goes.
pub(super) fn group(stages: &Stages, batches: &[RecordBatch]) -> Result<Table, Error> {
    let mut told = Told::default();
    if let Some(batch) = joined(batches)? {
        let column = |name| numbers(&batch, name);
        let (components, role) = (column("component")?, small(&batch, "role")?);
        let (a, b, rank) = (column("a")?, column("b")?, column("rank")?);
        let (said, dropped) = (Said::new(&batch)?, small(&batch, "dropped")?);
        for rows in stretches(components) {
            let component = components.value(rows.start);
            let (mut documents, mut relations) = (Vec::new(), Vec::new());
            for row in rows {
                let (a, b) = (a.value(row).cast_unsigned(), b.value(row).cast_unsigned());
                if role.value(row) == 0 {
                    let rank = rank.value(row).cast_unsigned();
                    documents.push(GroupDocument { number: a, first: b, rank });
                } else {
                    let (kind, scores) = said.of(row);
                    let is_dropped = dropped.value(row) == 1;
                    relations.push(GroupRelation { a, b, kind, scores, is_dropped });
                }
            }
            let grouped = stages.group(&documents, &relations)?;
            for cluster in &grouped.clusters {
                let docs = (cluster.representative, cluster.members[0]);
                told.push(component, 0, docs, 0, cluster.cohesion);
                for &member in &cluster.members {
                    told.members.values().append_value(member.cast_signed());
                }
                told.members.append(true);
                for n in cluster.kind_counts {
                    told.kind_counts.values().append_value(n.cast_signed());
                }
                told.kind_counts.append(true);
                told.n_derived.push(cluster.n_derived.cast_signed());
                told.is_of_copies.push(cluster.is_of_copies);
            }
            for &(a, b) in &grouped.starred {
                told.push(component, 1, (a, b), 0, 0.0);
                told.end();
            }
            grouped.removed.iter().for_each(|decision| told.decision(component, 2, decision));
            grouped.review.iter().for_each(|decision| told.decision(component, 3, decision));
        }
    }
    table([
        ("component", long(told.component)),
        ("what", short(told.what)),
        ("doc", long(told.doc)),
        ("other", long(told.other)),
        ("kind", short(told.kind)),
        ("share", Arc::new(Float64Array::from(told.share)) as ArrayRef),
        ("members", Arc::new(told.members.finish())),
        ("kind_counts", Arc::new(told.kind_counts.finish())),
        ("n_derived", long(told.n_derived)),
        ("is_of_copies", Arc::new(BooleanArray::from(told.is_of_copies))),
    ])
}
