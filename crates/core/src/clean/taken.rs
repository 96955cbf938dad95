//! A text of which parts are left out or replaced, aligned with its source.

use std::borrow::Cow;
use std::ops::Range;

use super::alignment::{Alignment, Builder};

/// Writes a text from stretches of a source, in order.
#[derive(Debug)]
pub(super) struct Taken<'s> {
    source: &'s str,
    text: String,
    alignment: Builder,
    /// End of the last stretch in the source.
    end: usize,
    /// Line ends that the next text begins with, if text stands before it.
    breaks: usize,
}

impl<'s> Taken<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        let alignment = Builder::default();
        Self { source, text: String::new(), alignment, end: 0, breaks: 0 }
    }

    /// Takes a stretch of the source as it stands.
    pub(super) fn keep(&mut self, range: Range<usize>) {
        let start = range.start.max(self.end);
        let Some(kept) = self.source.get(start..range.end.max(start)) else { return };
        let blank = if self.begins() { kept.len() - kept.trim_start().len() } else { 0 };
        let (start, kept) = (start + blank, &kept[blank..]);
        if !kept.is_empty() {
            self.begin(start);
            self.text.push_str(kept);
            self.alignment.in_step(kept.len(), start);
            self.end = start + kept.len();
        }
    }

    /// Writes `shown` for a stretch of the source.
    pub(super) fn replace(&mut self, range: Range<usize>, shown: &str) {
        let start = range.start.max(self.end);
        let end = range.end.max(start).min(self.source.len());
        if shown.is_empty() || self.begins() && shown.trim().is_empty() {
            return;
        }
        self.begin(start);
        self.text.push_str(shown);
        self.alignment.replaced(shown.len(), start..end);
        self.end = end;
    }

    /// Ends a line or, with 2, a paragraph, before the next text.
    pub(super) fn end_line(&mut self, breaks: usize) {
        self.breaks = self.breaks.max(breaks);
    }

    fn begins(&self) -> bool {
        self.text.is_empty() || self.breaks > 0
    }

    fn begin(&mut self, start: usize) {
        let breaks = std::mem::take(&mut self.breaks).min(2);
        let n_there = self.text.bytes().rev().take(2).take_while(|&byte| byte == b'\n').count();
        if breaks > n_there && !self.text.is_empty() {
            self.text.push_str(&"\n\n"[n_there..breaks]);
            self.alignment.replaced(breaks - n_there, self.end..start);
        }
    }

    /// Returns the text; that of the source if nothing was left out.
    pub(super) fn finish(self) -> (Cow<'s, str>, Alignment) {
        if self.text == self.source {
            return (Cow::Borrowed(self.source), Alignment::identity());
        }
        (Cow::Owned(self.text), self.alignment.finish())
    }
}
