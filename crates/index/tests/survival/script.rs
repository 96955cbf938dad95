//! Sequences of operations, made from a seed, and the documents in them.

use std::collections::BTreeSet;

use retold_core::candidates::stored::Entry;
use retold_index::{FlushLimits, Kept, Put, Settings};

use crate::Dice;

/// Something done to an index.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// Changes and a commit.
    Batch(Vec<Change>),
    /// Changes that wait for a later commit.
    Wait(Vec<Change>),
    Commit,
    /// What waits for a commit is forgotten.
    RollBack,
    Flush,
    /// One merge, if one is due; the changes are committed while it runs.
    Merge(Vec<Change>),
    MergeAll,
    Expire(i64),
    Purge(Vec<u64>),
    /// All documents anew, with other settings and attachments.
    Rebuild(u64),
    /// The writer is closed and opened.
    Reopen,
}

#[derive(Clone, Debug)]
pub(crate) enum Change {
    Put { id: u64, version: u64 },
    Remove { id: u64 },
    State { name: &'static str, value: Option<Vec<u8>> },
}

/// Different documents there can be. Few, so that replacing and removing happens all the time.
const N_IDS: u64 = 60;

/// From this seed on there are documents so large that a group does not wait in memory for its
/// commit.
const LARGE: u64 = 1000;

/// Versions of which the last five bits are this are large.
const LARGE_VERSION: u64 = 31;

/// Makes the operation with this number. Its documents do not depend on those before it.
pub(crate) fn operation(seed: u64, number: u64) -> Op {
    let mut dice = Dice(seed ^ number.wrapping_mul(0x2545_f491_4f6c_dd1d));
    match dice.below(43) {
        0..4 => Op::Wait(changes(&mut dice, number, 5)),
        4..6 => Op::Commit,
        6..11 => Op::Flush,
        11..15 => Op::Merge(changes(&mut dice, number, 4)),
        15 => Op::MergeAll,
        16..18 => Op::Expire(time_of(number) - [40, 12, -1][dice.below(3) as usize]),
        18 => Op::Purge((0..dice.below(4)).map(|_| dice.below(N_IDS)).collect()),
        19 | 40 | 41 => Op::Rebuild(number),
        42 => Op::RollBack,
        20..23 => Op::Reopen,
        23 if seed >= LARGE => {
            let mut changes = changes(&mut dice, number, 3);
            changes.insert(0, Change::Put { id: 0, version: number / 6 * 32 + LARGE_VERSION });
            Op::Batch(changes)
        }
        _ => Op::Batch(changes(&mut dice, number, 20)),
    }
}

/// Time passes with the operations, and is not always known.
fn time_of(number: u64) -> i64 {
    number.cast_signed()
}

fn changes(dice: &mut Dice, number: u64, most: u64) -> Vec<Change> {
    let n = 1 + dice.below(most);
    let mut changes: Vec<Change> = (0..n)
        .map(|_| match dice.below(10) {
            0..2 => Change::Remove { id: dice.below(N_IDS) },
            2 => {
                let name = ["cursor", "model", "note"][dice.below(3) as usize];
                let value = dice.below(4) > 0;
                let value = value.then(|| vec![dice.number() as u8; dice.below(50) as usize]);
                Change::State { name, value }
            }
            // Few versions at a time: often it is the one that is there.
            _ => Change::Put { id: dice.below(N_IDS), version: number / 6 * 32 + dice.below(3) },
        })
        .collect();
    let place = number.to_le_bytes().to_vec();
    changes.push(Change::State { name: "place", value: Some(place) });
    changes
}

/// The name of a document.
pub(crate) fn name_of(id: u64) -> String {
    format!("document {id}")
}

/// Settings of a generation: what is kept of documents differs between them.
pub(crate) fn settings(generation: u64) -> Settings {
    Settings {
        about: serde_json::json!({ "generation": generation }),
        n_methods: n_methods(generation),
        limits: FlushLimits {
            most_bytes: [4_000, 30_000, 64 << 20][(generation / 3 % 3) as usize],
        },
    }
}

/// What a rebuild does to attachments: new values under names, or none; others stay.
pub(crate) fn attachments(generation: u64) -> Vec<(&'static str, Option<Vec<u8>>)> {
    let mut dice = Dice(generation ^ 0x0a77);
    let mut changed = Vec::new();
    for name in ["counts", "table", "words"] {
        let value = match dice.below(8) {
            0..2 => continue,
            2..4 => None,
            4 => Some(150_000),
            _ => Some(dice.below(700)),
        };
        let mut bytes = |n: u64| (0..n).map(|_| dice.number() as u8).collect();
        changed.push((name, value.map(&mut bytes)));
    }
    changed
}

fn n_methods(generation: u64) -> usize {
    1 + (generation % 3) as usize
}

/// Makes a version of a document. Many versions have the same words as others, some with other
/// entries.
pub(crate) fn document(id: u64, version: u64, generation: u64) -> Put {
    let mut dice = Dice(id << 32 ^ version);
    let class = dice.below(25);
    let variant = u64::from(dice.below(8) == 0);
    // At times all have a time, so that whole parts expire.
    let has_time = dice.below(6) > 0 || !(version / 32).is_multiple_of(4);
    let time = has_time.then(|| time_of(version / 32 * 6) - dice.below(10).cast_signed());
    let n_bytes = match dice.below(20) {
        _ if version % 32 == LARGE_VERSION => 5 << 20,
        0 => 5000,
        1 => 0,
        _ => 20 + dice.below(300),
    };
    let mut words = Dice(version);
    let text = (0..n_bytes).map(|_| b"etaoin shrdlu"[words.below(13) as usize]).collect();
    let methods = (0..n_methods(generation))
        .map(|method| match dice.below(12) {
            0 => None,
            1 => Some(Kept { identity: Some(class as u128), entry: None }),
            _ => Some(kept(class, variant, generation, method as u64)),
        })
        .collect();
    let record = format!("{{\"id\":{id},\"version\":{version}}}").into_bytes();
    Put { id: name_of(id), time, record, text, methods }
}

fn kept(class: u64, variant: u64, generation: u64, method: u64) -> Kept {
    let mut dice = Dice(class << 8 | variant << 4 | method | generation << 32);
    let n_keys = if class.is_multiple_of(5) { 0 } else { 1 + dice.below(12) };
    let keys: BTreeSet<(u64, u32)> = (0..n_keys)
        .map(|_| {
            let key = dice.below(40) * 0x0003_1415_9265_3589 % (1 << 40);
            (key, if method == 1 { 0 } else { dice.below(500) as u32 })
        })
        .collect();
    let mut codes: Vec<u64> = match class % 5 {
        0 => (0..=dice.below(3)).map(|_| dice.below(1000)).collect(),
        _ => Vec::new(),
    };
    codes.sort_unstable();
    codes.dedup();
    let bytes = |n: u64| vec![class as u8; n as usize].into_boxed_slice();
    let entry = Entry {
        keys: keys.into_iter().collect(),
        facts: vec![class as u8, variant as u8, method as u8],
        image: (method != 1).then(|| bytes(10 + class)),
        codes,
        code_set: (class % 7 == 1).then(|| bytes(30)),
    };
    // Words that nothing is known about are the same as no others.
    let identity = (class % 6 != 3).then_some(u128::from(class) << 64 | 1);
    Kept { identity, entry: Some(entry) }
}
