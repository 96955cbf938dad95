//! The rounds in which documents take their turn: who comes before whom, and who waits for whom.

use std::collections::HashMap;

use retold_core::candidates::{Candidate, Judgement};
use retold_core::document::Ordinal;
use retold_core::relation::Kind;

use super::collection::Collection;

/// The documents with the same words, which have one turn together: that of the most preferred.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The first of them that was read.
    pub(super) first: Ordinal,
    /// The most preferred.
    pub(super) leader: Ordinal,
    /// Its rank: smaller is kept rather.
    pub(super) rank: u32,
    pub(super) n_runs: usize,
    /// Whether it stays in any case, as part of an archive.
    pub(super) stays: bool,
}

/// Why a document goes, or is left to a person.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reason {
    /// The place of the document that holds it.
    pub(super) other: u32,
    pub(super) goes: bool,
    pub(super) covered: f64,
    pub(super) kind: Kind,
    pub(super) n_common: usize,
}

/// What is known of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Open,
    Kept,
    Gone,
}

/// Returns the most preferred of the documents with the words of `first`.
pub(super) fn leader(collection: &Collection, preference: &[u32], first: Ordinal) -> Ordinal {
    if !collection.has_copies(first) {
        return first;
    }
    let copies = collection.group(first).into_iter();
    copies.min_by_key(|doc| preference[doc.index()]).expect("a group has its first")
}

/// The number of a document that is in no pair.
const NONE: u32 = u32::MAX;

/// Documents that hang together, and for each the ones before it that it may go because of.
pub(super) struct Batch {
    pub(super) places: Vec<Place>,
    /// Where the others of each place start; one more at the end.
    starts: Vec<u32>,
    /// Places before it in the order of preference.
    others: Vec<u32>,
    /// What the method said of a place and another, seen from the one that may go, if its word counts.
    said: HashMap<(u32, u32), Judgement>,
    /// Where those start that may go because of a place; one more at the end.
    after_starts: Vec<u32>,
    after: Vec<u32>,
}

impl Batch {
    /// Puts the documents of candidates in order; `said` has what the method says of each pair, seen
    /// from its first document, or nothing.
    pub(super) fn new(
        pairs: &[Candidate],
        said: &[Judgement],
        place: impl Fn(Ordinal) -> Place,
    ) -> Self {
        let first = pairs.iter().map(|pair| pair.a.0).min().unwrap_or(0);
        let end = pairs.iter().map(|pair| pair.b.0 + 1).max().unwrap_or(0);
        let mut number_of = vec![NONE; (end - first) as usize];
        for pair in pairs {
            for doc in [pair.a, pair.b] {
                number_of[(doc.0 - first) as usize] = 0;
            }
        }
        let mut places = Vec::new();
        for (doc, number) in (first..).zip(&mut number_of) {
            if *number != NONE {
                *number = places.len() as u32;
                places.push(place(Ordinal(doc)));
            }
        }
        let number = |doc: Ordinal| number_of[(doc.0 - first) as usize];
        let mut both: Vec<(u32, u32)> = Vec::with_capacity(pairs.len());
        let mut said_of = HashMap::new();
        for (at, pair) in pairs.iter().enumerate() {
            let (a, b) = (number(pair.a), number(pair.b));
            let is_a_first = places[a as usize].rank < places[b as usize].rank;
            let (one, other) = if is_a_first { (b, a) } else { (a, b) };
            if !places[one as usize].stays {
                both.push((one, other));
                if let Some(&said) = said.get(at) {
                    let said = if is_a_first { said.flipped() } else { said };
                    said_of.insert((one, other), said);
                }
            }
        }
        let (starts, others) = dealt(&both, places.len());
        let (after_starts, after) = (Vec::new(), Vec::new());
        Self { places, starts, others, said: said_of, after_starts, after }
    }

    /// Finds out who may go because of whom.
    pub(super) fn find_after(&mut self, may_go: impl Fn(&Self, u32, u32) -> bool) {
        let mut after: Vec<(u32, u32)> = Vec::new();
        for place in 0..self.places.len() as u32 {
            let others = self.others(place).iter().filter(|&&other| may_go(self, place, other));
            after.extend(others.map(|&other| (other, place)));
        }
        (self.after_starts, self.after) = dealt(&after, self.places.len());
    }

    /// Returns whether the word of a method counts.
    pub(super) fn is_judged(&self) -> bool {
        !self.said.is_empty()
    }

    /// Returns what a method said of a place and one before it.
    pub(super) fn said(&self, place: u32, other: u32) -> Option<Judgement> {
        self.said.get(&(place, other)).copied()
    }

    /// Returns the places before one that it has to do with.
    pub(super) fn others(&self, place: u32) -> &[u32] {
        let at = place as usize;
        &self.others[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Returns the places that may go because of one.
    fn after(&self, place: u32) -> &[u32] {
        let at = place as usize;
        &self.after[self.after_starts[at] as usize..self.after_starts[at + 1] as usize]
    }
}

/// Deals pairs by their first number, of which there are `n`: where the seconds of each start, one more
/// at the end, and the seconds.
fn dealt(pairs: &[(u32, u32)], n: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; n + 1];
    for &(number, _) in pairs {
        starts[number as usize + 1] += 1;
    }
    for i in 0..n {
        starts[i + 1] += starts[i];
    }
    let mut next = starts.clone();
    let mut seconds = vec![0; pairs.len()];
    for &(number, second) in pairs {
        let at = &mut next[number as usize];
        seconds[*at as usize] = second;
        *at += 1;
    }
    (starts, seconds)
}

/// How far the deciding is.
pub(super) struct Rounds {
    pub(super) states: Vec<State>,
    /// Documents before each one that may cover it and are not decided.
    pub(super) n_waiting: Vec<u32>,
    /// Kept ones that each has to be compared with next.
    pub(super) ready: Vec<Vec<u32>>,
    /// Those that it was compared with.
    pub(super) compared: Vec<Vec<u32>>,
    pub(super) reasons: Vec<Option<Reason>>,
}

impl Rounds {
    pub(super) fn new(batch: &Batch) -> Self {
        let n = batch.places.len();
        let mut n_waiting = vec![0; n];
        for &place in &batch.after {
            n_waiting[place as usize] += 1;
        }
        Self {
            states: vec![State::Open; n],
            n_waiting,
            ready: vec![Vec::new(); n],
            compared: vec![Vec::new(); n],
            reasons: vec![None; n],
        }
    }

    /// Tells everybody who waits what was decided; returns who has heard of it.
    pub(super) fn tell(&mut self, batch: &Batch, decided: &[u32]) -> Vec<u32> {
        let mut touched = Vec::new();
        for &place in decided {
            let is_kept = self.states[place as usize] == State::Kept;
            for &waits in batch.after(place) {
                let at = waits as usize;
                if self.states[at] == State::Open {
                    self.n_waiting[at] -= 1;
                    if is_kept {
                        self.ready[at].push(place);
                    }
                    touched.push(waits);
                }
            }
        }
        touched.sort_unstable();
        touched.dedup();
        for &place in &touched {
            // The likeliest first, as in the list of all.
            let size = |place: u32| batch.places[place as usize].n_runs;
            self.ready[place as usize]
                .sort_by_key(|&other| (size(other).abs_diff(size(place)), other));
        }
        touched
    }
}
