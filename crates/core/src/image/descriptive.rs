//! Descriptive words: a few words of the collection, each with a threshold of its own, that give
//! a document one bit each.
//!
//! A bit says whether the word makes up at least a certain share of the document. A word is
//! useful if few documents lie near its threshold, because there one word more or less turns the
//! bit, and if neither too few nor too many documents have the bit.
//!
//! What is needed to choose words and thresholds is counted over the collection: for every word
//! of a document one feature, made of the word and how it stands to all thresholds
//! ([`each_standing`]). All standings of a word lie side by side in the sorted statistics.

use std::collections::HashMap;

use crate::features::counts::Counts;
use crate::hash::{self, Prehashed};

/// The thresholds to choose from: one in so many words.
const ONE_IN: [u64; N_THRESHOLDS] = [512, 256, 128, 64, 32];
const N_THRESHOLDS: usize = 5;

/// Bits of a feature that hold the standing; the others hold the word.
const STANDING: u64 = 0xff;

/// A word that stands in no document; counted once for each, with the standing of 0 occurrences.
const ABSENT: u64 = 0x5d58_8b65_6c07_8900;

/// Documents below which shares say nothing: a word that stands in so many is never too common.
const FEW_DOCUMENTS: u64 = 100;

/// How many of the thresholds a word reaches: with one occurrence less, as it is, and with one
/// more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Standing {
    surely: usize,
    is: usize,
    may: usize,
}

impl Standing {
    fn new(n_times: u64, n_words: u64) -> Self {
        let reached =
            |n: u64| ONE_IN.iter().filter(|&&one_in| n.saturating_mul(one_in) >= n_words).count();
        Self {
            surely: reached(n_times.saturating_sub(1)),
            is: reached(n_times),
            may: reached(n_times.saturating_add(1)),
        }
    }

    fn pack(self) -> u64 {
        const BASE: usize = N_THRESHOLDS + 1;
        ((self.surely * BASE + self.is) * BASE + self.may) as u64
    }

    fn unpack(packed: u64) -> Self {
        const BASE: usize = N_THRESHOLDS + 1;
        let packed = packed as usize;
        Self { surely: packed / BASE / BASE, is: packed / BASE % BASE, may: packed % BASE }
    }
}

/// Calls `each` with every word of a document, ascending, and how often it stands there.
fn each_word(words: &[u64], mut each: impl FnMut(u64, u64)) {
    let mut words: Vec<u64> = words.iter().map(|word| word & !STANDING).collect();
    words.sort_unstable();
    for equal in words.chunk_by(|x, y| x == y) {
        each(equal[0], equal.len() as u64);
    }
}

/// Calls `each` with the features of a document that a lexicon is chosen by, each once.
pub fn each_standing(words: &[u64], mut each: impl FnMut(u64)) {
    let n_words = words.len() as u64;
    if n_words == 0 {
        return;
    }
    each(ABSENT | Standing::new(0, n_words).pack());
    each_word(words, |word, n_times| each(word | Standing::new(n_times, n_words).pack()));
}

/// How a lexicon is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// Words at most.
    pub n_words: usize,
    /// Bits that documents shall have on average: when enough words are chosen.
    pub mean_bits: f64,
    /// Share of the documents that must have a word's bit; two documents at least.
    pub least_share: f64,
    /// Share of the documents that may have a word's bit.
    pub most_share: f64,
}

impl Choice {
    /// Returns whether neither too few nor too many documents have a bit.
    fn fits(self, n_have: u64, n_documents: u64) -> bool {
        let share = |share: f64| share * n_documents as f64;
        n_have >= 2
            && n_have as f64 >= share(self.least_share)
            && (n_have <= FEW_DOCUMENTS || n_have as f64 <= share(self.most_share))
    }
}

/// The chosen words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lexicon {
    /// The number of the threshold of each word.
    thresholds: HashMap<u64, u8, Prehashed>,
}

/// A word with its best threshold.
#[derive(Clone, Copy, Debug)]
struct Chosen {
    word: u64,
    threshold: u8,
    /// Documents that have the bit.
    n_have: u64,
    /// Documents whose bit a changed word may turn, over those that have it.
    unsteady: f64,
}

impl Lexicon {
    /// Chooses words from statistics of the features of [`each_standing`].
    ///
    /// Each word gets the threshold with the fewest documents near it for every document that has
    /// the bit, and words are taken by that number, the steadiest first, until documents have
    /// enough bits.
    pub fn choose(counts: &Counts, choice: Choice) -> Self {
        let features = counts.iter_sorted();
        let n_documents = counts.n_documents();
        let n_absent = absent(&features);
        let mut chosen: Vec<Chosen> = features
            .chunk_by(|x, y| x.0 & !STANDING == y.0 & !STANDING)
            .filter(|of_word| of_word[0].0 & !STANDING != ABSENT)
            .filter_map(|of_word| best(of_word, n_documents, n_absent, choice))
            .collect();
        chosen.sort_unstable_by(|x, y| {
            let by_steadiness = x.unsteady.total_cmp(&y.unsteady);
            by_steadiness.then(y.n_have.cmp(&x.n_have)).then(x.word.cmp(&y.word))
        });
        chosen.truncate(choice.n_words);
        let enough = choice.mean_bits * n_documents as f64;
        let mut n_bits = 0;
        let needed = chosen.iter().take_while(|word| {
            let is_needed = (n_bits as f64) < enough;
            n_bits += word.n_have;
            is_needed
        });
        let n_needed = needed.count();
        chosen.truncate(n_needed);
        Self { thresholds: chosen.into_iter().map(|word| (word.word, word.threshold)).collect() }
    }

    /// Returns the number of words.
    pub fn len(&self) -> usize {
        self.thresholds.len()
    }

    /// Returns whether no word was useful.
    pub fn is_empty(&self) -> bool {
        self.thresholds.is_empty()
    }

    /// Returns the signature of a document, or `None` if it has fewer than `least` bits, or none.
    ///
    /// It stands for the set of bits: documents with the same bits have the same signature.
    pub fn signature(&self, words: &[u64], least: usize) -> Option<u64> {
        let n_words = words.len() as u64;
        let mut n_bits = 0;
        let mut signature = 0;
        each_word(words, |word, n_times| {
            let Some(&threshold) = self.thresholds.get(&word) else { return };
            if n_times.saturating_mul(ONE_IN[usize::from(threshold)]) >= n_words {
                n_bits += 1;
                signature = hash::fold(signature ^ word, 0xd6e8_feb8_6659_fd93);
            }
        });
        (n_bits > 0 && n_bits >= least).then(|| hash::mix(signature))
    }
}

/// Returns for each threshold in how many documents one occurrence of a new word would reach it.
fn absent(features: &[(u64, u32)]) -> [u64; N_THRESHOLDS] {
    let start = features.partition_point(|feature| feature.0 < ABSENT);
    let end = features.partition_point(|feature| feature.0 <= ABSENT | STANDING);
    let mut n_absent = [0; N_THRESHOLDS];
    for &(feature, n) in &features[start..end] {
        let may = Standing::unpack(feature & STANDING).may.min(N_THRESHOLDS);
        n_absent[..may].iter_mut().for_each(|sum| *sum += u64::from(n));
    }
    n_absent
}

/// Returns a word with the threshold that the fewest documents lie near, if one is of use.
fn best(
    of_word: &[(u64, u32)],
    n_documents: u64,
    n_absent: [u64; N_THRESHOLDS],
    choice: Choice,
) -> Option<Chosen> {
    // How likely a new word is this one, in comparison with others: by the documents that have it.
    let df: u64 = of_word.iter().map(|&(_, n)| u64::from(n)).sum();
    let commonness = df as f64 / n_documents.max(1) as f64;
    let mut best = None::<Chosen>;
    for (threshold, &n_absent) in n_absent.iter().enumerate() {
        let (mut n_have, mut n_just_above, mut n_just_below) = (0, 0, 0);
        for &(feature, n) in of_word {
            let standing = Standing::unpack(feature & STANDING);
            let if_so = |is_so: bool| u64::from(n) * u64::from(is_so);
            n_have += if_so(threshold < standing.is);
            n_just_above += if_so(standing.surely <= threshold && threshold < standing.is);
            n_just_below += if_so(standing.is <= threshold && threshold < standing.may);
        }
        if !choice.fits(n_have, n_documents) {
            continue;
        }
        // A bit is lost with any changed occurrence, and won only if a new word is this one.
        let without = n_absent as f64 * (1.0 - commonness).max(0.0);
        let near = n_just_above as f64 + commonness * (n_just_below as f64 + without);
        let unsteady = near / n_have as f64;
        if best.is_none_or(|best| unsteady < best.unsteady) {
            let word = of_word[0].0 & !STANDING;
            best = Some(Chosen { word, threshold: threshold as u8, n_have, unsteady });
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    /// A document of 100 words: the given ones, and words of its own.
    fn document(own: u64, words: &[(u64, usize)]) -> Vec<u64> {
        let mut out: Vec<u64> =
            words.iter().flat_map(|&(word, n)| std::iter::repeat_n(word << 8, n)).collect();
        let n = out.len() as u64;
        out.extend((n..100).map(|i| (own * 1000 + i) << 20));
        out
    }

    fn counts(documents: &[Vec<u64>]) -> Counts {
        let mut counts = Counts::default();
        for words in documents {
            let mut features = Vec::new();
            each_standing(words, |feature| features.push(feature));
            counts.add(features);
        }
        counts
    }

    const ALL: Choice = Choice { n_words: 10, mean_bits: 100.0, least_share: 0.0, most_share: 1.0 };

    #[test]
    fn a_standing_survives_packing() {
        for (n_times, n_words) in [(0, 40), (1, 1), (1, 100), (2, 100), (4, 100), (1, 5000)] {
            let standing = Standing::new(n_times, n_words);
            assert_eq!(Standing::unpack(standing.pack()), standing);
            assert!(standing.surely <= standing.is && standing.is <= standing.may);
        }
        // In 100 words, 2 occurrences are more than one in 64 and fewer than one in 32.
        assert_eq!(Standing::new(2, 100), Standing { surely: 3, is: 4, may: 4 });
    }

    #[test]
    fn the_threshold_lies_where_few_documents_are() {
        // One word stands once or six times in a document, another one, two or three times.
        let documents: Vec<Vec<u64>> = (1..=6)
            .map(|i| {
                let clear = if i <= 3 { 1 } else { 6 };
                document(i, &[(1, clear), (2, 1 + i as usize % 3)])
            })
            .collect();
        let lexicon = Lexicon::choose(&counts(&documents), Choice { n_words: 1, ..ALL });
        // One in 32 is 3.1 of 100 words: nobody is within one word of it.
        assert_eq!(lexicon.thresholds.iter().collect::<Vec<_>>(), [(&(1 << 8), &4)]);
    }

    #[test]
    fn documents_with_the_same_bits_have_the_same_signature() {
        let words = [(1, 3), (2, 4), (3, 5)];
        let documents = [document(1, &words), document(2, &words), document(3, &[(4, 3), (5, 3)])];
        let lexicon = Lexicon::choose(&counts(&documents), ALL);
        assert_eq!(lexicon.len(), 3, "words of one document alone are of no use");
        let signatures = documents.each_ref().map(|words| lexicon.signature(words, 1));
        assert!(signatures[0].is_some() && signatures[0] == signatures[1]);
        assert_eq!(signatures[2], None, "no bit, no signature");
        assert_eq!(lexicon.signature(&documents[0], 4), None, "too few bits");
        // One occurrence less turns no bit.
        let edited = document(7, &[(1, 2), (2, 4), (3, 5)]);
        assert_eq!(lexicon.signature(&edited, 1), signatures[0]);
        assert_ne!(lexicon.signature(&document(8, &words[1..]), 1), signatures[0]);
    }

    #[test]
    fn words_that_too_many_or_too_few_documents_have_are_left_out() {
        let documents: Vec<Vec<u64>> = (0..300)
            .map(|i| {
                let rare = if i < 2 { 3 } else { 0 };
                let half = if i % 2 == 0 { 3 } else { 0 };
                document(i + 1, &[(1, 3), (2, half), (3, rare)])
            })
            .collect();
        let choice = Choice { least_share: 0.02, most_share: 0.6, ..ALL };
        let lexicon = Lexicon::choose(&counts(&documents), choice);
        assert_eq!(lexicon.thresholds.keys().collect::<Vec<_>>(), [&(2 << 8)]);
    }

    #[test]
    fn words_are_chosen_until_documents_have_enough_bits() {
        let documents: Vec<Vec<u64>> = (1..=20)
            .map(|i| document(i, &(1..=8).map(|word| (word, 5)).collect::<Vec<_>>()))
            .collect();
        let n = |mean_bits| Lexicon::choose(&counts(&documents), Choice { mean_bits, ..ALL }).len();
        assert_eq!([n(0.0), n(0.5), n(3.0), n(100.0)], [0, 1, 3, 8]);
    }

    #[test]
    #[expect(clippy::cast_sign_loss, reason = "ranks are positive")]
    fn most_documents_with_a_few_words_changed_keep_their_signature() {
        // Words by Zipf's law, a third of each document from a topic of its own; 3 in 100 words
        // of every tenth document are changed.
        let mut random = hash::Random::new(5);
        // A log-uniform number: its logarithm in steps of 1 %.
        let ranks: Vec<u64> = (0..990)
            .scan(1.0, |rank, _| {
                *rank *= 1.01f64;
                Some(*rank)
            })
            .map(|rank| rank as u64)
            .collect();
        let mut word = || 50 + ranks[random.below(ranks.len())];
        let originals: Vec<Vec<u64>> = (0..1000)
            .map(|_| {
                let topic: Vec<u64> = (0..25).map(|_| word()).collect();
                (0..300)
                    .map(|i| mix(if i % 3 == 0 { topic[i * i / 3 % 25] } else { word() }))
                    .collect()
            })
            .collect();
        let copies: Vec<Vec<u64>> = originals
            .iter()
            .step_by(10)
            .map(|words| {
                let changed = |(i, &old)| if i % 33 == 7 { mix(word()) } else { old };
                words.iter().enumerate().map(changed).collect()
            })
            .collect();
        let documents = [originals.clone(), copies.clone()].concat();
        let choice = Choice { n_words: 3000, mean_bits: 4.0, least_share: 0.0005, most_share: 0.5 };
        let lexicon = Lexicon::choose(&counts(&documents), choice);
        let n_covered = documents.iter().filter(|d| lexicon.signature(d, 1).is_some()).count();
        assert!(n_covered > 900, "{n_covered} of 1100 documents have a signature");
        let signature = |words: &Vec<u64>| lexicon.signature(words, 1);
        let pairs = originals.iter().step_by(10).zip(&copies);
        let n_kept = pairs.filter(|(x, y)| signature(x).is_some() && signature(x) == signature(y));
        let n_kept = n_kept.count();
        assert!(n_kept > 60, "{n_kept} of 100");
    }

    #[test]
    fn nothing_counted_is_an_empty_lexicon() {
        let lexicon = Lexicon::choose(&Counts::default(), ALL);
        assert!(lexicon.is_empty() && lexicon.signature(&[1, 2, 3], 0).is_none());
        each_standing(&[], |_| panic!("an empty document has no words"));
    }
}
