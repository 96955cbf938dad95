//! The distinct words of a document in the order of their rarity.
//!
//! Rarer words come first: idf descending, then the word ascending by Unicode. Frequencies stand
//! for idf, since idf falls as they grow. Words are folded to strings only where two of them tie.

use serde::{Deserialize, Serialize};

use crate::features::counts::Counts;

/// Distinct words below which a document has no signature.
pub const LEAST_WORDS: usize = 3;

/// A distinct word of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// Hash of the word.
    pub hash: u64,
    /// Documents of the collection that hold it, at least 1.
    pub df: u32,
    /// Where it stands first, as a word number.
    pub at: u32,
}

/// How the rarity of a word becomes a weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Idf {
    /// ln(N / n), where n of the N documents hold the word: nothing for a word that all hold.
    Plain,
    /// ln(1 + N / n): a word that all hold still counts, which small collections need.
    Smooth,
}

impl Idf {
    /// Returns the weight of a word that `df` documents hold; none counts as one. Never below 0.
    pub fn weight(self, counts: &Counts, df: u32) -> f64 {
        let share = counts.n_documents() as f64 / f64::from(df.max(1));
        match self {
            Self::Plain => share.ln().max(0.0),
            Self::Smooth => share.ln_1p(),
        }
    }
}

/// Returns the distinct words of a document, by hash.
pub fn distinct(words: &[u64], counts: &Counts) -> Vec<Term> {
    let mut places: Vec<(u64, u32)> =
        words.iter().enumerate().map(|(at, &hash)| (hash, at as u32)).collect();
    places.sort_unstable();
    places.dedup_by_key(|place| place.0);
    let term = |(hash, at)| Term { hash, df: counts.df(hash).max(1), at };
    places.into_iter().map(term).collect()
}

/// Brings the `n` rarest terms to the front, in order, and returns how many there are: `n`, or
/// all if there are fewer. `word` gives the word of a term.
///
/// ```
/// use retold_core::image::terms::{Term, rarest_first};
/// let words = ["common", "b", "a"];
/// let term = |at: u32, df| Term { hash: u64::from(at), df, at };
/// let mut terms = [term(0, 9), term(1, 2), term(2, 2)];
/// assert_eq!(rarest_first(&mut terms, 1, |term| words[term.at as usize].to_owned()), 1);
/// assert_eq!(terms[0].at, 2);
/// ```
pub fn rarest_first(terms: &mut [Term], n: usize, mut word: impl FnMut(&Term) -> String) -> usize {
    let n = n.min(terms.len());
    if n == 0 {
        return 0;
    }
    let (_, &mut last, _) = terms.select_nth_unstable_by_key(n - 1, |term| term.df);
    // Whatever ties with the last of them competes with it by its word.
    let mut end = n;
    for i in n..terms.len() {
        if terms[i].df == last.df {
            terms.swap(end, i);
            end += 1;
        }
    }
    let first = &mut terms[..end];
    first.sort_unstable_by_key(|term| term.df);
    for ties in first.chunk_by_mut(|x, y| x.df == y.df) {
        if ties.len() > 1 {
            ties.sort_by_cached_key(&mut word);
        }
    }
    n
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_rarest_are_those_that_sorting_all_finds(
            dfs in prop::collection::vec(1u32..6, 0..20),
            n in 0usize..25,
        ) {
            let name = |at: u32| format!("w{}", (at * 7) % 23);
            let mut terms: Vec<Term> = dfs.iter().enumerate()
                .map(|(at, &df)| Term { hash: at as u64, df, at: at as u32 }).collect();
            let mut sorted = terms.clone();
            sorted.sort_by_key(|term| (term.df, name(term.at)));
            let n_found = rarest_first(&mut terms, n, |term| name(term.at));
            prop_assert_eq!(&terms[..n_found], &sorted[..n.min(dfs.len())]);
        }
    }

    #[test]
    fn plain_weights_are_those_of_the_collection_and_smooth_ones_are_never_zero() {
        let mut counts = Counts::default();
        counts.add([5, 7]);
        counts.add([7]);
        for word in [5, 7, 9] {
            let weight = |idf: Idf| idf.weight(&counts, counts.df(word));
            assert!((weight(Idf::Plain) - counts.idf(word)).abs() < f64::EPSILON);
            assert!(weight(Idf::Smooth) > 0.5);
        }
        assert!(Idf::Plain.weight(&Counts::default(), 0).abs() < f64::EPSILON);
    }

    #[test]
    fn a_word_that_comes_again_counts_once_at_its_first_place() {
        let mut counts = Counts::default();
        counts.add([5, 7]);
        counts.add([7]);
        let found = distinct(&[7, 5, 7, 9], &counts);
        let expected =
            [(5, 1, 1), (7, 2, 0), (9, 1, 3)].map(|(hash, df, at)| Term { hash, df, at });
        assert_eq!(found, expected);
    }
}
