//! Letters of one alphabet that look like those of another.
//!
//! A word in which Latin letters stand beside Cyrillic or Greek ones that look like Latin letters was
//! made to look like another word: by somebody who hides a copy, or by character recognition. It is read
//! as the word it looks like. Words of one alphabet stay as they are, and so do those whose letters
//! have no likeness in either direction.

use std::ops::RangeInclusive;

/// Latin letters, and the Cyrillic or Greek ones that look like them.
const PAIRS: [(char, &str); 38] = [
    ('a', "а"),
    ('c', "с"),
    ('d', "ԁ"),
    ('e', "е"),
    ('h', "һ"),
    ('i', "іι"),
    ('j', "ј"),
    ('l', "ӏ"),
    ('o', "оο"),
    ('p', "рρ"),
    ('q', "ԛ"),
    ('s', "ѕ"),
    ('u', "υ"),
    ('v', "νѵ"),
    ('w', "ԝ"),
    ('x', "хχ"),
    ('y', "у"),
    ('A', "АΑ"),
    ('B', "ВΒ"),
    ('C', "СϹ"),
    ('D', "Ԁ"),
    ('E', "ЕΕ"),
    ('H', "НΗ"),
    ('I', "ІΙӀ"),
    ('J', "ЈͿ"),
    ('K', "КΚ"),
    ('M', "МΜ"),
    ('N', "Ν"),
    ('O', "ОΟ"),
    ('P', "РΡ"),
    ('Q', "Ԛ"),
    ('S', "Ѕ"),
    ('T', "ТΤ"),
    ('V', "Ѵ"),
    ('W', "Ԝ"),
    ('X', "ХΧ"),
    ('Y', "УΥҮ"),
    ('Z', "Ζ"),
];

/// First bytes of Greek and Cyrillic letters in UTF-8.
const FOREIGN_BYTES: RangeInclusive<u8> = 0xcd..=0xd4;

/// Returns whether a letter is Cyrillic.
fn is_cyrillic(c: char) -> bool {
    ('\u{400}'..='\u{52f}').contains(&c)
}

/// Returns whether a letter is Greek or Cyrillic.
fn is_foreign(c: char) -> bool {
    ('\u{370}'..='\u{52f}').contains(&c)
}

/// Returns whether a letter is Latin.
fn is_latin(c: char) -> bool {
    c.is_ascii_alphabetic() || ('\u{c0}'..='\u{24f}').contains(&c)
}

/// Returns the Latin letter that a Greek or Cyrillic one looks like.
fn to_latin(c: char) -> Option<char> {
    PAIRS.iter().find(|(_, others)| others.contains(c)).map(|&(latin, _)| latin)
}

/// Returns the Cyrillic letter that a Latin one looks like.
fn to_cyrillic(c: char) -> Option<char> {
    let others = PAIRS.iter().find(|&&(latin, _)| latin == c)?.1;
    others.chars().find(|&other| is_cyrillic(other))
}

/// Returns the word that a word of mixed alphabets looks like; `None` if it is not one of these.
pub(crate) fn unmasked(word: &str) -> Option<String> {
    // PERF: the bytes tell that most words have no such letter.
    let may_be_foreign = word.bytes().any(|byte| FOREIGN_BYTES.contains(&byte));
    if !may_be_foreign || !word.chars().any(is_foreign) || !word.chars().any(is_latin) {
        return None;
    }
    let read_as =
        |is_other: fn(char) -> bool, as_own: fn(char) -> Option<char>| -> Option<String> {
            word.chars().map(|c| if is_other(c) { as_own(c) } else { Some(c) }).collect()
        };
    read_as(is_foreign, to_latin).or_else(|| {
        let is_of_one = word.chars().filter(|&c| is_foreign(c)).all(is_cyrillic);
        is_of_one.then(|| read_as(is_latin, to_cyrillic)).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_mixed_alphabets_is_read_as_what_it_looks_like() {
        assert_eq!(unmasked("hаrbοur").as_deref(), Some("harbour"));
        assert_eq!(unmasked("ВANK").as_deref(), Some("BANK"));
        assert_eq!(
            unmasked("пapоход").as_deref(),
            Some("пароход"),
            "Latin letters in a Cyrillic word"
        );
    }

    #[test]
    fn words_of_one_alphabet_and_true_mixtures_stay() {
        for word in [
            "harbour",
            "çığ",
            "İIıi",
            "сосо",
            "гавань",
            "їжак",
            "ёлка",
            "λόγος",
            "ΑΒΓ",
            "νυν",
            "Lд",
            "hΎ",
            "μm",
            "IFNγ",
            "TNFα",
            "iPhoneом",
            "5х",
            "東京",
        ] {
            assert_eq!(unmasked(word), None, "{word}");
        }
    }
}
