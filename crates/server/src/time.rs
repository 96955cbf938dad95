//! The clock.

use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, SecondsFormat};

/// Returns the seconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// Returns a time in the form of RFC 3339, in UTC; seconds as they are beyond the years that it knows.
pub(crate) fn rfc3339(seconds: i64) -> String {
    match DateTime::from_timestamp(seconds, 0) {
        Some(time) => time.to_rfc3339_opts(SecondsFormat::Secs, true),
        None => seconds.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_they_are_read() {
        for seconds in [0, 951_782_400, 1_767_225_599, 4_102_444_800, 68_169_600] {
            assert_eq!(retold::seconds(&rfc3339(seconds)), Some(seconds), "{}", rfc3339(seconds));
        }
        assert_eq!(rfc3339(951_782_400), "2000-02-29T00:00:00Z");
    }
}
