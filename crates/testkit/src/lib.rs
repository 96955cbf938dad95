//! What Retold is tested with: conformance cases and made-up corpora. Never published.

pub mod cases;
pub mod corpus;
pub mod runs;
pub mod thesis;
