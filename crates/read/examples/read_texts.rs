//! Prints the documents of files as JSON Lines, their texts cleaned; refusals go to standard error.
//!
//! ```text
//! cargo run --release -p retold-read --example read_texts -- [--main | --keep] PATH...
//! ```

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use retold_core::clean::{Clean, Html, Text};
use retold_read::{ReadOptions, Reader, discover};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut html = Html::Text;
    let mut paths = Vec::new();
    for argument in std::env::args_os().skip(1) {
        match argument.to_str() {
            Some("--main") => html = Html::Main,
            Some("--keep") => html = Html::Keep,
            _ => paths.push(PathBuf::from(argument)),
        }
    }
    let found = discover(&paths)?;
    let names: Vec<String> = found.files.iter().map(|file| file.name.clone()).collect();
    let mut reader = Reader::new(found.files, ReadOptions::default());
    let mut out = BufWriter::new(io::stdout().lock());
    let mut errors = io::stderr().lock();
    while let Some(batch) = reader.next_batch() {
        let mut failed = Ok(());
        batch.parse(&mut |record| {
            let written = match record {
                Err(bad) => writeln!(errors, "{bad}"),
                Ok(record) => {
                    let text = Text::of(&record.document, Clean { html, ..Clean::default() });
                    let document = &record.document;
                    let line = serde_json::json!({
                        "file": names[record.place.file as usize],
                        "id": document.id,
                        "title": document.title,
                        "time": document.time,
                        "source": document.source,
                        "url": document.url,
                        "language": document.language,
                        "markup": document.markup,
                        "text": text.as_str(),
                    });
                    writeln!(out, "{line}")
                }
            };
            if failed.is_ok() {
                failed = written;
            }
        });
        failed?;
    }
    Ok(out.flush()?)
}
