//! Experiments: designs that run methods over collections and say whether a claim holds.
//!
//! A [`Design`] is a TOML file: which documents, what is planted into them, which methods with
//! which parameters, what is true, what is measured, what the paper measured, which charts are
//! drawn and which claims are checked. A [`Lab`] carries out any of them:
//!
//! ```text
//! design ── sets ────── documents: chosen, drawn, or made by the generator     [base, sets, drawn]
//!        ── truth ───── what is true of them, and who says so                   [known, differences]
//!        ── cells ───── method × parameters × set, each run once       [run, bench, mining]
//!        ── measures ── what a cell comes to                           [outcome, ranking, measure]
//!        ── rows ────── cells of one setting together, with intervals           [rows]
//!        ── findings ── tables, charts, verdicts and advice                     [findings]
//!        ── report ──── text, Markdown, one HTML page, charts                   [report, lab]
//! ```
//!
//! Every finished cell becomes a line of a work file, so an experiment that was stopped goes on
//! where it was. What a cell took is kept apart from what it found: results are the same on every
//! machine, times are not.

mod advice;
mod base;
mod bench;
mod cell_key;
mod checks;
mod claims;
mod clusters;
pub mod design;
mod desk;
mod differences;
mod drawing;
mod drawn;
mod error;
mod examples;
mod families;
mod findings;
mod index_features;
mod index_figures;
mod known;
mod lab;
mod measure;
mod mining;
mod outcome;
mod plain_index;
mod published;
mod question;
mod ranking;
mod report;
mod rows;
mod run;
mod sets;

#[cfg(test)]
mod tests;

pub use self::advice::{Advice, Choice};
pub use self::claims::{Verdict, Verdicts};
pub use self::clusters::{ClustersBeside, GroupBeside};
pub use self::design::{BUILT_IN, Design, Extent};
pub use self::drawing::SetKind;
pub use self::drawn::{Drawn, draw};
pub use self::error::ExperimentError;
pub use self::examples::{Example, ExampleKind, ExampleSide, Piece};
pub use self::findings::{Column, Findings, NamedChart, Side, Table};
pub use self::lab::Lab;
pub use self::measure::{Measure, Unit};
pub use self::mining::{Groups, MinerPlan};
pub use self::outcome::{Cell, Record, Time};
pub use self::report::{findings_text, verdicts_markdown, verdicts_text};
pub use self::run::CellsDone;
pub use self::sets::{ListedQuestion, ListedSet};
