//! What is kept of a document: small, and comparable with others made the same way.

pub mod minhash;
pub mod winnow;
