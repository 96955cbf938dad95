//! Alignment: shared shingles anchor runs of equal words, runs join into passages.
//!
//! The longer document is held in a table, once for all that are compared with it. The shorter one
//! is read once: where its shingle stands in the longer one too, the run of equal words is followed
//! on its diagonal without further look-ups; of several places the one nearest to the last diagonal
//! wins. Runs that follow each other in both documents with a gap
//! of at most 24 words become one passage: spelling, OCR and small edits end a run but
//! not a passage. The words of a gap are compared by edit distance. Where runs are short throughout,
//! passages go on beyond them (`damaged.rs`). Heavily edited text has few such
//! runs; [`edited`](super::edited) finds its passages, and they are put together here.

use super::Profile;
use super::damaged::{DAMAGED_SHARE, Extent, LEAST_DAMAGED, Over, Stretch, follow, n_alike};
use super::edited::agreement::{Agreement, CommonWords};
use super::edited::{Aligner, EditedPassage, EqualRun, Settings};
use super::rule::{Edits, LEAST_COUNTED, Rule, Shared};
use super::table::{Positions, Table};
use crate::candidates::samples::spread;
use crate::features::shingles::Shingles;
use crate::relation::{Counted, Evidence, Kind, Passage, Scores};
use crate::relations::Relations;

/// Words that may be skipped on either side between two runs of a passage.
const MOST_GAP: usize = 24;
/// Positions of one shingle that are looked at.
const MOST_PLACES: usize = 32;
/// Words of the shortest passage that is listed, unless there are only shorter ones.
const LEAST_LISTED: u32 = LEAST_COUNTED;
/// Words of a passage beside which short ones that stand alone are strays.
const LONG_PASSAGE: u32 = 40;
/// Words from which a passage is never a stray.
const LEAST_ALONE: u32 = 16;
/// Words on either side within which another passage keeps a short one company.
const MOST_APART: u32 = 3 * MOST_GAP as u32;

/// A passage in words: half-open ranges of word numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordPassage {
    /// First word in `a` and one past the last.
    pub a: (u32, u32),
    /// First word in `b` and one past the last.
    pub b: (u32, u32),
    /// Words that agree.
    pub words: u32,
    /// Words without a partner; a replaced word counts once.
    pub differ: u32,
    /// Words that agree but stand in another order.
    pub moved: u32,
}

/// What a comparison found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Exact scores on the sets of shingles.
    pub scores: Scores,
    /// Passages in the order of `a`.
    pub passages: Vec<WordPassage>,
    /// Words of `a` inside passages.
    pub a_words: u32,
    /// Words of `b` inside passages.
    pub b_words: u32,
    /// Equal words of the longest passage, or the words of all heavily edited ones if these are more,
    /// and of all passages. Damaged words of damaged text count as equal.
    pub shared: Shared,
    /// What the scores were computed from, if they were.
    pub counted: Option<Counted>,
}

impl Comparison {
    /// Returns the evidence in bytes of the originals, with at most `most` passages (the longest).
    pub fn evidence(&self, a: &Profile, b: &Profile, most: usize) -> Evidence {
        let shown = |passage: &WordPassage| Passage {
            a: a.span(passage.a.0, passage.a.1),
            b: b.span(passage.b.0, passage.b.1),
            words: passage.words,
            differ: passage.differ,
            moved: passage.moved,
        };
        let n_cut = self.passages.len().saturating_sub(most) as u32;
        let passages = if n_cut == 0 {
            self.passages.iter().map(shown).collect()
        } else {
            let mut listed: Vec<&WordPassage> = self.passages.iter().collect();
            listed.sort_by_key(|passage| (u32::MAX - passage.words - passage.moved, passage.a));
            listed.truncate(most);
            listed.sort_by_key(|passage| passage.a);
            listed.into_iter().map(shown).collect()
        };
        let Self { a_words, b_words, counted, .. } = *self;
        Evidence { passages, a_words, b_words, n_cut, counted }
    }

    /// Turns the comparison round, as seen from the other document.
    pub fn flip(&mut self) {
        self.scores = self.scores.flipped();
        self.counted = self.counted.map(Counted::flipped);
        std::mem::swap(&mut self.a_words, &mut self.b_words);
        for passage in &mut self.passages {
            std::mem::swap(&mut passage.a, &mut passage.b);
        }
        self.passages.sort_by_key(|passage| (passage.a, passage.b));
    }
}

/// Compares two documents whose shingles have `k` words. Of equally long ones `b` is held.
pub fn compare(a: &Profile, b: &Profile, k: usize, edits: Edits) -> Comparison {
    debug_assert!(a.k == k && b.k == k, "both profiles were made for these shingles");
    let mut bench = Bench::default();
    let mut found = Comparison::default();
    if a.n_words() <= b.n_words() {
        bench.hold(b).compare(a, edits, &mut found);
    } else {
        bench.hold(a).compare(b, edits, &mut found);
        found.flip();
    }
    found
}

/// Compares two documents and decides how they are related; `None` if they are not. Of equally long
/// ones `b` is held.
pub fn judge(a: &Profile, b: &Profile, rule: Rule) -> Option<(Kind, Comparison)> {
    let mut bench = Bench::default();
    let mut found = Comparison::default();
    if a.n_words() <= b.n_words() {
        let kind = bench.hold(b).judge(a, rule, &mut found)?;
        return Some((kind, found));
    }
    let kind = bench.hold(a).judge(b, rule, &mut found)?;
    found.flip();
    Some((kind.flipped(), found))
}

/// Room for comparing many documents with one, and then with another: what one comparison needed
/// is there for the next.
#[derive(Clone, Debug, Default)]
pub struct Bench {
    table: Table,
    /// One bit for each shingle of the short document: whether the long one may have it.
    hits: Vec<u64>,
    runs: Vec<EqualWords>,
    /// Damaged words of each passage.
    alike: Vec<u32>,
    ranges: Vec<(u32, u32)>,
    aligner: Aligner,
    agreement: Agreement,
    equal: Vec<EqualRun>,
}

impl Bench {
    /// Makes a bench that aligns heavily edited text by other settings than the usual ones.
    pub fn with_edited(settings: Settings) -> Self {
        Self { aligner: Aligner::new(settings), ..Self::default() }
    }

    /// Takes up the document that others are compared with.
    pub fn hold<'a>(&'a mut self, long: &'a Profile) -> Held<'a> {
        self.table.fill(&long.shingles);
        Held { bench: self, long }
    }
}

/// A document that others are compared with.
#[derive(Debug)]
pub struct Held<'a> {
    bench: &'a mut Bench,
    long: &'a Profile,
}

impl Held<'_> {
    /// Compares a document, which has no more words than the held one, and sees it as `a`.
    pub fn compare(&mut self, short: &Profile, edits: Edits, found: &mut Comparison) {
        self.mark(short);
        self.count(short, found);
        self.look(short, edits, true, found);
        if edits == Edits::Heavy && !short.words.is_equal(&self.long.words) {
            self.add_edited(short, LEAST_LISTED, found);
        }
        self.finish(found);
    }

    /// Compares a document, which has no more words than the held one, and sees it as `a`; `None`
    /// if they are not related by the rule, and then `found` says nothing of use.
    ///
    /// Documents with the same words in the same order, before stop words are left out and words
    /// are stemmed, are [`Kind::Exact`]. Otherwise a document with fewer words than a word run has
    /// no word run to compare and is related to no other.
    pub fn judge(&mut self, short: &Profile, rule: Rule, found: &mut Comparison) -> Option<Kind> {
        self.judge_for(short, rule, Relations::ALL, found)
    }

    /// Compares documents in the same way; `None` also if they are related in a way that is not asked
    /// for. What then need not be known is not looked at: no passages are made where shares decide.
    pub fn judge_for(
        &mut self,
        short: &Profile,
        rule: Rule,
        asked: Relations,
        found: &mut Comparison,
    ) -> Option<Kind> {
        let is_equal = short.words.is_equal(&self.long.words);
        if is_equal && !asked.has(Kind::Exact) || !is_equal && !short.has_shingles() {
            return None;
        }
        self.mark(short);
        let is_heavy = rule.edits == Edits::Heavy && rule.similarity == 0.0;
        let may_be_heavy = rule.edits == Edits::Heavy && asked.has(Kind::Partial);
        if !is_equal && !may_be_heavy && !self.may_be_related(short, rule, asked) {
            return None;
        }
        self.count(short, found);
        let by_shares = rule.decide(found.scores, Shared::NOTHING, short.n_words());
        if !is_equal && !asked.has(Kind::Partial) && !by_shares.is_some_and(|kind| asked.has(kind))
        {
            return None;
        }
        self.look(short, rule.edits, !is_equal && by_shares.is_none(), found);
        let kind = if is_equal {
            // The same words may have other stems if the documents name other languages.
            found.scores = Scores::EQUAL;
            found.counted = None;
            Kind::Exact
        } else {
            if is_heavy {
                // Beside a long passage short runs are strays; what is contained may have no others.
                let least = if by_shares.is_some() { LEAST_LISTED } else { rule.passage_words };
                self.add_edited(short, least, found);
            }
            rule.decide(found.scores, found.shared, short.n_words())?
        };
        if !asked.has(kind) {
            return None;
        }
        self.finish(found);
        Some(kind)
    }

    /// Marks the shingles that the held document may have.
    fn mark(&mut self, short: &Profile) {
        // PERF: most shingles of most pairs are not shared. A first pass asks a filter of a few
        //       bits a shingle, which stays in the cache.
        let Bench { table, hits, .. } = &mut *self.bench;
        hits.clear();
        hits.extend(short.shingles.codes.chunks(64).map(|codes| table.may_have(codes)));
    }

    /// Returns whether the marks leave room for a relation that is asked for: enough of them for a
    /// share, or stretches of them that are long enough for passages.
    fn may_be_related(&self, short: &Profile, rule: Rule, asked: Relations) -> bool {
        let hits = &self.bench.hits[..];
        let n_hits: usize = hits.iter().map(|hits| hits.count_ones() as usize).sum();
        let (n_short, n_long) = (short.shingles.n_distinct, self.long.shingles.n_distinct);
        let most = Scores::of_sets(n_short, n_long, n_hits.min(n_short).min(n_long));
        let n_words = short.n_words();
        // Fewer in common may still make a containment of a near-duplicate, but not the reverse.
        let is_possible = match rule.decide(most, Shared::NOTHING, n_words) {
            Some(Kind::NearDuplicate) => {
                asked.has(Kind::NearDuplicate) || asked.has(Kind::Contained)
            }
            Some(_) => asked.has(Kind::Contained),
            None => false,
        };
        if is_possible || !asked.has(Kind::Partial) {
            return is_possible;
        }
        // Damaged text may have few runs left, and passages go on beyond them.
        if rule.edits == Edits::Light && n_hits >= LEAST_DAMAGED.max(n_short / DAMAGED_SHARE) {
            return true;
        }
        // The words of two runs of a passage are at most a gap apart.
        let most_step = short.k + MOST_GAP;
        let mut next = next_bit(hits, 0);
        let (mut start, mut last) = (next.unwrap_or(0), next.unwrap_or(0));
        let mut before = Shared::NOTHING;
        while let Some(hit) = next {
            if hit - last > most_step {
                before = before.with((last + short.k - start) as u32);
                start = hit;
            }
            if rule.is_partial(before.with((hit + short.k - start) as u32), n_words) {
                return true;
            }
            last = hit;
            next = next_bit(hits, hit + 1);
        }
        false
    }

    /// Finds runs of equal words and scores.
    fn count(&mut self, short: &Profile, found: &mut Comparison) {
        let n_common = self.find_runs(short);
        let (n_short, n_long) = (short.shingles.n_distinct, self.long.shingles.n_distinct);
        found.scores = Scores::of_sets(n_short, n_long, n_common);
        found.counted = Some(Counted {
            a_runs: n_short as u32,
            b_runs: n_long as u32,
            common_runs: n_common as u32,
            longest_words: 0,
            shared_words: 0,
            distinctive_runs: None,
        });
    }

    /// Counts the distinct runs that a document shares with the held one and that are distinctive, as
    /// their hashes tell, which are those of [sets of runs](super::runs). The document was compared last.
    pub fn count_distinctive(&self, short: &Profile, is_distinctive: impl Fn(u64) -> bool) -> u32 {
        let Bench { table, hits, .. } = &*self.bench;
        let (words, long_words) = (&short.words.hashes[..], &self.long.words.hashes[..]);
        let (mut at, mut n) = (0, 0);
        Shingles::new(short.k).each(words, |run| {
            let code = short.shingles.codes[at];
            let is_hit = hits[at / 64] >> (at % 64) & 1 == 1 && code.is_first();
            if is_hit
                && is_distinctive(spread(run))
                && table.find(long_words, code, &words[at..at + short.k]).is_some()
            {
                n += 1;
            }
            at += 1;
        });
        n
    }

    /// Makes passages of the runs of equal words. `may_be_damaged` is false where the runs in common make a
    /// relation by themselves: such a text is not damaged.
    fn look(
        &mut self,
        short: &Profile,
        edits: Edits,
        may_be_damaged: bool,
        found: &mut Comparison,
    ) {
        let most_gap = if edits == Edits::None { 0 } else { MOST_GAP };
        let runs = &self.bench.runs[..];
        let n_common = found.counted.map_or(0, |counted| counted.common_runs as usize);
        let over = if may_be_damaged && edits == Edits::Light {
            let n_words = runs.iter().map(|run| run.n).sum();
            Over::of((n_common, short.shingles.n_distinct), (runs.len(), n_words))
        } else {
            Over::default()
        };
        let alike = &mut self.bench.alike;
        join(runs, most_gap, over, (short, self.long), &mut found.passages, alike);
        let words = found.passages.iter().zip(alike).map(|(passage, alike)| passage.words + *alike);
        found.shared = Shared::of_passages(words);
        if let Some(counted) = &mut found.counted {
            let Shared { longest_words, all_words } = found.shared;
            (counted.longest_words, counted.shared_words) = (longest_words, all_words);
        }
    }

    /// Adds the passages of edited text. Runs of equal words inside of them become part of them; of the
    /// others those of at least so many words stay.
    fn add_edited(&mut self, short: &Profile, least_words: u32, found: &mut Comparison) {
        let Bench { runs, aligner, agreement, equal, ranges, .. } = &mut *self.bench;
        let (words, long_words) = (&short.words, &self.long.words);
        equal.clear();
        equal.extend(runs.iter().map(|run| EqualRun {
            a: run.s as u32,
            b: run.l as u32,
            n_words: run.n as u32,
        }));
        let edited = aligner.align(&short.edited, &self.long.edited, equal);
        let passages = &mut found.passages;
        let meet = |x: (u32, u32), y: (u32, u32)| x.0 < y.1 && y.0 < x.1;
        passages.retain(|passage| {
            let is_inside = |new: &EditedPassage| meet(new.a, passage.a) && meet(new.b, passage.b);
            passage.words >= least_words && !edited.iter().any(is_inside)
        });
        let of = |(start, end): (u32, u32)| start as usize..end as usize;
        passages.extend(edited.iter().map(|new| {
            let a = &words.hashes[of(new.a)];
            let b = &long_words.hashes[of(new.b)];
            let CommonWords { in_order, moved } = agreement.common_words(a, b);
            let differ = a.len().max(b.len()) as u32 - in_order - moved;
            WordPassage { a: new.a, b: new.b, words: in_order, differ, moved }
        }));
        passages.sort_by_key(|passage| (passage.a, passage.b));
        let edited_words = covered(edited.iter().map(|passage| passage.a), ranges)
            .max(covered(edited.iter().map(|passage| passage.b), ranges));
        let Shared { longest_words, all_words } = &mut found.shared;
        *longest_words = edited_words.max(*longest_words);
        *all_words = edited_words.max(*all_words);
        if let Some(counted) = &mut found.counted {
            (counted.longest_words, counted.shared_words) = (*longest_words, *all_words);
        }
    }

    /// Drops passages that are too short to be listed, and counts the words of the others.
    fn finish(&mut self, found: &mut Comparison) {
        let Comparison { passages, a_words, b_words, shared, .. } = found;
        if shared.longest_words >= LEAST_LISTED {
            passages.retain(|passage| passage.words + passage.moved >= LEAST_LISTED);
        }
        if shared.longest_words >= LONG_PASSAGE {
            drop_strays(passages);
        }
        let ranges = &mut self.bench.ranges;
        *a_words = covered(passages.iter().map(|passage| passage.a), ranges);
        *b_words = covered(passages.iter().map(|passage| passage.b), ranges);
    }

    /// Finds the runs, in the order of the short document, and counts its distinct shared
    /// shingles.
    fn find_runs(&mut self, short: &Profile) -> usize {
        let Bench { table, hits, runs, .. } = &mut *self.bench;
        let codes = &short.shingles.codes[..];
        runs.clear();
        let k = short.k;
        let (words, long_words) = (&short.words.hashes[..], &self.long.words.hashes[..]);
        let mut n_common = 0;
        let mut s = 0;
        while let Some(at) = next_bit(hits, s) {
            s = at;
            let shingle = &words[s..s + k];
            // Where the last run would go on.
            let expected =
                runs.last().map(|last| (last.l + last.n + s).saturating_sub(last.s + last.n));
            let Some(places) = table.find(long_words, codes[s], shingle) else {
                s += 1;
                continue;
            };
            let l = expected.map_or(places.first as usize, |expected| nearest(places, expected));
            // The first k words agree; each further one is one more shared shingle.
            let n_more = words[s + k..]
                .iter()
                .zip(&long_words[l + k..])
                .take_while(|(word, other)| word == other)
                .count();
            n_common += codes[s..=s + n_more].iter().filter(|code| code.is_first()).count();
            push(runs, EqualWords { s, l, n: k + n_more });
            s += n_more + 1;
        }
        n_common
    }
}

/// A run of equal words: `n` words from `s` in the short and `l` in the long document.
#[derive(Clone, Copy, Debug)]
struct EqualWords {
    s: usize,
    l: usize,
    n: usize,
}

/// Returns the number of the first bit set from `start` on.
fn next_bit(bits: &[u64], start: usize) -> Option<usize> {
    let mut at = start / 64;
    let mut rest = bits.get(at)? >> (start % 64) << (start % 64);
    while rest == 0 {
        at += 1;
        rest = *bits.get(at)?;
    }
    Some(at * 64 + rest.trailing_zeros() as usize)
}

/// Adds a run, giving the words it shares with the one before to that one.
fn push(runs: &mut Vec<EqualWords>, mut run: EqualWords) {
    if let Some(last) = runs.last() {
        let overlap = (last.s + last.n).saturating_sub(run.s);
        if overlap > 0 {
            run = EqualWords {
                s: run.s + overlap,
                l: run.l + overlap,
                n: run.n - overlap.min(run.n),
            };
        }
    }
    if run.n > 0 {
        runs.push(run);
    }
}

/// Returns the place of a shingle nearest to where the last run would go on.
fn nearest(places: Positions<'_>, expected: usize) -> usize {
    let mut best = places.first as usize;
    for place in places.others().take(MOST_PLACES) {
        if (place as usize).abs_diff(expected) < best.abs_diff(expected) {
            best = place as usize;
        } else if place as usize > expected {
            break;
        }
    }
    best
}

/// Joins runs into passages; `alike` gets the number of damaged words of each.
fn join(
    runs: &[EqualWords],
    most_gap: usize,
    over: Over,
    (short, long): (&Profile, &Profile),
    out: &mut Vec<WordPassage>,
    alike: &mut Vec<u32>,
) {
    out.clear();
    alike.clear();
    let is_followed = over != Over::default();
    for run in runs {
        let (s_end, l_end) = ((run.s + run.n) as u32, (run.l + run.n) as u32);
        if is_followed && let (Some(last), Some(alike)) = (out.last_mut(), alike.last_mut()) {
            *alike += extend(last, run.s, run.l, over, (short, long));
        }
        if let (Some(last), Some(alike)) = (out.last_mut(), alike.last_mut()) {
            let (gap_s, gap_l) =
                (run.s.checked_sub(last.a.1 as usize), run.l.checked_sub(last.b.1 as usize));
            if let (Some(gap_s), Some(gap_l)) = (gap_s, gap_l)
                && gap_s <= most_gap
                && gap_l <= most_gap
            {
                let (s, l) = (last.a.1 as usize..run.s, last.b.1 as usize..run.l);
                let (n_equal, n_differ) =
                    gap(&short.words.hashes[s.clone()], &long.words.hashes[l.clone()]);
                if over.damaged {
                    *alike += n_alike(
                        Stretch::from(short, s.start, s.end),
                        Stretch::from(long, l.start, l.end),
                    );
                }
                last.a.1 = s_end;
                last.b.1 = l_end;
                last.words += run.n as u32 + n_equal;
                last.differ += n_differ;
                continue;
            }
        }
        out.push(WordPassage {
            a: (run.s as u32, s_end),
            b: (run.l as u32, l_end),
            words: run.n as u32,
            differ: 0,
            moved: 0,
        });
        alike.push(0);
    }
    if is_followed {
        if let (Some(last), Some(alike)) = (out.last_mut(), alike.last_mut()) {
            *alike += extend(last, short.n_words(), long.n_words(), over, (short, long));
        }
        let mut before = 0;
        for (passage, alike) in out.iter_mut().zip(alike) {
            *alike += extend_back(passage, before, over, (short, long));
            before = passage.a.1;
        }
    }
}

/// Lets a passage of damaged text go on, at most up to some words; returns how many damaged words it gains.
fn extend(
    passage: &mut WordPassage,
    s_most: usize,
    l_most: usize,
    over: Over,
    (short, long): (&Profile, &Profile),
) -> u32 {
    let (s, l) = (passage.a.1 as usize, passage.b.1 as usize);
    // What comes next in the short document may stand before this in the long one.
    let l_most = if l_most < l { long.n_words() } else { l_most };
    let extent = follow(Stretch::from(short, s, s_most), Stretch::from(long, l, l_most), over);
    passage.a.1 += extent.a as u32;
    passage.b.1 += extent.b as u32;
    gain(passage, extent)
}

/// Lets a passage of damaged text begin earlier, at least behind some words of the short document; returns
/// how many damaged words it gains.
fn extend_back(
    passage: &mut WordPassage,
    s_least: u32,
    over: Over,
    (short, long): (&Profile, &Profile),
) -> u32 {
    let (s, l) = (passage.a.0 as usize, passage.b.0 as usize);
    let extent = follow(Stretch::back(short, s, s_least as usize), Stretch::back(long, l, 0), over);
    passage.a.0 -= extent.a as u32;
    passage.b.0 -= extent.b as u32;
    gain(passage, extent)
}

/// Counts the words that a passage gains; returns how many of them are damaged.
fn gain(passage: &mut WordPassage, extent: Extent) -> u32 {
    passage.words += extent.equal;
    passage.differ += extent.differ;
    extent.alike
}

/// Returns how many words of a gap agree in order at the smallest edit distance, and the distance.
fn gap(a: &[u64], b: &[u64]) -> (u32, u32) {
    const STEP: u32 = 1 << 16;
    const NO_EQUAL: u32 = STEP - 1;
    if a.is_empty() || b.is_empty() {
        return (0, a.len().max(b.len()) as u32);
    }
    if let ([x], [y]) = (a, b) {
        return if x == y { (1, 0) } else { (0, 1) };
    }
    // Levenshtein by rows. A cell is the distance above the equal words at that distance, counted
    // down from `NO_EQUAL`: the smaller number is the smaller distance, then the more equal words.
    let mut row: [u32; MOST_GAP + 1] = std::array::from_fn(|j| j as u32 * STEP + NO_EQUAL);
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        let mut put_in = (i as u32 + 1) * STEP + NO_EQUAL;
        row[0] = put_in;
        for (y, cell) in b.iter().zip(&mut row[1..]) {
            let replaced = if x == y { diagonal - 1 } else { diagonal + STEP };
            diagonal = *cell;
            put_in = replaced.min((*cell).min(put_in) + STEP);
            *cell = put_in;
        }
    }
    let cell = row[b.len()];
    (NO_EQUAL - cell % STEP, cell / STEP)
}

/// Drops short passages, in the order of `a`, that no other passage stands near to in both documents:
/// beside a copy these are phrases that anybody writes.
fn drop_strays(passages: &mut Vec<WordPassage>) {
    let is_near = |x: (u32, u32), y: (u32, u32)| {
        x.0.saturating_sub(y.1) <= MOST_APART && y.0.saturating_sub(x.1) <= MOST_APART
    };
    let keep: Vec<bool> = (0..passages.len())
        .map(|at| {
            let passage = passages[at];
            let mut beside =
                passages[at.saturating_sub(1)..].iter().take(if at > 0 { 3 } else { 2 });
            passage.words + passage.moved >= LEAST_ALONE
                || beside.any(|other| {
                    *other != passage && is_near(other.a, passage.a) && is_near(other.b, passage.b)
                })
        })
        .collect();
    let mut keep = keep.into_iter();
    passages.retain(|_| keep.next().unwrap_or(true));
}

/// Returns the number of words in the union of some ranges; `sorted` is room for them.
fn covered(ranges: impl Iterator<Item = (u32, u32)>, sorted: &mut Vec<(u32, u32)>) -> u32 {
    sorted.clear();
    sorted.extend(ranges);
    sorted.sort_unstable();
    let mut sum = 0;
    let mut reached = 0;
    for &(start, end) in &*sorted {
        sum += end.saturating_sub(start.max(reached));
        reached = reached.max(end);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, Span};
    use crate::features::shingles::Shingles;
    use crate::features::{Featurizer, TextSettings, Words};
    use crate::hash;

    const K: usize = 5;

    fn profile(words: &[u64]) -> Profile {
        let hashes = words.iter().map(|&word| hash::mix(word)).collect();
        let spans = (0..words.len() as u32).map(|i| Span::new(i, i + 1)).collect();
        Profile::new(Words { hashes, spans, ..Words::default() }, Shingles::new(K))
    }

    fn run(range: std::ops::Range<u64>) -> Vec<u64> {
        range.collect()
    }

    #[test]
    fn a_document_is_one_passage_of_itself() {
        let a = profile(&run(0..100));
        let found = compare(&a, &a, K, Edits::Light);
        assert_eq!(found.scores, Scores::EQUAL);
        let whole = WordPassage { a: (0, 100), b: (0, 100), words: 100, differ: 0, moved: 0 };
        assert_eq!(found.passages, [whole]);
    }

    #[test]
    fn documents_shorter_than_a_run_are_exact_copies_or_unrelated() {
        let rule = Rule::default();
        let kind =
            |a: &[u64], b: &[u64]| judge(&profile(a), &profile(b), rule).map(|found| found.0);
        assert_eq!(kind(&[1, 2, 3], &[1, 2, 3]), Some(Kind::Exact));
        assert_eq!(kind(&[1, 2, 3], &[1, 2, 4]), None);
        assert_eq!(kind(&run(0..100), &[1, 2, 3]), None);
        assert_eq!(kind(&run(0..100), &run(0..20)), Some(Kind::Contains));
        assert_eq!(kind(&run(0..20), &run(0..100)), Some(Kind::Contained));
    }

    #[test]
    fn a_bench_forgets_the_document_it_held_before() {
        let documents: Vec<Profile> = [
            run(0..400),
            [run(300..500), run(0..50), run(0..50)].concat(),
            run(20..45),
            vec![7; 90],
            [run(380..400), vec![7; 30]].concat(),
        ]
        .iter()
        .map(|words| profile(words))
        .collect();
        let mut bench = Bench::default();
        for long in &documents {
            for short in documents.iter().filter(|other| other.n_words() <= long.n_words()) {
                let mut found = Comparison::default();
                bench.hold(long).compare(short, Edits::Light, &mut found);
                assert_eq!(found, compare(short, long, K, Edits::Light));
            }
        }
    }

    #[test]
    fn a_replaced_word_ends_a_run_but_not_a_passage() {
        let mut other = run(0..100);
        other[50] = 7777;
        let found = compare(&profile(&run(0..100)), &profile(&other), K, Edits::Light);
        let whole = WordPassage { a: (0, 100), b: (0, 100), words: 99, differ: 1, moved: 0 };
        assert_eq!(found.passages, [whole]);
        assert_eq!(found.scores, Scores::of_sets(96, 96, 91));
    }

    #[test]
    fn an_inserted_word_counts_once() {
        let mut other = run(0..100);
        other.insert(50, 7777);
        let found = compare(&profile(&run(0..100)), &profile(&other), K, Edits::Light);
        let whole = WordPassage { a: (0, 100), b: (0, 101), words: 100, differ: 1, moved: 0 };
        assert_eq!(found.passages, [whole]);
    }

    #[test]
    fn a_moved_paragraph_makes_two_passages() {
        let moved = [run(60..100), run(0..60)].concat();
        let found = compare(&profile(&run(0..100)), &profile(&moved), K, Edits::Light);
        assert_eq!(found.passages.len(), 2);
        assert_eq!((found.a_words, found.b_words), (100, 100));
    }

    #[test]
    fn a_passage_inside_a_longer_document_is_found_where_it_stands() {
        let holder = [run(1000..1300), run(0..50), run(2000..2300)].concat();
        let found = compare(&profile(&holder), &profile(&run(0..50)), K, Edits::Light);
        let passage = WordPassage { a: (300, 350), b: (0, 50), words: 50, differ: 0, moved: 0 };
        assert_eq!(found.passages, [passage]);
        assert!((found.scores.b_in_a.get() - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn scores_do_not_depend_on_which_document_comes_first() {
        let a = profile(&[run(0..80), run(500..540), run(10..30)].concat());
        let b = profile(&[run(300..320), run(0..120), run(500..530)].concat());
        let (there, back) = (compare(&a, &b, K, Edits::Light), compare(&b, &a, K, Edits::Light));
        assert_eq!(there.scores, back.scores.flipped());
        assert_eq!((there.a_words, there.b_words), (back.b_words, back.a_words));
    }

    #[test]
    fn a_phrase_far_from_a_copied_passage_is_a_stray_and_one_beside_it_is_not() {
        let phrase = run(900..910);
        let far = [run(0..60), run(2000..2200), phrase.clone()].concat();
        let other = [run(0..60), run(3000..3300), phrase.clone()].concat();
        let found = compare(&profile(&far), &profile(&other), K, Edits::Light);
        assert_eq!((found.passages.len(), found.a_words), (1, 60));
        assert_eq!(found.shared, Shared { longest_words: 60, all_words: 70 });
        let near = [run(0..60), run(2000..2030), phrase.clone()].concat();
        let other = [run(0..60), run(3000..3040), phrase].concat();
        let found = compare(&profile(&near), &profile(&other), K, Edits::Light);
        assert_eq!((found.passages.len(), found.a_words), (2, 70));
    }

    #[test]
    fn short_passages_that_are_much_of_a_document_make_a_partial_copy() {
        let pieces = |from: u64| {
            let own = |i: u64| run(from + 100 * i..from + 100 * i + 30);
            [run(0..15), own(1), run(20..35), own(2), run(40..50), own(3)].concat()
        };
        let (a, b) = (profile(&pieces(10_000)), profile(&pieces(20_000)));
        let (kind, found) = judge(&a, &b, Rule::default()).expect("40 words of 130");
        assert_eq!((kind, found.a_words), (Kind::Partial, 40));
        assert_eq!(judge(&a, &b, Rule { shared: 0.4, ..Rule::default() }), None);
    }

    #[test]
    fn damaged_text_is_one_passage_up_to_its_ends() {
        // One stretch of nine words is left; of the rest every other word has a letter misread.
        let clean: Vec<String> = (0..90).map(|n| format!("quay{n:03}board")).collect();
        let damaged: Vec<String> = (0..90)
            .map(|n| {
                let is_whole = (40..48).contains(&n) || n % 2 == 0;
                if is_whole { clean[n].clone() } else { clean[n].replace("quay", "qnay") }
            })
            .collect();
        let of = |words: &[String]| {
            let featurizer = Featurizer::new(TextSettings::default(), 1);
            let document = Document::plain("d", words.join(" "));
            Profile::of(&document, &featurizer, Shingles::new(K))
        };
        let (a, b) = (of(&clean), of(&damaged));
        let (kind, found) = judge(&a, &b, Rule::default()).expect("most letters agree");
        assert_eq!((kind, found.passages.len()), (Kind::Partial, 1));
        assert_eq!((found.passages[0].a, found.passages[0].differ), ((0, 89), 40));
        assert_eq!(found.shared.longest_words, 89, "damaged words count");
        let equal = Rule { edits: Edits::None, ..Rule::default() };
        assert_eq!(judge(&a, &b, equal), None);
        // Other words in the same places are no damage.
        let replaced: Vec<String> = (0..90)
            .map(|n| if damaged[n] == clean[n] { clean[n].clone() } else { format!("mill{n}") })
            .collect();
        assert_eq!(judge(&a, &of(&replaced), Rule::default()), None);
    }

    #[test]
    fn one_word_repeated_is_contained_in_itself() {
        let found = compare(&profile(&[1; 500]), &profile(&[1; 200]), K, Edits::Light);
        assert_eq!(found.scores, Scores::EQUAL);
        assert_eq!(found.b_words, 200);
    }
}
