//! Paragraphs, sentences and words of a clean text.

mod abbreviations;
pub mod complex;
mod look_alikes;
mod natural;
pub mod paragraph;
pub mod sentence;
pub mod words;
