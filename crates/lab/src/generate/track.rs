//! Tracking: the words of a made text, and where each was copied from.
//!
//! Words inside a copied stretch are those of the input. Only the seams are split into words again:
//! the places where a stretch meets another one or new text. A seam reaches on both sides to the
//! next character that always ends a word ([`is_break`]), so its words do not depend on the text
//! further away.

use std::ops::Range;

use retold_core::document::Span;

use super::collection::Collection;
use super::edit::Draft;
use super::units::{Folding, words};

/// Where a word was copied from: number of the input and of the word there.
pub(super) type Origin = (u32, u32);

/// The words of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tracked {
    /// Hashes of the folded words.
    pub(super) hashes: Vec<u64>,
    pub(super) spans: Vec<Span>,
    pub(super) origins: Vec<Option<Origin>>,
}

impl Tracked {
    /// Returns the words of an input.
    pub(super) fn input(collection: &Collection, number: usize) -> Self {
        let source = collection.source(number);
        let language = source.document.language.as_deref();
        let words = source.words(Folding::of(language, source.text()));
        Self {
            hashes: words.hashes.clone(),
            spans: words.spans.clone(),
            origins: (0..words.hashes.len())
                .map(|word| Some((number as u32, word as u32)))
                .collect(),
        }
    }

    /// Returns the words of a made text in a language.
    pub(super) fn made(draft: &Draft, language: Option<&str>, collection: &Collection) -> Self {
        let folding = Folding::of(language, draft.text());
        let mut tracker = Tracker { draft, folding, collection, out: Self::default() };
        let mut at = 0;
        for seam in seams(draft) {
            tracker.copied(at..seam.start);
            at = seam.end;
            tracker.seam(seam);
        }
        tracker.copied(at..draft.text().len());
        tracker.out
    }
}

struct Tracker<'a> {
    draft: &'a Draft,
    folding: Folding,
    collection: &'a Collection,
    out: Tracked,
}

impl Tracker<'_> {
    /// Takes the words of a stretch that lies inside one copied piece from the input.
    fn copied(&mut self, at: Range<usize>) {
        if at.is_empty() {
            return;
        }
        let Some((number, start)) = self.source_of(at.start) else {
            debug_assert!(false, "new text lies in seams");
            return;
        };
        let source = self.collection.source(number).words(self.folding);
        let end = start + at.len();
        let first = source.spans.partition_point(|word| (word.start as usize) < start);
        for (i, word) in source.spans.iter().enumerate().skip(first) {
            if word.end as usize > end {
                break;
            }
            let shifted = |byte: u32| (byte as usize - start + at.start) as u32;
            self.out.hashes.push(source.hashes[i]);
            self.out.spans.push(Span::new(shifted(word.start), shifted(word.end)));
            self.out.origins.push(Some((number as u32, i as u32)));
        }
    }

    /// Reads the words of a seam.
    fn seam(&mut self, at: Range<usize>) {
        if at.is_empty() {
            return;
        }
        let found = words(&self.draft.text()[at.clone()], self.folding);
        for (hash, span) in found.hashes.into_iter().zip(found.spans) {
            let shift = at.start as u32;
            let span = Span::new(span.start + shift, span.end + shift);
            let origin = self.origin_of(hash, span);
            self.out.hashes.push(hash);
            self.out.spans.push(span);
            self.out.origins.push(origin);
        }
    }

    /// Returns the word of an input that the first copied byte of a word lies in, if it is the
    /// same word.
    fn origin_of(&self, hash: u64, span: Span) -> Option<Origin> {
        let mut at = span.start as usize;
        let (number, byte) = loop {
            if let Some(source) = self.source_of(at) {
                break source;
            }
            at = self.draft.piece_at(at).1.end;
            if at >= span.end as usize {
                return None;
            }
        };
        let source = self.collection.source(number).words(self.folding);
        let word = source.spans.partition_point(|word| (word.end as usize) <= byte);
        let is_in = source.spans.get(word).is_some_and(|word| word.start as usize <= byte);
        (is_in && source.hashes[word] == hash).then_some((number as u32, word as u32))
    }

    /// Returns the input and the byte there that a byte was copied from.
    fn source_of(&self, at: usize) -> Option<(usize, usize)> {
        let (from, range) = self.draft.piece_at(at);
        from.map(|(number, start)| (number, start + at - range.start))
    }
}

/// Returns the stretches of a text that have to be read again, in order and apart.
///
/// If two pieces meet at characters that end words, the seam is empty: there is nothing to read,
/// but the words before and after it come from different places.
fn seams(draft: &Draft) -> Vec<Range<usize>> {
    let text = draft.text();
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut add = |at: Range<usize>| {
        let open = out.last().map_or(0, |last| last.end);
        // The part that the last seam covers is skipped.
        let start = text[open.min(at.start)..at.start]
            .char_indices()
            .rev()
            .find(|(_, c)| is_break(*c))
            .map_or(open.min(at.start), |(i, c)| open.min(at.start) + i + c.len_utf8());
        let from = at.end.max(open);
        let end = if at.end < open {
            open
        } else {
            text[from..].find(is_break).map_or(text.len(), |i| from + i)
        };
        match out.last_mut() {
            Some(last) if start <= last.end => last.end = end.max(last.end),
            _ => out.push(start..end),
        }
    };
    let mut at = 0;
    add(0..0);
    for piece in draft.pieces() {
        let end = at + piece.len;
        // New text is read whole; a copied piece only where it ends.
        add(if piece.from.is_none() { at..end } else { end..end });
        at = end;
    }
    out
}

/// Returns whether a character ends a word wherever it stands, and stays itself when Unicode is
/// normalised, whatever follows.
///
/// This is not the complete set of such characters, only common ones: texts contain one of them at
/// least every few words.
pub(super) fn is_break(c: char) -> bool {
    match c {
        '\'' | '%' | '<' | '=' | '>' => false,
        '\u{a0}'
        | '«'
        | '»'
        | '\u{2010}'..='\u{2018}'
        | '\u{201a}'..='\u{2029}'
        | '\u{2030}'..='\u{205e}'
        | '\u{3000}'..='\u{3003}'
        | '\u{3008}'..='\u{3020}'
        | '\u{30fb}'
        | '\u{ff01}'..='\u{ff0f}'
        | '\u{ff1a}'..='\u{ff20}' => true,
        _ => c.is_ascii() && !c.is_ascii_alphanumeric(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use retold_core::document::Document;

    use super::*;
    use crate::generate::edit::{Edit, Put};

    const TEXT: &str = "([a-cI' %.,<=\n\u{200b}\u{301}\u{338}ıİé日本のก็มี。“”’—12]|\\PC){0,60}";

    proptest! {
        #[test]
        fn tracked_words_are_those_of_the_text_read_anew(
            a in TEXT,
            b in TEXT,
            cuts in prop::collection::vec((0usize..200, 0usize..20, "[a日' %\u{301}]{0,3}", 0usize..200, 0usize..40), 0..6),
        ) {
            let documents = [Document::plain("a", a), Document::plain("b", b)];
            let collection = Collection::new(&documents);
            let mut draft = Draft::whole(&collection, 0);
            let other = collection.source(1).text();
            let on_border = |text: &str, at: usize| {
                (at.min(text.len())..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(0)
            };
            for (at, len, new, from, n) in cuts {
                let start = on_border(draft.text(), at);
                let end = on_border(draft.text(), start + len);
                let first = on_border(other, from);
                let last = on_border(other, first + n);
                let copy = Put::Copy {
                    from: Some("b".into()),
                    span: Span::new(first as u32, last as u32),
                    unit: None,
                };
                let edit = Edit::replace(
                    Span::new(start as u32, end as u32),
                    vec![Put::Text(new), copy],
                );
                draft = draft.apply(&[edit], &collection).expect("borders of characters");
            }
            for language in [None, Some("tr"), Some("en")] {
                let tracked = Tracked::made(&draft, language, &collection);
                let anew = words(draft.text(), Folding::of(language, draft.text()));
                prop_assert_eq!(&tracked.hashes, &anew.hashes);
                prop_assert_eq!(&tracked.spans, &anew.spans);
            }
        }
    }

    #[test]
    fn a_word_with_an_unseen_character_inside_is_still_the_same() {
        let collection = Collection::new(&[Document::plain("a", "one two three")]);
        let edit = Edit::replace(Span::new(5, 5), vec![Put::Text("\u{200b}".into())]);
        let draft = Draft::whole(&collection, 0).apply(&[edit], &collection).expect("it fits");
        let tracked = Tracked::made(&draft, None, &collection);
        assert_eq!(tracked.origins, [Some((0, 0)), Some((0, 1)), Some((0, 2))]);
    }

    #[test]
    fn a_changed_word_has_no_origin() {
        let collection = Collection::new(&[Document::plain("a", "one two three")]);
        let edit = Edit::replace(Span::new(4, 5), vec![Put::Text("m".into())]);
        let draft = Draft::whole(&collection, 0).apply(&[edit], &collection).expect("it fits");
        let tracked = Tracked::made(&draft, None, &collection);
        assert_eq!(tracked.origins, [Some((0, 0)), None, Some((0, 2))]);
    }
}
