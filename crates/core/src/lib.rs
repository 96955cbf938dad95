//! Text in, relations out: the pure heart of Retold.
//!
//! No files, clock, network or threads of its own; the same input, configuration and seed give
//! the same output everywhere. The modules stand in the order of the data, and a module imports
//! only from those above it.

pub mod error;
pub mod encode;
pub mod executor;
pub mod hash;
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
