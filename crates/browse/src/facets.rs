//! Facets: how the rows that a filter lets pass spread over the values of a name.
//!
//! Every bin comes with the term that lets exactly its rows pass, so that whoever shows bins can offer
//! them as filters without knowing the language.

use chrono::NaiveDate;

use crate::bits::Bits;
use crate::browser::Browser;
use crate::error::BrowseError;
use crate::filter::names::{self, Kind, Name, Subject};
use crate::filter::{Filter, quoted};
use crate::table::ResultTable;
use crate::time::Unit;

/// The most texts that are listed; the others are counted together.
const MOST_TEXTS: usize = 50;

/// The most periods that times are cut into.
const MOST_PERIODS: u64 = 62;

/// A share of 1, in millionths.
const ONE: u64 = 1_000_000;

/// How many bins of shares there are from 0 to 1.
const N_SHARES: usize = 20;

/// How wide a bin of shares is.
const SHARE_BIN: u64 = ONE / N_SHARES as u64;

/// Seconds of a day.
const DAY: u64 = 86_400;

/// More days than stored times can have: they end with the year 9999.
const MOST_DAYS: u64 = 3_700_000;

/// How the rows that a filter lets pass spread over values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facets {
    /// How many rows of the table the filter lets pass.
    pub n_matching: u64,
    /// How they spread, one entry for each name that rows of the table are counted by.
    pub facets: Vec<Facet>,
}

/// How rows spread over the values of one name.
///
/// A pair or a cluster has the values of all its documents, and is counted once for each of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facet {
    /// The name, as a filter takes it.
    pub name: &'static str,
    /// Values, or stretches of values, that rows have. Texts are the most frequent 50, the most
    /// frequent first; everything else is in order.
    pub bins: Vec<Bin>,
    /// How many texts are not listed.
    pub n_more: u64,
    /// Counts of the texts that are not listed, added up.
    pub n_rest: u64,
    /// How many rows have no value, or a document without one.
    pub n_none: u64,
}

/// Rows with the same value, or with values that lie near each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bin {
    /// The value: a text, a range of numbers, or a day, month, year or range of years.
    pub value: String,
    /// The term of a filter that lets these rows pass.
    pub term: String,
    /// How many rows there are.
    pub count: u64,
}

impl Browser {
    /// Returns how the rows of a table that a filter lets pass spread over values.
    pub fn facets(&self, table: ResultTable, filter: &str) -> Result<Facets, BrowseError> {
        let passing = self.matching(table, &Filter::parse(table, filter)?)?;
        let counted = names::names(table).iter().filter(|name| name.has_facet);
        let facets = counted.map(|name| self.facet(table, name, &passing));
        Ok(Facets { n_matching: passing.count(), facets: facets.collect::<Result<_, _>>()? })
    }

    fn facet(
        &self,
        table: ResultTable,
        name: &'static Name,
        passing: &Bits,
    ) -> Result<Facet, BrowseError> {
        match name.kind {
            Kind::Time => self.times(table, name, passing),
            Kind::Share => {
                let counts = self.counts(table, name, passing, N_SHARES, |share| {
                    (share / SHARE_BIN).min(N_SHARES as u64 - 1) as usize
                })?;
                Ok(counts.facet(name, |bin| {
                    let [first, next] = [bin, bin + 1].map(|bin| bin as u64 * SHARE_BIN);
                    let last = if next == ONE { ONE } else { next - 1 };
                    format!("{}..{}", written_share(first), written_share(last))
                }))
            }
            Kind::Count => {
                let n_bits = |count: u64| (u64::BITS - count.leading_zeros()) as usize;
                let counts = self.counts(table, name, passing, 65, n_bits)?;
                Ok(counts.facet(name, |bin| match bin {
                    0 | 1 => bin.to_string(),
                    64 => format!("{}..", 1_u64 << 63),
                    _ => format!("{}..{}", 1_u64 << (bin - 1), (1_u64 << bin) - 1),
                }))
            }
            Kind::Choice(choices) => {
                let place = |place| usize::try_from(place).unwrap_or(usize::MAX);
                let counts = self.counts(table, name, passing, choices.len(), place)?;
                Ok(counts.facet(name, |place| choices[place].to_owned()))
            }
            Kind::Text(dictionary) => {
                let strings = self.strings(dictionary)?;
                let place = |code| usize::try_from(code).unwrap_or(usize::MAX);
                let counts = self.counts(table, name, passing, strings.len(), place)?;
                let mut facet =
                    counts.facet(name, |code| strings.get(code).unwrap_or_default().to_owned());
                facet.bins.sort_by_key(|bin| std::cmp::Reverse(bin.count));
                let rest = facet.bins.split_off(facet.bins.len().min(MOST_TEXTS));
                facet.n_more = rest.len() as u64;
                facet.n_rest = rest.iter().map(|bin| bin.count).sum();
                for bin in &mut facet.bins {
                    bin.term = format!("{}:{}", name.name, quoted(&bin.value));
                }
                Ok(facet)
            }
        }
    }

    fn times(
        &self,
        table: ResultTable,
        name: &'static Name,
        passing: &Bits,
    ) -> Result<Facet, BrowseError> {
        let (mut first, mut last) = (u64::MAX, 0);
        self.each_value(table, name, passing, |_, value| {
            if let Some(time) = value {
                (first, last) = (first.min(time), last.max(time));
            }
        })?;
        let unit = Unit::fitting(first, last, MOST_PERIODS);
        // The calendar is asked once a day, from the first day to the last, which gives bins in order.
        let days = first / DAY..=(last / DAY).min(MOST_DAYS);
        let mut periods: Vec<NaiveDate> = Vec::new();
        let mut bin_of_day = Vec::new();
        for period in days.clone().map_while(|day| unit.first_day(day * DAY)) {
            if periods.last() != Some(&period) {
                periods.push(period);
            }
            bin_of_day.push(periods.len() - 1);
        }
        let counts = self.counts(table, name, passing, periods.len(), |time| {
            let day = (time / DAY).checked_sub(*days.start());
            let bin = day.and_then(|day| bin_of_day.get(usize::try_from(day).ok()?));
            bin.copied().unwrap_or(usize::MAX)
        })?;
        Ok(counts.facet(name, |bin| unit.written(periods[bin])))
    }

    /// Counts rows by bins of their values. A row is counted once a bin, however many of its documents
    /// are in it.
    fn counts(
        &self,
        table: ResultTable,
        name: &Name,
        passing: &Bits,
        n_bins: usize,
        bin: impl Fn(u64) -> usize,
    ) -> Result<Counts, BrowseError> {
        let mut counts = Counts { bins: vec![Count::default(); n_bins], none: Count::default() };
        self.each_value(table, name, passing, |row, value| match value {
            None => counts.none.add(row),
            Some(value) => {
                if let Some(count) = counts.bins.get_mut(bin(value)) {
                    count.add(row);
                }
            }
        })?;
        Ok(counts)
    }

    /// Hands over the values of all passing rows, each with its row.
    fn each_value(
        &self,
        table: ResultTable,
        name: &Name,
        passing: &Bits,
        mut each: impl FnMut(usize, Option<u64>),
    ) -> Result<(), BrowseError> {
        match name.subject {
            Subject::Document(column) if table != ResultTable::Documents => {
                let (members, values) = (self.members(table)?, self.values_by_id(column)?);
                for row in passing.iter() {
                    members.each(row, |id| each(row, values.of(id)));
                }
            }
            _ => {
                let values = self.values(table, name)?;
                passing.iter().for_each(|row| each(row, values(row)));
            }
        }
        Ok(())
    }
}

/// Rows by bins, and rows without a value.
struct Counts {
    bins: Vec<Count>,
    none: Count,
}

/// A number of rows that are handed over in order.
#[derive(Clone, Default)]
struct Count {
    n: u64,
    /// One more than the last row that was counted.
    last: usize,
}

impl Count {
    fn add(&mut self, row: usize) {
        if self.last != row + 1 {
            self.n += 1;
            self.last = row + 1;
        }
    }
}

impl Counts {
    /// Makes a facet of the bins that have rows; `value` says what a bin stands for.
    fn facet(self, name: &'static Name, value: impl Fn(usize) -> String) -> Facet {
        let bins = self.bins.iter().enumerate().filter(|(_, count)| count.n > 0);
        let bins = bins.map(|(bin, count)| {
            let value = value(bin);
            Bin { term: format!("{}:{value}", name.name), value, count: count.n }
        });
        let bins = bins.collect();
        Facet { name: name.name, bins, n_more: 0, n_rest: 0, n_none: self.none.n }
    }
}

/// Returns a share as a filter takes it.
fn written_share(millionths: u64) -> String {
    if millionths >= ONE {
        return "1".to_owned();
    }
    let digits = format!("{millionths:06}");
    match digits.trim_end_matches('0') {
        "" => "0".to_owned(),
        digits => format!("0.{digits}"),
    }
}
