//! Intervals, tests and fits.
//!
//! - [`Summary`] describes a column of numbers, with both standard deviations by name.
//! - [`Interval`] with its [`Level`]: [`wilson`] for a sampled share, [`Bootstrap`] for everything
//!   that is computed from dependent things, such as pairs of one cluster.
//! - [`paired_t`], [`wilcoxon`] and [`permutation`] compare two methods over the same sets;
//!   [`randomisation`] compares figures that are no means, such as F1; [`holm`] corrects for many
//!   comparisons.
//! - [`PowerLaw`] fits how cost grows with size.
//!
//! Everything drawn at random takes a seed. Expected values of the tests come from `SciPy`
//! (`bench/measures`).

mod bootstrap;
mod holm;
mod interval;
mod paired;
mod power_law;
mod randomisation;
mod summary;

pub use self::bootstrap::Bootstrap;
pub use self::holm::holm;
pub(crate) use self::interval::normal_deviate;
pub use self::interval::{Interval, Level, wilson};
pub use self::paired::{
    Alternative, PairedT, Permutation, Wilcoxon, paired_t, permutation, wilcoxon,
};
pub use self::power_law::PowerLaw;
pub use self::randomisation::randomisation;
pub use self::summary::{Summary, quantile};
