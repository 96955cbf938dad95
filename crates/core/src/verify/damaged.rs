//! Passages of damaged text: words that agree beyond the ends of runs of equal words.
//!
//! Scanning and evasion damage a word here and one there. At a tenth of all characters four words of ten
//! are hit: runs of equal words are short and far between, though most of the words still agree, in order
//! and in step. Where the runs of two documents are short on the average, passages are followed beyond
//! their ends from one equal word to the next, over a few damaged ones.

/// Damaged words in a row that are stepped over, on either side.
const MOST_DAMAGED: usize = 3;
/// Equal words that an extension must have: a few common words agree by chance.
const LEAST_EQUAL: u32 = 4;
/// Runs from which their length on the average says something.
const LEAST_RUNS: usize = 3;
/// Words of runs, on the average, below which text is damaged.
const FEW_WORDS: usize = 10;

/// Returns whether runs of equal words, so many with so many words in all, are those of damaged text.
pub(super) fn is_damaged(n_runs: usize, n_words: usize) -> bool {
    n_runs >= LEAST_RUNS && n_words < FEW_WORDS * n_runs
}

/// How far two sequences of words agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Extent {
    /// Words of the first sequence.
    pub(super) a: usize,
    /// Words of the second.
    pub(super) b: usize,
    /// Words that agree.
    pub(super) equal: u32,
    /// Words without a partner; a replaced word counts once.
    pub(super) differ: u32,
}

/// Follows two sequences of words from their beginning as long as they agree; nothing if that is too
/// little.
pub(super) fn follow<'a>(
    a: impl Iterator<Item = &'a u64>,
    b: impl Iterator<Item = &'a u64>,
) -> Extent {
    let (mut a, mut b) = (Window::new(a), Window::new(b));
    let mut extent = Extent::default();
    while let Some((skip_a, skip_b)) = next_equal(&a, &b) {
        a.pass(skip_a + 1);
        b.pass(skip_b + 1);
        extent.a += skip_a + 1;
        extent.b += skip_b + 1;
        extent.equal += 1;
        extent.differ += skip_a.max(skip_b) as u32;
    }
    let is_enough =
        extent.equal >= LEAST_EQUAL && 2 * extent.equal as usize >= extent.a.max(extent.b);
    if is_enough { extent } else { Extent::default() }
}

/// The next few words of a sequence.
struct Window<I> {
    words: [Option<u64>; MOST_DAMAGED + 1],
    rest: I,
}

impl<'a, I: Iterator<Item = &'a u64>> Window<I> {
    fn new(mut rest: I) -> Self {
        Self { words: std::array::from_fn(|_| rest.next().copied()), rest }
    }

    fn pass(&mut self, n: usize) {
        for _ in 0..n {
            self.words.rotate_left(1);
            self.words[MOST_DAMAGED] = self.rest.next().copied();
        }
    }
}

/// Returns how many words have to be skipped on both sides to the next equal ones: as few as possible,
/// and as many on both sides, or one more where a word was broken in two or two became one. Words that
/// agree farther out of step do so by chance.
fn next_equal<I, J>(a: &Window<I>, b: &Window<J>) -> Option<(usize, usize)> {
    let is_equal = |i: usize, j: usize| a.words[i].is_some() && a.words[i] == b.words[j];
    for most in 0..=MOST_DAMAGED {
        if is_equal(most, most) {
            return Some((most, most));
        }
        let Some(less) = most.checked_sub(1) else { continue };
        if is_equal(most, less) {
            return Some((most, less));
        }
        if is_equal(less, most) {
            return Some((less, most));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_step_are_followed_over_damaged_ones() {
        let a = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
        let b = [1, 92, 3, 94, 95, 6, 7, 98, 9, 90];
        let extent = follow(a.iter(), b.iter());
        assert_eq!(extent, Extent { a: 9, b: 9, equal: 5, differ: 4 });
        let back = follow(a[..9].iter().rev(), b[..9].iter().rev());
        assert_eq!(back, Extent { a: 9, b: 9, equal: 5, differ: 4 });
    }

    #[test]
    fn a_word_that_was_broken_in_two_is_stepped_over() {
        let (a, b) = ([1, 2, 3, 4, 5, 6], [1, 2, 70, 71, 4, 5, 6]);
        assert_eq!(follow(a.iter(), b.iter()), Extent { a: 6, b: 7, equal: 5, differ: 2 });
    }

    #[test]
    fn words_that_agree_out_of_step_are_not_followed() {
        let (a, b) = ([1, 2, 80, 81, 82, 3, 4], [1, 2, 90, 3, 4, 91, 92]);
        assert_eq!(follow(a.iter(), b.iter()), Extent::default());
        let (a, b) = ([1, 2, 80, 3, 4], [1, 2, 3, 4, 90]);
        assert_eq!(follow(a.iter(), b.iter()).equal, 4);
    }

    #[test]
    fn a_few_common_words_are_not_enough() {
        let (a, b) = ([1, 80, 81, 82, 2, 83, 84, 85, 3], [1, 90, 91, 92, 2, 93, 94, 95, 3]);
        assert_eq!(follow(a.iter(), b.iter()), Extent::default());
    }
}
