//! The second look: a long document and those it may be related to are compared.

use retold_core::candidates::{Candidate, Judgement};
use retold_core::document::{Document, Ordinal};
use retold_core::relation::{Evidence, Kind, Scores};
use retold_core::relations::Relations;
use retold_core::verify::align::{self, Bench, Comparison};
use retold_core::verify::{Profile, Profiler};

use super::Stages;
use crate::pipeline::tables::evidence_of_copies;
use crate::pipeline::verifying::compared;

/// A verified pair.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StagePair {
    /// How they relate, seen from the earlier document.
    pub kind: Kind,
    /// How strongly.
    pub scores: Scores,
    /// The passages.
    pub evidence: Evidence,
}

/// Compares a long document with shorter ones, and then the next.
pub struct Verifier<'a> {
    stages: &'a Stages,
    profiler: Profiler,
    bench: Bench,
    long: Profile,
    short: Profile,
    found: Comparison,
}

impl Stages {
    /// Makes a verifier.
    pub fn verifier(&self) -> Verifier<'_> {
        Verifier {
            stages: self,
            profiler: Profiler::default(),
            bench: Bench::default(),
            long: Profile::default(),
            short: Profile::default(),
            found: Comparison::default(),
        }
    }

    /// Returns whether what the method says of a candidate counts.
    pub fn is_judged(&self) -> bool {
        self.is_judged
    }

    /// Returns of two documents, of which `a` comes first, which is the longer one: whether it is `a`.
    /// Of equally long ones it is.
    pub fn is_first_longer(words_of_a: u32, words_of_b: u32) -> bool {
        words_of_b <= words_of_a
    }
}

impl Verifier<'_> {
    /// Compares a long document with each of its candidates, and hands over what is related: the place
    /// of the candidate, and the pair as seen from the earlier document. Each candidate comes with its
    /// number, itself, and what the method says of the pair.
    pub fn compare<'d>(
        &mut self,
        (long, document): (u64, &Document),
        candidates: impl Iterator<Item = (u64, &'d Document, Judgement)>,
        mut each: impl FnMut(usize, StagePair),
    ) {
        let Self { stages, profiler, bench, long: held, short, found } = self;
        let (featurizer, shingles) = (&stages.featurizer, stages.detector.shingles());
        profiler.profile_into(document, featurizer, shingles, held);
        let mut bench = bench.hold(held);
        for (place, (number, document, said)) in candidates.enumerate() {
            profiler.profile_into(document, featurizer, shingles, short);
            let said = stages.is_judged.then_some(said);
            let is_held_first = long < number;
            let Some(kind) = compared(
                &mut bench,
                short,
                (stages.rule, Relations::ALL),
                said,
                is_held_first,
                found,
            ) else {
                continue;
            };
            let (a, b) = if is_held_first { (&*held, &*short) } else { (&*short, &*held) };
            let evidence = found.evidence(a, b, stages.job.passages_per_pair);
            each(place, StagePair { kind, scores: found.scores, evidence });
        }
    }

    /// Returns the evidence of a pair of copies: `x` has the words of `a`, and `y` those of `b`, which comes
    /// behind `a`. `None` if the pair is not related.
    pub fn copies(
        &mut self,
        (a, b): (&Document, &Document),
        (x, y): (&Document, &Document),
        said: Judgement,
    ) -> Option<Evidence> {
        let Self { stages, profiler, .. } = self;
        let shingles = stages.detector.shingles();
        let mut profile = |document| profiler.profile(document, &stages.featurizer, shingles);
        let (of_a, of_b, of_x, of_y) = (profile(a), profile(b), profile(x), profile(y));
        let found = if stages.is_judged {
            let mut found = align::compare(&of_b, &of_a, shingles.k(), stages.rule.edits);
            found.flip();
            Comparison { scores: said.scores, counted: None, ..found }
        } else {
            let (_, mut found) = align::judge(&of_b, &of_a, stages.rule)?;
            found.flip();
            found
        };
        let evidence = evidence_of_copies(
            &found,
            (&of_a, &of_b),
            (&of_x, &of_y),
            stages.job.passages_per_pair,
            stages.rule.edits,
        );
        Some(Evidence { counted: found.counted, ..evidence })
    }
}

/// Returns a pair with the earlier document first.
pub(super) fn candidate(a: u32, b: u32) -> Candidate {
    Candidate::new(Ordinal(a), Ordinal(b))
}
