//! `edited DATA [folds]`: how well passages of edited text are aligned, on the training pairs of PAN 2013.
//!
//! DATA is the folder with `pan13_train.jsonl.zst`, `.pairs.tsv` (two documents and the kind of
//! obfuscation a line) and `.spans.tsv` (passages, in characters). All listed pairs are compared with
//! `--edits heavy`, and the passages of those that are related are measured by the official measure
//! ([`retold_lab::measures::passages`]), for all pairs and for each kind. The time is that of comparing
//! prepared documents, on one thread.
//!
//! With `folds` the settings of the aligner are chosen on four fifths of the pairs and measured on the
//! last, five times. Pairs that share a document, directly or through others, are in the same fifth. The
//! search begins at plain values, not at the defaults, which were chosen on all pairs, and takes the values of each
//! setting from a coarse grid. (Which steps the aligner has was decided with all pairs in view.)

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use retold_core::document::Document;
use retold_core::features::shingles::Shingles;
use retold_core::features::{Featurizer, TextSettings};
use retold_core::verify::Profile;
use retold_core::verify::align::{Bench, Comparison};
use retold_core::verify::edited::Settings;
use retold_core::verify::rule::{Edits, Rule};
use retold_lab::measures::passages::{Part, Passage, measure};
use retold_read::{ReadOptions, Reader, discover};

const N_FOLDS: usize = 5;

/// Two documents that the list names.
struct Pair {
    copy: usize,
    source: usize,
    kind: String,
    fold: usize,
}

/// A document ready for comparison, with what turns its bytes into characters.
struct Text {
    profile: Profile,
    /// The characters before each byte, and all of them at the end.
    characters: Vec<u32>,
}

struct Data {
    texts: Vec<Text>,
    pairs: Vec<Pair>,
    cases: Vec<Passage>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (folder, has_folds) = match &arguments[..] {
        [folder] => (folder, false),
        [folder, word] if word == "folds" => (folder, true),
        _ => panic!("usage: edited DATA [folds]"),
    };
    let data = read(Path::new(folder));
    if !has_folds {
        let started = Instant::now();
        let found = align(&data, &Settings::default(), |_| true);
        let seconds = started.elapsed().as_secs_f64();
        show(&data, &found, |_| true);
        println!("{:.0} pairs a second", data.pairs.len() as f64 / seconds);
        return;
    }
    let mut all = Vec::new();
    for fold in 0..N_FOLDS {
        let settings = chosen(&data, |pair| pair.fold != fold);
        let found = align(&data, &settings, |pair| pair.fold == fold);
        println!(
            "fold {fold}: plagdet {:.4}, {settings:?}",
            score(&data, &found, |p| p.fold == fold)
        );
        all.extend(found);
    }
    show(&data, &all, |_| true);
}

/// Reads documents, pairs and passages.
fn read(folder: &Path) -> Data {
    let file = |ending: &str| -> PathBuf { folder.join(format!("pan13_train.{ending}")) };
    let featurizer = Featurizer::new(TextSettings::default(), 1).with_content(true);
    let (mut numbers, mut texts) = (BTreeMap::new(), Vec::new());
    let files = discover(&[file("jsonl.zst")]).expect("the documents are there").files;
    let mut reader = Reader::new(files, ReadOptions::default());
    while let Some(batch) = reader.next_batch() {
        batch.parse(&mut |record| {
            let document = record.expect("a document").document;
            numbers.insert(document.id.clone(), texts.len());
            texts.push(text(&document, &featurizer));
        });
    }
    let lines = |ending: &str| fs::read_to_string(file(ending)).expect("the list is there");
    let mut pairs = Vec::new();
    for line in lines("pairs.tsv").lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let (copy, source) = (numbers[cells[0]], numbers[cells[1]]);
        pairs.push(Pair { copy, source, kind: cells[2].to_owned(), fold: 0 });
    }
    let case = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| -> u64 { cells[at].parse().expect("a number") };
        Passage {
            copy: numbers[cells[0]] as u32,
            source: numbers[cells[1]] as u32,
            in_copy: Part::of_length(number(3), number(4)),
            in_source: Part::of_length(number(5), number(6)),
        }
    };
    let cases = lines("spans.tsv").lines().skip(1).map(case).collect();
    divide(&mut pairs, texts.len());
    Data { texts, pairs, cases }
}

fn text(document: &Document, featurizer: &Featurizer) -> Text {
    let profile = Profile::of(document, featurizer, Shingles::new(5));
    let mut characters = Vec::with_capacity(document.text.len() + 1);
    for (number, character) in (0..).zip(document.text.chars()) {
        characters.extend(std::iter::repeat_n(number, character.len_utf8()));
    }
    characters.push(characters.last().map_or(0, |last| last + 1));
    Text { profile, characters }
}

/// Deals groups of pairs that hang together out to the folds, largest first.
fn divide(pairs: &mut [Pair], n_documents: usize) {
    fn root(parents: &mut [usize], mut at: usize) -> usize {
        while parents[at] != at {
            parents[at] = parents[parents[at]];
            at = parents[at];
        }
        at
    }
    let mut parents: Vec<usize> = (0..n_documents).collect();
    for pair in pairs.iter() {
        let (x, y) = (root(&mut parents, pair.copy), root(&mut parents, pair.source));
        parents[x] = y;
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, pair) in pairs.iter().enumerate() {
        groups.entry(root(&mut parents, pair.copy)).or_default().push(at);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let mut sizes = [0; N_FOLDS];
    for group in groups {
        let fold = (0..N_FOLDS).min_by_key(|&fold| sizes[fold]).expect("there are folds");
        sizes[fold] += group.len();
        for at in group {
            pairs[at].fold = fold;
        }
    }
}

/// Compares pairs and returns the passages of those that are related.
fn align(data: &Data, settings: &Settings, takes: impl Fn(&Pair) -> bool) -> Vec<Passage> {
    let rule = Rule { edits: Edits::Heavy, ..Rule::default() };
    let mut bench = Bench::with_edited(settings.clone());
    let mut out = Vec::new();
    for pair in data.pairs.iter().filter(|pair| takes(pair)) {
        let (copy, source) = (&data.texts[pair.copy], &data.texts[pair.source]);
        let mut found = Comparison::default();
        let is_shorter = copy.profile.n_words() <= source.profile.n_words();
        let kind = if is_shorter {
            bench.hold(&source.profile).judge(&copy.profile, rule, &mut found)
        } else {
            bench.hold(&copy.profile).judge(&source.profile, rule, &mut found)
        };
        if kind.is_none() {
            continue;
        }
        if !is_shorter {
            found.flip();
        }
        let part = |text: &Text, words: (u32, u32)| {
            let span = text.profile.span(words.0, words.1);
            let place = |byte: u32| u64::from(text.characters[byte as usize]);
            Part { start: place(span.start), end: place(span.end) }
        };
        out.extend(found.passages.iter().map(|passage| Passage {
            copy: pair.copy as u32,
            source: pair.source as u32,
            in_copy: part(copy, passage.a),
            in_source: part(source, passage.b),
        }));
    }
    out
}

/// Returns plagdet over some pairs.
fn score(data: &Data, found: &[Passage], takes: impl Fn(&Pair) -> bool) -> f64 {
    let (cases, found) = of_pairs(data, found, takes);
    measure(&cases, &found).plagdet
}

/// Returns the cases and detections of some pairs.
fn of_pairs(
    data: &Data,
    found: &[Passage],
    takes: impl Fn(&Pair) -> bool,
) -> (Vec<Passage>, Vec<Passage>) {
    let taken = data.pairs.iter().filter(|pair| takes(pair));
    let taken: std::collections::BTreeSet<(u32, u32)> =
        taken.map(|pair| (pair.copy as u32, pair.source as u32)).collect();
    let part = |all: &[Passage]| {
        all.iter().filter(|one| taken.contains(&(one.copy, one.source))).copied().collect()
    };
    (part(&data.cases), part(found))
}

fn show(data: &Data, found: &[Passage], takes: impl Fn(&Pair) -> bool) {
    let mut kinds: Vec<&str> = data.pairs.iter().map(|pair| pair.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in std::iter::once("all").chain(kinds) {
        let (cases, found) =
            of_pairs(data, found, |pair| takes(pair) && (kind == "all" || pair.kind == kind));
        if cases.is_empty() {
            println!("{kind:24} {} passages found, none is listed", found.len());
            continue;
        }
        let scores = measure(&cases, &found);
        println!(
            "{kind:24} plagdet {:.4}  precision {:.4}  recall {:.4}  granularity {:.4}  cases {}  found {}",
            scores.plagdet,
            scores.of_passages.precision,
            scores.of_passages.recall,
            scores.granularity,
            cases.len(),
            found.len()
        );
    }
}

/// Returns settings as somebody would begin with: gaps, seeds and cosine of the first prototype, which knew no
/// other steps, and values that make little of those.
fn plain() -> Settings {
    Settings {
        gap: 32,
        least_gap: 6,
        shrink: 2.0 / 3.0,
        least_seeds: 6,
        least_words: 25,
        cosine: 0.45,
        seeds_weight: 0.0,
        miss: 1.0,
        common_weight: 1.0,
        border_words: 0,
        chain_words: 40,
        chain_share: 0.5,
        join_words: 0,
        summary_ratio: 3.0,
        summary_gap: 200,
        summary_seeds: 6,
        summary_cosine: 0.45,
        summary_share: 0.0,
        summary_known: 1.0,
        summary_order: 0.0,
    }
}

/// Times that all settings are gone through.
const N_ROUNDS: usize = 2;

/// Goes through the settings one after the other, and takes of each the value of a grid with the largest plagdet
/// over some pairs.
fn chosen(data: &Data, takes: impl Fn(&Pair) -> bool) -> Settings {
    type Set = fn(&mut Settings, f64);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "small and positive"
    )]
    const GRID: [(Set, &[f64]); 18] = [
        (|s, x| s.cosine = x, &[0.35, 0.4, 0.45, 0.5, 0.55, 0.6]),
        (|s, x| s.gap = x as u32, &[16.0, 24.0, 32.0, 40.0, 56.0]),
        (|s, x| s.least_words = x as u32, &[15.0, 20.0, 25.0, 30.0, 40.0]),
        (|s, x| s.least_seeds = x as usize, &[4.0, 5.0, 6.0, 8.0]),
        (|s, x| s.seeds_weight = x, &[0.0, 0.03, 0.06, 0.1]),
        (|s, x| s.shrink = x, &[0.5, 0.67, 0.8]),
        (|s, x| s.miss = x, &[0.25, 0.5, 0.75, 1.0]),
        (|s, x| s.common_weight = x, &[0.1, 0.25, 0.5, 1.0]),
        (|s, x| s.border_words = x as u32, &[0.0, 4.0, 8.0, 16.0]),
        (|s, x| s.chain_words = x as u32, &[20.0, 40.0, 60.0]),
        (|s, x| s.chain_share = x, &[0.5, 0.7, 0.85]),
        (|s, x| s.join_words = x as u32, &[0.0, 10.0, 25.0, 50.0]),
        (|s, x| s.summary_gap = x as u32, &[100.0, 200.0, 300.0, 500.0]),
        (|s, x| s.summary_seeds = x as usize, &[6.0, 8.0, 12.0]),
        (|s, x| s.summary_cosine = x, &[0.35, 0.45, 0.5, 0.55]),
        (|s, x| s.summary_share = x, &[0.0, 0.25, 0.5, 0.75]),
        (|s, x| s.summary_known = x, &[0.5, 0.7, 0.85, 1.0]),
        (|s, x| s.summary_order = x, &[0.0, 0.3, 0.4, 0.5]),
    ];
    let mut best = plain();
    let value = |settings: &Settings| score(data, &align(data, settings, &takes), &takes);
    let mut highest = value(&best);
    for (set, values) in GRID.iter().cycle().take(N_ROUNDS * GRID.len()) {
        for &x in *values {
            let mut other = best.clone();
            set(&mut other, x);
            let reached = value(&other);
            if reached > highest {
                (best, highest) = (other, reached);
            }
        }
    }
    best
}
