//! `manifest.json`: what a run was asked, what it read, what it found and what it left out.
//!
//! Everything but the last key is a function of input, settings, seed and version; what depends
//! on the machine (threads, seconds) stands at the end under `run`. Two manifests of the same
//! job may be compared up to there.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::numbers::grouped;

/// Value of [`Manifest::program`] by which a folder is known to be one of ours.
pub const PROGRAM: &str = "retold";

/// The most bad records listed in a manifest; all are counted.
pub const MAX_BAD_ROWS: usize = 1_000;

/// What was done in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Manifest {
    /// Name of the program, [`PROGRAM`]; a file that does not name it is not one of ours.
    #[serde(default)]
    pub program: String,
    /// Version of the program.
    pub version: String,
    /// Command that ran: `find` or `dedup`.
    pub command: String,
    /// Name of the method.
    pub method: String,
    /// Profile of the method: `retold` or `paper`.
    pub profile: String,
    /// Parameters of the method, defaults included.
    pub parameters: Value,
    /// Settings of the run, defaults included.
    pub settings: Value,
    /// How parameters were found for a wanted similarity and recall, if they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tuning: Option<Value>,
    /// Seed of every random choice.
    pub seed: u64,
    /// Hash functions by what they are used for: `"features": "xxh3-64"`.
    pub hashes: BTreeMap<String, String>,
    /// What was read, in order.
    pub inputs: Vec<ManifestInput>,
    /// Documents of the first of two collections that were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_from: Option<u64>,
    /// Documents that were read, if further ones joined them from an index or an archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joined_from: Option<u64>,
    /// What was counted, by name.
    pub counts: BTreeMap<String, u64>,
    /// What a limit or a budget left out.
    pub cuts: Vec<Cut>,
    /// Which steps are approximate, and how.
    pub approximate: Vec<String>,
    /// How many records could not be read.
    pub n_bad: u64,
    /// The first [`MAX_BAD_ROWS`] records that could not be read.
    pub bad_records: Vec<BadRow>,
    /// Whether the run came to its end.
    pub finished: bool,
    /// What may differ between two runs of the same job.
    pub run: ManifestRun,
}

/// What may differ between two runs of the same job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ManifestRun {
    /// Number of threads.
    pub threads: u32,
    /// What stands for the job and the state of its files, where it could be resumed: a later run with
    /// the same one has nothing left to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Peak memory in bytes, where the system reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_bytes: Option<u64>,
    /// Seconds by stage.
    pub timings: BTreeMap<String, f64>,
}

/// One input of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestInput {
    /// Name as it was given.
    pub name: String,
    /// Size in bytes as stored.
    pub bytes: u64,
    /// What it was read as: `jsonl`, `html`, `warc`.
    pub kind: String,
    /// BLAKE3 of its bytes, in hexadecimal; absent where it was not taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blake3: Option<String>,
    /// Documents read from it.
    pub n_documents: u64,
    /// Records of it that could not be read.
    pub n_bad: u64,
    /// The file below `documents/` that its records were copied to, without the numbers of shards; where
    /// passages, paragraphs, lines or sentences are struck.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copied_to: Option<String>,
}

/// Something that was left out, and by which limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// What was left out, in words that a number can stand before: `pairs beyond the limit per
    /// document`.
    pub what: String,
    /// The limit that did it, where it is one number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// How many were left out.
    pub count: u64,
}

impl Cut {
    /// Returns what was left out as a sentence without its full stop.
    pub(crate) fn told(&self) -> String {
        let limit = self.limit.map(|limit| format!(" (limit {})", grouped(limit)));
        format!("{} {}{}", grouped(self.count), self.what, limit.unwrap_or_default())
    }
}

/// A record that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadRow {
    /// File it stands in.
    pub file: String,
    /// Number of the record in the file, counted from 0.
    pub record: u64,
    /// Byte of the file it starts at, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Why it could not be read.
    pub reason: String,
}

impl Default for Manifest {
    fn default() -> Self {
        Self {
            program: PROGRAM.to_owned(),
            version: String::new(),
            command: String::new(),
            method: String::new(),
            profile: String::new(),
            parameters: Value::Null,
            settings: Value::Null,
            tuning: None,
            seed: 0,
            hashes: BTreeMap::new(),
            inputs: Vec::new(),
            second_from: None,
            joined_from: None,
            counts: BTreeMap::new(),
            cuts: Vec::new(),
            approximate: Vec::new(),
            n_bad: 0,
            bad_records: Vec::new(),
            finished: false,
            run: ManifestRun::default(),
        }
    }
}

impl Manifest {
    /// Name of the file in an output folder.
    pub const FILE_NAME: &'static str = "manifest.json";

    /// Writes `manifest.json` into `dir`, replacing an earlier one.
    pub fn write(&self, dir: &Path) -> io::Result<()> {
        let mut out = BufWriter::new(File::create(dir.join(Self::FILE_NAME))?);
        let mut shown = self.clone();
        shown.bad_records.truncate(MAX_BAD_ROWS);
        serde_json::to_writer_pretty(&mut out, &shown)?;
        out.write_all(b"\n")?;
        out.flush()
    }

    /// Reads the manifest of an output folder.
    pub fn read(dir: &Path) -> io::Result<Self> {
        Ok(serde_json::from_slice(&std::fs::read(dir.join(Self::FILE_NAME))?)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(threads: u32) -> Manifest {
        Manifest {
            version: "0.1.0".to_owned(),
            command: "find".to_owned(),
            inputs: vec![ManifestInput { name: "news.jsonl".to_owned(), ..Default::default() }],
            bad_records: vec![BadRow::default(); MAX_BAD_ROWS + 7],
            n_bad: MAX_BAD_ROWS as u64 + 7,
            finished: true,
            run: ManifestRun {
                threads,
                timings: BTreeMap::from([("read".to_owned(), f64::from(threads))]),
                ..ManifestRun::default()
            },
            ..Manifest::default()
        }
    }

    #[test]
    fn all_that_depends_on_the_machine_stands_last() {
        let [one, eight] = [1, 8].map(|n| serde_json::to_string_pretty(&manifest(n)).unwrap());
        let (above_one, _) = one.split_once("\n  \"run\": ").unwrap();
        let (above_eight, below_eight) = eight.split_once("\n  \"run\": ").unwrap();
        assert_eq!(above_one, above_eight);
        assert!(below_eight.contains("\"threads\": 8"));
    }

    #[test]
    fn a_manifest_comes_back_from_its_file_with_bad_records_cut() {
        let dir = tempfile::tempdir().unwrap();
        let written = manifest(2);
        written.write(dir.path()).unwrap();
        let mut expected = written;
        expected.bad_records.truncate(MAX_BAD_ROWS);
        assert_eq!(Manifest::read(dir.path()).unwrap(), expected);
    }

    #[test]
    fn a_manifest_without_a_program_is_not_ours() {
        let foreign: Manifest = serde_json::from_str("{\"name\":\"web app\"}").unwrap();
        assert_ne!(foreign.program, PROGRAM);
    }
}
