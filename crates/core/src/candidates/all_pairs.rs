//! All pairs: every document with every other. Misses nothing; quadratic.

use super::{Candidate, Candidates, Cuts};
use crate::document::Ordinal;
use crate::executor::Executor;

/// Remembers which documents there are.
#[derive(Debug, Default)]
pub struct AllPairs {
    ordinals: Vec<Ordinal>,
}

impl<Image> Candidates<Image> for AllPairs {
    fn insert(&mut self, ordinal: Ordinal, _: Image) {
        self.ordinals.push(ordinal);
    }

    fn held_bytes(&self) -> usize {
        self.ordinals.len() * size_of::<Ordinal>()
    }

    fn propose(self: Box<Self>, _: &dyn Executor) -> (Vec<Candidate>, Cuts) {
        let mut out = Vec::with_capacity(self.ordinals.len().pow(2) / 2);
        for (i, &a) in self.ordinals.iter().enumerate() {
            out.extend(self.ordinals[i + 1..].iter().map(|&b| Candidate::new(a, b)));
        }
        (out, Cuts::default())
    }
}
