//! The inputs: clean texts under names that occur once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use retold_core::clean::{Clean, Text};
use retold_core::document::{Document, Markup, Span};
use retold_core::features::Words;
use retold_core::hash;

use super::units::{self, Folding};

/// The documents that others are made of.
#[derive(Debug)]
pub struct Collection {
    sources: Vec<Source>,
    by_name: BTreeMap<String, usize>,
    vocabulary: OnceLock<Vec<String>>,
}

/// One input.
#[derive(Debug)]
pub(super) struct Source {
    /// The document as it is written: plain, its text clean.
    pub(super) document: Document,
    pub(super) hash: u64,
    words: [OnceLock<Words>; 2],
}

impl Collection {
    /// Makes a collection. The second document of a name is renamed to `name#2`, and so on.
    pub fn new(documents: &[Document]) -> Self {
        Self::of(documents.to_vec())
    }

    /// Makes a collection as [`Collection::new`] does, without copying the documents.
    pub fn of(documents: Vec<Document>) -> Self {
        Self::of_while(documents, &|| false)
    }

    /// Makes a collection as [`Collection::of`] does; ends early once `is_stopped` returns true.
    pub fn of_while(documents: Vec<Document>, is_stopped: &dyn Fn() -> bool) -> Self {
        let mut taken: BTreeSet<String> = documents.iter().map(|d| d.id.clone()).collect();
        let mut by_name = BTreeMap::new();
        let mut sources = Vec::with_capacity(documents.len());
        for document in documents.into_iter().take_while(|_| !is_stopped()) {
            let mut id = document.id.clone();
            let mut n = 2;
            while by_name.contains_key(&id) {
                let name = format!("{}#{n}", document.id);
                n += 1;
                if taken.insert(name.clone()) {
                    id = name;
                }
            }
            by_name.insert(id.clone(), sources.len());
            sources.push(Source::new(id, document));
        }
        Self { sources, by_name, vocabulary: OnceLock::new() }
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// Returns whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Returns the documents as they are edited and written: plain, without markup.
    pub fn documents(&self) -> impl Iterator<Item = &Document> {
        self.sources.iter().map(|source| &source.document)
    }

    /// Returns whether a document has this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub(super) fn source(&self, number: usize) -> &Source {
        &self.sources[number]
    }

    /// Returns the different words of all documents as they stand there, in order.
    pub(super) fn vocabulary(&self) -> &[String] {
        self.vocabulary.get_or_init(|| self.words_while(&|| false))
    }

    /// Prepares the vocabulary; ends early once `is_stopped` returns true.
    pub(super) fn prepare_vocabulary(&self, is_stopped: &dyn Fn() -> bool) {
        if self.vocabulary.get().is_none() {
            let words = self.words_while(is_stopped);
            if !is_stopped() {
                self.vocabulary.get_or_init(|| words);
            }
        }
    }

    fn words_while(&self, is_stopped: &dyn Fn() -> bool) -> Vec<String> {
        let mut words: BTreeSet<&str> = BTreeSet::new();
        for source in self.sources.iter().take_while(|_| !is_stopped()) {
            let text = &source.document.text;
            let spans = &source.words(Folding::Lower).spans;
            words.extend(spans.iter().filter_map(|span| span.of(text)));
        }
        words.into_iter().map(str::to_owned).collect()
    }
}

impl Source {
    fn new(id: String, document: Document) -> Self {
        let text = Text::of(&document, Clean::default()).as_str().to_owned();
        let hash = hash::bytes(text.as_bytes(), 0);
        let document = Document { id, text, markup: Markup::Plain, ..document };
        Self { document, hash, words: Default::default() }
    }

    pub(super) fn text(&self) -> &str {
        &self.document.text
    }

    /// Returns the words as they are folded by a rule.
    pub(super) fn words(&self, folding: Folding) -> &Words {
        self.words[folding as usize].get_or_init(|| units::words(self.text(), folding))
    }

    /// Returns the places of the words.
    pub(super) fn spans(&self) -> &[Span] {
        // Places do not depend on the folding; whichever is there will do.
        match self.words[Folding::Turkic as usize].get() {
            Some(words) => &words.spans,
            None => &self.words(Folding::Lower).spans,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_occur_twice_are_told_apart() {
        let documents = ["a", "a#2", "a", "b", "a"].map(|id| Document::plain(id, id));
        let collection = Collection::new(&documents);
        let names: Vec<&str> = collection.documents().map(|d| d.id.as_str()).collect();
        assert_eq!(names, ["a", "a#2", "a#3", "b", "a#4"]);
    }

    #[test]
    fn what_is_edited_is_the_clean_text() {
        let page = Document {
            markup: Markup::Html,
            ..Document::plain("page", "<p>Cafe\u{301} &amp; bar</p><script>x</script>")
        };
        let collection = Collection::new(&[page]);
        let document = collection.documents().next().expect("one document");
        assert_eq!(document.text.trim(), "Café & bar");
        assert_eq!(document.markup, Markup::Plain);
    }
}
