//! Close pairs: candidates are documents that share word pairs close together in both.
//!
//! This is how rewritten passages become candidates. The keys are a sample of the word pairs of a document
//! ([`PairSample`]), and each brings along where it stands. Two documents are candidates if, within
//! `CLOSE` content words of both, they share pairs of at least `LEAST_VOTES` votes. A pair that few
//! documents have has more votes: 7 if one document before the asker has it, 6 from two on, 5 from four on
//! and so forth. What documents on one subject share lies scattered, and consists of pairs that many have.
//!
//! # What it may miss
//! It may miss a passage of which too few pairs are left, or whose pairs stand in more than
//! `MOST_DOCUMENTS` documents before the asker: these pairs are not asked, and counted in
//! [`Cuts`](super::Cuts). Both this and the votes of a pair depend on how many documents come before the
//! asker, so a question to a whole collection misses some of the pairs that its documents find one after the
//! other. Of a pair only the first place in a document counts.
//!
//! # Cost
//! About one key for two words, at most `MOST_DOCUMENTS` postings read for each: linear in the text.

use super::Judgement;
use super::lists::KEY_BITS;
use super::meeting::{Common, Limits, Meeting, Met, SeenKeys, Shared, Tag, UNLIMITED, Weighed};
use crate::image::pair_sample::{self, PairSample};

const _: () = assert!(pair_sample::KEY_BITS == KEY_BITS, "the engine uses all bits of a kept pair");

/// Content words that shared pairs may be apart in either document.
///
/// This and the other numbers were chosen on the training pairs of PAN 2013 as one pile of 5,057 documents:
/// 0.95 of the pairs with words replaced and moved at random and 0.97 of the translated ones are
/// candidates, and one candidate in two is a related pair.
const CLOSE: u32 = 32;
/// Votes of shared pairs that lie close together, at least.
const LEAST_VOTES: u64 = 16;
/// Documents before the asker that may have a pair.
const MOST_DOCUMENTS: usize = 63;
/// Candidates one document may have.
const MOST_CANDIDATES: usize = 10_000;

/// Votes of a pair that nobody before the asker has, if somebody had.
const MOST_VOTES: u64 = 8;

/// Marks pairs among the keys that a group of documents has seen: word runs have fewer bits.
const PAIR: u64 = 1 << 63;

/// Where samples of word pairs meet.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClosePairs;

/// Returns the votes of a pair that `n` documents have.
fn votes_of(n: usize) -> u64 {
    MOST_VOTES.saturating_sub(u64::from(usize::BITS - n.leading_zeros())).max(1)
}

impl Meeting for ClosePairs {
    type Image = PairSample;
    type Payload = Tag;
    type Facts = ();
    const CROWDS: bool = true;
    const REMADE: bool = true;

    fn facts(&self, _: &PairSample) {}

    fn keys(&self, image: &PairSample, mut each: impl FnMut(u64, Tag)) {
        for (key, place) in image.pairs() {
            each(key << (64 - KEY_BITS), Tag::both(place));
        }
    }

    fn limits(&self) -> Limits {
        Limits {
            stop: MOST_DOCUMENTS,
            common: Common::Nothing,
            most_reads: UNLIMITED,
            most_looks: 0,
            most_partners: MOST_CANDIDATES,
        }
    }

    fn list_vote(&self, n: usize) -> u64 {
        votes_of(n) - 1
    }

    fn weigh(&self, (): &(), (): &(), met: Met) -> Weighed {
        if met.votes >= LEAST_VOTES { Weighed::IfClose } else { Weighed::No }
    }

    fn is_close(&self, shared: &[Shared<Tag>]) -> bool {
        let apart = |x: Tag, y: Tag| x.value().abs_diff(y.value());
        // Votes of the pairs from `start` to `end`, which are close in the asker.
        let (mut end, mut votes) = (0, 0);
        for (start, first) in shared.iter().enumerate() {
            while end < shared.len() && apart(shared[end].asked, first.asked) <= CLOSE {
                votes += shared[end].votes;
                end += 1;
            }
            if votes >= LEAST_VOTES {
                let close =
                    shared[start..end].iter().filter(|x| apart(x.held, first.held) <= CLOSE);
                if close.map(|x| x.votes).sum::<u64>() >= LEAST_VOTES {
                    return true;
                }
            }
            votes -= first.votes;
        }
        false
    }

    fn judge(&self, asker: &PairSample, other: &PairSample, _: Met) -> Option<Judgement> {
        let mut others = other.pairs().peekable();
        let mut shared = Vec::new();
        for (key, place) in asker.pairs() {
            while others.next_if(|other| other.0 < key).is_some() {}
            if let Some((_, held)) = others.next_if(|other| other.0 == key) {
                let (asked, held) = (Tag::both(place), Tag::both(held));
                shared.push(Shared { asked, held, votes: votes_of(1) });
            }
        }
        shared.sort_unstable_by_key(|x| (x.asked, x.held));
        self.is_close(&shared).then_some(Judgement::UNKNOWN)
    }

    fn unseen(&self, image: &PairSample, seen: &mut SeenKeys) -> Option<PairSample> {
        let unseen = image.only(|key| seen.is_new(key | PAIR));
        (!unseen.is_empty()).then_some(unseen)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cuts;
    use super::super::both::{found_by_all, ordinals};
    use super::*;
    use crate::hash::mix;

    /// Returns the image of a text of words by number; even numbers and odd ones are content words.
    fn image(words: impl IntoIterator<Item = u64>) -> PairSample {
        let forms: Vec<u64> = words.into_iter().map(|word| mix(word) | 1).collect();
        PairSample::new(&forms)
    }

    fn found(images: &[PairSample]) -> (Vec<Vec<u32>>, Cuts) {
        let (found, cuts) = found_by_all(ClosePairs::default, images, None);
        (ordinals(&found), cuts)
    }

    /// Replaces every fourth word, and turns the words of each stretch of six round.
    fn rewritten(words: std::ops::Range<u64>) -> Vec<u64> {
        let mut words: Vec<u64> =
            words.map(|word| if word % 4 == 0 { word + 1_000_000 } else { word }).collect();
        words.chunks_mut(6).for_each(<[u64]>::reverse);
        words
    }

    #[test]
    fn a_rewritten_passage_makes_a_candidate() {
        let source = image(0..500);
        let copy = image((5_000..5_300).chain(rewritten(200..280)).chain(6_000..6_300));
        let stranger = image(8_000..9_000);
        for images in [[&source, &copy, &stranger], [&copy, &stranger, &source]] {
            let (found, cuts) = found(&images.map(Clone::clone));
            assert_eq!(found.iter().map(Vec::len).sum::<usize>(), 1, "{found:?}");
            assert_eq!(cuts, Cuts::default());
            let meeting = ClosePairs;
            assert!(meeting.judge(&source, &copy, Met::default()).is_some());
            assert!(meeting.judge(&source, &stranger, Met::default()).is_none());
        }
    }

    #[test]
    fn pairs_that_lie_scattered_make_none() {
        // Every hundredth word and the one behind it are those of the other text.
        let scattered = (0..6_000).map(|word| if word % 100 < 2 { word } else { word + 50_000 });
        let images = [image(0..6_000), image(scattered)];
        assert!(found(&images).0.iter().all(Vec::is_empty));
    }

    #[test]
    fn pairs_that_very_many_documents_have_are_not_asked() {
        let formula = 1_000..1_060;
        let of = |n: u64| image((n * 10_000..n * 10_000 + 40).chain(formula.clone()));
        let images: Vec<PairSample> = (1..100).map(of).collect();
        let (found, cuts) = found(&images);
        assert_eq!(found[1], [0]);
        assert!(found[70..].iter().all(Vec::is_empty));
        assert!(cuts.n_stop_features >= 30, "what was not asked is told: {cuts:?}");
        assert_eq!(Cuts { n_stop_features: 0, ..cuts }, Cuts::default());
    }

    #[test]
    fn what_a_group_has_seen_is_taken_out() {
        let mut seen = SeenKeys::default();
        assert_eq!(ClosePairs.unseen(&image(0..50), &mut seen), Some(image(0..50)));
        assert_eq!(ClosePairs.unseen(&image(0..50), &mut seen), None);
        let rest = ClosePairs.unseen(&image(20..90), &mut seen).expect("new words");
        assert!(rest.pairs().count() < image(20..90).pairs().count());
    }
}
