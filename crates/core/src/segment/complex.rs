//! Words of scripts that are written without spaces between words.
//!
//! Thai, Lao, Khmer and Burmese, and on request Chinese and Japanese, are cut by the dictionaries
//! of ICU: the longest entry that fits, from left to right. The dictionaries are preferred to the
//! neural models of the same library: no floating point, so the same words on every machine, and
//! the words of a passage do not depend on what follows far behind it.
//!
//! # Cost
//! Linear: a run is handed over in windows of 4 KiB; where a window is full its last
//! words are cut again at the start of the next.

use std::ops::Range;
use std::sync::LazyLock;

use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};

use crate::clean::char_floor;

/// Bytes handed over at a time; the longest dictionary entries are far below.
const WINDOW_BYTES: usize = 4096;

/// Words at the end of a full window that may go on behind it.
const REDO_WORDS: usize = 4;

static SEGMENTER: LazyLock<WordSegmenterBorrowed<'static>> =
    LazyLock::new(|| WordSegmenter::new_dictionary(WordBreakInvariantOptions::default()));

/// Returns whether `c` belongs to a script of South East Asia that puts no spaces between words.
pub fn is_complex(c: char) -> bool {
    matches!(c,
        '\u{E00}'..='\u{EFF}' // Thai, Lao
        | '\u{1000}'..='\u{109F}' | '\u{A9E0}'..='\u{A9FF}' | '\u{AA60}'..='\u{AA7F}' // Burmese
        | '\u{1780}'..='\u{17FF}') // Khmer
}

/// Returns whether `c` is an ideograph, hiragana or katakana. Hangul is not: Korean has spaces.
pub fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3038}'..='\u{303B}' // 々, 〇, numerals
        | '\u{3041}'..='\u{3096}' | '\u{309D}'..='\u{309F}' // hiragana
        | '\u{30A1}'..='\u{30FA}' | '\u{30FC}'..='\u{30FF}' // katakana
        | '\u{31F0}'..='\u{31FF}' | '\u{FF66}'..='\u{FF9F}' // small and narrow katakana
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{1AFF0}'..='\u{1B16F}' // kana extensions
        | '\u{20000}'..='\u{3FFFD}') // ideographs of planes 2 and 3
}

/// Calls `each` with the byte range of every word of a run of [`is_complex`] characters, in
/// order; together the words make the run.
pub fn break_words(run: &str, each: &mut dyn FnMut(Range<usize>)) {
    let mut start = 0;
    while start < run.len() {
        let end = char_floor(run, start + WINDOW_BYTES);
        let breaks: Vec<usize> =
            SEGMENTER.segment_str(&run[start..end]).filter(|&at| at > 0).collect();
        let n_kept = if end == run.len() {
            breaks.len()
        } else {
            // At least one, or a run that the dictionary does not cut would never end.
            breaks.len().saturating_sub(REDO_WORDS).max(1)
        };
        let from = start;
        for &at in &breaks[..n_kept.min(breaks.len())] {
            each(start..from + at);
            start = from + at;
        }
    }
}

/// Calls `each` with the byte range of every word of a run of [`is_cjk`] characters, by
/// dictionary, in order; together the words make the run.
///
/// The default is one word for each character; this is for those who ask for words.
pub fn break_cjk(run: &str, each: &mut dyn FnMut(Range<usize>)) {
    break_words(run, each);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(run: &str) -> Vec<&str> {
        let mut words = Vec::new();
        break_words(run, &mut |range| words.push(&run[range]));
        words
    }

    #[test]
    fn thai_lao_khmer_and_burmese_are_cut_into_words() {
        assert_eq!(words("ทุกสองสัปดาห์"), ["ทุก", "สอง", "สัปดาห์"]);
        assert_eq!(words("ພາສາລາວ"), ["ພາສາ", "ລາວ"]);
        assert_eq!(words("ខ្ញុំចូលចិត្តភាសាខ្មែរ"), ["ខ្ញុំ", "ចូលចិត្ត", "ភាសាខ្មែរ"]);
        assert_eq!(words("မြန်မာဘာသာစကား"), ["မြန်မာဘာသာ", "စကား"]);
    }

    #[test]
    fn chinese_and_japanese_are_cut_by_dictionary() {
        let mut found = Vec::new();
        break_cjk("こんにちは世界", &mut |range| found.push(range));
        assert_eq!(found, [0..15, 15..21]);
    }

    #[test]
    fn long_runs_are_cut_as_short_ones_are() {
        let one = words("ทุกสองสัปดาห์");
        let found = "ทุกสองสัปดาห์".repeat(2_000);
        assert_eq!(words(&found), one.repeat(2_000));
    }

    #[test]
    fn a_run_without_any_break_ends() {
        for run in ["\u{E31}".repeat(20_000), "ก".repeat(20_000), "\u{17D2}".repeat(20_000)] {
            assert_eq!(words(&run).concat(), run);
        }
        assert!(words("").is_empty());
    }

    #[test]
    fn hangul_and_latin_are_neither_complex_nor_cjk() {
        for c in "한ㅏaéяα1、。　".chars() {
            assert!(!is_complex(c) && !is_cjk(c), "{c}");
        }
        for c in "漢字ひらカタﾊﾝ々〇ー𠀀豈".chars() {
            assert!(is_cjk(c) && !is_complex(c), "{c}");
        }
        for c in "กລខမ".chars() {
            assert!(is_complex(c) && !is_cjk(c), "{c}");
        }
    }

    proptest! {
        #[test]
        fn the_words_make_the_run(run in "[ก-๙ກ-ໝក-៹က-႟]{0,80}", other in any::<String>()) {
            prop_assert_eq!(words(&run).concat(), run);
            prop_assert_eq!(words(&other).concat(), other);
        }
    }
}
