//! The two extremes: every document meets every other one, or none does.

use super::Judgement;
use super::meeting::{Limits, Meeting, Met, Weighed};

/// All documents hold one key, so every document meets every other. Misses nothing; quadratic.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllPairs;

impl Meeting for AllPairs {
    type Image = ();
    type Payload = ();
    type Facts = ();

    fn facts(&self, (): &()) {}

    fn keys(&self, (): &(), mut each: impl FnMut(u64, ())) {
        each(0, ());
    }

    fn limits(&self) -> Limits {
        Limits::NONE
    }

    fn weigh(&self, (): &(), (): &(), _: Met) -> Weighed {
        Weighed::Yes(Judgement::UNKNOWN)
    }

    fn judge(&self, (): &(), (): &(), _: Met) -> Option<Judgement> {
        Some(Judgement::UNKNOWN)
    }
}

/// No document holds a key: only documents with the same words are found, without any search.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoPairs;

impl Meeting for NoPairs {
    type Image = ();
    type Payload = ();
    type Facts = ();

    fn facts(&self, (): &()) {}

    fn keys(&self, (): &(), _: impl FnMut(u64, ())) {}

    fn limits(&self) -> Limits {
        Limits::NONE
    }

    fn weigh(&self, (): &(), (): &(), _: Met) -> Weighed {
        Weighed::No
    }

    fn judge(&self, (): &(), (): &(), _: Met) -> Option<Judgement> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::both::{found_by_all, ordinals};
    use super::*;

    #[test]
    fn every_document_meets_all_before_it_or_none() {
        let (found, _) = found_by_all(|| AllPairs, &[(); 4], None);
        assert_eq!(ordinals(&found), [vec![], vec![0], vec![0, 1], vec![0, 1, 2]]);
        let (found, _) = found_by_all(|| AllPairs, &[(); 4], Some(2));
        assert_eq!(ordinals(&found), [vec![], vec![], vec![0, 1], vec![0, 1]]);
        let (found, _) = found_by_all(|| NoPairs, &[(); 3], None);
        assert!(found.iter().all(Vec::is_empty));
    }
}
