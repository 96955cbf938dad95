//! `AddIntent`: the concept lattice, built document by document without its infrequent part.
//!
//! # What it finds
//! Closed sets, as the nodes of the lattice; maximal sets, as the nodes with nothing above them.
//! # How it works
//! Here an item is a document and the transactions it lies in are its image. A node of the lattice
//! is a set of transactions that is common to some documents; going up, documents become more and
//! transactions fewer. To add the image X of a document below a node g, climb from g to the last
//! node that still holds X. If it is X, nothing is to do. Otherwise what each node above shares
//! with X is added in the same way, and the new node is put between g and the largest of these.
//!
//! Support only falls going up, so whatever has too little of it is cut at once, with all above
//! it (`AddIntent*`). The documents of a node are those whose images hold it; they are looked up
//! at the end.
//! # Cost
//! All closed sets are in memory with their transactions, also if only maximal ones are wanted.
//! # Where we differ from the paper
//! Documents are added rather than transactions, as only then can the lattice be cut. What an image
//! shares with those of the documents before it, above the lowest node, is counted beforehand in
//! one walk over its transactions. Sets of transactions are lists of 64-bit blocks without the
//! empty ones, the transactions in an order that keeps documents together. The call stack is a
//! list.
//! # Reference
//! van der Merwe, Obiedkov, Kourie: `AddIntent`: a new incremental algorithm for constructing
//! concept lattices, ICFCA 2004, figure 2.

use std::ops::ControlFlow;

use crate::halt::Halt;
use crate::table::{Output, Rows, Table};
use crate::task::{Cut, Flow, Target, Task};
use crate::{Miner, Spec};

/// The miner.
pub(crate) struct AddIntent;

impl Miner for AddIntent {
    fn spec(&self) -> &'static Spec {
        &Spec {
            name: "add-intent",
            title: "AddIntent",
            source: "van der Merwe, Obiedkov, Kourie 2004",
            targets: &[Target::Closed, Target::Maximal],
        }
    }

    fn mine(&self, table: &Table, task: &Task, out: &mut Output<'_>) -> Flow {
        let images = Images::of(table, out.halt())?;
        out.hold(images.held_bytes())?;
        let mut lattice = Lattice::new(task.min_support);
        // Large images first: then a new image rarely goes below an existing node.
        for document in (0..table.n_items() as u32).rev() {
            lattice.add(table, &images, document, out)?;
        }
        let mut set = Vec::new();
        for node in 1..lattice.nodes.len() {
            out.step()?;
            if task.target == Target::Closed || lattice.nodes[node].parents.is_empty() {
                images.holders(table, lattice.blocks(node as u32), &mut set);
                out.set(&set, lattice.nodes[node].support)?;
            }
        }
        Flow::Continue(())
    }
}

/// Sixty-four transactions: their place among all, and which of them.
type Block = (u32, u64);

/// The transactions of each document, as blocks.
struct Images {
    starts: Vec<usize>,
    blocks: Vec<Block>,
    columns: Rows,
    /// The row of the table at each place. Numbers from `n_rows` on stand for transactions of one
    /// document only.
    rows: Vec<u32>,
    weights: Vec<u32>,
    /// Whether all weights of a block are 1.
    is_plain: Vec<bool>,
}

impl Images {
    fn of(table: &Table, halt: Halt<'_>) -> ControlFlow<Cut, Self> {
        let mut rows: Vec<u32> = (0..table.n_rows() as u32).collect();
        // Equal rows are ordered by number, so that the order is the same on every run.
        halt.sort_by(&mut rows, |&a, &b| table.row(a).cmp(table.row(b)).then(a.cmp(&b)))?;
        let mut place = vec![0; rows.len()];
        for (at, &row) in rows.iter().enumerate() {
            place[row as usize] = at as u32;
        }
        let mut weights: Vec<u32> = rows.iter().map(|&row| table.weight(row)).collect();
        let (mut starts, mut blocks) = (vec![0], Vec::new());
        let mut places = Vec::new();
        let columns = table.columns(halt)?;
        for document in 0..table.n_items() as u32 {
            halt.look()?;
            places.clear();
            places.extend(columns.row(document as usize).iter().map(|&row| place[row as usize]));
            places.sort_unstable();
            if table.alone(document) > 0 {
                places.push(weights.len() as u32);
                weights.push(table.alone(document));
                rows.push(document);
            }
            let start = blocks.len();
            for &place in &places {
                let bit = 1 << (place % 64);
                match blocks[start..].last_mut() {
                    Some((block, bits)) if *block == place / 64 => *bits |= bit,
                    _ => blocks.push((place / 64, bit)),
                }
            }
            starts.push(blocks.len());
        }
        let is_plain = weights.chunks(64).map(|weights| weights.iter().all(|&w| w == 1)).collect();
        ControlFlow::Continue(Self { starts, blocks, columns, rows, weights, is_plain })
    }

    fn held_bytes(&self) -> usize {
        let numbers = self.rows.len() + self.weights.len() + 3 * self.columns.len();
        self.blocks.len() * size_of::<Block>() + self.starts.len() * 8 + numbers * 4
    }

    fn image(&self, document: u32) -> &[Block] {
        &self.blocks[self.starts[document as usize]..self.starts[document as usize + 1]]
    }

    fn weight(&self, (block, bits): Block) -> u32 {
        if self.is_plain[block as usize] {
            return bits.count_ones();
        }
        let start = block as usize * 64;
        places(bits).map(|place| self.weights[start + place]).sum()
    }

    /// Puts what two sets share into `both` and returns its weight.
    fn intersect(&self, a: &[Block], b: &[Block], both: &mut Vec<Block>) -> u32 {
        both.clear();
        let mut weight = 0;
        let (mut i, mut j) = (0, 0);
        while i < a.len() && j < b.len() {
            let bits = a[i].1 & b[j].1;
            if a[i].0 == b[j].0 && bits != 0 {
                both.push((a[i].0, bits));
                weight += self.weight((a[i].0, bits));
            }
            let (at, to) = (a[i].0, b[j].0);
            i += usize::from(at <= to);
            j += usize::from(to <= at);
        }
        weight
    }

    /// Puts the documents whose images hold a set into `documents`.
    fn holders(&self, table: &Table, set: &[Block], documents: &mut Vec<u32>) {
        documents.clear();
        // Rows of one document come last.
        let last =
            set.last().map_or(0, |&(block, bits)| block as usize * 64 + bits.ilog2() as usize);
        if last >= table.n_rows() {
            documents.push(self.rows[last]);
            return;
        }
        let all = set
            .iter()
            .flat_map(|&(block, bits)| places(bits).map(move |place| block as usize * 64 + place));
        let shortest = all.map(|place| table.row(self.rows[place])).min_by_key(|row| row.len());
        let candidates = shortest.unwrap_or_default().iter().copied();
        documents.extend(candidates.filter(|&document| is_subset(set, self.image(document))));
    }
}

fn places(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(place)
    })
}

fn is_subset(a: &[Block], b: &[Block]) -> bool {
    if a.len() > b.len() {
        return false;
    }
    let mut rest = b.iter();
    a.iter().all(|&(block, bits)| {
        rest.find(|other| other.0 >= block)
            .is_some_and(|other| other.0 == block && bits & !other.1 == 0)
    })
}

/// The lowest node: all transactions, and one more that no image has. So every image lies above it.
const BOTTOM: u32 = 0;

struct Lattice {
    k: u32,
    nodes: Vec<Node>,
    blocks: Vec<Block>,
    /// The stack of calls, outermost first. Calls that have ended stay behind the others, so that
    /// their memory is used again.
    calls: Vec<Call>,
    depth: usize,
    /// Weight of the transactions that the document being added shares with each other document.
    shared: Vec<u32>,
}

struct Node {
    start: usize,
    len: u32,
    support: u32,
    parents: Vec<u32>,
    /// The document it was made for; if it is right above the lowest node, this is its image.
    document: u32,
}

/// Adds a set of transactions above a node that holds it.
#[derive(Default)]
struct Call {
    set: Vec<Block>,
    support: u32,
    /// The last node that holds the set, and those above it.
    below: u32,
    above: Vec<u32>,
    next: usize,
    /// Nodes to be right above the new one.
    new: Vec<u32>,
}

impl Lattice {
    fn new(k: u32) -> Self {
        let bottom =
            Node { start: 0, len: 0, support: u32::MAX, parents: Vec::new(), document: u32::MAX };
        Self {
            k,
            nodes: vec![bottom],
            blocks: Vec::new(),
            calls: Vec::new(),
            depth: 0,
            shared: Vec::new(),
        }
    }

    fn blocks(&self, node: u32) -> &[Block] {
        let node = &self.nodes[node as usize];
        &self.blocks[node.start..node.start + node.len as usize]
    }

    /// Adds a document.
    fn add(&mut self, table: &Table, images: &Images, document: u32, out: &mut Output<'_>) -> Flow {
        self.shared.clear();
        self.shared.resize(table.n_items(), 0);
        for (at, &row) in images.columns.row(document as usize).iter().enumerate() {
            out.halt().look_at(at)?;
            for &other in table.row(row) {
                self.shared[other as usize] += table.weight(row);
            }
        }
        let call = self.spare();
        call.set.clear();
        call.set.extend_from_slice(images.image(document));
        call.support = call.set.iter().map(|&block| images.weight(block)).sum();
        self.enter(BOTTOM, out.halt())?;
        while self.depth > 0 {
            out.step()?;
            self.go_on(images, document, out)?;
        }
        Flow::Continue(())
    }

    /// Returns the first call of the stack that is not in use.
    fn spare(&mut self) -> &mut Call {
        if self.calls.len() == self.depth {
            self.calls.push(Call::default());
        }
        &mut self.calls[self.depth]
    }

    /// Climbs from a node to the last one that holds the set of the spare call. Returns it if it
    /// is the set; otherwise the spare call becomes the innermost one.
    fn enter(&mut self, from: u32, halt: Halt<'_>) -> ControlFlow<Cut, Option<u32>> {
        let call = &self.calls[self.depth];
        let mut below = from;
        let holds = |node: u32, above: u32| {
            let above_node = &self.nodes[above as usize];
            if node == BOTTOM {
                return self.shared[above_node.document as usize] == call.support;
            }
            above_node.support >= call.support && is_subset(&call.set, self.blocks(above))
        };
        let step = |node: u32| {
            self.nodes[node as usize].parents.iter().copied().find(|&above| holds(node, above))
        };
        while let Some(above) = step(below) {
            halt.look()?;
            below = above;
        }
        if self.nodes[below as usize].support == call.support {
            return ControlFlow::Continue(Some(below));
        }
        let call = &mut self.calls[self.depth];
        call.below = below;
        call.above.clone_from(&self.nodes[below as usize].parents);
        call.next = 0;
        call.new.clear();
        self.depth += 1;
        ControlFlow::Continue(None)
    }

    /// Continues the innermost call until it makes a call of its own or ends.
    fn go_on(&mut self, images: &Images, document: u32, out: &mut Output<'_>) -> Flow {
        self.spare();
        loop {
            let (calls, spare) = self.calls.split_at_mut(self.depth);
            let (call, spare) = (&mut calls[self.depth - 1], &mut spare[0]);
            let Some(&above) = call.above.get(call.next) else { break };
            call.next += 1;
            out.halt().look_at(call.next)?;
            let node = &self.nodes[above as usize];
            if call.below == BOTTOM && self.shared[node.document as usize] < self.k {
                continue;
            }
            let blocks = &self.blocks[node.start..node.start + node.len as usize];
            spare.support = images.intersect(blocks, &call.set, &mut spare.set);
            if spare.support == node.support {
                self.take(above);
            } else if spare.support >= self.k {
                match self.enter(above, out.halt())? {
                    Some(node) => self.take(node),
                    None => return Flow::Continue(()),
                }
            }
        }
        let node = self.put(document, out)?;
        self.depth -= 1;
        if self.depth > 0 {
            self.take(node);
        }
        Flow::Continue(())
    }

    /// Notes a node to be above the new one, unless another is between them.
    fn take(&mut self, node: u32) {
        let mut new = std::mem::take(&mut self.calls[self.depth - 1].new);
        let blocks = self.blocks(node);
        if !new.iter().any(|&other| is_subset(blocks, self.blocks(other))) {
            new.retain(|&other| !is_subset(self.blocks(other), blocks));
            new.push(node);
        }
        self.calls[self.depth - 1].new = new;
    }

    /// Makes the node of the innermost call.
    fn put(&mut self, document: u32, out: &mut Output<'_>) -> ControlFlow<Cut, u32> {
        let call = &self.calls[self.depth - 1];
        let node = self.nodes.len() as u32;
        let parents = &mut self.nodes[call.below as usize].parents;
        for &above in &call.new {
            if let Some(at) = parents.iter().position(|&parent| parent == above) {
                parents.swap_remove(at);
            }
        }
        parents.push(node);
        let start = self.blocks.len();
        self.blocks.extend_from_slice(&call.set);
        let n_bytes = call.set.len() * size_of::<Block>() + call.new.len() * 4;
        self.nodes.push(Node {
            start,
            len: call.set.len() as u32,
            support: call.support,
            parents: call.new.clone(),
            document,
        });
        out.hold(n_bytes + size_of::<Node>())?;
        ControlFlow::Continue(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Context;
    use crate::mine;
    use crate::trial::{agrees_with_the_oracle, found, keeps_to_its_budget};

    #[test]
    fn it_agrees_with_the_definition() {
        agrees_with_the_oracle(&AddIntent, 200);
    }

    #[test]
    fn it_keeps_to_its_budget() {
        keeps_to_its_budget(&AddIntent);
    }

    #[test]
    fn a_lattice_too_large_ends_at_its_memory() {
        // Forty items, each transaction lacking one of them.
        let rows: Vec<Vec<u32>> =
            (0..40).map(|lacks| (0..40).filter(|&item| item != lacks).collect()).collect();
        let mut task = Task::maximal(20);
        task.budget.bytes = Some(1_000_000);
        let outcome = mine(&AddIntent, &Context::of(&rows), &task, &mut |_, _| {});
        assert_eq!(outcome.cut, Some(Cut::Bytes));
    }

    #[test]
    fn a_long_chain_of_documents_does_not_use_up_the_stack() {
        // Document i lies in the transactions from i on: a chain of 2,000 nodes.
        let rows: Vec<Vec<u32>> = (0..2_000).map(|last| (0..=last).collect()).collect();
        let closed = found(&AddIntent, &Context::of(&rows), &Task::new(Target::Closed, 1));
        assert_eq!(closed.len(), 2_000);
    }
}
