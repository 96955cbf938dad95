//! Seeds: pairs of content words that stand close together, once in each text.

use super::Range;
use crate::hash;

/// Content words that two words of a pair may be apart.
const REACH: usize = 4;
/// Words that two words of a pair may be apart, common ones counted.
const MOST_STEP: u32 = 32;
/// Words of a text of which all pairs are looked at.
pub const MOST_WORDS: usize = 1 << 17;

/// A pair of words that both texts have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seed {
    /// From the first to the last word in the first text.
    pub(super) a: Range,
    /// From the first to the last word in the second text.
    pub(super) b: Range,
}

impl Seed {
    pub(super) fn side(&self, side: usize) -> Range {
        if side == 0 { self.a } else { self.b }
    }
}

/// The word pairs of a text that occur once, sorted by key.
#[derive(Clone, Debug, Default)]
pub(super) struct WordPairs {
    pairs: Vec<(u64, Range)>,
    content: Vec<u32>,
}

impl WordPairs {
    /// Takes the pairs of a text whose keys are at most `most_key`.
    fn fill(&mut self, forms: &[u64], most_key: u64) {
        let Self { pairs, content } = self;
        content.clear();
        content.extend((0..).zip(forms).filter(|(_, form)| is_content(**form)).map(|(at, _)| at));
        pairs.clear();
        for (n, &first) in content.iter().enumerate() {
            for &last in content[n + 1..].iter().take(REACH) {
                let (x, y) = (forms[first as usize], forms[last as usize]);
                if last - first > MOST_STEP {
                    break;
                }
                let key = key(x, y);
                if x != y && key <= most_key {
                    pairs.push((key, (first, last + 1)));
                }
            }
        }
        pairs.sort_unstable();
        // Of equal keys none is kept.
        let (mut from, mut to) = (0, 0);
        while from < pairs.len() {
            let next =
                from + pairs[from..].iter().take_while(|pair| pair.0 == pairs[from].0).count();
            if next == from + 1 {
                pairs[to] = pairs[from];
                to += 1;
            }
            from = next;
        }
        pairs.truncate(to);
    }
}

/// Puts the pairs that occur once in each of two texts into `out`.
pub(super) fn common(
    a: &[u64],
    b: &[u64],
    of_a: &mut WordPairs,
    of_b: &mut WordPairs,
    out: &mut Vec<Seed>,
) {
    out.clear();
    let n_parts = a.len().max(b.len()).div_ceil(MOST_WORDS).max(1) as u64;
    let most_key = u64::MAX / n_parts;
    of_a.fill(a, most_key);
    of_b.fill(b, most_key);
    let mut others = of_b.pairs.iter().peekable();
    for &(key, in_a) in &of_a.pairs {
        while others.next_if(|other| other.0 < key).is_some() {}
        if let Some(&(_, in_b)) = others.next_if(|other| other.0 == key) {
            out.push(Seed { a: in_a, b: in_b });
        }
    }
}

/// Returns whether a word is a content word: see [`crate::features::Words::content`].
pub(super) fn is_content(form: u64) -> bool {
    form & 1 == 1
}

/// Returns the key of an unordered pair.
fn key(x: u64, y: u64) -> u64 {
    hash::mix(x.min(y)).wrapping_add(x.max(y).rotate_left(20))
}
