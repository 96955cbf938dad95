//! The disk fails at one call, or at all from one on; or it is full.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use retold_index::{
    Error, Snapshot, Writer, check,
    disk::{Call, Cut, Disk, Fault, FaultKind, Faulty, Simulated},
};

use crate::{
    contents::Difference,
    is_long,
    model::{Hands, Model, which},
    say,
    script::{Op, operation},
};

/// What became of operations that met a fault.
#[derive(Debug, Default)]
struct Tally {
    n_runs: u64,
    n_errors: u64,
    n_retried: u64,
    n_poisoned: u64,
    by_error: BTreeMap<String, u64>,
}

/// Says what was being tried when a test panics.
struct Trying(String);

impl Drop for Trying {
    fn drop(&mut self) {
        if std::thread::panicking() {
            say(&format!("while trying {}", self.0));
        }
    }
}

/// An index on a disk that is about to fail, and what it should hold.
struct Run {
    disk: Arc<Faulty<Simulated>>,
    hands: Option<Hands>,
    model: Model,
    seed: u64,
    n_errors: u64,
    /// Whether an operation failed, with the error of the disk or because of an earlier one.
    is_told: bool,
    /// Whether the fault is that a file ends early, which is damage.
    ends_early: bool,
}

impl Run {
    fn new(seed: u64, simulated: Simulated) -> Self {
        let disk = Arc::new(Faulty::new(simulated));
        Self {
            disk,
            hands: None,
            model: Model::new(seed % 9),
            seed,
            n_errors: 0,
            is_told: false,
            ends_early: false,
        }
    }

    fn shared(&self) -> Arc<dyn Disk> {
        self.disk.clone()
    }

    /// Makes the index and does the operations. `heal` is called when the disk shall work again.
    fn go(&mut self, n_operations: u64, heal: &dyn Fn(), tally: &mut Tally) {
        tally.n_runs += 1;
        while self.hands.is_none() {
            match Hands::open_or_create(self.shared(), self.seed % 9) {
                Ok(hands) => self.hands = Some(hands),
                Err(error) => self.failed(&error, heal, tally),
            }
        }
        for number in 1..=n_operations {
            let op = operation(self.seed, number);
            self.act(&op, heal, tally);
        }
        self.finish();
    }

    fn failed(&mut self, error: &Error, heal: &dyn Fn(), tally: &mut Tally) {
        let name = format!("{error:?}");
        let name = name.split([' ', '{', '(']).next().unwrap_or_default().to_owned();
        let is_told = match name.as_str() {
            "Io" | "NoSpace" => true,
            "Damaged" => self.ends_early,
            _ => false,
        };
        assert!(is_told, "an error of the disk is told as {error:?}");
        *tally.by_error.entry(name).or_default() += 1;
        tally.n_errors += 1;
        self.n_errors += 1;
        self.is_told = true;
        assert!(self.n_errors < 50, "it fails though the disk works again: {error}");
        heal();
    }

    /// Does an operation: again if it fails, and with a new writer if the old one is poisoned.
    fn act(&mut self, op: &Op, heal: &dyn Fn(), tally: &mut Tally) {
        let hands = self.hands.as_mut().expect("it is open");
        let snapshot = match hands.writer().and_then(Writer::snapshot) {
            Ok(snapshot) => Some(snapshot),
            Err(error) => {
                self.failed(&error, &|| {}, tally);
                None
            }
        };
        let hands = self.hands.as_mut().expect("it is open");
        let Err(error) = hands.act(op, &self.model) else {
            self.model.done(op);
            self.is_told |= hands.writer().is_ok_and(|writer| writer.poisoned().is_some());
            return;
        };
        // A commit that is durable succeeds even if a flush after it poisons the writer.
        let mut is_poisoned = matches!(error, Error::Poisoned { .. });
        if !is_poisoned {
            self.failed(&error, &|| {}, tally);
        }
        // As long as the disk fails, nothing panics and nothing is acknowledged that is not there.
        for _ in 0..2 {
            match self.hands.as_mut().expect("it is open").act(op, &self.model) {
                Ok(()) => {
                    tally.n_retried += 1;
                    self.model.done(op);
                    return;
                }
                Err(Error::Poisoned { .. }) => is_poisoned = true,
                Err(error) => self.failed(&error, &|| {}, tally),
            }
        }
        heal();
        // What was committed can be read, from what was open and anew.
        if let Some(snapshot) = snapshot.as_deref() {
            same(self.model.committed.difference(snapshot), "an old snapshot");
        }
        drop(snapshot);
        let hands = self.hands.as_mut().expect("it is open");
        match hands.act(op, &self.model) {
            Ok(()) => {
                assert!(!is_poisoned, "it was poisoned and is not any more");
                tally.n_retried += 1;
                self.model.done(op);
            }
            Err(Error::Poisoned { .. }) => {
                tally.n_poisoned += 1;
                self.is_told = true;
                let writer = hands.writer().unwrap();
                assert!(matches!(writer.commit(), Err(Error::Poisoned { .. })));
                let snapshot = writer.snapshot().unwrap();
                let mut allowed = vec![self.model.committed.clone()];
                if !matches!(op, Op::Batch(_) | Op::Commit | Op::Wait(_)) {
                    allowed.extend(self.model.outcomes(op)); // it commits on the way
                }
                which(&snapshot, &allowed, "while poisoned");
                drop(snapshot);
                self.reopen(op);
                let hands = self.hands.as_mut().expect("it is open");
                hands.act(op, &self.model).unwrap();
                self.model.done(op);
            }
            Err(error) => panic!("{op:?} fails on a disk that works: {error}"),
        }
    }

    /// Opens anew after `op` failed, and learns whether it was done.
    fn reopen(&mut self, op: &Op) {
        self.hands = None;
        assert_eq!(self.disk.inner().n_open(), 0, "files are left open");
        let mut hands = Hands::open(self.shared()).unwrap();
        let snapshot = hands.writer().unwrap().snapshot().unwrap();
        let mut allowed = vec![self.model.committed.clone()];
        allowed.extend(self.model.outcomes(op));
        let found = which(&snapshot, &allowed, "opened anew");
        self.model.found(allowed.swap_remove(found));
        self.hands = Some(hands);
    }

    /// What was acknowledged is there, also if the power goes now, and nothing else is left.
    fn finish(&mut self) {
        let after = self.disk.inner().power_cut(Cut::LoseAll);
        self.hands = None;
        assert_eq!(self.disk.inner().n_open(), 0, "files are left open");
        for disk in [after, self.disk.inner().fork()] {
            let disk = Arc::new(disk);
            let mut hands = Hands::open(disk.clone()).unwrap();
            let snapshot = hands.writer().unwrap().snapshot().unwrap();
            same(self.model.committed.difference(&snapshot), "at the end");
            same(self.model.committed.difference_of_lists(&snapshot), "at the end");
            let report = check(&*disk).unwrap();
            assert!(report.is_sound(), "{report:?}");
            let names = disk.list().unwrap();
            let n_parts = names.iter().filter(|name| name.starts_with("part-")).count();
            let n_logs = names.iter().filter(|name| name.starts_with("log-")).count();
            assert_eq!((n_parts, n_logs), (n_on_disk(&snapshot), 1), "{names:?}");
            assert!(names.contains(&"manifest".to_owned()), "{names:?}");
            assert!(!names.contains(&"manifest.new".to_owned()), "{names:?}");
        }
    }
}

fn n_on_disk(snapshot: &Snapshot) -> usize {
    snapshot.stats().parts.iter().filter(|part| !part.is_in_memory).count()
}

fn same(difference: Option<Difference>, when: &str) {
    if let Some(difference) = difference {
        panic!("{when}: {difference:?}");
    }
}

/// Which of `n` calls to try: all in the long form, some otherwise, others for each `turn`.
fn chosen(n: u64, n_short: u64, turn: u64) -> Vec<u64> {
    let step = if is_long() { 1 } else { (n / n_short).max(1) };
    (1..=n).skip((turn % step) as usize).step_by(step as usize).collect()
}

fn n_operations() -> u64 {
    if is_long() { 60 } else { 30 }
}

fn say_tally(name: &str, tally: &Tally) {
    say(&format!("{name}: {tally:?}, 0 violations"));
}

#[test]
fn any_call_may_fail_once_or_for_ever() {
    let tally = Mutex::new(Tally::default());
    let mut turn = 0;
    let seed = 11;
    let mut counted = Run::new(seed, Simulated::new());
    counted.go(n_operations(), &|| {}, &mut Tally::default());
    for kind in FaultKind::ALL {
        let calls = match kind {
            FaultKind::ShortWrite => vec![Call::Append],
            FaultKind::ShortRead => vec![Call::Read],
            _ => Call::ALL.to_vec(),
        };
        if is_long() {
            let n_runs = tally.lock().unwrap().n_runs;
            say(&format!("n-th call fails: {kind:?} comes after {n_runs} runs"));
        }
        for for_ever in [false, true] {
            turn += 7;
            for nth in chosen(counted.disk.n_calls(&calls), 12, turn) {
                let _trying =
                    Trying(format!("{kind:?} at {nth}, for ever: {for_ever}, seed {seed}"));
                let mut run = Run::new(seed, Simulated::new());
                run.disk.fail(Fault { kind, calls: calls.clone(), nth, for_ever });
                run.ends_early = kind == FaultKind::ShortRead;
                let disk = run.disk.clone();
                run.go(n_operations(), &|| disk.heal(), &mut tally.lock().unwrap());
            }
        }
    }
    say_tally("n-th call fails", &tally.lock().unwrap());
}

#[test]
fn a_failed_sync_is_never_followed_by_a_false_acknowledgement() {
    let mut tally = Tally::default();
    let seed = 21;
    let n_syncs = {
        let mut counted = Run::new(seed, Simulated::new());
        counted.go(n_operations(), &|| {}, &mut Tally::default());
        counted.disk.n_calls(&[Call::SyncFile])
    };
    for nth in chosen(n_syncs, 60, 0) {
        let _trying = Trying(format!("sync {nth} of a file fails, and the next one lies"));
        let simulated = Simulated::new();
        let n_before = AtomicU64::new(0);
        simulated.watch(move |call, disk| {
            if call == Call::SyncFile && n_before.fetch_add(1, Ordering::SeqCst) + 1 == nth {
                disk.fail_file_syncs(1);
            }
        });
        let mut run = Run::new(seed, simulated);
        run.go(n_operations(), &|| {}, &mut tally);
        assert!(run.is_told, "the failure was not told");
    }
    say_tally("failed sync", &tally);
}

#[test]
fn a_failed_change_of_names_is_never_followed_by_a_false_acknowledgement() {
    let mut tally = Tally::default();
    let seed = 22;
    let calls = vec![Call::Rename, Call::SyncNames];
    let n_calls = {
        let mut counted = Run::new(seed, Simulated::new());
        counted.go(n_operations(), &|| {}, &mut Tally::default());
        counted.disk.n_calls(&calls)
    };
    for nth in chosen(n_calls, 60, 0) {
        let _trying = Trying(format!("rename or sync of names {nth} fails"));
        let mut run = Run::new(seed, Simulated::new());
        let kind = FaultKind::Broken;
        run.disk.fail(Fault { kind, calls: calls.clone(), nth, for_ever: false });
        run.go(n_operations(), &|| {}, &mut tally);
        assert!(run.is_told, "the failure was not told");
    }
    say_tally("failed change of names", &tally);
}

#[test]
fn a_full_disk_refuses_and_goes_on_when_there_is_space() {
    let mut tally = Tally::default();
    let seed = 31;
    let free: &[u64] = &[0, 1, 63, 500, 2000, 6000, 20_000];
    for at in chosen(n_operations(), 15, 0) {
        for &free in free {
            let _trying = Trying(format!("{free} bytes are free before operation {at}"));
            tally.n_runs += 1;
            let mut run = Run::new(seed, Simulated::new());
            run.hands = Some(Hands::create(run.shared(), seed % 9).unwrap());
            for number in 1..=n_operations() {
                let op = operation(seed, number);
                let simulated = run.disk.inner().clone();
                if number == at {
                    simulated.set_capacity(Some(simulated.n_bytes() + free));
                }
                let n_poisoned = tally.n_poisoned;
                run.act(&op, &|| simulated.set_capacity(None), &mut tally);
                if matches!(op, Op::Batch(_) | Op::Commit | Op::Wait(_)) {
                    assert_eq!(tally.n_poisoned, n_poisoned, "{op:?} must resume by itself");
                }
                if number == at {
                    let n_bytes = simulated.n_bytes();
                    simulated.set_capacity(None);
                    let other = Snapshot::open(&*run.disk).unwrap();
                    same(run.model.committed.difference(&other), "at the end");
                    assert!(n_bytes > 0);
                }
            }
            run.finish();
        }
    }
    assert!(tally.by_error.get("NoSpace").is_some_and(|&n| n > 0), "{tally:?}");
    say_tally("full disk", &tally);
}
