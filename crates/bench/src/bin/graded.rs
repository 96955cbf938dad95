//! `graded DATA`: do the shares of `compare` follow how much people copied?
//!
//! DATA is the folder with `clough_stevenson.jsonl` and `.pairs.tsv` (Clough and Stevenson, Developing a corpus
//! of plagiarised short answers, 2011): an answer, the article it may be taken from, and the level: `cut` (copied),
//! `light` and `heavy` (revised), `non` (written without the article). Printed for several shares that `compare`
//! gives: the mean by level, and the AUC of copied against not: how often a copied answer has the larger share,
//! ties counting half; beside it the same for each level and the next. The shares are that of the answer's runs of
//! five words that stand in the article (the default), that of its different words (which `compare` prints, too),
//! that of its single words as runs (`--set k=1`), and those of its words that agree in passages, with light and
//! with heavy edits.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::collections::BTreeMap;
use std::path::Path;

use retold::{Comparison, Document, Edits, Job, compare};
use retold_read::{ReadOptions, Reader, discover};

const LEVELS: [&str; 4] = ["cut", "light", "heavy", "non"];

/// What of a comparison is measured.
type Share = fn(&Comparison) -> f64;

fn main() {
    let folder = std::env::args().nth(1).expect("usage: graded DATA");
    let file = |ending: &str| Path::new(&folder).join(format!("clough_stevenson.{ending}"));
    let mut texts: BTreeMap<String, Document> = BTreeMap::new();
    let files = discover(&[file("jsonl")]).expect("the documents are there").files;
    let mut reader = Reader::new(files, ReadOptions::default());
    while let Some(batch) = reader.next_batch() {
        batch.parse(&mut |record| {
            let document = record.expect("a document").document;
            texts.insert(document.id.clone(), document);
        });
    }
    let pairs = std::fs::read_to_string(file("pairs.tsv")).expect("the pairs are there");
    let of_runs: Share = |found| found.scores().a_in_b.get();
    let in_passages: Share = |found| {
        let words: u32 = found.evidence().passages.iter().map(|passage| passage.words).sum();
        f64::from(words) / found.n_words()[0] as f64
    };
    let heavy = Job::default().with_edits(Edits::Heavy);
    let of_vocabulary: Share = |found| found.vocabulary()[0].get();
    for (name, job, share) in [
        ("runs of five words", Job::default(), of_runs),
        ("different words", Job::default(), of_vocabulary),
        ("words", Job::default().with_parameter("k", 1), of_runs),
        ("words in passages, light", Job::default(), in_passages),
        ("words in passages, heavy", heavy, in_passages),
    ] {
        let mut shares: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for line in pairs.lines() {
            let cells: Vec<&str> = line.split('\t').collect();
            let found = compare(&texts[cells[0]], &texts[cells[1]], &job).expect("a job");
            shares.entry(cells[2]).or_default().push(share(&found));
        }
        print!("{name:26}");
        for level in LEVELS {
            let of = &shares[level];
            print!(" {level} {:.3}", of.iter().sum::<f64>() / of.len() as f64);
        }
        let copied: Vec<f64> =
            LEVELS[..3].iter().flat_map(|level| &shares[level]).copied().collect();
        print!("  AUC {:.4}", auc(&copied, &shares["non"]));
        for pair in LEVELS.windows(2) {
            print!("  {}/{} {:.3}", pair[0], pair[1], auc(&shares[pair[0]], &shares[pair[1]]));
        }
        println!();
    }
}

/// Returns how often one of the first is larger than one of the second.
fn auc(these: &[f64], those: &[f64]) -> f64 {
    let larger = |x: f64, y: f64| {
        if x > y {
            1.0
        } else if x < y {
            0.0
        } else {
            0.5
        }
    };
    let sum: f64 = these.iter().flat_map(|&x| those.iter().map(move |&y| larger(x, y))).sum();
    sum / (these.len() * those.len()) as f64
}
