//! Clusters of seeds: close together on both sides, in any order.

use super::Seed;

/// How often a cluster is split at gaps of one side and then of the other; what is left then is taken
/// as it is. Texts of people need a handful.
const MOST_ROUNDS: u32 = 64;

/// Seeds that lie close together.
#[derive(Clone, Debug)]
pub(super) struct Cluster {
    /// At least one, sorted by the side `sorted`.
    pub(super) seeds: Vec<Seed>,
    sorted: usize,
    /// Words between two neighbouring seeds on each side, at most.
    widest: [u32; 2],
}

impl Cluster {
    /// Seeds sorted by the first side.
    pub(super) fn new(seeds: Vec<Seed>) -> Self {
        Self { seeds, sorted: 0, widest: [u32::MAX; 2] }
    }

    /// Returns whether smaller gaps would split it.
    pub(super) fn is_split_by(&self, gaps: [u32; 2]) -> bool {
        self.widest[0] > gaps[0] || self.widest[1] > gaps[1]
    }
}

/// Splits seeds where more than `gaps[side]` words lie between two of them, on one side and then on the
/// other, until neither side has such a gap. The result does not depend on the side that comes first.
pub(super) fn clusters(cluster: Cluster, gaps: [u32; 2], done: &mut Vec<Cluster>) {
    let mut todo = Vec::new();
    if !cluster.seeds.is_empty() {
        let side = cluster.sorted;
        todo.push(Part { cluster, side, is_whole: false, n_rounds: 0 });
    }
    while let Some(Part { cluster, side, is_whole, n_rounds }) = todo.pop() {
        let Cluster { mut seeds, sorted, mut widest } = cluster;
        if side != sorted {
            seeds.sort_unstable_by_key(|seed| seed.side(side));
        }
        let mut pieces = Vec::new();
        let mut end = seeds[0].side(side).1;
        let (mut start, mut most) = (0, 0);
        for (at, seed) in seeds.iter().enumerate() {
            let range = seed.side(side);
            let between = range.0.saturating_sub(end);
            if between > gaps[side] {
                pieces.push(seeds[start..at].to_vec());
                start = at;
                end = range.1;
            } else {
                most = most.max(between);
            }
            end = end.max(range.1);
        }
        if start == 0 {
            widest[side] = most;
            let cluster = Cluster { seeds, sorted: side, widest };
            if is_whole {
                done.push(cluster);
            } else {
                todo.push(Part { cluster, side: 1 - side, is_whole: true, n_rounds });
            }
            continue;
        }
        pieces.push(seeds[start..].to_vec());
        let pieces =
            pieces.into_iter().map(|seeds| Cluster { seeds, sorted: side, widest: [u32::MAX; 2] });
        if n_rounds == MOST_ROUNDS {
            done.extend(pieces);
            continue;
        }
        let (n_rounds, side) = (n_rounds + 1, 1 - side);
        todo.extend(pieces.map(|cluster| Part { cluster, side, is_whole: false, n_rounds }));
    }
}

struct Part {
    cluster: Cluster,
    /// The side that is looked at next.
    side: usize,
    /// Whether the other side has no gap.
    is_whole: bool,
    n_rounds: u32,
}
