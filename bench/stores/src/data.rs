//! Random postings, the same in every run.

use retold_core::hash::{Random, mix};

/// Keys of a document.
const N_KEYS: usize = 100;

/// A document with its keys, ascending and each once.
pub struct Document {
    pub number: u32,
    pub keys: Vec<u64>,
}

/// Documents with random keys.
pub struct Data {
    n_documents: usize,
    /// Documents of a batch.
    n_batch: usize,
    key_bits: u32,
}

impl Data {
    /// Documents of so many postings, in batches of so many.
    pub fn new(n_postings: usize, n_batch: usize, key_bits: u32) -> Self {
        let n_batch = (n_batch / N_KEYS).max(1);
        Self { n_documents: (n_postings / N_KEYS).max(1), n_batch, key_bits }
    }

    pub fn n_documents(&self) -> usize {
        self.n_documents
    }

    pub fn n_postings(&self) -> usize {
        self.n_documents * N_KEYS
    }

    /// Returns the postings of a batch.
    pub fn n_batch(&self) -> usize {
        self.n_batch * N_KEYS
    }

    fn document(&self, number: usize) -> Document {
        let mut random = Random::new(mix(number as u64));
        let mut keys: Vec<u64> =
            (0..N_KEYS).map(|_| random.next_u64() >> (64 - self.key_bits)).collect();
        keys.sort_unstable();
        keys.dedup();
        Document { number: number as u32, keys }
    }

    /// Iterates over all documents in batches.
    pub fn batches(&self) -> impl Iterator<Item = Vec<Document>> + '_ {
        (0..self.n_documents).step_by(self.n_batch).map(|first| {
            let end = (first + self.n_batch).min(self.n_documents);
            (first..end).map(|number| self.document(number)).collect()
        })
    }

    /// Returns keys of documents taken at random.
    pub fn some_keys(&self, n: usize) -> Vec<u64> {
        let mut random = Random::new(20_070_101);
        (0..n)
            .map(|_| {
                let keys = self.document(random.below(self.n_documents)).keys;
                keys[random.below(keys.len())]
            })
            .collect()
    }
}

/// Adds an answer to a sum that does not depend on the order of answers.
pub fn add(sum: u64, key: u64, document: u32) -> u64 {
    sum.wrapping_add(mix(key ^ mix(u64::from(document))))
}
