//! A folder that `find` or `dedup` wrote, read again: its tables, row by row, and its documents.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use retold_core::document::Document;
use retold_read::{Limits, PdfHelper, ReadOptions, Reader, discover, open_bytes};
use retold_report::{Manifest, PROGRAM};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::index::{Index, is_index};
use crate::job::Job;

/// A folder with results.
pub(crate) struct ResultFolder {
    path: PathBuf,
    pub(crate) manifest: Manifest,
    job: Job,
}

/// Where the texts of earlier results are looked for.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    /// An index, or files that hold documents with the same ids; none is where the run read them.
    pub paths: Vec<PathBuf>,
    /// The program that reads PDF, if there may be any.
    pub pdf_helper: Option<PdfHelper>,
}

/// Where a document of the results stands.
#[derive(Deserialize)]
struct DocumentLine {
    id: String,
    file: String,
    record: u64,
}

impl ResultFolder {
    /// Opens a folder; its manifest says how documents were read.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let unreadable = |reason: String| Error::Results { path: path.to_owned(), reason };
        let file = path.join(Manifest::FILE_NAME);
        let manifest = Manifest::read(path).map_err(Error::io("read", &file))?;
        if manifest.program != PROGRAM {
            return Err(unreadable("it was not written by `retold find`".to_owned()));
        }
        let job = serde_json::from_value(manifest.settings.clone())
            .map_err(|error| unreadable(format!("its settings cannot be read: {error}")))?;
        Ok(Self { path: path.to_owned(), manifest, job })
    }

    /// Returns the job of the run.
    pub(crate) fn job(&self) -> &Job {
        &self.job
    }

    /// Hands over the rows of a table until `each` returns false. Tables have to be JSON Lines.
    pub(crate) fn each_row<T: DeserializeOwned>(
        &self,
        table: &str,
        mut each: impl FnMut(T) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let path = self.path.join(format!("{table}.jsonl"));
        if !path.is_file() {
            let reason = format!("it has no `{table}.jsonl`; `--format jsonl` writes tables so");
            return Err(Error::Results { path: self.path.clone(), reason });
        }
        let limits = Limits::default();
        let mut lines =
            BufReader::new(open_bytes(&path, &limits).map_err(Error::io("open", &path))?);
        let (mut line, mut n_lines) = (Vec::new(), 0);
        loop {
            line.clear();
            let mut limited = lines.by_ref().take(limits.line_bytes);
            limited.read_until(b'\n', &mut line).map_err(Error::io("read", &path))?;
            if line.is_empty() {
                return Ok(());
            }
            n_lines += 1;
            let row = serde_json::from_slice(&line).map_err(|error| Error::Results {
                path: path.clone(),
                reason: format!("line {n_lines} is not as it was written: {error}"),
            })?;
            if !each(row)? {
                return Ok(());
            }
        }
    }

    /// Returns the ids of the members of a cluster, by its number.
    pub(crate) fn members(&self, cluster: u64) -> Result<Vec<String>, Error> {
        #[derive(Deserialize)]
        struct Line {
            id: u64,
            members: Vec<String>,
        }
        let (mut members, mut n_clusters) = (None, 0);
        self.each_row("clusters", |line: Line| {
            n_clusters += 1;
            members = (line.id == cluster).then_some(line.members);
            Ok(members.is_none())
        })?;
        members.ok_or_else(|| Error::Results {
            path: self.path.clone(),
            reason: format!("there is no cluster {cluster}, it has {n_clusters} counted from 0"),
        })
    }

    /// Reads documents by their ids: from where the run read them, or from `texts`, an index or files
    /// that hold them. They come in the order of the results.
    ///
    /// *Errors* if one of them is not there.
    pub(crate) fn documents(&self, ids: &[String], texts: &Texts) -> Result<Vec<Document>, Error> {
        let wanted: HashSet<&str> = ids.iter().map(String::as_str).collect();
        let helper = texts.pdf_helper.as_ref();
        let found = match texts.paths.as_slice() {
            [index] if is_index(index) => {
                let index = Index::open(index)?;
                let stored = ids.iter().map(|id| Ok(index.get(id)?.map(|stored| stored.document)));
                stored.filter_map(Result::transpose).collect::<Result<Vec<Document>, Error>>()?
            }
            [] => self.documents_of_run(&wanted, helper)?,
            paths => {
                let mut seen = HashSet::new();
                self.read(paths, helper, |document, _, _| {
                    wanted.contains(&*document.id) && seen.insert(document.id.clone())
                })?
            }
        };
        let missing: HashSet<&str> = {
            let there: HashSet<&str> = found.iter().map(|document| document.id.as_str()).collect();
            wanted.difference(&there).copied().collect()
        };
        if let Some(id) = ids.iter().find(|id| missing.contains(id.as_str())) {
            return Err(Error::NoText { id: id.clone(), n_missing: missing.len() });
        }
        Ok(found)
    }

    /// Reads documents from where the run read them. An id may stand for several.
    fn documents_of_run(
        &self,
        wanted: &HashSet<&str>,
        helper: Option<&PdfHelper>,
    ) -> Result<Vec<Document>, Error> {
        let mut files: Vec<PathBuf> = Vec::new();
        let mut places: HashMap<String, HashSet<u64>> = HashMap::new();
        self.each_row("documents", |line: DocumentLine| {
            if wanted.contains(&*line.id) {
                if !places.contains_key(&line.file) {
                    files.push(PathBuf::from(&line.file));
                }
                places.entry(line.file).or_default().insert(line.record);
            }
            Ok(true)
        })?;
        if let Some(gone) = files.iter().find(|file| !file.exists()) {
            let reason = format!("its input `{}` is not there", gone.display());
            return Err(Error::Results { path: self.path.clone(), reason });
        }
        self.read(&files, helper, |_, file, record| {
            places.get(file).is_some_and(|records| records.contains(&record))
        })
    }

    /// Reads files as the run did and keeps the documents that `wants` says.
    fn read(
        &self,
        paths: &[PathBuf],
        helper: Option<&PdfHelper>,
        mut wants: impl FnMut(&Document, &str, u64) -> bool,
    ) -> Result<Vec<Document>, Error> {
        let files = discover(paths)?.files;
        let names: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
        let options = ReadOptions { pdf_helper: helper.cloned(), ..self.job.read_options() };
        let mut reader = Reader::new(files, options);
        let mut documents = Vec::new();
        while let Some(batch) = reader.next_batch() {
            batch.parse(&mut |record| {
                if let Ok(record) = record {
                    let name = &names[record.place.file as usize];
                    if wants(&record.document, name, record.place.record) {
                        documents.push(record.document);
                    }
                }
            });
        }
        Ok(documents)
    }
}

/// Reads documents of earlier results by their ids, in the order of the results: from where the run read
/// them, or from `texts`.
///
/// *Errors* if one of them is not there.
///
/// ```
/// # use retold::*;
/// # let folder = tempfile::tempdir()?;
/// # let (news, found) = (folder.path().join("news.jsonl"), folder.path().join("found"));
/// # std::fs::write(&news, "{\"id\": \"a\", \"text\": \"some text\"}\n{\"id\": \"b\", \"text\": \"other\"}\n")?;
/// Find::new(Files::new([&news])).run(&mut Tables::new(&found))?;
/// let documents = result_documents(&found, &["b".to_owned()], &Texts::default())?;
/// assert_eq!(documents[0].text, "other");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn result_documents(
    found: impl AsRef<Path>,
    ids: &[String],
    texts: &Texts,
) -> Result<Vec<Document>, Error> {
    ResultFolder::open(found.as_ref())?.documents(ids, texts)
}
