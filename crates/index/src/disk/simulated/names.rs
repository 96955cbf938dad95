//! The names of a folder: which are durable and what was done since.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crate::disk::dice::Dice;

/// Names with the files they lead to.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    now: BTreeMap<Arc<str>, u64>,
    synced: BTreeMap<Arc<str>, u64>,
    changes: Vec<NameChange>,
}

/// A change of names, as a whole or not at all.
#[derive(Clone, Debug)]
pub(super) enum NameChange {
    Create(Arc<str>, u64),
    Rename { from: Arc<str>, to: Arc<str>, id: u64 },
    Remove(Arc<str>),
}

impl Names {
    pub(super) fn get(&self, name: &str) -> Option<u64> {
        self.now.get(name).copied()
    }

    pub(super) fn now(&self) -> &BTreeMap<Arc<str>, u64> {
        &self.now
    }

    pub(super) fn n_changes(&self) -> usize {
        self.changes.len()
    }

    pub(super) fn change(&mut self, change: NameChange) {
        apply(&change, &mut self.now);
        self.changes.push(change);
    }

    pub(super) fn sync(&mut self) {
        self.synced = self.now.clone();
        self.changes.clear();
    }

    /// Gives the name to a file, and makes this durable with all that was done before.
    pub(super) fn set_durably(&mut self, name: &str, id: u64) {
        self.now.insert(name.into(), id);
        self.sync();
    }

    /// Files that a name leads to.
    pub(super) fn now_files(&self) -> BTreeSet<u64> {
        self.now.values().copied().collect()
    }

    /// Files that a name leads to now, at the last sync or in between.
    pub(super) fn all_files(&self) -> BTreeSet<u64> {
        let changed = self.changes.iter().filter_map(|change| match change {
            NameChange::Create(_, id) | NameChange::Rename { id, .. } => Some(*id),
            NameChange::Remove(_) => None,
        });
        self.now.values().chain(self.synced.values()).copied().chain(changed).collect()
    }

    /// The durable names with those of the changes that `keeps` says, by their place.
    pub(super) fn with_changes(&self, keeps: impl Fn(usize) -> bool) -> Self {
        let mut names = self.synced.clone();
        for (i, change) in self.changes.iter().enumerate() {
            if keeps(i) {
                apply(change, &mut names);
            }
        }
        Self { now: names.clone(), synced: names, changes: Vec::new() }
    }

    /// The names after a power cut: all changes, none, the first so many, or any of them.
    pub(super) fn after_cut(&self, dice: &mut Dice) -> Self {
        let n = self.changes.len();
        match dice.below(6) {
            0 => self.with_changes(|_| false),
            1 => self.with_changes(|_| true),
            2 => {
                let first = dice.below(n + 1);
                self.with_changes(|i| i < first)
            }
            _ => {
                let kept: Vec<bool> = (0..n).map(|_| dice.coin()).collect();
                self.with_changes(|i| kept[i])
            }
        }
    }
}

/// A rename takes its file along even if the making of its first name was lost: the disk knows
/// the file, not the history of its names.
fn apply(change: &NameChange, names: &mut BTreeMap<Arc<str>, u64>) {
    match change {
        NameChange::Create(name, id) => {
            names.insert(name.clone(), *id);
        }
        NameChange::Rename { from, to, id } => {
            names.remove(from);
            names.insert(to.clone(), *id);
        }
        NameChange::Remove(name) => {
            names.remove(name);
        }
    }
}
