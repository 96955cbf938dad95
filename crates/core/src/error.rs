//! What can be wrong with a configuration or a comparison.

use std::fmt;

use thiserror::Error;

/// A parameter that cannot be used; always the caller's to fix.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// The method does not exist.
    #[error("there is no method named `{name}`; known methods: {known}")]
    UnknownMethod {
        /// What was asked for.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// The method has no such parameter.
    #[error("method `{method}` has no parameter `{name}`; it knows: {known}")]
    UnknownParameter {
        /// The method.
        method: String,
        /// What was given.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// The value does not fit the parameter.
    #[error("{name} must be {accepted}, got {given}")]
    Value {
        /// The parameter.
        name: String,
        /// What is accepted.
        accepted: String,
        /// What was given.
        given: String,
    },
}

impl ConfigError {
    /// A value that does not fit.
    pub fn value(name: &str, accepted: impl Into<String>, given: &dyn fmt::Display) -> Self {
        Self::Value { name: name.to_owned(), accepted: accepted.into(), given: given.to_string() }
    }
}
