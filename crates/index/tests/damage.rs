//! Damaged files give typed errors or the right answers, and are repaired.

mod common;

use std::sync::Arc;

use common::{Dump, document, dump, settings};
use retold_index::disk::Simulated;
use retold_index::{Disk, Error, Snapshot, Writer, backup, check, repair, restore};

/// A small index with two parts, removals, a log of some groups, a state and an attachment; and what it held at
/// each commit since the last flush.
fn small_index() -> (Simulated, Vec<Dump>) {
    let disk = Simulated::new();
    let mut writer =
        Writer::create_with_id(Arc::new(disk.clone()), settings(1 << 20), 5).expect("it is empty");
    let put = |writer: &mut Writer, id: u64, words| {
        writer.put(document(id, words, Some(id.cast_signed()))).expect("memory takes it");
    };
    let mut rebuild = writer.rebuild(settings(1 << 20)).expect("memory takes it");
    rebuild.attach("table", |writer| writer.put(&[7; 300])).expect("memory takes it");
    rebuild.finish().expect("memory takes it");
    put(&mut writer, 0, 60);
    put(&mut writer, 1, 20);
    put(&mut writer, 2, 60);
    put(&mut writer, 9, 3);
    writer.set_state("state", Some(b"value")).expect("memory takes it");
    writer.flush().expect("memory takes it");
    put(&mut writer, 3, 60);
    put(&mut writer, 4, 40);
    assert!(writer.remove("id 1").expect("it is whole"));
    writer.flush().expect("memory takes it");
    let mut dumps = vec![dump(&writer.snapshot().expect("it is whole")).expect("it is whole")];
    for group in 0..3 {
        put(&mut writer, 5 + group, 15 + group);
        put(&mut writer, 2, 30 + group);
        writer.commit().expect("memory takes it");
        dumps.push(dump(&writer.snapshot().expect("it is whole")).expect("it is whole"));
    }
    (disk, dumps)
}

/// Everything a file can do to a reader; `Err` if it noticed.
fn read_all(disk: &Simulated) -> Result<Dump, Error> {
    dump(&Snapshot::open(disk)?)
}

fn is_typed(error: &Error) -> bool {
    matches!(error, Error::Damaged { .. } | Error::Version { .. } | Error::NotAnIndex)
}

/// Reads a damaged index in all ways.
fn try_damaged(disk: &Simulated, dumps: &[Dump], allowed: &[Dump], what: &str) {
    let last = &dumps[dumps.len() - 1];
    match read_all(disk) {
        Ok(found) => {
            assert!(found == *last || allowed.contains(&found), "{what}: a wrong answer");
        }
        Err(error) => {
            assert!(is_typed(&error), "{what}: {error}");
            let problems = match check(disk) {
                Ok(report) => report.problems.len(),
                Err(error) => usize::from(is_typed(&error)),
            };
            assert!(problems > 0, "{what}: the check did not see it");
        }
    }
}

fn try_repaired(disk: &Simulated, what: &str) {
    let disk: Arc<dyn Disk> = Arc::new(disk.fork());
    match repair(&disk) {
        Ok(report) => {
            let found = check(disk.as_ref()).expect("it was repaired");
            assert_eq!(found.problems, [], "{what}");
            assert!(found.orphans.is_empty(), "{what}");
            assert_eq!(found.n_documents, report.n_documents, "{what}");
            let mut writer = Writer::open(disk).expect("it was repaired");
            writer.put(document(77, 5, None)).expect("it was repaired");
            writer.commit().expect("it was repaired");
            let snapshot = writer.snapshot().expect("it was repaired");
            dump(&snapshot).expect("it was repaired");
        }
        Err(error) => assert!(is_typed(&error), "{what}: {error}"),
    }
}

fn flip(every: usize) {
    let (disk, dumps) = small_index();
    let mut n = 0;
    for name in disk.list().expect("it is in memory") {
        let content = disk.content(&name).expect("it is listed");
        for bit in 0..content.len() * 8 {
            n += 1;
            if n % every != 0 {
                continue;
            }
            let mut damaged = content.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let fork = disk.fork();
            fork.set_content(&name, damaged);
            let what = format!("bit {bit} of {name}");
            try_damaged(&fork, &dumps, &[], &what);
            if !name.starts_with("log-") {
                let is_sound = check(&fork).is_ok_and(|report| report.is_sound());
                assert!(!is_sound, "{what}: the check did not see it");
            }
            if n % (every * 16) == 0 {
                try_repaired(&fork, &what);
            }
        }
    }
    assert!(n > 100_000, "{n} bits");
}

#[test]
fn one_bit_in_some_that_is_flipped_is_noticed_or_harmless() {
    flip(29);
}

#[test]
#[ignore = "takes a minute"]
fn every_bit_that_is_flipped_is_noticed_or_harmless() {
    flip(1);
}

#[test]
fn a_file_cut_anywhere_is_noticed_or_gives_an_earlier_commit() {
    let (disk, dumps) = small_index();
    for name in disk.list().expect("it is in memory") {
        let content = disk.content(&name).expect("it is listed");
        let allowed = if name.starts_with("log-") { &dumps[..] } else { &[] };
        for len in (0..content.len()).rev().step_by(3) {
            let fork = disk.fork();
            fork.set_content(&name, content[..len].to_vec());
            let what = format!("{name} cut to {len}");
            try_damaged(&fork, &dumps, allowed, &what);
            if len % 50 == 0 {
                try_repaired(&fork, &what);
            }
        }
        for tail in [vec![0; 5000], vec![0xff; 700], content.clone()] {
            let fork = disk.fork();
            fork.set_content(&name, [content.clone(), tail].concat());
            try_damaged(&fork, &dumps, &[], &format!("{name} with a tail"));
        }
    }
}

#[test]
fn a_file_that_is_missing_or_another_is_noticed() {
    let (disk, dumps) = small_index();
    let names = disk.list().expect("it is in memory");
    for name in &names {
        let fork = disk.fork();
        fork.remove(name).expect("it is in memory");
        let error = read_all(&fork).expect_err("it is missing");
        assert!(is_typed(&error), "{name}: {error}");
        try_repaired(&fork, name);
        if name == "manifest" {
            let made = Writer::create(Arc::new(fork), settings(1));
            assert!(matches!(made, Err(Error::Damaged { .. })), "parts could be saved");
        }
        for other in names.iter().filter(|other| *other != name) {
            let fork = disk.fork();
            fork.set_content(name, disk.content(other).expect("it is listed"));
            let error = read_all(&fork).expect_err("it is another");
            assert!(is_typed(&error), "{other} as {name}: {error}");
        }
    }
    // A file of an index that went through the same, but has another id.
    let fork = disk.fork();
    let disk = Simulated::new();
    let mut other =
        Writer::create_with_id(Arc::new(disk.clone()), settings(1 << 20), 6).expect("it is empty");
    other.put(document(0, 60, Some(0))).expect("memory takes it");
    other.flush().expect("memory takes it");
    for name in disk.list().expect("it is in memory") {
        if name.starts_with("part") {
            fork.set_content(&name, disk.content(&name).expect("it is listed"));
        }
    }
    try_damaged(&fork, &dumps, &[], "a part of another index");
}

#[test]
fn files_of_others_are_left_alone_and_orphans_go() {
    let (disk, dumps) = small_index();
    disk.set_content("notes.txt", b"mine".to_vec());
    disk.set_content("part-00000999", b"left behind".to_vec());
    disk.set_content("manifest.new", Vec::new());
    assert_eq!(read_all(&disk).expect("it is whole"), dumps[3]);
    assert_eq!(check(&disk).expect("it is whole").orphans, ["manifest.new", "part-00000999"]);
    drop(Writer::open(Arc::new(disk.clone())).expect("it is whole"));
    assert_eq!(check(&disk).expect("it is whole").orphans, [""; 0]);
    assert_eq!(disk.content("notes.txt").as_deref(), Some(&b"mine"[..]));
}

#[test]
fn a_repair_drops_only_what_is_damaged_and_names_it() {
    let (disk, dumps) = small_index();
    let names = disk.list().expect("it is in memory");
    let part = names.iter().find(|name| name.starts_with("part")).expect("there is one");
    let mut content = disk.content(part).expect("it is listed");
    // The checksum of the last block before the footer is of the second method.
    let at = content.len() - 4000;
    content[at] ^= 1;
    disk.set_content(part, content);
    let shared: Arc<dyn Disk> = Arc::new(disk.clone());
    let report = repair(&shared).expect("it can be repaired");
    assert_eq!(report.dropped.len(), 1);
    assert_eq!(&report.dropped[0].name, part);
    assert_eq!(report.dropped[0].n_documents as usize, report.dropped[0].ids.len());
    assert_eq!(report.dropped[0].ids, ["id 0", "id 2", "id 9"]);
    let now = read_all(&disk).expect("it was repaired");
    assert_ne!(now, dumps[3]);
    let snapshot = Snapshot::open(&disk).expect("it was repaired");
    for (id, is_there) in [("id 0", false), ("id 9", false), ("id 2", true), ("id 4", true)] {
        assert_eq!(snapshot.ordinal_of(id).expect("it was repaired").is_some(), is_there, "{id}");
    }
    assert!(repair(&shared).expect("it is whole").is_clean());
}

#[test]
fn a_damaged_attachment_is_dropped_and_named() {
    let (disk, dumps) = small_index();
    let names = disk.list().expect("it is in memory");
    let name = names.iter().find(|name| name.starts_with("attachment")).expect("there is one");
    let mut content = disk.content(name).expect("it is listed");
    let at = content.len() - 100;
    content[at] ^= 1;
    disk.set_content(name, content);
    // All but its value can be read.
    let snapshot = Snapshot::open(&disk).expect("it opens");
    let mut reader = snapshot.attachment("table").expect("it is named");
    let mut value = Vec::new();
    assert!(matches!(reader.read(&mut value), Err(Error::Damaged { .. })));
    assert!(value.is_empty(), "nothing of a damaged block is handed out");
    let shared: Arc<dyn Disk> = Arc::new(disk.clone());
    let report = repair(&shared).expect("it can be repaired");
    let dropped: Vec<(&str, &str)> = report
        .dropped_attachments
        .iter()
        .map(|dropped| (dropped.name.as_str(), dropped.problem.file.as_str()))
        .collect();
    assert_eq!(dropped, [("table", name.as_str())]);
    assert!(report.dropped.is_empty() && !report.is_clean());
    let mut now = read_all(&disk).expect("it was repaired");
    assert!(now.attachments.is_empty());
    now.attachments = dumps[3].attachments.clone();
    assert_eq!(now, dumps[3]);
    assert!(repair(&shared).expect("it is whole").is_clean());
}

#[test]
fn attachments_are_found_again_without_a_manifest() {
    let (disk, dumps) = small_index();
    disk.remove("manifest").expect("it is in memory");
    let shared: Arc<dyn Disk> = Arc::new(disk.clone());
    assert!(repair(&shared).expect("it can be repaired").is_manifest_new);
    let found = read_all(&disk).expect("it was repaired").attachments;
    assert_eq!(found, dumps[3].attachments);
    assert_eq!(found["table"], [7; 300]);
}

#[test]
fn damage_in_the_log_costs_one_group_when_it_is_repaired() {
    let (disk, _) = small_index();
    let names = disk.list().expect("it is in memory");
    let log = names.iter().find(|name| name.starts_with("log")).expect("there is one");
    let mut content = disk.content(log).expect("it is listed");
    let at = content.windows(4).position(|bytes| bytes == b"id 5").expect("it was put");
    content[at] ^= 1;
    disk.set_content(log, content);
    let error = Writer::open(Arc::new(disk.clone())).expect_err("it is damaged");
    assert!(matches!(error, Error::Damaged { .. }), "{error}");
    let shared: Arc<dyn Disk> = Arc::new(disk.clone());
    let report = repair(&shared).expect("it can be repaired");
    assert!(report.log_problem.is_some() && report.log_bytes_dropped > 0);
    let snapshot = Snapshot::open(&disk).expect("it was repaired");
    for (id, is_there) in [("id 5", false), ("id 6", true), ("id 7", true), ("id 2", true)] {
        assert_eq!(snapshot.ordinal_of(id).expect("it was repaired").is_some(), is_there, "{id}");
    }
    assert_eq!(snapshot.states().get("state").map(Vec::as_slice), Some(&b"value"[..]));
}

#[test]
fn a_backup_is_the_index_and_a_damaged_one_is_not_restored() {
    let (disk, dumps) = small_index();
    let _writer = Writer::open(Arc::new(disk.clone())).expect("it is whole");
    let copy = Simulated::new();
    copy.set_content("part-00000001", b"left by somebody".to_vec());
    assert!(matches!(backup(&disk, &copy), Err(Error::Damaged { .. })));
    copy.set_content("manifest.new", b"by a backup that died".to_vec());
    let copied = backup(&disk, &copy).expect("memory takes it");
    assert_eq!(read_all(&copy).expect("it is whole"), dumps[3]);
    assert_eq!(check(&copy).expect("it is whole").n_bytes, check(&disk).expect("whole").n_bytes);
    assert_eq!(copied.n_files, disk.list().expect("it is in memory").len());
    assert!(matches!(backup(&disk, &copy), Err(Error::Exists)));
    let back = Simulated::new();
    restore(&copy, &back).expect("memory takes it");
    assert_eq!(read_all(&back).expect("it is whole"), dumps[3]);
    let name = copy.list().expect("it is in memory").pop().expect("there are files");
    let mut content = copy.content(&name).expect("it is listed");
    content[60] ^= 1;
    copy.set_content(&name, content);
    assert!(matches!(restore(&copy, &Simulated::new()), Err(Error::Damaged { .. })));
}
