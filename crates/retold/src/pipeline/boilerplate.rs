//! Boilerplate: runs of words that stand in many documents of one source, kept out of comparisons.
//!
//! A first look at all documents counts, for each source, in how many documents every run of eight words
//! stands; keys of runs go to scratch and are sorted, so that no more is held than the runs that are
//! boilerplate. From then on documents are read without the words of such runs: blanks stand in their
//! place, so that all positions stay what they are.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use retold_core::document::Document;
use retold_core::error::ConfigError;
use retold_core::features::shingles::Shingles;
use retold_core::features::{Featurizer, Words};
use retold_core::hash;
use retold_core::scratch::Sorter;
use retold_report::{Cut, counted};

use super::budget::Budget;
use super::parallel::Pool;
use super::scratch::ScratchDir;
use super::sources::Sources;
use crate::error::Error;
use crate::progress::{Progress, Stage, Stop};
use crate::source::{Content, Opened};

/// Words of a run.
const RUN_WORDS: usize = 8;

/// The runs that are boilerplate.
pub(crate) struct Boilerplate {
    /// Keys of a source and a run, ascending.
    keys: Vec<u64>,
    most_documents: u32,
    n_words: AtomicU64,
    n_documents: AtomicU64,
}

/// What the first look is done with.
pub(crate) struct Counting<'a> {
    pub(crate) most_documents: u32,
    pub(crate) featurizer: &'a Featurizer,
    pub(crate) budget: &'a Budget,
    pub(crate) scratch: &'a ScratchDir,
    pub(crate) pool: &'a Pool,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) stop: &'a Stop,
}

/// Returns a source once more, for the first look.
///
/// *Errors* if it can be read only once.
pub(crate) fn again(opened: &Opened) -> Result<Opened, Error> {
    let once = || {
        let accepted = "used with documents that can be read twice";
        Error::from(ConfigError::value("boilerplate", accepted, &opened.name))
    };
    let content = match &opened.content {
        Content::Files { files, .. } if files.iter().all(|file| file.path.is_some()) => {
            Content::Files { files: files.clone(), skipped: Vec::new() }
        }
        Content::Memory(documents) => Content::Memory(documents.clone()),
        Content::Files { .. } | Content::Records(_) => return Err(once()),
    };
    Ok(Opened { name: opened.name.clone(), content })
}

impl Counting<'_> {
    /// Looks at all documents.
    pub(crate) fn run(&self, mut sources: Sources) -> Result<Boilerplate, Error> {
        self.progress.begin(Stage::Read, sources.total());
        let sorter = Mutex::new((Sorter::new(self.budget.search()), None));
        let locked = Mutex::new(&mut sources);
        let n_documents = AtomicU64::new(0);
        self.pool.on_all(|| {
            let (mut words, mut keys) = (Words::default(), Vec::new());
            while !self.stop.is_set() {
                let (portion, n_done) = {
                    let mut sources = locked.lock().unwrap_or_else(PoisonError::into_inner);
                    (sources.next(), sources.done())
                };
                let Some(portion) = portion else { break };
                let mut all = Vec::new();
                portion.parse(&mut |record| {
                    // Bad records are told when documents are taken up.
                    let Ok((document, _)) = record else { return };
                    if self.budget.refuses(document.text.len() as u64).is_some() {
                        return;
                    }
                    keys_of(&document, self.featurizer, &mut words, &mut keys);
                    keys.sort_unstable();
                    keys.dedup();
                    all.extend_from_slice(&keys);
                    n_documents.fetch_add(1, Ordering::Relaxed);
                });
                let mut sorter = sorter.lock().unwrap_or_else(PoisonError::into_inner);
                let (sorter, failure) = &mut *sorter;
                for key in all {
                    if let Err(error) = sorter.push(key, self.scratch) {
                        failure.get_or_insert(error);
                        return;
                    }
                }
                self.progress.at(n_done, n_documents.load(Ordering::Relaxed));
            }
        });
        if self.stop.is_set() {
            let n_documents = n_documents.into_inner();
            return Err(Error::Stopped { stage: Stage::Read.name(), n_documents });
        }
        let (sorter, failure) = sorter.into_inner().unwrap_or_else(PoisonError::into_inner);
        let failed = |error| self.scratch.failed(error);
        failure.map_or(Ok(()), |error| Err(failed(error)))?;
        let sorted = sorter.finish(self.scratch).map_err(failed)?;
        let (mut keys, mut last, mut n_equal) = (Vec::new(), None, 0);
        for key in &sorted {
            let key = key.map_err(failed)?;
            n_equal = if last == Some(key) { n_equal + 1 } else { 1 };
            last = Some(key);
            if n_equal == u64::from(self.most_documents) + 1 {
                keys.push(key);
                self.budget.check_runs("word runs of boilerplate", keys.len() as u64)?;
            }
        }
        let (n_words, n_documents) = (AtomicU64::new(0), AtomicU64::new(0));
        Ok(Boilerplate { keys, most_documents: self.most_documents, n_words, n_documents })
    }
}

/// Puts together the keys of the runs of a document, in their order.
fn keys_of(document: &Document, featurizer: &Featurizer, words: &mut Words, keys: &mut Vec<u64>) {
    let source = document.source.as_deref().unwrap_or_default();
    let source = hash::bytes(source.as_bytes(), 1);
    featurizer.words_and_units(document, None, words, &mut Vec::new());
    keys.clear();
    Shingles::new(RUN_WORDS).each(&words.hashes, |run| keys.push(hash::mix(run ^ source)));
}

impl Boilerplate {
    /// Returns a document without its boilerplate, and how many words that is.
    pub(crate) fn masked<'a>(
        &self,
        document: Cow<'a, Document>,
        featurizer: &Featurizer,
    ) -> (Cow<'a, Document>, u64) {
        if self.keys.is_empty() {
            return (document, 0);
        }
        let (mut words, mut keys) = (Words::default(), Vec::new());
        keys_of(&document, featurizer, &mut words, &mut keys);
        let (mut text, mut n_words, mut done) = (None, 0, 0);
        for (at, key) in keys.iter().enumerate() {
            if self.keys.binary_search(key).is_err() {
                continue;
            }
            let text = text.get_or_insert_with(|| document.text.clone().into_bytes());
            for word in at.max(done)..at + RUN_WORDS {
                let span = words.spans[word];
                text[span.start as usize..span.end as usize].fill(b' ');
                n_words += 1;
            }
            done = at + RUN_WORDS;
        }
        match text {
            None => (document, 0),
            Some(text) => {
                // Words begin and end at characters, so what is left is text.
                let text = String::from_utf8_lossy(&text).into_owned();
                (Cow::Owned(Document { text, ..document.into_owned() }), n_words)
            }
        }
    }

    /// Counts what was left out of a document.
    pub(crate) fn count(&self, n_words: u64) {
        if n_words > 0 {
            self.n_words.fetch_add(n_words, Ordering::Relaxed);
            self.n_documents.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Tells what was left out.
    pub(crate) fn cuts(&self) -> Vec<Cut> {
        let words = format!(
            "words not compared, as boilerplate: their runs stand in more than {} of one source",
            counted(u64::from(self.most_documents), "document")
        );
        let documents = "documents compared without their boilerplate".to_owned();
        let told = [(words, &self.n_words), (documents, &self.n_documents)];
        let told = told.map(|(what, n)| (what, n.load(Ordering::Relaxed)));
        let told = told.into_iter().filter(|&(_, count)| count > 0);
        told.map(|(what, count)| Cut { what, limit: None, count }).collect()
    }
}

impl std::fmt::Debug for Boilerplate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Boilerplate").field("n_keys", &self.keys.len()).finish_non_exhaustive()
    }
}
