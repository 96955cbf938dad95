//! Carrying a plan out.

use std::collections::BTreeSet;

use retold_core::document::Document;
use retold_core::hash;

use super::collection::Collection;
use super::counts::Counts;
use super::draw::{Draw, key};
use super::edit::{Draft, MOST_BYTES, Put};
use super::error::{GenerateError, ReplayError};
use super::log::{Entry, Log, Step};
use super::operations::{Wanted, Work, eligible, plant};
use super::plan::{Operation, Place, Plan, Query, Spread};
use super::replay::{self, digits};
use super::track::Tracked;
use super::truth::{CopiedSpan, Pair, Reference, Trace};

/// What was made of a collection.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// The collection: the inputs, if the plan keeps them, and the variants.
    pub documents: Vec<Document>,
    /// The queries.
    pub queries: Vec<Document>,
    /// The pairs that are related because of what was done.
    pub pairs: Vec<Pair>,
    /// What was copied.
    pub spans: Vec<CopiedSpan>,
    /// What was done, variants first, then queries.
    pub log: Vec<Entry>,
}

/// Carries a plan out.
pub fn make(plan: &Plan, documents: &[Document]) -> Result<Made, GenerateError> {
    make_while(plan, documents, &|| false)
}

/// Carries a plan out; ends early with an error once `is_stopped` returns true.
pub fn make_while(
    plan: &Plan,
    documents: &[Document],
    is_stopped: &dyn Fn() -> bool,
) -> Result<Made, GenerateError> {
    let collection = Collection::new(documents);
    let maker = Maker::new(plan, &collection)?;
    maker.prepare(is_stopped);
    let mut finished = Vec::with_capacity(maker.tasks().len());
    for task in maker.tasks() {
        if is_stopped() {
            return Err(GenerateError::Stopped);
        }
        finished.push(maker.make(task)?);
    }
    let made = assemble(plan, &collection, finished, is_stopped);
    if is_stopped() { Err(GenerateError::Stopped) } else { Ok(made) }
}

/// Carries a plan out document by document, in any order and on any thread.
#[derive(Debug)]
pub struct Maker<'a> {
    plan: &'a Plan,
    collection: &'a Collection,
    tasks: Vec<Task>,
}

/// One document to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Name of the document to make.
    pub output: String,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// Number of the input, of the variant in the plan, and of the copy.
    Variant(usize, usize, u32),
    /// Number of the query in the plan.
    Query(usize),
}

/// A document that was made, with all that is known of it.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The document.
    pub document: Document,
    /// What was done.
    pub entry: Entry,
    /// Where its words are from.
    pub trace: Trace,
}

impl Finished {
    /// Makes a document again from its log.
    pub fn again(entry: Entry, collection: &Collection) -> Result<Self, ReplayError> {
        let draft = replay::draft(&entry, collection)?;
        Ok(Self::new(entry, &draft, collection))
    }

    fn new(entry: Entry, draft: &Draft, collection: &Collection) -> Self {
        let document = dressed(&entry, draft.text().to_owned(), collection);
        let tracked = Tracked::made(draft, document.language.as_deref(), collection);
        let input = entry.input.as_ref().and_then(|name| collection.find(name));
        let trace = Trace::new(&entry.output, input, tracked);
        Self { document, entry, trace }
    }
}

impl<'a> Maker<'a> {
    /// Checks a plan and lists what is to be made.
    pub fn new(plan: &'a Plan, collection: &'a Collection) -> Result<Self, GenerateError> {
        plan.check()?;
        let tasks = tasks(plan, collection);
        Ok(Self { plan, collection, tasks })
    }

    /// Prepares what all documents share; ends early once `is_stopped` returns true. Without this
    /// call the first document that needs it prepares it, and cannot be stopped meanwhile.
    pub fn prepare(&self, is_stopped: &dyn Fn() -> bool) {
        let mut operations = self.plan.variants.iter().flat_map(|variant| &variant.steps);
        let replaces = |operation: &Operation| matches!(operation, Operation::ReplaceWords { .. });
        if self.plan.dictionary.is_empty() && operations.any(replaces) {
            self.collection.prepare_vocabulary(is_stopped);
        }
    }

    /// Returns what is to be made, in the order of the log.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Makes one document.
    pub fn make(&self, task: &Task) -> Result<Finished, GenerateError> {
        match task.what {
            What::Variant(number, variant, copy) => self.variant(task, number, variant, copy),
            What::Query(query) => self.query(task, query),
        }
    }

    fn variant(
        &self,
        task: &Task,
        number: usize,
        variant: usize,
        copy: u32,
    ) -> Result<Finished, GenerateError> {
        let source = self.collection.source(number);
        let numbers = [number as u64, variant as u64, u64::from(copy)];
        let mut draw = Draw::new(self.plan.seed, "variant", &numbers);
        let variant = &self.plan.variants[variant];
        let mut draft = Draft::whole(self.collection, number);
        let mut steps = Vec::with_capacity(variant.steps.len());
        let own = Some(number);
        for operation in &variant.steps {
            let mut work = self.work(own, &draft, operation, &mut draw);
            let wanted = work.want(operation);
            draft = self.done(task, &draft, operation.clone(), wanted, &mut steps)?;
        }
        let entry = Entry {
            output: task.output.clone(),
            input: Some(source.document.id.clone()),
            variant: variant.name.clone(),
            seed: self.plan.seed,
            input_hash: digits(source.hash),
            output_hash: digits(hash::bytes(draft.text().as_bytes(), 0)),
            before: Counts::of(source.text()),
            after: Counts::of(draft.text()),
            steps,
        };
        Ok(Finished::new(entry, &draft, self.collection))
    }

    fn query(&self, task: &Task, query: usize) -> Result<Finished, GenerateError> {
        let mut draw = Draw::new(self.plan.seed, "query", &[query as u64]);
        let Query { name, documents, unit, amount, places, spread } = &self.plan.queries[query];
        let mut draft = Draft::default();
        let n_wanted = *documents as usize;
        let found = {
            let mut work = Work::new(self.collection, None, &draft, &[], &mut draw);
            eligible(&mut work, *unit, *amount, n_wanted)
        };
        let mut steps = Vec::new();
        for (i, &place) in places.iter().enumerate() {
            // Subsets whose sizes differ by at most one.
            let part = |i: usize| i * found.len() / places.len();
            let chosen = match spread {
                Spread::Subsets => &found[part(i)..part(i + 1)],
                Spread::Every => &found[..],
            };
            let operation = Operation::Plant {
                sources: chosen.len() as u32,
                unit: *unit,
                amount: *amount,
                from: place,
                into: Place::End,
            };
            let mut work = Work::new(self.collection, None, &draft, &[], &mut draw);
            let mut wanted = plant(&mut work, chosen, *unit, *amount, place, Place::End);
            if i == 0 {
                wanted.note_found(found.len(), n_wanted);
            }
            draft = self.done(task, &draft, operation, wanted, &mut steps)?;
        }
        let entry = Entry {
            output: task.output.clone(),
            input: None,
            variant: name.clone(),
            seed: self.plan.seed,
            input_hash: String::new(),
            output_hash: digits(hash::bytes(draft.text().as_bytes(), 0)),
            before: Counts::default(),
            after: Counts::of(draft.text()),
            steps,
        };
        Ok(Finished::new(entry, &draft, self.collection))
    }

    fn work<'w>(
        &'w self,
        own: Option<usize>,
        draft: &'w Draft,
        operation: &Operation,
        draw: &'w mut Draw,
    ) -> Work<'w> {
        let dictionary = match operation {
            Operation::ReplaceWords { .. } if self.plan.dictionary.is_empty() => {
                self.collection.vocabulary()
            }
            _ => &self.plan.dictionary,
        };
        Work::new(self.collection, own, draft, dictionary, draw)
    }

    /// Applies what an operation wants and writes it down.
    fn done(
        &self,
        task: &Task,
        draft: &Draft,
        done: Operation,
        wanted: Wanted,
        steps: &mut Vec<Step>,
    ) -> Result<Draft, GenerateError> {
        let Wanted { edits, changed, notes } = wanted;
        // All edits come from the text they are applied to; only its size can be wrong.
        let too_large = |_| GenerateError::TooLarge { name: task.output.clone(), most: MOST_BYTES };
        let draft = draft.apply(&edits, self.collection).map_err(too_large)?;
        steps.push(Step { done, changed, edits, notes });
        Ok(draft)
    }
}

/// Makes a collection again from its log.
pub fn remake(log: &Log, documents: &[Document]) -> Result<Made, ReplayError> {
    let collection = Collection::new(documents);
    let again = |entry: &Entry| Finished::again(entry.clone(), &collection);
    let finished = log.entries.iter().map(again).collect::<Result<Vec<_>, _>>()?;
    Ok(assemble(&log.plan, &collection, finished, &|| false))
}

/// Puts together what was made; ends early once `is_stopped` returns true.
fn assemble(
    plan: &Plan,
    collection: &Collection,
    finished: Vec<Finished>,
    is_stopped: &dyn Fn() -> bool,
) -> Made {
    let mut made = Made {
        documents: Vec::new(),
        queries: Vec::new(),
        pairs: Vec::new(),
        spans: Vec::new(),
        log: Vec::with_capacity(finished.len()),
    };
    if plan.originals {
        made.documents.extend(collection.documents().cloned());
    }
    let mut traces = Vec::with_capacity(finished.len());
    for Finished { document, entry, trace } in finished {
        traces.push(trace);
        let list = if entry.is_query() { &mut made.queries } else { &mut made.documents };
        list.push(document);
        made.log.push(entry);
    }
    let reference = Reference::new(collection, &traces, plan.related, is_stopped);
    for made_document in 0..reference.len() {
        if is_stopped() {
            break;
        }
        let (pairs, spans) = reference.compare(made_document);
        made.pairs.extend(pairs);
        made.spans.extend(spans);
    }
    made
}

/// Returns the document that a text becomes: with the headline, time and so on of what it was made
/// of, or for a query with the language that all its sources have.
pub(super) fn dressed(entry: &Entry, text: String, collection: &Collection) -> Document {
    let id = entry.output.clone();
    if let Some(number) = entry.input.as_ref().and_then(|name| collection.find(name)) {
        return Document { id, text, ..collection.source(number).document.clone() };
    }
    let mut languages = BTreeSet::new();
    for put in entry.steps.iter().flat_map(|step| &step.edits).flat_map(|edit| &edit.put) {
        if let Put::Copy { from: Some(name), .. } = put
            && let Some(number) = collection.find(name)
        {
            languages.insert(collection.source(number).document.language.clone());
        }
    }
    let language = if languages.len() == 1 { languages.pop_first().flatten() } else { None };
    Document { language, ..Document::plain(id, text) }
}

/// Lists what is to be made.
fn tasks(plan: &Plan, collection: &Collection) -> Vec<Task> {
    let chosen: Vec<BTreeSet<usize>> = plan
        .variants
        .iter()
        .enumerate()
        .map(|(i, variant)| {
            // A random sample: the documents with the smallest hashes under the seed.
            let mut keys: Vec<(u64, usize)> = (0..collection.len())
                .map(|number| (key(plan.seed, "documents", &[i as u64, number as u64]), number))
                .collect();
            keys.sort_unstable();
            keys.truncate(variant.documents.of(keys.len()));
            keys.into_iter().map(|(_, number)| number).collect()
        })
        .collect();
    let mut tasks = Vec::new();
    for number in 0..collection.len() {
        let id = &collection.source(number).document.id;
        let mut n = 0;
        for (i, variant) in plan.variants.iter().enumerate() {
            for copy in 0..variant.copies {
                n += 1;
                if chosen[i].contains(&number) {
                    let output = free(format!("{id}~{n}"), collection, &BTreeSet::new());
                    tasks.push(Task { output, what: What::Variant(number, i, copy) });
                }
            }
        }
    }
    let mut taken: BTreeSet<String> = BTreeSet::new();
    if !plan.queries.is_empty() {
        taken.extend(tasks.iter().map(|task| task.output.clone()));
    }
    for (i, query) in plan.queries.iter().enumerate() {
        let output = free(query.name.clone(), collection, &taken);
        taken.insert(output.clone());
        tasks.push(Task { output, what: What::Query(i) });
    }
    tasks
}

/// Returns a name that no document has.
fn free(mut name: String, collection: &Collection, taken: &BTreeSet<String>) -> String {
    while collection.has(&name) || taken.contains(&name) {
        name.push('~');
    }
    name
}
