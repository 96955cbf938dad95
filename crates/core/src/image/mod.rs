//! What is kept of a document: small, and comparable with others made the same way.

pub mod bag;
pub mod descriptive;
pub mod digest;
pub mod edit;
pub mod feature_set;
pub mod images;
pub mod imatch;
pub mod minhash;
pub mod minimal;
pub mod packed_rows;
pub mod pair_sample;
pub mod permutation;
pub mod rabin;
pub mod recipe;
pub mod rhythm;
pub mod sentence_tree;
pub mod simhash;
pub mod super_shingles;
pub mod terms;
pub mod winnow;
