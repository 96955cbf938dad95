//! The laboratory: make test collections, measure, judge, reproduce.
//!
//! It hangs on the core alone: nothing here opens a collection or runs a pipeline. What needs a
//! run of a method ([`experiment`]) takes it through a trait that the `retold` crate implements.

pub mod reference;
pub mod statistics;

pub mod experiment;
pub mod generate;
pub mod judging;
pub mod measures;
