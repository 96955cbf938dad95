//! What ends a run: three families, and the wish to stop.

use std::io;
use std::path::{Path, PathBuf};

use retold_core::entities::ListError;
use retold_core::error::ConfigError;
use retold_lab::generate::{GenerateError, ReplayError};
use retold_mine::FimiError;
use retold_read::{BadRecord, DiscoverError};
use retold_report::OutputError;
use thiserror::Error;

use crate::evaluate::EvaluateError;
use crate::lattice::LatticeError;
use crate::mining::MiningError;
use crate::pipeline::budget::size;

/// Why a run ended early. The family decides the exit code.
#[derive(Debug, Error)]
pub enum Error {
    /// Settings or paths the caller can fix.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Inputs that are not there.
    #[error(transparent)]
    Discover(#[from] DiscoverError),
    /// An output folder that cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A bad record in a strict run.
    #[error("{0}")]
    Input(BadRecord),
    /// Nothing to read.
    #[error("no documents in {0}")]
    Empty(String),
    /// A file that could not be read or written.
    #[error("cannot {what} `{}`: {source}", path.display())]
    Io {
        /// What was tried: `write`, `create`.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A table of statistics that cannot be used.
    #[error("cannot use `{}`, line {line}: {reason}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// Where.
        line: u64,
        /// Why.
        reason: String,
    },
    /// A list of names or rule words that cannot be used.
    #[error("cannot use `{}`: {source}", path.display())]
    List {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        source: ListError,
    },
    /// A plan of what to make that cannot be carried out.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// A file with a plan that cannot be used.
    #[error("cannot use `{}`: {source}", path.display())]
    Plan {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        source: GenerateError,
    },
    /// A log that does not lead back to what was made.
    #[error("cannot use `{}`: {source}", path.display())]
    Log {
        /// The file.
        path: PathBuf,
        /// What is wrong in it, or does not fit.
        source: ReplayError,
    },
    /// A method that needs statistics where there is no collection to take them from.
    #[error(
        "method `{0}` weighs words by how many documents hold them, and a stream does not know its documents beforehand"
    )]
    NeedsTable(String),
    /// Mining that cannot be done.
    #[error(transparent)]
    Mining(#[from] MiningError),
    /// A file of transactions that cannot be used.
    #[error("cannot use `{}`: {source}", path.display())]
    Transactions {
        /// The file.
        path: PathBuf,
        /// What is wrong in it, with its line.
        source: FimiError,
    },
    /// Sets that could not be handed on.
    #[error("cannot write sets: {0}")]
    Sets(io::Error),
    /// Mining was asked to stop.
    #[error("stopped after {n_sets} sets")]
    StoppedMining {
        /// Sets given out until then.
        n_sets: u64,
    },
    /// A lattice that cannot be made or drawn.
    #[error(transparent)]
    Lattice(#[from] LatticeError),
    /// Lists that cannot be evaluated.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// A pool or a file of judgements that cannot be used.
    #[error(transparent)]
    Judging(#[from] retold_lab::judging::JudgingError),
    /// Rows of a copy that could not be written.
    #[error(transparent)]
    Copy(#[from] retold_read::CopyError),
    /// Somebody asked the run to stop; nothing was written.
    #[error("stopped during {stage} after {n_documents} documents; nothing was written")]
    Stopped {
        /// The stage it was in.
        stage: &'static str,
        /// Documents read so far.
        n_documents: u64,
    },
    /// Somebody asked to follow no longer.
    #[error("stopped after {n_documents} documents")]
    StoppedFollowing {
        /// Documents answered.
        n_documents: u64,
    },
    /// An experiment that cannot be run.
    #[error(transparent)]
    Experiment(retold_lab::experiment::ExperimentError),
    /// Somebody asked an experiment to stop; its work file is kept.
    #[error("stopped after {done} of {all} cells; the same command goes on from there")]
    StoppedExperiment {
        /// Cells done.
        done: usize,
        /// All cells.
        all: usize,
    },
    /// A budget of memory that is too small.
    #[error("{what} cannot be held in {}; the smallest memory that will do is {}", size(*given), size(*needed))]
    Memory {
        /// What does not fit.
        what: String,
        /// The bytes that would do.
        needed: u64,
        /// The bytes there are.
        given: u64,
    },
    /// Our mistake.
    #[error("internal error: {0}; please report it")]
    Internal(String),
}

impl Error {
    /// An error about one file.
    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { what, path, source }
    }
}
