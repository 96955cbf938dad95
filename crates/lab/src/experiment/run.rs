//! Running a design: a grid of cells, each done once, in an order that does not change.

use std::collections::{BTreeMap, HashMap};
use std::io;

use retold_core::hash;
use serde_json::{Value, json};

use super::design::{Design, Extent, MethodPlan, Truth};
use super::error::ExperimentError;
use super::findings::{Findings, findings};
use super::outcome::{Cell, Known, Record, Time, of_answer, of_run};
use super::sets::{Base, Planned, planned};
use super::workbench::{CellJob, Workbench};

/// Changes whenever cells of an earlier version may no longer be used.
const VERSION: u32 = 1;

/// What is to be run.
pub struct Request<'a> {
    /// The design.
    pub design: &'a Design,
    /// How much of it.
    pub extent: Extent,
    /// What runs methods.
    pub bench: &'a dyn Workbench,
    /// What stands in the work file of an earlier attempt; empty for none.
    pub done: &'a str,
    /// Takes a line for the work file as soon as a cell is done.
    pub append: &'a mut dyn FnMut(&str) -> io::Result<()>,
    /// Hears of progress.
    pub watch: &'a dyn Watch,
}

/// Hears of progress and may ask to stop.
pub trait Watch {
    /// So many cells are done; `what` comes next.
    fn at(&self, _done: usize, _all: usize, _what: &str) {}
    /// Returns whether to stop; a cell under way is dropped. Once it is so, it stays so.
    fn is_stopped(&self) -> bool {
        false
    }
}

impl Watch for () {}

/// A cell before it is run.
struct Todo<'a> {
    key: String,
    label: &'a str,
    at: BTreeMap<String, String>,
    job: CellJob,
}

/// Runs what is not done yet and puts everything together.
///
/// # Errors
/// If a method refuses its parameters, before anything is run; if asked to stop. A workbench that
/// hears of the same wish ends the run under way with any error.
pub fn run(request: Request<'_>) -> Result<Findings, ExperimentError> {
    let Request { design, extent, bench, done, append, watch } = request;
    let mut finished = read_work(done)?;
    // What goes wrong once the experiment is to stop does so because of that.
    let stopped = |error: ExperimentError, done: usize, all: usize| {
        if watch.is_stopped() { ExperimentError::Stopped { done, all } } else { error }
    };
    let base = Base::find(design, extent, bench).map_err(|error| stopped(error, 0, 0))?;
    let sets = planned(design, extent, &base);
    let mut grid = Vec::new();
    for set in &sets {
        let cells = todo(design, extent, set, base.hash());
        for cell in &cells {
            bench.check(&cell.job)?;
        }
        grid.push(cells);
    }
    let all = grid.iter().map(Vec::len).sum();
    let mut n_done = 0;
    let mut records = Vec::with_capacity(all);
    for (planned, cells) in sets.iter().zip(&grid) {
        let mut at_hand = None;
        for cell in cells {
            let record = if let Some(record) = finished.remove(&cell.key) {
                record
            } else {
                watch.at(n_done, all, cell.label);
                if watch.is_stopped() {
                    return Err(ExperimentError::Stopped { done: n_done, all });
                }
                if at_hand.is_none() {
                    let prepared = prepare(design, planned, &base, bench, watch);
                    at_hand = Some(prepared.map_err(|error| stopped(error, n_done, all))?);
                }
                let (set, known) = at_hand.as_ref().expect("just prepared");
                let record = run_cell(design, planned, cell, set, known, bench);
                let line = line_of(&record.map_err(|error| stopped(error, n_done, all))?);
                append(&line).map_err(ExperimentError::Write)?;
                // What is used is what was written, so that a cell is the same whether it was run
                // now or before.
                read_record(&line, 0)?
            };
            records.push(record);
            n_done += 1;
        }
    }
    watch.at(all, all, "");
    Ok(findings(design, extent, &base.told(design), records))
}

fn prepare(
    design: &Design,
    planned: &Planned,
    base: &Base,
    bench: &dyn Workbench,
    watch: &dyn Watch,
) -> Result<(super::sets::Set, Known), ExperimentError> {
    let set = planned.make(design, base, &|| watch.is_stopped())?;
    let said = match &design.truth {
        Truth::Method { method, profile, parameters, .. } => {
            let job = CellJob {
                method: method.clone(),
                profile: *profile,
                parameters: parameters.clone(),
                seed: design.data.seed,
                is_idf_frozen: false,
            };
            Some(bench.relations(&job, &set.documents)?.relations)
        }
        _ => None,
    };
    let known = Known::new(&design.truth, &set, said.as_deref());
    Ok((set, known))
}

fn run_cell(
    design: &Design,
    planned: &Planned,
    todo: &Todo<'_>,
    set: &super::sets::Set,
    known: &Known,
    bench: &dyn Workbench,
) -> Result<Record, ExperimentError> {
    let mut cell = Cell {
        key: todo.key.clone(),
        method: todo.label.to_owned(),
        at: todo.at.clone(),
        set: planned.number,
        n_documents: set.documents.len(),
        ..Cell::default()
    };
    let mut time = Time { key: todo.key.clone(), ..Time::default() };
    if let Some((question, relevant)) = set.questions.first() {
        let answered = bench.answers(&todo.job, &set.documents, question)?;
        of_answer(&mut cell, &answered, relevant);
        (time.seconds, time.cpu_seconds) = (answered.seconds, answered.cpu_seconds);
    } else {
        let ran = bench.relations(&todo.job, &set.documents)?;
        of_run(&mut cell, &ran, known, !matches!(design.truth, Truth::None));
        (time.seconds, time.cpu_seconds) = (ran.seconds, ran.cpu_seconds);
    }
    // Nine digits are more than any figure is worth, and keep files small.
    for value in cell.measures.values_mut() {
        *value = (*value * 1e9).round() / 1e9;
    }
    Ok(Record { cell, time })
}

/// Lists the cells of a set.
fn todo<'a>(design: &'a Design, extent: Extent, set: &Planned, base_hash: u64) -> Vec<Todo<'a>> {
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
            for (name, value) in swept {
                for parameter in name.split('+') {
                    parameters.insert(parameter.to_owned(), value.clone());
                }
                at.insert(name.to_owned(), told(value));
            }
            let job = CellJob {
                method: plan.method.clone(),
                profile: plan.profile,
                parameters,
                seed: design.data.seed,
                is_idf_frozen: plan.is_idf_frozen,
            };
            let key = key(design, set, &job, base_hash);
            cells.push(Todo { key, label: &plan.label, at, job });
        }
    }
    cells
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

fn told(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns the hash of everything a cell depends on.
fn key(design: &Design, set: &Planned, job: &CellJob, base_hash: u64) -> String {
    let drawn = &design.data.drawn;
    let all = json!({
        "version": VERSION,
        "experiment": design.name,
        "method": job.method,
        "profile": job.profile.name(),
        "parameters": job.parameters,
        "is_idf_frozen": job.is_idf_frozen,
        "seed": design.data.seed,
        "truth": format!("{:?}", design.truth),
        "at": set.at,
        "set": set.number,
        "documents": set.n_documents,
        "drawn": [drawn.least_words, drawn.most_words, drawn.vocabulary],
        "plan": format!("{:?}", set.plan),
        "base": base_hash,
    });
    let text = all.to_string();
    format!("{:016x}{:016x}", hash::bytes(text.as_bytes(), 1), hash::bytes(text.as_bytes(), 2))
}

fn line_of(record: &Record) -> String {
    let mut line = serde_json::to_string(record).expect("a record is plain data");
    line.push('\n');
    line
}

fn read_record(line: &str, number: usize) -> Result<Record, ExperimentError> {
    serde_json::from_str(line)
        .map_err(|error| ExperimentError::Work { line: number, reason: error.to_string() })
}

/// Reads a work file. A last line without an end was being written when the program was stopped,
/// and is done again.
fn read_work(text: &str) -> Result<HashMap<String, Record>, ExperimentError> {
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
