//! Candidates by asking: every document asks an [`Index`] about those before it.

use std::sync::Mutex;

use super::index::{Found, Index, Partner};
use super::{Candidate, Candidates, Cuts, Judgement, Proposed};
use crate::document::Ordinal;
use crate::executor::Executor;

/// Documents that ask in one piece of work.
const PER_PIECE: usize = 64;

/// What one piece of work found: who asked and who was found, what was cut, values computed.
type Answer = (Vec<(Ordinal, Partner)>, Cuts, u64);

/// Images and the index over them.
#[derive(Debug)]
pub struct Collected<Image, X> {
    images: Vec<(Ordinal, Image)>,
    index: X,
}

impl<Image, X: Index<Image>> Collected<Image, X> {
    /// Makes candidates that ask `index`, which is empty.
    pub fn new(index: X) -> Self {
        Self { images: Vec::new(), index }
    }
}

impl<Image: Send + Sync, X: Index<Image>> Candidates<Image> for Collected<Image, X> {
    fn insert(&mut self, ordinal: Ordinal, image: Image) {
        self.index.insert(ordinal, &image);
        self.images.push((ordinal, image));
    }

    fn held_bytes(&self) -> usize {
        // Images are held twice at most: once here, once in the lists.
        2 * self.index.held_bytes()
    }

    fn propose(self: Box<Self>, border: Option<Ordinal>, executor: &dyn Executor) -> Proposed {
        // Across a border, only the documents behind it ask, about those before it.
        let asking: Vec<&(Ordinal, Image)> = self
            .images
            .iter()
            .filter(|(ordinal, _)| border.is_none_or(|b| *ordinal >= b))
            .collect();
        let n_pieces = asking.len().div_ceil(PER_PIECE);
        let answers: Vec<Mutex<Answer>> = (0..n_pieces).map(|_| Mutex::default()).collect();
        executor.run(n_pieces, &|piece| {
            let mut found = Found::default();
            let mut out = Vec::new();
            for (ordinal, image) in asking.iter().skip(piece * PER_PIECE).take(PER_PIECE) {
                found.partners.clear();
                self.index.ask(image, border.unwrap_or(*ordinal), &mut found);
                out.extend(found.partners.iter().map(|&partner| (*ordinal, partner)));
            }
            let mut slot = answers[piece].lock().expect("no piece panics while it holds its slot");
            *slot = (out, found.cuts, found.n_values);
        });
        let mut proposed = Proposed::default();
        for answer in answers {
            let (found, cuts, n_values) = answer.into_inner().expect("all pieces have ended");
            proposed.cuts.add(&cuts);
            proposed.n_values += n_values;
            for (asker, partner) in found {
                proposed.pairs.push(Candidate::new(partner.ordinal, asker));
                // The earlier document comes first in a pair, and it was the later one that asked.
                let (kind, scores) = (partner.kind.flipped(), partner.scores.flipped());
                proposed.says.push(Judgement { kind, scores });
            }
        }
        proposed.sort();
        proposed
    }
}
