//! The second look: candidates are read again and compared.
//!
//! Candidates are taken group by group (whatever hangs together through them), and inside a group
//! by their longer document, so that it is read once while its partners, cheaper to read, come
//! and go; the order is the same on every run.

use std::sync::atomic::{AtomicU64, Ordering as Memory};

use retold_core::candidates::{Candidate, Judgement, Proposed};
use retold_core::document::Ordinal;
use retold_core::methods::Detector;
use retold_core::relation::{Evidence, Kind};
use retold_core::verify::Profile;
use retold_core::verify::align::{self, Comparison};
use retold_read::BadRecord;
use retold_report::{PairRow, PairsWriter};

use super::library::Library;
use super::parallel::Pool;
use crate::error::Error;
use crate::progress::{Progress, Stage, Stop};

/// Two documents found related.
pub(crate) struct Verified {
    pub(crate) a: Ordinal,
    pub(crate) b: Ordinal,
    pub(crate) kind: Kind,
    pub(crate) comparison: Comparison,
    pub(crate) evidence: Evidence,
    /// The row as a JSON line.
    pub(crate) line: Vec<u8>,
}

/// Pairs that wait for the writer at a time.
const PAIRS_PER_ROUND: usize = 8192;
/// Pairs a thread takes at a time.
const PAIRS_PER_PIECE: usize = 32;

/// What verification needs.
pub(crate) struct Verifying<'a> {
    pub(crate) library: &'a Library<'a>,
    pub(crate) detector: &'a dyn Detector,
    /// What the method says of its candidates, if it decides.
    pub(crate) judged: Option<&'a Proposed>,
    pub(crate) passages_per_pair: usize,
    pub(crate) pool: &'a Pool,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) stop: &'a Stop,
}

impl Verifying<'_> {
    /// Compares all candidates and hands the related ones to `each`, in a fixed order.
    pub(crate) fn run(
        &self,
        candidates: Vec<Candidate>,
        each: &mut dyn FnMut(Result<Verified, BadRecord>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.progress.begin(Stage::Verify, candidates.len() as u64);
        let n_documents = self.library.collection.len();
        let n_words = |doc: Ordinal| self.library.collection.entry(doc).n_words;
        let ordered = by_group(candidates, n_documents, n_words);
        let done = AtomicU64::new(0);
        for round in ordered.chunks(PAIRS_PER_ROUND) {
            let pieces: Vec<&[Candidate]> = round.chunks(PAIRS_PER_PIECE).collect();
            let found = self.pool.map(&pieces, |piece| {
                let found: Vec<_> = if self.stop.is_set() {
                    Vec::new()
                } else {
                    piece.iter().filter_map(|&pair| self.pair(pair).transpose()).collect()
                };
                let done = done.fetch_add(piece.len() as u64, Memory::Relaxed);
                self.progress.at(done + piece.len() as u64, n_documents as u64);
                found
            });
            if self.stop.is_set() {
                let n_documents = n_documents as u64;
                return Err(Error::Stopped { stage: Stage::Verify.name(), n_documents });
            }
            for verified in found.into_iter().flatten() {
                each(verified)?;
            }
        }
        Ok(())
    }

    /// Returns how two documents relate: by what the method says of them, or by comparing them.
    pub(crate) fn decide(
        &self,
        pair: Candidate,
        a: &Profile,
        b: &Profile,
    ) -> Option<(Kind, Comparison)> {
        let Some(judged) = self.judged else { return self.detector.verify(a, b) };
        let at = judged.pairs.binary_search(&pair).ok()?;
        let Judgement { kind, scores } = judged.says[at];
        // Passages are found all the same: they show what the method has seen, or that there is
        // nothing to be seen.
        let found = align::compare(a, b, self.detector.shingles().k());
        Some((kind, Comparison { scores, ..found }))
    }

    /// Compares two documents.
    pub(crate) fn pair(&self, pair: Candidate) -> Result<Option<Verified>, BadRecord> {
        let a = self.library.profile(pair.a)?;
        let b = self.library.profile(pair.b)?;
        let Some((kind, comparison)) = self.decide(pair, &a, &b) else { return Ok(None) };
        let evidence = comparison.evidence(&a, &b, self.passages_per_pair);
        let collection = self.library.collection;
        let row = PairRow {
            a: &collection.entry(pair.a).id,
            b: &collection.entry(pair.b).id,
            relation: kind,
            scores: comparison.scores,
            evidence: &evidence,
        };
        let mut line = Vec::new();
        PairsWriter::encode(&row, &mut line);
        Ok(Some(Verified { a: pair.a, b: pair.b, kind, comparison, evidence, line }))
    }
}

/// Sorts candidates so that those of one connected group stand together, and in it those of one
/// longer document.
fn by_group(
    mut candidates: Vec<Candidate>,
    n_documents: usize,
    n_words: impl Fn(Ordinal) -> u32,
) -> Vec<Candidate> {
    let mut parent: Vec<u32> = (0..n_documents as u32).collect();
    let root = |parent: &mut [u32], mut doc: u32| {
        while parent[doc as usize] != doc {
            parent[doc as usize] = parent[parent[doc as usize] as usize];
            doc = parent[doc as usize];
        }
        doc
    };
    for pair in &candidates {
        let (a, b) = (root(&mut parent, pair.a.0), root(&mut parent, pair.b.0));
        parent[a.max(b) as usize] = a.min(b);
    }
    for doc in 0..n_documents as u32 {
        parent[doc as usize] = root(&mut parent, doc);
    }
    let longer = |pair: &Candidate| {
        if n_words(pair.b) > n_words(pair.a) { (pair.b, pair.a) } else { (pair.a, pair.b) }
    };
    candidates.sort_by_cached_key(|pair| (parent[pair.a.index()], longer(pair)));
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_one_group_stand_together_in_order() {
        let pair = |a, b| Candidate::new(Ordinal(a), Ordinal(b));
        let pairs = vec![pair(0, 5), pair(1, 2), pair(1, 3), pair(5, 6)];
        let sorted = by_group(pairs.clone(), 7, |_| 10);
        assert_eq!(sorted, [pair(0, 5), pair(5, 6), pair(1, 2), pair(1, 3)]);
        let by_length = by_group(pairs, 7, |doc| doc.0);
        assert_eq!(by_length, [pair(0, 5), pair(5, 6), pair(1, 2), pair(1, 3)]);
    }
}
