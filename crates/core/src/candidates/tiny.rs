//! Tiny documents, looked up in all runs of the long ones.
//!
//! A long document keeps a sample of its runs, and a document of a few runs may stand in it
//! between two of them. So long documents leave 32 bits of every run here, and when all are
//! known the runs of the tiny ones, few as they are, become a filter that the others go through.
//!
//! # What it may miss
//! Nothing while the runs of all long documents fit [`MOST_RUNS`]. Beyond that only runs whose
//! hash ends in enough zeros are held, half as many each time, and a tiny document without such
//! a run finds nothing here. A run that stands in more than `most` long documents leads to the
//! first of them only, and the search is counted.

use std::sync::Mutex;

use super::{Candidate, Cuts};
use crate::document::Ordinal;
use crate::executor::Executor;

/// Runs of long documents that are held at most, four bytes each.
pub const MOST_RUNS: usize = 1 << 25;

/// What a document leaves for the search of tiny ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Fine {
    /// Nothing: it is found by its kept features.
    #[default]
    Absent,
    /// All its runs, to be looked through.
    Held(Vec<u32>),
    /// All its runs, to be looked for.
    Asked(Vec<u32>),
}

/// Returns what is held of a run.
#[inline]
pub fn code(run: u64) -> u32 {
    (run >> 32) as u32
}

/// Runs of long and of tiny documents.
#[derive(Debug)]
pub struct Tiny {
    held: Vec<(Ordinal, Vec<u32>)>,
    asked: Vec<(Ordinal, Vec<u32>)>,
    n_held: usize,
    most_held: usize,
    /// Bits of a code that have to be 0.
    thin: u32,
}

impl Default for Tiny {
    fn default() -> Self {
        Self::new(MOST_RUNS)
    }
}

impl Tiny {
    /// Makes an empty structure that holds at most `most_held` runs of long documents.
    pub fn new(most_held: usize) -> Self {
        Self { held: Vec::new(), asked: Vec::new(), n_held: 0, most_held, thin: 0 }
    }

    /// Takes what a document leaves.
    pub fn insert(&mut self, ordinal: Ordinal, fine: Fine) {
        match fine {
            Fine::Absent => {}
            Fine::Asked(codes) => self.asked.push((ordinal, codes)),
            Fine::Held(mut codes) => {
                if self.thin > 0 {
                    codes.retain(|code| code & self.thin == 0);
                    codes.shrink_to_fit();
                }
                self.n_held += codes.len();
                self.held.push((ordinal, codes));
                while self.n_held > self.most_held {
                    self.thin_out();
                }
            }
        }
    }

    /// Lets half of the runs go.
    fn thin_out(&mut self) {
        self.thin = self.thin << 1 | 1;
        self.n_held = 0;
        for (_, codes) in &mut self.held {
            codes.retain(|code| code & self.thin == 0);
            codes.shrink_to_fit();
            self.n_held += codes.len();
        }
        if self.thin == u32::MAX {
            self.most_held = usize::MAX; // As thin as can be.
        }
    }

    /// Returns the number of bytes held.
    pub fn held_bytes(&self) -> usize {
        self.n_held * size_of::<u32>() + self.held.len() * size_of::<(Ordinal, Vec<u32>)>()
    }

    /// Proposes the long documents that have at least a `share` of a tiny document's runs.
    ///
    /// *Order*: by tiny document, then by long one.
    pub fn propose(
        mut self,
        share: f64,
        most: usize,
        executor: &dyn Executor,
    ) -> (Vec<Candidate>, Cuts) {
        for (_, codes) in &mut self.asked {
            codes.retain(|code| code & self.thin == 0);
            codes.sort_unstable();
            codes.dedup();
        }
        self.asked.retain(|(_, codes)| !codes.is_empty());
        if self.asked.is_empty() || self.held.is_empty() {
            return Default::default();
        }
        let keys = Keys::new(self.asked.iter().flat_map(|(_, codes)| codes));
        let hits = keys.look_through(&self.held, executor);
        let mut cuts = Cuts::default();
        let mut out = Vec::new();
        let mut found = Vec::new();
        for (tiny, codes) in &self.asked {
            found.clear();
            let mut is_cut = false;
            for &code in codes {
                let list = of_key(&hits, keys.find(code).expect("keys are made of these codes"));
                is_cut |= list.len() > most;
                found.extend(list.iter().take(most).map(|&hit| hit as u32));
            }
            cuts.n_searches_cut += u64::from(is_cut);
            found.sort_unstable();
            // All but what may be missing, and at least one; the addend is for shares like 0.9.
            let may_miss = super::inverted::part(codes.len(), 1.0 - share + 1e-9);
            let needed = (codes.len() - may_miss.min(codes.len())).max(1);
            for long in found.chunk_by(|x, y| x == y).filter(|long| long.len() >= needed) {
                out.push(Candidate::new(*tiny, Ordinal(long[0])));
            }
        }
        (out, cuts)
    }
}

/// Returns the hits of a key.
fn of_key(hits: &[u64], key: usize) -> &[u64] {
    let before = |key: usize| hits.partition_point(|hit| hit >> 32 < key as u64);
    &hits[before(key)..before(key + 1)]
}

/// Long documents that one piece of work looks through.
const DOCS_PER_PIECE: usize = 256;

/// The runs looked for, in order.
struct Keys {
    codes: Vec<u32>,
    /// One bit per value of a code's upper bits: whether any key has it.
    filter: Vec<u64>,
    shift: u32,
}

impl Keys {
    fn new<'a>(codes: impl Iterator<Item = &'a u32>) -> Self {
        let mut codes: Vec<u32> = codes.copied().collect();
        codes.sort_unstable();
        codes.dedup();
        // Few strangers pass: one in 64, or one in eight if there are very many keys.
        let n_bits = codes.len() * if codes.len() < 1 << 16 { 64 } else { 8 };
        let n_bits = n_bits.next_power_of_two().max(1 << 12);
        let shift = 32 - n_bits.trailing_zeros().min(31);
        let mut filter = vec![0; n_bits / 64];
        for &code in &codes {
            let bit = code >> shift;
            filter[bit as usize / 64] |= 1 << (bit % 64);
        }
        Self { codes, filter, shift }
    }

    fn find(&self, code: u32) -> Option<usize> {
        self.codes.binary_search(&code).ok()
    }

    /// Returns the keys found in documents, each with the document below, in order.
    fn look_through(&self, documents: &[(Ordinal, Vec<u32>)], executor: &dyn Executor) -> Vec<u64> {
        let n_pieces = documents.len().div_ceil(DOCS_PER_PIECE);
        let pieces: Vec<Mutex<Vec<u64>>> = (0..n_pieces).map(|_| Mutex::default()).collect();
        executor.run(n_pieces, &|piece| {
            let mut hits = Vec::new();
            for (doc, codes) in documents.iter().skip(piece * DOCS_PER_PIECE).take(DOCS_PER_PIECE) {
                for &code in codes {
                    let bit = code >> self.shift;
                    if self.filter[bit as usize / 64] >> (bit % 64) & 1 == 1
                        && let Some(key) = self.find(code)
                    {
                        hits.push((key as u64) << 32 | u64::from(doc.0));
                    }
                }
            }
            *pieces[piece].lock().expect("no piece panics while it stores") = hits;
        });
        let mut hits: Vec<u64> = pieces
            .into_iter()
            .flat_map(|piece| piece.into_inner().expect("all pieces have ended"))
            .collect();
        hits.sort_unstable();
        hits.dedup();
        hits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::Inline;
    use crate::hash::mix;

    fn codes(range: std::ops::Range<u64>) -> Vec<u32> {
        range.map(|i| code(mix(i))).collect()
    }

    fn propose(tiny: Tiny) -> Vec<(u32, u32)> {
        let (pairs, _) = tiny.propose(0.6, 1000, &Inline);
        pairs.into_iter().map(|pair| (pair.a.0, pair.b.0)).collect()
    }

    #[test]
    fn a_tiny_document_finds_long_ones_before_and_after_it() {
        let mut tiny = Tiny::default();
        tiny.insert(Ordinal(0), Fine::Held(codes(0..500)));
        tiny.insert(Ordinal(1), Fine::Asked(codes(100..101)));
        tiny.insert(Ordinal(2), Fine::Held(codes(1000..1500)));
        tiny.insert(Ordinal(3), Fine::Absent);
        tiny.insert(Ordinal(4), Fine::Held([codes(2000..2500), codes(100..101)].concat()));
        assert_eq!(propose(tiny), [(0, 1), (1, 4)]);
    }

    #[test]
    fn a_share_of_the_runs_is_enough() {
        let mut tiny = Tiny::default();
        tiny.insert(Ordinal(0), Fine::Held([codes(0..3), codes(1000..1500)].concat()));
        tiny.insert(Ordinal(1), Fine::Held([codes(0..2), codes(1000..1500)].concat()));
        tiny.insert(Ordinal(2), Fine::Asked(codes(0..5)));
        assert_eq!(propose(tiny), [(0, 2)]);
    }

    #[test]
    fn beyond_the_limit_fewer_runs_are_held_and_longer_documents_still_found() {
        let mut tiny = Tiny::new(1000);
        for i in 0..10 {
            tiny.insert(
                Ordinal(i),
                Fine::Held(codes(u64::from(i) * 500..u64::from(i) * 500 + 500)),
            );
        }
        assert!(tiny.n_held <= 1000 && tiny.thin == 7, "{} runs are held", tiny.n_held);
        tiny.insert(Ordinal(10), Fine::Asked(codes(700..800)));
        assert_eq!(propose(tiny), [(1, 10)]);
    }

    #[test]
    fn a_run_of_very_many_documents_leads_to_the_first_and_is_counted() {
        let mut tiny = Tiny::default();
        for i in 0..20 {
            tiny.insert(Ordinal(i), Fine::Held(codes(0..100)));
        }
        tiny.insert(Ordinal(20), Fine::Asked(codes(7..8)));
        let (pairs, cuts) = tiny.propose(0.6, 5, &Inline);
        let expected: Vec<Candidate> =
            (0..5).map(|i| Candidate::new(Ordinal(i), Ordinal(20))).collect();
        assert_eq!(pairs, expected);
        assert_eq!(cuts.n_searches_cut, 1);
    }
}
