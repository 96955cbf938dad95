//! Documents put into clusters against documents that belong into one.
//!
//! A document counts as found if it stands in a cluster of two or more. The names are those of
//! Uyar: Near-duplicate news detection using named entities, 2009, section 6.1.

use std::ops::AddAssign;

use serde::Serialize;

use super::{harmonic_mean, share};

/// Documents by what was said of them and what they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DocumentCounts {
    /// Duplicates that were found.
    pub a: u64,
    /// Others that were found: false alarms.
    pub b: u64,
    /// Duplicates that were missed.
    pub c: u64,
    /// Others that were left alone.
    pub d: u64,
}

impl DocumentCounts {
    /// Counts documents: for each whether it was found and whether it is a duplicate.
    ///
    /// ```
    /// use retold_lab::measures::DocumentCounts;
    /// let counts = DocumentCounts::of([(true, true), (true, false), (false, false)]);
    /// assert_eq!((counts.a, counts.b, counts.c, counts.d), (1, 1, 0, 1));
    /// ```
    pub fn of(documents: impl IntoIterator<Item = (bool, bool)>) -> Self {
        let mut counts = Self::default();
        for (is_found, is_duplicate) in documents {
            match (is_found, is_duplicate) {
                (true, true) => counts.a += 1,
                (true, false) => counts.b += 1,
                (false, true) => counts.c += 1,
                (false, false) => counts.d += 1,
            }
        }
        counts
    }

    /// Returns how many documents there are.
    pub fn n(&self) -> u64 {
        self.a + self.b + self.c + self.d
    }

    /// Returns M, the share of duplicates that were missed; 0 if there are none.
    pub fn miss(&self) -> f64 {
        share(self.c, self.a + self.c, 0.0)
    }

    /// Returns F, the share of other documents that were found; 0 if there are none.
    pub fn false_alarm(&self) -> f64 {
        share(self.b, self.b + self.d, 0.0)
    }

    /// Returns the share of found documents that are duplicates; 1 if none was found.
    pub fn precision(&self) -> f64 {
        share(self.a, self.a + self.b, 1.0)
    }

    /// Returns the share of duplicates that were found; 1 if there are none.
    pub fn recall(&self) -> f64 {
        share(self.a, self.a + self.c, 1.0)
    }

    /// Returns the harmonic mean of precision and recall.
    pub fn f1(&self) -> f64 {
        harmonic_mean(self.precision(), self.recall())
    }

    /// Returns the share of duplicates among all documents; 0 if there are none.
    pub fn duplicates(&self) -> f64 {
        share(self.a + self.c, self.n(), 0.0)
    }

    /// Returns `C_dup`, the cost of a decision.
    pub fn cost(&self, costs: &Costs) -> f64 {
        costs.cost(self.miss(), self.false_alarm())
    }

    /// Returns the normalised cost: 1 is what always saying the same would cost.
    pub fn normalised_cost(&self, costs: &Costs) -> f64 {
        costs.normalised(self.miss(), self.false_alarm())
    }
}

impl AddAssign<&Self> for DocumentCounts {
    fn add_assign(&mut self, other: &Self) {
        self.a += other.a;
        self.b += other.b;
        self.c += other.c;
        self.d += other.d;
    }
}

/// What mistakes cost and how frequent duplicates are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Costs {
    /// Cost of a miss. The default is 1.
    pub miss: f64,
    /// Cost of a false alarm. The default is 1.
    pub false_alarm: f64,
    /// Share of duplicates to reckon with. The default is 0.07, that of the thesis; for other
    /// collections it should be estimated from the data.
    pub p_dup: f64,
}

impl Default for Costs {
    fn default() -> Self {
        Self { miss: 1.0, false_alarm: 1.0, p_dup: 0.07 }
    }
}

impl Costs {
    /// Returns `C_dup` = cost of false alarms · F · (1 - `P_dup`) + cost of misses · M · `P_dup`.
    pub fn cost(&self, miss: f64, false_alarm: f64) -> f64 {
        self.false_alarm * false_alarm * (1.0 - self.p_dup) + self.miss * miss * self.p_dup
    }

    /// Returns `C_dup` over what the better of "all are" and "none is" would cost, which the thesis
    /// prints as `C_dup`.
    ///
    /// If one of those two costs nothing, the result is `C_dup` itself.
    pub fn normalised(&self, miss: f64, false_alarm: f64) -> f64 {
        let blind = (self.miss * self.p_dup).min(self.false_alarm * (1.0 - self.p_dup));
        let cost = self.cost(miss, false_alarm);
        if blind > 0.0 { cost / blind } else { cost }
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "shares of small counts are exact")]
mod tests {
    use super::*;

    #[test]
    fn shares_of_nothing_are_settled() {
        let none = DocumentCounts::default();
        assert_eq!((none.miss(), none.false_alarm()), (0.0, 0.0));
        assert_eq!((none.precision(), none.recall(), none.f1()), (1.0, 1.0, 1.0));
        assert_eq!(none.duplicates(), 0.0);
    }

    #[test]
    fn recall_and_miss_are_one_together() {
        let counts = DocumentCounts { a: 9, b: 2, c: 2, d: 7 };
        assert!((counts.recall() + counts.miss() - 1.0).abs() < 1e-15);
    }

    /// Vector T-CN of testdata/VECTORS.md: normalised cost, by hand.
    #[test]
    fn with_even_chances_the_normalised_cost_is_the_sum_of_both_errors() {
        let even = Costs { p_dup: 0.5, ..Costs::default() };
        for counts in [DocumentCounts { a: 9, b: 2, c: 2, d: 7 }, DocumentCounts::default()] {
            let sum = counts.false_alarm() + counts.miss();
            assert!((counts.normalised_cost(&even) - sum).abs() < 1e-12);
        }
        let one_sided = Costs { p_dup: 0.0, ..Costs::default() };
        assert_eq!(one_sided.normalised(0.5, 0.25), 0.25);
    }
}
