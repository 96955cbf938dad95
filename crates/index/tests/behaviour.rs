//! What an index promises, one by one.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use common::{Model, Pair, document, dump, settings};
use retold_core::candidates::stored::Entry;
use retold_index::disk::{Call, Cut, Fault, FaultKind, Faulty, Simulated};
use retold_index::{
    Disk, Error, Folder, Kept, MOST_ID_BYTES, Put, PutOutcome, STEPS, Settings, Snapshot, Writer,
    check, content_hash,
};

fn create(disk: &Simulated, most_bytes: u64) -> Writer {
    Writer::create_with_id(Arc::new(disk.clone()), settings(most_bytes), 1).expect("it is empty")
}

fn put(writer: &mut Writer, id: u64, words: u64) -> PutOutcome {
    writer.put(document(id, words, Some(id.cast_signed()))).expect("memory takes it")
}

/// Every byte of every file, decompressed or not, in which something could be.
fn all_bytes(disk: &Simulated) -> Vec<u8> {
    let names = disk.list().expect("it is in memory");
    names.iter().flat_map(|name| disk.content(name).expect("it is listed")).collect()
}

fn holds(disk: &Simulated, needle: &str) -> bool {
    all_bytes(disk).windows(needle.len()).any(|bytes| bytes == needle.as_bytes())
}

#[test]
fn an_index_is_made_once_and_written_by_one() {
    let disk = Simulated::new();
    let shared: Arc<dyn Disk> = Arc::new(disk.clone());
    assert!(matches!(Writer::open(shared.clone()), Err(Error::NotAnIndex)));
    assert!(matches!(Snapshot::open(&disk), Err(Error::NotAnIndex)));
    let writer = create(&disk, 1 << 20);
    assert!(matches!(Writer::open(shared.clone()), Err(Error::Locked)));
    drop(writer);
    assert!(matches!(Writer::create(shared.clone(), settings(1)), Err(Error::Exists)));
    Writer::open(shared).expect("it is whole");
}

#[test]
fn a_group_shows_after_its_commit_only() {
    let disk = Simulated::new();
    let mut writer = create(&disk, 1 << 20);
    put(&mut writer, 1, 20);
    assert_eq!(writer.snapshot().expect("it is whole").n_documents(), 0);
    assert_eq!(writer.commit().expect("memory takes it"), 1);
    assert_eq!(writer.commit().expect("nothing to do"), 1);
    put(&mut writer, 2, 20);
    writer.remove("id 1").expect("it is whole");
    let before = writer.snapshot().expect("it is whole");
    assert_eq!(before.ordinal_of("id 1").expect("it is whole"), Some(0));
    assert_eq!(before.n_documents(), 1);
    writer.commit().expect("memory takes it");
    let after = writer.snapshot().expect("it is whole");
    assert_eq!(after.ordinal_of("id 1").expect("it is whole"), None);
    assert_eq!(after.n_documents(), 1);
    assert_eq!(before.n_documents(), 1, "a snapshot does not change");
    assert_eq!(Snapshot::open(&disk).expect("it is whole").n_documents(), 1);
}

#[test]
fn a_mark_that_cannot_be_written_costs_nothing_that_follows() {
    let opened = |kind, calls: Vec<Call>, nth, for_ever| {
        let disk = Simulated::new();
        let mut writer = create(&disk, 1 << 20);
        put(&mut writer, 1, 20);
        writer.commit().expect("memory takes it");
        drop(writer);
        let faulty = Arc::new(Faulty::new(disk.clone()));
        faulty.fail(Fault { kind, calls, nth, for_ever });
        (disk, Writer::open(faulty))
    };
    for kind in [FaultKind::Broken, FaultKind::Full, FaultKind::ShortWrite] {
        let (disk, writer) = opened(kind, vec![Call::Append], 1, false);
        let mut writer = writer.expect("a mark is no loss");
        put(&mut writer, 2, 21);
        assert_eq!(writer.commit().expect("the disk works again"), 2);
        drop(writer);
        let found = Snapshot::open(&disk).expect("it is whole");
        assert_eq!((found.n_documents(), found.commit()), (2, 2), "{kind:?}");
    }
    // The log is cut first, then the mark is written, and cut off again, which fails.
    let (disk, writer) = opened(FaultKind::Broken, vec![Call::Append, Call::Truncate], 2, true);
    assert!(matches!(writer, Err(Error::Io { .. })), "nothing is written behind a broken mark");
    drop(writer);
    assert_eq!(Snapshot::open(&disk).expect("it is whole").n_documents(), 1);
}

#[test]
fn a_document_is_unchanged_if_content_and_entries_are() {
    let disk = Simulated::new();
    let mut writer = create(&disk, 1 << 20);
    for is_flushed in [false, true] {
        let plain = document(1, 20, Some(3));
        let outcome = writer.put(plain.clone()).expect("memory takes it");
        assert_ne!(outcome, PutOutcome::Unchanged);
        if is_flushed {
            writer.flush().expect("memory takes it");
        }
        let n_bytes = disk.n_bytes();
        assert_eq!(writer.put(plain.clone()).expect("it is whole"), PutOutcome::Unchanged);
        let hash = content_hash(&plain.record, &plain.text, plain.time);
        assert!(writer.is_unchanged("id 1", hash).expect("it is whole"));
        assert!(!writer.is_unchanged("id 2", hash).expect("it is whole"));
        assert_eq!(disk.n_bytes(), n_bytes);
        let mut others = vec![plain.clone(); 5];
        others[0].time = None;
        others[1].text.push(1);
        others[2].record.push(1);
        others[3].methods[0] = None;
        others[4].methods[1].as_mut().expect("it is kept").identity = Some(9);
        for other in others {
            let outcome = writer.put(other).expect("memory takes it");
            assert_eq!(outcome, PutOutcome::Replaced);
        }
    }
    writer.commit().expect("memory takes it");
    assert_eq!(writer.snapshot().expect("it is whole").n_documents(), 1);
}

#[test]
fn what_is_purged_is_in_no_file() {
    let disk = Simulated::new();
    let mut writer = create(&disk, 1 << 20);
    // Random bytes are not compressed, so that they can be looked for.
    let secret = "k3y9-Zq7w-e81x";
    let with_secret = |id: u64| {
        let mut put = document(id, 20, None);
        put.text = format!("{secret}{id}").into_bytes();
        put
    };
    writer.put(with_secret(1)).expect("memory takes it");
    writer.put(with_secret(2)).expect("memory takes it");
    put(&mut writer, 3, 20);
    writer.flush().expect("memory takes it");
    put(&mut writer, 1, 21);
    put(&mut writer, 4, 22);
    writer.flush().expect("memory takes it");
    writer.put(with_secret(5)).expect("memory takes it");
    writer.commit().expect("memory takes it");
    assert!(holds(&disk, secret));
    let job = writer.plan_merge();
    assert!(job.is_none());
    let purged = writer.purge(&["id 1", "id 2", "id 5", "id 77"]).expect("memory takes it");
    assert_eq!((purged.n_documents, purged.n_parts), (3, 2));
    assert!(!holds(&disk, secret));
    for id in ["id 1", "id 2", "id 5"] {
        assert_eq!(writer.snapshot().expect("whole").ordinal_of(id).expect("whole"), None);
    }
    assert_eq!(writer.snapshot().expect("it is whole").n_documents(), 2);
    assert_eq!(check(&disk).expect("it is whole").problems, []);
}

#[test]
fn parts_that_are_too_old_go_as_files() {
    let disk = Simulated::new();
    let mut writer = create(&disk, 1 << 20);
    for part in 0..4u64 {
        for id in 0..10 {
            put(&mut writer, part * 10 + id, 20 + id);
        }
        writer.flush().expect("memory takes it");
    }
    let expired = writer.expire(25).expect("memory takes it");
    assert_eq!((expired.n_documents, expired.n_parts_dropped), (25, 2));
    assert_eq!(writer.snapshot().expect("it is whole").stats().parts.len(), 2);
    let names = disk.list().expect("it is in memory");
    assert_eq!(names.iter().filter(|name| name.starts_with("part-")).count(), 2);
    drop(writer);
    let snapshot = Snapshot::open(&disk).expect("it is whole");
    let times: Vec<_> =
        snapshot.ordinals().map(|o| snapshot.record(o).expect("it is whole").time).collect();
    assert_eq!(times, (25..40).map(Some).collect::<Vec<_>>());
    assert_eq!(check(&disk).expect("it is whole").problems, []);
}

#[test]
fn equal_operations_give_equal_bytes() {
    let files = || {
        let disk = Simulated::new();
        let mut pair = Pair::new(Arc::new(disk.clone()), 9, 10_000);
        for _ in 0..800 {
            pair.step(30);
        }
        let names = disk.list().expect("it is in memory");
        names.into_iter().map(|name| (disk.content(&name), name)).collect::<Vec<_>>()
    };
    assert_eq!(files(), files());
}

#[test]
fn one_document_replaced_often_takes_little_room_and_time() {
    let disk = Simulated::new();
    let mut writer = create(&disk, 50_000);
    put(&mut writer, 1, 20);
    for i in 0..20_000 {
        assert_eq!(
            put(&mut writer, 0, i),
            if i == 0 { PutOutcome::Added } else { PutOutcome::Replaced }
        );
        writer.commit().expect("memory takes it");
        if i % 1000 == 0 {
            assert_eq!(writer.snapshot().expect("it is whole").n_documents(), 2);
            writer.maintain().expect("memory takes it");
        }
    }
    writer.maintain().expect("memory takes it");
    assert!(disk.n_bytes() < 200_000, "{} bytes", disk.n_bytes());
    // All in one group, too.
    for i in 0..20_000 {
        put(&mut writer, 0, i);
    }
    writer.commit().expect("memory takes it");
    assert!(disk.n_bytes() < 200_000, "{} bytes", disk.n_bytes());
    assert_eq!(check(&disk).expect("it is whole").problems, []);
}

#[test]
fn a_log_of_many_small_groups_is_replayed() {
    let disk = Simulated::new();
    let mut writer = create(&disk, 1 << 30);
    for i in 0..30_000u64 {
        let put = Put { id: i.to_string(), methods: vec![None, None], ..Put::default() };
        writer.put(put).expect("memory takes it");
        writer.commit().expect("memory takes it");
        if i % 3 == 0 {
            assert_eq!(writer.snapshot().expect("it is whole").n_documents(), i as u32 + 1);
        }
    }
    assert!(writer.snapshot().expect("it is whole").stats().parts.len() < 20);
    drop(writer);
    assert_eq!(Snapshot::open(&disk).expect("it is whole").n_documents(), 30_000);
}

#[test]
fn long_ids_and_documents_come_back_and_longer_ones_are_refused() {
    let disk = Simulated::new();
    let mut writer = create(&disk, 1 << 20);
    let long = Put {
        id: "x".repeat(MOST_ID_BYTES),
        text: (0..3_000_000u32).flat_map(u32::to_le_bytes).collect(),
        record: vec![7; 100_000],
        methods: vec![None, None],
        ..Put::default()
    };
    let empty = Put { id: String::new(), methods: vec![None, None], ..Put::default() };
    for documents in [vec![long.clone(), empty.clone()], vec![empty, long.clone()]] {
        for document in &documents {
            writer.put(document.clone()).expect("memory takes it");
        }
        writer.merge_all().expect("memory takes it");
        for document in &documents {
            let snapshot = writer.snapshot().expect("it is whole");
            let ordinal = snapshot.ordinal_of(&document.id).expect("it is whole").expect("there");
            assert_eq!(snapshot.document(ordinal).expect("it is whole").text, document.text);
        }
        assert_eq!(check(&disk).expect("it is whole").problems, []);
    }
    let mut longer = long;
    longer.id.push('x');
    assert!(matches!(writer.put(longer), Err(Error::Invalid { .. })));
    let bad = |methods| Put { id: "bad".to_owned(), methods, ..Put::default() };
    let entry = |keys: Vec<(u64, u32)>, codes: Vec<u64>| {
        let entry = Entry { keys, codes, ..Entry::default() };
        Some(Kept { identity: None, entry: Some(entry) })
    };
    for methods in [
        vec![None],
        vec![None, entry(vec![(2, 0), (1, 0)], vec![])],
        vec![None, entry(vec![(2, 0), (2, 0)], vec![])],
        vec![entry(vec![], vec![5, 4]), None],
    ] {
        assert!(matches!(writer.put(bad(methods)), Err(Error::Invalid { .. })));
    }
    assert!(!writer.has_uncommitted());
}

#[test]
fn settings_methods_and_ordinals_that_are_not_there_are_refused() {
    let disk: Arc<dyn Disk> = Arc::new(Simulated::new());
    let many = Settings::new(serde_json::Value::Null, 65);
    assert!(matches!(Writer::create(disk.clone(), many), Err(Error::Invalid { .. })));
    let mut writer = Writer::create(disk, settings(1 << 20)).expect("it is empty");
    put(&mut writer, 1, 20);
    writer.commit().expect("memory takes it");
    let snapshot = writer.snapshot().expect("it is whole");
    assert!(matches!(snapshot.list(2, 1, &mut Vec::new()), Err(Error::Invalid { .. })));
    assert!(matches!(snapshot.facts(0, 1), Err(Error::Invalid { .. })));
    assert!(matches!(snapshot.document(u32::MAX), Err(Error::Invalid { .. })));
}

#[test]
fn attachments_change_with_the_documents_of_a_rebuild_and_stay_otherwise() {
    let disk = Simulated::new();
    let mut writer = create(&disk, 1 << 20);
    put(&mut writer, 1, 20);
    let attached = |snapshot: &Snapshot| dump(snapshot).expect("it is whole").attachments;
    let files = || disk.list().expect("in memory").into_iter().filter(|n| n.starts_with("att"));
    let mut rebuild = writer.rebuild(settings(1 << 20)).expect("memory takes it");
    rebuild.attach("a", |writer| writer.put(b"old")).expect("memory takes it");
    rebuild.attach("a", |writer| writer.put(b"one")).expect("memory takes it");
    rebuild.attach("b", |_| Ok(())).expect("memory takes it");
    rebuild.attach("c", |writer| writer.put(b"three")).expect("memory takes it");
    assert!(rebuild.detach("c") && !rebuild.detach("c"));
    assert_eq!(
        attached(&rebuild.snapshot().expect("it is whole")).len(),
        0,
        "until it is finished"
    );
    rebuild.finish().expect("memory takes it");
    let expected = [("a".to_owned(), b"one".to_vec()), ("b".to_owned(), Vec::new())].into();
    let first = writer.snapshot().expect("it is whole");
    assert_eq!(attached(&first), expected);
    assert_eq!(first.stats().attachments, [("a".to_owned(), 3), ("b".to_owned(), 0)].into());
    assert!(first.stats().sections.attachments > 100, "headers and names count");
    assert_eq!(files().count(), 2);
    assert!(first.attachment("c").is_none());

    // Whatever else is written leaves their files as they are.
    let names: Vec<String> = files().collect();
    for id in 2..9 {
        put(&mut writer, id, 20 + id);
        writer.flush().expect("memory takes it");
    }
    writer.merge_all().expect("memory takes it");
    drop(writer);
    let mut writer = Writer::open(Arc::new(disk.clone())).expect("it is whole");
    assert_eq!(files().collect::<Vec<_>>(), names);
    assert_eq!(attached(&Snapshot::open(&disk).expect("it is whole")), expected);

    // One that is not finished, and one that could not be written, leave nothing behind.
    let mut rebuild = writer.rebuild(settings(1 << 20)).expect("memory takes it");
    rebuild.attach("a", |writer| writer.put(b"two")).expect("memory takes it");
    let refused = rebuild.attach("b", |_| Err(Error::Invalid { what: "no value".to_owned() }));
    assert!(matches!(refused, Err(Error::Invalid { .. })));
    let long = "n".repeat(1025);
    assert!(matches!(rebuild.attach(&long, |_| Ok(())), Err(Error::Invalid { .. })));
    drop(rebuild);
    assert_eq!(files().collect::<Vec<_>>(), names);

    let mut rebuild = writer.rebuild(settings(1 << 20)).expect("memory takes it");
    rebuild.attach("a", |writer| writer.put(b"two")).expect("memory takes it");
    rebuild.detach("b");
    rebuild.finish().expect("memory takes it");
    assert_eq!(attached(&first), expected, "an old snapshot reads on");
    let expected = [("a".to_owned(), b"two".to_vec())].into();
    assert_eq!(attached(&writer.snapshot().expect("it is whole")), expected);
    assert_eq!(files().count(), 1);
    assert_eq!(check(&disk).expect("it can be read").problems, []);
}

#[test]
fn a_state_is_small() {
    let mut writer = create(&Simulated::new(), 1 << 20);
    writer.set_state("s", Some(&vec![1; 16 << 20])).expect("it is short enough");
    let refused = writer.set_state("s", Some(&vec![1; (16 << 20) + 1])).expect_err("too long");
    assert_eq!(
        refused.to_string(),
        "a state has at most 16777216 bytes, `s` has 16777217; larger values are attached"
    );
}

#[test]
fn a_full_disk_refuses_and_goes_on_when_there_is_space() {
    let disk = Simulated::new();
    let mut writer = create(&disk, 20_000);
    let mut model = Model::default();
    let (mut n_refused, mut is_full) = (0, false);
    for id in 0..600 {
        if id % 100 == 50 {
            is_full = true;
            disk.set_capacity(Some(disk.n_bytes() + 300 + id));
        }
        let document = document(id, id, Some(1));
        assert_eq!(writer.put(document.clone()).expect("a group is in memory"), PutOutcome::Added);
        model.put(document);
        match writer.commit() {
            Ok(_) => {}
            Err(error) => {
                assert!(error.is_no_space(), "{error}");
                n_refused += 1;
                let seen = writer.snapshot().expect("reads go on").n_documents() as usize;
                assert!(seen < model.docs.len());
                if n_refused % 10 == 0 {
                    disk.set_capacity(None);
                    is_full = false;
                    writer.commit().expect("there is space");
                }
            }
        }
    }
    assert!(n_refused > 20 && writer.poisoned().is_none());
    assert!(is_full || n_refused % 10 == 0 || writer.has_uncommitted());
    disk.set_capacity(None);
    writer.commit().expect("there is space");
    writer.maintain().expect("there is space");
    model.compare(&writer.snapshot().expect("it is whole"));
    assert_eq!(check(&disk).expect("it is whole").problems, []);
    drop(writer);
    model.compare(&Snapshot::open(&disk).expect("it is whole"));
}

#[test]
fn a_failed_sync_poisons_the_writer_and_reads_go_on() {
    let disk = Simulated::new();
    let mut writer = create(&disk, 1 << 20);
    put(&mut writer, 1, 20);
    writer.commit().expect("memory takes it");
    put(&mut writer, 2, 20);
    disk.fail_file_syncs(1);
    assert!(matches!(writer.commit(), Err(Error::Io { .. })));
    assert!(matches!(writer.commit(), Err(Error::Poisoned { .. })));
    assert!(matches!(writer.put(document(3, 3, None)), Err(Error::Poisoned { .. })));
    assert!(matches!(writer.remove("id 1"), Err(Error::Poisoned { .. })));
    assert!(matches!(writer.flush(), Err(Error::Poisoned { .. })));
    assert_eq!(writer.snapshot().expect("reads go on").n_documents(), 1);
    drop(writer);
    let after = disk.power_cut(Cut::LoseAll);
    let mut writer = Writer::open(Arc::new(after)).expect("it is whole");
    assert_eq!(writer.snapshot().expect("it is whole").n_documents(), 1);
}

/// Goes through all operations, with a check of what must be there after each commit.
fn scenario(disk: &Arc<dyn Disk>, done: &mut Vec<common::Dump>) -> Result<(), Error> {
    let note = |writer: &mut Writer, done: &mut Vec<common::Dump>| -> Result<(), Error> {
        done.push(dump(writer.snapshot()?.as_ref())?);
        Ok(())
    };
    let mut writer = match Writer::open(disk.clone()) {
        Err(Error::NotAnIndex) => Writer::create_with_id(disk.clone(), settings(1 << 20), 3)?,
        other => other?,
    };
    note(&mut writer, done)?;
    for part in 0..5u64 {
        for id in 0..4 {
            writer.put(document(part * 3 + id, 20 + id, Some((part * 3 + id).cast_signed())))?;
        }
        writer.set_state("part", Some(&[part as u8]))?;
        writer.commit()?;
        note(&mut writer, done)?;
        writer.flush()?;
    }
    writer.remove("id 7")?;
    writer.commit()?;
    note(&mut writer, done)?;
    writer.expire(3)?;
    note(&mut writer, done)?;
    if let Some(job) = writer.plan_merge() {
        let merged = job.run()?;
        writer.remove("id 8")?;
        writer.install(merged)?;
        writer.commit()?;
        note(&mut writer, done)?;
    }
    writer.expire(5)?;
    note(&mut writer, done)?;
    writer.put(document(50, 20, Some(60)))?;
    writer.purge(&["id 5"])?;
    note(&mut writer, done)?;
    let same = writer.settings().clone();
    let mut rebuild = writer.rebuild(same)?;
    rebuild.put(document(90, 1, None))?;
    rebuild.put(document(91, 20, None))?;
    rebuild.attach("one", |writer| writer.put(&[1; 900]))?;
    rebuild.attach("two", |writer| writer.put(&vec![2; 70_000]))?;
    rebuild.finish()?;
    note(&mut writer, done)?;
    writer.put(document(92, 21, None))?;
    writer.flush()?;
    note(&mut writer, done)?;
    let same = writer.settings().clone();
    let mut rebuild = writer.rebuild(same)?;
    rebuild.attach("one", |writer| writer.put(&[3; 400]))?;
    rebuild.detach("two");
    rebuild.set_state("part", None)?;
    rebuild.finish()?;
    note(&mut writer, done)?;
    Ok(())
}

#[test]
fn an_index_opens_at_a_commit_wherever_a_write_failed() {
    fail_each(&Call::WRITING);
}

#[test]
#[ignore = "takes minutes"]
fn an_index_opens_at_a_commit_wherever_a_call_failed() {
    fail_each(&Call::ALL);
}

fn shared(disk: &Faulty<Simulated>) -> Arc<dyn Disk> {
    Arc::new(disk.clone())
}

fn fail_each(calls: &[Call]) {
    let faulty = Faulty::new(Simulated::new());
    let mut all = Vec::new();
    scenario(&shared(&faulty), &mut all).expect("nothing fails");
    let steps = faulty.steps();
    let of_others = ["repair", "backup", "commit: before a piece", "open: an orphan"];
    for step in STEPS.iter().filter(|step| !of_others.iter().any(|other| step.starts_with(other))) {
        assert!(steps.contains_key(step) || step.starts_with("open"), "{step} is never reached");
    }
    let n_calls = faulty.n_calls(calls);
    for nth in 1..=n_calls {
        let simulated = Simulated::new();
        let faulty = Faulty::new(simulated.clone());
        let kind = FaultKind::Broken;
        faulty.fail(Fault { kind, calls: calls.to_vec(), nth, for_ever: true });
        let mut done = Vec::new();
        if scenario(&shared(&faulty), &mut done).is_ok() {
            continue;
        }
        for cut in [Cut::LoseAll, Cut::KeepAll, Cut::Random(nth), Cut::Random(nth + 1000)] {
            let after = simulated.power_cut(cut);
            let found = match Snapshot::open(&after) {
                Err(Error::NotAnIndex) if done.is_empty() => continue,
                other => dump(&other.expect("it opens")).expect("it is whole"),
            };
            let last = done.last();
            let next = all.get(done.len());
            assert!(
                Some(&found) == last || Some(&found) == next,
                "call {nth}: neither the last commit nor the next"
            );
            let mut writer = Writer::open(Arc::new(after.clone())).expect("it opens");
            assert_eq!(dump(&writer.snapshot().expect("whole")).expect("whole"), found);
            assert_eq!(check(&after).expect("it can be read").problems, []);
            put(&mut writer, 1000, 1);
            writer.flush().expect("memory takes it");
        }
    }
}

#[test]
fn readers_see_whole_groups_while_a_writer_and_a_merger_go_on() {
    let folder = tempfile::tempdir().expect("there is room");
    let disk: Arc<dyn Disk> = Arc::new(Folder::create(folder.path().join("index")).expect("room"));
    let mut writer = Writer::create(disk.clone(), settings(8000)).expect("it is empty");
    writer.set_state("n", Some(b"0")).expect("there is room");
    writer.commit().expect("there is room");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (mut last, mut n_opened) = (0, 0);
            while !is_over.load(Ordering::Relaxed) || n_opened < 3 {
                let snapshot = Snapshot::open(disk.as_ref()).expect("it is whole");
                let n = String::from_utf8_lossy(&snapshot.states()["n"]).into_owned();
                assert_eq!(n, snapshot.n_documents().to_string());
                assert!(snapshot.commit() >= last);
                last = snapshot.commit();
                dump(&snapshot).expect("it is whole");
                n_opened += 1;
            }
        });
        let mut merge = None;
        for group in 0..150 {
            for id in 0..6 {
                put(&mut writer, group * 5 % 97 + id, group);
            }
            writer.remove(&format!("id {}", group % 90)).expect("it is whole");
            let n = writer.n_documents().to_string();
            writer.set_state("n", Some(n.as_bytes())).expect("there is room");
            writer.commit().expect("there is room");
            if group % 20 == 0 {
                writer.flush().expect("there is room");
            }
            if merge.is_none() {
                merge = writer.plan_merge().map(|job| scope.spawn(|| job.run()));
            } else if group % 3 == 0
                && let Some(running) = merge.take()
            {
                let merged = running.join().expect("it does not panic").expect("it is whole");
                writer.install(merged).expect("there is room");
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_eq!(check(disk.as_ref()).expect("it is whole").problems, []);
}
