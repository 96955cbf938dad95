//! Two results against one truth.

use retold_core::hash::Random;
use serde::Serialize;

use super::ready::Ours;
use super::{Evaluating, Figure, Found, Truth, of_counts};
use crate::measures::pairs::{self, PairCounts};
use crate::statistics::{
    Alternative, Bootstrap, PairedT, Permutation, Wilcoxon, holm, paired_t, permutation,
    randomisation, wilcoxon,
};

/// Tests over one figure of the same things under two methods; all two-sided.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairedTests {
    /// Which figure of what.
    pub over: &'static str,
    /// How many things.
    pub n: u64,
    /// Mean of the first.
    pub first: f64,
    /// Mean of the second.
    pub second: f64,
    /// Paired t-test; none if differences do not vary.
    pub t: Option<PairedT>,
    /// Signed-rank test of Wilcoxon; none if nothing differs.
    pub wilcoxon: Option<Wilcoxon>,
    /// Randomisation test.
    pub permutation: Option<Permutation>,
}

impl PairedTests {
    /// Tests two columns of the same things; none without them.
    pub fn of(over: &'static str, first: &[f64], second: &[f64], how: &Bootstrap) -> Option<Self> {
        if first.is_empty() || first.len() != second.len() {
            return None;
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let claim = Alternative::TwoSided;
        let seed = seed_of_swaps(how.seed);
        Some(Self {
            over,
            n: first.len() as u64,
            first: mean(first),
            second: mean(second),
            t: paired_t(first, second, claim, how.level),
            wilcoxon: wilcoxon(first, second, claim),
            permutation: permutation(first, second, claim, how.repeats, seed),
        })
    }
}

/// Returns a seed that differs from that of the bootstrap.
fn seed_of_swaps(seed: u64) -> u64 {
    Random::new(seed).next_u64()
}

/// One figure of two results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Which figure.
    pub figure: &'static str,
    /// Of the first result.
    pub first: f64,
    /// Of the second result.
    pub second: f64,
    /// First minus second, with the interval of the bootstrap over both together.
    pub difference: Figure,
    /// Probability of so large a difference if both are alike (two-sided randomisation test).
    pub p: Option<f64>,
    /// The same, corrected for the number of figures (Holm).
    pub p_corrected: Option<f64>,
}

/// Two results against one list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Connected components: the units that are drawn and swapped.
    pub n_units: u64,
    /// Figures over pairs.
    pub differences: Vec<Difference>,
    /// Tests over the F1 of each true cluster; none if there are none.
    pub over_clusters: Option<PairedTests>,
}

impl Comparison {
    /// Compares two results by their pairs; none if one of them has no pairs, or the truth.
    ///
    /// *Panics* if a document is not below `n_documents`.
    pub fn of(found: [&Found; 2], truth: &Truth, how: &Evaluating) -> Option<Self> {
        let mut unused = Vec::new();
        let [one, two] =
            found.map(|found| Ours::of(found, truth, how.n_documents, &mut unused).pairs);
        let (one, two, listed) = (one?, two?, truth.pairs.as_ref()?);
        let [first, second] = pairs::units_of([&one, &two], listed, how.n_documents);
        let units: Vec<Both> = first.into_iter().zip(second).map(|(x, y)| Both(x, y)).collect();
        let whole = Both(PairCounts::of(&one, listed), PairCounts::of(&two, listed));
        let Bootstrap { repeats, seed, level: _ } = how.bootstrap;
        let intervals = how
            .bootstrap
            .intervals(&units, |both| {
                let (x, y) = (of_counts(&both.0), of_counts(&both.1));
                [x[0] - y[0], x[1] - y[1], x[2] - y[2]]
            })
            .unwrap_or_default();
        let seed_of_swaps = seed_of_swaps(seed);
        let pairs_of_units: Vec<(PairCounts, PairCounts)> =
            units.iter().map(|both| (both.0, both.1)).collect();
        let (x, y) = (of_counts(&whole.0), of_counts(&whole.1));
        let mut differences: Vec<Difference> = ["precision", "recall", "f1"]
            .into_iter()
            .enumerate()
            .map(|(i, figure)| Difference {
                figure,
                first: x[i],
                second: y[i],
                difference: Figure::new(x[i] - y[i], intervals[i]),
                p: randomisation(
                    &pairs_of_units,
                    |counts| of_counts(counts)[i],
                    repeats,
                    seed_of_swaps,
                ),
                p_corrected: None,
            })
            .collect();
        let known: Vec<f64> = differences.iter().filter_map(|difference| difference.p).collect();
        let mut corrected = holm(&known).into_iter();
        for difference in differences.iter_mut().filter(|difference| difference.p.is_some()) {
            difference.p_corrected = corrected.next();
        }
        let [first, second] = [&one, &two].map(|ours| {
            let clusters = pairs::by_cluster(ours, listed, how.n_documents);
            clusters.iter().map(|cluster| cluster.scores().f1).collect::<Vec<f64>>()
        });
        Some(Self {
            n_units: units.len() as u64,
            differences,
            over_clusters: PairedTests::of("F1 of true clusters", &first, &second, &how.bootstrap),
        })
    }
}

/// What a unit adds to the counts of two results.
#[derive(Clone, Copy, Debug, Default)]
struct Both(PairCounts, PairCounts);

impl std::ops::AddAssign<&Self> for Both {
    fn add_assign(&mut self, other: &Self) {
        self.0 += &other.0;
        self.1 += &other.1;
    }
}
