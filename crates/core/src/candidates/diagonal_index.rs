//! An index of windows and their positions. For tests: the plain form of what
//! [`diagonal`](super::diagonal) computes.
//!
//! The index holds (window, document, position). Windows at every place are held beside the stored
//! ones where these are fewer, as if each document before had asked about the one that asks now.

use std::collections::{BTreeSet, HashMap};

use super::diagonal::{MOST_HITS, Matching, Weights, left_out, windows_of};
use super::slots::{Posting, Slot, Slots};
use super::{Cuts, Found, Partner};
use crate::document::Ordinal;
use crate::features::length_windows::Jumping;
use crate::hash::{self, Prehashed};
use crate::image::feature_set::Repeats;
use crate::relation::{Kind, Score, Scores};

/// Windows of all documents.
#[derive(Debug)]
pub(super) struct DiagonalIndex {
    matching: Matching,
    weights: Weights,
    /// Windows that others are found by.
    pub(super) stored: Table,
    /// Windows at every place, where these are others: a document before the asker would have
    /// asked with them.
    sliding: Option<Table>,
    documents: HashMap<Ordinal, Held>,
    n_windows: usize,
}

/// Places by window.
#[derive(Debug, Default)]
pub(super) struct Table {
    lists: HashMap<u64, Slot, Prehashed>,
    slots: Slots,
    /// Entries of all lists.
    pub(super) n_places: usize,
    /// Documents in all lists, each once a list.
    n_documents: usize,
}

/// What is known of a document beside its windows.
#[derive(Debug)]
struct Held {
    n_windows: usize,
    lengths: Box<[u32]>,
    /// Numbers of the windows that dynamic jumping left out.
    left_out: Box<[u32]>,
}

/// Size of an index, and how far its windows tell documents apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "each says what it counts")]
pub(super) struct Statistics {
    /// Documents held.
    pub(super) n_documents: usize,
    /// Windows of all documents, repeats included; those left out are not.
    pub(super) n_windows: usize,
    /// Different windows.
    pub(super) n_different: usize,
    /// Different windows of each document, summed.
    pub(super) n_pairs: usize,
    /// Different windows that more than one document has.
    pub(super) n_collided: usize,
}

impl Statistics {
    /// Returns the collision rate: 1 − different windows / (window, document) pairs.
    pub(super) fn collision_rate(&self) -> f64 {
        1.0 - self.n_different as f64 / self.n_pairs.max(1) as f64
    }
}

/// A window with its places in the document that asks, and the documents that have it.
struct Asked<'a> {
    places: &'a [(u64, u32)],
    list: &'a [Posting],
}

/// The places where a document has a window of who asks: a range of the window's list.
struct Shared {
    document: u32,
    asked: u32,
    first: u32,
    last: u32,
}

/// The windows that other documents share with the one that asks.
#[derive(Default)]
struct SharedWindows<'a> {
    asked: Vec<Asked<'a>>,
    /// By document.
    shared: Vec<Shared>,
}

impl SharedWindows<'_> {
    /// Returns what a document shares.
    fn with(&self, document: u32) -> &[Shared] {
        let first = self.shared.partition_point(|x| x.document < document);
        let n = self.shared[first..].partition_point(|x| x.document == document);
        &self.shared[first..first + n]
    }
}

/// Whose windows make the run.
#[derive(Clone, Copy)]
enum Side<'a> {
    /// Those of the document found.
    Found(&'a [u32]),
    /// Those of who asks. Either comes with the numbers of the windows left out.
    Asking(&'a [u32]),
}

impl Table {
    /// Adds the first places of each window.
    fn insert(&mut self, document: u32, windows: &[(u64, u32)], most_repeats: usize) {
        for equals in windows.chunk_by(|x, y| x.0 == y.0) {
            self.n_documents += 1;
            for &(key, value) in equals.iter().take(most_repeats) {
                let posting = Posting { document, value };
                match self.lists.get_mut(&key) {
                    Some(slot) => self.slots.insert(slot, posting),
                    None => {
                        self.lists.insert(key, Slot::one(posting));
                    }
                }
                self.n_places += 1;
            }
        }
    }

    fn remove(&mut self, document: u32, windows: &[(u64, u32)]) {
        for equals in windows.chunk_by(|x, y| x.0 == y.0) {
            let key = equals[0].0;
            let Some(slot) = self.lists.get_mut(&key) else { continue };
            let left = self.slots.remove(slot, document);
            self.n_places -= left.n_removed;
            self.n_documents -= usize::from(left.n_removed > 0);
            if left.is_empty {
                self.lists.remove(&key);
            }
        }
    }
}

impl DiagonalIndex {
    /// Makes an empty index.
    pub(super) fn new(matching: Matching, weights: Weights) -> Self {
        let is_symmetric = matching.windows == matching.windows.sliding();
        Self {
            matching,
            weights,
            stored: Table::default(),
            sliding: (!is_symmetric).then(Table::default),
            documents: HashMap::new(),
            n_windows: 0,
        }
    }

    /// Returns the size of the index.
    pub(super) fn statistics(&self) -> Statistics {
        let is_collided = |slot: &&Slot| self.stored.slots.n_documents(**slot) > 1;
        Statistics {
            n_documents: self.documents.len(),
            n_windows: self.n_windows,
            n_different: self.stored.lists.len(),
            n_pairs: self.stored.n_documents,
            n_collided: self.stored.lists.values().filter(is_collided).count(),
        }
    }

    pub(super) fn weight(&self, n_documents: usize) -> f64 {
        match self.weights {
            Weights::Uniform => 1.0,
            Weights::Idf => {
                let all = self.documents.len().max(1) as f64;
                (all / n_documents.max(1) as f64).ln().max(0.0)
            }
        }
    }

    /// Looks up the windows of who asks.
    fn meet<'a>(
        &self,
        table: &'a Table,
        windows: &'a [(u64, u32)],
        before: Ordinal,
        cuts: &mut Cuts,
    ) -> SharedWindows<'a> {
        let mut met = SharedWindows::default();
        for places in windows.chunk_by(|x, y| x.0 == y.0) {
            let Some(slot) = table.lists.get(&places[0].0) else { continue };
            let list = table.slots.get(slot);
            let asked = met.asked.len() as u32;
            let (mut first, mut n_looked) = (0, 0);
            while first < list.len() && list[first].document < before.0 {
                if n_looked == self.matching.stop {
                    cuts.n_stop_features += 1;
                    break;
                }
                let document = list[first].document;
                let n = list[first..].iter().take_while(|x| x.document == document).count();
                let last = first + n;
                met.shared.push(Shared { document, asked, first: first as u32, last: last as u32 });
                first = last;
                n_looked += 1;
            }
            if n_looked > 0 {
                cuts.n_stop_features += u64::from(places.len() > self.matching.most_repeats);
                met.asked.push(Asked { places, list });
            }
        }
        met.shared.sort_by_key(|x| x.document);
        met
    }

    /// Returns whether `least_run` windows in a row match on one diagonal; `n_hits` counts the
    /// pairs of places looked at.
    fn has_run(
        &self,
        met: &SharedWindows<'_>,
        shared: &[Shared],
        side: Side<'_>,
        n_hits: &mut usize,
    ) -> bool {
        let Matching { windows, least_run, most_repeats, .. } = self.matching;
        if shared.is_empty() || least_run == 1 {
            return !shared.is_empty();
        }
        let mut rows: Vec<(u32, &[Posting])> = Vec::new();
        let mut n_theirs = 0;
        for x in shared {
            let Asked { places, list, .. } = met.asked[x.asked as usize];
            let theirs = &list[x.first as usize..x.last as usize];
            n_theirs += theirs.len();
            rows.extend(places.iter().take(most_repeats).map(|&(_, place)| (place, theirs)));
        }
        // Windows left out count inside a run only, between two that match.
        let n_needed = if windows.jumping == Jumping::Static { least_run } else { 2 };
        if n_theirs < n_needed || rows.len() < n_needed {
            return false;
        }
        rows.sort_unstable_by_key(|row| row.0);
        // By diagonal: rank of the last window that matched among those not left out, and the
        // number of the first of its run. Rows come by place, so every diagonal is walked along.
        let mut runs: HashMap<u64, (usize, usize), Prehashed> = HashMap::default();
        for (place, theirs) in rows {
            for posting in theirs {
                if *n_hits == MOST_HITS {
                    return false;
                }
                *n_hits += 1;
                let (start, left_out) = match side {
                    Side::Found(left_out) => (posting.value, left_out),
                    Side::Asking(left_out) => (place, left_out),
                };
                let number = windows.number(start as usize);
                let rank = number - left_out.partition_point(|&x| (x as usize) < number);
                let diagonal = i64::from(posting.value) - i64::from(place);
                let run = runs.entry(hash::mix(diagonal.cast_unsigned())).or_insert((rank, number));
                *run = if run.0 + 1 == rank { (rank, run.1) } else { (rank, number) };
                if number - run.1 + 1 >= least_run {
                    return true;
                }
            }
        }
        false
    }

    /// Returns the weight of a document's windows that another one stores, over that of all.
    fn ratio(&self, own: &[u32], other: &[u32]) -> Score {
        let windows = self.matching.windows;
        let stored: BTreeSet<u64> = windows_of(windows, other).into_iter().map(|x| x.0).collect();
        let sums = |weight: &dyn Fn(u64) -> f64| {
            let mut sliding = windows_of(windows.sliding(), own);
            if self.matching.repeats == Repeats::Once {
                sliding.dedup_by_key(|x| x.0);
            }
            sliding.into_iter().fold((0.0, 0.0), |sums, (window, _)| {
                let is_shared = f64::from(u8::from(stored.contains(&window)));
                (sums.0 + weight(window) * is_shared, sums.1 + weight(window))
            })
        };
        let (mut part, mut whole) = sums(&|window| {
            let slot = self.stored.lists.get(&window);
            self.weight(slot.map_or(0, |slot| self.stored.slots.n_documents(*slot)))
        });
        if whole <= 0.0 {
            (part, whole) = sums(&|_| 1.0);
        }
        Score::new((part / whole.max(1e-300)).min(1.0)).unwrap_or(Score::ZERO)
    }

    /// Returns the scores of a document that was found, seen from who asks.
    fn scores(&self, image: &[u32], ordinal: Ordinal) -> Scores {
        let other = &self.documents[&ordinal].lengths;
        let (a_in_b, b_in_a) = (self.ratio(image, other), self.ratio(other, image));
        let resemblance = if a_in_b < b_in_a { a_in_b } else { b_in_a };
        Scores { resemblance, a_in_b, b_in_a }
    }
}

impl DiagonalIndex {
    /// Takes a document.
    pub(super) fn insert(&mut self, ordinal: Ordinal, image: &[u32]) {
        let Matching { windows, most_repeats, .. } = self.matching;
        let stored = windows_of(windows, image);
        self.stored.insert(ordinal.0, &stored, most_repeats);
        if let Some(table) = &mut self.sliding {
            table.insert(ordinal.0, &windows_of(windows.sliding(), image), most_repeats);
        }
        let (n_windows, left_out) = (stored.len(), left_out(windows, image));
        self.n_windows += n_windows;
        let held = Held { n_windows, lengths: image.into(), left_out };
        let is_new = self.documents.insert(ordinal, held).is_none();
        debug_assert!(is_new, "a document comes once");
    }

    /// Forgets a document.
    pub(super) fn remove(&mut self, ordinal: Ordinal, image: &[u32]) {
        let Some(held) = self.documents.remove(&ordinal) else { return };
        self.n_windows -= held.n_windows;
        let windows = self.matching.windows;
        self.stored.remove(ordinal.0, &windows_of(windows, image));
        if let Some(table) = &mut self.sliding {
            table.remove(ordinal.0, &windows_of(windows.sliding(), image));
        }
    }

    /// Adds the documents before `before` that are found.
    pub(super) fn ask(&self, image: &[u32], before: Ordinal, found: &mut Found) {
        let windows = self.matching.windows;
        let mine = windows_of(windows.sliding(), image);
        let there = self.meet(&self.stored, &mine, before, &mut found.cuts);
        // As if the other document had asked about this one.
        let stored = self.sliding.as_ref().map(|table| (table, windows_of(windows, image)));
        let other = stored
            .as_ref()
            .map(|(table, windows)| self.meet(table, windows, before, &mut found.cuts));
        let back = other.as_ref().unwrap_or(&there);
        let mine_left_out = left_out(windows, image);
        let mut documents: Vec<u32> =
            there.shared.iter().chain(&back.shared).map(|x| x.document).collect();
        documents.sort_unstable();
        documents.dedup();
        found.n_compared += documents.len() as u64;
        let mut n_hits = 0;
        for document in documents {
            let ordinal = Ordinal(document);
            let theirs = Side::Found(&self.documents[&ordinal].left_out);
            let is_found = self.has_run(&there, there.with(document), theirs, &mut n_hits)
                || other.as_ref().is_some_and(|back| {
                    let mine = Side::Asking(&mine_left_out);
                    self.has_run(back, back.with(document), mine, &mut n_hits)
                });
            if is_found {
                let scores = self.scores(image, ordinal);
                let is_in = |score: Score| score.get() >= self.matching.containment;
                let kind = Kind::of(is_in(scores.a_in_b), is_in(scores.b_in_a));
                let kind = kind.unwrap_or(Kind::Partial);
                found.partners.push(Partner { ordinal, kind, scores });
            }
        }
        found.cuts.n_searches_cut += u64::from(n_hits == MOST_HITS);
    }
}
