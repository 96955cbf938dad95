//! The writing process is killed.
//!
//! A child, this very program, works on a real folder and says `ack` behind each operation. The
//! parent kills it, or lets it kill itself at a named step, opens the index and compares it with
//! what was acknowledged. The operations follow from a seed, so that only the parent needs to keep
//! what is expected.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use retold_index::{
    Error, STEPS, Snapshot, backup, check,
    disk::{Disk, Faulty, Folder},
    repair,
};

use crate::{
    Dice, is_long,
    model::{Hands, Model, which},
    say,
    script::{Op, operation},
};

/// Where the child learns what to do.
const TASK: &str = "RETOLD_SURVIVAL_TASK";

/// Not a test: what the child does when this program is started as one.
#[test]
fn child() {
    let Some(task) = std::env::var_os(TASK) else { return };
    let task = task.into_string().expect("the parent wrote it");
    let mut fields = task.split('|');
    let mut next = || fields.next().expect("the parent wrote it").to_owned();
    let path = next();
    let [seed, first, last, hit] = [(); 4].map(|()| next().parse::<u64>().expect("a number"));
    let step = next();
    let generation: u64 = next().parse().expect("a number");
    let to = next();
    let disk = Faulty::new(Folder::open(path).unwrap());
    if hit > 0 {
        disk.kill_at(&step, hit);
    }
    let disk: Arc<dyn Disk> = Arc::new(disk);
    if to == "repair" {
        repair(&disk).unwrap();
        return acknowledge("end");
    }
    if !to.is_empty() {
        let target = Faulty::new(Folder::open(to).unwrap());
        target.kill_at(&step, hit);
        backup(&*disk, &target).unwrap();
        return acknowledge("end");
    }
    let mut hands = Hands::open_or_create(disk, generation).unwrap();
    acknowledge("open");
    // The child needs of the model only what a rebuild puts.
    let snapshot = hands.writer().unwrap().snapshot().unwrap();
    let mut model = Model::read(&snapshot);
    drop(snapshot);
    for number in first..=last {
        let op = operation(seed, number);
        hands.act(&op, &model).unwrap();
        model.done(&op);
        acknowledge(&format!("ack {number}"));
    }
    drop(hands);
    acknowledge("end");
}

/// Starts a child.
fn start(task: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kill::child", "--nocapture", "--test-threads=1"])
        .env(TASK, task)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Starts a child and waits for its end. Returns whether it was killed.
fn is_killed(task: &str) -> bool {
    let output = start(task).wait_with_output().unwrap();
    let signal = std::os::unix::process::ExitStatusExt::signal(&output.status);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(signal == Some(9) || output.status.success(), "{task}: {complaint}");
    signal == Some(9)
}

/// Tells the parent. Not by `println`, which the test harness would keep.
fn acknowledge(line: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush()).unwrap();
}

/// What the parent knows of an index that is killed again and again.
struct Victim {
    home: tempfile::TempDir,
    seed: u64,
    model: Option<Model>,
    next: u64,
    tally: Tally,
}

#[derive(Debug, Default)]
struct Tally {
    n_kills: u64,
    n_ended: u64,
    n_acknowledged: u64,
    n_in_flight_kept: u64,
    by_step: BTreeMap<String, u64>,
}

/// When the child dies.
enum Death {
    AtStep(&'static str, u64),
    After(Duration),
}

impl Victim {
    fn new(seed: u64) -> Self {
        let home = tempfile::tempdir().unwrap();
        Self { home, seed, model: None, next: 1, tally: Tally::default() }
    }

    fn start_child(&self, death: &Death, n_operations: u64) -> Child {
        let (step, hit) = match death {
            Death::AtStep(step, hit) => (*step, *hit),
            Death::After(_) => ("", 0),
        };
        let path = self.home.path().to_str().expect("a plain path");
        let (seed, first) = (self.seed, self.next);
        let last = first + n_operations - 1;
        let task = format!("{path}|{seed}|{first}|{last}|{hit}|{step}|{}|", seed % 9);
        start(&task)
    }

    /// Lets a child work until it dies, then opens the index and compares.
    fn kill(&mut self, death: &Death, n_operations: u64) {
        let was_open = self.kill_unseen(death, n_operations);
        let what = match death {
            Death::AtStep(step, hit) => format!("killed at {step}, hit {hit}"),
            Death::After(time) => format!("killed after {time:?}"),
        };
        self.compare(&what, was_open);
    }

    /// Lets a child work until it dies. Returns whether it had opened the index.
    fn kill_unseen(&mut self, death: &Death, n_operations: u64) -> bool {
        let mut child = self.start_child(death, n_operations);
        if let Death::After(time) = death {
            std::thread::sleep(*time);
            child.kill().unwrap();
        }
        let mut is_open = false;
        let mut is_killed = true;
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            let line = line.unwrap();
            // The harness writes the name of the test before what the test writes.
            if line.ends_with("open") {
                is_open = true;
                let generation = self.seed % 9;
                self.model.get_or_insert_with(|| Model::new(generation));
            } else if let Some(number) = line.strip_prefix("ack ") {
                assert_eq!(number, self.next.to_string(), "acknowledged in order");
                let op = operation(self.seed, self.next);
                self.model.as_mut().expect("it is open").done(&op);
                self.next += 1;
                self.tally.n_acknowledged += 1;
            } else if line == "end" {
                is_killed = false;
            }
        }
        let mut complaint = String::new();
        std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut complaint).unwrap();
        let status = child.wait().unwrap();
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        assert!(
            signal == Some(9) || status.success(),
            "seed {}: the child failed by itself at operation {}: {complaint}",
            self.seed,
            self.next
        );
        if let (Death::AtStep(step, _), true) = (death, is_killed) {
            *self.tally.by_step.entry((*step).to_owned()).or_default() += 1;
        }
        *(if is_killed { &mut self.tally.n_kills } else { &mut self.tally.n_ended }) += 1;
        is_open
    }

    /// Opens the index as the next process would and compares.
    fn compare(&mut self, what: &str, was_open: bool) {
        let (seed, next) = (self.seed, self.next);
        let what = format!("seed {seed}, {next} operations begun, {what}");
        let disk: Arc<dyn Disk> = Arc::new(Folder::open(self.home.path()).unwrap());
        let read = Snapshot::open(&*disk);
        let mut hands = match Hands::open(disk.clone()) {
            Err(Error::NotAnIndex) if self.model.is_none() => return,
            opened => opened.unwrap_or_else(|error| panic!("{what}: cannot open it: {error}")),
        };
        let snapshot = hands.writer().unwrap().snapshot().unwrap();
        let generation = seed % 9;
        let model = self.model.get_or_insert_with(|| Model::new(generation));
        // Operations that were not acknowledged: the one in progress, if the child came that far.
        let mut allowed = vec![model.committed.clone()];
        if was_open {
            allowed.extend(model.outcomes(&operation(seed, next)));
        }
        let found = which(&snapshot, &allowed, &what);
        self.tally.n_in_flight_kept += u64::from(found > 0);
        let found = allowed.swap_remove(found);
        let read = read.unwrap_or_else(|error| panic!("{what}: a reader cannot open it: {error}"));
        if let Some(difference) = found.difference(&read) {
            panic!("{what}: a reader before recovery: {difference:?}");
        }
        if let Some(difference) = found.difference_of_lists(&snapshot) {
            panic!("{what}: {difference:?}");
        }
        let report = check(&*disk).unwrap_or_else(|error| panic!("{what}: check: {error}"));
        assert!(report.is_sound(), "{what}: {report:?}");
        model.found(found);
        // The next child goes on behind the operation that was in progress.
        self.next += u64::from(was_open);
    }
}

fn report(name: &str, tallies: &[Tally]) {
    let sum = |of: fn(&Tally) -> u64| tallies.iter().map(of).sum::<u64>();
    say(&format!(
        "{name}: {} kills, {} children ended before, {} operations acknowledged, {} in flight \
         kept, 0 violations",
        sum(|tally| tally.n_kills),
        sum(|tally| tally.n_ended),
        sum(|tally| tally.n_acknowledged),
        sum(|tally| tally.n_in_flight_kept),
    ));
    let mut by_step: BTreeMap<&str, u64> = BTreeMap::new();
    for (step, n) in tallies.iter().flat_map(|tally| &tally.by_step) {
        *by_step.entry(step).or_default() += n;
    }
    for (step, n) in &by_step {
        say(&format!("{name}: {n} at {step}"));
    }
}

/// Runs victims side by side, each with its share of the work.
fn in_threads(n_threads: u64, work: impl Fn(u64) -> Tally + Sync) -> Vec<Tally> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads)
            .map(|i| {
                scope.spawn({
                    let work = &work;
                    move || work(i)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no violation")).collect()
    })
}

#[test]
fn a_kill_at_any_moment_loses_nothing_acknowledged() {
    let (n_victims, n_kills, most_ms) = if is_long() { (40, 60, 300) } else { (2, 12, 60) };
    let tallies = in_threads(2, |thread| {
        let mut tally = Tally::default();
        for victim in 0..n_victims / 2 {
            let seed = 100 + victim * 2 + thread;
            let mut dice = Dice(seed);
            let mut victim = Victim::new(seed);
            for _ in 0..n_kills {
                let time = Duration::from_millis(1 + dice.below(most_ms));
                victim.kill(&Death::After(time), u64::MAX >> 8);
            }
            tally.add(victim.tally);
        }
        tally
    });
    report("kill at random", &tallies);
}

#[test]
fn a_kill_at_any_named_step_loses_nothing_acknowledged() {
    let (n_hits, n_rounds) = if is_long() { (5, 32) } else { (1, 1) };
    let tallies = in_threads(2, |thread| {
        let mut tally = Tally::default();
        for round in 0..n_rounds {
            let mut victim = Victim::new(1000 + round * 2 + thread);
            for hit in 1..=n_hits {
                let steps = STEPS.iter().filter(|step| !is_apart(step));
                for step in steps.skip(thread as usize).step_by(2) {
                    if is_of_creation(step) {
                        let mut young = Victim::new(2000 + round * 10 + hit);
                        young.kill(&Death::AtStep(step, hit), 20);
                        young.kill(&Death::After(Duration::from_millis(30)), 20);
                        tally.add(young.tally);
                    } else {
                        victim.kill(&Death::AtStep(step, hit), 150);
                    }
                }
            }
            tally.add(victim.tally);
            if is_long() {
                say(&format!("kill at steps: round {round}, {} kills so far", tally.n_kills));
            }
        }
        tally
    });
    report("kill at steps", &tallies);
}

/// Repair and backup have tests of their own.
fn is_apart(step: &str) -> bool {
    step.starts_with("repair") || step.starts_with("backup")
}

fn is_of_creation(step: &str) -> bool {
    step.starts_with("creat")
}

/// Makes an index with several parts and a log, and returns what it holds.
fn made(path: &Path, seed: u64) -> Model {
    let mut hands = Hands::create(Arc::new(Folder::create(path).unwrap()), 2).unwrap();
    let mut model = Model::new(2);
    let ops = (1..).map(|number| operation(seed, number));
    for (i, op) in ops.filter(|op| matches!(op, Op::Batch(_))).take(9).enumerate() {
        hands.act(&op, &model).unwrap();
        model.done(&op);
        if i % 3 == 1 {
            hands.act(&Op::Flush, &model).unwrap();
        }
    }
    model
}

#[test]
fn a_killed_repair_can_be_repeated() {
    let mut tally = Tally::default();
    for (seed, step) in (0..).zip(STEPS.iter().filter(|step| step.starts_with("repair"))) {
        let home = tempfile::tempdir().unwrap();
        let model = made(home.path(), seed);
        let disk: Arc<dyn Disk> = Arc::new(Folder::open(home.path()).unwrap());
        let names = disk.list().unwrap();
        let part = names.iter().find(|name| name.starts_with("part-")).expect("there are parts");
        let mut content = std::fs::read(home.path().join(part)).unwrap();
        let middle = content.len() / 2;
        content[middle] ^= 1;
        std::fs::write(home.path().join(part), content).unwrap();
        let path = home.path().display();
        assert!(is_killed(&format!("{path}|0|0|0|1|{step}|0|repair")), "{step} was not reached");
        tally.n_kills += 1;
        *tally.by_step.entry((*step).to_owned()).or_default() += 1;
        repair(&disk).unwrap_or_else(|error| panic!("killed at {step}: {error}"));
        let report = check(&*disk).unwrap();
        assert!(report.is_sound(), "killed at {step}: {report:?}");
        let snapshot = Snapshot::open(&*disk).unwrap();
        let n_lost = model.committed.n_documents() - snapshot.n_documents() as usize;
        assert!(n_lost < model.committed.n_documents(), "killed at {step}: all is lost");
        for ordinal in snapshot.ordinals() {
            let stored = snapshot.document(ordinal).unwrap();
            let mut same = model.committed.documents().filter(|put| put.id == stored.id);
            assert!(same.any(|put| put.text == stored.text), "killed at {step}: {}", stored.id);
        }
    }
    report("kill in repair", &[tally]);
}

#[test]
fn a_killed_backup_is_whole_or_is_none() {
    let mut tally = Tally::default();
    let steps = STEPS.iter().filter(|step| step.starts_with("backup") || step.starts_with("mani"));
    for (seed, step) in (0..).zip(steps) {
        let (home, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let model = made(home.path(), seed);
        let (from, to) = (home.path().display(), target.path().display());
        if !is_killed(&format!("{from}|0|0|0|1|{step}|0|{to}")) {
            continue;
        }
        tally.n_kills += 1;
        *tally.by_step.entry((*step).to_owned()).or_default() += 1;
        let disk = Folder::open(home.path()).unwrap();
        let copy = Folder::open(target.path()).unwrap();
        let what = format!("killed at {step}");
        match Snapshot::open(&copy) {
            Err(Error::NotAnIndex) => {
                backup(&disk, &copy).unwrap_or_else(|error| panic!("{what}: {error}"));
            }
            opened => drop(opened.unwrap_or_else(|error| panic!("{what}: {error}"))),
        }
        let expected = [model.committed];
        which(&Snapshot::open(&copy).unwrap(), &expected, &what);
        which(&Snapshot::open(&disk).unwrap(), &expected, &what);
        assert!(check(&copy).unwrap().is_sound(), "{what}");
    }
    assert!(tally.n_kills > 2);
    report("kill in backup", &[tally]);
}

#[test]
fn recovery_may_be_killed_again_and_again() {
    let n_victims = if is_long() { 10 } else { 1 };
    let steps: Vec<&'static str> =
        STEPS.iter().copied().filter(|step| step.starts_with("open:")).collect();
    assert!(!steps.is_empty());
    let mut tallies = Vec::new();
    for seed in 0..n_victims {
        let mut dice = Dice(seed);
        let mut victim = Victim::new(3000 + seed);
        let time = Duration::from_millis(40 + dice.below(60));
        let was_open = victim.kill_unseen(&Death::After(time), u64::MAX >> 8);
        for _ in 0..20 {
            let step = steps[dice.below(steps.len() as u64) as usize];
            victim.kill_unseen(&Death::AtStep(step, 1), 0);
        }
        victim.compare("killed 20 times in recovery", was_open);
        tallies.push(victim.tally);
    }
    report("kill in recovery", &tallies);
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.n_kills += other.n_kills;
        self.n_ended += other.n_ended;
        self.n_acknowledged += other.n_acknowledged;
        self.n_in_flight_kept += other.n_in_flight_kept;
        for (step, n) in other.by_step {
            *self.by_step.entry(step).or_default() += n;
        }
    }
}
