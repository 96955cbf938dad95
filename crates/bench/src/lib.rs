//! What the benchmarks share: a corpus of made-up news and the floor.
//!
//! The floor is what no detector of this kind can go below: read the files, parse the records,
//! find the words, hash every run of five. Nothing is kept.

use std::path::PathBuf;

use retold::Document;
use retold_core::features::shingles::Shingles;
use retold_core::features::{Featurizer, Places, TextSettings, Words};
use retold_read::{ReadOptions, Reader, discover};
use retold_testkit::corpus::{Writer, running};

/// What the floor saw; the sum keeps the work from being optimised away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Floor {
    /// Documents read.
    pub n_documents: u64,
    /// Bytes of text read.
    pub n_bytes: u64,
    /// Runs hashed.
    pub n_runs: u64,
    /// Sum of all hashes.
    pub sum: u64,
}

impl Floor {
    /// Adds the words of a document.
    pub fn add(&mut self, document: &Document, featurizer: &Featurizer, words: &mut Words) {
        featurizer.read(document, Places::Dropped, None, words, |_, _| ());
        self.n_documents += 1;
        self.n_bytes += document.text.len() as u64;
        Shingles::new(5).each(&words.hashes, |hash| {
            self.n_runs += 1;
            self.sum = self.sum.wrapping_add(hash);
        });
    }
}

/// Reads, parses, finds words and hashes all runs of the files, on one thread.
pub fn floor(paths: &[PathBuf]) -> Floor {
    let files = discover(paths).expect("the files are there").files;
    let mut reader = Reader::new(files, ReadOptions::default());
    let featurizer = Featurizer::new(TextSettings::default(), 1);
    let mut floor = Floor::default();
    let mut words = Words::default();
    while let Some(batch) = reader.next_batch() {
        batch.parse(&mut |record| {
            if let Ok(record) = record {
                floor.add(&record.document, &featurizer, &mut words);
            }
        });
    }
    floor
}

/// Makes `n` texts of about 250 words, one in five an edited copy.
pub fn news(n: usize, seed: u64) -> Vec<Document> {
    let mut writer = Writer::new(seed, 30_000);
    with_copies(n, &mut writer, |_, writer| {
        let length = 100 + writer.below(300);
        writer.text(length)
    })
}

/// Makes `n` documents. One in five is a copy of an earlier one with a word in forty replaced; the
/// others have the words that `make` returns for their number.
pub fn with_copies(
    n: usize,
    writer: &mut Writer,
    mut make: impl FnMut(usize, &mut Writer) -> Vec<String>,
) -> Vec<Document> {
    let mut texts: Vec<Vec<String>> = Vec::with_capacity(n);
    for i in 0..n {
        let text = if i % 5 == 4 {
            let mut copy = texts[writer.below(i)].clone();
            for word in copy.iter_mut().step_by(40) {
                *word = writer.word();
            }
            copy
        } else {
            make(i, writer)
        };
        texts.push(text);
    }
    let document =
        |(i, words): (usize, &Vec<String>)| Document::plain(i.to_string(), running(words));
    texts.iter().enumerate().map(document).collect()
}
