//! The three formats say the same.
