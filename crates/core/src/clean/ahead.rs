//! Looking ahead in a text for what ends something, in linear time over the whole text.

/// Finds the next place of some strings, asked for from places that only grow.
#[derive(Debug)]
pub(super) struct Ahead<'s> {
    source: &'s str,
    /// What was looked for, and where it stands next; `None` if it does not come again.
    found: Vec<(String, Option<usize>)>,
}

impl<'s> Ahead<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Self { source, found: Vec::new() }
    }

    /// Returns where `sought` stands at or after `from`.
    pub(super) fn find(&mut self, sought: &str, from: usize) -> Option<usize> {
        let look = |source: &str| source.get(from..)?.find(sought).map(|at| from + at);
        let known = self.found.iter_mut().find(|(known, _)| known == sought);
        let Some((_, next)) = known else {
            let next = look(self.source);
            self.found.push((sought.to_owned(), next));
            return next;
        };
        if next.is_some_and(|at| at < from) {
            *next = look(self.source);
        }
        *next
    }
}

/// Brackets that belong together.
#[derive(Debug)]
pub(super) struct Pairs(Vec<(usize, usize)>);

impl Pairs {
    /// Deepest nesting that is followed.
    const DEEPEST: usize = 1 << 16;

    /// Finds all pairs of `open` and `close`, which begin with different ASCII characters.
    pub(super) fn of(source: &str, open: &str, close: &str) -> Self {
        let bytes = source.as_bytes();
        let (mut begun, mut pairs) = (Vec::new(), Vec::new());
        let mut end = 0;
        for at in memchr::memchr2_iter(open.as_bytes()[0], close.as_bytes()[0], bytes) {
            if at < end {
                continue;
            }
            if bytes[at..].starts_with(open.as_bytes()) {
                if begun.len() < Self::DEEPEST {
                    begun.push(at);
                }
                end = at + open.len();
            } else if bytes[at..].starts_with(close.as_bytes()) {
                end = at + close.len();
                pairs.extend(begun.pop().map(|start: usize| (start, end)));
            }
        }
        pairs.sort_unstable();
        Self(pairs)
    }

    /// Returns the end of the pair that begins at `at`.
    pub(super) fn end_of(&self, at: usize) -> Option<usize> {
        let found = self.0.binary_search_by_key(&at, |(start, _)| *start).ok()?;
        Some(self.0[found].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_from_later_on() {
        let mut ahead = Ahead::new("a-b-c");
        assert_eq!(ahead.find("-", 0), Some(1));
        assert_eq!(ahead.find("-", 1), Some(1));
        assert_eq!(ahead.find("-", 2), Some(3));
        assert_eq!(
            (ahead.find("-", 4), ahead.find("-", 5), ahead.find("x", 0)),
            (None, None, None)
        );
    }

    #[test]
    fn brackets_are_paired() {
        let pairs = Pairs::of("{{a{{b}}}} {{c }}", "{{", "}}");
        assert_eq!(
            (pairs.end_of(0), pairs.end_of(3), pairs.end_of(11)),
            (Some(10), Some(8), Some(17))
        );
        assert_eq!(Pairs::of("[ ] ]", "[", "]").end_of(0), Some(3));
        assert_eq!(Pairs::of("[[x", "[[", "]]").end_of(0), None);
    }
}
