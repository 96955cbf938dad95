//! What the writer of a message wrote: quoted replies left out.
//!
//! # What it finds
//! Lines that begin with `>` are a quotation, and so is the line above them that says who wrote it.
//! Everything below `-----Original Message-----`, or below a line of underscores with the lines `From:` and `Sent:`
//! behind it, is the message that was answered. A message that is nothing but quotation keeps its text.

use std::borrow::Cow;

use super::alignment::Alignment;
use super::taken::Taken;

/// Longest line that may introduce a quotation.
const INTRODUCTION_BYTES: usize = 240;

/// Lines above a message that was answered, without dashes.
const ORIGINAL: [&str; 6] = [
    "original message",
    "ursprüngliche nachricht",
    "message d'origine",
    "mensaje original",
    "messaggio originale",
    "исходное сообщение",
];

/// Returns the text of a message without what it quotes.
pub(super) fn own_words(source: &str) -> (Cow<'_, str>, Alignment) {
    if !source.contains('>') && !source.contains("---") && !source.contains("___") {
        return (Cow::Borrowed(source), Alignment::identity());
    }
    let mut lines = Vec::new();
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        lines.push((at, line));
        at += line.len();
    }
    let is_blank = |line: &str| line.trim().is_empty();
    let is_quoted = |line: &str| line.trim_start_matches([' ', '\t']).starts_with('>');
    let mut is_own = vec![true; lines.len()];
    for (index, (_, line)) in lines.iter().enumerate() {
        if is_original(line) || is_head(&lines[index..]) {
            is_own[index..].fill(false);
            break;
        }
        is_own[index] = !is_quoted(line);
        let begins = !is_own[index] && index > 0 && is_own[index - 1];
        if begins {
            // Above a quotation, behind blank lines: who wrote it, on one line or two.
            let above = (0..index).rev().take(3).find(|&above| !is_blank(lines[above].1));
            if let Some(above) = above.filter(|&above| is_own[above]) {
                let starts_above = above > 0 && is_own[above - 1] && !is_blank(lines[above - 1].1);
                let two = starts_above.then(|| {
                    let start = lines[above - 1].0;
                    &source[start..lines[above].0 + lines[above].1.len()]
                });
                if two.is_some_and(|two| introduces(two) && begins_introduction(two)) {
                    is_own[above - 1..=above].fill(false);
                } else if introduces(lines[above].1) {
                    is_own[above] = false;
                }
            }
        }
    }
    let is_text = |&(index, (_, line)): &(usize, &(usize, &str))| is_own[index] && !is_blank(line);
    if is_own.iter().all(|own| *own) || !lines.iter().enumerate().any(|line| is_text(&line)) {
        return (Cow::Borrowed(source), Alignment::identity());
    }
    let mut taken = Taken::new(source);
    for (index, (start, line)) in lines.iter().enumerate() {
        if is_own[index] {
            taken.keep(*start..start + line.len());
        } else {
            taken.end_line(2);
        }
    }
    taken.finish()
}

/// Returns whether a line says that what follows was written by someone else.
fn introduces(lines: &str) -> bool {
    let text = lines.trim();
    if text.len() > INTRODUCTION_BYTES || !text.ends_with(':') {
        return false;
    }
    let text = text.to_lowercase();
    let says =
        ["wrote", "writes", "said", "schrieb", "écrit", "escribió", "scritto", "пишет", "написал"];
    let has_digits = |n: usize| text.chars().filter(char::is_ascii_digit).count() >= n;
    // Languages that are not listed: a date with a time, or an address.
    let names_someone = text.contains('@') && (text.contains('<') || has_digits(4));
    let names_a_time = has_digits(8) && text.bytes().filter(|&byte| byte == b':').count() > 1;
    says.iter().any(|word| text.contains(word)) || names_someone || names_a_time
}

/// Returns whether text begins as the line that says when and by whom something was written.
fn begins_introduction(text: &str) -> bool {
    let text = text.trim_start();
    let begins =
        ["On ", "Am ", "Le ", "El ", "Il ", "Op "].iter().any(|word| text.starts_with(word));
    begins && text.chars().take(40).any(|c| c.is_ascii_digit())
}

/// Returns whether everything below is the message that was answered.
fn is_original(line: &str) -> bool {
    let line = line.trim();
    let inner = line.trim_matches('-').trim();
    line.starts_with("---") && inner.len() < 60 && ORIGINAL.contains(&inner.to_lowercase().as_str())
}

/// Returns whether lines begin with one of underscores and then the head of the message that was answered.
fn is_head(lines: &[(usize, &str)]) -> bool {
    let line = lines[0].1.trim();
    if line.len() < 5 || !line.bytes().all(|byte| byte == b'_') {
        return false;
    }
    let mut fields =
        lines[1..].iter().map(|(_, line)| line.trim()).skip_while(|line| line.is_empty());
    let mut named = |names: [&str; 6]| {
        let line = fields.next().unwrap_or_default();
        let name = line.split_once(':').map_or("", |(name, _)| name.trim_matches(['*', ' ']));
        names.iter().any(|known| known.eq_ignore_ascii_case(name))
    };
    named(["from", "von", "de", "da", "van", "от"])
        && named(["sent", "gesendet", "envoyé", "enviado", "inviato", "date"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Span;

    #[test]
    fn quotations_and_who_wrote_them_go() {
        let source =
            "Hello Ann,\n\nOn 3 May 2011, Ann wrote:\n> shall we meet?\n> at noon\n\nYes.\n";
        let (text, alignment) = own_words(source);
        assert_eq!(text, "Hello Ann,\n\nYes.\n");
        let at = text.find("Yes").expect("it is there") as u32;
        assert_eq!(alignment.original(Span::new(at, at + 4)).of(source), Some("Yes."));
    }

    #[test]
    fn an_introduction_may_take_two_lines() {
        let source =
            "Yes.\n\nOn Tue, 3 May 2011 at 10:00, Ann Example\n<ann@example.org> wrote:\n\n> so?\n";
        assert_eq!(own_words(source).0.trim(), "Yes.");
    }

    #[test]
    fn what_is_below_an_original_message_goes() {
        let source = "Agreed.\n-----Original Message-----\nFrom: Ann\nShall we meet?\n";
        assert_eq!(own_words(source).0.trim(), "Agreed.");
    }

    #[test]
    fn what_is_below_underscores_and_a_head_goes() {
        let head = "________________________________\nFrom: Ann <ann@example.org>\nSent: Friday, 6 November 2026 23:00\n";
        let source = format!("Agreed.\n\n{head}To: Bob\n\nShall we meet?\n");
        assert_eq!(own_words(&source).0.trim(), "Agreed.");
        let form = "Name:\n_____\nFrom: where the road ends\nto where it begins\n";
        assert_eq!(own_words(form).0, form);
    }

    #[test]
    fn other_text_stays() {
        assert_eq!(own_words("Budget of 2026:\n> salt\n").0.trim(), "Budget of 2026:");
        let german = "Ja.\n\nAm 06.11.2026 um 23:00 Uhr Ann <ann@example.org>:\n> so?\n";
        assert_eq!(own_words(german).0.trim(), "Ja.");
        for source in ["a line: \n b > c\n", "> only a quotation\n", "one\n---\ntwo\n", ""] {
            assert_eq!(own_words(source).0, source);
        }
        assert_eq!(own_words("Bring these:\n> salt\nThanks").0, "Bring these:\n\nThanks");
    }
}
