//! Images in, candidates out.

use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::{ArrayRef, BooleanArray, RecordBatch};
use retold::Error;
use retold::stages::{Answer, BlockSearch, Packed, Stages};

use super::arrow::{Saying, at, bytes, long, numbers, short, small, table};
use crate::tables::Table;

/// The images of a batch with the numbers of their documents.
pub(super) fn images_of(batch: &RecordBatch) -> Result<impl Iterator<Item = (u64, &[u8])>, Error> {
    let (ordinals, images) = (numbers(batch, "ordinal")?, bytes(batch, "image")?);
    let one = |row| at(images, row).map(|image| (ordinals.value(row).cast_unsigned(), image));
    Ok((0..batch.num_rows()).filter_map(one))
}

/// Makes a table of what was packed: `part` and `packed`.
pub(super) fn packed_table(packed: Vec<Packed>) -> Result<Table, Error> {
    let mut part = Vec::new();
    let mut values = BinaryBuilder::new();
    for (of_part, bytes) in packed.into_iter().flatten() {
        part.push(of_part as i32);
        values.append_value(bytes);
    }
    table([("part", short(part)), ("packed", Arc::new(values.finish()) as ArrayRef)])
}

/// Returns the rows of what was packed, which are all of one part.
pub(super) fn packed_of(batches: &[RecordBatch]) -> Result<Vec<&[u8]>, Error> {
    let mut out = Vec::new();
    for batch in batches {
        let packed = bytes(batch, "packed")?;
        out.extend((0..batch.num_rows()).map(|row| packed.value(row)));
    }
    Ok(out)
}

/// Packs the postings of images.
pub(super) fn postings(
    stages: &Stages,
    batches: &[RecordBatch],
    n_parts: u64,
) -> Result<Table, Error> {
    let pack = |batch| stages.pack_postings(images_of(batch)?, n_parts);
    packed_table(batches.iter().map(pack).collect::<Result<_, _>>()?)
}

/// Counts the postings of images.
pub(super) fn n_postings(stages: &Stages, batches: &[RecordBatch]) -> Result<u64, Error> {
    let count =
        |batch| Ok(images_of(batch)?.map(|(_, image)| stages.n_postings(image)).sum::<u64>());
    batches.iter().map(count).sum()
}

/// Cuts lists by blocks.
pub(super) fn lists(
    stages: &Stages,
    batches: &[RecordBatch],
    block_docs: u64,
) -> Result<Table, Error> {
    let mut block = Vec::new();
    let mut lists = BinaryBuilder::new();
    let mut work = Vec::new();
    stages.part_lists(&packed_of(batches)?, block_docs, |of_block, piece, of_piece| {
        block.push(of_block.cast_signed());
        lists.append_value(piece);
        work.push(of_piece.cast_signed());
    })?;
    table([
        ("block", long(block)),
        ("lists", Arc::new(lists.finish()) as ArrayRef),
        ("work", long(work)),
    ])
}

/// A block that takes its lists, and then lets its documents ask.
pub(super) struct Searching {
    block: Box<dyn BlockSearch>,
    is_sealed: bool,
}

impl Searching {
    pub(super) fn new(stages: &Stages) -> Self {
        Self { block: stages.block(), is_sealed: false }
    }

    /// Takes rows and gives the answers of those who asked.
    pub(super) fn search(&mut self, batches: &[RecordBatch]) -> Result<Table, Error> {
        let failed = |error: std::io::Error| Error::Internal(error.to_string());
        let Self { block, is_sealed } = self;
        let (mut asker, mut other, mut wanted) = (Vec::new(), Vec::new(), Vec::new());
        let mut said = Saying::default();
        for batch in batches {
            let (kinds, of_row) = (small(batch, "kind")?, numbers(batch, "number")?);
            let values = bytes(batch, "bytes")?;
            for row in 0..batch.num_rows() {
                let (number, value) = (of_row.value(row).cast_unsigned(), values.value(row));
                match kinds.value(row) {
                    0 => block.add_image(number, value),
                    1 => Stages::add_lists(&mut **block, value).map_err(failed)?,
                    _ => {
                        if !std::mem::replace(is_sealed, true) {
                            block.seal();
                        }
                        let mut push = |doc: u64, is_wanted: bool| {
                            asker.push(number.cast_signed());
                            other.push(doc.cast_signed());
                            wanted.push(is_wanted);
                        };
                        match block.ask(number, value).map_err(failed)? {
                            Answer::Wanted(docs) => {
                                for doc in docs {
                                    push(doc, true);
                                    let nothing = Stages::unsaid();
                                    said.push(nothing.kind, nothing.scores);
                                }
                            }
                            Answer::Found { partners, .. } => {
                                for (doc, partner) in partners {
                                    push(doc, false);
                                    // The earlier document comes first, and the later one asked.
                                    said.push(partner.kind.flipped(), partner.scores.flipped());
                                }
                            }
                        }
                    }
                }
            }
        }
        let columns = [
            ("asker", long(asker)),
            ("other", long(other)),
            ("wanted", Arc::new(BooleanArray::from(wanted)) as ArrayRef),
        ];
        table(columns.into_iter().chain(said.columns()))
    }
}

/// Packs what a shuffle by codes needs.
pub(super) fn code_parts(
    stages: &Stages,
    batches: &[RecordBatch],
    n_parts: u64,
) -> Result<Table, Error> {
    let pack = |batch| stages.pack_codes(images_of(batch)?, n_parts);
    packed_table(batches.iter().map(pack).collect::<Result<_, _>>()?)
}

/// Finds pairs of tiny and long documents.
pub(super) fn code_pairs(stages: &Stages, batches: &[RecordBatch]) -> Result<Table, Error> {
    let (mut asker, mut other) = (Vec::new(), Vec::new());
    let (mut needed, mut n) = (Vec::new(), Vec::new());
    for pair in stages.part_codes(&packed_of(batches)?)? {
        asker.push(pair.asker.cast_signed());
        other.push(pair.other.cast_signed());
        needed.push(pair.needed.cast_signed());
        n.push(pair.n.cast_signed());
    }
    table([
        ("asker", long(asker)),
        ("other", long(other)),
        ("needed", short(needed)),
        ("n", short(n)),
    ])
}
