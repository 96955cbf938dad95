//! What methods of features put into their index, and how much of it is shared by accident.

use std::collections::HashMap;
use std::ops::Range;

use retold::{Document, Job, Stage, Stop};
use retold_core::features::length_windows::{Jumping, Windows, lengths};
use retold_core::features::reading::Reading;
use retold_core::features::shingles::Shingles;
use retold_core::features::{Featurizer, Places, Words};
use retold_core::segment::sentence::Delimiters;
use retold_core::{hash, methods};
use serde_json::Value;

use super::measure::Measure;
use crate::error::Error;
use crate::measures::collisions::Collisions;

/// How a method makes the features of a document.
enum Features {
    /// Lengths of neighbouring sentences.
    SentenceLengths(Windows, Delimiters),
    /// Whole sentences.
    Sentences(Delimiters),
    /// Every so many of the runs of words.
    Runs(Shingles, usize),
}

impl Features {
    /// Returns how the method of a job makes features; none for methods that are not measured so.
    fn of(job: &Job) -> Result<Option<Self>, Error> {
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
            "sg" => Some(Self::Runs(Shingles::new(number("k")), number("every"))),
            _ => None,
        })
    }

    fn of_document(&self, reading: &Reading<'_>) -> Vec<u64> {
        match self {
            Self::SentenceLengths(windows, splitter) => {
                let lengths = lengths(&reading.sentences(*splitter));
                windows.starts(&lengths).map(|at| windows.key(&lengths, at)).collect()
            }
            Self::Sentences(splitter) => {
                let hash = |range: Range<usize>| {
                    let words = &reading.words.hashes[range];
                    words.iter().fold(0_u64, |sum, &word| hash::mix(sum ^ word))
                };
                reading.sentences(*splitter).into_iter().map(hash).collect()
            }
            Self::Runs(shingles, every) => {
                shingles.of(&reading.words.hashes).into_iter().step_by(*every).collect()
            }
        }
    }
}

/// Counts the features of an index and how often documents have equal ones.
pub(super) fn index_figures(
    job: &Job,
    documents: &[Document],
    stop: &Stop,
) -> Result<Vec<(Measure, f64)>, Error> {
    let Some(features) = Features::of(job)? else { return Ok(Vec::new()) };
    let featurizer = Featurizer::new(job.text().clone(), job.seed());
    let mut words = Words::default();
    let mut frequencies: HashMap<u64, u64> = HashMap::new();
    let mut n_vectors = 0_u64;
    for (n_documents, document) in documents.iter().enumerate() {
        Error::if_stopped(stop, Stage::Read, n_documents)?;
        let mut made = featurizer.read(document, Places::Kept, None, &mut words, |reading, _| {
            features.of_document(reading)
        });
        n_vectors += made.len() as u64;
        made.sort_unstable();
        made.dedup();
        for feature in made {
            *frequencies.entry(feature).or_default() += 1;
        }
    }
    let collisions = Collisions::of(frequencies.into_values());
    Ok(vec![
        (Measure::Vectors, n_vectors as f64),
        (Measure::CollisionRate, collisions.rate()),
        (Measure::SharedFeatures, collisions.share_shared()),
    ])
}
