//! Making untrusted text safe to show on a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns `text` with every character that a terminal acts upon made visible.
///
/// Control characters (ESC and with it all colour, cursor and OSC sequences, carriage return,
/// line feed, tab, the C1 range) become `\n`, `\r`, `\t` or `\u{1b}`; so do the invisible
/// characters that reorder text (bidirectional overrides and isolates) and line separators.
/// Text without any of them is borrowed.
pub fn escape_terminal(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(is_active) else { return Cow::Borrowed(text) };
    let mut safe = String::with_capacity(text.len() + 16);
    safe.push_str(&text[..first]);
    for letter in text[first..].chars() {
        match letter {
            '\n' => safe.push_str("\\n"),
            '\r' => safe.push_str("\\r"),
            '\t' => safe.push_str("\\t"),
            _ if is_active(letter) => {
                write!(safe, "\\u{{{:x}}}", u32::from(letter)).expect("a string takes every byte");
            }
            _ => safe.push(letter),
        }
    }
    Cow::Owned(safe)
}

/// Returns whether a terminal acts upon `letter` instead of showing it.
fn is_active(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn nothing_active_is_left(text in any::<String>()) {
            prop_assert!(!escape_terminal(&text).contains(is_active));
        }
    }

    #[test]
    fn escape_sequences_are_shown_not_run() {
        for (text, shown) in [
            ("\u{1b}[31mred", "\\u{1b}[31mred"),
            ("\u{1b}]52;c;ZXZpbA==\u{7}", "\\u{1b}]52;c;ZXZpbA==\\u{7}"),
            ("report.txt\rexploit", "report.txt\\rexploit"),
            ("id\nERROR forged line", "id\\nERROR forged line"),
            ("\u{9b}2J", "\\u{9b}2J"),
            ("evil\u{202e}txt.exe", "evil\\u{202e}txt.exe"),
            ("a\u{7f}\u{8}b", "a\\u{7f}\\u{8}b"),
        ] {
            assert_eq!(escape_terminal(text), shown);
        }
    }

    #[test]
    fn ordinary_text_is_borrowed() {
        for text in ["", "plain", "İstanbul'da ığüşöç", "新聞記事", "naïve — “quoted”", "👩‍👩‍👧"]
        {
            assert!(matches!(escape_terminal(text), Cow::Borrowed(same) if same == text));
        }
    }
}
