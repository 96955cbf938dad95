//! Paragraphs, sentences and words of a clean text.

pub mod complex;
pub mod paragraph;
pub mod sentence;
pub mod words;
