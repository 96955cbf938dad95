//! How sure a tree is: how much dearer the best tree without one of its steps is.
//!
//! A step joins two parts of the tree. Other trees are made from the same two parts: another step
//! joins them, and each part may begin at another of its documents, which turns the steps on the way
//! there round. So a rival may be another parent, or the same two documents the other way round.

use super::costs::Costs;
use crate::pipeline::parallel::Pool;

/// How sure a tree is.
pub(super) struct Supports {
    /// By child; that of the root says nothing.
    pub(super) steps: Vec<Support>,
    /// How sure the root is.
    pub(super) root: f64,
}

/// How sure a step is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Support {
    /// How much dearer the best tree without the step is; none if there is no other.
    pub(super) margin: Option<i64>,
    /// The parent that the child has there.
    pub(super) rival: Option<usize>,
}

/// Returns a share from 0.5 (a tie) to 1 that grows with the margin, measured in what is little for the
/// two documents.
pub(super) fn confidence(margin: Option<i64>, little: i64) -> f64 {
    let Some(margin) = margin else { return 1.0 };
    let share = 1.0 / (1.0 + (-2.0 * margin as f64 / little as f64).exp());
    // As shares are written everywhere: six decimals.
    (share * 1e6).round() / 1e6
}

/// Looks at every step of a tree.
pub(super) fn of(costs: &Costs, parents: &[Option<usize>], pool: &Pool) -> Supports {
    let tree = Tree::of(costs, parents);
    let children: Vec<usize> = (0..parents.len()).collect();
    let steps = pool.map(&children, |&child| tree.support(costs, parents, child));
    let root = tree.root.and_then(|root| {
        let others = children.iter().filter(|&&other| other != root);
        let turned = others.filter_map(|&other| {
            let margin = tree.turned(root, other)? + costs.roots[other] - costs.roots[root];
            Some(confidence(Some(margin.max(0)), costs.little(root, other)))
        });
        turned.min_by(f64::total_cmp)
    });
    Supports { steps, root: root.unwrap_or(1.0) }
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
            return Support::default();
        };
        let Some(own) = costs.step(parent, child) else { return Support::default() };
        let nodes = 0..parents.len();
        // What it costs if the part of the child holds the root of the whole tree.
        let as_root = nodes
            .filter(|&node| self.is_below(node, child))
            .filter_map(|node| {
                let turned = self.turned(child, node)? + costs.roots[node] - costs.roots[root];
                Some((turned, node))
            })
            .min();
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
            if let Some((cost, rival)) = rival
                && best.is_none_or(|(least, _)| cost < least)
            {
                best = Some((cost, rival));
            }
        }
        // The tree is the cheapest of those with the steps that were looked at.
        let margin = best.map(|(cost, _)| (cost - own).max(0));
        Support { margin, rival: best.and_then(|(_, rival)| rival) }
    }
}
