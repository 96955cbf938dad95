//! Columns of a schema: which are read, and how many buffers the others have.

use arrow_ipc::MetadataVersion;
use arrow_ipc::{DateUnit, Endianness, Field, Precision, TimeUnit, Type, UnionMode};

use crate::fields::{Names, Use};

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Strings, or bytes that may be some, with offsets of so many bytes.
    Text {
        offset_bytes: usize,
    },
    /// The same by reference: a length, and a place in one of several buffers.
    View,
    Fixed(Fixed),
}

/// A value of a fixed number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fixed {
    pub(super) bytes: usize,
    pub(super) meaning: Meaning,
}

/// What a value of a fixed number of bytes means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Signed,
    Unsigned,
    Real,
    /// Days since 1970.
    Day,
    /// Ticks since 1970, so many a second.
    Time(i64),
}

/// A column that documents are made of.
#[derive(Clone, Debug)]
pub(super) struct Column {
    /// Its place among the columns of the file.
    pub(super) place: usize,
    pub(super) kind: Kind,
    /// The dictionary that its values lie in, and the numbers that stand for them.
    pub(super) dictionary: Option<(i64, Fixed)>,
    pub(super) used: Use,
}

/// How much of a batch a column takes, the columns inside it included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) nodes: usize,
    /// Buffers, those apart whose number stands in the batch.
    pub(super) buffers: usize,
    /// Columns of views, each of which has such buffers.
    pub(super) views: usize,
}

/// What is known of a file before its first batch.
#[derive(Debug)]
pub(super) struct Schema {
    /// The columns that are read.
    pub(super) columns: Vec<Column>,
    /// How much of a batch each column takes, read or not.
    pub(super) layouts: Vec<Layout>,
    /// A column that is named as the text is, and holds something else.
    pub(super) odd_text: Option<String>,
    /// The names of all columns.
    pub(super) names: Vec<String>,
}

impl Schema {
    pub(super) fn read(
        schema: &arrow_ipc::Schema<'_>,
        version: MetadataVersion,
        names: &Names,
    ) -> Result<Self, String> {
        if schema.endianness() != Endianness::Little {
            return Err("its numbers begin with the highest byte".to_owned());
        }
        let mut found =
            Self { columns: Vec::new(), layouts: Vec::new(), odd_text: None, names: Vec::new() };
        for (place, field) in schema.fields().iter().flatten().enumerate() {
            let mut layout = Layout::default();
            add(&field, version, &mut layout)?;
            found.layouts.push(layout);
            let name = field.name().unwrap_or_default();
            found.names.push(name.to_owned());
            let used = names.column(name);
            if used.is_nothing() {
                continue;
            }
            let dictionary = field.dictionary().map(|dictionary| {
                let numbers = dictionary.indexType();
                let fixed = numbers
                    .map_or(Some(Fixed { bytes: 4, meaning: Meaning::Signed }), |it| {
                        integer(it.bitWidth(), it.is_signed())
                    });
                fixed.map(|fixed| (dictionary.id(), fixed)).ok_or("a dictionary has no numbers")
            });
            let dictionary = dictionary.transpose()?;
            let kind = kind(&field).filter(|kind| {
                // Anything but strings is hardly ever put into a dictionary.
                dictionary.is_none() || !matches!(kind, Kind::Fixed(_))
            });
            match kind {
                Some(kind) => found.columns.push(Column { place, kind, dictionary, used }),
                None if used.is_text() => found.odd_text = Some(name.to_owned()),
                None => {}
            }
        }
        Ok(found)
    }

    /// Returns what the values of a dictionary are, if a column that is read uses it.
    pub(super) fn dictionary(&self, id: i64) -> Option<Kind> {
        let mut columns = self.columns.iter();
        columns.find(|it| it.dictionary.is_some_and(|(used, _)| used == id)).map(|it| it.kind)
    }
}

fn integer(bits: i32, is_signed: bool) -> Option<Fixed> {
    let bits = usize::try_from(bits).ok()?;
    let meaning = if is_signed { Meaning::Signed } else { Meaning::Unsigned };
    matches!(bits, 8 | 16 | 32 | 64).then_some(Fixed { bytes: bits / 8, meaning })
}

/// Returns the kind of a column; `None` for lists, structures and types that have no plain text.
fn kind(field: &Field<'_>) -> Option<Kind> {
    let fixed = |bytes, meaning| Some(Kind::Fixed(Fixed { bytes, meaning }));
    match field.type_type() {
        Type::Utf8 | Type::Binary => Some(Kind::Text { offset_bytes: 4 }),
        Type::LargeUtf8 | Type::LargeBinary => Some(Kind::Text { offset_bytes: 8 }),
        Type::Utf8View | Type::BinaryView => Some(Kind::View),
        Type::Int => {
            let it = field.type_as_int()?;
            integer(it.bitWidth(), it.is_signed()).map(Kind::Fixed)
        }
        Type::FloatingPoint => match field.type_as_floating_point()?.precision() {
            Precision::DOUBLE => fixed(8, Meaning::Real),
            _ => None,
        },
        Type::Date => match field.type_as_date()?.unit() {
            DateUnit::DAY => fixed(4, Meaning::Day),
            DateUnit::MILLISECOND => fixed(8, Meaning::Time(1_000)),
            _ => None,
        },
        Type::Timestamp => {
            let per_second = match field.type_as_timestamp()?.unit() {
                TimeUnit::SECOND => 1,
                TimeUnit::MILLISECOND => 1_000,
                TimeUnit::MICROSECOND => 1_000_000,
                TimeUnit::NANOSECOND => 1_000_000_000,
                _ => return None,
            };
            fixed(8, Meaning::Time(per_second))
        }
        _ => None,
    }
}

/// Adds what a column takes of a batch, by the layouts of the Arrow format.
fn add(field: &Field<'_>, version: MetadataVersion, layout: &mut Layout) -> Result<(), String> {
    layout.nodes += 1;
    if field.dictionary().is_some() {
        // The numbers of its values; the values themselves, and what is inside them, lie elsewhere.
        layout.buffers += 2;
        return Ok(());
    }
    layout.buffers += match field.type_type() {
        Type::Null | Type::RunEndEncoded => 0,
        Type::Struct_ | Type::FixedSizeList => 1,
        Type::Int
        | Type::FloatingPoint
        | Type::Bool
        | Type::Decimal
        | Type::Date
        | Type::Time
        | Type::Timestamp
        | Type::Interval
        | Type::Duration
        | Type::FixedSizeBinary
        | Type::List
        | Type::LargeList
        | Type::Map => 2,
        Type::Utf8
        | Type::Binary
        | Type::LargeUtf8
        | Type::LargeBinary
        | Type::ListView
        | Type::LargeListView => 3,
        Type::Utf8View | Type::BinaryView => {
            layout.views += 1;
            2
        }
        Type::Union => {
            let it = field.type_as_union().ok_or("a union has no kind")?;
            // Before version 5 unions said which values are there, as other columns do.
            let present = usize::from(version == MetadataVersion::V4);
            present + if it.mode() == UnionMode::Dense { 2 } else { 1 }
        }
        _ => return Err("a column has a type that is not known".to_owned()),
    };
    for child in field.children().iter().flatten() {
        add(&child, version, layout)?;
    }
    Ok(())
}
