//! How sure a tree is: how much dearer the trees without one of its steps are.
//!
//! A step joins two parts of the tree. Other trees are made from the same two parts: another step
//! joins them, and each part may begin at another of its documents, which turns the steps on the way
//! there round. So a rival may be another parent, or the same two documents the other way round. The
//! confidence of a step is its share of the likelihood of all these trees, where a tree is less likely
//! by a constant factor for every bit that it costs more.

use super::costs::Costs;
use crate::pipeline::parallel::Pool;

/// How fast the likelihood of a tree falls with its cost, by what is little for two documents: with
/// times and without. Chosen on one half of the development sets, as the costs were.
const FALL_TIMED: f64 = 4.0;
const FALL_UNTIMED: f64 = 1.0;

/// How sure a tree is.
pub(super) struct Supports {
    /// By child; that of the root says nothing.
    pub(super) steps: Vec<Support>,
    /// How sure the root is.
    pub(super) root: f64,
}

/// How sure a step is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Support {
    /// How much dearer the best tree without the step is; none if there is no other.
    pub(super) margin: Option<i64>,
    /// The parent that the child has there.
    pub(super) rival: Option<usize>,
    /// Share of the likelihood.
    pub(super) confidence: f64,
}

impl Support {
    /// What is said where there is no other tree.
    const CERTAIN: Self = Self { margin: None, rival: None, confidence: 1.0 };
}

/// Adds up the likelihood of rivals, that of the tree itself being 1.
struct Rivals {
    fall: f64,
    sum: f64,
}

impl Rivals {
    fn of(costs: &Costs, one: usize, other: usize) -> Self {
        let fall = if costs.is_timed(one, other) { FALL_TIMED } else { FALL_UNTIMED };
        Self { fall: fall / costs.little(one, other) as f64, sum: 0.0 }
    }

    fn add(&mut self, margin: i64) {
        self.sum += (-self.fall * margin.max(0) as f64).exp();
    }

    /// Returns the share of the tree itself, with six decimals as shares are written everywhere.
    fn confidence(&self) -> f64 {
        (1e6 / (1.0 + self.sum)).round() / 1e6
    }
}

/// Looks at every step of a tree.
pub(super) fn of(costs: &Costs, parents: &[Option<usize>], pool: &Pool) -> Supports {
    let tree = Tree::of(costs, parents);
    let children: Vec<usize> = (0..parents.len()).collect();
    let steps = pool.map(&children, |&child| tree.support(costs, parents, child));
    let root = tree.root.map_or(1.0, |root| {
        let mut rivals = Rivals::of(costs, root, root);
        for other in children.iter().copied().filter(|&other| other != root) {
            if let Some(turned) = tree.turned(root, other) {
                rivals.add(turned + costs.roots[other] - costs.roots[root]);
            }
        }
        rivals.confidence()
    });
    Supports { steps, root }
}

/// A tree with what it costs to turn the way from the root to each node round.
struct Tree {
    root: Option<usize>,
    /// Place of each node in a walk from the root, and the place behind its last descendant.
    walk: Vec<(usize, usize)>,
    /// Sum of what turning the steps from the root costs, and how many of them cannot be turned.
    turns: Vec<(i64, usize)>,
}

impl Tree {
    fn of(costs: &Costs, parents: &[Option<usize>]) -> Self {
        let order = super::parents_first(parents);
        let mut walk = vec![(0, 0); parents.len()];
        let mut turns = vec![(0, 0); parents.len()];
        for (place, &node) in order.iter().enumerate() {
            walk[node] = (place, place + 1);
            if let Some(parent) = parents[node] {
                let (sum, n_fixed) = turns[parent];
                let forth = costs.step(parent, node).unwrap_or_default();
                turns[node] = match costs.step(node, parent) {
                    Some(back) => (sum + back - forth, n_fixed),
                    None => (sum, n_fixed + 1),
                };
            }
        }
        for &node in order.iter().rev() {
            if let Some(parent) = parents[node] {
                walk[parent].1 = walk[parent].1.max(walk[node].1);
            }
        }
        Self { root: order.first().copied(), walk, turns }
    }

    fn is_below(&self, node: usize, top: usize) -> bool {
        let (start, end) = self.walk[top];
        (start..end).contains(&self.walk[node].0)
    }

    /// Returns what it costs to let the part below `top` begin at `node` instead; `None` if it cannot.
    fn turned(&self, top: usize, node: usize) -> Option<i64> {
        let ((before, fixed_before), (after, fixed_after)) = (self.turns[top], self.turns[node]);
        (fixed_before == fixed_after).then_some(after - before)
    }

    /// Returns how sure the step to `child` is.
    fn support(&self, costs: &Costs, parents: &[Option<usize>], child: usize) -> Support {
        let (Some(root), Some(parent)) = (self.root, parents[child]) else {
            return Support::CERTAIN;
        };
        let Some(own) = costs.step(parent, child) else { return Support::CERTAIN };
        let nodes = 0..parents.len();
        // What it costs if the part of the child holds the root of the whole tree.
        let as_root = nodes
            .filter(|&node| self.is_below(node, child))
            .filter_map(|node| {
                let turned = self.turned(child, node)? + costs.roots[node] - costs.roots[root];
                Some((turned, node))
            })
            .min();
        let mut rivals = Rivals::of(costs, parent, child);
        let mut best: Option<(i64, Option<usize>)> = None;
        for step in &costs.steps {
            if (step.parent, step.child) == (parent, child) {
                continue;
            }
            let rival = match (self.is_below(step.parent, child), self.is_below(step.child, child))
            {
                (false, true) => self.turned(child, step.child).map(|turned| {
                    let rival = if step.child == child { Some(step.parent) } else { None };
                    (step.cost + turned, rival)
                }),
                (true, false) => as_root.and_then(|(begun, _)| {
                    Some((step.cost + begun + self.turned(root, step.child)?, None))
                }),
                _ => None,
            };
            if let Some((cost, rival)) = rival {
                rivals.add(cost - own);
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, rival));
                }
            }
        }
        // The tree is the cheapest of those with the steps that were looked at.
        let margin = best.map(|(cost, _)| (cost - own).max(0));
        let rival = best.and_then(|(_, rival)| rival);
        Support { margin, rival, confidence: rivals.confidence() }
    }
}
