//! What the methods that compare sets of features have in common: parameters, checks, choices.

use serde::{Deserialize, Serialize};

use crate::candidates::overlap::{By, Decision};
use crate::features::reading::Reading;
use crate::image::feature_set::FeatureSet;
use crate::relation::Kind;
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

impl Threshold {
    /// Returns the decision that documents have `common` features in common, which makes them
    /// related as `kind` says, or a share of their features, taken as `by` says.
    pub(super) fn reached(self, common: usize, kind: Kind, by: By, share: f64) -> Decision {
        match self {
            Self::Absolute => Decision::common(common as u32, kind),
            Self::Relative => Decision::new(by, share),
        }
    }
}

/// Returns from how many common features on documents are looked at as partial copies: the
/// parameter, or less where shorter passages count. Of a passage's runs, of which one in `every` is
/// kept, half may be lost to small gaps. 0 stays 0: never.
pub(super) fn partial_from(given: usize, rule: Rule, every: usize) -> u32 {
    given.min(rule.passage_words as usize / (2 * every) + 1) as u32
}

/// Returns the set with the weights of the collection, if it is weighed.
pub(super) fn weighed(set: FeatureSet, is_weighed: bool, reading: &Reading<'_>) -> FeatureSet {
    if is_weighed { set.weighed(reading.counts()) } else { set }
}
