//! From named values to a document: the same rule for JSON, CSV, Parquet and XML, and for records that
//! a caller has in another form.
//!
//! Each part of a document has a list of names; the first name of the list that a record holds
//! wins, whatever the order in the record. Of two values under one name the later one counts.

use retold_core::document::{Document, Markup};

use crate::bad::quoted;
use crate::options::{Headline, ReadOptions};

/// The part of a document a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Id,
    Text,
    Title,
    Time,
    Source,
    Url,
    Language,
    /// `markup: html` and the like, in records that Retold itself wrote.
    Markup,
}

const N_PARTS: usize = 8;

/// What is to be done with the value of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// The part, and the place of the name in that part's list.
    pub(crate) part: Option<(Part, u8)>,
    /// Its number among the further fields that the caller wants.
    pub(crate) further: Option<u8>,
}

impl Use {
    /// Returns whether the value is not needed.
    pub fn is_nothing(self) -> bool {
        self.part.is_none() && self.further.is_none()
    }

    /// Returns whether the value is the text.
    pub fn is_text(self) -> bool {
        matches!(self.part, Some((Part::Text, _)))
    }

    /// Returns the place of the name among those of the text, if it is one of them.
    pub(crate) fn text_rank(self) -> Option<u8> {
        self.part.filter(|(part, _)| *part == Part::Text).map(|(_, place)| place)
    }
}

/// The names of all fields, ready for look-up.
#[derive(Clone, Debug)]
pub struct Names {
    known: Vec<(Box<str>, Use)>,
    texts: String,
    further: Vec<String>,
    id_bytes: usize,
    headline: Headline,
}

impl Names {
    /// Takes the names that the options give.
    pub fn new(options: &ReadOptions) -> Self {
        let fields = &options.fields;
        let markup = ["markup".to_owned()];
        let lists: [(&[String], Part); N_PARTS] = [
            (&fields.id, Part::Id),
            (&fields.text, Part::Text),
            (&fields.title, Part::Title),
            (&fields.time, Part::Time),
            (&fields.source, Part::Source),
            (&fields.url, Part::Url),
            (&fields.language, Part::Language),
            (&markup, Part::Markup),
        ];
        let mut names: Vec<(Box<str>, Use)> = Vec::new();
        for (list, part) in lists {
            for (place, name) in list.iter().enumerate().take(usize::from(u8::MAX)) {
                // A name listed under two parts serves the first.
                if names.iter().all(|(known, _)| **known != **name) {
                    let part = Some((part, place as u8));
                    names.push((name.as_str().into(), Use { part, further: None }));
                }
            }
        }
        let further = options.further_fields.iter().take(usize::from(u8::MAX));
        for (number, wanted) in (0..).zip(further) {
            if let Some((_, used)) = names.iter_mut().find(|(name, _)| **name == **wanted) {
                used.further = Some(number);
            } else {
                let used = Use { part: None, further: Some(number) };
                names.push((wanted.as_str().into(), used));
            }
        }
        let texts = fields.text.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
        let id_bytes = options.limits.path_bytes as usize;
        let further = options.further_fields.clone();
        Self { known: names, texts, further, id_bytes, headline: options.headline }
    }

    /// Returns what the value under `name` is needed for.
    pub fn uses(&self, name: &str) -> Use {
        // Some 25 short names: a scan that compares lengths first beats hashing the key.
        self.known
            .iter()
            .find(|(known, _)| **known == *name)
            .map_or(Use::default(), |(_, used)| *used)
    }

    /// Returns what a column or element is needed for; capital letters do not matter there.
    pub fn column(&self, name: &str) -> Use {
        let used = self.uses(name);
        if used.is_nothing() { self.uses(&name.to_lowercase()) } else { used }
    }

    /// Returns whether a column of that name holds the text.
    pub(crate) fn is_column(&self, name: &str) -> bool {
        self.column(name).is_text()
    }

    /// Returns the names of the text field for messages.
    pub fn texts(&self) -> &str {
        &self.texts
    }

    /// Says that none of these columns holds the text, and which there are.
    pub(crate) fn no_column<'a>(&self, columns: impl IntoIterator<Item = &'a str>) -> String {
        const MOST_TOLD: usize = 12;
        let mut columns = columns.into_iter();
        let mut told: Vec<String> = columns.by_ref().take(MOST_TOLD).map(quoted).collect();
        if columns.next().is_some() {
            told.push("…".to_owned());
        }
        let told = if told.is_empty() { "none".to_owned() } else { told.join(", ") };
        format!("no column is named {}; its columns: {told}", self.texts)
    }
}

/// A document in the making.
///
/// ```
/// use retold_read::{FieldNames, Gathered, ReadOptions};
/// let names = FieldNames::new(&ReadOptions::default());
/// let mut gathered = Gathered::new();
/// for (name, value) in [("content", "second choice"), ("text", "first choice"), ("size", "12")] {
///     let used = names.uses(name);
///     if gathered.wants(used) {
///         gathered.put(used, value.to_owned());
///     }
/// }
/// assert_eq!(gathered.finish(&names)?.text, "first choice");
/// # Ok::<(), String>(())
/// ```
#[derive(Debug)]
pub struct Gathered {
    document: Document,
    /// Place in the list of the name each part was found under; `u8::MAX` is not found.
    places: [u8; N_PARTS],
    /// Values of further fields, by their numbers.
    further: Vec<(u8, String)>,
    /// What stood in the text field if it was no string.
    odd_text: Option<&'static str>,
}

impl Default for Gathered {
    fn default() -> Self {
        Self::new()
    }
}

impl Gathered {
    /// Begins one.
    pub fn new() -> Self {
        Self {
            document: Document::default(),
            places: [u8::MAX; N_PARTS],
            further: Vec::new(),
            odd_text: None,
        }
    }

    /// Returns whether a value would be kept.
    pub fn wants(&self, used: Use) -> bool {
        used.further.is_some()
            || used.part.is_some_and(|(part, place)| place <= self.places[part as usize])
    }

    /// Keeps a value.
    pub fn put(&mut self, used: Use, value: String) {
        if let Some(number) = used.further {
            self.further.push((number, value.clone()));
        }
        let Some((part, place)) = used.part else { return };
        if place > self.places[part as usize] {
            return;
        }
        self.places[part as usize] = place;
        let document = &mut self.document;
        match part {
            Part::Id => document.id = value,
            Part::Text => document.text = value,
            Part::Title => document.title = Some(value),
            Part::Time => document.time = Some(value),
            Part::Source => document.source = Some(value),
            Part::Url => document.url = Some(value),
            Part::Language => document.language = Some(value),
            Part::Markup => document.markup = Markup::named(&value).unwrap_or_default(),
        }
    }

    /// Notes that the field holds something that is no text, such as `a number`.
    pub fn put_odd(&mut self, used: Use, what: &'static str) {
        if let Some((Part::Text, _)) = used.part {
            self.odd_text = Some(what);
        }
    }

    /// Returns the document; its id is empty if the record has none.
    pub fn finish(self, names: &Names) -> Result<Document, String> {
        if self.places[Part::Text as usize] == u8::MAX {
            return Err(match self.odd_text {
                Some(what) => format!("the text must be a string, got {what}"),
                None => {
                    format!("no text: none of the fields {} is there with a value", names.texts())
                }
            });
        }
        if self.document.id.len() > names.id_bytes {
            return Err(format!(
                "id of {} bytes is longer than the limit of {} (`path_bytes`)",
                self.document.id.len(),
                names.id_bytes
            ));
        }
        let mut document = self.document;
        for (number, value) in self.further {
            document.fields.insert(names.further[usize::from(number)].clone(), value);
        }
        if names.headline == Headline::FirstLine {
            split_headline(&mut document);
        }
        Ok(document)
    }
}

/// Makes the first line of the text the title, if the document has none.
fn split_headline(document: &mut Document) {
    if document.title.is_some() || document.markup != Markup::Plain {
        return;
    }
    let text = &document.text;
    let start = text.len() - text.trim_start().len();
    let Some(end) = text[start..].find('\n').map(|end| start + end) else { return };
    if text[end..].trim_start().is_empty() {
        return;
    }
    document.title = Some(text[start..end].trim_end().to_owned());
    document.text.drain(..=end);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(record: &[(&str, &str)], headline: Headline) -> (Option<String>, String) {
        let names = Names::new(&ReadOptions { headline, ..ReadOptions::default() });
        let mut gathered = Gathered::new();
        for (name, value) in record {
            gathered.put(names.uses(name), (*value).to_owned());
        }
        let document = gathered.finish(&names).expect("a record with a text");
        (document.title, document.text)
    }

    #[test]
    fn the_first_line_is_the_headline_only_if_it_is_asked_for() {
        let text = ("text", "\n Fire at the quay \r\nThe east quay burnt.\nNobody was hurt.");
        let body = "The east quay burnt.\nNobody was hurt.".to_owned();
        assert_eq!(read(&[text], Headline::Field), (None, text.1.to_owned()));
        assert_eq!(read(&[text], Headline::FirstLine), (Some("Fire at the quay".to_owned()), body));
    }

    #[test]
    fn a_text_that_has_a_title_or_one_line_or_markup_stays_whole() {
        for record in [
            &[("title", "Fire"), ("text", "One.\nTwo.")][..],
            &[("text", "One line only.\n\n")],
            &[("text", "")],
            &[("markup", "html"), ("text", "<p>One.\n<p>Two.")],
        ] {
            assert_eq!(read(record, Headline::FirstLine), read(record, Headline::Field));
        }
    }
}
