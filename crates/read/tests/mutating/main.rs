//! Files that were whole once and then changed at random: read or refused, never worse.
//!
//! Every folder of `seeds` is a format; a new one needs files there and nothing else, as PDF will.
//! An input is a seed after some changes, all drawn from one number, so that the number makes it
//! again. It must not panic, not take more than 1 s and 1 s for each MiB, and not hold more than
//! 8 times its bytes and 64 MiB. Bytes are counted as they are read, decompressed.
//!
//! ```text
//! cargo test -p retold-read --test mutating                             # short, as in `./test`
//! RETOLD_MUTATIONS=100000 cargo test --release -p retold-read --test mutating -- --nocapture
//! RETOLD_MUTATION_SECONDS=3600 …                                        # an hour a format
//! RETOLD_MUTATION_SEED=7 …                                              # other inputs
//! RETOLD_MUTATION_FORMAT=parquet …                                      # one format
//! ```
//!
//! An input that fails is kept in the temporary folder of the system and named; the others of its format are tried all
//! the same, up to ten of that kind. One that ends the process as a whole (no memory, no stack) is left in the folder
//! that `TMPDIR` names.

mod mutator;

use std::env;
use std::fmt;
use std::fs;
use std::io::Write as _;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use retold_core::clean::{Clean, Html, Text};
use retold_core::document::Span;
use retold_read::{CopyError, Limits, ReadOptions, Reader, copy_kept, discover};

use mutator::{Mutator, Seed};

/// Inputs of each format unless the environment says otherwise.
const N_INPUTS: u64 = 500;
/// An input that takes longer does not come to an end, however busy the machine.
const HANGS_AFTER: Duration = Duration::from_mins(5);
/// After so many harmful inputs the rest of a format is not tried.
const MOST_HARM: usize = 10;
/// Inputs that one thread tries one after another.
const GROUP: u64 = 64;
/// One input in so many is copied as well, as `dedup` does.
const COPY_EVERY: u64 = 8;

#[test]
fn changed_files_are_read_or_refused() {
    let number = |name: &str| env::var(name).ok().map(|value| value.parse::<u64>().expect(name));
    let seed = number("RETOLD_MUTATION_SEED").unwrap_or(1);
    let seconds = number("RETOLD_MUTATION_SECONDS").map(Duration::from_secs);
    let n_inputs = match seconds {
        Some(_) => u64::MAX,
        None => number("RETOLD_MUTATIONS").unwrap_or(N_INPUTS),
    };
    let only = env::var("RETOLD_MUTATION_FORMAT").ok();
    let mut harm = Vec::new();
    for format in formats() {
        let name = format.file_name().expect("a folder has a name").to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        let seeds = seeds(&format);
        assert!(!seeds.is_empty(), "{name} has no seeds");
        let dir = tempfile::tempdir().expect("a folder for a test");
        let maker = Maker { dir: dir.path().to_owned(), seed, seeds: seeds.into() };
        let start = Instant::now();
        let mut counts = Counts::default();
        let mut next = 0;
        while next < n_inputs
            && harm.len() < MOST_HARM
            && counts.hangs == 0
            && seconds.is_none_or(|most| start.elapsed() < most)
        {
            let group = next..(next + GROUP).min(n_inputs);
            next = group.end;
            for (input, tried) in try_group(&maker, group) {
                counts.n_inputs += 1;
                match tried {
                    Ok(tried) => counts.add(&tried),
                    Err((kind, why)) => {
                        *counts.of(kind) += 1;
                        let kept = maker.keep(input);
                        let why = format!(
                            "{name}, seed {seed}, input {input}: {why}; kept as {}",
                            kept.display()
                        );
                        let _ = writeln!(std::io::stderr(), "{why}");
                        harm.push(why);
                    }
                }
            }
        }
        let _ = writeln!(
            std::io::stderr(),
            "{name}: seed {seed}, {counts}, {:.1} s",
            start.elapsed().as_secs_f64()
        );
    }
    assert!(harm.is_empty(), "{}", harm.join("\n"));
}

/// Why an input does harm.
#[derive(Clone, Copy, Debug)]
enum Harm {
    Panic,
    Hang,
    Excess,
}

/// What came of the inputs of a format.
#[derive(Debug, Default)]
struct Counts {
    n_inputs: u64,
    /// Files with a document at least.
    n_read: u64,
    /// Files without one.
    n_refused: u64,
    n_documents: u64,
    n_bad: u64,
    panics: u64,
    hangs: u64,
    excess: u64,
    slowest: Duration,
    largest: u64,
}

impl Counts {
    fn add(&mut self, tried: &Tried) {
        *(if tried.documents > 0 { &mut self.n_read } else { &mut self.n_refused }) += 1;
        self.n_documents += tried.documents;
        self.n_bad += tried.refused;
        self.slowest = self.slowest.max(tried.time);
        self.largest = self.largest.max(tried.held_bytes);
    }

    fn of(&mut self, harm: Harm) -> &mut u64 {
        match harm {
            Harm::Panic => &mut self.panics,
            Harm::Hang => &mut self.hangs,
            Harm::Excess => &mut self.excess,
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            n_inputs,
            n_read,
            n_refused,
            n_documents,
            n_bad,
            panics,
            hangs,
            excess,
            slowest,
            largest,
        } = self;
        write!(
            f,
            "{n_inputs} inputs, {n_read} read, {n_refused} refused, {n_documents} documents, {n_bad} bad records, \
             {panics} panics, {hangs} hangs, {excess} excess, slowest {} ms, most {} KiB held",
            slowest.as_millis(),
            largest >> 10
        )
    }
}

fn formats() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mutating/seeds");
    sorted(&folder).into_iter().filter(|path| path.is_dir()).collect()
}

fn seeds(format: &Path) -> Vec<Seed> {
    sorted(format)
        .iter()
        .map(|path| Seed {
            name: path.file_name().expect("a file has a name").to_string_lossy().into_owned(),
            bytes: fs::read(path).expect("a seed can be read"),
        })
        .collect()
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("an entry can be read").path()).collect();
    paths.retain(|path| {
        !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
    });
    paths.sort();
    paths
}

/// What came of an input.
#[derive(Debug, Default)]
struct Tried {
    documents: u64,
    refused: u64,
    /// Bytes of texts, and of the file.
    bytes: u64,
    time: Duration,
    held_bytes: u64,
}

/// Makes inputs and the files that hold them.
#[derive(Clone)]
struct Maker {
    dir: PathBuf,
    seed: u64,
    seeds: Arc<[Seed]>,
}

impl Maker {
    /// Reads an input, and copies some of them.
    fn try_input(&self, input: u64) -> Tried {
        let (file, bytes) = Mutator::new(self.seed, input).make(&self.seeds);
        let path = self.dir.join(file);
        fs::write(&path, bytes).expect("a file for a test");
        let out = self.dir.join("out");
        let tried = read(&path, input.is_multiple_of(COPY_EVERY).then_some(&*out));
        let _ = fs::remove_file(path);
        tried
    }

    /// Keeps an input that does harm.
    fn keep(&self, input: u64) -> PathBuf {
        let (file, bytes) = Mutator::new(self.seed, input).make(&self.seeds);
        let kept = env::temp_dir().join(format!("retold-mutated-{}-{input}-{file}", self.seed));
        let _ = fs::write(&kept, bytes);
        kept
    }
}

type Outcome = Result<Tried, (Harm, String)>;

/// Tries some inputs one after another. One that took long by the clock, and all of them if memory grew, are tried
/// again by themselves: that measures processor time and memory.
fn try_group(maker: &Maker, inputs: Range<u64>) -> Vec<(u64, Outcome)> {
    let at = Arc::new(AtomicU64::new(inputs.start));
    let (sender, receiver) = mpsc::channel();
    let worker = {
        let (maker, inputs, at) = (maker.clone(), inputs.clone(), Arc::clone(&at));
        std::thread::spawn(move || {
            let before = memory::reset();
            for input in inputs {
                at.store(input, Ordering::Relaxed);
                let start = Instant::now();
                let tried = catch_unwind(AssertUnwindSafe(|| maker.try_input(input)));
                let time = start.elapsed();
                let _ = sender.send((input, tried.map(|tried| Tried { time, ..tried })));
            }
            memory::peak().saturating_sub(before)
        })
    };
    let mut outcomes = Vec::new();
    for _ in inputs {
        match receiver.recv_timeout(HANGS_AFTER) {
            Ok((input, Ok(tried))) => outcomes.push((input, Ok(tried))),
            Ok((input, Err(_))) => outcomes.push((input, Err(panicked()))),
            Err(_) => {
                let why = "it does not come to an end".to_owned();
                outcomes.push((at.load(Ordering::Relaxed), Err((Harm::Hang, why))));
                return outcomes;
            }
        }
    }
    let held_bytes = worker.join().expect("panics were caught");
    for (input, outcome) in &mut outcomes {
        let Ok(tried) = outcome else { continue };
        tried.held_bytes = held_bytes;
        if tried.time > Duration::from_secs(1) || held_bytes > 64 << 20 {
            *outcome = try_alone(maker, *input);
        }
    }
    outcomes
}

fn panicked() -> (Harm, String) {
    (Harm::Panic, "it panics".to_owned())
}

fn try_alone(maker: &Maker, input: u64) -> Outcome {
    let maker = maker.clone();
    let worker = std::thread::spawn(move || {
        let before = memory::reset();
        let start = memory::cpu_time();
        let tried = maker.try_input(input);
        let time = memory::cpu_time().saturating_sub(start);
        Tried { time, held_bytes: memory::peak().saturating_sub(before), ..tried }
    });
    let tried = worker.join().map_err(|_| panicked())?;
    let mib = (tried.bytes as f64) / f64::from(1 << 20);
    let why = if tried.time.as_secs_f64() > 1.0 + mib {
        format!("it takes {:?} for {} bytes", tried.time, tried.bytes)
    } else if tried.held_bytes > 8 * tried.bytes + (64 << 20) {
        format!("it holds {} bytes for {}", tried.held_bytes, tried.bytes)
    } else {
        return Ok(tried);
    };
    Err((Harm::Excess, why))
}

/// Reads a file, and copies it if there is a folder for that.
fn read(path: &Path, out: Option<&Path>) -> Tried {
    // Small limits are reached by small files.
    let limits = Limits { document_bytes: 1 << 20, line_bytes: 1 << 20, ..Limits::default() };
    let options = ReadOptions { limits, ..ReadOptions::default() };
    let found = discover(&[path.to_owned()]).expect("the file is there");
    let mut tried = Tried { bytes: found.files[0].bytes, ..Tried::default() };
    let mut reader = Reader::new(found.files.clone(), options.clone());
    while let Some(batch) = reader.next_batch() {
        batch.parse(&mut |record| match record {
            Ok(record) => {
                tried.documents += 1;
                for html in [Html::Text, Html::Main] {
                    let clean = Clean { html, ..Clean::default() };
                    let text = Text::of(&record.document, clean);
                    let all = Span::new(0, text.as_str().len() as u32);
                    let found = text.original(all).of(&record.document.text);
                    assert!(found.is_some(), "places are on borders of characters");
                }
                tried.bytes += record.document.text.len() as u64;
            }
            Err(_) => tried.refused += 1,
        });
    }
    if let Some(out) = out {
        let copied = copy_kept(&found.files, &[], &options, out, &|_, _| true, &|_| {});
        let _ = fs::remove_dir_all(out);
        // Columns that are not read may be broken, and then cannot be copied.
        let has_columns = path.extension().is_some_and(|ending| ending == "parquet");
        match copied {
            Err(CopyError::Unreadable { .. }) if has_columns => {}
            Err(error) => panic!("what was read cannot be written: {error}"),
            Ok(copied) => {
                let kept = copied[0].kept;
                assert_eq!(kept, tried.documents, "documents are copied as they are read");
            }
        }
    }
    tried
}

/// Memory of the process and processor time of the thread, where the system reports them.
mod memory {
    use std::fs;
    use std::time::Duration;

    /// Resets the peak and returns the resident memory in bytes, or 0 if it is not reported.
    pub(crate) fn reset() -> u64 {
        let _ = fs::write("/proc/self/clear_refs", "5");
        field("VmRSS:")
    }

    pub(crate) fn peak() -> u64 {
        field("VmHWM:")
    }

    fn field(name: &str) -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let value = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        value.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) * 1024
    }

    /// Returns the time this thread has run: a busy machine does not count.
    pub(crate) fn cpu_time() -> Duration {
        let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        let nanoseconds = stat.split_whitespace().next().and_then(|first| first.parse().ok());
        Duration::from_nanos(nanoseconds.unwrap_or(0))
    }
}
