//! The concept lattice of a few items: every way in which they agree.
//!
//! # What it finds
//! Transactions are units of text and items are documents. A *concept* is a set of documents
//! together with the units common to all of them, such that no further document has all these
//! units. Concepts are ordered by their documents: those of fewer documents lie above the others.
//! A cluster of duplicates at a support of k is a concept of at least k units; its neighbours show
//! where it comes from and what it falls apart into. `retold-plot` draws the lattice.
//!
//! # How it works
//! A set of documents belongs to a concept if it is all of them or the intersection of some
//! transactions. Transactions are bit masks over the chosen items; each new mask is met with all
//! sets found so far. Every set found on the way is one of the answers, so the limit of concepts is
//! kept exactly. The neighbours above a concept are its largest subsets among the others.
//!
//! # Parameters
//! At most [`MOST_ITEMS`] items; a limit on concepts, as there may be 2^n of n items.
//!
//! # Cost
//! Reading the context once, then (concepts)² steps: some ten milliseconds for a thousand.
//!
//! # Where we differ from the books
//! A unit of none of the chosen items is left out, so the topmost number counts the units of the
//! chosen documents and not those of the whole collection. Units are counted, not named.
//!
//! # Reference
//! Ganter, Wille: Formal Concept Analysis, 1999, chapters 1 and 2.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use thiserror::Error;

use crate::context::Context;
use crate::halt::Halt;
use crate::task::Cut;

/// The most items that a lattice can be made of.
pub const MOST_ITEMS: usize = 64;

/// A lattice that cannot be made.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LatticeError {
    /// Nothing was chosen.
    #[error("a lattice needs at least one item")]
    NoItems,
    /// More items than a mask has bits.
    #[error("a lattice can be made of at most {MOST_ITEMS} items, got {0}")]
    TooManyItems(usize),
    /// More concepts than allowed.
    #[error("the {n_items} items have more than {most_concepts} concepts; choose fewer items")]
    TooManyConcepts {
        /// Items chosen.
        n_items: usize,
        /// The limit.
        most_concepts: usize,
    },
    /// Somebody asked to stop.
    #[error("stopped")]
    Stopped,
}

/// Returns what was made, or an error if the run was stopped.
fn kept<T>(made: ControlFlow<Cut, T>) -> Result<T, LatticeError> {
    match made {
        ControlFlow::Continue(made) => Ok(made),
        ControlFlow::Break(_) => Err(LatticeError::Stopped),
    }
}

/// Documents and how many units they have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Concept {
    /// Its items: bit `i` stands for the lattice's `i`-th item.
    bits: u64,
    n_units: u64,
}

impl Concept {
    /// Number of units that all its items have.
    pub fn n_units(&self) -> u64 {
        self.n_units
    }

    /// Number of its items.
    pub fn n_items(&self) -> usize {
        self.bits.count_ones() as usize
    }

    /// Returns the places of its items in [`Lattice::items`], ascending.
    pub fn places(&self) -> impl Iterator<Item = usize> + use<> {
        places(self.bits)
    }

    fn is_below(&self, other: &Self) -> bool {
        self.bits != other.bits && other.bits & !self.bits == 0
    }
}

fn places(bits: u64) -> impl Iterator<Item = usize> {
    (0..MOST_ITEMS).filter(move |place| bits >> place & 1 == 1)
}

/// All concepts of some items, and which lies directly below which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lattice {
    items: Vec<u32>,
    concepts: Vec<Concept>,
    covers: Vec<(usize, usize)>,
}

impl Lattice {
    /// Returns the lattice of some items of a context.
    ///
    /// ```
    /// use retold_mine::{Context, Lattice};
    /// let context = Context::of(&[vec![0, 1], vec![0, 1], vec![0], vec![1], vec![2]]);
    /// let lattice = Lattice::of(&context, &[0, 1], 100).unwrap();
    /// let concepts = lattice.concepts().iter();
    /// let told: Vec<_> = concepts.map(|c| (c.places().collect::<Vec<_>>(), c.n_units())).collect();
    /// assert_eq!(told, [(vec![], 4), (vec![0], 3), (vec![1], 3), (vec![0, 1], 2)]);
    /// assert_eq!(lattice.covers(), [(0, 1), (0, 2), (1, 3), (2, 3)]);
    /// ```
    pub fn of(
        context: &Context,
        items: &[u32],
        most_concepts: usize,
    ) -> Result<Self, LatticeError> {
        Self::of_while(context, items, most_concepts, &|| false)
    }

    /// Returns the lattice like [`of`](Self::of), unless `is_stopped` says otherwise before it is
    /// made; see [`mine_while`](crate::mine_while).
    pub fn of_while(
        context: &Context,
        items: &[u32],
        most_concepts: usize,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, LatticeError> {
        let halt = Halt::new(is_stopped);
        let mut items = items.to_vec();
        items.sort_unstable();
        items.dedup();
        let n_items = items.len();
        match n_items {
            0 => return Err(LatticeError::NoItems),
            1..=MOST_ITEMS => {}
            _ => return Err(LatticeError::TooManyItems(n_items)),
        }
        let rows = kept(masks(context, &items, halt))?;
        let mut intents = BTreeSet::from([u64::MAX >> (MOST_ITEMS - n_items)]);
        for row in rows.keys() {
            kept(halt.look())?;
            let met: Vec<u64> = intents.iter().map(|intent| intent & row).collect();
            intents.extend(met);
            if intents.len() > most_concepts {
                return Err(LatticeError::TooManyConcepts { n_items, most_concepts });
            }
        }
        let n_units = |bits: u64| {
            rows.iter().filter(|(row, _)| *row & bits == bits).map(|(_, count)| count).sum()
        };
        let mut concepts: Vec<Concept> = Vec::with_capacity(intents.len());
        for bits in intents {
            kept(halt.look())?;
            concepts.push(Concept { bits, n_units: n_units(bits) });
        }
        concepts.sort_by_key(|concept| (concept.n_items(), Reverse(concept.bits.reverse_bits())));
        let covers = kept(covers(&concepts, halt))?;
        Ok(Self { items, concepts, covers })
    }

    /// The items it was made of, ascending.
    pub fn items(&self) -> &[u32] {
        &self.items
    }

    /// All concepts: those of fewer items first, then in the order of their items.
    pub fn concepts(&self) -> &[Concept] {
        &self.concepts
    }

    /// Pairs of neighbours, as numbers of [`concepts`](Self::concepts): the upper one, which has
    /// fewer items, then the lower one. Ascending.
    pub fn covers(&self) -> &[(usize, usize)] {
        &self.covers
    }

    /// Returns, for each concept, the places of the items that none above it has.
    ///
    /// Every item has one such concept: the highest that holds it.
    pub fn first_places(&self) -> Vec<Vec<usize>> {
        let mut above = vec![0; self.concepts.len()];
        for &(upper, lower) in &self.covers {
            above[lower] |= self.concepts[upper].bits;
        }
        let own = self.concepts.iter().zip(above);
        own.map(|(concept, above)| places(concept.bits & !above).collect()).collect()
    }
}

/// Returns the different transactions as masks over `items`, with their numbers; those that hold
/// none are left out.
fn masks(context: &Context, items: &[u32], halt: Halt<'_>) -> ControlFlow<Cut, BTreeMap<u64, u64>> {
    let mut bit_of = vec![0u64; context.n_items()];
    let mut rows = BTreeMap::new();
    for (place, &item) in items.iter().enumerate() {
        let Some(bit) = bit_of.get_mut(item as usize) else { continue };
        *bit = 1 << place;
        let alone = context.alone()[item as usize];
        if alone > 0 {
            rows.insert(*bit, u64::from(alone));
        }
    }
    for (at, row) in context.rows().enumerate() {
        halt.look_at(at)?;
        let mask = row.iter().fold(0, |mask, &item| mask | bit_of[item as usize]);
        if mask != 0 {
            *rows.entry(mask).or_insert(0) += 1;
        }
    }
    ControlFlow::Continue(rows)
}

/// Returns who lies directly below whom.
fn covers(concepts: &[Concept], halt: Halt<'_>) -> ControlFlow<Cut, Vec<(usize, usize)>> {
    let mut covers = Vec::new();
    let mut uppers: Vec<usize> = Vec::new();
    for (lower, concept) in concepts.iter().enumerate() {
        halt.look()?;
        uppers.clear();
        // Those of more items come first, so what lies above one that was taken is known by then.
        for upper in (0..lower).rev().filter(|&upper| concept.is_below(&concepts[upper])) {
            if !uppers.iter().any(|&taken| concepts[taken].is_below(&concepts[upper])) {
                uppers.push(upper);
            }
        }
        covers.extend(uppers.iter().map(|&upper| (upper, lower)));
    }
    covers.sort_unstable();
    ControlFlow::Continue(covers)
}

#[cfg(test)]
mod tests;
