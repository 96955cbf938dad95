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

/// A document that meets others: a minimum, the document, and one that has it, too, such that all documents of
/// the minimum hang together through these.
pub type Met = (u64, u64, u64);

/// Returns the part of a key, so that parts are of about the same size however keys are spread.
fn part_of(key: u64, n_parts: u64) -> u64 {
    let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((u128::from(mixed) * u128::from(n_parts)) >> 64) as u64
}

fn unreadable() -> Error {
    Error::Internal("there are bytes that cannot be read back".to_owned())
}

/// Lists of a block on their way.
#[derive(Default)]
struct Piece {
    bytes: Vec<u8>,
    /// Documents that those who ask these lists have to look at.
    work: u64,
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
    /// it. Hands over blocks and pieces of their lists, for [`Stages::add_lists`], each with the work that
    /// it makes: how many documents those who ask have to look at.
    pub fn part_lists(
        &self,
        packed: &[&[u8]],
        block_docs: u64,
        mut each: impl FnMut(u64, &[u8], u64),
    ) -> Result<(), Error> {
        let mut postings: Vec<(u64, Shuffled<'_>)> = Vec::new();
        unpack(packed, |doc, facts, input| {
            let (key, payload) = (input.number()?, u32::try_from(input.number()?).ok()?);
            postings.push((key, Shuffled { doc, payload, facts }));
            Some(())
        })?;
        postings.sort_unstable_by_key(|(key, one)| (*key, one.doc, one.payload));
        postings.dedup();
        let (mut pieces, mut n_held) = (BTreeMap::<u64, Piece>::new(), 0);
        let (mut list, mut full) = (Vec::new(), Vec::new());
        for of_key in postings.chunk_by(|x, y| x.0 == y.0).filter(|of_key| of_key.len() > 1) {
            list.clear();
            list.extend(of_key.iter().map(|posting| posting.1));
            self.put_lists(&list, block_docs, |block, bytes| {
                let piece = pieces.entry(block).or_default();
                let n_before = piece.bytes.len();
                put_number(of_key[0].0, &mut piece.bytes);
                put_number(bytes.len() as u64, &mut piece.bytes);
                piece.bytes.extend_from_slice(bytes);
                n_held += piece.bytes.len() - n_before;
                if piece.bytes.len() >= PIECE_BYTES {
                    full.push(block);
                }
            });
            self.work(&list, |doc, work| {
                if let Some(piece) = pieces.get_mut(&(doc / block_docs)) {
                    piece.work += work;
                }
            });
            for piece in full.drain(..).map(|block| (block, pieces.remove(&block))) {
                if let (block, Some(Piece { bytes, work })) = piece {
                    each(block, &bytes, work);
                    n_held -= bytes.len();
                }
            }
            if n_held >= HELD_BYTES {
                for (&block, piece) in pieces.iter().filter(|(_, piece)| !piece.bytes.is_empty()) {
                    each(block, &piece.bytes, piece.work);
                }
                (pieces, n_held) = (BTreeMap::new(), 0);
            }
        }
        for (&block, piece) in pieces.iter().filter(|(_, piece)| !piece.bytes.is_empty()) {
            each(block, &piece.bytes, piece.work);
        }
        Ok(())
    }

    /// Says of each document that asks a list how many it has to look at: those before it, or as good as
    /// none if the list is common for it.
    fn work(&self, list: &[Shuffled<'_>], mut each: impl FnMut(u64, u64)) {
        let n_first = self.detector.n_first() as u64;
        let mut n_before = 0;
        for posting in list {
            let (holds, asks) = self.detector.holds_and_asks(posting.payload);
            if asks {
                each(posting.doc, if n_before <= n_first { n_before } else { 1 });
            }
            n_before += u64::from(holds);
        }
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
    ///
    /// Of a minimum that many of these documents have, its part gets only the first of them; the others are
    /// dealt to all parts, so that no part gets all documents that share something.
    pub fn pack_minima<'i>(
        &self,
        images: impl Iterator<Item = (u64, &'i [u8])>,
        n_parts: u64,
    ) -> Packed {
        let of_docs = images.map(|(doc, image)| (doc, self.minima(image)));
        packed_minima(of_docs.collect(), n_parts)
    }

    /// Lists the minima of a part that more than [`MOST_IN_FULL`] documents have, with these documents, and
    /// the others that were dealt to the part. The third of each is another document that has the minimum, or
    /// the document itself.
    pub fn part_minima(&self, packed: &[&[u8]]) -> Result<Vec<Met>, Error> {
        met_in_part(packed)
    }
}

/// What stands before minima, or documents, where some documents are packed.
const ONE: &[u8] = &[];
const FIRST_OF_MANY: &[u8] = &[1];
const OTHERS: u8 = 2;

/// Documents of a minimum that go to a part together.
const DEALT: usize = 512;

fn packed_minima(of_docs: Vec<(u64, Vec<u64>)>, n_parts: u64) -> Packed {
    let mut all: Vec<(u64, u64)> = of_docs
        .iter()
        .flat_map(|(doc, minima)| minima.iter().map(|&minimum| (minimum, *doc)))
        .collect();
    all.sort_unstable();
    all.dedup();
    let large: Vec<&[(u64, u64)]> =
        all.chunk_by(|x, y| x.0 == y.0).filter(|same| same.len() > MOST_IN_FULL).collect();
    let mut packing = Packing::default();
    for (doc, mut minima) in of_docs {
        minima.retain(|minimum| large.binary_search_by_key(minimum, |same| same[0].0).is_err());
        let mut minima: Vec<(u64, u64)> =
            minima.into_iter().map(|minimum| (part_of(minimum, n_parts), minimum)).collect();
        minima.sort_unstable();
        packing.push(doc, ONE, &minima, |&minimum, out| put_number(minimum, out));
    }
    for same in large {
        let (minimum, first) = same[0];
        let part = part_of(minimum, n_parts);
        packing.push(first, FIRST_OF_MANY, &[(part, minimum)], |&minimum, out| {
            put_number(minimum, out);
        });
        let mut facts = vec![OTHERS];
        put_number(minimum, &mut facts);
        for (at, others) in (0..).zip(same[1..].chunks(DEALT)) {
            let part = (part + at) % n_parts;
            let others: Vec<(u64, u64)> = others.iter().map(|&(_, doc)| (part, doc)).collect();
            packing.push(first, &facts, &others, |&doc, out| put_number(doc, out));
        }
    }
    packing.finish()
}

fn met_in_part(packed: &[&[u8]]) -> Result<Vec<Met>, Error> {
    let (mut minima, mut met) = (Vec::new(), Vec::new());
    unpack(packed, |doc, facts, input| {
        if let [OTHERS, minimum @ ..] = facts {
            met.push((Input::new(minimum).number()?, input.number()?, doc));
        } else {
            minima.push((input.number()?, doc, facts == FIRST_OF_MANY));
        }
        Some(())
    })?;
    minima.sort_unstable();
    let large = minima.chunk_by(|x, y| x.0 == y.0).filter(|same| {
        same.len() > MOST_IN_FULL || same.iter().any(|&(_, _, is_of_many)| is_of_many)
    });
    met.extend(
        large.flat_map(|same| same.iter().map(|&(minimum, doc, _)| (minimum, doc, same[0].1))),
    );
    Ok(met)
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
    fn documents_of_a_common_minimum_are_dealt_to_all_parts() {
        let n_parts = 4;
        // All have 7 in common, each two another one, and 40 of them, of two batches, a third one.
        let minima = |doc: u64| {
            let mut minima = vec![7, 1_000 + doc / 2];
            minima.extend((doc % 100 == 99).then_some(3));
            (doc, minima)
        };
        let batches = [0..2_000, 2_000..4_000];
        let packed: Vec<Packed> =
            batches.map(|docs| packed_minima(docs.map(minima).collect(), n_parts)).into();
        let mut met = Vec::new();
        for part in 0..n_parts {
            let of_part = packed.iter().flatten().filter(|packed| packed.0 == part);
            let bytes: Vec<&[u8]> = of_part.map(|packed| &packed.1[..]).collect();
            let of_part = met_in_part(&bytes).unwrap();
            assert!((500..1_600).contains(&of_part.len()), "{}", of_part.len());
            met.extend(of_part);
        }
        met.sort_unstable();
        let expected = (0..40).map(|n| (3, 100 * n + 99)).chain((0..4_000).map(|doc| (7, doc)));
        assert!(met.iter().map(|&(minimum, doc, _)| (minimum, doc)).eq(expected));
        // Through the third they all hang together.
        let pairs: Vec<(i64, i64)> = met
            .iter()
            .filter(|met| met.0 == 7)
            .map(|&(_, doc, other)| (doc.cast_signed(), other.cast_signed()))
            .collect();
        assert_eq!(
            super::super::forest(&pairs).iter().filter(|rooted| rooted.1 == 0).count(),
            3_999
        );
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
