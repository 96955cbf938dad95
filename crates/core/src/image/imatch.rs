//! I-Match: the words of a document that say most, as one digest.
//!
//! Which words those are is a [`Choice`] by rarity in the collection. They are sorted and hashed,
//! so neither order nor repetition counts, and one word more or less changes everything.
//! [`Lexicons`] soften that: the same choice is made again among random parts of all words, and a
//! change that falls into the part that is left out does no harm.

use super::digest::{Sha1Digest, digest};
use super::terms::{Term, rarest_first};
use crate::features::counts::Counts;
use crate::hash;

/// Which words make the signature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Choice {
    /// The rarest, after some still rarer ones: those are often misspelt.
    Rarest {
        /// Words left out, the rarest of all.
        drop: usize,
        /// Words taken.
        take: usize,
    },
    /// Those of middling rarity.
    Interval {
        /// Smallest idf.
        low: f64,
        /// Largest idf.
        high: f64,
    },
    /// Those between two tails: the rare words, by how many documents hold them, and the common
    /// ones, by idf.
    Tails {
        /// Documents that must hold a word.
        min_df: u32,
        /// Smallest idf.
        min_idf: f64,
    },
}

impl Choice {
    /// Returns the chosen words, ascending; the terms are reordered. `word` gives the word of a
    /// term.
    pub fn words(
        self,
        terms: &mut [Term],
        counts: &Counts,
        mut word: impl FnMut(&Term) -> String,
    ) -> Vec<String> {
        let mut words: Vec<String> = match self {
            Self::Rarest { drop, take } => {
                let n = rarest_first(terms, drop.saturating_add(take), &mut word);
                terms[drop.min(n)..n].iter().map(&mut word).collect()
            }
            Self::Interval { low, high } => terms
                .iter()
                .filter(|term| (low..=high).contains(&counts.idf(term.hash)))
                .map(&mut word)
                .collect(),
            Self::Tails { min_df, min_idf } => terms
                .iter()
                .filter(|term| term.df >= min_df && counts.idf(term.hash) >= min_idf)
                .map(&mut word)
                .collect(),
        };
        words.sort_unstable();
        words
    }
}

/// Returns the smallest idf such that at least the share `quantile` of the collection's distinct
/// words have this idf or a lower one; 0 if there are no words.
pub fn idf_quantile(counts: &Counts, quantile: f64) -> f64 {
    let mut words = counts.iter_sorted();
    if words.is_empty() {
        return 0.0;
    }
    #[expect(clippy::cast_sign_loss, reason = "quantiles are not negative")]
    let rank = (quantile * words.len() as f64).ceil() as usize;
    let at = rank.clamp(1, words.len()) - 1;
    // Idf ascends as the frequency descends.
    let (_, chosen, _) = words.select_nth_unstable_by_key(at, |word| std::cmp::Reverse(word.1));
    counts.idf(chosen.0)
}

/// Random parts of all words: number 0 is the whole, each of the others lacks some.
#[derive(Clone, Copy, Debug)]
pub struct Lexicons {
    seed: u64,
    n: u32,
    removed: u64,
}

impl Lexicons {
    /// Draws `n` lexicons beside the whole one; each lacks a word with probability `removed`.
    pub fn new(n: u32, removed: f64, seed: u64) -> Self {
        #[expect(clippy::cast_sign_loss, reason = "a probability is not negative")]
        let removed = (removed.clamp(0.0, 1.0) * u64::MAX as f64) as u64;
        Self { seed, n, removed }
    }

    fn holds(self, lexicon: u32, hash: u64) -> bool {
        let drawn = || hash::mix(hash ^ hash::mix(self.seed ^ u64::from(lexicon)));
        lexicon == 0 || drawn() >= self.removed
    }

    /// Returns a signature for each lexicon that leaves the choice a word, with its number.
    pub fn signatures(
        self,
        terms: &[Term],
        counts: &Counts,
        choice: Choice,
        separator: &str,
        mut word: impl FnMut(&Term) -> String,
    ) -> Vec<(u32, Sha1Digest)> {
        let mut signatures = Vec::new();
        let mut held = Vec::with_capacity(terms.len());
        for lexicon in 0..=self.n {
            held.clear();
            held.extend(terms.iter().filter(|term| self.holds(lexicon, term.hash)));
            let words = choice.words(&mut held, counts, &mut word);
            if !words.is_empty() {
                signatures.push((lexicon, digest(&words, separator)));
            }
        }
        signatures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S0: Choice = Choice::Rarest { drop: 2, take: 10 };

    /// Terms with the given idf ranks: a larger number is a rarer word.
    fn chosen(choice: Choice, ranks: &[u32]) -> Vec<String> {
        let term = |&rank: &u32| Term { hash: u64::from(rank), df: 100 - rank, at: rank };
        let mut terms: Vec<Term> = ranks.iter().map(term).collect();
        choice.words(&mut terms, &Counts::default(), |term| format!("w{:02}", term.at))
    }

    fn names(ranks: impl Iterator<Item = u32>) -> Vec<String> {
        ranks.map(|rank| format!("w{rank:02}")).collect()
    }

    #[test]
    fn the_signature_is_made_of_the_third_to_twelfth_rarest_words() {
        // T-IM0.
        let all: Vec<u32> = (1..=14).collect();
        assert_eq!(chosen(S0, &all), names(3..=12));
        let with_rarer: Vec<u32> = (1..=15).collect();
        assert_eq!(chosen(S0, &with_rarer), names(4..=13), "a rarer word shifts the choice");
        assert_eq!(chosen(S0, &all[2..]), names(3..=12), "common words do not matter");
    }

    #[test]
    fn few_words_make_a_short_signature_or_none() {
        assert_eq!(chosen(S0, &[1, 2, 3]), names(1..=1));
        assert!(chosen(S0, &[1, 2]).is_empty());
    }

    fn counts() -> Counts {
        // Word w stands in w + 1 of 10 documents.
        Counts::new(10, (0..10).map(|word| (u64::from(word), word + 1)))
    }

    #[test]
    fn the_interval_holds_words_of_middling_rarity_with_both_ends() {
        let counts = counts();
        let (low, high) = (idf_quantile(&counts, 0.2), idf_quantile(&counts, 0.8));
        // By idf ascending the words are 9 8 7 … 0: a fifth of them end with 8, four fifths with 2.
        assert!((low - counts.idf(8)).abs() < f64::EPSILON);
        assert!((high - counts.idf(2)).abs() < f64::EPSILON);
        let mut terms: Vec<Term> =
            (0..10).map(|word| Term { hash: u64::from(word), df: word + 1, at: word }).collect();
        let words =
            Choice::Interval { low, high }.words(&mut terms, &counts, |term| term.at.to_string());
        assert_eq!(words, ["2", "3", "4", "5", "6", "7", "8"]);
        assert!(idf_quantile(&Counts::default(), 0.5).abs() < f64::EPSILON);
    }

    #[test]
    fn between_the_tails_are_words_of_enough_documents_and_of_enough_idf() {
        // Word w stands in w + 1 of 10 documents, one more word in none that was counted.
        let counts = counts();
        let mut terms: Vec<Term> = (0..10)
            .map(|word| Term { hash: u64::from(word), df: word + 1, at: word })
            .chain([Term { hash: 77, df: 1, at: 77 }])
            .collect();
        let mut chosen = |min_df, min_idf| {
            Choice::Tails { min_df, min_idf }
                .words(&mut terms, &counts, |term| term.at.to_string())
                .join(" ")
        };
        assert_eq!(chosen(3, 0.5), "2 3 4 5", "ln(10/6) is 0.51, ln(10/7) is 0.36");
        assert_eq!(chosen(3, 10f64.ln() - 3f64.ln()), "2", "both bounds belong to it");
        assert_eq!(chosen(1, 2.0), "0 77");
    }

    #[test]
    fn some_lexicon_forgives_a_changed_word() {
        let term = |word: u32| Term { hash: hash::mix(u64::from(word)), df: 1, at: word };
        let terms: Vec<Term> = (0..8).map(term).collect();
        let changed: Vec<Term> = (1..9).map(term).collect();
        let signatures = |terms: &[Term], n| {
            let everything = Choice::Rarest { drop: 0, take: 99 };
            Lexicons::new(n, 0.4, 5)
                .signatures(terms, &counts(), everything, "\n", |term| term.at.to_string())
        };
        let n_agree = |n| {
            let other = signatures(&changed, n);
            signatures(&terms, n).iter().filter(|signature| other.contains(signature)).count()
        };
        assert_eq!(n_agree(0), 0);
        assert!(n_agree(30) > 0);
        assert_eq!(signatures(&terms, 30).len(), 31);
    }
}
