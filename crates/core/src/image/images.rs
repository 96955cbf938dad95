//! The images of a collection, one behind the other, in memory or on scratch.

use std::collections::BTreeMap;
use std::io;

use crate::document::Ordinal;
use crate::encode::{Encoded, from_bytes};
use crate::scratch::{Log, Scratch};

/// Returns the bytes of an image that one search is about; none if it has nothing for that search.
pub(crate) type PartOfImage = fn(&[u8]) -> &[u8];

/// The whole image.
pub(crate) fn whole(image: &[u8]) -> &[u8] {
    image
}

/// Encoded images by ordinal. Documents without one (too short, or copies) may lie between.
#[derive(Debug)]
pub struct Images {
    log: Log,
    /// Where the image of each document ends; that of a document without one ends where it starts.
    ends: Vec<u64>,
    len: usize,
    /// Images that took the place of others; `None` where there is none any more.
    replaced: BTreeMap<u32, Option<Box<[u8]>>>,
}

impl Images {
    /// Makes an empty collection that keeps at most about `most_bytes` in memory.
    pub fn new(most_bytes: usize) -> Self {
        Self { log: Log::new(most_bytes), ends: Vec::new(), len: 0, replaced: BTreeMap::new() }
    }

    /// Adds an image; ordinals only grow.
    pub fn push(
        &mut self,
        ordinal: Ordinal,
        image: &[u8],
        scratch: &dyn Scratch,
    ) -> io::Result<()> {
        debug_assert!(ordinal.index() >= self.ends.len(), "ordinals only grow");
        debug_assert!(!image.is_empty(), "an image has at least one byte");
        let at = self.log.push(image, scratch)?;
        self.ends.resize(ordinal.index(), at);
        self.ends.push(at + image.len() as u64);
        self.len += 1;
        Ok(())
    }

    /// Puts another image in the place of a document's, or none.
    pub fn replace(&mut self, ordinal: Ordinal, image: Option<Box<[u8]>>) {
        self.replaced.insert(ordinal.0, image);
    }

    /// Returns one more than the last ordinal that has an image.
    pub fn n_ordinals(&self) -> usize {
        self.ends.len()
    }

    /// Returns the number of images.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no images.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the number of bytes of all images.
    pub fn n_bytes(&self) -> u64 {
        self.log.len()
    }

    /// Reads the image of a document into `bytes`; false if it has none.
    pub fn read(&self, ordinal: Ordinal, bytes: &mut Vec<u8>) -> io::Result<bool> {
        if let Some(replaced) = self.replaced.get(&ordinal.0) {
            bytes.clear();
            bytes.extend_from_slice(replaced.as_deref().unwrap_or_default());
            return Ok(replaced.is_some());
        }
        let Some(&end) = self.ends.get(ordinal.index()) else { return Ok(false) };
        let start = ordinal.index().checked_sub(1).map_or(0, |before| self.ends[before]);
        if start == end {
            return Ok(false);
        }
        self.log.read(start, (end - start) as usize, bytes)?;
        Ok(true)
    }

    /// Reads and decodes one part of the image of a document, if it has it; `bytes` is room to work in.
    pub(crate) fn decode<T: Encoded>(
        &self,
        ordinal: Ordinal,
        part: PartOfImage,
        bytes: &mut Vec<u8>,
    ) -> io::Result<Option<T>> {
        if !self.read(ordinal, bytes)? {
            return Ok(None);
        }
        let part = part(bytes);
        if part.is_empty() {
            return Ok(None);
        }
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "an image cannot be read back");
        from_bytes(part).map(Some).ok_or_else(damaged)
    }

    /// Returns the number of bytes held in memory.
    pub fn held_bytes(&self) -> usize {
        self.log.held_bytes() + self.ends.capacity() * 8
    }
}
