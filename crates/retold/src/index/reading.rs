//! One state of an index, as readers see it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use retold_core::candidates::stored::{Holdings, StoredSearch};
use retold_core::document::Document;
use retold_core::features::Words;
use retold_core::features::counts::Counts;
use retold_core::verify::rule::Edits;
use retold_index::{Folder, Snapshot};
use retold_read::{Again, InputFile, Place};
use serde::Serialize;
use serde_json::Value;

use super::comparing::Counted;
use super::documents::IndexDocuments;
use super::filter::Filter;
use super::methods::{About, Epoch, IndexMethod, MethodAbout, TextStorage};
use super::record::{Record, text_hash};
use crate::error::Error;
use crate::job::Job;
use crate::source::Source;
use crate::stream::Telling;

/// One state of an index: what was there when it was opened, whatever a writer does meanwhile.
///
/// ```
/// # use retold::*;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("archive.idx");
/// let mut writer = IndexWriter::create(&path, &[Job::default()], &IndexOptions::default())?;
/// writer.add(Documents::new(vec![Document::plain("a", "some text")]), &Resources::new())?;
/// let index = Index::open(&path)?;
/// assert_eq!(index.n_documents(), 1);
/// assert_eq!(index.get("a")?.map(|stored| stored.document.text), Some("some text".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Index {
    pub(super) path: PathBuf,
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) about: About,
    pub(super) methods: Arc<[IndexMethod]>,
    pub(super) searches: Vec<Box<dyn StoredSearch>>,
    /// For each method, by its shingles.
    pub(super) n_shingles: Vec<Counted>,
}

/// A document of an index.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StoredDocument {
    /// The document.
    #[serde(flatten)]
    pub document: Document,
    /// Its number in the order of coming; a document that is replaced gets a new one.
    pub seq: u64,
    /// Id of the story that its cluster began with, if it came through a stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// Who told it first, if it came through a stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Telling>,
}

impl StoredDocument {
    fn new(record: Record, id: String, text: String, seq: u64) -> Self {
        let told = record.streamed.as_ref().map(|streamed| &streamed.told);
        let cluster = told.map(|told| told.cluster.to_string());
        let first = told.map(|told| (*told.first).clone());
        Self { document: record.into_document(id, text), seq, cluster, first }
    }
}

/// What an index holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct IndexStats {
    /// Documents.
    pub n_documents: u64,
    /// Documents that were removed or replaced and still take up room.
    pub n_removed: u64,
    /// Number of the last commit.
    pub commit: u64,
    /// Where texts are.
    pub texts: TextStorage,
    /// Its methods.
    pub methods: Vec<MethodStats>,
    /// What lies on disk: parts, log, bytes of every section.
    pub storage: retold_index::Stats,
}

/// One method of an index.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MethodStats {
    /// Its name.
    pub name: String,
    /// Whose setting of it.
    pub profile: retold_core::methods::Profile,
    /// Which edits a passage may have.
    pub edits: Edits,
    /// All parameters, as they are.
    pub parameters: Value,
    /// A number that indexes share whose images can be compared, in hexadecimal digits.
    pub recipe: String,
    /// The statistics that images were made with, if the method needs any.
    pub epoch: Option<Epoch>,
    /// Documents that came or went since these statistics were taken; `retold index refresh` takes
    /// them anew and remakes the images.
    pub n_changed: Option<u64>,
    /// Bytes of these statistics on disk.
    pub statistics_bytes: Option<u64>,
    /// Whether the statistics are lost, as after a repair: the method cannot answer before
    /// `retold index refresh` has taken them anew.
    pub needs_refresh: bool,
}

impl Index {
    /// Opens an index for reading, as it is now.
    ///
    /// *Errors* if there is none, or if it is damaged where it has to be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let disk = Folder::open(path).map_err(Error::io("open", path))?;
        let snapshot = Snapshot::open(&disk).map_err(Error::index(path))?;
        Self::of(path.to_owned(), Arc::new(snapshot), None)
    }

    /// Makes a state readable; `methods` are those of the writer, if there is one.
    pub(super) fn of(
        path: PathBuf,
        snapshot: Arc<Snapshot>,
        methods: Option<Arc<[IndexMethod]>>,
    ) -> Result<Self, Error> {
        let about = about(&path, &snapshot)?;
        let methods = match methods {
            Some(methods) => methods,
            None => methods_of(&path, &about, &snapshot)?.into(),
        };
        let searches = methods.iter().map(|method| method.detector.stored()).collect();
        let n_ordinals = snapshot.n_ordinals() as usize;
        let n_shingles = methods.iter().map(|_| Counted::new(n_ordinals)).collect();
        Ok(Self { path, snapshot, about, methods, searches, n_shingles })
    }

    /// Returns where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of documents.
    pub fn n_documents(&self) -> u64 {
        u64::from(self.snapshot.n_documents())
    }

    /// Returns the number of the last commit that this state has.
    pub fn commit(&self) -> u64 {
        self.snapshot.commit()
    }

    /// Returns the latest time of its documents, in seconds since 1970; documents that were removed
    /// may count.
    pub fn newest(&self) -> Option<i64> {
        self.snapshot.newest()
    }

    /// Returns its documents as a source, in the order of their coming.
    ///
    /// ```
    /// # use retold::*;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("archive.idx");
    /// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// let mut writer = IndexWriter::create(&path, &[Job::default()], &IndexOptions::default())?;
    /// let documents = vec![Document::plain("a", text), Document::plain("b", text)];
    /// writer.add(Documents::new(documents), &Resources::new())?;
    /// let mut found = Found::new();
    /// Find::new(Index::open(&path)?.source()?).run(&mut found)?;
    /// assert_eq!(found.pairs().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn source(&self) -> Result<impl Source + use<>, Error> {
        self.source_named(&self.path.display().to_string())
    }

    /// The same under another name than its path, for tables and messages.
    pub fn source_named(&self, name: &str) -> Result<impl Source + use<>, Error> {
        Ok(IndexDocuments::of(self)?.named(name))
    }

    /// Returns documents that came behind a number, or all for none, in the order of their coming and
    /// without their texts: as many as `limit`.
    ///
    /// ```
    /// # use retold::*;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("archive.idx");
    /// let mut writer = IndexWriter::create(&path, &[Job::default()], &IndexOptions::default())?;
    /// let documents = vec![Document::plain("b", "some text"), Document::plain("a", "another")];
    /// writer.add(Documents::new(documents), &Resources::new())?;
    /// let index = Index::open(&path)?;
    /// let first = &index.after(None, 1)?[0];
    /// let rest = index.after(Some(first.seq), 10)?;
    /// assert_eq!((&*first.document.id, &*rest[0].document.id, rest.len()), ("b", "a", 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn after(&self, seq: Option<u64>, limit: usize) -> Result<Vec<StoredDocument>, Error> {
        let docs: Vec<u32> = self.snapshot.ordinals().collect();
        let start = seq.map_or(Ok(0), |seq| self.first_after(&docs, seq))?;
        let rest = docs[start..].iter().take(limit);
        rest.map(|doc| {
            let stored = self.stored(self.snapshot.record(*doc))?;
            let record = Record::from_bytes(&stored.record)?;
            Ok(StoredDocument::new(record, stored.id, String::new(), stored.seq))
        })
        .collect()
    }

    /// Returns the number of the document that came last, of those that are there.
    pub fn last_seq(&self) -> Result<Option<u64>, Error> {
        let last = self.snapshot.ordinals().last();
        last.map(|doc| self.stored(self.snapshot.record(doc)).map(|stored| stored.seq)).transpose()
    }

    /// Returns the place in a list of all documents of the first that came behind a number.
    fn first_after(&self, docs: &[u32], seq: u64) -> Result<usize, Error> {
        // Numbers ascend with the ordinals.
        let (mut start, mut end) = (0, docs.len());
        while start < end {
            let middle = start.midpoint(end);
            if self.stored(self.snapshot.record(docs[middle]))?.seq <= seq {
                start = middle + 1;
            } else {
                end = middle;
            }
        }
        Ok(start)
    }

    /// Returns the jobs that its methods were made with, in order.
    ///
    /// ```
    /// # use retold::*;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("archive.idx");
    /// let methods = [Job::default(), Job::of("minhash", Profile::Retold)?];
    /// IndexWriter::create(&path, &methods, &IndexOptions::default())?;
    /// let names: Vec<String> = Index::open(&path)?.jobs().map(|job| job.method().to_owned()).collect();
    /// assert_eq!(names, ["anchor", "minhash"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn jobs(&self) -> impl Iterator<Item = &Job> {
        self.methods.iter().map(|method| &method.job)
    }

    /// Returns a document by its id.
    pub fn get(&self, id: &str) -> Result<Option<StoredDocument>, Error> {
        match self.stored(self.snapshot.ordinal_of(id))? {
            None => Ok(None),
            Some(doc) => self.stored_at(doc).map(Some),
        }
    }

    /// Hands over all documents, in the order of their coming.
    ///
    /// ```
    /// # use retold::*;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("archive.idx");
    /// let mut writer = IndexWriter::create(&path, &[Job::default()], &IndexOptions::default())?;
    /// let documents = vec![Document::plain("b", "some text"), Document::plain("a", "another")];
    /// writer.add(Documents::new(documents), &Resources::new())?;
    /// let mut ids = Vec::new();
    /// Index::open(&path)?.each(&mut |stored| {
    ///     ids.push(stored.document.id);
    ///     Ok(())
    /// })?;
    /// assert_eq!(ids, ["b", "a"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn each(
        &self,
        each: &mut dyn FnMut(StoredDocument) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for doc in self.snapshot.ordinals() {
            each(self.stored_at(doc)?)?;
        }
        Ok(())
    }

    /// Hands over the documents that a filter lets pass, without their texts.
    pub fn list(
        &self,
        filter: &Filter,
        each: &mut dyn FnMut(StoredDocument) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for doc in self.snapshot.ordinals() {
            let stored = self.stored(self.snapshot.record(doc))?;
            let record = Record::from_bytes(&stored.record)?;
            if filter.lets_pass(&stored.id, stored.time, &record) {
                each(StoredDocument::new(record, stored.id, String::new(), stored.seq))?;
            }
        }
        Ok(())
    }

    /// Returns what it holds.
    pub fn stats(&self) -> Result<IndexStats, Error> {
        let storage = self.snapshot.stats();
        let n_came = self.n_came()?;
        let methods = self.methods.iter().enumerate().map(|(number, method)| MethodStats {
            name: method.job.method.clone(),
            profile: method.job.profile,
            edits: method.detector.rule().edits,
            parameters: method.detector.parameters(),
            recipe: format!("{:016x}", method.recipe().fingerprint()),
            epoch: method.epoch.clone(),
            n_changed: method.epoch.as_ref().zip(n_came).map(|(epoch, n_came)| {
                let n_stayed = self.n_documents() - n_came;
                n_came + epoch.n_documents.saturating_sub(n_stayed)
            }),
            statistics_bytes: method
                .epoch
                .as_ref()
                .and_then(|epoch| storage.attachments.get(&counts_name(number, epoch)).copied()),
            needs_refresh: method.has_lost_counts(),
        });
        let methods = methods.collect();
        Ok(IndexStats {
            n_documents: self.n_documents(),
            n_removed: u64::from(self.snapshot.n_ordinals()) - self.n_documents(),
            commit: self.snapshot.commit(),
            texts: self.about.texts,
            methods,
            storage,
        })
    }

    /// Returns how many documents came since statistics were taken.
    fn n_came(&self) -> Result<Option<u64>, Error> {
        let Some(last) = self.snapshot.states().get(LAST_SEQ) else { return Ok(None) };
        let Ok(last) = last.as_slice().try_into().map(u64::from_le_bytes) else { return Ok(None) };
        let docs: Vec<u32> = self.snapshot.ordinals().collect();
        let start = self.first_after(&docs, last)?;
        Ok(Some((docs.len() - start) as u64))
    }

    /// Writes the documents that a filter lets pass as JSON Lines, with their texts; returns how many.
    ///
    /// ```
    /// # use retold::*;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("archive.idx");
    /// let mut writer = IndexWriter::create(&path, &[Job::default()], &IndexOptions::default())?;
    /// writer.add(Documents::new(vec![Document::plain("a", "some text")]), &Resources::new())?;
    /// let mut lines = Vec::new();
    /// assert_eq!(Index::open(&path)?.export(&Filter::default(), &mut lines)?, 1);
    /// assert!(lines.starts_with(br#"{"id":"a","text":"some text""#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn export(&self, filter: &Filter, out: &mut dyn io::Write) -> Result<u64, Error> {
        let mut n_documents = 0;
        for doc in self.snapshot.ordinals() {
            if self.lets_pass(filter, doc)? {
                let document = self.document_at(doc)?;
                let mut line = serde_json::to_vec(&document).expect("a document is plain data");
                line.push(b'\n');
                out.write_all(&line).map_err(Error::io("write", Path::new("the export")))?;
                n_documents += 1;
            }
        }
        Ok(n_documents)
    }

    /// Returns the statistics that a method makes images with.
    pub(crate) fn counts(&self, number: usize) -> Option<Counts> {
        self.methods[number].counts.clone()
    }

    /// Returns a job with what a method of the index was made with, and the rest of another.
    pub(crate) fn job(&self, number: usize, other: &Job) -> Job {
        let made = self.methods[number].job.clone();
        let Job { method, profile, decide, copies, idf, parameters, text, seed, .. } = made;
        Job { method, profile, decide, copies, idf, parameters, text, seed, ..other.clone() }
    }

    /// Returns the number of a method by its name, or of the first.
    ///
    /// *Errors* if there is none, or if its statistics are lost.
    pub(crate) fn method_number(&self, name: Option<&str>) -> Result<usize, Error> {
        let mut methods = self.methods.iter();
        let found = match name {
            None => Some(0),
            Some(name) => methods.position(|method| method.job.method == name),
        };
        let index = || self.path.clone();
        match found.map(|number| (number, &self.methods[number])) {
            Some((_, method)) if method.has_lost_counts() => {
                Err(Error::LostStatistics { index: index(), method: method.job.method.clone() })
            }
            Some((number, _)) => Ok(number),
            None => {
                let known: Vec<&str> = self.jobs().map(Job::method).collect();
                let (method, known) = (name.unwrap_or_default().to_owned(), known.join(", "));
                Err(Error::NoSuchMethod { index: index(), method, known })
            }
        }
    }

    pub(super) fn holdings(&self, number: usize) -> MethodHoldings<'_> {
        MethodHoldings { index: self, number }
    }

    pub(super) fn stored<T>(&self, found: Result<T, retold_index::Error>) -> Result<T, Error> {
        found.map_err(Error::index(&self.path))
    }

    /// Says where something could not be read.
    pub(super) fn read<T>(&self, found: io::Result<T>) -> Result<T, Error> {
        found.map_err(Error::io("read", &self.path))
    }

    pub(super) fn lets_pass(&self, filter: &Filter, doc: u32) -> Result<bool, Error> {
        if filter.is_everything() {
            return Ok(true);
        }
        let stored = self.stored(self.snapshot.record(doc))?;
        Ok(filter.lets_pass(&stored.id, stored.time, &Record::from_bytes(&stored.record)?))
    }

    /// Reads a document with its text.
    pub(crate) fn document_at(&self, doc: u32) -> Result<Document, Error> {
        self.stored_at(doc).map(|stored| stored.document)
    }

    pub(super) fn stored_at(&self, doc: u32) -> Result<StoredDocument, Error> {
        let stored = self.stored(self.snapshot.document(doc))?;
        let record = Record::from_bytes(&stored.record)?;
        let text = match &record.reference {
            None => String::from_utf8(stored.text).map_err(|_| {
                Error::Internal(format!("the stored text of `{}` is not UTF-8", stored.id))
            })?,
            Some(reference) => {
                let path = reference.path.clone();
                let name = path.display().to_string();
                let input = InputFile { path: Some(path), name, bytes: 0 };
                let options = self.methods[0].job.read_options();
                let place = Place {
                    file: 0,
                    record: reference.record,
                    again: Some(reference.start..reference.end),
                };
                let again = Again::new(&[input], &options).document(&place, &stored.id);
                let text = again.map_err(Error::Input)?.text;
                if text_hash(&text) != reference.hash {
                    return Err(Error::Changed { id: stored.id, path: reference.path.clone() });
                }
                text
            }
        };
        Ok(StoredDocument::new(record, stored.id, text, stored.seq))
    }
}

/// Reads what an index says of itself.
pub(super) fn about(path: &Path, snapshot: &Snapshot) -> Result<About, Error> {
    let mut about: About =
        serde_json::from_value(snapshot.settings().about.clone()).map_err(|error| {
            let reason = format!("its settings were written by another version: {error}");
            Error::NotReadable { path: path.to_owned(), reason }
        })?;
    about.methods = about.methods.into_iter().map(MethodAbout::with_its_defaults).collect();
    Ok(about)
}

/// Makes the methods of an index ready.
pub(super) fn methods_of(
    path: &Path,
    about: &About,
    snapshot: &Snapshot,
) -> Result<Vec<IndexMethod>, Error> {
    let of = |(number, method): (usize, &MethodAbout)| {
        let mut counts = None;
        if let Some(epoch) = &method.epoch {
            // Without them, or with others, it has to be refreshed.
            if let Some(mut reader) = snapshot.attachment(&counts_name(number, epoch)) {
                let read = Counts::read_from(|piece| reader.read(piece));
                counts = read.map_err(Error::index(path))?;
            }
            counts = counts.filter(|counts| epoch.fingerprint == fingerprint(counts));
        }
        IndexMethod::new(method, counts)
    };
    about.methods.iter().enumerate().map(of).collect()
}

/// Name of the state that holds the number of the last document when statistics were taken.
pub(super) const LAST_SEQ: &str = "counted";

/// Returns the name under which the statistics of a method are attached.
pub(super) fn counts_name(number: usize, epoch: &Epoch) -> String {
    format!("counts:{number}:{}:{}", epoch.number, epoch.fingerprint)
}

/// Returns the fingerprint of statistics in hexadecimal digits.
pub(super) fn fingerprint(counts: &Counts) -> String {
    format!("{:016x}", counts.fingerprint())
}

/// What an index holds for one method.
pub(super) struct MethodHoldings<'a> {
    index: &'a Index,
    number: usize,
}

fn other(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

impl Holdings for MethodHoldings<'_> {
    fn n_ordinals(&self) -> usize {
        self.index.snapshot.n_ordinals() as usize
    }

    fn list(&self, key: u64, out: &mut Vec<(u32, u32)>) -> io::Result<()> {
        self.index.snapshot.list(self.number, key, out).map_err(other)
    }

    fn facts(&self, doc: u32) -> io::Result<&[u8]> {
        self.index.snapshot.facts(self.number, doc).map_err(other)
    }

    fn image(&self, doc: u32, out: &mut Vec<u8>) -> io::Result<()> {
        if self.index.snapshot.image(self.number, doc, out).map_err(other)? {
            return Ok(());
        }
        let document = self.index.document_at(doc).map_err(other)?;
        let image = self.index.methods[self.number].image(&document, &mut Words::default());
        out.extend_from_slice(&image.ok_or_else(|| other("a document has no image any more"))?);
        Ok(())
    }

    fn order(&self, doc: u32) -> io::Result<u64> {
        let identity = self.index.snapshot.identity(self.number, doc).map_err(other)?;
        Ok(identity.map_or(0, |identity| identity as u64 ^ (identity >> 64) as u64))
    }

    fn tiny(&self, each: &mut dyn FnMut(u64, u32)) -> io::Result<()> {
        self.index.snapshot.tiny(self.number, 0, u64::MAX, each).map_err(other)
    }

    fn code_sets(&self, each: &mut dyn FnMut(u32, &[u8]) -> io::Result<()>) -> io::Result<()> {
        self.index.snapshot.code_sets(self.number, each).map_err(other)
    }
}
