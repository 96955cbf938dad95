//! The second pass: candidates are read again and compared.
//!
//! Candidates are taken group by group (whatever hangs together through them), and inside a group
//! by their longer document, so that it is read once while its partners, cheaper to read, come
//! and go; the order is the same on every run.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering as Memory};
use std::sync::{Mutex, PoisonError};

use retold_core::candidates::{Candidate, Judgement};
use retold_core::document::Ordinal;
use retold_core::methods::Detector;
use retold_core::relation::{Evidence, Kind, Passage};
use retold_core::relations::Relations;
use retold_core::verify::Profile;
use retold_core::verify::align::{self, Bench, Comparison};
use retold_core::verify::rule::Rule;
use retold_report::{PairRow, PairsWriter};

use super::common_runs::CommonRuns;
use super::library::Library;
use super::losses::Lost;
use super::parallel::Pool;
use super::proposals::{Proposal, Proposals};
use super::work_memory::WorkMemory;
use crate::error::Error;
use crate::progress::{Progress, Stage, Stop};
use crate::sink::Form;

/// Two documents found related.
pub(crate) struct Verified<'a> {
    pub(crate) a: Ordinal,
    pub(crate) b: Ordinal,
    pub(crate) kind: Kind,
    /// What was found; passages only if one of the documents has copies.
    pub(crate) comparison: Comparison,
    pub(crate) evidence: Evidence,
    /// The row as a JSON line, if that is [what is made](Form) of a pair.
    pub(crate) line: Cow<'a, [u8]>,
}

impl Verified<'_> {
    /// Returns what was found in the form in which a method would say it.
    pub(crate) fn judgement(&self) -> Judgement {
        Judgement { kind: self.kind, scores: self.comparison.scores }
    }
}

/// What a thread found in its piece of work: pairs without their lines, where their lines end,
/// and the lines one after the other.
#[derive(Default)]
struct Findings {
    pairs: Vec<Result<(Verified<'static>, usize), Lost>>,
    lines: Vec<u8>,
    /// Why the piece was not done.
    error: Option<Error>,
}

impl Findings {
    fn held_bytes(&self) -> usize {
        let passages = |pair: &Result<(Verified<'_>, usize), _>| match pair {
            Ok((found, _)) => found.evidence.passages.len() + found.comparison.passages.len(),
            Err(_) => 8,
        };
        let n_passages: usize = self.pairs.iter().map(passages).sum();
        self.lines.capacity()
            + self.pairs.capacity() * size_of::<Verified<'_>>()
            + n_passages * size_of::<Passage>()
    }
}

/// Pairs that are compared before what was found is written.
const PAIRS_PER_ROUND: usize = 32_768;
/// The same in the first round, before it is known how much pairs take.
const FIRST_PAIRS: usize = 2_048;
/// Work a thread takes at a time, in words of the documents compared.
const WORDS_PER_PIECE: usize = 1 << 17;
/// Words that are compared with a long document before another thread takes it up, for each of its
/// own.
const WORDS_PER_HELD: usize = 64;
/// What a pair costs however short its documents are, in words.
const WORDS_PER_PAIR: usize = 64;

/// What a word of a document takes while it is compared: its text, itself with its place, and its
/// run in the table.
const BYTES_PER_WORD: usize = 48;

/// What verification needs.
pub(crate) struct Verifying<'a> {
    pub(crate) library: &'a Library<'a>,
    pub(crate) detector: &'a dyn Detector,
    /// When two documents count as related, if the method's word does not count.
    pub(crate) rule: Rule,
    /// Relations that are looked for.
    pub(crate) asked: Relations,
    /// Whether the method's word counts.
    pub(crate) is_judged: bool,
    /// Which runs are distinctive, if that counts.
    pub(crate) common_runs: Option<CommonRuns>,
    /// Whether each shorter document comes once, so that its profile is of no further use.
    pub(crate) is_once: AtomicBool,
    /// What is made of a related pair for whoever takes it.
    pub(crate) making: Form,
    pub(crate) passages_per_pair: usize,
    /// Memory for what was found and not yet written.
    pub(crate) round_bytes: usize,
    /// Memory for the documents in work.
    pub(crate) memory: WorkMemory,
    pub(crate) pool: &'a Pool,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) stop: &'a Stop,
}

/// What one thread works with.
#[derive(Default)]
struct Tools {
    bench: Bench,
    /// A shorter document that comes once.
    once: Profile,
    found: Comparison,
}

/// Hears of a pair found related, or of a document that could not be read again.
pub(crate) type Each<'a> = dyn FnMut(Result<Verified, Lost>) -> Result<(), Error> + Send + 'a;

impl Verifying<'_> {
    /// Compares all candidates and hands the related ones to `each`, in a fixed order; returns the
    /// number of candidates.
    pub(crate) fn run(&self, proposals: &Proposals, each: &mut Each<'_>) -> Result<u64, Error> {
        self.progress.begin(Stage::Verify, proposals.len());
        let tools: Mutex<Vec<Tools>> = Mutex::default();
        let take = || tools.lock().unwrap_or_else(PoisonError::into_inner);
        let done = AtomicU64::new(0);
        let n_documents = self.library.collection.len() as u64;
        let work = |piece: &&[Proposal]| {
            let mut own = take().pop().unwrap_or_default();
            let found = self.piece(piece, &mut own);
            take().push(own);
            let done = done.fetch_add(piece.len() as u64, Memory::Relaxed);
            self.progress.at(done + piece.len() as u64, n_documents);
            found
        };
        let mut write = |found: Vec<Findings>| -> Result<(), Error> {
            for Findings { pairs, lines, error } in found {
                error.map_or(Ok(()), Err)?;
                let mut start = 0;
                for pair in pairs {
                    if self.stop.is_set() {
                        return Ok(());
                    }
                    each(pair.map(|(verified, end)| {
                        let line = Cow::Borrowed(&lines[std::mem::replace(&mut start, end)..end]);
                        Verified { line, ..verified }
                    }))?;
                }
            }
            Ok(())
        };
        let mut proposed = proposals.iter();
        let mut most_pairs = FIRST_PAIRS;
        let mut n_candidates = 0;
        let mut found: Vec<Findings> = Vec::new();
        // What one round found is written while the next is under way.
        loop {
            let round: Vec<Proposal> =
                proposed.by_ref().take(most_pairs).collect::<Result<_, Error>>()?;
            n_candidates += round.len() as u64;
            let last = std::mem::take(&mut found);
            if round.is_empty() {
                write(last)?;
                self.check_stop()?;
                return Ok(n_candidates);
            }
            let pieces = pieces(&round, |doc| self.library.collection.n_words(doc));
            let written;
            (found, written) = self.pool.map_beside(&pieces, work, || write(last));
            written?;
            self.check_stop()?;
            let held: usize = found.iter().map(Findings::held_bytes).sum();
            most_pairs = next_round(round.len(), held, self.round_bytes / 2);
        }
    }

    fn check_stop(&self) -> Result<(), Error> {
        let n_documents = self.library.collection.len() as u64;
        if self.stop.is_set() {
            return Err(Error::Stopped { stage: Stage::Verify.name(), n_documents });
        }
        Ok(())
    }

    /// Compares some pairs, taking up each longer document once.
    fn piece(&self, pairs: &[Proposal], tools: &mut Tools) -> Findings {
        let Tools { bench, once, found } = tools;
        let is_once = self.is_once.load(Memory::Relaxed);
        let mut out = Findings::default();
        let n_words = |doc| self.library.collection.n_words(doc) as usize;
        for block in pairs.chunk_by(|x, y| x.long == y.long) {
            let longest = block.iter().map(|pair| n_words(pair.short)).max().unwrap_or(0);
            let n_bytes = (n_words(block[0].long) + longest) * BYTES_PER_WORD;
            let _place = self.memory.take(n_bytes, self.stop);
            let long = match self.library.profile(block[0].long) {
                Ok(long) => long,
                Err(lost) => {
                    out.pairs.push(Err(lost));
                    continue;
                }
            };
            let mut bench = bench.hold(&long);
            for pair in block {
                if self.stop.is_set() {
                    return out;
                }
                let kept;
                let short = if is_once {
                    self.library.profile_into(pair.short, once).map(|()| &*once)
                } else {
                    kept = self.library.profile(pair.short);
                    kept.as_deref().map_err(Clone::clone)
                };
                let short = match short {
                    Ok(short) => short,
                    Err(lost) => {
                        out.pairs.push(Err(lost));
                        continue;
                    }
                };
                let is_a_held = pair.long < pair.short;
                let judged = compared(
                    &mut bench,
                    short,
                    (self.rule, self.asked),
                    pair.said,
                    is_a_held,
                    found,
                );
                let Some(kind) = judged else { continue };
                if let Some(common) = &self.common_runs
                    && kind != Kind::Exact
                {
                    let n = bench.count_distinctive(short, |run| common.is_distinctive(run));
                    if !common.lets_pass(kind, n) {
                        continue;
                    }
                    if let Some(counted) = &mut found.counted {
                        counted.distinctive_runs = Some(n);
                    }
                }
                let (a, b) = if is_a_held { (&*long, short) } else { (short, &*long) };
                let candidate = Candidate::new(pair.long, pair.short);
                match self.verified(candidate, (a, b), kind, found, &mut out.lines) {
                    Ok(verified) => out.pairs.push(Ok((verified, out.lines.len()))),
                    Err(error) => {
                        out.error = Some(error);
                        return out;
                    }
                }
            }
        }
        out
    }

    /// Returns how two documents relate: by what the method said of them, or by comparing them.
    /// Passages are found all the same: they show what the method has seen, or that there is
    /// nothing to be seen. `a` comes before `b`: of equally long documents it is held.
    pub(crate) fn decide(
        &self,
        said: Option<Judgement>,
        a: &Profile,
        b: &Profile,
    ) -> Option<(Kind, Comparison)> {
        if self.is_judged {
            let Judgement { kind, scores } = said?;
            let mut found = align::compare(b, a, self.detector.shingles().k(), self.rule.edits);
            found.flip();
            return Some((kind, Comparison { scores, counted: None, ..found }));
        }
        let (kind, mut found) = align::judge(b, a, self.rule)?;
        found.flip();
        Some((kind.flipped(), found))
    }

    /// Compares two documents once more.
    pub(crate) fn pair(
        &self,
        pair: Candidate,
        said: Judgement,
    ) -> Result<Option<Verified<'static>>, Error> {
        let (Ok(a), Ok(b)) = (self.library.profile(pair.a), self.library.profile(pair.b)) else {
            return Ok(None);
        };
        let Some((kind, comparison)) = self.decide(Some(said), &a, &b) else { return Ok(None) };
        let mut line = Vec::new();
        let verified = self.verified(pair, (&a, &b), kind, &comparison, &mut line)?;
        Ok(Some(Verified { line: Cow::Owned(line), ..verified }))
    }

    /// Puts together what was found, and its line behind others.
    fn verified(
        &self,
        pair: Candidate,
        (a, b): (&Profile, &Profile),
        kind: Kind,
        found: &Comparison,
        lines: &mut Vec<u8>,
    ) -> Result<Verified<'static>, Error> {
        let collection = self.library.collection;
        let evidence = match self.making {
            Form::Nothing => Evidence::default(),
            Form::Lines | Form::Rows => found.evidence(a, b, self.passages_per_pair),
        };
        if self.making == Form::Lines {
            let row = PairRow {
                a: &collection.id(pair.a)?,
                b: &collection.id(pair.b)?,
                relation: kind,
                scores: found.scores,
                evidence: &evidence,
            };
            PairsWriter::encode(&row, lines);
        }
        let has_copies = collection.has_copies(pair.a) || collection.has_copies(pair.b);
        let comparison =
            if has_copies { found.clone() } else { Comparison { passages: Vec::new(), ..*found } };
        let line = Cow::Borrowed(&[][..]);
        Ok(Verified { a: pair.a, b: pair.b, kind, comparison, evidence, line })
    }
}

/// Compares a document with the longer one that is held, and returns how they relate, seen from the
/// earlier of them like what was `found`; `None` if they do not. What the method `said` counts, if it says
/// anything.
pub(crate) fn compared(
    held: &mut align::Held<'_>,
    short: &Profile,
    (rule, asked): (Rule, Relations),
    said: Option<Judgement>,
    is_held_first: bool,
    found: &mut Comparison,
) -> Option<Kind> {
    let mut kind = match said {
        None => held.judge_for(short, rule, asked, found)?,
        // A method may see more in two documents than is asked for, and is not asked twice.
        Some(said) if !asked.has(said.kind) => return None,
        Some(said) => {
            held.compare(short, rule.edits, found);
            said.kind
        }
    };
    if is_held_first {
        found.flip();
        kind = if said.is_some() { kind } else { kind.flipped() };
    }
    if let Some(said) = said {
        (found.scores, found.counted) = (said.scores, None);
    }
    Some(kind)
}

/// Returns how many pairs the next round may have, if the last of `n_pairs` held that many bytes.
fn next_round(n_pairs: usize, held_bytes: usize, most_bytes: usize) -> usize {
    let per_pair = (held_bytes / n_pairs.max(1)).max(size_of::<Proposal>());
    // Rounds grow slowly: the next pairs may be related more often.
    (most_bytes / per_pair).min(2 * n_pairs).clamp(64, PAIRS_PER_ROUND)
}

/// Cuts ordered pairs into pieces of work.
fn pieces(pairs: &[Proposal], n_words: impl Fn(Ordinal) -> u32) -> Vec<&[Proposal]> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut work = 0;
    let mut held = None;
    for (at, pair) in pairs.iter().enumerate() {
        let n_long = n_words(pair.long) as usize;
        if held != Some(pair.long) {
            // A long document is taken up by more than one thread only if it has far more to be
            // compared with than it is long.
            if work >= WORDS_PER_PIECE {
                out.push(&pairs[start..at]);
                (start, work) = (at, 0);
            }
            held = Some(pair.long);
            work += n_long;
        } else if work >= WORDS_PER_PIECE.max(WORDS_PER_HELD * n_long) {
            out.push(&pairs[start..at]);
            (start, work) = (at, n_long);
        }
        work += n_words(pair.short) as usize + WORDS_PER_PAIR;
    }
    if start < pairs.len() {
        out.push(&pairs[start..]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_hold_all_pairs_in_order() {
        // One long document with everybody, and many short ones among themselves.
        let n_words = |doc: Ordinal| if doc.0 == 0 { 50_000 } else { 100 };
        let pair = |a, b| Proposal { group: 0, long: Ordinal(a), short: Ordinal(b), said: None };
        let mut pairs: Vec<Proposal> = (1..2_000).map(|doc| pair(0, doc)).collect();
        pairs
            .extend((1..2_000).flat_map(|a| (a + 1..(a + 30).min(2_000)).map(move |b| pair(a, b))));
        let cut = pieces(&pairs, n_words);
        assert_eq!(cut.concat(), pairs);
        assert!(cut.len() > 10, "{} pieces", cut.len());
        let held = cut.iter().filter(|piece| piece[0].long == Ordinal(0)).count();
        assert_eq!(held, 1, "a long document is taken up once if that is most of the work");
    }

    #[test]
    fn rounds_follow_what_pairs_take() {
        assert_eq!(next_round(1000, 100_000_000, 10_000_000), 100);
        assert_eq!(next_round(1000, 0, 10_000_000), 2000);
        assert_eq!(next_round(1000, 100_000_000, 0), 64);
        assert_eq!(next_round(PAIRS_PER_ROUND, 0, usize::MAX), PAIRS_PER_ROUND);
    }
}
