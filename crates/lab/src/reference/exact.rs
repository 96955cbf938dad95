//! How much documents have in common, counted exactly: a reference that no method had a hand in.
//!
//! Words are in lower case by the rules of the document's language; no word is left out and none is
//! stemmed. Runs of `k` words are compared as sets, through inverted lists: every pair of documents
//! with a run in common is counted, nothing is sampled and nothing has a limit. Only hashes of runs
//! are kept, 64 bits each; two different runs with one hash are not to be expected below some
//! hundred million runs.
//!
//! The measure is kin to methods that compare runs of words. Where such a method is judged by it,
//! [`edit_similarity`](ExactOverlap::edit_similarity) is a second opinion: it knows single words and
//! their order, and no runs.

use rayon::prelude::*;
use retold_core::document::Document;
use retold_core::features::{Featurizer, TextSettings, Words};
use retold_core::hash;

/// Documents that are counted together, so that what is handed over fits into memory.
const ASKERS: usize = 512;

/// What two documents have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// The document with the lesser number.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// Distinct runs that both have.
    pub common: u32,
    /// Distinct runs of `a`.
    pub n_a: u32,
    /// Distinct runs of `b`.
    pub n_b: u32,
}

impl Overlap {
    /// Returns the share of the runs of either that both have; 0 if neither has any.
    ///
    /// ```
    /// use retold_lab::reference::Overlap;
    /// let overlap = Overlap { a: 0, b: 1, common: 3, n_a: 4, n_b: 6 };
    /// assert_eq!((overlap.a_in_b(), overlap.b_in_a()), (0.75, 0.5));
    /// assert_eq!(overlap.resemblance(), 3.0 / 7.0);
    /// ```
    pub fn resemblance(&self) -> f64 {
        part(self.common, self.n_a + self.n_b - self.common)
    }

    /// Returns the share of the runs of `a` that `b` has.
    pub fn a_in_b(&self) -> f64 {
        part(self.common, self.n_a)
    }

    /// Returns the share of the runs of `b` that `a` has.
    pub fn b_in_a(&self) -> f64 {
        part(self.common, self.n_b)
    }

    /// Returns the larger of the two containments.
    pub fn containment(&self) -> f64 {
        self.a_in_b().max(self.b_in_a())
    }
}

fn part(common: u32, whole: u32) -> f64 {
    if whole == 0 { 0.0 } else { f64::from(common) / f64::from(whole) }
}

/// The runs of words of a collection, ready to be counted.
///
/// ```
/// use retold::Document;
/// use retold_lab::reference::ExactOverlap;
///
/// let texts = ["a b c d e f g", "A B, C d e F h", "quite another text of seven words"];
/// let documents: Vec<Document> =
///     texts.iter().map(|text| Document::plain("x", *text)).collect();
/// let runs = ExactOverlap::new(&documents, 5);
/// let found = runs.pairs(|overlap| overlap.resemblance() >= 0.3);
/// assert_eq!(found.len(), 1);
/// // Two of the three runs of each.
/// assert_eq!((found[0].a, found[0].b, found[0].common), (0, 1, 2));
/// assert_eq!(runs.edit_similarity(0, 1), 1.0 - 1.0 / 7.0);
/// ```
#[derive(Clone, Debug)]
pub struct ExactOverlap {
    words: Vec<Box<[u64]>>,
    n_runs: Vec<u32>,
    /// Numbers of the lists that a document stands in, ascending.
    lists: Vec<Box<[u32]>>,
    /// Where the list of each number begins in `holders`; one more than there are lists.
    starts: Vec<usize>,
    /// The documents of all lists, ascending within a list. Only runs of two or more have a list.
    holders: Vec<u32>,
}

impl ExactOverlap {
    /// Reads documents and lists their runs of `k` words; 0 counts as 1. The words of a document
    /// that has fewer are one run, so that short copies are copies.
    pub fn new(documents: &[Document], k: usize) -> Self {
        let k = k.max(1);
        let featurizer = Featurizer::new(TextSettings::default(), 0);
        let read = |document: &Document| {
            let mut words = Words::default();
            featurizer.words(document, &mut words);
            let mut runs: Vec<u64> = if words.hashes.len() < k {
                words.hashes.iter().map(|_| run_hash(&words.hashes)).take(1).collect()
            } else {
                words.hashes.windows(k).map(run_hash).collect()
            };
            runs.sort_unstable();
            runs.dedup();
            (words.hashes.into_boxed_slice(), runs)
        };
        let (words, runs): (Vec<_>, Vec<Vec<u64>>) = documents.par_iter().map(read).unzip();
        let n_runs = runs.iter().map(|runs| runs.len() as u32).collect();
        let mut all: Vec<(u64, u32)> = Vec::with_capacity(runs.iter().map(Vec::len).sum());
        for (document, runs) in (0..).zip(runs) {
            all.extend(runs.into_iter().map(|run| (run, document)));
        }
        all.par_sort_unstable();
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); documents.len()];
        let (mut starts, mut holders) = (vec![0], Vec::new());
        for list in all.chunk_by(|one, next| one.0 == next.0).filter(|list| list.len() > 1) {
            let number = starts.len() as u32 - 1;
            for &(_, document) in list {
                lists[document as usize].push(number);
                holders.push(document);
            }
            starts.push(holders.len());
        }
        let lists = lists.into_iter().map(Vec::into_boxed_slice).collect();
        Self { words, n_runs, lists, starts, holders }
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Hands over every pair of documents that share at least one run, each once, by the number of
    /// `b` and then of `a`.
    pub fn each(&self, mut each: impl FnMut(Overlap)) {
        let n = self.len() as u32;
        for from in (0..n).step_by(ASKERS) {
            let askers = from..n.min(from + ASKERS as u32);
            for overlap in self.of_askers(askers, |_| true) {
                each(overlap);
            }
        }
    }

    /// Returns the pairs for which `keep` returns true, by `b` and then `a`. Pairs without a common
    /// run are not asked about.
    pub fn pairs(&self, keep: impl Fn(&Overlap) -> bool + Sync) -> Vec<Overlap> {
        self.of_askers(0..self.len() as u32, keep)
    }

    /// Returns what two documents have in common.
    pub fn of(&self, a: u32, b: u32) -> Overlap {
        let (a, b) = (a.min(b), a.max(b));
        let (mut of_a, mut of_b) = (&*self.lists[a as usize], &*self.lists[b as usize]);
        let mut common = 0;
        while let (Some(one), Some(other)) = (of_a.first(), of_b.first()) {
            common += u32::from(one == other);
            let (skip_a, skip_b) = (one <= other, other <= one);
            of_a = &of_a[usize::from(skip_a)..];
            of_b = &of_b[usize::from(skip_b)..];
        }
        self.overlap(a, b, common)
    }

    /// Returns whether two documents have the same words in the same order; a document without
    /// words is a copy of none.
    pub fn is_copy(&self, a: u32, b: u32) -> bool {
        let words = &self.words[a as usize];
        !words.is_empty() && *words == self.words[b as usize]
    }

    /// Returns 1 minus Levenshtein's distance over words, divided by the length of the longer
    /// document; 0 if neither has a word.
    pub fn edit_similarity(&self, a: u32, b: u32) -> f64 {
        self.edit_similarity_from(a, b, 0.0).unwrap_or(0.0)
    }

    /// Returns the same if it reaches `least`, and ends early if it cannot.
    pub fn edit_similarity_from(&self, a: u32, b: u32, least: f64) -> Option<f64> {
        let (a, b) = (&self.words[a as usize], &self.words[b as usize]);
        let longer = a.len().max(b.len());
        if longer == 0 {
            return (least <= 0.0).then_some(0.0);
        }
        let similarity = |distance: usize| 1.0 - distance as f64 / longer as f64;
        // The largest distance that reaches it, by search, as a product would be rounded.
        let most = (0..=longer).rev().find(|&distance| similarity(distance) >= least)?;
        distance(a, b, most).map(similarity)
    }

    fn overlap(&self, a: u32, b: u32, common: u32) -> Overlap {
        Overlap { a, b, common, n_a: self.n_runs[a as usize], n_b: self.n_runs[b as usize] }
    }

    /// Counts for each asker what it has in common with the documents before it.
    fn of_askers(
        &self,
        askers: std::ops::Range<u32>,
        keep: impl Fn(&Overlap) -> bool + Sync,
    ) -> Vec<Overlap> {
        let counts = || (vec![0_u32; self.len()], Vec::new());
        let count = |(counts, met): &mut (Vec<u32>, Vec<u32>), b: u32| {
            for &list in &self.lists[b as usize] {
                let list = list as usize;
                let holders = &self.holders[self.starts[list]..self.starts[list + 1]];
                for &a in holders.iter().take_while(|&&a| a < b) {
                    if counts[a as usize] == 0 {
                        met.push(a);
                    }
                    counts[a as usize] += 1;
                }
            }
            met.sort_unstable();
            let mut found = Vec::new();
            for a in met.drain(..) {
                let common = std::mem::take(&mut counts[a as usize]);
                found.extend(Some(self.overlap(a, b, common)).filter(&keep));
            }
            found
        };
        askers.into_par_iter().map_init(counts, count).flatten_iter().collect()
    }
}

fn run_hash(words: &[u64]) -> u64 {
    words.iter().fold(words.len() as u64, |sum, &word| hash::mix(sum.rotate_left(17) ^ word))
}

/// Returns Levenshtein's distance, or none if it is above `most`. What is equal at both ends is not
/// looked at, and of the rest only the diagonals that `most` changes can reach.
fn distance(a: &[u64], b: &[u64], most: usize) -> Option<usize> {
    let before = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[before..], &b[before..]);
    let after = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[..a.len() - after], &b[..b.len() - after]);
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let never = most + 1;
    let mut row: Vec<usize> = (0..=b.len()).map(|j| j.min(never)).collect();
    for (i, x) in (1_usize..).zip(a) {
        let (low, high) = (i.saturating_sub(most).max(1), (i + most).min(b.len()));
        let mut diagonal = row[low - 1];
        // Left of the first diagonal that can be reached, and above the last, nothing is.
        row[low - 1] = if low == 1 { i.min(never) } else { never };
        let mut least = row[low - 1];
        for j in low..=high {
            let above = if j == i + most { never } else { row[j] };
            let change = diagonal + usize::from(*x != b[j - 1]);
            diagonal = row[j];
            row[j] = change.min(above + 1).min(row[j - 1] + 1).min(never);
            least = least.min(row[j]);
        }
        if least > most {
            return None;
        }
    }
    Some(row[b.len()]).filter(|&distance| distance <= most)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use retold_core::hash::Random;

    use super::*;

    /// Documents of few different words, so that much is in common; copies and short ones among
    /// them.
    fn documents(n: usize, seed: u64) -> Vec<Document> {
        let mut random = Random::new(seed);
        let mut texts: Vec<String> = Vec::new();
        for _ in 0..n {
            let text = match random.below(6) {
                0 if !texts.is_empty() => texts[random.below(texts.len())].to_uppercase(),
                _ => {
                    let words = (0..random.below(30)).map(|_| format!("w{}", random.below(4)));
                    words.collect::<Vec<_>>().join(" ")
                }
            };
            texts.push(text);
        }
        texts.into_iter().map(|text| Document::plain("d", text)).collect()
    }

    fn runs_of(document: &Document, k: usize) -> BTreeSet<Vec<String>> {
        let words: Vec<String> = document.text.split_whitespace().map(str::to_lowercase).collect();
        if words.len() < k {
            return BTreeSet::from_iter((!words.is_empty()).then_some(words));
        }
        words.windows(k).map(<[String]>::to_vec).collect()
    }

    #[test]
    fn every_pair_is_counted_as_sets_of_runs_count_it() {
        for (seed, k) in [(1, 1), (2, 2), (3, 3), (4, 5)] {
            let documents = documents(40, seed);
            let runs: Vec<_> = documents.iter().map(|document| runs_of(document, k)).collect();
            let mut expected = Vec::new();
            for b in 0..documents.len() {
                for a in 0..b {
                    let common = runs[a].intersection(&runs[b]).count() as u32;
                    let (n_a, n_b) = (runs[a].len() as u32, runs[b].len() as u32);
                    let overlap = Overlap { a: a as u32, b: b as u32, common, n_a, n_b };
                    expected.extend(Some(overlap).filter(|overlap| overlap.common > 0));
                }
            }
            let exact = ExactOverlap::new(&documents, k);
            assert!(expected.len() > 20, "{k}: {}", expected.len());
            assert_eq!(exact.pairs(|_| true), expected);
            let mut one_by_one = Vec::new();
            exact.each(|overlap| one_by_one.push(overlap));
            assert_eq!(one_by_one, expected);
            for overlap in &expected {
                assert_eq!(exact.of(overlap.b, overlap.a), *overlap);
            }
        }
    }

    /// The whole table, as the definition has it.
    fn plain_distance(a: &[u64], b: &[u64]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                table[i][j] = match (i, j) {
                    (0, _) => j,
                    (_, 0) => i,
                    _ => (table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]))
                        .min(table[i - 1][j] + 1)
                        .min(table[i][j - 1] + 1),
                };
            }
        }
        table[a.len()][b.len()]
    }

    #[test]
    fn the_distance_within_a_limit_is_that_of_the_whole_table() {
        let mut random = Random::new(9);
        for _ in 0..400 {
            let mut draw =
                || -> Vec<u64> { (0..random.below(14)).map(|_| random.below(4) as u64).collect() };
            let (a, b) = (draw(), draw());
            let plain = plain_distance(&a, &b);
            for most in 0..16 {
                let expected = (plain <= most).then_some(plain);
                assert_eq!(distance(&a, &b, most), expected, "{a:?} {b:?} {most}");
            }
        }
    }

    #[test]
    fn copies_have_the_same_words_in_the_same_order() {
        let texts = ["One two three.", "one, two three", "two one three", "", "", "one two"];
        let documents: Vec<Document> =
            texts.iter().map(|text| Document::plain("d", *text)).collect();
        let exact = ExactOverlap::new(&documents, 5);
        assert!(exact.is_copy(0, 1) && !exact.is_copy(0, 2) && !exact.is_copy(3, 4));
        assert_eq!(exact.pairs(|_| true).len(), 1, "short copies share their only run");
        assert_eq!(exact.edit_similarity_from(0, 5, 0.5), Some(1.0 - 1.0 / 3.0));
        assert_eq!(exact.edit_similarity_from(3, 4, 0.0), Some(0.0));
        assert_eq!(exact.edit_similarity_from(0, 5, 0.7), None);
        assert_eq!(exact.edit_similarity_from(0, 1, 1.0), Some(1.0));
    }
}
