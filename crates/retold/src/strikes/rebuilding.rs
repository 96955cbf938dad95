//! The texts as they were, from a folder that striking wrote.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use retold_core::document::{Document, Span};
use retold_read::{
    BadRecord, CopiedLines, InputFile, ReadOptions, Reader, shard_path, uncompressed_name,
};
use retold_report::{Manifest, ManifestInput, OutputDir, PROGRAM};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::copying::{EscapeRow, escaped};
use super::{LeftDecision, LeftRow, StrikeRow, StrikeSettings, rebuild};
use crate::error::Error;
use crate::job::Job;
use crate::progress::Stage;
use crate::resources::Resources;

/// Puts the texts of a collection together again from what striking left of them.
///
/// Every text is the original to the byte. Records of JSON Lines come back to the byte as well, with all
/// their fields. Records of other formats are written as JSON Lines with the fields that are read of
/// documents. All come file by file and in their order.
///
/// ```
/// use retold::{Files, Job, Keep, Rebuild, Resources, Strike, StrikeSettings, StrikeTables};
///
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// # let (path, clean, output) = (folder.join("a.jsonl"), folder.join("clean"), folder.join("again"));
/// let line = "{\"id\": \"1\", \"text\": \"One, two, three, four.\"}\n";
/// std::fs::write(&path, line.repeat(2))?;
/// Strike::new(Files::new([path]))
///     .settings(StrikeSettings { min_words: Some(3), ..StrikeSettings::default() })
///     .job(Job::default().with_keep(Keep::First))
///     .run(&mut StrikeTables::new(&clean))?;
/// let rebuilt = Rebuild::open(&clean)?.run(&output, false, &Resources::new())?;
/// assert_eq!((rebuilt.n_documents, rebuilt.n_struck_documents), (2, 1));
/// assert_eq!(std::fs::read_to_string(output.join("a.jsonl"))?, line.repeat(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Rebuild {
    folder: PathBuf,
    manifest: Manifest,
    job: Job,
}

/// What was put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Rebuilt {
    /// Files written.
    pub n_files: u64,
    /// Documents.
    pub n_documents: u64,
    /// Documents that had strikes.
    pub n_struck_documents: u64,
    /// Bytes of all texts.
    pub n_bytes: u64,
}

impl Rebuild {
    /// Opens a folder that [`StrikeTables`](super::StrikeTables) wrote.
    ///
    /// *Errors* if it is none, or holds no records.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, Error> {
        let folder = folder.into();
        let path = folder.join(Manifest::FILE_NAME);
        let manifest = Manifest::read(&folder).map_err(Error::io("read", &path))?;
        let unusable =
            |reason: &str| Error::Results { path: folder.clone(), reason: reason.to_owned() };
        if manifest.program != PROGRAM || manifest.settings.get("level").is_none() {
            return Err(unusable("it was not written by `retold dedup --level`"));
        }
        if manifest.settings["report-only"] == true {
            return Err(unusable("it holds no records, because of `--report-only`"));
        }
        let mut settings = manifest.settings.clone();
        let of_strikes = serde_json::to_value(StrikeSettings::default()).unwrap_or_default();
        if let (Some(all), Value::Object(names)) = (settings.as_object_mut(), of_strikes) {
            all.retain(|name, _| !names.contains_key(name));
        }
        let job = serde_json::from_value(settings)
            .map_err(|error| unusable(&format!("its settings cannot be read: {error}")))?;
        Ok(Self { folder, manifest, job })
    }

    /// Writes the texts into a folder, which appears under its name only when it is complete.
    pub fn run(
        &self,
        output: &Path,
        overwrite: bool,
        resources: &Resources,
    ) -> Result<Rebuilt, Error> {
        let out = OutputDir::create(output, overwrite)?;
        let inputs = self.manifest.inputs.iter().filter(|input| input.copied_to.is_some());
        let total: u64 = inputs.clone().map(|input| input.n_documents).sum();
        resources.progress.begin(Stage::Copy, total);
        let mut rows: Lines<LeftRow> = Lines::open(&self.folder.join("documents.jsonl"))?;
        let mut strikes: Lines<StrikeRow> = Lines::open(&self.folder.join("strikes.jsonl"))?;
        let mut rebuilt = Rebuilt::default();
        let path = self.folder.join(EscapeRow::FILE_NAME);
        let (mut escapes, mut of_dropped) =
            (Escapes::open(&path, false)?, Escapes::open(&path, true)?);
        for input in inputs {
            let name = input.copied_to.as_deref().unwrap_or_default();
            let path = out.path().join(lines_name(name));
            let mut writer = None;
            let options = self.options(input);
            let is_lines = format_of(input) == "jsonl";
            let records = |folder: &str| {
                Records::of(&self.folder.join(folder).join(name), options.clone(), is_lines)
            };
            let (mut kept, mut dropped) = (records("documents"), records("dropped"));
            for _ in 0..input.n_documents {
                if resources.stop.is_set() {
                    let n_documents = rebuilt.n_documents;
                    return Err(Error::Stopped { stage: Stage::Copy.name(), n_documents });
                }
                let row =
                    rows.next()?.ok_or_else(|| self.differs("documents.jsonl is too short"))?;
                let (records, escapes) = if row.decision == LeftDecision::Dropped {
                    (&mut dropped, &mut of_dropped)
                } else {
                    (&mut kept, &mut escapes)
                };
                let mut own = Vec::new();
                for _ in 0..row.strikes {
                    own.extend(strikes.next()?);
                }
                let missing = || self.differs(&format!("`{}` is missing", row.id));
                let mut line = match records {
                    Records::Lines(lines) => {
                        let line = lines.next().ok_or_else(missing)?;
                        let line = line.map_err(|reason| self.differs(&reason))?;
                        self.line(lines, &line, &row, &own, escapes)?.into_bytes()
                    }
                    Records::Documents(documents) => {
                        let found = documents.next(row.left_bytes == 0).ok_or_else(missing)?;
                        let text = self.text(&found.text, &row, &own)?;
                        let document = Document { text, id: row.id.clone(), ..found };
                        serde_json::to_vec(&document).expect("a document has names for keys")
                    }
                };
                line.push(b'\n');
                rebuilt.n_bytes += row.bytes;
                rebuilt.n_documents += 1;
                rebuilt.n_struck_documents += u64::from(row.strikes > 0);
                if writer.is_none() {
                    rebuilt.n_files += 1;
                }
                let writer = match &mut writer {
                    Some(writer) => writer,
                    none => none.insert(created(&path)?),
                };
                writer.write_all(&line).map_err(Error::io("write", &path))?;
                resources.progress.at(rebuilt.n_documents, rebuilt.n_documents);
            }
            if let Some(mut writer) = writer {
                writer.flush().map_err(Error::io("write", &path))?;
            }
        }
        let counts =
            [("documents", rebuilt.n_documents), ("struck_documents", rebuilt.n_struck_documents)];
        let manifest = Manifest {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: "rebuild".to_owned(),
            counts: counts.into_iter().map(|(name, n)| (name.to_owned(), n)).collect(),
            finished: true,
            ..Manifest::default()
        };
        manifest.write(out.path()).map_err(Error::io("write", out.path()))?;
        out.commit()?;
        resources.progress.end();
        Ok(rebuilt)
    }

    /// Returns a line of JSON as it was.
    fn line(
        &self,
        lines: &CopiedLines,
        left: &str,
        row: &LeftRow,
        strikes: &[StrikeRow],
        escapes: &mut Escapes,
    ) -> Result<String, Error> {
        let mut raw = Vec::with_capacity(strikes.len());
        for (number, strike) in (0..).zip(strikes) {
            let known = escapes.take(row, number)?;
            raw.push(known.unwrap_or_else(|| escaped(&strike.text)));
        }
        let cuts = strikes.iter().map(|strike| strike.span).zip(raw.iter().map(String::as_str));
        let cuts: Vec<(Span, &str)> = cuts.collect();
        let restored = lines.restored(left, row.left_bytes, &cuts).filter(|(_, text)| {
            text.len() as u64 == row.bytes
                && is_of(row, strikes)
                && strikes.iter().all(|strike| strike.span.of(text) == Some(&*strike.text))
        });
        let (line, _) = restored.ok_or_else(|| self.unfit(row))?;
        Ok(line)
    }

    /// Returns the text of a document as it was.
    fn text(&self, left: &str, row: &LeftRow, strikes: &[StrikeRow]) -> Result<String, Error> {
        let own = strikes.iter().map(|strike| (strike.span, &*strike.text));
        let text = rebuild(left, own).filter(|text| {
            left.len() as u64 == row.left_bytes
                && text.len() as u64 == row.bytes
                && is_of(row, strikes)
        });
        text.ok_or_else(|| self.unfit(row))
    }

    fn unfit(&self, row: &LeftRow) -> Error {
        self.differs(&format!("`{}` and its strikes do not fit", row.id))
    }

    /// Returns how the records of an input are read once they were copied: formats that have no fields
    /// became JSON Lines with the usual ones.
    fn options(&self, input: &ManifestInput) -> ReadOptions {
        let mut options = if matches!(format_of(input), "jsonl" | "csv" | "tsv" | "parquet") {
            self.job.read_options()
        } else {
            ReadOptions::default()
        };
        options.limits = self.job.read_options().limits;
        options
    }

    fn differs(&self, what: &str) -> Error {
        Error::Results {
            path: self.folder.clone(),
            reason: format!("it is not as it was written: {what}"),
        }
    }
}

/// Returns what an input was read as, without its compression.
fn format_of(input: &ManifestInput) -> &str {
    input.kind.split('+').next().unwrap_or_default()
}

/// Returns whether strikes are all those of a document.
fn is_of(row: &LeftRow, strikes: &[StrikeRow]) -> bool {
    let is_own = |strike: &StrikeRow| strike.record == row.record && strike.file == row.file;
    strikes.len() == row.strikes as usize && strikes.iter().all(is_own)
}

/// Returns the name of a file of JSON Lines with what a file of records holds.
fn lines_name(name: &str) -> String {
    let inner = uncompressed_name(name);
    let is_lines = Path::new(inner).extension().is_some_and(|ending| ending == "jsonl");
    if is_lines { inner.to_owned() } else { format!("{inner}.jsonl") }
}

fn created(path: &Path) -> Result<BufWriter<File>, Error> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    }
    File::create_new(path).map(BufWriter::new).map_err(Error::io("create", path))
}

/// The rows of a table.
struct Lines<T> {
    path: PathBuf,
    reader: BufReader<File>,
    line: String,
    row: std::marker::PhantomData<T>,
}

impl<T: DeserializeOwned> Lines<T> {
    fn open(path: &Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(Error::io("open", path))?;
        let (reader, line) = (BufReader::new(file), String::new());
        Ok(Self { path: path.to_owned(), reader, line, row: std::marker::PhantomData })
    }

    fn next(&mut self) -> Result<Option<T>, Error> {
        self.line.clear();
        self.reader.read_line(&mut self.line).map_err(Error::io("read", &self.path))?;
        if self.line.is_empty() {
            return Ok(None);
        }
        let read = serde_json::from_str(&self.line);
        read.map(Some)
            .map_err(|error| Error::Results { path: self.path.clone(), reason: error.to_string() })
    }
}

/// How struck texts stood in lines of JSON, in the order of the documents that are kept, or of those that
/// are dropped.
struct Escapes {
    rows: Option<Lines<EscapeRow>>,
    next: Option<EscapeRow>,
}

impl Escapes {
    fn open(path: &Path, is_of_dropped: bool) -> Result<Self, Error> {
        if !path.exists() {
            return Ok(Self { rows: None, next: None });
        }
        let mut rows: Lines<EscapeRow> = Lines::open(path)?;
        let mut next = rows.next()?;
        // Those of dropped documents come last.
        while next.as_ref().is_some_and(|row| is_of_dropped && !row.dropped) {
            next = rows.next()?;
        }
        Ok(Self { rows: Some(rows), next })
    }

    /// Returns how a strike of a document stood in its line, if that is told.
    fn take(&mut self, of: &LeftRow, strike: u32) -> Result<Option<String>, Error> {
        let is_it = |row: &EscapeRow| {
            row.strike == strike && row.record == of.record && row.file == of.file
        };
        if !self.next.as_ref().is_some_and(is_it) {
            return Ok(None);
        }
        let next = self.rows.as_mut().map_or(Ok(None), Lines::next)?;
        Ok(std::mem::replace(&mut self.next, next).map(|row| row.raw))
    }
}

/// The records that were copied from one input, in order.
enum Records {
    Lines(Box<CopiedLines>),
    Documents(Box<CopiedDocuments>),
}

/// The same as documents.
struct CopiedDocuments {
    reader: Reader,
    read: VecDeque<Result<Document, BadRecord>>,
}

impl Records {
    /// Takes the file that records were copied to, or its shards.
    fn of(path: &Path, options: ReadOptions, is_lines: bool) -> Self {
        let shards = (1..).map(|number| shard_path(path, number)).take_while(|path| path.exists());
        let mut paths: Vec<PathBuf> = shards.collect();
        if path.exists() {
            paths.insert(0, path.to_owned());
        }
        let input = |path: PathBuf| InputFile {
            name: path.to_string_lossy().into_owned(),
            bytes: path.metadata().map_or(0, |file| file.len()),
            path: Some(path),
        };
        let files = paths.into_iter().map(input).collect();
        if is_lines {
            return Self::Lines(Box::new(CopiedLines::new(files, options)));
        }
        let reader = Reader::new(files, options);
        Self::Documents(Box::new(CopiedDocuments { reader, read: VecDeque::new() }))
    }
}

impl CopiedDocuments {
    /// Returns the next record. One of which all was struck may count as unreadable.
    fn next(&mut self, is_empty: bool) -> Option<Document> {
        while self.read.is_empty() {
            self.reader.next_batch()?.parse(&mut |record| {
                self.read.push_back(record.map(|record| record.document));
            });
        }
        match self.read.pop_front()? {
            Ok(document) => Some(document),
            Err(_) => is_empty.then(Document::default),
        }
    }
}
