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
//! An input that fails is kept in the temporary folder of the system and named.

mod mutator;

use std::env;
use std::fs;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use retold_core::clean::{Clean, Html, Text};
use retold_core::document::Span;
use retold_read::{CopyError, Limits, ReadOptions, Reader, copy_kept, discover};

use mutator::{Mutator, Seed};

/// Inputs of each format unless the environment says otherwise.
const N_INPUTS: u64 = 500;
/// An input that takes longer does not come to an end.
const HANGS_AFTER: Duration = Duration::from_mins(1);
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
    for format in formats() {
        let name = format.file_name().expect("a folder has a name").to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        let seeds = seeds(&format);
        assert!(!seeds.is_empty(), "{name} has no seeds");
        let dir = tempfile::tempdir().expect("a folder for a test");
        let start = Instant::now();
        let (mut done, mut documents, mut refused) = (0, 0, 0);
        let (mut slowest, mut largest) = (Duration::ZERO, 0);
        for input in 0..n_inputs {
            if seconds.is_some_and(|most| start.elapsed() >= most) {
                break;
            }
            let mutator = Mutator::new(seed, input);
            let (file, bytes) = mutator.make(&seeds);
            let tried = try_one(dir.path(), (&name, seed, input), &file, &bytes);
            done += 1;
            documents += tried.documents;
            refused += tried.refused;
            slowest = slowest.max(tried.time);
            largest = largest.max(tried.held_bytes);
        }
        let _ = writeln!(
            std::io::stderr(),
            "{name}: {done} inputs from seed {seed}, {documents} documents, {refused} refusals, \
             slowest {} ms, most {} KiB held, {:.1} s",
            slowest.as_millis(),
            largest >> 10,
            start.elapsed().as_secs_f64()
        );
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

fn try_one(dir: &Path, from: (&str, u64, u64), file: &str, bytes: &[u8]) -> Tried {
    let (format, seed, input) = from;
    let path = dir.join(file);
    fs::write(&path, bytes).expect("a file for a test");
    let fail = |why: &str| -> ! {
        let kept = env::temp_dir().join(format!("retold-mutated-{seed}-{input}-{file}"));
        let _ = fs::write(&kept, bytes);
        panic!("{format}, seed {seed}, input {input}: {why}; kept as {}", kept.display());
    };
    let (sender, receiver) = mpsc::channel();
    let copies = input.is_multiple_of(COPY_EVERY);
    let out = dir.join("out");
    let worker = std::thread::spawn(move || {
        let before = memory::reset();
        let start = memory::cpu_time();
        let tried = catch_unwind(AssertUnwindSafe(|| read(&path, copies.then_some(&*out))));
        let time = memory::cpu_time().saturating_sub(start);
        let held_bytes = memory::peak().saturating_sub(before);
        let _ = sender.send(tried.map(|tried| Tried { time, held_bytes, ..tried }));
    });
    let tried = match receiver.recv_timeout(HANGS_AFTER) {
        Err(_) => fail("it does not come to an end"),
        Ok(Err(_)) => fail("it panics"),
        Ok(Ok(tried)) => tried,
    };
    let _ = worker.join();
    let mib = (tried.bytes as f64) / f64::from(1 << 20);
    if tried.time.as_secs_f64() > 1.0 + mib {
        fail(&format!("it takes {:?} for {} bytes", tried.time, tried.bytes));
    }
    if tried.held_bytes > 8 * tried.bytes + (64 << 20) {
        fail(&format!("it holds {} bytes for {}", tried.held_bytes, tried.bytes));
    }
    tried
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
