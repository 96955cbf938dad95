//! The documents of a design, what differs between their sets, and what is true of them.

use retold::Profile;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Extent;
use crate::experiment::drawn::Drawn;

/// The documents.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// Name of the collection looked for under `--data`, or several joined by `+`; without
    /// `--data`, documents are drawn.
    pub collection: String,
    /// Documents of the user's with fewer words are not used: too short to plant anything into.
    /// The default is 60.
    #[serde(default = "sixty_words")]
    pub least_words: usize,
    /// Documents of the user's with more words are not used. By default there is no limit.
    #[serde(default = "any_words")]
    pub most_words: usize,
    /// How documents are drawn.
    #[serde(default)]
    pub drawn: Drawn,
    /// Whether a line that begins with white space begins a paragraph, as in wire stories. The
    /// default is false.
    #[serde(default)]
    pub is_indented: bool,
    /// Whether documents of the user's that resemble an earlier one are left out first, so that
    /// what is planted is all there is to find. The default is true.
    #[serde(default = "yes")]
    pub is_purged: bool,
    /// Seed of everything. The default is 1.
    #[serde(default = "one")]
    pub seed: u64,
    /// Sizes of the quick version.
    pub quick: Size,
    /// Sizes of the full version.
    pub full: Size,
    /// What is planted: a plan of the generator, in which `$name` stands for a value of an axis.
    #[serde(default)]
    pub plan: toml::Table,
    /// What differs between sets.
    #[serde(default, rename = "axis")]
    pub axes: Vec<Axis>,
}

fn yes() -> bool {
    true
}

fn sixty_words() -> usize {
    60
}

fn any_words() -> usize {
    usize::MAX
}

fn one() -> u64 {
    1
}

fn one_set() -> usize {
    1
}

/// Numbers of documents and sets.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Documents of a set, before anything is planted.
    pub documents: usize,
    /// Sets, each of other documents. The default is 1.
    #[serde(default = "one_set")]
    pub sets: usize,
}

/// An axis: something that takes several values, each in sets of its own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: Vec<AxisValue>,
    /// The values of the quick version; empty takes all.
    #[serde(default)]
    pub quick: Vec<AxisValue>,
}

impl Axis {
    /// Returns the values of an extent.
    pub fn values(&self, extent: Extent) -> &[AxisValue] {
        if extent == Extent::Quick && !self.quick.is_empty() { &self.quick } else { &self.values }
    }
}

/// A value of an axis.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "GivenValue")]
pub struct AxisValue {
    /// How it is called.
    pub name: String,
    /// What stands for `$name` in a plan.
    pub value: toml::Value,
    /// Documents of a set, if this value sets their number.
    pub documents: Option<usize>,
    /// The collection of a set, if this value sets it.
    pub collection: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum GivenValue {
    Named {
        name: String,
        #[serde(default)]
        value: Option<toml::Value>,
        #[serde(default)]
        documents: Option<usize>,
        #[serde(default)]
        collection: Option<String>,
    },
    Plain(toml::Value),
}

impl From<GivenValue> for AxisValue {
    fn from(given: GivenValue) -> Self {
        match given {
            GivenValue::Named { name, value, documents, collection } => {
                let value = value.unwrap_or_else(|| toml::Value::String(name.clone()));
                Self { name, value, documents, collection }
            }
            GivenValue::Plain(value) => {
                let name = match &value {
                    toml::Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                Self { name, value, documents: None, collection: None }
            }
        }
    }
}

/// What is true of a set.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Truth {
    /// What the generator planted.
    Planted {
        /// Which relations are looked for.
        #[serde(default)]
        counts: Counts,
        /// Least share of a planted document that counts as contained.
        #[serde(default = "sixty")]
        least: f64,
    },
    /// What a method finds, such as an exact one.
    Method {
        /// Its name.
        method: String,
        /// Whose setting.
        #[serde(default)]
        profile: Profile,
        /// Its parameters.
        #[serde(default)]
        parameters: Map<String, Value>,
        /// Which relations are looked for.
        #[serde(default)]
        counts: Counts,
    },
    /// The protocol of the thesis: what both methods find is true; where they differ, what was
    /// planted decides, in place of annotators.
    Difference {
        /// Least share of a planted pair that counts as duplicates.
        #[serde(default = "sixty")]
        least: f64,
    },
    /// The sources of each question.
    Question {
        /// Another document that holds so many words in a row of a question is a copy that the
        /// collection has of its own: to find it is neither right nor wrong. 0 for none. The
        /// default is 25.
        #[serde(default = "twenty_five")]
        passage_words: usize,
    },
    /// Nothing is looked for: features and sentences are counted, and every stage of an index is
    /// timed by itself.
    Counted,
    /// Nothing is compared, only counted and timed.
    None,
}

fn twenty_five() -> usize {
    25
}

fn sixty() -> f64 {
    0.6
}

/// Which relations count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counts {
    /// Exact copies and near-duplicates, without order.
    #[default]
    Near,
    /// Containments, each direction by itself.
    Containment,
    /// All relations, without order.
    Any,
}
