//! Files are changed, cut, lost or exchanged behind the back of the index.

use std::{collections::BTreeMap, sync::Arc};

use retold_index::{
    Error, Snapshot, Writer, check,
    disk::{Disk, Simulated},
    repair,
};

use crate::{
    Dice,
    contents::Difference,
    is_long,
    model::{Expected, Hands, Model},
    say,
    script::{Op, operation},
};

/// What came of the damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    /// Nobody would ever see it: all is read as it was.
    Harmless,
    /// It was found out.
    Refused,
    /// The end of the log looks as if it had not been written to the end.
    Earlier,
}

/// A rebuild with this number makes three small attachments, and has the settings of 2.
const REBUILD: u64 = 182;

/// An index with parts, removals, attachments and a log, and what it held at each commit, the last one last.
fn made(seed: u64) -> (Simulated, Vec<Expected>) {
    let disk = Simulated::new();
    let generation = 2;
    let mut hands = Hands::create(Arc::new(disk.clone()), generation).unwrap();
    let mut model = Model::new(generation);
    let mut history = vec![model.committed.clone()];
    let mut act = |op: Op| {
        hands.act(&op, &model).unwrap();
        model.done(&op);
        history.push(model.committed.clone());
    };
    let batches =
        (1..).map(|number| operation(seed, number)).filter(|op| matches!(op, Op::Batch(_)));
    for (i, op) in batches.take(12).enumerate() {
        act(op);
        match i {
            3 => act(Op::Rebuild(REBUILD)),
            6 | 9 => act(Op::Flush),
            _ => {}
        }
    }
    (disk, history)
}

/// Opens a damaged index, reads all of it, and judges.
fn judge(disk: &Simulated, history: &[Expected], file: &str, what: &str) -> Verdict {
    let shared: Arc<dyn Disk> = Arc::new(disk.fork());
    let (last, earlier) = history.split_last().expect("there is a commit");
    let verdict = match Snapshot::open(&*shared) {
        Err(error) => refused(&error, what),
        Ok(snapshot) => {
            let differences = [last.difference(&snapshot), last.difference_of_lists(&snapshot)];
            match differences.into_iter().flatten().next() {
                None => Verdict::Harmless,
                Some(Difference::Refused(error)) => refused(&error, what),
                Some(Difference::Wrong(wrong)) => {
                    // Of a log that breaks off nobody can say that it did not end there.
                    let is_earlier = earlier.iter().any(|old| old.difference(&snapshot).is_none());
                    assert!(file.starts_with("log-") && is_earlier, "{what} is served: {wrong}");
                    Verdict::Earlier
                }
            }
        }
    };
    let is_clean = match check(&*shared) {
        Ok(report) => report.is_sound(),
        Err(error) => refused(&error, what) != Verdict::Refused,
    };
    assert!(!is_clean || verdict != Verdict::Refused, "{what} is refused, but the check is clean");
    match Writer::open(shared.clone()) {
        Ok(_) => {}
        Err(error) => drop(refused(&error, what)),
    }
    verdict
}

/// Damage is told as such. That there is no index would invite to make one in its place.
fn refused(error: &Error, what: &str) -> Verdict {
    let is_told = matches!(error, Error::Damaged { .. } | Error::Version { .. });
    assert!(is_told, "{what} is told as {error:?}");
    Verdict::Refused
}

/// Repairs a damaged index, which must be sound then and hold only what was in it.
fn mend(disk: &Simulated, history: &[Expected], what: &str) -> usize {
    let shared: Arc<dyn Disk> = Arc::new(disk.fork());
    repair(&shared).unwrap_or_else(|error| panic!("{what} cannot be repaired: {error}"));
    let report = check(&*shared).unwrap_or_else(|error| panic!("{what}, repaired: {error}"));
    assert!(report.is_sound(), "{what}, repaired: {report:?}");
    let mut hands = Hands::open(shared).unwrap_or_else(|error| panic!("{what}, repaired: {error}"));
    let snapshot = hands.writer().unwrap().snapshot().unwrap();
    for name in snapshot.attachments() {
        let value = value_of(&snapshot, name);
        let is_old = history.iter().any(|contents| contents.attachment(name) == Some(&value));
        assert!(is_old, "{what}, repaired: attachment {name} never was so");
    }
    let mut n_documents = 0;
    for ordinal in snapshot.ordinals() {
        let stored = snapshot.document(ordinal).unwrap();
        let is_old = history.iter().flat_map(|contents| contents.documents()).any(|put| {
            (&put.id, put.time, &put.record, &put.text)
                == (&stored.id, stored.time, &stored.record, &stored.text)
        });
        assert!(is_old, "{what}, repaired: `{}` never was so", stored.id);
        n_documents += 1;
    }
    n_documents
}

fn value_of(snapshot: &Snapshot, name: &str) -> Vec<u8> {
    let (mut value, reader) = (Vec::new(), snapshot.attachment(name));
    let mut reader = reader.expect("it is named");
    while reader.read(&mut value).expect("it was repaired") {}
    value
}

fn with(disk: &Simulated, name: &str, change: impl FnOnce(&mut Vec<u8>)) -> Simulated {
    let disk = disk.fork();
    let mut content = disk.content(name).expect("it is there");
    change(&mut content);
    disk.set_content(name, content);
    disk
}

/// Which of `n` places to try.
fn places(n: usize, n_short: usize) -> impl Iterator<Item = usize> {
    let n_tried = if is_long() { n_short * 20 } else { n_short };
    let step = (n / n_tried).max(1);
    (0..n).step_by(step)
}

#[test]
fn a_flipped_bit_is_found_out() {
    let (disk, history) = made(41);
    let mut dice = Dice(1);
    let mut counts: BTreeMap<(String, Verdict), u64> = BTreeMap::new();
    for name in disk.list().unwrap() {
        let n_bytes = disk.content(&name).unwrap().len();
        for at in places(n_bytes, 40) {
            let bit = dice.below(8);
            let what = format!("bit {bit} of byte {at} of {name}, of {n_bytes}");
            let damaged = with(&disk, &name, |content| content[at] ^= 1 << bit);
            let verdict = judge(&damaged, &history, &name, &what);
            if dice.below(10) == 0 {
                mend(&damaged, &history, &what);
            }
            let kind = name.split('-').next().unwrap_or_default().to_owned();
            *counts.entry((kind, verdict)).or_default() += 1;
        }
    }
    say(&format!("flipped bits: {counts:?}, 0 violations"));
}

#[test]
fn a_cut_lost_or_foreign_file_is_found_out() {
    let (disk, history) = made(42);
    let (other, _) = made(42);
    let mut counts: BTreeMap<(String, Verdict), u64> = BTreeMap::new();
    for name in disk.list().unwrap() {
        let content = disk.content(&name).unwrap();
        let mut tried = Vec::new();
        for len in places(content.len(), 15) {
            let cut = with(&disk, &name, |content| content.truncate(len));
            tried.push((format!("cut to {len} of {}", content.len()), cut));
        }
        let longer = with(&disk, &name, |content| content.extend([0; 600]));
        tried.push(("zeros behind it".to_owned(), longer));
        tried.push(("all zeros".to_owned(), with(&disk, &name, |content| content.fill(0))));
        let doubled = with(&disk, &name, |content| content.extend_from_within(..));
        tried.push(("twice".to_owned(), doubled));
        let half = content.len() / 2;
        let swapped = with(&disk, &name, |content| content.rotate_left(half));
        tried.push(("halves swapped".to_owned(), swapped));
        let lost = disk.fork();
        lost.remove(&name).unwrap();
        if name != "manifest" {
            tried.push(("lost".to_owned(), lost));
        }
        for from in disk.list().unwrap().into_iter().filter(|from| *from != name) {
            let content = disk.content(&from).unwrap();
            let exchanged = with(&disk, &name, |old| *old = content);
            tried.push((format!("in its place {from}"), exchanged));
        }
        if let Some(content) = other.content(&name) {
            let foreign = with(&disk, &name, |old| *old = content);
            tried.push(("that of another index".to_owned(), foreign));
        }
        for (what, damaged) in tried {
            let what = format!("{name}: {what}");
            let verdict = judge(&damaged, &history, &name, &what);
            let kind = name.split('-').next().unwrap_or_default().to_owned();
            *counts.entry((kind, verdict)).or_default() += 1;
            if name.starts_with("part-") || name.starts_with("attachment-") {
                mend(&damaged, &history, &what);
            }
        }
    }
    say(&format!("other damage: {counts:?}, 0 violations"));
}

#[test]
fn a_lost_manifest_is_not_an_empty_index() {
    let (disk, _) = made(43);
    let lost = disk.fork();
    lost.remove("manifest").unwrap();
    let lost: Arc<dyn Disk> = Arc::new(lost);
    let opened = Writer::open(lost.clone()).map(drop).unwrap_err();
    assert!(matches!(opened, Error::Damaged { .. } | Error::NotAnIndex), "{opened:?}");
    let n_parts = |disk: &dyn Disk| {
        disk.list().unwrap().iter().filter(|name| name.starts_with("part-")).count()
    };
    let before = n_parts(&*lost);
    let _ = Writer::create(lost.clone(), crate::script::settings(1));
    assert_eq!(n_parts(&*lost), before, "parts of the old index are gone");
}

#[test]
fn files_of_others_are_left_alone() {
    let (disk, history) = made(44);
    for name in ["notes.txt", "part-x", "log-", "manifest.old", "backup"] {
        disk.set_content(name, b"mine".to_vec());
    }
    assert_eq!(judge(&disk, &history, "", "other files"), Verdict::Harmless);
    let mut hands = Hands::open(Arc::new(disk.clone())).unwrap();
    let mut model = Model::new(2);
    model.found(history.last().unwrap().clone());
    for op in [Op::Flush, Op::MergeAll, Op::Purge(vec![1]), Op::Rebuild(2), Op::Reopen] {
        hands.act(&op, &model).unwrap();
        model.done(&op);
    }
    for name in ["notes.txt", "part-x", "log-", "manifest.old", "backup"] {
        assert_eq!(disk.content(name).as_deref(), Some(&b"mine"[..]), "{name}");
    }
}
