//! Small things that change: collections, jobs, decisions, judgements, keys, watches and notices, in
//! an embedded database. What a call has written is on the disk when it returns.

use std::path::Path;

use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::problem::Problem;

/// A table: keys and values of JSON, in the order of the keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table(&'static str);

pub(crate) const COLLECTIONS: Table = Table("collections");
pub(crate) const JOBS: Table = Table("jobs");
pub(crate) const DECISIONS: Table = Table("decisions");
pub(crate) const POOLS: Table = Table("pools");
pub(crate) const JUDGEMENTS: Table = Table("judgements");
pub(crate) const KEYS: Table = Table("keys");
pub(crate) const WATCHES: Table = Table("watches");
pub(crate) const NOTICES: Table = Table("notices");
/// What was noticed already: watch, document that was posted, its number, and the matched document.
pub(crate) const NOTICED: Table = Table("noticed");
/// Number of the last document of a collection that was checked for notices.
pub(crate) const CHECKED: Table = Table("checked");
/// Webhooks that are to be sent.
pub(crate) const DELIVERIES: Table = Table("deliveries");
/// Answers to requests with an Idempotency-Key.
pub(crate) const ANSWERED: Table = Table("answered");
/// The last numbers that were given out.
const NUMBERS: Table = Table("numbers");

const ALL: [Table; 13] = [
    COLLECTIONS,
    JOBS,
    DECISIONS,
    POOLS,
    JUDGEMENTS,
    KEYS,
    WATCHES,
    NOTICES,
    NOTICED,
    CHECKED,
    DELIVERIES,
    ANSWERED,
    NUMBERS,
];

impl Table {
    fn definition(self) -> TableDefinition<'static, &'static str, &'static [u8]> {
        TableDefinition::new(self.0)
    }
}

/// The database.
pub(crate) struct Store {
    database: Database,
}

/// Several changes that become durable together or not at all.
pub(crate) struct Changes {
    transaction: redb::WriteTransaction,
}

fn failed(error: impl Into<redb::Error>) -> Problem {
    let error: redb::Error = error.into();
    match error {
        redb::Error::Io(error) => error.into(),
        error => Problem::internal(format!("the database of the server: {error}")),
    }
}

impl Store {
    /// Opens a database, or makes one.
    pub(crate) fn open(path: &Path) -> Result<Self, redb::Error> {
        let database = Database::builder().set_cache_size(16 << 20).create(path)?;
        let transaction = database.begin_write()?;
        for table in ALL {
            transaction.open_table(table.definition())?;
        }
        transaction.commit()?;
        Ok(Self { database })
    }

    /// Returns a value.
    pub(crate) fn get<T: DeserializeOwned>(
        &self,
        table: Table,
        key: &str,
    ) -> Result<Option<T>, Problem> {
        let transaction = self.database.begin_read().map_err(failed)?;
        let table = transaction.open_table(table.definition()).map_err(failed)?;
        let found = table.get(key).map_err(failed)?;
        found.map(|value| read(value.value())).transpose()
    }

    /// Returns the entries whose keys begin with `prefix` and are greater than `after`, as many as
    /// `limit`.
    pub(crate) fn list<T: DeserializeOwned>(
        &self,
        table: Table,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, T)>, Problem> {
        let transaction = self.database.begin_read().map_err(failed)?;
        let table = transaction.open_table(table.definition()).map_err(failed)?;
        let start = after.filter(|after| *after >= prefix).unwrap_or(prefix);
        let mut found = Vec::new();
        for entry in table.range(start..).map_err(failed)? {
            let (key, value) = entry.map_err(failed)?;
            let key = key.value();
            if after == Some(key) {
                continue;
            }
            if !key.starts_with(prefix) || found.len() >= limit {
                break;
            }
            found.push((key.to_owned(), read(value.value())?));
        }
        Ok(found)
    }

    /// Writes a value; it is on the disk when this returns.
    pub(crate) fn put(
        &self,
        table: Table,
        key: &str,
        value: &impl Serialize,
    ) -> Result<(), Problem> {
        self.change(|changes| changes.put(table, key, value))
    }

    /// Removes a value; returns whether it was there.
    pub(crate) fn remove(&self, table: Table, key: &str) -> Result<bool, Problem> {
        self.change(|changes| changes.remove(table, key))
    }

    /// Makes several changes together.
    pub(crate) fn change<T>(
        &self,
        change: impl FnOnce(&Changes) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let transaction = self.database.begin_write().map_err(failed)?;
        let changes = Changes { transaction };
        let done = change(&changes)?;
        changes.transaction.commit().map_err(failed)?;
        Ok(done)
    }
}

impl Changes {
    pub(crate) fn get<T: DeserializeOwned>(
        &self,
        table: Table,
        key: &str,
    ) -> Result<Option<T>, Problem> {
        let table = self.transaction.open_table(table.definition()).map_err(failed)?;
        let found = table.get(key).map_err(failed)?;
        found.map(|value| read(value.value())).transpose()
    }

    pub(crate) fn put(
        &self,
        table: Table,
        key: &str,
        value: &impl Serialize,
    ) -> Result<(), Problem> {
        let value = serde_json::to_vec(value).map_err(Problem::internal)?;
        let mut table = self.transaction.open_table(table.definition()).map_err(failed)?;
        table.insert(key, value.as_slice()).map_err(failed)?;
        Ok(())
    }

    pub(crate) fn remove(&self, table: Table, key: &str) -> Result<bool, Problem> {
        let mut table = self.transaction.open_table(table.definition()).map_err(failed)?;
        let removed = table.remove(key).map_err(failed)?;
        Ok(removed.is_some())
    }

    /// Returns the next number of a series, from 1. It counts only if the changes are made.
    pub(crate) fn next(&self, series: &str) -> Result<u64, Problem> {
        let next = self.get::<u64>(NUMBERS, series)?.unwrap_or(0) + 1;
        self.put(NUMBERS, series, &next)?;
        Ok(next)
    }
}

fn read<T: DeserializeOwned>(value: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(value)
        .map_err(|error| Problem::internal(format!("the database holds another version: {error}")))
}

/// Returns a number as a key that sorts as the number does.
pub(crate) fn key_of(number: u64) -> String {
    format!("{number:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_in_order_behind_a_key_and_under_a_prefix() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let store = Store::open(&folder.path().join("state.redb")).expect("a new database");
        for key in ["a/1", "a/2", "b/1", "a/3"] {
            store.put(JOBS, key, &key).expect("written");
        }
        let keys = |prefix, after, limit| -> Vec<String> {
            let found = store.list::<String>(JOBS, prefix, after, limit).expect("read");
            found.into_iter().map(|(key, _)| key).collect()
        };
        assert_eq!(keys("a/", None, 9), ["a/1", "a/2", "a/3"]);
        assert_eq!(keys("a/", Some("a/1"), 1), ["a/2"]);
        assert_eq!(keys("b/", None, 9), ["b/1"]);
        assert!(store.remove(JOBS, "b/1").expect("written"));
        assert!(keys("b/", None, 9).is_empty());
    }

    #[test]
    fn a_change_that_fails_leaves_nothing_behind() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let store = Store::open(&folder.path().join("state.redb")).expect("a new database");
        let done: Result<(), Problem> = store.change(|changes| {
            changes.next("job")?;
            changes.put(JOBS, "x", &1)?;
            Err(Problem::not_found("thing"))
        });
        assert!(done.is_err());
        assert_eq!(store.get::<u64>(JOBS, "x").expect("read"), None);
        assert_eq!(store.change(|changes| changes.next("job")).expect("written"), 1);
    }
}
