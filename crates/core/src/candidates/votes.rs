//! The inverted lists of the default method as a living index: one document after another may
//! come, ask and go.
//!
//! [`inverted`](super::inverted) is the same idea for a whole collection at once, and faster
//! there because it sorts its postings; here every document is a few hash-map entries.
//!
//! # What it may miss
//! A pair that shares no kept feature but those in lists longer than `stop`, which do not vote
//! and are counted. Who is found is a candidate only: its scores are estimates on samples.

use std::collections::HashMap;

use super::index::{Found, Index, Partner};
use super::inverted::{Kept, Voting};
use crate::document::Ordinal;
use crate::hash::Prehashed;
use crate::relation::{Kind, Scores};

/// Marks a posting of a feature that is not in the document's sample.
const REST: u32 = 1 << 31;

/// Lists of documents by kept feature.
#[derive(Debug)]
pub struct Votes {
    voting: Voting,
    lists: HashMap<u64, Vec<u32>, Prehashed>,
    sizes: HashMap<Ordinal, Size>,
    n_postings: usize,
}

/// What is known of an image beside its features.
#[derive(Clone, Copy, Debug)]
struct Size {
    n_sample: u32,
    n_all: u32,
    is_whole: bool,
}

impl Size {
    fn of(image: &Kept) -> Self {
        Self {
            n_sample: distinct(&image.sample).len() as u32,
            n_all: (distinct(&image.sample).len() + distinct(&image.rest).len()) as u32,
            is_whole: image.is_whole,
        }
    }
}

impl Votes {
    /// Makes an empty index.
    pub fn new(voting: Voting) -> Self {
        Self { voting, lists: HashMap::default(), sizes: HashMap::new(), n_postings: 0 }
    }
}

fn distinct(features: &[u64]) -> Vec<u64> {
    let mut out = features.to_vec();
    out.sort_unstable();
    out.dedup();
    out
}

/// Calls `each` with every feature of an image and whether it is beside the sample.
fn each_feature(image: &Kept, mut each: impl FnMut(u64, u32)) {
    for feature in distinct(&image.sample) {
        each(feature, 0);
    }
    for feature in distinct(&image.rest) {
        each(feature, REST);
    }
}

impl Index<Kept> for Votes {
    fn insert(&mut self, ordinal: Ordinal, image: &Kept) {
        assert!(ordinal.0 < REST, "two thousand million documents at most");
        self.sizes.insert(ordinal, Size::of(image));
        each_feature(image, |feature, flag| {
            self.lists.entry(feature).or_default().push(ordinal.0 | flag);
            self.n_postings += 1;
        });
    }

    fn remove(&mut self, ordinal: Ordinal, image: &Kept) {
        self.sizes.remove(&ordinal);
        each_feature(image, |feature, flag| {
            if let Some(list) = self.lists.get_mut(&feature) {
                let before = list.len();
                list.retain(|&doc| doc != ordinal.0 | flag);
                self.n_postings -= before - list.len();
                if list.is_empty() {
                    self.lists.remove(&feature);
                }
            }
        });
    }

    fn ask(&self, image: &Kept, before: Ordinal, found: &mut Found) {
        let asker = Size::of(image);
        // (votes between samples, all votes) by document.
        let mut votes: HashMap<u32, (u32, u32), Prehashed> = HashMap::default();
        each_feature(image, |feature, flag| {
            let Some(list) = self.lists.get(&feature) else { return };
            if list.len() > self.voting.stop {
                found.cuts.n_stop_features += 1;
                return;
            }
            for &posting in list {
                let doc = posting & !REST;
                if doc < before.0 {
                    let (in_samples, all) = votes.entry(doc).or_default();
                    *in_samples += u32::from((posting | flag) & REST == 0);
                    *all += 1;
                }
            }
        });
        let Voting { share, least, passage_votes, passage_share, passage_votes_whole, .. } =
            self.voting;
        found.n_values += votes.len() as u64;
        let start = found.partners.len();
        let mut votes: Vec<(u32, (u32, u32))> = votes.into_iter().collect();
        votes.sort_unstable();
        for (doc, (in_samples, all)) in votes {
            let size = self.sizes[&Ordinal(doc)];
            let (n, n_votes, is_enough) = if asker.is_whole && size.is_whole {
                let n = asker.n_all.min(size.n_all);
                (n, all, f64::from(all) >= share * f64::from(n) || all >= passage_votes_whole)
            } else {
                let n = asker.n_sample.min(size.n_sample);
                let passage = f64::from(passage_votes).max(passage_share * f64::from(n));
                let votes = f64::from(in_samples);
                (n, in_samples, votes >= (least * f64::from(n)).max(1.0) || votes >= passage)
            };
            if is_enough {
                let scores = Scores::of_sets(n as usize, n as usize, n_votes.min(n) as usize);
                let ordinal = Ordinal(doc);
                found.partners.push(Partner { ordinal, kind: Kind::Partial, scores });
            }
        }
        let n_found = found.partners.len() - start;
        let most = self.voting.most_candidates;
        found.cuts.n_candidates_cut += n_found.saturating_sub(most) as u64;
        found.partners.truncate(start.saturating_add(most));
    }

    fn held_bytes(&self) -> usize {
        self.n_postings * size_of::<u32>() + self.lists.len() * 48 + self.sizes.len() * 24
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn votes() -> Votes {
        Votes::new(Voting {
            share: 0.6,
            least: 0.3,
            least_common: 0.5,
            rare: 32,
            passage_votes: 5,
            passage_share: 0.01,
            passage_votes_whole: 30,
            stop: 3,
            most_reads: 1000,
            most_merges: 1000,
            most_candidates: 1000,
        })
    }

    fn image(features: std::ops::Range<u64>) -> Kept {
        Kept { sample: features.collect(), ..Kept::default() }
    }

    fn partners(votes: &Votes, image: &Kept) -> Vec<u32> {
        let mut found = Found::default();
        votes.ask(image, Ordinal(u32::MAX), &mut found);
        found.partners.iter().map(|partner| partner.ordinal.0).collect()
    }

    #[test]
    fn a_removed_document_is_as_if_it_had_never_come() {
        let mut index = votes();
        index.insert(Ordinal(0), &image(0..10));
        index.insert(Ordinal(1), &image(5..15));
        assert_eq!(partners(&index, &image(0..10)), [0, 1]);
        index.remove(Ordinal(0), &image(0..10));
        assert_eq!(partners(&index, &image(0..10)), [1]);
        index.remove(Ordinal(1), &image(5..15));
        assert!(index.lists.is_empty() && index.n_postings == 0);
    }

    #[test]
    fn a_feature_of_many_documents_loses_its_vote_and_is_counted() {
        let mut index = votes();
        (0..4).for_each(|i| index.insert(Ordinal(i), &image(0..1)));
        let mut found = Found::default();
        index.ask(&image(0..1), Ordinal(9), &mut found);
        assert!(found.partners.is_empty());
        assert_eq!(found.cuts.n_stop_features, 1);
    }
}
