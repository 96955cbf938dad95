//! Candidates in, pairs out.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{Field, Schema};
use retold::stages::Stages;
use retold::{Document, Error, Evidence, Kind, PairRow, Scores, Span};
use retold_report::table::Pairs;

use super::arrow::{Said, Saying, joined, numbers, small, stretches};
use crate::rows::RowReader;
use crate::tables::{Filling, Table};

/// Pairs on their way into a table: those of the files, and what the next stages need.
struct Found {
    rows: Filling<Pairs>,
    a: Vec<i64>,
    b: Vec<i64>,
    said: Saying,
}

impl Found {
    fn new() -> Self {
        Self { rows: Filling::new(), a: Vec::new(), b: Vec::new(), said: Saying::default() }
    }

    fn push(&mut self, (a, b): (i64, i64), row: &PairRow<'_>) -> Result<(), Error> {
        self.a.push(a);
        self.b.push(b);
        self.said.push(row.relation, row.scores);
        self.rows.push(row)
    }

    fn table(mut self) -> Result<Table, Error> {
        let internal = |error: arrow_schema::ArrowError| Error::Internal(error.to_string());
        let rows = self.rows.finish()?;
        let (schema, batches) = rows.parts();
        let numbers = |values: Vec<i64>| Arc::new(Int64Array::from(values)) as ArrayRef;
        let mut added = vec![("a_ordinal", numbers(self.a)), ("b_ordinal", numbers(self.b))];
        added.extend(self.said.columns());
        let mut fields: Vec<Field> = added
            .iter()
            .map(|(name, column)| Field::new(*name, column.data_type().clone(), true))
            .collect();
        fields.extend(schema.fields().iter().map(|field| Field::clone(field)));
        let schema = Arc::new(Schema::new(fields));
        let mut start = 0;
        let mut out = Vec::new();
        for batch in batches {
            let n = batch.num_rows();
            let mut columns: Vec<ArrayRef> =
                added.iter().map(|(_, column)| column.slice(start, n)).collect();
            columns.extend(batch.columns().iter().cloned());
            out.push(RecordBatch::try_new(Arc::clone(&schema), columns).map_err(internal)?);
            start += n;
        }
        Ok(Table::new(schema, out))
    }
}

/// Reads all rows as documents; those that cannot be read have no text.
fn documents(stages: &Stages, batch: &RecordBatch) -> Result<Vec<Document>, Error> {
    let reader = RowReader::new(&batch.schema(), &stages.job().read_options())?;
    let columns = reader.batch(batch);
    let document = |row| reader.document(&columns, row).unwrap_or_default();
    Ok((0..batch.num_rows()).map(document).collect())
}

/// Compares long documents with their candidates.
pub(super) fn verify(stages: &Stages, batches: &[RecordBatch]) -> Result<Table, Error> {
    let mut found = Found::new();
    let Some(batch) = joined(batches)? else { return found.table() };
    let (longs, roles) = (numbers(&batch, "long")?, small(&batch, "role")?);
    let (ordinals, said) = (numbers(&batch, "ordinal")?, Said::new(&batch)?);
    let documents = documents(stages, &batch)?;
    let mut verifier = stages.verifier();
    for rows in stretches(longs) {
        let start = rows.start;
        if roles.value(start) != 0 {
            return Err(Error::Internal("a long document is missing".to_owned()));
        }
        let long = ordinals.value(start);
        let candidates = rows.clone().skip(1).map(|row| {
            let (kind, scores) = said.of(row);
            let judgement = retold::stages::Judgement { kind, scores };
            (ordinals.value(row).cast_unsigned(), &documents[row], judgement)
        });
        let mut failed = Ok(());
        verifier.compare((long.cast_unsigned(), &documents[start]), candidates, |place, pair| {
            let row = start + 1 + place;
            let other = ordinals.value(row);
            let (a, b) = if long < other { (start, row) } else { (row, start) };
            let row = PairRow {
                a: &documents[a].id,
                b: &documents[b].id,
                relation: pair.kind,
                scores: pair.scores,
                evidence: &pair.evidence,
            };
            let pushed = found.push((long.min(other), long.max(other)), &row);
            failed = std::mem::replace(&mut failed, Ok(())).and(pushed);
        });
        failed?;
    }
    found.table()
}

/// Makes pairs of copies of documents that were compared.
pub(super) fn copies(stages: &Stages, batches: &[RecordBatch]) -> Result<Table, Error> {
    let mut found = Found::new();
    let Some(batch) = joined(batches)? else { return found.table() };
    let (pairs, ordinals) = (numbers(&batch, "pair")?, numbers(&batch, "ordinal")?);
    let said = Said::new(&batch)?;
    let documents = documents(stages, &batch)?;
    let mut verifier = stages.verifier();
    for rows in stretches(pairs) {
        let &[a, b, x, y] = &rows.collect::<Vec<usize>>()[..] else {
            return Err(Error::Internal("a pair of copies takes four documents".to_owned()));
        };
        let (kind, scores) = said.of(a);
        let judgement = retold::stages::Judgement { kind, scores };
        let evidence = verifier.copies(
            (&documents[a], &documents[b]),
            (&documents[x], &documents[y]),
            judgement,
        );
        let evidence = evidence.unwrap_or_default();
        let (of_x, of_y) = (ordinals.value(x), ordinals.value(y));
        let is_flipped = of_y < of_x;
        let evidence = if is_flipped { evidence.flipped() } else { evidence };
        let (x, y) = if is_flipped { (y, x) } else { (x, y) };
        let row = PairRow {
            a: &documents[x].id,
            b: &documents[y].id,
            relation: if is_flipped { kind.flipped() } else { kind },
            scores: if is_flipped { scores.flipped() } else { scores },
            evidence: &evidence,
        };
        found.push((of_x.min(of_y), of_x.max(of_y)), &row)?;
    }
    found.table()
}

/// Makes pairs of documents with the same words.
pub(super) fn exact(stages: &Stages, batches: &[RecordBatch]) -> Result<Table, Error> {
    let mut found = Found::new();
    let Some(batch) = joined(batches)? else { return found.table() };
    let (ordinals, ranks) = (numbers(&batch, "ordinal")?, numbers(&batch, "rank")?);
    let (n_words, starts) = (numbers(&batch, "n_words")?, numbers(&batch, "start")?);
    let ends = numbers(&batch, "end")?;
    let ids = batch.column_by_name("id").and_then(|column| column.as_string_opt::<i32>());
    let ids = ids.ok_or_else(|| Error::Internal("there is no column `id`".to_owned()))?;
    let small = |column: &Int64Array, row: usize| column.value(row).cast_unsigned() as u32;
    let extent = |row: usize| Span::new(small(starts, row), small(ends, row));
    for rows in stretches(numbers(&batch, "first")?) {
        let ranked: Vec<u64> = rows.clone().map(|row| ranks.value(row).cast_unsigned()).collect();
        for (a, b) in stages.pairs_of_copies(&ranked) {
            let (a, b) = (rows.start + a, rows.start + b);
            let n = (small(n_words, a), small(n_words, b));
            let evidence: Evidence = retold::stages::whole((n.0, extent(a)), (n.1, extent(b)));
            let row = PairRow {
                a: ids.value(a),
                b: ids.value(b),
                relation: Kind::Exact,
                scores: Scores::EQUAL,
                evidence: &evidence,
            };
            found.push((ordinals.value(a), ordinals.value(b)), &row)?;
        }
    }
    found.table()
}
