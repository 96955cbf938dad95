//! Other thresholds, clusters and policies for a result that is there.

use retold::{Error, Grouping, Joining, Keep, Regroup};
use serde::{Deserialize, Serialize};

use crate::problem::{Code, Problem};

/// What is to be otherwise, by the names of the options of `retold regroup`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Regrouping {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    containment: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    passage_words: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shared: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    distinctive: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    clusters: Option<Grouping>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    join: Option<Joining>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    keep: Option<Keep>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cover: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    remove_contained: Option<bool>,
    /// Whether it is decided what goes; none is as the result has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) dedup: Option<bool>,
}

/// Sets what was given: `given!(regroup, cover(cover))`.
macro_rules! given {
    ($regroup:ident $(, $set:ident($value:expr))+) => {
        $(if let Some(value) = $value {
            $regroup = $regroup.$set(value);
        })+
    };
}

impl Regrouping {
    /// Sets it.
    pub(crate) fn apply(&self, mut regroup: Regroup) -> Regroup {
        given!(
            regroup,
            containment(self.containment),
            passage_words(self.passage_words),
            shared(self.shared),
            distinctive(self.distinctive),
            clusters(self.clusters),
            join(self.join),
            keep(self.keep.clone()),
            cover(self.cover),
            remove_contained(self.remove_contained),
            deciding(self.dedup)
        );
        regroup
    }
}

/// Says why a result cannot be grouped again, without naming its folder.
pub(crate) fn refusal(error: Error, result: u64) -> Problem {
    match error {
        Error::NotEnough { reason, .. } => {
            let detail = format!(
                "result {result} cannot be regrouped so: {reason}; begin a job with \
                 `\"pairs\": \"all\"` and the thresholds that are wanted"
            );
            Problem::new(Code::NotAccepted, detail)
        }
        other => other.into(),
    }
}
