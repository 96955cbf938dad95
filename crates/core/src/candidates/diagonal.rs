//! Diagonals: documents that share several windows in a row.
//!
//! Documents meet in windows of their sentence lengths. Who asks has its window at every place; a
//! document is found if at least `least_run` of its stored windows in a row match on one diagonal,
//! that is with the same distance between the two positions. A window that dynamic jumping left
//! out counts as matched inside a run.
//!
//! Where fewer windows are stored than asked with, it matters who asks. Both ways are looked at,
//! as if each document before had asked about the one that asks now: all windows of a document
//! are keys, and of two that meet one has to be a stored one.
//!
//! Found documents are scored by the match ratio of Wang and Chang (AIRS 2009): the weight of the
//! asker's windows that the document has, over the weight of all of them, a repeated window once or
//! every time; and the other way round.
//!
//! # What it may miss
//! Windows are told apart by 64-bit hashes, so nothing is missed but what the limits cut: a window
//! of more than `stop` documents speaks for its first `stop`, which is counted; of a window that a
//! document repeats only the first `most_repeats` places are looked at; and of two documents no
//! more than [`MOST_HITS`] pairs of places. Texts of equal sentence lengths everywhere would
//! otherwise cost the square of their length.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::meeting::{Limits, Met, Tag, Weighed};
use super::{Judgement, Meeting};
use crate::features::length_windows::{Jumping, Windows};
use crate::hash::{self, Prehashed};
use crate::image::feature_set::Repeats;
use crate::image::rhythm::Rhythm;
use crate::relation::{Kind, Score, Scores};

/// Pairs of places of two documents that are looked at for runs.
pub const MOST_HITS: usize = 1 << 22;

/// What a matched window counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// ln(N / n), where n of the N documents have it; a window nobody has counts as if one had.
    Idf,
    /// 1.
    Uniform,
}

/// When a document is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matching {
    /// Which windows are stored.
    pub windows: Windows,
    /// Minimum matching threshold (t): windows in a row, at least 1.
    pub least_run: usize,
    /// Match ratio from which a document counts as contained rather than as a partial copy.
    pub containment: f64,
    /// Documents of a window that are looked at.
    pub stop: usize,
    /// Places of a repeated window in one document that are looked at, at least 1.
    pub most_repeats: usize,
    /// How often a repeated window counts in the match ratio.
    pub repeats: Repeats,
}

/// Sentence lengths that meet in windows.
#[derive(Clone, Debug)]
pub struct Diagonals {
    matching: Matching,
}

/// A window and where it starts.
type PlacedWindow = (u64, u32);

/// Returns the windows of a document with their places, sorted.
pub(super) fn windows_of(windows: Windows, lengths: &[u32]) -> Vec<PlacedWindow> {
    let starts = windows.starts(lengths);
    let mut out: Vec<PlacedWindow> =
        starts.map(|start| (windows.key(lengths, start), start as u32)).collect();
    out.sort_unstable();
    out
}

/// Returns the numbers of the windows that dynamic jumping leaves out.
pub(super) fn left_out(windows: Windows, lengths: &[u32]) -> Box<[u32]> {
    let out = windows.all_starts(lengths.len()).filter(|&at| windows.is_left_out(lengths, at));
    out.map(|start| windows.number(start) as u32).collect()
}

/// Returns the places of each window.
fn equals(windows: &[PlacedWindow]) -> impl Iterator<Item = &[PlacedWindow]> {
    windows.chunk_by(|x, y| x.0 == y.0)
}

/// Calls `each` with the places of every window that two documents share.
fn each_shared<'a>(
    ours: &'a [PlacedWindow],
    theirs: &'a [PlacedWindow],
    mut each: impl FnMut(&'a [PlacedWindow], &'a [PlacedWindow]),
) {
    let mut theirs = equals(theirs).peekable();
    for ours in equals(ours) {
        while theirs.next_if(|theirs| theirs[0].0 < ours[0].0).is_some() {}
        if let Some(theirs) = theirs.next_if(|theirs| theirs[0].0 == ours[0].0) {
            each(ours, theirs);
        }
    }
}

/// The windows of one of two documents that are compared.
struct Side {
    /// At every place: what it asks with.
    sliding: Vec<PlacedWindow>,
    /// What it is found by, where that is less.
    stored: Option<Vec<PlacedWindow>>,
    /// Numbers of the windows that dynamic jumping left out.
    left_out: Box<[u32]>,
}

impl Side {
    fn stored(&self) -> &[PlacedWindow] {
        self.stored.as_ref().unwrap_or(&self.sliding)
    }
}

impl Diagonals {
    /// Makes the meeting.
    pub fn new(matching: Matching) -> Self {
        debug_assert!(matching.windows.size > 0 && matching.windows.step > 0, "windows move");
        debug_assert!(matching.least_run > 0 && matching.most_repeats > 0, "something matches");
        Self { matching }
    }

    /// Returns whether documents are found by all windows that they ask with.
    fn is_symmetric(&self) -> bool {
        self.matching.windows == self.matching.windows.sliding()
    }

    fn side(&self, image: &Rhythm) -> Side {
        let windows = self.matching.windows;
        Side {
            sliding: windows_of(windows.sliding(), image.lengths()),
            stored: (!self.is_symmetric()).then(|| windows_of(windows, image.lengths())),
            left_out: left_out(windows, image.lengths()),
        }
    }

    /// Returns the number of windows that must match to make a run.
    fn n_needed(&self) -> usize {
        match self.matching.windows.jumping {
            Jumping::Static => self.matching.least_run,
            // Windows left out count inside a run only, between two that match.
            Jumping::Dynamic => self.matching.least_run.min(2),
        }
    }

    /// Returns whether `least_run` stored windows of a document in a row match on one diagonal;
    /// `n_hits` counts the pairs of places looked at.
    fn has_run(&self, asking: &Side, found: &Side, n_hits: &mut usize) -> bool {
        let Matching { windows, least_run, most_repeats, .. } = self.matching;
        let mut rows: Vec<(u32, &[PlacedWindow])> = Vec::new();
        let mut n_theirs = 0;
        each_shared(&asking.sliding, found.stored(), |ours, theirs| {
            let theirs = &theirs[..theirs.len().min(most_repeats)];
            n_theirs += theirs.len();
            rows.extend(ours.iter().take(most_repeats).map(|&(_, place)| (place, theirs)));
        });
        if rows.is_empty() || least_run == 1 {
            return !rows.is_empty();
        }
        if n_theirs.min(rows.len()) < self.n_needed() {
            return false;
        }
        rows.sort_unstable_by_key(|row| row.0);
        // By diagonal: rank of the last window that matched among those not left out, and the
        // number of the first of its run. Rows come by place, so every diagonal is walked along.
        let mut runs: HashMap<u64, (usize, usize), Prehashed> = HashMap::default();
        for (place, theirs) in rows {
            for &(_, start) in theirs {
                if *n_hits == MOST_HITS {
                    return false;
                }
                *n_hits += 1;
                let number = windows.number(start as usize);
                let rank = number - found.left_out.partition_point(|&x| (x as usize) < number);
                let diagonal = i64::from(start) - i64::from(place);
                let run = runs.entry(hash::mix(diagonal.cast_unsigned())).or_insert((rank, number));
                *run = if run.0 + 1 == rank { (rank, run.1) } else { (rank, number) };
                if number - run.1 + 1 >= least_run {
                    return true;
                }
            }
        }
        false
    }

    /// Returns the match ratio of a document: the weight of its windows that the other one has.
    fn ratio(&self, image: &Rhythm, own: &Side, other: &Side) -> Score {
        let times = |places: &[PlacedWindow]| match self.matching.repeats {
            Repeats::Once => 1,
            Repeats::Kept => places.len(),
        };
        let weight =
            |places: &[PlacedWindow]| image.weight(places[0].1 as usize) * times(places) as f64;
        let (mut whole, mut n_whole) = (0.0, 0);
        for places in equals(&own.sliding) {
            whole += weight(places);
            n_whole += times(places);
        }
        let (mut shared, mut n_shared) = (0.0, 0);
        each_shared(&own.sliding, other.stored(), |places, _| {
            shared += weight(places);
            n_shared += times(places);
        });
        // Windows that all documents have weigh nothing; if there are no others, they are simply
        // counted.
        let ratio =
            if whole > 0.0 { shared / whole } else { n_shared as f64 / n_whole.max(1) as f64 };
        // Rounding may carry a sum over the whole it is a part of.
        Score::new(ratio.min(1.0)).unwrap_or(Score::ZERO)
    }

    /// Returns the scores of two documents; it does not matter which of them asks.
    fn scores(&self, (a, of_a): (&Rhythm, &Side), (b, of_b): (&Rhythm, &Side)) -> Scores {
        let (a_in_b, b_in_a) = (self.ratio(a, of_a, of_b), self.ratio(b, of_b, of_a));
        let resemblance = if a_in_b < b_in_a { a_in_b } else { b_in_a };
        Scores { resemblance, a_in_b, b_in_a }
    }
}

impl Meeting for Diagonals {
    type Image = Rhythm;
    /// Whether the window is a stored one.
    type Payload = Tag;
    /// Places whose window stands at an earlier place, too.
    type Facts = u32;

    fn facts(&self, image: &Rhythm) -> u32 {
        let sliding = windows_of(self.matching.windows.sliding(), image.lengths());
        (sliding.len() - equals(&sliding).count()) as u32
    }

    fn keys(&self, image: &Rhythm, mut each: impl FnMut(u64, Tag)) {
        let Side { sliding, stored, .. } = self.side(image);
        let is_stored = |window: u64| {
            let Some(stored) = &stored else { return true };
            stored.get(stored.partition_point(|x| x.0 < window)).is_some_and(|x| x.0 == window)
        };
        for equals in equals(&sliding) {
            let window = equals[0].0;
            each(hash::mix(window), Tag::both(u32::from(is_stored(window))));
        }
    }

    fn limits(&self) -> Limits {
        Limits::first(self.matching.stop)
    }

    /// The upper half counts windows of which one is stored, the lower half all.
    fn vote(&self, asked: Tag, held: Tag) -> u64 {
        u64::from(asked.value() | held.value()) << 32 | 1
    }

    fn weigh(&self, asker: &u32, other: &u32, met: Met) -> Weighed {
        let n_shared = met.votes >> 32;
        // Windows of a run may be repeats of each other, in both documents.
        let n_repeats = u64::from(*asker.min(other));
        if n_shared > 0 && n_shared + n_repeats >= self.n_needed() as u64 {
            Weighed::Look
        } else {
            Weighed::No
        }
    }

    fn judge(&self, asker: &Rhythm, other: &Rhythm, _: Met) -> Option<Judgement> {
        let (mine, theirs) = (self.side(asker), self.side(other));
        let mut n_hits = 0;
        let is_found = self.has_run(&mine, &theirs, &mut n_hits)
            || (!self.is_symmetric() && self.has_run(&theirs, &mine, &mut n_hits));
        if !is_found {
            return None;
        }
        let scores = self.scores((asker, &mine), (other, &theirs));
        let is_in = |score: Score| score.get() >= self.matching.containment;
        let kind = Kind::of(is_in(scores.a_in_b), is_in(scores.b_in_a)).unwrap_or(Kind::Partial);
        Some(Judgement { kind, scores })
    }
}

#[cfg(test)]
mod tests;
