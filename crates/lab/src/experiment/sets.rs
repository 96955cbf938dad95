//! Sets: documents made according to a design, with what is true of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use retold::{Document, Kind, Profile, Scores};
use retold_core::hash;
use serde_json::Map;

use super::bench::{Bench, Trial};
use super::design::{Axis, AxisValue, Design, Extent, Truth};
use super::drawn::draw_one;
use super::error::ExperimentError;
use crate::error::Error;
use crate::generate::{GenerateError, Plan, make_while};

/// Documents of the user with fewer words are not used: too short to plant anything into.
const LEAST_WORDS: usize = 60;

/// Documents and what is true of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Set {
    pub(super) documents: Vec<Document>,
    /// Questions, each with the documents that should be found.
    pub(super) questions: Vec<(Document, Vec<u32>)>,
    pub(super) planted: Vec<Planted>,
}

/// A pair that was planted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Planted {
    pub(super) a: u32,
    pub(super) b: u32,
    /// How they are related, seen from `a`, by the default rule.
    pub(super) relation: Option<Kind>,
    pub(super) scores: Scores,
    /// Whether one was made from the other; otherwise one only holds a passage of the other.
    pub(super) is_made_of: bool,
}

/// A set before it is made.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    /// Value of each axis.
    pub(super) at: BTreeMap<String, String>,
    /// Number of the set, from 1.
    pub(super) number: usize,
    pub(super) n_documents: usize,
    /// The generator's plan with all values put in.
    pub(super) plan: toml::Table,
}

/// Where documents come from.
pub(super) enum Base {
    /// They are drawn.
    Drawn,
    /// They are the user's.
    Given(Vec<Document>),
}

impl Base {
    /// Looks for the user's documents.
    pub(super) fn find(design: &Design, extent: Extent, bench: &Bench<'_>) -> Result<Self, Error> {
        let size = design.size(extent);
        let largest =
            |axis: &Axis| axis.values(extent).iter().filter_map(|value| value.documents).max();
        let per_set = design.data.axes.iter().filter_map(largest).max().unwrap_or(0);
        let wanted = size.sets.saturating_mul(per_set.max(size.documents));
        // Some will be too short or be left out as copies.
        let most = wanted.saturating_mul(2).saturating_add(100);
        let Some(mut documents) = bench.documents(&design.data.collection, most)? else {
            return Ok(Self::Drawn);
        };
        documents.retain(|document| {
            document.text.split_whitespace().take(LEAST_WORDS).count() == LEAST_WORDS
        });
        if design.data.is_purged && !matches!(design.truth, Truth::None | Truth::Method { .. }) {
            let mut is_copy = vec![false; documents.len()];
            for relation in bench.relations(&purge()?, &documents)?.result {
                is_copy[relation.b.index()] = true;
            }
            let mut copies = is_copy.into_iter();
            documents.retain(|_| !copies.next().unwrap_or(false));
        }
        documents.truncate(wanted);
        if documents.is_empty() {
            let collection = &design.data.collection;
            return Err(design.unusable(format!("no usable documents in `{collection}`")).into());
        }
        Ok(Self::Given(documents))
    }

    /// Returns a hash of the documents.
    pub(super) fn hash(&self) -> u64 {
        match self {
            Self::Drawn => 0,
            Self::Given(documents) => documents
                .iter()
                .fold(1, |sum, document| hash::mix(sum ^ hash::bytes(document.text.as_bytes(), 7))),
        }
    }

    /// Says what the documents are, for readers of the report.
    pub(super) fn described(&self, design: &Design) -> String {
        match self {
            Self::Drawn => "documents drawn from a word model".to_owned(),
            Self::Given(documents) => {
                format!("{} documents of `{}`", documents.len(), design.data.collection)
            }
        }
    }
}

/// Returns how copies are found that a collection had before anything was planted: by all runs of
/// words and with low thresholds, so that such copies count as false alarms for no method.
fn purge() -> Result<Trial, Error> {
    let parameters = [("k", 5.into()), ("containment", 0.4.into()), ("passage_words", 25.into())];
    let named = parameters.map(|(name, value)| (name.to_owned(), value));
    Ok(Trial::new("full-fingerprint", Profile::Retold, &Map::from_iter(named), 1)?)
}

/// Lists the sets of a design: every combination of the values of its axes, but for sizes that the
/// user's collection does not reach.
pub(super) fn planned(design: &Design, extent: Extent, base: &Base) -> Vec<Planned> {
    let size = design.size(extent);
    let mut combinations: Vec<Vec<(&str, &AxisValue)>> = vec![Vec::new()];
    for axis in &design.data.axes {
        combinations = combinations
            .iter()
            .flat_map(|taken| {
                axis.values(extent).iter().map(move |value| {
                    let mut taken = taken.clone();
                    taken.push((axis.name.as_str(), value));
                    taken
                })
            })
            .collect();
    }
    let mut sets = Vec::new();
    let of = |combination: &[(&str, &AxisValue)]| {
        combination.iter().find_map(|(_, value)| value.documents).unwrap_or(size.documents)
    };
    let n_least = combinations.iter().map(|combination| of(combination)).min().unwrap_or(0);
    for combination in combinations {
        let n_documents = of(&combination);
        if let Base::Given(documents) = base
            && n_documents > documents.len().max(n_least)
        {
            continue;
        }
        let values: HashMap<&str, &toml::Value> =
            combination.iter().map(|(name, value)| (*name, &value.value)).collect();
        let plan = filled(&design.data.plan, &values);
        let at: BTreeMap<String, String> = combination
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.name.clone()))
            .collect();
        let most_sets = match base {
            Base::Drawn => size.sets,
            Base::Given(documents) => size.sets.min((documents.len() / n_documents).max(1)),
        };
        for number in 1..=most_sets {
            sets.push(Planned { at: at.clone(), number, n_documents, plan: plan.clone() });
        }
    }
    sets
}

/// Puts values in for `$name`, wherever it stands alone.
fn filled(table: &toml::Table, values: &HashMap<&str, &toml::Value>) -> toml::Table {
    table.iter().map(|(key, value)| (key.clone(), filled_value(value, values))).collect()
}

fn filled_value(value: &toml::Value, values: &HashMap<&str, &toml::Value>) -> toml::Value {
    match value {
        toml::Value::String(text) => match text.strip_prefix('$').and_then(|n| values.get(n)) {
            // A value may name other values.
            Some(&found) if found != value => filled_value(found, values),
            _ => value.clone(),
        },
        toml::Value::Array(all) => {
            toml::Value::Array(all.iter().map(|one| filled_value(one, values)).collect())
        }
        toml::Value::Table(table) => toml::Value::Table(filled(table, values)),
        other => other.clone(),
    }
}

impl Planned {
    /// Makes the set; ends early with an error once `is_stopped` returns true.
    pub(super) fn make(
        &self,
        design: &Design,
        base: &Base,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Set, Error> {
        let unmade = |source| ExperimentError::Generate { name: design.name.clone(), source };
        let seed = hash::mix(design.data.seed ^ hash::mix(self.number as u64));
        let documents = match base {
            Base::Drawn => {
                let numbers = (0..self.n_documents).take_while(|_| !is_stopped());
                numbers.map(|number| draw_one(number, &design.data.drawn, seed)).collect()
            }
            Base::Given(all) => {
                let from = ((self.number - 1) * self.n_documents).min(all.len());
                let to = (from + self.n_documents).min(all.len());
                all[from..to].to_vec()
            }
        };
        if is_stopped() {
            return Err(unmade(GenerateError::Stopped).into());
        }
        if self.plan.is_empty() {
            return Ok(Set { documents, ..Set::default() });
        }
        let plan: Plan = self.plan.clone().try_into().map_err(|error: toml::de::Error| {
            design.unusable(format!("plan: {}", error.message()))
        })?;
        let plan = Plan { seed, ..plan };
        let made = plan
            .check()
            .and_then(|()| make_while(&plan, &documents, is_stopped))
            .map_err(unmade)?;
        let numbers: HashMap<&str, u32> =
            made.documents.iter().map(|document| document.id.as_str()).zip(0..).collect();
        let made_of: BTreeSet<(&str, &str)> = made
            .log
            .iter()
            .filter_map(|entry| Some((entry.input.as_deref()?, entry.output.as_str())))
            .collect();
        let mut planted = Vec::new();
        let mut sources: HashMap<&str, Vec<u32>> = HashMap::new();
        for pair in &made.pairs {
            match (numbers.get(&*pair.a), numbers.get(&*pair.b)) {
                (Some(&a), Some(&b)) => {
                    let is_made_of = made_of.contains(&(&*pair.a, &*pair.b));
                    let (relation, scores) = (pair.relation, pair.scores);
                    planted.push(Planted { a, b, relation, scores, is_made_of });
                }
                (Some(&a), None) => sources.entry(&pair.b).or_default().push(a),
                (None, Some(&b)) => sources.entry(&pair.a).or_default().push(b),
                (None, None) => {}
            }
        }
        let questions = made
            .queries
            .iter()
            .map(|question| {
                let known = sources.get(question.id.as_str()).cloned().unwrap_or_default();
                (question.clone(), known)
            })
            .collect();
        Ok(Set { planted, questions, documents: made.documents })
    }
}
