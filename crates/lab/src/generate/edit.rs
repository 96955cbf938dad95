//! Edits: stretches of a text that are replaced, and texts that know where each stretch is from.

use std::ops::Range;

use retold_core::document::Span;
use serde::{Deserialize, Serialize};

use super::collection::Collection;

/// One stretch of a text that is replaced.
///
/// The edits of a step are in the order of the text, do not overlap, and count in the text before
/// the step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// Bytes that are removed, in the text before the step; empty for a mere insertion.
    pub at: Span,
    /// What is inserted in their place, in order; empty for a mere deletion.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub put: Vec<Put>,
    /// Number of the unit (paragraph, sentence, word) that is removed, from 0, in the text before
    /// the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<usize>,
    /// The removed text, if it is a word or less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
}

/// What is inserted into a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Put {
    /// New text.
    Text(String),
    /// A stretch that is copied.
    Copy {
        /// Name of the input it is copied from; `None` is the text before the step.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<String>,
        /// Which bytes, of the clean text of that input.
        span: Span,
        /// Number of the unit, from 0.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unit: Option<usize>,
    },
}

impl Edit {
    /// Deletes a stretch.
    pub(super) fn delete(at: Span) -> Self {
        Self { at, put: Vec::new(), unit: None, was: None }
    }

    /// Replaces a stretch.
    pub(super) fn replace(at: Span, put: Vec<Put>) -> Self {
        Self { put, ..Self::delete(at) }
    }

    /// Records which unit is removed.
    pub(super) fn of_unit(self, unit: usize) -> Self {
        Self { unit: Some(unit), ..self }
    }

    /// Records which text is removed.
    pub(super) fn of_text(self, was: &str) -> Self {
        Self { was: Some(was.to_owned()), ..self }
    }
}

/// Largest size of a made text in bytes, a quarter of what a span can address.
pub(super) const MOST_BYTES: usize = 1 << 30;
/// Why a text that would have more is not made.
pub(super) const TOO_LARGE: &str = "the text becomes too large";

/// A stretch of a made text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// First byte in the made text.
    pub(super) start: usize,
    pub(super) len: usize,
    /// Number of the input and first byte there; `None` is new text.
    pub(super) from: Option<(usize, usize)>,
}

/// A text that knows where each stretch of it is from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Draft {
    text: String,
    pieces: Vec<Piece>,
}

impl Draft {
    /// Starts with the whole text of an input.
    pub(super) fn whole(collection: &Collection, number: usize) -> Self {
        let mut draft = Self::default();
        let text = collection.source(number).text();
        draft.push(text, Some((number, 0)));
        draft
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the stretches in order.
    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Returns where the stretch that holds a byte is from, and its bytes here.
    pub(super) fn piece_at(&self, at: usize) -> (Option<(usize, usize)>, Range<usize>) {
        let after = self.pieces.partition_point(|piece| piece.start <= at);
        match after.checked_sub(1).map(|i| self.pieces[i]) {
            Some(Piece { start, len, from }) => (from, start..start + len),
            None => (None, at..at + 1),
        }
    }

    fn push(&mut self, text: &str, from: Option<(usize, usize)>) {
        if text.is_empty() {
            return;
        }
        let (start, len) = (self.text.len(), text.len());
        self.text.push_str(text);
        if let Some(last) = self.pieces.last_mut() {
            let goes_on = match (last.from, from) {
                (None, None) => true,
                (Some((x, at)), Some((y, next))) => x == y && at + last.len == next,
                _ => false,
            };
            if goes_on {
                last.len += len;
                return;
            }
        }
        self.pieces.push(Piece { start, len, from });
    }

    /// Applies the edits of a step; the error is the number of the edit that does not fit, and
    /// why.
    pub(super) fn apply(
        &self,
        edits: &[Edit],
        collection: &Collection,
    ) -> Result<Self, (usize, &'static str)> {
        let mut out = Self::default();
        let mut at = 0;
        for (i, edit) in edits.iter().enumerate() {
            let Span { start, end } = edit.at;
            let (start, end) = (start as usize, end as usize);
            if start < at || end < start {
                return Err((i, "edits are out of order"));
            }
            let Some(gone) = self.text.get(start..end) else {
                return Err((i, "the stretch is not in the text"));
            };
            if edit.was.as_deref().is_some_and(|was| was != gone) {
                return Err((i, "the text there is another"));
            }
            self.copy(at..start, &mut out);
            at = end;
            for put in &edit.put {
                match put {
                    Put::Text(text) => out.push(text, None),
                    Put::Copy { from: None, span, .. } => {
                        if self.text.get(span.range()).is_none() {
                            return Err((i, "the copied stretch is not in the text"));
                        }
                        self.copy(span.range(), &mut out);
                    }
                    Put::Copy { from: Some(name), span, .. } => {
                        let Some(number) = collection.find(name) else {
                            return Err((i, "it copies from a document that is not there"));
                        };
                        let source = collection.source(number).text();
                        let Some(text) = source.get(span.range()) else {
                            return Err((i, "the copied stretch is not in its document"));
                        };
                        out.push(text, Some((number, span.start as usize)));
                    }
                }
                if out.text.len() > MOST_BYTES {
                    return Err((i, TOO_LARGE));
                }
            }
        }
        self.copy(at..self.text.len(), &mut out);
        Ok(out)
    }

    /// Copies bytes together with where they are from.
    fn copy(&self, bytes: Range<usize>, out: &mut Self) {
        let mut at = bytes.start;
        while at < bytes.end {
            let (from, piece) = self.piece_at(at);
            let end = piece.end.min(bytes.end);
            let from = from.map(|(number, start)| (number, start + at - piece.start));
            out.push(&self.text[at..end], from);
            at = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use retold_core::document::Document;

    use super::*;

    fn put(text: &str) -> Put {
        Put::Text(text.to_owned())
    }

    #[test]
    fn a_draft_knows_where_its_stretches_are_from() {
        let documents = [Document::plain("a", "one two three"), Document::plain("b", "four five")];
        let collection = Collection::new(&documents);
        let draft = Draft::whole(&collection, 0);
        let edits = [
            Edit::replace(
                Span::new(0, 3),
                vec![
                    Put::Copy { from: Some("b".into()), span: Span::new(5, 9), unit: None },
                    put("!"),
                ],
            ),
            Edit::delete(Span::new(3, 7)).of_text(" two"),
            Edit::replace(
                Span::new(13, 13),
                vec![put(" "), Put::Copy { from: None, span: Span::new(4, 7), unit: None }],
            ),
        ];
        let made = draft.apply(&edits, &collection).expect("they fit");
        assert_eq!(made.text(), "five! three two");
        let pieces: Vec<_> = made.pieces().iter().map(|piece| (piece.len, piece.from)).collect();
        let expected =
            [(4, Some((1, 5))), (1, None), (6, Some((0, 7))), (1, None), (3, Some((0, 4)))];
        assert_eq!(pieces, expected);
        // What was copied keeps its origin in a second step.
        let again = made.apply(&[Edit::delete(Span::new(2, 7))], &collection).expect("it fits");
        assert_eq!(again.text(), "fihree two");
        assert_eq!(again.pieces()[1], Piece { start: 2, len: 4, from: Some((0, 9)) });
    }

    #[test]
    fn edits_that_do_not_fit_are_refused() {
        let collection = Collection::new(&[Document::plain("a", "héllo")]);
        let draft = Draft::whole(&collection, 0);
        let copy = |from: Option<&str>, start, end| Put::Copy {
            from: from.map(str::to_owned),
            span: Span::new(start, end),
            unit: None,
        };
        for (edits, reason) in [
            (vec![Edit::delete(Span::new(0, 2))], "the stretch is not in the text"),
            (vec![Edit::delete(Span::new(0, 99))], "the stretch is not in the text"),
            (
                vec![Edit::delete(Span::new(3, 4)), Edit::delete(Span::new(0, 1))],
                "edits are out of order",
            ),
            (vec![Edit::delete(Span::new(0, 1)).of_text("x")], "the text there is another"),
            (
                vec![Edit::replace(Span::new(0, 0), vec![copy(None, 2, 3)])],
                "the copied stretch is not in the text",
            ),
            (
                vec![Edit::replace(Span::new(0, 0), vec![copy(Some("b"), 0, 1)])],
                "it copies from a document that is not there",
            ),
            (
                vec![Edit::replace(Span::new(0, 0), vec![copy(Some("a"), 0, 2)])],
                "the copied stretch is not in its document",
            ),
        ] {
            let (_, refused) = draft.apply(&edits, &collection).expect_err("it does not fit");
            assert_eq!(refused, reason);
        }
    }
}
