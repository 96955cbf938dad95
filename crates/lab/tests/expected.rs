//! Measures and tests against scikit-learn, `SciPy` and statsmodels on random inputs.
//!
//! `bench/measures` makes inputs and values; both are committed.

use std::fs;

use retold_lab::measures::agreement::{cohen, fleiss, krippendorff};
use retold_lab::measures::curves::{PrecisionRecall, Scored, detection_error};
use retold_lab::measures::passages::{self, Part, Passage};
use retold_lab::measures::retrieval::Retrieval;
use retold_lab::measures::{ClusterSums, Partition};
use retold_lab::statistics::{
    Alternative, Level, PowerLaw, Summary, holm, paired_t, permutation, quantile, wilcoxon, wilson,
};
use serde_json::Value;

/// Returns the cases of one part, at least `least` of them.
fn cases(part: &str, least: usize) -> Vec<Value> {
    let path = retold_samples::testdata().join("measures/expected.json");
    let text = fs::read_to_string(path).expect("the expected values are committed");
    let mut all: Value = serde_json::from_str(&text).expect("they are JSON");
    let Value::Array(cases) = all[part].take() else { panic!("no part {part}") };
    assert!(cases.len() >= least, "{part} has {} cases", cases.len());
    cases
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

fn whole<T: TryFrom<u64>>(value: &Value) -> Vec<T> {
    let one = |value: &Value| T::try_from(value.as_u64().expect("a whole number")).ok();
    value.as_array().expect("a list").iter().map(|value| one(value).expect("it fits")).collect()
}

fn truths(value: &Value) -> Vec<bool> {
    value.as_array().expect("a list").iter().map(|v| v.as_bool().expect("a truth")).collect()
}

/// Compares with a relative slack of a billionth.
#[track_caller]
fn near(got: f64, expected: f64) {
    let slack = 1e-9 * expected.abs().max(1e-6);
    assert!((got - expected).abs() <= slack, "got {got:e}, expected {expected:e}");
}

#[test]
fn partitions_are_compared_as_elsewhere() {
    for case in cases("clusters", 9) {
        let partition = |name| Partition::from_labels(&whole::<u32>(&case[name]));
        let sums = ClusterSums::of(&partition("found"), &partition("true"));
        let scores = sums.scores();
        // scikit-learn's entropies of single clusters are not exactly 0.
        let near = |got: f64, name| {
            assert!((got - number(&case[name])).abs() < 1e-9, "{name}: {got} {}", case[name]);
        };
        near(scores.adjusted_rand, "adjusted_rand");
        near(scores.homogeneity, "homogeneity");
        near(scores.completeness, "completeness");
        near(scores.v_measure, "v_measure");
        near(scores.b3.precision, "b3_precision");
        near(scores.b3.recall, "b3_recall");
        let pairs = [sums.pairs.common, sums.pairs.only_found, sums.pairs.only_reference];
        assert_eq!(pairs.to_vec(), whole::<u64>(&case["pairs"]));
    }
}

#[test]
fn curves_run_as_elsewhere() {
    for case in cases("curves", 3) {
        let is_true = truths(&case["true"]);
        let scored: Vec<Scored> = is_true
            .iter()
            .zip(numbers(&case["score"]))
            .map(|(&is_true, score)| Scored { score, is_true })
            .collect();
        let n_true = is_true.iter().filter(|&&is_true| is_true).count() as u64;
        let n_false = is_true.len() as u64 - n_true;
        let curve = PrecisionRecall::of(&scored, n_true);
        near(curve.average_precision(), number(&case["average_precision"]));
        // scikit-learn leaves no point out and begins with the lowest score.
        let expected = case["precision_recall"].as_array().expect("points");
        assert_eq!(curve.points.len(), expected.len());
        for (point, expected) in curve.points.iter().rev().zip(expected) {
            let expected = numbers(expected);
            near(point.threshold, expected[0]);
            near(point.scores.precision, expected[1]);
            near(point.scores.recall, expected[2]);
        }
        // Of the other curve it leaves out points before the first miss and the first alarm.
        let points = detection_error(&scored, n_true, n_false);
        let expected = case["det"].as_array().expect("points");
        assert!(expected.len() > 1);
        for expected in expected {
            let expected = numbers(expected);
            let point = points.iter().find(|point| (point.threshold - expected[0]).abs() < 1e-12);
            let point = point.expect("it is one of the scores");
            near(point.miss, expected[1]);
            near(point.false_alarm, expected[2]);
        }
    }
}

#[test]
fn rankings_have_the_average_precision_of_elsewhere() {
    for case in cases("ranked", 3) {
        let relevant = truths(&case["relevant"]);
        let documents = (0u32..).zip(&relevant).filter(|(_, is_relevant)| **is_relevant);
        let answer =
            Retrieval::of(0..relevant.len() as u32, documents.map(|(document, _)| document));
        near(answer.average_precision, number(&case["average_precision"]));
    }
}

#[test]
fn paired_tests_agree_with_those_of_elsewhere() {
    let mut n_permuted = 0;
    for case in cases("paired", 8) {
        let (first, second) = (numbers(&case["first"]), numbers(&case["second"]));
        for (name, claim) in [
            ("two-sided", Alternative::TwoSided),
            ("greater", Alternative::Greater),
            ("less", Alternative::Less),
        ] {
            let expected = &case["claims"][name];
            let t = paired_t(&first, &second, claim, Level::default()).expect("they vary");
            near(t.t, number(&expected["t"]));
            near(t.p, number(&expected["t_p"]));
            near(t.interval.low, number(&case["interval"][0]));
            near(t.interval.high, number(&case["interval"][1]));
            let ranks = wilcoxon(&first, &second, claim).expect("they differ");
            near(ranks.p, number(&expected["wilcoxon_p"]));
            if let Some(p) = expected["permutation_p"].as_f64() {
                let swapped = permutation(&first, &second, claim, 0, 0).expect("pairs");
                assert!(swapped.is_exact);
                near(swapped.p, p);
                n_permuted += 1;
            }
        }
        let summary = Summary::of(&first).expect("numbers");
        near(summary.population_sd, number(&case["population_sd"]));
        near(summary.sample_sd.expect("more than one"), number(&case["sample_sd"]));
        near(summary.median, number(&case["median"]));
        let mut sorted = first;
        sorted.sort_by(f64::total_cmp);
        for (p, expected) in [0.025, 0.3, 0.975].into_iter().zip(numbers(&case["quantiles"])) {
            near(quantile(&sorted, p), expected);
        }
    }
    assert_eq!(n_permuted, 9);
}

#[test]
fn wilson_intervals_agree_with_those_of_elsewhere() {
    for case in cases("wilson", 60) {
        let level = Level::new(number(&case["level"])).expect("a share");
        let of = |name: &str| case[name].as_u64().expect("a count");
        let interval = wilson(of("hits"), of("n"), level);
        // The quantile of the normal distribution is good to nine places or so.
        assert!((interval.low - number(&case["low"])).abs() < 1e-8, "{case}");
        assert!((interval.high - number(&case["high"])).abs() < 1e-8, "{case}");
    }
}

#[test]
fn many_comparisons_are_corrected_as_elsewhere() {
    for case in cases("holm", 4) {
        let corrected = holm(&numbers(&case["p"]));
        assert_eq!(corrected.len(), numbers(&case["corrected"]).len());
        for (got, expected) in corrected.into_iter().zip(numbers(&case["corrected"])) {
            near(got, expected);
        }
    }
}

#[test]
fn growth_is_fitted_as_elsewhere() {
    for case in cases("power_law", 3) {
        let points: Vec<(f64, f64)> =
            numbers(&case["size"]).into_iter().zip(numbers(&case["cost"])).collect();
        let law = PowerLaw::fit(&points, Level::default()).expect("sizes differ");
        let interval = law.interval.expect("more than two sizes");
        near(law.exponent, number(&case["exponent"]));
        near(law.factor, number(&case["factor"]));
        near(law.r_squared, number(&case["r_squared"]));
        near(interval.low, number(&case["low"]));
        near(interval.high, number(&case["high"]));
    }
}

#[test]
fn raters_agree_as_elsewhere() {
    for case in cases("cohen", 4) {
        let rows = case["confusion"].as_array().expect("rows");
        let confusion: Vec<Vec<u64>> = rows.iter().map(whole).collect();
        let agreement = cohen(&confusion, Level::default()).expect("it is square");
        near(agreement.kappa.expect("answers differ"), number(&case["kappa"]));
        let interval = agreement.interval.expect("answers differ");
        assert!((interval.low - number(&case["low"])).abs() < 1e-8, "{case}");
        // Ours does not go beyond full agreement.
        assert!((interval.high - number(&case["high"]).min(1.0)).abs() < 1e-8, "{case}");
    }
    let mut n_fleiss = 0;
    for case in cases("many_raters", 3) {
        let answers: Vec<Vec<u32>> =
            case["answers"].as_array().expect("units").iter().map(whole).collect();
        near(krippendorff(&answers).kappa.expect("they differ"), number(&case["krippendorff"]));
        if let Some(table) = case["table"].as_array() {
            let table: Vec<Vec<u64>> = table.iter().map(whole).collect();
            let kappa = fleiss(&table).expect("as many raters each").kappa;
            near(kappa.expect("answers differ"), number(&case["fleiss"]));
            n_fleiss += 1;
        }
    }
    assert_eq!(n_fleiss, 2);
}

#[test]
fn passages_are_measured_as_character_by_character() {
    for case in cases("passages", 5) {
        let all = |name: &str| -> Vec<Passage> {
            let rows = case[name].as_array().expect("passages");
            let of = |row: &Value| {
                let row = whole::<u64>(row);
                Passage {
                    copy: row[0] as u32,
                    source: row[1] as u32,
                    in_copy: Part::of_length(row[2], row[3]),
                    in_source: Part::of_length(row[4], row[5]),
                }
            };
            rows.iter().map(of).collect()
        };
        let scores = passages::measure(&all("cases"), &all("detections"));
        near(scores.of_passages.precision, number(&case["precision"]));
        near(scores.of_passages.recall, number(&case["recall"]));
        near(scores.granularity, number(&case["granularity"]));
        near(scores.plagdet, number(&case["plagdet"]));
        near(scores.of_characters.precision, number(&case["micro_precision"]));
        near(scores.of_characters.recall, number(&case["micro_recall"]));
    }
}
