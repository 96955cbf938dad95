//! Sets: documents made according to a design, with what is true of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use retold::{Document, Kind, Profile, Scores};
use retold_core::hash;
use serde_json::Map;

use super::bench::{Bench, Trial};
use super::design::{Axis, AxisValue, Design, Extent, Truth};
use super::drawn::draw_one;
use super::error::ExperimentError;
use super::question::{Question, excuse_copies};
use crate::error::Error;
use crate::generate::{GenerateError, Plan, make_while};

/// Documents and what is true of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Set {
    pub(super) documents: Vec<Document>,
    pub(super) questions: Vec<Question>,
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
    /// Name of the collection it is made of.
    pub(super) collection: String,
    pub(super) n_documents: usize,
    /// The generator's plan with all values put in.
    pub(super) plan: toml::Table,
}

/// Where documents come from.
pub(super) enum Base {
    /// They are drawn.
    Drawn,
    /// They are the user's, by the name of their collection.
    Given(BTreeMap<String, Vec<Document>>),
}

impl Base {
    /// Looks for the user's documents.
    pub(super) fn find(design: &Design, extent: Extent, bench: &Bench<'_>) -> Result<Self, Error> {
        let size = design.size(extent);
        let largest =
            |axis: &Axis| axis.values(extent).iter().filter_map(|value| value.documents).max();
        let per_set = design.data.axes.iter().filter_map(largest).max().unwrap_or(0);
        let wanted = size.sets.saturating_mul(per_set.max(size.documents));
        let mut collections = BTreeMap::new();
        for name in design.collections(extent) {
            match Self::collection(design, name, wanted, bench)? {
                Some(documents) => collections.insert(name.to_owned(), documents),
                None => return Ok(Self::Drawn),
            };
        }
        Ok(Self::Given(collections))
    }

    /// Reads a collection of the user's; none if the user gave none.
    fn collection(
        design: &Design,
        name: &str,
        wanted: usize,
        bench: &Bench<'_>,
    ) -> Result<Option<Vec<Document>>, Error> {
        // Some will be left out as copies.
        let most = wanted.saturating_mul(2).saturating_add(100);
        let n_words = design.data.least_words..=design.data.most_words;
        let Some(mut documents) = bench.documents(name, n_words, most)? else {
            return Ok(None);
        };
        if design.data.is_indented {
            for document in &mut documents {
                document.text = document.text.replace("\n ", "\n\n ");
            }
        }
        let is_looked_at = !matches!(design.truth, Truth::None | Truth::Method { .. });
        if design.data.is_purged && is_looked_at {
            let mut is_copy = vec![false; documents.len()];
            for relation in bench.relations(&purge()?, &documents)?.result {
                is_copy[relation.b.index()] = true;
            }
            let mut copies = is_copy.into_iter();
            documents.retain(|_| !copies.next().unwrap_or(false));
        }
        documents.truncate(wanted);
        if documents.is_empty() {
            return Err(design.unusable(format!("no usable documents in `{name}`")).into());
        }
        Ok(Some(documents))
    }

    /// Returns a hash of the documents.
    pub(super) fn hash(&self) -> u64 {
        match self {
            Self::Drawn => 0,
            Self::Given(collections) => collections
                .values()
                .flatten()
                .fold(1, |sum, document| hash::mix(sum ^ hash::bytes(document.text.as_bytes(), 7))),
        }
    }

    /// Says what the documents are, for readers of the report.
    pub(super) fn described(&self) -> String {
        match self {
            Self::Drawn => "documents drawn from a word model".to_owned(),
            Self::Given(collections) => {
                let of = |(name, documents): (&String, &Vec<Document>)| {
                    format!("{} documents of `{name}`", documents.len())
                };
                collections.iter().map(of).collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// Returns the user's documents of a collection; none if they are drawn.
    fn given(&self, collection: &str) -> Option<&[Document]> {
        match self {
            Self::Drawn => None,
            Self::Given(collections) => collections.get(collection).map(Vec::as_slice),
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
        let collection = combination.iter().find_map(|(_, value)| value.collection.clone());
        let collection = collection.unwrap_or_else(|| design.data.collection.clone());
        let given = base.given(&collection);
        if let Some(documents) = given
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
        let most_sets = given
            .map_or(size.sets, |documents| size.sets.min((documents.len() / n_documents).max(1)));
        for number in 1..=most_sets {
            let (at, collection, plan) = (at.clone(), collection.clone(), plan.clone());
            sets.push(Planned { at, number, collection, n_documents, plan });
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
        let documents = match base.given(&self.collection) {
            None => {
                let numbers = (0..self.n_documents).take_while(|_| !is_stopped());
                numbers.map(|number| draw_one(number, &design.data.drawn, seed)).collect()
            }
            Some(all) => {
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
        let mut questions: Vec<Question> = made
            .queries
            .iter()
            .map(|question| {
                let known = sources.get(question.id.as_str()).cloned().unwrap_or_default();
                Question::new(question.clone(), known)
            })
            .collect();
        if let Truth::Question { passage_words } = design.truth {
            excuse_copies(&mut questions, &made.documents, passage_words);
        }
        Ok(Set { planted, questions, documents: made.documents })
    }
}
