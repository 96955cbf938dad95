//! Files that were uploaded or lie below a configured folder, as documents.

use std::path::Path;

use retold::{Document, Progress, ReadOptions, Stage};
use retold_read::{Discovered, Reader, discover};
use serde_json::{Value, json};

use crate::collections::Done;
use crate::problem::{Code, Problem};

/// Counts what became of documents.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) added: u64,
    pub(crate) replaced: u64,
    pub(crate) unchanged: u64,
    pub(crate) late: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, done: &[Done]) {
        for done in done {
            match done {
                Done::Added => self.added += 1,
                Done::Replaced => self.replaced += 1,
                Done::Unchanged => self.unchanged += 1,
                Done::Late => self.late += 1,
            }
        }
    }
}

/// Finds the files at a path. An uploaded one has the name that its sender gave it.
fn files_at(path: &Path, name: Option<&str>) -> Result<Discovered, Problem> {
    let mut found = discover(&[path.to_owned()])
        .map_err(|error| Problem::new(Code::NotAccepted, error.to_string()))?;
    if let (Some(name), [file]) = (name, found.files.as_mut_slice()) {
        name.clone_into(&mut file.name);
    }
    Ok(found)
}

/// Reads files in batches and hands them over; returns what became of them.
pub(crate) fn each_batch(
    path: &Path,
    name: Option<&str>,
    options: &ReadOptions,
    together: usize,
    progress: &dyn Progress,
    mut each: impl FnMut(Vec<Document>) -> Result<Vec<Done>, Problem>,
) -> Result<Value, Problem> {
    let found = files_at(path, name)?;
    let total = found.files.iter().map(|file| file.bytes).sum();
    progress.begin(Stage::Read, total);
    let mut n_bad = found.skipped.len() as u64;
    found.skipped.iter().for_each(|bad| progress.bad(bad));
    let mut reader = Reader::new(found.files, options.clone());
    let (mut waiting, mut counts, mut n_documents) = (Vec::new(), Counts::default(), 0);
    while let Some(batch) = reader.next_batch() {
        batch.parse(&mut |record| match record {
            Ok(record) => waiting.push(record.document),
            Err(bad) => {
                n_bad += 1;
                progress.bad(&bad);
            }
        });
        while waiting.len() >= together {
            let rest = waiting.split_off(together);
            n_documents += waiting.len() as u64;
            counts.add(&each(std::mem::replace(&mut waiting, rest))?);
            progress.at(0, n_documents);
        }
    }
    if !waiting.is_empty() {
        counts.add(&each(waiting)?);
    }
    let Counts { added, replaced, unchanged, late } = counts;
    Ok(json!({
        "added": added, "replaced": replaced, "unchanged": unchanged, "late": late,
        "bad_records": n_bad,
    }))
}

/// Reads the first documents of the files at a path, and no further.
pub(crate) fn first_documents(
    path: &Path,
    name: Option<&str>,
    options: &ReadOptions,
    most: usize,
) -> Result<Vec<Document>, Problem> {
    let mut reader = Reader::new(files_at(path, name)?.files, options.clone());
    let mut first = Vec::new();
    while first.len() < most {
        let Some(batch) = reader.next_batch() else { break };
        batch.parse(&mut |record| {
            if let Some(record) = record.ok().filter(|_| first.len() < most) {
                first.push(record.document);
            }
        });
    }
    Ok(first)
}

/// Reads one file as one document.
pub(crate) fn one_document(
    path: &Path,
    name: &str,
    options: &ReadOptions,
) -> Result<Document, Problem> {
    let found = files_at(path, Some(name))?;
    let mut reader = Reader::new(found.files, options.clone());
    let (mut first, mut n_documents, mut bad) = (None, 0, None);
    while let Some(batch) = reader.next_batch() {
        batch.parse(&mut |record| match record {
            Ok(record) => {
                n_documents += 1;
                first.get_or_insert(record.document);
            }
            Err(error) => {
                bad.get_or_insert(error);
            }
        });
    }
    match (first, n_documents, bad) {
        (Some(document), 1, _) => Ok(document),
        (Some(_), n, _) => {
            let detail = format!("the file holds {n} documents; ask about one at a time");
            Err(Problem::new(Code::NotAccepted, detail))
        }
        (None, _, Some(bad)) => {
            Err(Problem::new(Code::NotAccepted, format!("it cannot be read: {}", bad.reason)))
        }
        (None, _, None) => Err(Problem::new(Code::NotAccepted, "the file holds no document")),
    }
}
