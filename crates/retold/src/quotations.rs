//! Copying that a text admits to: what it quotes, and passages whose source it names.

use retold_core::clean::quotations::quotations;
use retold_core::document::{Document, Span};
use retold_core::relation::Evidence;
use serde::{Deserialize, Serialize};

/// What becomes of text that is quoted, and of passages whose source the text names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quotes {
    /// They count like any other text.
    #[default]
    Count,
    /// They count, and are told apart.
    Mark,
    /// They are left out.
    Skip,
}

/// What a text quotes: stretches in quotation marks, block quotes, lines that begin with `>`.
///
/// ```
/// use retold::{Document, Quotations};
/// let draft = Document::plain("draft", "The board said \"the quay is closed\" on Monday.");
/// let quoted = Quotations::of(&draft);
/// assert_eq!(quoted.spans()[0].of(&draft.text), Some("\"the quay is closed\""));
/// let own = quoted.left_out(&draft);
/// assert_eq!(own.text.split_whitespace().collect::<Vec<_>>().join(" "), "The board said on Monday.");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Quotations(Vec<Span>);

impl Quotations {
    /// Finds what a document quotes.
    pub fn of(document: &Document) -> Self {
        Self(quotations(document))
    }

    /// Returns where they stand, in order.
    pub fn spans(&self) -> &[Span] {
        &self.0
    }

    /// Returns the document with blanks in their place, so that all other text stands where it stood.
    #[must_use]
    pub fn left_out(&self, document: &Document) -> Document {
        let mut text = String::with_capacity(document.text.len());
        for span in &self.0 {
            text.push_str(&document.text[text.len()..span.start as usize]);
            text.extend(std::iter::repeat_n(' ', span.len()));
        }
        text.push_str(&document.text[text.len()..]);
        Document { text, ..document.clone() }
    }

    /// Returns whether they hold most of a stretch of the text, by letters and digits.
    pub fn hold(&self, text: &str, span: Span) -> bool {
        let count = |span: Span| {
            let letters = span.of(text).unwrap_or_default().chars();
            letters.filter(|c| c.is_alphanumeric()).count()
        };
        let first = self.0.partition_point(|quoted| quoted.end <= span.start);
        let inside = self.0[first..].iter().take_while(|quoted| quoted.start < span.end);
        let common =
            inside.map(|quoted| Span::new(quoted.start.max(span.start), quoted.end.min(span.end)));
        2 * common.map(count).sum::<usize>() > count(span)
    }
}

/// How a text admits to what it took from a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Credit {
    /// Whether it names the document's title, source or address outside of the passages.
    pub is_named: bool,
    /// The listed passages that are quoted for the most part, by their numbers from 0.
    pub quoted: Vec<usize>,
}

impl Credit {
    /// Looks for what `text` says of what it took from `source`; in the evidence the text is `a`.
    pub fn of(
        text: &Document,
        quotations: &Quotations,
        source: &Document,
        evidence: &Evidence,
    ) -> Self {
        let passages = evidence.passages.iter().map(|passage| passage.a);
        let is_quoted = |span: Span| quotations.hold(&text.text, span);
        let quoted = passages.clone().enumerate().filter(|(_, span)| is_quoted(*span));
        Self {
            quoted: quoted.map(|(number, _)| number).collect(),
            is_named: names(text, source, passages.collect()),
        }
    }
}

/// Fewest characters of a name: shorter ones stand in texts by chance.
const LEAST_NAME: usize = 4;

/// Returns whether `text` has the title, source or address of another document outside of passages.
fn names(text: &Document, source: &Document, mut passages: Vec<Span>) -> bool {
    passages.sort_unstable();
    let mut own = String::new();
    let mut at = 0;
    for passage in passages {
        own.push_str(text.text.get(at..passage.start as usize).unwrap_or_default());
        // What stands on both sides of a passage is no name together.
        own.push('\n');
        at = at.max(passage.end as usize);
    }
    own.push_str(text.text.get(at..).unwrap_or_default());
    let own = own.to_lowercase();
    let address = source.url.as_deref().map(|url| {
        let bare = url.split_once("://").map_or(url, |(_, bare)| bare);
        bare.trim_end_matches('/')
    });
    let named = [source.title.as_deref(), source.source.as_deref(), address];
    named
        .into_iter()
        .flatten()
        .map(str::trim)
        .any(|name| name.chars().count() >= LEAST_NAME && holds_words(&own, &name.to_lowercase()))
}

/// Returns whether `name` stands in `text` with no letter or digit before or behind it.
fn holds_words(text: &str, name: &str) -> bool {
    let is_border = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
    text.match_indices(name).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + name.len()..]);
        is_border(before.chars().next_back()) && is_border(behind.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use retold_core::relation::Passage;

    use super::*;

    #[test]
    fn what_is_left_out_moves_nothing() {
        let text = "Er sagte „ja, gern“ zu mir.\n> Ach so.\nGut.";
        let draft = Document::plain("draft", text);
        let own = Quotations::of(&draft).left_out(&draft);
        assert_eq!(own.text.len(), text.len());
        let words: Vec<&str> = own.text.split_whitespace().collect();
        assert_eq!(words, ["Er", "sagte", "zu", "mir.", "Gut."]);
        assert_eq!(own.text.find("zu mir"), text.find("zu mir"));
    }

    #[test]
    fn a_source_is_named_outside_of_what_was_copied() {
        let taken = "the quay will be closed from Monday until Friday";
        let source = Document {
            title: Some("Quay closed".to_owned()),
            source: Some("Reuters".to_owned()),
            url: Some("https://example.com/quay/".to_owned()),
            ..Document::plain("s", taken)
        };
        let is_named = |text: &str| {
            let start = text.find(taken).expect("the passage") as u32;
            let a = Span::new(start, start + taken.len() as u32);
            let b = Span::new(0, taken.len() as u32);
            let passages = vec![Passage { a, b, words: 9, differ: 0, moved: 0 }];
            let evidence = Evidence { passages, ..Evidence::default() };
            let text = Document::plain("t", text);
            Credit::of(&text, &Quotations::of(&text), &source, &evidence).is_named
        };
        assert!(is_named(&format!("Reuters says {taken}.")));
        assert!(is_named(&format!("It is said (example.com/quay) that {taken}.")));
        assert!(is_named(&format!("As told in QUAY CLOSED, {taken}.")));
        assert!(!is_named(&format!("It is said that {taken}.")));
        assert!(!is_named(&format!("Preuters says {taken}.")), "a part of a word is no name");
    }

    #[test]
    fn a_passage_is_quoted_if_most_of_it_is() {
        let text = "He said \"the quay is closed for repairs\" to us.";
        let quoted = Quotations::of(&Document::plain("t", text));
        let span = |part: &str| {
            let start = text.find(part).expect("a part") as u32;
            Span::new(start, start + part.len() as u32)
        };
        assert!(quoted.hold(text, span("the quay is closed for repairs\" to us")));
        assert!(!quoted.hold(text, span("He said \"the")));
    }
}
