//! Which characters are confused with which.

use super::error::GenerateError;

/// Characters and what optical character recognition misreads them as.
pub(super) const OCR: &[(&str, &str)] = &[
    ("rn", "m"),
    ("m", "rn"),
    ("cl", "d"),
    ("d", "cl"),
    ("li", "h"),
    ("vv", "w"),
    ("w", "vv"),
    ("l", "1"),
    ("1", "l"),
    ("l", "I"),
    ("I", "l"),
    ("i", "l"),
    ("t", "l"),
    ("f", "t"),
    ("O", "0"),
    ("0", "O"),
    ("o", "0"),
    ("e", "c"),
    ("c", "e"),
    ("a", "o"),
    ("o", "a"),
    ("n", "u"),
    ("u", "n"),
    ("h", "b"),
    ("b", "h"),
    ("S", "5"),
    ("5", "S"),
    ("s", "5"),
    ("B", "8"),
    ("8", "B"),
    ("g", "q"),
    ("q", "g"),
    ("z", "2"),
    ("Z", "2"),
    ("2", "Z"),
    ("6", "b"),
    ("G", "6"),
    ("y", "v"),
    ("v", "y"),
    ("ı", "i"),
    ("ş", "s"),
    ("ğ", "g"),
    ("ç", "c"),
    ("ü", "u"),
    ("ö", "o"),
    ("ß", "B"),
    ("é", "e"),
    (".", ","),
    (",", "."),
    ("-", ""),
    ("日", "曰"),
    ("未", "末"),
    ("末", "未"),
    ("土", "士"),
    ("士", "土"),
    ("人", "入"),
    ("入", "人"),
    ("口", "ロ"),
    ("二", "ニ"),
    ("大", "犬"),
];

/// Letters and letters of other alphabets that look the same.
pub(super) const HOMOGLYPHS: &[(&str, &str)] = &[
    ("a", "а"),
    ("c", "с"),
    ("d", "ԁ"),
    ("e", "е"),
    ("h", "һ"),
    ("i", "і"),
    ("j", "ј"),
    ("o", "о"),
    ("o", "ο"),
    ("p", "р"),
    ("s", "ѕ"),
    ("v", "ν"),
    ("x", "х"),
    ("y", "у"),
    ("A", "А"),
    ("A", "Α"),
    ("B", "В"),
    ("C", "С"),
    ("E", "Е"),
    ("H", "Н"),
    ("I", "І"),
    ("J", "Ј"),
    ("K", "К"),
    ("M", "М"),
    ("N", "Ν"),
    ("O", "О"),
    ("P", "Р"),
    ("S", "Ѕ"),
    ("T", "Т"),
    ("X", "Х"),
    ("Y", "Υ"),
    ("Z", "Ζ"),
    ("а", "a"),
    ("е", "e"),
    ("о", "o"),
    ("р", "p"),
    ("с", "c"),
    ("х", "x"),
    ("ο", "o"),
];

/// Invisible characters: zero-width space, non-joiner, joiner, word joiner.
pub(super) const ZERO_WIDTH: [char; 4] = ['\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}'];

/// Checks a table of pairs.
pub(super) fn check(name: &str, pairs: &[(String, String)]) -> Result<(), GenerateError> {
    match pairs.iter().find(|(from, to)| from.is_empty() || from == to) {
        None => Ok(()),
        Some((from, to)) => Err(GenerateError::value(
            name,
            "of a text and another one",
            format!("{from:?} and {to:?}"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_hold_no_pair_twice_and_none_that_changes_nothing() {
        for table in [OCR, HOMOGLYPHS] {
            let mut sorted = table.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), table.len());
            assert!(table.iter().all(|(from, to)| !from.is_empty() && from != to));
        }
        assert!(HOMOGLYPHS.iter().all(|(from, to)| from.chars().count() == 1 && from != to));
    }
}
