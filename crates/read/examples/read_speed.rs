//! Reads files on one thread and says how fast: `cargo run --release --example read_speed -- FILE`.

use std::path::PathBuf;
use std::time::Instant;

use retold_read::{ReadOptions, Reader, discover};

#[expect(clippy::print_stdout, reason = "the figure is what the example is for")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    for _ in 0..3 {
        let start = Instant::now();
        let mut reader = Reader::new(discover(&paths)?.files, ReadOptions::default());
        let (mut n_docs, mut n_bad, mut text_bytes) = (0_u64, 0_u64, 0);
        while let Some(batch) = reader.next_batch() {
            batch.parse(&mut |record| match record {
                Ok(record) => {
                    n_docs += 1;
                    text_bytes += record.document.text.len();
                }
                Err(_) => n_bad += 1,
            });
        }
        let seconds = start.elapsed().as_secs_f64();
        let speed = reader.bytes_read() as f64 / 1e6 / seconds;
        println!(
            "{n_docs} documents, {n_bad} bad, {text_bytes} bytes of text, {seconds:.3} s, {speed:.0} MB/s"
        );
    }
    Ok(())
}
