//! Methods: recipes that wire the stages together, one published idea each.
//!
//! [`METHODS`] is the only list. An author implements [`Method`], typed; everybody else holds a
//! [`Detector`], erased, through one blanket implementation. Dispatch happens per document,
//! never per feature.

mod anchor;
mod codet;
mod conrad_schriber;
mod cops;
mod cosine;
mod descriptive_words;
mod dsc;
mod dsc_positional;
mod dsc_ss;
mod edit_distance;
mod exact;
mod exhaustive;
mod full_fingerprint;
mod imatch;
mod koala;
mod lexical;
mod minhash;
mod minimal_elements;
mod overlaps;
mod scam;
mod schema;
mod sentence_lengths;
mod sg;
mod shingling;
mod sif;
mod simhash;
mod sl_fp;
mod spec;
mod spotsigs;
mod tweezer;
mod winnowing;

#[cfg(test)]
mod trial;

use serde_json::{Map, Value};

pub use self::schema::schema;
pub use self::spec::{Build, Form, Recall, Skip, Spec};
use crate::candidates::growing::Growing;
use crate::candidates::meeting::{Met, Payload, Seen, Weighed};
use crate::candidates::sealed::{self, Each, Job, SearchError, Searched};
use crate::candidates::{Judgement, Meeting, Window};
use crate::encode::{Encoded, FORMAT, from_bytes, to_bytes};
use crate::error::ConfigError;
use crate::features::counts::Counts;
use crate::features::reading::Reading;
use crate::features::shingles::Shingles;
use crate::features::{Places, TextSettings};
use crate::image::images::Images;
use crate::image::recipe::Recipe;
pub use crate::parameters::{Accepts, Parameter, Parameters, Profile};
use crate::relation::Kind;
use crate::verify::Profile as Prepared;
use crate::verify::align::{self, Comparison};
use crate::verify::rule::Rule;

/// All methods, in the order shown to users; the first is the default.
pub const METHODS: &[&Spec] = &[
    &anchor::SPEC,
    &exhaustive::SPEC,
    &exact::SPEC,
    &full_fingerprint::SPEC,
    &minhash::SPEC,
    &codet::SPEC,
    &sentence_lengths::SPEC,
    &shingling::SPEC,
    &dsc::SPEC,
    &dsc_positional::SPEC,
    &dsc_ss::SPEC,
    &sg::SPEC,
    &winnowing::SPEC,
    &conrad_schriber::SPEC,
    &imatch::SPEC,
    &simhash::SPEC,
    &cosine::SPEC,
    &scam::SPEC,
    &edit_distance::SPEC,
    &spotsigs::SPEC,
    &tweezer::SPEC,
    &minimal_elements::SPEC,
    &lexical::SPEC,
    &descriptive_words::SPEC,
    &cops::SPEC,
    &sl_fp::SPEC,
    &sif::SPEC,
    &koala::SPEC,
];

/// Returns the method that a name stands for, and the form if it is a form's name.
pub fn find(name: &str) -> Result<(&'static Spec, Option<&'static Form>), ConfigError> {
    for spec in METHODS {
        if spec.name == name {
            return Ok((spec, None));
        }
        if let Some(form) = spec.forms.iter().find(|form| form.name == name) {
            return Ok((spec, Some(form)));
        }
    }
    Err(ConfigError::UnknownMethod { name: name.to_owned(), known: names().join(", ") })
}

/// Returns all names of methods and forms, in the order shown to users.
pub fn names() -> Vec<&'static str> {
    let of = |spec: &&'static Spec| {
        std::iter::once(spec.name).chain(spec.forms.iter().map(|form| form.name))
    };
    METHODS.iter().flat_map(of).collect()
}

/// Makes the method that a name stands for. `given` goes before the parameters of a form.
pub fn make(
    name: &str,
    profile: Profile,
    given: &Map<String, Value>,
    seed: u64,
) -> Result<Box<dyn Detector>, ConfigError> {
    let (spec, form) = find(name)?;
    let mut parameters = form.map(Form::values).unwrap_or_default();
    parameters.extend(given.clone());
    (spec.build)(profile, &parameters, seed)
}

/// What an author implements.
pub trait Method: Send + Sync + Sized + 'static {
    /// The parameters, as declared.
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

    /// Returns how documents become words in a profile.
    fn text(_: Profile) -> TextSettings {
        TextSettings::default()
    }

    /// Makes the method from parameters that each lie in their range; what they must keep together
    /// is checked here.
    fn new(config: Self::Config, seed: u64) -> Result<Self, ConfigError>;

    /// Returns the parameters.
    fn config(&self) -> &Self::Config;

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

    /// Returns where images meet, and how two that met are judged.
    fn meeting(&self) -> Self::Meeting;

    /// Returns the runs of words that documents are compared by when the documents decide, and
    /// that passages are found by. The default is 5 words.
    fn shingles(&self) -> Shingles {
        Shingles::new(5)
    }

    /// Returns when two documents count as related if the documents decide.
    fn rule(&self) -> Rule;
}

/// Builds a typed method from loose parameters: what [`Spec::build`] points to.
pub(crate) fn build<M: Method>(
    profile: Profile,
    given: &Map<String, Value>,
    seed: u64,
) -> Result<Box<dyn Detector>, ConfigError> {
    let parameters = M::Config::parameters();
    let default = |parameter: &Parameter| (parameter.name.to_owned(), parameter.default(profile));
    let mut merged: Map<String, Value> = parameters.iter().map(default).collect();
    for (name, value) in given {
        let Some(parameter) = parameters.iter().find(|parameter| parameter.name == name) else {
            return Err(ConfigError::UnknownParameter {
                method: M::SPEC.name.to_owned(),
                name: name.clone(),
                known: merged.keys().cloned().collect::<Vec<_>>().join(", "),
            });
        };
        parameter.check(value)?;
        merged.insert(name.clone(), value.clone());
    }
    let config = serde_json::from_value(Value::Object(merged))
        .map_err(|error| ConfigError::value(M::SPEC.name, "usable parameters", &error))?;
    Ok(Box::new(M::new(config, seed)?))
}

/// A built method, erased.
pub trait Detector: Send + Sync {
    /// Returns the static description.
    fn spec(&self) -> &'static Spec;

    /// Returns all parameters with their values.
    fn parameters(&self) -> Value;

    /// Returns whether images are made of where words stand, beside what they are.
    fn places(&self) -> Places;

    /// Returns whether the method itself can tell who is related.
    fn decides(&self) -> bool;

    /// Returns whether images need the statistics of the collection.
    fn needs_counts(&self) -> bool;

    /// Returns whether statistics are kept of the words.
    fn counts_words(&self) -> bool;

    /// Hands over the features of a document that statistics are kept of, each once.
    fn count(&self, reading: &Reading<'_>, each: &mut dyn FnMut(u64));

    /// Makes the image of a document, encoded, or `None` if it has too little text to be judged;
    /// a document without words has.
    fn image(&self, reading: &Reading<'_>) -> Option<Box<[u8]>>;

    /// Returns what images are made with, given how documents become words, the seed and the
    /// statistics: only images of equal recipes may meet.
    fn recipe(&self, text: &TextSettings, seed: u64, counts: Option<&Counts>) -> Recipe;

    /// Searches a complete collection: every document asks about those before it, and its answers
    /// go to `each`, in order.
    fn search(
        &self,
        images: &Images,
        job: &Job<'_>,
        each: &mut Each<'_>,
    ) -> Result<Searched, SearchError>;

    /// Makes an empty window: documents that come and go, and can be asked at any time.
    fn window(&self) -> Box<dyn Window>;

    /// Hands over the keys of an image with their payloads: where a shuffle by key brings
    /// candidates together. Payloads say in their two lowest bits whether the key is held (1) and
    /// asked with (2), where a method tells these apart.
    ///
    /// Returns false if the bytes are no image of the method.
    fn keys(&self, image: &[u8], each: &mut dyn FnMut(u64, u32)) -> bool;

    /// Says how two documents relate by their images alone, seen from the first; `None` if they do
    /// not, or if the bytes are no images of the method.
    fn judge(&self, asker: &[u8], other: &[u8]) -> Option<Judgement>;

    /// Returns whether, of documents that are nearly the same, each may take part in a search with
    /// what those before it do not have ([`Detector::unseen`]).
    fn has_crowds(&self) -> bool;

    /// Returns what of an image was not seen before, as an image, or `None` if there is nothing;
    /// what it has is seen from now on.
    fn unseen(&self, image: &[u8], seen: &mut Seen) -> Option<Box<[u8]>>;

    /// Returns the units that an image is a set of, ascending and each once; `None` if it is no
    /// set.
    fn units(&self, image: &[u8]) -> Option<Vec<u64>>;

    /// Returns the runs of words that documents are compared by.
    fn shingles(&self) -> Shingles;

    /// Returns when two documents count as related if the documents decide.
    fn rule(&self) -> Rule;

    /// Compares two documents; `None` if they are not related.
    ///
    /// Documents with the same words in the same order are [`Kind::Exact`]; others with fewer words
    /// than a run have nothing to be compared by and are not related.
    fn verify(&self, a: &Prepared, b: &Prepared) -> Option<(Kind, Comparison)> {
        align::judge(a, b, self.rule())
    }
}

impl<M: Method> Detector for M {
    fn spec(&self) -> &'static Spec {
        M::SPEC
    }

    fn parameters(&self) -> Value {
        serde_json::to_value(self.config()).expect("a config is plain data")
    }

    fn places(&self) -> Places {
        M::PLACES
    }

    fn decides(&self) -> bool {
        M::DECIDES
    }

    fn needs_counts(&self) -> bool {
        Method::needs_counts(self)
    }

    fn counts_words(&self) -> bool {
        Method::counts_words(self)
    }

    fn count(&self, reading: &Reading<'_>, each: &mut dyn FnMut(u64)) {
        Method::count(self, reading, each);
    }

    fn image(&self, reading: &Reading<'_>) -> Option<Box<[u8]>> {
        if reading.words.is_wordless() {
            return None;
        }
        Method::image(self, reading).as_ref().map(to_bytes)
    }

    fn recipe(&self, text: &TextSettings, seed: u64, counts: Option<&Counts>) -> Recipe {
        Recipe {
            format: u32::from(FORMAT),
            method: M::SPEC.name.to_owned(),
            parameters: Detector::parameters(self),
            text: serde_json::to_value(text).expect("text settings are plain data"),
            seed,
            statistics: counts.filter(|_| Method::needs_counts(self)).map(Counts::fingerprint),
        }
    }

    fn search(
        &self,
        images: &Images,
        job: &Job<'_>,
        each: &mut Each<'_>,
    ) -> Result<Searched, SearchError> {
        sealed::search(&Method::meeting(self), images, job, each)
    }

    fn window(&self) -> Box<dyn Window> {
        Box::new(Growing::new(Method::meeting(self)))
    }

    fn keys(&self, image: &[u8], each: &mut dyn FnMut(u64, u32)) -> bool {
        let Some(image) = from_bytes(image) else { return false };
        Method::meeting(self).keys(&image, |key, payload| each(key, payload.to_bits()));
        true
    }

    fn judge(&self, asker: &[u8], other: &[u8]) -> Option<Judgement> {
        let (asker, other) = (from_bytes(asker)?, from_bytes(other)?);
        let meeting = Method::meeting(self);
        let met = Met { votes: votes(&meeting, &asker, &other), n_unread: 0 };
        match meeting.weigh(&meeting.facts(&asker), &meeting.facts(&other), met) {
            Weighed::No => None,
            Weighed::Yes(judgement) => Some(judgement),
            Weighed::Look => meeting.judge(&asker, &other, met),
            // Keys that come together are told by lists; two images alone may be related.
            Weighed::IfTogether => Some(Judgement::UNKNOWN),
        }
    }

    fn has_crowds(&self) -> bool {
        M::Meeting::CROWDS
    }

    fn unseen(&self, image: &[u8], seen: &mut Seen) -> Option<Box<[u8]>> {
        Method::meeting(self).unseen(&from_bytes(image)?, seen).as_ref().map(to_bytes)
    }

    fn units(&self, image: &[u8]) -> Option<Vec<u64>> {
        Method::meeting(self).units(&from_bytes(image)?)
    }

    fn shingles(&self) -> Shingles {
        Method::shingles(self)
    }

    fn rule(&self) -> Rule {
        Method::rule(self)
    }
}

/// Returns the votes of two images, as if one had asked the other alone.
fn votes<M: Meeting>(meeting: &M, asker: &M::Image, other: &M::Image) -> u64 {
    let mut held = Vec::new();
    meeting.keys(other, |key, payload| {
        if payload.holds() {
            held.push((key, payload));
        }
    });
    held.sort_unstable();
    let mut votes = 0;
    meeting.keys(asker, |key, payload| {
        if payload.asks() {
            let first = held.partition_point(|x| x.0 < key);
            let same = held[first..].iter().take_while(|x| x.0 == key);
            votes += same.map(|x| meeting.vote(payload, x.1)).sum::<u64>();
        }
    });
    votes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_builds_with_its_defaults_and_names_its_parameters() {
        for spec in METHODS {
            for profile in Profile::ALL {
                let detector = (spec.build)(profile, &Map::new(), 1).expect("defaults are valid");
                let Value::Object(values) = detector.parameters() else { panic!("not a struct") };
                let mut named: Vec<_> =
                    (spec.parameters)().iter().map(|p| p.name.to_owned()).collect();
                named.sort();
                assert_eq!(named, values.keys().cloned().collect::<Vec<_>>(), "{}", spec.name);
            }
        }
    }

    #[test]
    fn every_form_builds_by_its_name() {
        for name in names() {
            for profile in Profile::ALL {
                let built = make(name, profile, &Map::new(), 1);
                assert!(built.is_ok(), "{name}: {:?}", built.err());
            }
        }
    }

    #[test]
    fn every_method_tells_its_story_under_six_headings() {
        let headings = [
            "# What it finds",
            "# How it works",
            "# Parameters",
            "# Cost",
            "# Where we differ",
            "# Reference",
        ];
        for spec in METHODS {
            let story = spec.story();
            for heading in headings {
                assert!(story.contains(heading), "{}: {heading} is missing", spec.name);
            }
        }
    }

    #[test]
    fn every_method_says_what_it_is_and_what_it_finds() {
        for spec in METHODS {
            assert!(!spec.name.is_empty() && !spec.title.is_empty() && !spec.finds.is_empty());
            let names: Vec<&str> = (spec.parameters)().iter().map(|p| p.name).collect();
            assert!(spec.decides_with.iter().all(|name| names.contains(name)), "{}", spec.name);
        }
    }

    #[test]
    fn names_are_unique() {
        let mut unique = names();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), names().len());
    }

    #[test]
    fn an_unknown_parameter_is_refused_with_the_known_ones() {
        let given = Map::from_iter([("colour".to_owned(), Value::from(1))]);
        let error = (METHODS[0].build)(Profile::Retold, &given, 1)
            .err()
            .expect("there is no such parameter");
        assert!(error.to_string().starts_with("method `anchor` has no parameter `colour`"));
    }

    #[test]
    fn a_value_of_the_wrong_kind_is_refused_by_name() {
        for (value, message) in [
            (Value::from("x"), "k must be a number, got \"x\""),
            (Value::from(-1), "k must be a whole number of at least 0, got -1"),
            (Value::from(0), "k must be between 1 and 64, got 0"),
        ] {
            let given = Map::from_iter([("k".to_owned(), value)]);
            let error =
                (METHODS[0].build)(Profile::Retold, &given, 1).err().expect("not a run length");
            assert_eq!(error.to_string(), message);
        }
    }
}
