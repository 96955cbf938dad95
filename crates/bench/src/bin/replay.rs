//! `replay N FILE...`: prints N stories as JSON Lines, made of the documents of the files.
//!
//! Stories come one every 16 minutes, as those of Reuters-21578 do on average, round after round; in
//! each round three words in ten are other ones than in the round before. `--from TIME` says when the
//! first comes (seconds since 1970), `--step SECONDS` how far they are apart.

use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

use retold_core::hash::Random;
use retold_read::{ReadOptions, Reader, discover};

/// Seconds from one story to the next.
const STEP: usize = 960;
/// When the first story comes: in 1960, so that two million come before today.
const FROM: i64 = -315_619_200;
/// Words in a thousand that are replaced.
const REPLACED: usize = 300;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let n: usize = arguments.next().ok_or("how many stories?")?.parse()?;
    let (mut paths, mut from, mut step) = (Vec::new(), FROM, STEP);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--step" => step = arguments.next().ok_or("a number of seconds is missing")?.parse()?,
            "--from" => from = arguments.next().ok_or("a time is missing")?.parse()?,
            path => paths.push(PathBuf::from(path)),
        }
    }
    let mut texts: Vec<String> = Vec::new();
    let mut reader = Reader::new(discover(&paths)?.files, ReadOptions::default());
    while let Some(batch) = reader.next_batch() {
        batch.parse(&mut |record| texts.extend(record.map(|record| record.document.text)));
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut random = Random::new(1);
    for (number, seconds) in (0..n).zip((from..).step_by(step)) {
        let (round, at) = (number / texts.len(), number % texts.len());
        let mut text = String::with_capacity(texts[at].len() + 64);
        for word in texts[at].split(' ') {
            if !text.is_empty() {
                text.push(' ');
            }
            if round > 0 && random.below(1_000) < REPLACED {
                write!(text, "w{}", random.below(30_000))?;
            } else {
                text.push_str(word);
            }
        }
        let line = serde_json::json!({
            "id": format!("s{number}"),
            "time": seconds.to_string(),
            "source": format!("wire{}", number % 7),
            "text": text,
        });
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    Ok(())
}
