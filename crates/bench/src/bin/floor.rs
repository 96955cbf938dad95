//! `floor FILE...`: reads, parses, finds words, hashes every run of five; prints what it saw.

use std::io::Write;
use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let floor = retold_bench::floor(&paths);
    writeln!(
        std::io::stdout(),
        "{} documents, {} bytes, {} runs, sum {:016x}",
        floor.n_documents,
        floor.n_bytes,
        floor.n_runs,
        floor.sum
    )
}
