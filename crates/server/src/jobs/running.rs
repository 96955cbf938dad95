//! What each kind of job does.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use retold::{Dedup, Files, Find, Index, ReadOptions, Regroup, Resources, Source, Tables};
use retold_browse::{Browser, ResultTable};
use serde_json::{Value, json};

use super::progress::Live;
use super::{Kind, Record, Wanted, refusal};
use crate::collections::Collections;
use crate::metrics::Metrics;
use crate::notices::Notices;
use crate::problem::{Code, Problem};
use crate::reading;
use crate::store::Store;

/// Documents of a file that are written together.
const TOGETHER: usize = 1_000;

/// What jobs work with.
pub(super) struct Surroundings {
    pub(super) store: Arc<Store>,
    pub(super) collections: Arc<Collections>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) notices: Arc<Notices>,
    pub(super) results: PathBuf,
    pub(super) read: ReadOptions,
    pub(super) threads: usize,
    pub(super) memory: u64,
    pub(super) runtime: tokio::runtime::Handle,
}

/// Where the documents of a job come from.
enum Documents {
    Files(PathBuf),
    /// A state of a collection, by its name.
    Index(Arc<Index>, String),
}

impl Surroundings {
    /// Does a job; returns what is told of it.
    pub(super) fn run(&self, record: &Record, live: &Arc<Live>) -> Result<Value, Problem> {
        let mut resources =
            Resources::new().threads(self.threads).progress(Arc::clone(live)).stop(&live.stop);
        if self.memory > 0 {
            resources = resources.memory(self.memory);
        }
        match record.wanted.kind {
            Kind::Find | Kind::Dedup => self.search(record, &resources, live),
            Kind::Import => self.import(&record.wanted, live),
            Kind::Regroup => self.regroup(record, &resources, live),
        }
    }

    fn search(
        &self,
        record: &Record,
        resources: &Resources,
        live: &Arc<Live>,
    ) -> Result<Value, Problem> {
        let wanted = &record.wanted;
        let found = self.begun(record.number)?;
        let mut tables = Tables::new(&found).overwrite(true);
        let job = wanted.settings.clone();
        let against = wanted.against.as_deref().map(|name| self.index(name)).transpose()?;
        let against = match against {
            None => None,
            Some(index) => {
                let method = job.method().to_owned();
                let has_method = index.jobs().any(|other| other.method() == method);
                Some((Index::open(index.path())?, has_method.then_some(method)))
            }
        };
        let outcome = match (self.documents(wanted)?, wanted.kind) {
            (Documents::Files(path), Kind::Dedup) => {
                deduplicated(Files::new([path]), against, job, resources, &mut tables)
            }
            (Documents::Files(path), _) => {
                found_in(Files::new([path]), against, job, resources, &mut tables)
            }
            (Documents::Index(index, name), Kind::Dedup) => {
                deduplicated(index.source_named(&name)?, against, job, resources, &mut tables)
            }
            (Documents::Index(index, name), _) => {
                found_in(index.source_named(&name)?, against, job, resources, &mut tables)
            }
        }?;
        self.paged(record.number, outcome, live)
    }

    fn regroup(
        &self,
        record: &Record,
        resources: &Resources,
        live: &Arc<Live>,
    ) -> Result<Value, Problem> {
        let wanted = &record.wanted;
        let of = wanted.input.result.unwrap_or_default();
        let from = self.results.join(of.to_string()).join("found");
        if !from.is_dir() {
            let detail = format!("the result {of} is not there any more");
            return Err(Problem::new(Code::Gone, detail));
        }
        let regroup = Regroup::open(from).map_err(|error| refusal(error, of))?;
        let regroup = wanted.regrouping.clone().unwrap_or_default().apply(regroup);
        let mut tables = Tables::new(self.begun(record.number)?).overwrite(true);
        let outcome = regroup.resources(resources.clone()).run(&mut tables);
        let outcome = outcome.map_err(|error| refusal(error, of))?;
        self.paged(record.number, summary(&outcome), live)
    }

    /// Makes the folder of a result anew; returns where its tables go.
    fn begun(&self, number: u64) -> Result<PathBuf, Problem> {
        let folder = self.results.join(number.to_string());
        if folder.exists() {
            // Of an earlier try that was cut short.
            std::fs::remove_dir_all(&folder)?;
        }
        std::fs::create_dir_all(&folder)?;
        Ok(folder.join("found"))
    }

    /// Makes the pages of a result; returns what is told of it.
    fn paged(&self, number: u64, mut summary: Value, live: &Live) -> Result<Value, Problem> {
        let folder = self.results.join(number.to_string());
        let (found, pages) = (folder.join("found"), folder.join("pages"));
        live.begin_stage("sorting", 0);
        retold_browse::build(&found, &pages, &mut |building| {
            live.step(building.done_bytes);
            if live.stop.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        let browser = Browser::open(&found, &pages)?;
        for table in [ResultTable::Removed, ResultTable::Review] {
            if let Some(n_rows) = browser.n_rows(table) {
                summary[table.name()] = n_rows.into();
            }
        }
        Ok(json!({ "result": number, "summary": summary }))
    }

    fn index(&self, name: &str) -> Result<Arc<Index>, Problem> {
        let collection = self.collections.get(name);
        Ok(collection.ok_or_else(|| Problem::not_found("collection"))?.index())
    }

    fn documents(&self, wanted: &Wanted) -> Result<Documents, Problem> {
        match (&wanted.input.collection, &wanted.files) {
            (Some(name), _) => Ok(Documents::Index(self.index(name)?, name.clone())),
            (None, Some(path)) => Ok(Documents::Files(path.clone())),
            (None, None) => Err(Problem::new(Code::NotAccepted, "the job names no input")),
        }
    }

    fn import(&self, wanted: &Wanted, live: &Arc<Live>) -> Result<Value, Problem> {
        let path = wanted.files.clone();
        let path = path.ok_or_else(|| Problem::new(Code::NotAccepted, "the job names no path"))?;
        let name = wanted.into.as_deref().unwrap_or_default();
        let collection = self.collections.get(name);
        let collection = collection.ok_or_else(|| Problem::not_found("collection"))?;
        let added = reading::each_batch(&path, None, &self.read, TOGETHER, live, |documents| {
            if live.stop.is_set() {
                return Err(Problem::new(Code::ShuttingDown, "it was stopped"));
            }
            let n_documents = documents.len() as u64;
            let written = self.runtime.block_on(collection.put(documents, true))?;
            self.metrics.documents_written.inc_by(n_documents);
            Ok(written.done)
        })?;
        self.notices.follow(&collection)?;
        Ok(added)
    }
}

fn summary(outcome: &retold::Outcome) -> Value {
    let summary = outcome.summary();
    json!({
        "documents": summary.n_documents,
        "bad_records": summary.n_bad,
        "pairs": summary.pairs_by_kind.iter().sum::<u64>(),
        "clusters": summary.n_clusters,
    })
}

fn found_in(
    source: impl Source + 'static,
    against: Option<(Index, Option<String>)>,
    job: retold::Job,
    resources: &Resources,
    tables: &mut Tables,
) -> Result<Value, Problem> {
    let mut find = Find::new(source).job(job).resources(resources.clone());
    if let Some((index, method)) = against {
        find = find.against_index(index, method.as_deref())?;
    }
    Ok(summary(&find.run(tables)?))
}

fn deduplicated(
    source: impl Source + 'static,
    against: Option<(Index, Option<String>)>,
    job: retold::Job,
    resources: &Resources,
    tables: &mut Tables,
) -> Result<Value, Problem> {
    let mut dedup = Dedup::new(source).job(job).resources(resources.clone());
    if let Some((index, method)) = against {
        dedup = dedup.against_index(index, method.as_deref())?;
    }
    Ok(summary(&dedup.run(tables)?))
}
