//! Results as files: tables, a manifest and a page in a folder.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use retold_report::{
    ClustersWriter, Datacard, DocumentRow, DocumentsWriter, Manifest, OutputDir, Page, PairsWriter,
    RemovalsWriter, TableFormat, write_page,
};

use super::{Beginning, Cluster, Ending, Form, Pair, Removal, Sink, Wants};
use crate::error::Error;
use crate::job::PairsWritten;

/// Writes what is found into a folder: `pairs`, `clusters` and `documents` as tables, after `dedup`
/// also `removed`, `review` and `datacard.md`, and `manifest.json` and `report.html`. Where `dedup`
/// [writes no pairs](crate::PairsWritten::Nothing), there are neither pairs, clusters and documents
/// nor a page.
///
/// The folder appears under its name only when it is complete.
///
/// ```
/// use retold::{Document, Documents, Find, Tables};
///
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// let documents = Documents::new(vec![Document::plain("a", "some text")]);
/// let output = folder.join("found");
/// Find::new(documents).run(&mut Tables::new(&output))?;
/// assert!(output.join("documents.jsonl").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Tables {
    path: PathBuf,
    overwrite: bool,
    writing: Option<Writing>,
}

/// What is open while a job runs.
struct Writing {
    folder: OutputDir,
    format: TableFormat,
    has_page: bool,
    /// Whether nothing is made but lists of what goes.
    decides_only: bool,
    pairs: Option<PairsWriter>,
    documents: Option<DocumentsWriter>,
    clusters: Option<ClustersWriter>,
    /// What is removed and what is left to a person; `find` decides nothing.
    removals: Option<[RemovalsWriter; 2]>,
    card: Datacard,
}

impl Tables {
    /// Writes into a folder that must not be there yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { path: folder.into(), overwrite: false, writing: None }
    }

    /// Says whether a folder with an earlier result is replaced.
    ///
    /// ```
    /// # use retold::*;
    /// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// # let documents = || Documents::new(vec![Document::plain("a", text), Document::plain("b", text)]);
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let folder = folder.path().join("found");
    /// Find::new(documents()).run(&mut Tables::new(&folder))?;
    /// assert!(Find::new(documents()).run(&mut Tables::new(&folder)).is_err());
    /// Find::new(documents()).run(&mut Tables::new(&folder).overwrite(true))?;
    /// # Ok::<(), retold::Error>(())
    /// ```
    #[must_use]
    pub fn overwrite(self, overwrite: bool) -> Self {
        Self { overwrite, ..self }
    }

    fn writing(&mut self) -> Result<&mut Writing, Error> {
        let missing = || Error::Internal("a table was written before the job began".to_owned());
        self.writing.as_mut().ok_or_else(missing)
    }
}

impl Writing {
    fn failed(&self, source: io::Error) -> Error {
        Error::io("write", self.folder.path())(source)
    }

    /// Returns the writer of a table that is open.
    fn open<T>(writer: &mut Option<T>) -> io::Result<&mut T> {
        writer.as_mut().ok_or_else(|| io::Error::other("the table is closed"))
    }
}

impl Sink for Tables {
    fn begin(&mut self, beginning: &Beginning<'_>) -> Result<(), Error> {
        let job = beginning.job;
        let folder = OutputDir::create(&self.path, self.overwrite)?;
        let (dir, format) = (folder.path().to_owned(), job.format);
        let failed = |error| Error::io("create", &dir)(error);
        let removals = |name| RemovalsWriter::create_named(&dir, name, format).map_err(failed);
        let is_deciding = beginning.is_deciding;
        let decides_only = job.decides_only(is_deciding);
        let has_pairs = !decides_only && job.pairs != Some(PairsWritten::Nothing);
        let pairs = has_pairs.then(|| PairsWriter::create(&dir, format));
        let documents = (!decides_only).then(|| DocumentsWriter::create(&dir, format));
        let clusters = (!decides_only).then(|| ClustersWriter::create(&dir, format));
        self.writing = Some(Writing {
            pairs: pairs.transpose().map_err(failed)?,
            documents: documents.transpose().map_err(failed)?,
            clusters: clusters.transpose().map_err(failed)?,
            removals: is_deciding
                .then(|| Ok::<_, Error>([removals("removed")?, removals("review")?]))
                .transpose()?,
            card: Datacard::default(),
            folder,
            format,
            has_page: !job.no_page && !decides_only,
            decides_only,
        });
        Ok(())
    }

    fn earlier(&self) -> Option<(PathBuf, Manifest)> {
        let manifest = Manifest::read(&self.path).ok().filter(|_| !self.overwrite)?;
        Some((self.path.clone(), manifest))
    }

    fn wants(&self) -> Wants {
        let writing = self.writing.as_ref();
        let is_lines = writing.is_none_or(|writing| writing.format == TableFormat::Jsonl);
        let form = if is_lines { Form::Lines } else { Form::Rows };
        let page = writing.is_none_or(|writing| writing.has_page);
        if writing.is_some_and(|writing| writing.decides_only) {
            return Wants::nothing();
        }
        let has_pairs = writing.is_none_or(|writing| writing.pairs.is_some());
        let pairs = if has_pairs { form } else { Form::Nothing };
        Wants { pairs, documents: form, page, ..Wants::nothing().shared_texts() }
    }

    fn folder(&self) -> Option<&Path> {
        self.writing.as_ref().map(|writing| writing.folder.path())
    }

    fn pair(&mut self, pair: &Pair<'_>) -> Result<(), Error> {
        let writing = self.writing()?;
        let written = Writing::open(&mut writing.pairs).and_then(|table| table.push(pair.row()));
        written.map_err(|error| writing.failed(error))
    }

    fn pair_lines(&mut self, lines: &[u8], n_pairs: u64) -> Result<(), Error> {
        let writing = self.writing()?;
        let table = Writing::open(&mut writing.pairs);
        table
            .and_then(|table| table.push_encoded(lines, n_pairs))
            .map_err(|error| writing.failed(error))
    }

    fn document(&mut self, row: &DocumentRow<'_>) -> Result<(), Error> {
        let writing = self.writing()?;
        let written = Writing::open(&mut writing.documents).and_then(|table| table.push(row));
        written.map_err(|error| writing.failed(error))
    }

    fn document_lines(&mut self, lines: &[u8], n_documents: u64) -> Result<(), Error> {
        let writing = self.writing()?;
        let table = Writing::open(&mut writing.documents);
        table
            .and_then(|table| table.push_encoded(lines, n_documents))
            .map_err(|error| writing.failed(error))
    }

    fn cluster(&mut self, cluster: &Cluster<'_>) -> Result<(), Error> {
        let writing = self.writing()?;
        let table = Writing::open(&mut writing.clusters);
        table.and_then(|table| table.push(cluster.row())).map_err(|error| writing.failed(error))
    }

    fn removal(&mut self, removal: &Removal<'_>) -> Result<(), Error> {
        let writing = self.writing()?;
        writing.card.push(removal.row(), removal.is_removed());
        let written = Writing::open(&mut writing.removals)
            .and_then(|tables| tables[usize::from(!removal.is_removed())].push(removal.row()));
        written.map_err(|error| writing.failed(error))
    }

    fn finish(&mut self, ending: &mut Ending<'_>) -> Result<(), Error> {
        let Some(writing) = self.writing.take() else { return Ok(()) };
        let dir = writing.folder.path().to_owned();
        let failed = |error| Error::io("write", &dir)(error);
        for done in [
            writing.pairs.map(PairsWriter::finish),
            writing.documents.map(DocumentsWriter::finish),
            writing.clusters.map(ClustersWriter::finish),
        ] {
            done.transpose().map_err(failed)?;
        }
        if let Some(tables) = writing.removals {
            for table in tables {
                table.finish().map_err(failed)?;
            }
            writing.card.write(&dir, ending.summary, ending.manifest).map_err(failed)?;
        }
        ending.summary.output = Some(self.path.display().to_string());
        ending.manifest.write(&dir).map_err(failed)?;
        if writing.has_page {
            write_report(&dir, ending).map_err(failed)?;
        }
        Ok(writing.folder.commit()?)
    }
}

fn write_report(dir: &Path, ending: &Ending<'_>) -> io::Result<()> {
    let page = Page {
        summary: ending.summary.clone(),
        manifest: ending.manifest,
        clusters: ending.clusters.to_vec(),
        partials: ending.partials.to_vec(),
    };
    let mut out = BufWriter::new(File::create(dir.join("report.html"))?);
    write_page(&page, &mut out)?;
    out.flush()
}
