//! From sources to sinks: the stages of a run and the only threads.
//!
//! [`intake`] takes every document of the [`sources`] once and keeps its image; candidates come as [`proposals`];
//! [`verifying`] reads them again through the [`library`] and compares them; [`gathering`] makes
//! clusters of the relations; [`report`] hands everything to the sink. [`run`] leads from one to the
//! next, and [`budget`] says what each may hold.

pub(crate) mod bits;
pub(crate) mod boilerplate;
pub(crate) mod budget;
pub(crate) mod bytes;
pub(crate) mod cache;
pub(crate) mod closed_sets;
pub(crate) mod cluster_lines;
pub(crate) mod clusters;
pub(crate) mod collection;
pub(crate) mod common_runs;
pub(crate) mod crowds;
pub(crate) mod decide;
pub(crate) mod decided_before;
pub(crate) mod decisions;
pub(crate) mod entry;
mod filed_runs;
mod finished;
pub(crate) mod gathering;
pub(crate) mod group;
pub(crate) mod handling;
pub(crate) mod intake;
pub(crate) mod joining;
mod large_sets;
pub(crate) mod library;
pub(crate) mod linked;
mod losses;
pub(crate) mod manifest;
pub(crate) mod page;
pub(crate) mod parallel;
pub(crate) mod preference;
pub(crate) mod preparing;
pub(crate) mod proposals;
pub(crate) mod regrouping;
pub(crate) mod removals;
pub(crate) mod report;
pub(crate) mod rounds;
pub(crate) mod run;
pub(crate) mod run_sets;
pub(crate) mod same_words;
pub(crate) mod scratch;
pub(crate) mod shared;
pub(crate) mod side;
pub(crate) mod sources;
pub(crate) mod stored;
pub(crate) mod tables;
pub(crate) mod turns;
pub(crate) mod verdicts;
pub(crate) mod verifying;
pub(crate) mod work_memory;
