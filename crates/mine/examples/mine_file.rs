//! Mines a file and says how many sets there are, what they add up to, and how long it took.
//!
//! ```text
//! cargo run --release -p retold-mine --example mine_file -- fpmax maximal 85 context.dat
//! ```
//!
//! The file is in the text form of the FIMI workshops; reading it is not counted. The digest does
//! not depend on the order of the sets.

use std::error::Error;
use std::fs::{self, File};
use std::io::{Write, stdout};
use std::time::Instant;

use retold_mine::{MinSupport, Target, Task, find, mine, read};

/// Beyond this a miner stops; Apriori needs it.
const MOST_BYTES: usize = 8 << 30;

const USAGE: &str = "usage: mine_file ALGORITHM all|closed|maximal|cover SUPPORT FILE [MIN_SIZE]";

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [algorithm, target, support, path, min_size @ ..] = &args[..] else {
        return Err(USAGE.into());
    };
    let miner = find(algorithm).ok_or("no such algorithm")?;
    let target = match target.as_str() {
        "all" => Target::All,
        "closed" => Target::Closed,
        "maximal" => Target::Maximal,
        "cover" => Target::Cover,
        _ => return Err(USAGE.into()),
    };
    let named = read(File::open(path)?)?;
    let support = MinSupport::Absolute(support.parse()?);
    let mut task = Task::new(target, support.resolve(named.context.n_transactions())?);
    task.min_size = min_size.first().map_or(Ok(1), |size| size.parse())?;
    task.budget.bytes = Some(MOST_BYTES);

    let (cpu, wall) = (cpu_ns()?, Instant::now());
    let (mut digest, mut sum_of_supports) = (0u64, 0u64);
    let outcome = mine(miner, &named.context, &task, &mut |set, support| {
        let hash = set.iter().fold(u64::from(support), |hash, &item| {
            hash.wrapping_mul(0x100_0000_01b3) ^ named.name(item)
        });
        digest = digest.wrapping_add(hash.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        sum_of_supports += u64::from(support);
    });
    let (cpu, wall) = (cpu_ns()? - cpu, wall.elapsed());
    writeln!(
        stdout(),
        "{{\"sets\": {}, \"digest\": \"{digest:016x}\", \"supports\": {sum_of_supports}, \
         \"mining\": {:.3}, \"wall\": {:.3}, \"peak_mb\": {}, \"cut\": \"{}\"}}",
        outcome.n_sets,
        cpu as f64 / 1e9,
        wall.as_secs_f64(),
        peak_bytes()? / 1_000_000,
        outcome.cut.map_or("", |cut| cut.name()),
    )?;
    Ok(())
}

/// Returns the time all threads spent on a processor.
fn cpu_ns() -> Result<u64, Box<dyn Error>> {
    let mut sum = 0;
    for task in fs::read_dir("/proc/self/task")? {
        let stat = fs::read_to_string(task?.path().join("schedstat"))?;
        sum += stat.split(' ').next().ok_or("no time")?.parse::<u64>()?;
    }
    Ok(sum)
}

/// Returns the largest number of bytes this process had in memory.
fn peak_bytes() -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM")).ok_or("no peak")?;
    let kb: u64 = line.split_whitespace().nth(1).ok_or("no peak")?.parse()?;
    Ok(kb * 1024)
}
