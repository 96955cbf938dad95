//! Paragraphs, sentences and words of a clean text.

// Nothing is taken for granted of a text but what the line says that does.
#![deny(clippy::expect_used, clippy::unwrap_used)]

mod abbreviations;
pub mod complex;
mod look_alikes;
mod natural;
pub mod paragraph;
pub mod sentence;
pub mod words;
