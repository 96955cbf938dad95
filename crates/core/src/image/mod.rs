//! What is kept of a document: small, and comparable with others made the same way.

pub mod digest;
pub mod feature_set;
pub mod minhash;
pub mod rabin;
pub mod sentence_tree;
pub mod super_shingles;
pub mod winnow;
