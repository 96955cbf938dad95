//! What is true of a pair of documents, by tracking what was copied.
//!
//! Nothing here searches or aligns. The words of a made document are known by where they were
//! copied from (`track.rs`); two documents share what was copied from one place.
//!
//! - *resemblance* and *containment*: over the sets of distinct runs of five words, taken as they
//!   are and not hashed.
//! - *edit ratio*: words deleted, inserted or replaced between copied words that have the same
//!   order in both, divided by the words of the longer document, at most 1. A replaced word counts
//!   once, a moved one twice: as deleted and as inserted.
//! - *relation*: by the rule that every method is judged by, from these scores and the longest
//!   passage: runs of at least five copied words, joined across up to 24 others on either side.

use std::collections::{BTreeMap, BTreeSet};

use retold_core::document::Span;
use retold_core::relation::{Kind, Scores};
use retold_core::verify::rule::{Rule, Shared};
use serde::Serialize;

use super::collection::Collection;
use super::plan::Related;
use super::track::{Origin, Tracked};

/// Number of words in a run.
const K: usize = 5;
/// Largest gap between two runs of one passage, in words, on either side.
const MOST_GAP: usize = 24;

/// Two documents of which one was made of the other, or both of a third.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// Name of the first document: the input, or the one that was made first.
    pub a: String,
    /// Name of the second document.
    pub b: String,
    /// How they are related, seen from `a`, by the default rule; `None` if too little is left.
    pub relation: Option<Kind>,
    /// True scores.
    #[serde(flatten)]
    pub scores: Scores,
    /// Share of words that were edited.
    pub edit_ratio: f64,
}

/// A stretch of text that two documents share because it was copied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CopiedSpan {
    /// Name of the first document.
    pub a: String,
    /// Name of the second document.
    pub b: String,
    /// Bytes of the text of `a`.
    pub a_span: Span,
    /// Bytes of the text of `b`.
    pub b_span: Span,
    /// Words that were copied and are unchanged.
    pub words: u32,
}

/// What is true of two documents.
#[derive(Clone, Debug, PartialEq)]
struct Truth {
    /// How they are related by the default rule.
    relation: Option<Kind>,
    /// Resemblance and containment both ways.
    scores: Scores,
    /// Share of words that were edited.
    edit_ratio: f64,
    /// Copied stretches with the unchanged words in each, in the order of `b`.
    spans: Vec<(Span, Span, u32)>,
}

/// What is remembered of a made document: its words and where they were copied from.
#[derive(Clone, Debug)]
pub struct Trace {
    name: String,
    /// Number of the input it was made of.
    input: Option<usize>,
    tracked: Tracked,
}

impl Trace {
    pub(super) fn new(name: &str, input: Option<usize>, tracked: Tracked) -> Self {
        Self { name: name.to_owned(), input, tracked }
    }
}

/// The related pairs among inputs and made documents. Those of each made document are compared on
/// their own, in any order and on any thread.
#[derive(Debug)]
pub struct Reference<'a> {
    collection: &'a Collection,
    traces: &'a [Trace],
    /// For each made document the inputs and the earlier made documents it is compared with.
    related: Vec<(BTreeSet<usize>, BTreeSet<usize>)>,
}

impl<'a> Reference<'a> {
    /// Finds the related pairs: documents with words copied from the same place of an input. The
    /// search ends early once `is_stopped` returns true.
    pub fn new(
        collection: &'a Collection,
        traces: &'a [Trace],
        which: Related,
        is_stopped: &dyn Fn() -> bool,
    ) -> Self {
        let traces = if which == Related::None { &[] } else { traces };
        let wanted = traces.iter().take_while(|_| !is_stopped());
        let uses: Vec<_> = wanted.map(|trace| uses(&trace.tracked)).collect();
        let mut related = vec![(BTreeSet::new(), BTreeSet::new()); traces.len()];
        let mut of_input: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (made, uses) in uses.iter().enumerate() {
            let enough = uses.iter().filter(|(_, words)| words.len() >= K);
            let inputs = &mut related[made].0;
            inputs.extend(enough.map(|(&number, _)| number as usize));
            inputs.extend(traces[made].input);
            for &number in &*inputs {
                of_input.entry(number).or_default().push(made);
            }
        }
        if which == Related::All {
            for (&number, documents) in &of_input {
                let words_of = |made: usize| uses[made].get(&(number as u32));
                for (n, &later) in documents.iter().enumerate() {
                    if is_stopped() {
                        break;
                    }
                    for &earlier in &documents[..n] {
                        if let (Some(words), Some(others)) = (words_of(later), words_of(earlier))
                            && !related[later].1.contains(&earlier)
                            && n_common(words, others, K) == K
                        {
                            related[later].1.insert(earlier);
                        }
                    }
                }
            }
        }
        Self { collection, traces, related }
    }

    /// Returns the number of made documents.
    pub fn len(&self) -> usize {
        self.related.len()
    }

    /// Returns whether nothing was made.
    pub fn is_empty(&self) -> bool {
        self.related.is_empty()
    }

    /// Compares the made document with this number with its inputs, in their order, and with
    /// those made before it: pairs and copied stretches.
    ///
    /// *Panics* if there is no such document.
    pub fn compare(&self, made: usize) -> (Vec<Pair>, Vec<CopiedSpan>) {
        let (inputs, earlier) = &self.related[made];
        let trace = &self.traces[made];
        let held = Held::new(&trace.tracked);
        let (mut pairs, mut spans) = (Vec::new(), Vec::new());
        let mut put = |name: &str, tracked: &Tracked| {
            let truth = held.compare(tracked);
            spans.extend(truth.spans.into_iter().map(|(a_span, b_span, words)| CopiedSpan {
                a: name.to_owned(),
                b: trace.name.clone(),
                a_span,
                b_span,
                words,
            }));
            pairs.push(Pair {
                a: name.to_owned(),
                b: trace.name.clone(),
                relation: truth.relation,
                scores: truth.scores,
                edit_ratio: truth.edit_ratio,
            });
        };
        for &number in inputs {
            let name = &self.collection.source(number).document.id;
            put(name, &Tracked::input(self.collection, number));
        }
        for &earlier in earlier {
            put(&self.traces[earlier].name, &self.traces[earlier].tracked);
        }
        (pairs, spans)
    }
}

/// Returns for each input which of its words a document holds, ascending and without repeats.
fn uses(tracked: &Tracked) -> BTreeMap<u32, Vec<u32>> {
    let mut out: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for &(number, word) in tracked.origins.iter().flatten() {
        out.entry(number).or_default().push(word);
    }
    for words in out.values_mut() {
        words.sort_unstable();
        words.dedup();
    }
    out
}

/// Returns how many items two sorted lists have in common; counting ends at `most`.
fn n_common<T: Ord>(one: &[T], other: &[T], most: usize) -> usize {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    if long.len() / MUCH_LONGER > short.len() {
        return short.iter().filter(|item| long.binary_search(item).is_ok()).take(most).count();
    }
    let (mut left, mut right, mut n) = (0, 0, 0);
    while left < short.len() && right < long.len() && n < most {
        let order = short[left].cmp(&long[right]);
        n += usize::from(order.is_eq());
        left += usize::from(order.is_le());
        right += usize::from(order.is_ge());
    }
    n
}

/// If one list is this many times longer than the other, it is searched instead of scanned.
const MUCH_LONGER: usize = 16;

/// Returns the distinct runs of five words, sorted.
fn runs(words: &[u64]) -> Vec<[u64; K]> {
    let mut runs: Vec<[u64; K]> =
        words.windows(K).map(|run| run.try_into().expect("a window has its length")).collect();
    runs.sort_unstable();
    runs.dedup();
    runs
}

/// A made document that others are compared with.
struct Held<'a> {
    b: &'a Tracked,
    runs: Vec<[u64; K]>,
    /// The words that were copied from each input, in order.
    words_of: BTreeMap<u32, Vec<u32>>,
}

impl<'a> Held<'a> {
    fn new(b: &'a Tracked) -> Self {
        let mut words_of: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (word, origin) in b.origins.iter().enumerate() {
            if let Some((number, _)) = origin {
                words_of.entry(*number).or_default().push(word as u32);
            }
        }
        Self { b, runs: runs(&b.hashes), words_of }
    }

    /// Finds out what is true of `a` and this document.
    fn compare(&self, a: &Tracked) -> Truth {
        let b = self.b;
        let runs_a = runs(&a.hashes);
        let n_common = n_common(&runs_a, &self.runs, usize::MAX);
        let scores = Scores::of_sets(runs_a.len(), self.runs.len(), n_common);
        let same = self.same_words(a);
        let shared =
            Shared::of_passages(passages(&same, K).into_iter().map(|passage| passage.words));
        let shorter = a.hashes.len().min(b.hashes.len());
        let relation = if !a.hashes.is_empty() && a.hashes == b.hashes {
            Some(Kind::Exact)
        } else if shorter < K {
            None
        } else {
            Rule::default().decide(scores, shared, shorter)
        };
        let spans = passages(&same, 1)
            .into_iter()
            .map(|passage| {
                let span = |words: &[Span], (first, end): (usize, usize)| {
                    Span::new(words[first].start, words[end - 1].end)
                };
                (span(&a.spans, passage.a), span(&b.spans, passage.b), passage.words)
            })
            .collect();
        let edit_ratio = edit_ratio(&same, a.hashes.len(), b.hashes.len());
        Truth { relation, scores, edit_ratio, spans }
    }

    /// Returns the pairs of words that were copied from the same place, in the order of `b`. If a
    /// word occurs several times in `a`, the occurrence that continues the last pair is taken, else
    /// the first.
    fn same_words(&self, a: &Tracked) -> Vec<(usize, usize)> {
        let b = self.b;
        let mut places: Vec<(Origin, usize)> =
            a.origins.iter().enumerate().filter_map(|(i, origin)| Some(((*origin)?, i))).collect();
        places.sort_unstable();
        // A word can be in both documents only if it comes from an input that `a` has words of.
        let mut words: Vec<u32> = places
            .chunk_by(|one, other| one.0.0 == other.0.0)
            .filter_map(|of_input| self.words_of.get(&of_input[0].0.0))
            .flatten()
            .copied()
            .collect();
        words.sort_unstable();
        let mut out: Vec<(usize, usize)> = Vec::new();
        for j in words.into_iter().map(|word| word as usize) {
            let Some(origin) = b.origins[j] else { continue };
            let next = out.last().map_or(0, |&(i, _)| i + 1);
            let first = places.partition_point(|place| *place < (origin, 0));
            let goes_on = places.partition_point(|place| *place < (origin, next));
            let is_same = |at: usize| places.get(at).filter(|place| place.0 == origin);
            let found = is_same(goes_on).filter(|place| place.1 == next).or_else(|| is_same(first));
            if let Some(&(_, i)) = found
                && a.hashes[i] == b.hashes[j]
            {
                out.push((i, j));
            }
        }
        out
    }
}

/// A passage in words: half-open ranges.
struct Passage {
    a: (usize, usize),
    b: (usize, usize),
    words: u32,
}

/// Joins runs of at least `least` pairs across small gaps; pairs inside a gap count.
fn passages(same: &[(usize, usize)], least: usize) -> Vec<Passage> {
    let mut out: Vec<Passage> = Vec::new();
    let mut in_gap = 0;
    for run in same.chunk_by(|x, y| x.0 + 1 == y.0 && x.1 + 1 == y.1) {
        let ((a, b), n) = (run[0], run.len());
        if n < least {
            let is_inside = out.last().is_some_and(|last| {
                (last.a.1..=last.a.1 + MOST_GAP).contains(&a)
                    && (last.b.1..=last.b.1 + MOST_GAP).contains(&b)
            });
            in_gap += if is_inside { n as u32 } else { 0 };
            continue;
        }
        match out.last_mut() {
            Some(last)
                if (last.a.1..=last.a.1 + MOST_GAP).contains(&a)
                    && (last.b.1..=last.b.1 + MOST_GAP).contains(&b) =>
            {
                last.a.1 = a + n;
                last.b.1 = b + n;
                last.words += n as u32 + in_gap;
            }
            _ => out.push(Passage { a: (a, a + n), b: (b, b + n), words: n as u32 }),
        }
        in_gap = 0;
    }
    out
}

/// Returns the share of words that were edited.
fn edit_ratio(same: &[(usize, usize)], n_a: usize, n_b: usize) -> f64 {
    let longer = n_a.max(n_b);
    if longer == 0 {
        return 0.0;
    }
    let mut n_edits = 0;
    let (mut a, mut b) = (0, 0);
    for (i, j) in in_both_orders(same).into_iter().chain([(n_a, n_b)]) {
        n_edits += (i - a).max(j - b);
        (a, b) = (i + 1, j + 1);
    }
    (n_edits as f64 / longer as f64).min(1.0)
}

/// Returns as many pairs as possible that stand in the same order on both sides: a longest
/// increasing subsequence.
fn in_both_orders(same: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // `ends[n]` is the pair that ends the sequence of n + 1 pairs with the smallest end.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![usize::MAX; same.len()];
    for (at, &(i, _)) in same.iter().enumerate() {
        let n = ends.partition_point(|&end| same[end].0 < i);
        if n > 0 {
            before[at] = ends[n - 1];
        }
        if n == ends.len() {
            ends.push(at);
        } else {
            ends[n] = at;
        }
    }
    let mut out = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied().unwrap_or(usize::MAX);
    while at != usize::MAX {
        out.push(same[at]);
        at = before[at];
    }
    out.reverse();
    out
}
