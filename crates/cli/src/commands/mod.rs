//! What the commands do, one file each: settings in, results on stdout.

pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod dedup;
pub(crate) mod entities;
pub(crate) mod evaluate;
pub(crate) mod experiment;
pub(crate) mod find;
pub(crate) mod generate;
pub(crate) mod idf;
pub(crate) mod index;
pub(crate) mod judge;
pub(crate) mod lattice;
pub(crate) mod lineage;
pub(crate) mod links;
pub(crate) mod man;
pub(crate) mod methods;
pub(crate) mod mine;
mod pages;
pub(crate) mod pool;
pub(crate) mod query;
pub(crate) mod regroup;
mod run;
mod standing;
pub(crate) mod stream;
pub(crate) mod tree;
mod tuning;
