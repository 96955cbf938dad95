//! Merges of neighbouring parts, so that there are never many.
//!
//! Parts fall into tiers by their size, each four times as large as the one before. Four
//! neighbours of a tier or below become one part of a higher tier, so a document is written once
//! for each tier. Neighbours stay neighbours: old documents stay together, and when they expire,
//! whole files go.

use std::sync::{Arc, Weak};

use super::Writer;
use super::flush::{Made, entry_of, take_number};
use crate::disk::Disk;
use crate::document::Settings;
use crate::error::Result;
use crate::format::{Kind, Sink};
use crate::manifest::{step, sync_failed};
use crate::part::{Part, View, merge};

/// Parts of a tier that are merged into one.
const FAN_IN: usize = 4;
/// Parts up to this size are of the lowest tier.
const SMALL_BYTES: u64 = 1 << 20;

/// Parts that somebody is merging.
#[derive(Debug)]
pub(super) struct Planned {
    parts: Vec<u64>,
    /// Number of the part that is made of them.
    number: u64,
    /// Dead when the job and its result are gone.
    token: Weak<Held>,
}

/// Held by a job and by its result. While one of them lives nobody else writes to the index: the
/// number of the merged part could be given out a second time.
pub(super) struct Held {
    _lock: Arc<dyn Send + Sync>,
}

impl std::fmt::Debug for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Held")
    }
}

/// Parts to be merged, away from the writer. The index stays locked until it is dropped.
#[derive(Debug)]
pub struct MergeJob {
    disk: Arc<dyn Disk>,
    index: u128,
    number: u64,
    settings: Arc<Settings>,
    sources: Vec<View>,
    token: Arc<Held>,
}

/// The result of a [`MergeJob`], to be handed to [`Writer::install`].
#[derive(Debug)]
pub struct MergedPart {
    disk: Arc<dyn Disk>,
    number: u64,
    sources: Vec<View>,
    /// `None` if no document was left.
    part: Option<View>,
    n_bytes: u64,
    is_installed: bool,
    _token: Arc<Held>,
}

impl MergeJob {
    /// Writes the merged part. Nothing else of the index is changed, and the writer can go on.
    pub fn run(self) -> Result<MergedPart> {
        let Self { disk, index, number, settings, sources, token } = self;
        let mut merged = MergedPart {
            disk: disk.clone(),
            number,
            sources,
            part: None,
            n_bytes: 0,
            is_installed: false,
            _token: token,
        };
        if merged.sources.iter().all(|view| view.n_live() == 0) {
            return Ok(merged);
        }
        let disk = disk.as_ref();
        step(disk, "merge: before the part is written")?;
        let mut sink = Sink::create(disk, Kind::Part, index, number)?;
        merge(&merged.sources, &settings, &mut sink)?;
        step(disk, "merge: before the part is synced")?;
        merged.n_bytes = sink.sync()?;
        merged.part = Some(View::new(Part::open(disk, index, number)?));
        step(disk, "merge: the part is written")?;
        Ok(merged)
    }

    /// Returns the number of parts that become one.
    pub fn n_parts(&self) -> usize {
        self.sources.len()
    }
}

impl Drop for MergedPart {
    fn drop(&mut self) {
        if !self.is_installed {
            // A part that nobody wants, or what was written of it.
            let _ = self.disk.remove(&Kind::Part.name(self.number));
        }
    }
}

impl Writer {
    /// Returns parts that should be merged now, if there are any. [`MergeJob::run`] merges them,
    /// on any thread, and [`install`](Self::install) puts the result in place.
    pub fn plan_merge(&mut self) -> Option<MergeJob> {
        self.planned.retain(|planned| planned.token.strong_count() > 0);
        let tiers: Vec<Option<u32>> = self
            .live
            .parts
            .iter()
            .map(|view| {
                let is_free = self.planned.iter().all(|p| !p.parts.contains(&view.part.number));
                is_free.then(|| tier(view))
            })
            .collect();
        let (from, to) = choose(&tiers).or_else(|| {
            // A part more than half of whose documents are gone is written anew.
            let at = (0..tiers.len()).find(|at| {
                let view = &self.live.parts[*at];
                tiers[*at].is_some() && view.n_live() < view.part.n_documents().div_ceil(2)
            })?;
            Some((at, at + 1))
        })?;
        Some(self.job(from, to))
    }

    /// Returns the numbers of parts that are being merged by somebody.
    pub(super) fn planned_numbers(&self) -> Vec<u64> {
        let planned = self.planned.iter().filter(|planned| planned.token.strong_count() > 0);
        planned.map(|planned| planned.number).collect()
    }

    /// Makes a job of the parts from one to before another.
    pub(super) fn job(&mut self, from: usize, to: usize) -> MergeJob {
        let sources: Vec<View> =
            self.live.parts[from..to].iter().map(|view| self.live.committed(view)).collect();
        let token = Arc::new(Held { _lock: self.lock.clone() });
        let number = take_number(&mut self.manifest);
        self.planned.push(Planned {
            number,
            parts: sources.iter().map(|view| view.part.number).collect(),
            token: Arc::downgrade(&token),
        });
        MergeJob {
            disk: self.disk.clone(),
            index: self.manifest.index,
            number,
            settings: self.live.settings.clone(),
            sources,
            token,
        }
    }

    /// Puts a merged part in the place of its sources. What was removed from them in the meantime
    /// is removed from it. Returns `false` if its sources are no longer there: then it is
    /// forgotten.
    pub fn install(&mut self, merged: MergedPart) -> Result<bool> {
        self.ready()?;
        let mut merged = merged;
        let numbers = || merged.sources.iter().map(|view| view.part.number);
        let Some(first) = numbers().next() else { return Ok(false) };
        let at = self.live.parts.iter().position(|view| view.part.number == first);
        let Some(at) = at.filter(|at| {
            let found = self.live.parts[*at..].iter().map(|view| view.part.number);
            found.take(merged.sources.len()).eq(numbers())
        }) else {
            return Ok(false);
        };
        let (mut made, mut replaced) = (Made::default(), false);
        let result = self.write_install(at, &merged, &mut made, &mut replaced);
        merged.is_installed = replaced;
        self.settle(result, made, replaced)?;
        Ok(true)
    }

    fn write_install(
        &mut self,
        at: usize,
        merged: &MergedPart,
        made: &mut Made,
        replaced: &mut bool,
    ) -> Result<()> {
        let disk = self.disk.clone();
        let disk = disk.as_ref();
        let mut manifest = self.manifest.clone();
        let caught_up =
            merged.part.as_ref().map(|part| self.live.caught_up(at, &merged.sources, part));
        step(disk, "install: before removals are written")?;
        let entry = match &caught_up {
            Some((_, committed)) => {
                let entry = entry_of(committed, None);
                Some(self.with_removed(entry, committed, &mut manifest, made)?)
            }
            None => None,
        };
        manifest.written.merged += merged.n_bytes;
        manifest.parts.splice(at..at + merged.sources.len(), entry);
        step(disk, "install: before the folder is synced")?;
        disk.sync().map_err(|source| sync_failed("the folder", source))?;
        step(disk, "install: before the manifest is written")?;
        self.change_manifest(manifest, replaced)?;
        self.live.replace(at, &merged.sources, caught_up.map(|caught_up| caught_up.0));
        step(disk, "install: done")
    }

    /// Runs all merges that should be done now. Returns how many there were.
    pub fn maintain(&mut self) -> Result<usize> {
        let mut n = 0;
        while let Some(job) = self.plan_merge() {
            self.install(job.run()?)?;
            n += 1;
        }
        Ok(n)
    }

    /// Commits, flushes, and makes one part of all.
    pub fn merge_all(&mut self) -> Result<()> {
        self.flush()?;
        let parts = &self.live.parts;
        if parts.len() > 1 || parts.iter().any(|view| view.removed.n_set() > 0) {
            let job = self.job(0, self.live.parts.len());
            self.install(job.run()?)?;
        }
        Ok(())
    }
}

/// Returns the tier of a part: its size as a power of four.
fn tier(view: &View) -> u32 {
    let share = u128::from(view.n_live()) * u128::from(view.part.file.len);
    let bytes = (share / u128::from(view.part.n_documents().max(1))) as u64;
    bytes.max(SMALL_BYTES).div_ceil(SMALL_BYTES).ilog2() / 2
}

/// Finds neighbours to be merged, of the lowest tier there is: four or more in a row that are of
/// this tier or below.
fn choose(tiers: &[Option<u32>]) -> Option<(usize, usize)> {
    let highest = tiers.iter().flatten().max()?;
    (0..=*highest).find_map(|tier| {
        let mut from = 0;
        for at in 0..=tiers.len() {
            if tiers.get(at).copied().flatten().is_none_or(|found| found > tier) {
                if at - from >= FAN_IN {
                    return Some((from, at));
                }
                from = at + 1;
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::choose;

    #[test]
    fn four_neighbours_of_the_lowest_tier_are_merged() {
        let tiers = |numbers: &[u32]| numbers.iter().map(|n| Some(*n)).collect::<Vec<_>>();
        assert_eq!(choose(&[]), None);
        assert_eq!(choose(&tiers(&[0, 0, 0])), None);
        assert_eq!(choose(&tiers(&[2, 0, 0, 0, 0])), Some((1, 5)));
        assert_eq!(choose(&tiers(&[1, 0, 1, 1, 0, 2])), Some((0, 5)));
        assert_eq!(choose(&tiers(&[1, 1, 1, 1, 0, 0, 0, 0, 3])), Some((4, 8)));
        assert_eq!(choose(&[Some(0), Some(0), None, Some(0), Some(0)]), None);
    }
}
