//! Word pairs: two content words that stand close together, in either order.
//!
//! They survive rewriting where word runs do not: whoever replaces some words and moves others leaves many
//! pairs of words as near to each other as they were. The comparison of edited texts
//! ([`verify::edited`](crate::verify::edited)) takes its seeds from them, and the search for candidates its
//! keys ([`image::pair_sample`](crate::image::pair_sample)).

use crate::hash;

/// Content words that two words of a pair may be apart.
pub const REACH: usize = 4;
/// Words that two words of a pair may be apart, common ones counted.
const MOST_STEP: u32 = 32;

/// Returns whether a word is a content word: see [`Words::content`](super::Words::content).
pub fn is_content(form: u64) -> bool {
    form & 1 == 1
}

/// Puts the places of the content words among the forms of all words into `out`.
pub fn content_places(forms: &[u64], out: &mut Vec<u32>) {
    out.clear();
    out.extend((0..).zip(forms).filter(|(_, form)| is_content(**form)).map(|(at, _)| at));
}

/// Calls `each` for every pair of a text: with its key, the number of its first content word and how many
/// content words further the other one stands. `places` are those of the content words.
///
/// ```
/// use retold_core::features::word_pairs::each_pair;
/// let forms = [7, 9, 11];
/// let mut pairs = Vec::new();
/// each_pair(&forms, &[0, 1, 2], |_, first, step| pairs.push((first, step)));
/// assert_eq!(pairs, [(0, 1), (0, 2), (1, 1)]);
/// ```
#[inline]
pub fn each_pair(forms: &[u64], places: &[u32], mut each: impl FnMut(u64, usize, usize)) {
    for (n, &first) in places.iter().enumerate() {
        let x = forms[first as usize];
        for (step, &last) in places[n + 1..].iter().take(REACH).enumerate() {
            if last - first > MOST_STEP {
                break;
            }
            let y = forms[last as usize];
            if x != y {
                each(key(x, y), n, step + 1);
            }
        }
    }
}

/// Returns the key of an unordered pair, spread evenly over 64 bits.
#[inline]
fn key(x: u64, y: u64) -> u64 {
    hash::mix(x.min(y)).wrapping_add(x.max(y).rotate_left(20))
}
