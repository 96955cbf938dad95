//! The texts as they were, from a folder that striking wrote.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use retold_core::document::Document;
use retold_read::{BadRecord, InputFile, ReadOptions, Reader, shard_path};
use retold_report::{Manifest, ManifestInput, OutputDir, PROGRAM};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{LeftDecision, LeftRow, StrikeRow, StrikeSettings, rebuild};
use crate::error::Error;
use crate::job::Job;
use crate::progress::Stage;
use crate::resources::Resources;

/// Puts the texts of a collection together again from what striking left of them.
///
/// Every text is the original to the byte. Records are written as JSON Lines with the fields that are
/// read of documents, file by file and in their order.
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
/// let lines = std::fs::read_to_string(output.join("a.jsonl"))?;
/// assert_eq!(lines.matches("One, two, three, four.").count(), 2);
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
        for input in inputs {
            let name = input.copied_to.as_deref().unwrap_or_default();
            let path = out.path().join(lines_name(name));
            let mut writer = None;
            let mut kept =
                Records::of(&self.folder.join("documents").join(name), self.options(input));
            let mut dropped =
                Records::of(&self.folder.join("dropped").join(name), self.options(input));
            for _ in 0..input.n_documents {
                if resources.stop.is_set() {
                    let n_documents = rebuilt.n_documents;
                    return Err(Error::Stopped { stage: Stage::Copy.name(), n_documents });
                }
                let row =
                    rows.next()?.ok_or_else(|| self.differs("documents.jsonl is too short"))?;
                let records =
                    if row.decision == LeftDecision::Dropped { &mut dropped } else { &mut kept };
                let record = records.next(row.left_bytes == 0);
                let mut document =
                    record.ok_or_else(|| self.differs(&format!("`{}` is missing", row.id)))?;
                let mut own = Vec::new();
                for _ in 0..row.strikes {
                    own.extend(strikes.next()?);
                }
                document.text = self.text(&document.text, &row, &own)?;
                rebuilt.n_bytes += row.bytes;
                rebuilt.n_documents += 1;
                rebuilt.n_struck_documents += u64::from(row.strikes > 0);
                document.id = row.id;
                if writer.is_none() {
                    rebuilt.n_files += 1;
                }
                let writer = match &mut writer {
                    Some(writer) => writer,
                    none => none.insert(created(&path)?),
                };
                let mut line =
                    serde_json::to_vec(&document).expect("a document has names for keys");
                line.push(b'\n');
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

    /// Returns the text of a document as it was.
    fn text(&self, left: &str, row: &LeftRow, strikes: &[StrikeRow]) -> Result<String, Error> {
        let is_own = |strike: &StrikeRow| strike.record == row.record && strike.file == row.file;
        let own = strikes.iter().map(|strike| (strike.span, &*strike.text));
        let text = rebuild(left, own).filter(|text| {
            left.len() as u64 == row.left_bytes
                && text.len() as u64 == row.bytes
                && strikes.len() == row.strikes as usize
                && strikes.iter().all(is_own)
        });
        text.ok_or_else(|| self.differs(&format!("`{}` and its strikes do not fit", row.id)))
    }

    /// Returns how the records of an input are read once they were copied: formats that have no fields
    /// became JSON Lines with the usual ones.
    fn options(&self, input: &ManifestInput) -> ReadOptions {
        let format = input.kind.split('+').next().unwrap_or_default();
        let mut options = if matches!(format, "jsonl" | "csv" | "tsv" | "parquet") {
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

/// Returns the name of a file of JSON Lines with what a file of records holds.
fn lines_name(name: &str) -> String {
    let inner = [".gz", ".zst", ".xz"].iter().find_map(|outer| name.strip_suffix(outer));
    let inner = inner.unwrap_or(name);
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

/// The records that were copied from one input, in order.
struct Records {
    reader: Reader,
    read: VecDeque<Result<Document, BadRecord>>,
}

impl Records {
    /// Takes the file that records were copied to, or its shards.
    fn of(path: &Path, options: ReadOptions) -> Self {
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
        Self { reader: Reader::new(files, options), read: VecDeque::new() }
    }

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
