//! Sets: documents made according to a design, with what is true of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use retold::{Document, Kind, Scores};
use retold_core::hash;
use serde::Serialize;
use serde_json::{Map, Value};

use super::base::{Base, Given};
use super::design::{AxisValue, Design, Extent, Size, Truth};
use super::drawing::{Chosen, Drawing, SetKind};
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
    pub(super) n_documents: usize,
    pub(super) kind: SetKind,
    /// Name of the collection.
    pub(super) collection: String,
    /// The documents of the collection that make it up; none if they are drawn for it.
    pub(super) chosen: Option<Vec<u32>>,
    /// The generator's plan with all values put in; empty if nothing is planted.
    pub(super) plan: toml::Table,
    /// What is true of it.
    pub(super) truth: Truth,
    /// The values of axes that documents depend on. Sets with equal ones have equal documents.
    pub(super) of: BTreeMap<String, String>,
}

/// A set as it is listed for other programs: which documents, in which order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedSet {
    /// Name of the design.
    pub design: String,
    /// Name of the collection.
    pub collection: String,
    /// Values of the axes that its documents depend on.
    pub at: BTreeMap<String, String>,
    /// Number of the set, from 1.
    pub set: usize,
    /// Whether it shares documents with others.
    pub kind: SetKind,
    /// Ids of its documents, in order.
    pub ids: Vec<String>,
    /// The questions that are asked of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<ListedQuestion>,
}

/// A question as it is listed for other programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedQuestion {
    /// Its text.
    pub text: String,
    /// Ids of the documents that should be found.
    pub relevant: Vec<String>,
    /// Ids of documents that are neither right nor wrong.
    pub excused: Vec<String>,
}

impl Planned {
    /// Returns what the documents depend on.
    pub(super) fn documents_key(&self) -> (&str, &BTreeMap<String, String>, usize) {
        (&self.collection, &self.of, self.number)
    }

    /// Returns the parameters that the value of an axis stands for.
    pub(super) fn parameters(
        &self,
        design: &Design,
        axis: &str,
    ) -> Result<Map<String, Value>, Error> {
        let named = self.at.get(axis);
        let axes = design.data.axes.iter().filter(|one| one.name == axis);
        let values = axes.flat_map(|one| one.values.iter().chain(&one.quick));
        let value = values.into_iter().find(|value| Some(&value.name) == named);
        let table = value.map(|value| serde_json::to_value(&value.value));
        match table {
            Some(Ok(Value::Object(table))) => Ok(table),
            _ => Err(design.unusable(format!("values of axis `{axis}` must be tables")).into()),
        }
    }

    /// Lists its documents and questions, if the documents are the user's and nothing is planted
    /// among them.
    pub(super) fn listed(
        &self,
        design: &Design,
        base: &Base,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Option<ListedSet>, Error> {
        let has_questions = matches!(self.truth, Truth::Question { .. });
        if matches!(base, Base::Drawn) || !(self.plan.is_empty() || has_questions) {
            return Ok(None);
        }
        let set = self.make(design, base, is_stopped)?;
        let ids: Vec<String> = set.documents.iter().map(|document| document.id.clone()).collect();
        let named = |numbers: &mut dyn Iterator<Item = u32>| {
            let mut numbers: Vec<u32> = numbers.collect();
            numbers.sort_unstable();
            numbers.into_iter().map(|number| ids[number as usize].clone()).collect()
        };
        let listed = |question: &Question| ListedQuestion {
            text: question.document.text.clone(),
            relevant: named(&mut question.relevant.iter().copied()),
            excused: named(&mut question.excused.iter().copied()),
        };
        Ok(Some(ListedSet {
            design: design.name.clone(),
            collection: self.collection.clone(),
            at: self.of.clone(),
            set: self.number,
            kind: self.kind,
            questions: set.questions.iter().map(listed).collect(),
            ids,
        }))
    }
}

/// Lists the sets of a design: every combination of the values of its axes, but for sizes that the
/// user's collection does not reach.
pub(super) fn planned(
    design: &Design,
    extent: Extent,
    bases: &BTreeMap<String, Base>,
) -> Result<Vec<Planned>, Error> {
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
    let n_documents = |combination: &[(&str, &AxisValue)]| {
        combination.iter().find_map(|(_, value)| value.documents).unwrap_or(size.documents)
    };
    let n_least = combinations.iter().map(|combination| n_documents(combination)).min();
    let mut sets = Vec::new();
    for combination in combinations {
        let given = combination.iter().find_map(|(_, value)| value.collection.as_ref());
        let collection = given.unwrap_or(&design.data.collection);
        let base = &bases[collection];
        let size = Size {
            documents: n_documents(&combination),
            sets: combination.iter().find_map(|(_, value)| value.sets).unwrap_or(size.sets),
        };
        if let Base::Given(given) = base
            && size.documents > given.documents.len().max(n_least.unwrap_or(0))
        {
            continue;
        }
        sets.extend(of_combination(design, &combination, collection, base, size)?);
    }
    // Sets with the same documents follow each other, so that these are made only once.
    let mut first: HashMap<_, usize> = HashMap::new();
    for (place, set) in sets.iter().enumerate() {
        let (collection, of, number) = set.documents_key();
        first.entry((collection.to_owned(), of.clone(), number)).or_insert(place);
    }
    sets.sort_by_cached_key(|set: &Planned| {
        let (collection, of, number) = set.documents_key();
        first[&(collection.to_owned(), of.clone(), number)]
    });
    Ok(sets)
}

/// Lists the sets of one combination.
fn of_combination(
    design: &Design,
    combination: &[(&str, &AxisValue)],
    collection: &str,
    base: &Base,
    size: Size,
) -> Result<Vec<Planned>, Error> {
    let data = &design.data;
    let values: HashMap<&str, &toml::Value> =
        combination.iter().map(|(name, value)| (*name, &value.value)).collect();
    let is_as_it_is = data.is_natural && matches!(base, Base::Given(_));
    let plan = if is_as_it_is { toml::Table::new() } else { filled(&data.plan, &values) };
    let named = |(name, value): &(&str, &AxisValue)| ((*name).to_owned(), value.name.clone());
    // A value may name other values.
    let plan_text =
        values.values().fold(data.plan.to_string(), |text, value| text + &value.to_string());
    let makes_documents = |(name, value): &&(&str, &AxisValue)| {
        let is_planted = !plan.is_empty() && plan_text.contains(&format!("${name}"));
        is_planted || value.documents.is_some() || value.collection.is_some()
    };
    let mut truth = design.truth.clone();
    for (_, value) in combination {
        truth = truth.with(&value.truth).map_err(|reason| design.unusable(reason))?;
    }
    let (n_sets, size) = (size.sets, size.documents);
    let drawing = Drawing { draw: data.draw, n_sets, size, seed: data.seed };
    let sets = match base.choose(&drawing) {
        Some(sets) => sets.into_iter().map(Some).collect(),
        None => vec![None; n_sets],
    };
    let planned = sets.into_iter().zip(1..).map(|(chosen, number)| Planned {
        at: combination.iter().map(named).collect(),
        number,
        n_documents: chosen.as_ref().map_or(size, |chosen: &Chosen| chosen.documents.len()),
        kind: chosen.as_ref().map_or(SetKind::Disjoint, |chosen| chosen.kind),
        collection: collection.to_owned(),
        chosen: chosen.map(|chosen| chosen.documents),
        plan: plan.clone(),
        truth: truth.clone(),
        of: combination.iter().filter(makes_documents).map(named).collect(),
    });
    Ok(planned.collect())
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
            Base::Given(Given { documents, .. }) => {
                let chosen = self.chosen.iter().flatten();
                chosen.map(|&i| documents[i as usize].clone()).collect()
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
        if let Truth::Question { passage_words } = self.truth {
            excuse_copies(&mut questions, &made.documents, passage_words);
        }
        Ok(Set { planted, questions, documents: made.documents })
    }
}
