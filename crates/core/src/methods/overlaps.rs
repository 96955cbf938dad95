//! What the methods that compare sets of features have in common: parameters, checks, choices.

use serde::{Deserialize, Serialize};

use super::{Parameter, Profile, within};
use crate::candidates::overlap::{By, Decision, Limits};
use crate::error::ConfigError;
use crate::features::StopList;
use crate::features::TextSettings;
use crate::features::stem::Stem;
use crate::image::feature_set::FeatureSet;

/// What a document's share of common features is taken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Measure {
    /// Of the features of both.
    Resemblance,
    /// Of its own.
    Containment,
}

impl Measure {
    /// Returns the decision that the measure reaches a threshold.
    pub(super) fn at_least(self, threshold: f64) -> Decision {
        let by = match self {
            Self::Resemblance => By::Resemblance,
            Self::Containment => By::Containment,
        };
        Decision::new(by, threshold)
    }
}

/// Which features a document looks others up with, where it keeps only some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Asks {
    /// Those it keeps.
    Kept,
    /// All.
    All,
}

impl Asks {
    /// Makes the image of a document that keeps every so many of its features, by position.
    pub(super) fn image(self, features: Vec<u64>, every: usize) -> FeatureSet {
        let kept = features.iter().copied().step_by(every).collect();
        match self {
            Self::Kept => FeatureSet::counted(kept),
            Self::All => FeatureSet::asking(features, Some(kept)),
        }
    }
}

/// Parameters of [`Limits`].
pub(super) const LIMIT_PARAMETERS: [Parameter; 2] = [
    Parameter {
        name: "stop",
        about: "documents that share a feature beyond which it brings in only the first so many",
    },
    Parameter { name: "most_partners", about: "documents that one document may be related to" },
];

/// The parameter of [`Decision::partial_from`].
pub(super) const PARTIAL_PARAMETER: Parameter = Parameter {
    name: "partial_from",
    about: "common features from which documents below the threshold count as partial copies, \
            0 for never",
};

/// Returns the limits of a profile.
pub(super) fn limits(profile: Profile) -> Limits {
    match profile {
        Profile::Retold => Limits::PRODUCT,
        Profile::Paper => Limits::NONE,
    }
}

/// Returns how the methods compared by the CoDet paper read in a profile: there without stop words
/// and by the first five letters.
pub(super) fn codet_text(profile: Profile) -> TextSettings {
    match profile {
        Profile::Retold => TextSettings::default(),
        Profile::Paper => TextSettings {
            stop_words: StopList::Language,
            stem: Stem::FirstFive,
            ..TextSettings::default()
        },
    }
}

/// Returns an error unless the limits let something through.
pub(super) fn check_limits(limits: Limits) -> Result<(), ConfigError> {
    within("stop", limits.stop, 1..=usize::MAX)?;
    within("most_partners", limits.most_partners, 1..=usize::MAX)?;
    Ok(())
}

/// Returns an error unless a number of common features fits.
pub(super) fn n_common(name: &str, value: usize) -> Result<u32, ConfigError> {
    within(name, value, 0..=u32::MAX as usize).map(|n| n as u32)
}

/// Returns an error unless a share is above 0 and at most 1.
pub(super) fn share(name: &str, value: f64) -> Result<f64, ConfigError> {
    if value > 0.0 && value <= 1.0 {
        return Ok(value);
    }
    Err(ConfigError::value(name, "above 0 and at most 1", &value))
}

/// Returns what a method says of texts: pairs of numbers, the kind and the scores, seen from the
/// earlier text.
#[cfg(test)]
pub(super) fn judged(
    name: &str,
    profile: Profile,
    given: &[(&str, serde_json::Value)],
    texts: &[&str],
) -> Vec<(u32, u32, crate::relation::Kind, crate::relation::Scores)> {
    use crate::candidates::index::Found;
    use crate::document::{Document, Ordinal};
    use crate::features::{Featurizer, Words};

    let given = given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let detector = super::make(name, profile, &given, 1).expect("the parameters are usable");
    let featurizer = Featurizer::new((detector.spec().text)(profile), 1);
    let mut words = Words::default();
    let images: Vec<_> = texts
        .iter()
        .map(|text| {
            let document = Document::plain("d", *text);
            featurizer.read(&document, detector.places(), None, &mut words, |reading, _| {
                detector.image(reading)
            })
        })
        .collect();
    let mut index = detector.index();
    let numbered = |(i, image)| (Ordinal(i as u32), image);
    let images: Vec<_> = images.into_iter().enumerate().map(numbered).collect();
    let images = || images.iter().filter_map(|(i, image)| Some((*i, image.as_ref()?)));
    images().for_each(|(ordinal, image)| index.insert(ordinal, image));
    let mut out = Vec::new();
    for (ordinal, image) in images() {
        let mut found = Found::default();
        index.ask(image, ordinal, &mut found);
        out.extend(found.partners.into_iter().map(|partner| {
            let (kind, scores) = (partner.kind.flipped(), partner.scores.flipped());
            (partner.ordinal.0, ordinal.0, kind, scores)
        }));
    }
    out
}
