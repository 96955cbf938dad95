//! What goes from images to keys and codes, packed by parts of all keys.
//!
//! A row costs a shuffle more than the few bytes of a posting, and a document has tens to thousands of them.
//! So the documents of a batch together hand over one row for each part: all that they have in it. A part is put
//! together again in one place ([`Stages::part_lists`], [`Stages::part_codes`], [`Stages::part_minima`]), where
//! it has to fit in memory; whoever chooses the number of parts sees to that. The lists of a block travel
//! in pieces of some kilobytes likewise.

use std::collections::BTreeMap;
use std::io;

use retold_core::candidates::block::{BlockSearch, CodePair, CodePart, Shuffled};
use retold_core::encode::{Input, put_number};

use super::{MOST_IN_FULL, Stages};
use crate::error::Error;

/// Bytes from which on a piece of a block's lists is handed over.
const PIECE_BYTES: usize = 16 << 10;
/// Bytes of all pieces that are held until then.
const HELD_BYTES: usize = 64 << 20;

/// Rows on their way: of each part what some documents have in it.
pub type Packed = Vec<(u64, Vec<u8>)>;

/// A document that meets others: a minimum, the document, and the first document that has the minimum.
pub type Met = (u64, u64, u64);

/// Returns the part of a key, so that parts are of about the same size however keys are spread.
fn part_of(key: u64, n_parts: u64) -> u64 {
    let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((u128::from(mixed) * u128::from(n_parts)) >> 64) as u64
}

fn unreadable() -> Error {
    Error::Internal("there are bytes that cannot be read back".to_owned())
}

/// Parts that are being filled.
#[derive(Default)]
struct Packing(BTreeMap<u64, Vec<u8>>);

impl Packing {
    /// Writes the values of a document, sorted, by their parts: a document, its facts and the values in the part.
    fn push<T>(
        &mut self,
        doc: u64,
        facts: &[u8],
        values: &[(u64, T)],
        mut put: impl FnMut(&T, &mut Vec<u8>),
    ) {
        for of_part in values.chunk_by(|x, y| x.0 == y.0) {
            let out = self.0.entry(of_part[0].0).or_default();
            put_number(doc, out);
            put_number(facts.len() as u64, out);
            out.extend_from_slice(facts);
            put_number(of_part.len() as u64, out);
            for (_, value) in of_part {
                put(value, out);
            }
        }
    }

    fn finish(self) -> Packed {
        self.0.into_iter().collect()
    }
}

/// Reads what [`Packing`] wrote: hands over each value with its document and the facts.
fn unpack<'b>(
    packed: &[&'b [u8]],
    mut each: impl FnMut(u64, &'b [u8], &mut Input<'b>) -> Option<()>,
) -> Result<(), Error> {
    let mut read = |bytes: &'b [u8]| {
        let mut input = Input::new(bytes);
        while !input.is_empty() {
            let doc = input.number()?;
            let n = input.count()?;
            let facts = input.take(n)?;
            for _ in 0..input.count()? {
                each(doc, facts, &mut input)?;
            }
        }
        Some(())
    };
    packed.iter().try_for_each(|&bytes| read(bytes)).ok_or_else(unreadable)
}

impl Stages {
    /// Packs the postings of images, which come with the numbers of their documents, into so many parts.
    ///
    /// *Errors* if there is an image that is none.
    pub fn pack_postings<'i>(
        &self,
        images: impl Iterator<Item = (u64, &'i [u8])>,
        n_parts: u64,
    ) -> Result<Packed, Error> {
        let mut packing = Packing::default();
        let mut postings = Vec::new();
        for (doc, image) in images {
            postings.clear();
            let facts = self.postings(image, &mut |key, payload| {
                postings.push((part_of(key, n_parts), (key, payload)));
            });
            let facts = facts.ok_or_else(unreadable)?;
            postings.sort_unstable();
            packing.push(doc, &facts, &postings, |&(key, payload), out| {
                put_number(key, out);
                put_number(u64::from(payload), out);
            });
        }
        Ok(packing.finish())
    }

    /// Returns how many postings an image has.
    pub fn n_postings(&self, image: &[u8]) -> u64 {
        let mut n = 0;
        self.postings(image, &mut |_, _| n += 1);
        n
    }

    /// Puts the postings of a part together and cuts the list of each key for the blocks of those that ask
    /// it. Hands over blocks and pieces of their lists, for [`Stages::add_lists`].
    pub fn part_lists(
        &self,
        packed: &[&[u8]],
        block_docs: u64,
        mut each: impl FnMut(u64, &[u8]),
    ) -> Result<(), Error> {
        let mut postings: Vec<(u64, Shuffled<'_>)> = Vec::new();
        unpack(packed, |doc, facts, input| {
            let (key, payload) = (input.number()?, u32::try_from(input.number()?).ok()?);
            postings.push((key, Shuffled { doc, payload, facts }));
            Some(())
        })?;
        postings.sort_unstable_by_key(|(key, one)| (*key, one.doc, one.payload));
        postings.dedup();
        let (mut pieces, mut n_held) = (BTreeMap::<u64, Vec<u8>>::new(), 0);
        let mut list = Vec::new();
        for of_key in postings.chunk_by(|x, y| x.0 == y.0).filter(|of_key| of_key.len() > 1) {
            list.clear();
            list.extend(of_key.iter().map(|posting| posting.1));
            self.put_lists(&list, block_docs, |block, bytes| {
                let piece = pieces.entry(block).or_default();
                let n_before = piece.len();
                put_number(of_key[0].0, piece);
                put_number(bytes.len() as u64, piece);
                piece.extend_from_slice(bytes);
                n_held += piece.len() - n_before;
                if piece.len() >= PIECE_BYTES {
                    each(block, piece);
                    n_held -= piece.len();
                    piece.clear();
                }
            });
            if n_held >= HELD_BYTES {
                for (&block, piece) in pieces.iter().filter(|(_, piece)| !piece.is_empty()) {
                    each(block, piece);
                }
                (pieces, n_held) = (BTreeMap::new(), 0);
            }
        }
        for (&block, piece) in pieces.iter().filter(|(_, piece)| !piece.is_empty()) {
            each(block, piece);
        }
        Ok(())
    }

    /// Gives a block a piece of its lists.
    ///
    /// *Errors* if the bytes are none.
    pub fn add_lists(block: &mut dyn BlockSearch, piece: &[u8]) -> io::Result<()> {
        let bad = || io::Error::new(io::ErrorKind::InvalidData, "lists cannot be read back");
        let mut input = Input::new(piece);
        while !input.is_empty() {
            let key = input.number().ok_or_else(bad)?;
            let n = input.count().ok_or_else(bad)?;
            block.add_list(key, input.take(n).ok_or_else(bad)?)?;
        }
        Ok(())
    }

    /// Packs what is needed to find tiny documents by codes. The number of parts is rounded, as
    /// [`n_code_parts`](Self::n_code_parts) says.
    ///
    /// *Errors* if there is an image that is none.
    pub fn pack_codes<'i>(
        &self,
        images: impl Iterator<Item = (u64, &'i [u8])>,
        n_parts: u64,
    ) -> Result<Packed, Error> {
        let mut packing = Packing::default();
        for (doc, image) in images {
            let mut values = Vec::new();
            let is_image =
                self.code_parts(image, n_parts, &mut |part, value| values.push((part, value)));
            if !is_image {
                return Err(unreadable());
            }
            values.sort_by_key(|value| value.0);
            packing.push(doc, &[], &values, |value, out| match value {
                CodePart::Tiny { code, needed } => {
                    put_number(0, out);
                    put_number(*code, out);
                    put_number(u64::from(*needed), out);
                }
                CodePart::Set(set) => {
                    put_number(1, out);
                    put_number(set.len() as u64, out);
                    out.extend_from_slice(set);
                }
            });
        }
        Ok(packing.finish())
    }

    /// Finds the pairs of tiny and long documents in a part of all codes.
    pub fn part_codes(&self, packed: &[&[u8]]) -> Result<Vec<CodePair>, Error> {
        let (mut tiny, mut sets) = (Vec::new(), Vec::new());
        unpack(packed, |doc, _, input| {
            if input.number()? == 0 {
                tiny.push((doc, input.number()?, u32::try_from(input.number()?).ok()?));
            } else {
                let n = input.count()?;
                sets.push((doc, input.take(n)?));
            }
            Some(())
        })?;
        self.code_pairs(&tiny, &sets)
    }

    /// Packs the minima by which documents that are nearly the same meet.
    pub fn pack_minima<'i>(
        &self,
        images: impl Iterator<Item = (u64, &'i [u8])>,
        n_parts: u64,
    ) -> Packed {
        let mut packing = Packing::default();
        for (doc, image) in images {
            let minima = self.minima(image).into_iter();
            let mut minima: Vec<(u64, u64)> =
                minima.map(|minimum| (part_of(minimum, n_parts), minimum)).collect();
            minima.sort_unstable();
            packing.push(doc, &[], &minima, |&minimum, out| put_number(minimum, out));
        }
        packing.finish()
    }

    /// Lists the minima of a part that more than [`MOST_IN_FULL`] documents have, with these documents.
    pub fn part_minima(&self, packed: &[&[u8]]) -> Result<Vec<Met>, Error> {
        let mut minima = Vec::new();
        unpack(packed, |doc, _, input| {
            minima.push((input.number()?, doc));
            Some(())
        })?;
        minima.sort_unstable();
        let large = minima.chunk_by(|x, y| x.0 == y.0).filter(|same| same.len() > MOST_IN_FULL);
        Ok(large
            .flat_map(|same| same.iter().map(|&(minimum, doc)| (minimum, doc, same[0].1)))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_of_about_the_same_size() {
        for n_parts in [1, 3, 8, 200] {
            let mut sizes = vec![0; n_parts as usize];
            // Keys of 40 bits that follow each other, and small ones.
            for key in (0..40_000).map(|n| n << 16 | 5).chain(0..40_000) {
                sizes[part_of(key, n_parts) as usize] += 1;
            }
            let fair = 80_000 / n_parts;
            assert!(sizes.iter().all(|&n| n > fair / 2 && n < fair * 2), "{n_parts}: {sizes:?}");
        }
    }

    #[test]
    fn what_is_packed_comes_back_by_part() {
        let mut packing = Packing::default();
        packing.push(7, b"ab", &[(0, 1), (0, 2), (3, 300)], |&value, out| put_number(value, out));
        packing.push(9, b"", &[(3, 5)], |&value, out| put_number(value, out));
        let packed = packing.finish();
        assert_eq!(packed.iter().map(|part| part.0).collect::<Vec<_>>(), [0, 3]);
        let mut found = Vec::new();
        let all: Vec<&[u8]> = packed.iter().map(|part| &part.1[..]).collect();
        let read = unpack(&all, |doc, facts, input| {
            found.push((doc, facts.len(), input.number()?));
            Some(())
        });
        read.unwrap();
        assert_eq!(found, [(7, 2, 1), (7, 2, 2), (7, 2, 300), (9, 0, 5)]);
        let cut = &all[1][..all[1].len() - 1];
        assert!(unpack(&[cut], |_, _, input| input.number().map(|_| ())).is_err());
    }
}
