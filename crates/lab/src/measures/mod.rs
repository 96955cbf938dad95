//! One implementation of every measure.
