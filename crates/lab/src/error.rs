//! What ends a piece of laboratory work early.

use std::io;
use std::path::{Path, PathBuf};

use retold::{Family, OutputError, Stage, Stop};
use retold_core::error::ConfigError;
use retold_mine::FimiError;
use thiserror::Error;

use crate::corpus_tree::TreeError;
use crate::evaluate::EvaluateError;
use crate::experiment::ExperimentError;
use crate::generate::{GenerateError, ReplayError};
use crate::item_names::NamesError;
use crate::judging::JudgingError;
use crate::lattice::LatticeError;
use crate::mining::MiningError;
use crate::reference::ListFileError;

/// Why a piece of laboratory work ended early.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// Reading, running a method or writing failed.
    #[error(transparent)]
    Retold(#[from] retold::Error),
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
    /// Names of items that cannot be used.
    #[error(transparent)]
    Names(#[from] NamesError),
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
    /// A corpus tree that cannot be made.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A file or folder of lists that cannot be used.
    #[error(transparent)]
    Lists(#[from] ListFileError),
    /// Lists that cannot be evaluated.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// A pool or a file of judgements that cannot be used.
    #[error(transparent)]
    Judging(#[from] JudgingError),
    /// An experiment that cannot be run.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    /// An experiment was asked to stop; its work file is kept.
    #[error("stopped after {done} of {all} cells; the same command goes on from there")]
    StoppedExperiment {
        /// Cells done.
        done: usize,
        /// All cells.
        all: usize,
    },
}

impl Error {
    /// Returns whose the error is.
    pub fn family(&self) -> Family {
        match self {
            Self::Retold(error) => error.family(),
            Self::Names(_) | Self::Transactions { .. } => Family::Input,
            Self::StoppedMining { .. } | Self::StoppedExperiment { .. } => Family::Stopped,
            Self::Generate(_)
            | Self::Plan { .. }
            | Self::Log { .. }
            | Self::Mining(_)
            | Self::Sets(_)
            | Self::Lists(_)
            | Self::Evaluate(_)
            | Self::Judging(_)
            | Self::Lattice(_)
            | Self::Tree(_)
            | Self::Experiment(_) => Family::User,
        }
    }

    /// Returns an error if somebody asked to stop.
    pub(crate) fn if_stopped(stop: &Stop, stage: Stage, n_documents: usize) -> Result<(), Self> {
        if stop.is_set() {
            let (stage, n_documents) = (stage.name(), n_documents as u64);
            return Err(retold::Error::Stopped { stage, n_documents }.into());
        }
        Ok(())
    }

    /// A mistake of this program.
    pub(crate) fn internal(reason: &str) -> Self {
        retold::Error::Internal(reason.to_owned()).into()
    }

    /// An error about one file.
    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| retold::Error::Io { what, path, source }.into()
    }
}

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Self {
        Self::Retold(error.into())
    }
}

impl From<OutputError> for Error {
    fn from(error: OutputError) -> Self {
        Self::Retold(error.into())
    }
}

impl From<retold_read::DiscoverError> for Error {
    fn from(error: retold_read::DiscoverError) -> Self {
        Self::Retold(error.into())
    }
}
