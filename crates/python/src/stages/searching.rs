//! Images in, candidates out.

use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::{ArrayRef, BinaryArray, BooleanArray, RecordBatch};
use retold::Error;
use retold::stages::{Answer, CodePart, Shuffled, Stages};

use super::arrow::{Saying, at, bytes, joined, long, numbers, short, small, stretches, table};
use crate::tables::Table;

/// Says that an image is none.
fn no_image() -> Error {
    Error::Internal("there is an image that cannot be read back".to_owned())
}

/// Lists the postings of images.
pub(super) fn postings(stages: &Stages, batches: &[RecordBatch]) -> Result<Table, Error> {
    let (mut key, mut ordinal, mut payload) = (Vec::new(), Vec::new(), Vec::new());
    let mut facts = BinaryBuilder::new();
    for batch in batches {
        let (ordinals, images) = (numbers(batch, "ordinal")?, bytes(batch, "image")?);
        for row in 0..batch.num_rows() {
            let Some(image) = at(images, row) else { continue };
            let start = key.len();
            let own = stages.postings(image, &mut |one, bits| {
                key.push(one.cast_signed());
                ordinal.push(ordinals.value(row));
                payload.push(i64::from(bits));
            });
            let own = own.ok_or_else(no_image)?;
            (start..key.len()).for_each(|_| facts.append_value(&own));
        }
    }
    table([
        ("key", long(key)),
        ("ordinal", long(ordinal)),
        ("payload", long(payload)),
        ("facts", Arc::new(facts.finish()) as ArrayRef),
    ])
}

/// Cuts lists by blocks.
pub(super) fn lists(
    stages: &Stages,
    batches: &[RecordBatch],
    block_docs: u64,
) -> Result<Table, Error> {
    let (mut block, mut key) = (Vec::new(), Vec::new());
    let mut list = BinaryBuilder::new();
    if let Some(batch) = joined(batches)? {
        let (keys, ordinals) = (numbers(&batch, "key")?, numbers(&batch, "ordinal")?);
        let (payloads, facts) = (numbers(&batch, "payload")?, bytes(&batch, "facts")?);
        let mut postings = Vec::new();
        for of_key in stretches(keys).into_iter().filter(|of_key| of_key.len() > 1) {
            let number = keys.value(of_key.start);
            postings.clear();
            postings.extend(of_key.map(|row| Shuffled {
                doc: ordinals.value(row).cast_unsigned(),
                payload: payloads.value(row).cast_unsigned() as u32,
                facts: facts.value(row),
            }));
            postings.dedup();
            stages.put_lists(&postings, block_docs, |of_block, bytes| {
                block.push(of_block.cast_signed());
                key.push(number);
                list.append_value(bytes);
            });
        }
    }
    table([
        ("block", long(block)),
        ("key", long(key)),
        ("list", Arc::new(list.finish()) as ArrayRef),
    ])
}

/// Lets the documents of a block ask.
pub(super) fn search(stages: &Stages, batches: &[RecordBatch]) -> Result<Table, Error> {
    let failed = |error: std::io::Error| Error::Internal(error.to_string());
    let mut block = stages.block();
    let mut is_sealed = false;
    let (mut asker, mut other, mut wanted) = (Vec::new(), Vec::new(), Vec::new());
    let mut said = Saying::default();
    for batch in batches {
        let (kinds, of_row) = (small(batch, "kind")?, numbers(batch, "number")?);
        let values = bytes(batch, "bytes")?;
        for row in 0..batch.num_rows() {
            let (number, value) = (of_row.value(row).cast_unsigned(), values.value(row));
            match kinds.value(row) {
                0 => block.add_image(number, value),
                1 => block.add_list(number, value).map_err(failed)?,
                _ => {
                    if !std::mem::replace(&mut is_sealed, true) {
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

/// Lists what a shuffle by codes needs.
pub(super) fn code_parts(
    stages: &Stages,
    batches: &[RecordBatch],
    n_parts: u64,
) -> Result<Table, Error> {
    let (mut part, mut ordinal, mut code) = (Vec::new(), Vec::new(), Vec::new());
    let mut needed = Vec::new();
    let mut codes: Vec<Option<Vec<u8>>> = Vec::new();
    for batch in batches {
        let (ordinals, images) = (numbers(batch, "ordinal")?, bytes(batch, "image")?);
        for row in 0..batch.num_rows() {
            let Some(image) = at(images, row) else { continue };
            let is_image = stages.code_parts(image, n_parts, &mut |of_part, value| {
                part.push(of_part.cast_signed());
                ordinal.push(ordinals.value(row));
                match value {
                    CodePart::Tiny { code: one, needed: n } => {
                        code.push(one.cast_signed());
                        needed.push(n.cast_signed());
                        codes.push(None);
                    }
                    CodePart::Set(bytes) => {
                        code.push(0);
                        needed.push(0);
                        codes.push(Some(bytes));
                    }
                }
            });
            if !is_image {
                return Err(no_image());
            }
        }
    }
    let codes: Vec<Option<&[u8]>> = codes.iter().map(Option::as_deref).collect();
    table([
        ("part", long(part)),
        ("ordinal", long(ordinal)),
        ("code", long(code)),
        ("needed", short(needed)),
        ("codes", Arc::new(BinaryArray::from(codes)) as ArrayRef),
    ])
}

/// Finds pairs of tiny and long documents.
pub(super) fn code_pairs(stages: &Stages, batches: &[RecordBatch]) -> Result<Table, Error> {
    let (mut asker, mut other) = (Vec::new(), Vec::new());
    let (mut needed, mut n) = (Vec::new(), Vec::new());
    if let Some(batch) = joined(batches)? {
        let (parts, ordinals) = (numbers(&batch, "part")?, numbers(&batch, "ordinal")?);
        let (codes, needs) = (numbers(&batch, "code")?, small(&batch, "needed")?);
        let sets = bytes(&batch, "codes")?;
        for of_part in stretches(parts) {
            let (mut tiny, mut long_sets) = (Vec::new(), Vec::new());
            for row in of_part {
                let ordinal = ordinals.value(row).cast_unsigned();
                match at(sets, row) {
                    Some(set) => long_sets.push((ordinal, set)),
                    None => tiny.push((
                        ordinal,
                        codes.value(row).cast_unsigned(),
                        needs.value(row).cast_unsigned(),
                    )),
                }
            }
            for pair in stages.code_pairs(&tiny, &long_sets)? {
                asker.push(pair.asker.cast_signed());
                other.push(pair.other.cast_signed());
                needed.push(pair.needed.cast_signed());
                n.push(pair.n.cast_signed());
            }
        }
    }
    table([
        ("asker", long(asker)),
        ("other", long(other)),
        ("needed", short(needed)),
        ("n", short(n)),
    ])
}
