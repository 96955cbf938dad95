//! The cheapest tree that reaches every node from one root, by the algorithm of Chu and Liu (1965)
//! and Edmonds (1967).
//!
//! Every node takes its cheapest step. Where these go round in a circle, the circle becomes one node
//! and a step into it costs what it adds to the step that it replaces; then all begins again with
//! fewer nodes. A round takes time in proportion to the steps; there are few rounds in practice, and
//! never more than nodes.

use super::costs::Step;

/// What a root costs beside its own cost, so that a tree has no second one unless it must: more than
/// all steps of a tree together.
const ONE_ROOT: i64 = 1 << 48;

/// Returns the parent of every node in the cheapest tree; none for its root. `roots` has what each
/// node costs as the root. A node that no step leads to from the root is a root as well. Of trees
/// that cost the same, one with early steps is taken, so the result depends on the input alone.
pub(super) fn cheapest(roots: &[i64], steps: &[Step]) -> Vec<Option<usize>> {
    let n_nodes = roots.len();
    // The node before all others, which every root is a child of.
    let source = n_nodes;
    let from_source = roots.iter().enumerate().map(|(child, &cost)| Edge {
        parent: source,
        child,
        cost: cost + ONE_ROOT,
    });
    let other = |step: &Step| Edge { parent: step.parent, child: step.child, cost: step.cost };
    let edges: Vec<Edge> = from_source.chain(steps.iter().map(other)).collect();
    let mut parents = vec![None; n_nodes];
    for edge in chosen(n_nodes + 1, source, &edges) {
        let Edge { parent, child, .. } = edges[edge];
        parents[child] = (parent != source).then_some(parent);
    }
    parents
}

#[derive(Clone, Copy)]
struct Edge {
    parent: usize,
    child: usize,
    cost: i64,
}

/// One round: which circles became one node.
struct Round {
    /// The cheapest edge into every node.
    cheapest: Vec<Option<usize>>,
    /// The nodes of every circle.
    circles: Vec<Vec<usize>>,
    /// The edges of the next round, by their numbers in this one.
    kept: Vec<usize>,
    /// Children of this round's edges.
    children: Vec<usize>,
    n_nodes: usize,
}

/// Returns the edges of the cheapest tree.
fn chosen(n_nodes: usize, source: usize, edges: &[Edge]) -> Vec<usize> {
    let mut rounds: Vec<Round> = Vec::new();
    let (mut n_nodes, mut source, mut edges) = (n_nodes, source, edges.to_vec());
    loop {
        let mut cheapest: Vec<Option<usize>> = vec![None; n_nodes];
        for (number, edge) in edges.iter().enumerate() {
            let best = &mut cheapest[edge.child];
            if edge.child != source && best.is_none_or(|best: usize| edge.cost < edges[best].cost) {
                *best = Some(number);
            }
        }
        let circles = circles(n_nodes, &edges, &cheapest);
        let mut new_number = vec![usize::MAX; n_nodes];
        for (number, circle) in circles.iter().enumerate() {
            for &node in circle {
                new_number[node] = number;
            }
        }
        let is_in_circle: Vec<bool> =
            new_number.iter().map(|&number| number != usize::MAX).collect();
        let mut next = circles.len();
        for number in new_number.iter_mut().filter(|number| **number == usize::MAX) {
            *number = next;
            next += 1;
        }
        let (mut kept, mut smaller) = (Vec::new(), Vec::new());
        if !circles.is_empty() {
            for (number, edge) in edges.iter().enumerate() {
                let (parent, child) = (new_number[edge.parent], new_number[edge.child]);
                if parent != child {
                    let replaced = cheapest[edge.child].filter(|_| is_in_circle[edge.child]);
                    let cost = edge.cost - replaced.map_or(0, |replaced| edges[replaced].cost);
                    kept.push(number);
                    smaller.push(Edge { parent, child, cost });
                }
            }
        }
        let is_last = circles.is_empty();
        let children = edges.iter().map(|edge| edge.child).collect();
        rounds.push(Round { cheapest, circles, kept, children, n_nodes });
        if is_last {
            break;
        }
        (source, n_nodes, edges) = (new_number[source], next, smaller);
    }
    // Back from the smallest: a circle is entered by one edge and keeps the others.
    let mut taken: Vec<usize> = Vec::new();
    for (at, round) in rounds.iter().enumerate().rev() {
        if at + 1 == rounds.len() {
            taken = round.cheapest.iter().flatten().copied().collect();
            continue;
        }
        taken = taken.into_iter().map(|edge| round.kept[edge]).collect();
        let mut is_entered = vec![false; round.n_nodes];
        for &edge in &taken {
            is_entered[round.children[edge]] = true;
        }
        for &node in round.circles.iter().flatten().filter(|&&node| !is_entered[node]) {
            taken.extend(round.cheapest[node]);
        }
    }
    taken
}

/// Returns the circles that the cheapest edges make.
fn circles(n_nodes: usize, edges: &[Edge], cheapest: &[Option<usize>]) -> Vec<Vec<usize>> {
    let mut seen_from = vec![usize::MAX; n_nodes];
    let mut circles = Vec::new();
    for start in 0..n_nodes {
        let mut node = start;
        let met = loop {
            if seen_from[node] != usize::MAX {
                break Some(node);
            }
            seen_from[node] = start;
            match cheapest[node] {
                Some(edge) => node = edges[edge].parent,
                None => break None,
            }
        };
        // A node that an earlier walk has seen belongs to what that walk found.
        if let Some(node) = met.filter(|&node| seen_from[node] == start) {
            let mut circle = vec![node];
            let mut next = cheapest[node].map(|edge| edges[edge].parent);
            while let Some(other) = next.filter(|&other| other != node) {
                circle.push(other);
                next = cheapest[other].map(|edge| edges[edge].parent);
            }
            circles.push(circle);
        }
    }
    circles
}

#[cfg(test)]
mod tests {
    use retold_core::hash::Random;

    use super::*;

    fn cost(roots: &[i64], steps: &[Step], parents: &[Option<usize>]) -> Option<i64> {
        let mut sum = 0;
        for (child, parent) in parents.iter().enumerate() {
            sum += match parent {
                None => roots[child] + ONE_ROOT,
                Some(parent) => {
                    steps.iter().find(|step| step.parent == *parent && step.child == child)?.cost
                }
            };
            // Every way back ends at a root.
            let (mut node, mut n_steps) = (child, 0);
            while let Some(parent) = parents[node] {
                (node, n_steps) = (parent, n_steps + 1);
                if n_steps > parents.len() {
                    return None;
                }
            }
        }
        Some(sum)
    }

    /// Tries every choice of parents.
    fn best(roots: &[i64], steps: &[Step]) -> i64 {
        let n = roots.len();
        let choices = (n + 1).pow(n as u32);
        let parents = |mut choice: usize| -> Vec<Option<usize>> {
            let mut one = || {
                let parent = choice % (n + 1);
                choice /= n + 1;
                (parent < n).then_some(parent)
            };
            (0..n).map(|_| one()).collect()
        };
        (0..choices)
            .filter_map(|choice| cost(roots, steps, &parents(choice)))
            .min()
            .expect("a tree")
    }

    #[test]
    fn no_tree_is_cheaper() {
        let mut rng = Random::new(7);
        for case in 0..300 {
            let n = 1 + case % 5;
            let mut below = |bound: usize| rng.below(bound) as i64;
            let roots: Vec<i64> = (0..n).map(|_| below(20)).collect();
            let mut steps = Vec::new();
            for child in 0..n {
                for parent in (0..n).filter(|&parent| parent != child) {
                    if below(10) < 8 {
                        steps.push(Step { parent, child, cost: below(9) });
                    }
                }
            }
            let found = cheapest(&roots, &steps);
            assert_eq!(cost(&roots, &steps, &found), Some(best(&roots, &steps)), "case {case}");
        }
    }
}
