//! What methods of features put into their index, how much of it is shared by accident, and how
//! long each stage takes.

use std::ops::Range;
use std::time::{Duration, Instant};

use retold::{Document, Job, Stage, Stop};
use retold_core::features::reading::Reading;
use retold_core::features::{Featurizer, Places, Words};

use super::index_features::Features;
use super::measure::Measure;
use super::plain_index::PlainIndex;
use crate::error::Error;
use crate::measures::collisions::Collisions;

/// The longest sentence that counts as short.
const SHORT_SENTENCE: usize = 20;

/// Counts and times of an index.
#[derive(Clone, Debug, Default)]
pub(super) struct IndexFigures {
    /// The same on every machine.
    pub(super) counts: Vec<(Measure, f64)>,
    /// Seconds of one thread for each stage.
    pub(super) stages: Vec<(Measure, f64)>,
    /// What the index answers to each question, best first.
    pub(super) rankings: Vec<Vec<u32>>,
}

/// Sentences, counted.
#[derive(Clone, Copy, Debug, Default)]
struct Sentences {
    n: usize,
    n_words: usize,
    n_short: usize,
}

/// Makes the index of the features of documents and asks it the questions, each stage timed by
/// itself. Methods without such features have no figures.
pub(super) fn index_figures<'a>(
    job: &Job,
    documents: &[Document],
    questions: impl IntoIterator<Item = &'a Document>,
    stop: &Stop,
) -> Result<IndexFigures, Error> {
    let Some(features) = Features::of(job)? else { return Ok(IndexFigures::default()) };
    let featurizer = Featurizer::new(job.text().clone(), job.seed());
    let mut words = Words::default();
    let mut sentences = Sentences::default();
    let mut converting = Duration::ZERO;
    let mut n_vectors = 0;
    let mut pairs: Vec<(u64, u32)> = Vec::new();
    let reading_since = Instant::now();
    for (document, number) in documents.iter().zip(0..) {
        Error::if_stopped(stop, Stage::Read, number as usize)?;
        featurizer.read(document, Places::Kept, None, &mut words, |reading, _| {
            let split = split(features, reading);
            sentences.n += split.len();
            sentences.n_words += split.iter().map(ExactSizeIterator::len).sum::<usize>();
            sentences.n_short += split.iter().filter(|words| words.len() <= SHORT_SENTENCE).count();
            let since = Instant::now();
            let held = features.held(reading, &split);
            n_vectors += held.len();
            pairs.extend(held.into_iter().map(|feature| (feature, number)));
            converting += since.elapsed();
        });
    }
    let preparing = reading_since.elapsed().saturating_sub(converting);
    let since = Instant::now();
    let index = PlainIndex::new(pairs, documents.len());
    let indexing = since.elapsed();
    let mut searching = Duration::ZERO;
    let mut rankings = Vec::new();
    for question in questions {
        Error::if_stopped(stop, Stage::Search, documents.len())?;
        let asked = featurizer.read(question, Places::Kept, None, &mut words, |reading, _| {
            features.asked(reading, &split(features, reading))
        });
        let since = Instant::now();
        rankings.push(index.rank(&asked));
        searching += since.elapsed();
    }
    let collisions = Collisions::of(index.frequencies());
    let mut counts = vec![
        (Measure::Vectors, n_vectors as f64),
        (Measure::Numbers, (n_vectors * features.n_numbers()) as f64),
        (Measure::IndexBytes, index.n_bytes() as f64),
        (Measure::CollisionRate, collisions.rate()),
        (Measure::SharedFeatures, collisions.share_shared()),
    ];
    if features.splitter().is_some() {
        let Sentences { n, n_words, n_short } = sentences;
        counts.extend([
            (Measure::SentencesPerDocument, n as f64 / documents.len() as f64),
            (Measure::WordsPerSentence, n_words as f64 / n as f64),
            (Measure::ShortSentences, n_short as f64 / n as f64),
        ]);
    }
    let mut stages = vec![
        (Measure::PrepareSeconds, preparing.as_secs_f64()),
        (Measure::ConvertSeconds, converting.as_secs_f64()),
        (Measure::IndexSeconds, indexing.as_secs_f64()),
    ];
    if !rankings.is_empty() {
        let per_question = searching.as_secs_f64() / rankings.len() as f64;
        stages.push((Measure::SearchSeconds, per_question));
    }
    Ok(IndexFigures { counts, stages, rankings })
}

/// Returns the sentences of a document, where features are made of them.
fn split(features: Features, reading: &Reading<'_>) -> Vec<Range<usize>> {
    features.splitter().map_or_else(Vec::new, |splitter| reading.sentences(splitter))
}

#[cfg(test)]
mod tests {
    use retold::Profile;
    use serde_json::Map;

    use super::*;
    use crate::experiment::bench::Trial;

    #[test]
    fn sentences_windows_and_their_numbers_are_counted() {
        // The text of T-FS: pieces of 1, 1, 4, 3 and 1 words.
        let text = "Hello, world! This is a test; \"quoted words here\" end.";
        let documents = [Document::plain("a", text), Document::plain("b", text)];
        let parameters = Map::from_iter([("window".to_owned(), 4.into())]);
        let trial = Trial::new("sentence-lengths", Profile::Paper, &parameters, 1);
        let job = trial.expect("a method").job;
        let figures = index_figures(&job, &documents, [&documents[0]], &Stop::new());
        let figures = figures.expect("nobody stops it");
        let count = |wanted: Measure| {
            figures.counts.iter().find(|(measure, _)| *measure == wanted).map(|(_, value)| *value)
        };
        assert_eq!(count(Measure::SentencesPerDocument), Some(5.0));
        assert_eq!(count(Measure::WordsPerSentence), Some(2.0));
        assert_eq!(count(Measure::ShortSentences), Some(1.0));
        // Two windows of four lengths in each, the same in both.
        assert_eq!(count(Measure::Vectors), Some(4.0));
        assert_eq!(count(Measure::Numbers), Some(16.0));
        assert_eq!(count(Measure::CollisionRate), Some(0.5));
        assert_eq!(count(Measure::SharedFeatures), Some(1.0));
        assert_eq!(figures.rankings, [[0, 1]]);
        assert_eq!(figures.stages.len(), 4);
    }
}
