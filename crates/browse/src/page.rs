//! Pages: rows that a filter lets pass, in an order, from a cursor on.
//!
//! No order is stored. A page takes the rows that come after the cursor and selects the first of them,
//! which is linear in the number of rows: about 10 ms of a million. Sorted lists of all rows for every
//! column would take more bytes than all columns together, and would have to be read as well.

use xxhash_rust::xxh3::Xxh3;

use crate::bits::Bits;
use crate::browser::{Browser, Row};
use crate::error::{BrowseError, nearest};
use crate::filter::names::{self, Name};
use crate::filter::{Filter, Term};
use crate::table::ResultTable;

/// Which page is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// Which rows pass. The default is empty: all of them.
    pub filter: String,
    /// A name by which rows are sorted, with `-` in front for descending order. The default is empty:
    /// the order of the file.
    pub sort: String,
    /// Where the page before ended, as its [`Page::next`] says. The default is none: the first page.
    pub after: Option<String>,
    /// The most rows of the page; at least one is given if there is one. The default is 100.
    pub limit: usize,
    /// The most bytes of all lines of the page; a page ends before the row that would go beyond, but
    /// has at least one row. The default is 64 MiB.
    pub most_bytes: u64,
}

impl Default for PageRequest {
    fn default() -> Self {
        let (filter, sort) = (String::new(), String::new());
        Self { filter, sort, after: None, limit: 100, most_bytes: 64 << 20 }
    }
}

/// Some rows of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The rows, in the order asked for; rows that are alike there are in the order of the file.
    pub rows: Vec<Row>,
    /// What to give as [`PageRequest::after`] for the next page, if there is one. It stays valid as
    /// long as the result is the same, whoever opens it.
    pub next: Option<String>,
    /// How many rows of the table the filter lets pass.
    pub n_matching: u64,
    /// How many rows the table has.
    pub n_rows: u64,
}

/// An order of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sort {
    pub(crate) name: &'static Name,
    pub(crate) is_descending: bool,
}

impl Sort {
    /// Reads an order; an empty text is the order of the file.
    pub(crate) fn parse(table: ResultTable, text: &str) -> Result<Option<Self>, BrowseError> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        let (given, is_descending) =
            text.strip_prefix('-').map_or((text, false), |name| (name, true));
        if let Some(name) = names::find(table, given).filter(|name| name.is_sortable) {
            return Ok(Some(Self { name, is_descending }));
        }
        let accepted = names::names(table).iter().filter(|name| name.is_sortable);
        let accepted: Vec<&str> = accepted.map(|name| name.name).collect();
        Err(BrowseError::Sort {
            table,
            given: given.to_owned(),
            nearest: nearest(given, accepted.iter().copied()).map(str::to_owned),
            accepted: accepted.join(", "),
        })
    }

    /// Returns a number that orders a value among the others; no value comes last in both directions.
    fn key(self, value: Option<u64>) -> u64 {
        match value {
            None => u64::MAX,
            Some(value) if self.is_descending => (1 << 63) - value.min(1 << 63),
            Some(value) => value.min(1 << 63),
        }
    }
}

/// A filter and an order that were read, and what tells them from others.
pub(crate) struct Question {
    pub(crate) filter: Filter,
    pub(crate) sort: Option<Sort>,
    /// Stands in the cursors of its pages.
    hash: u64,
}

impl Question {
    /// Reads a filter and an order.
    pub(crate) fn parse(table: ResultTable, filter: &str, sort: &str) -> Result<Self, BrowseError> {
        let mut hash = Xxh3::new();
        for text in [table.name(), filter.trim(), sort.trim()] {
            hash.update(&(text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        }
        let sort = Sort::parse(table, sort)?;
        Ok(Self { filter: Filter::parse(table, filter)?, sort, hash: hash.digest() })
    }

    /// Adds a term that has no text in the filter; `text` tells it from others.
    pub(crate) fn with(mut self, term: Term, text: &str) -> Self {
        self.filter.terms.push(term);
        let mut hash = Xxh3::with_seed(self.hash);
        hash.update(text.as_bytes());
        Self { hash: hash.digest(), ..self }
    }
}

impl Browser {
    /// Returns a page of a table.
    pub fn page(&self, table: ResultTable, request: &PageRequest) -> Result<Page, BrowseError> {
        let question = Question::parse(table, &request.filter, &request.sort)?;
        self.page_of(table, &question, request)
    }

    /// Returns a page of the rows that a question is about.
    pub(crate) fn page_of(
        &self,
        table: ResultTable,
        question: &Question,
        request: &PageRequest,
    ) -> Result<Page, BrowseError> {
        let n_rows = self.len(table)?;
        let after = request.after.as_deref();
        let after = after.map(|cursor| self.place(cursor, question, n_rows)).transpose()?;
        let passing = self.matching(table, &question.filter)?;
        let limit = request.limit.max(1);
        let wanted = limit.saturating_add(1);
        let ordered = self.ordered(table, question.sort, &passing, after, wanted)?;
        let (mut rows, mut bytes) = (Vec::new(), 0_u64);
        for &row in ordered.iter().take(limit) {
            let [start, end] = self.span(table, row as usize)?;
            bytes = bytes.saturating_add(end.saturating_sub(start));
            if bytes > request.most_bytes && !rows.is_empty() {
                break;
            }
            rows.push(self.read_row(table, row as usize)?);
        }
        let last = rows.len().checked_sub(1).and_then(|last| ordered.get(last));
        let next =
            last.filter(|_| rows.len() < ordered.len()).map(|row| self.cursor(question, *row));
        Ok(Page { rows, next, n_matching: passing.count(), n_rows: n_rows as u64 })
    }

    /// Returns the first `wanted` of the passing rows that come after a row, in an order.
    pub(crate) fn ordered(
        &self,
        table: ResultTable,
        sort: Option<Sort>,
        passing: &Bits,
        after: Option<u32>,
        wanted: usize,
    ) -> Result<Vec<u32>, BrowseError> {
        let rows = passing.iter().map(|row| row as u32);
        let Some(sort) = sort else {
            let is_before = |row: &u32| after.is_some_and(|after| *row <= after);
            return Ok(rows.skip_while(is_before).take(wanted).collect());
        };
        let values = self.values(table, sort.name)?;
        let place = |row: u32| (sort.key(values(row as usize)), row);
        let after = after.map(place);
        let mut places: Vec<(u64, u32)> =
            rows.map(place).filter(|place| after.is_none_or(|after| *place > after)).collect();
        if places.len() > wanted && wanted > 0 {
            places.select_nth_unstable(wanted - 1);
            places.truncate(wanted);
        }
        places.sort_unstable();
        Ok(places.into_iter().map(|(_, row)| row).collect())
    }

    /// Returns the cursor of a page that ends with a row.
    ///
    /// It holds what stays the same for the same folder: 8 hexadecimal digits of the fingerprint, 16
    /// that stand for table, filter and order, and 8 for the row.
    fn cursor(&self, question: &Question, row: u32) -> String {
        format!("{}{:016x}{row:08x}", self.result_digits(), question.hash)
    }

    fn result_digits(&self) -> &str {
        self.files.fingerprint.get(..8).unwrap_or_default()
    }

    /// Returns the row that a cursor names.
    fn place(&self, cursor: &str, question: &Question, n_rows: usize) -> Result<u32, BrowseError> {
        let refuse = |reason| {
            let cursor = cursor.chars().take(40).collect();
            BrowseError::Cursor { cursor, reason }
        };
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if cursor.len() != 32 || !cursor.bytes().all(is_digit) {
            return Err(refuse("is not one: a cursor is what `next` of a page says"));
        }
        let (result, rest) = cursor.split_at(8);
        let (question_digits, row) = rest.split_at(16);
        if result != self.result_digits() {
            return Err(refuse("belongs to another result"));
        }
        if question_digits != format!("{:016x}", question.hash) {
            return Err(refuse("belongs to another table, filter or order"));
        }
        let row = u32::from_str_radix(row, 16).ok().filter(|row| (*row as usize) < n_rows);
        row.ok_or_else(|| refuse("names a row that is not there"))
    }
}
