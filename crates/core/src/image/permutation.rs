//! Permutations of hash codes: what decides which codes of a document are "the smallest".
//!
//! A code is a vector of bits; its product with a non-singular binary matrix over GF(2) is a
//! permutation of all codes, and a random matrix a random one. A matrix drawn at random is
//! non-singular with probability 0.2888, so 3.46 draws are needed on average. A linear map sends
//! 0 to 0, which is then the minimum of every set that holds it; the affine form `Mx ⊕ c` has no
//! such code. Both are only nearly min-wise independent.
//!
//! The product is eight table look-ups: one table of 256 entries for each byte of the code,
//! 16 KiB in all, so a permutation is best taken through a whole document before the next one.
//! [`Family::Mixed`] needs no tables and a small part of the time.
//!
//! Broder, Charikar, Frieze, Mitzenmacher: Min-wise independent permutations, STOC 1998.

use serde::{Deserialize, Serialize};

use crate::hash::{self, Random};

/// How a permutation is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// A random non-singular binary matrix: `x ↦ Mx`.
    Matrix,
    /// The same with a random shift: `x ↦ Mx ⊕ c`.
    Affine,
    /// Seeded multiplications and shifts, all of them bijections: no tables.
    #[default]
    Mixed,
}

impl Family {
    /// All families.
    pub const ALL: [Self; 3] = [Self::Matrix, Self::Affine, Self::Mixed];

    /// Draws a permutation of codes of 64 bits.
    pub fn draw(self, random: &mut Random) -> Permutation {
        match self {
            Self::Matrix => Permutation::Affine(Box::new(Tables::new(&Matrix::draw(random))), 0),
            Self::Affine => {
                let tables = Box::new(Tables::new(&Matrix::draw(random)));
                Permutation::Affine(tables, random.next_u64())
            }
            Self::Mixed => Permutation::Mixed {
                add: random.next_u64(),
                multiply: [random.next_u64() | 1, random.next_u64() | 1],
            },
        }
    }
}

/// A square binary matrix of up to 64 rows, held by columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// The image of each bit, the lowest first; what a product adds up.
    columns: [u64; 64],
    n_bits: usize,
}

impl Matrix {
    /// Makes a matrix of its rows; the first gives the most significant bit of a product, and in
    /// a row the most significant of its bits stands first.
    pub fn from_rows(rows: &[u64]) -> Self {
        debug_assert!(rows.len() <= 64, "a code has 64 bits");
        let n_bits = rows.len();
        let mut columns = [0; 64];
        for (bit, row) in rows.iter().rev().enumerate() {
            for (j, column) in columns.iter_mut().enumerate().take(n_bits) {
                *column |= ((row >> j) & 1) << bit;
            }
        }
        Self { columns, n_bits }
    }

    /// Draws 64 × 64 matrices until one is non-singular.
    pub fn draw(random: &mut Random) -> Self {
        loop {
            let columns = std::array::from_fn(|_| random.next_u64());
            let matrix = Self { columns, n_bits: 64 };
            if matrix.is_permutation() {
                return matrix;
            }
        }
    }

    /// Returns whether different codes have different products: the rank is full.
    pub fn is_permutation(&self) -> bool {
        // `basis[i]` has its highest bit at i; a column that reduces to 0 depends on the others.
        let mut basis = [0u64; 64];
        self.columns[..self.n_bits].iter().all(|&column| {
            let mut rest = column;
            while rest != 0 {
                let top = rest.ilog2() as usize;
                if basis[top] == 0 {
                    basis[top] = rest;
                    return true;
                }
                rest ^= basis[top];
            }
            false
        })
    }

    /// Returns the product with a code. Bits of the code beyond the matrix count for nothing.
    pub fn product(&self, code: u64) -> u64 {
        let mut rest = code;
        let mut sum = 0;
        while rest != 0 {
            sum ^= self.columns[rest.trailing_zeros() as usize];
            rest &= rest - 1;
        }
        sum
    }
}

/// The products of a matrix with every byte at every place.
#[derive(Clone, Debug)]
pub struct Tables([[u64; 256]; 8]);

impl Tables {
    fn new(matrix: &Matrix) -> Self {
        let mut tables = [[0; 256]; 8];
        for (table, columns) in tables.iter_mut().zip(matrix.columns.chunks_exact(8)) {
            for byte in 1..256usize {
                // The byte without its lowest bit was done before.
                table[byte] = table[byte & (byte - 1)] ^ columns[byte.trailing_zeros() as usize];
            }
        }
        Self(tables)
    }

    #[inline]
    fn product(&self, code: u64) -> u64 {
        let bytes = code.to_le_bytes();
        let mut sum = 0;
        for (table, byte) in self.0.iter().zip(bytes) {
            sum ^= table[usize::from(byte)];
        }
        sum
    }
}

/// A bijection of 64-bit codes.
#[derive(Clone, Debug)]
pub enum Permutation {
    /// `Mx ⊕ c`.
    Affine(Box<Tables>, u64),
    /// Two odd multiplications with a shift between them.
    Mixed {
        /// What is added first.
        add: u64,
        /// The multipliers, both odd.
        multiply: [u64; 2],
    },
}

impl Permutation {
    /// Makes the linear permutation of a matrix.
    pub fn linear(matrix: &Matrix) -> Self {
        Self::Affine(Box::new(Tables::new(matrix)), 0)
    }

    /// Returns the place of a code in the permuted order.
    #[inline]
    pub fn of(&self, code: u64) -> u64 {
        match self {
            Self::Affine(tables, shift) => tables.product(code) ^ shift,
            Self::Mixed { add, multiply } => mixed(code, *add, *multiply),
        }
    }

    /// Returns the code that comes first, or `None` of none.
    pub fn first(&self, codes: &[u64]) -> Option<u64> {
        // The kind is looked at once a document, not once a code.
        match self {
            Self::Affine(tables, shift) => {
                codes.iter().copied().min_by_key(|&code| tables.product(code) ^ shift)
            }
            Self::Mixed { add, multiply } => {
                codes.iter().copied().min_by_key(|&code| mixed(code, *add, *multiply))
            }
        }
    }

    /// Returns the `n` codes that come first, in the permuted order; all if there are fewer.
    ///
    /// `codes` holds each code once.
    pub fn first_n(&self, codes: &[u64], n: usize) -> Vec<u64> {
        let mut placed: Vec<(u64, u64)> = codes.iter().map(|&code| (self.of(code), code)).collect();
        if n == 0 {
            return Vec::new();
        }
        if n < placed.len() {
            placed.select_nth_unstable(n - 1);
            placed.truncate(n);
        }
        placed.sort_unstable();
        placed.into_iter().map(|(_, code)| code).collect()
    }
}

#[inline]
fn mixed(code: u64, add: u64, multiply: [u64; 2]) -> u64 {
    let x = (code ^ add).wrapping_mul(multiply[0]);
    (x ^ (x >> 32)).wrapping_mul(multiply[1])
}

/// Draws `n` permutations; each depends on its number and the seed only, so that a longer list
/// begins like a shorter one.
pub fn draw(family: Family, n: usize, seed: u64) -> Vec<Permutation> {
    (0..n as u64).map(|i| family.draw(&mut Random::new(hash::mix(seed ^ hash::mix(i))))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const M1: [u64; 4] = [0b1001, 0b0110, 0b0101, 0b0010];
    const M2: [u64; 4] = [0b0011, 0b1000, 0b0110, 0b0111];

    #[test]
    fn matrices_of_four_bits_permute_as_computed_by_hand() {
        // T-GF2: the images of 0…15.
        let images = |rows: &[u64]| -> Vec<u64> {
            (0..16).map(|code| Matrix::from_rows(rows).product(code)).collect()
        };
        assert_eq!(images(&M1), [0, 10, 5, 15, 6, 12, 3, 9, 8, 2, 13, 7, 14, 4, 11, 1]);
        assert_eq!(images(&M2), [0, 9, 11, 2, 3, 10, 8, 1, 4, 13, 15, 6, 7, 14, 12, 5]);
        assert!(Matrix::from_rows(&M1).is_permutation() && Matrix::from_rows(&M2).is_permutation());
        assert!(!Matrix::from_rows(&[0b1001, 0b0110, 0b1111, 0b0010]).is_permutation());
    }

    #[test]
    fn minimal_elements_are_those_computed_by_hand() {
        // T-GF2: three minimal elements in one permutation, and one in each of two.
        let (a, b) = ([3, 5, 9, 12, 14], [3, 5, 7, 9, 10]);
        let [m1, m2] = [M1, M2].map(|rows| Permutation::linear(&Matrix::from_rows(&rows)));
        assert_eq!(m1.first_n(&a, 3), [9, 14, 5]);
        assert_eq!(m1.first_n(&b, 3), [9, 7, 5]);
        assert_eq!([m1.first(&a), m2.first(&a)], [Some(9), Some(3)]);
        assert_eq!([m1.first(&b), m2.first(&b)], [Some(9), Some(7)]);
    }

    #[test]
    fn every_family_is_a_bijection_and_its_tables_agree_with_the_matrix() {
        let mut random = Random::new(3);
        let matrix = Matrix::draw(&mut random);
        let tables = Tables::new(&matrix);
        for i in 0..1000 {
            let code = if i < 64 { 1 << i } else { random.next_u64() };
            assert_eq!(tables.product(code), matrix.product(code));
        }
        for family in Family::ALL {
            // A bijection of 64 bits cannot be tried out; one that merged codes that differ in few
            // bits would show here.
            let permutation = family.draw(&mut random);
            let mut images: Vec<u64> = (0..1u64 << 14)
                .map(|code| permutation.of((code & 127) | (code >> 7 << 57)))
                .collect();
            images.sort_unstable();
            images.dedup();
            assert_eq!(images.len(), 1 << 14, "{family:?}");
        }
    }

    #[test]
    fn about_29_in_100_random_matrices_are_permutations() {
        let mut random = Random::new(1);
        let n_good = (0..10_000)
            .filter(|_| {
                let columns = std::array::from_fn(|_| random.next_u64());
                Matrix { columns, n_bits: 64 }.is_permutation()
            })
            .count();
        assert!((2750..3030).contains(&n_good), "{n_good} of 10000, expected about 2888");
    }

    /// Returns how often the first codes of two sets agree.
    fn agreement(family: Family, n: usize, a: &[u64], b: &[u64]) -> f64 {
        let mut random = Random::new(17);
        let n_equal = (0..n)
            .filter(|_| {
                let permutation = family.draw(&mut random);
                permutation.first(a) == permutation.first(b)
            })
            .count();
        n_equal as f64 / n as f64
    }

    #[test]
    fn the_first_codes_agree_as_often_as_the_sets_resemble_each_other() {
        // T-GF2b: union 100, resemblance 0.5: 0.5 ± 0.03 over 10,000 permutations.
        let mut random = Random::new(2);
        let union: Vec<u64> = (0..100).map(|_| random.next_u64()).collect();
        for family in Family::ALL {
            let share = agreement(family, 10_000, &union[..75], &union[25..]);
            assert!((share - 0.5).abs() < 0.03, "{family:?}: {share}");
        }
    }

    #[test]
    fn a_linear_map_always_picks_the_zero_code_and_the_others_do_not() {
        // T-GF2c: codes 0…99, 0 in the first set only; resemblance 0.5.
        let union: Vec<u64> = (0..100).collect();
        let share = |family| agreement(family, 10_000, &union[..75], &union[25..]);
        assert!(share(Family::Matrix) < f64::EPSILON);
        for family in [Family::Affine, Family::Mixed] {
            assert!((share(family) - 0.5).abs() < 0.05, "{family:?}: {}", share(family));
        }
    }

    #[test]
    fn a_longer_list_of_permutations_begins_like_a_shorter_one() {
        for family in Family::ALL {
            let (short, long) = (draw(family, 2, 5), draw(family, 4, 5));
            assert!(short.iter().zip(&long).all(|(x, y)| x.of(12345) == y.of(12345)));
            assert_ne!(long[2].of(12345), long[3].of(12345));
        }
    }

    #[test]
    fn fewer_codes_than_asked_for_are_all_kept_and_none_give_none() {
        let permutation = &draw(Family::Mixed, 1, 0)[0];
        assert_eq!(permutation.first_n(&[4, 5], 9).len(), 2);
        assert!(permutation.first_n(&[4, 5], 0).is_empty());
        assert_eq!(permutation.first(&[]), None);
    }
}
