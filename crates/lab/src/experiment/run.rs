//! Running a design: a grid of cells, each done once, in an order that does not change.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::base::Base;
use super::bench::{Bench, Trial};
use super::cell_key::CellKey;
use super::clusters::clusters_beside;
use super::design::{Counts, Design, Extent, MethodPlan, Truth};
use super::desk::Desk;
use super::error::ExperimentError;
use super::examples::{FoundBy, examples};
use super::findings::{Findings, findings};
use super::known::{Known, pairs_of};
use super::mining::{Groups, run_groups};
use super::outcome::{Cell, Record, Time, of_agreement, of_run};
use super::ranking::{of_index, of_ranking};
use super::sets::{ListedSet, Planned, planned};
use crate::error::Error;

/// Resemblance from which on a pair that only one method found is shown as one it found well.
const LEAST_NEAR: f64 = 0.5;
/// Pairs shown of each method and kind.
const MOST_EXAMPLES: usize = 3;

/// What is to be run.
pub(super) struct Request<'a> {
    pub(super) design: &'a Design,
    pub(super) extent: Extent,
    pub(super) bench: &'a Bench<'a>,
    /// Content of the work file of an earlier attempt; empty for none.
    pub(super) done: &'a str,
    /// Takes a line for the work file as soon as a cell is done.
    pub(super) append: &'a mut dyn FnMut(&str) -> Result<(), Error>,
    /// Takes the sets of the user's documents, each once, before any cell is run.
    pub(super) list: &'a mut dyn FnMut(ListedSet),
    /// Called before each cell with the number of cells done.
    pub(super) listener: &'a dyn Fn(CellsDone<'_>),
}

/// How far an experiment is.
#[derive(Clone, Copy, Debug)]
pub struct CellsDone<'a> {
    /// Cells done.
    pub n_done: usize,
    /// All cells.
    pub n_all: usize,
    /// The method of the cell that comes next; empty at the end.
    pub next: &'a str,
}

/// A cell before it is run.
struct Todo<'a> {
    key: String,
    label: &'a str,
    at: BTreeMap<String, String>,
    trial: Trial,
    /// What its pairs are compared with.
    beside: Option<Trial>,
    /// What it does instead of finding relations.
    groups: Option<Groups>,
}

/// Runs what is not done yet and puts everything together.
///
/// *Errors* if a method refuses its parameters, before anything is run; if asked to stop.
pub(super) fn run(request: Request<'_>) -> Result<Findings, Error> {
    let Request { design, extent, bench, done, append, list, listener } = request;
    let mut finished = read_work(done)?;
    // An error after the stop signal is a consequence of it and is reported as such.
    let stopped = |error: Error, done: usize, all: usize| {
        if bench.stop().is_set() { Error::StoppedExperiment { done, all } } else { error }
    };
    let mut bases = BTreeMap::new();
    for collection in design.data.collections(extent) {
        let base = Base::find(design, collection, extent, bench);
        bases.insert(collection.to_owned(), base.map_err(|error| stopped(error, 0, 0))?);
    }
    let sets = planned(design, extent, &bases)?;
    let is_new =
        |place: usize| place == 0 || sets[place - 1].documents_key() != sets[place].documents_key();
    for set in (0..sets.len()).filter(|&place| is_new(place)).map(|place| &sets[place]) {
        let listed = set.listed(design, &bases[&set.collection], &|| bench.stop().is_set());
        if let Some(listed) = listed.map_err(|error| stopped(error, 0, 0))? {
            list(listed);
        }
    }
    let mut grid = Vec::new();
    for set in &sets {
        grid.push(todo(design, extent, set, bases[&set.collection].hash())?);
    }
    let n_all = grid.iter().map(Vec::len).sum();
    let mut n_done = 0;
    let mut records = Vec::with_capacity(n_all);
    let mut desk = Desk::new(design, bench);
    for (place, (planned, cells)) in sets.iter().zip(&grid).enumerate() {
        if is_new(place) {
            desk.clear();
        }
        let mut at_hand = None;
        for cell in cells {
            let record = if let Some(record) = finished.remove(&cell.key) {
                record
            } else {
                listener(CellsDone { n_done, n_all, next: cell.label });
                if bench.stop().is_set() {
                    return Err(Error::StoppedExperiment { done: n_done, all: n_all });
                }
                let mut done = || {
                    let known = match at_hand.take() {
                        Some(known) => known,
                        None => desk.known(planned, &bases[&planned.collection])?,
                    };
                    let mut record = run_cell(&mut desk, planned, cell, &known)?;
                    // The last cell of the first set shows where two methods differ.
                    if let (0, [first, second]) = (place, cells.as_slice())
                        && cell.key == second.key
                    {
                        differing(&mut desk, [first, second], &known, &mut record.cell)?;
                    }
                    at_hand = Some(known);
                    Ok(record)
                };
                let line = line_of(&done().map_err(|error| stopped(error, n_done, n_all))?);
                append(&line)?;
                // What is used is what was written, so that a cell is the same whether it was run
                // now or before.
                read_record(&line, 0)?
            };
            records.push(record);
            n_done += 1;
        }
    }
    listener(CellsDone { n_done: n_all, n_all, next: "" });
    let described: Vec<String> = bases.values().map(Base::described).collect();
    Ok(findings(design, extent, &described.join(", "), records))
}

/// Shows where two methods differ, if the design is about that: pairs that only one of them found,
/// and the clusters of both.
fn differing(
    desk: &mut Desk<'_>,
    cells: [&Todo<'_>; 2],
    known: &Known,
    shown: &mut Cell,
) -> Result<(), Error> {
    let Some(judge) = &known.judge else { return Ok(()) };
    let mut pairs = [Vec::new(), Vec::new()];
    for (cell, pairs) in cells.iter().zip(&mut pairs) {
        *pairs = pairs_of(&desk.relations(&cell.trial)?.result, Counts::Near).iter().collect();
    }
    let found = [0, 1].map(|i| FoundBy { label: cells[i].label, pairs: &pairs[i] });
    let resemblance = |a, b| judge.runs.of(a, b).resemblance();
    let documents = &desk.set().documents;
    shown.clusters = Some(clusters_beside(documents, &found));
    shown.examples = examples(documents, found, &resemblance, LEAST_NEAR, MOST_EXAMPLES);
    Ok(())
}

fn run_cell(
    desk: &mut Desk<'_>,
    planned: &Planned,
    todo: &Todo<'_>,
    known: &Known,
) -> Result<Record, Error> {
    let mut cell = Cell {
        key: todo.key.clone(),
        method: todo.label.to_owned(),
        at: todo.at.clone(),
        set: planned.number,
        kind: planned.kind,
        n_documents: desk.set().documents.len(),
        ..Cell::default()
    };
    let mut time = Time { key: todo.key.clone(), ..Time::default() };
    if let Some(groups) = &todo.groups {
        let ran = run_groups(desk, &todo.trial, groups)?;
        for (measure, value) in &ran.figures {
            cell.put(*measure, *value);
        }
        (time.seconds, time.cpu_seconds) = (ran.seconds, ran.cpu_seconds);
        rounded(&mut cell);
        return Ok(Record { cell, time });
    }
    let set = desk.set();
    if matches!(planned.truth, Truth::Counted) {
        let index = desk.bench.index(&todo.trial, &set.documents, &set.questions)?;
        of_index(&mut cell, &mut time, &index);
    } else if !set.questions.is_empty() {
        let answered = desk.bench.ranking(&todo.trial, &set.documents, &set.questions)?;
        of_ranking(&mut cell, &mut time, &answered, &set.questions);
    } else {
        let ran = desk.relations(&todo.trial)?;
        of_run(&mut cell, &ran, known, !matches!(planned.truth, Truth::None));
        if let Some(other) = &todo.beside {
            let other = desk.relations(other)?;
            of_agreement(&mut cell, &ran.result, &other.result);
        }
        (time.seconds, time.cpu_seconds) = (ran.seconds, ran.cpu_seconds);
    }
    rounded(&mut cell);
    Ok(Record { cell, time })
}

/// Rounds measures: nine digits are more precise than any figure, and keep files small.
fn rounded(cell: &mut Cell) {
    for value in cell.measures.values_mut() {
        *value = (*value * 1e9).round() / 1e9;
    }
}

/// Lists the cells of a set.
fn todo<'a>(
    design: &'a Design,
    extent: Extent,
    set: &Planned,
    base_hash: u64,
) -> Result<Vec<Todo<'a>>, Error> {
    let mut cells = Vec::new();
    for plan in &design.methods {
        let is_meant = plan
            .on
            .iter()
            .all(|(axis, names)| set.at.get(axis).is_some_and(|name| names.contains(name)));
        if !is_meant {
            continue;
        }
        for swept in sweep(plan, extent) {
            let mut at = set.at.clone();
            let mut parameters = plan.parameters.clone();
            for axis in &plan.parameters_from {
                parameters.extend(set.parameters(design, axis)?);
            }
            for (name, value) in swept {
                for parameter in name.split('+') {
                    parameters.insert(parameter.to_owned(), value.clone());
                }
                at.insert(name.to_owned(), text_of(value));
            }
            let trial = Trial::new(&plan.method, plan.profile, &parameters, design.data.seed)?;
            let trial = Trial { is_idf_frozen: plan.is_idf_frozen, ..trial };
            let trial = trial.with_text(&plan.text)?;
            let beside = match &plan.beside {
                Some(method) => {
                    let seed = design.data.seed;
                    let other = Trial::new(method, plan.profile, &parameters, seed)?;
                    Some(other.with_text(&plan.text)?)
                }
                None => None,
            };
            let groups = plan.groups();
            let key = CellKey::new(design, set, &trial, base_hash);
            let key = key.beside(beside.as_ref()).groups(groups.as_ref()).hash();
            cells.push(Todo { key, label: &plan.label, at, trial, beside, groups });
        }
    }
    Ok(cells)
}

/// Lists the combinations of swept parameters, the last changing fastest.
fn sweep(plan: &MethodPlan, extent: Extent) -> Vec<Vec<(&str, &Value)>> {
    let mut all: Vec<Vec<(&str, &Value)>> = vec![Vec::new()];
    for (name, values) in &plan.sweep {
        let quick = plan.quick.get(name).filter(|_| extent == Extent::Quick);
        let values = quick.unwrap_or(values);
        all = all
            .iter()
            .flat_map(|taken| {
                values.iter().map(move |value| {
                    let mut taken = taken.clone();
                    taken.push((name.as_str(), value));
                    taken
                })
            })
            .collect();
    }
    all
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn line_of(record: &Record) -> String {
    let mut line = serde_json::to_string(record).expect("a record is plain data");
    line.push('\n');
    line
}

fn read_record(line: &str, number: usize) -> Result<Record, Error> {
    serde_json::from_str(line)
        .map_err(|error| ExperimentError::Work { line: number, reason: error.to_string() }.into())
}

/// Reads a work file. A last line without an end was being written when the program was stopped,
/// and is done again.
fn read_work(text: &str) -> Result<HashMap<String, Record>, Error> {
    let mut finished = HashMap::new();
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        if !line.ends_with('\n') {
            break;
        }
        let record = read_record(line, number)?;
        finished.insert(record.cell.key.clone(), record);
    }
    Ok(finished)
}
