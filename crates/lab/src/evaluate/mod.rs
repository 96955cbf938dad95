//! `evaluate`: results against a list of what is true.
//!
//! A result is a folder that `retold find` wrote or a list of pairs, clusters, answers or passages;
//! the truth is such a list too. What the truth holds decides what is measured
//! ([`crate::measures`]): pairs and clusters ([`pairs`]), ranked answers ([`ranking`]),
//! passages ([`passages`]). Lists too long to hold are counted in parts. [`details`] writes which
//! pairs were found and which are listed.

mod details;
mod pairs;
mod passages;
mod ranking;

use std::path::{Path, PathBuf};

use retold::{Kind, ReadOptions};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::error::Error;
use crate::measures::evaluation::{
    Comparison, Evaluation, PairedTests, PassageFigures, RankingFigures, TruthOf,
};
use crate::measures::pairs::Scores;
use crate::measures::{Costs, Direction, FiveNumbers};
use crate::reference::{Counting, LastCell, ListKind, ScoreOf, TruthFacts, kind_of};
use crate::statistics::Bootstrap;

/// The unit in which places of passages are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlaceUnit {
    /// Bytes of UTF-8, as `retold find` writes them.
    Bytes,
    /// Unicode scalar values, as PAN writes them.
    Characters,
}

impl PlaceUnit {
    /// Returns the name used in flags and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Characters => "characters",
        }
    }
}

/// What is evaluated against what, and how.
#[derive(Clone, Debug)]
pub struct EvaluateSettings {
    /// What the truth holds; detected from its first line if not given.
    pub kind: Option<ListKind>,
    /// What results hold; detected from the first line if not given.
    pub found_kind: Option<ListKind>,
    /// What the last cell of a line of a cluster is.
    pub last_cell: LastCell,
    /// Whether the order of pairs matters. The default is that it does not.
    pub direction: Direction,
    /// How complete the truth is. The default is a list that may lack pairs.
    pub truth: TruthOf,
    /// Relations that count as found; empty takes all.
    pub relations: Vec<Kind>,
    /// Labels of the truth that count as true; empty takes all but those that say no.
    pub labels: Vec<String>,
    /// Labels that say no, beside the usual ones.
    pub negative: Vec<String>,
    /// Labels whose lines are passed over.
    pub ignored: Vec<String>,
    /// Whether only those pairs of a result count that the truth lists, be it as true or as not. The
    /// default is that all do.
    pub is_listed_only: bool,
    /// Which score of a pair counts.
    pub score: ScoreOf,
    /// Least score of a pair that counts as found.
    pub min_score: Option<f64>,
    /// Documents in all; taken from `documents.jsonl` of a result if not given.
    pub n_documents: Option<u64>,
    /// What mistakes cost; `p_dup` counts only if it is not estimated.
    pub costs: Costs,
    /// Whether the share of duplicates is estimated from the truth. The default is that it is.
    pub estimates_p_dup: bool,
    /// Numbers of results at which answers are measured. The default is 1, 5, 10, 20, 50, 100.
    pub top: Vec<u64>,
    /// Unit of the places of the truth; detected from its form if not given.
    pub unit: Option<PlaceUnit>,
    /// Texts of the documents, by which places are converted.
    pub texts: Vec<PathBuf>,
    /// How these texts are read.
    pub read: ReadOptions,
    /// How intervals are drawn.
    pub bootstrap: Bootstrap,
    /// Pairs of both lists that are held; longer lists are counted in parts. The default is
    /// 2,000,000.
    pub most_pairs: usize,
    /// Folder for scratch files.
    pub scratch: Option<PathBuf>,
    /// Folder to write details into.
    pub output: Option<PathBuf>,
    /// Whether an earlier result there may be replaced.
    pub overwrite: bool,
}

impl Default for EvaluateSettings {
    fn default() -> Self {
        Self {
            kind: None,
            found_kind: None,
            last_cell: LastCell::Document,
            direction: Direction::Unordered,
            truth: TruthOf::Listed,
            relations: Vec::new(),
            labels: Vec::new(),
            negative: Vec::new(),
            ignored: Vec::new(),
            is_listed_only: false,
            score: ScoreOf::Containment,
            min_score: None,
            n_documents: None,
            costs: Costs::default(),
            estimates_p_dup: true,
            top: vec![1, 5, 10, 20, 50, 100],
            unit: None,
            texts: Vec::new(),
            read: ReadOptions::default(),
            bootstrap: Bootstrap::default(),
            most_pairs: 2_000_000,
            scratch: None,
            output: None,
            overwrite: false,
        }
    }
}

impl EvaluateSettings {
    /// Returns which lines of lists count.
    fn counting(&self) -> Counting<'_> {
        Counting {
            direction: self.direction,
            score: self.score,
            last_cell: self.last_cell,
            relations: &self.relations,
            min_score: self.min_score,
            labels: &self.labels,
            negative: &self.negative,
            ignored: &self.ignored,
        }
    }
}

/// Results, what they are compared with, and how.
#[derive(Clone, Copy)]
struct Request<'a> {
    found: &'a [PathBuf],
    reference: &'a Path,
    settings: &'a EvaluateSettings,
}

/// Why something cannot be evaluated.
#[derive(Debug, Error)]
pub enum EvaluateError {
    /// Places in different units.
    #[error("places of the reference count {reference}, those of the result {found}")]
    Units {
        /// Unit of the truth.
        reference: &'static str,
        /// Unit of the result.
        found: &'static str,
    },
    /// A document whose text was not among those given.
    #[error("there is no text for document `{0}`")]
    NoText(String),
    /// Only listed pairs, of lists that cannot be held.
    #[error("pairs that are not listed can be left out of lists that fit into memory only")]
    TooLongForListed,
    /// Nothing to compare with.
    #[error("`{}` lists nothing that is true", .0.display())]
    EmptyTruth(PathBuf),
}

/// The figures of one result.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Figures {
    /// Pairs and clusters.
    Pairs(Box<Evaluation>),
    /// Counts of lists too long to hold.
    Counts(CountFigures),
    /// Ranked answers.
    Ranking(RankingFigures),
    /// Passages.
    Passages(PassageFigures),
}

/// Figures that need no more than counts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CountFigures {
    /// The five numbers.
    pub counts: FiveNumbers,
    /// Precision, recall and F1 over pairs.
    #[serde(flatten)]
    pub scores: Scores,
}

/// One result, evaluated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EvaluatedResult {
    /// The result as it was named.
    pub found: String,
    /// Its figures.
    #[serde(flatten)]
    pub figures: Figures,
    /// Remarks that are needed to interpret the figures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// Two results, compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Compared {
    /// By their pairs.
    Pairs(Box<Comparison>),
    /// By one figure of each question or passage.
    Paired(PairedTests),
}

/// Results against a truth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluated {
    /// The truth as it was named.
    pub reference: String,
    /// What it holds.
    pub kind: ListKind,
    /// What was read of it.
    pub facts: TruthFacts,
    /// What it may claim to be.
    pub truth: TruthOf,
    /// Whether the order of pairs matters.
    pub direction: Direction,
    /// What recall is called.
    pub recall_name: &'static str,
    /// What precision is called.
    pub precision_name: &'static str,
    /// How sure intervals are.
    pub level: f64,
    /// Samples they are drawn from.
    pub repeats: usize,
    /// The results, in the order given.
    pub results: Vec<EvaluatedResult>,
    /// The first against the second, if there are two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Compared>,
    /// Where details were written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<PathBuf>,
}

/// Evaluates one result, or two beside each other, against a truth.
pub fn evaluate(
    found: &[PathBuf],
    reference: &Path,
    settings: &EvaluateSettings,
) -> Result<Evaluated, Error> {
    let kind = match settings.kind {
        Some(kind) => kind,
        None => kind_of(reference)?,
    };
    let mut evaluated = Evaluated {
        reference: reference.display().to_string(),
        kind,
        facts: TruthFacts::default(),
        truth: settings.truth,
        direction: settings.direction,
        recall_name: settings.truth.recall_name(),
        precision_name: settings.truth.precision_name(),
        level: settings.bootstrap.level.get(),
        repeats: settings.bootstrap.repeats,
        results: Vec::new(),
        comparison: None,
        output: None,
    };
    let request = Request { found, reference, settings };
    match kind {
        ListKind::Pairs | ListKind::Clusters | ListKind::Members => {
            pairs::evaluate(request, &mut evaluated)?;
        }
        ListKind::Qrels | ListKind::Run => {
            ranking::evaluate(request, &mut evaluated)?;
        }
        ListKind::Pan | ListKind::Spans => {
            passages::evaluate(request, &mut evaluated)?;
        }
    }
    Ok(evaluated)
}

#[cfg(test)]
mod tests;
