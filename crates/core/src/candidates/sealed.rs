//! The engine for a collection that is complete: every document asks about those before it.
//!
//! 1. The keys of all images become postings in 256 parts by their first bits.
//! 2. Each part is sorted; keys that nobody shares fall out; the rest are lists, written down.
//! 3. Documents ask in batches. A batch takes the lists that one of its documents asks, and of
//!    those only what comes before its last document.
//!
//! Where documents take their turn in an order of preference, that order takes the place of ordinals, and
//! those that are gone answer nobody any more (`search_in_turns`).
//!
//! All three stay in memory as far as the budget goes. Postings and lists beyond it lie in scratch
//! files, and there are more batches. The answers are the same.

use std::io;
use std::marker::PhantomData;
use std::sync::Mutex;

use super::ask::{Asked, Asker, Hidden, Known, Tally};
use super::lists::{Posting, get_list, n_before, put_list, short_key};
use super::meeting::{Meeting, Payload};
use super::probe::HeldRuns;
use super::{Cuts, Found, NO_PANIC, Partner, probe};
use crate::document::Ordinal;
use crate::encode::Input;
use crate::executor::Executor;
use crate::hash;
use crate::image::images::{Images, PartOfImage};
use crate::scratch::{Log, Record, Scratch, ScratchFile};

/// What a search runs with.
#[derive(Clone, Copy)]
pub struct SearchSetup<'a> {
    /// First document of the second collection, if two are compared: then only documents from it
    /// on ask, about those before it.
    pub border: Option<Ordinal>,
    /// Whether only documents are wanted of which one stands in the other: passages that two have
    /// in common are then not looked for.
    pub without_passages: bool,
    /// Runs of documents that are held anyway; others have them in their images.
    pub runs: Option<&'a dyn HeldRuns>,
    /// Memory that postings and lists may take.
    pub memory_bytes: usize,
    /// Where the rest goes.
    pub scratch: &'a dyn Scratch,
    /// Who does the work.
    pub executor: &'a dyn Executor,
}

/// What a search came to, beside its pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Searched {
    /// What was left out.
    pub cuts: Cuts,
    /// Pairs a similarity was computed of.
    pub n_compared: u64,
}

/// Why a search ended early.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// A scratch file could not be written or read.
    #[error("scratch file: {0}")]
    Scratch(#[from] io::Error),
    /// It was asked to.
    #[error("stopped")]
    Stopped,
}

/// Takes the documents found for an asker, by ordinal. Askers come in order.
pub type Each<'a> = dyn FnMut(Ordinal, &[Partner]) -> io::Result<()> + 'a;

/// The order in which documents ask, if that is another than the order of their coming.
#[derive(Clone, Copy, Debug)]
pub struct AskingOrder<'a> {
    /// The rank of every document: those with smaller ones ask before it.
    pub rank_of: &'a [u32],
    /// The document of every rank.
    pub doc_of: &'a [u32],
}

/// Takes pairs of a document that asked and one that it found, by their ranks, and says which of those
/// that asked are gone and answer nobody any more. Told is also how many have asked.
pub type EachTurn<'a> = dyn FnMut(&[(u32, u32)], u32) -> io::Result<Vec<u32>> + 'a;

/// Documents that ask before it is said which of them are gone.
const ASKS_PER_TURN: u32 = 256;

/// Number of parts that postings are cut into: by the first eight bits of the key.
const N_PARTS: usize = 256;
/// Documents imaged by one piece of work.
const DOCS_PER_PIECE: usize = 1024;
/// Postings that one piece of work gathers before they go to their parts.
const MOST_ENTRIES: usize = 1 << 16;
/// Documents asked for by one piece of work.
const ASKS_PER_PIECE: usize = 32;
/// Pieces whose answers wait to be handed over.
const PIECES_PER_ROUND: usize = 64;

/// Searches a collection and hands every document's answers to `each`.
pub(crate) fn search<M: Meeting>(
    meeting: &M,
    (images, part): (&Images, PartOfImage),
    setup: &SearchSetup<'_>,
    each: &mut Each<'_>,
) -> Result<Searched, SearchError> {
    let mut store = Store::new(meeting, (images, part), None);
    let lists = store.lists(setup)?;
    let mut searched = Searched::default();
    let tiny = probe::search(meeting, &store, setup, &mut searched.cuts)?;
    let mut tiny = tiny.iter().peekable();
    let n = images.n_ordinals() as u32;
    let mut from = setup.border.map_or(0, |border| border.0);
    let mut n_batch = n.saturating_sub(from);
    while from < n {
        let to = from.saturating_add(n_batch).min(n);
        let (batch, load) = lists.batch(from..to, setup, &store.leaving)?;
        n_batch = fitting(to - from, load);
        let Some(batch) = batch else { continue };
        let n_pieces = (to - from).div_ceil(ASKS_PER_PIECE as u32) as usize;
        let mut done = 0;
        while done < n_pieces {
            let round = PIECES_PER_ROUND.min(n_pieces - done);
            let answers: Vec<Mutex<io::Result<Answers>>> =
                (0..round).map(|_| Mutex::new(Ok(Answers::default()))).collect();
            let tallies: Mutex<Vec<Tally>> = Mutex::default();
            setup.executor.run(round, &|piece| {
                let start = from + ((done + piece) * ASKS_PER_PIECE) as u32;
                let end = (start + ASKS_PER_PIECE as u32).min(to);
                let idle = tallies.lock().expect(NO_PANIC).pop();
                let mut tally = idle.unwrap_or_default();
                let found = store.ask(&batch, start..end, setup, &mut tally);
                tallies.lock().expect(NO_PANIC).push(tally);
                *answers[piece].lock().expect(NO_PANIC) = found;
            });
            done += round;
            if setup.executor.is_stopped() {
                return Err(SearchError::Stopped);
            }
            for answers in answers {
                let mut answers = answers.into_inner().expect(NO_PANIC)?;
                searched.cuts.add(&answers.found.cuts);
                searched.n_compared += answers.found.n_compared;
                answers.hand_over(&mut tiny, each)?;
            }
        }
        from = to;
    }
    Ok(searched)
}

/// Searches a complete collection in an order of its own: documents ask by rank about those before them
/// that are not gone, and whatever a number of them found is handed to `each`.
///
/// The answers do not depend on the budget: documents that are gone leave the lists when reading them
/// has cost as much as to take them out, and that is counted over all lists.
pub(crate) fn search_in_turns<M: Meeting>(
    meeting: &M,
    (images, part): (&Images, PartOfImage),
    order: AskingOrder<'_>,
    setup: &SearchSetup<'_>,
    each: &mut EachTurn<'_>,
) -> Result<Searched, SearchError> {
    debug_assert!(setup.border.is_none(), "one collection takes its turns");
    let mut store = Store::new(meeting, (images, part), Some(order));
    let lists = store.lists(setup)?;
    let mut searched = Searched::default();
    let tiny = probe::search(meeting, &store, setup, &mut searched.cuts)?;
    let mut tiny = tiny.iter().peekable();
    let n = order.doc_of.len() as u32;
    let (mut from, mut n_batch) = (0, n);
    let mut pairs = Vec::new();
    let mut n_read = 0;
    while from < n {
        let to = from.saturating_add(n_batch).min(n);
        let (batch, load) = lists.batch(from..to, setup, &store.leaving)?;
        n_batch = fitting(to - from, load);
        let Some(mut batch) = batch else { continue };
        while from < to {
            let end = (from / ASKS_PER_TURN + 1) * ASKS_PER_TURN;
            let asking = from..end.min(to);
            let n_pieces = asking.len().div_ceil(ASKS_PER_PIECE);
            let answers: Vec<Mutex<io::Result<Answers>>> =
                (0..n_pieces).map(|_| Mutex::new(Ok(Answers::default()))).collect();
            setup.executor.run(n_pieces, &|piece| {
                let start = asking.start + (piece * ASKS_PER_PIECE) as u32;
                let end = (start + ASKS_PER_PIECE as u32).min(asking.end);
                let idle = store.tallies.lock().expect(NO_PANIC).pop();
                let mut tally = idle.unwrap_or_default();
                let found = store.ask(&batch, start..end, setup, &mut tally);
                store.tallies.lock().expect(NO_PANIC).push(tally);
                *answers[piece].lock().expect(NO_PANIC) = found;
            });
            if setup.executor.is_stopped() {
                return Err(SearchError::Stopped);
            }
            for answers in answers {
                let mut answers = answers.into_inner().expect(NO_PANIC)?;
                searched.cuts.add(&answers.found.cuts);
                searched.n_compared += answers.found.n_compared;
                n_read += answers.n_read;
                answers.hand_over(&mut tiny, &mut |asker, partners| {
                    let stays = partners.iter().filter(|x| !store.leaving.is_gone(x.ordinal.0));
                    pairs.extend(stays.map(|partner| (asker.0, partner.ordinal.0)));
                    Ok(())
                })?;
            }
            from = asking.end;
            if from == end || from == n {
                for gone in each(&pairs, from)? {
                    store.leaving.go(gone);
                }
                pairs.clear();
                if n_read > lists.n_postings && store.leaving.leave() {
                    batch.forget(&store.leaving);
                    n_read = 0;
                }
            }
        }
    }
    Ok(searched)
}

/// Returns how many documents to let ask at a time, after so many loaded the memory to such a share. All
/// lists are read for each batch, so batches should be as large as they can be.
#[expect(clippy::cast_sign_loss, reason = "a load is not negative")]
fn fitting(n_asked: u32, load: f64) -> u32 {
    // Somewhat less, as no batch is like the one before.
    ((f64::from(n_asked) * 0.8 / load) as u32).max(1)
}

/// The documents that are gone, and those of them that have left the lists.
#[derive(Debug, Default)]
struct Leaving {
    is_gone: Vec<bool>,
    has_left: Vec<bool>,
    n_gone: usize,
    n_left: usize,
}

impl Leaving {
    fn new(n: usize) -> Self {
        Self { is_gone: vec![false; n], has_left: vec![false; n], ..Self::default() }
    }

    fn go(&mut self, rank: u32) {
        self.n_gone += usize::from(!std::mem::replace(&mut self.is_gone[rank as usize], true));
    }

    fn is_gone(&self, rank: u32) -> bool {
        self.is_gone.get(rank as usize).is_some_and(|&is_gone| is_gone)
    }

    fn has_left(&self, rank: u32) -> bool {
        self.has_left.get(rank as usize).is_some_and(|&has_left| has_left)
    }

    /// Lets all who are gone leave; false if none was left to leave.
    fn leave(&mut self) -> bool {
        if self.n_left == self.n_gone {
            return false;
        }
        self.has_left.copy_from_slice(&self.is_gone);
        self.n_left = self.n_gone;
        true
    }
}

/// What one piece of work found.
#[derive(Default)]
struct Answers {
    found: Found,
    /// Who asked, and where its answers end.
    askers: Vec<(u32, usize)>,
    /// Postings of all lists that were asked.
    n_read: usize,
}

impl Answers {
    fn hand_over(
        &mut self,
        tiny: &mut std::iter::Peekable<impl Iterator<Item = io::Result<(u32, u32)>>>,
        each: &mut Each<'_>,
    ) -> io::Result<()> {
        let mut start = 0;
        let mut own = Found::default();
        let mut by_codes = Vec::new();
        for &(asker, end) in &self.askers {
            let partners = &self.found.partners[start..end];
            start = end;
            by_codes.clear();
            while let Some(pair) =
                tiny.next_if(|pair| !matches!(pair, Ok((later, _)) if *later > asker))
            {
                let (later, other) = pair?;
                if later == asker {
                    by_codes.push(other);
                }
            }
            if by_codes.is_empty() {
                if !partners.is_empty() {
                    each(Ordinal(asker), partners)?;
                }
                continue;
            }
            own.partners.clear();
            own.partners.extend_from_slice(partners);
            probe::unite(&mut own, 0, &by_codes);
            each(Ordinal(asker), &own.partners)?;
        }
        Ok(())
    }
}

/// Whether the images of a piece could be read, and the facts of its documents.
type Imaged<F> = (io::Result<()>, Vec<F>);

/// The images of a collection, and the facts of all documents.
pub(super) struct Store<'a, M: Meeting> {
    meeting: &'a M,
    images: &'a Images,
    /// The part of an image that the search is about.
    part: PartOfImage,
    /// The order in which documents ask, in which case they go by their ranks in lists.
    order: Option<AskingOrder<'a>>,
    facts: Vec<M::Facts>,
    /// Codes of tiny documents.
    pub(super) tiny: Mutex<Vec<(u64, u32)>>,
    leaving: Leaving,
    /// Votes of threads that are idle.
    tallies: Mutex<Vec<Tally>>,
}

impl<'a, M: Meeting> Store<'a, M> {
    fn new(
        meeting: &'a M,
        (images, part): (&'a Images, PartOfImage),
        order: Option<AskingOrder<'a>>,
    ) -> Self {
        let n = order.map_or(images.n_ordinals(), |order| order.doc_of.len());
        Self {
            meeting,
            images,
            part,
            order,
            facts: vec![M::Facts::default(); n],
            tiny: Mutex::default(),
            leaving: Leaving::new(order.map_or(0, |_| n)),
            tallies: Mutex::default(),
        }
    }

    /// Returns the number by which a document goes in lists.
    pub(super) fn number_of(&self, doc: u32) -> u32 {
        self.order.map_or(doc, |order| order.rank_of[doc as usize])
    }

    /// Returns the document that goes by a number.
    fn doc_of(&self, number: u32) -> Ordinal {
        Ordinal(self.order.map_or(number, |order| order.doc_of[number as usize]))
    }

    /// Returns the number of pieces in which images are gone through.
    pub(super) fn n_pieces(&self) -> usize {
        self.images.n_ordinals().div_ceil(DOCS_PER_PIECE)
    }

    /// Returns the facts of a document.
    pub(super) fn facts_of(&self, doc: u32) -> &M::Facts {
        &self.facts[self.number_of(doc) as usize]
    }

    /// Goes through the images of a piece.
    fn each_image(
        &self,
        piece: usize,
        executor: &dyn Executor,
        each: impl FnMut(u32, M::Image),
    ) -> io::Result<()> {
        self.each_image_but(piece, executor, |_| false, each)
    }

    /// Goes through the images of a piece, but those of documents that need not be looked at.
    pub(super) fn each_image_but(
        &self,
        piece: usize,
        executor: &dyn Executor,
        is_done: impl Fn(u32) -> bool,
        mut each: impl FnMut(u32, M::Image),
    ) -> io::Result<()> {
        let mut bytes = Vec::new();
        let start = piece * DOCS_PER_PIECE;
        for doc in start..(start + DOCS_PER_PIECE).min(self.images.n_ordinals()) {
            if executor.is_stopped() {
                break;
            }
            if is_done(doc as u32) {
                continue;
            }
            if let Some(image) = self.images.decode(Ordinal(doc as u32), self.part, &mut bytes)? {
                each(doc as u32, image);
            }
        }
        Ok(())
    }

    /// Makes the lists of all keys.
    fn lists(&mut self, setup: &SearchSetup<'_>) -> Result<Lists<M::Payload>, SearchError> {
        let parts = Mutex::new(Parts::<M::Payload>::new(setup.memory_bytes / 2));
        let facts: Vec<Mutex<Imaged<M::Facts>>> =
            (0..self.n_pieces()).map(|_| Mutex::new((Ok(()), Vec::new()))).collect();
        let border = setup.border.map(|border| border.0);
        setup.executor.run(self.n_pieces(), &|piece| {
            let start = (piece * DOCS_PER_PIECE) as u32;
            let (mut entries, mut added) = (Vec::new(), Ok(()));
            let mut tiny = Vec::new();
            let n = DOCS_PER_PIECE.min(self.images.n_ordinals() - start as usize);
            let mut of_piece = vec![M::Facts::default(); n];
            let read = self.each_image(piece, setup.executor, |doc, image| {
                of_piece[(doc - start) as usize] = self.meeting.facts(&image);
                let number = self.number_of(doc);
                self.meeting.keys(&image, |key, payload| {
                    let is_wanted = match border {
                        None => true,
                        Some(border) if doc < border => payload.holds(),
                        Some(_) => payload.asks(),
                    };
                    if is_wanted {
                        let short = short_key(key);
                        let entry = Entry::new(short as u32, number, payload);
                        entries.push(((short >> 32) as u8, entry));
                    }
                });
                if M::PROBES {
                    let codes = self.meeting.codes(&image).into_iter();
                    tiny.extend(codes.map(|code| (code, number)));
                }
                if entries.len() >= MOST_ENTRIES && added.is_ok() {
                    added = parts.lock().expect(NO_PANIC).add(&mut entries, setup.scratch);
                }
            });
            let added = read
                .and(added)
                .and_then(|()| parts.lock().expect(NO_PANIC).add(&mut entries, setup.scratch));
            self.tiny.lock().expect(NO_PANIC).append(&mut tiny);
            *facts[piece].lock().expect(NO_PANIC) = (added, of_piece);
        });
        if setup.executor.is_stopped() {
            return Err(SearchError::Stopped);
        }
        let mut doc = 0;
        for piece in facts {
            let (added, of_piece) = piece.into_inner().expect(NO_PANIC);
            added?;
            for facts in of_piece {
                if self
                    .order
                    .is_none_or(|order| order.doc_of[order.rank_of[doc] as usize] == doc as u32)
                {
                    let number = self.number_of(doc as u32);
                    self.facts[number as usize] = facts;
                }
                doc += 1;
            }
        }
        parts.into_inner().expect(NO_PANIC).lists(setup)
    }

    /// Lets some documents of a batch ask.
    fn ask(
        &self,
        batch: &Batch<M::Payload>,
        docs: std::ops::Range<u32>,
        setup: &SearchSetup<'_>,
        tally: &mut Tally,
    ) -> io::Result<Answers> {
        let mut answers = Answers::default();
        let mut asked = Vec::new();
        for doc in docs {
            if setup.executor.is_stopped() {
                break;
            }
            let before = setup.border.map_or(doc, |border| border.0);
            asked.clear();
            asked.extend(batch.asks(doc).iter().map(|ask| {
                let (key, list) = batch.list(ask, before);
                Asked { key, payload: ask.payload, list, hidden: Hidden::default() }
            }));
            answers.n_read += asked.iter().map(|asked| asked.list.len()).sum::<usize>();
            let asker = Asker { facts: self.facts[doc as usize], image: &mut || self.image(doc) };
            let ordinals = (0, self.facts.len());
            tally.ask(self.meeting, asker, &mut asked, ordinals, self, &mut answers.found)?;
            answers.askers.push((doc, answers.found.partners.len()));
        }
        Ok(answers)
    }
}

impl<M: Meeting> Known<M> for Store<'_, M> {
    fn facts(&self, doc: u32) -> io::Result<M::Facts> {
        Ok(self.facts[doc as usize])
    }

    fn image(&self, doc: u32) -> io::Result<M::Image> {
        let image = self.images.decode(self.doc_of(doc), self.part, &mut Vec::new())?;
        image.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "an image is missing"))
    }

    fn is_gone(&self, doc: u32) -> bool {
        self.leaving.is_gone(doc)
    }
}

/// A posting on its way to its list: key, document and payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Entry<P> {
    /// Lower 32 bits of the key above the document: sorted as one number.
    at: u64,
    payload: P,
}

impl<P: Payload> Entry<P> {
    fn new(key: u32, doc: u32, payload: P) -> Self {
        Self { at: u64::from(key) << 32 | u64::from(doc), payload }
    }

    fn key(self) -> u32 {
        (self.at >> 32) as u32
    }

    fn posting(self) -> Posting<P> {
        Posting { doc: self.at as u32, payload: self.payload }
    }
}

impl<P: Payload> Record for Entry<P> {
    const BYTES: usize = 8 + P::BYTES;

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.at.to_le_bytes());
        out.extend_from_slice(&self.payload.to_bits().to_le_bytes()[..P::BYTES]);
    }

    fn get(bytes: &[u8]) -> Self {
        let mut bits = [0; 4];
        bits[..P::BYTES].copy_from_slice(&bytes[8..]);
        Self { at: u64::get(&bytes[..8]), payload: P::from_bits(u32::from_le_bytes(bits)) }
    }
}

/// Postings by the first bits of their keys, on scratch as far as they do not fit.
struct Parts<P> {
    most_bytes: usize,
    held: Vec<Vec<Entry<P>>>,
    n_held: usize,
    /// Place and number of postings of every stretch of a part in the file.
    filed: Vec<Vec<(u64, usize)>>,
    file: Option<(Box<dyn ScratchFile>, u64)>,
}

impl<P: Payload> Parts<P> {
    fn new(most_bytes: usize) -> Self {
        Self {
            most_bytes,
            held: (0..N_PARTS).map(|_| Vec::new()).collect(),
            n_held: 0,
            filed: vec![Vec::new(); N_PARTS],
            file: None,
        }
    }

    /// Takes postings, each with the number of its part.
    fn add(&mut self, entries: &mut Vec<(u8, Entry<P>)>, scratch: &dyn Scratch) -> io::Result<()> {
        self.n_held += entries.len();
        for (part, entry) in entries.drain(..) {
            self.held[usize::from(part)].push(entry);
        }
        if self.n_held * size_of::<Entry<P>>() > self.most_bytes {
            self.spill(scratch)?;
        }
        Ok(())
    }

    fn spill(&mut self, scratch: &dyn Scratch) -> io::Result<()> {
        let (file, at) = match &mut self.file {
            Some(file) => file,
            none => none.insert((scratch.create()?, 0)),
        };
        let mut bytes = Vec::new();
        for (held, filed) in self.held.iter_mut().zip(&mut self.filed) {
            if held.is_empty() {
                continue;
            }
            bytes.clear();
            for entry in held.iter() {
                entry.put(&mut bytes);
            }
            file.append(&bytes)?;
            filed.push((*at, held.len()));
            *at += bytes.len() as u64;
            *held = Vec::new();
        }
        self.n_held = 0;
        Ok(())
    }

    /// Sorts every part and writes its lists down.
    fn lists(self, setup: &SearchSetup<'_>) -> Result<Lists<P>, SearchError> {
        let Self { held, filed, file, .. } = self;
        let log = Mutex::new(Log::new(setup.memory_bytes / 4));
        let parts: Vec<Mutex<Part<P>>> =
            held.into_iter().map(|held| Mutex::new(Part { held, ..Part::default() })).collect();
        setup.executor.run(N_PARTS, &|number| {
            let mut part = parts[number].lock().expect(NO_PANIC);
            if setup.executor.is_stopped() {
                return;
            }
            let file = file.as_ref().map(|(file, _)| &**file);
            let made = part.make(&filed[number], file, &log, setup.scratch);
            part.failed = made.err();
        });
        if setup.executor.is_stopped() {
            return Err(SearchError::Stopped);
        }
        let mut places = Vec::with_capacity(N_PARTS);
        let mut n_postings = 0;
        for part in parts {
            let part = part.into_inner().expect(NO_PANIC);
            if let Some(error) = part.failed {
                return Err(error.into());
            }
            n_postings += part.n_postings;
            places.push(part.place);
        }
        let log = log.into_inner().expect(NO_PANIC);
        Ok(Lists { log, places, n_postings, payload: PhantomData })
    }
}

/// One part on its way from postings to lists.
struct Part<P> {
    held: Vec<Entry<P>>,
    /// Where its lists lie, and how many bytes they take.
    place: (u64, usize),
    n_postings: usize,
    failed: Option<io::Error>,
}

impl<P> Default for Part<P> {
    fn default() -> Self {
        Self { held: Vec::new(), place: (0, 0), n_postings: 0, failed: None }
    }
}

impl<P: Payload> Part<P> {
    fn make(
        &mut self,
        filed: &[(u64, usize)],
        file: Option<&dyn ScratchFile>,
        log: &Mutex<Log>,
        scratch: &dyn Scratch,
    ) -> io::Result<()> {
        let mut entries = std::mem::take(&mut self.held);
        if let Some(file) = file {
            for &(at, n) in filed {
                let mut bytes = vec![0; n * Entry::<P>::BYTES];
                file.read_at(at, &mut bytes)?;
                entries.extend(bytes.chunks_exact(Entry::<P>::BYTES).map(Entry::get));
            }
        }
        hash::sort_by_bits(&mut entries, &mut Vec::new(), |entry| entry.at);
        entries.dedup();
        let mut bytes = Vec::new();
        let mut list = Vec::new();
        for same in entries.chunk_by(|x, y| x.key() == y.key()) {
            let is_shared = same[0].at != same[same.len() - 1].at
                && (P::BYTES == 0
                    || (same.iter().any(|x| x.payload.asks())
                        && same.iter().any(|x| x.payload.holds())));
            if is_shared {
                list.clear();
                list.extend(same.iter().map(|entry| entry.posting()));
                put_list(same[0].key(), &list, &mut bytes);
                self.n_postings += list.len();
            }
        }
        drop(entries);
        let at = log.lock().expect(NO_PANIC).push(&bytes, scratch)?;
        self.place = (at, bytes.len());
        Ok(())
    }
}

/// All lists, written down.
struct Lists<P> {
    log: Log,
    /// Where the lists of each part lie, and how many bytes they take.
    places: Vec<(u64, usize)>,
    n_postings: usize,
    payload: PhantomData<P>,
}

impl<P: Payload> Lists<P> {
    /// Takes the lists that some documents ask, and says what share of the memory they take, more than 1 if
    /// there is no room for them, in which case they are not taken.
    fn batch(
        &self,
        docs: std::ops::Range<u32>,
        setup: &SearchSetup<'_>,
        leaving: &Leaving,
    ) -> Result<(Option<Batch<P>>, f64), SearchError> {
        let most_bytes = setup.memory_bytes / 2;
        let posting_bytes = size_of::<Posting<P>>();
        let ask_bytes = 2 * size_of::<Ask<P>>() + 4;
        let before = setup.border.map(|border| border.0);
        // Documents take their turn by number: whoever holds a key for one holds it for others.
        let is_one = docs.len() <= 1;
        let mut batch = Batch {
            first: docs.start,
            heads: Vec::new(),
            postings: Vec::new(),
            ask_starts: vec![0; docs.len() + 1],
            asks: Vec::new(),
            has_forgotten: false,
        };
        if self.n_postings * (posting_bytes + ask_bytes) <= most_bytes {
            batch.postings.reserve_exact(self.n_postings);
        }
        let mut asks: Vec<(u32, Ask<P>)> = Vec::new();
        let (mut bytes, mut list) = (Vec::new(), Vec::<Posting<P>>::new());
        let mut load = 0.0;
        for (i, &(at, len)) in (1..).zip(&self.places) {
            if setup.executor.is_stopped() {
                return Err(SearchError::Stopped);
            }
            self.log.read(at, len, &mut bytes)?;
            let mut input = Input::new(&bytes);
            while let Some(key) = get_list(&mut input, &mut list) {
                let asking = list.partition_point(|posting| posting.doc < docs.start);
                let end = list.partition_point(|posting| posting.doc < docs.end);
                let Some(last) = list[asking..end].iter().rfind(|posting| posting.payload.asks())
                else {
                    continue;
                };
                let start = batch.postings.len();
                let most = before.unwrap_or(last.doc);
                let holders = list.iter().take_while(|posting| posting.doc < most);
                let is_there = |posting: &&Posting<P>| {
                    posting.payload.holds() && !leaving.has_left(posting.doc)
                };
                batch.postings.extend(holders.filter(is_there));
                let held = &batch.postings[start..];
                if held.is_empty() {
                    continue;
                }
                let id = batch.heads.len() as u32;
                batch.heads.push(Head { start: start as u32, key });
                let askers = list[asking..end].iter().filter(|posting| posting.payload.asks());
                let mut n = 0;
                for posting in askers {
                    let before = before.unwrap_or(posting.doc);
                    while held.get(n).is_some_and(|held| held.doc < before) {
                        n += 1;
                    }
                    // PERF: whoever holds a key first asks nobody, which is every other asker.
                    if n > 0 {
                        batch.ask_starts[(posting.doc - docs.start) as usize + 1] += 1;
                        let ask = Ask { list: id, n: n as u32, payload: posting.payload };
                        asks.push((posting.doc - docs.start, ask));
                    }
                }
            }
            let n_bytes = batch.postings.len() * posting_bytes
                + asks.len() * (ask_bytes + size_of::<Ask<P>>())
                + batch.heads.len() * size_of::<Head>();
            load = n_bytes as f64 / most_bytes.max(1) as f64;
            let is_full = load > 1.0 || batch.postings.len() > 1 << 31;
            if is_full && !is_one {
                // Parts are alike, as keys are spread evenly.
                let load_of_all = load.max(1.0) * self.places.len() as f64 / f64::from(i);
                return Ok((None, load_of_all));
            }
        }
        batch.heads.push(Head { start: batch.postings.len() as u32, key: 0 });
        for i in 0..docs.len() {
            batch.ask_starts[i + 1] += batch.ask_starts[i];
        }
        let mut next = batch.ask_starts.clone();
        batch.asks = vec![Ask::default(); asks.len()];
        for (doc, ask) in asks {
            let next = &mut next[doc as usize];
            batch.asks[*next as usize] = ask;
            *next += 1;
        }
        Ok((Some(batch), load))
    }
}

/// The lists that some documents ask.
struct Batch<P> {
    first: u32,
    /// The lists, and one more at the end.
    heads: Vec<Head>,
    postings: Vec<Posting<P>>,
    /// Where the lists of each document start in `asks`; one more at the end.
    ask_starts: Vec<u32>,
    asks: Vec<Ask<P>>,
    /// Whether lists have become shorter since they were asked for.
    has_forgotten: bool,
}

/// Where a list starts in the postings of a batch, and the lower bits of its key.
#[derive(Clone, Copy)]
struct Head {
    start: u32,
    key: u32,
}

/// A list that a document asks.
#[derive(Clone, Copy, Default)]
struct Ask<P> {
    /// Its number.
    list: u32,
    /// Postings before the one who asks; there may be fewer once documents were forgotten.
    n: u32,
    /// What the document asks with.
    payload: P,
}

impl<P: Payload> Batch<P> {
    /// Takes the documents that have left out of all lists.
    fn forget(&mut self, leaving: &Leaving) {
        let (mut end, mut start) = (0, 0);
        for head in &mut self.heads[1..] {
            let next = head.start as usize;
            for at in start..next {
                let posting = self.postings[at];
                self.postings[end] = posting;
                end += usize::from(!leaving.has_left(posting.doc));
            }
            start = next;
            head.start = end as u32;
        }
        self.postings.truncate(end);
        self.has_forgotten = true;
    }

    /// Returns the key of a list that is asked, and its postings of documents before another.
    #[inline]
    fn list(&self, ask: &Ask<P>, before: u32) -> (u32, &[Posting<P>]) {
        let [head, next] = [0, 1].map(|more| self.heads[ask.list as usize + more]);
        let list = &self.postings[head.start as usize..next.start as usize];
        let list = &list[..list.len().min(ask.n as usize)];
        // PERF: a look at the postings, which lie all over the memory, waits for each list.
        let n = if self.has_forgotten { n_before(list, before) } else { list.len() };
        (head.key, &list[..n])
    }

    fn asks(&self, doc: u32) -> &[Ask<P>] {
        let at = (doc - self.first) as usize;
        &self.asks[self.ask_starts[at] as usize..self.ask_starts[at + 1] as usize]
    }
}
