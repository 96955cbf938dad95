//! The two ends: everybody meets everybody, and nobody meets anybody.

use super::Judgement;
use super::meeting::{Limits, Meeting, Met, Weighed};

/// All documents hold one key, so every document meets every other. Misses nothing; quadratic.
#[derive(Clone, Copy, Debug, Default)]
pub struct Everybody;

impl Meeting for Everybody {
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
pub struct Nobody;

impl Meeting for Nobody {
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
    fn everybody_meets_all_before_and_nobody_meets_none() {
        let (found, _) = found_by_all(|| Everybody, &[(); 4], None);
        assert_eq!(ordinals(&found), [vec![], vec![0], vec![0, 1], vec![0, 1, 2]]);
        let (found, _) = found_by_all(|| Everybody, &[(); 4], Some(2));
        assert_eq!(ordinals(&found), [vec![], vec![], vec![0, 1], vec![0, 1]]);
        let (found, _) = found_by_all(|| Nobody, &[(); 3], None);
        assert!(found.iter().all(Vec::is_empty));
    }
}
