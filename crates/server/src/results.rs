//! Results of jobs: their tables as pages, and the texts of their documents.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use retold::{Document, Texts, result_documents};
use retold_browse::{BrowseError, Browser, ResultTable};

use crate::app::App;
use crate::jobs::Record;
use crate::problem::{Code, Problem};

/// Results that are held open.
const MOST_OPEN: usize = 8;

/// Results of jobs.
pub(crate) struct Results {
    folder: PathBuf,
    /// Those that were asked for last, the latest at the end.
    open: Mutex<VecDeque<(u64, Arc<Browser>)>>,
    /// Held while one is opened.
    opening: Mutex<()>,
}

impl From<BrowseError> for Problem {
    fn from(error: BrowseError) -> Self {
        let code = match &error {
            BrowseError::Filter(_) | BrowseError::Sort { .. } => Code::BadRequest,
            BrowseError::Cursor { .. } => Code::BadCursor,
            _ => Code::Internal,
        };
        Self::new(code, error.to_string())
    }
}

impl Results {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, open: Mutex::default(), opening: Mutex::default() }
    }

    /// Returns the folder that holds the tables of a result.
    pub(crate) fn folder(&self, number: u64) -> PathBuf {
        self.folder.join(number.to_string()).join("found")
    }

    /// Returns a result that is open.
    fn find(&self, number: u64) -> Option<Arc<Browser>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let at = open.iter().position(|(other, _)| *other == number)?;
        let (_, browser) = open.remove(at)?;
        open.push_back((number, Arc::clone(&browser)));
        Some(browser)
    }

    /// Opens a result, or takes one that is open.
    pub(crate) fn open(&self, number: u64) -> Result<Arc<Browser>, Problem> {
        if let Some(browser) = self.find(number) {
            return Ok(browser);
        }
        // Pages that are not there yet are made once, however many ask for them.
        let _opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(browser) = self.find(number) {
            return Ok(browser);
        }
        let pages = self.folder.join(number.to_string()).join("pages");
        let found = self.folder(number);
        if !found.is_dir() {
            return Err(Problem::not_found("result"));
        }
        let mut go_on = |_| ControlFlow::Continue(());
        let browser = Arc::new(Browser::open_or_build(&found, &pages, &mut go_on)?);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= MOST_OPEN {
            open.pop_front();
        }
        open.push_back((number, Arc::clone(&browser)));
        Ok(browser)
    }

    /// Opens a result that has a table.
    pub(crate) fn with_table(
        &self,
        number: u64,
        table: ResultTable,
    ) -> Result<Arc<Browser>, Problem> {
        let browser = self.open(number)?;
        if browser.n_rows(table).is_none() {
            let detail = format!("the result has no table `{table}`: only `dedup` makes one");
            return Err(Problem::new(Code::NotFound, detail));
        }
        Ok(browser)
    }

    /// Forgets a result that is open.
    pub(crate) fn close(&self, number: u64) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(other, _)| *other != number);
    }

    /// Says where the texts of a result are.
    pub(crate) fn texts(app: &App, job: &Record) -> Result<Texts, Problem> {
        let mut paths = Vec::new();
        if let Some(name) = &job.wanted.input.collection {
            let collection = app.collections.get(name).ok_or_else(|| {
                let detail = format!("the collection `{name}` of the result is gone");
                Problem::new(Code::Gone, detail)
            })?;
            paths.push(collection.path().clone());
        }
        Ok(Texts { paths, pdf_helper: app.config.read.pdf_helper.clone() })
    }

    /// Reads documents of a result, with their texts.
    pub(crate) fn documents(
        &self,
        app: &App,
        number: u64,
        ids: &[String],
    ) -> Result<Vec<Document>, Problem> {
        let job = app.jobs.get(number)?.ok_or_else(|| Problem::not_found("result"))?;
        if let Some(name) = &job.wanted.input.collection {
            // The state that is open is at hand, and needs no look at the tables.
            let collection = app.collections.get(name);
            let gone = || Problem::new(Code::Gone, format!("the collection `{name}` is gone"));
            let index = collection.ok_or_else(gone)?.index();
            let mut documents = Vec::new();
            for id in ids {
                let stored = index.get(id)?.ok_or_else(|| {
                    let detail = format!("the document `{id}` was removed since");
                    Problem::new(Code::Gone, detail)
                })?;
                documents.push(stored.document);
            }
            return Ok(documents);
        }
        Ok(result_documents(self.folder(number), ids, &Self::texts(app, &job)?)?)
    }
}
