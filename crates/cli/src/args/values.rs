//! How single values are read from the command line.

use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use retold::{Format, Kind, METHODS, Spec};
use retold_core::clean::language::Language;
use retold_mine::{MINERS, MinSupport, Target};
use retold_read::is_encoding;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads one of `names`, each a name of a value of `T`.
pub(super) fn choice<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| serde_json::from_value(Value::String(name)))
}

/// Reads the name of a method or of a form of one.
pub(super) fn method() -> PossibleValuesParser {
    let of = |spec: &&'static Spec| {
        let forms = spec.forms.iter().map(|form| PossibleValue::new(form.name).help(form.about));
        std::iter::once(PossibleValue::new(spec.name).help(spec.title)).chain(forms)
    };
    METHODS.iter().flat_map(of).collect::<Vec<_>>().into()
}

/// Reads how many of what and how often, such as `2x3`.
pub(super) fn times(given: &str) -> Result<(u32, u32), String> {
    let found = given.split_once(['x', 'X', '×']);
    let number = |text: &str| text.trim().parse().ok();
    found
        .and_then(|(amount, repeats)| Some((number(amount)?, number(repeats)?)))
        .ok_or_else(|| format!("it must be an amount and how often, such as 2x3; got `{given}`"))
}

/// Reads pairs of texts such as `a=@,rn=m`.
pub(super) fn pairs(given: &str) -> Result<Vec<(String, String)>, String> {
    let pair = |text: &str| {
        let (from, to) = text.split_once('=').filter(|(from, _)| !from.is_empty())?;
        Some((from.to_owned(), to.to_owned()))
    };
    given
        .split(',')
        .map(pair)
        .collect::<Option<_>>()
        .ok_or_else(|| format!("pairs must be FROM=TO,FROM=TO, such as a=@,rn=m; got `{given}`"))
}

/// Reads the name of a miner.
pub(super) fn miner() -> PossibleValuesParser {
    let specs = MINERS.iter().map(|miner| miner.spec());
    specs.map(|spec| PossibleValue::new(spec.name).help(spec.title)).collect::<Vec<_>>().into()
}

/// Reads which sets a miner is to find.
pub(super) fn target() -> impl TypedValueParser<Value = Target> {
    PossibleValuesParser::new(Target::ALL.map(Target::name)).try_map(|name| {
        let known = Target::ALL.into_iter().find(|target| target.name() == name);
        known.ok_or_else(|| format!("there are no `{name}` sets"))
    })
}

/// Reads a minimum support: a number of transactions such as `85`, or a share such as `0.5%`.
pub(super) fn support(given: &str) -> Result<MinSupport, String> {
    let error = || {
        format!(
            "a support must be a whole number such as 85 or a share such as 0.5%, got `{given}`"
        )
    };
    let text = given.trim();
    let support = match text.strip_suffix('%') {
        Some(share) => {
            let share: f64 = share.trim_end().parse().map_err(|_| error())?;
            MinSupport::Relative(share / 100.0)
        }
        None => MinSupport::Absolute(text.parse().map_err(|_| error())?),
    };
    // Whether it means anything does not depend on the number of transactions.
    support.resolve(1).map_err(|error| error.to_string())?;
    Ok(support)
}

/// Reads a number of seconds, which may have decimals.
pub(super) fn seconds(given: &str) -> Result<f64, String> {
    let seconds: Option<f64> = given.trim().parse().ok();
    // A thousand years are no limit.
    let seconds = seconds.filter(|seconds| (0.0..=3.2e10).contains(seconds));
    seconds.ok_or_else(|| format!("seconds must be a number such as 60 or 0.5, got `{given}`"))
}

/// Reads a span of time such as `90m`, `36h` or `7d`, in seconds.
pub(super) fn span(given: &str) -> Result<i64, String> {
    let error =
        || format!("a span must be a number with s, m, h, d or w, such as 7d; got `{given}`");
    let text = given.trim();
    let unit = match text.chars().last() {
        Some('s') => 1,
        Some('m') => 60,
        Some('h') => 3_600,
        Some('d') => 86_400,
        Some('w') => 604_800,
        _ => return Err(error()),
    };
    let number: i64 = text[..text.len() - 1].trim().parse().map_err(|_| error())?;
    number.checked_mul(unit).filter(|&seconds| seconds > 0).ok_or_else(error)
}

/// Reads a time, in seconds since 1970.
pub(super) fn time(given: &str) -> Result<i64, String> {
    retold::seconds(given).ok_or_else(|| {
        format!("a time must look like 2026-11-01 or 2026-11-01T12:00:00Z, got `{given}`")
    })
}

/// Reads the name of a field and a value.
pub(super) fn field(given: &str) -> Result<(String, String), String> {
    let (name, value) = given
        .split_once('=')
        .ok_or_else(|| format!("it must look like source=reuters, got `{given}`"))?;
    Ok((name.trim().to_owned(), value.to_owned()))
}

/// Reads the name of a relation.
pub(super) fn relation(given: &str) -> Result<Kind, String> {
    Kind::ALL.into_iter().find(|kind| kind.name() == given).ok_or_else(|| {
        let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        format!("a relation is one of {}, got `{given}`", names.join(", "))
    })
}

/// Reads the name of a format.
pub(super) fn format() -> impl TypedValueParser<Value = Format> {
    let names = Format::ALL.iter().map(|format| PossibleValue::new(format.name()));
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Format>())
}

/// Reads `NAME=VALUE`; the value is a number, `true`, `false` or text, or `@FILE` for the text of a
/// file.
pub(super) fn parameter(given: &str) -> Result<(String, Value), String> {
    let Some((name, value)) = given.split_once('=') else {
        return Err(format!("a parameter must be NAME=VALUE, got `{given}`"));
    };
    // Options are written with hyphens, parameters with underscores; both are understood.
    let name = name.trim().replace('-', "_");
    let value = value.trim();
    if let Some(path) = value.strip_prefix('@') {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("cannot read `{path}` for parameter {name}: {error}"))?;
        return Ok((name, Value::String(text)));
    }
    let value = match serde_json::from_str(value) {
        Ok(value @ (Value::Number(_) | Value::Bool(_))) => value,
        _ => Value::String(value.to_owned()),
    };
    Ok((name, value))
}

/// Reads a number of bytes such as `4G`, `512M`, `1.5GiB` or `1000`; units are powers of 1024.
pub(super) fn size(given: &str) -> Result<u64, String> {
    let error =
        || format!("a size must be a number with K, M, G or T, such as 512M; got `{given}`");
    let text = given.trim().to_ascii_lowercase();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.trim();
    let unit = unit.strip_suffix("ib").or_else(|| unit.strip_suffix('b')).unwrap_or(unit);
    let shift = match unit {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err(error()),
    };
    if let Ok(whole) = u64::from_str(number) {
        return whole.checked_mul(1 << shift).ok_or_else(error);
    }
    let bytes = f64::from_str(number).map_err(|_| error())? * (1u64 << shift) as f64;
    if !(0.0..9e18).contains(&bytes) {
        return Err(error());
    }
    #[expect(clippy::cast_sign_loss, reason = "checked to be at least 0")]
    Ok(bytes as u64)
}

/// Least size of a shard: what is less makes a file of every few records.
const LEAST_SHARD: u64 = 64 << 10;

/// Reads the size of a shard.
pub(super) fn shard_size(given: &str) -> Result<u64, String> {
    let bytes = size(given)?;
    if bytes < LEAST_SHARD {
        return Err(format!("a shard must have at least 64K, got `{given}`"));
    }
    Ok(bytes)
}

/// Reads a number.
pub(super) fn number(given: &str) -> Result<f64, String> {
    match given.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(format!("a number was expected, got `{given}`")),
    }
}

/// Reads a share from 0 to 1.
pub(super) fn share(given: &str) -> Result<f64, String> {
    let is_share = |number: &f64| (0.0..=1.0).contains(number);
    number(given)
        .ok()
        .filter(is_share)
        .ok_or_else(|| format!("a share must be between 0 and 1, got `{given}`"))
}

/// Reads a cost, 0 or more.
pub(super) fn cost(given: &str) -> Result<f64, String> {
    number(given)
        .ok()
        .filter(|cost| *cost >= 0.0)
        .ok_or_else(|| format!("a cost must be 0 or more, got `{given}`"))
}

/// Checks the label of an encoding.
pub(super) fn encoding(label: &str) -> Result<String, String> {
    if is_encoding(label) {
        return Ok(label.to_owned());
    }
    Err("encoding must have a label of the WHATWG standard, such as utf-8, utf-16le, windows-1254 \
         or koi8-r, or be utf-32, utf-32le or utf-32be"
        .to_owned())
}

/// Checks a language code.
pub(super) fn language(code: &str) -> Result<String, String> {
    code.parse::<Language>().map(|language| language.code().to_owned()).map_err(|e| e.to_string())
}

/// Returns a number of bytes in the largest unit that divides it: `64M`.
pub(super) fn size_text(bytes: u64) -> String {
    for (shift, unit) in [(40, "T"), (30, "G"), (20, "M"), (10, "K")] {
        if bytes > 0 && bytes.trailing_zeros() >= shift {
            return format!("{}{unit}", bytes >> shift);
        }
    }
    bytes.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoding_that_cannot_be_read_is_refused() {
        for label in ["utf-8", "UTF-32", "utf32", "utf32be", "windows-1254"] {
            assert_eq!(encoding(label).as_deref(), Ok(label));
        }
        for label in ["utf-32foo", "utf-33", ""] {
            assert!(encoding(label).is_err(), "{label}");
        }
    }

    #[test]
    fn sizes_are_read_in_the_ways_people_write_them() {
        for (given, bytes) in [
            ("0", 0),
            ("1000", 1000),
            ("4k", 4 << 10),
            ("512M", 512 << 20),
            ("512 MB", 512 << 20),
            ("64MiB", 64 << 20),
            ("1.5G", 3 << 29),
            ("2T", 2 << 40),
        ] {
            assert_eq!(size(given), Ok(bytes), "{given}");
        }
        for given in ["", "G", "-1", "4X", "1.2.3M", "99999999T", "nan"] {
            assert!(size(given).is_err(), "{given}");
        }
    }

    #[test]
    fn a_size_is_written_as_it_is_read() {
        for bytes in [0, 1000, 64 << 20, 4 << 30, 1 << 40, 3 << 10] {
            assert_eq!(size(&size_text(bytes)), Ok(bytes));
        }
    }

    #[test]
    fn a_support_is_a_number_or_a_share() {
        assert_eq!(support("85"), Ok(MinSupport::Absolute(85)));
        assert_eq!(support("1%"), Ok(MinSupport::Relative(0.01)));
        let half =
            support(" 0.5 % ").and_then(|share| share.resolve(8_124).map_err(|e| e.to_string()));
        assert_eq!(half, Ok(41), "40.62 of 8,124");
        for given in ["", "%", "0", "0%", "101%", "-3", "0.5", "nan%", "85 %%", "many"] {
            assert!(support(given).is_err(), "{given}");
        }
        assert_eq!([seconds("0"), seconds("0.5")], [Ok(0.0), Ok(0.5)]);
        assert!(["-1", "inf", "nan", "1s"].iter().all(|given| seconds(given).is_err()));
    }

    #[test]
    fn a_parameter_is_a_number_a_truth_or_a_text() {
        assert_eq!(parameter("k=7"), Ok(("k".to_owned(), Value::from(7))));
        assert_eq!(parameter("passage-words = 30").map(|p| p.0), Ok("passage_words".to_owned()));
        assert_eq!(parameter("containment=0.5").map(|p| p.1), Ok(Value::from(0.5)));
        assert_eq!(parameter("x=true").map(|p| p.1), Ok(Value::from(true)));
        assert_eq!(parameter("x=a=b").map(|p| p.1), Ok(Value::from("a=b")));
        assert!(parameter("k").is_err());
    }

    #[test]
    fn amounts_and_pairs_are_read_as_people_write_them() {
        assert_eq!(times("2x3"), Ok((2, 3)));
        assert!(times("2").is_err() && times("x3").is_err() && times("-1x3").is_err());
        let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        assert_eq!(pairs("a=@,rn=m,-="), Ok(vec![pair("a", "@"), pair("rn", "m"), pair("-", "")]));
        assert!(pairs("a").is_err() && pairs("=b").is_err() && pairs("").is_err());
    }

    #[test]
    fn an_encoding_that_no_reader_knows_is_refused() {
        assert!(encoding("windows-1254").is_ok() && encoding("UTF-32LE").is_ok());
        assert!(encoding("klingon-8").is_err());
    }
}
