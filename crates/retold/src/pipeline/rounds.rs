//! The rounds in which documents take their turn: who comes before whom, and who waits for whom.

use std::collections::HashMap;
use std::sync::OnceLock;

use retold_core::candidates::Judgement;
use retold_core::candidates::sealed::AskingOrder;
use retold_core::document::Ordinal;
use retold_core::relation::Kind;
use retold_core::verify::runs::Marks;

use super::collection::Collection;
use super::large_sets::LookedUp;

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
}

/// A document that may go because of one before it in the order of preference, both by their ranks.
pub(super) type Turn = (u32, u32);

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

/// The order in which documents take their turn: by preference, and documents with the same words
/// together, at the turn of the most preferred.
pub(super) struct Order {
    /// By the first of documents with the same words.
    rank_of: Vec<u32>,
    first_of: Vec<u32>,
}

impl Order {
    /// Puts a collection in order.
    pub(super) fn new(collection: &Collection, preference: &[u32]) -> Self {
        let mut rank_of = preference.to_vec();
        for first in collection.firsts_with_copies() {
            let leader = leader(collection, preference, first);
            rank_of[first.index()] = preference[leader.index()];
        }
        let mut first_of = vec![NONE; preference.len()];
        for doc in collection.documents() {
            if collection.is_first(doc) {
                first_of[rank_of[doc.index()] as usize] = doc.0;
            }
        }
        Self { rank_of, first_of }
    }

    /// Returns the order for a search.
    pub(super) fn asking(&self) -> AskingOrder<'_> {
        AskingOrder { rank_of: &self.rank_of, doc_of: &self.first_of }
    }

    /// Returns the rank of a document that is the first with its words.
    pub(super) fn rank_of(&self, first: Ordinal) -> u32 {
        self.rank_of[first.index()]
    }

    /// Returns the first document of which one with the same words has a rank.
    pub(super) fn first_of(&self, rank: u32) -> Ordinal {
        Ordinal(self.first_of[rank as usize])
    }
}

/// Pairs for each document from which on marks are made of their runs.
const PAIRS_FOR_MARKS: usize = 8;

/// The number of a document that is in no pair.
const NONE: u32 = u32::MAX;

/// Room for the numbers of documents in a batch, by rank.
pub(super) struct Numbers(Vec<u32>);

impl Numbers {
    /// Makes room for so many documents.
    pub(super) fn new(n_documents: usize) -> Self {
        Self(vec![NONE; n_documents])
    }
}

/// Documents whose turn it is, and for each the ones before it that it may go because of: others whose
/// turn it is, and documents that are known to stay.
pub(super) struct Batch {
    /// By rank.
    pub(super) places: Vec<Place>,
    /// Where the others of each place start; one more at the end.
    starts: Vec<u32>,
    /// Places before it in the order of preference.
    others: Vec<u32>,
    /// What the method said of a place and another, seen from the one that may go, if its word counts.
    said: HashMap<(u32, u32), Judgement>,
    /// Marks of the runs of each place, made when they are needed; none where there are few pairs.
    pub(super) marks: Vec<OnceLock<Option<Box<Marks>>>>,
    /// What was found of places in large sets before.
    pub(super) looked_up: LookedUp,
    /// Where those start that may go because of a place; one more at the end.
    after_starts: Vec<u32>,
    after: Vec<u32>,
}

impl Batch {
    /// Takes pairs, each once, of which all those of a document that has its turn are there; `said` has
    /// what the method says of each, seen from the first, or nothing.
    pub(super) fn new(
        pairs: &[Turn],
        said: &[Judgement],
        numbers: &mut Numbers,
        place: impl Fn(u32) -> Place,
    ) -> Self {
        let mut ranks: Vec<u32> = Vec::new();
        for rank in pairs.iter().flat_map(|&(one, other)| [one, other]) {
            if numbers.0[rank as usize] == NONE {
                numbers.0[rank as usize] = 0;
                ranks.push(rank);
            }
        }
        ranks.sort_unstable();
        for (number, &rank) in (0..).zip(&ranks) {
            numbers.0[rank as usize] = number;
        }
        let number = |rank: u32| numbers.0[rank as usize];
        let both: Vec<(u32, u32)> =
            pairs.iter().map(|&(one, other)| (number(one), number(other))).collect();
        let said = both.iter().copied().zip(said.iter().copied()).collect();
        let (starts, others) = dealt(&both, ranks.len());
        for &rank in &ranks {
            numbers.0[rank as usize] = NONE;
        }
        let places: Vec<Place> = ranks.into_iter().map(place).collect();
        let mut marks = Vec::new();
        if pairs.len() / places.len().max(1) >= PAIRS_FOR_MARKS {
            marks.resize_with(places.len(), OnceLock::new);
        }
        let (after_starts, after) = (Vec::new(), Vec::new());
        let looked_up = LookedUp::default();
        Self { places, starts, others, said, marks, looked_up, after_starts, after }
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
