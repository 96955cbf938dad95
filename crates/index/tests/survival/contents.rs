//! What an index is expected to hold, and whether it does.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, OnceLock},
};

use retold_index::{Error, Kept, Put, Snapshot};

use crate::script::{attachments, document, name_of};

/// What an index holds at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contents {
    pub(crate) generation: u64,
    /// Version and document by number; names sort otherwise, which is no matter.
    documents: BTreeMap<u64, (u64, Arc<Put>)>,
    states: BTreeMap<String, Vec<u8>>,
    attachments: BTreeMap<String, Vec<u8>>,
    lists: OnceLock<Vec<Lists>>,
}

/// What a method finds by what, in names of documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Lists {
    by_key: BTreeMap<u64, BTreeSet<(String, u32)>>,
    by_identity: BTreeMap<u128, BTreeSet<String>>,
    tiny: BTreeSet<(u64, String)>,
    code_sets: BTreeMap<String, Box<[u8]>>,
}

/// How an index is not what it should be.
#[derive(Debug)]
pub(crate) enum Difference {
    /// It says something else.
    Wrong(String),
    /// It says that it cannot tell.
    Refused(Error),
}

impl Contents {
    /// Nothing, with the settings of a generation.
    pub(crate) fn new(generation: u64) -> Self {
        Self { generation, ..Self::default() }
    }

    /// Reads the numbers of documents and versions from an index. States are left out.
    pub(crate) fn read(snapshot: &Snapshot) -> Self {
        let generation = snapshot.settings().about["generation"].as_u64().expect("a number");
        let mut contents = Self::new(generation);
        for ordinal in snapshot.ordinals() {
            let record = snapshot.document(ordinal).expect("it can be read").record;
            let record: serde_json::Value = serde_json::from_slice(&record).expect("as written");
            let number = |name: &str| record[name].as_u64().expect("as written");
            contents.put(number("id"), number("version"));
        }
        contents
    }

    pub(crate) fn put(&mut self, id: u64, version: u64) {
        self.lists = OnceLock::new();
        let generation = self.generation;
        self.documents.insert(id, (version, Arc::new(document(id, version, generation))));
    }

    pub(crate) fn remove(&mut self, id: u64) {
        self.lists = OnceLock::new();
        self.documents.remove(&id);
    }

    pub(crate) fn set_state(&mut self, name: &str, value: Option<Vec<u8>>) {
        match value {
            Some(value) => self.states.insert(name.to_owned(), value),
            None => self.states.remove(name),
        };
    }

    pub(crate) fn expire(&mut self, before: i64) {
        self.lists = OnceLock::new();
        self.documents.retain(|_, (_, put)| put.time.is_none_or(|time| time >= before));
    }

    pub(crate) fn rebuild(&mut self, generation: u64) {
        self.generation = generation;
        let versions: Vec<(u64, u64)> =
            self.documents.iter().map(|(&id, &(version, _))| (id, version)).collect();
        for (id, version) in versions {
            self.put(id, version);
        }
        for (name, value) in attachments(generation) {
            match value {
                Some(value) => self.attachments.insert(name.to_owned(), value),
                None => self.attachments.remove(name),
            };
        }
    }

    pub(crate) fn attachment(&self, name: &str) -> Option<&Vec<u8>> {
        self.attachments.get(name)
    }

    pub(crate) fn n_documents(&self) -> usize {
        self.documents.len()
    }

    pub(crate) fn documents(&self) -> impl Iterator<Item = &Put> {
        self.documents.values().map(|(_, put)| &**put)
    }

    /// Returns how the index differs from this in documents, states, attachments or settings; `None` if it
    /// does not.
    pub(crate) fn difference(&self, snapshot: &Snapshot) -> Option<Difference> {
        self.find_difference(snapshot).err()
    }

    fn find_difference(&self, snapshot: &Snapshot) -> Result<(), Difference> {
        let states: BTreeMap<String, Vec<u8>> =
            snapshot.states().iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        same("states", &states, &self.states)?;
        let names: Vec<&str> = snapshot.attachments().collect();
        same("attachments", &names, &self.attachments.keys().map(String::as_str).collect())?;
        for (name, expected) in &self.attachments {
            let mut reader = snapshot.attachment(name).ok_or_else(|| wrong("it is not there"))?;
            let mut value = Vec::new();
            while reader.read(&mut value)? {}
            if value != *expected {
                return Err(wrong(format!("attachment {name} has another value")));
            }
        }
        let about = &crate::script::settings(self.generation).about;
        same("settings", &&snapshot.settings().about, &about)?;
        same("n_documents", &(snapshot.n_documents() as usize), &self.documents.len())?;
        let mut n_found = 0;
        for ordinal in snapshot.ordinals() {
            let stored = snapshot.document(ordinal)?;
            let expected = self.documents().find(|put| put.id == stored.id);
            let expected =
                expected.ok_or_else(|| wrong(format!("`{}` should not be", stored.id)))?;
            same(&stored.id, &stored.time, &expected.time)?;
            same(&stored.id, &stored.record, &expected.record)?;
            same(&stored.id, &stored.text, &expected.text)?;
            let place = snapshot.ordinal_of(&stored.id)?;
            same(&stored.id, &place, &Some(ordinal))?;
            n_found += 1;
        }
        same("ordinals", &n_found, &self.documents.len())?;
        for id in 0..80 {
            let found = snapshot.ordinal_of(&name_of(id))?;
            same(&name_of(id), &found.is_some(), &self.documents.contains_key(&id))?;
        }
        Ok(())
    }

    /// Returns how what the methods find differs from what they should; `None` if it does not.
    pub(crate) fn difference_of_lists(&self, snapshot: &Snapshot) -> Option<Difference> {
        let expected = self.lists.get_or_init(|| self.expected_lists());
        let names = snapshot.ordinals().map(|ordinal| Ok((ordinal, snapshot.id(ordinal)?)));
        let names: BTreeMap<u32, String> = match names.collect() {
            Ok(names) => names,
            Err(error) => return Some(Difference::Refused(error)),
        };
        for (method, expected) in expected.iter().enumerate() {
            match self.compare_lists(snapshot, method, expected, &names) {
                Ok(()) => {}
                Err(Difference::Wrong(what)) => {
                    return Some(wrong(format!("method {method}: {what}")));
                }
                Err(refused) => return Some(refused),
            }
        }
        None
    }

    fn expected_lists(&self) -> Vec<Lists> {
        let n_methods = crate::script::settings(self.generation).n_methods;
        let mut lists = vec![Lists::default(); n_methods];
        for put in self.documents() {
            for (lists, kept) in lists.iter_mut().zip(&put.methods) {
                if let Some(kept) = kept {
                    lists.add(&put.id, kept);
                }
            }
        }
        lists
    }

    fn compare_lists(
        &self,
        snapshot: &Snapshot,
        method: usize,
        expected: &Lists,
        names: &BTreeMap<u32, String>,
    ) -> Result<(), Difference> {
        let name_of = |ordinal: &u32| {
            let name = names.get(ordinal).cloned();
            name.ok_or_else(|| wrong(format!("there is no document {ordinal}")))
        };
        let all = |ordinal: u32| -> Result<Vec<String>, Difference> {
            let mut copies = Vec::new();
            snapshot.copies(method, ordinal, &mut copies)?;
            if !copies.contains(&ordinal) || !copies.is_sorted() {
                return Err(wrong(format!("copies of {ordinal} are {copies:?}")));
            }
            copies.iter().map(name_of).collect()
        };
        let mut found = Lists::default();
        let others = [0, 1, 7_777_777, (1 << 40) - 1];
        let keys: BTreeSet<u64> = expected.by_key.keys().copied().chain(others).collect();
        for key in keys {
            let mut list = Vec::new();
            snapshot.list(method, key, &mut list)?;
            if !list.is_sorted() {
                return Err(wrong(format!("the list of {key} is not sorted")));
            }
            for (ordinal, payload) in list {
                for id in all(ordinal)? {
                    if !found.by_key.entry(key).or_default().insert((id.clone(), payload)) {
                        return Err(wrong(format!("`{id}` is found twice by {key}")));
                    }
                }
            }
        }
        for &identity in expected.by_identity.keys().chain(&[999]) {
            let mut same = Vec::new();
            snapshot.same_words(method, identity, &mut same)?;
            for ordinal in same {
                let id = name_of(&ordinal)?;
                found.by_identity.entry(identity).or_default().insert(id);
            }
        }
        let mut tiny = Vec::new();
        snapshot.tiny(method, 0, u64::MAX, &mut |code, ordinal| tiny.push((code, ordinal)))?;
        for (code, ordinal) in tiny {
            found.tiny.extend(all(ordinal)?.into_iter().map(|id| (code, id)));
        }
        let mut sets: Vec<(u32, Box<[u8]>)> = Vec::new();
        snapshot.code_sets(method, &mut |ordinal, set| {
            sets.push((ordinal, set.into()));
            Ok(())
        })?;
        for (ordinal, set) in sets {
            found.code_sets.extend(all(ordinal)?.into_iter().map(|id| (id, set.clone())));
        }
        same("by key", &found.by_key, &expected.by_key)?;
        same("by identity", &found.by_identity, &expected.by_identity)?;
        same("tiny codes", &found.tiny, &expected.tiny)?;
        same("code sets", &found.code_sets, &expected.code_sets)?;
        self.compare_rows(snapshot, method)
    }

    fn compare_rows(&self, snapshot: &Snapshot, method: usize) -> Result<(), Difference> {
        for put in self.documents() {
            let ordinal = snapshot.ordinal_of(&put.id)?.ok_or_else(|| wrong("it is gone"))?;
            let kept = put.methods[method].as_ref();
            let entry = kept.and_then(|kept| kept.entry.as_ref());
            let identity = snapshot.identity(method, ordinal)?;
            same(&put.id, &identity, &kept.and_then(|kept| kept.identity))?;
            if let Some(entry) = entry {
                let facts = snapshot.facts(method, ordinal)?;
                same(&put.id, &facts, &&entry.facts[..])?;
            }
            let mut image = Vec::new();
            let has_image = snapshot.image(method, ordinal, &mut image)?;
            let expected = entry.and_then(|entry| entry.image.as_deref());
            same(&put.id, &has_image.then_some(&image[..]), &expected)?;
        }
        Ok(())
    }
}

impl Lists {
    fn add(&mut self, id: &str, kept: &Kept) {
        if let Some(identity) = kept.identity {
            self.by_identity.entry(identity).or_default().insert(id.to_owned());
        }
        let Some(entry) = &kept.entry else { return };
        for &(key, payload) in &entry.keys {
            self.by_key.entry(key).or_default().insert((id.to_owned(), payload));
        }
        self.tiny.extend(entry.codes.iter().map(|&code| (code, id.to_owned())));
        if let Some(set) = &entry.code_set {
            self.code_sets.insert(id.to_owned(), set.clone());
        }
    }
}

fn same<T>(what: &str, found: &T, expected: &T) -> Result<(), Difference>
where
    T: PartialEq + std::fmt::Debug,
{
    if found == expected {
        return Ok(());
    }
    Err(wrong(format!("{what}: found {found:?}, expected {expected:?}")))
}

fn wrong(what: impl Into<String>) -> Difference {
    Difference::Wrong(what.into())
}

impl From<Error> for Difference {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}
