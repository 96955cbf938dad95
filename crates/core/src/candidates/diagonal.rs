//! Diagonals: documents that share several windows in a row.
//!
//! The index holds (window, document, position). Who asks looks up its window at every place; a
//! document is found if at least `least_run` of its windows in a row match on one diagonal, that
//! is with the same distance between the two positions. A window that dynamic jumping left out
//! counts as matched inside a run.
//!
//! Found documents are scored by the match ratio of Wang and Chang (AIRS 2009): the weight of the
//! asker's windows that the document has, over the weight of all of them, repeats included.
//!
//! # What it may miss
//! Windows are told apart by 64-bit hashes, so nothing is missed but what the limits cut, and
//! they count what they cut: a window of more than `stop` documents speaks for its first `stop`;
//! of a window that a document repeats only the first `most_repeats` places are looked at; and
//! one search looks at no more than [`MOST_HITS`] pairs of places. Texts of equal sentence
//! lengths everywhere would otherwise cost the square of their length.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::index::{Found, Index, Partner};
use super::slots::{Posting, Postings, Slot};
use crate::document::Ordinal;
use crate::features::length_windows::{Jumping, Windows};
use crate::hash::{self, Prehashed};
use crate::relation::{Kind, Score, Scores};

/// Pairs of places that one search looks at for runs.
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
    /// Which windows are indexed.
    pub windows: Windows,
    /// Minimum matching threshold (t): windows in a row, at least 1.
    pub least_run: usize,
    /// Weights of the score.
    pub weights: Weights,
    /// Match ratio from which a document counts as contained rather than as a partial copy.
    pub containment: f64,
    /// Documents of a window that are looked at.
    pub stop: usize,
    /// Places of a repeated window in one document that are looked at, at least 1.
    pub most_repeats: usize,
}

/// Windows of all documents.
#[derive(Debug)]
pub struct Diagonals {
    matching: Matching,
    lists: HashMap<u64, Slot, Prehashed>,
    postings: Postings,
    documents: HashMap<Ordinal, Held>,
    n_postings: usize,
}

/// What is known of a document beside its windows.
#[derive(Debug)]
struct Held {
    /// Places held in lists.
    n_places: usize,
    /// Numbers of the windows that dynamic jumping left out.
    left_out: Box<[u32]>,
}

/// One window of who asks, with all its places.
struct Asked<'a> {
    places: &'a [(u64, u32)],
    weight: f64,
    list: &'a [Posting],
}

/// The places of a window that a document shares with who asks.
struct Shared {
    document: u32,
    asked: u32,
    /// Range of the window's list.
    first: u32,
    last: u32,
}

impl Diagonals {
    /// Makes an empty index.
    pub fn new(matching: Matching) -> Self {
        debug_assert!(matching.windows.size > 0 && matching.windows.step > 0, "windows move");
        debug_assert!(matching.least_run > 0 && matching.most_repeats > 0, "something matches");
        Self {
            matching,
            lists: HashMap::default(),
            postings: Postings::default(),
            documents: HashMap::new(),
            n_postings: 0,
        }
    }

    /// Returns the windows of a feature string with their places, sorted.
    fn windows(windows: Windows, lengths: &[u32]) -> Vec<(u64, u32)> {
        let mut out: Vec<(u64, u32)> = windows
            .starts(lengths)
            .map(|start| (windows.key(lengths, start), start as u32))
            .collect();
        out.sort_unstable();
        out
    }

    fn weight(&self, n_documents: usize) -> f64 {
        match self.matching.weights {
            Weights::Uniform => 1.0,
            Weights::Idf => {
                let all = self.documents.len().max(1) as f64;
                (all / n_documents.max(1) as f64).ln().max(0.0)
            }
        }
    }

    /// Returns whether a document has `least_run` windows in a row on one diagonal; `n_hits`
    /// counts the pairs of places looked at.
    fn has_run(&self, shared: &[Shared], asked: &[Asked<'_>], n_hits: &mut usize) -> bool {
        let Matching { windows, least_run, most_repeats, .. } = self.matching;
        if least_run == 1 {
            return true;
        }
        let held = &self.documents[&Ordinal(shared[0].document)];
        let n_places: usize = shared.iter().map(|x| (x.last - x.first) as usize).sum();
        // Windows left out count inside a run only, between two that match.
        let n_needed = if windows.jumping == Jumping::Static { least_run } else { 2 };
        if n_places < n_needed {
            return false;
        }
        let mut rows: Vec<(u32, &Shared)> = shared
            .iter()
            .flat_map(|x| {
                let places = asked[x.asked as usize].places.iter().take(most_repeats);
                places.map(move |&(_, place)| (place, x))
            })
            .collect();
        rows.sort_unstable_by_key(|row| row.0);
        // By diagonal: rank of the last window that matched among those not left out, and the
        // number of the first of its run. Rows come by place, so every diagonal is walked along.
        let mut runs: HashMap<u64, (usize, usize), Prehashed> = HashMap::default();
        for (place, x) in rows {
            for posting in &asked[x.asked as usize].list[x.first as usize..x.last as usize] {
                if *n_hits == MOST_HITS {
                    return false;
                }
                *n_hits += 1;
                let diagonal = i64::from(posting.value) - i64::from(place);
                let number = windows.number(posting.value as usize);
                let rank = number - held.left_out.partition_point(|&x| (x as usize) < number);
                let run = runs.entry(hash::mix(diagonal.cast_unsigned())).or_insert((rank, number));
                if run.0 + 1 == rank {
                    run.0 = rank;
                } else {
                    *run = (rank, number);
                }
                if number - run.1 + 1 >= least_run {
                    return true;
                }
            }
        }
        false
    }
}

impl Index<Vec<u32>> for Diagonals {
    fn insert(&mut self, ordinal: Ordinal, image: &Vec<u32>) {
        let Matching { windows, most_repeats, .. } = self.matching;
        let mut n_places = 0;
        for equals in Self::windows(windows, image).chunk_by(|x, y| x.0 == y.0) {
            for &(key, place) in equals.iter().take(most_repeats) {
                let posting = Posting { document: ordinal.0, value: place };
                match self.lists.get_mut(&key) {
                    Some(slot) => self.postings.insert(slot, posting),
                    None => {
                        self.lists.insert(key, Slot::one(posting));
                    }
                }
                n_places += 1;
            }
        }
        let left_out = windows
            .all_starts(image.len())
            .filter(|&start| windows.is_left_out(image, start))
            .map(|start| windows.number(start) as u32)
            .collect();
        self.n_postings += n_places;
        let is_new = self.documents.insert(ordinal, Held { n_places, left_out }).is_none();
        debug_assert!(is_new, "a document comes once");
    }

    fn remove(&mut self, ordinal: Ordinal, image: &Vec<u32>) {
        let Some(held) = self.documents.remove(&ordinal) else { return };
        self.n_postings -= held.n_places;
        let mut windows = Self::windows(self.matching.windows, image);
        windows.dedup_by_key(|x| x.0);
        for (key, _) in windows {
            if let Some(slot) = self.lists.get_mut(&key)
                && self.postings.remove(slot, ordinal.0).is_empty
            {
                self.lists.remove(&key);
            }
        }
    }

    fn ask(&self, image: &Vec<u32>, before: Ordinal, found: &mut Found) {
        let Matching { windows, stop, most_repeats, containment, .. } = self.matching;
        let mine = Self::windows(windows.sliding(), image);
        let mut asked: Vec<Asked<'_>> = Vec::new();
        let mut all_shared: Vec<Shared> = Vec::new();
        let mut whole = 0.0;
        for places in mine.chunk_by(|x, y| x.0 == y.0) {
            let slot = self.lists.get(&places[0].0);
            let n_documents = slot.map_or(0, |slot| self.postings.n_documents(*slot));
            let weight = self.weight(n_documents);
            whole += weight * places.len() as f64;
            let Some(slot) = slot else { continue };
            let list = self.postings.get(slot);
            let mut first = 0;
            let mut n_looked = 0;
            while first < list.len() && list[first].document < before.0 {
                if n_looked == stop {
                    found.cuts.n_stop_features += 1;
                    break;
                }
                let document = list[first].document;
                let rest = &list[first..];
                let n = rest.iter().take_while(|x| x.document == document).count();
                let (asked, last) = (asked.len() as u32, first + n);
                all_shared.push(Shared { document, asked, first: first as u32, last: last as u32 });
                first = last;
                n_looked += 1;
            }
            if n_looked > 0 {
                found.cuts.n_stop_features += u64::from(places.len() > most_repeats);
                asked.push(Asked { places, weight, list });
            }
        }
        all_shared.sort_by_key(|x| x.document);
        let mut n_hits = 0;
        for shared in all_shared.chunk_by(|x, y| x.document == y.document) {
            if !self.has_run(shared, &asked, &mut n_hits) {
                continue;
            }
            let matched = |value: &dyn Fn(&Asked<'_>) -> f64| -> f64 {
                shared.iter().map(|x| value(&asked[x.asked as usize])).sum()
            };
            let n_matched = matched(&|x| x.places.len() as f64);
            // Windows that all documents have weigh nothing; if there are no others, they are
            // simply counted.
            let ratio = if whole > 0.0 {
                matched(&|x| x.weight * x.places.len() as f64) / whole
            } else {
                n_matched / mine.len().max(1) as f64
            };
            let ordinal = Ordinal(shared[0].document);
            let n_theirs: usize = shared.iter().map(|x| (x.last - x.first) as usize).sum();
            let b_in_a = Score::share(n_theirs, self.documents[&ordinal].n_places);
            // Rounding may carry a sum over the whole it is a part of.
            let a_in_b = Score::new(ratio.min(1.0)).unwrap_or(Score::ZERO);
            let resemblance = if a_in_b < b_in_a { a_in_b } else { b_in_a };
            let is_in = |score: Score| score.get() >= containment;
            let kind = Kind::of(is_in(a_in_b), is_in(b_in_a)).unwrap_or(Kind::Partial);
            let scores = Scores { resemblance, a_in_b, b_in_a };
            found.partners.push(Partner { ordinal, kind, scores });
        }
        found.cuts.n_searches_cut += u64::from(n_hits == MOST_HITS);
    }

    fn held_bytes(&self) -> usize {
        self.lists.capacity() * (size_of::<(u64, Slot)>() + 1)
            + self.postings.held_bytes()
            + self.n_postings.saturating_sub(self.lists.len()) * size_of::<Posting>()
            + self.documents.capacity() * (size_of::<(Ordinal, Held)>() + 1)
    }
}

#[cfg(test)]
mod tests;
