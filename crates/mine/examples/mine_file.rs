//! Mines a file in FIMI form and says what it took.
//!
//! ```text
//! cargo run --release -p retold-mine --example mine_file -- lcm maximal 90 FILE
//! ```
//!
//! Prints the algorithm, the target, the support, the number of sets, the sum of their supports,
//! a digest that does not depend on their order, and CPU seconds of all threads: for preparing
//! and mining together, as reading is the same for every algorithm. A file may be compressed
//! (`.zst`).

use std::error::Error;
use std::io::{Read, Write};
use std::path::Path;
use std::{env, fs, io};

use retold_mine::{MINERS, Target, Task, find, mine, read};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [algorithm, target, support, path] = &arguments[..] else {
        return Err("usage: mine_file ALGORITHM all|closed|maximal SUPPORT FILE".into());
    };
    let names: Vec<&str> = MINERS.iter().map(|miner| miner.spec().name).collect();
    let miner = find(algorithm).ok_or_else(|| format!("algorithms are {names:?}"))?;
    let target = match target.as_str() {
        "all" => Target::All,
        "closed" => Target::Closed,
        "maximal" => Target::Maximal,
        other => return Err(format!("targets are all, closed and maximal, got {other}").into()),
    };
    if !miner.spec().targets.contains(&target) {
        return Err(format!("{algorithm} does not find {target:?} sets").into());
    }
    let task = Task::new(target, support.parse()?);
    let named = read(&*bytes(path)?)?;

    let (mut n_sets, mut sum, mut digest) = (0u64, 0u64, 0u64);
    let before = cpu_seconds();
    let outcome = mine(miner, &named.context, &task, &mut |set, support| {
        n_sets += 1;
        sum += u64::from(support);
        let hash = set.iter().fold(u64::from(support), |hash, &item| mix(hash ^ u64::from(item)));
        digest = digest.wrapping_add(hash);
    });
    let seconds = cpu_seconds() - before;
    assert_eq!(outcome.n_sets, n_sets);
    writeln!(
        io::stdout(),
        "{algorithm}\t{target:?}\t{support}\t{n_sets} sets\tsupports {sum}\t{digest:016x}\t{seconds:.3} s"
    )?;
    Ok(())
}

fn bytes(path: &str) -> io::Result<Vec<u8>> {
    let file = fs::File::open(path)?;
    let mut bytes = Vec::new();
    if Path::new(path).extension().is_some_and(|extension| extension == "zst") {
        zstd::Decoder::new(file)?.read_to_end(&mut bytes)?;
    } else {
        io::BufReader::new(file).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Returns the time all threads of this process ran; 0 where the system does not tell.
fn cpu_seconds() -> f64 {
    let Ok(threads) = fs::read_dir("/proc/self/task") else { return 0.0 };
    let nanoseconds = |thread: io::Result<fs::DirEntry>| -> Option<f64> {
        let text = fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse().ok()
    };
    threads.filter_map(nanoseconds).sum::<f64>() / 1e9
}

fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
