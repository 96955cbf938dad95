//! All maximal sets whose first item is given: a search over small unions.
//!
//! # The view from one item
//! Fix an item d, the *seed*, whose rows weigh n, and let t = n - k. A neighbour e lacks some rows
//! of d; they weigh at most t, and stand as bits of a mask M(e), a row of weight w as w bits. For a
//! set C of neighbours, {d} and C together lie in the rows of d that none of them lacks, so
//!
//! > {d} + C is frequent if and only if the union U of the masks of C has at most t bits,
//!
//! and its support is n - |U|. So the search is for families of small masks with a small union.
//!
//! * *Maximal* can be seen on the spot: {d} and all e with M(e) inside U is maximal if and only if
//!   no other neighbour fits, that is |U + M(e)| > t for all of them. Nothing found earlier has to
//!   be kept, and every set given out is maximal even if the search is cut short.
//! * *Once*: items stand in an order; a set is given out by its first member only. Neighbours before
//!   d (`before`) are not taken, but a set that one of them would fit is not given out.
//!
//! # The search
//! Take the mask e that adds most to U; first search the unions with e, then those without it.
//! Without e, every mask p with e inside U + p goes too, as it would bring e back; and if U and all
//! that is left still leave room for e, or for a mask of `before`, nothing below can be maximal.
//! On document collections this takes two to three steps for a set given out, and two is the least
//! a binary tree can do.

use std::ops::ControlFlow;

use super::graph::Graph;
use super::mask::Mask;
use crate::halt::Halt;
use crate::task::Cut;

/// Steps of a search between two looks whether the run is to stop; a step takes up to some ten
/// microseconds.
const STEPS_PER_LOOK: u64 = 64;

/// What may be used for one seed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    pub(super) sets: u64,
    pub(super) steps: u64,
}

/// The neighbours of an item by what they lack of it.
pub(super) struct Seed<M> {
    /// The item.
    pub(super) item: u32,
    /// Bits a union may have.
    room: u32,
    /// Masks of the neighbours that come after it, in the order of [`Graph::neighbours`].
    pub(super) after: Vec<(M, u32)>,
    before: Vec<M>,
}

/// A set found: the union of what its members lack, and the steps it took until here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<M> {
    pub(super) union: M,
    pub(super) at_step: u64,
}

/// What a seed lacks to each of its neighbours, as positions of bits.
pub(super) struct Lacks {
    /// Positions of all neighbours behind each other, and where each ends.
    positions: Vec<u32>,
    ends: Vec<usize>,
    /// Bits used.
    pub(super) n_bits: usize,
}

impl Lacks {
    /// Compares an item with all its neighbours.
    pub(super) fn new(graph: &Graph, item: u32, halt: Halt<'_>) -> ControlFlow<Cut, Self> {
        let image = graph.images.row(item as usize);
        // First as places in the image, then as bits: only places that a neighbour lacks get bits.
        let mut places: Vec<u32> = Vec::new();
        let mut ends = Vec::new();
        let mut is_lacked = vec![false; image.len()];
        for &other in graph.neighbours.row(item as usize) {
            halt.look()?;
            let theirs = graph.images.row(other as usize);
            let mut j = 0;
            for (place, &row) in image.iter().enumerate() {
                while j < theirs.len() && theirs[j] < row {
                    j += 1;
                }
                if j == theirs.len() || theirs[j] != row {
                    places.push(place as u32);
                    is_lacked[place] = true;
                }
            }
            ends.push(places.len());
        }
        let mut first_bit = vec![0u32; image.len() + 1];
        for (place, &row) in image.iter().enumerate() {
            let bits = if is_lacked[place] { graph.weights[row as usize] } else { 0 };
            first_bit[place + 1] = first_bit[place] + bits;
        }
        let mut positions = Vec::with_capacity(places.len());
        let mut start = 0;
        for end in &mut ends {
            for &place in &places[start..*end] {
                positions.extend(first_bit[place as usize]..first_bit[place as usize + 1]);
            }
            start = *end;
            *end = positions.len();
        }
        let n_bits = first_bit[image.len()] as usize;
        ControlFlow::Continue(Self { positions, ends, n_bits })
    }

    fn masks<M: Mask>(&self) -> impl Iterator<Item = M> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| {
            let mut mask = M::empty();
            for &position in &self.positions[start..end] {
                mask.set(position as usize);
            }
            mask
        })
    }
}

impl<M: Mask> Seed<M> {
    /// Makes a seed; `comes_before` says whether a neighbour precedes it in the order of seeds.
    pub(super) fn new(
        graph: &Graph,
        item: u32,
        lacks: &Lacks,
        k: u32,
        mut comes_before: impl FnMut(u32) -> bool,
    ) -> Self {
        debug_assert!(lacks.n_bits <= M::BITS, "masks are chosen wide enough");
        let room = graph.shared[item as usize] - k;
        let (mut after, mut before) = (Vec::new(), Vec::new());
        let neighbours = graph.neighbours.row(item as usize);
        for (&other, mask) in neighbours.iter().zip(lacks.masks::<M>()) {
            if comes_before(other) {
                before.push(mask);
            } else {
                after.push((mask, other));
            }
        }
        Self { item, room, after, before }
    }

    /// Finds all maximal sets of which the seed is the first member, and says why it stopped
    /// before the end, if it did.
    pub(super) fn search(
        &self,
        allowance: Allowance,
        halt: Halt<'_>,
    ) -> (Vec<Found<M>>, u64, Option<Cut>) {
        let mut blockers = self.before.clone();
        blockers.sort_unstable();
        blockers.dedup();
        if blockers.first() == Some(&M::empty()) {
            return (Vec::new(), 0, None);
        }
        let mut takers: Vec<M> = self.after.iter().map(|&(mask, _)| mask).collect();
        takers.sort_unstable();
        takers.dedup();
        takers.retain(|&mask| {
            // If the run is to stop, the search is not begun.
            let is_blocked = halt.is_stopped() || blockers.iter().any(|&b| b.is_in(mask));
            mask != M::empty() && !is_blocked
        });
        let found = Vec::new();
        let mut search =
            Search { room: self.room, allowance, halt, takers, blockers, found, n_steps: 0 };
        let cut = search.go(M::empty(), 0, 0).err();
        (search.found, search.n_steps, cut)
    }

    /// Returns the maximal set that holds the seed and the masks inside `union`, grown by every
    /// neighbour that still fits, those that lack least first.
    pub(super) fn grown(&self, union: M, by_size: &[(M, u32)]) -> M {
        let fits = |union: M, mask: M| union.or(mask).len() <= self.room;
        by_size.iter().fold(
            union,
            |union, &(mask, _)| {
                if fits(union, mask) { union.or(mask) } else { union }
            },
        )
    }
}

struct Search<'a, M> {
    room: u32,
    allowance: Allowance,
    halt: Halt<'a>,
    /// Masks that may be taken, of all open nodes behind each other; the same for masks that must
    /// not fit in the end.
    takers: Vec<M>,
    blockers: Vec<M>,
    found: Vec<Found<M>>,
    n_steps: u64,
}

impl<M: Mask> Search<'_, M> {
    /// Searches the unions that hold `union` and any of the takers from `first_taker` on. All takers
    /// and blockers from there on fit and are not inside `union`.
    ///
    /// The recursion is as deep as masks are taken, at most `room`.
    fn go(&mut self, union: M, first_taker: usize, first_blocker: usize) -> Result<(), Cut> {
        loop {
            if self.n_steps.is_multiple_of(STEPS_PER_LOOK) && self.halt.is_stopped() {
                return Err(Cut::Stopped);
            }
            self.n_steps += 1;
            if self.n_steps > self.allowance.steps {
                return Err(Cut::Steps);
            }
            let takers = &self.takers[first_taker..];
            let blockers = &self.blockers[first_blocker..];
            let fits = |union: M, mask: M| union.or(mask).len() <= self.room;
            let everything = takers.iter().fold(union, |all, &mask| all.or(mask));
            if everything.len() <= self.room {
                if !blockers.iter().any(|&mask| fits(everything, mask)) {
                    self.emit(everything)?;
                }
                return Ok(());
            }
            let adds = |&&mask: &&M| union.or(mask).len();
            // The first of the largest, so that the order does not depend on how masks are made.
            let &most = takers.iter().rev().max_by_key(adds).expect("an empty union fits");

            let with = union.or(most);
            if !blockers.iter().any(|mask| mask.is_in(with)) {
                let (n_takers, n_blockers) = (self.takers.len(), self.blockers.len());
                for at in first_taker..n_takers {
                    let mask = self.takers[at];
                    if !mask.is_in(with) && with.or(mask).len() <= self.room {
                        self.takers.push(mask);
                    }
                }
                for at in first_blocker..n_blockers {
                    let mask = self.blockers[at];
                    if with.or(mask).len() <= self.room {
                        self.blockers.push(mask);
                    }
                }
                self.go(with, n_takers, n_blockers)?;
                self.takers.truncate(n_takers);
                self.blockers.truncate(n_blockers);
            }

            let mut kept = first_taker;
            let mut rest = union;
            for at in first_taker..self.takers.len() {
                let mask = self.takers[at];
                if !most.is_in(union.or(mask)) {
                    self.takers[kept] = mask;
                    kept += 1;
                    rest = rest.or(mask);
                }
            }
            self.takers.truncate(kept);
            self.blockers.push(most);
            let mut blockers = self.blockers[first_blocker..].iter();
            if blockers.any(|&mask| rest.or(mask).len() <= self.room) {
                return Ok(());
            }
        }
    }

    fn emit(&mut self, union: M) -> Result<(), Cut> {
        if self.found.len() as u64 >= self.allowance.sets {
            return Err(Cut::Sets);
        }
        self.found.push(Found { union, at_step: self.n_steps });
        Ok(())
    }
}
