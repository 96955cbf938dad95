//! Rows of Arrow record batches as documents: columns are fields, as in a Parquet file.

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use retold::{BadRecord, Document, Error, Fields, ReadOptions};
use retold_read::{FieldNames, FieldUse, Gathered};

use crate::columns::Column;

/// What messages and tables call documents that come from Python.
pub(crate) const TABLE: &str = "table";

/// How rows become documents.
pub(crate) struct RowReader {
    columns: Vec<(usize, FieldUse)>,
    names: FieldNames,
    longest: u64,
}

impl RowReader {
    /// Takes the columns that are needed. A column that the caller named has to be there.
    pub(crate) fn new(schema: &Schema, options: &ReadOptions) -> Result<Self, Error> {
        let names = FieldNames::new(options);
        let columns = columns_of(schema, &names, options)?;
        Ok(Self { columns, names, longest: options.limits.document_bytes })
    }

    /// Takes the columns of a batch.
    pub(crate) fn batch(&self, batch: &RecordBatch) -> Vec<(Column, FieldUse)> {
        let columns = self.columns.iter();
        columns.map(|(at, used)| (Column::new(batch.column(*at)), *used)).collect()
    }

    /// Makes a document of a row, or says why it is none.
    pub(crate) fn document(
        &self,
        batch: &[(Column, FieldUse)],
        row: usize,
    ) -> Result<Document, String> {
        let mut gathered = Gathered::new();
        for (column, used) in batch {
            if !gathered.wants(*used) {
                continue;
            }
            let n_bytes = column.n_bytes(row) as u64;
            if n_bytes > self.longest {
                return Err(too_long(n_bytes, self.longest));
            }
            match column.text(row) {
                Some(Ok(text)) => gathered.put(*used, text.into_owned()),
                Some(Err(_)) if used.is_text() => return Err("the text is not UTF-8".to_owned()),
                None if used.is_text() => gathered.put_odd(*used, "null"),
                Some(Err(_)) | None => {}
            }
        }
        gathered.finish(&self.names)
    }
}

/// Returns the columns that are needed, and what for.
fn columns_of(
    schema: &Schema,
    names: &FieldNames,
    options: &ReadOptions,
) -> Result<Vec<(usize, FieldUse)>, Error> {
    let bad = |reason: String| {
        Err(Error::Input(BadRecord { file: TABLE.to_owned(), record: None, offset: None, reason }))
    };
    let mut columns = Vec::new();
    let mut odd = None;
    for (at, field) in schema.fields().iter().enumerate() {
        let used = names.column(field.name());
        if used.is_text() && !Column::holds_strings(field.data_type()) {
            odd = Some(format!(
                "the text must be a string, column `{}` is {}",
                field.name(),
                field.data_type()
            ));
        } else if !used.is_nothing() && Column::can_be_read(field.data_type()) {
            columns.push((at, used));
        }
    }
    let known: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    if columns.iter().any(|(_, used)| used.is_text()) {
        let is_read = |at: usize| columns.iter().any(|(column, _)| *column == at);
        for list in named_by_caller(options) {
            let is_named =
                |name: &&str| list.iter().any(|wanted| wanted.eq_ignore_ascii_case(name));
            match known.iter().position(is_named) {
                Some(at) if is_read(at) => {}
                Some(at) => {
                    let kind = schema.field(at).data_type();
                    return bad(format!("column `{}` of {kind} cannot be read", known[at]));
                }
                None => {
                    let (wanted, known) = (list.join(", "), known.join(", "));
                    return bad(format!("no column is named {wanted}; there are {known}"));
                }
            }
        }
        return Ok(columns);
    }
    bad(odd.unwrap_or_else(|| {
        format!("no column is named {}; there are {}", names.texts(), known.join(", "))
    }))
}

/// Returns the names of columns that are not those that are tried anyway.
fn named_by_caller(options: &ReadOptions) -> Vec<&[String]> {
    fn lists(fields: &Fields) -> [&[String]; 6] {
        let Fields { id, text: _, title, time, source, url, language } = fields;
        [id, title, time, source, url, language]
    }
    let usual = Fields::default();
    let pairs = lists(&options.fields).into_iter().zip(lists(&usual));
    pairs.filter(|(given, usual)| given != usual).map(|(given, _)| given).collect()
}

/// Says that a text is too long.
pub(crate) fn too_long(n_bytes: u64, longest: u64) -> String {
    format!("text of {n_bytes} bytes is longer than the limit of {longest} (`max_document`)")
}
