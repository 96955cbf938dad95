//! The figures of a made collection.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::counts::Counts;
use super::folder::relation_name;
use super::inputs::Inputs;
use super::log::Entry;
use super::plan::Plan;
use super::truth::{CopiedSpan, Pair};

/// What was made.
#[derive(Clone, Debug, Serialize)]
pub struct Generated {
    /// Files read.
    pub n_files: u64,
    /// Documents read.
    pub n_documents: u64,
    /// Records that could not be read.
    pub n_bad: u64,
    /// Documents made of one document each.
    pub n_made: u64,
    /// Queries pasted together.
    pub n_queries: u64,
    /// Documents in the collection, inputs included if the plan keeps them.
    pub n_collection: u64,
    /// What the made documents were made of, counted once for each of them.
    pub before: Counts,
    /// What was made.
    pub after: Counts,
    /// Pairs listed.
    pub n_pairs: u64,
    /// Pairs by the name of their relation; `none` are those of which too little is left.
    pub pairs: BTreeMap<&'static str, u64>,
    /// Copied stretches listed.
    pub n_spans: u64,
    /// Made documents that differ from what the plan asked for.
    pub n_noted: u64,
    /// What did not, numbers left out, and for how many documents.
    pub notes: BTreeMap<String, u64>,
    /// Seed of the plan.
    pub seed: u64,
    /// Seconds it took.
    pub seconds: f64,
    /// Where it was written.
    pub output: String,
}

impl Generated {
    /// Figures before anything is made.
    pub(super) fn new(plan: &Plan, inputs: &Inputs, output: String) -> Self {
        let n_documents = inputs.collection.len() as u64;
        Self {
            n_files: inputs.n_files() as u64,
            n_documents,
            n_bad: inputs.n_bad,
            n_made: 0,
            n_queries: 0,
            n_collection: if plan.originals { n_documents } else { 0 },
            before: Counts::default(),
            after: Counts::default(),
            n_pairs: 0,
            pairs: BTreeMap::new(),
            n_spans: 0,
            n_noted: 0,
            notes: BTreeMap::new(),
            seed: plan.seed,
            seconds: 0.0,
            output,
        }
    }

    /// Counts a made document.
    pub(super) fn count(&mut self, entry: &Entry) {
        if entry.is_query() {
            self.n_queries += 1;
        } else {
            self.n_made += 1;
            self.n_collection += 1;
        }
        let notes: BTreeSet<String> = entry
            .steps
            .iter()
            .flat_map(|step| &step.notes)
            .map(|note| without_numbers(note))
            .collect();
        self.n_noted += u64::from(!notes.is_empty());
        for note in notes {
            *self.notes.entry(note).or_default() += 1;
        }
        for (sum, counts) in [(&mut self.before, entry.before), (&mut self.after, entry.after)] {
            sum.paragraphs += counts.paragraphs;
            sum.sentences += counts.sentences;
            sum.words += counts.words;
            sum.characters += counts.characters;
        }
    }

    /// Counts what is true of a made document.
    pub(super) fn count_truth(&mut self, pairs: &[Pair], spans: &[CopiedSpan]) {
        self.n_spans += spans.len() as u64;
        self.n_pairs += pairs.len() as u64;
        for pair in pairs {
            *self.pairs.entry(relation_name(pair)).or_default() += 1;
        }
    }

    /// Returns the figures by the names that manifests have for them.
    pub(super) fn by_name(&self) -> BTreeMap<String, u64> {
        let mut counts: BTreeMap<String, u64> = [
            ("documents", self.n_documents),
            ("made", self.n_made),
            ("queries", self.n_queries),
            ("collection", self.n_collection),
            ("pairs", self.n_pairs),
            ("spans", self.n_spans),
            ("noted", self.n_noted),
        ]
        .map(|(name, n)| (name.to_owned(), n))
        .into();
        for (name, n) in &self.pairs {
            counts.insert(format!("pairs_{}", name.replace('-', "_")), *n);
        }
        counts
    }
}

/// Returns a note with `…` for each number, so that like notes can be counted together.
fn without_numbers(note: &str) -> String {
    let words = note.split(' ');
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    words.map(|word| if is_number(word) { "…" } else { word }).collect::<Vec<_>>().join(" ")
}
