//! When a document was published, as records write it.

use chrono::{DateTime, NaiveDate, NaiveDateTime};

/// Forms without an offset; they are taken as UTC.
const FORMS: [&str; 4] =
    ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%d-%b-%Y %H:%M:%S%.f", "%Y-%m-%d %H:%M"];

/// Returns the seconds since 1970 that a text names: RFC 3339, RFC 2822, a date, a date and a
/// time, or seconds.
///
/// ```
/// assert_eq!(retold::seconds("1970-01-02"), Some(86_400));
/// assert_eq!(retold::seconds("1970-01-01T01:00:00+01:00"), Some(0));
/// assert_eq!(retold::seconds("26-FEB-1987 15:01:01.79"), Some(541_350_061));
/// assert_eq!(retold::seconds("yesterday"), None);
/// ```
pub fn seconds(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.timestamp());
    }
    if let Ok(date) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        return Some(date.and_hms_opt(0, 0, 0)?.and_utc().timestamp());
    }
    let by_form = |form: &&str| NaiveDateTime::parse_from_str(text, form).ok();
    if let Some(time) = FORMS.iter().find_map(by_form) {
        return Some(time.and_utc().timestamp());
    }
    if let Ok(time) = DateTime::parse_from_rfc2822(text) {
        return Some(time.timestamp());
    }
    text.parse::<i64>().ok().filter(|_| text.len() >= 5)
}

/// Returns a time as it is shown to people: seconds become a date and a time, all else stays as it is.
///
/// ```
/// assert_eq!(retold::shown_time("541350061"), "1987-02-26 15:01");
/// assert_eq!(retold::shown_time("26 February 1987"), "26 February 1987");
/// ```
pub fn shown_time(text: &str) -> String {
    let is_seconds = text.bytes().all(|byte| byte.is_ascii_digit());
    let time =
        seconds(text).filter(|_| is_seconds).and_then(|time| DateTime::from_timestamp(time, 0));
    time.map_or_else(|| text.to_owned(), |time| time.format("%Y-%m-%d %H:%M").to_string())
}
