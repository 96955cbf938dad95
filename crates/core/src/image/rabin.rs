//! Rabin fingerprints: a sequence as a polynomial over GF(2), modulo an irreducible one.
//!
//! The bits of the sequence are the coefficients; the fingerprint is the remainder. Equal sequences
//! have equal fingerprints, and two given sequences of n bits collide for at most n / `bits` of the
//! 2^bits / `bits` or so irreducible polynomials. The polynomial is drawn by seed, so nobody can
//! prepare a collision without it (Rabin 1981).

use crate::hash::Random;

/// Fewest bits of a fingerprint.
pub const LEAST_BITS: usize = 16;
/// Most bits of a fingerprint.
pub const MOST_BITS: usize = 62;

/// Rolls over a sequence of 64-bit units and gives the fingerprint of each run of `k`.
#[derive(Clone, Debug)]
pub struct Rabin {
    k: usize,
    bits: usize,
    /// t·x^bits modulo the polynomial, for the eight bits t that a shift by eight pushes out.
    pushed: Box<[u64; 256]>,
    /// b·x^(8j)·x^(64k) modulo the polynomial, by place j in the unit that leaves and byte b.
    leaving: Box<[[u64; 256]; 8]>,
}

impl Rabin {
    /// Draws an irreducible polynomial of degree `bits`, which is between [`LEAST_BITS`] and
    /// [`MOST_BITS`], for runs of `k` units; `k` is at least 1.
    pub fn new(bits: usize, k: usize, seed: u64) -> Self {
        debug_assert!((LEAST_BITS..=MOST_BITS).contains(&bits), "products fit 64 bits");
        debug_assert!(k > 0, "a run has at least one unit");
        Self::with(irreducible(bits, seed), k)
    }

    /// Makes fingerprints by a polynomial, given by its coefficients.
    fn with(polynomial: u64, k: usize) -> Self {
        let bits = degree(polynomial);
        let mut pushed = Box::new([0; 256]);
        let top = remainder_of_power(bits, polynomial);
        for (t, value) in pushed.iter_mut().enumerate() {
            *value = multiply(t as u64, top, polynomial);
        }
        let mut leaving = Box::new([[0; 256]; 8]);
        for (j, table) in leaving.iter_mut().enumerate() {
            let place = remainder_of_power(8 * j + 64 * k, polynomial);
            for (b, value) in table.iter_mut().enumerate() {
                *value = multiply(b as u64, place, polynomial);
            }
        }
        Self { k, bits, pushed, leaving }
    }

    /// Returns the fingerprint of what came before, followed by a unit.
    #[inline]
    fn enter(&self, mut fingerprint: u64, unit: u64) -> u64 {
        let mask = (1 << self.bits) - 1;
        for byte in unit.to_be_bytes() {
            let out = (fingerprint >> (self.bits - 8)) as usize;
            fingerprint = ((fingerprint << 8) & mask) ^ u64::from(byte) ^ self.pushed[out & 255];
        }
        fingerprint
    }

    /// Calls `each` with the fingerprint of every run, in order; none if there are fewer units.
    pub fn each(&self, units: &[u64], mut each: impl FnMut(u64)) {
        if units.len() < self.k {
            return;
        }
        let (first, rest) = units.split_at(self.k);
        let mut fingerprint = first.iter().fold(0, |sum, &unit| self.enter(sum, unit));
        each(fingerprint);
        for (leaves, &enters) in units.iter().zip(rest) {
            fingerprint = self.enter(fingerprint, enters);
            for (table, byte) in self.leaving.iter().zip(leaves.to_le_bytes()) {
                fingerprint ^= table[usize::from(byte)];
            }
            each(fingerprint);
        }
    }
}

/// Draws an irreducible polynomial of a degree. About one in `bits` is irreducible.
fn irreducible(bits: usize, seed: u64) -> u64 {
    let mut random = Random::new(seed);
    loop {
        // Without a constant term it would be divisible by x.
        let polynomial = 1 << bits | (random.next_u64() & ((1 << bits) - 1)) | 1;
        if is_irreducible(polynomial) {
            return polynomial;
        }
    }
}

/// Returns whether a polynomial p of degree n has no divisors: x^(2^n) = x modulo p, and
/// x^(2^(n/q)) - x has none in common with p for every prime q that divides n (Rabin 1980).
fn is_irreducible(polynomial: u64) -> bool {
    let n = degree(polynomial);
    let x = 0b10;
    let mut power = x;
    for i in 1..=n {
        power = multiply(power, power, polynomial);
        let q = n / i;
        let is_for_prime = n.is_multiple_of(i) && q > 1 && (2..q).all(|d| !q.is_multiple_of(d));
        if is_for_prime && divisor(polynomial, power ^ x) != 1 {
            return false;
        }
    }
    power == x
}

fn degree(polynomial: u64) -> usize {
    polynomial.ilog2() as usize
}

/// Returns x^n modulo a polynomial.
fn remainder_of_power(n: usize, polynomial: u64) -> u64 {
    (0..n).fold(1, |power, _| multiply(power, 0b10, polynomial))
}

/// Returns the product of two polynomials modulo a third of degree up to [`MOST_BITS`].
fn multiply(mut a: u64, mut b: u64, polynomial: u64) -> u64 {
    let high = 1 << degree(polynomial);
    let mut product = 0;
    while a != 0 {
        product ^= if a & 1 == 1 { b } else { 0 };
        b <<= 1;
        b ^= if b & high == 0 { 0 } else { polynomial };
        a >>= 1;
    }
    product
}

/// Returns the greatest common divisor of two polynomials.
fn divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        while a != 0 && degree(a) >= degree(b) {
            a ^= b << (degree(a) - degree(b));
        }
        (a, b) = (b, a);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    /// Long division, bit by bit.
    fn by_definition(units: &[u64], polynomial: u64) -> u64 {
        let mut remainder = 0;
        for bit in units.iter().flat_map(|unit| (0..64).rev().map(move |at| unit >> at & 1)) {
            remainder = remainder << 1 | bit;
            if remainder >> degree(polynomial) == 1 {
                remainder ^= polynomial;
            }
        }
        remainder
    }

    #[test]
    fn small_irreducible_polynomials_are_known() {
        let of_degree = |n: u32| (1u64 << n..1 << (n + 1)).filter(|&p| is_irreducible(p));
        assert_eq!(of_degree(2).collect::<Vec<_>>(), [0b111]);
        assert_eq!(of_degree(3).collect::<Vec<_>>(), [0b1011, 0b1101]);
        assert_eq!(of_degree(4).collect::<Vec<_>>(), [0b10011, 0b11001, 0b11111]);
        // The numbers of irreducible polynomials over GF(2) of degree 5 to 10.
        let counts: Vec<usize> = (5..=10).map(|n| of_degree(n).count()).collect();
        assert_eq!(counts, [6, 9, 18, 30, 56, 99]);
        assert!(is_irreducible(1 << 40 | 0b11_1001), "x^40 + x^5 + x^4 + x^3 + 1");
    }

    #[test]
    fn rolling_equals_long_division() {
        let units: Vec<u64> = (0..60).map(|i| mix(i % 23)).collect();
        for bits in [LEAST_BITS, 40, MOST_BITS] {
            for k in [1, 4, 10] {
                let polynomial = irreducible(bits, 5);
                let mut rolled = Vec::new();
                Rabin::new(bits, k, 5).each(&units, |fingerprint| rolled.push(fingerprint));
                let divided: Vec<u64> =
                    units.windows(k).map(|run| by_definition(run, polynomial)).collect();
                assert_eq!(rolled, divided);
                assert!(rolled.iter().all(|fingerprint| fingerprint >> bits == 0));
            }
        }
    }

    #[test]
    fn about_one_fingerprint_in_25_is_a_multiple_of_25() {
        let units: Vec<u64> = (0..50_000).map(mix).collect();
        let mut n = 0;
        Rabin::new(40, 10, 1).each(&units, |fingerprint| {
            n += usize::from(fingerprint.is_multiple_of(25));
        });
        assert!((1_800..2_200).contains(&n), "{n}");
    }
}
