//! How two stretches agree: how many words they have in common, and how many of them in the same order.

use std::collections::HashMap;

use crate::hash::Prehashed;

/// Words of the shorter stretch up to which the order of words is looked at; in longer ones, which no
/// people rewrite as one passage, all common words are taken to be in order.
const MOST_ORDERED: usize = 2_048;

/// Words that two stretches have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommonWords {
    /// Those in the same order in both: as many as possible.
    pub in_order: u32,
    /// Those that stand elsewhere in the other stretch.
    pub moved: u32,
}

/// The places of a word in a stretch, and how many of them were met.
struct Places<'a> {
    of: &'a [(u64, u32)],
    n_met: usize,
}

/// Counts the words that two stretches have in common; a word counts as often as both have it.
pub fn common_words(a: &[u64], b: &[u64]) -> CommonWords {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut sorted: Vec<(u64, u32)> = short.iter().copied().zip(0..).collect();
    sorted.sort_unstable();
    let mut places: HashMap<u64, Places<'_>, Prehashed> = HashMap::default();
    let of_word = |of| Places { of, n_met: 0 };
    places.extend(sorted.chunk_by(|x, y| x.0 == y.0).map(|same| (same[0].0, of_word(same))));
    // The length of the longest common subsequence, by the places where increasing ones may end (Hunt,
    // Szymanski 1977).
    let mut ends: Vec<u32> = Vec::new();
    let mut n_common = 0;
    for word in long {
        let Some(Places { of, n_met }) = places.get_mut(word) else { continue };
        if *n_met < of.len() {
            *n_met += 1;
            n_common += 1;
        }
        if short.len() > MOST_ORDERED {
            continue;
        }
        for &(_, place) in of.iter().rev() {
            let at = ends.partition_point(|&end| end < place);
            match ends.get_mut(at) {
                Some(end) => *end = place,
                None => ends.push(place),
            }
        }
    }
    let in_order = if short.len() > MOST_ORDERED { n_common } else { ends.len() as u32 };
    CommonWords { in_order, moved: n_common - in_order }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_order_and_words_that_moved_are_told_apart() {
        let common = |a: &[u64], b: &[u64]| {
            let CommonWords { in_order, moved } = common_words(a, b);
            assert_eq!(common_words(b, a), CommonWords { in_order, moved }, "either way round");
            (in_order, moved)
        };
        assert_eq!(common(&[1, 2, 3, 4], &[1, 2, 3, 4]), (4, 0));
        assert_eq!(common(&[1, 2, 3, 4], &[1, 9, 3, 4, 8]), (3, 0));
        assert_eq!(common(&[1, 2, 3, 4], &[3, 4, 1, 2]), (2, 2));
        assert_eq!(common(&[1, 1, 2], &[1, 2, 1, 1]), (2, 1));
        assert_eq!(common(&[], &[1, 2]), (0, 0));
        let long: Vec<u64> = (0..5_000).collect();
        assert_eq!(common(&long, &long), (5_000, 0));
    }
}
