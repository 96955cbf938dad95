//! What the methods that compare sets of features have in common: parameters, checks, choices.

use serde::{Deserialize, Serialize};

use super::{Parameter, Profile, within};
use crate::candidates::overlap::{By, Decision, Limits};
use crate::error::ConfigError;
use crate::features::StopList;
use crate::features::TextSettings;
use crate::features::stem::Stem;
use crate::image::feature_set::FeatureSet;
use crate::verify::rule::Rule;

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

/// Whether a threshold is a number of common features or a share of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Threshold {
    /// A number. A document of fewer features is related to nobody.
    Absolute,
    /// A share of a document's features.
    Relative,
}

/// Returns an error unless a number of common features is at least 1.
pub(super) fn common(name: &str, value: usize) -> Result<u32, ConfigError> {
    within(name, value, 1..=u32::MAX as usize).map(|n| n as u32)
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

/// Returns from how many common features on documents are looked at as partial copies: the
/// parameter, or less where shorter passages count. Of a passage's runs, of which one in `every` is
/// kept, half may be lost to small gaps. 0 stays 0: never.
pub(super) fn partial_from(given: usize, rule: Rule, every: usize) -> Result<u32, ConfigError> {
    let given = within("partial_from", given, 0..=u32::MAX as usize)?;
    Ok(given.min(rule.passage_words as usize / (2 * every) + 1) as u32)
}

/// Returns an error unless a share is above 0 and at most 1.
pub(super) fn share(name: &str, value: f64) -> Result<f64, ConfigError> {
    if value > 0.0 && value <= 1.0 {
        return Ok(value);
    }
    Err(ConfigError::value(name, "above 0 and at most 1", &value))
}

/// Returns what a method says of texts: pairs of numbers, the kind and the scores, seen from the
/// earlier text. All texts are there before the first one asks.
#[cfg(test)]
pub(super) fn judged(
    name: &str,
    profile: Profile,
    given: &[(&str, serde_json::Value)],
    texts: &[&str],
) -> Vec<Said> {
    ask(name, profile, given, texts, texts.len())
}

/// A pair, its kind and its scores, seen from the earlier text.
#[cfg(test)]
pub(super) type Said = (u32, u32, crate::relation::Kind, crate::relation::Scores);

/// Returns what a method says of texts of which the first `n_before` are there before any asks;
/// each of the others comes when it asks.
#[cfg(test)]
fn ask(
    name: &str,
    profile: Profile,
    given: &[(&str, serde_json::Value)],
    texts: &[&str],
    n_before: usize,
) -> Vec<Said> {
    use crate::candidates::index::Found;
    use crate::document::{Document, Ordinal};
    use crate::features::{Featurizer, Words};

    let given = given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let detector = super::make(name, profile, &given, 1).expect("the parameters are usable");
    let featurizer = Featurizer::new((detector.spec().text)(profile), 1);
    let mut words = Words::default();
    let mut image = |text: &&str| {
        let document = Document::plain("d", *text);
        featurizer.read(&document, detector.places(), None, &mut words, |reading, _| {
            detector.image(reading)
        })
    };
    let images: Vec<_> = (0..).map(Ordinal).zip(texts.iter().map(&mut image)).collect();
    let mut index = detector.index();
    let mut out = Vec::new();
    for (ordinal, image) in images.iter().take(n_before) {
        if let Some(image) = image {
            index.insert(*ordinal, image);
        }
    }
    for (ordinal, image) in &images {
        let Some(image) = image else { continue };
        if ordinal.index() >= n_before {
            index.insert(*ordinal, image);
        }
        let mut found = Found::default();
        index.ask(image, *ordinal, &mut found);
        out.extend(found.partners.into_iter().map(|partner| {
            let (kind, scores) = (partner.kind.flipped(), partner.scores.flipped());
            (partner.ordinal.0, ordinal.0, kind, scores)
        }));
    }
    out
}

/// Returns a text of numbered words, with a space after each.
#[cfg(test)]
pub(super) fn text(numbers: impl IntoIterator<Item = u32>) -> String {
    let words: Vec<String> = numbers.into_iter().map(|i| format!("w{i} ")).collect();
    words.concat()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::hash::Random;

    #[test]
    fn asking_one_after_the_other_equals_asking_when_all_are_there() {
        let mut random = Random::new(8);
        let mut texts: Vec<Vec<u32>> = Vec::new();
        for i in 0..60 {
            let mut words: Vec<u32> =
                (0..200 + random.below(200)).map(|_| random.below(5000) as u32).collect();
            if i % 2 == 1 {
                let earlier = &texts[random.below(i)];
                let start = random.below(earlier.len() / 2);
                words.truncate(random.below(120));
                words.extend(&earlier[start..]);
            }
            texts.push(words);
        }
        let texts: Vec<String> = texts.into_iter().map(text).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let names = [
            "resemblance",
            "containment",
            "dsc",
            "dsc-positional",
            "dsc-ss",
            "sg-63",
            "sg-63-sym",
            "full-fp",
            "winnowing",
            "conrad-schriber",
            "ffp",
        ];
        for name in names {
            for profile in Profile::ALL {
                // Weights by idf change with every document; all else may not.
                let is_weighed = name.starts_with("sg") || name == "full-fp";
                let given: &[_] = if is_weighed { &[("weights", json!("uniform"))] } else { &[] };
                let together = judged(name, profile, given, &texts);
                assert_eq!(ask(name, profile, given, &texts, 0), together, "{name}");
                let is_rare = matches!(name, "dsc-ss" | "conrad-schriber" | "sg-63-sym");
                assert!(together.len() > if is_rare { 0 } else { 5 }, "{name}: {}", together.len());
            }
        }
    }
}
