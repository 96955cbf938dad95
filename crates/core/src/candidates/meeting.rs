//! What a method gives the search engine: the keys where images meet, and how two that met are
//! judged.
//!
//! A document *holds* keys, under which later documents find it, and *asks* with keys. For most
//! methods these are the same. Whoever asks reads the posting lists of its keys, adds up votes for
//! every document that answers, and leaves those with too few. What is left is judged by its image.
//! The engines ([`sealed`](super::sealed), `growing`) are the same for all
//! methods, and know nothing of what a key means.

use std::collections::HashSet;

use super::Judgement;
use super::lists::short_key;
use crate::encode::Encoded;
use crate::hash::{self, Prehashed};
use crate::parameters::Limit;

/// Where the images of a method meet, and how they are judged.
pub trait Meeting: Send + Sync + 'static {
    /// What is kept of a document.
    type Image: Encoded;
    /// What a key brings along: `()`, or a [`Tag`].
    type Payload: Payload;
    /// The little that is known of every document while another one asks: its sizes. Encoded, all
    /// facts of a method have the same number of bytes.
    type Facts: Encoded + Copy + Default + std::fmt::Debug;

    /// Whether documents look for codes inside the code sets of others ([`Meeting::codes`]).
    const PROBES: bool = false;

    /// Whether a stored index makes images again from the text when one has to be looked at, instead
    /// of keeping them: for large images that are seldom needed. The default is no.
    const REMADE: bool = false;

    /// Returns the facts of a document.
    fn facts(&self, image: &Self::Image) -> Self::Facts;

    /// Hands over the keys of a document, each once for a payload. Keys are spread evenly over
    /// 64 bits, of which the engine uses the upper 40: two keys that agree there meet, and the
    /// judgement tells them apart.
    fn keys(&self, image: &Self::Image, each: impl FnMut(u64, Self::Payload));

    /// Returns how many keys a document asks with, if common ones may be skipped.
    fn n_asked(&self, _: &Self::Facts) -> u32 {
        0
    }

    /// Returns the limits of a search.
    fn limits(&self) -> Limits;

    /// Returns what an asked key that meets a held one adds to the votes; 0 if they do not meet.
    fn vote(&self, _asked: Self::Payload, _held: Self::Payload) -> u64 {
        1
    }

    /// Returns what is left of a vote if its list is too common to bring anybody in, but the
    /// document is known through another one. The default is the whole vote.
    fn common_vote(&self, vote: u64) -> u64 {
        vote
    }

    /// Returns what a key adds to the votes in addition if `n` documents hold it: a rare key says more.
    fn list_vote(&self, _n: usize) -> u64 {
        0
    }

    /// Says whether documents may be related, from their votes alone.
    fn weigh(&self, asker: &Self::Facts, other: &Self::Facts, met: Met) -> Weighed;

    /// Returns in which part of a document each key stands first, in no order; nothing if that is
    /// not known.
    fn parts(&self, _: &Self::Image) -> Vec<(u64, u8)> {
        Vec::new()
    }

    /// Says whether two documents may be related that share `n` keys in one part of the asker, or in
    /// two consecutive parts. `counted` is the share of the asker's keys that was looked at.
    fn is_together(&self, _: &Self::Facts, _: &Self::Facts, _n: u32, _counted: f64) -> bool {
        true
    }

    /// Says whether the keys that two documents share lie close together in both. They come in the
    /// order of what the asker asks with.
    fn is_close(&self, _: &[Shared<Self::Payload>]) -> bool {
        true
    }

    /// Says how two documents relate, seen from the one that asks; `None` if they do not.
    fn judge(&self, asker: &Self::Image, other: &Self::Image, met: Met) -> Option<Judgement>;

    /// Returns the codes that a document looks for inside longer ones, ascending and each once;
    /// none by default. See [`probe`](super::probe).
    fn codes(&self, _: &Self::Image) -> Vec<u64> {
        Vec::new()
    }

    /// Returns the code set of a document that others look into, if it has one.
    fn code_set<'a>(&self, _: &'a Self::Image) -> Option<&'a super::probe::CodeSet> {
        None
    }

    /// Returns whether codes are looked for among the runs of a document.
    fn is_looked_into(&self, _: &Self::Facts) -> bool {
        false
    }

    /// Returns how many of `n` codes must stand in a code set.
    fn least_codes(&self, n: usize) -> usize {
        n
    }

    /// Whether [`Meeting::unseen`] is told: of documents that are nearly the same, each may then
    /// take part in a search with what those before it do not have.
    const CROWDS: bool = false;

    /// Returns what of an image was not seen before, as an image, or `None` if there is nothing;
    /// what it has is seen from now on.
    fn unseen(&self, _image: &Self::Image, _seen: &mut SeenKeys) -> Option<Self::Image> {
        None
    }

    /// Returns the meeting as it searches where only documents are wanted of which one stands in the
    /// other, and no passages. Whoever is found by it would be found without, too.
    #[must_use]
    fn without_passages(self) -> Self
    where
        Self: Sized,
    {
        self
    }

    /// Returns the meeting as it searches without passages where documents that are gone answer nobody:
    /// the limits can then be wider.
    #[must_use]
    fn in_turns(self) -> Self
    where
        Self: Sized,
    {
        self.without_passages()
    }

    /// Returns the image as a set of units, ascending and each once, if it is one.
    fn units(&self, _: &Self::Image) -> Option<Vec<u64>> {
        None
    }
}

/// What a key brings along.
pub trait Payload: Copy + Ord + Default + Send + Sync + std::fmt::Debug + 'static {
    /// Bytes it takes when it is written down.
    const BYTES: usize;

    /// Returns whether others find the document under the key.
    fn holds(self) -> bool;

    /// Returns whether the document asks with the key.
    fn asks(self) -> bool;

    /// Returns it as a number.
    fn to_bits(self) -> u32;

    /// Makes it from a number.
    fn from_bits(bits: u32) -> Self;
}

/// Returns the keys that a document asks with, ascending and each once; of a key the bits that count.
pub(super) fn asked_keys<M: Meeting>(meeting: &M, image: &M::Image) -> Vec<(u64, M::Payload)> {
    let mut keys = Vec::new();
    meeting.keys(image, |key, payload| {
        if payload.asks() {
            keys.push((short_key(key), payload));
        }
    });
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Nothing: the key is held and asked with.
impl Payload for () {
    const BYTES: usize = 0;

    fn holds(self) -> bool {
        true
    }

    fn asks(self) -> bool {
        true
    }

    fn to_bits(self) -> u32 {
        0
    }

    fn from_bits(_: u32) {}
}

/// Whether a key is held, asked with or both, and a value of 30 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tag(u32);

impl Tag {
    const HELD: u32 = 1;
    const ASKED: u32 = 2;

    /// A key that is held and asked with.
    pub fn both(value: u32) -> Self {
        Self(value << 2 | Self::HELD | Self::ASKED)
    }

    /// A key under which others find the document.
    pub fn held(value: u32) -> Self {
        Self(value << 2 | Self::HELD)
    }

    /// A key that the document asks with.
    pub fn asked(value: u32) -> Self {
        Self(value << 2 | Self::ASKED)
    }

    /// Returns the value.
    pub fn value(self) -> u32 {
        self.0 >> 2
    }
}

impl Payload for Tag {
    const BYTES: usize = 4;

    fn holds(self) -> bool {
        self.0 & Self::HELD != 0
    }

    fn asks(self) -> bool {
        self.0 & Self::ASKED != 0
    }

    fn to_bits(self) -> u32 {
        self.0
    }

    fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}

/// The keys and codes that a group of nearly equal documents has had so far.
#[derive(Clone, Debug, Default)]
pub struct SeenKeys(HashSet<u64, Prehashed>);

impl SeenKeys {
    /// Keys that are remembered. Later ones may be taken for new twice, which costs a comparison and
    /// misses nothing.
    const MOST: usize = 1 << 20;

    /// Returns whether a key or code is new, and remembers it.
    pub fn is_new(&mut self, key: u64) -> bool {
        let key = hash::mix(key);
        if self.0.len() < Self::MOST { self.0.insert(key) } else { !self.0.contains(&key) }
    }
}

/// What the posting lists that were read tell of another document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Met {
    /// Sum of the votes of shared keys in the lists that were read, below 2^63.
    pub votes: u64,
    /// Keys of the asker whose lists were not read at all, because there were too many.
    pub n_unread: u32,
}

/// What votes say of two documents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weighed {
    /// Not related.
    No,
    /// The images have to be looked at.
    Look,
    /// Related if enough of the votes come from one place of the asker.
    IfTogether,
    /// Related if the shared keys lie close together in both documents.
    IfClose,
    /// Related; the images would add nothing.
    Yes(Judgement),
}

/// A key that two documents share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared<P> {
    /// What the asker asks with.
    pub asked: P,
    /// What the other one holds.
    pub held: P,
    /// What the key added to the votes.
    pub votes: u64,
}

/// A limit that no collection reaches.
pub const UNLIMITED: usize = Limit::NONE.get();

/// How much work a search may do. All limits are counted from the side of the document that asks,
/// over the documents before it: asking one by one as documents come and asking when all are there
/// give the same answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Documents in a list beyond which it is common.
    pub stop: usize,
    /// What common lists answer.
    pub common: Common,
    /// Entries of lists longer than [`SHORT_LIST`] that one search reads. Where there are more, only
    /// every n-th of these lists is read, chosen by its key.
    pub most_reads: usize,
    /// Images that one search looks at.
    pub most_looks: usize,
    /// Documents that one search finds; those with the largest shares stay, among equals the
    /// earliest.
    pub most_partners: usize,
}

impl Limits {
    /// No limits.
    pub const NONE: Self = Self {
        stop: UNLIMITED,
        common: Common::First(UNLIMITED),
        most_reads: UNLIMITED,
        most_looks: UNLIMITED,
        most_partners: UNLIMITED,
    };

    /// Lists answer with their first `stop` documents.
    pub fn first(stop: usize) -> Self {
        Self { stop, common: Common::First(stop), ..Self::NONE }
    }
}

/// Lists of at most this many documents are read whatever the limit of reads.
pub const SHORT_LIST: usize = 32;

/// What a list answers that is longer than [`Limits::stop`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Common {
    /// Its first documents.
    First(usize),
    /// Nothing.
    Nothing,
    /// Nothing. If at least this share of the asker's keys are common, the shortest of the common
    /// lists answers with its first [`Limits::stop`] documents all the same: a document made of
    /// nothing but common keys would otherwise find nobody.
    Skip(f64),
}
