//! The corpus tree: the beginnings of all sentences of a collection, and who visited each. For
//! tests: the plain form of what [`tree_paths`](super::tree_paths) computes.
//!
//! A virtual root holds child pointers only; every other node has a label (a word), children and
//! the list of the documents that passed through it. A document that walks down its own sentences
//! meets, on every node, all documents with the same beginning, and depth × idf of the node is
//! added to what it has in common with each (Varol, Can, Aykanat, Kaya: CoDet, 2011). A time
//! window is kept by [`CorpusTree::remove`]: the tree is then what it had been without the
//! document.
//!
//! Nodes lie in an arena; children are found by hashing (parent, label), so a node costs 24 bytes
//! and some eight of the table, and lists of one document cost nothing more.
//!
//! If more than `stop` documents visit a node, only the first [`CROWD`] are looked at, which is
//! counted: copies of one story still meet in the first of them, and a sentence that closes half
//! of all stories costs no more than a rare one. Without that limit nothing is missed: the sums
//! are those of the definition.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use super::slots::{Posting, Slot, Slots};
use super::tree_paths::{CROWD, Containment};
use super::{Found, Partner};
use crate::document::Ordinal;
use crate::hash::{self, Prehashed};
use crate::image::sentence_tree::{Aggregate, SentenceTree};
use crate::relation::{Kind, Score, Scores};

/// The tree.
#[derive(Debug)]
pub(super) struct CorpusTree {
    containment: Containment,
    nodes: Vec<Node>,
    free: Vec<u32>,
    children: Children,
    lists: Slots,
    documents: HashMap<u64, Held, Prehashed>,
    n_ids: usize,
    n_asks: AtomicU64,
    n_accumulators: AtomicU64,
}

/// The virtual root's place in the arena.
const ROOT: u32 = 0;
/// Parent of a node that is not in use.
const UNUSED: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    label: u64,
    parent: u32,
    /// Documents, each with the number of its sentences that pass through.
    visitors: Slot,
}

/// What is known of a document beside its nodes.
#[derive(Clone, Copy, Debug)]
struct Held {
    self_similarity: f64,
    sentences: u64,
}

/// What two documents have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Similarity {
    /// The partner.
    pub(super) ordinal: Ordinal,
    /// CS of the one that asked and the partner: how much of the asker stands in the partner.
    pub(super) a_in_b: f64,
    /// The same seen from the partner. Equal to `a_in_b` under [`Aggregate::Sum`].
    pub(super) b_in_a: f64,
}

/// Size and work of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "each says what it counts")]
pub(super) struct Statistics {
    /// Documents held.
    pub(super) n_documents: usize,
    /// Nodes, the root not counted.
    pub(super) n_nodes: usize,
    /// Documents in the lists of all nodes, each once a node.
    pub(super) n_ids: usize,
    /// Documents that asked.
    pub(super) n_asks: u64,
    /// Pairs of documents that met on at least one node: accumulators touched.
    pub(super) n_accumulators: u64,
}

impl Statistics {
    /// Returns the average number of similarity values calculated for a document.
    pub(super) fn similarity_values_per_document(&self) -> f64 {
        self.n_accumulators as f64 / self.n_asks.max(1) as f64
    }
}

/// The key under which a document is held: ordinals are small numbers, and a map of hashes wants
/// spread ones.
fn key(document: u32) -> u64 {
    hash::mix(u64::from(document))
}

impl CorpusTree {
    /// Makes an empty tree.
    pub(super) fn new(containment: Containment) -> Self {
        let nobody = Slot::one(Posting { document: 0, value: 0 });
        let root = Node { label: 0, parent: UNUSED, visitors: nobody };
        Self {
            containment,
            nodes: vec![root],
            free: Vec::new(),
            children: Children::default(),
            lists: Slots::default(),
            documents: HashMap::default(),
            n_ids: 0,
            n_asks: AtomicU64::new(0),
            n_accumulators: AtomicU64::new(0),
        }
    }

    /// Returns what the document has in common with each document before `before` that it meets
    /// on a node, by ordinal; and the number of lists that were cut.
    pub(super) fn similarities(
        &self,
        image: &SentenceTree,
        before: Ordinal,
    ) -> (Vec<Similarity>, u64) {
        let Containment { aggregate, stop, .. } = self.containment;
        let mut found: Vec<Similarity> = Vec::new();
        let mut at: HashMap<u64, u32, Prehashed> = HashMap::with_capacity_and_hasher(64, Prehashed);
        let mut n_cut = 0;
        let mut path: Vec<u32> = Vec::new();
        for step in image.steps() {
            let depth = step.depth as usize;
            path.truncate(depth - 1);
            // A missing parent has no children.
            if path.len() + 1 < depth {
                continue;
            }
            let parent = path.last().copied().unwrap_or(ROOT);
            let Some(node) = self.children.find(&self.nodes, parent, step.word) else { continue };
            path.push(node);
            let visitors = self.lists.get(&self.nodes[node as usize].visitors);
            let n_before = if visitors.last().is_some_and(|last| last.document < before.0) {
                visitors.len()
            } else {
                visitors.partition_point(|visitor| visitor.document < before.0)
            };
            let is_crowded = n_before > stop;
            n_cut += u64::from(is_crowded);
            let n_heard = if is_crowded { stop.min(CROWD) } else { n_before };
            let (impact, mine) = (step.impact(), f64::from(step.visits));
            for visitor in &visitors[..n_heard] {
                let theirs = f64::from(visitor.value);
                let (a_in_b, b_in_a) = match aggregate {
                    Aggregate::Sum => (mine * theirs * impact, mine * theirs * impact),
                    Aggregate::Max => (mine * impact, theirs * impact),
                };
                let at = *at.entry(key(visitor.document)).or_insert_with(|| {
                    let ordinal = Ordinal(visitor.document);
                    found.push(Similarity { ordinal, a_in_b: 0.0, b_in_a: 0.0 });
                    found.len() as u32 - 1
                });
                let sums = &mut found[at as usize];
                sums.a_in_b += a_in_b;
                sums.b_in_a += b_in_a;
            }
        }
        found.sort_unstable_by_key(|similarity| similarity.ordinal);
        self.n_asks.fetch_add(1, Ordering::Relaxed);
        self.n_accumulators.fetch_add(found.len() as u64, Ordering::Relaxed);
        (found, n_cut)
    }

    /// Returns the share of the first document's self-similarity that it has in common with the
    /// second. Where every word weighs nothing, equal sets of sentences share everything.
    fn ratio(common: f64, of: Held, other: Held) -> f64 {
        if of.self_similarity > 0.0 {
            common / of.self_similarity
        } else {
            f64::from(u8::from(of.sentences == other.sentences))
        }
    }

    fn held(&self, image: &SentenceTree) -> Held {
        let self_similarity = image.self_similarity(self.containment.aggregate);
        Held { self_similarity, sentences: image.sentences() }
    }

    /// Returns size and work so far.
    pub(super) fn statistics(&self) -> Statistics {
        Statistics {
            n_documents: self.documents.len(),
            n_nodes: self.nodes.len() - 1 - self.free.len(),
            n_ids: self.n_ids,
            n_asks: self.n_asks.load(Ordering::Relaxed),
            n_accumulators: self.n_accumulators.load(Ordering::Relaxed),
        }
    }

    /// Lists the nodes, one a line, indented by depth and children by name, each with its
    /// documents: `shares [0 1 2×3]` was visited once by documents 0 and 1 and by three
    /// sentences of document 2. `name` gives the word of a label.
    ///
    /// For looking at small trees: a path of n words has n²/2 characters of indent.
    pub(super) fn to_text(&self, name: impl Fn(u64) -> String) -> String {
        let mut named: Vec<(u32, String, u32)> = (0..)
            .zip(&self.nodes)
            .filter(|(_, node)| node.parent != UNUSED)
            .map(|(at, node)| (node.parent, name(node.label), at))
            .collect();
        // By parent, then last name first: the stack below turns the order round.
        named.sort_unstable_by(|x, y| x.0.cmp(&y.0).then_with(|| y.1.cmp(&x.1)));
        let children = |parent: u32| {
            let start = named.partition_point(|x| x.0 < parent);
            named[start..].iter().take_while(move |x| x.0 == parent)
        };
        let mut out = String::new();
        let mut open: Vec<(usize, &(u32, String, u32))> =
            children(ROOT).map(|child| (0, child)).collect();
        while let Some((depth, (_, name, at))) = open.pop() {
            let visitor = |visitor: &Posting| match visitor.value {
                1 => visitor.document.to_string(),
                n => format!("{}×{n}", visitor.document),
            };
            let visitors = self.lists.get(&self.nodes[*at as usize].visitors);
            let visitors: Vec<String> = visitors.iter().map(visitor).collect();
            writeln!(out, "{:indent$}{name} [{}]", "", visitors.join(" "), indent = 2 * depth)
                .expect("a string takes everything");
            open.extend(children(*at).map(|child| (depth + 1, child)));
        }
        out
    }

    /// Makes a node that document `visitor` is the first to visit.
    fn grow(&mut self, parent: u32, label: u64, visitor: Posting) -> u32 {
        let node = Node { label, parent, visitors: Slot::one(visitor) };
        let at = if let Some(at) = self.free.pop() {
            self.nodes[at as usize] = node;
            at
        } else {
            self.nodes.push(node);
            u32::try_from(self.nodes.len() - 1).expect("memory ends before 2^32 nodes do")
        };
        self.children.insert(&self.nodes, at);
        at
    }
}

impl CorpusTree {
    /// Takes a document.
    pub(super) fn insert(&mut self, ordinal: Ordinal, image: &SentenceTree) {
        let held = self.held(image);
        let is_new = self.documents.insert(key(ordinal.0), held).is_none();
        debug_assert!(is_new, "a document comes once");
        let mut path: Vec<u32> = Vec::new();
        for step in image.steps() {
            path.truncate(step.depth as usize - 1);
            let parent = path.last().copied().unwrap_or(ROOT);
            let visitor = Posting { document: ordinal.0, value: step.visits };
            let node = match self.children.find(&self.nodes, parent, step.word) {
                Some(node) => {
                    self.lists.insert(&mut self.nodes[node as usize].visitors, visitor);
                    node
                }
                None => self.grow(parent, step.word, visitor),
            };
            path.push(node);
        }
        self.n_ids += image.steps().len();
    }

    /// Forgets a document.
    pub(super) fn remove(&mut self, ordinal: Ordinal, image: &SentenceTree) {
        if self.documents.remove(&key(ordinal.0)).is_none() {
            return;
        }
        let mut path: Vec<u32> = Vec::new();
        let mut empty: Vec<u32> = Vec::new();
        for step in image.steps() {
            path.truncate(step.depth as usize - 1);
            let parent = path.last().copied().unwrap_or(ROOT);
            let node = self.children.find(&self.nodes, parent, step.word);
            let node = node.expect("the image is the one that was inserted");
            let left = self.lists.remove(&mut self.nodes[node as usize].visitors, ordinal.0);
            self.n_ids -= left.n_removed;
            if left.is_empty {
                empty.push(node);
            }
            path.push(node);
        }
        // Whoever visits a node visits its parent, so a node without visitors has no children
        // with any; the children go first, as they are found through their parents.
        for node in empty.into_iter().rev() {
            self.children.remove(&self.nodes, node);
            self.nodes[node as usize].parent = UNUSED;
            self.free.push(node);
        }
    }

    /// Adds the documents before `before` that it contains or that contain it.
    pub(super) fn ask(&self, image: &SentenceTree, before: Ordinal, found: &mut Found) {
        let (similarities, n_cut) = self.similarities(image, before);
        found.n_compared += similarities.len() as u64;
        found.cuts.n_stop_features += n_cut;
        found.cuts.n_searches_cut += u64::from(image.is_cut());
        let mine = self.held(image);
        let is_in = |ratio: f64| ratio > self.containment.threshold;
        let score = |ratio: f64| Score::new(ratio.clamp(0.0, 1.0)).unwrap_or(Score::ZERO);
        for Similarity { ordinal, a_in_b, b_in_a } in similarities {
            let theirs = self.documents[&key(ordinal.0)];
            let a_in_b = Self::ratio(a_in_b, mine, theirs);
            let b_in_a = Self::ratio(b_in_a, theirs, mine);
            if let Some(kind) = Kind::of(is_in(a_in_b), is_in(b_in_a)) {
                let (a_in_b, b_in_a) = (score(a_in_b), score(b_in_a));
                // CoDet has no resemblance of its own; both stand in each other to the smaller
                // of the two shares.
                let resemblance = if a_in_b < b_in_a { a_in_b } else { b_in_a };
                let scores = Scores { resemblance, a_in_b, b_in_a };
                found.partners.push(Partner { ordinal, kind, scores });
            }
        }
    }
}

/// Finds the child of a node by its label: an open hash table of places in the arena.
#[derive(Debug, Default)]
struct Children {
    /// Places; [`ROOT`], which is nobody's child, marks a free slot. A power of two of them.
    slots: Vec<u32>,
    len: usize,
}

impl Children {
    fn home(&self, parent: u32, label: u64) -> usize {
        let hash = hash::fold(label ^ u64::from(parent).rotate_left(40), 0xd6e8_feb8_6659_fd93);
        hash as usize & (self.slots.len() - 1)
    }

    fn home_of(&self, nodes: &[Node], at: u32) -> usize {
        let node = &nodes[at as usize];
        self.home(node.parent, node.label)
    }

    #[inline]
    fn find(&self, nodes: &[Node], parent: u32, label: u64) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mut slot = self.home(parent, label);
        loop {
            let at = self.slots[slot];
            if at == ROOT {
                return None;
            }
            let node = &nodes[at as usize];
            if node.label == label && node.parent == parent {
                return Some(at);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// Adds a node that is not there yet.
    fn insert(&mut self, nodes: &[Node], at: u32) {
        if (self.len + 1) * 3 > self.slots.len() * 2 {
            let n_slots = (self.slots.len() * 2).max(64);
            // Given back first: the nodes themselves say what was in it.
            self.slots = Vec::new();
            self.slots = vec![ROOT; n_slots];
            // In the order of the arena, which is read from end to end; the new one is placed
            // below.
            for (other, node) in (0..).zip(nodes).skip(1) {
                if node.parent != UNUSED && other != at {
                    self.place(nodes, other);
                }
            }
        }
        self.place(nodes, at);
        self.len += 1;
    }

    fn place(&mut self, nodes: &[Node], at: u32) {
        let mut slot = self.home_of(nodes, at);
        while self.slots[slot] != ROOT {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = at;
    }

    /// Takes a node out and closes the gap, so that no search stops early.
    fn remove(&mut self, nodes: &[Node], at: u32) {
        let mask = self.slots.len() - 1;
        let mut gap = self.home_of(nodes, at);
        while self.slots[gap] != at {
            gap = (gap + 1) & mask;
        }
        let mut next = gap;
        loop {
            next = (next + 1) & mask;
            let other = self.slots[next];
            if other == ROOT {
                break;
            }
            // It may move back to the gap unless its home lies behind the gap.
            let home = self.home_of(nodes, other);
            if (next.wrapping_sub(home) & mask) >= (next.wrapping_sub(gap) & mask) {
                self.slots[gap] = other;
                gap = next;
            }
        }
        self.slots[gap] = ROOT;
        self.len -= 1;
    }
}

pub(super) mod tests;
