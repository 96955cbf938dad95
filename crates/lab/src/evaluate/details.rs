//! The folder of details: for each listed pair whether it was found and which cluster holds both,
//! for each of ours whether the list has it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use retold_core::relation::Kind;
use retold_report::{Manifest, OutputDir};
use serde::Serialize;

use super::{EvaluateSettings, Evaluated, Figures};
use crate::error::Error;
use crate::measures::PairSet;
use crate::measures::evaluation::{CurveFigures, Found, Truth};
use crate::measures::passages::{OfCase, Part, Passage};
use crate::measures::retrieval::Retrieval;
use crate::reference::{Names, ReadFound, write_pan};

/// A pair of the truth.
#[derive(Serialize)]
struct ListedRow<'a> {
    a: &'a str,
    b: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    is_true: bool,
    is_found: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// Number of a found cluster that holds both, from 0 in the order of the result.
    cluster: Option<usize>,
}

/// A pair of ours.
#[derive(Serialize)]
struct FoundRow<'a> {
    a: &'a str,
    b: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    relation: Option<Kind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// Whether the pair is true by the list: `true`, `false` or `unknown`.
    listed: &'static str,
}

/// A threshold.
#[derive(Serialize)]
struct CurveRow {
    threshold: f64,
    n_found: u64,
    n_common: u64,
    precision: f64,
    recall: f64,
    f1: f64,
    miss: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    false_alarm: Option<f64>,
}

/// A question.
#[derive(Serialize)]
struct QuestionRow<'a> {
    question: &'a str,
    #[serde(flatten)]
    answer: &'a Retrieval,
    reciprocal_rank: f64,
}

/// A passage of the truth.
#[derive(Serialize)]
struct CaseRow<'a> {
    copy: &'a str,
    source: &'a str,
    in_copy: Part,
    in_source: Part,
    #[serde(flatten)]
    of: OfCase,
    share: f64,
}

/// Writes details of pairs and clusters.
pub(super) fn write_pairs(
    output: &Path,
    settings: &EvaluateSettings,
    results: &[ReadFound],
    truth: &Truth,
    names: &Names,
    evaluated: &mut Evaluated,
) -> Result<(), Error> {
    let figures: Vec<Option<CurveFigures>> = evaluated
        .results
        .iter()
        .map(|result| match &result.figures {
            Figures::Pairs(evaluation) => evaluation.curve.clone(),
            _ => None,
        })
        .collect();
    write(output, settings, evaluated, results.len(), |folder, at| {
        let none = PairSet::default();
        let details = Details {
            result: &results[at],
            listed: truth.pairs.as_ref().unwrap_or(&none),
            truth,
            names,
        };
        details.write_listed(&folder.join("reference.jsonl"))?;
        details.write_found(&folder.join("found.jsonl"))?;
        match figures.get(at).and_then(Option::as_ref) {
            Some(figures) => put_curve(&folder.join("curve.jsonl"), figures),
            None => Ok(()),
        }
    })
}

/// A result beside the truth, pair by pair.
struct Details<'a> {
    result: &'a ReadFound,
    truth: &'a Truth,
    /// Pairs that are true.
    listed: &'a PairSet,
    names: &'a Names,
}

impl Details<'_> {
    /// Writes for every pair of the truth whether it was found.
    fn write_listed(&self, path: &Path) -> std::io::Result<()> {
        let Self { result, truth, listed, names } = self;
        let holding = Holding::of(&result.found, names.len());
        let mut labels: BTreeMap<u64, &str> = BTreeMap::new();
        for (label, pairs) in truth.labels.iter().rev() {
            labels.extend(pairs.as_packed().iter().map(|&packed| (packed, label.as_str())));
        }
        let mut out = BufWriter::new(File::create(path)?);
        for (set, is_true) in [(*listed, true), (&truth.negatives, false)] {
            for (&packed, (a, b)) in set.as_packed().iter().zip(set.iter()) {
                let found = result.pairs.binary_search_by_key(&packed, |pair| pair.packed);
                let found = found.ok().map(|at| &result.pairs[at]);
                let row = ListedRow {
                    a: names.name(a),
                    b: names.name(b),
                    label: labels.get(&packed).copied(),
                    is_true,
                    is_found: found.is_some(),
                    score: found.map(|pair| pair.score).filter(|score| !score.is_nan()),
                    cluster: holding.both(a, b),
                };
                put(&mut out, &row)?;
            }
        }
        out.flush()
    }

    /// Writes for every pair of the result what the truth has of it.
    fn write_found(&self, path: &Path) -> std::io::Result<()> {
        let Self { result, truth, listed, names } = self;
        let mut out = BufWriter::new(File::create(path)?);
        let pairs = result.found.pairs.iter().flat_map(PairSet::iter);
        for (pair, (a, b)) in result.pairs.iter().zip(pairs) {
            let listed = if listed.contains(a, b) {
                "true"
            } else if truth.negatives.contains(a, b) {
                "false"
            } else {
                "unknown"
            };
            let row = FoundRow {
                a: names.name(a),
                b: names.name(b),
                relation: pair.relation,
                score: Some(pair.score).filter(|score| !score.is_nan()),
                listed,
            };
            put(&mut out, &row)?;
        }
        out.flush()
    }
}

fn put_curve(path: &Path, figures: &CurveFigures) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let curve = &figures.curve;
    for point in &curve.points {
        let n_wrong = (point.n_found - point.n_common) as f64;
        put(
            &mut out,
            &CurveRow {
                threshold: point.threshold,
                n_found: point.n_found,
                n_common: point.n_common,
                precision: point.scores.precision,
                recall: point.scores.recall,
                f1: point.scores.f1,
                miss: 1.0 - point.scores.recall,
                false_alarm: figures.n_false.map(|n_false| n_wrong / n_false.max(1) as f64),
            },
        )?;
    }
    out.flush()
}

/// Which clusters hold a document.
struct Holding {
    of: Vec<Vec<u32>>,
}

impl Holding {
    fn of(found: &Found, n_documents: usize) -> Self {
        let mut of = vec![Vec::new(); n_documents];
        for (at, cluster) in found.clusters.iter().flatten().enumerate() {
            for &member in cluster.members.iter().chain(&cluster.kept) {
                of[member as usize].push(at as u32);
            }
        }
        Self { of }
    }

    /// Returns the first cluster that holds both documents.
    fn both(&self, a: u32, b: u32) -> Option<usize> {
        let (of_a, of_b) = (&self.of[a as usize], &self.of[b as usize]);
        of_a.iter().find(|cluster| of_b.contains(cluster)).map(|&cluster| cluster as usize)
    }
}

/// Writes details of answers.
pub(super) fn write_questions(
    output: &Path,
    settings: &EvaluateSettings,
    questions: &[String],
    columns: &[Vec<Retrieval>],
    evaluated: &mut Evaluated,
) -> Result<(), Error> {
    write(output, settings, evaluated, columns.len(), |folder, at| {
        let mut out = BufWriter::new(File::create(folder.join("questions.jsonl"))?);
        for (question, answer) in questions.iter().zip(&columns[at]) {
            let reciprocal_rank = answer.reciprocal_rank();
            put(&mut out, &QuestionRow { question, answer, reciprocal_rank })?;
        }
        out.flush()
    })
}

/// Passages that are listed, and what results say of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct PassageColumns<'a> {
    /// The listed ones.
    pub(super) cases: &'a [Passage],
    /// For each result what it found of each of them.
    pub(super) of_cases: &'a [Vec<OfCase>],
    /// For each result the passages that it found, unless their places count something else than
    /// characters.
    pub(super) detections: Option<&'a [Vec<Passage>]>,
}

/// Writes passages in the form of PAN, a file for each pair of documents, as other programs read them.
fn write_pan_folder(folder: &Path, found: &[Passage], names: &Names) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut of_pair: BTreeMap<(u32, u32), Vec<Passage>> = BTreeMap::new();
    for passage in found {
        of_pair.entry((passage.copy, passage.source)).or_default().push(*passage);
    }
    let mut taken = BTreeSet::new();
    for ((copy, source), mut passages) in of_pair {
        passages.sort_unstable();
        passages.dedup();
        let (copy, source) = (names.name(copy), names.name(source));
        // Ids may be anything; names of files may not.
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
        let plain = |id: &str| -> String {
            id.chars().take(60).map(|c| if is_plain(c) { c } else { '_' }).collect()
        };
        let mut name = format!("{}-{}", plain(copy), plain(source));
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        let mut out = BufWriter::new(File::create(folder.join(format!("{name}.xml")))?);
        write_pan(&mut out, copy, source, &passages)?;
        out.flush()?;
    }
    Ok(())
}

/// Writes details of passages.
pub(super) fn write_passages(
    output: &Path,
    settings: &EvaluateSettings,
    columns: &PassageColumns<'_>,
    names: &Names,
    evaluated: &mut Evaluated,
) -> Result<(), Error> {
    let PassageColumns { cases, of_cases, detections } = *columns;
    write(output, settings, evaluated, of_cases.len(), |folder, at| {
        if let Some(detections) = detections {
            write_pan_folder(&folder.join("pan"), &detections[at], names)?;
        }
        let mut out = BufWriter::new(File::create(folder.join("passages.jsonl"))?);
        for (case, &of) in cases.iter().zip(&of_cases[at]) {
            put(
                &mut out,
                &CaseRow {
                    copy: names.name(case.copy),
                    source: names.name(case.source),
                    in_copy: case.in_copy,
                    in_source: case.in_source,
                    of,
                    share: of.share(),
                },
            )?;
        }
        out.flush()
    })
}

/// Writes one folder, or one in it for each of two results, with all figures beside.
fn write(
    output: &Path,
    settings: &EvaluateSettings,
    evaluated: &mut Evaluated,
    n_results: usize,
    mut each: impl FnMut(&Path, usize) -> std::io::Result<()>,
) -> Result<(), Error> {
    let folder = OutputDir::create(output, settings.overwrite)?;
    evaluated.output = Some(output.to_owned());
    let mut all = || -> std::io::Result<()> {
        for at in 0..n_results {
            let inner = match n_results {
                1 => folder.path().to_owned(),
                _ => folder.path().join((at + 1).to_string()),
            };
            fs::create_dir_all(&inner)?;
            each(&inner, at)?;
        }
        let mut out = BufWriter::new(File::create(folder.path().join("evaluation.json"))?);
        serde_json::to_writer_pretty(&mut out, evaluated)?;
        out.write_all(b"\n")?;
        out.flush()?;
        let manifest = Manifest {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: "evaluate".to_owned(),
            seed: settings.bootstrap.seed,
            finished: true,
            ..Manifest::default()
        };
        manifest.write(folder.path())
    };
    all().map_err(Error::io("write", output))?;
    folder.commit()?;
    Ok(())
}

fn put(out: &mut impl Write, row: &impl Serialize) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, row)?;
    out.write_all(b"\n")
}
