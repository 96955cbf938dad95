//! Passages of damaged text: words that agree beyond the ends of runs of equal words.
//!
//! Scanning and evasion damage a word here and one there. At a tenth of all characters four words of ten
//! are hit: runs of equal words are short and far between, though most of the words still agree, in order
//! and in step, and the others have most of their letters in common. Where the runs of two documents are
//! short on the average, passages are followed beyond their ends, over damaged words, as long as the letters
//! agree. Where there are several runs, they are also followed over words that were replaced, as long as
//! every second one agrees; but not where these are mostly numbers: a table that is filled in again is no copy.

use super::Profile;

/// Damaged words in a row that are stepped over to an equal one, on either side.
const MOST_DAMAGED: usize = 3;
/// Equal words that an extension must have: a few common words agree by chance.
const LEAST_EQUAL: u32 = 4;
/// Words of runs, on the average, below which text is damaged.
const FEW_WORDS: usize = 10;
/// Runs of words in common from which passages are followed over damaged words, if these are also one in so
/// many of the shorter document.
pub(super) const LEAST_DAMAGED: usize = 4;
pub(super) const DAMAGED_SHARE: usize = 32;
/// The same for words that were replaced, and stretches of equal words from which their length on the
/// average says something.
const LEAST_REPLACED: usize = 4;
const REPLACED_SHARE: usize = 32;
const LEAST_STRETCHES: usize = 3;
/// Letters that a step gains are those of its words, less so many for each letter put in, left out or
/// replaced: a step loses where more than a third of the letters differ.
const COST: i32 = 3;
/// Letters by which the steps behind the best end of an extension may lose before it is given up.
const MOST_LOST: i32 = 20;
/// Letters that differ, of all letters of the damaged words of an extension, in tenths. Scanned text with
/// a tenth of its characters misread has two to three, with a fifth three; words by chance seven to nine.
const MOST_TENTHS: i32 = 4;
/// Letters of the words of a step that are compared.
const MOST_LETTERS: usize = 64;

/// What passages are followed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Over {
    /// Words of which most letters agree.
    pub(super) damaged: bool,
    /// Other words.
    pub(super) replaced: bool,
}

impl Over {
    /// Says what may be followed over, given how many different runs two documents have in common and the
    /// shorter one has, and how many stretches of equal words there are, with how many words.
    pub(super) fn of(
        (n_common, n_runs): (usize, usize),
        (n_stretches, n_words): (usize, usize),
    ) -> Self {
        let is_short = n_words < FEW_WORDS * n_stretches;
        let is_enough = |least: usize, share: usize| n_common >= least.max(n_runs / share);
        Self {
            damaged: is_short && is_enough(LEAST_DAMAGED, DAMAGED_SHARE),
            replaced: is_short
                && n_stretches >= LEAST_STRETCHES
                && is_enough(LEAST_REPLACED, REPLACED_SHARE),
        }
    }
}

/// How far two stretches of words agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Extent {
    /// Words of the first stretch.
    pub(super) a: usize,
    /// Words of the second.
    pub(super) b: usize,
    /// Words that agree.
    pub(super) equal: u32,
    /// Words without an equal partner; a damaged word counts once.
    pub(super) differ: u32,
    /// Of these, words that are damaged: most of their letters agree.
    pub(super) alike: u32,
}

/// Words of a document from a place on, in their order or back from there.
#[derive(Clone, Copy)]
pub(super) struct Stretch<'a> {
    profile: &'a Profile,
    /// First word of the stretch, and one past the last.
    words: (usize, usize),
    is_back: bool,
}

impl<'a> Stretch<'a> {
    /// The words from `start` up to `end`.
    pub(super) fn from(profile: &'a Profile, start: usize, end: usize) -> Self {
        Self { profile, words: (start, end.clamp(start, profile.n_words())), is_back: false }
    }

    /// The words before `end`, the last one first, down to `start`.
    pub(super) fn back(profile: &'a Profile, end: usize, start: usize) -> Self {
        Self { profile, words: (start.min(end), end), is_back: true }
    }

    fn len(&self) -> usize {
        self.words.1 - self.words.0
    }

    /// Returns the place of the `n`th word in the document.
    fn place(&self, n: usize) -> usize {
        if self.is_back { self.words.1 - 1 - n } else { self.words.0 + n }
    }

    fn word(&self, n: usize) -> Option<u64> {
        (n < self.len()).then(|| self.profile.words.hashes[self.place(n)])
    }

    /// Returns how long the `n`th word is.
    fn n_bytes(&self, n: usize) -> usize {
        let spans = &self.profile.words.spans;
        spans.get(self.place(n)).map_or(0, |span| (span.end - span.start) as usize)
    }

    /// Returns whether there is a digit in some words.
    fn has_digit(&self, from: usize, n: usize) -> bool {
        let is_digit =
            |place: usize| self.profile.written(place).bytes().any(|b| b.is_ascii_digit());
        (from..from + n).any(|n| is_digit(self.place(n)))
    }

    /// Returns whether a word begins or ends as one of another stretch does.
    fn is_like(&self, n: usize, other: &Self, m: usize) -> bool {
        if n >= self.len() || m >= other.len() {
            return false;
        }
        let of = |stretch: &Self, n: usize| {
            let word = stretch.profile.written(stretch.place(n)).as_bytes();
            [word.first(), word.last()].map(|byte| byte.map(u8::to_ascii_lowercase))
        };
        let (x, y) = (of(self, n), of(other, m));
        x[0] == y[0] || x[1] == y[1]
    }

    /// Puts the letters of some words into `out`, in the order of the document.
    fn letters(&self, from: usize, n: usize, out: &mut Letters) {
        out.n = 0;
        if n == 0 {
            return;
        }
        let (one, other) = (self.place(from), self.place(from + n - 1));
        for place in one.min(other)..=one.max(other) {
            out.put(self.profile.written(place));
        }
    }
}

/// The letters and digits of a few words, in lower case.
struct Letters {
    of: [char; MOST_LETTERS],
    n: usize,
}

impl Letters {
    fn none() -> Self {
        Self { of: ['\0'; MOST_LETTERS], n: 0 }
    }

    fn put(&mut self, word: &str) {
        let letters = word.chars().filter(|letter| letter.is_alphanumeric());
        for letter in letters.flat_map(char::to_lowercase).take(MOST_LETTERS - self.n) {
            self.of[self.n] = letter;
            self.n += 1;
        }
    }

    fn all(&self) -> &[char] {
        &self.of[..self.n]
    }
}

/// Returns a number of letters, at most [`MOST_LETTERS`], as one that can be taken away from.
fn small(n_letters: usize) -> i32 {
    i32::from(n_letters as u8)
}

/// Returns how many letters have to be put in, left out or replaced (Levenshtein 1966).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: [usize; MOST_LETTERS + 1] = std::array::from_fn(|at| at);
    for (above, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], above + 1);
        for (at, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(diagonal.min(row[at]) + 1);
        }
    }
    row[b.len()]
}

/// Follows two stretches of words from their beginning as long as they agree; nothing if that is too little.
pub(super) fn follow(a: Stretch<'_>, b: Stretch<'_>, over: Over) -> Extent {
    let Walk { best, damaged, differing, .. } = walk(a, b, MOST_LOST);
    let is_enough = best.equal >= LEAST_EQUAL
        && 3 * best.equal as usize >= best.a.max(best.b)
        && 10 * differing <= MOST_TENTHS * damaged;
    if is_enough {
        best
    } else if over.replaced {
        over_replaced(a, b)
    } else {
        Extent::default()
    }
}

/// Follows two stretches from one equal word to the next, over a few that were replaced.
fn over_replaced(a: Stretch<'_>, b: Stretch<'_>) -> Extent {
    let mut here = Extent::default();
    let mut n_numbers = 0;
    while let Some((skip_a, skip_b, true)) = next_step(&a, &b, here) {
        let n_differ = skip_a.max(skip_b) as u32;
        if n_differ > 0 && a.has_digit(here.a, skip_a) && b.has_digit(here.b, skip_b) {
            n_numbers += n_differ;
        }
        here.a += skip_a + 1;
        here.b += skip_b + 1;
        here.equal += 1;
        here.differ += n_differ;
    }
    let is_enough = here.equal >= LEAST_EQUAL
        && 2 * here.equal as usize >= here.a.max(here.b)
        && 2 * n_numbers <= here.differ;
    if is_enough { here } else { Extent::default() }
}

/// Returns how many words are damaged of two stretches between runs of equal words.
pub(super) fn n_alike(a: Stretch<'_>, b: Stretch<'_>) -> u32 {
    walk(a, b, i32::MAX).end.alike
}

/// How two stretches agree up to where their letters agree best, and up to the end.
#[derive(Clone, Copy, Debug, Default)]
struct Walk {
    best: Extent,
    end: Extent,
    /// Letters of the damaged words up to the best end, and those of them that differ.
    damaged: i32,
    differing: i32,
}

/// Goes through two stretches until the steps behind the best end have lost so many letters.
fn walk(a: Stretch<'_>, b: Stretch<'_>, most_lost: i32) -> Walk {
    let mut out = Walk::default();
    let mut here = Extent::default();
    let (mut gained, mut most) = (0_i32, 0_i32);
    let (mut damaged, mut differing) = (0_i32, 0_i32);
    let (mut of_a, mut of_b) = (Letters::none(), Letters::none());
    while let Some((skip_a, skip_b, is_equal)) = next_step(&a, &b, here) {
        if skip_a + skip_b > 0 {
            // PERF: most texts simply end to agree, and letters take time. The first damaged word begins or
            //       ends as the other one does.
            if damaged == 0 && !a.is_like(here.a, &b, here.b) {
                break;
            }
            a.letters(here.a, skip_a, &mut of_a);
            b.letters(here.b, skip_b, &mut of_b);
            let letters = small(of_a.n.max(of_b.n));
            let n_differ = small(distance(of_a.all(), of_b.all()));
            gained += letters - COST * n_differ;
            damaged += letters;
            differing += n_differ;
            here.differ += skip_a.max(skip_b) as u32;
            if COST * n_differ <= 2 * letters {
                here.alike += skip_a.min(skip_b) as u32;
            }
        }
        (here.a, here.b) = (here.a + skip_a, here.b + skip_b);
        if is_equal {
            gained += small(a.n_bytes(here.a).min(MOST_LETTERS));
            (here.a, here.b) = (here.a + 1, here.b + 1);
            here.equal += 1;
            if gained >= most {
                most = gained;
                out = Walk { best: here, end: here, damaged, differing };
            }
        }
        out.end = here;
        if most.saturating_sub(gained) > most_lost {
            break;
        }
    }
    out
}

/// Returns how many words have to be skipped on both sides to the next equal ones: as few as possible,
/// and as many on both sides, or one more where a word was broken in two or two became one. Words that
/// agree farther out of step do so by chance. Where none of the next few are equal, one word on each side is
/// stepped over.
fn next_step(a: &Stretch<'_>, b: &Stretch<'_>, at: Extent) -> Option<(usize, usize, bool)> {
    let is_equal = |i: usize, j: usize| {
        let word = a.word(at.a + i);
        word.is_some() && word == b.word(at.b + j)
    };
    for most in 0..=MOST_DAMAGED {
        if is_equal(most, most) {
            return Some((most, most, true));
        }
        let Some(less) = most.checked_sub(1) else { continue };
        if is_equal(most, less) {
            return Some((most, less, true));
        }
        if is_equal(less, most) {
            return Some((less, most, true));
        }
    }
    (at.a < a.len() && at.b < b.len()).then_some((1, 1, false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::features::shingles::Shingles;
    use crate::features::{Featurizer, TextSettings};

    fn profile(text: &str) -> Profile {
        let featurizer = Featurizer::new(TextSettings::default(), 1);
        Profile::of(&Document::plain("d", text), &featurizer, Shingles::new(5))
    }

    fn followed(a: &str, b: &str) -> Extent {
        let (a, b) = (profile(a), profile(b));
        let (from_a, from_b) = (Stretch::from(&a, 0, usize::MAX), Stretch::from(&b, 0, usize::MAX));
        let there = follow(from_a, from_b, BOTH);
        let (n_a, n_b) = (a.n_words(), b.n_words());
        let back = follow(Stretch::back(&a, n_a, 0), Stretch::back(&b, n_b, 0), BOTH);
        assert_eq!(there.equal, back.equal, "either way");
        there
    }

    const BOTH: Over = Over { damaged: true, replaced: true };

    const CLEAN: &str = "the harbour board closes the east quay for repairs today";

    #[test]
    fn words_in_step_are_followed_over_damaged_ones() {
        let extent = followed(CLEAN, "the harb0ur board cioses tbe east qnay for repairs today");
        assert_eq!(extent, Extent { a: 10, b: 10, equal: 6, differ: 4, alike: 4 });
    }

    #[test]
    fn a_word_that_was_broken_in_two_is_stepped_over() {
        let extent = followed(CLEAN, "the har bour board closes the east quay for repairs today");
        assert_eq!((extent.a, extent.b, extent.equal, extent.alike), (10, 11, 9, 1));
    }

    #[test]
    fn four_damaged_words_in_a_row_are_no_end() {
        let extent = followed(CLEAN, "the harbour board closes tbe eost qnay fcr repairs today");
        assert_eq!((extent.a, extent.equal, extent.alike), (10, 6, 4));
    }

    #[test]
    fn a_table_filled_in_with_other_numbers_is_not_followed() {
        let of = |[a, b, c, d, e]: [&str; 5]| {
            format!("shr {a} cts vs {b} cts net {c} mln vs {d} mln revs {e} mln vs nil")
        };
        let one = of(["27", "294", "1354", "146", "10462"]);
        let other = of(["49", "578", "2512", "3890", "2028"]);
        assert_eq!(followed(&one, &other), Extent::default());
    }

    #[test]
    fn what_other_words_follow_is_left_alone() {
        let one = format!("{CLEAN} and trams run as usual on all other lines of the city");
        let other = format!("{CLEAN} which nobody had known before of any harbour in such a place");
        let (a, b) = (profile(&one), profile(&other));
        let (a, b) = (Stretch::from(&a, 0, usize::MAX), Stretch::from(&b, 0, usize::MAX));
        let extent = follow(a, b, Over { replaced: false, ..BOTH });
        assert_eq!((extent.a, extent.b, extent.differ), (10, 10, 0));
    }

    #[test]
    fn words_that_were_replaced_are_stepped_over_where_there_are_several_runs() {
        let replaced = "the seaport board shuts the western quay for works today";
        assert_eq!(
            followed(CLEAN, replaced),
            Extent { a: 10, b: 10, equal: 6, differ: 4, alike: 0 }
        );
        let (a, b) = (profile(CLEAN), profile(replaced));
        let (a, b) = (Stretch::from(&a, 0, usize::MAX), Stretch::from(&b, 0, usize::MAX));
        assert_eq!(follow(a, b, Over { replaced: false, ..BOTH }), Extent::default());
        assert_eq!(Over::of((4, 100), (3, 20)), BOTH);
        assert_eq!(Over::of((4, 100), (1, 8)), Over { replaced: false, ..BOTH });
        assert_eq!(Over::of((20, 100), (2, 28)), Over::default(), "its runs are long");
    }

    #[test]
    fn letters_put_in_left_out_and_replaced_are_counted() {
        let distance = |a: &str, b: &str| {
            let chars = |text: &str| text.chars().collect::<Vec<char>>();
            super::distance(&chars(a), &chars(b))
        };
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!((distance("", "abc"), distance("abc", ""), distance("", "")), (3, 3, 0));
        assert_eq!(distance("harbour", "harbour"), 0);
    }
}
