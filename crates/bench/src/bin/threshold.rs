//! `threshold FILE...`: whether parameters found for a wanted similarity and recall keep their promise.
//!
//! For every file, method, similarity and recall: parameters are found on a sample of the file, the
//! whole file is searched with them, and what was found is counted among all pairs of that similarity
//! by `full-fingerprint`, which misses none. Exact copies are left out: every method finds them. Also
//! printed is the share of pairs in one cluster that have the similarity themselves.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use retold::{
    Aim, Document, Documents, Find, Found, Job, Kind, PairsWritten, Profile, Resources, Tuning,
    compare,
};
use retold_read::{ReadOptions, Reader, discover};

const METHODS: [&str; 5] = ["anchor", "minhash", "simhash", "minimal-elements", "sentence-lengths"];
const AIMS: [(f64, f64); 4] = [(0.8, 0.95), (0.8, 0.99), (0.6, 0.95), (0.9, 0.9)];
/// Pairs in clusters that are compared at most.
const MOST_COMPARED: usize = 2_000;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut files = Vec::new();
    let mut methods: Vec<String> = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--method" => methods.push(arguments.next().ok_or("a method is missing")?),
            path => files.push(PathBuf::from(path)),
        }
    }
    say(
        "| file | method | similarity | recall wanted | parameters | promised | recall in sample | pairs | recall | same cluster and similar | tuning s | search s |",
    )?;
    say("|---|---|---|---|---|---|---|---|---|---|---|---|")?;
    for file in &files {
        let documents = read(file)?;
        for (similarity, recall) in AIMS {
            let reference = Job::of("full-fingerprint", Profile::Retold)?
                .with_parameter("similarity", similarity)
                .with_parameter("k", 5)
                .with_pairs(PairsWritten::All);
            let all = pairs(&documents, reference, None)?.0;
            for method in METHODS {
                if !methods.is_empty() && methods.iter().all(|wanted| wanted != method) {
                    continue;
                }
                let start = Instant::now();
                let tuned =
                    Tuning::new(Documents::new(documents.clone()), Aim::new(similarity, recall)?)
                        .job(Job::of(method, Profile::Retold)?)
                        .run()?;
                let tuning_seconds = start.elapsed().as_secs_f64();
                let report = tuned.report().clone();
                let job = tuned.job().clone().with_pairs(PairsWritten::All);
                let start = Instant::now();
                let (found, found_clusters) = pairs(&documents, job, Some(similarity))?;
                let seconds = start.elapsed().as_secs_f64();
                let hits = all.intersection(&found).count();
                let last = report.tried.last().ok_or("nothing was tried")?;
                let share = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.3}"));
                say(&format!(
                    "| {} | {method} | {similarity} | {recall} | {} | {} | {} of {} | {} | {:.4} | {} | {tuning_seconds:.1} | {seconds:.1} |",
                    file.file_stem().unwrap_or_default().to_string_lossy(),
                    serde_json::Value::Object(last.parameters.clone()),
                    share(last.promised),
                    share(last.recall),
                    report.sample.n_pairs,
                    all.len(),
                    hits as f64 / all.len().max(1) as f64,
                    share(found_clusters),
                ))?;
            }
        }
    }
    Ok(())
}

fn say(line: &str) -> Result<(), Failure> {
    writeln!(std::io::stdout(), "{line}")?;
    Ok(())
}

/// Pairs by positions.
type Pairs = BTreeSet<(u32, u32)>;

/// Returns the pairs that are no exact copies, and, if a similarity is given, the share of pairs in
/// one cluster that have it.
fn pairs(
    documents: &[Document],
    job: Job,
    similarity: Option<f64>,
) -> Result<(Pairs, Option<f64>), Failure> {
    let mut found = Found::new();
    let settings = job.clone();
    Find::new(Documents::new(documents.to_vec()))
        .job(job)
        .resources(Resources::new())
        .run(&mut found)?;
    let mut share = None;
    if let Some(similarity) = similarity {
        let clusters = || found.clusters().iter().map(retold::FoundCluster::documents);
        let n_all: usize = clusters().map(|docs| docs.len() * (docs.len() - 1) / 2).sum();
        let step = n_all.div_ceil(MOST_COMPARED).max(1);
        let (mut number, mut n_compared, mut n_similar) = (0, 0u32, 0u32);
        for docs in clusters() {
            for (at, &a) in docs.iter().enumerate() {
                for &b in &docs[at + 1..] {
                    number += 1;
                    if number % step == 0 {
                        n_compared += 1;
                        let compared = compare(&documents[a], &documents[b], &settings)?;
                        let is_similar = compared.scores().resemblance.get() >= similarity;
                        n_similar += u32::from(is_similar);
                    }
                }
            }
        }
        share = (n_compared > 0).then(|| f64::from(n_similar) / f64::from(n_compared));
    }
    let found = found.into_pairs().into_iter().filter(|pair| pair.kind != Kind::Exact);
    Ok((found.map(|pair| (pair.a.0, pair.b.0)).collect(), share))
}

fn read(path: &PathBuf) -> Result<Vec<Document>, Failure> {
    let files = discover(std::slice::from_ref(path))?.files;
    let mut documents = Vec::new();
    let mut reader = Reader::new(files, ReadOptions::default());
    while let Some(batch) = reader.next_batch() {
        batch.parse(&mut |record| {
            if let Ok(record) = record {
                documents.push(record.document);
            }
        });
    }
    Ok(documents)
}
