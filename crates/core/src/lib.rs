//! Text in, relations out: the pure heart of Retold.
//!
//! No files, clock, network or threads of its own; the same input, configuration and seed give
//! the same output everywhere. Data goes through [`clean`], [`segment`], [`features`], [`image`],
//! [`candidates`], [`verify`] and [`cluster`]; [`methods`] wires them together, and [`entities`]
//! stands between words and features. A module imports only from those before it, and from the
//! foundations: [`document`], [`relation`], [`hash`], [`encode`], [`scratch`], [`executor`],
//! [`error`], [`parameters`].

pub mod encode;
pub mod error;
pub mod executor;
pub mod hash;
pub mod parameters;
pub mod scratch;

pub mod document;
pub mod relation;

pub mod candidates;
pub mod clean;
pub mod cluster;
pub mod entities;
pub mod features;
pub mod image;
pub mod methods;
pub mod segment;
pub mod verify;
