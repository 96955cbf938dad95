//! Documents in, images out; crowds of images.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder, StringBuilder};
use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{Array as _, ArrayRef, BinaryArray, BooleanArray, RecordBatch, StringArray};
use retold::Error;
use retold::stages::Counts;
use retold::stages::Stages;

use super::arrow::{at, bytes, joined, long, numbers, small, stretches, table};
use super::searching::{images_of, packed_of, packed_table};
use crate::rows::RowReader;
use crate::tables::Table;

/// Makes images of documents.
pub(super) fn image(
    stages: &Stages,
    batches: &[RecordBatch],
    n_documents: Option<u64>,
) -> Result<Table, Error> {
    let mut made = Made::default();
    let frozen = stages.frozen_counts()?;
    for batch in batches {
        let ordinals = numbers(batch, "ordinal")?;
        let reader = RowReader::new(&batch.schema(), &stages.job().read_options())?;
        let columns = reader.batch(batch);
        let counts = batch.column_by_name("counts");
        for row in 0..batch.num_rows() {
            let own = match (counts, n_documents) {
                (Some(counts), Some(n)) => Some(counts_of(counts, row, n)?),
                _ => None,
            };
            made.ordinal.push(ordinals.value(row));
            match reader.document(&columns, row) {
                Ok(document) => {
                    made.id.push(Some(document.id.clone()));
                    made.push(stages.image(document, own.as_ref().or(frozen.as_ref())));
                    made.bad.push(None);
                }
                Err(reason) => {
                    made.id.push(None);
                    made.push(stages.image(retold::Document::plain("", ""), frozen.as_ref()));
                    made.bad.push(Some(reason));
                }
            }
        }
    }
    made.table()
}

/// Reads the statistics that concern one document.
fn counts_of(counts: &ArrayRef, row: usize, n_documents: u64) -> Result<Counts, Error> {
    let wrong = || Error::Internal("`counts` is no list of features and numbers".to_owned());
    let list = counts.as_list_opt::<i32>().ok_or_else(wrong)?;
    if list.is_null(row) {
        return Ok(Counts::new(n_documents, []));
    }
    let of_row = list.value(row);
    let both = of_row.as_struct_opt().ok_or_else(wrong)?;
    let column =
        |name| both.column_by_name(name).and_then(|column| column.as_primitive_opt::<Int64Type>());
    let (features, n) = column("feature").zip(column("n")).ok_or_else(wrong)?;
    let pairs = features.values().iter().zip(n.values());
    Ok(Counts::new(
        n_documents,
        pairs.map(|(&feature, &n)| (feature.cast_unsigned(), n.cast_unsigned() as u32)),
    ))
}

/// Columns of images.
#[derive(Default)]
struct Made {
    ordinal: Vec<i64>,
    id: Vec<Option<String>>,
    n_words: Vec<i64>,
    n_bytes: Vec<i64>,
    words_hash: Vec<Option<[u8; 16]>>,
    text_hash: Vec<i64>,
    start: Vec<i64>,
    end: Vec<i64>,
    is_cut: Vec<bool>,
    language: Vec<Option<String>>,
    ranks: ListBuilder<StringBuilder>,
    rank_numbers: ListBuilder<Int64Builder>,
    image: Vec<Option<Box<[u8]>>>,
    bad: Vec<Option<String>>,
}

impl Made {
    fn push(&mut self, imaged: retold::stages::Imaged) {
        self.n_words.push(i64::from(imaged.n_words));
        self.n_bytes.push(imaged.n_bytes.cast_signed());
        self.words_hash.push(imaged.words_hash.map(u128::to_be_bytes));
        self.text_hash.push(imaged.text_hash.cast_signed());
        self.start.push(i64::from(imaged.extent.start));
        self.end.push(i64::from(imaged.extent.end));
        self.is_cut.push(imaged.is_cut);
        self.language.push(imaged.language.map(Into::into));
        for value in &imaged.ranks {
            self.ranks.values().append_option(value.as_deref());
            let number = value.as_deref().and_then(|value| value.parse::<f64>().ok());
            self.rank_numbers.values().append_option(number.map(in_order));
        }
        self.ranks.append(true);
        self.rank_numbers.append(true);
        self.image.push(imaged.image);
    }

    fn table(mut self) -> Result<Table, Error> {
        let binary =
            |values: Vec<Option<&[u8]>>| -> ArrayRef { Arc::new(BinaryArray::from(values)) };
        let words_hash = self.words_hash.iter().map(|hash| hash.as_ref().map(|hash| &hash[..]));
        table([
            ("ordinal", long(self.ordinal)),
            ("id", Arc::new(StringArray::from(self.id)) as ArrayRef),
            ("n_words", long(self.n_words)),
            ("n_bytes", long(self.n_bytes)),
            ("words_hash", binary(words_hash.collect())),
            ("text_hash", long(self.text_hash)),
            ("start", long(self.start)),
            ("end", long(self.end)),
            ("is_cut", Arc::new(BooleanArray::from(self.is_cut))),
            ("language", Arc::new(StringArray::from(self.language))),
            ("ranks", Arc::new(self.ranks.finish())),
            ("rank_numbers", Arc::new(self.rank_numbers.finish())),
            ("image", binary(self.image.iter().map(Option::as_deref).collect())),
            ("bad", Arc::new(StringArray::from(self.bad))),
        ])
    }
}

/// Returns a whole number that has the place of a number in their total order.
fn in_order(number: f64) -> i64 {
    let bits = number.to_bits().cast_signed();
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

/// Lists the features that statistics are kept of.
pub(super) fn features(stages: &Stages, batches: &[RecordBatch]) -> Result<Table, Error> {
    let (mut ordinal, mut feature) = (Vec::new(), Vec::new());
    for batch in batches {
        let ordinals = numbers(batch, "ordinal")?;
        let reader = RowReader::new(&batch.schema(), &stages.job().read_options())?;
        let columns = reader.batch(batch);
        for row in 0..batch.num_rows() {
            if let Ok(document) = reader.document(&columns, row) {
                stages.count(&document, &mut |one| {
                    ordinal.push(ordinals.value(row));
                    feature.push(one.cast_signed());
                });
            }
        }
    }
    table([("ordinal", long(ordinal)), ("feature", long(feature))])
}

/// Packs the minima by which near-identical documents meet.
pub(super) fn minima(
    stages: &Stages,
    batches: &[RecordBatch],
    n_parts: u64,
) -> Result<Table, Error> {
    let pack = |batch| Ok(stages.pack_minima(images_of(batch)?, n_parts));
    packed_table(batches.iter().map(pack).collect::<Result<_, Error>>()?)
}

/// Lists where more documents meet than are compared in full.
pub(super) fn met(stages: &Stages, batches: &[RecordBatch]) -> Result<Table, Error> {
    let (mut minimum, mut ordinal, mut least) = (Vec::new(), Vec::new(), Vec::new());
    for (of_row, doc, first) in stages.part_minima(&packed_of(batches)?)? {
        minimum.push(of_row.cast_signed());
        ordinal.push(doc.cast_signed());
        least.push(first.cast_signed());
    }
    table([("minimum", long(minimum)), ("ordinal", long(ordinal)), ("least", long(least))])
}

/// Finds crowds among documents of whole components.
pub(super) fn crowds(stages: &Stages, batches: &[RecordBatch]) -> Result<Table, Error> {
    let (mut kept, mut member) = (Vec::new(), Vec::new());
    if let Some(batch) = joined(batches)? {
        let (ordinals, ranks) = (numbers(&batch, "ordinal")?, numbers(&batch, "rank")?);
        let (minima, images) = (numbers(&batch, "minimum")?, bytes(&batch, "image")?);
        for component in stretches(numbers(&batch, "component")?) {
            let (mut documents, mut met) = (Vec::new(), Vec::new());
            for row in component {
                let ordinal = ordinals.value(row).cast_unsigned();
                match at(images, row) {
                    Some(image) => {
                        documents.push((ordinal, ranks.value(row).cast_unsigned(), image));
                    }
                    None => met.push((minima.value(row).cast_unsigned(), ordinal)),
                }
            }
            for (one, members) in stages.crowds(&documents, &met)? {
                kept.extend(members.iter().map(|_| one.cast_signed()));
                member.extend(members.iter().map(|&doc| doc.cast_signed()));
            }
        }
    }
    table([("kept", long(kept)), ("member", long(member))])
}

/// Returns what members of crowds have of their own.
pub(super) fn unseen(stages: &Stages, batches: &[RecordBatch]) -> Result<Table, Error> {
    let mut ordinal = Vec::new();
    let mut left: Vec<Option<Box<[u8]>>> = Vec::new();
    if let Some(batch) = joined(batches)? {
        let (ordinals, images) = (numbers(&batch, "ordinal")?, bytes(&batch, "image")?);
        let is_member = small(&batch, "is_member")?;
        for crowd in stretches(numbers(&batch, "kept")?) {
            let first_member = crowd.clone().find(|&row| is_member.value(row) == 1);
            let members = first_member.unwrap_or(crowd.end)..crowd.end;
            let kept = (members.start > crowd.start).then(|| at(images, crowd.start)).flatten();
            let of_members = members.clone().filter_map(|row| at(images, row));
            left.extend(stages.unseen(kept, of_members));
            let with_image = members.filter(|&row| images.is_valid(row));
            ordinal.extend(with_image.map(|row| ordinals.value(row)));
        }
    }
    let images: Vec<Option<&[u8]>> = left.iter().map(Option::as_deref).collect();
    table([("ordinal", long(ordinal)), ("image", Arc::new(BinaryArray::from(images)) as ArrayRef)])
}
