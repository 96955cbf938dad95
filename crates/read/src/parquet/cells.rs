//! Values of columns, and how they are written as text.

use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as PhysicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::schema::types::Type;

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Strings, also those that their writer left unmarked.
    Text,
    Number,
    /// Days since 1970.
    Day,
    /// Ticks since 1970, so many a second.
    Time(i64),
}

impl Kind {
    /// Returns the kind of a column; `None` for lists, groups and types that have no plain text.
    ///
    /// Only the types of Parquet count. What other programs note in the footer about their own
    /// types may contradict the data.
    pub(super) fn of(column: &Type) -> Option<Self> {
        let info = column.get_basic_info();
        if !column.is_primitive() || info.repetition() == Repetition::REPEATED {
            return None;
        }
        let (logical, converted) = (info.logical_type_ref(), info.converted_type());
        match (column.get_physical_type(), logical, converted) {
            (_, Some(LogicalType::Unknown | LogicalType::Decimal(_)), _)
            | (_, None, ConvertedType::DECIMAL) => None,
            (PhysicalType::BYTE_ARRAY, ..) => Some(Self::Text),
            (PhysicalType::DOUBLE, ..)
            | (PhysicalType::INT32, None, ConvertedType::NONE | ConvertedType::INT_32)
            | (PhysicalType::INT64, None, ConvertedType::NONE | ConvertedType::INT_64) => {
                Some(Self::Number)
            }
            (PhysicalType::INT32, Some(LogicalType::Integer(integer)), _) => {
                (integer.is_signed && integer.bit_width == 32).then_some(Self::Number)
            }
            (PhysicalType::INT64, Some(LogicalType::Integer(integer)), _) => {
                (integer.is_signed && integer.bit_width == 64).then_some(Self::Number)
            }
            (PhysicalType::INT32, Some(LogicalType::Date), _)
            | (PhysicalType::INT32, None, ConvertedType::DATE) => Some(Self::Day),
            (PhysicalType::INT64, Some(LogicalType::Timestamp(time)), _) => {
                Some(Self::Time(match time.unit {
                    TimeUnit::MILLIS => 1_000,
                    TimeUnit::MICROS => 1_000_000,
                    TimeUnit::NANOS => 1_000_000_000,
                }))
            }
            (PhysicalType::INT64, None, ConvertedType::TIMESTAMP_MILLIS) => Some(Self::Time(1_000)),
            (PhysicalType::INT64, None, ConvertedType::TIMESTAMP_MICROS) => {
                Some(Self::Time(1_000_000))
            }
            (PhysicalType::INT96, ..) => Some(Self::Time(1)),
            _ => None,
        }
    }
}

/// A value of a row.
#[derive(Clone, Debug)]
pub(super) enum Cell {
    Absent,
    /// Bytes of the page or of its dictionary, shared by all rows that have them.
    Text(ByteArray),
    Integer(i64),
    Real(f64),
    /// Days since 1970.
    Day(i64),
    /// Seconds since 1970.
    Second(i64),
}

impl Cell {
    /// Returns the bytes of a string; 0 for other values.
    pub(super) fn text_bytes(&self) -> u64 {
        match self {
            Self::Text(text) => text.len() as u64,
            _ => 0,
        }
    }

    /// Returns the value as text; `None` if it is absent or a string that is not UTF-8.
    pub(super) fn to_text(&self) -> Option<String> {
        Some(match self {
            Self::Absent => return None,
            Self::Text(text) => simdutf8::basic::from_utf8(text.data()).ok()?.to_owned(),
            Self::Integer(number) => number.to_string(),
            Self::Real(number) => number.to_string(),
            Self::Day(days) => date(*days),
            Self::Second(seconds) => time(*seconds),
        })
    }
}

/// Reads the next cells of a column, up to `most`; none at the end of its row group.
pub(super) fn read(reader: &mut ColumnReader, kind: Kind, most: usize) -> ParquetResult<Vec<Cell>> {
    let integer = |number: i64| match kind {
        Kind::Day => Cell::Day(number),
        Kind::Time(per_second) => Cell::Second(number.div_euclid(per_second)),
        Kind::Text | Kind::Number => Cell::Integer(number),
    };
    match reader {
        ColumnReader::ByteArrayColumnReader(reader) => cells(reader, most, text),
        ColumnReader::Int32ColumnReader(reader) => cells(reader, most, |n| integer(n.into())),
        ColumnReader::Int64ColumnReader(reader) => cells(reader, most, integer),
        ColumnReader::Int96ColumnReader(reader) => cells(reader, most, |n| integer(n.to_seconds())),
        ColumnReader::DoubleColumnReader(reader) => cells(reader, most, Cell::Real),
        _ => Err(ParquetError::General("a column has another type than its schema".to_owned())),
    }
}

fn cells<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    most: usize,
    cell: impl Fn(T::T) -> Cell,
) -> ParquetResult<Vec<Cell>> {
    let (mut values, mut definitions) = (Vec::new(), Vec::new());
    reader.read_records(most, Some(&mut definitions), None, &mut values)?;
    let mut cells = values.into_iter().map(cell);
    // A column that is not optional has no levels.
    if definitions.is_empty() {
        return Ok(cells.collect());
    }
    let is_there = |level: i16| level > 0;
    let cell = |level| if is_there(level) { cells.next() } else { Some(Cell::Absent) };
    Ok(definitions.into_iter().map_while(cell).collect())
}

/// Makes a cell of a string.
///
/// Panics, as the library does in such cases, if the string is missing in its dictionary. Callers
/// of the library catch its panics.
fn text(value: ByteArray) -> Cell {
    assert!(value != ByteArray::new(), "a dictionary has fewer entries than it states");
    Cell::Text(value)
}

/// Writes a day, counted from 1970, as `2011-03-21`.
///
/// The civil calendar from days, after Hinnant: eras of 400 years that begin in March.
pub(crate) fn date(days: i64) -> String {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Writes a time, counted from 1970 in UTC, as `2011-03-21T12:00:00Z`.
pub(crate) fn time(seconds: i64) -> String {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    format!("{}T{:02}:{:02}:{:02}Z", date(days), second / 3600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use parquet::schema::parser::parse_message_type;

    use super::*;

    #[test]
    fn days_and_times_are_written_as_people_write_them() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(-1), "1969-12-31");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(time(1_300_708_800), "2011-03-21T12:00:00Z");
        assert_eq!(time(-1), "1969-12-31T23:59:59Z");
    }

    #[test]
    fn columns_of_plain_values_have_a_kind() {
        let time = |per_second| Some(Kind::Time(per_second));
        for (field, kind) in [
            ("optional binary x", Some(Kind::Text)),
            ("required binary x (STRING)", Some(Kind::Text)),
            ("optional binary x (JSON)", Some(Kind::Text)),
            ("optional binary x (DECIMAL(9,2))", None),
            ("optional int32 x", Some(Kind::Number)),
            ("optional int32 x (INTEGER(32,true))", Some(Kind::Number)),
            ("optional int32 x (INTEGER(16,true))", None),
            ("optional int64 x (INTEGER(64,false))", None),
            ("optional int32 x (DATE)", Some(Kind::Day)),
            ("optional int64 x (TIMESTAMP(MILLIS,true))", time(1_000)),
            ("optional int64 x (TIMESTAMP_MICROS)", time(1_000_000)),
            ("optional int64 x (TIMESTAMP(NANOS,false))", time(1_000_000_000)),
            ("optional int96 x", time(1)),
            ("optional int64 x (DECIMAL(9,2))", None),
            ("optional double x", Some(Kind::Number)),
            ("optional float x", None),
            ("optional boolean x", None),
            ("optional fixed_len_byte_array(4) x", None),
            ("repeated binary x (STRING)", None),
            ("optional group x { optional binary y; }", None),
        ] {
            let end = if field.ends_with('}') { "" } else { ";" };
            let message = format!("message schema {{ {field}{end} }}");
            let schema = parse_message_type(&message).expect("the notation is right");
            assert_eq!(Kind::of(&schema.get_fields()[0]), kind, "{field}");
        }
    }
}
