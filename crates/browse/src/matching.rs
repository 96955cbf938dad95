//! Which rows a filter lets pass.
//!
//! Every term is one walk over a column, which gives a bit a row. What is asked of documents is first
//! decided for every id, and then looked up for the rows that name documents.

use memchr::memmem;

use crate::bits::Bits;
use crate::browser::Browser;
use crate::error::BrowseError;
use crate::filter::names::{DIFFERENCES, Dictionary, Kind, Name, Subject};
use crate::filter::value::{Item, is_like};
use crate::filter::{Filter, Test};
use crate::strings::Strings;
use crate::table::ResultTable;

/// Values that fit a term.
enum Fit<'f> {
    Numbers(&'f [Item]),
    /// Codes of texts, and whether having none fits as well.
    Codes(Bits, bool),
}

impl Fit<'_> {
    fn has(&self, value: Option<u64>) -> bool {
        match (self, value) {
            (Self::Numbers(items), value) => items.iter().any(|item| item.has(value)),
            (Self::Codes(codes, _), Some(code)) => {
                usize::try_from(code).is_ok_and(|code| codes.has(code))
            }
            (Self::Codes(_, is_none_accepted), None) => *is_none_accepted,
        }
    }
}

impl Browser {
    /// Returns the rows of a table that a filter lets pass.
    pub(crate) fn matching(
        &self,
        table: ResultTable,
        filter: &Filter,
    ) -> Result<Bits, BrowseError> {
        let mut passing = Bits::of(self.len(table)?, |_| true);
        for term in &filter.terms {
            let rows = match &term.test {
                Test::Named(name, items) => self.named(table, name, items)?,
                Test::PartOfId(part) => self.with_part(table, part)?,
            };
            passing.keep(&rows, term.is_negated);
        }
        Ok(passing)
    }

    fn named(&self, table: ResultTable, name: &Name, items: &[Item]) -> Result<Bits, BrowseError> {
        let n_rows = self.len(table)?;
        let fit = match name.kind {
            Kind::Text(dictionary) => Fit::Codes(
                fitting(self.strings(dictionary)?, items),
                items.contains(&Item::Nothing),
            ),
            _ => Fit::Numbers(items),
        };
        match name.subject {
            Subject::Document(column) if table != ResultTable::Documents => {
                let values = self.values_by_id(column)?;
                let ids = Bits::of(values.len(), |id| fit.has(values.of(id)));
                self.with_ids(table, &ids)
            }
            Subject::Column(_) | Subject::Larger(..) | Subject::Document(_) => {
                let values = self.values(table, name)?;
                Ok(Bits::of(n_rows, |row| fit.has(values(row))))
            }
            Subject::Id => match &fit {
                Fit::Codes(ids, _) => self.with_ids(table, ids),
                Fit::Numbers(_) => Ok(Bits::none(n_rows)),
            },
            Subject::Cluster => self.in_cluster(table, &fit),
            Subject::Across => self.across(items),
        }
    }

    /// Returns the rows that name a document with one of these ids.
    fn with_ids(&self, table: ResultTable, ids: &Bits) -> Result<Bits, BrowseError> {
        let members = self.members(table)?;
        Ok(Bits::of(self.len(table)?, |row| members.any(row, |id| ids.has(id))))
    }

    /// Returns the rows that name a document whose id has a part, in upper or lower case.
    fn with_part(&self, table: ResultTable, part: &str) -> Result<Bits, BrowseError> {
        let strings = self.strings(Dictionary::Ids)?;
        let finder = memmem::Finder::new(part);
        let mut lower = Vec::new();
        let ids = Bits::of(strings.len(), |id| {
            let Some(id) = strings.get(id) else { return false };
            if id.is_ascii() {
                lower.clear();
                lower.extend(id.bytes().map(|byte| byte.to_ascii_lowercase()));
                finder.find(&lower).is_some()
            } else {
                finder.find(id.to_lowercase().as_bytes()).is_some()
            }
        });
        let mut rows = self.with_ids(table, &ids)?;
        if let ResultTable::Removed | ResultTable::Review = table {
            let kept = self.column(table, "kept")?;
            for row in (0..kept.len()).filter(|row| ids.has(kept.place(*row))) {
                rows.insert(row);
            }
        }
        Ok(rows)
    }

    /// Returns the rows whose documents are all in one cluster that fits.
    fn in_cluster(&self, table: ResultTable, fit: &Fit<'_>) -> Result<Bits, BrowseError> {
        let clusters = self.lists(ResultTable::Documents, "cluster")?;
        let n_rows = self.len(table)?;
        if table == ResultTable::Documents {
            return Ok(Bits::of(n_rows, |row| {
                let mut own = clusters.of(row).map(|cluster| Some(cluster as u64)).peekable();
                if own.peek().is_none() { fit.has(None) } else { own.any(|own| fit.has(own)) }
            }));
        }
        let first_rows = self.first_rows()?;
        let (a, b) = (self.column(table, "a")?, self.column(table, "b")?);
        // Returns whether a common cluster fits; `None` if there is none.
        let common = |row: usize| -> Option<bool> {
            let (a, b) = (first_rows.of(a.place(row))?, first_rows.of(b.place(row))?);
            let (mut of_a, mut of_b) = (clusters.of(a), clusters.of(b));
            let (mut one, mut other) = (of_a.next()?, of_b.next()?);
            let mut fits = None;
            loop {
                if one == other {
                    fits = Some(fits == Some(true) || fit.has(Some(one as u64)));
                }
                let next = if one <= other { of_a.next() } else { of_b.next() };
                let Some(next) = next else { return fits };
                *(if one <= other { &mut one } else { &mut other }) = next;
            }
        };
        let fits_none = fit.has(None);
        Ok(Bits::of(n_rows, |row| common(row).unwrap_or(fits_none)))
    }

    /// Returns the pairs whose documents differ in one of the named things. Both have to have it.
    fn across(&self, items: &[Item]) -> Result<Bits, BrowseError> {
        let table = ResultTable::Pairs;
        let (a, b) = (self.column(table, "a")?, self.column(table, "b")?);
        let mut rows = Bits::none(self.len(table)?);
        for (place, name) in DIFFERENCES.iter().enumerate() {
            if !items.iter().any(|item| item.has(Some(place as u64))) {
                continue;
            }
            let values = self.values_by_id(name)?;
            for row in 0..rows.len() {
                if let (Some(a), Some(b)) = (values.of(a.place(row)), values.of(b.place(row)))
                    && a != b
                {
                    rows.insert(row);
                }
            }
        }
        Ok(rows)
    }
}

/// Returns the codes of the texts that fit.
fn fitting(strings: Strings<'_>, items: &[Item]) -> Bits {
    let mut codes = Bits::none(strings.len());
    for item in items {
        match item {
            Item::Exactly(text) => {
                if let Some(code) = strings.find(text) {
                    codes.insert(code);
                }
            }
            Item::Like(pieces) => {
                for code in 0..strings.len() {
                    if strings.get(code).is_some_and(|text| is_like(text, pieces)) {
                        codes.insert(code);
                    }
                }
            }
            Item::Between(..) | Item::Nothing => {}
        }
    }
    codes
}
