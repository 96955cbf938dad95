//! How two stretches agree: how many words they have in common, and how many of them in the same order.

use crate::hash::numbering::Numbering;

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

/// Counts common words; what one pair of stretches needed is there for the next.
#[derive(Clone, Debug, Default)]
pub struct Agreement {
    numbers: Numbering,
    /// Number of each word of the shorter stretch.
    of: Vec<u32>,
    /// Places of the words of the shorter stretch, by word, and where those of each word end.
    places: Vec<u32>,
    ends: Vec<u32>,
    /// How many of the places of each word were met.
    n_met: Vec<u32>,
    /// One bit for each place: whether no longest common subsequence grows there.
    free: Vec<u64>,
}

impl Agreement {
    /// Counts the words that two stretches have in common; a word counts as often as both have it.
    ///
    /// PERF: the length of the longest common subsequence comes from sums of bits (Hyyrö 2004), a word of
    ///       64 places at a time and only where the word at hand stands. With a list of ends for each
    ///       pair of equal words (Hunt, Szymanski 1977) it took an eighth of `find --edits heavy`.
    pub fn common_words(&mut self, a: &[u64], b: &[u64]) -> CommonWords {
        let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        self.take(short);
        let Self { numbers, places, ends, n_met, free, .. } = self;
        let is_ordered = short.len() <= MOST_ORDERED;
        free.clear();
        free.resize(short.len().div_ceil(64), u64::MAX);
        n_met.clear();
        n_met.resize(ends.len(), 0);
        let mut n_common = 0;
        for &word in long {
            let Some(number) = numbers.get(word) else { continue };
            let number = number as usize;
            let start = number.checked_sub(1).map_or(0, |before| ends[before]) as usize;
            let of_word = &places[start..ends[number] as usize];
            if (n_met[number] as usize) < of_word.len() {
                n_met[number] += 1;
                n_common += 1;
            }
            if is_ordered {
                grow(free, of_word);
            }
        }
        let in_order = if is_ordered { n_taken(free, short.len()) } else { n_common };
        CommonWords { in_order, moved: n_common - in_order }
    }

    /// Takes up the shorter stretch.
    fn take(&mut self, words: &[u64]) {
        let Self { numbers, of, places, ends, .. } = self;
        numbers.clear(words.len());
        of.clear();
        of.extend(words.iter().map(|&word| numbers.number(word)));
        ends.clear();
        ends.resize(numbers.len(), 0);
        for &number in &*of {
            ends[number as usize] += 1;
        }
        // First where the places of each word begin, then, as they are filled in, where they end.
        let mut start = 0;
        for end in &mut *ends {
            start += std::mem::replace(end, start);
        }
        places.clear();
        places.resize(words.len(), 0);
        for (place, &number) in (0..).zip(&*of) {
            let end = &mut ends[number as usize];
            places[*end as usize] = place;
            *end += 1;
        }
    }
}

/// Lets the common subsequences grow by a word that stands at these places, in ascending order.
fn grow(free: &mut [u64], places: &[u32]) {
    let Some(&first) = places.first() else { return };
    let mut rest = places;
    let mut at = first as usize / 64;
    let mut carry = 0;
    while at < free.len() {
        let mut here = 0;
        while let Some((&place, others)) = rest.split_first()
            && place as usize / 64 == at
        {
            here |= 1 << (place % 64);
            rest = others;
        }
        let bits = free[at];
        let (sum, is_over) = bits.overflowing_add(bits & here);
        let (sum, is_over_too) = sum.overflowing_add(carry);
        free[at] = sum | (bits & !here);
        carry = u64::from(is_over || is_over_too);
        at += 1;
        if carry == 0 {
            let Some(&next) = rest.first() else { return };
            at = next as usize / 64;
        }
    }
}

/// Returns how many of the first `n` bits are not set.
fn n_taken(free: &[u64], n: usize) -> u32 {
    let whole: u32 = free[..n / 64].iter().map(|bits| bits.count_zeros()).sum();
    let rest = free.get(n / 64).map_or(0, |bits| (!bits & ((1 << (n % 64)) - 1)).count_ones());
    whole + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Random;

    #[test]
    fn words_in_order_and_words_that_moved_are_told_apart() {
        let mut agreement = Agreement::default();
        let mut common = |a: &[u64], b: &[u64]| {
            let CommonWords { in_order, moved } = agreement.common_words(a, b);
            let turned = agreement.common_words(b, a);
            assert_eq!(turned, CommonWords { in_order, moved }, "either way round");
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

    /// The longest common subsequence by its definition.
    fn longest(a: &[u64], b: &[u64]) -> u32 {
        let mut row = vec![0; b.len() + 1];
        for x in a {
            let mut diagonal = 0;
            for (at, y) in b.iter().enumerate() {
                let grown = if x == y { diagonal + 1 } else { row[at].max(row[at + 1]) };
                diagonal = std::mem::replace(&mut row[at + 1], grown);
            }
        }
        row[b.len()]
    }

    #[test]
    fn the_order_by_bits_is_that_of_the_definition() {
        let mut random = Random::new(11);
        let mut agreement = Agreement::default();
        for round in 0..300 {
            let n_different = [2, 9, 60, 500][round % 4];
            let mut words = |n: usize| -> Vec<u64> {
                (0..n).map(|_| random.below(n_different) as u64).collect()
            };
            let (a, b) = (words(round), words(round * 7 % 300));
            let found = agreement.common_words(&a, &b);
            assert_eq!(found.in_order, longest(&a, &b), "round {round}");
        }
    }
}
