//! Results in numbers: what a folder of `retold find` or a list of pairs or clusters holds.

use std::io::BufRead as _;
use std::path::Path;

use retold::Kind;
use serde::Deserialize;

use super::clusters::{LastCell, read_clusters, read_members};
use super::counting::Counting;
use super::error::{ListError, ListFileError};
use super::kind::ListKind;
use super::names::Names;
use super::pairs::{Evidence, read_pairs};
use super::source::{Halt, Source, held, open};
use crate::error::Error;
use crate::measures::PairSet;
use crate::measures::evaluation::{Found, FoundCluster};

/// A pair that was found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoundPair {
    pub(crate) packed: u64,
    pub(crate) score: f64,
    pub(crate) relation: Option<Kind>,
}

/// A result in numbers, with what its details need.
#[derive(Debug, Default)]
pub(crate) struct ReadFound {
    pub(crate) found: Found,
    /// Pairs in the order of the set.
    pub(crate) pairs: Vec<FoundPair>,
    /// Documents of the collection, if the result lists them.
    pub(crate) n_documents: Option<u64>,
    pub(crate) remarks: Vec<String>,
}

/// Reads a result; `None` if it has more than `most` pairs.
pub(crate) fn read_found(
    path: &Path,
    kind: Option<ListKind>,
    counting: &Counting<'_>,
    most: usize,
    names: &mut Names,
) -> Result<Option<ReadFound>, Error> {
    let source = Source::of(path, kind)?;
    let mut read = ReadFound::default();
    match &source {
        Source::Folder { pairs, clusters, documents } => {
            if let Some(documents) = documents {
                read_documents(documents, names, &mut read)?;
            }
            if !read_found_pairs(pairs, counting, most, names, &mut read)? {
                return Ok(None);
            }
            if let Some(clusters) = clusters {
                if counting.finds_all() {
                    read.found.clusters =
                        Some(read_found_clusters(clusters, counting.last_cell, names)?);
                } else {
                    let remark = "clusters of the result are not used: they were made of all pairs";
                    read.remarks.push(remark.to_owned());
                }
            }
        }
        Source::File(file, ListKind::Pairs) => {
            if !read_found_pairs(file, counting, most, names, &mut read)? {
                return Ok(None);
            }
        }
        Source::File(file, ListKind::Clusters) => {
            read.found.clusters = Some(read_found_clusters(file, counting.last_cell, names)?);
        }
        Source::File(file, ListKind::Members) => {
            let clusters = read_groups(file, names)?.into_iter();
            let cluster = |members| FoundCluster { kept: None, members };
            read.found.clusters = Some(clusters.map(cluster).collect());
        }
        Source::File(..) | Source::Pan(_) => {
            return Err(ListFileError::Unfit {
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
            ListFileError::Line { path: path.to_owned(), source }
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

/// Returns whether all pairs could be held.
fn read_found_pairs(
    path: &Path,
    counting: &Counting<'_>,
    most: usize,
    names: &mut Names,
    read: &mut ReadFound,
) -> Result<bool, Error> {
    let mut pairs: Vec<FoundPair> = Vec::new();
    let outcome = read_pairs(open(path)?, Evidence::Skipped, |line| {
        if !counting.takes(line) {
            return Ok(());
        }
        for (a, b, score) in line.pairs(counting.direction, counting.score).into_iter().flatten() {
            // Documents of a pair with too small a score are known all the same.
            let (a, b) = (names.number(a), names.number(b));
            if let Some(packed) = counting.direction.pack(a, b)
                && counting.is_enough(score)
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
    read.found.pairs = Some(PairSet::from_packed(counting.direction, packed));
    read.found.scores = pairs.iter().map(|pair| pair.score).collect();
    read.pairs = pairs;
    Ok(true)
}

/// Reads clusters, each with the document that is kept if it names one.
pub(super) fn read_found_clusters(
    path: &Path,
    last_cell: LastCell,
    names: &mut Names,
) -> Result<Vec<FoundCluster>, Error> {
    let mut clusters = Vec::new();
    let outcome = read_clusters(open(path)?, last_cell, |line| {
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
pub(super) fn read_groups(path: &Path, names: &mut Names) -> Result<Vec<Vec<u32>>, Error> {
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
