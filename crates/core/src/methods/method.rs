//! What the author of a method implements.

use serde_json::{Map, Value};

use super::{Profile, Spec};
use crate::candidates::Meeting;
use crate::encode::Encoded;
use crate::error::ConfigError;
use crate::features::reading::Reading;
use crate::features::shingles::Shingles;
use crate::features::{Places, TextSettings};
use crate::parameters::Parameters;
use crate::verify::rule::Rule;

/// What an author implements: the part that differs from method to method. Parameters are checked,
/// kept and shown by the builder, which also owns the [`Rule`] that all methods share.
pub trait Method: Send + Sync + Sized + 'static {
    /// The parameters of the method itself, as declared; those of the [`Rule`] are added to them.
    type Config: Parameters;
    /// What is kept of a document.
    type Image: Encoded;
    /// Where images meet, and how two that met are judged.
    type Meeting: Meeting<Image = Self::Image>;

    /// The static description.
    const SPEC: &'static Spec;

    /// Whether images are made of where words stand, beside what they are. The default is yes.
    const PLACES: Places = Places::Kept;

    /// Whether the method itself can tell who is related; otherwise the documents decide in every
    /// profile. The default is yes.
    const DECIDES: bool = true;

    /// Whether, with heavy edits, candidates for edited text are searched beside the method's own
    /// ([`close_pairs`](crate::candidates::close_pairs)). The default is no.
    const SEARCHES_EDITED: bool = false;

    /// Returns how documents become words in a profile.
    fn text(_: Profile) -> TextSettings {
        TextSettings::default()
    }

    /// Returns how documents become words in a profile under the name of a published form. The
    /// default is what holds for the method.
    fn text_of_form(_form: &str, profile: Profile) -> TextSettings {
        Self::text(profile)
    }

    /// Returns an error if parameters that each lie in their range do not fit together. The default
    /// is that all do.
    fn check(_: &Self::Config) -> Result<(), ConfigError> {
        Ok(())
    }

    /// Makes the method from parameters that were checked.
    fn new(config: Self::Config, seed: u64) -> Self;

    /// Returns whether images need the statistics of the collection.
    fn needs_counts(&self) -> bool {
        false
    }

    /// Returns whether statistics are kept of the words, each document counted once, so that a
    /// table of words serves; otherwise [`count`](Method::count) says of what. The default is yes.
    fn counts_words(&self) -> bool {
        true
    }

    /// Hands over the features of a document that statistics are kept of, each once: by default
    /// its words.
    fn count(&self, reading: &Reading<'_>, each: &mut dyn FnMut(u64)) {
        let mut words = reading.words.hashes.clone();
        words.sort_unstable();
        words.dedup();
        words.into_iter().for_each(each);
    }

    /// Makes the image of a document, or `None` if it has too little text to be judged.
    fn image(&self, reading: &Reading<'_>) -> Option<Self::Image>;

    /// Returns where images meet, and how two that met are judged; `rule` says when documents count
    /// as related if they are compared themselves.
    fn meeting(&self, rule: Rule) -> Self::Meeting;

    /// Returns the runs of words that documents are compared by when the documents decide, and
    /// that passages are found by. The default is 5 words.
    fn shingles(&self) -> Shingles {
        Shingles::new(5)
    }

    /// Returns settings among which one is for a wanted similarity and recall, each finding more than
    /// the one before at more cost. The default is none: the method
    /// has nothing to be set.
    fn settings(_similarity: f64, _recall: f64) -> Vec<Map<String, Value>> {
        Vec::new()
    }

    /// Returns the probability, by theory, that two documents with a share of their word runs in
    /// common are found. The default is that there is no theory.
    fn chance(&self, _similarity: f64) -> Option<f64> {
        None
    }
}
