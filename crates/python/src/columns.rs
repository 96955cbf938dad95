//! Columns of Arrow record batches as texts: strings of every kind, and numbers and times where a
//! document has a name or a date.

use std::borrow::Cow;

use arrow_array::cast::AsArray as _;
use arrow_array::temporal_conversions::as_datetime;
use arrow_array::types::{
    Date32Type, Date64Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, BinaryArray, BinaryViewArray, LargeBinaryArray};
use arrow_schema::{DataType, TimeUnit};

/// A column whose values can be texts.
///
/// Strings are held as bytes: who made them may have made a mistake, and a text that is not UTF-8 must
/// not reach Rust's `str` unchecked.
pub(crate) enum Column {
    Small(BinaryArray),
    Large(LargeBinaryArray),
    View(BinaryViewArray),
    Coded {
        keys: ArrayRef,
        places: Vec<usize>,
        values: Box<Column>,
    },
    /// Numbers, times and flags.
    Other(ArrayRef),
}

/// A value that is not UTF-8.
pub(crate) struct NotText;

impl Column {
    /// Returns whether values of this type are strings.
    pub(crate) fn holds_strings(kind: &DataType) -> bool {
        match kind {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => true,
            DataType::Dictionary(_, values) => Self::holds_strings(values),
            _ => false,
        }
    }

    /// Returns whether values of this type can be made texts of.
    pub(crate) fn can_be_read(kind: &DataType) -> bool {
        Self::holds_strings(kind)
            || kind.is_integer()
            || matches!(
                kind,
                DataType::Float32
                    | DataType::Float64
                    | DataType::Boolean
                    | DataType::Date32
                    | DataType::Date64
                    | DataType::Timestamp(_, _)
            )
    }

    pub(crate) fn new(array: &ArrayRef) -> Self {
        match array.data_type() {
            DataType::Utf8 => Self::Small(array.as_string::<i32>().clone().into()),
            DataType::LargeUtf8 => Self::Large(array.as_string::<i64>().clone().into()),
            DataType::Utf8View => Self::View(array.as_string_view().clone().to_binary_view()),
            DataType::Dictionary(_, _) => {
                let coded = array.as_any_dictionary();
                let places =
                    if coded.values().is_empty() { Vec::new() } else { coded.normalized_keys() };
                let values = Box::new(Self::new(coded.values()));
                Self::Coded { keys: array.clone(), places, values }
            }
            _ => Self::Other(array.clone()),
        }
    }

    /// Returns the bytes of a value, if it is a string and not null.
    fn bytes(&self, row: usize) -> Option<&[u8]> {
        match self {
            Self::Small(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Large(array) => array.is_valid(row).then(|| array.value(row)),
            Self::View(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Coded { keys, places, values } => {
                let place = places.get(row).filter(|_| keys.is_valid(row))?;
                values.bytes(*place)
            }
            Self::Other(_) => None,
        }
    }

    /// Returns the length of a value in bytes, if it is a string.
    pub(crate) fn n_bytes(&self, row: usize) -> usize {
        self.bytes(row).map_or(0, <[u8]>::len)
    }

    /// Returns a value as text; `None` if it is null.
    pub(crate) fn text(&self, row: usize) -> Option<Result<Cow<'_, str>, NotText>> {
        match self {
            Self::Other(array) => other_text(array, row).map(|text| Ok(Cow::Owned(text))),
            strings => {
                let text = simdutf8::basic::from_utf8(strings.bytes(row)?);
                Some(text.map(Cow::Borrowed).map_err(|_| NotText))
            }
        }
    }
}

/// Returns a number, a flag or a time as text.
fn other_text(array: &ArrayRef, row: usize) -> Option<String> {
    if array.is_null(row) {
        return None;
    }
    macro_rules! number {
        ($kind:ty) => {
            array.as_primitive::<$kind>().value(row).to_string()
        };
    }
    macro_rules! time {
        ($kind:ty) => {
            as_datetime::<$kind>(array.as_primitive::<$kind>().value(row).into())?.to_string()
        };
    }
    Some(match array.data_type() {
        DataType::Int8 => number!(Int8Type),
        DataType::Int16 => number!(Int16Type),
        DataType::Int32 => number!(Int32Type),
        DataType::Int64 => number!(Int64Type),
        DataType::UInt8 => number!(UInt8Type),
        DataType::UInt16 => number!(UInt16Type),
        DataType::UInt32 => number!(UInt32Type),
        DataType::UInt64 => number!(UInt64Type),
        DataType::Float32 => number!(Float32Type),
        DataType::Float64 => number!(Float64Type),
        DataType::Boolean => array.as_boolean().value(row).to_string(),
        // A time with a zone counts from 1970 in UTC, and texts without a zone are taken as UTC.
        DataType::Date32 => time!(Date32Type),
        DataType::Date64 => time!(Date64Type),
        DataType::Timestamp(TimeUnit::Second, _) => time!(TimestampSecondType),
        DataType::Timestamp(TimeUnit::Millisecond, _) => time!(TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => time!(TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => time!(TimestampNanosecondType),
        _ => return None,
    })
}
