//! The power goes at every write.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use retold_index::{
    Error, Snapshot, check,
    disk::{Call, Cut, Disk, Simulated},
};

use crate::{
    Dice, is_long,
    model::{Expected, Hands, Model, which},
    say,
    script::{Change, Op, operation},
};

/// What was tried.
#[derive(Debug, Default)]
struct Tally {
    n_writes: u64,
    n_states: u64,
    n_in_recovery: u64,
    n_full: u64,
    /// States by which of the allowed contents was found: 0 is the last acknowledged one.
    found: BTreeMap<usize, u64>,
}

/// How thoroughly to try.
#[derive(Clone, Copy)]
struct Effort {
    n_operations: u64,
    n_random: u64,
    /// All subsets are tried of so many unsynced things.
    most_things: usize,
    /// One in so many states is cut again while it recovers.
    recovery: u64,
}

struct Trial {
    seed: u64,
    dice: Dice,
    tally: Tally,
    effort: Effort,
}

/// The disk as it was before each write, with the write.
type Moments = Arc<Mutex<Vec<(Call, Simulated)>>>;

fn watched(disk: &Simulated) -> Moments {
    let moments = Moments::default();
    let of_watcher = moments.clone();
    disk.watch(move |call, disk| of_watcher.lock().unwrap().push((call, unlimited(disk))));
    moments
}

fn unlimited(disk: &Simulated) -> Simulated {
    let disk = disk.fork();
    disk.set_capacity(None);
    disk
}

impl Trial {
    fn run(&mut self) {
        let disk = Simulated::new();
        let moments = watched(&disk);
        let generation = self.seed % 9;
        let mut model = Model::new(generation);
        let mut hands = Hands::create(Arc::new(disk.clone()), generation).unwrap();
        self.cut_all(&moments, &disk, &[model.committed.clone()], true, "create");
        for number in 1..=self.effort.n_operations {
            let op = operation(self.seed, number);
            let before = model.committed.clone();
            let mut allowed = vec![before];
            allowed.extend(model.outcomes(&op));
            // At times the disk is full, so that something is taken back and done again.
            if self.dice.below(4) == 0 {
                disk.set_capacity(Some(disk.n_bytes() + self.dice.below(3000)));
            }
            let mut outcome = hands.act(&op, &model);
            disk.set_capacity(None);
            if matches!(outcome, Err(Error::NoSpace { .. })) {
                outcome = hands.act(&op, &model);
                self.tally.n_full += 1;
            }
            if matches!(outcome, Err(Error::Poisoned { .. })) {
                hands.act(&Op::Reopen, &model).unwrap();
                let snapshot = hands.writer().unwrap().snapshot().unwrap();
                let found = which(&snapshot, &allowed, "poisoned and opened");
                model.found(allowed[found].clone());
                allowed.extend(model.outcomes(&op));
                outcome = hands.act(&op, &model);
            }
            outcome.unwrap_or_else(|error| panic!("{op:?}: {error}"));
            model.done(&op);
            if number.is_multiple_of(100) {
                let (seed, n_states) = (self.seed, self.tally.n_states);
                say(&format!("power: seed {seed}, {number} operations, {n_states} states so far"));
            }
            let what = format!("seed {} operation {number} {op:?}", self.seed);
            self.cut_all(&moments, &disk, &allowed, false, &what);
            if matches!(op, Op::Purge(_)) {
                let after = disk.power_cut(Cut::LoseAll).list().unwrap();
                assert_eq!(after, disk.list().unwrap(), "{what}: purged files may come back");
            }
            // It was acknowledged: nothing of it can go any more.
            let acknowledged = [model.committed.clone()];
            for cut in [Cut::LoseAll, Cut::Random(self.dice.number())] {
                self.try_state(
                    &disk.power_cut(cut),
                    &acknowledged,
                    false,
                    &format!("{what} ended"),
                    0,
                );
            }
        }
    }

    /// Cuts the power at each of the moments, in several ways.
    fn cut_all(
        &mut self,
        moments: &Moments,
        disk: &Simulated,
        allowed: &[Expected],
        may_be_none: bool,
        what: &str,
    ) {
        let mut moments: Vec<(Call, Simulated)> = std::mem::take(&mut *moments.lock().unwrap());
        moments.push((Call::Len, unlimited(disk)));
        for (at, (call, disk)) in moments.iter().enumerate() {
            self.tally.n_writes += 1;
            let n_things = disk.n_unsynced();
            let mut cuts = vec![Cut::LoseAll, Cut::KeepAll];
            if n_things <= self.effort.most_things {
                cuts.extend((1..(1 << n_things) - 1).map(Cut::Subset));
            }
            cuts.extend((0..self.effort.n_random).map(|_| Cut::Random(self.dice.number())));
            for cut in cuts {
                let what = format!("{what}, before write {at} ({call:?}), {cut:?}");
                self.try_state(&disk.power_cut(cut), allowed, may_be_none, &what, 0);
            }
            // The process alone dies, and the power goes after it was started again.
            let what = format!("{what}, before write {at} ({call:?}), killed");
            let disk = disk.fork();
            let Some(found) = self.try_state(&disk, allowed, may_be_none, &what, 0) else {
                continue;
            };
            let after = disk.power_cut(Cut::LoseAll);
            self.try_state(&after, &[found], false, &format!("{what}, opened, power cut"), 0);
        }
    }

    /// Opens a disk as it was found and compares. Returns what it holds; `None` if it is not yet
    /// an index, as it may be while it is made.
    fn try_state(
        &mut self,
        disk: &Simulated,
        allowed: &[Expected],
        may_be_none: bool,
        what: &str,
        depth: u64,
    ) -> Option<Expected> {
        self.tally.n_states += 1;
        let shared: Arc<dyn Disk> = Arc::new(disk.clone());
        // A reader does not wait for recovery, and changes nothing.
        let read = match Snapshot::open(&*shared) {
            Ok(snapshot) => Some(which(&snapshot, allowed, what)),
            Err(Error::NotAnIndex) if may_be_none => None,
            Err(error) => panic!("{what}: a reader cannot open it: {error}"),
        };
        let before = disk.fork();
        let is_durable = disk.n_unsynced() == 0;
        let is_deep = depth < 3 && self.dice.below(self.effort.recovery) == 0;
        let moments = if is_deep { watched(disk) } else { Moments::default() };
        let opened = Hands::open(shared.clone());
        let mut hands = match opened {
            Err(Error::NotAnIndex) if may_be_none && read.is_none() => {
                let generation = allowed[0].generation;
                Hands::create(shared.clone(), generation)
                    .unwrap_or_else(|error| panic!("{what}: cannot be made again: {error}"));
                return None;
            }
            opened => {
                opened.unwrap_or_else(|error| panic!("{what}: cannot open it: {error}\n{before:?}"))
            }
        };
        let writer = hands.writer().unwrap();
        let snapshot = writer.snapshot().unwrap();
        let found = which(&snapshot, allowed, what);
        assert!(
            read.is_none_or(|read| read == found),
            "{what}: the reader saw {read:?}, not {found}"
        );
        *self.tally.found.entry(found).or_default() += 1;
        let found = allowed[found].clone();
        if self.dice.below(4) == 0
            && let Some(difference) = found.difference_of_lists(&snapshot)
        {
            panic!("{what}: {difference:?}");
        }
        let report = check(&*shared).unwrap_or_else(|error| panic!("{what}: check: {error}"));
        assert!(report.is_sound(), "{what}: {report:?}");
        // It can be written to.
        if self.dice.below(16) == 0 {
            let mut model = Model::new(found.generation);
            model.found(found.clone());
            let op = Op::Batch(vec![
                Change::Put { id: 1, version: self.tally.n_states },
                Change::State { name: "after", value: Some(vec![1]) },
            ]);
            let other = Arc::new(disk.fork());
            let mut hands = Hands::open(other.clone()).unwrap();
            hands.act(&op, &model).unwrap_or_else(|error| panic!("{what}: cannot go on: {error}"));
            model.done(&op);
            let snapshot = Snapshot::open(&other.power_cut(Cut::LoseAll)).unwrap();
            which(&snapshot, &[model.committed], &format!("{what}, went on"));
        }
        if is_deep {
            let moments: Vec<(Call, Simulated)> = std::mem::take(&mut *moments.lock().unwrap());
            // What was on the disk stays, and recovers to the same.
            let same = [found.clone()];
            let allowed = if is_durable { &same } else { allowed };
            for (at, (call, disk)) in moments.iter().enumerate() {
                self.tally.n_in_recovery += 1;
                let cut = Cut::Random(self.dice.number());
                let what = format!("{what}, recovery before write {at} ({call:?}), {cut:?}");
                self.try_state(&disk.power_cut(cut), allowed, false, &what, depth + 1);
            }
        }
        // Opened once more there is nothing left to repair.
        drop((hands, snapshot));
        Some(found)
    }
}

#[test]
fn the_power_may_go_at_any_write() {
    let effort = if is_long() {
        Effort { n_operations: 1000, n_random: 2, most_things: 3, recovery: 30 }
    } else {
        Effort { n_operations: 30, n_random: 2, most_things: 1, recovery: 40 }
    };
    let seeds: &[u64] = if is_long() { &[1, 2] } else { &[1, 3] };
    let trials: Vec<Tally> = std::thread::scope(|scope| {
        let start = |&seed: &u64| {
            let dice = Dice(seed);
            let mut trial = Trial { seed, dice, tally: Tally::default(), effort };
            scope.spawn(move || {
                trial.run();
                trial.tally
            })
        };
        let threads: Vec<_> = seeds.iter().map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("no violation")).collect()
    });
    let sum = |of: fn(&Tally) -> u64| trials.iter().map(of).sum::<u64>();
    let found: Vec<_> = trials.iter().map(|tally| &tally.found).collect();
    say(&format!(
        "power: {} writes, {} states, {} of them cut in recovery, {} times full, found {found:?}, 0 violations",
        sum(|tally| tally.n_writes),
        sum(|tally| tally.n_states),
        sum(|tally| tally.n_in_recovery),
        sum(|tally| tally.n_full),
    ));
    assert!(sum(|tally| tally.n_states) > 1000);
}
