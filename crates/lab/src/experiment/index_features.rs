//! How methods of features make what they put into an index and what they ask it with.

use std::ops::Range;

use retold::Job;
use retold_core::features::chunks::sequence;
use retold_core::features::length_windows::{Jumping, Windows, lengths};
use retold_core::features::reading::Reading;
use retold_core::features::shingles::Shingles;
use retold_core::methods;
use retold_core::segment::sentence::Delimiters;
use serde_json::Value;

use crate::error::Error;

/// How a method makes the features of a document.
#[derive(Clone, Copy, Debug)]
pub(super) enum Features {
    /// Lengths of neighbouring sentences.
    SentenceLengths(Windows, Delimiters),
    /// Whole sentences.
    Sentences(Delimiters),
    /// Runs of words: every so many is held, and asked with every so many.
    Runs { shingles: Shingles, held: usize, asked: usize },
}

impl Features {
    /// Returns how the method of a job makes features; none for methods that are not measured so.
    pub(super) fn of(job: &Job) -> Result<Option<Self>, Error> {
        let (spec, _) = methods::find(job.method())?;
        let parameters = job.all_parameters()?;
        let number = |name: &str| {
            parameters.get(name).and_then(Value::as_u64).map_or(1, |n| n.max(1) as usize)
        };
        let word = |name: &str| parameters.get(name).and_then(Value::as_str).unwrap_or_default();
        let splitter = Delimiters::ALL.into_iter().find(|set| set.name() == word("splitter"));
        let splitter = splitter.unwrap_or(Delimiters::Wide);
        Ok(match spec.name {
            "sentence-lengths" => {
                let is_dynamic = word("jumping") == "dynamic";
                let jumping = if is_dynamic { Jumping::Dynamic } else { Jumping::Static };
                let windows = Windows { size: number("window"), step: number("step"), jumping };
                Some(Self::SentenceLengths(windows, splitter))
            }
            "sl-fp" => Some(Self::Sentences(splitter)),
            "sg" => {
                let held = number("every");
                let asked = if word("asks") == "kept" { held } else { 1 };
                Some(Self::Runs { shingles: Shingles::new(number("k")), held, asked })
            }
            _ => None,
        })
    }

    /// Returns where sentences end; none if the features are not made of sentences.
    pub(super) fn splitter(self) -> Option<Delimiters> {
        match self {
            Self::SentenceLengths(_, splitter) | Self::Sentences(splitter) => Some(splitter),
            Self::Runs { .. } => None,
        }
    }

    /// Returns how many numbers make up a feature as the papers store it: the lengths of a window,
    /// or one fingerprint.
    pub(super) fn n_numbers(self) -> usize {
        match self {
            Self::SentenceLengths(windows, _) => windows.size,
            Self::Sentences(_) | Self::Runs { .. } => 1,
        }
    }

    /// Returns the features under which a document is held, with repetitions.
    pub(super) fn held(self, reading: &Reading<'_>, sentences: &[Range<usize>]) -> Vec<u64> {
        self.features(reading, sentences, false)
    }

    /// Returns the features that a document asks with, with repetitions. Steps and jumping are for
    /// the index only.
    pub(super) fn asked(self, reading: &Reading<'_>, sentences: &[Range<usize>]) -> Vec<u64> {
        self.features(reading, sentences, true)
    }

    fn features(
        self,
        reading: &Reading<'_>,
        sentences: &[Range<usize>],
        is_asking: bool,
    ) -> Vec<u64> {
        let words = &reading.words.hashes;
        match self {
            Self::SentenceLengths(windows, _) => {
                let windows = if is_asking { windows.sliding() } else { windows };
                let lengths = lengths(sentences);
                windows.starts(&lengths).map(|at| windows.key(&lengths, at)).collect()
            }
            Self::Sentences(_) => {
                sentences.iter().map(|range| sequence(&words[range.clone()])).collect()
            }
            Self::Runs { shingles, held, asked } => {
                let every = if is_asking { asked } else { held };
                shingles.of(words).into_iter().step_by(every).collect()
            }
        }
    }
}
