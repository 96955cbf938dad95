//! A result folder as a run left it: its manifest, its documents, and its pairs as lines.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use retold_core::candidates::sealed::Searched;
use retold_core::document::{Markup, Ordinal, Span};
use retold_core::image::images::Images;
use retold_core::relations::Relations;
use retold_core::scratch::Log;
use retold_core::verify::rule::Rule;
use retold_read::{BadRecord, FileDigest, Place};
use retold_report::{Manifest, TableFormat};
use serde::Deserialize;

use super::budget::Budget;
use super::collection::Collection;
use super::entry::{Entry, Ranks};
use super::intake::Intake;
use super::library::Texts;
use super::run_sets::RunSets;
use super::scratch::ScratchDir;
use crate::error::Error;
use crate::job::{Decide, Job, PairsWritten};
use crate::keep::Keep;
use crate::result_folder::ResultFolder;

/// What to do with a folder that does not hold enough.
pub(super) const AGAIN: &str = "make it again by `retold find PATH -o DIR --pairs all`";

/// What a run found, in a folder.
#[derive(Clone, Debug)]
pub(crate) struct StoredResult {
    folder: PathBuf,
    pub(crate) manifest: Manifest,
    /// What was asked for.
    pub(crate) job: Job,
    /// When two documents counted as related.
    pub(crate) rule: Rule,
}

impl StoredResult {
    /// Opens a folder.
    ///
    /// *Errors* if it does not hold all pairs with what they were decided by.
    pub(crate) fn open(folder: &Path) -> Result<Self, Error> {
        let results = ResultFolder::open(folder)?;
        let (job, manifest) = (results.job().clone(), results.manifest);
        let lacks = |reason: String, hint: &str| Error::NotEnough {
            folder: folder.to_owned(),
            reason,
            hint: hint.to_owned(),
        };
        if !matches!(&*manifest.command, "find" | "dedup" | "regroup") {
            return Err(lacks("it is not a result of `find` or `dedup`".to_owned(), AGAIN));
        }
        if job.pairs != Some(PairsWritten::All) {
            return Err(lacks("it does not hold all pairs".to_owned(), AGAIN));
        }
        if job.relations != Relations::ALL {
            let reason = format!("it holds no relations but {}", job.relations);
            return Err(lacks(reason, "make it again without `--relations`"));
        }
        let detector = job.detector()?;
        if job.decider(&*detector) == Decide::Method {
            return Err(lacks(
                "the method decided by scores of its own, which it holds rounded".to_owned(),
                "make it again with `--decide documents --pairs all`",
            ));
        }
        if job.format != TableFormat::Jsonl {
            return Err(lacks(
                format!("its tables are {}", job.format.name()),
                "make it again with `--format jsonl --pairs all`",
            ));
        }
        Ok(Self { folder: folder.to_owned(), rule: detector.rule(), manifest, job })
    }

    /// Returns where a table lies.
    pub(crate) fn table(&self, name: &str) -> PathBuf {
        self.folder.join(TableFormat::Jsonl.file_name(name))
    }

    /// Returns something that was counted.
    pub(crate) fn count(&self, name: &str) -> u64 {
        self.manifest.counts.get(name).copied().unwrap_or(0)
    }

    /// Returns an error about what the folder does not hold.
    pub(crate) fn lacks(&self, reason: impl Into<String>, hint: impl Into<String>) -> Error {
        Error::NotEnough { folder: self.folder.clone(), reason: reason.into(), hint: hint.into() }
    }

    /// Checks that another job asks for nothing that the folder does not hold, and writes into it
    /// what candidates were searched for.
    pub(crate) fn check(&self, job: &mut Job) -> Result<(), Error> {
        let rule = job.detector()?.rule();
        if job.clusters == retold_core::cluster::Grouping::ClosedSets {
            return Err(self.lacks(
                "closed sets are made of images, which it does not hold",
                "choose star, components or cliques, or run `retold find --clusters closed-sets`",
            ));
        }
        let thresholds = |job: &Job| {
            ["containment", "passage_words", "shared"].map(|name| job.parameters.get(name).cloned())
        };
        if self.rule.similarity > 0.0 && thresholds(job) != thresholds(&self.job) {
            return Err(self.lacks(
                format!("it holds pairs of a similarity of {} or more alone", self.rule.similarity),
                "run `retold find --pairs all` without a similarity",
            ));
        }
        let (asked, held) = (rule.containment, self.rule.containment);
        if asked < held {
            return Err(self.lacks(
                format!("it holds pairs from a containment of {held} on, not of {asked}"),
                format!("run `retold find --pairs all --containment {asked}`"),
            ));
        }
        let (asked, held) = (rule.passage_words, self.rule.passage_words);
        if asked < held {
            return Err(self.lacks(
                format!("it holds passages from {held} words on, not from {asked}"),
                format!("run `retold find --pairs all --passage-words {asked}`"),
            ));
        }
        let (asked, held) = (rule.shared, self.rule.shared);
        if asked < held {
            return Err(self.lacks(
                format!("it holds passages that are together {held} of a document, not {asked}"),
                format!("run `retold find --pairs all --set shared={asked}`"),
            ));
        }
        let held = self.job.distinctive;
        let is_cut = held.is_some_and(|least| least > 0);
        if job.distinctive != held && held != Some(0) || is_cut && rule != self.rule {
            let reason = match held {
                None => "it does not say how many distinctive runs its pairs share".to_owned(),
                Some(least) => {
                    format!("it holds no partial copies of fewer than {least} distinctive runs")
                }
            };
            return Err(self.lacks(reason, "run `retold find --pairs all --distinctive 0`"));
        }
        if rule != self.rule && self.manifest.joined_from.is_some() {
            return Err(self.lacks(
                "its documents were compared with those of an index, by the thresholds of the index",
                "leave the thresholds as they are, or compare with the documents themselves",
            ));
        }
        let (wanted, held) = (job.keep.fields(), self.job.keep.fields());
        if !wanted.is_empty() && wanted != held {
            let (names, mut keep) = (wanted.join("`, `"), String::from(job.keep.clone()));
            if keep.contains(' ') {
                keep = format!("'{keep}'");
            }
            return Err(self.lacks(
                format!("it does not hold the field `{names}` of documents"),
                format!("run `retold find --pairs all --keep {keep}`"),
            ));
        }
        let searched = self.job.searched_rule(self.rule)?;
        let usual = job.searched_rule(rule)?;
        if usual.containment.total_cmp(&searched.containment).is_ne() {
            job.search_containment = Some(searched.containment);
        }
        if usual.passage_words != searched.passage_words {
            job.search_passage_words = Some(searched.passage_words);
        }
        Ok(())
    }

    /// Takes up the documents as if they had been read; `keep` says which of their values are used.
    pub(crate) fn intake(
        &self,
        keep: &Keep,
        budget: &Budget,
        scratch: &ScratchDir,
    ) -> Result<(Intake, Names), Error> {
        let inputs = &self.manifest.inputs;
        let mut files: Vec<String> = inputs.iter().map(|input| input.name.clone()).collect();
        let mut numbers: HashMap<String, u32> = files.iter().cloned().zip(0..).collect();
        let mut collection = Collection::new(budget.entries(), scratch.clone());
        let mut names = Names { numbers: HashMap::new(), folder: self.folder.clone() };
        let path = self.table("documents");
        let mut lines = Lines::open(&path)?;
        while let Some((number, line)) = lines.next()? {
            let ordinal = Ordinal(collection.len() as u32);
            let line: DocumentLine<'_> =
                serde_json::from_slice(line).map_err(|error| bad_line(&path, number, &error))?;
            if self.manifest.second_from == Some(u64::from(ordinal.0)) {
                collection.begin_second();
            }
            if self.manifest.joined_from == Some(u64::from(ordinal.0)) {
                collection.begin_joined();
            }
            let first = match &line.exact_copy_of {
                Some(first) => names.number(first)?,
                None => ordinal,
            };
            names.add(&line.id, ordinal);
            let file = if let Some(&file) = numbers.get(&*line.file) {
                file
            } else {
                files.push(line.file.to_string());
                numbers.insert(line.file.to_string(), files.len() as u32 - 1);
                files.len() as u32 - 1
            };
            collection.add_with_first(&line.entry(file, keep), first)?;
        }
        let n_counted = self.count("documents") + self.count("archive");
        if collection.len() as u64 != n_counted {
            let n_found = collection.len();
            let reason = format!("the manifest counts {n_counted} documents, there are {n_found}");
            return Err(bad_line(&path, collection.len() as u64, &reason));
        }
        if self.manifest.second_from == Some(collection.len() as u64) {
            collection.begin_second();
        }
        if self.manifest.joined_from == Some(collection.len() as u64) {
            collection.begin_joined();
        }
        collection.n_bytes = self.count("bytes");
        collection.seal();
        Ok((self.taken(collection, files), names))
    }

    fn taken(&self, collection: Collection, files: Vec<String>) -> Intake {
        let Manifest { inputs, bad_records, n_bad, .. } = &self.manifest;
        let digest = |(file, input): (u32, &retold_report::ManifestInput)| FileDigest {
            file,
            name: input.name.clone(),
            bytes: input.bytes,
            blake3: input.blake3.clone().unwrap_or_default(),
            kind: input.kind.clone(),
            skipped: 0,
            is_complete: input.blake3.is_some(),
        };
        let bad = bad_records.iter().map(|bad| BadRecord {
            file: bad.file.clone(),
            record: Some(bad.record),
            offset: bad.offset,
            reason: bad.reason.clone(),
        });
        let bad_by_file: BTreeMap<String, u64> =
            inputs.iter().map(|input| (input.name.clone(), input.n_bad)).collect();
        Intake {
            collection,
            run_sets: RunSets::new(0),
            images: Images::new(0),
            texts: Texts { kept: Vec::new(), spooled: Log::new(0) },
            digests: (0..).zip(inputs).map(digest).collect(),
            files,
            n_per_file: inputs.iter().map(|input| input.n_documents).collect(),
            bad_by_file,
            bad: bad.collect(),
            n_bad: *n_bad,
            joined: Vec::new(),
            searched: Searched::default(),
            first_of_archive: None,
            resume: None,
        }
    }
}

/// Returns an error about a line of a table.
pub(super) fn bad_line(path: &Path, line: u64, error: &dyn std::fmt::Display) -> Error {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Error::NotEnough {
        folder: path.parent().unwrap_or(path).to_owned(),
        reason: format!("line {line} of {name} cannot be used: {error}"),
        hint: AGAIN.to_owned(),
    }
}

/// A line of `documents.jsonl`; what follows from pairs and clusters is passed over.
#[derive(Deserialize)]
struct DocumentLine<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    file: Cow<'a, str>,
    record: u64,
    n_words: u32,
    exact_copy_of: Option<String>,
    #[serde(default)]
    notes: Vec<String>,
    language: Option<Box<str>>,
    #[serde(default)]
    too_short: bool,
    time: Option<Box<str>>,
    source: Option<Box<str>>,
    keep_value: Option<Box<str>>,
}

impl DocumentLine<'_> {
    fn entry(self, file: u32, keep: &Keep) -> Entry {
        Entry {
            id: self.id.into(),
            place: Place { file, record: self.record, again: None },
            spooled: None,
            markup: Markup::Plain,
            language: self.language,
            is_language_detected: false,
            n_words: self.n_words,
            extent: Span::new(0, 0),
            text_hash: 0,
            // There is no other remark.
            is_cut: !self.notes.is_empty(),
            copy_of: None,
            is_too_short: self.too_short,
            ranks: Ranks {
                time: self.time,
                source: self.source,
                field: self.keep_value.filter(|_| !keep.fields().is_empty()),
            },
        }
    }
}

/// Documents by their ids.
pub(crate) struct Names {
    /// [`TWICE`](Self::TWICE) where several have one.
    numbers: HashMap<Box<str>, u32>,
    folder: PathBuf,
}

impl Names {
    const TWICE: u32 = u32::MAX;

    fn add(&mut self, id: &str, ordinal: Ordinal) {
        let number = self.numbers.entry(id.into()).or_insert(ordinal.0);
        if *number != ordinal.0 {
            *number = Self::TWICE;
        }
    }

    /// Returns the document of an id.
    ///
    /// *Errors* if there is none, or more than one.
    pub(super) fn number(&self, id: &str) -> Result<Ordinal, Error> {
        let lacks = |reason, hint: &str| Error::NotEnough {
            folder: self.folder.clone(),
            reason,
            hint: hint.to_owned(),
        };
        match self.numbers.get(id) {
            None => {
                Err(lacks(format!("`{id}` stands in a pair and not among the documents"), AGAIN))
            }
            Some(&Self::TWICE) => Err(lacks(
                format!("several documents have the id `{id}`"),
                "give each an id of its own, such as by `--id-field`, and run `retold find` again",
            )),
            Some(&number) => Ok(Ordinal(number)),
        }
    }
}

/// The lines of a table, one at a time.
struct Lines<'a> {
    file: BufReader<File>,
    path: &'a Path,
    line: Vec<u8>,
    /// Lines so far.
    n: u64,
}

impl<'a> Lines<'a> {
    fn open(path: &'a Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(Error::io("read", path))?;
        Ok(Self { file: BufReader::with_capacity(1 << 18, file), path, line: Vec::new(), n: 0 })
    }

    /// Returns the next line and its number.
    fn next(&mut self) -> Result<Option<(u64, &[u8])>, Error> {
        self.line.clear();
        let read = self.file.read_until(b'\n', &mut self.line);
        let n_bytes = read.map_err(Error::io("read", self.path))?;
        self.n += 1;
        Ok((n_bytes > 0).then_some((self.n, &self.line)))
    }
}

/// A table in blocks of whole lines.
pub(super) struct Blocks {
    file: File,
    path: PathBuf,
    /// What was read behind the last whole line.
    rest: Vec<u8>,
    is_done: bool,
}

impl Blocks {
    pub(super) fn open(path: PathBuf) -> Result<Self, Error> {
        let file = File::open(&path).map_err(Error::io("read", &path))?;
        Ok(Self { file, path, rest: Vec::new(), is_done: false })
    }

    /// Returns the next lines, about `n_bytes` of them; none at the end.
    pub(super) fn next(&mut self, n_bytes: usize) -> Result<Vec<u8>, Error> {
        let mut block = std::mem::take(&mut self.rest);
        while !self.is_done {
            let before = block.len();
            let read = self.file.by_ref().take(n_bytes as u64).read_to_end(&mut block);
            let n_read = read.map_err(Error::io("read", &self.path))?;
            self.is_done = n_read == 0;
            if self.is_done && !block.is_empty() {
                // The last line may have lost its end.
                block.push(b'\n');
            }
            if let Some(end) = block[before..].iter().rposition(|&byte| byte == b'\n') {
                self.rest = block.split_off(before + end + 1);
                break;
            }
        }
        Ok(block)
    }
}
