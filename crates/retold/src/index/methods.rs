//! The methods of an index: each with everything that its images are made with.

use retold_core::document::Document;
use retold_core::features::counts::Counts;
use retold_core::features::{Featurizer, Words};
use retold_core::image::recipe::Recipe;
use retold_core::methods::Detector;
use retold_index::Kept;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::job::{Decide, Job};

/// What an index says of itself: its methods and where its texts are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct About {
    /// The program that made it.
    pub(super) version: String,
    pub(super) methods: Vec<MethodAbout>,
    pub(super) texts: TextStorage,
}

/// Where the texts of an index are.
///
/// ```
/// use retold::TextStorage;
/// assert_eq!(TextStorage::default(), TextStorage::Stored);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextStorage {
    /// In the index, compressed.
    #[default]
    Stored,
    /// Where they were read, if they can be read there again by position; others are stored. A text
    /// that is read again is checked by its hash.
    ByReference,
}

/// One method of an index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MethodAbout {
    /// Everything that may change an image or a verdict.
    pub(super) job: Job,
    /// The statistics that images are made with, if they need any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) epoch: Option<Epoch>,
    /// Which defaults the parameters have that are not set, so that an index answers as it did.
    #[serde(default = "first_defaults")]
    pub(super) defaults: u32,
}

/// The defaults of today's methods; with a change of one that changes images comes the next number.
const DEFAULTS: u32 = 2;

fn first_defaults() -> u32 {
    1
}

impl MethodAbout {
    pub(super) fn new(job: Job) -> Self {
        Self { job, epoch: None, defaults: DEFAULTS }
    }

    /// Returns it with what was a default when the index was made.
    pub(super) fn with_its_defaults(mut self) -> Self {
        if self.defaults < 2 && self.job.method == "anchor" {
            // Documents of middle length did not keep more runs then.
            self.job.parameters.entry("dense").or_insert_with(|| 0.into());
        }
        Self { defaults: DEFAULTS, ..self }
    }
}

/// One state of the statistics of a collection. Images of one epoch can be compared.
///
/// ```
/// # use retold::*;
/// # let folder = tempfile::tempdir()?;
/// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
/// let path = folder.path().join("archive.idx");
/// let mut writer = IndexWriter::create(&path, &[Job::of("imatch", Profile::Retold)?], &IndexOptions::default())?;
/// writer.add(Documents::new(vec![Document::plain("a", text)]), &Resources::new())?;
/// let stats = Index::open(&path)?.stats()?;
/// assert_eq!(stats.methods[0].epoch.as_ref().map(|epoch| epoch.n_documents), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Epoch {
    /// Its number, from 1.
    pub number: u64,
    /// Documents that were counted.
    pub n_documents: u64,
    /// A number that equal statistics share, in hexadecimal digits.
    pub fingerprint: String,
}

/// A method of an index, ready for work.
pub(super) struct IndexMethod {
    pub(super) job: Job,
    pub(super) detector: Box<dyn Detector>,
    pub(super) featurizer: Featurizer,
    pub(super) counts: Option<Counts>,
    pub(super) epoch: Option<Epoch>,
}

impl IndexMethod {
    pub(super) fn new(about: &MethodAbout, counts: Option<Counts>) -> Result<Self, Error> {
        let MethodAbout { job, epoch, .. } = about.clone();
        let detector = job.detector()?;
        let featurizer = job.featurizer(&*detector);
        Ok(Self { job, detector, featurizer, counts, epoch })
    }

    /// Returns whether images cannot be made before documents were counted.
    pub(super) fn waits_for_counts(&self) -> bool {
        self.detector.needs_counts() && self.counts.is_none()
    }

    /// Returns whether there were statistics, and images made with them, and they are gone.
    pub(super) fn has_lost_counts(&self) -> bool {
        self.waits_for_counts() && self.epoch.is_some()
    }

    pub(super) fn decide(&self) -> Decide {
        self.job.decider(&*self.detector)
    }

    pub(super) fn recipe(&self) -> Recipe {
        self.detector.recipe(&self.job.text, self.job.seed, self.counts.as_ref())
    }

    /// Makes the image of a document; its words are left in `words`.
    pub(super) fn image(&self, document: &Document, words: &mut Words) -> Option<Box<[u8]>> {
        let (places, counts) = (self.detector.places(), self.counts.as_ref());
        self.featurizer
            .read(document, places, counts, words, |reading, _| self.detector.image(reading))
    }

    /// Returns what copies of a document share.
    pub(super) fn identity(&self, document: &Document, words: &Words) -> Option<u128> {
        self.job.copies.key(words.identity(), &document.text)
    }

    /// Makes what the index keeps of a document.
    pub(super) fn kept(&self, document: &Document, words: &mut Words) -> Kept {
        if self.waits_for_counts() {
            self.featurizer.words(document, words);
            return Kept { identity: self.identity(document, words), entry: None };
        }
        let image = self.image(document, words);
        let entry = image.and_then(|image| self.detector.entry(&image));
        Kept { identity: self.identity(document, words), entry }
    }

    /// Counts the features of a document.
    pub(super) fn count(&self, document: &Document, words: &mut Words, counts: &mut Counts) {
        let places = self.detector.places();
        let mut features = Vec::new();
        self.featurizer.read(document, places, None, words, |reading, _| {
            self.detector.count(reading, &mut |feature| features.push(feature));
        });
        counts.add(features);
    }
}
