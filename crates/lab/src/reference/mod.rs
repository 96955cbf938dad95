//! Lists that say what is true: pairs, clusters, relevance judgements, passages.
