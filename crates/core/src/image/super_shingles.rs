//! Super shingles: shingles of the sorted shingles of a document.
//!
//! A document's kept codes are sorted and shingled again; two documents with one of these in
//! common share a whole run of codes, which is likely only if they resemble each other closely.

use crate::features::shingles::Shingles;

/// Returns the super shingles of a document's codes: of every `size` neighbours in the order of
/// the codes, each different code once. Fewer than `size` codes have none.
///
/// ```
/// use retold_core::image::super_shingles::super_shingles;
/// assert_eq!(super_shingles(vec![9, 2, 7, 4, 5], 4).len(), 2);
/// assert!(super_shingles(vec![9, 2, 7], 4).is_empty());
/// ```
pub fn super_shingles(mut codes: Vec<u64>, size: usize) -> Vec<u64> {
    codes.sort_unstable();
    codes.dedup();
    Shingles::new(size).of(&codes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_shingled_again() {
        // T-SS: 9,2,7,4,5 → 2,4,5,7,9 → (2,4,5,7), (4,5,7,9).
        let of = |codes: &[u64]| Shingles::new(4).of(codes)[0];
        let found = super_shingles(vec![9, 2, 7, 4, 5], 4);
        assert_eq!(found, [of(&[2, 4, 5, 7]), of(&[4, 5, 7, 9])]);
        assert!(super_shingles(vec![1, 2, 3], 4).is_empty(), "fewer than four codes");
        assert!(super_shingles(vec![1, 1, 1, 1], 4).is_empty(), "the same code is one code");
    }
}
