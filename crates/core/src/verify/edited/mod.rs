//! Alignment of edited text: passages whose words were replaced, reordered, translated or shortened.
//!
//! Runs of equal words, which [`align`](super::align) follows, do not survive rewriting: a rewritten
//! passage keeps most of its words and few of its word runs. What survives are pairs of content words
//! that stand close together. The steps, each in a file of its own:
//!
//! 1. `seeds`: unordered pairs of content words, at most four content words apart, that occur once
//!    in each of the two texts. Uniqueness keeps what any two texts on a subject share from becoming
//!    seeds.
//! 2. `clusters`: seeds that lie close together in both texts, in any order, form a cluster.
//! 3. `bags`: the words of both sides of a cluster are compared as bags of words, rare words weighing
//!    more. A cluster whose sides do not agree is split at smaller gaps and tried again. The borders of
//!    one that is kept are checked against the other side: words that the other side has not are cut
//!    off, those that it has are added.
//! 4. `verbatim`: where most of a passage is a chain of equal words, it ends where the chain does.
//! 5. `summaries`: a short stretch that tells a long one is looked for with wide gaps in the long one.
//!
//! # Cost
//! Linear in the words of both texts, up to sorting. Of texts with more than [`MOST_WORDS`] words a
//! sample of the word pairs is taken, the same on both sides.
//!
//! # Reference
//! Sanchez-Perez, Sidorov, Gelbukh: The winning approach to text alignment for text reuse detection at
//! PAN 2014 (adaptive gaps, summaries by wider gaps); Palkovskii, Belov: Developing high-resolution
//! universal multi-type n-gram plagiarism detector, 2014 (clusters of seeds of different kinds). Seeds of
//! unique word pairs and borders by the best-scoring stretch are ours.

pub mod agreement;
mod bags;
mod clusters;
mod seeds;
mod summaries;
mod verbatim;

use agreement::Agreement;
use bags::{Bags, Both, Vocabulary};
use clusters::{Cluster, clusters};
pub use seeds::MOST_WORDS;
use seeds::{Seed, WordPairs};
pub use verbatim::EqualRun;

use crate::hash::numbering::Numbering;

/// Places of words, from the first up to the one behind the last.
pub type Range = (u32, u32);

/// A passage that agrees, perhaps with other words or in another order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EditedPassage {
    /// Words of the first text.
    pub a: Range,
    /// Words of the second text.
    pub b: Range,
    /// Whether one side tells the other in far fewer words.
    pub is_summary: bool,
}

/// What decides about passages. The defaults were chosen on the training pairs of PAN 2013 by five-fold
/// cross-validation (`crates/bench/src/bin/edited.rs`).
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Words between two seeds of a cluster, at most, on either side.
    pub gap: u32,
    /// Gap below which a cluster is not split any more.
    pub least_gap: u32,
    /// Factor by which the gap shrinks.
    pub shrink: f64,
    /// Seeds of a cluster, at least.
    pub least_seeds: usize,
    /// Words of a passage on either side, at least.
    pub least_words: u32,
    /// Cosine of the word bags of a passage of few seeds, at least.
    pub cosine: f64,
    /// How much less may agree for each time that there are 2.7 times as many seeds.
    pub seeds_weight: f64,
    /// What a word that the other side has not costs, against what one that it has gains.
    pub miss: f64,
    /// What a common word weighs at a border, against a content word.
    pub common_weight: f64,
    /// Words by which a border may move outwards.
    pub border_words: u32,
    /// Words of a chain of equal words that may settle the borders, at least.
    pub chain_words: u32,
    /// Share of a passage that chains must make up to settle its borders.
    pub chain_share: f64,
    /// Words between two passages, on both sides, that are seen as one.
    pub join_words: u32,
    /// How many times longer than the summary the summarised text is, at least.
    pub summary_ratio: f64,
    /// Words between two seeds of a summary in the longer text.
    pub summary_gap: u32,
    /// Seeds of a summary, at least.
    pub summary_seeds: usize,
    /// Cosine of the word bags of a summary.
    pub summary_cosine: f64,
    /// Share of the longer text that a summary tells.
    pub summary_share: f64,
    /// Share of the seeds of a summary that passages of usual gaps may explain.
    pub summary_known: f64,
    /// Share of the words of a summary that must stand in the longer text in the same order: reports of one
    /// event have many words in common, but in another order.
    pub summary_order: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            gap: 31,
            least_gap: 6,
            shrink: 0.8,
            least_seeds: 5,
            least_words: 25,
            cosine: 0.53,
            seeds_weight: 0.06,
            miss: 0.57,
            common_weight: 0.23,
            border_words: 5,
            chain_words: 45,
            chain_share: 0.72,
            join_words: 10,
            summary_ratio: 3.0,
            summary_gap: 300,
            summary_seeds: 8,
            summary_cosine: 0.5,
            summary_share: 0.55,
            summary_known: 0.84,
            summary_order: 0.45,
        }
    }
}

/// A passage while it is being decided upon.
#[derive(Clone, Copy, Debug)]
struct Passage {
    a: Range,
    b: Range,
    /// How well it agrees, and how much of it there is: the larger wins where two overlap.
    weight: f64,
}

impl Passage {
    fn new(a: Range, b: Range, cosine: f64) -> Self {
        let n_words = len(a).min(len(b));
        Self { a, b, weight: cosine * f64::from(1 + n_words).ln() }
    }

    fn holds(&self, seed: &Seed) -> bool {
        let is_in = |inner: Range, outer: Range| outer.0 <= inner.0 && inner.1 <= outer.1;
        is_in(seed.a, self.a) && is_in(seed.b, self.b)
    }
}

fn len(range: Range) -> u32 {
    range.1 - range.0
}

/// Returns whether two ranges have a word in common.
fn meet(x: Range, y: Range) -> bool {
    x.0 < y.1 && y.0 < x.1
}

fn hull(x: Range, y: Range) -> Range {
    (x.0.min(y.0), x.1.max(y.1))
}

/// A text made ready for the aligner.
#[derive(Clone, Debug, Default)]
pub struct Text {
    pairs: WordPairs,
    words: Vocabulary,
}

/// Space to work in while texts are made ready, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Room {
    pairs: Vec<u64>,
    numbers: Numbering,
    sorted: Vec<(u64, u32)>,
    sorting: Vec<(u64, u32)>,
}

impl Text {
    /// Takes a text by the [content forms](crate::features::Words::content) of its words.
    pub fn fill(&mut self, forms: &[u64], room: &mut Room) {
        self.pairs.fill(forms, &mut room.pairs);
        self.words.fill(forms, room);
    }

    /// Returns the number of bytes held.
    pub fn held_bytes(&self) -> usize {
        self.pairs.held_bytes() + self.words.held_bytes()
    }
}

/// Finds passages of edited text; what one pair of texts needed is there for the next.
#[derive(Clone, Debug, Default)]
pub struct Aligner {
    settings: Settings,
    found: Vec<Seed>,
    bags: Bags,
    agreement: Agreement,
}

impl Aligner {
    /// Makes an aligner with other settings.
    pub fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Returns the passages of two texts in the order of the first.
    ///
    /// `equal` are runs of equal words in the order of `a`. Texts and runs the other way round give the
    /// same passages the other way round.
    pub fn align(&mut self, a: &Text, b: &Text, equal: &[EqualRun]) -> Vec<EditedPassage> {
        let Self { settings, found, bags, agreement } = self;
        seeds::common(&a.pairs, &b.pairs, found);
        if found.len() < settings.least_seeds {
            return Vec::new();
        }
        found.sort_unstable_by_key(|seed| (seed.a, seed.b));
        let mut both = bags.both(&a.words, &b.words);
        let mut passages = usual(settings, found, &mut both);
        keep_best(&mut passages, |x, y| meet(x.a, y.a) && meet(x.b, y.b));
        let is_verbatim = verbatim::settle(settings, equal, &mut passages);
        if !is_verbatim
            && let Some(told) = summaries::find(settings, found, (&mut both, agreement), &passages)
        {
            return told;
        }
        join(settings.join_words, &mut passages);
        let edited =
            |passage: Passage| EditedPassage { a: passage.a, b: passage.b, is_summary: false };
        passages.into_iter().map(edited).collect()
    }
}

/// Returns the passages of usual gaps.
fn usual(settings: &Settings, found: &[Seed], both: &mut Both<'_>) -> Vec<Passage> {
    let mut out = Vec::new();
    let gaps = [settings.gap; 2];
    agreeing(
        settings,
        found,
        gaps,
        settings.least_seeds,
        |both, a, b, n_seeds| {
            let more = settings.seeds_weight * (n_seeds as f64 / settings.least_seeds as f64).ln();
            let cosine = both.cosine(a, b);
            (cosine + more >= settings.cosine).then_some(cosine)
        },
        both,
        |both, a, b, cosine| {
            let (a, b) = (both.border(0, a, b, settings), both.border(1, b, a, settings));
            if len(a).min(len(b)) >= settings.least_words {
                out.push(Passage::new(a, b, cosine));
            }
        },
    );
    out
}

/// Clusters seeds, in the order of the first text, with the given gaps; a cluster of which `agrees` says
/// nothing is split at smaller ones.
fn agreeing(
    settings: &Settings,
    found: &[Seed],
    gaps: [u32; 2],
    least_seeds: usize,
    agrees: impl Fn(&mut Both<'_>, Range, Range, usize) -> Option<f64>,
    both: &mut Both<'_>,
    mut each: impl FnMut(&mut Both<'_>, Range, Range, f64),
) {
    let mut parts = Vec::new();
    clusters(Cluster::new(found.to_vec()), gaps, &mut parts);
    let mut todo: Vec<(Cluster, [u32; 2])> = parts.drain(..).map(|part| (part, gaps)).collect();
    while let Some((cluster, mut gaps)) = todo.pop() {
        let n_seeds = cluster.seeds.len();
        if n_seeds < least_seeds {
            continue;
        }
        let extent = |side: fn(&Seed) -> Range| {
            cluster.seeds.iter().map(side).reduce(hull).expect("a cluster has seeds")
        };
        let (a, b) = (extent(|seed| seed.a), extent(|seed| seed.b));
        if len(a).min(len(b)) < settings.least_words {
            continue;
        }
        if let Some(cosine) = agrees(both, a, b, n_seeds) {
            each(both, a, b, cosine);
            continue;
        }
        // Gaps that do not split it would leave it as it is.
        while gaps.iter().any(|&gap| gap > settings.least_gap) && !cluster.is_split_by(gaps) {
            gaps = gaps.map(|gap| smaller(gap, settings));
        }
        if cluster.is_split_by(gaps) {
            clusters(cluster, gaps, &mut parts);
            todo.extend(parts.drain(..).map(|part| (part, gaps)));
        }
    }
}

/// Returns the next gap that is tried where a cluster does not agree.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a smaller gap")]
fn smaller(gap: u32, settings: &Settings) -> u32 {
    ((f64::from(gap) * settings.shrink) as u32).max(settings.least_gap)
}

/// Leaves of passages that clash the one that weighs more; sorts by the first text.
fn keep_best(passages: &mut Vec<Passage>, clash: impl Fn(&Passage, &Passage) -> bool) {
    passages.sort_by(|x, y| {
        y.weight
            .total_cmp(&x.weight)
            .then_with(|| (x.a.min(x.b), x.a.max(x.b)).cmp(&(y.a.min(y.b), y.a.max(y.b))))
    });
    let mut kept: Vec<Passage> = Vec::with_capacity(passages.len());
    for passage in passages.iter() {
        if !kept.iter().any(|other| clash(passage, other)) {
            kept.push(*passage);
        }
    }
    kept.sort_by_key(|passage| (passage.a, passage.b));
    *passages = kept;
}

/// Joins passages that follow each other closely on both sides, in any order.
fn join(most_words: u32, passages: &mut Vec<Passage>) {
    let near = |x: Range, y: Range| x.0.max(y.0) <= x.1.min(y.1) + most_words;
    passages.sort_by_key(|passage| (passage.a, passage.b));
    let mut joined: Vec<Passage> = Vec::with_capacity(passages.len());
    for passage in passages.iter() {
        let last = joined.iter_mut().rev().take(MOST_OPEN);
        match last.into_iter().find(|last| near(last.a, passage.a) && near(last.b, passage.b)) {
            Some(last) => {
                (last.a, last.b) = (hull(last.a, passage.a), hull(last.b, passage.b));
            }
            None => joined.push(*passage),
        }
    }
    *passages = joined;
}

/// Passages before one that it may be joined to.
const MOST_OPEN: usize = 8;

#[cfg(test)]
mod tests;
