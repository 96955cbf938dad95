//! Retold for Python: the module `retold._retold`, on which the package in `python/retold` is built.
//!
//! The story in the order of a call:
//!
//! 1. `sources` turns what Python hands over into a [`retold::Source`]: paths, Arrow streams (`capsule`,
//!    `columns`), or items of an iterable.
//! 2. `settings` reads the job from JSON, with the names of the options.
//! 3. `running` runs the work on a thread of its own, while the thread that called waits, looks for
//!    signals and tells of the progress.
//! 4. `results` takes what is found; `tables` makes Arrow tables of it, with the columns of the files
//!    that the command line writes.
//! 5. `errors` turns the families of errors into exceptions.
//!
//! `stages` has what a cluster of machines needs: a run cut into pieces that take and give Arrow tables.
//!
//! Everything that is pleasant to use, defaults, names, docstrings, lies in `python/retold`: what crosses
//! the border here is plain, JSON for what is small and Arrow for what is large.

mod capsule;
mod columns;
mod compare;
mod errors;
mod finding;
mod index;
mod kept;
mod lab;
mod query;
mod results;
mod rows;
mod running;
mod settings;
mod sources;
mod stages;
mod tables;
mod watch;

/// The module.
#[pyo3::pymodule]
mod _retold {
    #[pymodule_export]
    use super::compare::compare;
    #[pymodule_export]
    use super::errors::{Error, InputError, InternalError, StoppedError, UsageError};
    #[pymodule_export]
    use super::finding::{Findings, dedup, find};
    #[pymodule_export]
    use super::index::{Index, is_index};
    #[pymodule_export]
    use super::kept::{kept_documents, kept_rows_of};
    #[pymodule_export]
    use super::lab::{evaluate, generate, methods};
    #[pymodule_export]
    use super::query::query;
    #[pymodule_export]
    use super::stages::{Searching, Stages};
    #[pymodule_export]
    use super::tables::Table;
    #[pymodule_export]
    use super::watch::Watch;

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
