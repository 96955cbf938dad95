//! The first look at a document: what is remembered of it, and its image.

use std::borrow::Cow;

use retold_core::document::{Document, Span};
use retold_core::features::Words;
use retold_core::features::counts::Counts;
use retold_read::Place;

use super::Stages;
use crate::pipeline::intake::{Examined, Examiner, ThreadState};

/// What is known of a document after the first look.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Imaged {
    /// Words.
    pub n_words: u32,
    /// Bytes of its text.
    pub n_bytes: u64,
    /// What exact copies share; `None` if it has no words.
    pub words_hash: Option<u128>,
    /// Hash of the text: equal texts have equal spans.
    pub text_hash: u64,
    /// From its first to its last word.
    pub extent: Span,
    /// Whether words beyond a limit were not read.
    pub is_cut: bool,
    /// The language that is reported.
    pub language: Option<Box<str>>,
    /// What the steps of the job's policy rank it by, for each; `None` where it has no such value, and
    /// where words or the order decide.
    pub ranks: Vec<Option<Box<str>>>,
    /// What the method keeps of it, if it has enough text.
    pub image: Option<Box<[u8]>>,
}

impl Stages {
    /// Looks at a document; `counts` are the statistics of the collection, as far as they concern it. Where
    /// statistics are needed and not there, no image is made.
    pub fn image(&self, document: Document, counts: Option<&Counts>) -> Imaged {
        let examiner = Examiner {
            job: &self.job,
            budget: self.budget,
            scratch: &self.scratch,
            detector: &*self.detector,
            featurizer: &self.featurizer,
            counts,
            // Images wait while features are counted.
            counter: (self.detector.needs_counts() && counts.is_none()).then_some(&self.counter),
            second: None,
            run_room: None,
            is_resumable: false,
            boilerplate: None,
        };
        let place = Place { file: 0, record: 0, again: None };
        let Examined { entry, words_hash, n_bytes, image, .. } =
            examiner.examine(Cow::Owned(document), place, &mut ThreadState::default());
        let keep = &self.job.keep;
        let ranks = keep.steps().iter().map(|step| entry.ranks.clone().by(keep, step)).collect();
        Imaged {
            n_words: entry.n_words,
            n_bytes,
            words_hash,
            text_hash: entry.text_hash,
            extent: entry.extent,
            is_cut: entry.is_cut,
            language: entry.language,
            ranks,
            image,
        }
    }

    /// Hands over the features of a document that statistics are kept of, each once.
    pub fn count(&self, document: &Document, each: &mut dyn FnMut(u64)) {
        let places = self.detector.places();
        self.featurizer.read(document, places, None, &mut Words::default(), |reading, _| {
            self.detector.count(reading, each);
        });
    }
}
