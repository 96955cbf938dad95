//! Filters: which rows a page shows.
//!
//! [`Filter::parse`] cuts the text into terms; `names.rs` has the names of each table and `value.rs`
//! reads their values. The language is described in the documentation of the crate.

pub(crate) mod names;
pub(crate) mod value;

use names::Name;
use value::{Comparison, Item};

use crate::error::{FilterError, nearest, suggested};
use crate::table::ResultTable;

/// The most bytes of a filter, so that nobody has a million terms looked at for every row.
pub const MOST_FILTER_BYTES: usize = 4096;

/// A filter of a table: terms that all have to hold.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    pub(crate) terms: Vec<Term>,
}

/// One condition of a filter.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    /// Whether it must not hold.
    pub(crate) is_negated: bool,
    pub(crate) test: Test,
}

/// What a term asks.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    /// A name has one of the values.
    Named(&'static Name, Vec<Item>),
    /// A text, in lower case, is a part of an id.
    PartOfId(String),
}

impl Filter {
    /// Reads a filter of a table. An empty one lets everything pass.
    pub(crate) fn parse(table: ResultTable, text: &str) -> Result<Self, FilterError> {
        if text.len() > MOST_FILTER_BYTES {
            return Err(FilterError {
                term: text.chars().take(40).chain(['…']).collect(),
                at: 0,
                reason: format!(
                    "a filter has at most {MOST_FILTER_BYTES} bytes, this one has {}",
                    text.len()
                ),
            });
        }
        let mut scanner = Scanner { text, at: 0 };
        let mut terms = Vec::new();
        loop {
            scanner.skip_blanks();
            if scanner.rest().is_empty() {
                return Ok(Self { terms });
            }
            terms.push(scanner.term(table)?);
        }
    }
}

/// Returns a text as a filter takes it literally: in quotes.
///
/// ```
/// assert_eq!(retold_browse::quoted("say \"so\""), "\"say \\\"so\\\"\"");
/// ```
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for letter in text.chars() {
        if matches!(letter, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(letter);
    }
    quoted.push('"');
    quoted
}

/// A filter being read.
struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn skip(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    /// Returns the error for what is wrong at byte `at`, in the term that began at `start`.
    fn error(&self, start: usize, at: usize, reason: String) -> FilterError {
        let term = self.text[start..].split(char::is_whitespace).next().unwrap_or_default();
        FilterError { term: term.to_owned(), at, reason }
    }

    fn term(&mut self, table: ResultTable) -> Result<Term, FilterError> {
        let start = self.at;
        let is_negated = self.skip("-");
        let name_at = self.at;
        let given =
            self.rest().split(|letter: char| !is_of_name(letter)).next().unwrap_or_default();
        if given.is_empty() || !self.rest()[given.len()..].starts_with(':') {
            let (part, _) = self.value(start, &[])?;
            if part.is_empty() {
                let reason = "there is nothing to look for; accepted: `name:value` or a part of an \
                              id";
                return Err(self.error(start, name_at, reason.to_owned()));
            }
            return Ok(Term { is_negated, test: Test::PartOfId(part.to_lowercase()) });
        }
        self.at += given.len() + 1;
        let Some(name) = names::find(table, given) else {
            let known = names::names(table).iter().map(|name| name.name);
            let reason = format!(
                "{table} have no `{given}`; accepted: {}{}; text with a colon has to be in quotes",
                known.clone().collect::<Vec<_>>().join(", "),
                suggested(nearest(given, known)),
            );
            return Err(self.error(start, name_at, reason));
        };
        let mut items = Vec::new();
        loop {
            let comparison = [
                (">=", Comparison::AtLeast),
                ("<=", Comparison::AtMost),
                (">", Comparison::Above),
                ("<", Comparison::Below),
            ];
            let comparison = comparison.into_iter().find(|(sign, _)| self.skip(sign));
            let value_at = self.at;
            let (text, is_quoted) = self.value(start, &[','])?;
            let item = value::item(name, comparison.map(|(_, how)| how), &text, is_quoted);
            items.push(item.map_err(|reason| self.error(start, value_at, reason))?);
            if !self.skip(",") {
                return Ok(Term { is_negated, test: Test::Named(name, items) });
            }
        }
    }

    /// Reads a text up to a blank or one of `ends`, or in quotes; says whether it was quoted.
    fn value(&mut self, start: usize, ends: &[char]) -> Result<(String, bool), FilterError> {
        let from = self.at;
        let is_end = |letter: char| letter.is_whitespace() || ends.contains(&letter);
        if !self.skip("\"") {
            let value = self.rest().split(is_end).next().unwrap_or_default();
            self.at += value.len();
            return Ok((value.to_owned(), false));
        }
        let mut value = String::new();
        let mut letters = self.rest().char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.at += at + 1;
                    if self.rest().chars().next().is_some_and(|letter| !is_end(letter)) {
                        let reason = "a blank has to follow the closing quote; inside quotes `\\\"` \
                                      stands for a quote";
                        return Err(self.error(start, self.at, reason.to_owned()));
                    }
                    return Ok((value, true));
                }
                '\\' => value.extend(letters.next().map(|(_, letter)| letter)),
                _ => value.push(letter),
            }
        }
        Err(self.error(start, from, "the quote is not closed; accepted: `\"…\"`".to_owned()))
    }
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests;
