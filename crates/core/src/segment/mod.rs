//! Paragraphs, sentences and words.
