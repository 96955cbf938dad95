//! Experiments: designs that run methods over collections and say whether a claim holds.
//!
//! A [`Design`] is a TOML file: which documents, what is planted into them, which methods with
//! which parameters, what is true, what is measured, what the paper measured, which charts are
//! drawn and which claims are checked. [`run()`] carries out any of them:
//!
//! ```text
//! design ── sets ────── documents with their truth, made by the generator      [sets]
//!        ── cells ───── method × parameters × set, each run once               [run]
//!        ── measures ── what a cell comes to                                    [outcome]
//!        ── rows ────── cells of one setting together, with intervals           [rows]
//!        ── findings ── tables, charts and verdicts as plain data               [findings]
//! ```
//!
//! Methods are run by a [`Workbench`], which the `retold` crate implements; nothing here knows how.
//! Every finished cell becomes a line of a work file, so an experiment that was stopped goes on
//! where it was. What a cell took is kept apart from what it found: results are the same on every
//! machine, times are not.

mod advice;
mod claims;
pub mod design;
mod drawn;
mod error;
mod findings;
mod fixtures;
mod outcome;
mod rows;
mod run;
mod sets;
mod workbench;

#[cfg(test)]
mod tests;

pub use self::advice::{Advice, Choice};
pub use self::claims::{Verdict, Verdicts};
pub use self::design::{BUILT_IN, Design, Extent};
pub use self::drawn::{Drawn, draw};
pub use self::error::ExperimentError;
pub use self::findings::{
    BarValue, ChartData, ChartKind, Column, Findings, LineData, LineLook, LinePoint, Side, Table,
    figure,
};
pub use self::outcome::{Cell, Record, Time};
pub use self::run::{Request, Watch, run};
pub use self::sets::Set;
pub use self::workbench::{Answered, CellJob, Ran, Workbench};
