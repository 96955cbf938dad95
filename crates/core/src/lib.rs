//! Text in, relations out: the pure heart of Retold.
//!
//! No files, clock, network or threads of its own; the same input, configuration and seed give
//! the same output everywhere. Below stand first the foundations, then the stages in the order in
//! which data goes through them; [`methods`] wires the stages together. A module imports only from
//! those above it, which `tests/order.rs` checks.

// Foundations.
pub mod error;
pub mod executor;
pub mod hash;

pub mod encode;
pub mod parameters;
pub mod scratch;

pub mod document;
pub mod relation;
pub mod relations;

// From text to words.
pub mod clean;
pub mod segment;

// From words to what is kept of a document.
pub mod entities;
pub mod features;
pub mod image;

// From documents to relations.
pub mod candidates;
pub mod verify;

// From relations to clusters, and everything together.
pub mod cluster;
pub mod methods;
