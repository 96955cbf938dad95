//! How fast an index is checked: `cargo run --release --example check -- archive.idx`.

use std::time::Instant;

use retold_index::{Folder, check};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name the folder of an index")?;
    let disk = Folder::open(path)?;
    let start = Instant::now();
    let report = check(&disk)?;
    let seconds = start.elapsed().as_secs_f64();
    let megabytes = report.n_bytes as f64 / 1e6;
    println!("{} problems, {megabytes:.0} MB, {seconds:.2} s", report.problems.len());
    println!("{:.0} MB/s", megabytes / seconds);
    Ok(())
}
