//! Lists from files, in numbers.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use crate::measures::PairSet;
use crate::measures::evaluation::{Found, FoundCluster, MOST_PAIRS, Truth};
use crate::reference::{
    Evidence, ListError, ListKind, Names, PairLine, is_negative, read_clusters, read_members,
    read_pairs,
};
use retold_core::relation::Kind;
use serde::Deserialize;

use super::{EvaluateError, EvaluateSettings, TruthFacts};
use crate::error::Error;

/// Bytes from which the kind of a list is told.
const HEAD_BYTES: u64 = 64 << 10;

/// What stands in a folder or a file of results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A folder of ours: pairs, and clusters and documents if they are there.
    Folder { pairs: PathBuf, clusters: Option<PathBuf>, documents: Option<PathBuf> },
    /// A folder of XML files, in order.
    Pan(Vec<PathBuf>),
    /// A single list.
    File(PathBuf, ListKind),
}

impl Source {
    /// Looks what is there.
    pub(super) fn of(path: &Path, kind: Option<ListKind>) -> Result<Self, Error> {
        if !path.is_dir() {
            let kind = match kind {
                Some(kind) => kind,
                None => kind_of(path)?,
            };
            return Ok(Self::File(path.to_owned(), kind));
        }
        let file = |name: &str| Some(path.join(name)).filter(|path| path.is_file());
        if let Some(pairs) = file("pairs.jsonl").or_else(|| file("pairs.csv")) {
            let (clusters, documents) = (file("clusters.jsonl"), file("documents.jsonl"));
            return Ok(Self::Folder { pairs, clusters, documents });
        }
        match xml_files(path)? {
            files if files.is_empty() => Err(EvaluateError::NoTables(path.to_owned()).into()),
            files => Ok(Self::Pan(files)),
        }
    }

    /// Returns what it holds, for a message.
    pub(super) fn holds(&self) -> &'static str {
        match self {
            Self::Folder { .. } | Self::File(_, ListKind::Pairs) => "pairs",
            Self::File(_, ListKind::Clusters | ListKind::Members) => "clusters",
            Self::File(_, ListKind::Qrels) => "relevance judgements",
            Self::File(_, ListKind::Run) => "ranked answers",
            Self::Pan(_) | Self::File(_, ListKind::Pan | ListKind::Spans) => "passages",
        }
    }
}

/// Returns the XML files of a folder and of the folders in it, in order of their names.
pub(super) fn xml_files(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    let mut folders = vec![(path.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(Error::io("read", &folder))? {
            let path = entry.map_err(Error::io("read", &folder))?.path();
            if path.is_dir() && depth < 2 {
                folders.push((path, depth + 1));
            } else if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("xml")) {
                files.push(path);
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Tells what a list holds from its beginning; a folder is taken for one of XML files.
pub(super) fn kind_of(path: &Path) -> Result<ListKind, Error> {
    if path.is_dir() {
        return Ok(ListKind::Pan);
    }
    let mut head = Vec::new();
    open(path)?.take(HEAD_BYTES).read_to_end(&mut head).map_err(Error::io("read", path))?;
    // A character cut in two at the end is no fault of the list.
    if let Err(error) = std::str::from_utf8(&head)
        && error.error_len().is_none()
    {
        head.truncate(error.valid_up_to());
    }
    ListKind::detect(&head).ok_or_else(|| EvaluateError::Unknown(path.to_owned()).into())
}

pub(super) fn open(path: &Path) -> Result<BufReader<File>, Error> {
    let file = File::open(path).map_err(Error::io("open", path))?;
    Ok(BufReader::with_capacity(1 << 20, file))
}

/// Counts the lines of a file, up to a few more than `most`.
pub(super) fn n_lines(path: &Path, most: usize) -> Result<usize, Error> {
    let mut file = open(path)?;
    let mut n = 0;
    while n <= most {
        let bytes = file.fill_buf().map_err(Error::io("read", path))?;
        if bytes.is_empty() {
            break;
        }
        n += memchr::memchr_iter(b'\n', bytes).count();
        let n_read = bytes.len();
        file.consume(n_read);
    }
    Ok(n)
}

/// A reason to stop reading: a fault, or more than may be held.
pub(super) enum Halt {
    Fault(ListError),
    Other(Error),
    TooMany,
}

impl From<ListError> for Halt {
    fn from(error: ListError) -> Self {
        Self::Fault(error)
    }
}

impl Halt {
    /// Names the file; `None` if there was only too much.
    pub(super) fn named(self, path: &Path) -> Option<Error> {
        match self {
            Self::Fault(source) => {
                Some(EvaluateError::List { path: path.to_owned(), source }.into())
            }
            Self::Other(error) => Some(error),
            Self::TooMany => None,
        }
    }
}

/// A pair that was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoundPair {
    pub(super) packed: u64,
    pub(super) score: f64,
    pub(super) relation: Option<Kind>,
}

/// A result in numbers, with what its details need.
#[derive(Debug, Default)]
pub(super) struct ReadFound {
    pub(super) found: Found,
    /// Pairs in the order of the set.
    pub(super) pairs: Vec<FoundPair>,
    /// Documents of the collection, if the result lists them.
    pub(super) n_documents: Option<u64>,
    pub(super) remarks: Vec<String>,
}

/// Reads a result; `None` if it has more than `most` pairs.
pub(super) fn read_found(
    path: &Path,
    settings: &EvaluateSettings,
    most: usize,
    names: &mut Names,
) -> Result<Option<ReadFound>, Error> {
    let source = Source::of(path, settings.found_kind)?;
    let mut read = ReadFound::default();
    match &source {
        Source::Folder { pairs, clusters, documents } => {
            if let Some(documents) = documents {
                read_documents(documents, names, &mut read)?;
            }
            if !read_found_pairs(pairs, settings, most, names, &mut read)? {
                return Ok(None);
            }
            if let Some(clusters) = clusters {
                if settings.min_score.is_none() && settings.relations.is_empty() {
                    read.found.clusters = Some(read_found_clusters(clusters, settings, names)?);
                } else {
                    let remark = "clusters of the result are not used: they were made of all pairs";
                    read.remarks.push(remark.to_owned());
                }
            }
        }
        Source::File(file, ListKind::Pairs) => {
            if !read_found_pairs(file, settings, most, names, &mut read)? {
                return Ok(None);
            }
        }
        Source::File(file, ListKind::Clusters) => {
            read.found.clusters = Some(read_found_clusters(file, settings, names)?);
        }
        Source::File(file, ListKind::Members) => {
            let clusters = read_groups(file, names)?.into_iter();
            let cluster = |members| FoundCluster { kept: None, members };
            read.found.clusters = Some(clusters.map(cluster).collect());
        }
        Source::File(..) | Source::Pan(_) => {
            return Err(EvaluateError::Unfit {
                path: path.to_owned(),
                holds: source.holds(),
                truth: "pairs and clusters",
                needed: "pairs and clusters",
            }
            .into());
        }
    }
    Ok(Some(read))
}

/// Reads the names of all documents, so that those without a pair are known too.
fn read_documents(path: &Path, names: &mut Names, read: &mut ReadFound) -> Result<(), Error> {
    #[derive(Deserialize)]
    struct Line<'a> {
        #[serde(borrow)]
        id: std::borrow::Cow<'a, str>,
        #[serde(default)]
        pairs_cut: Option<bool>,
    }
    let text = open(path)?;
    let (mut n, mut n_cut) = (0, 0u64);
    for (at, line) in text.lines().enumerate() {
        let line = line.map_err(Error::io("read", path))?;
        let document: Line<'_> = serde_json::from_str(&line).map_err(|error| {
            let source = ListError::Line { line: at as u64 + 1, reason: error.to_string() };
            EvaluateError::List { path: path.to_owned(), source }
        })?;
        names.number(&document.id);
        n += 1;
        n_cut += u64::from(document.pairs_cut == Some(true));
    }
    if n_cut > 0 {
        read.remarks.push(format!(
            "a limit left out pairs of {n_cut} documents, which count as not found; see \
             `--pairs-per-document` of `retold find`"
        ));
    }
    read.n_documents = Some(n);
    Ok(())
}

/// Whether a line of a result counts as found.
pub(super) fn counts(line: &PairLine<'_>, settings: &EvaluateSettings) -> bool {
    settings.relations.is_empty()
        || line.relation.is_some_and(|relation| settings.relations.contains(&relation))
}

/// Whether a score is enough; one that is not known is.
pub(super) fn is_enough(score: f64, settings: &EvaluateSettings) -> bool {
    settings.min_score.is_none_or(|least| score.is_nan() || score >= least)
}

/// Returns whether all pairs could be held.
fn read_found_pairs(
    path: &Path,
    settings: &EvaluateSettings,
    most: usize,
    names: &mut Names,
    read: &mut ReadFound,
) -> Result<bool, Error> {
    let mut pairs: Vec<FoundPair> = Vec::new();
    let outcome = read_pairs(open(path)?, Evidence::Skipped, |line| {
        if !counts(line, settings) {
            return Ok(());
        }
        for (a, b, score) in line.pairs(settings.direction, settings.score).into_iter().flatten() {
            let (a, b) = (names.number(a), names.number(b));
            if let Some(packed) = settings.direction.pack(a, b)
                && is_enough(score, settings)
            {
                pairs.push(FoundPair { packed, score, relation: line.relation });
            }
        }
        if pairs.len() > most { Err(Halt::TooMany) } else { Ok(()) }
    });
    if let Err(halt) = outcome {
        return halt.named(path).map_or(Ok(false), Err);
    }
    // Of repeats the one with the highest score stays; what has none comes last.
    let rank = |score: f64| if score.is_nan() { f64::NEG_INFINITY } else { score };
    pairs.sort_by(|x, y| x.packed.cmp(&y.packed).then(rank(y.score).total_cmp(&rank(x.score))));
    pairs.dedup_by_key(|pair| pair.packed);
    let packed = pairs.iter().map(|pair| pair.packed).collect();
    read.found.pairs = Some(PairSet::from_packed(settings.direction, packed));
    read.found.scores = pairs.iter().map(|pair| pair.score).collect();
    read.pairs = pairs;
    Ok(true)
}

fn read_found_clusters(
    path: &Path,
    settings: &EvaluateSettings,
    names: &mut Names,
) -> Result<Vec<FoundCluster>, Error> {
    let mut clusters = Vec::new();
    let outcome = read_clusters(open(path)?, settings.last_cell, |line| {
        clusters.push(FoundCluster {
            kept: line.representative.as_deref().map(|name| names.number(name)),
            members: line.members.iter().map(|name| names.number(name)).collect(),
        });
        Ok::<(), Halt>(())
    });
    match outcome {
        Ok(()) => Ok(clusters),
        Err(halt) => Err(held(halt, path)),
    }
}

/// Reads documents with the names of their clusters, clusters in the order of their first ones.
fn read_groups(path: &Path, names: &mut Names) -> Result<Vec<Vec<u32>>, Error> {
    let mut clusters: Vec<Vec<u32>> = Vec::new();
    let mut of = Names::default();
    let outcome = read_members(open(path)?, |document, cluster| {
        let cluster = of.number(cluster) as usize;
        if cluster == clusters.len() {
            clusters.push(Vec::new());
        }
        clusters[cluster].push(names.number(document));
        Ok::<(), Halt>(())
    });
    match outcome {
        Ok(()) => Ok(clusters),
        Err(halt) => Err(held(halt, path)),
    }
}

/// Names the file of a halt that was not for want of room.
pub(super) fn held(halt: Halt, path: &Path) -> Error {
    let internal = || Error::internal("a list was cut that has no limit");
    halt.named(path).unwrap_or_else(internal)
}

/// What a line of the truth says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    Yes,
    No,
    Nothing,
}

/// Returns what a line of the truth says.
pub(super) fn says(line: &PairLine<'_>, settings: &EvaluateSettings) -> Says {
    let Some(label) = line.label.as_deref() else {
        // Without a label a number is a grade.
        let is_zero = line.score.is_some_and(|score| score <= 0.0);
        return if is_zero { Says::No } else { Says::Yes };
    };
    let has = |list: &[String]| list.iter().any(|name| name == label);
    if has(&settings.ignored) {
        Says::Nothing
    } else if has(&settings.negative) {
        Says::No
    } else if !settings.labels.is_empty() {
        if has(&settings.labels) {
            Says::Yes
        } else if is_negative(label) {
            Says::No
        } else {
            Says::Nothing
        }
    } else if is_negative(label) {
        Says::No
    } else {
        Says::Yes
    }
}

/// The truth in numbers, with what its details need.
#[derive(Debug, Default)]
pub(super) struct ReadTruth {
    pub(super) truth: Truth,
    pub(super) facts: TruthFacts,
}

/// Reads a truth of pairs or clusters; `None` if it has more than `most` pairs.
pub(super) fn read_truth(
    path: &Path,
    kind: ListKind,
    settings: &EvaluateSettings,
    most: usize,
    names: &mut Names,
) -> Result<Option<ReadTruth>, Error> {
    let mut read = ReadTruth::default();
    let clusters = match kind {
        ListKind::Pairs => {
            return read_true_pairs(path, settings, most, names, &mut read)
                .map(|is_whole| is_whole.then_some(read));
        }
        ListKind::Members => read_groups(path, names)?,
        _ => {
            let found = read_found_clusters(path, settings, names)?;
            found
                .into_iter()
                .map(|cluster| {
                    let mut members = cluster.members;
                    members.extend(cluster.kept);
                    members.sort_unstable();
                    members.dedup();
                    members
                })
                .collect()
        }
    };
    read.facts.n_lines = clusters.len() as u64;
    let clusters: Vec<Vec<u32>> =
        clusters.into_iter().filter(|members| members.len() > 1).collect();
    read.facts.n_true = clusters.len() as u64;
    // Clusters join, they do not order: their pairs hold in both directions.
    let pairs = PairSet::from_clusters(&clusters, MOST_PAIRS).ok();
    read.truth.pairs = pairs.map(|pairs| pairs.directed(settings.direction));
    read.truth.clusters = Some(clusters);
    Ok(Some(read))
}

fn read_true_pairs(
    path: &Path,
    settings: &EvaluateSettings,
    most: usize,
    names: &mut Names,
    read: &mut ReadTruth,
) -> Result<bool, Error> {
    let direction = settings.direction;
    let (mut positive, mut negative) = (Vec::new(), Vec::new());
    let mut label_names = Names::default();
    let mut labels: Vec<Vec<u64>> = Vec::new();
    let facts = &mut read.facts;
    let outcome = read_pairs(open(path)?, Evidence::Skipped, |line| {
        facts.n_lines += 1;
        let says = says(line, settings);
        if says == Says::Nothing {
            facts.n_ignored += 1;
            return Ok(());
        }
        for (a, b, _) in line.pairs(direction, settings.score).into_iter().flatten() {
            let Some(packed) = direction.pack(names.number(a), names.number(b)) else {
                facts.n_self += 1;
                continue;
            };
            if says == Says::No {
                negative.push(packed);
                continue;
            }
            positive.push(packed);
            if let Some(label) = line.label.as_deref() {
                let label = label_names.number(label) as usize;
                if label == labels.len() {
                    labels.push(Vec::new());
                }
                labels[label].push(packed);
            }
        }
        if positive.len() + negative.len() > most { Err(Halt::TooMany) } else { Ok(()) }
    });
    if let Err(halt) = outcome {
        return halt.named(path).map_or(Ok(false), Err);
    }
    let set = |packed: Vec<u64>| PairSet::from_packed(direction, packed);
    let positive = set(positive);
    // What is listed both ways is true.
    let negative = set(negative).filtered(|a, b| !positive.contains(a, b));
    facts.n_true = positive.len() as u64;
    facts.n_negative = negative.len() as u64;
    let labelled = labels.into_iter().zip(0..);
    read.truth.labels =
        labelled.map(|(packed, n)| (label_names.name(n).to_owned(), set(packed))).collect();
    read.truth.pairs = Some(positive);
    read.truth.negatives = negative;
    Ok(true)
}
