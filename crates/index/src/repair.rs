//! The repair of a damaged index: what is damaged goes, and is named.

mod salvage;

use std::sync::Arc;

use serde::Serialize;

use self::salvage::{remove_twins, salvage_manifest};
use crate::attachment::Attached;
use crate::bitmap::Bitmap;
use crate::check::{Problem, check_attachment, check_part};
use crate::disk::Disk;
use crate::error::{Doing as _, Error, Result};
use crate::format::Kind;
use crate::live::Live;
use crate::log::LogWriter;
use crate::manifest::{Manifest, PartEntry, step, sync_failed};
use crate::part::{Part, View};
use crate::removed::read_removed;
use crate::writer::{States, Writer, files, lock, missing_is_damaged, remove_orphans, replay};

/// A part that was dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DroppedPart {
    /// Name of its file.
    pub name: String,
    /// What is wrong with it.
    pub problem: Problem,
    /// Documents that went with it.
    pub n_documents: u32,
    /// Ids of these documents, as far as they can be read.
    pub ids: Vec<String>,
}

/// An attachment that was dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DroppedAttachment {
    /// Its name.
    pub name: String,
    /// What is wrong with its file.
    pub problem: Problem,
}

/// What a repair did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RepairReport {
    /// Parts that were dropped.
    pub dropped: Vec<DroppedPart>,
    /// Attachments that were dropped.
    pub dropped_attachments: Vec<DroppedAttachment>,
    /// Bytes of the log that were dropped: groups of documents that had been committed.
    pub log_bytes_dropped: u64,
    /// Damage of the log.
    pub log_problem: Option<Problem>,
    /// Parts of which it is not known any more what was removed from them: removed documents are
    /// there again, unless there is a newer one with the same id.
    pub lost_removals: Vec<String>,
    /// Whether the manifest was damaged, and was made anew from the files that are there.
    pub is_manifest_new: bool,
    /// Documents that are there now.
    pub n_documents: u64,
}

impl RepairReport {
    /// Returns whether there was nothing to repair.
    pub fn is_clean(&self) -> bool {
        self.dropped.is_empty()
            && self.dropped_attachments.is_empty()
            && self.log_problem.is_none()
            && self.lost_removals.is_empty()
            && !self.is_manifest_new
    }
}

/// Drops what is damaged of an index, so that it can be opened again, and says what went.
///
/// Only damaged parts, attachments and groups of the log go, and their files with them: whoever wants to
/// look at these copies the folder before. If nothing is damaged, nothing changes but that the log
/// is flushed.
pub fn repair(disk: &Arc<dyn Disk>) -> Result<RepairReport> {
    let lock = lock(disk.as_ref())?;
    let mut report = RepairReport::default();
    step(disk.as_ref(), "repair: before the manifest is read")?;
    let mut manifest = match Manifest::read(disk.as_ref()) {
        Ok(manifest) => manifest,
        Err(error @ (Error::Damaged { .. } | Error::NotAnIndex)) => {
            report.is_manifest_new = true;
            salvage_manifest(disk.as_ref())?.ok_or(error)?
        }
        Err(error) => return Err(error),
    };
    let mut views = Vec::new();
    let mut is_removed_lost = Vec::new();
    let mut entries = Vec::new();
    for entry in &manifest.parts {
        let (view, is_lost) = match open_sound(disk.as_ref(), &manifest, entry)? {
            Opened::Sound(view) => {
                entries.push(*entry);
                (view, false)
            }
            Opened::WithoutRemoved(view) => {
                entries.push(PartEntry { removed: None, n_removed: 0, ..*entry });
                report.lost_removals.push(view.part.file.name.clone());
                (view, true)
            }
            Opened::Damaged(dropped) => {
                report.dropped.push(dropped);
                continue;
            }
        };
        views.push(view);
        is_removed_lost.push(is_lost || report.is_manifest_new);
    }
    manifest.parts = entries;
    remove_twins(&mut views, &is_removed_lost)?;
    let last_seq = views.iter().map(|view| view.part.footer.seqs.1.saturating_add(1)).max();
    manifest.next_seq = manifest.next_seq.max(last_seq.unwrap_or(0));

    step(disk.as_ref(), "repair: before attachments are read")?;
    let attached = sound_attachments(disk.as_ref(), &manifest, &mut report)?;
    manifest.attachments.retain(|name, _| attached.contains_key(name));

    step(disk.as_ref(), "repair: before the log is read")?;
    let (live, states, commit) = read_log(disk.as_ref(), &manifest, views, &mut report)?;
    manifest.next_file = number_above(disk.as_ref(), &manifest)?;
    report.n_documents = live.n_documents();
    if !report.is_clean() {
        // Whoever remembers commits of this index must look again.
        manifest.epoch += 1;
    }

    // The manifest as it will be is made by a flush, to a new log; until then nothing changes.
    step(disk.as_ref(), "repair: before the new log is written")?;
    let index = manifest.index;
    let log = LogWriter::create(disk.as_ref(), index, manifest.next_file, &[], commit)?;
    manifest.next_file += 1;
    disk.sync().map_err(|source| sync_failed("the folder", source))?;
    let mut writer = Writer::new(disk.clone(), manifest, live, log, states, commit, lock);
    writer.set_attached(attached);
    writer.flush_always()?;
    step(disk.as_ref(), "repair: before orphans are removed")?;
    let files = files(writer.manifest());
    remove_orphans(disk.as_ref(), &files)?;
    step(disk.as_ref(), "repair: done")?;
    Ok(report)
}

/// What became of a part.
enum Opened {
    Sound(View),
    /// What was removed from it cannot be read.
    WithoutRemoved(View),
    Damaged(DroppedPart),
}

fn open_sound(disk: &dyn Disk, manifest: &Manifest, entry: &PartEntry) -> Result<Opened> {
    let name = Kind::Part.name(entry.number);
    let n_live = entry.n_documents.saturating_sub(entry.n_removed);
    let part = match Part::open(disk, manifest.index, entry.number).map_err(missing_is_damaged) {
        Ok(part) => part,
        Err(error) => {
            let problem = Problem::of(error)?;
            return Ok(Opened::Damaged(DroppedPart {
                name,
                problem,
                n_documents: n_live,
                ids: Vec::new(),
            }));
        }
    };
    let removed = match entry.removed {
        None => Ok(Bitmap::new(part.n_documents())),
        Some(number) => read_removed(disk, manifest.index, number)
            .map_err(missing_is_damaged)
            .and_then(|(of, removed)| {
                let is_right = of == entry.number
                    && removed.words().len() == (part.n_documents() as usize).div_ceil(64);
                let name = Kind::Removed.name(number);
                let other = || Error::damaged(&name, 0, "it is of another part");
                if is_right { Ok(removed) } else { Err(other()) }
            }),
    };
    let is_other = part.settings().n_methods != manifest.settings.n_methods;
    let mut view = View::new(part);
    let is_removed_known = match removed {
        Ok(removed) => {
            view.removed = Arc::new(removed);
            true
        }
        Err(error) => {
            Problem::of(error)?;
            false
        }
    };
    let problem = if is_other {
        Some(Problem::of(view.part.file.damaged(0, "it has other methods than the index"))?)
    } else {
        check_part(&view)?
    };
    Ok(match problem {
        Some(problem) => {
            let ids = view.live().filter_map(|doc| Some(view.part.record(doc).ok()?.0)).collect();
            Opened::Damaged(DroppedPart { name, problem, n_documents: view.n_live(), ids })
        }
        None if is_removed_known => Opened::Sound(view),
        None => Opened::WithoutRemoved(view),
    })
}

/// Returns the attachments that are whole.
fn sound_attachments(
    disk: &dyn Disk,
    manifest: &Manifest,
    report: &mut RepairReport,
) -> Result<Attached> {
    let mut attached = Attached::new();
    for (name, entry) in &manifest.attachments {
        let name = name.clone();
        match check_attachment(disk, manifest, &name, *entry)? {
            Ok(attachment) => drop(attached.insert(name, attachment)),
            Err(problem) => report.dropped_attachments.push(DroppedAttachment { name, problem }),
        }
    }
    Ok(attached)
}

/// Replays what can be read of the log.
fn read_log(
    disk: &dyn Disk,
    manifest: &Manifest,
    views: Vec<View>,
    report: &mut RepairReport,
) -> Result<(Live, States, u64)> {
    let parts = views.clone();
    match replay(disk, manifest, parts).map_err(missing_is_damaged) {
        Ok(loaded) => {
            report.log_bytes_dropped = loaded.end.n_lost;
            report.log_problem = loaded.end.damage.map(Problem::of).transpose()?;
            Ok((loaded.live, loaded.states, loaded.commit))
        }
        Err(error) => {
            report.log_problem = Some(Problem::of(error)?);
            let name = Kind::Log.name(manifest.log);
            report.log_bytes_dropped = disk.open(&name).and_then(|file| file.len()).unwrap_or(0);
            let settings = Arc::new(manifest.settings.clone());
            Ok((Live::new(settings, views, manifest.next_seq), States::new(), 0))
        }
    }
}

/// Returns a number above that of every file there is.
fn number_above(disk: &dyn Disk, manifest: &Manifest) -> Result<u64> {
    let names = disk.list().doing(|| "list the folder".to_owned())?;
    let numbers = names.iter().filter_map(|name| Kind::of_name(name)).map(|(_, number)| number + 1);
    Ok(numbers.max().unwrap_or(0).max(manifest.next_file))
}
