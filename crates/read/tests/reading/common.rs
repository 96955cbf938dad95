//! Reading generated files in tests.

use std::path::{Path, PathBuf};

use retold_core::document::Document;
use retold_read::{BadRecord, Place, ReadOptions, Reader, discover};
use tempfile::TempDir;

/// A directory of generated files.
pub(crate) struct Files(pub(crate) TempDir);

impl Files {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("the system has a place for temporary files"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file and returns its path.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).expect("temporary directories can be made");
        }
        std::fs::write(&path, bytes).expect("temporary files can be written");
        path
    }
}

/// Everything that came out of a run.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) documents: Vec<Document>,
    pub(crate) places: Vec<Place>,
    pub(crate) bad: Vec<BadRecord>,
    pub(crate) kinds: Vec<String>,
    pub(crate) skipped: Vec<u64>,
}

impl Outcome {
    pub(crate) fn ids(&self) -> Vec<&str> {
        self.documents.iter().map(|document| document.id.as_str()).collect()
    }

    pub(crate) fn texts(&self) -> Vec<&str> {
        self.documents.iter().map(|document| document.text.as_str()).collect()
    }

    /// Returns all refusals as they are printed.
    pub(crate) fn reasons(&self) -> String {
        self.bad.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }
}

/// Reads paths with the default options.
pub(crate) fn read(paths: &[PathBuf]) -> Outcome {
    read_with(paths, ReadOptions::default())
}

/// Reads paths.
pub(crate) fn read_with(paths: &[PathBuf], options: ReadOptions) -> Outcome {
    let found = discover(paths).expect("the paths exist");
    let mut outcome = Outcome { bad: found.skipped, ..Outcome::default() };
    let mut reader = Reader::new(found.files, options);
    let mut expected = 0;
    while let Some(batch) = reader.next_batch() {
        assert_eq!(batch.sequence(), expected, "batches are numbered in order");
        expected += 1;
        batch.parse(&mut |record| match record {
            Ok(record) => {
                outcome.documents.push(record.document);
                outcome.places.push(record.place);
            }
            Err(bad) => outcome.bad.push(bad),
        });
    }
    outcome.skipped = reader.digests().iter().map(|digest| digest.skipped).collect();
    outcome.kinds = reader.digests().into_iter().map(|digest| digest.kind).collect();
    outcome
}

/// Reads one file of the given name and content.
pub(crate) fn read_one(name: &str, bytes: impl AsRef<[u8]>) -> Outcome {
    read_one_with(name, bytes, ReadOptions::default())
}

/// Reads one file with options.
pub(crate) fn read_one_with(name: &str, bytes: impl AsRef<[u8]>, options: ReadOptions) -> Outcome {
    let files = Files::new();
    read_with(&[files.write(name, bytes)], options)
}
