//! Where a stretch of a derived string stands in the string it was made from.
//!
//! An alignment is a list of points at which both strings are known to meet. Between two
//! neighbouring points lies a *stretch* of one of three kinds:
//!
//! * *in step*: both sides are equally long and run byte by byte;
//! * *replaced*: the derived side stands for the original side as a whole, as `é` for `&eacute;`;
//! * *left out*: the derived side is empty, as for a tag.
//!
//! Memory grows with the number of changes, not with the text.

use std::ops::Range;

use crate::document::Span;

/// Leads from bytes of a derived string to bytes of its original.
///
/// Both sides of the points never decrease, so later stretches of the derived string lead to
/// later stretches of the original.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alignment {
    /// (derived, original), beginning with the first derived byte and ending after the last.
    /// Equal distances on both sides mean in step; where a replaced stretch happens to have
    /// equal distances, as `...` for `…`, its first point is written twice to tell.
    points: Vec<(u32, u32)>,
}

impl Alignment {
    /// The alignment of a string with itself.
    pub fn identity() -> Self {
        Self::default()
    }

    /// Returns whether positions are unchanged.
    pub fn is_identity(&self) -> bool {
        self.points.is_empty()
    }

    /// Returns the span in the original.
    ///
    /// A span that touches a replaced stretch leads to all of its original; what was left out at
    /// the borders of a span stays out. Borders of characters lead to borders of characters.
    pub fn original(&self, span: Span) -> Span {
        self.cursor().original(span)
    }

    /// Returns a cursor that answers for spans in increasing order in constant time each.
    pub fn cursor(&self) -> Cursor<'_> {
        Cursor { points: &self.points, at: 0 }
    }

    /// Returns the alignment of this derived string with the original of `inner`, where the
    /// original of `self` is the derived string of `inner`.
    #[must_use]
    pub fn through(self, inner: Self) -> Self {
        if inner.is_identity() {
            return self;
        }
        if self.is_identity() {
            return inner;
        }
        let mut builder = Builder::default();
        let mut cursor = inner.cursor();
        for i in 0..self.points.len() - 1 {
            let (derived, middle) = (self.points[i], self.points[i + 1]);
            let (len, from, to) = (middle.0 - derived.0, derived.1, middle.1);
            if len == 0 {
                continue;
            }
            if is_in_step(&self.points, i) {
                cursor.copy(from..to, &mut builder);
            } else {
                let original = cursor.original(Span::new(from, to));
                builder.replaced(len as usize, original.range());
            }
        }
        builder.finish()
    }
}

/// Asks an [`Alignment`] for one span after the other.
///
/// Spans that start at or after the last one cost the points passed on the way; a span that
/// starts earlier costs a binary search.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    points: &'a [(u32, u32)],
    at: usize,
}

impl Cursor<'_> {
    /// Returns the span in the original; see [`Alignment::original`].
    pub fn original(&mut self, span: Span) -> Span {
        if self.points.is_empty() {
            return span;
        }
        self.seek(span.start);
        let start = self.start(span.start);
        Span::new(start, self.end(span.end).max(start))
    }

    /// Moves to the last point at or before `derived`.
    fn seek(&mut self, derived: u32) {
        // A few steps on foot, since neighbouring words are mostly neighbouring stretches.
        const STEPS: usize = 8;
        let points = self.points;
        if points[self.at].0 > derived {
            self.at = points[..self.at].partition_point(|p| p.0 <= derived).saturating_sub(1);
        }
        for _ in 0..STEPS {
            match points.get(self.at + 1) {
                Some(next) if next.0 <= derived => self.at += 1,
                _ => return,
            }
        }
        self.at += points[self.at + 1..].partition_point(|p| p.0 <= derived);
    }

    /// Returns where `derived`, the first byte of a span, stands; `seek` has been there.
    fn start(&self, derived: u32) -> u32 {
        let (from, original) = self.points[self.at];
        if self.at + 1 < self.points.len() && is_in_step(self.points, self.at) {
            original + (derived - from)
        } else {
            original
        }
    }

    /// Returns where a span ends whose last byte is before `derived`.
    fn end(&self, derived: u32) -> u32 {
        let rest = &self.points[self.at..];
        let near = rest.iter().take(4).position(|p| p.0 >= derived);
        let index = self.at + near.unwrap_or_else(|| rest.partition_point(|p| p.0 < derived));
        let Some(&(to, original)) = self.points.get(index) else {
            return self.points[self.points.len() - 1].1;
        };
        if index > 0 && is_in_step(self.points, index - 1) {
            original - (to - derived)
        } else {
            original
        }
    }

    /// Appends what the stretch `derived` of this alignment is made of.
    fn copy(&mut self, derived: Range<u32>, builder: &mut Builder) {
        let mut at = derived.start;
        while at < derived.end {
            self.seek(at);
            let Some(&(end, original_end)) = self.points.get(self.at + 1) else { return };
            let to = end.min(derived.end);
            let len = (to - at) as usize;
            if is_in_step(self.points, self.at) {
                builder.in_step(len, self.start(at) as usize);
            } else {
                builder.replaced(len, self.points[self.at].1 as usize..original_end as usize);
            }
            at = to;
        }
    }
}

/// Returns whether the stretch that begins at point `index` runs byte by byte.
fn is_in_step(points: &[(u32, u32)], index: usize) -> bool {
    let (from, to) = (points[index], points[index + 1]);
    let is_marked = index > 0 && points[index - 1] == from;
    to.0 - from.0 == to.1 - from.1 && !is_marked
}

/// Writes an [`Alignment`] stretch by stretch, in the order of the derived string.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    points: Vec<(u32, u32)>,
    /// The stretch that may still grow.
    last: Option<Stretch>,
    /// Derived bytes so far.
    len: usize,
}

#[derive(Clone, Debug)]
struct Stretch {
    derived: Range<usize>,
    original: Range<usize>,
    in_step: bool,
}

impl Builder {
    /// Appends `len` bytes that are the bytes of the original from `original` on.
    pub(crate) fn in_step(&mut self, len: usize, original: usize) {
        self.push(len, original..original + len, true);
    }

    /// Appends `len` bytes that stand for `original` as a whole.
    pub(crate) fn replaced(&mut self, len: usize, original: Range<usize>) {
        self.push(len, original, false);
    }

    /// Returns the alignment.
    pub(crate) fn finish(mut self) -> Alignment {
        self.flush();
        let is_identity =
            matches!(self.points[..], [(0, 0), (derived, original)] if derived == original);
        if is_identity { Alignment::identity() } else { Alignment { points: self.points } }
    }

    fn push(&mut self, len: usize, original: Range<usize>, in_step: bool) {
        if len == 0 {
            return;
        }
        let derived = self.len..self.len + len;
        self.len = derived.end;
        if let Some(last) = &mut self.last {
            let joins = in_step && last.in_step && last.original.end == original.start;
            // Two derived stretches of one replaced stretch cannot be told apart in the original.
            let overlaps = original.start < last.original.end;
            if joins || overlaps {
                last.derived.end = derived.end;
                last.original.start = last.original.start.min(original.start);
                last.original.end = last.original.end.max(original.end);
                last.in_step = joins;
                return;
            }
        }
        self.flush();
        self.last = Some(Stretch { derived, original, in_step });
    }

    fn flush(&mut self) {
        let Some(Stretch { derived, original, in_step }) = self.last.take() else { return };
        let point = |derived: usize, original: usize| (derived as u32, original as u32);
        let from = point(derived.start, original.start);
        if self.points.last() != Some(&from) {
            self.points.push(from);
        }
        if !in_step && derived.len() == original.len() {
            self.points.push(from);
        }
        self.points.push(point(derived.end, original.end));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn span(start: u32, end: u32) -> Span {
        Span::new(start, end)
    }

    /// `<b>A&amp;B</b> x…` as `A&B x...`, tags left out.
    fn sample() -> Alignment {
        let mut builder = Builder::default();
        builder.in_step(1, 3);
        builder.replaced(1, 4..9);
        builder.in_step(1, 9);
        builder.in_step(2, 14);
        builder.replaced(3, 16..19);
        builder.finish()
    }

    #[test]
    fn a_span_on_a_replaced_stretch_leads_to_all_of_it() {
        let alignment = sample();
        assert_eq!(alignment.original(span(1, 2)), span(4, 9));
        assert_eq!(alignment.original(span(0, 3)), span(3, 10));
        assert_eq!(alignment.original(span(5, 6)), span(16, 19), "equally long, yet replaced");
        assert_eq!(alignment.original(span(6, 7)), span(16, 19));
    }

    #[test]
    fn what_was_left_out_stays_outside_a_span_that_ends_there() {
        let alignment = sample();
        assert_eq!(alignment.original(span(2, 3)), span(9, 10));
        assert_eq!(alignment.original(span(3, 5)), span(14, 16));
        assert_eq!(alignment.original(span(2, 4)), span(9, 15));
    }

    #[test]
    fn an_empty_span_stays_empty_and_a_far_one_ends_with_the_text() {
        let alignment = sample();
        assert!(alignment.original(span(3, 3)).is_empty());
        assert!(alignment.original(span(0, 0)).is_empty());
        assert!(alignment.original(span(8, 8)).is_empty());
        assert_eq!(alignment.original(span(7, 90)), span(16, 19));
    }

    #[test]
    fn stretches_that_share_one_replaced_original_are_joined() {
        // An entity of two letters, the second of which is then composed with a mark.
        let mut html = Builder::default();
        html.replaced(2, 0..7);
        html.in_step(2, 7);
        let mut nfc = Builder::default();
        nfc.in_step(1, 0);
        nfc.replaced(2, 1..4);
        let both = nfc.finish().through(html.finish());
        assert_eq!(both.original(span(0, 1)), span(0, 9));
        assert_eq!(both.original(span(1, 3)), span(0, 9));
    }

    /// Stretches as (derived bytes, original bytes, in step, bytes left out before).
    fn stretches() -> impl Strategy<Value = Vec<(usize, usize, bool, usize)>> {
        prop::collection::vec((0usize..4, 0usize..4, any::<bool>(), 0usize..3), 0..20)
    }

    fn build(stretches: &[(usize, usize, bool, usize)]) -> (Alignment, u32, usize) {
        let (mut builder, mut at) = (Builder::default(), 0);
        for &(derived, original, in_step, gap) in stretches {
            at += gap;
            if in_step {
                builder.in_step(derived, at);
                at += derived;
            } else {
                builder.replaced(derived, at..at + original);
                at += original;
            }
        }
        let len = builder.len as u32;
        (builder.finish(), len, at)
    }

    proptest! {
        #[test]
        fn a_cursor_agrees_with_single_answers_and_order_is_kept(list in stretches()) {
            let (alignment, len, original_len) = build(&list);
            let mut cursor = alignment.cursor();
            let mut last = span(0, 0);
            for start in 0..len {
                for end in [start + 1, (start + 3).min(len), len] {
                    let found = alignment.original(span(start, end));
                    prop_assert_eq!(cursor.original(span(start, end)), found);
                    prop_assert!(found.end as usize <= original_len);
                }
                let found = alignment.original(span(start, start + 1));
                prop_assert!(found.start >= last.start && found.end >= last.end);
                last = found;
            }
        }

        #[test]
        fn composing_encloses_one_step_after_the_other(a in stretches(), mut b in stretches()) {
            let (outer, len, middle_len) = build(&a);
            // The middle string is long enough for the outer alignment.
            b.extend(std::iter::repeat_n((3, 2, false, 1), middle_len));
            let (inner, _, _) = build(&b);
            let both = outer.clone().through(inner.clone());
            for start in 0..len {
                for end in start + 1..=len {
                    let found = both.original(span(start, end));
                    let steps = inner.original(outer.original(span(start, end)));
                    prop_assert!(found.start <= steps.start && found.end >= steps.end,
                        "{:?} does not enclose {:?}", found, steps);
                }
            }
        }
    }
}
