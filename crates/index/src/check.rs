//! The check of an index: every checksum, and whether everything fits together.

mod method;
mod part;

use std::sync::Arc;

use serde::Serialize;

pub(crate) use self::part::check_part;
use crate::attachment::{Attachment, AttachmentEntry, open_attachment};
use crate::disk::Disk;
use crate::error::{Doing as _, Error, Result};
use crate::format::{Kind, MANIFEST, NEW_MANIFEST};
use crate::manifest::Manifest;
use crate::part::{View, id_hash};
use crate::snapshot::load_stable;
use crate::writer::{files, missing_is_damaged, open_part, replay};

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Name of the file.
    pub file: String,
    /// Where in the file.
    pub offset: u64,
    /// What is wrong there.
    pub what: String,
}

impl Problem {
    fn new(file: &str, offset: u64, what: impl Into<String>) -> Self {
        Self { file: file.to_owned(), offset, what: what.into() }
    }

    /// Takes a problem out of an error; other errors stay.
    pub(crate) fn of(error: Error) -> Result<Self> {
        match error {
            Error::Damaged { file, offset, what } => Ok(Self { file, offset, what }),
            other => Err(other),
        }
    }
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CheckReport {
    /// Files of the index.
    pub n_files: usize,
    /// Bytes of them.
    pub n_bytes: u64,
    /// Documents that are there.
    pub n_documents: u64,
    /// Postings in parts.
    pub n_postings: u64,
    /// Number of the last commit.
    pub commit: u64,
    /// Bytes at the end of the log of a group that was not committed. Not a problem.
    pub n_uncommitted_bytes: u64,
    /// Files that look like ours and are not part of the index. Not a problem: the next writer
    /// removes them.
    pub orphans: Vec<String>,
    /// What is wrong; nothing if the index is sound.
    pub problems: Vec<Problem>,
}

impl CheckReport {
    /// Returns whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Reads all of an index, as it is at its last commit, and checks it. A writer may go on
/// meanwhile.
///
/// # Errors
/// Damage is reported, not returned as an error; it is an error if there is no index, or one of
/// another version, or if the system refuses to read.
pub fn check(disk: &dyn Disk) -> Result<CheckReport> {
    match load_stable(disk, check_once) {
        Ok((_, report)) => Ok(report),
        Err(error) => {
            let problems = vec![Problem::of(error)?];
            Ok(CheckReport { problems, ..CheckReport::default() })
        }
    }
}

fn check_once(disk: &dyn Disk, manifest: &Manifest) -> Result<CheckReport> {
    let mut report = CheckReport::default();
    let names = files(manifest);
    for name in disk.list().doing(|| "list the folder".to_owned())? {
        let is_ours = Kind::of_name(&name).is_some() || name == NEW_MANIFEST;
        if is_ours && !names.contains(&name) {
            report.orphans.push(name);
        }
    }
    report.n_files = names.len();
    for name in &names {
        // One that is missing is found when it is read.
        report.n_bytes += disk.open(name).and_then(|file| file.len()).unwrap_or(0);
    }
    for (name, entry) in &manifest.attachments {
        let checked = check_attachment(disk, manifest, name, *entry)?;
        report.problems.extend(checked.err());
    }
    let mut views = Vec::new();
    for entry in &manifest.parts {
        match open_part(disk, manifest, entry).map_err(missing_is_damaged) {
            Ok(view) => {
                report.problems.extend(check_part(&view)?);
                let lists = view.part.footer.methods.iter().filter_map(|m| m.lists.as_ref());
                report.n_postings += lists.map(|lists| lists.n_postings).sum::<u64>();
                views.push(view);
            }
            Err(error) => report.problems.push(Problem::of(error)?),
        }
    }
    if report.is_sound() {
        check_together(&views, manifest, &mut report)?;
    }
    match replay(disk, manifest, views).map_err(missing_is_damaged) {
        Ok(loaded) => {
            report.n_documents = loaded.live.n_documents();
            report.commit = loaded.commit;
            report.n_uncommitted_bytes = loaded.reader.len().saturating_sub(loaded.end.committed);
            report.problems.extend(loaded.end.damage.map(Problem::of).transpose()?);
        }
        Err(error) => report.problems.push(Problem::of(error)?),
    }
    if !report.is_sound() && Manifest::read(disk)?.generation != manifest.generation {
        // Files may be gone because a writer has replaced them.
        return Err(Error::damaged(MANIFEST, 0, "it changes too often to be checked"));
    }
    Ok(report)
}

/// Reads all of an attachment; returns it, or what is wrong with it.
pub(crate) fn check_attachment(
    disk: &dyn Disk,
    manifest: &Manifest,
    name: &str,
    entry: AttachmentEntry,
) -> Result<std::result::Result<Arc<Attachment>, Problem>> {
    let opened = open_attachment(disk, manifest.index, name, entry);
    let checked = opened.and_then(|attachment| attachment.check().map(|()| attachment));
    match checked.map_err(missing_is_damaged) {
        Ok(attachment) => Ok(Ok(attachment)),
        Err(error) => Problem::of(error).map(Err),
    }
}

/// Checks what holds between parts.
fn check_together(views: &[View], manifest: &Manifest, report: &mut CheckReport) -> Result<()> {
    let mut last = None;
    let mut ids = Vec::new();
    for (i, view) in views.iter().enumerate() {
        let (first_seq, last_seq) = view.part.footer.seqs;
        if last.is_some_and(|last| last >= first_seq) || last_seq >= manifest.next_seq {
            let what = "the documents of parts are not in the order in which they came";
            report.problems.push(Problem::new(MANIFEST, 0, what));
        }
        last = Some(last_seq);
        view.part.footer.ids.each(&view.part.file, |hash, doc| {
            if view.is_live(doc) {
                ids.push((hash, i as u32, doc));
            }
            Ok(())
        })?;
        method::check_later(views, i, &mut report.problems)?;
    }
    ids.sort_unstable();
    for same in ids.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 1) {
        let mut found = Vec::new();
        for &(hash, part, doc) in same {
            let id = views[part as usize].part.record(doc)?.0;
            debug_assert_eq!(id_hash(&id), hash, "checked with the part");
            found.push(id);
        }
        found.sort_unstable();
        if found.windows(2).any(|pair| pair[0] == pair[1]) {
            let file = &views[same[0].1 as usize].part.file.name;
            report.problems.push(Problem::new(file, 0, "two documents have the same id"));
        }
    }
    Ok(())
}
