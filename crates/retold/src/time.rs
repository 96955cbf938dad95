//! When a document was published, as records write it.

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, Utc};

/// Forms of a date with a time, without an offset; they are taken as UTC.
const FORMS: [&str; 6] = [
    "%Y-%m-%dT%H:%M:%S%.f",
    "%Y-%m-%d %H:%M:%S%.f",
    "%d-%b-%Y %H:%M:%S%.f",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%d %H:%M",
    "%Y/%m/%d %H:%M:%S%.f",
];

/// Forms of a date alone, which stands for its beginning.
const DATES: [&str; 5] = ["%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d %B %Y", "%B %d, %Y"];

/// Returns the moment that a text names: RFC 3339, RFC 2822, a date, a date and a time, a year, a month
/// (`2025-03`), or seconds since 1970; numbers too large for seconds are milli-, micro- or nanoseconds.
fn moment(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.to_utc());
    }
    if let Some(time) = number(text) {
        return Some(time);
    }
    let date = |form: &&str| NaiveDate::parse_from_str(text, form).ok();
    let month = || {
        let first = (text.len() == 7).then(|| format!("{text}-01"))?;
        NaiveDate::parse_from_str(&first, "%Y-%m-%d").ok()
    };
    if let Some(date) = DATES.iter().find_map(date).or_else(month) {
        return Some(date.and_time(NaiveTime::MIN).and_utc());
    }
    let by_form = |form: &&str| NaiveDateTime::parse_from_str(text, form).ok();
    if let Some(time) = FORMS.iter().find_map(by_form) {
        return Some(time.and_utc());
    }
    let short = || DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M%#z");
    DateTime::parse_from_rfc2822(text).or_else(|_| short()).ok().map(|time| time.to_utc())
}

/// Returns the moment that a number names: a year of four digits, or what has passed since 1970.
fn number(text: &str) -> Option<DateTime<Utc>> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let count: i64 = whole.parse().ok()?;
    if text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(NaiveDate::from_yo_opt(count as i32, 1)?.and_time(NaiveTime::MIN).and_utc());
    }
    match count.unsigned_abs() {
        _ if text.len() < 5 => None,
        0..100_000_000_000 => {
            let digits = fraction.bytes().chain(std::iter::repeat(b'0')).take(9);
            let nanos = digits.fold(0, |nanos, digit| nanos * 10 + u32::from(digit - b'0'));
            DateTime::from_timestamp(count, nanos)
        }
        100_000_000_000..100_000_000_000_000 => DateTime::from_timestamp_millis(count),
        100_000_000_000_000..100_000_000_000_000_000 => DateTime::from_timestamp_micros(count),
        _ => Some(DateTime::from_timestamp_nanos(count)),
    }
}

/// Returns the seconds since 1970 that a text names: RFC 3339, RFC 2822, a date, a date and a
/// time, a year, a month, or seconds.
///
/// ```
/// assert_eq!(retold::seconds("1970-01-02"), Some(86_400));
/// assert_eq!(retold::seconds("1970-01-01T01:00:00+01:00"), Some(0));
/// assert_eq!(retold::seconds("26-FEB-1987 15:01:01.79"), Some(541_350_061));
/// assert_eq!(retold::seconds("yesterday"), None);
/// ```
pub fn seconds(text: &str) -> Option<i64> {
    moment(text).map(|time| time.timestamp())
}

/// Returns a time in a form in which earlier ones are the smaller texts; none for what is no time, or in no year of
/// four digits.
pub(crate) fn sortable(text: &str) -> Option<String> {
    let time = moment(text).filter(|time| (0..10_000).contains(&time.year()))?;
    Some(time.format("%Y-%m-%dT%H:%M:%S%.9f").to_string())
}

/// Returns a time as it is shown to people: seconds become a date and a time, all else stays as it is.
///
/// ```
/// assert_eq!(retold::shown_time("541350061"), "1987-02-26 15:01");
/// assert_eq!(retold::shown_time("26 February 1987"), "26 February 1987");
/// ```
pub fn shown_time(text: &str) -> String {
    let is_seconds = text.len() > 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    let time =
        seconds(text).filter(|_| is_seconds).and_then(|time| DateTime::from_timestamp(time, 0));
    time.map_or_else(|| text.to_owned(), |time| time.format("%Y-%m-%d %H:%M").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_a_time_are_one_moment() {
        for text in [
            "2026-11-06T23:00:00-05:00",
            "Fri, 06 Nov 2026 23:00:00 -0500",
            "2026-11-07 04:00",
            "2026-11-07T04:00:00Z",
            "1794024000",
            "1794024000.0",
            "1794024000000",
            "1794024000000000",
            "1794024000000000000",
            "7-Nov-2026 04:00:00",
        ] {
            assert_eq!(seconds(text), Some(1_794_024_000), "{text}");
        }
        for text in [
            "2026",
            "2026-01",
            "2026-01-01",
            "2026/01/01",
            "1.1.2026",
            "1 January 2026",
            "January 1, 2026",
        ] {
            assert_eq!(seconds(text), Some(1_767_225_600), "{text}");
        }
        for text in ["", "12", "2026-13", "2026-1", "soon", "1.2.3.4", "-", "2026-02-30"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn earlier_times_are_smaller_texts() {
        let times = [
            "0001-01-01",
            "1999",
            "Sun, 01 Nov 2026 10:00:00 GMT",
            "1794024000.5",
            "2026-11-07T04:00:00.75Z",
        ];
        let sorted: Vec<_> = times.iter().map(|time| sortable(time)).collect();
        assert!(sorted.iter().all(Option::is_some) && sorted.is_sorted(), "{sorted:?}");
        assert_eq!(sortable("99999999999"), sortable("5138-11-16T09:46:39Z"));
        assert_eq!(sortable("a day in May"), None);
    }
}
