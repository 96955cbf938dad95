//! The clusters of a result as people have decided: without those left out, split and merged.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Seek as _, Write};

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};

use super::clean::sent;
use super::decisions::{Decision, DecisionKind, standing};
use super::results::result_of;
use super::{At, Route};
use crate::app::{App, Shared};
use crate::keys::{Caller, Scope};
use crate::problem::Problem;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/results/{result}/grouped", Scope::Read, "Clusters as people have decided")
            .details(
                "One JSON object a line: the clusters it comes from, its documents, and the decisions \
                 that made it. Documents that were left out or split off are not in their cluster, \
                 clusters that were merged are one, and those split off stand at the end.",
            )
            .answer_of(200, "The clusters", &["application/x-ndjson"])
            .to(grouped),
    ]
}

/// A cluster, as it is written.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct Group {
    /// Clusters of the result that it comes from.
    clusters: Vec<u64>,
    /// Ids of its documents.
    documents: Vec<String>,
    /// Numbers of the decisions that made it.
    decisions: Vec<u64>,
}

/// A line of the table of clusters.
#[derive(Deserialize)]
struct Line {
    id: u64,
    members: Vec<String>,
}

/// What the decisions do to clusters.
#[derive(Default)]
struct Changes {
    /// For clusters that were merged the lowest number among them.
    first_of: HashMap<u64, u64>,
    /// Decisions by the number that their clusters are gathered under.
    merges: BTreeMap<u64, Vec<u64>>,
    /// Documents that leave a cluster, and by which decision; no cluster stands for all.
    leaving: HashMap<(Option<u64>, String), u64>,
    /// Clusters that were split off.
    split: Vec<Group>,
}

impl Changes {
    fn of(decisions: Vec<Decision>) -> Self {
        let mut changes = Self::default();
        let mut merges = Vec::new();
        for Decision { number, kind, clusters, documents, .. } in decisions {
            match kind {
                DecisionKind::Merge => {
                    changes.merge(&clusters);
                    merges.push((number, clusters));
                }
                DecisionKind::LeaveOut | DecisionKind::Split => {
                    for id in &documents {
                        if clusters.is_empty() {
                            changes.leaving.insert((None, id.clone()), number);
                        }
                        for cluster in &clusters {
                            changes.leaving.insert((Some(*cluster), id.clone()), number);
                        }
                    }
                    if kind == DecisionKind::Split {
                        let decisions = vec![number];
                        changes.split.push(Group { clusters, documents, decisions });
                    }
                }
                _ => {}
            }
        }
        for (number, clusters) in merges {
            let first = clusters.first().map_or(0, |cluster| changes.first(*cluster));
            changes.merges.entry(first).or_default().push(number);
        }
        changes
    }

    /// Returns the lowest number of the clusters that one was merged with.
    fn first(&self, cluster: u64) -> u64 {
        self.first_of.get(&cluster).copied().unwrap_or(cluster)
    }

    fn merge(&mut self, clusters: &[u64]) {
        let firsts: HashSet<u64> = clusters.iter().map(|cluster| self.first(*cluster)).collect();
        let first = firsts.iter().copied().min().unwrap_or(0);
        for known in self.first_of.values_mut().filter(|known| firsts.contains(known)) {
            *known = first;
        }
        self.first_of.extend(clusters.iter().map(|cluster| (*cluster, first)));
    }

    /// Returns a cluster without the documents that leave it.
    fn remaining(&self, Line { id, members }: Line) -> Group {
        let mut group = Group { clusters: vec![id], ..Group::default() };
        for member in members {
            let at = |cluster| self.leaving.get(&(cluster, member.clone()));
            match at(Some(id)).or_else(|| at(None)) {
                Some(decision) => group.decisions.push(*decision),
                None => group.documents.push(member),
            }
        }
        group
    }
}

/// Writes the clusters of a result as decisions change them.
fn write(
    table: impl BufRead,
    decisions: Vec<Decision>,
    out: &mut impl Write,
) -> Result<(), Problem> {
    let changes = Changes::of(decisions);
    let mut put = |mut group: Group| {
        group.decisions.sort_unstable();
        group.decisions.dedup();
        if group.documents.is_empty() {
            return Ok(());
        }
        let line = serde_json::to_string(&group).map_err(Problem::internal)?;
        writeln!(out, "{line}").map_err(Problem::from)
    };
    let mut merged: BTreeMap<u64, (Group, HashSet<String>)> = BTreeMap::new();
    for line in table.lines() {
        let line: Line = serde_json::from_str(&line?).map_err(Problem::internal)?;
        let first = changes.first(line.id);
        let is_merged = changes.first_of.contains_key(&line.id);
        let group = changes.remaining(line);
        if !is_merged {
            put(group)?;
            continue;
        }
        let (whole, seen) = merged.entry(first).or_default();
        whole.clusters.extend(group.clusters);
        whole.decisions.extend(group.decisions);
        // Clusters may overlap.
        let new = group.documents.into_iter().filter(|id| seen.insert(id.clone()));
        whole.documents.extend(new);
    }
    for (first, (mut group, _)) in merged {
        group.decisions.extend(changes.merges.get(&first).into_iter().flatten());
        put(group)?;
    }
    changes.split.into_iter().try_for_each(put)
}

async fn grouped(
    State(app): State<Shared>,
    caller: Caller,
    At(number): At<u64>,
) -> Result<Response, Problem> {
    result_of(&app, &caller, number)?;
    app.free.check()?;
    let file = app
        .work(&caller, move |app: &App| {
            let table = File::open(app.results.folder(number).join("clusters.jsonl"))?;
            let mut out = BufWriter::new(tempfile::tempfile_in(&app.config.data)?);
            write(BufReader::new(table), standing(app, number)?, &mut out)?;
            let mut file = out.into_inner().map_err(|error| Problem::from(error.into_error()))?;
            file.rewind()?;
            Ok(file)
        })
        .await?;
    sent(file, "application/x-ndjson", &format!("clusters-{number}.jsonl"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn written(decisions: Value) -> Vec<Value> {
        let table = [
            json!({ "id": 0, "members": ["a", "b", "c"] }),
            json!({ "id": 1, "members": ["d", "e"] }),
            json!({ "id": 2, "members": ["e", "f"] }),
            json!({ "id": 3, "members": ["g", "h"] }),
        ];
        let table = table.map(|line| line.to_string()).join("\n");
        let decisions: Vec<Value> = serde_json::from_value(decisions).expect("a list");
        let whole = |(at, mut decision): (usize, Value)| {
            let more = json!({ "number": at + 1, "reason": "", "by": "ann", "time": "" });
            let fields = decision.as_object_mut().expect("an object");
            fields.extend(more.as_object().expect("an object").clone());
            for list in ["clusters", "documents"] {
                fields.entry(list).or_insert(json!([]));
            }
            serde_json::from_value(decision).expect("a decision")
        };
        let decisions = decisions.into_iter().enumerate().map(whole).collect();
        let mut bytes = Vec::new();
        write(table.as_bytes(), decisions, &mut bytes).expect("written");
        let text = String::from_utf8(bytes).expect("text");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    fn group(clusters: &[u64], documents: &[&str], decisions: &[u64]) -> Value {
        json!({ "clusters": clusters, "documents": documents, "decisions": decisions })
    }

    #[test]
    fn without_decisions_clusters_are_as_they_were_found() {
        let found = written(json!([]));
        assert_eq!((found.len(), &found[0]), (4, &group(&[0], &["a", "b", "c"], &[])));
    }

    #[test]
    fn clusters_are_merged_through_each_other_and_documents_leave() {
        let found = written(json!([
            { "kind": "merge", "clusters": [2, 1] },
            { "kind": "leave-out", "clusters": [0], "documents": ["b"] },
            { "kind": "merge", "clusters": [3, 2] },
            { "kind": "split", "clusters": [3], "documents": ["h"] },
            { "kind": "confirm", "clusters": [0] },
        ]));
        assert_eq!(
            found,
            [
                group(&[0], &["a", "c"], &[2]),
                group(&[1, 2, 3], &["d", "e", "f", "g"], &[1, 3, 4]),
                group(&[3], &["h"], &[4]),
            ]
        );
    }
}
