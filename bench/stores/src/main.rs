//! The stored index of Retold beside LMDB and redb, on the same postings in one run.
//!
//! Every store gets the same random postings, a key of 40 bits and a document each, in batches of
//! documents that are durable before the next batch starts. Then keys are looked up, once to warm
//! up and once measured. A sum over all answers must be the same for all stores.

mod data;
mod ours;
mod trees;

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use data::{Data, Document};
use rustix::time::{ClockId, clock_gettime};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const USAGE: &str = "usage: retold-bench-stores [--postings 20000000] [--batch 100000] \
[--look-ups 100000] [--key-bits 40] [--stores retold,lmdb,lmdb-dup,redb,redb-multi] [--folder PATH]";

/// A store of postings.
trait Store {
    /// Stores some documents with their keys; they are durable afterwards.
    fn load(&mut self, batch: &[Document]) -> Result<()>;

    /// Does what is left to do when the last batch is in.
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    /// Calls `each` with every key and each document that has it.
    fn look_up(&mut self, keys: &[u64], each: &mut dyn FnMut(u64, u32)) -> Result<()>;
}

/// Opens a store in an empty folder.
fn open(name: &str, folder: &Path) -> Result<Box<dyn Store>> {
    Ok(match name {
        "retold" => Box::new(ours::Ours::create(folder)?),
        "lmdb" => Box::new(trees::Lmdb::create(folder)?),
        "lmdb-dup" => Box::new(trees::LmdbDuplicates::create(folder)?),
        "redb" => Box::new(trees::Redb::create(folder)?),
        "redb-multi" => Box::new(trees::RedbMulti::create(folder)?),
        other => return Err(format!("there is no store `{other}`\n{USAGE}").into()),
    })
}

/// CPU time of the process, and time on the wall.
#[derive(Clone, Copy, Default)]
struct Spent {
    cpu: Duration,
    wall: Duration,
}

impl Spent {
    /// Does something and adds what it takes.
    fn on<T>(&mut self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let (cpu, wall) = (cpu_time()?, Instant::now());
        let done = work()?;
        self.cpu += cpu_time()?.saturating_sub(cpu);
        self.wall += wall.elapsed();
        Ok(done)
    }
}

/// Returns the CPU time of the process, of all its threads, user and system.
fn cpu_time() -> Result<Duration> {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Ok(Duration::new(u64::try_from(now.tv_sec)?, u32::try_from(now.tv_nsec)?))
}

/// What was measured of one store.
struct Measured {
    name: String,
    load: Spent,
    bytes: u64,
    looked_up: Spent,
    /// Sum over all answers.
    sum: u64,
}

fn measure(name: &str, data: &Data, keys: &[u64], home: &Path) -> Result<Measured> {
    let folder = tempfile::tempdir_in(home)?;
    let mut store = open(name, folder.path())?;
    let mut load = Spent::default();
    for batch in data.batches() {
        load.on(|| store.load(&batch))?;
    }
    load.on(|| store.finish())?;
    let mut looked_up = Spent::default();
    let mut sum = 0;
    // The first time is to warm up.
    for _ in 0..2 {
        looked_up = Spent::default();
        sum = 0;
        let mut n = 0usize;
        looked_up.on(|| {
            store.look_up(keys, &mut |key, document| {
                n += 1;
                sum = data::add(sum, key, document);
            })
        })?;
        if n < keys.len() {
            return Err(format!("{name}: {n} answers to {} keys", keys.len()).into());
        }
    }
    drop(store);
    let bytes = bytes_of(folder.path())?;
    Ok(Measured { name: name.to_owned(), load, bytes, looked_up, sum })
}

/// Returns the bytes that the files of a folder take.
fn bytes_of(folder: &Path) -> Result<u64> {
    let mut n = 0;
    for entry in std::fs::read_dir(folder)? {
        n += entry?.metadata()?.len();
    }
    Ok(n)
}

fn main() -> Result<()> {
    let (mut n_postings, mut n_batch, mut n_look_ups, mut key_bits) =
        (20_000_000, 100_000, 100_000, 40);
    let mut stores = "retold,lmdb,lmdb-dup,redb,redb-multi".to_owned();
    let mut home = std::env::temp_dir();
    let mut args = std::env::args().skip(1);
    while let Some(name) = args.next() {
        let mut value = || args.next().ok_or(USAGE);
        match name.as_str() {
            "--postings" => n_postings = value()?.parse()?,
            "--batch" => n_batch = value()?.parse()?,
            "--look-ups" => n_look_ups = value()?.parse()?,
            "--key-bits" => key_bits = value()?.parse()?,
            "--stores" => stores = value()?,
            "--folder" => home = value()?.into(),
            _ => return Err(USAGE.into()),
        }
    }
    let data = Data::new(n_postings, n_batch, key_bits);
    let keys = data.some_keys(n_look_ups);
    let mut all: Vec<Measured> = Vec::new();
    for name in stores.split(',') {
        eprintln!("{name}");
        let measured = measure(name, &data, &keys, &home)?;
        if all.first().is_some_and(|first| first.sum != measured.sum) {
            return Err(format!("{name} gives other answers than {}", all[0].name).into());
        }
        all.push(measured);
    }
    print_table(&all, &data, keys.len());
    Ok(())
}

fn print_table(all: &[Measured], data: &Data, n_look_ups: usize) {
    let Some(first) = all.first() else { return };
    println!(
        "{} postings of {} documents in durable batches of {}, {n_look_ups} look-ups; ratios to {}\n",
        data.n_postings(),
        data.n_documents(),
        data.n_batch(),
        first.name
    );
    println!(
        "| store | load, CPU s | ratio | load, wall s | MB | ratio | bytes/posting \
         | look-ups, CPU s | ratio | look-ups, wall s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for it in all {
        let ratio = |a: Duration, b: Duration| a.as_secs_f64() / b.as_secs_f64();
        println!(
            "| {} | {:.2} | {:.2} | {:.1} | {:.1} | {:.2} | {:.2} | {:.3} | {:.2} | {:.3} |",
            it.name,
            it.load.cpu.as_secs_f64(),
            ratio(it.load.cpu, first.load.cpu),
            it.load.wall.as_secs_f64(),
            it.bytes as f64 / 1e6,
            it.bytes as f64 / first.bytes as f64,
            it.bytes as f64 / data.n_postings() as f64,
            it.looked_up.cpu.as_secs_f64(),
            ratio(it.looked_up.cpu, first.looked_up.cpu),
            it.looked_up.wall.as_secs_f64(),
        );
    }
}
