//! All pairs: every document with every other. Misses nothing; quadratic.

use super::index::{Found, Index, Partner};
use crate::document::Ordinal;
use crate::relation::{Kind, Scores};

/// Remembers which documents there are; whoever asks is answered with all of them.
#[derive(Debug, Default)]
pub struct AllPairs {
    ordinals: Vec<Ordinal>,
}

impl<Image> Index<Image> for AllPairs {
    fn insert(&mut self, ordinal: Ordinal, _: &Image) {
        self.ordinals.push(ordinal);
    }

    fn remove(&mut self, ordinal: Ordinal, _: &Image) {
        self.ordinals.retain(|&other| other != ordinal);
    }

    fn ask(&self, _: &Image, before: Ordinal, found: &mut Found) {
        // Nothing is known before the documents are compared.
        let unknown =
            |&ordinal| Partner { ordinal, kind: Kind::Partial, scores: Scores::default() };
        let start = found.partners.len();
        found.partners.extend(self.ordinals.iter().take_while(|&&o| o < before).map(unknown));
        found.n_values += (found.partners.len() - start) as u64;
    }

    fn held_bytes(&self) -> usize {
        self.ordinals.len() * size_of::<Ordinal>()
    }
}
