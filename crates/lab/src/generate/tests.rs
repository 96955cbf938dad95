//! The generator as a whole.
