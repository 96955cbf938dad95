//! Words: text is split into words, and each word is hashed.
//!
//! A word is a maximal run of letters, marks and digits. It may have apostrophes inside it, and a
//! `%` that directly follows a digit belongs to it. Runs of Thai, Lao, Khmer and Burmese letters
//! are split by dictionary. Each Chinese or Japanese character is a word of its own, unless these
//! are split by dictionary as well. Invisible characters (soft hyphens, zero-width and direction
//! marks) neither end a word nor count as part of it.
//!
//! A word is hashed in its folded form: in lower case unless case is kept, with typographic
//! apostrophes as `'`, without invisible characters, and with letters of one alphabet where others only
//! look like them (`look_alikes.rs`). The fast path finds ASCII words: it
//! classifies 64 bytes at a time into bitmaps with one bit for each byte. All other text is read
//! character by character. `the_two_paths_agree` compares the two paths.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use super::complex;
use super::look_alikes::unmasked;
use crate::document::Span;
use crate::hash;

/// Which letters are the same letter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Case {
    /// Lower-case; Turkish and Azeri texts (see [`crate::clean::language`]) by their own rules.
    #[default]
    Auto,
    /// Lower-case by the rules of Unicode, whatever the language.
    Lower,
    /// Lower-case with I→ı and İ→i.
    Turkic,
    /// As written.
    Keep,
}

/// How one text is folded, once its language is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Folding {
    Lower,
    Turkic,
    Keep,
}

/// Finds the words of `text` and hands over the hash and the place of each, in order.
///
/// Stops after `most` words and returns whether any were left.
pub(crate) fn each_word(
    text: &str,
    folding: Folding,
    by_dictionary: bool,
    seed: u64,
    most: usize,
    mut each: impl FnMut(u64, Span),
) -> bool {
    let bytes = text.as_bytes();
    let mut slow = Slow { folding, by_dictionary, seed, classes: &CLASSES, folded: String::new() };
    let mut left = most;
    let mut is_cut = false;
    // Turkic folding moves the ASCII letter I, so it cannot use the trick of the fast path.
    let plain = folding == Folding::Lower;
    Stretches::new(bytes).all(|stretch| {
        if left == 0 {
            is_cut = true;
            return false;
        }
        let (start, end) = (stretch.start, stretch.end);
        if plain && stretch.is_ascii {
            each(ascii_hash(bytes, start, end, seed), Span::new(start as u32, end as u32));
            left -= 1;
        } else {
            slow.each_word(text, start, end, &mut |hash, span| {
                if left == 0 {
                    is_cut = true;
                } else {
                    each(hash, span);
                    left -= 1;
                }
            });
        }
        true
    });
    is_cut
}

/// Appends the folded form of a word to `out`: what its hash is taken of.
pub(crate) fn fold_word(word: &str, folding: Folding, out: &mut String) {
    let unmasked = unmasked(word);
    let word = unmasked.as_deref().unwrap_or(word);
    // PERF: most words are in small letters, and copied as they are.
    let (plain, rest) = word.split_at(plain_bytes(word));
    out.push_str(plain);
    for c in rest.chars() {
        fold_char(c, folding, &CLASSES, out);
    }
}

/// Returns how many bytes at the beginning of a word every folding leaves as they are: ASCII other
/// than capitals, the small letters of Latin-1, and ğ, ı and ş.
fn plain_bytes(word: &str) -> usize {
    let bytes = word.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += match (byte, bytes.get(at + 1)) {
            (b'A'..=b'Z', _) => break,
            (..0x80, _) => 1,
            (0xC3, Some(0xA0..=0xBF)) | (0xC4, Some(0x9F | 0xB1)) | (0xC5, Some(0x9F)) => 2,
            _ => break,
        };
    }
    at
}

/// Hashes an ASCII word: `| 0x20` lower-cases letters and leaves digits, `'` and `%` alone.
#[inline]
fn ascii_hash(bytes: &[u8], start: usize, end: usize, seed: u64) -> u64 {
    const LOWER: u64 = 0x2020_2020_2020_2020;
    let len = end - start;
    if len <= 8
        && let Some(chunk) = bytes.get(start..).and_then(<[u8]>::first_chunk::<8>)
    {
        let value = u64::from_le_bytes(*chunk);
        let unused = 64 - 8 * len as u32;
        return hash::short_word((value | LOWER) << unused >> unused, len, seed);
    }
    let mut buffer = [0u8; 64];
    if len <= buffer.len() {
        for (to, from) in buffer.iter_mut().zip(&bytes[start..end]) {
            *to = from | 0x20;
        }
        return hash::word(&buffer[..len], seed);
    }
    let folded: Vec<u8> = bytes[start..end].iter().map(|b| b | 0x20).collect();
    hash::word(&folded, seed)
}

/// A stretch of bytes that can hold words: ASCII word characters and everything beyond ASCII.
struct Stretch {
    start: usize,
    end: usize,
    is_ascii: bool,
}

/// Finds stretches through bitmaps of 64 bytes.
struct Stretches<'a> {
    bytes: &'a [u8],
}

/// One bit per byte of a block.
#[derive(Clone, Copy, Default)]
struct Block {
    /// Letters, digits and bytes beyond ASCII.
    word: u64,
    digit: u64,
    apostrophe: u64,
    percent: u64,
    high: u64,
}

impl Block {
    /// Classifies up to 64 bytes; missing ones are in no class.
    #[inline]
    fn of(bytes: &[u8]) -> Self {
        let mut block = Self::default();
        let mut i = 0;
        let (chunks, rest) = bytes.as_chunks::<8>();
        for chunk in chunks {
            block.add(u64::from_le_bytes(*chunk), i);
            i += 8;
        }
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            block.add(u64::from_le_bytes(last), i);
        }
        block
    }

    /// Classifies eight bytes at once; every addition stays within its byte (inputs < 0x80).
    #[inline]
    fn add(&mut self, x: u64, at: u32) {
        const ONES: u64 = 0x0101_0101_0101_0101;
        const HIGH: u64 = 0x8080_8080_8080_8080;
        let low = x & !HIGH;
        let lower = low | (0x20 * ONES);
        let letter = (lower + (0x80 - 0x61) * ONES) & !(lower + (0x80 - 0x7b) * ONES);
        let digit = (low + (0x80 - 0x30) * ONES) & !(low + (0x80 - 0x3a) * ONES);
        let ascii = !x & HIGH;
        let digit = digit & ascii;
        self.word |= pack((letter & ascii) | digit | (x & HIGH)) << at;
        self.digit |= pack(digit) << at;
        self.high |= pack(x & HIGH) << at;
        // Equal to 0x27 or 0x25: the sum with 0x7f of the difference leaves the high bit clear.
        let quote = !((low ^ (0x27 * ONES)) + 0x7f * ONES) & ascii;
        let percent = !((low ^ (0x25 * ONES)) + 0x7f * ONES) & ascii;
        if quote | percent != 0 {
            self.apostrophe |= pack(quote) << at;
            self.percent |= pack(percent) << at;
        }
    }
}

/// Gathers the high bit of each byte into eight bits.
#[inline]
fn pack(x: u64) -> u64 {
    (((x & 0x8080_8080_8080_8080) >> 7).wrapping_mul(0x0102_0408_1020_4080)) >> 56
}

impl<'a> Stretches<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// Calls `each` for every run until it returns false.
    #[inline]
    fn all(&self, mut each: impl FnMut(Stretch) -> bool) {
        let n_blocks = self.bytes.len().div_ceil(64);
        let block = |i: usize| {
            let start = i * 64;
            self.bytes.get(start..).map_or_else(Block::default, |rest| {
                // PERF: the fixed length lets the compiler unroll the eight steps.
                match rest.first_chunk::<64>() {
                    Some(full) => Block::of(full),
                    None => Block::of(rest),
                }
            })
        };
        let mut next = block(0);
        let (mut before_word, mut before_digit) = (0, 0);
        let mut open: Option<(usize, bool)> = None; // start of a run, and whether it is ASCII so far
        for i in 0..n_blocks {
            let this = next;
            next = block(i + 1);
            let mut word = this.word;
            if this.apostrophe != 0 {
                let left = (this.word << 1) | before_word;
                let right = (this.word >> 1) | (next.word << 63);
                word |= this.apostrophe & left & right;
            }
            if this.percent != 0 {
                word |= this.percent & ((this.digit << 1) | before_digit);
            }
            before_word = this.word >> 63;
            before_digit = this.digit >> 63;

            let at = i * 64;
            let mut mask = word;
            if let Some((start, is_ascii)) = open {
                let n = mask.trailing_ones();
                let is_ascii = is_ascii && this.high & low_bits(n) == 0;
                if n == 64 {
                    open = Some((start, is_ascii));
                    continue;
                }
                open = None;
                if !each(Stretch { start, end: at + n as usize, is_ascii }) {
                    return;
                }
                mask &= !low_bits(n);
            }
            while mask != 0 {
                let from = mask.trailing_zeros();
                let n = (mask >> from).trailing_ones();
                let is_ascii = (this.high >> from) & low_bits(n) == 0;
                let start = at + from as usize;
                if from + n == 64 {
                    open = Some((start, is_ascii));
                    break;
                }
                if !each(Stretch { start, end: start + n as usize, is_ascii }) {
                    return;
                }
                mask &= !low_bits(from + n);
            }
        }
        if let Some((start, is_ascii)) = open {
            each(Stretch { start, end: self.bytes.len(), is_ascii });
        }
    }
}

/// Returns a number with its `n` lowest bits set.
#[inline]
fn low_bits(n: u32) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

/// What a character does to words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Ends a word.
    Break,
    /// Part of a word.
    Word,
    /// Part of a word if it follows one; alone it belongs to whatever it stands on.
    Mark,
    /// Part of a word if inside one, and not counted.
    Unseen,
    /// A word of its own (ideographs, kana).
    Single,
    /// Part of a run that is broken by dictionary.
    Complex,
    /// Part of a word if between two word characters.
    Apostrophe,
}

/// Classes and lower-case forms of the characters below U+0600: nearly all text beyond ASCII
/// that is not Asian.
struct Classes {
    low: Vec<(Class, char)>,
}

static CLASSES: LazyLock<Classes> = LazyLock::new(|| {
    let entry = |c: char| {
        let mut lower = c.to_lowercase();
        let first = lower.next().unwrap_or(c);
        // İ is the only one with two; it is handled where it is folded.
        (classify(c), if c == 'ς' { 'σ' } else { first })
    };
    Classes { low: ('\0'..'\u{600}').map(entry).collect() }
});

impl Classes {
    #[inline]
    fn class(&self, c: char) -> Class {
        self.low.get(c as usize).map_or_else(|| classify(c), |entry| entry.0)
    }
}

fn classify(c: char) -> Class {
    match c {
        '\'' | '\u{2019}' | '\u{02bc}' => Class::Apostrophe,
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{e0000}'..='\u{e0fff}' => Class::Unseen,
        _ if c.is_ascii() => {
            if c.is_ascii_alphanumeric() {
                Class::Word
            } else {
                Class::Break
            }
        }
        _ if complex::is_cjk(c) => Class::Single,
        _ if complex::is_complex(c) => Class::Complex,
        _ if is_mark(c) => Class::Mark,
        _ if c.is_alphanumeric() => Class::Word,
        _ => Class::Break,
    }
}

fn is_mark(c: char) -> bool {
    c.general_category_group() == GeneralCategoryGroup::Mark
}

/// Returns whether `c` only helps to read a word aloud, or fills the line: points and accents of
/// Hebrew, vowel signs and the long stroke of Arabic. The same word is written with and without.
fn is_pointing(c: char) -> bool {
    c >= '\u{591}'
        && matches!(c, '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}'
            | '\u{5c5}' | '\u{5c7}' | '\u{640}' | '\u{64b}'..='\u{652}' | '\u{670}')
}

fn fold_char(c: char, folding: Folding, classes: &Classes, out: &mut String) {
    match (folding, c) {
        (_, '\u{2019}' | '\u{02bc}') => out.push('\''),
        (Folding::Turkic, 'I') => out.push('ı'),
        (Folding::Turkic, 'İ') => out.push('i'),
        (Folding::Lower, 'İ') => out.push_str("i\u{307}"),
        _ if classes.class(c) == Class::Unseen => {}
        (Folding::Keep, _) => out.push(c),
        _ if is_pointing(c) => {}
        _ => match classes.low.get(c as usize) {
            Some(entry) => out.push(entry.1),
            None => out.extend(c.to_lowercase()),
        },
    }
}

/// The path for anything that is not a plain ASCII word.
struct Slow<'a> {
    folding: Folding,
    by_dictionary: bool,
    seed: u64,
    classes: &'a Classes,
    folded: String,
}

impl Slow<'_> {
    /// Finds the words in `text[start..end]`, whose borders end words.
    fn each_word(&mut self, text: &str, start: usize, end: usize, each: &mut dyn FnMut(u64, Span)) {
        let run = &text[start..end];
        let mut chars = run.char_indices().peekable();
        let mut word: Option<(usize, usize)> = None; // start and end of the open word
        while let Some((i, c)) = chars.next() {
            let after = i + c.len_utf8();
            let class = self.classes.class(c);
            let continues = match class {
                Class::Word => true,
                Class::Mark if word.is_some() => true,
                // Neither opens nor closes; the word grows only if more of it follows.
                Class::Mark | Class::Unseen => continue,
                Class::Apostrophe => {
                    let is_word =
                        |&(_, next): &(usize, char)| self.classes.class(next) == Class::Word;
                    // A percent sign ends what an apostrophe could join.
                    word.is_some() && !run[..i].ends_with('%') && chars.peek().is_some_and(is_word)
                }
                Class::Break => c == '%' && run[..i].ends_with(|c: char| c.is_ascii_digit()),
                Class::Single | Class::Complex => false,
            };
            if continues {
                word = Some((word.map_or(i, |w| w.0), after));
                continue;
            }
            self.close(run, start, &mut word, each);
            if matches!(class, Class::Single | Class::Complex) {
                let mut last = after;
                let alone = class == Class::Single && !self.by_dictionary;
                while !alone
                    && let Some(&(j, next)) = chars.peek()
                    && self.classes.class(next) == class
                {
                    last = j + next.len_utf8();
                    chars.next();
                }
                self.run(&run[i..last], class, alone, start + i, each);
            }
        }
        self.close(run, start, &mut word, each);
    }

    /// Hands over the words of a run of one script.
    fn run(
        &mut self,
        run: &str,
        class: Class,
        alone: bool,
        at: usize,
        each: &mut dyn FnMut(u64, Span),
    ) {
        let mut give = |range: std::ops::Range<usize>| {
            let mut word = Some((range.start, range.end));
            self.close(run, at, &mut word, each);
        };
        if alone {
            give(0..run.len());
        } else if class == Class::Complex {
            complex::break_words(run, &mut give);
        } else {
            complex::break_cjk(run, &mut give);
        }
    }

    fn close(
        &mut self,
        run: &str,
        at: usize,
        word: &mut Option<(usize, usize)>,
        each: &mut dyn FnMut(u64, Span),
    ) {
        if let Some((start, end)) = word.take() {
            self.folded.clear();
            let unmasked = unmasked(&run[start..end]);
            for c in unmasked.as_deref().unwrap_or(&run[start..end]).chars() {
                fold_char(c, self.folding, self.classes, &mut self.folded);
            }
            let hash = hash::word(self.folded.as_bytes(), self.seed);
            each(hash, Span::new((at + start) as u32, (at + end) as u32));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fast(text: &str, folding: Folding) -> Vec<(u64, Span)> {
        let mut out = Vec::new();
        each_word(text, folding, false, 7, usize::MAX, |hash, span| out.push((hash, span)));
        out
    }

    /// Character by character from end to end.
    fn slow(text: &str, folding: Folding) -> Vec<(u64, Span)> {
        let mut out = Vec::new();
        let mut slow = Slow {
            folding,
            by_dictionary: false,
            seed: 7,
            classes: &CLASSES,
            folded: String::new(),
        };
        slow.each_word(text, 0, text.len(), &mut |hash, span| out.push((hash, span)));
        out
    }

    fn words(text: &str, folding: Folding) -> Vec<String> {
        fast(text, folding)
            .into_iter()
            .map(|(_, span)| {
                let mut folded = String::new();
                fold_word(&text[span.range()], folding, &mut folded);
                folded
            })
            .collect()
    }

    proptest! {
        #[test]
        fn the_two_paths_agree(text in "([a-zA-Z0-9'% .,\u{2019}çıİIé\u{ad}\u{200b}日ก—\u{301}]|\\PC){0,200}") {
            for folding in [Folding::Lower, Folding::Turkic, Folding::Keep] {
                prop_assert_eq!(fast(&text, folding), slow(&text, folding));
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_copied_as_it_is_folds_to_itself(word in "([a-zA-Z0-9'%çğıöşüÇĞİÖŞÜàÿß÷I’]|\\PC){0,20}") {
            for folding in [Folding::Lower, Folding::Turkic, Folding::Keep] {
                let (mut folded, mut by_characters) = (String::new(), String::new());
                fold_word(&word, folding, &mut folded);
                let read = unmasked(&word).unwrap_or_else(|| word.clone());
                read.chars().for_each(|c| fold_char(c, folding, &CLASSES, &mut by_characters));
                prop_assert_eq!(folded, by_characters);
            }
        }
    }

    #[test]
    fn a_word_may_cross_the_border_of_a_block() {
        for at in 50..80 {
            let text = format!("{} harbour's 25% quay", "x".repeat(at));
            assert_eq!(fast(&text, Folding::Lower), slow(&text, Folding::Lower));
            assert_eq!(words(&text, Folding::Lower)[1..], ["harbour's", "25%", "quay"]);
        }
    }

    #[test]
    fn apostrophes_and_percent_signs_belong_to_words_only_inside() {
        let text = "'Twas 2% of the rock'n'roll players' 'gain' % 5 % 0%'a";
        let expected =
            ["twas", "2%", "of", "the", "rock'n'roll", "players", "gain", "5", "0%", "a"]
                .map(String::from);
        assert_eq!(words(text, Folding::Lower), expected);
    }

    #[test]
    fn turkish_letters_are_folded_by_their_own_rules() {
        assert_eq!(words("IĞDIR İZMİR", Folding::Turkic), ["ığdır", "izmir"]);
        assert_eq!(words("Igdir", Folding::Lower), ["igdir"]);
    }

    #[test]
    fn unseen_characters_neither_end_a_word_nor_count() {
        let (plain, soft) = ("harbour works", "har\u{ad}bour wo\u{200b}rks");
        let hashes =
            |text| -> Vec<u64> { fast(text, Folding::Lower).iter().map(|w| w.0).collect() };
        assert_eq!(hashes(plain), hashes(soft));
    }

    #[test]
    fn arabic_and_hebrew_are_the_same_words_with_and_without_vowels() {
        for (plain, pointed) in
            [("كتاب الطالب جديد", "كِتَابُ الطَّالِبِ جَـــدِيدٌ"), ("בראשית ברא אלהים", "בְּרֵאשִׁית בָּרָא אֱלֹהִים")]
        {
            assert_eq!(words(plain, Folding::Lower), words(pointed, Folding::Lower));
            assert_eq!(words(plain, Folding::Lower).len(), 3);
            let hashes =
                |text| -> Vec<u64> { fast(text, Folding::Lower).iter().map(|w| w.0).collect() };
            assert_eq!(hashes(plain), hashes(pointed));
            assert_ne!(words(plain, Folding::Keep), words(pointed, Folding::Keep));
        }
        // A hyphen of Hebrew parts words, a mark of abbreviation does not end the letters.
        assert_eq!(words("בית־ספר", Folding::Lower).len(), 2);
    }

    #[test]
    fn letters_that_only_look_alike_are_the_same_letter() {
        let hashes =
            |text| -> Vec<u64> { fast(text, Folding::Lower).iter().map(|w| w.0).collect() };
        assert_eq!(hashes("harbour works"), hashes("hаrb\u{ad}οur wоrkѕ"));
    }

    #[test]
    fn ideographs_and_kana_are_words_of_their_own() {
        assert_eq!(words("東京タワー2024年", Folding::Lower).len(), 7);
    }

    #[test]
    fn a_mark_without_a_letter_is_no_word() {
        assert_eq!(words("豈\u{10a38} e\u{301} \u{301}", Folding::Lower).len(), 2);
    }

    #[test]
    fn words_beyond_the_limit_are_left_and_this_is_said() {
        let mut n = 0;
        assert!(each_word("a b c", Folding::Lower, false, 1, 2, |_, _| n += 1));
        assert_eq!(n, 2);
        assert!(!each_word("a b", Folding::Lower, false, 1, 2, |_, _| n += 1));
    }
}
