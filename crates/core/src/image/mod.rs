//! What is kept of a document: small, and comparable with others made the same way.

pub mod descriptive;
pub mod digest;
pub mod feature_set;
pub mod minhash;
pub mod minimal;
pub mod permutation;
pub mod winnow;
