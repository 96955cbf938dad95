//! Intervals, tests and fits.
