//! The stored index: documents and posting lists in a folder that survives crashes.

pub mod disk;
