use super::super::documents::{Costs, DocumentCounts};
use super::super::pairs::PairSet;
use super::*;
use crate::measures::passages::{Part, Passage};
use crate::measures::retrieval::Retrieval;

fn pairs(pairs: &[(u32, u32)]) -> PairSet {
    PairSet::new(Direction::Unordered, pairs.iter().copied())
}

fn how(n_documents: usize) -> Evaluating {
    Evaluating {
        n_documents,
        knows_all: true,
        costs: Costs::default(),
        estimates_p_dup: true,
        bootstrap: Bootstrap { repeats: 200, ..Bootstrap::default() },
    }
}

fn found(all: &[(u32, u32)]) -> Found {
    Found { pairs: Some(pairs(all)), ..Found::default() }
}

fn truth(all: &[(u32, u32)]) -> Truth {
    Truth { pairs: Some(pairs(all)), ..Truth::default() }
}

#[test]
fn a_result_is_measured_in_every_way() {
    let ours = Found { scores: vec![0.9, 0.4], ..found(&[(0, 1), (2, 3)]) };
    let evaluation = Evaluation::of(&ours, &truth(&[(0, 1), (4, 5)]), &how(10));
    let figures = evaluation.pairs.expect("there are pairs");
    assert_eq!((figures.counts.common, figures.counts.only_ours), (1, 1));
    assert!((figures.scores.f1.value - 0.5).abs() < 1e-12);
    let counts = evaluation.documents.counts;
    assert_eq!(counts, DocumentCounts { a: 2, b: 2, c: 2, d: 4 });
    let costs = evaluation.documents.costs.expect("all documents are known");
    assert!((costs.costs.p_dup - 0.4).abs() < 1e-12);
    let curve = evaluation.curve.expect("there are scores");
    assert!((curve.average_precision - 0.5).abs() < 1e-12);
    assert_eq!(curve.n_false, Some(43));
    assert_eq!((evaluation.removal.n_removed, evaluation.removal.n_wrongly), (2, 1));
    assert_eq!(evaluation.notes.len(), 1);
}

#[test]
fn judged_pairs_are_told_apart_from_unknown_ones() {
    let mut truth = truth(&[(0, 1)]);
    truth.negatives = pairs(&[(2, 3)]);
    truth.labels = vec![("light".to_owned(), pairs(&[(0, 1)]))];
    let evaluation = Evaluation::of(&found(&[(0, 1), (2, 3), (4, 5)]), &truth, &how(6));
    let all = evaluation.pairs.expect("pairs").scores.precision.value;
    let judged = evaluation.judged.expect("there are negatives").scores.precision.value;
    assert!((all - 1.0 / 3.0).abs() < 1e-12 && (judged - 0.5).abs() < 1e-12);
    assert_eq!((evaluation.labels[0].n_pairs, evaluation.labels[0].n_found), (1, 1));
}

#[test]
fn overlapping_clusters_leave_out_what_needs_a_partition() {
    let cluster = |members: &[u32]| FoundCluster { kept: None, members: members.to_vec() };
    let ours = Found {
        clusters: Some(vec![cluster(&[1, 4]), cluster(&[3, 4]), cluster(&[1, 2, 3])]),
        ..Found::default()
    };
    let evaluation = Evaluation::of(&ours, &truth(&[(1, 2), (2, 4)]), &how(5));
    assert_eq!(evaluation.clusters, None);
    let five = evaluation.pairs.expect("pairs of clusters").counts;
    assert_eq!((five.all_ref, five.all_ours, five.common), (2, 5, 1));
    assert_eq!(evaluation.found_sizes.sizes, [(2, 2), (3, 1)]);
}

#[test]
fn clusters_answer_an_ordered_truth_in_both_directions() {
    let ours = Found {
        clusters: Some(vec![FoundCluster { kept: Some(1), members: vec![0, 1] }]),
        ..Found::default()
    };
    let truth =
        Truth { pairs: Some(PairSet::new(Direction::Ordered, [(0, 1)])), ..Truth::default() };
    let five = Evaluation::of(&ours, &truth, &how(3)).pairs.expect("pairs of clusters").counts;
    assert_eq!((five.all_ref, five.all_ours, five.common), (1, 2, 1));
}

#[test]
fn a_worse_result_is_told_from_a_better_one() {
    let all: Vec<(u32, u32)> = (0..40).map(|i| (2 * i, 2 * i + 1)).collect();
    let truth = truth(&all);
    let comparison = Comparison::of([&found(&all[..36]), &found(&all[..20])], &truth, &how(80));
    let comparison = comparison.expect("both have pairs");
    let recall = &comparison.differences[1];
    assert!((recall.difference.value - 0.4).abs() < 1e-12);
    assert!(recall.p.expect("there are units") < 0.01);
    assert!(recall.difference.interval.expect("many units").low > 0.2);
    let over_clusters = comparison.over_clusters.expect("there are clusters");
    assert!((over_clusters.first - 0.9).abs() < 1e-12);
    assert!(over_clusters.wilcoxon.expect("clusters differ").p < 0.01);
    let same = Comparison::of([&found(&all), &found(&all)], &truth, &how(80)).expect("pairs");
    assert_eq!(same.over_clusters.expect("there are clusters").t, None);
    assert_eq!(same.differences[2].p_corrected, Some(1.0));
}

#[test]
fn pooled_recall_is_never_called_plain_recall() {
    for &name in TruthOf::NAMES {
        let truth: TruthOf =
            serde_json::from_value(serde_json::Value::String(name.to_owned())).expect("a name");
        assert_eq!(truth.recall_name() == "recall", truth == TruthOf::Complete, "{name}");
    }
}

#[test]
fn questions_are_measured_with_intervals() {
    let answers =
        [Retrieval::of([1, 2, 3], [1, 3]), Retrieval::of([4, 5], [5]), Retrieval::of([6], [7])];
    let figures = RankingFigures::of(&answers, &[1, 2], &how(0).bootstrap).expect("questions");
    assert_eq!((figures.recognition, figures.n_relevant, figures.valid_results), (3, 4, 6));
    assert!((figures.reciprocal_rank.value - 0.5).abs() < 1e-12);
    assert_eq!(figures.last_correct_rank, Some(2.5));
    assert!((figures.at[1].recall.value - 0.5).abs() < 1e-12);
    assert!(figures.at[0].precision.interval.expect("three questions").holds(1.0 / 3.0));
    assert_eq!(RankingFigures::of(&[], &[1], &how(0).bootstrap), None);
}

#[test]
fn passages_are_measured_by_label() {
    let passage = |copy, start, length| {
        let part = Part::of_length(start, length);
        Passage { copy, source: 9, in_copy: part, in_source: part }
    };
    let cases = [passage(0, 0, 100), passage(1, 0, 50)];
    let labels = [("none".to_owned(), vec![cases[0]]), ("summary".to_owned(), vec![cases[1]])];
    let figures = PassageFigures::of(&cases, &[passage(0, 0, 100)], &labels, &how(0).bootstrap);
    assert!((figures.plagdet.value - 2.0 / 3.0).abs() < 1e-12);
    assert_eq!(figures.shortest_found, Some(100));
    assert_eq!((figures.labels[0].n_detected, figures.labels[1].n_detected), (1, 0));
}
