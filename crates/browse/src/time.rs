//! Times of documents and of filters.
//!
//! A time is stored as seconds since the beginning of the year 1, which orders all times from there to
//! the end of the year 9999. What is no time, or one outside of these years, counts as none.

use chrono::{DateTime, Datelike as _, Days, Months, NaiveDate};

/// Seconds from the beginning of the year 1 to that of 1970.
const TO_1970: i64 = 62_135_596_800;

/// Seconds from the beginning of the year 1 to that of 10000.
const END: u64 = 315_537_897_600;

/// Returns the time that a record tells: RFC 3339, RFC 2822, a date, a date and a time, a year, a month,
/// or seconds since 1970.
pub(crate) fn stored(text: &str) -> Option<u64> {
    from_1970(retold::seconds(text)?)
}

fn from_1970(seconds: i64) -> Option<u64> {
    u64::try_from(seconds.checked_add(TO_1970)?).ok().filter(|time| *time < END)
}

/// Returns the first and the last second that a time of a filter names: a year (`2026`), a month
/// (`2026-11`), a day (`2026-11-01`), or a time as a record tells it.
pub(crate) fn named(text: &str) -> Option<[u64; 2]> {
    let parts: Vec<&str> = text.split('-').collect();
    let is_digits = |part: &&str, n| part.len() == n && part.bytes().all(|b| b.is_ascii_digit());
    let number = |part: &&str| part.parse::<u32>().ok();
    let (unit, year, month, day) = match parts.as_slice() {
        [year] if is_digits(year, 4) => (Unit::Year(1), year, 1, 1),
        [year, month] if is_digits(year, 4) && is_digits(month, 2) => {
            (Unit::Month, year, number(month)?, 1)
        }
        [year, month, day] if is_digits(year, 4) && is_digits(month, 2) && is_digits(day, 2) => {
            (Unit::Day, year, number(month)?, number(day)?)
        }
        _ => return stored(text).map(|time| [time, time]),
    };
    let first = NaiveDate::from_ymd_opt(i32::try_from(number(year)?).ok()?, month, day)?;
    unit.period(first)
}

/// How long the periods are that times are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Day,
    Month,
    /// So many years.
    Year(u32),
}

impl Unit {
    /// Returns the shortest unit that cuts the time from `first` to `last` into at most `most` periods.
    pub(crate) fn fitting(first: u64, last: u64, most: u64) -> Self {
        let days = last.min(END).saturating_sub(first) / 86_400 + 1;
        if days <= most {
            Self::Day
        } else if days / 31 < most {
            Self::Month
        } else {
            let mut years = 1;
            while days / 366 / u64::from(years) >= most {
                years *= 10;
            }
            Self::Year(years)
        }
    }

    /// Returns the first day of the period that a stored time lies in.
    pub(crate) fn first_day(self, time: u64) -> Option<NaiveDate> {
        let seconds = i64::try_from(time).ok()? - TO_1970;
        let date = DateTime::from_timestamp(seconds, 0)?.date_naive();
        match self {
            Self::Day => Some(date),
            Self::Month => date.with_day(1),
            Self::Year(years) => {
                let years = i32::try_from(years).ok()?;
                NaiveDate::from_ymd_opt((date.year() / years * years).max(1), 1, 1)
            }
        }
    }

    /// Returns the first and the last second of the period that begins with a day.
    fn period(self, first: NaiveDate) -> Option<[u64; 2]> {
        let next = match self {
            Self::Day => first.checked_add_days(Days::new(1)),
            Self::Month => first.checked_add_months(Months::new(1)),
            Self::Year(years) => first.checked_add_months(Months::new(years.checked_mul(12)?)),
        }?;
        let at = |day: NaiveDate| Some(day.and_hms_opt(0, 0, 0)?.and_utc().timestamp());
        let last = u64::try_from(at(next)?.checked_add(TO_1970)?).ok()?.checked_sub(1)?;
        Some([from_1970(at(first)?)?, last.min(END - 1)])
    }

    /// Returns the period that begins with a day as a value for a filter.
    pub(crate) fn written(self, first: NaiveDate) -> String {
        match self {
            Self::Day => first.format("%Y-%m-%d").to_string(),
            Self::Month => first.format("%Y-%m").to_string(),
            Self::Year(1) => first.format("%Y").to_string(),
            Self::Year(years) => {
                let years = i32::try_from(years).unwrap_or(i32::MAX);
                let last = first.year() / years * years + (years - 1);
                format!("{:04}..{:04}", first.year(), last.min(9999))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_tell_their_time_in_many_forms() {
        let of_1970 = |seconds: u64| Some(seconds + TO_1970.unsigned_abs());
        assert_eq!(stored("1970-01-02"), of_1970(86_400));
        assert_eq!(stored("1970-01-01T01:00:00+01:00"), of_1970(0));
        assert_eq!(stored(" 26-FEB-1987 15:01:01.79"), of_1970(541_350_061));
        assert_eq!(stored("Thu, 26 Feb 1987 15:01:01 +0000"), of_1970(541_350_061));
        assert_eq!(stored("541350061"), of_1970(541_350_061));
        assert_eq!(stored("541350061000"), of_1970(541_350_061));
        assert_eq!(stored("1987"), of_1970(536_457_600));
        for none in ["", "yesterday", "198", "-99999999999999999"] {
            assert_eq!(stored(none), None, "{none}");
        }
    }

    #[test]
    fn a_named_period_lasts_until_the_next_one_begins() {
        for (earlier, later) in [
            ("2026", "2027"),
            ("2026-02", "2026-03"),
            ("2026-12", "2027-01"),
            ("2028-02-29", "2028-03-01"),
            ("0001", "0002"),
            ("2026-11-01T23:59:59Z", "2026-11-02"),
        ] {
            let [earlier, later] = [earlier, later].map(|text| named(text).expect("a period"));
            assert_eq!(earlier[1] + 1, later[0]);
        }
        assert_eq!(named("9999").map(|[_, last]| last), Some(END - 1));
        for none in ["2026-13", "2026-02-30", "0000", "26", "2026-1", "soon"] {
            assert_eq!(named(none), None, "{none}");
        }
    }

    #[test]
    fn times_beyond_all_years_have_a_unit() {
        assert_eq!(Unit::fitting(0, u64::MAX, 62), Unit::Year(1000));
        assert_eq!(Unit::fitting(u64::MAX, 0, 62), Unit::Day);
    }

    #[test]
    fn a_period_is_written_as_a_filter_takes_it() {
        let time = stored("2026-11-15T10:00:00Z").expect("a time");
        for (unit, written) in [
            (Unit::Day, "2026-11-15"),
            (Unit::Month, "2026-11"),
            (Unit::Year(1), "2026"),
            (Unit::Year(10), "2020..2029"),
            (Unit::Year(1000), "2000..2999"),
        ] {
            let first = unit.first_day(time).expect("a day");
            assert_eq!(unit.written(first), written);
        }
        let first = Unit::Year(1000).first_day(0).expect("a day");
        assert_eq!(Unit::Year(1000).written(first), "0001..0999");
    }
}
