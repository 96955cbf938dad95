//! Clusters of seeds: close together on both sides, in any order.

use super::Seed;

/// How often a cluster is split at gaps of one side and then of the other; what is left then is taken
/// as it is. Texts of people need a handful.
const MOST_ROUNDS: u32 = 64;

/// Splits seeds where more than `gaps[side]` words lie between two of them, on one side and then on the
/// other, until neither side has such a gap. The result does not depend on the side that comes first.
pub(super) fn clusters(seeds: Vec<Seed>, gaps: [u32; 2]) -> Vec<Vec<Seed>> {
    let mut done = Vec::new();
    let mut todo = Vec::new();
    if !seeds.is_empty() {
        todo.push(Part { seeds, side: 0, is_whole: false, n_rounds: 0 });
    }
    while let Some(Part { mut seeds, side, is_whole, n_rounds }) = todo.pop() {
        seeds.sort_unstable_by_key(|seed| seed.side(side));
        let mut pieces = Vec::new();
        let mut end = seeds[0].side(side).1;
        let mut start = 0;
        for (at, seed) in seeds.iter().enumerate() {
            let range = seed.side(side);
            if range.0 > end.saturating_add(gaps[side]) {
                pieces.push(seeds[start..at].to_vec());
                start = at;
                end = range.1;
            }
            end = end.max(range.1);
        }
        if start == 0 {
            if is_whole {
                done.push(seeds);
            } else {
                todo.push(Part { seeds, side: 1 - side, is_whole: true, n_rounds });
            }
            continue;
        }
        pieces.push(seeds[start..].to_vec());
        if n_rounds == MOST_ROUNDS {
            done.append(&mut pieces);
            continue;
        }
        let n_rounds = n_rounds + 1;
        todo.extend(pieces.into_iter().map(|seeds| Part {
            seeds,
            side: 1 - side,
            is_whole: false,
            n_rounds,
        }));
    }
    done
}

struct Part {
    seeds: Vec<Seed>,
    /// The side that is looked at next.
    side: usize,
    /// Whether the other side has no gap.
    is_whole: bool,
    n_rounds: u32,
}
