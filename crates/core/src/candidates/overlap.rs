//! Overlap: documents that have features in common.
//!
//! The features of a document are its keys. Whoever has enough of them in common is compared by its
//! image: a [`Decision`] says from the exact numbers of common features who is related.
//!
//! # What it may miss
//! Nothing, unless a limit is set. With [`Limits::stop`] a feature that more documents before the
//! asker have brings nobody in, except for documents made mostly of such features; with
//! [`Limits::most_partners`] the weaker partners are left out. Both are counted in
//! [`Cuts`](super::Cuts).

use serde::{Deserialize, Serialize};

use super::Judgement;
use super::meeting::{self, Common, Meeting, Met, Tag, Weighed};
use crate::encode::encoded_fields;
use crate::hash;
use crate::image::feature_set::FeatureSet;
use crate::parameters::{Limit, parameters};
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
    /// ln(N / max(df, 1)): N documents in the collection, df of them store the feature. Where all
    /// weights are 0, because everybody has everything, features weigh the same. Images carry them
    /// ([`FeatureSet::weighed`]).
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

parameters! {
    /// Limits of work.
    #[derive(Copy, PartialEq, Eq)]
    pub struct Limits {
        /// documents with a feature beyond which only the first of them are looked at
        pub stop: Limit = Limit::at(1000), paper Limit::NONE, in 1..;
        // Those with the largest share in common stay, among equals the earliest, so that large
        // groups agree on whom to compare with.
        /// documents that one document may be related to
        pub most_partners: Limit = Limit::at(1000), paper Limit::NONE, in 1..;
    }
}

impl Limits {
    /// No limits.
    pub const NONE: Self = Self { stop: Limit::NONE, most_partners: Limit::NONE };
}

/// What a feature adds to the votes that too many documents have: it makes no partial copies.
const COMMON: u64 = 1 << 31;

/// Share of a document's features that must be common before a common one brings anybody in.
const MOSTLY_COMMON: f64 = 0.5;

/// Sets of features that meet in what they have in common.
#[derive(Clone, Copy, Debug)]
pub struct Overlap {
    decision: Decision,
    limits: Limits,
}

/// Sizes of a document.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes {
    /// Features that counts for its shares.
    n_features: u32,
    /// Features it asks with.
    n_asked: u32,
    length: u32,
}

encoded_fields!(Sizes { n_features, n_asked, length });

impl Overlap {
    /// Makes the meeting of sets by a decision.
    pub fn new(decision: Decision, limits: Limits) -> Self {
        Self { decision, limits }
    }

    /// Returns whether lengths are so different that nothing else counts.
    fn is_too_long(&self, one: u32, other: u32) -> bool {
        let (shorter, longer) = (one.min(other), one.max(other));
        f64::from(longer - shorter) / f64::from(shorter.max(1)) > self.decision.length_within
    }

    /// Returns the shares of two documents and the number of features they have in common.
    fn scores(&self, a: &FeatureSet, b: &FeatureSet) -> (Scores, u32) {
        let common = a.common(b);
        let (forward, backward) = (common.forward as usize, common.backward as usize);
        let votes = common.forward.max(common.backward);
        if let By::Score(_) = self.decision.by {
            let share = |weight: u64, total: u64, n: usize, whole: usize| {
                let (part, whole) =
                    if total > 0 { (weight, total) } else { (n as u64, whole as u64) };
                at_most_one(part as f64 / whole as f64)
            };
            let a_in_b = share(common.forward_weight, a.total_weight(), forward, a.len());
            let b_in_a = share(common.backward_weight, b.total_weight(), backward, b.len());
            return (estimated(a_in_b, b_in_a), votes);
        }
        let is_plain = a.len() == a.n_stored() && b.len() == b.n_stored();
        let (n_a, n_b) = (self.decision.size(a) as usize, self.decision.size(b) as usize);
        let scores = match self.decision.share_of {
            _ if is_plain => Scores::of_sets(n_a, n_b, forward),
            ShareOf::Asked => estimated(Score::share(forward, n_a), Score::share(backward, n_b)),
            ShareOf::Stored => estimated(Score::share(backward, n_a), Score::share(forward, n_b)),
        };
        (scores, votes)
    }

    /// Returns the kind of relation by the threshold.
    fn decide(&self, scores: Scores, votes: u32) -> Option<Kind> {
        let decision = &self.decision;
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

impl Meeting for Overlap {
    type Image = FeatureSet;
    /// Whether the feature is stored there (1) or only asked with (0).
    type Payload = Tag;
    type Facts = Sizes;

    fn facts(&self, image: &FeatureSet) -> Sizes {
        let n_features = self.decision.size(image);
        Sizes { n_features, n_asked: image.len() as u32, length: image.length() }
    }

    fn keys(&self, image: &FeatureSet, mut each: impl FnMut(u64, Tag)) {
        for (place, &feature) in image.features().iter().enumerate() {
            // Kept features may all be small, or multiples of something.
            each(hash::mix(feature), Tag::both(u32::from(image.is_stored(place))));
        }
    }

    fn n_asked(&self, facts: &Sizes) -> u32 {
        facts.n_asked
    }

    fn limits(&self) -> meeting::Limits {
        let Limits { stop, most_partners } = self.limits;
        let (stop, most_partners) = (stop.get(), most_partners.get());
        meeting::Limits {
            stop,
            common: Common::Skip(MOSTLY_COMMON),
            most_partners,
            ..meeting::Limits::NONE
        }
    }

    fn vote(&self, asked: Tag, held: Tag) -> u64 {
        u64::from(asked.value() | held.value())
    }

    fn common_vote(&self, vote: u64) -> u64 {
        vote * COMMON
    }

    fn weigh(&self, asker: &Sizes, other: &Sizes, met: Met) -> Weighed {
        let (n_common, votes) = (met.votes / COMMON, met.votes % COMMON);
        let most = votes + n_common + u64::from(met.n_unread);
        let needed = self.decision.least_common(asker.n_features, other.n_features);
        let is_partial = votes >= u64::from(self.decision.partial_from);
        if is_partial
            || (most >= u64::from(needed) && !self.is_too_long(asker.length, other.length))
        {
            Weighed::Look
        } else {
            Weighed::No
        }
    }

    fn judge(&self, asker: &FeatureSet, other: &FeatureSet, met: Met) -> Option<Judgement> {
        let (scores, votes) = self.scores(asker, other);
        let is_too_long = self.is_too_long(asker.length(), other.length());
        let kind = if is_too_long { None } else { self.decide(scores, votes) };
        let is_partial = met.votes % COMMON >= u64::from(self.decision.partial_from);
        let kind = kind.or(is_partial.then_some(Kind::Partial))?;
        Some(Judgement { kind, scores })
    }

    fn units(&self, image: &FeatureSet) -> Option<Vec<u64>> {
        Some(image.features().to_vec())
    }
}

/// Puts partners in the order of their scores for the asker, best first, ties by ordinal.
pub fn rank(partners: &mut [super::Partner]) {
    partners.sort_by(|x, y| {
        let by_score = y.scores.a_in_b.get().total_cmp(&x.scores.a_in_b.get());
        by_score.then(x.ordinal.cmp(&y.ordinal))
    });
}

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

#[cfg(test)]
mod tests;
