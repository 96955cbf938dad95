//! What can be wrong with a plan or with a log.

use std::fmt;

use thiserror::Error;

/// Why nothing was made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GenerateError {
    /// A plan that cannot be read.
    #[error("line {line}: {reason}")]
    Plan {
        /// Where.
        line: usize,
        /// Why.
        reason: String,
    },
    /// A value that cannot be used.
    #[error("{name} must be {accepted}, got {given}")]
    Value {
        /// What it is for.
        name: String,
        /// What is accepted.
        accepted: String,
        /// What was given.
        given: String,
    },
    /// A document that would become too large.
    #[error("`{name}` would become larger than {most} bytes")]
    TooLarge {
        /// The made document.
        name: String,
        /// The limit.
        most: usize,
    },
    /// Somebody asked to stop.
    #[error("stopped")]
    Stopped,
}

impl GenerateError {
    /// A value that does not fit.
    pub(super) fn value(name: &str, accepted: &str, given: impl fmt::Display) -> Self {
        Self::Value {
            name: name.to_owned(),
            accepted: accepted.to_owned(),
            given: given.to_string(),
        }
    }
}

/// Why a log does not lead back to the documents it was written for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReplayError {
    /// A line that is not of a log.
    #[error("line {line}: {reason}")]
    Line {
        /// Where.
        line: usize,
        /// Why.
        reason: String,
    },
    /// A document that is not there.
    #[error("`{output}` is made of `{input}`, which is not among the inputs")]
    Missing {
        /// The made document.
        output: String,
        /// What it is made of.
        input: String,
    },
    /// A document with another text.
    #[error("`{input}` is not the text that `{output}` was made of")]
    Different {
        /// The made document.
        output: String,
        /// What it is made of.
        input: String,
    },
    /// An edit that does not fit its text.
    #[error("`{output}`, step {step}, edit {edit}: {reason}")]
    Edit {
        /// The made document.
        output: String,
        /// Number of the step, from 1.
        step: usize,
        /// Number of the edit in its step, from 1.
        edit: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// A text that came out otherwise than it was logged.
    #[error("`{output}` came out otherwise than the log says")]
    Result {
        /// The made document.
        output: String,
    },
}
