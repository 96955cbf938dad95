//! The documents that a collection is made of.
//!
//! All of them are held in memory, because foreign paragraphs may come from any of them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use retold::{BadRecord, Job, Resources, Stage};
use retold_read::{FileDigest, Reader, discover};
use retold_report::{BadRow, Manifest, ManifestInput};

use super::collection::Collection;
use crate::error::Error;

/// What was read.
pub(super) struct Inputs {
    pub(super) collection: Collection,
    digests: Vec<FileDigest>,
    n_per_file: BTreeMap<u32, u64>,
    bad: Vec<BadRecord>,
    bad_by_file: BTreeMap<String, u64>,
    pub(super) n_bad: u64,
}

/// Bad records kept for the manifest; all are counted.
const MOST_BAD: usize = retold_report::MAX_BAD_ROWS;

impl Inputs {
    pub(super) fn read(paths: &[PathBuf], job: &Job, resources: &Resources) -> Result<Self, Error> {
        let (progress, stop) = (resources.progress_listener(), resources.stop_wish());
        let found = discover(paths)?;
        let total = found.files.iter().map(|file| file.bytes).sum();
        progress.begin(Stage::Read, total);
        let mut documents = Vec::new();
        let (mut bad, mut n_bad) = (Vec::new(), 0);
        let mut bad_by_file: BTreeMap<String, u64> = BTreeMap::new();
        let mut n_per_file: BTreeMap<u32, u64> = BTreeMap::new();
        let mut note = |record: BadRecord| {
            progress.bad(&record);
            n_bad += 1;
            *bad_by_file.entry(record.file.clone()).or_default() += 1;
            if bad.len() < MOST_BAD {
                bad.push(record);
            }
        };
        found.skipped.into_iter().for_each(&mut note);
        let mut reader = Reader::stopped_by(found.files, job.read_options(), stop.flag());
        let mut refused = None;
        while let Some(batch) = reader.next_batch() {
            Error::if_stopped(stop, Stage::Read, documents.len())?;
            batch.parse(&mut |record| match record {
                Ok(record) => {
                    *n_per_file.entry(record.place.file).or_default() += 1;
                    documents.push(record.document);
                }
                Err(record) => {
                    refused = refused.take().or_else(|| Some(record.clone()));
                    note(record);
                }
            });
            if let Some(record) = refused.take().filter(|_| job.strict()) {
                return Err(retold::Error::Input(record).into());
            }
            progress.at(reader.bytes_read(), documents.len() as u64);
        }
        if documents.is_empty() {
            let names: Vec<String> =
                paths.iter().map(|path| format!("`{}`", path.display())).collect();
            return Err(retold::Error::Empty(names.join(", ")).into());
        }
        let digests = reader.digests();
        let n_documents = documents.len();
        let collection = Collection::of_while(documents, &|| stop.is_set());
        Error::if_stopped(stop, Stage::Read, n_documents)?;
        Ok(Self { collection, digests, n_per_file, bad, bad_by_file, n_bad })
    }

    /// Returns the number of files read.
    pub(super) fn n_files(&self) -> usize {
        self.digests.len()
    }

    /// Describes the files, and the records that could not be read, in a manifest.
    pub(super) fn describe(&self, manifest: &mut Manifest) {
        let input = |digest: &FileDigest| ManifestInput {
            name: digest.name.clone(),
            bytes: digest.bytes,
            kind: digest.kind.clone(),
            blake3: digest.is_complete.then(|| digest.blake3.clone()),
            n_documents: self.n_per_file.get(&digest.file).copied().unwrap_or(0),
            n_bad: self.bad_by_file.get(&digest.name).copied().unwrap_or(0),
            copied_to: None,
        };
        let bad_row = |record: &BadRecord| BadRow {
            file: record.file.clone(),
            record: record.record.unwrap_or(0),
            offset: record.offset,
            reason: record.reason.clone(),
        };
        manifest.inputs = self.digests.iter().map(input).collect();
        manifest.n_bad = self.n_bad;
        manifest.bad_records = self.bad.iter().map(bad_row).collect();
    }
}
