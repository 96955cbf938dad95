//! Edit distance: the fewest words inserted, left out or replaced that turn one text into another.
//!
//! Levenshtein's distance by furthest-reaching points (Ukkonen 1985): for each number of edits
//! and each diagonal, how far the texts can be followed. Only diagonals within the distance that
//! is still allowed are looked at, and the search ends as soon as there is none.

/// Returns the distance of two sequences of words, or `None` if it is more than `most`.
///
/// Takes n + d² steps in most cases and (2 · `most` + 1) · n in the worst, for n words and a
/// distance of d.
///
/// ```
/// use retold_core::image::edit::distance;
/// assert_eq!(distance(&[1, 2, 3, 4], &[1, 9, 3], 3), Some(2));
/// assert_eq!(distance(&[1, 2, 3, 4], &[1, 9, 3], 1), None);
/// ```
pub fn distance(a: &[u64], b: &[u64], most: usize) -> Option<usize> {
    let n_first = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[n_first..], &b[n_first..]);
    let n_last = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[..a.len() - n_last], &b[..b.len() - n_last]);
    let most = most.min(a.len().max(b.len()));
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    if a.is_empty() || b.is_empty() {
        return Some(a.len().max(b.len()));
    }
    // Diagonal k holds the points (i, j) with j - i = k; number `most + 1 + k` in the table, so
    // that the neighbours of every diagonal exist.
    let signed = |n: usize| isize::try_from(n).expect("a slice is shorter than isize::MAX");
    let (a_len, b_len) = (signed(a.len()), signed(b.len()));
    let (goal, far) = (b_len - a_len, signed(most));
    let slot = |k: isize| usize::try_from(far + 1 + k).expect("diagonals lie within the table");
    let none = isize::MIN / 2;
    let mut reached = vec![none; 2 * most + 3];
    let mut next = reached.clone();
    for n_edits in 0..=far {
        // Diagonals that n_edits can reach and that can still get to the goal.
        let left = far - n_edits;
        let from = (-n_edits).max(goal - left).max(-a_len);
        let to = n_edits.min(goal + left).min(b_len);
        for k in from..=to {
            let mut i = if n_edits == 0 {
                0
            } else {
                let replaced = reached[slot(k)] + 1;
                let inserted = reached[slot(k - 1)];
                let left_out = reached[slot(k + 1)] + 1;
                replaced.max(inserted).max(left_out)
            };
            i = i.min(a_len).min(b_len - k);
            if i < 0 || i + k < 0 {
                next[slot(k)] = none;
                continue;
            }
            let (rest_a, rest_b) = (&a[i.unsigned_abs()..], &b[(i + k).unsigned_abs()..]);
            i += signed(rest_a.iter().zip(rest_b).take_while(|(x, y)| x == y).count());
            if k == goal && i == a_len {
                return Some(n_edits.unsigned_abs());
            }
            next[slot(k)] = i;
        }
        // Old entries of `next` were reached with fewer edits, so they do no harm.
        std::mem::swap(&mut reached, &mut next);
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The textbook table.
    fn by_table(a: &[u64], b: &[u64]) -> usize {
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.iter().enumerate() {
            let mut diagonal = row[0];
            row[0] = i + 1;
            for (j, y) in b.iter().enumerate() {
                let replaced = diagonal + usize::from(x != y);
                diagonal = row[j + 1];
                row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
            }
        }
        row[b.len()]
    }

    proptest! {
        #[test]
        fn the_distance_is_that_of_the_whole_table(
            a in prop::collection::vec(0u64..4, 0..24),
            b in prop::collection::vec(0u64..4, 0..24),
            most in 0usize..30,
        ) {
            let expected = by_table(&a, &b);
            prop_assert_eq!(distance(&a, &b, most), (expected <= most).then_some(expected));
            prop_assert_eq!(distance(&b, &a, most), distance(&a, &b, most));
        }
    }

    #[test]
    fn nothing_in_common_costs_a_replacement_per_word() {
        assert_eq!(distance(&[1, 2, 3], &[4, 5, 6], 3), Some(3));
        assert_eq!(distance(&[], &[4, 5, 6], 3), Some(3));
        assert_eq!(distance(&[], &[], 0), Some(0));
        assert_eq!(distance(&[1], &[], 0), None);
    }
}
