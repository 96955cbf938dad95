//! What all disks promise, and what the simulated and the faulty one add.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// Runs a test on every kind of disk.
fn on_each(test: impl Fn(&dyn Disk)) {
    let home = tempfile::tempdir().unwrap();
    test(&Folder::open(home.path()).unwrap());
    test(&Simulated::new());
    test(&Faulty::new(Simulated::new()));
}

fn read(file: &dyn DiskFile) -> Vec<u8> {
    let mut out = vec![0; file.len().unwrap() as usize];
    file.read_at(0, &mut out).unwrap();
    out
}

fn write(disk: &dyn Disk, name: &str, bytes: &[u8]) -> Box<dyn DiskFile> {
    let file = disk.create(name).unwrap();
    file.append(bytes).unwrap();
    file
}

#[test]
fn files_are_appended_to_cut_and_read() {
    on_each(|disk| {
        let file = write(disk, "log", b"one");
        file.append(b" two").unwrap();
        assert_eq!(read(&*file), b"one two");
        let again = disk.open("log").unwrap();
        again.append(b" three").unwrap();
        assert_eq!(read(&*file), b"one two three");
        file.truncate(3).unwrap();
        file.append(b"!").unwrap();
        assert_eq!(read(&*again), b"one!");
        file.sync().unwrap();
        let grown = file.truncate(5).unwrap_err();
        assert_eq!(grown.kind(), io::ErrorKind::InvalidInput);
        let mut out = [0; 5];
        let short = file.read_at(0, &mut out).unwrap_err();
        assert_eq!(short.kind(), io::ErrorKind::UnexpectedEof);
        let beyond = file.read_at(9, &mut out).unwrap_err();
        assert_eq!(beyond.kind(), io::ErrorKind::UnexpectedEof);
    });
}

#[test]
fn names_are_made_renamed_removed_and_listed() {
    on_each(|disk| {
        write(disk, "b", b"b");
        let a = write(disk, "a", b"a");
        assert_eq!(disk.list().unwrap(), ["a", "b"]);
        assert_eq!(disk.create("a").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        disk.rename("a", "b").unwrap();
        disk.sync().unwrap();
        assert_eq!(disk.list().unwrap(), ["b"]);
        assert_eq!(read(&*disk.open("b").unwrap()), b"a");
        assert_eq!(disk.open("a").unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(disk.rename("a", "b").unwrap_err().kind(), io::ErrorKind::NotFound);
        disk.remove("b").unwrap();
        assert_eq!(disk.remove("b").unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(read(&*a), b"a", "an open file outlives its name");
    });
}

#[test]
fn names_that_leave_the_folder_are_refused() {
    on_each(|disk| {
        write(disk, "a", b"a");
        for name in ["", ".", "..", "../a", "/etc/passwd", "a/b", ".hidden", "lock", "nul\0"] {
            let refused = |result: io::Result<()>| {
                assert_eq!(result.unwrap_err().kind(), io::ErrorKind::InvalidInput, "{name:?}");
            };
            refused(disk.create(name).map(drop));
            refused(disk.open(name).map(drop));
            refused(disk.remove(name));
            refused(disk.rename(name, "b"));
            refused(disk.rename("a", name));
        }
    });
}

#[test]
fn there_is_one_lock_and_it_is_not_listed() {
    on_each(|disk| {
        let held = disk.lock().unwrap();
        assert!(held.is_some());
        assert!(disk.lock().unwrap().is_none());
        assert!(disk.list().unwrap().is_empty());
        drop(held);
        assert!(disk.lock().unwrap().is_some());
    });
}

#[test]
fn what_was_not_synced_is_lost() {
    let disk = Simulated::new();
    let log = write(&disk, "log", b"kept");
    log.sync().unwrap();
    disk.sync().unwrap();
    log.append(b" lost").unwrap();
    let unnamed = write(&disk, "unnamed", b"synced, but its name is not");
    unnamed.sync().unwrap();
    disk.remove("log").unwrap();
    assert_eq!(disk.n_unsynced(), 3);

    let after = disk.power_cut(Cut::LoseAll);
    assert_eq!(after.list().unwrap(), ["log"]);
    assert_eq!(after.content("log").unwrap(), b"kept");
    let after = disk.power_cut(Cut::KeepAll);
    assert_eq!(after.list().unwrap(), ["unnamed"]);
    // One thing at a time: the bytes of the log, the name of the other, the removal.
    let after = disk.power_cut(Cut::Subset(0b001));
    assert_eq!(after.content("log").unwrap(), b"kept lost");
    assert_eq!(disk.power_cut(Cut::Subset(0b010)).list().unwrap(), ["log", "unnamed"]);
    assert!(disk.power_cut(Cut::Subset(0b100)).list().unwrap().is_empty());
    assert_eq!(after.n_unsynced(), 0, "what is found after a power cut is durable");
}

#[test]
fn a_rename_happens_as_a_whole() {
    let disk = Simulated::new();
    write(&disk, "manifest", b"old").sync().unwrap();
    disk.sync().unwrap();
    write(&disk, "manifest.new", b"new").sync().unwrap();
    disk.rename("manifest.new", "manifest").unwrap();
    let mut seen = BTreeSet::new();
    for seed in 0..200 {
        let after = disk.power_cut(Cut::Random(seed));
        seen.insert((after.content("manifest").unwrap(), after.content("manifest.new")));
    }
    let old = || b"old".to_vec();
    let new = || b"new".to_vec();
    let all = BTreeSet::from([(old(), None), (old(), Some(new())), (new(), None)]);
    assert_eq!(seen, all);
}

#[test]
fn a_power_cut_tears_at_sectors_and_keeps_what_was_synced() {
    let disk = Simulated::new();
    let log = write(&disk, "log", &[1; 700]);
    log.sync().unwrap();
    disk.sync().unwrap();
    log.append(&[2; 1000]).unwrap();
    log.append(&[3; 1000]).unwrap();
    let whole: Vec<u8> = [vec![1; 700], vec![2; 1000], vec![3; 1000]].concat();
    let (mut lengths, mut is_reordered, mut is_filled) = (BTreeSet::new(), false, false);
    for seed in 0..3000 {
        let content = disk.power_cut(Cut::Random(seed)).content("log").unwrap();
        assert!((700..=2700).contains(&content.len()));
        assert_eq!(content[..700], whole[..700]);
        // Within a sector and a write all bytes are written or none, but for chance.
        for (written, from, to) in [(2, 700, 1024), (2, 1024, 1536), (3, 1700, 2048)] {
            let piece = content.get(from..to).unwrap_or_default();
            let n_other = piece.iter().filter(|&&byte| byte != written).count();
            assert!(n_other == 0 || n_other + 20 > piece.len(), "{n_other} of {}", piece.len());
        }
        lengths.insert(content.len());
        is_reordered |= content.len() == 2700 && content[2699] == 3 && content[700] != 2;
        is_filled |= content.len() > 1000 && content[700..1000].iter().all(|&byte| byte == 0xff);
    }
    assert!(lengths.contains(&700) && lengths.contains(&2700) && lengths.len() > 100);
    assert!(is_reordered && is_filled);
}

#[test]
fn a_cut_that_was_not_synced_may_come_back() {
    let disk = Simulated::new();
    let log = write(&disk, "log", b"first second");
    log.sync().unwrap();
    disk.sync().unwrap();
    log.truncate(6).unwrap();
    log.append(b"third").unwrap();
    let seen: BTreeSet<Vec<u8>> =
        (0..500).map(|seed| disk.power_cut(Cut::Random(seed)).content("log").unwrap()).collect();
    for state in ["first second", "first third", "first thirdd", "first ", "first \0\0"] {
        assert!(seen.contains(state.as_bytes()), "{state:?}");
    }
    assert!(seen.iter().all(|content| content.starts_with(b"first ")));
}

#[test]
fn equal_seeds_give_equal_states_and_forks_are_apart() {
    let disk = Simulated::new();
    let log = write(&disk, "log", &[7; 5000]);
    for seed in 0..50 {
        let [a, b] = [(); 2].map(|()| disk.power_cut(Cut::Random(seed)).content("log"));
        assert_eq!(a, b);
    }
    let fork = disk.fork();
    log.append(b"more").unwrap();
    fork.remove("log").unwrap();
    assert_eq!(disk.content("log").unwrap().len(), 5004);
    assert_eq!((disk.n_open(), fork.n_open()), (1, 0));
    assert_eq!(fork.power_cut(Cut::Subset(0b11)).content("log").unwrap().len(), 5000);
}

#[test]
fn after_a_failed_sync_the_next_one_lies() {
    let disk = Simulated::new();
    let log = write(&disk, "log", b"synced");
    log.sync().unwrap();
    disk.sync().unwrap();
    log.append(b" lost").unwrap();
    disk.fail_file_syncs(1);
    log.sync().unwrap_err();
    log.append(b" late").unwrap();
    log.sync().unwrap();
    assert_eq!(read(&*log), b"synced lost late");
    for cut in [Cut::LoseAll, Cut::KeepAll, Cut::Random(1)] {
        let after = disk.power_cut(cut).content("log").unwrap();
        assert_eq!(after, b"synced\0\0\0\0\0 late");
    }
}

#[test]
fn a_full_disk_takes_what_fits_and_more_when_something_goes() {
    let disk = Simulated::new();
    write(&disk, "old", &[1; 60]);
    disk.set_capacity(Some(100));
    let log = disk.create("log").unwrap();
    let full = log.append(&[2; 50]).unwrap_err();
    assert_eq!(full.kind(), io::ErrorKind::StorageFull);
    assert_eq!(log.len().unwrap(), 40);
    assert_eq!(disk.create("other").unwrap_err().kind(), io::ErrorKind::StorageFull);
    disk.remove("old").unwrap();
    log.append(&[2; 60]).unwrap();
    assert_eq!(disk.n_bytes(), 100);
}

#[test]
fn the_watcher_sees_the_disk_before_each_change() {
    let disk = Simulated::new();
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let of_watcher = seen.clone();
    disk.watch(move |call, disk| {
        let content = disk.fork().content("log").map_or(0, |content| content.len());
        of_watcher.lock().unwrap().push((call, content));
    });
    let log = write(&disk, "log", b"four");
    log.sync().unwrap();
    log.truncate(1).unwrap();
    disk.rename("log", "old").unwrap();
    disk.sync().unwrap();
    disk.remove("old").unwrap();
    let expected = [
        (Call::Create, 0),
        (Call::Append, 0),
        (Call::SyncFile, 4),
        (Call::Truncate, 4),
        (Call::Rename, 1),
        (Call::SyncNames, 0),
        (Call::Remove, 0),
    ];
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[test]
fn the_nth_call_fails_once_or_for_ever() {
    for kind in FaultKind::ALL {
        for for_ever in [false, true] {
            let disk = Faulty::new(Simulated::new());
            let log = write(&disk, "log", b"abcd");
            let mut out = [0; 4];
            log.read_at(0, &mut out).unwrap();
            disk.fail(Fault { kind, calls: Call::ALL.to_vec(), nth: 2, for_ever });
            let mut call = || match kind {
                FaultKind::ShortRead => log.read_at(0, &mut out),
                _ => log.append(b"ef"),
            };
            let outcomes = [call().is_ok(), call().is_ok(), call().is_ok()];
            assert_eq!(outcomes, [true, false, !for_ever], "{kind:?}");
            assert_eq!(disk.n_failed(), 1 + u64::from(for_ever));
            disk.heal();
            call().unwrap();
            let expected = if kind == FaultKind::ShortRead { Call::Read } else { Call::Append };
            assert_eq!(disk.n_calls(&[expected]), 5);
        }
    }
}

#[test]
fn a_short_write_leaves_a_half() {
    let disk = Faulty::new(Simulated::new());
    let log = write(&disk, "log", b"");
    let calls = Call::WRITING.to_vec();
    disk.fail(Fault { kind: FaultKind::ShortWrite, calls, nth: 1, for_ever: false });
    log.sync().unwrap();
    assert_eq!(log.append(b"abcdef").unwrap_err().kind(), io::ErrorKind::StorageFull);
    assert_eq!(read(&*log), b"abc");
}

#[test]
fn steps_are_counted_and_stopped_at() {
    let disk = Faulty::new(Simulated::new());
    disk.at_step("commit.synced", 2, || Err(io::ErrorKind::Other.into()));
    disk.step("commit.synced").unwrap();
    disk.step("commit.begun").unwrap();
    disk.step("commit.synced").unwrap_err();
    disk.step("commit.synced").unwrap();
    assert_eq!(disk.steps(), BTreeMap::from([("commit.begun", 1), ("commit.synced", 3)]));
}
