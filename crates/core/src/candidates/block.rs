//! The engine for a collection that is cut into blocks: some documents ask, and the lists of their keys
//! are brought to them from wherever they lie. A cluster of machines searches with it.
//!
//! 1. The keys of all images become postings; a shuffle by key brings the postings of a key together,
//!    by document. [`put_lists`] cuts the list of a key by the blocks of those that ask it: each block gets
//!    the documents that hold the key and come before the last asker of the block. Of a list that is common
//!    for all of the block it gets the first ones, how many follow, and those of the block itself.
//! 2. A [`BlockSearch`] takes the lists of one block, and its documents ask by the same search as in
//!    [`sealed`](super::sealed). What limits leave out is counted over the documents before the asker,
//!    which are all in the list, so the answers are the same.
//! 3. Where votes do not decide, images have to be looked at, and where a document may stand among those
//!    that were only counted, its image tells. Images are not there in the first round:
//!    [`BlockSearch::ask`] then names the documents whose images it wants, and the document asks once more when
//!    they are, and so on until it wants none.
//!
//! Tiny documents are found by shuffling codes instead of keys: `put_code_parts` and [`pairs_of_part`].
//!
//! Documents have numbers of 64 bits here. A block numbers those that it meets anew, in the same order.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::rc::Rc;

use super::ask::{Asked, Asker, Hidden, Known, Tally};
use super::lists::{Posting, n_before, short_key};
use super::meeting::{Common, Limits, Meeting, Payload, asked_keys};
use super::probe::{CodeSet, Codes};
use super::{Cuts, Found, Partner};
use crate::encode::{Encoded, Input, from_bytes, put_number};
use crate::hash::Prehashed;

/// A document that holds a key or asks with it, as the shuffle brings it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shuffled<'a> {
    /// The document.
    pub doc: u64,
    /// What the key brings along, as a number.
    pub payload: u32,
    /// The document's facts, encoded.
    pub facts: &'a [u8],
}

/// How a collection is cut into blocks.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    /// Documents of a block.
    pub n_docs: u64,
    /// Documents of a list that a block gets of those before it; there are no fewer of a common list.
    pub n_first: usize,
}

/// Cuts the list of a key by blocks and hands over what each block that asks needs of it: the number of
/// the block, and bytes that [`BlockSearch::add_list`] takes. `list` is sorted by document and payload;
/// `holds` and `asks` say what a payload means.
pub fn put_lists(
    list: &[Shuffled<'_>],
    blocks: Blocks,
    (holds, asks): (&dyn Fn(u32) -> bool, &dyn Fn(u32) -> bool),
    mut each: impl FnMut(u64, &[u8]),
) {
    let holders: Vec<&Shuffled<'_>> = list.iter().filter(|one| holds(one.payload)).collect();
    // Where a document stands twice in a list, a look-up finds either, so all have to be at hand.
    let is_once = holders.windows(2).all(|two| two[0].doc != two[1].doc);
    let mut start = 0;
    let mut bytes = Vec::new();
    while start < list.len() {
        let block = list[start].doc / blocks.n_docs;
        let n = list[start..].partition_point(|posting| posting.doc / blocks.n_docs == block);
        let of_block = &list[start..start + n];
        start += n;
        let Some(asker) = of_block.iter().rfind(|posting| asks(posting.payload)) else { continue };
        let n_all = holders.partition_point(|holder| holder.doc < asker.doc);
        if n_all == 0 {
            continue;
        }
        let first_doc = block * blocks.n_docs;
        let n_before = holders.partition_point(|holder| holder.doc < first_doc);
        let n_first = if is_once { n_before.min(blocks.n_first) } else { n_before };
        bytes.clear();
        put_number((n_before - n_first) as u64, &mut bytes);
        if n_before > n_first {
            put_number(first_doc, &mut bytes);
            put_number(holders[n_first - 1].doc, &mut bytes);
        }
        let mut last = 0;
        for holder in holders[..n_first].iter().chain(&holders[n_before..n_all]) {
            put_number(holder.doc - last, &mut bytes);
            put_number(u64::from(holder.payload), &mut bytes);
            put_number(holder.facts.len() as u64, &mut bytes);
            bytes.extend_from_slice(holder.facts);
            last = holder.doc;
        }
        each(block, &bytes);
    }
}

/// Returns how many documents of a common list a search may need that it does not look for.
pub(crate) fn n_first(limits: &Limits) -> usize {
    let of_common = match limits.common {
        Common::First(n) => n,
        Common::Nothing | Common::Skip(_) => 0,
    };
    limits.stop.max(of_common).max(1)
}

/// A search among the lists of a block, whatever the method.
pub trait BlockSearch: Send {
    /// Takes the list of a key, of which the bits count that [`KEY_BITS`](super::KEY_BITS) names.
    ///
    /// *Errors* if the bytes are no list of the method.
    fn add_list(&mut self, key: u64, list: &[u8]) -> io::Result<()>;

    /// Takes the image of a document that was wanted.
    fn add_image(&mut self, doc: u64, image: &[u8]);

    /// Ends the taking.
    fn seal(&mut self);

    /// Lets a document ask about those before it. Returns what it finds, or the documents whose images
    /// have to be there for that.
    ///
    /// *Errors* if the bytes are no image of the method.
    fn ask(&mut self, asker: u64, image: &[u8]) -> io::Result<Answer>;
}

/// What a document gets that asks in a block.
#[derive(Clone, Debug)]
pub enum Answer {
    /// What it finds: documents, and what the method says of them.
    Found {
        /// Documents by number, and what the method says of each, seen from the asker.
        partners: Vec<(u64, Partner)>,
        /// What was left out.
        cuts: Cuts,
        /// Documents that a similarity was computed with.
        n_compared: u64,
    },
    /// Documents whose images have to be looked at, in order and each once.
    Wanted(Vec<u64>),
}

/// A list of a block.
#[derive(Clone, Copy, Debug)]
struct BlockList {
    /// Where it lies in `raw`, and then in `postings`.
    start: usize,
    end: usize,
    /// How many documents of it are not there, which lie between these two.
    n_hidden: usize,
    after: u64,
    before: u64,
}

/// The lists of a block.
pub(crate) struct Block<M: Meeting> {
    meeting: M,
    lists: HashMap<u64, BlockList, Prehashed>,
    raw: Vec<(u64, M::Payload)>,
    postings: Vec<Posting<M::Payload>>,
    /// Documents by their number here.
    docs: Vec<u64>,
    facts: Vec<M::Facts>,
    facts_of: Vec<(u64, M::Facts)>,
    images: HashMap<u64, Box<[u8]>>,
    tally: Tally,
}

impl<M: Meeting> Block<M> {
    pub(crate) fn new(meeting: M) -> Self {
        Self {
            meeting,
            lists: HashMap::default(),
            raw: Vec::new(),
            postings: Vec::new(),
            docs: Vec::new(),
            facts: Vec::new(),
            facts_of: Vec::new(),
            images: HashMap::new(),
            tally: Tally::default(),
        }
    }

    /// Hands over the documents of a list with payloads and facts. Returns how many are hidden, and
    /// between which two.
    fn decode(
        list: &[u8],
        mut each: impl FnMut(u64, M::Payload, M::Facts),
    ) -> Option<(usize, u64, u64)> {
        let mut input = Input::new(list);
        let n_hidden = usize::try_from(input.number()?).ok()?;
        let (mut after, mut before) = (0, 0);
        if n_hidden > 0 {
            (before, after) = (input.number()?, input.number()?);
        }
        let mut doc = 0u64;
        while !input.is_empty() {
            doc = doc.checked_add(input.number()?)?;
            let payload = M::Payload::from_bits(u32::try_from(input.number()?).ok()?);
            let n = input.count()?;
            let mut facts = Input::new(input.take(n)?);
            let of_doc = M::Facts::decode(&mut facts).filter(|_| facts.is_empty())?;
            each(doc, payload, of_doc);
        }
        Some((n_hidden, after, before))
    }
}

/// Spreads the bits of a key over a table.
fn place(short_key: u64) -> u64 {
    short_key.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl<M: Meeting> BlockSearch for Block<M> {
    fn add_list(&mut self, key: u64, list: &[u8]) -> io::Result<()> {
        let start = self.raw.len();
        let (raw, facts_of) = (&mut self.raw, &mut self.facts_of);
        let decoded = Self::decode(list, |doc, payload, facts| {
            raw.push((doc, payload));
            facts_of.push((doc, facts));
        });
        let decoded = decoded.ok_or_else(|| bad("a list cannot be read back"))?;
        let (n_hidden, after, before) = decoded;
        let list = BlockList { start, end: self.raw.len(), n_hidden, after, before };
        self.lists.insert(place(key), list);
        // Facts of a document come with each of its postings, and one is enough.
        if self.facts_of.len() >= 1 << 20 && self.facts_of.len() > 4 * self.docs.len() {
            self.settle();
        }
        Ok(())
    }

    fn add_image(&mut self, doc: u64, image: &[u8]) {
        self.images.insert(doc, image.into());
    }

    fn seal(&mut self) {
        self.settle();
        let (docs, facts): (Vec<u64>, Vec<M::Facts>) =
            std::mem::take(&mut self.facts_of).into_iter().unzip();
        (self.docs, self.facts) = (docs, facts);
        let docs = &self.docs;
        let posting = |(doc, payload): (u64, M::Payload)| Posting {
            doc: docs.partition_point(|&other| other < doc) as u32,
            payload,
        };
        self.postings = std::mem::take(&mut self.raw).into_iter().map(posting).collect();
    }

    fn ask(&mut self, asker: u64, image: &[u8]) -> io::Result<Answer> {
        let Self { meeting, lists, postings, docs, facts, images, tally, .. } = self;
        let decoded = || from_bytes::<M::Image>(image).ok_or_else(|| bad("no image of the method"));
        let of_asker = decoded()?;
        let before = docs.partition_point(|&doc| doc < asker) as u32;
        let mut asked: Vec<Asked<'_, M::Payload>> = Vec::new();
        for (key, payload) in asked_keys(meeting, &of_asker) {
            let Some(&BlockList { start, end, n_hidden, .. }) = lists.get(&place(key)) else {
                continue;
            };
            let list = &postings[start..end];
            let list = &list[..n_before(list, before)];
            let hidden = Hidden { n: n_hidden, list: key };
            asked.push(Asked { key: key as u32, payload, list, hidden });
        }
        let known = Brought {
            meeting: &*meeting,
            docs,
            facts,
            lists,
            images,
            image,
            wanted: RefCell::default(),
            n_open: RefCell::default(),
            held: RefCell::default(),
        };
        let mut found = Found::default();
        let facts = meeting.facts(&of_asker);
        let asker = Asker::<M> { facts, image: &mut || decoded() };
        tally.ask(&*meeting, asker, &mut asked, (0, docs.len()), &known, &mut found)?;
        let mut wanted = known.wanted.into_inner();
        if !wanted.is_empty() {
            wanted.sort_unstable();
            wanted.dedup();
            return Ok(Answer::Wanted(wanted));
        }
        let partners = found.partners.into_iter();
        Ok(Answer::Found {
            partners: partners.map(|partner| (docs[partner.ordinal.index()], partner)).collect(),
            cuts: found.cuts,
            n_compared: found.n_compared,
        })
    }
}

impl<M: Meeting> Block<M> {
    /// Keeps the facts of each document once.
    fn settle(&mut self) {
        self.facts_of.sort_by_key(|&(doc, _)| doc);
        self.facts_of.dedup_by_key(|&mut (doc, _)| doc);
        self.docs.resize(self.facts_of.len(), 0);
    }
}

/// What a document holds, ascending by key.
type HeldKeys<P> = Rc<[(u64, P)]>;

/// What is known of other documents in a block while one asks.
struct Brought<'a, M: Meeting> {
    meeting: &'a M,
    docs: &'a [u64],
    facts: &'a [M::Facts],
    lists: &'a HashMap<u64, BlockList, Prehashed>,
    images: &'a HashMap<u64, Box<[u8]>>,
    /// Image of the asker, which stands for one that is wanted: the answer is not used.
    image: &'a [u8],
    wanted: RefCell<Vec<u64>>,
    /// In how many hidden parts of lists a document may stand that has no image here.
    n_open: RefCell<HashMap<u32, u64>>,
    /// What the documents hold that were looked for in hidden parts, ascending by key.
    held: RefCell<HashMap<u32, HeldKeys<M::Payload>>>,
}

impl<M: Meeting> Brought<'_, M> {
    /// Returns what a document holds, if its image is here.
    fn held(&self, doc: u32) -> io::Result<Option<HeldKeys<M::Payload>>> {
        if let Some(held) = self.held.borrow().get(&doc) {
            return Ok(Some(Rc::clone(held)));
        }
        let Some(image) = self.images.get(&self.docs[doc as usize]) else { return Ok(None) };
        let image: M::Image = from_bytes(image).ok_or_else(|| bad("no image of the method"))?;
        let mut held = Vec::new();
        self.meeting.keys(&image, |key, payload| {
            if payload.holds() {
                held.push((short_key(key), payload));
            }
        });
        held.sort_unstable();
        let held: HeldKeys<M::Payload> = held.into();
        self.held.borrow_mut().insert(doc, Rc::clone(&held));
        Ok(Some(held))
    }
}

impl<M: Meeting> Known<M> for Brought<'_, M> {
    fn facts(&self, doc: u32) -> io::Result<M::Facts> {
        Ok(self.facts[doc as usize])
    }

    fn hidden(&self, doc: u32, hidden: Hidden) -> io::Result<Option<M::Payload>> {
        let list = &self.lists[&place(hidden.list)];
        let number = self.docs[doc as usize];
        if number <= list.after || number >= list.before {
            return Ok(None);
        }
        let Some(held) = self.held(doc)? else {
            *self.n_open.borrow_mut().entry(doc).or_default() += 1;
            return Ok(None);
        };
        let at = held.partition_point(|&(key, _)| key < hidden.list);
        Ok(held.get(at).filter(|held| held.0 == hidden.list).map(|&(_, payload)| payload))
    }

    fn n_open(&self, doc: u32) -> u64 {
        self.n_open.borrow().get(&doc).copied().unwrap_or(0)
    }

    fn image(&self, doc: u32) -> io::Result<M::Image> {
        let doc = self.docs[doc as usize];
        let image = if let Some(image) = self.images.get(&doc) {
            image
        } else {
            self.wanted.borrow_mut().push(doc);
            self.image
        };
        from_bytes(image).ok_or_else(|| bad("no image of the method"))
    }
}

fn bad(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Most parts that codes can be cut into: no code set has codes of fewer bits.
pub const MOST_CODE_PARTS: u64 = 1024;

/// What a part of all codes gets of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodePart {
    /// A code of a tiny document, and how many of its codes must stand in a long one.
    Tiny {
        /// The code.
        code: u64,
        /// Codes that must stand in a long document.
        needed: u32,
    },
    /// Those codes of a long document's set that fall into the part, encoded.
    Set(Vec<u8>),
}

/// Hands over what each of `n_parts` parts of all codes, by their first bits, gets of a document.
/// `n_parts` is a power of two of at most [`MOST_CODE_PARTS`].
pub(crate) fn put_code_parts<M: Meeting>(
    meeting: &M,
    image: &M::Image,
    n_parts: u64,
    mut each: impl FnMut(u64, CodePart),
) {
    if !M::PROBES {
        return;
    }
    let codes = meeting.codes(image);
    let needed = meeting.least_codes(codes.len()).max(1) as u32;
    for code in codes {
        each((code >> 54) * n_parts / MOST_CODE_PARTS, CodePart::Tiny { code, needed });
    }
    if let Some(set) = meeting.code_set(image) {
        for (part, set) in set.parts(n_parts) {
            let mut bytes = Vec::new();
            set.encode(&mut bytes);
            each(part, CodePart::Set(bytes));
        }
    }
}

/// A pair of a tiny and a long document, with how many codes of a part show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodePair {
    /// The later document.
    pub asker: u64,
    /// The earlier document.
    pub other: u64,
    /// Codes that must show it, over all parts.
    pub needed: u32,
    /// Codes that show it.
    pub n: u32,
}

/// Finds the pairs of tiny and long documents in one part of all codes; a code counts for the first
/// `stop` documents before the asker.
///
/// *Errors* if the bytes of a set are none.
pub fn pairs_of_part(
    tiny: &[(u64, u64, u32)],
    sets: &[(u64, &[u8])],
    stop: usize,
    cuts: &mut Cuts,
) -> io::Result<Vec<CodePair>> {
    let mut docs: Vec<(u64, u32)> = tiny.iter().map(|&(doc, _, needed)| (doc, needed)).collect();
    docs.sort_unstable();
    docs.dedup();
    let number = |doc: u64| docs.partition_point(|other| other.0 < doc) as u32;
    let codes = Codes::new(tiny.iter().map(|&(doc, code, _)| (code, number(doc))).collect());
    let mut hits: Vec<(usize, u64)> = Vec::new();
    for &(doc, set) in sets {
        let mut input = Input::new(set);
        let set = CodeSet::decode(&mut input).filter(|_| input.is_empty());
        let set = set.ok_or_else(|| bad("a set of codes cannot be read back"))?;
        codes.in_set(&set, |at| hits.push((at, doc)));
    }
    hits.sort_unstable();
    hits.dedup();
    let mut pairs: Vec<CodePair> = Vec::new();
    for same in hits.chunk_by(|x, y| x.0 == y.0) {
        let long: Vec<(u64, u32)> = same.iter().map(|hit| (hit.1, 0)).collect();
        let tiny: Vec<(u64, u32)> =
            codes.docs(same[0].0).iter().map(|&doc| docs[doc as usize]).collect();
        for (askers, others) in [(&tiny, &long), (&long, &tiny)] {
            for &(asker, of_asker) in askers {
                let n = others.partition_point(|other| other.0 < asker);
                cuts.n_stop_features += u64::from(n > stop);
                for &(other, of_other) in &others[..n.min(stop)] {
                    pairs.push(CodePair { asker, other, needed: of_asker.max(of_other), n: 1 });
                }
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup_by(|next, pair| {
        let is_same = (next.asker, next.other) == (pair.asker, pair.other);
        pair.n += if is_same { next.n } else { 0 };
        is_same
    });
    Ok(pairs)
}
