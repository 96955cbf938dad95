//! One implementation of every measure.
//!
//! Documents are numbers here (`u32`); names are turned into numbers by
//! [`Names`](crate::reference::Names). What is measured decides the module:
//!
//! - [`pairs`]: pairs found against pairs listed; precision, recall, F1, the five numbers, means
//!   over clusters.
//! - [`documents`]: documents put into clusters against documents that belong into one; a, b, c, d,
//!   miss, false alarm, cost.
//! - [`clusters`]: one partition against another; adjusted Rand, B³, V-measure, sizes, what would
//!   be removed wrongly.
//! - [`retrieval`]: ranked answers; recognition, top-k curves, rank of the last correct one.
//! - [`curves`]: precision and recall, miss and false alarm over all thresholds.
//! - [`passages`]: characters of passages, granularity, plagdet.
//! - [`estimators`]: estimates against exact values; the S-curve of banding.
//! - [`agreement`]: kappa of Cohen and of Fleiss, alpha of Krippendorff.
//! - [`collisions`]: features that more than one document has.
//!
//! [`evaluation`] puts together what can be said of one result, or of two; [`large`] counts lists
//! too long to hold.
//!
//! Whatever would be a share of nothing is settled once, here: miss and false alarm are 0,
//! precision and recall are 1.

pub mod agreement;
pub mod clusters;
pub mod collisions;
pub mod curves;
pub mod documents;
pub mod estimators;
pub mod evaluation;
pub mod large;
pub mod pairs;
pub mod passages;
pub mod retrieval;

pub use self::clusters::{ClusterScores, ClusterSums, Partition};
pub use self::documents::{Costs, DocumentCounts};
pub use self::pairs::{Direction, FiveNumbers, PairCounts, PairSet, Scores};

/// Returns `n` of `of` as a share, and `empty` where there is nothing to have a share of.
pub(crate) fn share(n: u64, of: u64, empty: f64) -> f64 {
    if of == 0 { empty } else { n as f64 / of as f64 }
}

/// Returns the harmonic mean of two shares, F1 of precision and recall; 0 if both are 0.
pub fn harmonic_mean(x: f64, y: f64) -> f64 {
    if x + y > 0.0 { 2.0 * x * y / (x + y) } else { 0.0 }
}
