//! Loads random postings into an index and looks keys up: time, bytes and how often they were
//! written.
//!
//! `load FOLDER [MILLIONS] [KEYS_PER_DOCUMENT] [DOCUMENTS_PER_COMMIT]`
#![expect(clippy::print_stdout, reason = "it shows what it measured")]

use std::sync::Arc;
use std::time::Instant;

use retold_core::candidates::stored::Entry;
use retold_core::hash::Random;
use retold_index::{Folder, Kept, Put, Settings, Snapshot, Writer, check};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("which folder?")?;
    let mut number = |default: usize| arguments.next().map_or(Ok(default), |text| text.parse());
    let (n_postings, per_document, per_commit) =
        (number(20)? * 1_000_000, number(100)?, number(1000)?);
    let disk = Arc::new(Folder::create(&folder)?);
    let mut random = Random::new(1);
    let mut writer = Writer::create(disk.clone(), Settings::new(serde_json::json!({}), 1))?;
    let n_documents = n_postings / per_document;
    let (mut keys_asked, start, cpu) = (Vec::new(), Instant::now(), cpu_seconds());
    for doc in 0..n_documents {
        let mut keys: Vec<(u64, u32)> =
            (0..per_document).map(|_| (random.next_u64() >> 24, 0)).collect();
        keys.sort_unstable();
        keys.dedup();
        if keys_asked.len() < 100_000 {
            keys_asked.push(keys[doc % keys.len()].0);
        }
        let entry = Entry { keys, ..Entry::default() };
        let identity = Some(u128::from(random.next_u64()) << 64);
        let kept = Kept { identity, entry: Some(entry) };
        let put = Put { id: doc.to_string(), methods: vec![Some(kept)], ..Put::default() };
        writer.put(put)?;
        if (doc + 1) % per_commit == 0 {
            writer.commit()?;
            while let Some(job) = writer.plan_merge() {
                writer.install(job.run()?)?;
            }
        }
    }
    writer.commit()?;
    println!(
        "loaded  {:6.2} s, {:6.2} s of CPU",
        start.elapsed().as_secs_f64(),
        cpu_seconds() - cpu
    );
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let stats = writer.snapshot()?.stats();
    println!(
        "snapshot {:5.2} s, {:6.2} s of CPU",
        start.elapsed().as_secs_f64(),
        cpu_seconds() - cpu
    );
    let (lists, n) = (stats.sections.lists as f64, stats.sections.n_postings as f64);
    println!("{} parts, {:.2} bytes a posting in lists", stats.parts.len(), lists / n);
    println!("{:?}", stats.sections);
    println!("{:?}, log {}", stats.written, stats.log_bytes);
    look_up(writer.snapshot()?.as_ref(), &keys_asked, "as it is")?;
    writer.flush()?;
    drop(writer);
    let start = Instant::now();
    let mut writer = Writer::open(disk.clone())?;
    println!("opened in {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
    let start = Instant::now();
    writer.merge_all()?;
    println!("merged all in {:.2} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    let snapshot = Snapshot::open(disk.as_ref())?;
    println!("snapshot opened in {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
    let sections = snapshot.stats().sections;
    let bytes = sections.lists as f64 / sections.n_postings as f64;
    println!("one part, {bytes:.2} bytes a posting in lists");
    look_up(&snapshot, &keys_asked, "one part")?;
    let start = Instant::now();
    let report = check(disk.as_ref())?;
    let mb = report.n_bytes as f64 / 1e6 / start.elapsed().as_secs_f64();
    println!("checked at {mb:.0} MB/s: {} problems", report.problems.len());
    Ok(())
}

fn look_up(snapshot: &Snapshot, keys: &[u64], what: &str) -> Result<(), retold_index::Error> {
    let n_parts = snapshot.stats().parts.len();
    for turn in ["first", "again"] {
        let (start, cpu, mut n, mut out) = (Instant::now(), cpu_seconds(), 0, Vec::new());
        for &key in keys {
            out.clear();
            snapshot.list(0, key, &mut out)?;
            n += out.len();
        }
        let each = start.elapsed().as_secs_f64() * 1e6 / keys.len() as f64;
        let of_part = (cpu_seconds() - cpu) * 1e6 / keys.len() as f64 / n_parts as f64;
        println!("look-up {what}, {turn}: {each:.2} µs, {of_part:.2} µs of CPU a part; {n} found");
    }
    Ok(())
}

fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}
