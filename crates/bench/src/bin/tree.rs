//! `tree [N | FILE...]`: how fast CoDet takes stories one by one, on one thread.
//!
//! Counts words, makes images, asks and inserts, and removes, each timed by itself, with words
//! sorted and not, in profile `retold` with θ = 0.3.
//! With a number, that many made-up stories of about 130 words, one in five an edited copy and one
//! in two with the same closing sentence (seed 3); else the documents of the files. Rates are by
//! time on the processor where the system tells it, so that other work on the machine counts little.
//!
//! ```text
//! cargo run --release -p retold-bench --bin tree -- 200000
//! ```

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use retold::Document;
use retold::core::candidates::Found;
use retold::core::document::Ordinal;
use retold::core::features::counts::Counts;
use retold::core::features::{Featurizer, TextSettings, Words};
use retold::core::methods::{Detector, Profile, make};
use retold::read::{ReadOptions, Reader, discover};
use retold_testkit::corpus::{Writer, running};
use serde_json::{Map, Value};

/// Time spent on the processor by the one thread there is, or else on the wall clock.
#[derive(Clone, Copy)]
struct Clock {
    wall: Instant,
    processor_ns: Option<u64>,
}

impl Clock {
    fn start() -> Self {
        Self { wall: Instant::now(), processor_ns: processor_ns() }
    }

    fn seconds(self) -> f64 {
        match (self.processor_ns, processor_ns()) {
            (Some(start), Some(now)) => (now - start) as f64 / 1e9,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// Linux keeps it for every thread.
fn processor_ns() -> Option<u64> {
    std::fs::read_to_string("/proc/self/schedstat").ok()?.split(' ').next()?.parse().ok()
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let documents = match arguments.as_slice() {
        [] => stories(100_000),
        [one] if one.parse::<usize>().is_ok() => stories(one.parse().map_err(io::Error::other)?),
        files => read(&files.iter().map(PathBuf::from).collect::<Vec<_>>())?,
    };
    let mut out = io::stdout().lock();
    let featurizer = Featurizer::new(TextSettings::default(), 1);
    let mut words = Words::default();
    let mut n_words = 0;
    let start = Clock::start();
    let mut counts = Counts::default();
    let codet = make_codet("idf")?;
    for document in &documents {
        featurizer.read(document, codet.places(), None, &mut words, |reading, _| {
            n_words += reading.words.hashes.len();
            let mut features = Vec::new();
            codet.count(reading, &mut |word| features.push(word));
            counts.add(features);
        });
    }
    let n = documents.len();
    let rate = |start: Clock| n as f64 / start.seconds();
    writeln!(out, "{n} documents of {} words", n_words / n.max(1))?;
    writeln!(out, "count       {:>9.0} documents/s", rate(start))?;
    for (name, order) in [("sorted", "idf"), ("as written", "text")] {
        let codet = make_codet(order)?;
        let start = Clock::start();
        let mut image = |document: &Document| {
            featurizer.read(document, codet.places(), Some(&counts), &mut words, |reading, _| {
                codet.image(reading).unwrap_or_default()
            })
        };
        let images: Vec<Box<[u8]>> = documents.iter().map(&mut image).collect();
        writeln!(out, "words {name}")?;
        writeln!(out, "  image     {:>9.0} documents/s", rate(start))?;
        // Documents without words have no image.
        let numbered = || (0..).map(Ordinal).zip(&images).filter(|(_, image)| !image.is_empty());
        let mut window = codet.window();
        let mut found = Found::default();
        let start = Clock::start();
        for (ordinal, image) in numbered() {
            window.ask(image, ordinal, &mut found)?;
            window.insert(ordinal, image)?;
        }
        let both = rate(start);
        let n_bytes = window.held_bytes();
        let start = Clock::start();
        for (ordinal, _) in numbered() {
            window.remove(ordinal)?;
        }
        writeln!(out, "  ask+insert{both:>9.0} documents/s")?;
        writeln!(out, "  remove    {:>9.0} documents/s", rate(start))?;
        writeln!(
            out,
            "  {} bytes a document, {:.2} similarity values a document, {} partners, {} lists cut",
            n_bytes / n.max(1),
            found.n_compared as f64 / n.max(1) as f64,
            found.partners.len(),
            found.cuts.n_stop_features,
        )?;
    }
    Ok(())
}

fn make_codet(order: &str) -> io::Result<Box<dyn Detector>> {
    let given = [("threshold", Value::from(0.3)), ("order", Value::from(order))];
    let given: Map<String, Value> =
        given.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    make("codet", Profile::Retold, &given, 1).map_err(io::Error::other)
}

fn stories(n: usize) -> Vec<Document> {
    let mut writer = Writer::new(3, 60_000);
    let closing = writer.text(12);
    let mut texts: Vec<Vec<String>> = Vec::with_capacity(n);
    for i in 0..n {
        let text = if i % 5 == 4 {
            let of = writer.below(i);
            let mut copy = texts[of].clone();
            for word in copy.iter_mut().step_by(40) {
                *word = writer.word();
            }
            copy
        } else {
            let length = 60 + writer.below(120);
            let mut text = writer.text(length / 12 * 12);
            if i % 2 == 0 {
                text.extend_from_slice(&closing);
            }
            text
        };
        texts.push(text);
    }
    let document = |(i, text): (usize, &Vec<String>)| Document::plain(i.to_string(), running(text));
    texts.iter().enumerate().map(document).collect()
}

fn read(paths: &[PathBuf]) -> io::Result<Vec<Document>> {
    let files = discover(paths).map_err(io::Error::other)?.files;
    let mut reader = Reader::new(files, ReadOptions::default());
    let mut documents = Vec::new();
    while let Some(batch) = reader.next_batch() {
        batch.parse(&mut |record| documents.extend(record.ok().map(|record| record.document)));
    }
    Ok(documents)
}
