//! Values of a filter: numbers, shares, times and texts, alone, compared or as ranges.

use super::names::{Kind, Name};
use crate::error::suggested;
use crate::time;

/// One of the values that a term accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A number from the first to the last, both included.
    Between(u64, u64),
    /// A text.
    Exactly(String),
    /// A text of these pieces, with anything between them.
    Like(Vec<String>),
    /// No value.
    Nothing,
}

/// How a number is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Above,
    AtLeast,
    Below,
    AtMost,
}

impl Item {
    /// Returns whether a number fits.
    pub(crate) fn has(&self, value: Option<u64>) -> bool {
        match (self, value) {
            (Self::Between(first, last), Some(value)) => (*first..=*last).contains(&value),
            (Self::Nothing, None) => true,
            _ => false,
        }
    }
}

/// Returns the value that a text means for a name, or what is accepted instead.
pub(super) fn item(
    name: &Name,
    comparison: Option<Comparison>,
    text: &str,
    is_quoted: bool,
) -> Result<Item, String> {
    if text.is_empty() && !is_quoted {
        return Err(format!("`{}` has no value; accepted: {}", name.name, accepted(name)));
    }
    if text == "none" && !is_quoted && comparison.is_none() {
        return match name.kind {
            Kind::Choice(_) => choice(name, text),
            _ => Ok(Item::Nothing),
        };
    }
    if let Kind::Text(_) | Kind::Choice(_) = name.kind {
        if comparison.is_some() {
            let (name, accepted) = (name.name, accepted(name));
            return Err(format!("`{name}` cannot be compared; accepted: {accepted}"));
        }
        return if matches!(name.kind, Kind::Choice(_)) {
            choice(name, text)
        } else if text.contains('*') && !is_quoted {
            Ok(Item::Like(text.split('*').map(str::to_owned).collect()))
        } else {
            Ok(Item::Exactly(text.to_owned()))
        };
    }
    let number = |text: &str| {
        number(name.kind, text).ok_or_else(|| {
            format!("`{text}` is no value of `{}`; accepted: {}", name.name, accepted(name))
        })
    };
    if let Some((first, last)) = text.split_once("..")
        && comparison.is_none()
    {
        let first = if first.is_empty() { 0 } else { number(first)?[0] };
        let last = if last.is_empty() { u64::MAX } else { number(last)?[1] };
        if first > last {
            return Err(format!("the range `{text}` ends before it begins"));
        }
        return Ok(Item::Between(first, last));
    }
    let [first, last] = number(text)?;
    Ok(match comparison {
        None => Item::Between(first, last),
        Some(Comparison::Above) => Item::Between(last.saturating_add(1), u64::MAX),
        Some(Comparison::AtLeast) => Item::Between(first, u64::MAX),
        // Nothing is below 0: a range that ends before it begins.
        Some(Comparison::Below) if first == 0 => Item::Between(1, 0),
        Some(Comparison::Below) => Item::Between(0, first - 1),
        Some(Comparison::AtMost) => Item::Between(0, last),
    })
}

fn choice(name: &Name, text: &str) -> Result<Item, String> {
    let Kind::Choice(choices) = name.kind else {
        return Err(format!("`{}` is not one of several", name.name));
    };
    if let Some(place) = choices.iter().position(|choice| *choice == text) {
        return Ok(Item::Between(place as u64, place as u64));
    }
    let nearest = crate::error::nearest(text, choices.iter().copied());
    Err(format!(
        "`{text}` is no value of `{}`; accepted: {}{}",
        name.name,
        choices.join(", "),
        suggested(nearest)
    ))
}

/// Returns what the values of a name may be.
pub(super) fn accepted(name: &Name) -> String {
    let numbers =
        |what: &str| format!("{what}, `>x`, `>=x`, `<x`, `<=x`, a range `a..b`, or `none`");
    match name.kind {
        Kind::Count => numbers("a whole number"),
        Kind::Share => numbers("a share such as `0.8` or `80%` with at most six decimals"),
        Kind::Time => {
            numbers("a time such as `2026`, `2026-11`, `2026-11-01` or `2026-11-01T12:00:00Z`")
        }
        Kind::Text(_) => {
            "a text, with `*` for anything and in quotes if it has blanks, or `none`".to_owned()
        }
        Kind::Choice(choices) => choices.join(", "),
    }
}

/// Returns the first and the last number that a text names.
fn number(kind: Kind, text: &str) -> Option<[u64; 2]> {
    let one = match kind {
        Kind::Count => digits(text),
        Kind::Share => share(text),
        Kind::Time => return time::named(text),
        Kind::Text(_) | Kind::Choice(_) => None,
    }?;
    Some([one, one])
}

fn digits(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// Returns a share in millionths. It is read digit by digit, so that it is exactly what was written.
fn share(text: &str) -> Option<u64> {
    let (text, places) = match text.strip_suffix('%') {
        Some(percents) => (percents, 4),
        None => (text, 6),
    };
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    if whole.is_empty() || decimals.is_empty() {
        return None;
    }
    let decimals = decimals.trim_end_matches('0');
    if decimals.len() > places {
        return None;
    }
    let one = 10_u64.pow(places as u32);
    let part = if decimals.is_empty() { 0 } else { digits(decimals)? };
    let part = part * 10_u64.pow((places - decimals.len()) as u32);
    digits(whole)?.checked_mul(one)?.checked_add(part).filter(|share| *share <= 1_000_000)
}

/// Returns whether a text is made of these pieces, with anything between them.
pub(crate) fn is_like(text: &str, pieces: &[String]) -> bool {
    let [first, between @ .., last] = pieces else { return false };
    let Some(rest) = text.strip_prefix(first.as_str()) else { return false };
    let Some(mut rest) = rest.strip_suffix(last.as_str()) else { return false };
    for piece in between {
        let Some(at) = rest.find(piece.as_str()) else { return false };
        rest = &rest[at + piece.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_exactly_what_was_written() {
        for (text, millionths) in [
            ("0", 0),
            ("1", 1_000_000),
            ("1.0", 1_000_000),
            ("0.83", 830_000),
            ("0.666667", 666_667),
            ("0.1000000000", 100_000),
            ("80%", 800_000),
            ("99.9999%", 999_999),
        ] {
            assert_eq!(share(text), Some(millionths), "{text}");
        }
        for none in ["", ".5", "5.", "1.1", "101%", "-0.1", "0.1234567", "1e-3", "0,5", "+1"] {
            assert_eq!(share(none), None, "{none}");
        }
    }

    #[test]
    fn pieces_have_to_come_in_order_without_overlap() {
        let like = |text: &str, pattern: &str| {
            is_like(text, &pattern.split('*').map(str::to_owned).collect::<Vec<_>>())
        };
        assert!(like("news/en/one.txt", "news/*.txt") && like("abc", "*") && like("", "*"));
        assert!(like("abcabc", "a*c*c") && like("ab", "a*b") && like("ab", "*ab*"));
        assert!(!like("aba", "aba*a") && !like("abc", "*b") && !like("abc", "b*"));
    }
}
