//! What stands in many documents that are no copies of each other: notes about the author, terms of
//! use, the frame of a form.
//!
//! A result knows such text by its partial pairs. A stretch of a document that is a passage of partial
//! pairs with three or more other documents is told as boilerplate, with the number of these documents.
//! Documents of one cluster tell the same and count once.

use std::collections::{BTreeMap, BTreeSet};

use retold_browse::{Browser, PageRequest};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::offsets::Utf16;
use crate::problem::Problem;

/// Other documents that a stretch has to stand in.
const LEAST_DOCUMENTS: u64 = 3;
/// Pairs of a document that are looked at.
const MOST_PAIRS: usize = 500;

/// Boilerplate of two documents.
#[derive(Serialize, JsonSchema)]
pub(super) struct Boilerplate {
    /// Stretches of the first document.
    a: Vec<Stretch>,
    /// Stretches of the second document.
    b: Vec<Stretch>,
    /// Whether all partial pairs of both were looked at.
    is_complete: bool,
}

/// A stretch of a document that other documents have, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct Stretch {
    /// Where it begins and ends, in the unit of offsets that was asked for.
    span: (u32, u32),
    /// Other documents that have all of it, each cluster counted once.
    documents: u64,
}

impl Boilerplate {
    /// Finds the boilerplate of two documents of a result.
    pub(super) fn of(browser: &Browser, a: &str, b: &str) -> Result<Self, Problem> {
        let mut is_complete = true;
        let mut of = |id: &str, beside: &str| {
            let request = PageRequest {
                filter: "relation:partial".to_owned(),
                limit: MOST_PAIRS,
                ..PageRequest::default()
            };
            let page = browser.pairs_of(id, &request)?;
            is_complete &= page.next.is_none();
            let known: BTreeSet<Story> =
                [story(browser, id)?, story(browser, beside)?].into_iter().collect();
            let mut stories: BTreeMap<Story, Vec<(u32, u32)>> = BTreeMap::new();
            for row in page.rows {
                let pair: Value = serde_json::from_str(&row.line).map_err(Problem::internal)?;
                let (own, other) = if pair["a"] == id { ("a", "b") } else { ("b", "a") };
                let other = story(browser, pair[other].as_str().unwrap_or_default())?;
                if known.contains(&other) {
                    continue;
                }
                let spans = stories.entry(other).or_default();
                for passage in pair["evidence"].as_array().into_iter().flatten() {
                    let end = |at: usize| passage[own][at].as_u64().unwrap_or(0) as u32;
                    spans.push((end(0), end(1)));
                }
            }
            Ok::<_, Problem>(common(stories.into_values()))
        };
        let (a, b) = (of(a, b)?, of(b, a)?);
        Ok(Self { a, b, is_complete })
    }

    /// Counts offsets in units of UTF-16.
    pub(super) fn count_in(&mut self, a: &Utf16<'_>, b: &Utf16<'_>) {
        for (stretches, text) in [(&mut self.a, a), (&mut self.b, b)] {
            for Stretch { span, .. } in stretches {
                *span = (text.offset(span.0), text.offset(span.1));
            }
        }
    }
}

/// What a document tells: the cluster that it is in, or itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Story {
    Cluster(u64),
    Document(String),
}

fn story(browser: &Browser, id: &str) -> Result<Story, Problem> {
    let row = browser.document(id)?;
    let row: Value = match &row {
        Some(row) => serde_json::from_str(&row.line).map_err(Problem::internal)?,
        None => Value::Null,
    };
    let cluster = row["cluster"].as_u64().or_else(|| row["clusters"][0].as_u64());
    Ok(cluster.map_or_else(|| Story::Document(id.to_owned()), Story::Cluster))
}

/// Returns the stretches that lie in the spans of enough stories.
fn common(stories: impl Iterator<Item = Vec<(u32, u32)>>) -> Vec<Stretch> {
    // Where the spans of a story begin and end; those that overlap are one.
    let mut ends: BTreeMap<u32, i64> = BTreeMap::new();
    for mut spans in stories {
        spans.sort_unstable();
        let mut until = 0;
        for (start, end) in spans {
            let start = start.max(until);
            if start < end {
                *ends.entry(start).or_default() += 1;
                *ends.entry(end).or_default() -= 1;
                until = end;
            }
        }
    }
    let mut found: Vec<Stretch> = Vec::new();
    let (mut n_before, mut from) = (0_u64, 0);
    for (at, change) in ends {
        if n_before >= LEAST_DOCUMENTS && from < at {
            match found.last_mut() {
                Some(last) if last.span.1 == from => {
                    last.span.1 = at;
                    last.documents = last.documents.min(n_before);
                }
                _ => found.push(Stretch { span: (from, at), documents: n_before }),
            }
        }
        n_before = n_before.saturating_add_signed(change);
        from = at;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_stands_in_as_many_documents_as_have_all_of_it() {
        let stories = [
            vec![(10, 50), (30, 60)],
            vec![(10, 60)],
            vec![(20, 55)],
            vec![(40, 90)],
            vec![(80, 90)],
        ];
        let found = common(stories.into_iter());
        assert_eq!(found, [Stretch { span: (20, 60), documents: 3 }]);
        assert_eq!(common([vec![(0, 9)], vec![(0, 9)]].into_iter()), []);
        assert_eq!(common(std::iter::empty()), []);
    }
}
