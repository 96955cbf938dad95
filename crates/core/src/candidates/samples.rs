//! Samples: candidates are documents that share sampled word runs. The default method uses this.
//!
//! A long document keeps a sample of its word runs, a shorter one a larger sample, which holds the
//! other, and a short one keeps all of them; the kept runs are the keys of the document. Two documents
//! are candidates if they have enough keys in common, as a share of the smaller image, or a few keys of
//! one passage. Documents of only a few runs are also looked up in all runs of the long documents
//! ([`probe`](super::probe)).
//!
//! # What it may miss
//! It may miss a pair that shares too few sampled runs (two long documents must share enough of
//! them in one part of the document that asks), and a passage of which every sampled run stands in
//! more than [`SHORT_LIST`] documents before the asker. A run that
//! stands in more than `stop` documents before the asker adds no candidates, unless the asker
//! consists mostly of such runs. A search that would read more than `most_reads` postings reads
//! only every n-th of the longer posting lists. Both limits are counted in [`Cuts`](super::Cuts). A
//! run is identified by 40 bits of its hash; two different runs that agree in them cost one
//! needless comparison of two documents.
//!
//! Where passages are not wanted, two documents that keep all their runs must have as many in common
//! as a containment needs, which misses nothing; sampled ones at least a third of what makes them
//! candidates by their share alone, which may miss a pair in theory ([`Samples`] says how far from it
//! such pairs are).

use super::Judgement;
use super::lists::KEY_BITS;
use super::meeting::{Common, Limits, Meeting, Met, SHORT_LIST, SeenKeys, Weighed};
use super::probe::CodeSet;
use crate::encode::{Encoded, Input, encoded_fields, put_ascending, put_number};
use crate::hash;

/// How candidates are chosen.
#[derive(Clone, Copy, Debug)]
pub struct Voting {
    /// Share of a document's runs that must be shared: the threshold of the relation. Where both
    /// documents keep all their runs it is applied as it stands.
    pub share: f64,
    /// Smallest share of a sample that must be shared where one of the documents keeps no more.
    /// It lies below `share`: edits move samples.
    pub least: f64,
    /// Shared runs that make a candidate of two sampled documents whatever the share: a passage. One
    /// fewer is enough, but two, if a document keeps all its runs or at most [`FEW_KEYS`].
    pub passage_votes: u32,
    /// Shared runs of a passage as a share of the smaller sample; the larger limit applies.
    pub passage_share: f64,
    /// Shared runs that must lie in one place of a long document, as a share of the smaller
    /// sample.
    pub place_share: f64,
    /// Shared runs of a passage where both documents keep all their runs.
    pub passage_votes_whole: u32,
    /// Documents that may hold a run before it brings nobody in.
    pub stop: usize,
    /// Share of a document's runs that must be common before the shortest common list is read.
    pub mostly_common: f64,
    /// Entries of longer lists that one search reads.
    pub most_reads: usize,
    /// Images that one search looks at.
    pub most_looks: usize,
    /// Candidates one document may have.
    pub most_candidates: usize,
}

/// The image: the kept runs of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "a sample is part of what a short document keeps")]
pub struct Sample {
    /// The first [`KEY_BITS`] bits of each kept run, ascending and each once.
    keys: Vec<u64>,
    /// In which part of the document each key stands first, if the sample is large.
    parts: Vec<u8>,
    /// Runs that the sample of a long document would have, about; the others are there because the
    /// document is shorter.
    n_sample: u32,
    is_whole: bool,
    /// Whether the document is so short that it is looked up in all runs of others.
    is_tiny: bool,
    /// All runs of a long document, for tiny ones to be found in.
    runs: Option<CodeSet>,
}

/// Returns a run's hash with its bits spread: kept hashes are small ones, as they were minima.
#[inline]
pub fn spread(run: u64) -> u64 {
    run.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Sampled runs of a document whose passages have a place.
const LEAST_PLACED: usize = 512;
/// Parts of a long document, and the fewest sampled runs of a part.
const MOST_PARTS: usize = 100;
const LEAST_IN_PART: usize = 64;

impl Sample {
    /// Makes the image of a long document from its sampled runs, spread and in order, and all of its
    /// runs, spread and ascending, if tiny documents are to be found in it.
    pub fn of_long(mut sample: Vec<u64>, runs: Option<&[u64]>) -> Self {
        let mut parts = Vec::new();
        if sample.len() < LEAST_PLACED {
            shorten(&mut sample);
        } else {
            // Sorted with its part below it, the first one of a key stays.
            let n = sample.len();
            let n_parts = (n / LEAST_IN_PART).min(MOST_PARTS);
            for (i, run) in sample.iter_mut().enumerate() {
                *run = *run >> (64 - KEY_BITS) << (64 - KEY_BITS) | (i * n_parts / n) as u64;
            }
            hash::sort(&mut sample, &mut Vec::new());
            sample.dedup_by_key(|run| *run >> (64 - KEY_BITS));
            parts = sample.iter().map(|&run| run as u8).collect();
            for run in &mut sample {
                *run >>= 64 - KEY_BITS;
            }
        }
        let n_sample = sample.len() as u32;
        let runs = runs.map(CodeSet::new);
        Self { keys: sample, parts, n_sample, is_whole: false, is_tiny: false, runs }
    }

    /// Makes the image of a document of middle length from its sampled runs, spread and in order;
    /// `n_sample` of them, about, would be in the sample of a longer document. Otherwise like
    /// [`Sample::of_long`].
    pub fn of_dense(sample: Vec<u64>, n_sample: usize, runs: Option<&[u64]>) -> Self {
        let image = Self::of_long(sample, runs);
        // One fewer than it keeps, so that it is known from a long one.
        let n_sample = n_sample.min(image.keys.len().saturating_sub(1)) as u32;
        Self { n_sample, ..image }
    }

    /// Makes the image of a short document from all of its runs, spread; `n_sample` of them are
    /// in its sample.
    pub fn of_short(mut runs: Vec<u64>, n_sample: usize, is_tiny: bool) -> Self {
        shorten(&mut runs);
        let n_sample = n_sample.min(runs.len()) as u32;
        Self { keys: runs, parts: Vec::new(), n_sample, is_whole: true, is_tiny, runs: None }
    }

    /// Returns the number of keys in common, or any number from `enough` on.
    fn n_common(&self, other: &Self, enough: usize) -> usize {
        let (mut one, mut two) = (&self.keys[..], &other.keys[..]);
        let mut n = 0;
        while n < enough && n + one.len().min(two.len()) >= enough {
            for _ in 0..16 {
                let (Some(x), Some(y)) = (one.first(), two.first()) else { break };
                n += usize::from(x == y);
                (one, two) = (&one[usize::from(x <= y)..], &two[usize::from(y <= x)..]);
            }
        }
        n
    }
}

/// Sorts hashes and keeps the first bits of each, once.
fn shorten(hashes: &mut Vec<u64>) {
    hash::sort(hashes, &mut Vec::new());
    for hash in hashes.iter_mut() {
        *hash >>= 64 - KEY_BITS;
    }
    hashes.dedup();
}

impl Encoded for Sample {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(
            u8::from(self.is_whole)
                | u8::from(self.is_tiny) << 1
                | u8::from(self.runs.is_some()) << 2
                | u8::from(!self.parts.is_empty()) << 3,
        );
        out.reserve(16 + self.keys.len() * KEY_BITS.div_ceil(8) as usize + self.parts.len());
        put_number(u64::from(self.n_sample), out);
        put_ascending(&self.keys, KEY_BITS, out);
        out.extend_from_slice(&self.parts);
        if let Some(runs) = &self.runs {
            runs.encode(out);
        }
    }

    fn decode(input: &mut Input<'_>) -> Option<Self> {
        let flags = *input.take(1)?.first()?;
        let n_sample = u32::try_from(input.number()?).ok()?;
        let keys = input.ascending(KEY_BITS)?;
        let parts = if flags & 8 != 0 { input.take(keys.len())?.to_vec() } else { Vec::new() };
        let runs = if flags & 4 != 0 { Some(CodeSet::decode(input)?) } else { None };
        let (is_whole, is_tiny) = (flags & 1 != 0, flags & 2 != 0);
        Some(Self { keys, parts, n_sample, is_whole, is_tiny, runs })
    }
}

/// What a run that few documents have adds to the votes beside: counted apart, above the others.
const RARE: u64 = 1 << 21;
/// Documents before the asker up to which a run counts twice as rare: two of them are enough for a passage of
/// documents of middle length, of which a few runs are sampled alike.
const VERY_SHORT_LIST: usize = 4;
/// What a run adds that too many documents have: it counts for shares, and proves no passage.
const COMMON: u64 = 1 << 42;

/// Keys of a document that is short enough for its passages to have few of them.
pub const FEW_KEYS: u32 = 40;

/// Sizes of an image.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes {
    n_keys: u32,
    n_sample: u32,
    is_whole: bool,
}

encoded_fields!(Sizes { n_keys, n_sample, is_whole });

impl Sizes {
    /// Returns whether it is the sample of a long document.
    fn is_sparse(&self) -> bool {
        !self.is_whole && self.n_sample == self.n_keys
    }

    /// Returns the number of keys that a long document would have, too.
    fn n_comparable(&self) -> usize {
        if self.is_sparse() { self.n_keys as usize } else { self.n_sample as usize }
    }
}

/// Samples that meet in shared runs.
///
/// Without passages, sampled documents that share less than a tenth of the smaller sample, by the
/// default parameters, are not compared. Of two documents one of which holds 0.6 of the other, edits all
/// over leave half of the samples equal, and never less than 0.19 in some 30,000 that were made.
#[derive(Clone, Copy, Debug)]
pub struct Samples {
    voting: Voting,
    /// Share of the runs [needed](Self::needed) that a passage must have at least: 0 if passages are
    /// looked for.
    least_of_needed: f64,
}

/// Share of the runs needed below which two sampled documents are not looked at where passages are not
/// wanted. With the default parameters that is a tenth of the smaller sample.
///
/// No bound can be proved, as an edit moves samples: stretches of seven equal runs with one word put in
/// after each leave 0.63 of a document in another, and no window of eight runs is the same. But the
/// smallest run of a stretch is mostly kept on both sides all the same. Documents of which 0.6 to 0.68
/// stands in the other, by words replaced or put in at random or evenly, share 0.52 to 0.59 of their
/// samples on average, and of some 30,000 made ones none less than 0.19
/// (`tests::what_stands_in_another_shares_more_than_a_third_of_what_is_needed`). And `bench/dedup` finds no
/// document of the development sets that is decided otherwise than by looking at all of them.
const LEAST_OF_NEEDED: f64 = 1.0 / 3.0;

/// How much wider the limits are where documents that are gone answer nobody. They are counted over
/// documents by preference then, of which those that hold most stand first, not by their coming; with
/// limits as narrow, three documents of the Congressional Record found a weaker reason for a review.
const WIDER_IN_TURNS: usize = 4;

impl Samples {
    /// Makes the meeting of samples.
    pub fn new(voting: Voting) -> Self {
        Self { voting, least_of_needed: 0.0 }
    }

    /// Returns the shared runs that make a candidate, by share and of a passage.
    fn needed(&self, one: &Sizes, other: &Sizes) -> (u64, u64) {
        let Voting { share, least, passage_votes, passage_share, passage_votes_whole, .. } =
            self.voting;
        let smaller = one.n_keys.min(other.n_keys) as usize;
        if one.is_whole && other.is_whole {
            let needed = part(smaller, 0.99 * share);
            return (needed.max(1) as u64, u64::from(passage_votes_whole));
        }
        // Of unlike samples, what is common can be only what the sparser one keeps.
        let is_like = one.is_sparse() == other.is_sparse() && one.is_whole == other.is_whole;
        let comparable =
            if is_like { smaller } else { one.n_comparable().min(other.n_comparable()) };
        let needed = part(comparable, least);
        let is_short = one.is_whole || other.is_whole || smaller <= FEW_KEYS as usize;
        let passage = if is_short { (passage_votes - 1).max(2) } else { passage_votes };
        let passage = passage.max(part(smaller, passage_share) as u32);
        (needed.max(1) as u64, u64::from(passage))
    }
}

/// Returns the things that stay.
fn kept<T: Copy>(things: &[T], stays: &[bool]) -> Vec<T> {
    things.iter().zip(stays).filter(|(_, stays)| **stays).map(|(thing, _)| *thing).collect()
}

/// Returns the whole part of a share of `n`.
#[expect(clippy::cast_sign_loss, reason = "shares are not negative")]
fn part(n: usize, share: f64) -> usize {
    (n as f64 * share) as usize
}

impl Meeting for Samples {
    type Image = Sample;
    type Payload = ();
    type Facts = Sizes;
    const PROBES: bool = true;
    const CROWDS: bool = true;
    const REMADE: bool = true;

    fn facts(&self, image: &Sample) -> Sizes {
        let Sample { n_sample, is_whole, .. } = *image;
        Sizes { n_keys: image.keys.len() as u32, n_sample, is_whole }
    }

    fn keys(&self, image: &Sample, mut each: impl FnMut(u64, ())) {
        for &key in &image.keys {
            each(key << (64 - KEY_BITS), ());
        }
    }

    fn n_asked(&self, facts: &Sizes) -> u32 {
        facts.n_keys
    }

    fn limits(&self) -> Limits {
        let Voting { stop, mostly_common, most_reads, most_looks, most_candidates, .. } =
            self.voting;
        Limits {
            stop,
            common: Common::Skip(mostly_common),
            most_reads,
            most_looks,
            most_partners: most_candidates,
        }
    }

    fn list_vote(&self, n: usize) -> u64 {
        if n <= VERY_SHORT_LIST {
            2 * RARE
        } else if n <= SHORT_LIST {
            RARE
        } else {
            0
        }
    }

    fn common_vote(&self, _: u64) -> u64 {
        COMMON
    }

    fn weigh(&self, asker: &Sizes, other: &Sizes, met: Met) -> Weighed {
        let (needed, passage) = self.needed(asker, other);
        let (n_common, n_rare, votes) =
            (met.votes / COMMON, met.votes / RARE % RARE, met.votes % RARE);
        // Where no passages are wanted, documents that keep all their runs have as many in common as
        // they need, or are of no use.
        let is_exact = self.least_of_needed > 0.0 && asker.is_whole && other.is_whole;
        // A run that few documents have counts three times for a passage, or five times if very few
        // have it, and there must be one:
        // what is made of common runs alone is a formula, not a copy of one by the other.
        let is_passage = n_rare > 0
            && !is_exact
            && votes + 2 * n_rare >= passage.saturating_mul(3)
            && (votes + n_common) as f64 >= self.least_of_needed * needed as f64;
        if votes + n_common >= needed {
            Weighed::Yes(Judgement::UNKNOWN)
        } else if is_passage {
            let smaller = asker.n_keys.min(other.n_keys) as usize;
            let is_long = !asker.is_whole && !other.is_whole && smaller >= LEAST_PLACED;
            if is_long { Weighed::IfTogether } else { Weighed::Yes(Judgement::UNKNOWN) }
        } else if votes + n_common + u64::from(met.n_unread).min(2 * (votes + n_common)) >= needed {
            // Which lists are read depends on their keys alone, so those that were not read hold about
            // the same share of common runs.
            Weighed::Look
        } else {
            Weighed::No
        }
    }

    fn parts(&self, image: &Sample) -> Vec<(u64, u8)> {
        image.keys.iter().copied().zip(image.parts.iter().copied()).collect()
    }

    fn is_together(&self, asker: &Sizes, other: &Sizes, n: u32, counted: f64) -> bool {
        let smaller = asker.n_keys.min(other.n_keys) as usize;
        n as usize >= part(smaller, self.voting.place_share * counted)
    }

    fn judge(&self, asker: &Sample, other: &Sample, _: Met) -> Option<Judgement> {
        let (needed, _) = self.needed(&self.facts(asker), &self.facts(other));
        let is_enough = asker.n_common(other, needed as usize) >= needed as usize;
        is_enough.then_some(Judgement::UNKNOWN)
    }

    fn codes(&self, image: &Sample) -> Vec<u64> {
        if image.is_tiny {
            image.keys.iter().map(|key| key << (64 - KEY_BITS)).collect()
        } else {
            Vec::new()
        }
    }

    fn code_set<'a>(&self, image: &'a Sample) -> Option<&'a CodeSet> {
        image.runs.as_ref()
    }

    fn is_looked_into(&self, facts: &Sizes) -> bool {
        facts.n_keys > 0 && !facts.is_whole
    }

    fn least_codes(&self, n: usize) -> usize {
        // All but what may be missing, and at least one; the addend is for shares like 0.9.
        n - part(n, 1.0 - self.voting.share + 1e-9).min(n)
    }

    fn unseen(&self, image: &Sample, seen: &mut SeenKeys) -> Option<Sample> {
        let is_new: Vec<bool> = image.keys.iter().map(|&key| seen.is_new(key)).collect();
        let keys = kept(&image.keys, &is_new);
        let parts = kept(&image.parts, &is_new);
        let runs = image.runs.as_ref().map(|runs| runs.unseen(seen));
        let runs = runs.filter(|runs| !runs.is_empty());
        let is_nothing = keys.is_empty() && runs.is_none();
        let n_sample = image.n_sample.min(keys.len() as u32);
        (!is_nothing).then_some(Sample { keys, parts, n_sample, runs, ..*image })
    }

    fn without_passages(self) -> Self {
        Self { least_of_needed: LEAST_OF_NEEDED, ..self }
    }

    fn in_turns(self) -> Self {
        let Voting { stop, most_reads, .. } = self.voting;
        let wider = |limit: usize| limit.saturating_mul(WIDER_IN_TURNS);
        let voting = Voting { stop: wider(stop), most_reads: wider(most_reads), ..self.voting };
        Self { voting, ..self.without_passages() }
    }

    fn units(&self, image: &Sample) -> Option<Vec<u64>> {
        Some(image.keys.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::Cuts;
    use super::super::both::{found_by_all, ordinals};
    use super::*;
    use crate::encode::{from_bytes, to_bytes};
    use crate::features::shingles::Shingles;
    use crate::hash::{Random, mix};
    use crate::image::winnow::Winnow;

    /// Returns the different runs of words, and those of the sample.
    fn runs_and_sample(words: &[u64]) -> [BTreeSet<u64>; 2] {
        let (mut runs, mut sample) = (BTreeSet::new(), BTreeSet::new());
        let mut winnow = Winnow::new(8);
        Shingles::new(5).each(words, |run| {
            runs.insert(run);
            winnow.push(run, |kept| {
                sample.insert(kept);
            });
        });
        [runs, sample]
    }

    #[test]
    fn what_stands_in_another_shares_more_than_a_third_of_what_is_needed() {
        let mut random = Random::new(17);
        let meeting = Samples::new(Voting { least: 0.3, ..voting() });
        let mut n_made = 0;
        for number in 0..900 {
            let n = [70, 100, 200, 400][number % 4];
            let words: Vec<u64> = (0..n).map(|_| random.next_u64()).collect();
            let mut edited = words.clone();
            match number % 3 {
                // As many words as leave 0.6: replaced, put in at random, or put in evenly.
                0 => (0..n / 10).for_each(|_| edited[random.below(n)] = random.next_u64()),
                1 => (0..n / 9).for_each(|_| edited.insert(random.below(n), random.next_u64())),
                _ => (0..n / 11).for_each(|i| edited.insert(i * 12 + 7, random.next_u64())),
            }
            let [runs, sample] = runs_and_sample(&words);
            let [others, other_sample] = runs_and_sample(&edited);
            let share = runs.intersection(&others).count() as f64 / runs.len() as f64;
            if !(0.6..0.68).contains(&share) {
                continue;
            }
            n_made += 1;
            let sizes = |sample: &BTreeSet<u64>| Sizes {
                n_keys: sample.len() as u32,
                n_sample: sample.len() as u32,
                is_whole: false,
            };
            let (needed, _) = meeting.needed(&sizes(&sample), &sizes(&other_sample));
            let n_common = sample.intersection(&other_sample).count();
            assert!(n_common as f64 >= LEAST_OF_NEEDED * needed as f64, "{n_common} of {needed}");
        }
        assert!(n_made > 300, "{n_made}");
    }

    fn voting() -> Voting {
        Voting {
            share: 0.6,
            least: 0.25,
            passage_votes: 4,
            passage_share: 0.006,
            place_share: 0.004,
            passage_votes_whole: 30,
            stop: 1000,
            mostly_common: 0.5,
            most_reads: 50_000,
            most_looks: 4_000,
            most_candidates: 1000,
        }
    }

    fn runs(range: impl IntoIterator<Item = u64>) -> Vec<u64> {
        let mut runs: Vec<u64> = range.into_iter().map(mix).collect();
        runs.sort_unstable();
        runs
    }

    fn long(range: impl IntoIterator<Item = u64>) -> Sample {
        Sample::of_long(range.into_iter().map(mix).collect(), None)
    }

    fn found(voting: Voting, images: &[Sample]) -> (Vec<Vec<u32>>, Cuts) {
        let (found, cuts) = found_by_all(|| Samples::new(voting), images, None);
        (ordinals(&found), cuts)
    }

    #[test]
    fn an_image_comes_back_as_it_was() {
        let all = runs(0..2000);
        let images = [
            long(0..100),
            long(0..3000),
            Sample::of_long(all.iter().copied().step_by(5).collect(), Some(&all)),
            Sample::of_short(runs(5..9), 1, true),
            Sample::of_short(runs(5..60), 12, false),
        ];
        for image in images {
            assert_eq!(from_bytes::<Sample>(&to_bytes(&image)), Some(image));
        }
    }

    #[test]
    fn documents_that_share_features_are_found_once() {
        let (found, cuts) = found(voting(), &[long(0..100), long(0..100), long(200..300)]);
        assert_eq!(found, [vec![], vec![0], vec![]]);
        assert_eq!(cuts, Cuts::default());
    }

    #[test]
    fn a_small_document_finds_the_large_one_that_holds_it_and_the_reverse() {
        let (small, large) = (long(500..520), long(0..10_000));
        assert_eq!(found(voting(), &[large.clone(), small.clone()]).0[1], [0]);
        assert_eq!(found(voting(), &[small, large]).0[1], [0]);
    }

    #[test]
    fn a_short_document_meets_short_ones_by_all_and_long_ones_by_their_sample() {
        let images = [
            long((0..4).chain(100..400)),
            Sample::of_short(runs(0..20), 4, false),
            Sample::of_short(runs((10..20).chain(50..54)), 4, false),
        ];
        assert_eq!(found(voting(), &images).0, [vec![], vec![0], vec![1]]);
    }

    #[test]
    fn long_documents_share_a_passage_if_the_shared_runs_lie_together() {
        let n = 20_000;
        let other = long(1_000_000..1_000_000 + n);
        // One percent of the runs in one place, and all over.
        let together = long((0..n).map(|i| if i / 200 == 40 { 1_000_000 + i } else { i }));
        let scattered = long((0..n).map(|i| if i % 100 == 40 { 1_000_000 + i } else { i + n }));
        for images in [[&other, &together, &scattered], [&together, &scattered, &other]] {
            let (found, _) = found(voting(), &images.map(Clone::clone));
            let n_found: usize = found.iter().map(Vec::len).sum();
            assert_eq!(n_found, 1, "{found:?}");
        }
    }

    #[test]
    fn a_tiny_document_is_found_between_the_samples_of_a_long_one_before_and_after_it() {
        let all = runs(0..2000);
        let sampled = all.iter().copied().step_by(5).collect::<Vec<_>>();
        let large = Sample::of_long(sampled, Some(&all));
        let tiny = |range: std::ops::Range<u64>| Sample::of_short(runs(range), 1, true);
        let other = Sample::of_long(runs(5000..5100), Some(&runs(5000..6000)));
        let images =
            [tiny(1001..1004), large, tiny(1002..1003), tiny(1998..2003), other, tiny(1999..2003)];
        assert_eq!(found(voting(), &images).0[1], [0]);
        assert_eq!(found(voting(), &images).0[2][..], [0, 1][..]);
        assert!(!found(voting(), &images).0[5].contains(&1), "one run of four is not enough");
    }

    #[test]
    fn a_code_of_very_many_documents_counts_for_the_first_and_is_counted() {
        let limited = Voting { stop: 5, ..voting() };
        let tiny = || Sample::of_short(runs(7..8), 1, true);
        let holder = |i: u64| {
            let all = runs((0..100).chain(1000 * (i + 1)..1000 * (i + 1) + 100));
            Sample::of_long(runs(1000 * (i + 1)..1000 * (i + 1) + 30), Some(&all))
        };
        let mut images: Vec<Sample> = (0..9).map(holder).collect();
        images.push(tiny());
        let (found, cuts) = found(limited, &images);
        assert_eq!(found[9], [0, 1, 2, 3, 4]);
        assert_eq!(cuts.n_stop_features, 1);
    }

    #[test]
    fn a_footer_in_every_document_brings_nobody_in() {
        let limited = Voting { stop: 50, ..voting() };
        let footer = 1u64 << 40..(1 << 40) + 40;
        let image = |i: u64| long((i * 1000..i * 1000 + 60).chain(footer.clone()));
        let images: Vec<Sample> = (0..300).map(image).collect();
        let (found, cuts) = found(limited, &images);
        assert!(found[51..].iter().all(Vec::is_empty));
        assert_eq!(cuts.n_stop_features, 40 * 249);
    }

    #[test]
    fn a_document_of_nothing_but_common_runs_still_finds_the_first() {
        let limited = Voting { stop: 5, ..voting() };
        let images: Vec<Sample> = (0..20).map(|_| long(0..50)).collect();
        let (found, cuts) = found(limited, &images);
        assert_eq!(found[19], [0, 1, 2, 3, 4]);
        assert!(cuts.n_searches_cut > 0);
    }

    #[test]
    fn a_search_that_would_read_too_much_is_thinned_alike_in_all_engines() {
        let limited = Voting { most_reads: 500, ..voting() };
        let images: Vec<Sample> =
            (0..120).map(|i| long((0..60).chain(i * 1000..i * 1000 + 20))).collect();
        let (found, cuts) = found(limited, &images);
        assert!(cuts.n_searches_cut > 50);
        assert_eq!(found[119].len(), 119, "what was not read is looked up in the images");
    }

    #[test]
    fn a_document_with_too_many_candidates_keeps_the_best_and_counts_the_rest() {
        let limited = Voting { most_candidates: 5, ..voting() };
        let images: Vec<Sample> = (0..20).map(|_| long(0..50)).collect();
        let (found, cuts) = found(limited, &images);
        assert!(cuts.n_candidates_cut > 0);
        assert!(found[1..].iter().all(|partners| partners[0] == 0), "all still meet the first");
    }
}
