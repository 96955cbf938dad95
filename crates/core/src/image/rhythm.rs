//! Rhythm: how long the sentences of a document are, and how rare each stretch of them is.

use crate::encode::{Encoded, Input, put_number};
use crate::features::counts::Counts;
use crate::features::length_windows::Windows;

/// The lengths of a document's sentences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rhythm {
    lengths: Vec<u32>,
    /// Documents of the collection; 0 if all windows weigh the same.
    n_documents: u64,
    /// For every window in order, how many documents of the collection hold it.
    dfs: Vec<u32>,
}

impl Rhythm {
    /// Makes the image of a document. With the statistics of a collection, windows weigh by how
    /// rare they are there.
    pub fn new(lengths: Vec<u32>, windows: Windows, counts: Option<&Counts>) -> Self {
        let Some(counts) = counts else {
            return Self { lengths, n_documents: 0, dfs: Vec::new() };
        };
        let sliding = windows.sliding();
        let starts = sliding.starts(&lengths);
        let dfs = starts.map(|start| counts.df(sliding.key(&lengths, start))).collect();
        Self { lengths, n_documents: counts.n_documents(), dfs }
    }

    /// Returns the number of words of each sentence.
    pub fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    /// Returns what the window at a place weighs: ln(N / n), where n of the N documents hold it,
    /// or 1 without statistics. A window that nobody holds counts as if one document did. Never
    /// below 0.
    pub fn weight(&self, place: usize) -> f64 {
        match self.dfs.get(place) {
            None => 1.0,
            Some(&df) => (self.n_documents as f64 / f64::from(df.max(1))).ln().max(0.0),
        }
    }
}

impl Encoded for Rhythm {
    fn encode(&self, out: &mut Vec<u8>) {
        let Self { lengths, n_documents, dfs } = self;
        lengths.encode(out);
        put_number(*n_documents, out);
        dfs.encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Option<Self> {
        let (lengths, n_documents) = (Vec::decode(input)?, input.number()?);
        let dfs: Vec<u32> = Vec::decode(input)?;
        (dfs.len() <= lengths.len()).then_some(Self { lengths, n_documents, dfs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::{from_bytes, to_bytes};
    use crate::features::length_windows::Jumping;

    #[test]
    fn windows_weigh_by_how_rare_they_are() {
        let windows = Windows { size: 1, step: 1, jumping: Jumping::Static };
        let key = |length: u32| windows.key(&[length], 0);
        // T-SCO: df 10, 100, 0 and 1 of 1000.
        let counts = Counts::new(1000, [(key(1), 10), (key(2), 100), (key(4), 1)]);
        let rhythm = Rhythm::new(vec![1, 2, 3, 4], windows, Some(&counts));
        let weights = [0, 1, 2, 3].map(|place| format!("{:.4}", rhythm.weight(place)));
        assert_eq!(weights, ["4.6052", "2.3026", "6.9078", "6.9078"]);
        assert_eq!(from_bytes(&to_bytes(&rhythm)), Some(rhythm));
        let plain = Rhythm::new(vec![7, 300, 0], windows, None);
        assert!((plain.weight(1) - 1.0).abs() < f64::EPSILON);
        assert_eq!(from_bytes(&to_bytes(&plain)), Some(plain));
    }
}
