//! A plain model of an index, and random operations on both.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::BTreeMap;
use std::sync::Arc;

use retold_core::candidates::stored::Entry;
use retold_core::hash::Random;
use retold_index::{
    Disk, FlushLimits, Kept, MergedPart, Put, PutOutcome, Result, Settings, Snapshot, Stored,
    Writer,
};

/// Methods of the indexes under test.
pub(crate) const METHODS: usize = 2;
/// Keys are below this.
pub(crate) const KEYS: u64 = 60;

/// Settings with small limits.
pub(crate) fn settings(most_bytes: u64) -> Settings {
    let mut settings = Settings::new(serde_json::json!({ "methods": ["a", "b"] }), METHODS);
    settings.limits = FlushLimits { most_bytes };
    settings
}

/// Makes what a method keeps of the words with a number.
fn kept(method: usize, words: u64) -> Option<Kept> {
    let mut random = Random::new(words * 7 + method as u64);
    let identity = match words % 11 {
        0 => None,
        _ => Some(u128::from(random.next_u64()) << 64 | u128::from(words)),
    };
    let entry = match words % 13 {
        0 => None,
        12 => return None,
        _ => {
            let mut keys: Vec<(u64, u32)> = (0..random.below(8))
                .map(|_| (random.below(KEYS as usize) as u64, random.below(3) as u32))
                .collect();
            keys.sort_unstable();
            keys.dedup();
            let mut codes: Vec<u64> =
                (0..random.below(3)).map(|_| random.below(50) as u64).collect();
            codes.sort_unstable();
            codes.dedup();
            let mut bytes = |n: usize| -> Box<[u8]> {
                (0..random.below(n)).map(|_| random.next_u64() as u8).collect()
            };
            Some(Entry {
                keys,
                facts: bytes(6).into(),
                image: words.is_multiple_of(3).then(|| bytes(50)),
                codes: if words.is_multiple_of(5) { codes } else { Vec::new() },
                code_set: words.is_multiple_of(4).then(|| bytes(40)),
            })
        }
    };
    Some(Kept { identity, entry })
}

/// Makes a document; documents with the same number of words are copies.
pub(crate) fn document(id: u64, words: u64, time: Option<i64>) -> Put {
    Put {
        id: format!("id {id}"),
        time,
        record: format!("record of {id}").into_bytes(),
        text: format!("text {words} ").repeat((words % 9) as usize).into_bytes(),
        methods: (0..METHODS).map(|method| kept(method, words)).collect(),
    }
}

/// What an index should hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    /// By the order in which they came.
    pub(crate) docs: BTreeMap<u64, Put>,
    pub(crate) states: BTreeMap<String, Vec<u8>>,
    pub(crate) attachments: BTreeMap<String, Vec<u8>>,
    pub(crate) next: u64,
}

impl Model {
    pub(crate) fn find(&self, id: &str) -> Option<u64> {
        self.docs.iter().find(|(_, put)| put.id == id).map(|(seq, _)| *seq)
    }

    pub(crate) fn put(&mut self, put: Put) -> PutOutcome {
        let found = self.find(&put.id);
        if let Some(seq) = found {
            if self.docs[&seq] == put {
                return PutOutcome::Unchanged;
            }
            self.docs.remove(&seq);
        }
        self.docs.insert(self.next, put);
        self.next += 1;
        if found.is_some() { PutOutcome::Replaced } else { PutOutcome::Added }
    }

    pub(crate) fn remove(&mut self, id: &str) -> bool {
        self.find(id).map(|seq| self.docs.remove(&seq)).is_some()
    }

    /// Compares all that a snapshot tells.
    pub(crate) fn compare(&self, snapshot: &Snapshot) {
        assert_eq!(snapshot.n_documents() as usize, self.docs.len());
        assert_eq!(snapshot.states(), &self.states);
        assert_eq!(attachments(snapshot).expect("it is whole"), self.attachments);
        let ordinals: Vec<u32> = snapshot.ordinals().collect();
        assert_eq!(ordinals.len(), self.docs.len());
        assert!(ordinals.is_sorted_by(|a, b| a < b));
        let mut last = None;
        for (&ordinal, put) in ordinals.iter().zip(self.docs.values()) {
            let stored = snapshot.document(ordinal).expect("it is whole");
            assert_eq!(
                (&stored.id, stored.time, &stored.record, &stored.text),
                (&put.id, put.time, &put.record, &put.text)
            );
            assert!(last < Some(stored.seq), "sequence numbers ascend");
            last = Some(stored.seq);
            assert_eq!(snapshot.ordinal_of(&put.id).expect("it is whole"), Some(ordinal));
            assert_eq!(snapshot.id(ordinal).expect("it is whole"), put.id);
        }
        assert_eq!(snapshot.ordinal_of("no such id").expect("it is whole"), None);
        for method in 0..METHODS {
            self.compare_method(snapshot, method, &ordinals);
        }
    }

    fn compare_method(&self, snapshot: &Snapshot, method: usize, ordinals: &[u32]) {
        let kept: Vec<(u32, Option<&Kept>)> = ordinals
            .iter()
            .zip(self.docs.values())
            .map(|(ordinal, put)| (*ordinal, put.methods[method].as_ref()))
            .collect();
        let mut groups: Vec<(&Kept, Vec<u32>)> = Vec::new();
        for &(ordinal, kept) in &kept {
            let Some(kept) = kept else { continue };
            match groups.iter_mut().find(|g| g.0 == kept && kept.identity.is_some()) {
                Some(group) => group.1.push(ordinal),
                None => groups.push((kept, vec![ordinal])),
            }
        }
        for key in 0..KEYS {
            let mut expected = Vec::new();
            for (kept, members) in &groups {
                let keys = kept.entry.iter().flat_map(|entry| &entry.keys);
                expected.extend(keys.filter(|k| k.0 == key).map(|k| (members[0], k.1)));
            }
            expected.sort_unstable();
            let mut found = Vec::new();
            snapshot.list(method, key, &mut found).expect("it is whole");
            assert_eq!(found, expected, "list of key {key} of method {method}");
        }
        let (mut tiny, mut sets) = (Vec::new(), Vec::new());
        for (kept, members) in &groups {
            let Some(entry) = &kept.entry else { continue };
            tiny.extend(
                entry.codes.iter().filter(|c| (5..=40).contains(*c)).map(|c| (*c, members[0])),
            );
            sets.extend(entry.code_set.iter().map(|set| (members[0], set.to_vec())));
            for &member in members {
                assert_eq!(snapshot.facts(method, member).expect("it is whole"), entry.facts);
                let mut image = vec![1];
                let has = snapshot.image(method, member, &mut image).expect("it is whole");
                assert_eq!(has.then_some(&image[..]), entry.image.as_deref());
            }
        }
        for (kept, members) in &groups {
            let mut found = vec![9];
            snapshot.copies(method, members[0], &mut found).expect("it is whole");
            assert_eq!(&found, members);
            if let Some(identity) = kept.identity {
                snapshot.same_words(method, identity, &mut found).expect("it is whole");
                let mut expected: Vec<u32> = groups
                    .iter()
                    .filter(|group| group.0.identity == Some(identity))
                    .flat_map(|group| group.1.clone())
                    .collect();
                expected.sort_unstable();
                assert_eq!(found, expected);
            }
            assert_eq!(snapshot.identity(method, members[0]).expect("it is whole"), kept.identity);
        }
        let mut found = Vec::new();
        snapshot.tiny(method, 5, 40, &mut |code, doc| found.push((code, doc))).expect("whole");
        tiny.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, tiny);
        let mut found = Vec::new();
        snapshot
            .code_sets(method, &mut |doc, set| {
                found.push((doc, set.to_vec()));
                Ok(())
            })
            .expect("it is whole");
        sets.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, sets);
    }
}

/// Identity, facts, image and copies of a document.
type KeptDump = (Option<u128>, Vec<u8>, Vec<u8>, Vec<u64>);

/// All that a snapshot tells, documents by their sequence numbers.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Dump {
    docs: Vec<Stored>,
    states: BTreeMap<String, Vec<u8>>,
    pub(crate) attachments: BTreeMap<String, Vec<u8>>,
    lists: Vec<Vec<(u64, u32)>>,
    tiny: Vec<(u64, u64)>,
    sets: Vec<(u64, Vec<u8>)>,
    kept: Vec<KeptDump>,
}

/// Reads all of a snapshot.
pub(crate) fn dump(snapshot: &Snapshot) -> Result<Dump> {
    let mut dump = Dump { states: snapshot.states().clone(), ..Dump::default() };
    dump.attachments = attachments(snapshot)?;
    let mut seqs = BTreeMap::new();
    for ordinal in snapshot.ordinals() {
        let stored = snapshot.document(ordinal)?;
        seqs.insert(ordinal, stored.seq);
        assert!(snapshot.ordinal_of(&stored.id)?.is_none_or(|found| found == ordinal));
        dump.docs.push(stored);
    }
    for &ordinal in seqs.keys() {
        for method in 0..METHODS {
            let (mut image, mut copies) = (Vec::new(), Vec::new());
            snapshot.image(method, ordinal, &mut image)?;
            snapshot.copies(method, ordinal, &mut copies)?;
            let copies = copies.iter().map(|copy| seqs[copy]).collect();
            let facts = snapshot.facts(method, ordinal)?.to_vec();
            dump.kept.push((snapshot.identity(method, ordinal)?, facts, image, copies));
        }
    }
    for method in 0..METHODS {
        for key in 0..KEYS {
            let mut list = Vec::new();
            snapshot.list(method, key, &mut list)?;
            dump.lists.push(list.iter().map(|(doc, payload)| (seqs[doc], *payload)).collect());
        }
        snapshot.tiny(method, 0, 100, &mut |code, doc| dump.tiny.push((code, seqs[&doc])))?;
        snapshot.code_sets(method, &mut |doc, set| {
            dump.sets.push((seqs[&doc], set.to_vec()));
            Ok(())
        })?;
    }
    dump.tiny.sort_unstable();
    dump.sets.sort_unstable();
    Ok(dump)
}

/// Reads all attachments.
fn attachments(snapshot: &Snapshot) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut all = BTreeMap::new();
    for name in snapshot.attachments() {
        let mut reader = snapshot.attachment(name).expect("it is named");
        let mut value = Vec::new();
        while reader.read(&mut value)? {}
        all.insert(name.to_owned(), value);
    }
    Ok(all)
}

/// An index and its model, which go through the same operations.
pub(crate) struct Pair {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) writer: Option<Writer>,
    pub(crate) now: Model,
    pub(crate) committed: Model,
    merged: Vec<MergedPart>,
    random: Random,
}

impl Pair {
    pub(crate) fn new(disk: Arc<dyn Disk>, seed: u64, most_bytes: u64) -> Self {
        let writer = Writer::create_with_id(disk.clone(), settings(most_bytes), 77);
        Self {
            disk,
            writer: Some(writer.expect("the folder is empty")),
            now: Model::default(),
            committed: Model::default(),
            merged: Vec::new(),
            random: Random::new(seed),
        }
    }

    pub(crate) fn writer(&mut self) -> &mut Writer {
        self.writer.as_mut().expect("it is open")
    }

    fn below(&mut self, n: usize) -> u64 {
        self.random.below(n) as u64
    }

    /// Does one random thing; ids are below `n_ids`.
    pub(crate) fn step(&mut self, n_ids: usize) {
        match self.below(100) {
            0..50 => {
                let (id, words) = (self.below(n_ids), self.below(n_ids / 2 + 2));
                let time = (self.below(8) > 0).then(|| self.below(100).cast_signed() - 20);
                let put = document(id, words, time);
                let outcome = self.writer().put(put.clone()).expect("memory takes it");
                assert_eq!(outcome, self.now.put(put));
            }
            50..65 => {
                let id = format!("id {}", self.below(n_ids));
                let found = self.writer().remove(&id).expect("it is whole");
                assert_eq!(found, self.now.remove(&id));
            }
            65..68 => {
                let name = format!("state {}", self.below(3));
                let value = (self.below(3) > 0).then(|| vec![self.below(256) as u8; 3]);
                self.writer().set_state(&name, value.as_deref()).expect("memory takes it");
                match value {
                    Some(value) => self.now.states.insert(name, value),
                    None => self.now.states.remove(&name),
                };
            }
            68..82 => {
                self.writer().commit().expect("memory takes it");
                self.committed = self.now.clone();
            }
            82 => {
                self.writer().roll_back().expect("memory takes it");
                self.now = self.committed.clone();
                assert!(!self.writer().has_uncommitted());
            }
            83..88 => self.check(),
            88..90 => {
                self.writer().flush().expect("memory takes it");
                self.committed = self.now.clone();
            }
            90..92 => {
                self.merged.clear();
                self.writer = None;
                self.writer = Some(Writer::open(self.disk.clone()).expect("it opens"));
                self.now = self.committed.clone();
            }
            92..94 => {
                if let Some(job) = self.writer().plan_merge() {
                    self.merged.push(job.run().expect("it is whole"));
                }
            }
            94..96 => {
                if let Some(merged) = self.merged.pop() {
                    self.writer().install(merged).expect("memory takes it");
                }
            }
            96 => {
                let before = self.below(30).cast_signed() - 20;
                let expired = self.writer().expire(before).expect("memory takes it");
                let n = self.now.docs.len();
                self.now.docs.retain(|_, put| put.time.is_none_or(|time| time >= before));
                assert_eq!(expired.n_documents as usize, n - self.now.docs.len());
                self.committed = self.now.clone();
            }
            97 => {
                let ids: Vec<String> =
                    (0..2).map(|_| format!("id {}", self.below(n_ids))).collect();
                let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
                self.writer().purge(&ids).expect("memory takes it");
                for id in &ids {
                    self.now.remove(id);
                }
                self.committed = self.now.clone();
            }
            98 => {
                let snapshot = Snapshot::open(self.disk.as_ref()).expect("it opens");
                self.committed.compare(&snapshot);
            }
            _ => self.rarely(n_ids),
        }
    }

    fn rarely(&mut self, n_ids: usize) {
        if self.below(2) == 0 {
            self.writer().merge_all().expect("memory takes it");
            self.committed = self.now.clone();
            return;
        }
        let settings = self.writer().settings().clone();
        let n = self.below(n_ids);
        let puts: Vec<Put> = (0..n)
            .map(|_| {
                let (id, words) = (self.below(n_ids), self.below(n_ids));
                document(id, words, Some(50))
            })
            .collect();
        let is_finished = self.below(3) > 0;
        let mut model = Model { docs: BTreeMap::new(), ..self.now.clone() };
        let (name, state) =
            (format!("value {}", self.below(3)), format!("state {}", self.below(3)));
        let (byte, n_bytes) = (self.below(256) as u8, self.below(3) * 40_000);
        let is_kept = self.below(3) > 0;
        let mut rebuild = self.writer().rebuild(settings).expect("memory takes it");
        for put in puts {
            let outcome = rebuild.put(put.clone()).expect("memory takes it");
            assert_eq!(outcome, model.put(put));
        }
        rebuild.set_state(&state, Some(&[byte])).expect("it is short");
        model.states.insert(state, vec![byte]);
        let value = vec![byte; n_bytes as usize];
        rebuild.attach(&name, |writer| writer.put(&value)).expect("memory takes it");
        if is_kept {
            model.attachments.insert(name, value);
        } else {
            assert!(rebuild.detach(&name));
            model.attachments.remove(&name);
        }
        if is_finished {
            rebuild.finish().expect("memory takes it");
            self.now = model;
        } else {
            drop(rebuild);
        }
        self.committed = self.now.clone();
    }

    /// Compares the writer's snapshot with the model as it was at the last commit.
    pub(crate) fn check(&mut self) {
        let report = retold_index::check(self.disk.as_ref()).expect("it can be read");
        assert_eq!(report.problems, []);
        assert_eq!(report.n_documents as usize, self.committed.docs.len());
        let snapshot = self.writer().snapshot().expect("memory takes it");
        self.committed.compare(&snapshot);
        let n = self.now.docs.len() as u64;
        assert_eq!(self.writer().n_documents(), n);
    }
}
