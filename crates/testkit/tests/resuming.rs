//! A run that was interrupted goes on, and comes to the same bytes as one that was not.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use retold::{
    Dedup, Error, Family, Files, Find, Job, Keep, Progress, Resources, Stage, Stop, Strike,
    StrikeSettings, StrikeTables, Tables,
};
use retold_testkit::corpus::{Writer, running};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Files with copies in them: one of several batches, one compressed, a table, small ones.
struct Input {
    folder: TempDir,
}

impl Input {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder for a test");
        let mut writer = Writer::new(11, 30_000);
        let originals: Vec<Vec<String>> = (0..60).map(|_| writer.text(400)).collect();
        let mut text = |n: usize| {
            let mut words = originals[n % originals.len()].clone();
            if n.is_multiple_of(3) {
                words = writer.text(400);
            }
            for _ in 0..n % 7 {
                let at = writer.below(words.len());
                words[at] = writer.word();
            }
            running(&words)
        };
        let mut lines = Vec::new();
        for n in 0..1_500 {
            lines.push(
                json!({ "id": format!("a{n}"), "text": text(n), "source": n % 4 }).to_string(),
            );
            if n % 500 == 7 {
                lines.push("broken".to_owned());
            }
        }
        let path = |name: &str| folder.path().join("in").join(name);
        fs::create_dir(folder.path().join("in")).expect("a folder for a test");
        fs::write(path("a.jsonl"), lines.join("\n")).expect("a file for a test");
        let packed: Vec<String> = (0..300)
            .map(|n| json!({ "id": format!("b{n}"), "text": text(n) }).to_string())
            .collect();
        let mut zstd = zstd::Encoder::new(Vec::new(), 1).expect("memory can be written");
        zstd.write_all(packed.join("\n").as_bytes()).expect("memory can be written");
        fs::write(path("b.jsonl.zst"), zstd.finish().expect("memory")).expect("a file for a test");
        for n in 0..40 {
            fs::write(path(&format!("c{n:02}.txt")), text(n)).expect("a file for a test");
        }
        let rows: Vec<String> = (0..50).map(|n| format!("d{n},\"{}\"\n", text(n))).collect();
        fs::write(path("d.csv"), format!("id,text\n{}", rows.concat())).expect("a file for a test");
        Self { folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("in")
    }
}

/// Which work is done.
#[derive(Clone, Copy, Debug)]
enum Work {
    Dedup,
    Find,
    Strike,
}

fn job() -> Job {
    Job::default().with_keep(Keep::First).with_no_page(true)
}

/// Does the work on a folder of files.
fn run(work: Work, input: &Path, output: &Path, resources: Resources) -> Result<(), Error> {
    let files = Files::new([input]);
    let resources = resources.threads(2);
    match work {
        Work::Dedup => Dedup::new(files)
            .job(job())
            .resources(resources)
            .run(&mut Tables::new(output))
            .map(drop),
        Work::Find => {
            Find::new(files).job(job()).resources(resources).run(&mut Tables::new(output)).map(drop)
        }
        Work::Strike => Strike::new(files)
            .settings(StrikeSettings { min_words: Some(30), ..StrikeSettings::default() })
            .job(job())
            .resources(resources)
            .run(&mut StrikeTables::new(output))
            .map(drop),
    }
}

/// Returns the files of a result by name; the manifest without what tells of the machine.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(&at).expect("a folder") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).expect("inside").to_string_lossy().into_owned();
            let mut bytes = fs::read(&path).expect("a file");
            if name == "manifest.json" {
                let mut manifest: Value = serde_json::from_slice(&bytes).expect("JSON");
                manifest.as_object_mut().expect("an object").remove("run");
                bytes = manifest.to_string().into_bytes();
            }
            files.insert(name, bytes);
        }
    }
    files
}

fn assert_same(one: &Path, other: &Path, what: &str) {
    let (one, other) = (files(one), files(other));
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&one), names(&other), "{what}");
    for (name, bytes) in &one {
        assert!(Some(bytes) == other.get(name), "{what}: {name} differs");
    }
}

/// Stops a run at its so many-th sign of life.
struct StopAt {
    left: AtomicU64,
    stop: Stop,
}

impl StopAt {
    fn sign(&self) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.stop.set();
        }
    }
}

impl Progress for StopAt {
    fn begin(&self, _: Stage, _: u64) {
        self.sign();
    }
    fn at(&self, _: u64, _: u64) {
        self.sign();
    }
}

/// Stops a run when it begins to copy: by then everything was written down.
struct StopAtCopy(Stop);

impl Progress for StopAtCopy {
    fn begin(&self, stage: Stage, _: u64) {
        if stage == Stage::Copy {
            self.0.set();
        }
    }
}

#[test]
fn a_run_that_is_stopped_again_and_again_comes_to_the_same_bytes() {
    let input = Input::new();
    for work in [Work::Dedup, Work::Find, Work::Strike] {
        let place = tempfile::tempdir().expect("a folder for a test");
        let (once, output) = (place.path().join("once"), place.path().join("out"));
        run(work, &input.path(), &once, Resources::new()).expect("a run");
        let resume = place.path().join("out.resume");
        let mut n_stopped = 0;
        for n_signs in 2.. {
            let stop = Stop::new();
            let progress = StopAt { left: AtomicU64::new(n_signs), stop: stop.clone() };
            let resources = Resources::new().stop(&stop).progress(progress).resume(&resume);
            match run(work, &input.path(), &output, resources) {
                Ok(()) => break,
                Err(error) => {
                    assert_eq!(error.family(), Family::Stopped, "{error}");
                    assert!(error.to_string().contains("out.resume"), "{error}");
                    assert!(resume.exists() && !output.exists());
                    n_stopped += 1;
                }
            }
        }
        assert!(n_stopped >= 4, "{work:?} was stopped {n_stopped} times");
        assert!(!resume.exists(), "{work:?}: the folder is gone with the run");
        assert_same(&once, &output, &format!("{work:?}"));
    }
}

#[test]
fn a_log_cut_or_spoilt_anywhere_comes_to_the_same_bytes() {
    let input = Input::new();
    let place = tempfile::tempdir().expect("a folder for a test");
    let once = place.path().join("once");
    run(Work::Dedup, &input.path(), &once, Resources::new()).expect("a run");
    // As a run leaves it that is killed while it copies.
    let whole = place.path().join("whole.resume");
    let stop = Stop::new();
    let resources = Resources::new().stop(&stop).progress(StopAtCopy(stop.clone())).resume(&whole);
    let stopped = run(Work::Dedup, &input.path(), &place.path().join("whole"), resources);
    assert_eq!(stopped.expect_err("it was stopped").family(), Family::Stopped);
    let log = fs::read(whole.join("log")).expect("a log");
    let n = log.len();
    let cuts = [0, 1, n / 5, n / 3, n / 2, n - n / 4, n - 40, n - 1, n];
    for (number, len) in cuts.into_iter().enumerate() {
        let resume = place.path().join(format!("{number}.resume"));
        fs::create_dir(&resume).expect("a folder for a test");
        fs::copy(whole.join("job.json"), resume.join("job.json")).expect("a file for a test");
        let mut left = log[..len].to_vec();
        match number % 3 {
            // The power went, and zeros stand where bytes were to be.
            1 => left.resize(len + 5_000, 0),
            // A bit is another one.
            2 => left[len / 2] ^= 4,
            _ => {}
        }
        fs::write(resume.join("log"), left).expect("a file for a test");
        let output = place.path().join(number.to_string());
        let resources = Resources::new().resume(&resume);
        run(Work::Dedup, &input.path(), &output, resources).expect("a run");
        assert_same(&once, &output, &format!("{len} of {n} bytes"));
        assert!(!resume.exists());
    }
}

/// Interrupts a run while it copies and returns its folder.
fn interrupted(input: &Input, place: &Path) -> PathBuf {
    let resume = place.join("out.resume");
    let stop = Stop::new();
    let resources = Resources::new().stop(&stop).progress(StopAtCopy(stop.clone())).resume(&resume);
    run(Work::Dedup, &input.path(), &place.join("out"), resources).expect_err("it was stopped");
    resume
}

#[test]
fn other_settings_and_changed_files_are_refused() {
    let input = Input::new();
    let place = tempfile::tempdir().expect("a folder for a test");
    let resume = interrupted(&input, place.path());
    let refused = |error: Result<(), Error>| {
        let error = error.expect_err("it is refused");
        assert_eq!(error.family(), Family::User);
        error.to_string()
    };
    let output = place.path().join("out");
    let other = Dedup::new(Files::new([input.path()]))
        .job(job().with_cover(0.9))
        .resources(Resources::new().resume(&resume))
        .run(&mut Tables::new(&output));
    let told = refused(other.map(drop));
    assert!(told.contains("other settings: cover was 0.8"), "{told}");
    let resources = || Resources::new().resume(&resume);
    let told = refused(run(Work::Find, &input.path(), &output, resources()));
    assert!(told.contains("another command: \"dedup\""), "{told}");
    fs::write(input.path().join("c07.txt"), "something else").expect("a file for a test");
    let told = refused(run(Work::Dedup, &input.path(), &output, resources()));
    assert!(told.contains("c07.txt\" has changed since it was begun"), "{told}");
    fs::write(input.path().join("0.txt"), "one more").expect("a file for a test");
    let told = refused(run(Work::Dedup, &input.path(), &output, resources()));
    assert!(told.contains("it was begun with"), "{told}");
    assert!(!output.exists());
}

/// Hears of the stages of a run.
struct Heard(std::sync::Mutex<Vec<Stage>>);

impl Progress for Heard {
    fn begin(&self, stage: Stage, _: u64) {
        self.0.lock().expect("one thread").push(stage);
    }
}

#[test]
fn what_was_read_is_not_read_again() {
    let input = Input::new();
    let place = tempfile::tempdir().expect("a folder for a test");
    let resume = interrupted(&input, place.path());
    // Nothing is parsed or searched: the documents are known, and what goes is decided.
    let heard = std::sync::Arc::new(Heard(std::sync::Mutex::default()));
    let resources = Resources::new().resume(&resume).progress(std::sync::Arc::clone(&heard));
    run(Work::Dedup, &input.path(), &place.path().join("out"), resources).expect("a run");
    let stages = heard.0.lock().expect("one thread").clone();
    assert_eq!(stages, [Stage::Read, Stage::Report, Stage::Copy]);
}
