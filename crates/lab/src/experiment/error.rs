//! What can go wrong with an experiment.

use thiserror::Error;

use crate::generate::GenerateError;

/// Why an experiment cannot be run.
#[derive(Debug, Error)]
pub enum ExperimentError {
    /// A design that cannot be read.
    #[error("design `{name}`, line {line}: {reason}")]
    Design {
        /// The design.
        name: String,
        /// Line in its file.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A design that asks for something that there is not.
    #[error("design `{name}`: {reason}")]
    Unusable {
        /// The design.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// A collection that cannot be made.
    #[error("design `{name}`: {source}")]
    Generate {
        /// The design.
        name: String,
        /// What the generator said.
        source: GenerateError,
    },
    /// A method that cannot be run, or documents that cannot be read.
    #[error("{0}")]
    Workbench(String),
    /// A line of a work file that is not ours.
    #[error("work file, line {line}: {reason}; remove the file to start anew")]
    Work {
        /// Line in the file.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A work file that cannot be written.
    #[error("cannot write the work file: {0}")]
    Write(std::io::Error),
    /// The experiment was asked to stop; what is done is kept.
    #[error("stopped after {done} of {all} cells; the same command goes on from there")]
    Stopped {
        /// Cells done.
        done: usize,
        /// All cells.
        all: usize,
    },
}
