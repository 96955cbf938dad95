//! Statistics of a collection: in how many documents each feature stands.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::encode::{FORMAT, Input, put_number};
use crate::hash::{self, Prehashed};

/// Bytes of statistics that are handed over at a time, about.
const PIECE_BYTES: usize = 1 << 16;

/// Document frequencies. Features are hashes: of words, unless a method counts something else.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    n_documents: u64,
    by_feature: HashMap<u64, u32, Prehashed>,
    /// Computed when it is asked for, and forgotten when something is added.
    fingerprint: OnceLock<u64>,
}

impl PartialEq for Counts {
    fn eq(&self, other: &Self) -> bool {
        (self.n_documents, &self.by_feature) == (other.n_documents, &other.by_feature)
    }
}

impl Eq for Counts {}

impl Counts {
    /// Makes statistics of `n_documents` documents from features and the number of documents each
    /// stands in.
    pub fn new(n_documents: u64, features: impl IntoIterator<Item = (u64, u32)>) -> Self {
        let by_feature = features.into_iter().collect();
        Self { n_documents, by_feature, fingerprint: OnceLock::new() }
    }

    /// Adds a document by its features, each once.
    pub fn add(&mut self, features: impl IntoIterator<Item = u64>) {
        self.fingerprint.take();
        self.n_documents += 1;
        for feature in features {
            *self.by_feature.entry(feature).or_default() += 1;
        }
    }

    /// Adds the documents of another collection.
    pub fn merge(&mut self, other: Self) {
        self.fingerprint.take();
        self.n_documents += other.n_documents;
        #[expect(clippy::iter_over_hash_type, reason = "a sum does not depend on the order")]
        for (feature, n) in other.by_feature {
            *self.by_feature.entry(feature).or_default() += n;
        }
    }

    /// Returns the number of documents.
    pub fn n_documents(&self) -> u64 {
        self.n_documents
    }

    /// Returns the number of different features.
    pub fn len(&self) -> usize {
        self.by_feature.len()
    }

    /// Returns whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.by_feature.is_empty()
    }

    /// Returns the number of documents a feature stands in.
    pub fn df(&self, feature: u64) -> u32 {
        self.by_feature.get(&feature).copied().unwrap_or(0)
    }

    /// Returns ln(N / n), where n of the N documents hold the feature; a feature nobody has
    /// counts as if one had it. Never below 0, also if no document was counted.
    ///
    /// ```
    /// use retold_core::features::counts::Counts;
    /// let mut counts = Counts::default();
    /// counts.add([1, 2]);
    /// counts.add([1]);
    /// assert_eq!(counts.idf(1), 0.0);
    /// assert_eq!(counts.idf(2), 2f64.ln());
    /// assert_eq!(counts.idf(3), 2f64.ln());
    /// ```
    pub fn idf(&self, feature: u64) -> f64 {
        let n = f64::from(self.df(feature).max(1));
        (self.n_documents as f64 / n).ln().max(0.0)
    }

    /// Returns all features with their document frequencies, by feature.
    pub fn iter_sorted(&self) -> Vec<(u64, u32)> {
        let mut all: Vec<(u64, u32)> = self.by_feature.iter().map(|(&f, &n)| (f, n)).collect();
        all.sort_unstable();
        all
    }

    /// Returns a number that equal statistics share, whatever the order of counting.
    pub fn fingerprint(&self) -> u64 {
        *self.fingerprint.get_or_init(|| {
            let features = self.by_feature.iter();
            let sum = features.fold(0u64, |sum, (&feature, &n)| {
                sum.wrapping_add(hash::mix(feature ^ hash::mix(u64::from(n))))
            });
            hash::mix(sum ^ hash::mix(self.n_documents))
        })
    }

    /// Hands over bytes from which [`read_from`](Self::read_from) makes it again, piece by piece.
    pub fn write_to<E>(&self, mut put: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let mut piece = vec![FORMAT];
        put_number(self.n_documents, &mut piece);
        put_number(self.by_feature.len() as u64, &mut piece);
        let mut last = 0;
        for (feature, n) in self.iter_sorted() {
            put_number(feature - last, &mut piece);
            put_number(u64::from(n), &mut piece);
            last = feature;
            if piece.len() >= PIECE_BYTES {
                put(&piece)?;
                piece.clear();
            }
        }
        put(&piece)
    }

    /// Reads back what [`write_to`](Self::write_to) wrote; `None` if it is something else. `more` adds
    /// the next bytes, in pieces of any size, and returns `false` when none are left.
    pub fn read_from<E>(
        more: impl FnMut(&mut Vec<u8>) -> Result<bool, E>,
    ) -> Result<Option<Self>, E> {
        let mut numbers = Numbers { more, held: Vec::new(), at: 0 };
        let head = (numbers.next()?, numbers.next()?, numbers.next()?);
        let (Some(format), Some(n_documents), Some(n)) = head else { return Ok(None) };
        if format != u64::from(FORMAT) {
            return Ok(None);
        }
        // Memory for what is there, not for what the number says.
        let room = n.min(1 << 16) as usize;
        let mut by_feature = HashMap::with_capacity_and_hasher(room, Prehashed);
        let mut feature = 0u64;
        for _ in 0..n {
            let both = (numbers.next()?, numbers.next()?);
            let (Some(distance), Some(n)) = both else { return Ok(None) };
            let both = (feature.checked_add(distance), u32::try_from(n));
            let (Some(next), Ok(n)) = both else { return Ok(None) };
            feature = next;
            by_feature.insert(feature, n);
        }
        let is_end = numbers.next()?.is_none() && numbers.at == numbers.held.len();
        let counts = Self { n_documents, by_feature, fingerprint: OnceLock::new() };
        Ok((is_end && counts.len() as u64 == n).then_some(counts))
    }

    /// Returns the number of bytes held, about.
    pub fn held_bytes(&self) -> usize {
        self.by_feature.capacity() * 17
    }
}

/// Reads numbers from bytes that come in pieces.
struct Numbers<F> {
    /// Adds the next piece; `false` when there is none.
    more: F,
    held: Vec<u8>,
    at: usize,
}

impl<F> Numbers<F> {
    /// Returns the next number; `None` if there is no whole one.
    fn next<E>(&mut self) -> Result<Option<u64>, E>
    where
        F: FnMut(&mut Vec<u8>) -> Result<bool, E>,
    {
        // No number takes more bytes.
        while self.held.len() - self.at < 10 {
            self.held.drain(..self.at);
            self.at = 0;
            if !(self.more)(&mut self.held)? {
                break;
            }
        }
        let mut input = Input::new(&self.held[self.at..]);
        let number = input.number();
        self.at = self.held.len() - input.len();
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_equals_counting_together() {
        let documents: [&[u64]; 3] = [&[1, 2, 3], &[2, 3], &[3, 9]];
        let mut together = Counts::default();
        for document in documents {
            together.add(document.iter().copied());
        }
        let mut parts = Counts::default();
        for document in documents {
            let mut one = Counts::default();
            one.add(document.iter().copied());
            parts.merge(one);
        }
        assert_eq!(together, parts);
        assert_eq!(together.iter_sorted(), [(1, 1), (2, 2), (3, 3), (9, 1)]);
    }

    fn written(counts: &Counts) -> Vec<u8> {
        let mut bytes = Vec::new();
        let put = |piece: &[u8]| {
            bytes.extend_from_slice(piece);
            Ok::<(), ()>(())
        };
        counts.write_to(put).expect("memory takes it");
        bytes
    }

    fn read(bytes: &[u8], piece: usize) -> Option<Counts> {
        let mut pieces = bytes.chunks(piece);
        let more = |out: &mut Vec<u8>| {
            let piece = pieces.next();
            out.extend_from_slice(piece.unwrap_or_default());
            Ok::<bool, ()>(piece.is_some())
        };
        Counts::read_from(more).expect("memory gives it")
    }

    #[test]
    fn statistics_come_back_from_pieces_of_any_size() {
        let mut random = hash::Random::new(5);
        let mut features = |n: usize| -> Vec<(u64, u32)> {
            (0..n).map(|_| (random.next_u64(), random.below(300) as u32)).collect()
        };
        let few = Counts::new(9, features(3).into_iter().chain([(0, 1), (u64::MAX, u32::MAX)]));
        let many = Counts::new(u64::MAX, features(30_000));
        for counts in [Counts::default(), few, many] {
            let bytes = written(&counts);
            for piece in [1, 7, 4096, usize::MAX] {
                assert_eq!(read(&bytes, piece).as_ref(), Some(&counts), "in pieces of {piece}");
            }
            if counts.len() < 10 {
                for len in 0..bytes.len() {
                    assert_eq!(read(&bytes[..len], 3), None, "cut to {len}");
                }
            }
            assert_eq!(read(&[&bytes[..], &[0]].concat(), 5), None, "with a tail");
        }
        assert_eq!(read(&[2, 0, 0], 5), None, "another format");
        assert_eq!(read(&[1, 1, 2, 5, 1, 0, 1], 5), None, "a feature twice");
    }

    #[test]
    fn the_fingerprint_follows_what_is_added() {
        let mut counts = Counts::default();
        counts.add([1, 2]);
        let before = counts.fingerprint();
        counts.add([2]);
        assert_ne!(counts.fingerprint(), before);
        assert_eq!(counts.fingerprint(), Counts::new(2, [(1, 1), (2, 2)]).fingerprint());
    }

    #[test]
    fn nothing_counted_gives_zero_weights_and_no_nan() {
        assert!(Counts::default().idf(7).abs() < f64::EPSILON);
    }
}
