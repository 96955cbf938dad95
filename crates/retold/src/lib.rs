//! retold
