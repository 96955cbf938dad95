//! What can be wrong with an experiment.

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
        /// Why not.
        source: GenerateError,
    },
    /// A line of a work file that cannot be read.
    #[error("work file, line {line}: {reason}; remove the file to start anew")]
    Work {
        /// Line in the file.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}
