//! Kept rows of Parquet, with all columns.
//!
//! A row group is read twice: the columns of documents, to know which rows are kept, and then each
//! column after the other, to write these rows. So no more than some rows of one column are held at
//! a time, and columns are copied as they are, whatever their types and however they are nested, and
//! compressed as they were. Only texts may lose parts on the way. Where shards are asked for, a row
//! group may be divided between two.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::column::writer::{ColumnWriter, ColumnWriterImpl};
use ::parquet::data_type::{ByteArray, DataType};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;

use retold_core::document::Span;

use super::output::{Shards, create};
use super::{CopyError, Target, without, write_error};
use crate::bad::{escape, quoted};
use crate::format::Opened;
use crate::options::Limits;
use crate::parquet::{Batches, CheckedFile, batch_rows, guarded};

impl Target<'_> {
    /// Copies rows of Parquet.
    pub(super) fn columns(
        &mut self,
        opened: Opened,
        path: &Path,
        label: &str,
        report: &dyn Fn(),
    ) -> Result<(), CopyError> {
        let context = opened.context;
        let Some(Ok(mut batches)) = opened.access.map(|access| Batches::open(access, &context))
        else {
            self.unreadable += 1;
            return Ok(());
        };
        let file = batches.again(context.limits());
        let mut copy = Copy {
            file,
            limits: *context.limits(),
            out: self.out,
            label,
            shards: Shards::new(path, self.copying.shard_bytes()),
            path: path.to_owned(),
            writer: None,
        };
        let (mut group, mut kept, mut edits) = (0, Vec::new(), Vec::new());
        let mut row_bytes = copy.row_bytes(group);
        let mut record = 0;
        while let Some(batch) = batches.next() {
            let Ok(batch) = batch else {
                self.unreadable += 1;
                break;
            };
            if batch.group != group {
                copy.rows(group, (&kept, &edits))?;
                kept.clear();
                edits.clear();
                group = batch.group;
                row_bytes = copy.row_bytes(group);
            }
            for row in 0..batch.n_rows {
                let document = batches.document(&batch, row, &context);
                self.unreadable += u64::from(document.is_err());
                let document = document.ok().filter(|_| self.takes(record));
                if let Some(document) = &document {
                    if copy.shards.is_next_for(row_bytes) {
                        copy.rows(group, (&kept, &edits))?;
                        copy.end_file()?;
                        kept.fill(false);
                        edits.clear();
                    }
                    let cuts = self.cuts(record);
                    if !cuts.is_empty()
                        && let Some(leaf) = batches.text_leaf(&batch, row)
                    {
                        let n_bytes = document.text.len();
                        edits.push(Edit { row: kept.len(), leaf, n_bytes, cuts });
                    }
                }
                kept.push(document.is_some());
                record += 1;
            }
            report();
        }
        copy.rows(group, (&kept, &edits))?;
        copy.end_file()?;
        self.n_shards = copy.shards.n_begun();
        Ok(())
    }
}

/// A text that loses parts.
struct Edit {
    /// Number of the row in its row group.
    row: usize,
    /// The column of the text.
    leaf: usize,
    /// Bytes of the text; what a value has before them is a headline.
    n_bytes: usize,
    cuts: Vec<Span>,
}

impl Edit {
    fn apply(&self, value: &ByteArray) -> ByteArray {
        let (before, text) = value.data().split_at(value.len().saturating_sub(self.n_bytes));
        let text = std::str::from_utf8(text).unwrap_or_default();
        ByteArray::from([before, without(text, &self.cuts).as_bytes()].concat())
    }
}

/// Why rows could not be copied.
enum Failure {
    /// What is wrong with the input.
    Read(String),
    Write(io::Error),
}

impl Failure {
    /// Tells apart what the system and what the library says about writing: the library only
    /// refuses values that do not fit their schema.
    fn of_writing(error: ParquetError) -> Self {
        match error {
            ParquetError::External(error) => Self::Write(match error.downcast::<io::Error>() {
                Ok(error) => *error,
                Err(error) => io::Error::other(error),
            }),
            other => Self::Read(other.to_string()),
        }
    }
}

/// A file and its copy.
struct Copy<'a> {
    file: CheckedFile,
    limits: Limits,
    out: &'a Path,
    label: &'a str,
    shards: Shards<'a>,
    /// Where the copy is written.
    path: PathBuf,
    /// The copy, once there is a row.
    writer: Option<SerializedFileWriter<File>>,
}

impl Copy<'_> {
    /// Returns what a row of a row group takes on average, before it is compressed.
    fn row_bytes(&self, group: usize) -> u64 {
        let groups = self.file.metadata().row_groups();
        let n_bytes = groups
            .get(group)
            .map_or(0, |group| group.total_byte_size().max(0) / group.num_rows().max(1));
        u64::try_from(n_bytes).unwrap_or(0).max(1)
    }

    fn failed(&self, failure: Failure) -> CopyError {
        match failure {
            Failure::Read(reason) => CopyError::Unreadable { file: escape(self.label), reason },
            Failure::Write(error) => write_error(&self.path, error),
        }
    }

    /// Copies the rows of a row group that are kept. `kept` may end before the group does.
    fn rows(&mut self, group: usize, (kept, edits): (&[bool], &[Edit])) -> Result<(), CopyError> {
        let Some(last) = kept.iter().rposition(|&is_kept| is_kept) else { return Ok(()) };
        let kept = &kept[..=last];
        let mut output = None;
        if self.writer.is_none() {
            self.path = self.shards.next_path();
            output = Some(create(self.out, &self.path)?);
        }
        match guarded(|| self.rows_unguarded(group, (kept, edits), output)) {
            Ok(result) => result.map_err(|failure| self.failed(failure)),
            Err(contradict) => Err(self.failed(Failure::Read(contradict))),
        }
    }

    fn rows_unguarded(
        &mut self,
        group: usize,
        (kept, edits): (&[bool], &[Edit]),
        output: Option<File>,
    ) -> Result<(), Failure> {
        let metadata = self.file.metadata();
        let schema = metadata.file_metadata().schema_descr();
        if let Some(output) = output {
            // What other programs note about their types stands among the values of the footer.
            let values = metadata.file_metadata().key_value_metadata().cloned();
            let mut properties = WriterProperties::builder().set_key_value_metadata(values);
            for column in metadata.row_group(group).columns() {
                let (path, compression) = (column.column_path().clone(), column.compression());
                properties = properties.set_column_compression(path, compression);
            }
            let properties = properties.build();
            let root = schema.root_schema_ptr();
            let writer = SerializedFileWriter::new(output, root, Arc::new(properties));
            self.writer = Some(writer.map_err(Failure::of_writing)?);
        }
        #[expect(clippy::expect_used, reason = "it is made above")]
        let writer = self.writer.as_mut().expect("it was made with the first row");
        let mut rows = writer.next_row_group().map_err(Failure::of_writing)?;
        for leaf in 0..schema.num_columns() {
            let name = schema.column(leaf).path().string();
            let in_column = |failure| match failure {
                Failure::Read(reason) => {
                    Failure::Read(format!("column {} cannot be read: {reason}", quoted(&name)))
                }
                failed @ Failure::Write(_) => failed,
            };
            let most = batch_rows(metadata, leaf, &self.limits).map_err(Failure::Read);
            let most = most.map_err(in_column)?;
            let reader = self.file.column(group, leaf).map_err(of_reading).map_err(in_column)?;
            let column = rows.next_column().map_err(Failure::of_writing)?;
            let too_few = || Failure::Read("it has fewer columns than its schema".to_owned());
            let mut column = column.ok_or_else(too_few)?;
            let of_column = || edits.iter().filter(|edit| edit.leaf == leaf);
            copy_column(reader, column.untyped(), (kept, &of_column), most).map_err(in_column)?;
            column.close().map_err(Failure::of_writing)?;
        }
        rows.close().map_err(Failure::of_writing)?;
        Ok(())
    }

    /// Writes the footer of a file; what follows goes to the next one.
    fn end_file(&mut self) -> Result<(), CopyError> {
        match self.writer.take().map(SerializedFileWriter::close) {
            Some(Err(error)) => Err(self.failed(Failure::of_writing(error))),
            None | Some(Ok(_)) => Ok(()),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to `map_err`")]
fn of_reading(error: ParquetError) -> Failure {
    Failure::Read(error.to_string())
}

/// Copies the kept rows of a column of any type; texts lose what `edits` says, by row.
fn copy_column<'e, E: Iterator<Item = &'e Edit>>(
    reader: ColumnReader,
    writer: &mut ColumnWriter<'_>,
    (kept, edits): (&[bool], &dyn Fn() -> E),
    most: usize,
) -> Result<(), Failure> {
    use ColumnReader as R;
    use ColumnWriter as W;
    match (reader, writer) {
        (R::BoolColumnReader(r), W::BoolColumnWriter(w)) => {
            copy_values(r, w, kept, most, |_, _| {})
        }
        (R::Int32ColumnReader(r), W::Int32ColumnWriter(w)) => {
            copy_values(r, w, kept, most, |_, _| {})
        }
        (R::Int64ColumnReader(r), W::Int64ColumnWriter(w)) => {
            copy_values(r, w, kept, most, |_, _| {})
        }
        (R::Int96ColumnReader(r), W::Int96ColumnWriter(w)) => {
            copy_values(r, w, kept, most, |_, _| {})
        }
        (R::FloatColumnReader(r), W::FloatColumnWriter(w)) => {
            copy_values(r, w, kept, most, |_, _| {})
        }
        (R::DoubleColumnReader(r), W::DoubleColumnWriter(w)) => {
            copy_values(r, w, kept, most, |_, _| {})
        }
        (R::ByteArrayColumnReader(r), W::ByteArrayColumnWriter(w)) => {
            let mut edits = edits().peekable();
            copy_values(r, w, kept, most, |row, value| {
                if let Some(edit) = edits.next_if(|edit| edit.row == row) {
                    *value = edit.apply(value);
                }
            })
        }
        (R::FixedLenByteArrayColumnReader(r), W::FixedLenByteArrayColumnWriter(w)) => {
            copy_values(r, w, kept, most, |_, _| {})
        }
        _ => Err(Failure::Read("it has another type than its schema".to_owned())),
    }
}

/// Copies the kept rows of a column, up to `most` rows at a time. `edit` gets every value of a column
/// without lists, with its row.
fn copy_values<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    writer: &mut ColumnWriterImpl<'_, T>,
    kept: &[bool],
    most: usize,
    mut edit: impl FnMut(usize, &mut T::T),
) -> Result<(), Failure> {
    let full = writer.get_descriptor().max_def_level();
    let mut rest = kept;
    let (mut values, mut definitions, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
    while !rest.is_empty() {
        values.clear();
        definitions.clear();
        repetitions.clear();
        let (n_rows, ..) = reader
            .read_records(
                most.min(rest.len()),
                Some(&mut definitions),
                Some(&mut repetitions),
                &mut values,
            )
            .map_err(of_reading)?;
        if n_rows == 0 {
            return Err(Failure::Read("it is shorter than others".to_owned()));
        }
        if repetitions.is_empty() {
            let first = kept.len() - rest.len();
            let has_value = |row: &usize| definitions.get(*row).is_none_or(|&level| level == full);
            for (row, value) in (0..n_rows).filter(has_value).zip(&mut values) {
                edit(first + row, value);
            }
        }
        let (kept, after) = rest.split_at(n_rows);
        rest = after;
        if kept.contains(&false) {
            retain(kept, full, &mut values, &mut definitions, &mut repetitions);
        }
        // A column that is not optional, or not a list, has no such levels.
        let levels = |levels| if Vec::is_empty(levels) { None } else { Some(levels.as_slice()) };
        writer
            .write_batch(&values, levels(&definitions), levels(&repetitions))
            .map_err(Failure::of_writing)?;
    }
    Ok(())
}

/// Leaves what belongs to kept rows. A value is there where the definition level is `full`; a row
/// begins where the repetition level is 0.
fn retain<V>(
    kept: &[bool],
    full: i16,
    values: &mut Vec<V>,
    definitions: &mut Vec<i16>,
    repetitions: &mut Vec<i16>,
) {
    let n_levels = definitions.len().max(repetitions.len()).max(values.len());
    let mut n_rows = 0;
    let is_kept: Vec<bool> = (0..n_levels)
        .map(|level| {
            n_rows += usize::from(repetitions.get(level).is_none_or(|&level| level == 0));
            n_rows.checked_sub(1).and_then(|row| kept.get(row)).is_some_and(|&is_kept| is_kept)
        })
        .collect();
    let has_value = |level: usize| definitions.get(level).is_none_or(|&level| level == full);
    let mut of_values = (0..n_levels).filter(|&level| has_value(level)).map(|level| is_kept[level]);
    values.retain(|_| of_values.next().is_some_and(|is_kept| is_kept));
    for levels in [definitions, repetitions] {
        let mut of_levels = is_kept.iter();
        levels.retain(|_| of_levels.next().is_some_and(|&is_kept| is_kept));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_absent_values_of_dropped_rows_go_with_them() {
        // [a, b], absent, [c], [], [d, e]: a level of 2 has a value, 1 is an empty list.
        let mut values = vec!['a', 'b', 'c', 'd', 'e'];
        let mut definitions = vec![2, 2, 0, 2, 1, 2, 2];
        let mut repetitions = vec![0, 1, 0, 0, 0, 0, 1];
        let kept = [false, true, true, false, true];
        retain(&kept, 2, &mut values, &mut definitions, &mut repetitions);
        assert_eq!(values, ['c', 'd', 'e']);
        assert_eq!(definitions, [0, 2, 2, 2]);
        assert_eq!(repetitions, [0, 0, 0, 1]);
    }

    #[test]
    fn columns_without_levels_are_a_value_a_row() {
        let (mut values, mut none) = (vec![1, 2, 3], Vec::new());
        retain(&[true, false, true], 0, &mut values, &mut none, &mut Vec::new());
        assert_eq!(values, [1, 3]);
    }
}
