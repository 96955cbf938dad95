//! Graded answers: how documents relate is told by how much of each stands in the other.
//!
//! For methods whose threshold only says *that* documents have enough in common. With 5 % of the
//! sentences in common, neither contains the other.

use super::Judgement;
use super::meeting::{Limits, Meeting, Met, Weighed};
use crate::relation::Kind;

/// A meeting whose partners are named by their shares.
#[derive(Clone, Copy, Debug)]
pub struct Graded<X> {
    meeting: X,
    containment: f64,
}

impl<X> Graded<X> {
    /// Partners contain each other from this share on, and are partial copies below.
    pub fn new(meeting: X, containment: f64) -> Self {
        Self { meeting, containment }
    }

    fn grade(&self, judgement: Judgement) -> Judgement {
        let is_in = |share: f64| share >= self.containment;
        let scores = judgement.scores;
        let kind = Kind::of(is_in(scores.a_in_b.get()), is_in(scores.b_in_a.get()));
        Judgement { kind: kind.unwrap_or(Kind::Partial), scores }
    }
}

impl<X: Meeting> Meeting for Graded<X> {
    type Image = X::Image;
    type Payload = X::Payload;
    type Facts = X::Facts;
    const REMADE: bool = X::REMADE;

    fn facts(&self, image: &X::Image) -> X::Facts {
        self.meeting.facts(image)
    }

    fn keys(&self, image: &X::Image, each: impl FnMut(u64, X::Payload)) {
        self.meeting.keys(image, each);
    }

    fn n_asked(&self, facts: &X::Facts) -> u32 {
        self.meeting.n_asked(facts)
    }

    fn limits(&self) -> Limits {
        self.meeting.limits()
    }

    fn vote(&self, asked: X::Payload, held: X::Payload) -> u64 {
        self.meeting.vote(asked, held)
    }

    fn weigh(&self, asker: &X::Facts, other: &X::Facts, met: Met) -> Weighed {
        match self.meeting.weigh(asker, other, met) {
            Weighed::Yes(judgement) => Weighed::Yes(self.grade(judgement)),
            same => same,
        }
    }

    fn judge(&self, asker: &X::Image, other: &X::Image, met: Met) -> Option<Judgement> {
        self.meeting.judge(asker, other, met).map(|judgement| self.grade(judgement))
    }

    fn units(&self, image: &X::Image) -> Option<Vec<u64>> {
        self.meeting.units(image)
    }
}

#[cfg(test)]
mod tests {
    use super::super::both::found_by_all;
    use super::super::overlap::{Decision, Limits, Overlap};
    use super::*;
    use crate::image::feature_set::FeatureSet;

    #[test]
    fn the_kind_follows_from_the_shares() {
        let meeting = || {
            let overlap = Overlap::new(Decision::common(1, Kind::NearDuplicate), Limits::NONE);
            Graded::new(overlap, 0.5)
        };
        let sets = [0..10u64, 9..19, 5..15, 0..10].map(|range| FeatureSet::new(range.collect()));
        let larger = FeatureSet::new((0..30).collect());
        let [a, b, c, d] = sets;
        let (found, _) = found_by_all(meeting, &[a, b, c, d, larger], None);
        let kinds = |doc: usize| found[doc].iter().map(|p| p.kind).collect::<Vec<Kind>>();
        assert_eq!(kinds(4), [Kind::Contains; 4]);
        assert_eq!(kinds(3), [Kind::NearDuplicate, Kind::Partial, Kind::NearDuplicate]);
        assert_eq!(found[1][0].kind, Kind::Partial);
    }
}
