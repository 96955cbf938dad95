//! Columns of a table and the values in them, the common ground of CSV and Parquet.

use retold_core::relation::Passage;

/// One column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name, the same in every format.
    pub name: &'static str,
    /// What its values are.
    pub kind: ColumnType,
    /// Whether a row may have no value here.
    pub is_optional: bool,
}

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Text.
    Text,
    /// A whole number from 0.
    Count,
    /// A share between 0 and 1, with at most six decimals.
    Share,
    /// Yes or no.
    Flag,
    /// Several texts. CSV joins them by `|`, with `\|` for `|` and `\\` for `\`.
    Texts,
    /// Matching passages. CSV holds them as JSON text.
    Passages,
}

/// One value of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// Nothing, in an optional column.
    Absent,
    /// A value of a [`ColumnType::Text`].
    Text(&'a str),
    /// A value of a [`ColumnType::Count`].
    Count(u64),
    /// A value of a [`ColumnType::Share`].
    Share(f64),
    /// A value of a [`ColumnType::Flag`].
    Flag(bool),
    /// A value of a [`ColumnType::Texts`].
    Texts(&'a [&'a str]),
    /// A value of a [`ColumnType::Passages`].
    Passages(&'a [Passage]),
}

impl Column {
    /// Describes a column that has a value in every row.
    pub(crate) const fn of(name: &'static str, kind: ColumnType) -> Self {
        Self { name, kind, is_optional: false }
    }

    /// Describes a column that may be empty.
    pub(crate) const fn optional(name: &'static str, kind: ColumnType) -> Self {
        Self { name, kind, is_optional: true }
    }
}

impl<'a> From<Option<&'a str>> for Value<'a> {
    fn from(text: Option<&'a str>) -> Self {
        text.map_or(Self::Absent, Value::Text)
    }
}

impl From<u32> for Value<'_> {
    fn from(count: u32) -> Self {
        Self::Count(u64::from(count))
    }
}
