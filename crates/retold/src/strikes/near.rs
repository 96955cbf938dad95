//! Near-equal passages: shared samples followed in both directions across edited words.
//!
//! A passage of n words that differs in at most ⌊differ · n⌋ of them has a run of at least
//! ⌈(n − e) / (e + 1)⌉ words in a row unchanged, e being that number: e edits part it into e + 1
//! stretches. The smallest of these lengths over all n from `min-words` on is what is sampled, so a
//! near-equal passage always shares a sample with its twin. From there both texts are read on, to the
//! right and to the left, over words that are equal; where they differ, the nearest place where three
//! words are equal again is taken, and what was skipped counts by the words that were put in, left out
//! or replaced. Of everything that was reached the longest stretch is taken that keeps within `differ`.
//! Neither side is read beyond boilerplate.

use std::collections::HashMap;
use std::io;

use retold_core::document::Ordinal;

use super::repeats::{Looking, Marks};
use super::sampling::Sampling;
use super::settings::StrikeSettings;

/// Words that must be equal behind an edit.
const MEET: u32 = 3;
/// Most words in a row that an edit may put in, leave out or replace.
const MOST_EDITED: u32 = 8;
/// Edited words, less what equal ones make up for, beyond which nothing more is looked for.
const MOST_DEBT: f64 = 5.0;
/// Words of a twin that are read at a time, before and behind.
const AROUND: u32 = 512;

/// A near-equal passage of a document.
#[derive(Clone, Debug)]
pub(super) struct Passage {
    pub(super) start: u32,
    pub(super) end: u32,
    /// Its words that are equal to others, from left to right.
    pub(super) blocks: Vec<Block>,
}

/// Words in a row that are equal to others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub(super) start: u32,
    n_words: u32,
    /// Position of the first of the others.
    pub(super) twin: u64,
}

impl Block {
    pub(super) fn end(self) -> u32 {
        self.start + self.n_words
    }
}

/// Returns how samples are taken so that every near-equal passage shares one with its twin.
pub(super) fn sampling(settings: StrikeSettings) -> Option<Sampling> {
    let differ = settings.differ;
    if differ <= 0.0 {
        return None;
    }
    let least = settings.least_words();
    let run = |n: u32| {
        let edits = edits(differ, n);
        (n - edits).div_ceil(edits + 1)
    };
    // From some number of edits on the length of runs hardly changes.
    #[expect(clippy::cast_sign_loss, reason = "shares are above 0")]
    let most = least.saturating_add((4.0 / differ).ceil() as u32);
    let shortest = (least..=most).map(run).min().unwrap_or(least);
    Some(Sampling::new(shortest.max(3) as usize))
}

/// Returns how many of `n` words may be edited.
#[expect(clippy::cast_sign_loss, reason = "shares are not below 0")]
fn edits(differ: f64, n: u32) -> u32 {
    // A share of 0.05 is a little more than a twentieth, one of 0.07 a little less than seven
    // hundredths: neither is to count.
    (differ * f64::from(n) + 1e-9) as u32
}

/// A stretch of equal words that was reached.
#[derive(Clone, Copy, Debug)]
struct Reached {
    /// Words passed of the document and of the twin when it begins.
    own: u32,
    other: u32,
    n_words: u32,
    /// Edited words before it.
    edits: u32,
}

/// Looks for near-equal passages of one document.
pub(super) struct Aligner<'a> {
    looking: &'a Looking<'a>,
    doc: Ordinal,
    words: &'a [u64],
    /// Boilerplate: of all documents, of this one, and of the one looked at last.
    marks: Option<&'a Marks>,
    own_marks: Vec<(u32, u32)>,
    other_marks: (Option<Ordinal>, Vec<(u32, u32)>),
    /// How far words were followed, by how far apart both sides are.
    followed: HashMap<u64, u32>,
}

impl<'a> Aligner<'a> {
    pub(super) fn new(
        looking: &'a Looking<'a>,
        doc: Ordinal,
        words: &'a [u64],
        marks: Option<&'a Marks>,
    ) -> io::Result<Self> {
        let own_marks = marks.map_or(Ok(Vec::new()), |marks| marks.of(doc))?;
        let (other_marks, followed) = ((None, Vec::new()), HashMap::new());
        Ok(Self { looking, doc, words, marks, own_marks, other_marks, followed })
    }

    /// Follows samples, given by the word they begin with and the position of an equal one.
    pub(super) fn passages(mut self, samples: &[(u32, u64)]) -> io::Result<Vec<Passage>> {
        let mut out = Vec::new();
        let Some(near) = self.looking.near else { return Ok(out) };
        let k = near.k() as u32;
        for &(at, twin) in samples {
            let apart = twin.wrapping_sub(u64::from(at));
            if self.followed.get(&apart).is_some_and(|&until| at < until) {
                continue;
            }
            if let Some(passage) = self.follow(at, twin, k)? {
                out.push(passage);
            }
        }
        Ok(out)
    }

    fn follow(&mut self, at: u32, position: u64, k: u32) -> io::Result<Option<Passage>> {
        let (doc, word) = self.looking.order.place(position);
        let mut twin = Side::new(self.looking, doc);
        // In the same document both sides keep to their half of what lies between them.
        let border = (doc == self.doc).then_some(word + k + at.saturating_sub(word + k) / 2);
        if border.is_some() && word + k > at {
            return Ok(None);
        }
        for i in 0..k {
            if self.words[(at + i) as usize] != twin.word(word + i)? {
                return Ok(None);
            }
        }
        let own = between(&self.own_marks, at, self.words.len() as u32);
        let other = between(self.marks_of(doc)?, word, twin.n_words);
        let (own_first, own_end) = (own.0.max(border.unwrap_or(0)), own.1);
        let (other_first, other_end) = (other.0, other.1.min(border.unwrap_or(other.1)));
        let (own_from, other_from) = (at + k, word + k);
        let right = follow(
            (own_end - own_from, other_end - other_from),
            self.looking.settings.differ,
            |own| self.words[(own_from + own) as usize],
            |other| twin.word(other_from + other),
        )?;
        let left = follow(
            (at - own_first, word - other_first),
            self.looking.settings.differ,
            |own| self.words[(at - 1 - own) as usize],
            |other| twin.word(word - 1 - other),
        )?;
        let (n_left, n_right) = self.longest(&left, &right, k);
        let base = position - u64::from(word);
        let mut blocks: Vec<Block> = left[..n_left]
            .iter()
            .rev()
            .map(|reached| Block {
                start: at - reached.own - reached.n_words,
                n_words: reached.n_words,
                twin: base + u64::from(word - reached.other - reached.n_words),
            })
            .collect();
        blocks.push(Block { start: at, n_words: k, twin: position });
        blocks.extend(right[..n_right].iter().map(|reached| Block {
            start: own_from + reached.own,
            n_words: reached.n_words,
            twin: base + u64::from(other_from + reached.other),
        }));
        for block in &blocks {
            let apart = block.twin.wrapping_sub(u64::from(block.start));
            let until = self.followed.entry(apart).or_default();
            *until = (*until).max(block.end());
        }
        let (start, end) = (blocks[0].start, blocks[blocks.len() - 1].end());
        let is_long = end - start >= self.looking.settings.least_words();
        Ok(is_long.then_some(Passage { start, end, blocks }))
    }

    /// Returns the boilerplate of the document that a twin stands in.
    fn marks_of(&mut self, doc: Ordinal) -> io::Result<&[(u32, u32)]> {
        if let Some(marks) = self.marks
            && self.other_marks.0 != Some(doc)
        {
            self.other_marks = (Some(doc), marks.of(doc)?);
        }
        Ok(&self.other_marks.1)
    }

    /// Returns how much of both sides is taken: the longest stretch that keeps within the share.
    fn longest(&self, left: &[Reached], right: &[Reached], k: u32) -> (usize, usize) {
        let reach = |side: &[Reached], n: usize| {
            n.checked_sub(1).map_or(0, |last| side[last].own + side[last].n_words)
        };
        let cost = |side: &[Reached], n: usize| -> u32 { side[..n].iter().map(|r| r.edits).sum() };
        let costs = |side: &[Reached]| -> Vec<(u32, u32)> {
            (0..=side.len()).map(|n| (reach(side, n), cost(side, n))).collect()
        };
        let (of_left, of_right) = (costs(left), costs(right));
        let mut best = (0, (0, 0));
        for (n_left, &(left, left_cost)) in of_left.iter().enumerate() {
            for (n_right, &(right, right_cost)) in of_right.iter().enumerate().rev() {
                let n_words = left + k + right;
                if n_words <= best.0 {
                    break;
                }
                if left_cost + right_cost <= edits(self.looking.settings.differ, n_words) {
                    best = (n_words, (n_left, n_right));
                    break;
                }
            }
        }
        best.1
    }
}

/// Returns the first word and the end of the stretch around a word that is free of `marks`, which
/// ascend, of a document of `n_words`. The word is not marked.
fn between(marks: &[(u32, u32)], word: u32, n_words: u32) -> (u32, u32) {
    let before = marks.partition_point(|mark| mark.1 <= word);
    let first = before.checked_sub(1).map_or(0, |last| marks[last].1);
    (first, marks.get(before).map_or(n_words, |mark| mark.0))
}

/// Follows two sequences from their beginnings: equal words, and over edits.
fn follow(
    (n_own, n_other): (u32, u32),
    differ: f64,
    own: impl Fn(u32) -> u64,
    mut other: impl FnMut(u32) -> io::Result<u64>,
) -> io::Result<Vec<Reached>> {
    let mut out = Vec::new();
    let (mut i, mut j, mut edited, mut debt) = (0, 0, 0, 0.0);
    loop {
        let mut n = 0;
        while i + n < n_own && j + n < n_other && own(i + n) == other(j + n)? {
            n += 1;
        }
        if n > 0 {
            out.push(Reached { own: i, other: j, n_words: n, edits: edited });
            (i, j) = (i + n, j + n);
            debt = f64::max(debt - differ * f64::from(n), -MOST_DEBT);
        }
        let mut found = None;
        'search: for cost in 1..=MOST_EDITED {
            let both = (0..cost).rev().flat_map(|less| [(cost, less), (less, cost)]);
            for (of_own, of_other) in std::iter::once((cost, cost)).chain(both) {
                let (at_own, at_other) = (i + of_own, j + of_other);
                let n_left = n_own.saturating_sub(at_own).min(n_other.saturating_sub(at_other));
                let n_meet = MEET.min(n_left);
                let mut meets = n_meet > 0;
                for n in 0..n_meet {
                    meets = meets && own(at_own + n) == other(at_other + n)?;
                }
                if meets {
                    found = Some((at_own, at_other));
                    break 'search;
                }
            }
        }
        let Some((at_own, at_other)) = found else { return Ok(out) };
        let skipped: Vec<u64> = (i..at_own).map(&own).collect();
        let others = (j..at_other).map(&mut other).collect::<io::Result<Vec<u64>>>()?;
        (i, j, edited) = (at_own, at_other, distance(&skipped, &others));
        debt += f64::from(edited);
        if debt > MOST_DEBT {
            return Ok(out);
        }
    }
}

/// Returns how many words have to be put in, left out or replaced to make one of the other
/// (Wagner, Fischer 1974). Both have a few.
fn distance(own: &[u64], other: &[u64]) -> u32 {
    let mut row: Vec<u32> = (0..=other.len() as u32).collect();
    for word in own {
        let mut diagonal = row[0];
        row[0] += 1;
        for (at, with) in other.iter().enumerate() {
            let replaced = diagonal + u32::from(word != with);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(row[at] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

/// The words of a twin, some at a time.
struct Side<'a> {
    looking: &'a Looking<'a>,
    doc: Ordinal,
    n_words: u32,
    from: u32,
    words: Vec<u64>,
    bytes: Vec<u8>,
}

impl<'a> Side<'a> {
    fn new(looking: &'a Looking<'a>, doc: Ordinal) -> Self {
        let n_words = looking.taken.words.n_words(doc);
        Self { looking, doc, n_words, from: 0, words: Vec::new(), bytes: Vec::new() }
    }

    fn word(&mut self, at: u32) -> io::Result<u64> {
        if at < self.from || (at - self.from) as usize >= self.words.len() {
            self.from = at.saturating_sub(AROUND);
            let range = self.from..at.saturating_add(AROUND).min(self.n_words);
            self.looking.taken.words.read(self.doc, range, &mut self.bytes, &mut self.words)?;
        }
        Ok(self.words[(at - self.from) as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(own: &[u64], other: &[u64]) -> Vec<(u32, u32, u32, u32)> {
        let sizes = (own.len() as u32, other.len() as u32);
        let found = follow(sizes, 0.05, |at| own[at as usize], |at| Ok(other[at as usize]));
        let found = found.expect("memory is read");
        found.iter().map(|r| (r.own, r.other, r.n_words, r.edits)).collect()
    }

    #[test]
    fn edits_of_all_kinds_are_passed() {
        let own: Vec<u64> = (0..30).collect();
        let mut other = own.clone();
        other[5] = 99;
        assert_eq!(reached(&own, &other), [(0, 0, 5, 0), (6, 6, 24, 1)]);
        other.remove(5);
        assert_eq!(reached(&own, &other), [(0, 0, 5, 0), (6, 5, 24, 1)]);
        other.splice(10..10, [77, 78]);
        assert_eq!(reached(&own, &other), [(0, 0, 5, 0), (6, 5, 5, 1), (11, 12, 19, 2)]);
        // Two edits with two words between them.
        (other[20], other[23]) = (88, 89);
        assert_eq!(reached(&own, &other)[3], (23, 24, 7, 2));
        assert_eq!(reached(&own, &[]), []);
        assert_eq!(reached(&own, &(100..130).collect::<Vec<u64>>()), []);
    }

    #[test]
    fn samples_are_short_enough_for_every_number_of_edits() {
        let settings = |min_words| StrikeSettings {
            min_words: Some(min_words),
            differ: 0.05,
            ..StrikeSettings::default()
        };
        for (min_words, width) in [(13, 10), (50, 15)] {
            let sampling = sampling(settings(min_words)).expect("words may differ");
            assert_eq!(sampling.width(), width);
        }
        assert!(sampling(StrikeSettings::default()).is_none());
    }
}
