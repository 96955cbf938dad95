//! A built method as everybody but its author holds it.

use serde_json::{Map, Value};

use super::{Method, Parameter, Parameters, Profile, Spec, edited};
use crate::candidates::block::{self, Block, BlockSearch, CodePart};
use crate::candidates::close_pairs::ClosePairs;
use crate::candidates::growing::Growing;
use crate::candidates::meeting::{Met, Payload, SeenKeys, Weighed};
use crate::candidates::sealed::{
    self, AskingOrder, Each, EachTurn, SearchError, SearchSetup, Searched,
};
use crate::candidates::stored::{Entry, Searching, StoredSearch};
use crate::candidates::{Judgement, Meeting, Window};
use crate::encode::{Encoded as _, FORMAT, from_bytes, to_bytes};
use crate::error::ConfigError;
use crate::features::counts::Counts;
use crate::features::reading::Reading;
use crate::features::shingles::Shingles;
use crate::features::{Places, TextSettings};
use crate::image::images::{self, Images};
use crate::image::pair_sample::PairSample;
use crate::image::recipe::Recipe;
use crate::relation::Kind;
use crate::verify::Profile as Prepared;
use crate::verify::align::{self, Comparison};
use crate::verify::rule::{Edits, Rule};

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
        setup: &SearchSetup<'_>,
        each: &mut Each<'_>,
    ) -> Result<Searched, SearchError>;

    /// Searches a complete collection in an order of its own, in which documents that are gone answer
    /// nobody any more ([`EachTurn`]); without passages. `None` if
    /// the method does not search so, or if there are two collections.
    fn search_in_turns(
        &self,
        images: &Images,
        order: AskingOrder<'_>,
        setup: &SearchSetup<'_>,
        each: &mut EachTurn<'_>,
    ) -> Result<Option<Searched>, SearchError>;

    /// Makes an empty window: documents that come and go, and can be asked at any time.
    fn window(&self) -> Box<dyn Window>;

    /// Returns what a stored index keeps of a document, from its image; `None` if the bytes are no
    /// image of the method.
    fn entry(&self, image: &[u8]) -> Option<Entry>;

    /// Returns what searches a stored index, in one state of it.
    fn stored(&self) -> Box<dyn StoredSearch>;

    /// Hands over the keys of an image with their payloads: where a shuffle by key brings
    /// candidates together. Payloads say in their two lowest bits whether the key is held (1) and
    /// asked with (2), where a method tells these apart.
    ///
    /// Returns false if the bytes are no image of the method.
    fn keys(&self, image: &[u8], each: &mut dyn FnMut(u64, u32)) -> bool;

    /// Returns the facts of a document, encoded, from its image; `None` if the bytes are no image of
    /// the method.
    fn facts(&self, image: &[u8]) -> Option<Vec<u8>>;

    /// Says whether a payload of [`keys`](Self::keys) is one that others find the document under, and
    /// whether it is one that the document asks with.
    fn holds_and_asks(&self, payload: u32) -> (bool, bool);

    /// Hands over what a shuffle by codes in so many parts needs of an image, by the number of the part
    /// ([`block`]): how tiny documents are found in long ones. The number of parts is a power of two of
    /// at most [`MOST_CODE_PARTS`](block::MOST_CODE_PARTS).
    ///
    /// Returns false if the bytes are no image of the method.
    fn code_parts(&self, image: &[u8], n_parts: u64, each: &mut dyn FnMut(u64, CodePart)) -> bool;

    /// Returns whether tiny documents are looked for in long ones by their codes.
    fn looks_for_codes(&self) -> bool;

    /// Returns the number of documents beyond which a list is common.
    fn stop(&self) -> usize;

    /// Returns how many documents of a common list are brought to a block that asks it.
    fn n_first(&self) -> usize;

    /// Makes an empty block: some documents that ask, and the lists of their keys.
    fn block(&self) -> Box<dyn BlockSearch>;

    /// Says how two documents relate by their images alone, seen from the first; `None` if they do
    /// not, or if the bytes are no images of the method.
    fn judge(&self, asker: &[u8], other: &[u8]) -> Option<Judgement>;

    /// Returns whether, of documents that are nearly the same, each may take part in a search with
    /// what those before it do not have ([`Detector::unseen`]).
    fn has_crowds(&self) -> bool;

    /// Returns what of an image was not seen before, as an image, or `None` if there is nothing;
    /// what it has is seen from now on.
    fn unseen(&self, image: &[u8], seen: &mut SeenKeys) -> Option<Box<[u8]>>;

    /// Returns the units that an image is a set of, ascending and each once; `None` if it is no
    /// set.
    fn units(&self, image: &[u8]) -> Option<Vec<u64>>;

    /// Returns the runs of words that documents are compared by.
    fn shingles(&self) -> Shingles;

    /// Returns when two documents count as related if the documents decide.
    fn rule(&self) -> Rule;

    /// Returns the probability, by theory, that two documents with a share of their word runs in
    /// common are found; `None` if there is no theory.
    fn chance(&self, similarity: f64) -> Option<f64>;

    /// Compares two documents; `None` if they are not related.
    ///
    /// Documents with the same words in the same order are [`Kind::Exact`]. Otherwise a document
    /// with fewer words than a word run has no word run to compare and is related to no other.
    fn verify(&self, a: &Prepared, b: &Prepared) -> Option<(Kind, Comparison)> {
        align::judge(a, b, self.rule())
    }
}

/// A method with what the builder keeps for it.
struct Built<M> {
    method: M,
    rule: Rule,
    /// All parameters with their values.
    parameters: Map<String, Value>,
}

/// Returns the parameters of a method in the order shown to users: its own, then those of the rule.
pub(super) fn parameters<M: Method>() -> Vec<Parameter> {
    [M::Config::parameters(), Rule::parameters()].concat()
}

/// Builds a typed method from loose parameters: what [`Spec::build`] points to.
pub(super) fn build<M: Method>(
    profile: Profile,
    given: &Map<String, Value>,
    seed: u64,
) -> Result<Box<dyn Detector>, ConfigError> {
    let known = parameters::<M>();
    let default = |parameter: &Parameter| (parameter.name.to_owned(), parameter.default(profile));
    let mut values: Map<String, Value> = known.iter().map(default).collect();
    for (name, value) in given {
        let Some(parameter) = known.iter().find(|parameter| parameter.name == name) else {
            return Err(ConfigError::UnknownParameter {
                method: M::SPEC.name.to_owned(),
                name: name.clone(),
                known: values.keys().cloned().collect::<Vec<_>>().join(", "),
            });
        };
        parameter.check(value)?;
        values.insert(name.clone(), value.clone());
    }
    let config: M::Config = typed::<M, _>(&values)?;
    let rule: Rule = typed::<M, _>(&values)?;
    M::check(&config)?;
    // Written back, so that equal values are shown alike: 1 and 1.0.
    let parameters = [untyped(&config), untyped(&rule)].into_iter().flatten().collect();
    Ok(Box::new(Built { method: M::new(config, seed), rule: rule.settled(), parameters }))
}

fn typed<M: Method, P: Parameters>(values: &Map<String, Value>) -> Result<P, ConfigError> {
    serde_json::from_value(Value::Object(values.clone()))
        .map_err(|error| ConfigError::value(M::SPEC.name, "usable parameters", &error))
}

fn untyped(parameters: &impl Parameters) -> Map<String, Value> {
    match serde_json::to_value(parameters) {
        Ok(Value::Object(values)) => values,
        other => unreachable!("parameters are a struct of plain data, not {other:?}"),
    }
}

impl<M: Method> Built<M> {
    fn meeting(&self) -> M::Meeting {
        self.method.meeting(self.rule)
    }

    /// Returns whether candidates for edited text are searched, too: images then have two parts.
    fn searches_edited(&self) -> bool {
        M::SEARCHES_EDITED && self.rule.edits == Edits::Heavy && self.rule.similarity == 0.0
    }

    /// Returns the method's own part of an image.
    fn own<'a>(&self, image: &'a [u8]) -> &'a [u8] {
        if self.searches_edited() { edited::own(image) } else { image }
    }
}

impl<M: Method> Detector for Built<M> {
    fn spec(&self) -> &'static Spec {
        M::SPEC
    }

    fn parameters(&self) -> Value {
        Value::Object(self.parameters.clone())
    }

    fn places(&self) -> Places {
        M::PLACES
    }

    fn decides(&self) -> bool {
        M::DECIDES
    }

    fn needs_counts(&self) -> bool {
        self.method.needs_counts()
    }

    fn counts_words(&self) -> bool {
        self.method.counts_words()
    }

    fn count(&self, reading: &Reading<'_>, each: &mut dyn FnMut(u64)) {
        self.method.count(reading, each);
    }

    fn image(&self, reading: &Reading<'_>) -> Option<Box<[u8]>> {
        if reading.words.is_wordless() {
            return None;
        }
        let own = self.method.image(reading).as_ref().map(to_bytes)?;
        if self.searches_edited() {
            edited::join(Some(&own), Some(&PairSample::new(&reading.words.content)))
        } else {
            Some(own)
        }
    }

    fn recipe(&self, text: &TextSettings, seed: u64, counts: Option<&Counts>) -> Recipe {
        Recipe {
            format: u32::from(FORMAT),
            method: M::SPEC.name.to_owned(),
            parameters: self.parameters(),
            text: serde_json::to_value(text).expect("text settings are plain data"),
            seed,
            statistics: counts.filter(|_| self.method.needs_counts()).map(Counts::fingerprint),
        }
    }

    fn search(
        &self,
        images: &Images,
        setup: &SearchSetup<'_>,
        each: &mut Each<'_>,
    ) -> Result<Searched, SearchError> {
        let mut meeting = self.meeting();
        if setup.without_passages {
            meeting = meeting.without_passages();
        }
        if self.searches_edited() {
            edited::search(&meeting, images, setup, each)
        } else {
            sealed::search(&meeting, (images, images::whole), setup, each)
        }
    }

    fn search_in_turns(
        &self,
        images: &Images,
        order: AskingOrder<'_>,
        setup: &SearchSetup<'_>,
        each: &mut EachTurn<'_>,
    ) -> Result<Option<Searched>, SearchError> {
        if !M::Meeting::CROWDS || setup.border.is_some() {
            return Ok(None);
        }
        let part = if self.searches_edited() { edited::own } else { images::whole };
        let meeting = self.meeting().in_turns();
        sealed::search_in_turns(&meeting, (images, part), order, setup, each).map(Some)
    }

    fn window(&self) -> Box<dyn Window> {
        if self.searches_edited() {
            Box::new(edited::BothWindows::new(self.meeting()))
        } else {
            Box::new(Growing::new(self.meeting()))
        }
    }

    fn entry(&self, image: &[u8]) -> Option<Entry> {
        if self.searches_edited() {
            return edited::entry(&self.meeting(), image);
        }
        Some(Entry::of(&self.meeting(), &from_bytes(image)?, image))
    }

    fn stored(&self) -> Box<dyn StoredSearch> {
        if self.searches_edited() {
            Box::new(edited::BothSearches::new(self.meeting()))
        } else {
            Box::new(Searching::new(self.meeting()))
        }
    }

    fn keys(&self, image: &[u8], each: &mut dyn FnMut(u64, u32)) -> bool {
        let Some(own) = from_bytes(self.own(image)) else { return false };
        self.meeting().keys(&own, |key, payload| each(key, payload.to_bits()));
        if self.searches_edited()
            && let Some(pairs) = edited::sample(image)
        {
            ClosePairs.keys(&pairs, |key, payload| each(key, payload.to_bits()));
        }
        true
    }

    fn facts(&self, image: &[u8]) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        self.meeting().facts(&from_bytes(image)?).encode(&mut out);
        Some(out)
    }

    fn holds_and_asks(&self, payload: u32) -> (bool, bool) {
        let payload = <M::Meeting as Meeting>::Payload::from_bits(payload);
        (payload.holds(), payload.asks())
    }

    fn code_parts(&self, image: &[u8], n_parts: u64, each: &mut dyn FnMut(u64, CodePart)) -> bool {
        let Some(image) = from_bytes(image) else { return false };
        block::put_code_parts(&self.meeting(), &image, n_parts, each);
        true
    }

    fn looks_for_codes(&self) -> bool {
        M::Meeting::PROBES
    }

    fn stop(&self) -> usize {
        self.meeting().limits().stop
    }

    fn n_first(&self) -> usize {
        block::n_first(&self.meeting().limits())
    }

    fn block(&self) -> Box<dyn BlockSearch> {
        Box::new(Block::new(self.meeting()))
    }

    fn judge(&self, asker: &[u8], other: &[u8]) -> Option<Judgement> {
        if self.searches_edited()
            && let (Some(one), Some(two)) = (edited::sample(asker), edited::sample(other))
            && let Some(judgement) = ClosePairs.judge(&one, &two, Met::default())
        {
            return Some(judgement);
        }
        let (asker, other) = (from_bytes(self.own(asker))?, from_bytes(self.own(other))?);
        let meeting = self.meeting();
        let met = Met { votes: votes(&meeting, &asker, &other), n_unread: 0 };
        match meeting.weigh(&meeting.facts(&asker), &meeting.facts(&other), met) {
            Weighed::No => None,
            Weighed::Yes(judgement) => Some(judgement),
            Weighed::Look => meeting.judge(&asker, &other, met),
            // Keys that come together are told by lists; two images alone may be related.
            Weighed::IfTogether | Weighed::IfClose => Some(Judgement::UNKNOWN),
        }
    }

    fn has_crowds(&self) -> bool {
        M::Meeting::CROWDS
    }

    fn unseen(&self, image: &[u8], seen: &mut SeenKeys) -> Option<Box<[u8]>> {
        let own = from_bytes(self.own(image)).and_then(|own| self.meeting().unseen(&own, seen));
        let own = own.as_ref().map(to_bytes);
        if !self.searches_edited() {
            return own;
        }
        let pairs = edited::sample(image).and_then(|pairs| ClosePairs.unseen(&pairs, seen));
        edited::join(own.as_deref(), pairs.as_ref())
    }

    fn units(&self, image: &[u8]) -> Option<Vec<u64>> {
        self.meeting().units(&from_bytes(self.own(image))?)
    }

    fn shingles(&self) -> Shingles {
        self.method.shingles()
    }

    fn rule(&self) -> Rule {
        self.rule
    }

    fn chance(&self, similarity: f64) -> Option<f64> {
        self.method.chance(similarity)
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
