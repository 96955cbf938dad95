//! Relations from a result folder instead of from texts: pairs are read, cut at other thresholds, and
//! go the way that verified pairs go.

use std::borrow::Cow;
use std::path::Path;

use retold_core::candidates::{Candidate, Judgement};
use retold_core::document::{Ordinal, Span};
use retold_core::relation::{Counted, Evidence, Kind, Passage, Scores};
use retold_core::verify::rule::{Rule, Shared};
use retold_report::{Cut, PairRow, PairsWriter};
use serde::Deserialize;

use super::collection::Collection;
use super::common_runs;
use super::group::Related;
use super::library::Library;
use super::linked::Links;
use super::manifest::is_of_search;
use super::page::Picker;
use super::run::{Detected, Run, Wanted};
use super::stored::{AGAIN, Blocks, Names, StoredResult, bad_line};
use super::tables::Pairs;
use super::verifying::Verifying;
use super::work_memory::WorkMemory;
use crate::error::Error;
use crate::progress::Stage;
use crate::sink::{Form, Pair, Sink};

/// Bytes of lines that a thread takes at a time.
const PIECE_BYTES: usize = 1 << 20;
/// Pieces for each thread that are read at a time.
const PIECES_PER_THREAD: usize = 4;

impl Run<'_> {
    /// Takes the pairs of a folder, cuts them, and makes clusters of what is left; pairs go to `sink`
    /// on the way.
    pub(crate) fn regroup(
        &mut self,
        stored: &StoredResult,
        names: &Names,
        wanted: Wanted,
        sink: &mut dyn Sink,
    ) -> Result<Detected, Error> {
        let cutting = std::time::Instant::now();
        let wants = sink.wants();
        let collection = &self.intake.collection;
        let library = Library::new(
            collection,
            &self.intake.texts,
            &self.featurizer,
            self.detector.shingles(),
            0,
        );
        let verifying = Verifying {
            library: &library,
            detector: &*self.detector,
            rule: self.rule,
            asked: self.job.relations,
            common_runs: None,
            is_judged: false,
            is_once: false.into(),
            making: wants.pairs,
            passages_per_pair: self.job.passages_per_pair,
            round_bytes: self.budget.round(),
            memory: WorkMemory::new(self.budget.work()),
            pool: &self.pool,
            progress: self.progress,
            stop: self.stop,
        };
        let mut pairs = Pairs::new(&library, &self.preference, sink, self.job);
        if collection.border.is_none() {
            for first in collection.firsts_with_copies() {
                pairs.count_group(first);
            }
        }
        let mut links: Links<Related> = Links::new(collection.len(), &self.budget, &self.scratch);
        let path = stored.table("pairs");
        let form = wants.pairs;
        let least_distinctive = self.job.distinctive.unwrap_or(0);
        let rule = self.rule;
        let cutter =
            Cutter { rule, least_distinctive, names, collection, stored, path: &path, form };
        let mut blocks = Blocks::open(path.clone())?;
        let n_bytes = std::fs::metadata(&path).map_or(0, |file| file.len());
        self.progress.begin(Stage::Verify, n_bytes);
        let (mut n_lines, mut n_done, mut n_common) = (0, 0, 0);
        let mut last: Vec<Piece> = Vec::new();
        // What was cut is written while the next lines are cut.
        loop {
            self.check_stop(Stage::Verify)?;
            let block = blocks.next(PIECES_PER_THREAD * self.pool.n_threads() * PIECE_BYTES)?;
            let pieces = pieces(&block, &mut n_lines);
            let mut write = |pieces: Vec<Piece>| -> Result<(), Error> {
                for piece in pieces {
                    piece.hand_on(collection, wanted, &mut pairs, &mut links)?;
                }
                Ok(())
            };
            if pieces.is_empty() {
                write(last)?;
                break;
            }
            let work = |&(lines, n): &(&[u8], u64)| cutter.cut(lines, n);
            let (cut, written) = self.pool.map_beside(&pieces, work, || write(last));
            written?;
            last = cut.into_iter().collect::<Result<_, Error>>()?;
            n_common += last.iter().map(|piece| piece.n_common).sum::<u64>();
            n_done += block.len() as u64;
            self.progress.at(n_done, collection.len() as u64);
        }
        let mut picker = Picker::default();
        let gathered =
            self.gather(wanted, wants, &verifying, links, None, (&mut pairs, &mut picker))?;
        let mut cuts = pairs.cuts();
        cuts.extend(self.distinctive_cut(stored, n_common));
        cuts.extend(stored.manifest.cuts.iter().filter(|cut| is_of_search(cut)).cloned());
        cuts.extend(gathered.cuts);
        let Pairs { n_written: n_pairs, n_partial, is_cut, summary, .. } = pairs;
        self.time("3 cut and cluster", cutting);
        Ok(Detected {
            clusters: gathered.clusters,
            decided: gathered.decided,
            n_pairs,
            n_partial,
            is_cut,
            summary,
            cuts,
            n_candidates: stored.count("candidates"),
            n_similarities: stored.count("similarity_values"),
            page: Vec::new(),
            partials: Vec::new(),
        })
    }

    /// Tells how many partial copies are left out for having too few distinctive runs: those that were
    /// left out just now, or when the folder was made.
    fn distinctive_cut(&self, stored: &StoredResult, n_common: u64) -> Option<Cut> {
        let least = self.job.distinctive?;
        let held = stored.manifest.cuts.iter().find(|cut| common_runs::is_cut(cut));
        held.cloned().or_else(|| common_runs::cut(least, n_common))
    }
}

/// Cuts lines into pieces of work, each with the number of lines before it.
fn pieces<'a>(block: &'a [u8], n_lines: &mut u64) -> Vec<(&'a [u8], u64)> {
    let mut out = Vec::new();
    let mut rest = block;
    while !rest.is_empty() {
        let most = PIECE_BYTES.min(rest.len());
        let end = rest[most - 1..].iter().position(|&byte| byte == b'\n');
        let (piece, behind) = rest.split_at(end.map_or(rest.len(), |end| most + end));
        out.push((piece, *n_lines));
        *n_lines += memchr::memchr_iter(b'\n', piece).count() as u64;
        rest = behind;
    }
    out
}

/// Pairs that are still related, and their lines.
#[derive(Default)]
struct Piece {
    pairs: Vec<((Ordinal, Ordinal), Judgement)>,
    /// Pairs left out for having too few distinctive runs.
    n_common: u64,
    /// As they are written, if lines are wanted.
    lines: Vec<u8>,
    /// What proves each, if rows are wanted.
    evidence: Vec<Evidence>,
}

impl Piece {
    /// Hands the pairs on as a verified pair is: to the sink, and to the groups.
    fn hand_on(
        &self,
        collection: &Collection,
        wanted: Wanted,
        pairs: &mut Pairs<'_>,
        links: &mut Links<Related>,
    ) -> Result<(), Error> {
        pairs.stored(self.pairs.iter().copied(), &self.lines)?;
        for (&((a, b), said), evidence) in self.pairs.iter().zip(&self.evidence) {
            let (id_a, id_b) = (collection.id(a)?, collection.id(b)?);
            pairs.stored_row(&Pair { row: row((&id_a, &id_b), said, evidence), a, b })?;
        }
        if wanted < Wanted::Clusters {
            return Ok(());
        }
        for &((a, b), said) in &self.pairs {
            // The pairs of their copies say nothing more.
            let is_of_firsts = collection.is_first(a) && collection.is_first(b);
            if is_of_firsts && said.kind != Kind::Partial {
                links.push(Candidate::new(a, b), Related::new(said, false))?;
            }
        }
        Ok(())
    }
}

/// Decides again about pairs, from what was counted.
struct Cutter<'a> {
    rule: Rule,
    /// Distinctive runs that a partial copy shares at least.
    least_distinctive: u32,
    names: &'a Names,
    collection: &'a Collection,
    stored: &'a StoredResult,
    path: &'a Path,
    /// What is made of a pair.
    form: Form,
}

impl Cutter<'_> {
    /// Takes some lines; so many stand before them.
    fn cut(&self, lines: &[u8], n_before: u64) -> Result<Piece, Error> {
        let mut piece = Piece::default();
        for (line, number) in lines.split_inclusive(|&byte| byte == b'\n').zip(n_before + 1..) {
            let bad = |error: &dyn std::fmt::Display| bad_line(self.path, number, error);
            let pair: PairLine<'_> = serde_json::from_slice(line).map_err(|error| bad(&error))?;
            let (a, b) = (self.names.number(&pair.a)?, self.names.number(&pair.b)?);
            let is_kind = |kind: &Kind| kind.name() == pair.relation;
            let Some(was) = Kind::ALL.into_iter().find(is_kind) else {
                return Err(bad(&format!("there is no relation `{}`", pair.relation)));
            };
            let Some(said) = self.decide(&pair, (a, b), was).map_err(|error| match error {
                Undecidable::NotCounted => self.stored.lacks(
                    "it does not say what the shares of its pairs were computed from",
                    AGAIN,
                ),
                Undecidable::Impossible => bad(&"more runs are common than there are"),
            })?
            else {
                continue;
            };
            if said.kind == Kind::Partial && self.least_distinctive > 0 {
                let lacks = || {
                    let reason = "it does not say how many distinctive runs its pairs share";
                    self.stored.lacks(reason, "run `retold find --pairs all --distinctive 0`")
                };
                if pair.distinctive_runs.ok_or_else(lacks)? < self.least_distinctive {
                    // The pairs of their copies say nothing more.
                    let is_of_firsts = self.collection.is_first(a) && self.collection.is_first(b);
                    piece.n_common += u64::from(is_of_firsts);
                    continue;
                }
            }
            piece.pairs.push(((a, b), said));
            let evidence = || evidence_of(line, &pair).map_err(|error| bad(&error));
            match self.form {
                Form::Nothing => {}
                Form::Rows => piece.evidence.push(evidence()?),
                Form::Lines if said.kind == was => piece.lines.extend_from_slice(line),
                Form::Lines => {
                    if !renamed(line, was, said.kind, &mut piece.lines) {
                        let evidence = evidence()?;
                        let row = row((&pair.a, &pair.b), said, &evidence);
                        PairsWriter::encode(&row, &mut piece.lines);
                    }
                }
            }
        }
        Ok(piece)
    }

    fn decide(
        &self,
        pair: &PairLine<'_>,
        (a, b): (Ordinal, Ordinal),
        was: Kind,
    ) -> Result<Option<Judgement>, Undecidable> {
        if was == Kind::Exact {
            return Ok(Some(Judgement { kind: was, scores: Scores::EQUAL }));
        }
        let counted = pair.counted().ok_or(Undecidable::NotCounted)?;
        if counted.common_runs > counted.a_runs.min(counted.b_runs) {
            return Err(Undecidable::Impossible);
        }
        let scores = counted.scores();
        // A copy may have other stop words than the first, which was the one compared.
        let n_words = |doc| self.collection.n_words(self.collection.first_of(doc)) as usize;
        let shorter_words = n_words(a).min(n_words(b));
        let Counted { longest_words, shared_words: all_words, .. } = counted;
        let shared = Shared { longest_words, all_words };
        let kind = self.rule.decide(scores, shared, shorter_words);
        Ok(kind.map(|kind| Judgement { kind, scores }))
    }
}

/// Why nothing can be said of a pair.
enum Undecidable {
    /// Its counts are not there.
    NotCounted,
    /// Its counts contradict each other.
    Impossible,
}

/// Appends a line with another relation; `false` if it is not as this program writes it.
fn renamed(line: &[u8], was: Kind, is: Kind, out: &mut Vec<u8>) -> bool {
    // Quotation marks inside of ids are escaped, so this is no part of one.
    let old = format!("\",\"relation\":\"{}\",", was.name());
    let Some(at) = memchr::memmem::find(line, old.as_bytes()) else { return false };
    out.extend_from_slice(&line[..at]);
    out.extend_from_slice(format!("\",\"relation\":\"{}\",", is.name()).as_bytes());
    out.extend_from_slice(&line[at + old.len()..]);
    true
}

/// Reads what proves a pair.
fn evidence_of(line: &[u8], pair: &PairLine<'_>) -> serde_json::Result<Evidence> {
    Ok(serde_json::from_slice::<EvidenceLine>(line)?.evidence(pair.counted()))
}

/// Puts a row together.
fn row<'a>(
    (a, b): (&'a str, &'a str),
    Judgement { kind, scores }: Judgement,
    evidence: &'a Evidence,
) -> PairRow<'a> {
    PairRow { a, b, relation: kind, scores, evidence }
}

/// What decides about a pair, from a line of `pairs.jsonl`.
#[derive(Deserialize)]
struct PairLine<'a> {
    #[serde(borrow)]
    a: Cow<'a, str>,
    #[serde(borrow)]
    b: Cow<'a, str>,
    #[serde(borrow)]
    relation: Cow<'a, str>,
    a_runs: Option<u32>,
    b_runs: Option<u32>,
    common_runs: Option<u32>,
    longest_words: Option<u32>,
    shared_words: Option<u32>,
    distinctive_runs: Option<u32>,
}

impl PairLine<'_> {
    fn counted(&self) -> Option<Counted> {
        Some(Counted {
            a_runs: self.a_runs?,
            b_runs: self.b_runs?,
            common_runs: self.common_runs?,
            longest_words: self.longest_words?,
            shared_words: self.shared_words?,
            distinctive_runs: self.distinctive_runs,
        })
    }
}

/// What proves a pair, from the same line.
#[derive(Deserialize)]
struct EvidenceLine {
    a_words: u32,
    b_words: u32,
    #[serde(default)]
    evidence_cut: u32,
    #[serde(rename = "evidence")]
    passages: Vec<PassageLine>,
}

#[derive(Deserialize)]
struct PassageLine {
    a: (u32, u32),
    b: (u32, u32),
    words: u32,
    differ: u32,
    #[serde(default)]
    moved: u32,
}

impl EvidenceLine {
    fn evidence(self, counted: Option<Counted>) -> Evidence {
        let passage = |passage: &PassageLine| Passage {
            a: Span::new(passage.a.0, passage.a.1),
            b: Span::new(passage.b.0, passage.b.1),
            words: passage.words,
            differ: passage.differ,
            moved: passage.moved,
        };
        Evidence {
            passages: self.passages.iter().map(passage).collect(),
            a_words: self.a_words,
            b_words: self.b_words,
            n_cut: self.evidence_cut,
            counted,
        }
    }
}
