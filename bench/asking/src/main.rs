//! The stored index of Retold beside a search engine, on the same documents in one run.
//!
//! Documents are read from files; of those with the same text only the first is kept, and ids are
//! made unique by the name of the file. Measured are the cost of building an index against that of
//! only reading and imaging, its size by what it holds, and questions: stretches of documents, asked
//! of the index and, as all their words, of tantivy.

mod documents;
mod engine;
mod spent;

use std::error::Error;
use std::path::{Path, PathBuf};

use documents::{Corpus, Question};
use retold::{Asking, Document, Documents, Index, IndexOptions, IndexWriter, Job, Resources};
use retold_core::features::{Featurizer, Words};
use retold_core::methods;
use spent::{Spent, Times};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const USAGE: &str = "usage: retold-bench-asking [--questions 1000] [--words 500] [--top 20] \
[--only retold|tantivy] [--folder PATH] FILE...";

/// Texts of hits may have so many bytes in a question that counts.
const LONG_BYTES: usize = 100_000;

fn main() -> Result<()> {
    let (mut n_questions, mut n_words, mut top, mut only) = (1000, 500, 20, None);
    let mut home = std::env::temp_dir();
    let mut files: Vec<PathBuf> = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(name) = args.next() {
        let mut value = || args.next().ok_or(USAGE);
        match name.as_str() {
            "--questions" => n_questions = value()?.parse()?,
            "--words" => n_words = value()?.parse()?,
            "--top" => top = value()?.parse()?,
            "--only" => only = Some(value()?),
            "--folder" => home = value()?.into(),
            other if other.starts_with('-') => return Err(USAGE.into()),
            file => files.push(file.into()),
        }
    }
    if files.is_empty() {
        return Err(USAGE.into());
    }
    let corpus = Corpus::read(&files)?;
    let questions = corpus.questions(n_questions, n_words);
    println!(
        "{} documents with {:.1} MB of text, {} questions of {n_words} words\n",
        corpus.documents.len(),
        corpus.n_bytes() as f64 / 1e6,
        questions.len()
    );
    let mut times = Vec::new();
    if only.as_deref() != Some("tantivy") {
        let whole = home_for(&home)?;
        let index = build(&corpus, whole.path())?;
        times.push(("retold", ask(&index, &corpus, &questions, top)?));
    }
    if only.as_deref() != Some("retold") {
        let folder = home_for(&home)?;
        let (engine, built) = engine::Engine::build(&corpus, folder.path())?;
        println!(
            "tantivy: built in {:.1} CPU s, {:.1} MB\n",
            built.cpu.as_secs_f64(),
            bytes_of(folder.path())? as f64 / 1e6
        );
        times.push(("tantivy", engine.ask(&questions, top)?));
    }
    print_questions(&times);
    Ok(())
}

fn home_for(home: &Path) -> Result<tempfile::TempDir> {
    Ok(tempfile::tempdir_in(home)?)
}

/// Returns the bytes that the files of a folder take.
fn bytes_of(folder: &Path) -> Result<u64> {
    let mut n = 0;
    for entry in std::fs::read_dir(folder)? {
        n += entry?.metadata()?.len();
    }
    Ok(n)
}

/// Reads the words of all documents and makes their images: what any index must do.
fn image(documents: &[Document], job: &Job) -> Result<Spent> {
    let detector = methods::make(job.method(), job.profile(), job.parameters(), job.seed())?;
    let featurizer = Featurizer::new(job.text().clone(), job.seed());
    let mut words = Words::default();
    let (mut spent, mut n_bytes) = (Spent::default(), 0);
    spent.on(|| {
        for document in documents {
            let image = featurizer
                .read(document, detector.places(), None, &mut words, |it, _| detector.image(it));
            n_bytes += image.map_or(0, |image| image.len());
        }
        Ok(())
    })?;
    if n_bytes == 0 {
        return Err("there is nothing to be indexed".into());
    }
    Ok(spent)
}

/// Builds an index with the default method, with and without the look-up of tiny documents, and
/// returns the first; prints what it cost and what it takes.
fn build(corpus: &Corpus, home: &Path) -> Result<Index> {
    println!(
        "| index | read and image, CPU s | build, CPU s | ratio | merge to one, CPU s | texts, MB | all else, MB \
         | all else / text bytes |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut lines = Vec::new();
    let mut index = None;
    for (name, job) in
        [("default", Job::default()), ("tiny=false", Job::default().with_parameter("tiny", false))]
    {
        let imaged = image(&corpus.documents, &job)?;
        let path = home.join(name);
        let mut spent = Spent::default();
        // Copied before the time is taken.
        let documents = Documents::new(corpus.documents.clone());
        let mut writer = spent.on(|| {
            let mut writer = IndexWriter::create(&path, &[job], &IndexOptions::default())?;
            writer.add(documents, &Resources::new().threads(1))?;
            Ok(writer)
        })?;
        let mut merged = Spent::default();
        merged.on(|| Ok(writer.merge()?))?;
        drop(writer);
        let built = Index::open(&path)?;
        let sections = built.stats()?.storage.sections;
        let all = bytes_of(&path)?;
        println!(
            "| {name} | {:.2} | {:.2} | {:.2} | {:.2} | {:.1} | {:.1} | {:.3} |",
            imaged.cpu.as_secs_f64(),
            spent.cpu.as_secs_f64(),
            spent.cpu.as_secs_f64() / imaged.cpu.as_secs_f64(),
            merged.cpu.as_secs_f64(),
            sections.texts as f64 / 1e6,
            (all - sections.texts) as f64 / 1e6,
            (all - sections.texts) as f64 / corpus.n_bytes() as f64,
        );
        lines.push(format!("{name}: {sections:?}"));
        index.get_or_insert(built);
    }
    println!();
    for line in lines {
        println!("{line}\n");
    }
    index.ok_or_else(|| "no index was built".into())
}

/// Asks all questions, after some of them to warm up.
fn ask(index: &Index, corpus: &Corpus, questions: &[Question], top: usize) -> Result<Times> {
    let asking = Asking { top: Some(top), ..Asking::default() };
    let mut times = Times::default();
    let (mut n_compared, mut n_hits) = (0, 0);
    for asked in [&questions[..questions.len() / 10], questions] {
        times = Times::default();
        (n_compared, n_hits) = (0, 0);
        for question in asked {
            let mut spent = Spent::default();
            let answer = spent.on(|| Ok(index.ask(&question.document, &asking)?))?;
            // The hits that are not listed were compared and read as the others.
            let all = index.ask(&question.document, &Asking::default())?;
            let is_long = |id: &str| corpus.bytes_of(id) >= LONG_BYTES;
            let counts = !all.hits.iter().any(|hit| is_long(&hit.id));
            let finds = answer.hits.iter().any(|hit| hit.id == question.from);
            times.add(spent, counts, finds);
            n_compared += answer.searched.n_compared;
            n_hits += answer.n_hits;
        }
    }
    let per_question = |n: u64| n as f64 / questions.len().max(1) as f64;
    println!(
        "Documents compared with a question: {:.1}, related to it: {:.1}\n",
        per_question(n_compared),
        per_question(n_hits)
    );
    Ok(times)
}

fn print_questions(times: &[(&str, Times)]) {
    println!(
        "| asked | questions | source found | median, ms | p99, ms | CPU, ms | CPU median | CPU p99 \
         | CPU, all questions |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    // Those that count are the same for all: the index says which.
    let counts = times.first().map(|(_, first)| first.counting()).unwrap_or_default();
    for (name, times) in times {
        let some = times.of(&counts);
        println!(
            "| {name} | {} | {:.3} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |",
            some.n(),
            some.share_found(),
            some.quantile(0.5, |spent| spent.wall),
            some.quantile(0.99, |spent| spent.wall),
            some.mean_cpu(),
            some.quantile(0.5, |spent| spent.cpu),
            some.quantile(0.99, |spent| spent.cpu),
            times.mean_cpu(),
        );
    }
    if let [(_, ours), (_, theirs)] = times {
        let ratio = ours.of(&counts).mean_cpu() / theirs.of(&counts).mean_cpu();
        println!("\nCPU of retold / tantivy: {ratio:.2}");
    }
}
