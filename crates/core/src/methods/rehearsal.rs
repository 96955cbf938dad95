//! Tries a method out on a few texts; for the tests of methods.

use serde_json::Value;

use super::trial::related;
use super::{Method, Profile};
use crate::document::Document;
use crate::features::counts::Counts;
use crate::features::reading::Reading;
use crate::features::{Featurizer, Words};
use crate::parameters::Parameters;
use crate::relation::{Kind, Scores};

/// Makes a method with the defaults of a profile, but for the given parameters.
pub(super) fn method<M: Method>(profile: Profile, given: &[(&str, Value)]) -> M {
    let mut config =
        serde_json::to_value(M::Config::defaults(profile)).expect("a config is plain data");
    for (name, value) in given {
        assert!(config.get(name).is_some(), "there is a parameter {name}");
        config[*name] = value.clone();
    }
    M::new(serde_json::from_value(config).expect("values fit"), 1).expect("values are usable")
}

/// The documents of a trial.
pub(super) struct Rehearsal {
    documents: Vec<Document>,
    featurizer: Featurizer,
}

impl Rehearsal {
    /// Reads texts as the method does in a profile.
    pub(super) fn new<M: Method>(profile: Profile, texts: &[&str]) -> Self {
        let documents = texts.iter().map(|text| Document::plain("d", *text)).collect();
        Self { documents, featurizer: Featurizer::new(M::text(profile), 1) }
    }

    fn read<M: Method, T>(
        &self,
        counts: Option<&Counts>,
        mut look: impl FnMut(&Reading<'_>) -> T,
    ) -> Vec<T> {
        let mut words = Words::default();
        let each = self.documents.iter();
        each.map(|document| {
            self.featurizer
                .read(document, M::PLACES, counts, &mut words, |reading, _| look(reading))
        })
        .collect()
    }

    /// Returns the images of all documents.
    pub(super) fn images<M: Method>(&self, method: &M) -> Vec<Option<M::Image>> {
        let mut counts = Counts::default();
        if method.needs_counts() {
            self.read::<M, _>(None, |reading| {
                let mut features = Vec::new();
                method.count(reading, &mut |feature| features.push(feature));
                counts.add(features);
            });
        }
        self.read::<M, _>(method.needs_counts().then_some(&counts), |reading| method.image(reading))
    }

    /// Returns all pairs that the method itself relates, seen from the earlier document.
    pub(super) fn scored<M: Method>(&self, method: &M) -> Vec<(u32, u32, Kind, Scores)> {
        let mut out: Vec<(u32, u32, Kind, Scores)> = related(method, self.images(method))
            .into_iter()
            .map(|(i, partner)| {
                let (kind, scores) = (partner.kind.flipped(), partner.scores.flipped());
                (partner.ordinal.0, i as u32, kind, scores)
            })
            .collect();
        out.sort_by_key(|pair| (pair.0, pair.1));
        out
    }

    /// Returns the same without scores.
    pub(super) fn pairs<M: Method>(&self, method: &M) -> Vec<(u32, u32, Kind)> {
        self.scored(method).into_iter().map(|(a, b, kind, _)| (a, b, kind)).collect()
    }
}

/// Returns a text of its own for each number: `n` words in sentences of seven.
pub(super) fn text(number: u64, n: usize) -> String {
    let mut random = crate::hash::Random::new(number);
    let mut out = String::new();
    for i in 0..n {
        for _ in 0..3 {
            let syllable = random.below(SYLLABLES.len());
            out.push_str(SYLLABLES[syllable]);
        }
        out.push_str(if i % 7 == 6 { ". " } else { " " });
    }
    out
}

const SYLLABLES: [&str; 16] = [
    "ba", "ker", "lo", "min", "tu", "sar", "pe", "nol", "gi", "dar", "fu", "rem", "hi", "vos",
    "ca", "zel",
];
