//! Numbers as people read them.

/// Returns `count` with its thousands apart: `21,307`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Returns `count` and the noun in singular or plural: `1 pair`, `2,000 pairs`.
pub fn counted(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", grouped(count))
}

/// Returns `count` in three digits or so: `950`, `29.1 M`.
pub(crate) fn rough(count: u64) -> String {
    scaled(count, 10_000, [" k", " M", " G"])
}

/// Returns a size: `950 B`, `190.4 MB`.
pub(crate) fn bytes(count: u64) -> String {
    if count < 1_000 { format!("{count} B") } else { scaled(count, 1_000, [" kB", " MB", " GB"]) }
}

fn scaled(count: u64, smallest: u64, units: [&str; 3]) -> String {
    if count < smallest {
        return grouped(count);
    }
    let mut value = count as f64 / 1e3;
    let mut unit = 0;
    // 999.95 would be rounded to 1000.0 of the smaller unit.
    while value >= 999.95 && unit + 1 < units.len() {
        value /= 1e3;
        unit += 1;
    }
    let digits = format!("{value:.1}");
    format!("{}{}", digits.strip_suffix(".0").unwrap_or(&digits), units[unit])
}

/// Returns a duration: `0.4 s`, `8.3 s`, `2 min 5 s`, `3 h 7 min`.
pub(crate) fn duration(seconds: f64) -> String {
    if seconds < 59.95 {
        return format!("{seconds:.1} s");
    }
    #[expect(clippy::cast_sign_loss, reason = "at least a minute")]
    let whole = seconds.round() as u64;
    if whole < 3_600 {
        format!("{} min {} s", whole / 60, whole % 60)
    } else {
        format!("{} h {} min", whole / 3_600, whole / 60 % 60)
    }
}

/// Returns a share as a percentage: `83 %`, `99.6 %`.
///
/// A share below 1 is never shown as 100 %, a share above 0 never as 0 %.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if (percent - percent.round()).abs() < 0.05 && (1.0..=99.0).contains(&percent)
        || percent <= 0.0
        || percent >= 100.0
    {
        format!("{percent:.0} %")
    } else {
        format!("{:.1} %", percent.clamp(0.1, 99.9))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        let written = [0, 7, 999, 1_000, 21_307, 1_234_567].map(grouped);
        assert_eq!(written, ["0", "7", "999", "1,000", "21,307", "1,234,567"]);
        assert_eq!(counted(1, "pair"), "1 pair");
        assert_eq!(counted(0, "pair"), "0 pairs");
    }

    #[test]
    fn large_numbers_are_shortened() {
        assert_eq!([999, 9_999, 29_100_000].map(rough), ["999", "9,999", "29.1 M"]);
        let sizes = [12, 1_000, 999_949, 999_950, 190_432_000, 5_000_000_000_000].map(bytes);
        assert_eq!(sizes, ["12 B", "1 kB", "999.9 kB", "1 MB", "190.4 MB", "5000 GB"]);
    }

    #[test]
    fn durations_use_two_units_at_most() {
        let written = [0.04, 8.31, 59.96, 125.2, 11_220.0].map(duration);
        assert_eq!(written, ["0.0 s", "8.3 s", "1 min 0 s", "2 min 5 s", "3 h 7 min"]);
    }

    #[test]
    fn only_everything_is_a_hundred_percent() {
        let written = [0.0, 0.000_1, 0.5, 0.833, 0.999_9, 1.0].map(percent);
        assert_eq!(written, ["0 %", "0.1 %", "50 %", "83.3 %", "99.9 %", "100 %"]);
    }
}
