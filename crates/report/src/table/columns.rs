//! Columns of a table and the values in them.
//!
//! A table describes each of its columns once, with [`columns!`]: name, kind of value, where the
//! value is taken from, and what it means. The list of columns and the walk over the values of a
//! row are made from that description, and every format is written on such a walk.

use retold_core::relation::Passage;

use super::cell::Cell;

/// One column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name, the same in every format.
    pub name: &'static str,
    /// What its values are.
    pub kind: ColumnType,
    /// Whether a row may have no value here. JSON then leaves the column out.
    pub is_optional: bool,
    /// Whether JSON leaves the column out where its value is 0, `false` or an empty list.
    pub is_left_out_if_empty: bool,
    /// What the value means, in one sentence without its full stop.
    pub help: &'static str,
    /// The name as a JSON line has it: `,"name":`.
    pub(super) key: &'static str,
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
    /// Returns whether JSON has no entry for this value.
    pub(super) fn is_left_out(&self, cell: Cell<'_>) -> bool {
        (self.is_optional && matches!(cell, Cell::Absent))
            || (self.is_left_out_if_empty && cell.is_empty())
    }
}

/// Something that is shown a row, column by column.
pub trait RowVisitor {
    /// Takes the value of the next column.
    fn visit(&mut self, column: &'static Column, cell: Cell<'_>);
}

/// Describes the columns of a table inside its `impl Table`, one line a column:
///
/// ```text
/// presence "name": Kind = where it is in the row, "meaning";
/// ```
///
/// The presence is one of
///
/// - `always`: every row has a value, and every format shows it;
/// - `unless_empty`: every row has a value, but JSON leaves it out if it is 0, `false` or empty;
/// - `optional`: the value is an `Option`. Without one, JSON leaves the column out and the other
///   formats have an empty cell.
///
/// The kind is a variant of [`Cell`](super::Cell). The first column is `always` there: the JSON
/// line relies on it.
macro_rules! columns {
    ($row:ident; $($presence:ident $name:literal: $kind:ident = $value:expr, $help:literal;)+) => {
        const COLUMNS: &'static [Column] = &[$(columns!(@column $presence $name $kind $help)),+];

        fn visit($row: &Self::Row<'_>, visitor: &mut impl RowVisitor) {
            $(visitor.visit(
                const { &columns!(@column $presence $name $kind $help) },
                columns!(@cell $presence $kind $value),
            );)+
        }
    };
    (@column $presence:ident $name:literal $kind:ident $help:literal) => {
        Column {
            name: $name,
            kind: columns!(@type $kind),
            is_optional: columns!(@is_optional $presence),
            is_left_out_if_empty: columns!(@is_left_out_if_empty $presence),
            help: $help,
            key: concat!(",\"", $name, "\":"),
        }
    };
    (@type Name) => { ColumnType::Text };
    (@type Counts) => { ColumnType::Text };
    (@type $kind:ident) => { ColumnType::$kind };
    (@is_optional optional) => { true };
    (@is_optional $other:ident) => { false };
    (@is_left_out_if_empty unless_empty) => { true };
    (@is_left_out_if_empty $other:ident) => { false };
    (@cell optional $kind:ident $value:expr) => { $value.map_or(Cell::Absent, Cell::$kind) };
    (@cell $other:ident $kind:ident $value:expr) => { Cell::$kind($value) };
}

pub(super) use columns;
