//! Which documents of an index may answer.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::record::Record;

/// Which documents of an index may answer: those from a span of time whose fields have given values.
///
/// ```
/// use retold::Filter;
/// let filter = Filter { from: retold::seconds("2026-01-01"), ..Filter::default() };
/// assert!(!filter.is_everything());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// Earliest time, in seconds since 1970; documents without a time are left out. The default is
    /// none.
    pub from: Option<i64>,
    /// First time that is too late; documents without a time are left out. The default is none.
    pub until: Option<i64>,
    /// Values of fields by their names (`source`, `title`, `url`, `language`, or a field that was
    /// stored); one of the values has to be there. The default is none.
    pub fields: BTreeMap<String, Vec<String>>,
    /// Values of fields that a document may not have, by their names. The default is none.
    pub without: BTreeMap<String, Vec<String>>,
    /// Ids of documents that may not answer. The default is none.
    pub without_ids: BTreeSet<String>,
}

impl Filter {
    /// Returns whether every document may answer.
    pub fn is_everything(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn lets_pass(&self, id: &str, time: Option<i64>, record: &Record) -> bool {
        let is_in_time = match time {
            None => self.from.is_none() && self.until.is_none(),
            Some(time) => {
                self.from.is_none_or(|from| time >= from)
                    && self.until.is_none_or(|until| time < until)
            }
        };
        let has = |(name, values): (&String, &Vec<String>)| {
            record.field(name).is_some_and(|value| values.iter().any(|other| other == value))
        };
        is_in_time
            && !self.without_ids.contains(id)
            && self.fields.iter().all(has)
            && !self.without.iter().any(has)
    }
}

#[cfg(test)]
mod tests {
    use retold_core::document::Document;

    use super::*;

    #[test]
    fn times_and_fields_have_to_fit() {
        let document = Document { source: Some("reuters".into()), ..Document::plain("a", "text") };
        let record = Record::of(&document, None);
        let of = |from, until, source: Option<&str>| Filter {
            from,
            until,
            fields: source.map(|s| ("source".to_owned(), vec![s.to_owned()])).into_iter().collect(),
            ..Filter::default()
        };
        for (filter, time, passes) in [
            (of(None, None, None), None, true),
            (of(Some(5), None, None), None, false),
            (of(Some(5), None, None), Some(5), true),
            (of(None, Some(5), None), Some(5), false),
            (of(None, None, Some("reuters")), None, true),
            (of(None, None, Some("ap")), None, false),
        ] {
            assert_eq!(filter.lets_pass("a", time, &record), passes, "{filter:?} {time:?}");
        }
        let source = of(None, None, Some("reuters")).fields;
        let without = Filter { without: source, ..Filter::default() };
        assert!(!without.lets_pass("a", None, &record));
        let without = Filter { without_ids: ["a".to_owned()].into(), ..Filter::default() };
        assert!(!without.lets_pass("a", None, &record) && without.lets_pass("b", None, &record));
    }
}
