//! Lists that say what is true: pairs, clusters, relevance judgements, passages.

mod names;

pub use self::names::Names;
