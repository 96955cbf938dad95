//! The second look: documents with strikes are read again, and what is struck is handed on.

use std::collections::HashMap;
use std::io;

use retold_core::document::{Document, Markup, Ordinal, Span};
use retold_core::features::units::Unit;
use retold_core::scratch::Log;

use super::deciding::{Decided, NO_TWIN, Piece, StruckWords};
use super::order::Order;
use super::repeats::Looking;
use super::{LeftDecision, LeftRow, StrikeKind, StrikeOutcome, StrikeRow, StrikeSink, Twin};
use crate::error::Error;
use crate::progress::{Progress, Stage};

/// Bytes of text that are read at a time.
const ROUND_BYTES: u64 = 8 << 20;

/// What becomes of records: which are dropped, and what is cut out of the others.
pub(super) struct Cuts {
    /// File, record and place of the cuts of every document with strikes, ascending.
    places: Vec<(u32, u64, u64, u32)>,
    log: Log,
    /// File and record of every document that is dropped, ascending.
    pub(super) dropped: Vec<(u32, u64)>,
}

impl Cuts {
    /// Returns what is cut out of the text of a record.
    pub(super) fn of(&self, file: u32, record: u64) -> io::Result<Vec<Span>> {
        let found = self.places.binary_search_by_key(&(file, record), |place| (place.0, place.1));
        let Ok(found) = found else { return Ok(Vec::new()) };
        let (_, _, at, n) = self.places[found];
        let mut bytes = Vec::new();
        self.log.read(at, n as usize * 8, &mut bytes)?;
        let number = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let span = |both: &[u8]| Span::from((number(both), number(&both[4..])));
        Ok(bytes.chunks_exact(8).map(span).collect())
    }
}

/// Tells of every document.
pub(super) struct Telling<'a> {
    pub(super) looking: &'a Looking<'a>,
    pub(super) decided: &'a Decided,
    pub(super) progress: &'a dyn Progress,
}

/// What is told of one document.
struct Told {
    row: LeftRow,
    strikes: Vec<StrikeRow>,
    place: (u32, u64),
    text: Option<String>,
}

/// Names of documents that are told often.
type Names = HashMap<u32, (String, String, u64)>;

impl Telling<'_> {
    /// Hands all documents but those of an archive to `sink`, in the order in which they were read.
    pub(super) fn run(
        &self,
        sink: &mut dyn StrikeSink,
        outcome: &mut StrikeOutcome,
    ) -> Result<Cuts, Error> {
        let looking = self.looking;
        let collection = &looking.taken.collection;
        let n_new = collection.joined.map_or(collection.len(), Ordinal::index);
        self.progress.begin(Stage::Report, n_new as u64);
        let mut cuts = Cuts {
            places: Vec::new(),
            log: Log::new(looking.budget.decisions()),
            dropped: Vec::new(),
        };
        let wants_texts = sink.wants_texts();
        let mut from = 0;
        while from < n_new {
            if looking.stop.is_set() {
                let n_documents = collection.len() as u64;
                return Err(Error::Stopped { stage: Stage::Report.name(), n_documents });
            }
            let mut until = from;
            let mut n_bytes = 0;
            let most = ROUND_BYTES.min(looking.budget.round() as u64);
            while until < n_new && (n_bytes < most || until == from) {
                n_bytes += u64::from(looking.taken.n_bytes[until]) + 64;
                until += 1;
            }
            let round: Vec<Ordinal> = (from..until).map(|doc| Ordinal(doc as u32)).collect();
            for told in looking.pool.map(&round, |&doc| self.told(doc, wants_texts)) {
                let told = told?;
                count(&told, outcome);
                sink.document(&told.row, &told.strikes, told.text.as_deref())?;
                let failed = |error| looking.failed(error);
                cuts.add(&told, looking).map_err(failed)?;
            }
            self.progress.at(until as u64, collection.len() as u64);
            from = until;
        }
        Ok(cuts)
    }

    fn told(&self, doc: Ordinal, wants_texts: bool) -> Result<Told, Error> {
        let looking = self.looking;
        let taken = looking.taken;
        let entry = taken.collection.entry(doc)?;
        let file = taken.files[entry.place.file as usize].clone();
        let (id, record) = (entry.id.to_string(), entry.place.record);
        let words = taken.words.n_words(doc);
        let bytes = u64::from(taken.n_bytes[doc.index()]);
        let mut row = LeftRow {
            id,
            file,
            record,
            strikes: 0,
            words,
            left_words: words,
            bytes,
            left_bytes: bytes,
            left: 1.0,
            decision: LeftDecision::Kept,
        };
        let place = (entry.place.file, record);
        let mut strikes = Vec::new();
        let has_strikes = self.decided.n_strikes(doc) > 0;
        let read = || taken.texts.document(&taken.collection, doc).map_err(Error::Input);
        let document = if has_strikes || wants_texts { Some(read()?) } else { None };
        if let Some(document) = document.as_ref().filter(|_| has_strikes) {
            strikes = self.strikes(doc, document, &row)?;
            row.strikes = strikes.len() as u32;
            row.left_words -= strikes.iter().map(|strike| strike.words).sum::<u32>();
            row.left_bytes -= strikes.iter().map(|strike| strike.span.len() as u64).sum::<u64>();
            row.left = f64::from(row.left_words) / f64::from(words);
            if looking.settings.least_left.is_some_and(|least| row.left < least) {
                row.decision = if looking.settings.drop_short {
                    LeftDecision::Dropped
                } else {
                    LeftDecision::Review
                };
            }
        }
        Ok(Told { row, strikes, place, text: document.map(|document| document.text) })
    }

    /// Says what is struck in a document.
    fn strikes(
        &self,
        doc: Ordinal,
        document: &Document,
        row: &LeftRow,
    ) -> Result<Vec<StrikeRow>, Error> {
        let looking = self.looking;
        let failed = |error| looking.failed(error);
        let pieces = self.decided.pieces(doc).map_err(failed)?;
        let mut units = Vec::new();
        if looking.sampling.is_none() {
            looking.taken.words.units(doc, &mut units).map_err(failed)?;
        }
        let mut names = Names::new();
        let mut out = Vec::new();
        for strike in self.decided.strikes(doc).map_err(failed)? {
            let span = self.span(doc, document, strike, &units).map_err(failed)?;
            let Some(text) = span.of(&document.text) else {
                let reason = "strikes do not lie on characters of the text";
                return Err(Error::Internal(format!("{}: {reason}", row.id)));
            };
            out.push(StrikeRow {
                id: row.id.clone(),
                file: row.file.clone(),
                record: row.record,
                span,
                kind: strike.kind,
                words: strike.end - strike.start,
                text: text.to_owned(),
                twins: self.twins(doc, strike, &pieces, &mut names)?,
            });
        }
        Ok(out)
    }

    /// Returns the bytes that a strike takes out.
    fn span(
        &self,
        doc: Ordinal,
        document: &Document,
        strike: StruckWords,
        units: &[Unit],
    ) -> io::Result<Span> {
        if self.looking.sampling.is_none() {
            let of_unit = |unit: &&Unit| unit.first >= strike.start && unit.first < strike.end;
            let mut struck = units.iter().filter(of_unit);
            let first = struck.next().expect("a strike is made of units").span;
            let last = struck.next_back().map_or(first, |unit| unit.span);
            return Ok(Span::new(first.start, last.end));
        }
        let extent = self.looking.taken.words.extent(doc, strike.start..strike.end)?;
        Ok(if document.markup == Markup::Plain {
            with_rest(extent, &document.text)
        } else {
            extent
        })
    }

    fn twins(
        &self,
        doc: Ordinal,
        strike: StruckWords,
        pieces: &[Piece],
        names: &mut Names,
    ) -> Result<Vec<Twin>, Error> {
        let looking = self.looking;
        let order: &Order = looking.order;
        let failed = |error| looking.failed(error);
        let from = pieces.partition_point(|piece| piece.start + piece.n_words <= strike.start);
        let mut out = Vec::new();
        for piece in pieces[from..].iter().take_while(|piece| piece.start < strike.end) {
            if piece.twin == NO_TWIN {
                continue;
            }
            let start = piece.start.max(strike.start);
            let end = (piece.start + piece.n_words).min(strike.end);
            let (twin, word) = order.place(piece.twin + u64::from(start - piece.start));
            let (id, file, record) = if let Some(known) = names.get(&twin.0) {
                known.clone()
            } else {
                let entry = looking.taken.collection.entry(twin)?;
                let file = looking.taken.files[entry.place.file as usize].clone();
                let name = (entry.id.to_string(), file, entry.place.record);
                names.insert(twin.0, name.clone());
                name
            };
            let words = &looking.taken.words;
            let span = words.extent(twin, word..word + (end - start)).map_err(failed)?;
            let of = words.extent(doc, start..end).map_err(failed)?;
            out.push(Twin { id, file, record, span, of });
        }
        Ok(out)
    }
}

impl Cuts {
    fn add(&mut self, told: &Told, looking: &Looking<'_>) -> io::Result<()> {
        let (file, record) = told.place;
        if told.row.decision == LeftDecision::Dropped {
            self.dropped.push(told.place);
        }
        if told.strikes.is_empty() {
            return Ok(());
        }
        let mut bytes = Vec::with_capacity(told.strikes.len() * 8);
        for strike in &told.strikes {
            bytes.extend_from_slice(&strike.span.start.to_le_bytes());
            bytes.extend_from_slice(&strike.span.end.to_le_bytes());
        }
        let at = self.log.push(&bytes, looking.scratch)?;
        self.places.push((file, record, at, told.strikes.len() as u32));
        Ok(())
    }
}

/// Counts what is told of a document.
fn count(told: &Told, outcome: &mut StrikeOutcome) {
    let row = &told.row;
    outcome.n_words += u64::from(row.words);
    outcome.n_struck_words += u64::from(row.words - row.left_words);
    outcome.n_strikes += told.strikes.len() as u64;
    let n = |kind| told.strikes.iter().filter(|strike| strike.kind == kind).count() as u64;
    outcome.n_boilerplate += n(StrikeKind::Boilerplate);
    outcome.n_near += n(StrikeKind::Near);
    outcome.n_struck_documents += u64::from(!told.strikes.is_empty());
    outcome.n_dropped += u64::from(row.decision == LeftDecision::Dropped);
    outcome.n_review += u64::from(row.decision == LeftDecision::Review);
}

/// Returns a stretch from word to word with what belongs to its end: closing punctuation, and the
/// white space behind it.
fn with_rest(extent: Span, text: &str) -> Span {
    let rest = &text[extent.range().end..];
    let closing = |c: char| ".,;:!?…)]}\"'”’»。，；：！？）」』".contains(c);
    let after = rest.trim_start_matches(closing).trim_start();
    Span::new(extent.start, extent.end + (rest.len() - after.len()) as u32)
}
