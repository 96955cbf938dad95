//! `SimHash`: a few dozen bits of which similar documents share most.
//!
//! Every bit is a vote of all features: those whose hash has the bit set vote for it with their
//! weight, the others against it. Two documents differ in a bit with a probability that grows
//! with the angle between their vectors of weights (Charikar 2002).

/// Largest number of bits.
pub const MOST_BITS: u32 = 64;

/// Returns the outcome of the vote on each bit, the lowest first: the vector that is called v in
/// the literature. Features are hashes with weights.
///
/// *Order*: sums run in the order of the features, so equal documents have to hand them over in
/// the same order.
pub fn votes(features: impl IntoIterator<Item = (u64, f64)>) -> [f64; MOST_BITS as usize] {
    let mut votes = [0.0; MOST_BITS as usize];
    for (hash, weight) in features {
        for (bit, sum) in votes.iter_mut().enumerate() {
            *sum += if hash >> bit & 1 == 1 { weight } else { -weight };
        }
    }
    votes
}

/// Returns the image in the lowest `n_bits` bits: those whose vote is above 0.
pub fn simhash(features: impl IntoIterator<Item = (u64, f64)>, n_bits: u32) -> u64 {
    let outcome = votes(features);
    let bits = outcome.iter().take(n_bits as usize).enumerate();
    bits.fold(0, |image, (bit, &sum)| image | u64::from(sum > 0.0) << bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn votes_and_bits_are_those_of_the_specification() {
        // T-SIM.
        let features = [(0b1011_0010, 2.0), (0b0111_0001, 1.0), (0b0001_1111, 0.5)];
        let mut first_eight = votes(features)[..8].to_vec();
        first_eight.reverse();
        assert_eq!(first_eight, [0.5, -1.5, 2.5, 3.5, -2.5, -2.5, 1.5, -0.5]);
        assert_eq!(simhash(features, 8), 0b1011_0010);
    }

    #[test]
    fn a_vote_that_ends_in_a_tie_clears_the_bit() {
        assert_eq!(simhash([(1, 1.0), (0, 1.0)], 8), 0);
        assert_eq!(simhash([(3, 1.0), (2, 0.0)], 8), 3);
        assert_eq!(simhash([], 64), 0);
    }
}
