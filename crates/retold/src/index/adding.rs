//! Documents on their way into an index.

use retold_core::document::Document;
use retold_core::features::Words;
use retold_index::{Kept, Put, PutOutcome, Writer, content_hash};
use retold_read::{BadRecord, Place};
use serde::Serialize;

use super::methods::{IndexMethod, TextStorage};
use super::record::{Record, Reference, text_hash};
use super::writing::IndexWriter;
use crate::error::Error;
use crate::pipeline::parallel::Pool;
use crate::pipeline::sources::{Portion, Sources};
use crate::progress::Stage;
use crate::resources::Resources;
use crate::source::{Content, Opening, Source};
use crate::time::seconds;

/// Bad records that are remembered.
const MOST_BAD: usize = 100;

/// What became of documents that were added.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Added {
    /// Documents that are new.
    pub n_added: u64,
    /// Documents that took the place of others with their ids.
    pub n_replaced: u64,
    /// Documents that were there already, the same in every respect.
    pub n_unchanged: u64,
    /// Documents with too little text to be judged by any method; they are stored all the same.
    pub n_too_short: u64,
    /// Bytes of the texts.
    pub n_bytes: u64,
    /// Records that are no documents.
    pub n_bad: u64,
    /// The first of them.
    #[serde(skip)]
    pub bad: Vec<BadRecord>,
    /// Whether statistics were taken and all images made with them, because there were none before.
    pub is_refreshed: bool,
}

/// What one thread makes of a record.
enum Prepared {
    Bad(BadRecord),
    Unchanged { n_bytes: u64 },
    New { put: Put, is_too_short: bool },
}

/// What became of one document that was put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PutDone {
    /// It is new.
    Added,
    /// It took the place of another with its id.
    Replaced,
    /// It was there already, the same in every respect.
    Unchanged,
}

impl IndexWriter {
    /// Puts documents without making them durable: [`sync`](Self::sync) does that, for as many calls
    /// as came before it. Returns what became of each.
    ///
    /// *Errors* take back everything that was put since the last `sync`.
    ///
    /// ```
    /// # use retold::*;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("archive.idx");
    /// let mut writer = IndexWriter::create(&path, &[Job::default()], &IndexOptions::default())?;
    /// let documents = [Document::plain("a", "some text"), Document::plain("a", "other text")];
    /// let done = writer.put(&documents, &Resources::new())?;
    /// writer.sync()?;
    /// assert_eq!(done, [PutDone::Added, PutDone::Replaced]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn put(
        &mut self,
        documents: &[Document],
        resources: &Resources,
    ) -> Result<Vec<PutDone>, Error> {
        let pool = Pool::new(resources)?;
        let methods = self.methods.clone();
        let prepared = pool.map(documents, |document| {
            let mut words = Words::default();
            let record = Record::of(document, None).to_bytes();
            let methods = kept_of(document, &methods, &mut words);
            let time = document.time.as_deref().and_then(seconds);
            let text = document.text.clone().into_bytes();
            Put { id: document.id.clone(), time, record, text, methods }
        });
        let mut done = Vec::with_capacity(documents.len());
        for put in prepared {
            match self.writer.put(put) {
                Ok(PutOutcome::Added) => done.push(PutDone::Added),
                Ok(PutOutcome::Replaced) => done.push(PutDone::Replaced),
                Ok(PutOutcome::Unchanged) => done.push(PutDone::Unchanged),
                Err(error) => {
                    // A writer that cannot go back is poisoned, and takes nothing more.
                    let _ = self.writer.roll_back();
                    return self.stored(Err(error));
                }
            }
        }
        Ok(done)
    }

    /// Makes everything durable that was put, and lets parts be merged beside.
    pub fn sync(&mut self) -> Result<(), Error> {
        self.commit()?;
        match self.merge_beside() {
            // The documents are durable; merging is tried again later.
            Err(Error::Index { source, .. }) if source.is_no_space() => Ok(()),
            other => other,
        }
    }

    /// Adds the documents of a source; one whose id is there already replaces the other, and one that
    /// did not change costs nothing but its reading. It is safe to stop at any time and to add the same
    /// again.
    ///
    /// A method that needs statistics takes them when the first documents were added, as
    /// [`refresh`](Self::refresh) does.
    pub fn add(
        &mut self,
        source: impl Source + 'static,
        resources: &Resources,
    ) -> Result<Added, Error> {
        let options = self.read.clone();
        let (progress, stop) = (&*resources.progress, &resources.stop);
        let opened = Box::new(source).open(&Opening { options: &options, stop })?;
        let mut added = Added::default();
        if let Content::Files { skipped, .. } = &opened.content {
            for bad in skipped {
                progress.bad(bad);
                added.n_bad += 1;
                added.bad.push(bad.clone());
            }
        }
        let pool = Pool::new(resources)?;
        let mut sources = Sources::new(opened, None, &options, stop);
        let paths: Vec<_> = sources.files().into_iter().map(|file| file.path).collect();
        progress.begin(Stage::Read, sources.total());
        let mut n_documents = 0;
        let methods = self.methods.clone();
        let is_strict = self.is_strict;
        while !stop.is_set() {
            let mut portions = Vec::new();
            while portions.len() < 2 * pool.n_threads()
                && let Some(portion) = sources.next()
            {
                portions.push(std::sync::Mutex::new(Some(portion)));
            }
            if portions.is_empty() {
                break;
            }
            let texts = self.about.texts;
            let preparing =
                Preparing { methods: &methods, texts, writer: &self.writer, paths: &paths };
            let prepared = pool.map(&portions, |portion| {
                let taken =
                    portion.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
                taken.map(|portion| preparing.portion(portion)).unwrap_or_default()
            });
            for item in prepared.into_iter().flatten() {
                match item {
                    Prepared::Bad(bad) if is_strict => {
                        self.commit()?;
                        return Err(Error::Input(bad));
                    }
                    Prepared::Bad(bad) => {
                        progress.bad(&bad);
                        added.n_bad += 1;
                        if added.bad.len() < MOST_BAD {
                            added.bad.push(bad);
                        }
                        continue;
                    }
                    Prepared::Unchanged { n_bytes } => {
                        added.n_bytes += n_bytes;
                        added.n_unchanged += 1;
                    }
                    Prepared::New { put, is_too_short } => {
                        let n_bytes = put.text.len() as u64;
                        added.n_bytes += n_bytes;
                        added.n_too_short += u64::from(is_too_short);
                        let outcome = self.writer.put(put);
                        match self.stored(outcome)? {
                            PutOutcome::Added => added.n_added += 1,
                            PutOutcome::Replaced => added.n_replaced += 1,
                            PutOutcome::Unchanged => added.n_unchanged += 1,
                        }
                    }
                }
                n_documents += 1;
            }
            // What is committed now goes to a part without a way through the log.
            if self.writer.is_full() {
                self.commit()?;
                self.merge_beside()?;
            }
            progress.at(sources.done(), n_documents);
        }
        self.commit()?;
        if stop.is_set() {
            return Err(Error::StoppedAdding { n_documents });
        }
        self.finish_merges()?;
        if n_documents > 0 && self.methods.iter().any(IndexMethod::waits_for_counts) {
            self.refresh(resources)?;
            added.is_refreshed = true;
        }
        progress.end();
        Ok(added)
    }
}

/// Makes documents ready for an index, on any thread.
pub(super) struct Preparing<'a> {
    methods: &'a [IndexMethod],
    texts: TextStorage,
    writer: &'a Writer,
    paths: &'a [Option<std::path::PathBuf>],
}

impl Preparing<'_> {
    fn portion(&self, portion: Portion) -> Vec<Prepared> {
        let mut items = Vec::new();
        let mut words = Words::default();
        portion.parse(&mut |record| {
            items.push(match record {
                Err(bad) => Prepared::Bad(bad),
                Ok((document, place)) => match self.document(&document, &place, &mut words) {
                    Ok(prepared) => prepared,
                    Err(error) => Prepared::Bad(BadRecord {
                        file: format!("document {}", place.record),
                        record: Some(place.record),
                        offset: None,
                        reason: error.to_string(),
                    }),
                },
            });
        });
        items
    }

    fn document(
        &self,
        document: &Document,
        place: &Place,
        words: &mut Words,
    ) -> Result<Prepared, Error> {
        let path = self.paths.get(place.file as usize).and_then(Option::as_ref);
        let reference = match (self.texts, &place.again, path) {
            (TextStorage::ByReference, Some(range), Some(path)) => Some(Reference {
                path: std::path::absolute(path).map_err(Error::io("find", path))?,
                record: place.record,
                start: range.start,
                end: range.end,
                hash: text_hash(&document.text),
            }),
            _ => None,
        };
        let n_bytes = document.text.len() as u64;
        let time = document.time.as_deref().and_then(seconds);
        let is_stored = reference.is_none();
        let text = if is_stored { document.text.clone().into_bytes() } else { Vec::new() };
        let record = Record::of(document, reference).to_bytes();
        let hash = content_hash(&record, &text, time);
        // What cannot be read here is told when the document is put.
        if self.writer.is_unchanged(&document.id, hash).unwrap_or(false) {
            return Ok(Prepared::Unchanged { n_bytes });
        }
        let methods = kept_of(document, self.methods, words);
        let is_too_short = methods.iter().flatten().all(|kept| kept.entry.is_none());
        let put = Put { id: document.id.clone(), time, record, text, methods };
        Ok(Prepared::New { put, is_too_short })
    }
}

/// Makes what each method keeps of a document.
pub(super) fn kept_of(
    document: &Document,
    methods: &[IndexMethod],
    words: &mut Words,
) -> Vec<Option<Kept>> {
    methods.iter().map(|method| Some(method.kept(document, words))).collect()
}
