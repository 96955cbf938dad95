//! Strikes as files.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use retold_report::{Manifest, OutputDir, StrikeCard, StruckStretch};
use serde::Serialize;

use super::{LeftRow, StrikeOutcome, StrikeRow, StrikeSink};
use crate::error::Error;

/// Writes a folder: `strikes.jsonl` and `documents.jsonl`, the records in `documents/` as they were but
/// for what is struck, those that are dropped in `dropped/`, `manifest.json` and `datacard.md`. Where lines
/// of JSON had other escapes than are written here, `escapes.jsonl` has them.
///
/// Records are copied from [`Files`](crate::Files); other sources give the two lists. The folder appears
/// under its name only when it is complete.
///
/// ```
/// use retold::{Files, Strike, StrikeTables};
///
/// # let folder = tempfile::tempdir()?;
/// # let (path, output) = (folder.path().join("news.jsonl"), folder.path().join("clean"));
/// # std::fs::write(&path, "{\"id\": 1, \"text\": \"some text\"}\n")?;
/// Strike::new(Files::new([path])).run(&mut StrikeTables::new(&output))?;
/// assert!(output.join("documents/news.jsonl").exists() && output.join("strikes.jsonl").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StrikeTables {
    path: PathBuf,
    overwrite: bool,
    writing: Option<Writing>,
}

struct Writing {
    folder: OutputDir,
    strikes: BufWriter<File>,
    documents: BufWriter<File>,
    card: StrikeCard,
}

impl StrikeTables {
    /// Writes into a folder that must not be there yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { path: folder.into(), overwrite: false, writing: None }
    }

    /// Says whether a folder with an earlier result is replaced.
    #[must_use]
    pub fn overwrite(self, overwrite: bool) -> Self {
        Self { overwrite, ..self }
    }
}

fn line(writer: &mut BufWriter<File>, row: &impl Serialize, path: &Path) -> Result<(), Error> {
    let mut bytes = serde_json::to_vec(row).expect("rows have names for keys");
    bytes.push(b'\n');
    writer.write_all(&bytes).map_err(Error::io("write", path))
}

impl StrikeSink for StrikeTables {
    fn begin(&mut self) -> Result<(), Error> {
        let folder = OutputDir::create(&self.path, self.overwrite)?;
        let create = |name: &str| {
            let path = folder.path().join(name);
            File::create(&path).map(BufWriter::new).map_err(Error::io("create", &path))
        };
        let (strikes, documents) = (create("strikes.jsonl")?, create("documents.jsonl")?);
        self.writing = Some(Writing { folder, strikes, documents, card: StrikeCard::default() });
        Ok(())
    }

    fn earlier(&self) -> Option<Manifest> {
        Manifest::read(&self.path).ok().filter(|_| !self.overwrite)
    }

    fn folder(&self) -> Option<&Path> {
        self.writing.as_ref().map(|writing| writing.folder.path())
    }

    fn document(
        &mut self,
        row: &LeftRow,
        strikes: &[StrikeRow],
        _: Option<&str>,
    ) -> Result<(), Error> {
        if let Some(writing) = &mut self.writing {
            line(&mut writing.documents, row, &self.path)?;
            for strike in strikes {
                line(&mut writing.strikes, strike, &self.path)?;
                writing.card.push(&StruckStretch {
                    kind: strike.kind.name(),
                    id: &strike.id,
                    file: &strike.file,
                    record: strike.record,
                    span: (strike.span.start, strike.span.end),
                    words: strike.words,
                    text: &strike.text,
                    kept_in: strike.twins.first().map(|twin| &*twin.id),
                });
            }
        }
        Ok(())
    }

    fn finish(&mut self, outcome: &StrikeOutcome) -> Result<(), Error> {
        let Some(mut writing) = self.writing.take() else { return Ok(()) };
        let flushed = writing.strikes.flush().and_then(|()| writing.documents.flush());
        flushed.map_err(Error::io("write", &self.path))?;
        let folder = writing.folder.path();
        let manifest = &outcome.manifest;
        let mut effective = manifest.clone();
        if let Some(settings) = effective.settings.as_object_mut() {
            settings.insert("min-words".to_owned(), outcome.settings.least_words().into());
        }
        let written = writing.card.write(folder, &effective).and_then(|()| manifest.write(folder));
        written.map_err(Error::io("write", folder))?;
        drop((writing.strikes, writing.documents));
        writing.folder.commit()?;
        Ok(())
    }
}
