//! Overlap: documents that have features in common, counted in inverted lists.
//!
//! The index holds the lists of all documents taken in; a document asks the lists of its own
//! features, counts who answers how often, and a [`Decision`] says from the counts who is
//! related. Shares are computed from the counts, so they are exact for the features as given.
//!
//! # What it may miss
//! Nothing, unless a limit is set. A search does pass over long lists, but only those that can no
//! longer bring in a document with enough in common (the prefix filter of Chaudhuri, Ganti,
//! Kaushik 2006, here from the rarest lists on and apart for every size of partner); documents
//! found before are still looked up in them. With [`Limits::stop`] a long list brings in only the
//! first documents of each size class, and with [`Limits::most_partners`] the weaker partners are
//! left out; both are counted in [`Cuts`].

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use super::Cuts;
use super::index::{Found, Index, Partner};
use super::postings::{LONG, Listed, Posting, Postings, class};
use crate::document::Ordinal;
use crate::image::feature_set::FeatureSet;
use crate::relation::{Kind, Score, Scores};

/// What is compared with the threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum By {
    /// Common features over the features of both; related documents are near-duplicates.
    Resemblance,
    /// Common features over those of one document, either of the two.
    Containment,
    /// Common features over those of the larger document; related ones are near-duplicates.
    Mutual,
    /// The number of common features; related documents are of this kind.
    Common(Kind),
    /// The weighted share of the asked features, repeats counted (Wang, Chang 2009, formula 3 as
    /// reconstructed: Σ bᵢ·idfᵢ / Σ idfᵢ), of either document.
    Score(Weights),
}

/// What a feature weighs in a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// ln(N / max(df, 1)): N documents in the index, df of them store the feature. Where all
    /// weights are 0, because everybody has everything, features weigh the same.
    Idf,
    /// The same for all.
    Uniform,
}

/// Of which features a containment is the share, where documents store only some of those they
/// ask with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShareOf {
    /// Of those the contained document asks with: how much of a query was found.
    #[default]
    Asked,
    /// Of those stored of the contained document: its sample looked up in all of the other.
    Stored,
}

/// Who is related.
///
/// ```
/// use retold_core::candidates::overlap::Decision;
/// let published = Decision::containment(0.6);
/// let wider = published.strictly().partial_from(30);
/// assert!(wider.is_strict);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// What is compared with the threshold.
    pub by: By,
    /// The threshold: a share, or with [`By::Common`] a number of features.
    pub at_least: f64,
    /// Whether the threshold itself is not enough. The default is false.
    pub is_strict: bool,
    /// Of what containments are the share. The default is the asked features.
    pub share_of: ShareOf,
    /// Common features from which documents that miss the threshold count as partial copies. Those
    /// in lists longer than [`Limits::stop`] do not count here: what many documents have in common
    /// makes none of them a copy of another. The default is never.
    pub partial_from: u32,
    /// Largest difference of the lengths of documents that reach the threshold, as a share of the
    /// shorter. The default is any.
    pub length_within: f64,
}

impl Decision {
    /// Makes the decision that `by` reaches `at_least`.
    pub fn new(by: By, at_least: f64) -> Self {
        Self {
            by,
            at_least,
            is_strict: false,
            share_of: ShareOf::Asked,
            partial_from: u32::MAX,
            length_within: f64::INFINITY,
        }
    }

    /// Related are documents of at least this resemblance.
    pub fn resemblance(at_least: f64) -> Self {
        Self::new(By::Resemblance, at_least)
    }

    /// Related are documents of which one is contained in the other by at least this share.
    pub fn containment(at_least: f64) -> Self {
        Self::new(By::Containment, at_least)
    }

    /// Related, in this way, are documents with at least this number of features in common.
    pub fn common(at_least: u32, kind: Kind) -> Self {
        Self::new(By::Common(kind), f64::from(at_least))
    }

    /// Related are documents of which one has at least this score for the other as a query.
    pub fn score(at_least: f64, weights: Weights) -> Self {
        Self::new(By::Score(weights), at_least)
    }

    /// The threshold itself is not enough.
    #[must_use]
    pub fn strictly(self) -> Self {
        Self { is_strict: true, ..self }
    }

    /// Containments are shares of these features.
    #[must_use]
    pub fn share_of(self, share_of: ShareOf) -> Self {
        Self { share_of, ..self }
    }

    /// Documents below the threshold are partial copies from this number of common features; 0
    /// stands for never.
    #[must_use]
    pub fn partial_from(self, n_common: u32) -> Self {
        Self { partial_from: if n_common == 0 { u32::MAX } else { n_common }, ..self }
    }

    /// Lengths may differ by this share of the shorter one.
    #[must_use]
    pub fn length_within(self, share: f64) -> Self {
        Self { length_within: share, ..self }
    }

    fn is_enough(&self, value: f64) -> bool {
        if self.is_strict { value > self.at_least } else { value >= self.at_least }
    }

    /// Returns the number of features that counts for a document of its shares.
    fn size(&self, image: &FeatureSet) -> u32 {
        match self.share_of {
            ShareOf::Asked => image.len() as u32,
            ShareOf::Stored => image.n_stored() as u32,
        }
    }

    /// Returns the smallest number of common features that can reach the threshold for documents
    /// of these sizes; it does not fall when `n_b` grows.
    fn least_common(&self, n_a: u32, n_b: u32) -> u32 {
        let both = u64::from(n_a) + u64::from(n_b);
        let by_threshold = match self.by {
            By::Containment => self.least_part(u64::from(n_a.min(n_b)), 0),
            By::Mutual => self.least_part(u64::from(n_a.max(n_b)), 0),
            By::Resemblance => self.least_part(both, 1),
            By::Common(_) => self.least_part(1, 0),
            By::Score(_) => 1,
        };
        by_threshold.max(1)
    }

    /// Returns the smallest n with n / (whole - n·times) enough.
    #[expect(clippy::cast_sign_loss, reason = "thresholds are not negative")]
    fn least_part(&self, whole: u64, times: u64) -> u32 {
        let guess = self.at_least * whole as f64 / (1.0 + times as f64 * self.at_least);
        // The guess may be off by rounding; the comparison that decides settles it. A share above
        // 1 is never reached: one step past the whole ends the search.
        let mut n = (guess as u64).saturating_sub(1);
        while n < u64::from(u32::MAX)
            && n <= guess as u64 + 1
            && !self.is_enough(n as f64 / whole.saturating_sub(n * times).max(1) as f64)
        {
            n += 1;
        }
        n.min(u64::from(u32::MAX)) as u32
    }
}

/// Limits of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Documents in a list beyond which it brings in only the first so many of each size class;
    /// those after them are counted if another feature brought them in. Lists of up to 64
    /// documents always bring in all.
    pub stop: usize,
    /// Partners a document may have; those with the largest share in common stay, among equals
    /// the earliest, so that large groups agree on whom to compare with.
    pub most_partners: usize,
}

impl Limits {
    /// No limits.
    pub const NONE: Self = Self { stop: u32::MAX as usize, most_partners: u32::MAX as usize };
    /// Those of the product.
    pub const PRODUCT: Self = Self { stop: 1000, most_partners: 1000 };
}

/// The index.
#[derive(Debug)]
pub struct Overlap {
    decision: Decision,
    limits: Limits,
    postings: Postings,
    documents: Documents,
    /// Changes whenever weights change.
    version: u64,
}

impl Overlap {
    /// Makes an empty index.
    pub fn new(decision: Decision, limits: Limits) -> Self {
        let (postings, documents) = (Postings::default(), Documents::default());
        Self { decision, limits, postings, documents, version: 1 }
    }

    /// Returns the number of documents held.
    pub fn n_documents(&self) -> usize {
        self.documents.n
    }

    /// Returns the number of documents that store a feature.
    pub fn df(&self, feature: u64) -> usize {
        self.postings.of(feature).n_stored()
    }

    fn is_scored(&self) -> bool {
        matches!(self.decision.by, By::Score(_))
    }

    /// Returns the weight of a feature stored by `df` documents, in units of 2^-32: sums of whole
    /// numbers are the same in whatever order lists are read.
    #[expect(clippy::cast_sign_loss, reason = "weights are not negative")]
    fn weight(&self, df: usize) -> u64 {
        match self.decision.by {
            By::Score(Weights::Idf) => {
                let idf = (self.documents.n.max(1) as f64 / df.max(1) as f64).ln().max(0.0);
                (idf * UNITS).round() as u64
            }
            _ => UNITS as u64,
        }
    }

    /// Returns the sum of the weights of all features a document asks with.
    fn total(&self, image: &FeatureSet) -> u64 {
        let each = image.features().iter().enumerate();
        each.map(|(place, &feature)| u64::from(image.times(place)) * self.weight(self.df(feature)))
            .sum()
    }

    /// Counts what the image has in common with everybody before `limit`; returns the weight of
    /// all its features.
    fn count(&self, image: &FeatureSet, limit: Posting, tally: &mut Tally, cuts: &mut Cuts) -> u64 {
        let mut segments = Vec::new();
        let mut total = 0;
        for (place, &feature) in image.features().iter().enumerate() {
            let listed = self.postings.of(feature);
            let is_stored = image.is_stored(place);
            let mut vote = Vote { is_stored, is_rare: true, asked: 0, other: 0 };
            if self.is_scored() {
                vote.other = self.weight(listed.n_stored());
                vote.asked = u64::from(image.times(place)) * vote.other;
                total += vote.asked;
            }
            match listed {
                Listed::Short(list) => {
                    list.iter().take_while(|&&posting| posting < limit).for_each(|&posting| {
                        tally.add(self.documents.slot(posting.ordinal()), posting, vote);
                    });
                }
                Listed::Long(long) => {
                    let first = segments.len();
                    segments.extend(long.classes().filter_map(|(class, list)| {
                        let n = list.partition_point(|&posting| posting < limit);
                        (n > 0).then_some(Segment { class, n, list, vote })
                    }));
                    // Only earlier documents count, so that asking after every document and asking
                    // when all are there give the same.
                    let new = &mut segments[first..];
                    let n: usize = new.iter().map(|segment| segment.n).sum();
                    let is_rare = n <= self.limits.stop.max(LONG);
                    for segment in new {
                        segment.vote.is_rare = is_rare;
                    }
                }
            }
        }
        // Stable: lists of equal length stay in the order of their features.
        segments.sort_by_key(|segment| (segment.class, !segment.vote.is_rare, segment.n));
        for group in segments.chunk_by(|x, y| x.class == y.class) {
            self.count_class(self.decision.size(image), group, tally, cuts);
        }
        total
    }

    /// Counts the documents of one size class in their long lists, rarest first.
    fn count_class(&self, n_a: u32, group: &[Segment], tally: &mut Tally, cuts: &mut Cuts) {
        let (decision, documents) = (&self.decision, &self.documents);
        let class = group[0].class;
        let smallest = 1u32 << class;
        let needed = decision.least_common(n_a, smallest);
        let is_hopeless = needed >= smallest.saturating_mul(2);
        if is_hopeless && decision.partial_from >= smallest.saturating_mul(2) {
            return;
        }
        let n_rare = group.partition_point(|segment| segment.vote.is_rare);
        // A document that is first met in one of the last lists has too little in common.
        let n_new = (group.len() + 1).saturating_sub(needed as usize);
        let n_new_partial = (n_rare + 1).saturating_sub(decision.partial_from as usize);
        let n_read = n_rare.min(n_new.max(n_new_partial));
        let n_known = tally.known.len();
        let mut alive: Vec<u32> = tally.known.clone();
        alive.retain(|&slot| documents.held[slot as usize].class() == class);
        for segment in &group[..n_read] {
            for &posting in segment.list.iter().take(segment.n) {
                tally.add(documents.slot(posting.ordinal()), posting, segment.vote);
            }
        }
        for segment in &group[n_rare.min(n_new)..n_new] {
            cuts.n_stop_features += 1;
            for &posting in segment.list.iter().take(self.limits.stop) {
                tally.know(documents.slot(posting.ordinal()), posting, segment.vote);
            }
        }
        alive.extend(&tally.known[n_known..]);
        for (i, segment) in group.iter().enumerate().skip(n_read) {
            if (i - n_read) % 8 == 0 {
                alive.retain(|&slot| {
                    let n_b = documents.held[slot as usize].n_features;
                    let most = tally.votes(slot) as usize + group.len() - i;
                    let most_rare = tally.slots[slot as usize].rare as usize + n_rare.max(i) - i;
                    most >= decision.least_common(n_a, n_b) as usize
                        || most_rare >= decision.partial_from as usize
                });
            }
            // A search of a list takes some ten to twenty steps.
            if alive.len() < segment.n / 16 {
                for &slot in &alive {
                    let ordinal = documents.ordinal(slot);
                    if let Ok(at) = segment.list.binary_search_by_key(&ordinal, |x| x.ordinal()) {
                        tally.add(slot, segment.list[at], segment.vote);
                    }
                }
            } else {
                for &posting in segment.list.iter().take(segment.n) {
                    let slot = documents.slot(posting.ordinal());
                    if tally.slots[slot as usize].is_known {
                        tally.add(slot, posting, segment.vote);
                    }
                }
            }
        }
    }

    /// Returns the shares of two documents.
    fn scores(&self, image: &FeatureSet, total: u64, slot: u32, tally: &Tally) -> Scores {
        let counts = tally.slots[slot as usize];
        let held = &self.documents.held[slot as usize];
        let (n_a, n_b) = (self.decision.size(image) as usize, held.n_features as usize);
        let (forward, backward) = (counts.forward as usize, counts.backward as usize);
        if let (By::Score(_), Some(scored)) = (self.decision.by, &held.scored) {
            let (forward_weight, mut backward_weight) = tally.weights[slot as usize];
            if scored.image.has_repeats() {
                backward_weight = self.common_weight(&scored.image, image);
            }
            let other_total = scored.total(self.version, || self.total(&scored.image));
            let share = |weight: u64, total: u64, n: usize, whole: usize| {
                let (part, whole) =
                    if total > 0 { (weight, total) } else { (n as u64, whole as u64) };
                at_most_one(part as f64 / whole as f64)
            };
            let a_in_b = share(forward_weight, total, forward, image.len());
            let b_in_a = share(backward_weight, other_total, backward, scored.image.len());
            return estimated(a_in_b, b_in_a);
        }
        let is_plain = held.is_plain && image.len() == image.n_stored();
        match self.decision.share_of {
            _ if is_plain => Scores::of_sets(n_a, n_b, forward),
            ShareOf::Asked => estimated(Score::share(forward, n_a), Score::share(backward, n_b)),
            ShareOf::Stored => estimated(Score::share(backward, n_a), Score::share(forward, n_b)),
        }
    }

    /// Returns the weight of the features of `asker`, with repeats, that `other` stores.
    fn common_weight(&self, asker: &FeatureSet, other: &FeatureSet) -> u64 {
        let mut sum = 0;
        let mut at = 0;
        for (place, &feature) in asker.features().iter().enumerate() {
            while other.features().get(at).is_some_and(|&stored| stored < feature) {
                at += 1;
            }
            if other.features().get(at) == Some(&feature) && other.is_stored(at) {
                sum += u64::from(asker.times(place)) * self.weight(self.df(feature));
            }
        }
        sum
    }

    /// Returns the kind of relation by the threshold.
    fn decide(&self, scores: Scores, votes: u32, length: u32, held: &Held) -> Option<Kind> {
        let decision = &self.decision;
        let (shorter, longer) = (length.min(held.length), length.max(held.length));
        let differs = f64::from(longer - shorter) / f64::from(shorter.max(1));
        if differs > decision.length_within {
            return None;
        }
        match decision.by {
            By::Resemblance => {
                decision.is_enough(scores.resemblance.get()).then_some(Kind::NearDuplicate)
            }
            By::Mutual => {
                let both = scores.a_in_b.get().min(scores.b_in_a.get());
                decision.is_enough(both).then_some(Kind::NearDuplicate)
            }
            By::Common(kind) => decision.is_enough(f64::from(votes)).then_some(kind),
            By::Containment | By::Score(_) => Kind::of(
                decision.is_enough(scores.a_in_b.get()),
                decision.is_enough(scores.b_in_a.get()),
            ),
        }
    }
}

impl Index<FeatureSet> for Overlap {
    fn insert(&mut self, ordinal: Ordinal, image: &FeatureSet) {
        if image.is_empty() {
            return;
        }
        let held = Held {
            is_there: true,
            n_features: self.decision.size(image),
            length: image.length(),
            is_plain: image.len() == image.n_stored(),
            scored: self.is_scored().then(|| Box::new(Scored::new(image.clone()))),
        };
        self.documents.insert(ordinal, held);
        let documents = &self.documents;
        for (place, &feature) in image.features().iter().enumerate() {
            let posting = Posting::new(ordinal, image.is_stored(place));
            self.postings.insert(feature, posting, |ordinal| {
                documents.held[documents.slot(ordinal) as usize].class()
            });
        }
        self.version += 1;
    }

    fn remove(&mut self, ordinal: Ordinal, image: &FeatureSet) {
        for (place, &feature) in image.features().iter().enumerate() {
            self.postings.remove(feature, Posting::new(ordinal, image.is_stored(place)));
        }
        self.documents.remove(ordinal);
        self.version += 1;
    }

    fn ask(&self, image: &FeatureSet, before: Ordinal, found: &mut Found) {
        let mut tally = TALLY.take();
        tally.fit(self.documents.held.len(), self.is_scored());
        let total = self.count(image, Posting::first_of(before), &mut tally, &mut found.cuts);
        found.n_values += tally.known.len() as u64;
        let mut chosen: Vec<(u32, Partner)> = Vec::new();
        for &slot in &tally.known {
            let votes = tally.votes(slot);
            let held = &self.documents.held[slot as usize];
            let is_partial = tally.slots[slot as usize].rare >= self.decision.partial_from;
            let n_a = self.decision.size(image);
            if votes < self.decision.least_common(n_a, held.n_features) && !is_partial {
                continue;
            }
            let scores = self.scores(image, total, slot, &tally);
            let kind = self.decide(scores, votes, image.length(), held);
            if let Some(kind) = kind.or(is_partial.then_some(Kind::Partial)) {
                let ordinal = self.documents.ordinal(slot);
                chosen.push((votes, Partner { ordinal, kind, scores }));
            }
        }
        if chosen.len() > self.limits.most_partners {
            chosen.sort_unstable_by(|(x_votes, x), (y_votes, y)| {
                let by_share = y.scores.containment().total_cmp(&x.scores.containment());
                by_share.then(y_votes.cmp(x_votes)).then(x.ordinal.cmp(&y.ordinal))
            });
            found.cuts.n_candidates_cut += (chosen.len() - self.limits.most_partners) as u64;
            chosen.truncate(self.limits.most_partners);
        }
        chosen.sort_unstable_by_key(|(_, partner)| partner.ordinal);
        found.partners.extend(chosen.into_iter().map(|(_, partner)| partner));
        tally.clear();
        TALLY.set(tally);
    }

    fn held_bytes(&self) -> usize {
        self.postings.held_bytes() + self.documents.held_bytes()
    }
}

/// Puts partners in the order of their scores for the asker, best first, ties by ordinal.
pub fn rank(partners: &mut [Partner]) {
    partners.sort_by(|x, y| {
        let by_score = y.scores.a_in_b.get().total_cmp(&x.scores.a_in_b.get());
        by_score.then(x.ordinal.cmp(&y.ordinal))
    });
}

/// How many units a weight of 1 has.
const UNITS: f64 = (1u64 << 32) as f64;

/// Cuts a share that rounding carried past 1.
fn at_most_one(share: f64) -> Score {
    Score::new(share.min(1.0)).unwrap_or(Score::ZERO)
}

/// Returns the shares of two documents of which only the containments are known: with c common
/// features the sets have c/a and c/b, so resemblance is 1 / (1/a + 1/b - 1).
fn estimated(a_in_b: Score, b_in_a: Score) -> Scores {
    let (a, b) = (a_in_b.get(), b_in_a.get());
    let resemblance = if a > 0.0 && b > 0.0 { 1.0 / (1.0 / a + 1.0 / b - 1.0) } else { 0.0 };
    Scores { resemblance: at_most_one(resemblance), a_in_b, b_in_a }
}

/// A long list's documents of one size class, as far as they may answer.
struct Segment<'a> {
    class: usize,
    n: usize,
    list: &'a VecDeque<Posting>,
    vote: Vote,
}

/// What a feature of the asker brings to the documents in its list.
#[derive(Clone, Copy, Debug)]
struct Vote {
    /// Whether the asker stores the feature.
    is_stored: bool,
    /// Whether its list is within the limit.
    is_rare: bool,
    /// Its weight times its occurrences in the asker.
    asked: u64,
    /// Its weight.
    other: u64,
}

/// What is known of a document beside its postings.
#[derive(Debug, Default)]
struct Held {
    /// Whether there is a document at all.
    is_there: bool,
    n_features: u32,
    length: u32,
    is_plain: bool,
    scored: Option<Box<Scored>>,
}

impl Held {
    fn class(&self) -> usize {
        class(self.n_features)
    }
}

/// A document whose own score for an asker is wanted: the weight of all its features.
#[derive(Debug)]
struct Scored {
    image: FeatureSet,
    /// Of the version of the index that stands beside it. Threads that compute it at the same
    /// time compute the same.
    total: AtomicU64,
    version: AtomicU64,
}

impl Scored {
    fn new(image: FeatureSet) -> Self {
        Self { image, total: AtomicU64::new(0), version: AtomicU64::new(0) }
    }

    fn total(&self, version: u64, compute: impl FnOnce() -> u64) -> u64 {
        if self.version.load(Ordering::Acquire) == version {
            return self.total.load(Ordering::Relaxed);
        }
        let total = compute();
        self.total.store(total, Ordering::Relaxed);
        self.version.store(version, Ordering::Release);
        total
    }
}

/// The documents held, from the earliest on: a window that moves on leaves nothing behind it.
#[derive(Debug, Default)]
struct Documents {
    first: u32,
    held: VecDeque<Held>,
    n: usize,
    n_scored_bytes: usize,
}

impl Documents {
    /// Returns where a document that is held stands.
    #[inline]
    fn slot(&self, ordinal: Ordinal) -> u32 {
        ordinal.0 - self.first
    }

    fn ordinal(&self, slot: u32) -> Ordinal {
        Ordinal(self.first + slot)
    }

    fn insert(&mut self, ordinal: Ordinal, held: Held) {
        if self.held.is_empty() {
            self.first = ordinal.0;
        }
        while ordinal.0 < self.first {
            self.held.push_front(Held::default());
            self.first -= 1;
        }
        let slot = self.slot(ordinal) as usize;
        if slot >= self.held.len() {
            self.held.resize_with(slot + 1, Held::default);
        }
        self.n_scored_bytes += held.scored.as_ref().map_or(0, |scored| scored.image.held_bytes());
        self.held[slot] = held;
        self.n += 1;
    }

    fn remove(&mut self, ordinal: Ordinal) {
        let Some(held) = ordinal
            .0
            .checked_sub(self.first)
            .and_then(|slot| self.held.get_mut(slot as usize))
            .filter(|held| held.is_there)
        else {
            return;
        };
        let scored = std::mem::take(held).scored;
        self.n_scored_bytes -= scored.map_or(0, |scored| scored.image.held_bytes());
        self.n -= 1;
        while self.held.front().is_some_and(|held| !held.is_there) {
            self.held.pop_front();
            self.first += 1;
        }
    }

    fn held_bytes(&self) -> usize {
        self.held.capacity() * size_of::<Held>() + self.n_scored_bytes
    }
}

thread_local! {
    /// Counters that every search of a thread uses again; between searches all are zero.
    static TALLY: RefCell<Tally> = RefCell::default();
}

/// What documents have in common with the asker, by slot.
#[derive(Debug, Default)]
struct Tally {
    slots: Vec<Slot>,
    /// Weights of the same, where they count: those of the asker, those of the other.
    weights: Vec<(u64, u64)>,
    /// Slots in use, in the order in which they came up.
    known: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// Features that the asker asks with and the other stores.
    forward: u32,
    /// Features that the other asks with and the asker stores.
    backward: u32,
    /// Features of either direction in lists within the limit.
    rare: u32,
    is_known: bool,
}

impl Tally {
    fn fit(&mut self, n_slots: usize, is_weighed: bool) {
        if self.slots.len() < n_slots {
            self.slots.resize(n_slots, Slot::default());
        }
        if is_weighed && self.weights.len() < n_slots {
            self.weights.resize(n_slots, (0, 0));
        }
    }

    #[inline]
    fn add(&mut self, slot: u32, posting: Posting, vote: Vote) {
        let counts = &mut self.slots[slot as usize];
        let (forward, backward) = (posting.is_stored(), vote.is_stored);
        if !counts.is_known {
            if !(forward || backward) {
                return;
            }
            counts.is_known = true;
            self.known.push(slot);
        }
        counts.forward += u32::from(forward);
        counts.backward += u32::from(backward);
        counts.rare += u32::from(vote.is_rare && (forward || backward));
        if let Some((asked, other)) = self.weights.get_mut(slot as usize) {
            *asked += if forward { vote.asked } else { 0 };
            *other += if backward { vote.other } else { 0 };
        }
    }

    /// Makes a document known without counting.
    fn know(&mut self, slot: u32, posting: Posting, vote: Vote) {
        let counts = &mut self.slots[slot as usize];
        if !counts.is_known && (posting.is_stored() || vote.is_stored) {
            counts.is_known = true;
            self.known.push(slot);
        }
    }

    fn votes(&self, slot: u32) -> u32 {
        let counts = self.slots[slot as usize];
        counts.forward.max(counts.backward)
    }

    fn clear(&mut self) {
        for &slot in &self.known {
            self.slots[slot as usize] = Slot::default();
            if let Some(weights) = self.weights.get_mut(slot as usize) {
                *weights = (0, 0);
            }
        }
        self.known.clear();
    }
}

#[cfg(test)]
mod tests;
