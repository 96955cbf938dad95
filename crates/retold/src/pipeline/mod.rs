//! From files to relations: the stages of a run and the only threads.
//!
//! [`intake`] reads every document once and keeps its image; candidates are proposed;
//! [`verifying`] reads the candidates again through the [`library`] and compares them; [`find`]
//! makes clusters and writes everything down.

pub(crate) mod closed_sets;
pub(crate) mod collection;
pub(crate) mod compare;
pub(crate) mod dedup;
pub(crate) mod find;
pub(crate) mod intake;
pub(crate) mod library;
pub(crate) mod memory;
pub(crate) mod page;
pub(crate) mod parallel;
pub(crate) mod query;
pub(crate) mod shared;
pub(crate) mod spool;
pub(crate) mod stream;
pub(crate) mod tables;
pub(crate) mod verifying;
