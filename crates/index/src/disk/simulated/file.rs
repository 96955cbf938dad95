//! One file: what is durable of it and what was done since.

use std::{fmt, sync::Arc};

use crate::disk::{SECTOR_BYTES, dice::Dice};

/// Content of a file, as it reads now and as it was at the last sync.
#[derive(Clone, Default)]
pub(super) struct File {
    pub(super) now: Arc<Vec<u8>>,
    pub(super) synced: Arc<Vec<u8>>,
    /// What led from `synced` to `now`, in order.
    changes: Vec<Change>,
    /// Whether a failed sync has lost changes that can still be read.
    has_lost: bool,
    pub(super) n_open: usize,
}

/// A change of content. Files are only appended to and cut.
#[derive(Clone, Debug)]
pub(super) enum Change {
    Write { at: usize, bytes: Arc<[u8]> },
    Cut(usize),
}

impl File {
    pub(super) fn durable(content: Arc<Vec<u8>>) -> Self {
        Self { now: content.clone(), synced: content, ..Self::default() }
    }

    pub(super) fn change(&mut self, change: Change) {
        apply(&change, Arc::make_mut(&mut self.now));
        self.changes.push(change);
    }

    pub(super) fn has_unsynced(&self) -> bool {
        !self.changes.is_empty()
    }

    pub(super) fn sync(&mut self) {
        self.synced = self.kept();
        self.changes.clear();
    }

    /// What was not synced can be read, but never reaches the disk.
    pub(super) fn lose_unsynced(&mut self) {
        self.has_lost |= self.has_unsynced();
        self.changes.clear();
    }

    /// The content if all unsynced changes reach the disk.
    pub(super) fn kept(&self) -> Arc<Vec<u8>> {
        if !self.has_lost {
            return self.now.clone();
        }
        let mut content = self.synced.to_vec();
        self.changes.iter().for_each(|change| apply(change, &mut content));
        Arc::new(content)
    }

    /// The content after a power cut: what is below all unsynced changes is untouched, and each
    /// sector above is what was there, or what was written, or something else.
    pub(super) fn after_cut(&self, dice: &mut Dice, stale: &[Arc<Vec<u8>>]) -> Arc<Vec<u8>> {
        match dice.below(8) {
            0 => return self.synced.clone(),
            1 => return self.kept(),
            _ => {}
        }
        let (stable, longest) = self.reach();
        let mut content = self.fill(stable, longest, dice, stale);
        let style = dice.below(4);
        let n_kept = dice.below(self.changes.len() + 1);
        let mut order: Vec<usize> = (0..self.changes.len()).collect();
        match style {
            // The first so many, the last of them torn.
            0 | 1 => order.truncate(n_kept),
            // Some of them, in any order, each sector there or not.
            _ => {
                for i in (1..order.len()).rev() {
                    order.swap(i, dice.below(i + 1));
                }
                order.retain(|_| dice.below(4) > 0);
            }
        }
        let mut len = stable;
        for (i, &change) in order.iter().enumerate() {
            let is_torn = if style < 2 { i + 1 == order.len() } else { dice.coin() };
            match &self.changes[change] {
                Change::Write { at, bytes } => {
                    write_sectors(*at, bytes, is_torn.then_some(&mut *dice), &mut content);
                    len = len.max(at + bytes.len());
                }
                Change::Cut(cut) => len = len.min((*cut).max(stable)),
            }
        }
        // The length is written apart from the content: it may be any it had on the way.
        let len = match dice.below(4) {
            0 => len,
            1 => longest,
            2 => self.synced.len(),
            _ => stable + dice.below(longest - stable + 1),
        };
        content.truncate(len);
        Arc::new(content)
    }

    /// The least and the greatest length since the sync. Below the least nothing was touched.
    fn reach(&self) -> (usize, usize) {
        let synced = self.synced.len();
        let (mut least, mut greatest) = (synced, synced);
        for change in &self.changes {
            match change {
                Change::Write { at, bytes } => greatest = greatest.max(at + bytes.len()),
                Change::Cut(len) => least = least.min(*len),
            }
        }
        (least, greatest)
    }

    /// What the disk holds where nothing was written: the old content, and behind it zeros, ones,
    /// anything, or what another file had there.
    fn fill(&self, stable: usize, len: usize, dice: &mut Dice, stale: &[Arc<Vec<u8>>]) -> Vec<u8> {
        let keeps_old = dice.coin();
        let mut content = self.synced.to_vec();
        content.truncate(if keeps_old { len } else { stable });
        let from = content.len();
        match dice.below(6) {
            0 => content.resize(len, 0xff),
            1 => content.resize_with(len, || dice.number() as u8),
            2 | 3 if !stale.is_empty() => {
                let other = &stale[dice.below(stale.len())];
                content.extend(other.get(from..other.len().min(len)).unwrap_or_default());
                content.resize(len, 0);
            }
            _ => content.resize(len, 0),
        }
        content
    }
}

fn apply(change: &Change, content: &mut Vec<u8>) {
    match change {
        Change::Write { at, bytes } => {
            content.resize(content.len().max(at + bytes.len()), 0);
            content[*at..at + bytes.len()].copy_from_slice(bytes);
        }
        Change::Cut(len) => content.truncate(*len),
    }
}

/// Writes the sectors of a write: all, or if it is torn those that the dice choose.
fn write_sectors(at: usize, bytes: &[u8], mut torn: Option<&mut Dice>, content: &mut [u8]) {
    let is_prefix = torn.as_mut().is_some_and(|dice| dice.coin());
    let mut from = 0;
    while from < bytes.len() {
        let to = (((at + from) / SECTOR_BYTES + 1) * SECTOR_BYTES - at).min(bytes.len());
        let is_there = torn.as_mut().is_none_or(|dice| dice.below(3) > 0);
        if is_there {
            content[at + from..at + to].copy_from_slice(&bytes[from..to]);
        } else if is_prefix {
            return;
        }
        from = to;
    }
}

impl fmt::Debug for File {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (now, synced) = (self.now.len(), self.synced.len());
        write!(out, "{now} bytes, {synced} synced, {} changes since", self.changes.len())
    }
}
