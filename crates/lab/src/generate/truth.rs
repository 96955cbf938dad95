//! What is true of a pair of documents, by tracking what was copied.
//!
//! Nothing here searches or aligns. The words of a made document are known by where they were
//! copied from ([`track`](super::track)); two documents share what was copied from one place.
//!
//! - *resemblance* and *containment*: over the sets of distinct runs of five words, taken as they
//!   are and not hashed.
//! - *edit ratio*: words that go, come or are replaced between copied words that stand in the same
//!   order in both, over the words of the longer, at most 1. A replaced word counts once, a moved
//!   one goes and comes.
//! - *relation*: by the rule that every method is judged by, from these scores and the longest
//!   passage: runs of at least five copied words, joined across up to 24 others on either side.

use std::collections::{BTreeMap, BTreeSet};

use retold_core::document::Span;
use retold_core::relation::{Kind, Scores};
use retold_core::verify::rule::Rule;
use serde::Serialize;

use super::collection::Collection;
use super::plan::Related;
use super::track::{Origin, Tracked};

/// Words of a run.
const K: usize = 5;
/// Words that may stand between two runs of a passage, on either side.
const MOST_GAP: usize = 24;

/// Two documents of which one was made of the other, or both of a third.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// Name of the one: the input, or what was made first.
    pub a: String,
    /// Name of the other.
    pub b: String,
    /// How they are related, seen from `a`, by the default rule; `None` if too little is left.
    pub relation: Option<Kind>,
    /// True scores.
    #[serde(flatten)]
    pub scores: Scores,
    /// Share of words that were edited.
    pub edit_ratio: f64,
}

/// A stretch that stands in two documents because it was copied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CopiedSpan {
    /// Name of the one document.
    pub a: String,
    /// Name of the other.
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
pub struct Truth {
    /// How they are related by the default rule.
    pub relation: Option<Kind>,
    /// Resemblance and containment both ways.
    pub scores: Scores,
    /// Share of words that were edited.
    pub edit_ratio: f64,
    /// Copied stretches with the unchanged words in each, in the order of `b`.
    pub spans: Vec<(Span, Span, u32)>,
}

/// A document whose words are tracked.
pub(super) struct Node {
    pub(super) name: String,
    pub(super) tracked: Tracked,
}

/// Lists the related pairs among inputs and made documents, and what was copied.
///
/// `inputs[i]` is the number of the input that made document `i` was made of.
pub(super) fn reference(
    collection: &Collection,
    made: &[Node],
    inputs: &[Option<usize>],
    related: Related,
) -> (Vec<Pair>, Vec<CopiedSpan>) {
    let mut lists = (Vec::new(), Vec::new());
    let uses: Vec<BTreeMap<u32, Vec<u32>>> = made.iter().map(|node| uses(&node.tracked)).collect();
    let mut of_input: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (i, uses) in uses.iter().enumerate() {
        let enough = uses.iter().filter(|(_, words)| words.len() >= K);
        let mut numbers: BTreeSet<usize> = enough.map(|(&number, _)| number as usize).collect();
        numbers.extend(inputs[i]);
        numbers.into_iter().for_each(|number| of_input.entry(number).or_default().push(i));
    }
    for (&number, documents) in &of_input {
        let node = Node {
            name: collection.source(number).document.id.clone(),
            tracked: Tracked::input(collection, number),
        };
        put(&node, documents.iter().map(|&i| &made[i]), &mut lists);
    }
    if related == Related::All {
        let mut pairs: BTreeSet<(usize, usize)> = BTreeSet::new();
        for (&number, documents) in &of_input {
            let number = number as u32;
            for (n, &i) in documents.iter().enumerate() {
                for &j in &documents[n + 1..] {
                    let (Some(one), Some(other)) = (uses[i].get(&number), uses[j].get(&number))
                    else {
                        continue;
                    };
                    if !pairs.contains(&(i, j)) && share(one, other) {
                        pairs.insert((i, j));
                    }
                }
            }
        }
        let pairs: Vec<(usize, usize)> = pairs.into_iter().collect();
        for group in pairs.chunk_by(|one, other| one.0 == other.0) {
            put(&made[group[0].0], group.iter().map(|&(_, j)| &made[j]), &mut lists);
        }
    }
    lists
}

/// Compares one document with others.
fn put<'a>(
    a: &Node,
    others: impl Iterator<Item = &'a Node>,
    (pairs, spans): &mut (Vec<Pair>, Vec<CopiedSpan>),
) {
    let runs_a = runs(&a.tracked.hashes);
    for b in others {
        let truth = of(&a.tracked, &runs_a, &b.tracked);
        let (name_a, name_b) = (a.name.clone(), b.name.clone());
        spans.extend(truth.spans.into_iter().map(|(a_span, b_span, words)| CopiedSpan {
            a: name_a.clone(),
            b: name_b.clone(),
            a_span,
            b_span,
            words,
        }));
        pairs.push(Pair {
            a: name_a,
            b: name_b,
            relation: truth.relation,
            scores: truth.scores,
            edit_ratio: truth.edit_ratio,
        });
    }
}

/// Returns for each input the words of it that stand in a document, in order and once.
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

/// Returns whether two sorted lists share as many words as a run has.
fn share(one: &[u32], other: &[u32]) -> bool {
    let (mut i, mut j, mut n) = (0, 0, 0);
    while i < one.len() && j < other.len() && n < K {
        let (x, y) = (one[i], other[j]);
        n += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    n >= K
}

/// Returns the distinct runs of five words, sorted.
fn runs(words: &[u64]) -> Vec<[u64; K]> {
    let mut runs: Vec<[u64; K]> = words.array_windows().copied().collect();
    runs.sort_unstable();
    runs.dedup();
    runs
}

/// Finds out what is true of two documents; `runs_a` are the runs of `a`.
fn of(a: &Tracked, runs_a: &[[u64; K]], b: &Tracked) -> Truth {
    let runs_b = runs(&b.hashes);
    let (mut i, mut j, mut n_common) = (0, 0, 0);
    while i < runs_a.len() && j < runs_b.len() {
        let (x, y) = (&runs_a[i], &runs_b[j]);
        n_common += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    let scores = Scores::of_sets(runs_a.len(), runs_b.len(), n_common);
    let same = same_words(a, b);
    let longest = passages(&same, K).into_iter().map(|passage| passage.words).max().unwrap_or(0);
    let shorter = a.hashes.len().min(b.hashes.len());
    let relation = if a.hashes == b.hashes {
        Some(Kind::Exact)
    } else if shorter < K {
        None
    } else {
        Rule::default().decide(scores, longest, shorter)
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

/// Returns the pairs of words that were copied from one place, in the order of `b`: of several
/// places in `a` the one where the last pair goes on, or else the first.
fn same_words(a: &Tracked, b: &Tracked) -> Vec<(usize, usize)> {
    let mut places: Vec<(Origin, usize)> =
        a.origins.iter().enumerate().filter_map(|(i, origin)| Some(((*origin)?, i))).collect();
    places.sort_unstable();
    let mut out: Vec<(usize, usize)> = Vec::new();
    for (j, origin) in b.origins.iter().enumerate() {
        let Some(origin) = origin else { continue };
        let next = out.last().map_or(0, |&(i, _)| i + 1);
        let first = places.partition_point(|place| *place < (*origin, 0));
        let goes_on = places.partition_point(|place| *place < (*origin, next));
        let is_same = |at: usize| places.get(at).filter(|place| place.0 == *origin);
        let found = is_same(goes_on).filter(|place| place.1 == next).or_else(|| is_same(first));
        if let Some(&(_, i)) = found
            && a.hashes[i] == b.hashes[j]
        {
            out.push((i, j));
        }
    }
    out
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
