//! The second look: candidates are read again and compared.
//!
//! Candidates are taken group by group (whatever hangs together through them), and inside a group
//! by their longer document, so that it is read once while its partners, cheaper to read, come
//! and go; the order is the same on every run.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering as Memory};
use std::sync::{Mutex, PoisonError};

use retold_core::candidates::{Candidate, Judgement, Proposed};
use retold_core::document::Ordinal;
use retold_core::methods::Detector;
use retold_core::relation::{Evidence, Kind};
use retold_core::verify::Profile;
use retold_core::verify::align::{self, Bench, Comparison, Held};
use retold_read::BadRecord;
use retold_report::{PairRow, PairsWriter};

use super::library::Library;
use super::parallel::Pool;
use crate::error::Error;
use crate::progress::{Progress, Stage, Stop};

/// Two documents found related.
pub(crate) struct Verified<'a> {
    pub(crate) a: Ordinal,
    pub(crate) b: Ordinal,
    pub(crate) kind: Kind,
    /// What was found; passages only if one of the documents has copies.
    pub(crate) comparison: Comparison,
    pub(crate) evidence: Evidence,
    /// The row as a JSON line.
    pub(crate) line: Cow<'a, [u8]>,
}

/// What a thread found in its piece of work: pairs without their lines, where their lines end,
/// and the lines one after the other.
#[derive(Default)]
struct Findings {
    pairs: Vec<Result<(Verified<'static>, usize), BadRecord>>,
    lines: Vec<u8>,
}

/// Pairs that wait for the writer at a time.
const PAIRS_PER_ROUND: usize = 32_768;
/// Work a thread takes at a time, in words of the documents compared.
const WORDS_PER_PIECE: usize = 1 << 17;
/// What a pair costs however short its documents are, in words.
const WORDS_PER_PAIR: usize = 64;

/// What verification needs.
pub(crate) struct Verifying<'a> {
    pub(crate) library: &'a Library<'a>,
    pub(crate) detector: &'a dyn Detector,
    /// What the method says of its candidates, if it decides.
    pub(crate) judged: Option<&'a Proposed>,
    pub(crate) passages_per_pair: usize,
    pub(crate) pool: &'a Pool,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) stop: &'a Stop,
}

/// What one thread works with.
#[derive(Default)]
struct Tools {
    bench: Bench,
    /// For pairs of equally long documents, where the other one is held.
    other: Bench,
    found: Comparison,
}

/// Hears of a pair found related, or of a document that could not be read again.
pub(crate) type Each<'a> = dyn FnMut(Result<Verified, BadRecord>) -> Result<(), Error> + Send + 'a;

impl Verifying<'_> {
    /// Compares all candidates and hands the related ones to `each`, in a fixed order.
    pub(crate) fn run(&self, candidates: Vec<Candidate>, each: &mut Each<'_>) -> Result<(), Error> {
        self.progress.begin(Stage::Verify, candidates.len() as u64);
        let entries = &self.library.collection.entries;
        let n_words: Vec<u32> = entries.iter().map(|entry| entry.n_words).collect();
        let ordered = by_group(&candidates, &n_words);
        drop(candidates);
        let pieces = pieces(&ordered, &n_words);
        let tools: Mutex<Vec<Tools>> = Mutex::default();
        let take = || tools.lock().unwrap_or_else(PoisonError::into_inner);
        let done = AtomicU64::new(0);
        let work = |piece: &&[Candidate]| {
            if self.stop.is_set() {
                return Findings::default();
            }
            let mut own = take().pop().unwrap_or_default();
            let found = self.piece(piece, &n_words, &mut own);
            take().push(own);
            let done = done.fetch_add(piece.len() as u64, Memory::Relaxed);
            self.progress.at(done + piece.len() as u64, n_words.len() as u64);
            found
        };
        let mut write = |found: Vec<Findings>| {
            for Findings { pairs, lines } in found {
                let mut start = 0;
                for pair in pairs {
                    each(pair.map(|(verified, end)| {
                        let line = Cow::Borrowed(&lines[std::mem::replace(&mut start, end)..end]);
                        Verified { line, ..verified }
                    }))?;
                }
            }
            Ok(())
        };
        // What one round found is written while the next is under way.
        let mut found = Vec::new();
        for round in rounds(&pieces) {
            let last = std::mem::take(&mut found);
            let written;
            (found, written) = self.pool.map_beside(round, work, || write(last));
            written?;
            if self.stop.is_set() {
                let n_documents = n_words.len() as u64;
                return Err(Error::Stopped { stage: Stage::Verify.name(), n_documents });
            }
        }
        write(found)
    }

    /// Compares some pairs, taking up each longer document once.
    fn piece(&self, pairs: &[Candidate], n_words: &[u32], tools: &mut Tools) -> Findings {
        let Tools { bench, other, found } = tools;
        let rule = self.detector.rule();
        let mut out = Findings::default();
        for block in pairs.chunk_by(|x, y| longer(*x, n_words).0 == longer(*y, n_words).0) {
            let (held, _) = longer(block[0], n_words);
            let long = match self.library.profile(held) {
                Ok(long) => long,
                Err(bad) => {
                    out.pairs.extend(block.iter().map(|_| Err(bad.clone())));
                    continue;
                }
            };
            let mut bench = bench.hold(&long);
            for pair in block {
                let is_a_held = pair.a == held;
                let short = match self.library.profile(if is_a_held { pair.b } else { pair.a }) {
                    Ok(short) => short,
                    Err(bad) => {
                        out.pairs.push(Err(bad));
                        continue;
                    }
                };
                let (a, b) = if is_a_held { (&long, &short) } else { (&short, &long) };
                let is_b_shorter = b.n_words() < a.n_words();
                let says = self.says(*pair);
                let judge = |held: &mut Held<'_>, seen: &Profile, found: &mut Comparison| {
                    let Some(said) = says else { return held.judge(seen, rule, found) };
                    held.compare(seen, found);
                    Some(said.kind)
                };
                let judged = if is_b_shorter == is_a_held {
                    judge(&mut bench, &short, found)
                } else {
                    judge(&mut other.hold(&short), &long, found)
                };
                let Some(mut kind) = judged else { continue };
                if is_b_shorter {
                    found.flip();
                    kind = if says.is_some() { kind } else { kind.flipped() };
                }
                if let Some(said) = says {
                    found.scores = said.scores;
                }
                let verified = self.verified(*pair, (a, b), kind, found, &mut out.lines);
                out.pairs.push(Ok((verified, out.lines.len())));
            }
        }
        out
    }

    /// Returns how two documents relate: by what the method says of them, or by comparing them.
    pub(crate) fn decide(
        &self,
        pair: Candidate,
        a: &Profile,
        b: &Profile,
    ) -> Option<(Kind, Comparison)> {
        if self.judged.is_none() {
            return self.detector.verify(a, b);
        }
        let Judgement { kind, scores } = self.says(pair)?;
        let found = align::compare(a, b, self.detector.shingles().k());
        Some((kind, Comparison { scores, ..found }))
    }

    /// Returns what the method says of two documents, if it decides. Passages are found all the
    /// same: they show what the method has seen, or that there is nothing to be seen.
    fn says(&self, pair: Candidate) -> Option<Judgement> {
        let judged = self.judged?;
        let at = judged.pairs.binary_search(&pair).ok()?;
        Some(judged.says[at])
    }

    /// Compares two documents.
    pub(crate) fn pair(&self, pair: Candidate) -> Result<Option<Verified<'static>>, BadRecord> {
        let a = self.library.profile(pair.a)?;
        let b = self.library.profile(pair.b)?;
        let Some((kind, comparison)) = self.decide(pair, &a, &b) else { return Ok(None) };
        let mut line = Vec::new();
        let verified = self.verified(pair, (&a, &b), kind, &comparison, &mut line);
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
    ) -> Verified<'static> {
        let evidence = found.evidence(a, b, self.passages_per_pair);
        let collection = self.library.collection;
        let row = PairRow {
            a: &collection.entry(pair.a).id,
            b: &collection.entry(pair.b).id,
            relation: kind,
            scores: found.scores,
            evidence: &evidence,
        };
        PairsWriter::encode(&row, lines);
        let has_copies = [pair.a, pair.b].iter().any(|doc| collection.copies.contains_key(doc));
        let comparison =
            if has_copies { found.clone() } else { Comparison { passages: Vec::new(), ..*found } };
        let line = Cow::Borrowed(&[][..]);
        Verified { a: pair.a, b: pair.b, kind, comparison, evidence, line }
    }
}

/// Returns the documents of a pair, the longer one first.
fn longer(pair: Candidate, n_words: &[u32]) -> (Ordinal, Ordinal) {
    if n_words[pair.b.index()] > n_words[pair.a.index()] {
        (pair.b, pair.a)
    } else {
        (pair.a, pair.b)
    }
}

/// Cuts ordered pairs into pieces of work.
fn pieces<'a>(pairs: &'a [Candidate], n_words: &[u32]) -> Vec<&'a [Candidate]> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut work = 0;
    let mut held = None;
    for (at, pair) in pairs.iter().enumerate() {
        let (long, short) = longer(*pair, n_words);
        let n_long = n_words[long.index()] as usize;
        if held != Some(long) {
            // A long document is taken up by more than one thread only if it has far more to be
            // compared with than it is long.
            if work >= WORDS_PER_PIECE {
                out.push(&pairs[start..at]);
                (start, work) = (at, 0);
            }
            held = Some(long);
            work += n_long;
        } else if work >= WORDS_PER_PIECE.max(8 * n_long) {
            out.push(&pairs[start..at]);
            (start, work) = (at, n_long);
        }
        work += n_words[short.index()] as usize + WORDS_PER_PAIR;
    }
    if start < pairs.len() {
        out.push(&pairs[start..]);
    }
    out
}

/// Cuts pieces into rounds of about as many pairs as may wait for the writer.
fn rounds<'a, 'b>(pieces: &'b [&'a [Candidate]]) -> impl Iterator<Item = &'b [&'a [Candidate]]> {
    let mut rest = pieces;
    std::iter::from_fn(move || {
        let mut n_pairs = 0;
        let n_pieces = rest
            .iter()
            .take_while(|piece| {
                let is_room = n_pairs < PAIRS_PER_ROUND;
                n_pairs += piece.len();
                is_room
            })
            .count();
        let (round, left) = rest.split_at(n_pieces);
        rest = left;
        (!round.is_empty()).then_some(round)
    })
}

/// Sorts candidates so that those of one connected group stand together, and in it those of one
/// longer document. The candidates come sorted.
fn by_group(candidates: &[Candidate], n_words: &[u32]) -> Vec<Candidate> {
    debug_assert!(candidates.is_sorted(), "candidates are sorted");
    let mut parent: Vec<u32> = (0..n_words.len() as u32).collect();
    let root = |parent: &mut [u32], mut doc: u32| {
        while parent[doc as usize] != doc {
            parent[doc as usize] = parent[parent[doc as usize] as usize];
            doc = parent[doc as usize];
        }
        doc
    };
    for pair in candidates {
        let (a, b) = (root(&mut parent, pair.a.0), root(&mut parent, pair.b.0));
        parent[a.max(b) as usize] = a.min(b);
    }
    for doc in 0..n_words.len() as u32 {
        parent[doc as usize] = root(&mut parent, doc);
    }
    // Longer documents by group; the pairs of one come in the order of their shorter documents
    // already, so they are only dealt out.
    let mut order: Vec<u32> = (0..n_words.len() as u32).collect();
    order.sort_by_key(|&doc| parent[doc as usize]);
    let mut next = vec![0; n_words.len()];
    for pair in candidates {
        next[longer(*pair, n_words).0.index()] += 1;
    }
    let mut sum = 0;
    for doc in order {
        sum += std::mem::replace(&mut next[doc as usize], sum);
    }
    let mut out = candidates.to_vec();
    for pair in candidates {
        let at = &mut next[longer(*pair, n_words).0.index()];
        out[*at] = *pair;
        *at += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_one_group_stand_together_in_order() {
        let pair = |a, b| Candidate::new(Ordinal(a), Ordinal(b));
        let pairs = vec![pair(0, 5), pair(1, 2), pair(1, 3), pair(5, 6)];
        let sorted = by_group(&pairs, &[10; 7]);
        assert_eq!(sorted, [pair(0, 5), pair(5, 6), pair(1, 2), pair(1, 3)]);
        let by_length = by_group(&pairs, &[0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(by_length, [pair(0, 5), pair(5, 6), pair(1, 2), pair(1, 3)]);
    }

    #[test]
    fn pieces_and_rounds_hold_all_pairs_in_order() {
        // One long document with everybody, and many short ones among themselves.
        let n_words: Vec<u32> = (0..2_000).map(|doc| if doc == 0 { 50_000 } else { 100 }).collect();
        let pair = |a, b| Candidate::new(Ordinal(a), Ordinal(b));
        let mut pairs: Vec<Candidate> = (1..2_000).map(|doc| pair(0, doc)).collect();
        pairs
            .extend((1..2_000).flat_map(|a| (a + 1..(a + 30).min(2_000)).map(move |b| pair(a, b))));
        let ordered = by_group(&pairs, &n_words);
        let cut = pieces(&ordered, &n_words);
        assert_eq!(cut.concat(), ordered);
        assert!(cut.len() > 10, "{} pieces", cut.len());
        let held = cut.iter().filter(|piece| longer(piece[0], &n_words).0 == Ordinal(0)).count();
        assert_eq!(held, 1, "a long document is taken up once if that is most of the work");
        let rounds: Vec<_> = rounds(&cut).collect();
        assert_eq!(rounds.concat(), cut);
        assert!(rounds.len() > 1 && rounds.iter().all(|round| !round.is_empty()));
    }
}
