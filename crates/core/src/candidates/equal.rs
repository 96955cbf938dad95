//! Equal signatures: two documents that share a signature are near-duplicates, all others are
//! unrelated.
//!
//! This serves methods that keep one value of a document (a digest, a checksum, a pattern of bits),
//! or several values of which one must agree.
//!
//! # What it may miss
//! Nothing, unless more than `most_bucket` documents share a signature: then only the first
//! `most_bucket` of them answer, and the others are counted as cut.

use super::Judgement;
use super::meeting::{Limits, Meeting, Met, Weighed};
use crate::encode::{Encoded, Input, put_number};
use crate::hash;
use crate::relation::{Kind, Scores};

/// Signatures of a document, of which one must agree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signatures(pub Vec<Vec<u8>>);

impl Signatures {
    /// Makes a single signature.
    pub fn one(bytes: &[u8]) -> Self {
        Self(vec![bytes.to_vec()])
    }
}

impl Encoded for Signatures {
    fn encode(&self, out: &mut Vec<u8>) {
        put_number(self.0.len() as u64, out);
        for signature in &self.0 {
            put_number(signature.len() as u64, out);
            out.extend_from_slice(signature);
        }
    }

    fn decode(input: &mut Input<'_>) -> Option<Self> {
        let n = input.count()?;
        let one = |input: &mut Input<'_>| {
            let len = input.count()?;
            input.take(len).map(<[u8]>::to_vec)
        };
        (0..n).map(|_| one(input)).collect::<Option<_>>().map(Self)
    }
}

/// Documents meet in their signatures.
#[derive(Clone, Copy, Debug)]
pub struct Equal {
    most_bucket: usize,
}

impl Equal {
    /// At most `most_bucket` documents answer to one signature.
    pub fn new(most_bucket: usize) -> Self {
        Self { most_bucket }
    }
}

impl Meeting for Equal {
    type Image = Signatures;
    type Payload = ();
    type Facts = ();

    fn facts(&self, _: &Signatures) {}

    fn keys(&self, image: &Signatures, mut each: impl FnMut(u64, ())) {
        for signature in &image.0 {
            each(hash::bytes(signature, 0), ());
        }
    }

    fn limits(&self) -> Limits {
        Limits::first(self.most_bucket)
    }

    fn weigh(&self, (): &(), (): &(), _: Met) -> Weighed {
        Weighed::Look
    }

    fn judge(&self, asker: &Signatures, other: &Signatures, _: Met) -> Option<Judgement> {
        let is_equal = asker.0.iter().any(|signature| other.0.contains(signature));
        is_equal.then_some(Judgement { kind: Kind::NearDuplicate, scores: Scores::EQUAL })
    }
}

#[cfg(test)]
mod tests {
    use super::super::both::{found_by_all, ordinals};
    use super::*;

    fn signatures(numbers: &[u8]) -> Signatures {
        Signatures(numbers.iter().map(|&number| vec![number; 20]).collect())
    }

    #[test]
    fn one_signature_of_several_is_enough_and_a_partner_comes_once() {
        let images = [&[1, 2, 3][..], &[3, 4], &[9], &[1, 3], &[]].map(signatures);
        let (found, cuts) = found_by_all(|| Equal::new(10), &images, None);
        assert_eq!(ordinals(&found), [vec![], vec![0], vec![], vec![0, 1], vec![]]);
        assert_eq!(cuts, crate::candidates::Cuts::default());
        assert!(found.iter().flatten().all(|p| p.scores == Scores::EQUAL));
    }

    #[test]
    fn a_crowd_beyond_the_limit_answers_with_its_first_and_is_counted() {
        let images = vec![signatures(&[7]); 5];
        let (found, cuts) = found_by_all(|| Equal::new(2), &images, None);
        assert_eq!(ordinals(&found)[4], [0, 1]);
        assert_eq!((cuts.n_stop_features, cuts.n_candidates_cut), (2, 3));
    }
}
