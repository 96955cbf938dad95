//! Others read while one writes.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::ScopedJoinHandle,
};

use retold_index::{
    Error, Snapshot,
    disk::{Disk, Folder, Simulated},
};

use crate::{
    is_long,
    model::{Expected, Hands, Model, which},
    say,
    script::{Op, operation},
};

/// What the index may hold during an operation and, as the last of them, after it.
type Known = Mutex<BTreeMap<u64, Vec<Expected>>>;

/// Writes while readers open the index anew all the time, read all of it, and read what they had
/// open before.
fn read_while_writing(disk: &Arc<dyn Disk>, seed: u64, n_operations: u64) {
    let mut hands = Hands::create(disk.clone(), seed % 9).unwrap();
    let mut model = Model::new(seed % 9);
    let known = Known::new(BTreeMap::from([(0, vec![model.committed.clone()])]));
    let begun = AtomicU64::new(0);
    let ended = AtomicU64::new(0);
    let is_over = AtomicBool::new(false);
    let n_read = AtomicU64::new(0);
    let read = || {
        let mut kept: Option<(Snapshot, Expected)> = None;
        while !is_over.load(Ordering::SeqCst) {
            let from = ended.load(Ordering::SeqCst);
            let snapshot = Snapshot::open(&**disk).unwrap();
            let to = begun.load(Ordering::SeqCst);
            let allowed: Vec<Expected> = {
                let known = known.lock().unwrap();
                let first = known[&from].last().expect("something is after it").clone();
                let later = known.range(from + 1..).take_while(|(number, _)| **number <= to);
                let later = later.flat_map(|(_, all)| all.clone());
                std::iter::once(first).chain(later).collect()
            };
            let what = format!("seed {seed}, between operations {from} and {to}");
            let found = allowed[which(&snapshot, &allowed, &what)].clone();
            if let Some(difference) = found.difference_of_lists(&snapshot) {
                panic!("{what}: {difference:?}");
            }
            if let Some((old, expected)) = &kept
                && let Some(difference) = expected.difference(old)
            {
                panic!("{what}: an old snapshot changed: {difference:?}");
            }
            if n_read.fetch_add(1, Ordering::SeqCst).is_multiple_of(5) {
                kept = Some((snapshot, found));
            }
        }
    };
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..2).map(|_| scope.spawn(read)).collect();
        for number in 1..=n_operations {
            let op = operation(seed, number);
            let mut outcomes = model.outcomes(&op);
            if outcomes.is_empty() {
                outcomes.push(model.committed.clone());
            }
            known.lock().unwrap().insert(number, outcomes);
            begun.store(number, Ordering::SeqCst);
            if matches!(op, Op::Reopen) {
                let second = Hands::open(disk.clone()).unwrap_err();
                assert!(matches!(second, Error::Locked), "{second:?}");
            }
            hands.act(&op, &model).unwrap_or_else(|error| panic!("{op:?}: {error}"));
            model.done(&op);
            ended.store(number, Ordering::SeqCst);
            if readers.iter().any(ScopedJoinHandle::is_finished) {
                break;
            }
        }
        is_over.store(true, Ordering::SeqCst);
    });
    let n_read = n_read.into_inner();
    say(&format!("readers: {n_read} snapshots in {n_operations} operations, 0 violations"));
    assert!(n_read > 2);
}

#[test]
fn readers_see_one_commit_each_while_the_writer_goes_on() {
    let n_operations = if is_long() { 2000 } else { 60 };
    read_while_writing(&(Arc::new(Simulated::new()) as Arc<dyn Disk>), 51, n_operations);
    let home = tempfile::tempdir().unwrap();
    let folder = Folder::open(home.path()).unwrap();
    read_while_writing(&(Arc::new(folder) as Arc<dyn Disk>), 52, n_operations);
}

#[test]
fn a_merge_that_outlives_its_writer_keeps_the_index_locked() {
    let disk: Arc<dyn Disk> = Arc::new(Simulated::new());
    let mut hands = Hands::create(disk.clone(), 2).unwrap();
    let mut model = Model::new(2);
    let batches = (1..).map(|number| operation(61, number));
    for op in batches.filter(|op| matches!(op, Op::Batch(_))).take(5) {
        for op in [op, Op::Flush] {
            hands.act(&op, &model).unwrap();
            model.done(&op);
        }
    }
    let job = hands.writer().unwrap().plan_merge().expect("there are five parts");
    drop(hands);
    // Another writer would give the number of the merged part to a part of its own.
    assert!(matches!(Hands::open(disk.clone()), Err(Error::Locked)));
    let merged = job.run().unwrap();
    assert!(matches!(Hands::open(disk.clone()), Err(Error::Locked)));
    drop(merged);
    let mut hands = Hands::open(disk).unwrap();
    let snapshot = hands.writer().unwrap().snapshot().unwrap();
    which(&snapshot, &[model.committed], "after the merge was forgotten");
}
