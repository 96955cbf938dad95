//! Candidates in the order in which they are verified: by what hangs together through them, then
//! by their longer document, so that it is read once while its partners, cheaper to read, come
//! and go.

use retold_core::candidates::{Candidate, Judgement};
use retold_core::document::Ordinal;
use retold_core::relation::{Kind, Score, Scores};
use retold_core::scratch::Record;

use super::budget::Budget;
use super::collection::Collection;
use super::linked::{Linked, Links, Ordered, Unsaid};
use super::scratch::ScratchDir;
use crate::error::Error;
use crate::progress::Stop;

/// Two documents that may be related.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Proposal {
    /// The group of documents that hang together through candidates.
    pub(crate) group: u32,
    pub(crate) long: Ordinal,
    pub(crate) short: Ordinal,
    /// What the method says of the earlier and the later of them, if its word counts.
    pub(crate) said: Option<Judgement>,
}

/// What a method says of a pair, written down: the kind, then the bits of the scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Said {
    kind: u8,
    scores: [u64; 3],
}

impl Said {
    /// Writes a judgement down.
    pub(crate) fn new(Judgement { kind, scores }: Judgement) -> Self {
        let Scores { resemblance, a_in_b, b_in_a } = scores;
        let scores = [resemblance, a_in_b, b_in_a].map(|score| score.get().to_bits());
        Self { kind: kind as u8, scores }
    }

    /// Reads it back.
    pub(crate) fn judgement(self) -> Judgement {
        let score = |bits| Score::new(f64::from_bits(bits)).unwrap_or_default();
        let [resemblance, a_in_b, b_in_a] = self.scores.map(score);
        let kind = Kind::ALL[usize::from(self.kind) % Kind::ALL.len()];
        Judgement { kind, scores: Scores { resemblance, a_in_b, b_in_a } }
    }
}

impl Record for Said {
    const BYTES: usize = 25;

    fn put(&self, out: &mut Vec<u8>) {
        out.push(self.kind);
        self.scores.iter().for_each(|bits| bits.put(out));
    }

    fn get(bytes: &[u8]) -> Self {
        Self { kind: bytes[0], scores: [1, 9, 17].map(|at| u64::get(&bytes[at..at + 8])) }
    }
}

/// Candidates as they come.
pub(crate) enum Proposing {
    Plain(Links<Unsaid>),
    Judged(Links<Said>),
}

impl Proposing {
    /// Makes an empty list; what the method says is kept if its word counts.
    pub(crate) fn new(
        n_documents: usize,
        is_judged: bool,
        budget: &Budget,
        scratch: &ScratchDir,
    ) -> Self {
        if is_judged {
            Self::Judged(Links::new(n_documents, budget, scratch))
        } else {
            Self::Plain(Links::new(n_documents, budget, scratch))
        }
    }

    /// Adds a candidate. Of several judgements on a pair an exact one counts.
    pub(crate) fn push(&mut self, pair: Candidate, says: Judgement) -> Result<(), Error> {
        match self {
            Self::Plain(links) => links.push(pair, Unsaid),
            Self::Judged(links) => links.push(pair, Said::new(says)),
        }
    }

    /// Puts the candidates into their order; `None` if it was asked to stop.
    pub(crate) fn ordered(
        self,
        collection: &Collection,
        stop: &Stop,
    ) -> Result<Option<Proposals>, Error> {
        // Of equally long documents the earlier one, as when the later one comes to a stream.
        let longer = |a: Ordinal, b: Ordinal| {
            let (a, b) = (a.min(b), a.max(b));
            if collection.n_words(b) > collection.n_words(a) { (b, a) } else { (a, b) }
        };
        Ok(match self {
            Self::Plain(links) => links.ordered(longer, stop)?.map(Proposals::Plain),
            Self::Judged(links) => links.ordered(longer, stop)?.map(Proposals::Judged),
        })
    }
}

/// Candidates in order.
pub(crate) enum Proposals {
    Plain(Ordered<Unsaid>),
    Judged(Ordered<Said>),
}

impl Proposals {
    /// Returns about how many there are.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Plain(pairs) => pairs.len(),
            Self::Judged(pairs) => pairs.len(),
        }
    }

    /// Reads them all.
    pub(crate) fn iter(&self) -> Box<dyn Iterator<Item = Result<Proposal, Error>> + '_> {
        fn suspect<S>(pair: Linked<S>, says: impl Fn(S) -> Option<Judgement>) -> Proposal {
            Proposal { group: pair.group, long: pair.one, short: pair.other, said: says(pair.said) }
        }
        match self {
            Self::Plain(pairs) => {
                Box::new(pairs.iter().map(|pair| pair.map(|pair| suspect(pair, |Unsaid| None))))
            }
            Self::Judged(pairs) => Box::new(
                pairs
                    .iter()
                    .map(|pair| pair.map(|pair| suspect(pair, |said| Some(Said::judgement(said))))),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_survive_exactly() {
        for (n_a, n_b, n_common) in [(3, 7, 1), (1, 1, 1), (1_000_003, 999_983, 7)] {
            for kind in Kind::ALL {
                let says = Judgement { kind, scores: Scores::of_sets(n_a, n_b, n_common) };
                let mut bytes = Vec::new();
                Said::new(says).put(&mut bytes);
                assert_eq!(bytes.len(), Said::BYTES);
                assert_eq!(Said::get(&bytes).judgement(), says);
            }
        }
    }
}
