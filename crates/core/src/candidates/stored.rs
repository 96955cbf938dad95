//! The engine for documents that a stored index holds: questions, and new documents against old ones.
//!
//! What is kept of a document is an [`Entry`]. Where lists lie, and how, is up to the index
//! ([`Holdings`]); a document that asks reads its lists by the same search as in the other engines.
//! All documents of the index may answer. Where a limit leaves some out, which ones stay depends on
//! the documents alone and not on the order in which they came ([`Holdings::order`]).

use std::borrow::Cow;
use std::io;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::ask::{Asked, Asker, Hidden, Known, Tally};
use super::lists::{Posting, short_key};
use super::meeting::{Meeting, Payload, asked_keys};
use super::probe::{self, CodeCounts, CodeSet, Codes};
use super::{Cuts, Found};
use crate::encode::{Encoded, Input, from_bytes, put_number};

/// What a stored index holds for one method. Documents have ordinals; those that were removed show
/// nowhere.
pub trait Holdings: Send + Sync {
    /// Returns the number of ordinals, those of removed documents included.
    fn n_ordinals(&self) -> usize;

    /// Adds the documents that hold a key, by ordinal, with their payloads.
    fn list(&self, key: u64, out: &mut Vec<(u32, u32)>) -> io::Result<()>;

    /// Returns the facts of a document, encoded.
    fn facts(&self, doc: u32) -> io::Result<&[u8]>;

    /// Reads the image of a document, encoded, into `out`.
    fn image(&self, doc: u32, out: &mut Vec<u8>) -> io::Result<()>;

    /// Returns a number that depends on what a document is, not on when it came.
    fn order(&self, doc: u32) -> io::Result<u64>;

    /// Hands over the codes of tiny documents.
    fn tiny(&self, each: &mut dyn FnMut(u64, u32)) -> io::Result<()>;

    /// Hands over the code sets of long documents, encoded, by ordinal.
    fn code_sets(&self, each: &mut dyn FnMut(u32, &[u8]) -> io::Result<()>) -> io::Result<()>;
}

/// Searches what a stored index holds for a method.
pub trait StoredSearch: Send + Sync {
    /// Returns what documents with these images find, for each. `holdings` is the same on every
    /// call.
    ///
    /// *Errors* if something cannot be read, or is no image of the method.
    fn ask(&self, holdings: &dyn Holdings, askers: &[&[u8]]) -> io::Result<Vec<Found>>;

    /// Says how strongly documents, by ordinal, match a question of this image by the keys they share.
    /// `n_documents` is the number of documents that a rare key is rare among.
    fn matches(
        &self,
        holdings: &dyn Holdings,
        asker: &[u8],
        docs: &[u32],
        n_documents: u64,
    ) -> io::Result<Matches>;
}

/// What the keys of a question say, whatever a search makes of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matches {
    /// Keys that the question asks with.
    pub n_asked: u32,
    /// Keys of these that some document holds.
    pub n_held: u32,
    /// Keys of these that more documents hold than a search follows.
    pub n_common: u32,
    /// For each document asked about, in order, how it matches.
    pub documents: Vec<Match>,
}

/// How strongly a document matches a question.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Match {
    /// Keys that both have.
    pub n_shared: u32,
    /// Sum of ln(N / n) over these keys, where n of N documents hold a key, divided by the sum over
    /// all keys of the question: the match ratio. 0 if no key of the question is rare at all.
    pub ratio: f64,
}

/// Everything a stored index keeps of one document for one method.
///
/// ```
/// use retold_core::candidates::stored::Entry;
/// use retold_core::encode::{from_bytes, to_bytes};
/// let entry = Entry { keys: vec![(7, 0), (9, 1)], facts: vec![3], ..Entry::default() };
/// assert_eq!(from_bytes::<Entry>(&to_bytes(&entry)), Some(entry));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Keys under which others find the document, with their payloads, ascending and each pair
    /// once. Of a key the lower [`KEY_BITS`](super::KEY_BITS) bits are used.
    pub keys: Vec<(u64, u32)>,
    /// Its facts, encoded: the same number of bytes for every document of the method, or fewer.
    pub facts: Vec<u8>,
    /// Its image, encoded, where the method wants it kept.
    pub image: Option<Box<[u8]>>,
    /// Codes of a tiny document, ascending and each once.
    pub codes: Vec<u64>,
    /// Code set of a long document, encoded.
    pub code_set: Option<Box<[u8]>>,
}

impl Entry {
    /// Makes the entry of a document from its image.
    pub(crate) fn of<M: Meeting>(meeting: &M, image: &M::Image, encoded: &[u8]) -> Self {
        let mut keys = Vec::new();
        meeting.keys(image, |key, payload| {
            if payload.holds() {
                keys.push((short_key(key), payload.to_bits()));
            }
        });
        keys.sort_unstable();
        keys.dedup();
        let mut facts = Vec::new();
        meeting.facts(image).encode(&mut facts);
        let code_set = meeting.code_set(image).map(|set| {
            let mut bytes = Vec::new();
            set.encode(&mut bytes);
            bytes.into()
        });
        Self {
            keys,
            facts,
            image: (!M::REMADE).then(|| encoded.into()),
            codes: meeting.codes(image),
            code_set,
        }
    }
}

impl Encoded for Entry {
    fn encode(&self, out: &mut Vec<u8>) {
        let Self { keys, facts, image, codes, code_set } = self;
        put_number(keys.len() as u64, out);
        let mut last = 0;
        for &(key, payload) in keys {
            put_number(key - last, out);
            put_number(u64::from(payload), out);
            last = key;
        }
        put_bytes(facts, out);
        put_number(codes.len() as u64, out);
        for &code in codes {
            code.encode(out);
        }
        for bytes in [image, code_set] {
            bytes.is_some().encode(out);
            if let Some(bytes) = bytes {
                put_bytes(bytes, out);
            }
        }
    }

    fn decode(input: &mut Input<'_>) -> Option<Self> {
        let n = input.count()?;
        let mut keys = Vec::with_capacity(n);
        let mut key = 0u64;
        for _ in 0..n {
            key = key.checked_add(input.number()?)?;
            keys.push((key, u32::try_from(input.number()?).ok()?));
        }
        let facts = get_bytes(input)?.to_vec();
        let n = input.count()?;
        let codes = (0..n).map(|_| u64::decode(input)).collect::<Option<_>>()?;
        let mut optional = [None, None];
        for bytes in &mut optional {
            if bool::decode(input)? {
                *bytes = Some(get_bytes(input)?.into());
            }
        }
        let [image, code_set] = optional;
        Some(Self { keys, facts, image, codes, code_set })
    }
}

fn put_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    put_number(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

fn get_bytes<'a>(input: &mut Input<'a>) -> Option<&'a [u8]> {
    let n = input.count()?;
    input.take(n)
}

/// Searches by a meeting.
pub(crate) struct Searching<M> {
    meeting: M,
    tallies: Mutex<Vec<Tally>>,
    tiny: OnceLock<Tiny>,
}

/// Codes of the tiny documents that are held.
struct Tiny {
    codes: Codes,
    n_codes: CodeCounts,
}

impl<M: Meeting> Searching<M> {
    pub(crate) fn new(meeting: M) -> Self {
        Self { meeting, tallies: Mutex::default(), tiny: OnceLock::new() }
    }

    fn ask_lists(
        &self,
        holdings: &dyn Holdings,
        encoded: &[u8],
        image: &M::Image,
        found: &mut Found,
    ) -> io::Result<()> {
        let keys = asked_keys(&self.meeting, image);
        let (mut raw, mut postings) = (Vec::new(), Vec::new());
        let mut places: Vec<(u64, M::Payload, usize, usize)> = Vec::with_capacity(keys.len());
        for (key, payload) in keys {
            let (start, end) = match places.last() {
                Some(&(same, _, start, end)) if same == key => (start, end),
                _ => {
                    let start = postings.len();
                    raw.clear();
                    holdings.list(key, &mut raw)?;
                    let posting =
                        |&(doc, bits)| Posting { doc, payload: M::Payload::from_bits(bits) };
                    postings.extend(raw.iter().map(posting));
                    (start, postings.len())
                }
            };
            places.push((key, payload, start, end));
        }
        let mut asked: Vec<Asked<'_, M::Payload>> = places
            .into_iter()
            .map(|(key, payload, start, end)| Asked {
                key: key as u32,
                payload,
                list: &postings[start..end],
                hidden: Hidden::default(),
            })
            .collect();
        let idle = self.tallies.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut tally = idle.unwrap_or_default();
        let asker = Asker { facts: self.meeting.facts(image), image: &mut || decode(encoded) };
        let ordinals = (0, holdings.n_ordinals());
        tally.ask(&self.meeting, asker, &mut asked, ordinals, &Held(holdings), found)?;
        // Votes of a search that failed are left behind, so its tally is not used again.
        self.tallies.lock().unwrap_or_else(PoisonError::into_inner).push(tally);
        Ok(())
    }

    /// Finds the tiny documents that stand in long askers.
    fn look_for_tiny(
        &self,
        holdings: &dyn Holdings,
        images: &[M::Image],
        all: &mut [Found],
    ) -> io::Result<()> {
        if !images.iter().any(|image| self.meeting.code_set(image).is_some()) {
            return Ok(());
        }
        let tiny = if let Some(tiny) = self.tiny.get() {
            tiny
        } else {
            let mut both = Vec::new();
            holdings.tiny(&mut |code, doc| both.push((code, doc)))?;
            let codes = Codes::new(both);
            let n_codes = codes.n_of_documents();
            self.tiny.get_or_init(|| Tiny { codes, n_codes })
        };
        if tiny.codes.is_empty() {
            return Ok(());
        }
        let is_enough =
            |doc: u32, n: usize| n >= self.meeting.least_codes(tiny.n_codes.of(doc)).max(1);
        let stop = self.meeting.limits().stop;
        for (image, found) in images.iter().zip(all) {
            let Some(set) = self.meeting.code_set(image) else { continue };
            let mut met = Vec::new();
            let mut failed = Ok(());
            tiny.codes.in_set(set, |at| {
                match few(tiny.codes.docs(at), stop, holdings, &mut found.cuts) {
                    Ok(docs) => met.extend_from_slice(&docs),
                    Err(error) => failed = Err(error),
                }
            });
            failed?;
            probe::unite(found, 0, &probe::often(met, is_enough));
        }
        Ok(())
    }

    /// Finds the long documents in which tiny askers stand, in one look at all code sets.
    fn look_in_sets(
        &self,
        holdings: &dyn Holdings,
        images: &[M::Image],
        all: &mut [Found],
    ) -> io::Result<()> {
        let mut both = Vec::new();
        for (asker, image) in (0..).zip(images) {
            both.extend(self.meeting.codes(image).into_iter().map(|code| (code, asker)));
        }
        if both.is_empty() {
            return Ok(());
        }
        let codes = Codes::new(both);
        let n_codes = codes.n_of_documents();
        let mut hits: Vec<(u32, u32)> = Vec::new();
        holdings.code_sets(&mut |doc, set| {
            let mut input = Input::new(set);
            let set = CodeSet::decode(&mut input).filter(|_| input.is_empty());
            let set = set.ok_or_else(no_image)?;
            codes.in_set(&set, |at| hits.push((at as u32, doc)));
            Ok(())
        })?;
        hits.sort_unstable();
        hits.dedup();
        let stop = self.meeting.limits().stop;
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for same in hits.chunk_by(|x, y| x.0 == y.0) {
            let docs: Vec<u32> = same.iter().map(|x| x.1).collect();
            for &asker in codes.docs(same[0].0 as usize) {
                let cuts = &mut all[asker as usize].cuts;
                pairs.extend(few(&docs, stop, holdings, cuts)?.iter().map(|&doc| (asker, doc)));
            }
        }
        pairs.sort_unstable();
        for of_asker in pairs.chunk_by(|x, y| x.0 == y.0) {
            let asker = of_asker[0].0;
            let needed = self.meeting.least_codes(n_codes.of(asker)).max(1);
            let met = of_asker.iter().map(|x| x.1).collect();
            let docs = probe::often(met, |_, n| n >= needed);
            probe::unite(&mut all[asker as usize], 0, &docs);
        }
        Ok(())
    }
}

impl<M: Meeting> StoredSearch for Searching<M> {
    fn ask(&self, holdings: &dyn Holdings, askers: &[&[u8]]) -> io::Result<Vec<Found>> {
        let mut all = vec![Found::default(); askers.len()];
        let mut images = Vec::with_capacity(askers.len());
        for (encoded, found) in askers.iter().zip(&mut all) {
            let image: M::Image = decode(encoded)?;
            self.ask_lists(holdings, encoded, &image, found)?;
            images.push(image);
        }
        if M::PROBES {
            self.look_for_tiny(holdings, &images, &mut all)?;
            self.look_in_sets(holdings, &images, &mut all)?;
        }
        Ok(all)
    }

    fn matches(
        &self,
        holdings: &dyn Holdings,
        asker: &[u8],
        docs: &[u32],
        n_documents: u64,
    ) -> io::Result<Matches> {
        let image: M::Image = decode(asker)?;
        let keys = asked_keys(&self.meeting, &image);
        let stop = self.meeting.limits().stop;
        let mut matches =
            Matches { documents: vec![Match::default(); docs.len()], ..Matches::default() };
        let (mut total, mut list) = (0.0, Vec::new());
        for same in keys.chunk_by(|x, y| x.0 == y.0) {
            list.clear();
            holdings.list(same[0].0, &mut list)?;
            let weight = (n_documents as f64 / list.len().max(1) as f64).ln().max(0.0);
            total += weight;
            matches.n_asked += 1;
            matches.n_held += u32::from(!list.is_empty());
            matches.n_common += u32::from(list.len() > stop);
            let is_met = |held: u32| {
                let held = M::Payload::from_bits(held);
                same.iter().any(|&(_, asked)| self.meeting.vote(asked, held) > 0)
            };
            for (doc, matched) in docs.iter().zip(&mut matches.documents) {
                let from = list.partition_point(|x| x.0 < *doc);
                let mut held = list[from..].iter().take_while(|x| x.0 == *doc);
                if held.any(|&(_, payload)| is_met(payload)) {
                    matched.n_shared += 1;
                    matched.ratio += weight;
                }
            }
        }
        for matched in &mut matches.documents {
            matched.ratio = if total > 0.0 { matched.ratio / total } else { 0.0 };
        }
        Ok(matches)
    }
}

/// Returns the documents of a list that stay if it holds more than `stop`.
fn few<'a>(
    docs: &'a [u32],
    stop: usize,
    holdings: &dyn Holdings,
    cuts: &mut Cuts,
) -> io::Result<Cow<'a, [u32]>> {
    if docs.len() <= stop {
        return Ok(Cow::Borrowed(docs));
    }
    cuts.n_stop_features += 1;
    let mut in_order = Vec::with_capacity(docs.len());
    for &doc in docs {
        in_order.push((holdings.order(doc)?, doc));
    }
    in_order.sort_unstable();
    Ok(in_order[..stop].iter().map(|x| x.1).collect())
}

fn no_image() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a stored image or its facts cannot be read back")
}

fn decode<T: Encoded>(bytes: &[u8]) -> io::Result<T> {
    from_bytes(bytes).ok_or_else(no_image)
}

/// What is held, as the search wants it.
struct Held<'a>(&'a dyn Holdings);

impl<M: Meeting> Known<M> for Held<'_> {
    fn facts(&self, doc: u32) -> io::Result<M::Facts> {
        M::Facts::decode(&mut Input::new(self.0.facts(doc)?)).ok_or_else(no_image)
    }

    fn image(&self, doc: u32) -> io::Result<M::Image> {
        let mut bytes = Vec::new();
        self.0.image(doc, &mut bytes)?;
        decode(&bytes)
    }

    fn order(&self, doc: u32) -> io::Result<u64> {
        self.0.order(doc)
    }

    fn first<'a>(
        &self,
        list: &'a [Posting<M::Payload>],
        n: usize,
    ) -> io::Result<Cow<'a, [Posting<M::Payload>]>> {
        if n >= list.len() {
            return Ok(Cow::Borrowed(list));
        }
        let mut in_order = Vec::with_capacity(list.len());
        for &posting in list {
            in_order.push((self.0.order(posting.doc)?, posting));
        }
        in_order.sort_unstable();
        let mut kept: Vec<Posting<M::Payload>> = in_order[..n].iter().map(|x| x.1).collect();
        kept.sort_unstable();
        Ok(Cow::Owned(kept))
    }

    fn put_in_order(&self, docs: &mut [u32]) -> io::Result<()> {
        let mut in_order = Vec::with_capacity(docs.len());
        for &doc in docs.iter() {
            in_order.push((self.0.order(doc)?, doc));
        }
        in_order.sort_unstable();
        docs.iter_mut().zip(in_order).for_each(|(doc, (_, next))| *doc = next);
        Ok(())
    }
}
