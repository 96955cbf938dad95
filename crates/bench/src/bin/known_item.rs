//! `known_item FILE...`: the known-item experiment of the sentence papers, asked of stored indexes.
//!
//! All documents of the files with different texts are indexed. Passages of about six sentences are
//! taken from 180 of them, a third each from beginning, middle and end, and put together to one
//! question. Printed for each method: documents found (`total`), those among the 180 (`recognised`),
//! recall, precision and F1 by that count, those among the first 180 hits (`top 180`), the share of
//! found documents in which `exhaustive` finds a planted passage (`right`), and the time of the
//! question. `--questions` asks every passage alone instead, with the default method. `--replaced 10,20,30` asks
//! alone, too, with so many percent of the words of each passage replaced by words of other documents, drawn at
//! random; `--stories` then asks with 180 whole documents of 40 to 1,000 words instead, and a hit is right if
//! `exhaustive` relates the words as they were before to it, once with light edits and once with the level of the
//! index, which `--edits LEVEL` sets.
//! `RETOLD_MISSED=1` in the environment prints the passages whose documents were not found.

use std::collections::{BTreeMap, HashSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use retold::{
    Answer, Asking, Document, Documents, Edits, Hit, Index, IndexOptions, IndexWriter, Job,
    Profile, Rank, Resources, compare,
};
use retold_core::hash::{self, Random};
use retold_core::segment::sentence::{Delimiters, sentences};
use retold_read::{ReadOptions, Reader, discover};

/// Documents that passages are taken from.
const N_KNOWN: usize = 180;
/// Words of the shortest passage that is taken: as many as make a partial copy.
const LEAST_WORDS: usize = 40;
/// Methods of the two papers, in their settings, and the default.
const METHODS: [(&str, Profile); 9] = [
    ("anchor", Profile::Retold),
    ("sl-fp-sd", Profile::Paper),
    ("sl-fp", Profile::Paper),
    ("full-fp", Profile::Paper),
    ("sg-63", Profile::Paper),
    ("sg-66", Profile::Paper),
    ("sg-63-sym", Profile::Paper),
    ("ws8sw1", Profile::Paper),
    ("ws16sw2", Profile::Paper),
];

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut paths = Vec::new();
    let (mut methods, mut is_alone) = (Vec::new(), false);
    let (mut shares, mut is_stories, mut edits) = (Vec::new(), false, Edits::Light);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--method" => methods.push(arguments.next().ok_or("a method is missing")?),
            "--questions" => is_alone = true,
            "--stories" => is_stories = true,
            "--edits" => {
                let level = arguments.next().ok_or("a level is missing")?;
                edits = serde_json::from_value(level.into())?;
            }
            "--replaced" => {
                let given = arguments.next().ok_or("percentages are missing")?;
                shares = given.split(',').map(str::parse).collect::<Result<Vec<usize>, _>>()?;
            }
            path => paths.push(PathBuf::from(path)),
        }
    }
    let documents = distinct(&paths)?;
    let n_bytes: usize = documents.iter().map(|document| document.text.len()).sum();
    say(&format!("{} documents, {} MB of text", documents.len(), n_bytes >> 20))?;
    let planted = if is_stories { stories(&documents) } else { plant(&documents) };
    let folder = tempfile::tempdir()?;
    say(
        "method        total recognised recall precision     F1 top 180  right  question s  index s",
    )?;
    for (method, profile) in METHODS {
        if !methods.is_empty() && methods.iter().all(|wanted| wanted != method) {
            continue;
        }
        let path = folder.path().join(method);
        let building = Instant::now();
        if !shares.is_empty() && method != "anchor" {
            continue;
        }
        let index = indexed(&documents, &Job::of(method, profile)?.with_edits(edits), &path)?;
        let index_seconds = building.elapsed().as_secs_f64();
        if !shares.is_empty() {
            for &percent in &shares {
                say(&format!("{percent} % of the words replaced, edits {edits:?}"))?;
                replaced(&index, &documents, &planted, percent, edits)?;
            }
        } else if is_alone {
            alone(&index, &documents, &planted)?;
        } else {
            together(&index, &documents, &planted, (method, profile), index_seconds)?;
        }
        std::fs::remove_dir_all(&path)?;
    }
    Ok(())
}

/// A passage and where it comes from.
struct Planted {
    document: usize,
    text: String,
}

/// Reads documents, each text once, under ids that differ.
fn distinct(paths: &[PathBuf]) -> Result<Vec<Document>, Failure> {
    let mut documents = Vec::new();
    let mut seen = HashSet::new();
    for path in paths {
        let files = discover(std::slice::from_ref(path))?.files;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut reader = Reader::new(files, ReadOptions::default());
        while let Some(batch) = reader.next_batch() {
            batch.parse(&mut |record| {
                let Ok(record) = record else { return };
                let text = record.document.text.as_bytes();
                if seen.insert((hash::bytes(text, 1), hash::bytes(text, 2))) {
                    let id = format!("{stem}/{}", record.document.id);
                    documents.push(Document { id, ..record.document });
                }
            });
        }
    }
    Ok(documents)
}

/// Takes passages of 3 to 9 sentences from documents of at least 30.
fn plant(documents: &[Document]) -> Vec<Planted> {
    let mut random = Random::new(180);
    let mut planted: Vec<Planted> = Vec::new();
    let mut taken = HashSet::new();
    while planted.len() < N_KNOWN {
        let document = random.below(documents.len());
        let text = &documents[document].text;
        let mut ranges = Vec::new();
        sentences(text, Delimiters::Natural, || "en".into(), |_| true, |range| ranges.push(range));
        if ranges.len() < 30 || !taken.insert(document) {
            continue;
        }
        let n = 3 + random.below(7);
        let first = match planted.len() % 3 {
            0 => 0,
            1 => (ranges.len() - n) / 2,
            _ => ranges.len() - n,
        };
        let passage = &text[ranges[first].start..ranges[first + n - 1].end];
        if passage.split_whitespace().count() < LEAST_WORDS {
            taken.remove(&document);
            continue;
        }
        planted.push(Planted { document, text: format!("{passage}.") });
    }
    planted
}

/// Takes whole documents of 40 to 1,000 words.
fn stories(documents: &[Document]) -> Vec<Planted> {
    let mut random = Random::new(180);
    let mut planted: Vec<Planted> = Vec::new();
    let mut taken = HashSet::new();
    while planted.len() < N_KNOWN {
        let document = random.below(documents.len());
        let text = &documents[document].text;
        let n_words = text.split_whitespace().count();
        if (LEAST_WORDS..=1_000).contains(&n_words) && taken.insert(document) {
            planted.push(Planted { document, text: text.clone() });
        }
    }
    planted
}

/// Replaces so many percent of the words of a text by words of any documents.
fn reworded(text: &str, percent: usize, documents: &[Document], random: &mut Random) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let mut places: Vec<usize> = (0..words.len()).collect();
    for n in 0..words.len() * percent / 100 {
        let at = n + random.below(places.len() - n);
        places.swap(n, at);
        words[places[n]] = loop {
            let other = &documents[random.below(documents.len())].text;
            let n_words = other.split_whitespace().count();
            if n_words > 0 {
                break other.split_whitespace().nth(random.below(n_words)).unwrap_or_default();
            }
        };
    }
    words.join(" ")
}

/// Asks every passage alone, with some of its words replaced.
fn replaced(
    index: &Index,
    documents: &[Document],
    planted: &[Planted],
    percent: usize,
    edits: Edits,
) -> Result<(), Failure> {
    let strict = Job::default().with_method("exhaustive");
    let alike = strict.clone().with_edits(edits);
    let by_id: BTreeMap<&str, &Document> =
        documents.iter().map(|document| (document.id.as_str(), document)).collect();
    let mut random = Random::new(percent as u64);
    let (mut n_recognised, mut n_found, mut n_right, mut n_alike) = (0, 0, 0, 0);
    let asked = Instant::now();
    let mut seconds = 0.0;
    for passage in planted {
        let text = reworded(&passage.text, percent, documents, &mut random);
        let before = asked.elapsed().as_secs_f64();
        let answer = index.ask(&Document::plain("question", text), &Asking::default())?;
        seconds += asked.elapsed().as_secs_f64() - before;
        let source = &documents[passage.document];
        let is_known = answer.hits.iter().any(|hit| hit.id == source.id);
        n_recognised += usize::from(is_known);
        n_found += answer.hits.len();
        let whole =
            Document { id: "whole".to_owned(), text: passage.text.clone(), ..source.clone() };
        for hit in &answer.hits {
            let found = by_id[hit.id.as_str()];
            let is_right = compare(&whole, found, &strict)?.relation().is_some();
            let is_alike = is_right || compare(&whole, found, &alike)?.relation().is_some();
            n_right += usize::from(is_right);
            n_alike += usize::from(is_alike);
            if !is_alike && std::env::var_os("RETOLD_WRONG").is_some() {
                say(&format!("wrong: {} for {}", hit.id, source.id))?;
            }
        }
        if !is_known && std::env::var_os("RETOLD_MISSED").is_some() {
            let n_words = passage.text.split_whitespace().count();
            say(&format!("missed {}, {n_words} words", source.id))?;
        }
    }
    say(&format!(
        "asked alone: {n_recognised} of {N_KNOWN} recognised ({:.3}); of {n_found} hits {n_right} right by light edits \
         ({:.3}), {n_alike} by those of the index ({:.3}); {:.1} ms a question",
        n_recognised as f64 / N_KNOWN as f64,
        n_right as f64 / n_found.max(1) as f64,
        n_alike as f64 / n_found.max(1) as f64,
        1000.0 * seconds / N_KNOWN as f64
    ))
}

fn indexed(documents: &[Document], job: &Job, path: &Path) -> Result<Index, Failure> {
    let mut writer =
        IndexWriter::create(path, std::slice::from_ref(job), &IndexOptions::default())?;
    writer.add(Documents::new(documents), &Resources::new())?;
    Ok(writer.index()?)
}

/// Returns the share of found documents in which a planted passage stands, by the reference: one of
/// those that the passages of the hit touch. `starts` says where each begins in the question.
fn right(
    answer: &Answer,
    documents: &BTreeMap<&str, &Document>,
    planted: &[Planted],
    starts: &[usize],
) -> f64 {
    let job = Job::default().with_method("exhaustive");
    let is_right = |hit: &Hit| {
        let held = documents[hit.id.as_str()];
        let mut touched: Vec<usize> = Vec::new();
        for passage in &hit.evidence.passages {
            let first = starts.partition_point(|start| *start <= passage.a.start as usize);
            let last = starts.partition_point(|start| *start < passage.a.end as usize);
            touched.extend(first.saturating_sub(1)..last);
        }
        touched.dedup();
        touched.into_iter().any(|at| {
            let passage = Document::plain("passage", &*planted[at].text);
            compare(&passage, held, &job).is_ok_and(|found| found.relation().is_some())
        })
    };
    let n_right = answer.hits.iter().filter(|hit| is_right(hit)).count();
    n_right as f64 / answer.hits.len().max(1) as f64
}

fn together(
    index: &Index,
    documents: &[Document],
    planted: &[Planted],
    (method, profile): (&str, Profile),
    index_seconds: f64,
) -> Result<(), Failure> {
    let (mut text, mut starts) = (String::new(), Vec::new());
    for passage in planted {
        starts.push(text.len());
        text.push_str(&passage.text);
        text.push_str("\n\n");
    }
    let question = Document::plain("question", text);
    let rank = if profile == Profile::Paper { Rank::MatchRatio } else { Rank::Share };
    let asking = Asking { rank, passages_per_pair: Some(5), ..Asking::default() };
    let asked = Instant::now();
    let answer = index.ask(&question, &asking)?;
    let seconds = asked.elapsed().as_secs_f64();
    let known: HashSet<&str> =
        planted.iter().map(|passage| documents[passage.document].id.as_str()).collect();
    let n_known = answer.hits.iter().filter(|hit| known.contains(hit.id.as_str())).count() as f64;
    let total = answer.hits.len();
    // As the papers cut their ranked lists.
    let first = answer.hits.iter().take(N_KNOWN);
    let n_first = first.filter(|hit| known.contains(hit.id.as_str())).count();
    let (recall, precision) = (n_known / N_KNOWN as f64, n_known / total.max(1) as f64);
    let f1 = if n_known > 0.0 { 2.0 * recall * precision / (recall + precision) } else { 0.0 };
    let found: HashSet<&str> = answer.hits.iter().map(|hit| hit.id.as_str()).collect();
    if std::env::var_os("RETOLD_MISSED").is_some() {
        for passage in planted {
            let id = documents[passage.document].id.as_str();
            if !found.contains(id) {
                let n_words = passage.text.split_whitespace().count();
                let start: String = passage.text.chars().take(200).collect();
                say(&format!("missed {id}, {n_words} words: {start:?}"))?;
            }
        }
    }
    // The reference takes a while: only where few documents were found.
    let by_id = documents.iter().map(|document| (document.id.as_str(), document)).collect();
    let right = if total <= 10_000 {
        format!("{:6.3}", right(&answer, &by_id, planted, &starts))
    } else {
        "     -".to_owned()
    };
    say(&format!(
        "{method:<12} {total:>6} {n_known:>10} {recall:>6.3} {precision:>9.3} {f1:>6.3} {n_first:>7} \
         {right} {seconds:>11.3} {index_seconds:>8.1}"
    ))
}

/// Asks every passage alone.
fn alone(index: &Index, documents: &[Document], planted: &[Planted]) -> Result<(), Failure> {
    let by_id = documents.iter().map(|document| (document.id.as_str(), document)).collect();
    let (mut n_recognised, mut n_found, mut n_right) = (0, 0, 0.0);
    for passage in planted {
        let question = Document::plain("question", &*passage.text);
        let answer = index.ask(&question, &Asking::default())?;
        let id = &documents[passage.document].id;
        n_recognised += usize::from(answer.hits.iter().any(|hit| hit.id == *id));
        n_found += answer.hits.len();
        n_right +=
            right(&answer, &by_id, std::slice::from_ref(passage), &[0]) * answer.hits.len() as f64;
    }
    say(&format!(
        "asked alone: {n_recognised} of {N_KNOWN} recognised; {n_right:.0} of {n_found} hits right"
    ))
}

fn say(line: &str) -> Result<(), Failure> {
    Ok(writeln!(std::io::stdout(), "{line}")?)
}
