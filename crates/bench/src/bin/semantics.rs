//! `semantics KIND N FILE`: writes N made-up documents as JSON Lines for the hard collections.
//!
//! Kinds: `news` (one in five an edited copy of an earlier one), `distinct` (about 250 words each),
//! `copies` (one text N times), `one-word` (one text N times, each with another word in one place),
//! `footer` (distinct texts that share a footer of 200 words; every hundredth has an edited copy).

use std::fs::File;
use std::io::{self, BufWriter, Write};

use retold_testkit::corpus::{Writer, running};

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, n, path] = arguments.as_slice() else {
        return Err(io::Error::other(
            "usage: semantics news|distinct|copies|one-word|footer N FILE",
        ));
    };
    let n: usize = n.parse().map_err(io::Error::other)?;
    let mut out = BufWriter::new(File::create(path)?);
    if kind == "news" {
        for document in retold_bench::news(n, 3) {
            let text = document.text.replace('\n', "\\n");
            writeln!(out, r#"{{"id":"{}","text":"{text}"}}"#, document.id)?;
        }
        return out.flush();
    }
    let mut writer = Writer::new(3, 30_000);
    let footer = writer.text(200);
    let one = writer.text(250);
    let mut last = one.clone();
    for i in 0..n {
        let words = match kind.as_str() {
            "copies" => one.clone(),
            "one-word" => {
                let mut text = one.clone();
                let place = i * 37 % text.len();
                text[place] = format!("changed{i}");
                text
            }
            "footer" if i % 100 == 1 => {
                let mut copy = last.clone();
                "edited".clone_into(&mut copy[20]);
                copy
            }
            "footer" => {
                let mut text = writer.text(250);
                text.extend_from_slice(&footer);
                text
            }
            _ => writer.text(250),
        };
        // Words are plain letters: the only escapes are line ends.
        let text = running(&words).replace('\n', "\\n");
        writeln!(out, r#"{{"id":"{i}","text":"{text}"}}"#)?;
        last = words;
    }
    out.flush()
}
