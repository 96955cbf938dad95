//! The documents of a design, what differs between their sets, and what is true of them.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use retold::Profile;
use retold_read::Headline;
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
    /// Where the headline of a record of the collection stands. The default is a field of its own.
    #[serde(default)]
    pub headline: Headline,
    /// Field of a record of the collection that names its category, over which sets are drawn.
    #[serde(default)]
    pub category_field: Option<String>,
    /// How the documents of a set are chosen from the collection. The default is `order`.
    #[serde(default)]
    pub draw: Draw,
    /// Whether the user's documents are taken as they are, with the duplicates that are among them.
    /// The plan is then carried out only on documents drawn from the word model, which have no
    /// duplicates of their own. The default is false.
    #[serde(default)]
    pub is_natural: bool,
    /// Documents of the user's with fewer words are not used. The default is 60, less being too
    /// short to plant anything into, and 1 if they are taken as they are.
    #[serde(default)]
    pub least_words: Option<usize>,
    /// Documents of the user's with more words are not used. By default there is no limit.
    #[serde(default)]
    pub most_words: Option<usize>,
    /// Whether a line that begins with white space begins a paragraph, as in wire stories. The
    /// default is false.
    #[serde(default)]
    pub is_indented: bool,
    /// How documents are drawn from the word model.
    #[serde(default)]
    pub drawn: Drawn,
    /// Whether documents of the user's that resemble an earlier one are left out first, so that
    /// what is planted is all there is to find. The default is true; natural documents never are.
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

impl Data {
    /// Returns how many words a document of the user's must have to be used.
    pub fn n_words(&self) -> RangeInclusive<usize> {
        let least = self.least_words.unwrap_or(if self.is_natural { 1 } else { 60 });
        least..=self.most_words.unwrap_or(usize::MAX)
    }

    /// Returns the collections that an extent uses, the usual one first.
    pub fn collections(&self, extent: Extent) -> Vec<&str> {
        let values = self.axes.iter().flat_map(|axis| axis.values(extent));
        let others: BTreeSet<&str> = values
            .filter_map(|value| value.collection.as_deref())
            .filter(|name| *name != self.collection)
            .collect();
        std::iter::once(self.collection.as_str()).chain(others).collect()
    }
}

/// How the documents of a set are chosen from a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Draw {
    /// In the order of the collection: the first set has the first documents, and so on.
    #[default]
    Order,
    /// At random, from each category as many as its share of the collection; documents that are
    /// duplicates of each other stay together.
    Quota,
    /// At random, each set from one category.
    OneCategory,
}

fn yes() -> bool {
    true
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
    /// Number of sets, if this value sets it.
    pub sets: Option<usize>,
    /// Name of the collection, if it is not the usual one. Its records are read by their usual
    /// fields.
    pub collection: Option<String>,
    /// What is true with this value, where it differs: keys of `[truth]`, or all of it if it names
    /// a `kind`.
    pub truth: toml::Table,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum GivenValue {
    Named(NamedValue),
    Plain(toml::Value),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedValue {
    name: String,
    #[serde(default)]
    value: Option<toml::Value>,
    #[serde(default)]
    documents: Option<usize>,
    #[serde(default)]
    sets: Option<usize>,
    #[serde(default)]
    collection: Option<String>,
    #[serde(default)]
    truth: toml::Table,
}

impl From<GivenValue> for AxisValue {
    fn from(given: GivenValue) -> Self {
        match given {
            GivenValue::Named(given) => {
                let NamedValue { name, value, documents, sets, collection, truth } = given;
                let value = value.unwrap_or_else(|| toml::Value::String(name.clone()));
                Self { name, value, documents, sets, collection, truth }
            }
            GivenValue::Plain(value) => {
                let name = match &value {
                    toml::Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                let (documents, sets, collection) = (None, None, None);
                Self { name, value, documents, sets, collection, truth: toml::Table::new() }
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
    /// Pairs that have enough in common, counted exactly and by no method.
    Exact {
        /// What is compared.
        #[serde(default)]
        by: By,
        /// From how much on a pair is true. The default is 0.6.
        #[serde(default = "sixty")]
        least: f64,
        /// Words of a run. The default is 5.
        #[serde(default = "five")]
        k: usize,
    },
    /// As `exact`, but only pairs that one of the design's methods nominates with permissive
    /// parameters: what people could be asked to judge.
    Pool {
        /// What is compared.
        #[serde(default)]
        by: By,
        /// From how much on a pair is true. The default is 0.6.
        #[serde(default = "sixty")]
        least: f64,
        /// Words of a run. The default is 5.
        #[serde(default = "five")]
        k: usize,
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
    /// The protocol of the thesis: documents that both methods put into a cluster are duplicates,
    /// those that neither does are not. One that only one method found is a duplicate if it
    /// resembles a mate of its cluster, in place of annotators.
    Difference {
        /// From which resemblance on, each giving rows of its own; the first is the main one. The
        /// default is 0.5, 0.3, 0.7.
        #[serde(default = "judges")]
        judges: Vec<f64>,
        /// Words of a run. The default is 5.
        #[serde(default = "five")]
        k: usize,
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

fn five() -> usize {
    5
}

fn judges() -> Vec<f64> {
    vec![0.5, 0.3, 0.7]
}

impl Truth {
    /// Returns it with the keys of an axis value; one that names a `kind` replaces it.
    pub(in crate::experiment) fn with(&self, keys: &toml::Table) -> Result<Self, String> {
        let told = |error: toml::de::Error| error.message().to_owned();
        if keys.contains_key("kind") {
            return keys.clone().try_into().map_err(told);
        }
        let mut all = toml::Table::try_from(self).map_err(|error| error.to_string())?;
        all.extend(keys.clone());
        all.try_into().map_err(told)
    }
}

/// What a pair is judged by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// Share of the runs of one document that the other has; each direction by itself.
    #[default]
    Containment,
    /// Share of the runs of either that both have.
    Resemblance,
    /// Share of the words of the longer one that stay ([`edit_similarity`]), of pairs that share a
    /// run of `k` words. A pair of which at least 5 in 6 words stay shares a run of five.
    ///
    /// [`edit_similarity`]: crate::reference::ExactOverlap::edit_similarity
    Edit,
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
