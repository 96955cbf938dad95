//! Candidates in, pairs out.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{Field, Schema};
use retold::stages::{Judgement, Stages};
use retold::{Document, Error, Evidence, Kind, PairRow, Scores, Span};
use retold_report::table::Pairs;

use super::arrow::{Said, Saying, joined, numbers, stretches};
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

/// A pair to be compared: the rows of the longer and of the shorter document, and what the method says.
struct Compared {
    longer: usize,
    shorter: usize,
    said: Judgement,
}

/// Reads which pairs are to be compared: with each document those before it that it is compared with.
/// Of equally long documents the earlier one counts as the longer one.
fn compared(batch: &RecordBatch) -> Result<Vec<Compared>, Error> {
    let wrong = |what: &str| Error::Internal(format!("`partners` {what}"));
    let (ordinals, n_words) = (numbers(batch, "ordinal")?, numbers(batch, "n_words")?);
    let partners = batch.column_by_name("partners").and_then(|column| column.as_list_opt::<i32>());
    let partners = partners.ok_or_else(|| wrong("is no list"))?;
    let fields = partners.values().as_struct_opt().ok_or_else(|| wrong("has no fields"))?;
    if fields.null_count() > 0 {
        return Err(wrong("has nothing in some places"));
    }
    let fields = RecordBatch::from(fields);
    let (others, said) = (numbers(&fields, "other")?, Said::new(&fields)?);
    let row_of: HashMap<i64, usize> =
        (0..).zip(ordinals.values()).map(|(row, &n)| (n, row)).collect();
    let mut out = Vec::new();
    for row in (0..batch.num_rows()).filter(|&row| partners.is_valid(row)) {
        let offsets = partners.value_offsets();
        let [start, end] = [row, row + 1].map(|row| offsets[row].cast_unsigned() as usize);
        for at in start..end {
            let other = row_of.get(&others.value(at)).copied();
            let other = other.ok_or_else(|| wrong("names a document that is missing"))?;
            let [earlier, later] = if ordinals.value(other) < ordinals.value(row) {
                [other, row]
            } else {
                [row, other]
            };
            let is_earlier_longer = Stages::is_first_longer(
                n_words.value(earlier).cast_unsigned() as u32,
                n_words.value(later).cast_unsigned() as u32,
            );
            let (longer, shorter) =
                if is_earlier_longer { (earlier, later) } else { (later, earlier) };
            let (kind, scores) = said.of(at);
            out.push(Compared { longer, shorter, said: Judgement { kind, scores } });
        }
    }
    out.sort_by_key(|pair| (ordinals.value(pair.longer), ordinals.value(pair.shorter)));
    Ok(out)
}

/// Compares documents with others that are in the same table.
pub(super) fn verify(stages: &Stages, batches: &[RecordBatch]) -> Result<Table, Error> {
    let mut found = Found::new();
    let Some(batch) = joined(batches)? else { return found.table() };
    let ordinals = numbers(&batch, "ordinal")?;
    let documents = documents(stages, &batch)?;
    let pairs = compared(&batch)?;
    let mut verifier = stages.verifier();
    let number = |row: usize| ordinals.value(row).cast_unsigned();
    for of_longer in pairs.chunk_by(|x, y| x.longer == y.longer) {
        let longer = of_longer[0].longer;
        let candidates = of_longer.iter().map(|pair| {
            let Compared { shorter, said, .. } = *pair;
            (number(shorter), &documents[shorter], said)
        });
        let mut failed = Ok(());
        verifier.compare((number(longer), &documents[longer]), candidates, |place, pair| {
            let shorter = of_longer[place].shorter;
            let is_first = ordinals.value(longer) < ordinals.value(shorter);
            let (a, b) = if is_first { (longer, shorter) } else { (shorter, longer) };
            let row = PairRow {
                a: &documents[a].id,
                b: &documents[b].id,
                relation: pair.kind,
                scores: pair.scores,
                evidence: &pair.evidence,
            };
            let pushed = found.push((ordinals.value(a), ordinals.value(b)), &row);
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
        let judgement = Judgement { kind, scores };
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
