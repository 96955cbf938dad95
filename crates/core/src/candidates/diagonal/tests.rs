use std::collections::BTreeSet;
use std::slice;

use proptest::prelude::*;

use super::super::both::found_by_all;
use super::super::diagonal_index::DiagonalIndex;
use super::super::meeting::UNLIMITED;
use super::super::{Cuts, Found, Partner};
use super::*;
use crate::document::Ordinal;
use crate::features::counts::Counts;

fn matching(size: usize, step: usize, jumping: Jumping, least_run: usize) -> Matching {
    Matching {
        windows: Windows { size, step, jumping },
        least_run,
        containment: 0.6,
        stop: UNLIMITED,
        most_repeats: usize::MAX,
        repeats: Repeats::Once,
    }
}

fn index(matching: Matching, weights: Weights, documents: &[Vec<u32>]) -> DiagonalIndex {
    let mut index = DiagonalIndex::new(matching, weights);
    for (ordinal, document) in (0..).zip(documents) {
        index.insert(Ordinal(ordinal), document);
    }
    index
}

fn ask_index(index: &DiagonalIndex, query: &[u32]) -> Found {
    let mut found = Found::default();
    index.ask(query, Ordinal(u32::MAX), &mut found);
    found
}

/// Returns what a query finds among documents; all engines and the index agree.
fn ask_by(
    matching: Matching,
    weights: Weights,
    documents: &[Vec<u32>],
    query: &[u32],
) -> (Vec<Partner>, Cuts) {
    let windows = matching.windows;
    let mut counts = Counts::default();
    for document in documents {
        let stored: BTreeSet<u64> =
            windows.starts(document).map(|start| windows.key(document, start)).collect();
        counts.add(stored);
    }
    let counts = (weights == Weights::Idf).then_some(&counts);
    let all = documents.iter().map(Vec::as_slice).chain([query]);
    let images: Vec<Rhythm> =
        all.map(|lengths| Rhythm::new(lengths.to_vec(), windows, counts)).collect();
    let border = documents.len() as u32;
    let (mut found, cuts) = found_by_all(|| Diagonals::new(matching), &images, Some(border));
    let found = found.pop().expect("the query has asked");
    let expected = ask_index(&index(matching, weights, documents), query).partners;
    assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
    for (x, y) in found.iter().zip(&expected) {
        assert_eq!((x.ordinal, x.kind), (y.ordinal, y.kind));
        let values = |x: &Partner| {
            let Scores { resemblance, a_in_b, b_in_a } = x.scores;
            [resemblance, a_in_b, b_in_a].map(Score::get)
        };
        let mut both = values(x).into_iter().zip(values(y));
        assert!(both.all(|(x, y)| (x - y).abs() < 1e-9), "{x:?} {y:?}");
    }
    (found, cuts)
}

/// The same with weights by rarity and without what was cut.
fn ask(matching: Matching, documents: &[Vec<u32>], query: &[u32]) -> Vec<Partner> {
    ask_by(matching, Weights::Idf, documents, query).0
}

fn ordinals(found: &[Partner]) -> Vec<u32> {
    found.iter().map(|partner| partner.ordinal.0).collect()
}

/// Whether a query finds a document, word for word as defined.
fn by_definition(matching: Matching, document: &[u32], query: &[u32]) -> bool {
    let Matching { windows, least_run, .. } = matching;
    let starts: Vec<usize> = windows.all_starts(document.len()).collect();
    // The query shifted against the document; its places count from its length before the start.
    let n = query.len();
    (0..=n + document.len()).any(|shift| {
        // For every window of the document: does it match on this diagonal, or was it left out?
        let state = |&start: &usize| {
            if windows.is_left_out(document, start) {
                return None;
            }
            let place = (start + n).checked_sub(shift);
            let theirs = place.and_then(|place| query.get(place..place + windows.size));
            Some(theirs == Some(&document[start..start + windows.size]))
        };
        let states: Vec<Option<bool>> = starts.iter().map(state).collect();
        let matches = |i: usize| states[i] == Some(true);
        (0..states.len()).filter(|&i| matches(i)).any(|first| {
            let end = (first..states.len()).find(|&i| states[i] == Some(false));
            let last = (first..end.unwrap_or(states.len())).rev().find(|&i| matches(i));
            last.is_some_and(|last| last - first + 1 >= least_run)
        })
    })
}

#[test]
fn a_shifted_copy_is_found_because_the_query_slides() {
    // T-WIN: windows 2345, 4567 and 6789 are common.
    let other: Vec<u32> = (1..10).chain([0]).collect();
    let one: Vec<u32> = (0..10).collect();
    for (least_run, is_expected) in [(1, true), (3, true), (4, false)] {
        let matching = matching(4, 2, Jumping::Static, least_run);
        assert_eq!(by_definition(matching, &one, &other), is_expected, "t = {least_run}");
        let found = ask(matching, slice::from_ref(&one), &other);
        assert_eq!(!found.is_empty(), is_expected, "t = {least_run}");
    }
}

#[test]
fn a_run_needs_the_minimum_matching_length() {
    // T-MIN: a common stretch of exactly that many sentences is found, one fewer is not.
    for (size, step, least_run, length) in
        [(8, 1, 1, 8), (8, 1, 3, 10), (8, 1, 5, 12), (8, 1, 9, 16), (16, 2, 1, 16)]
    {
        let document: Vec<u32> = (100..140).collect();
        let matching = matching(size, step, Jumping::Static, least_run);
        let query = |n: usize| {
            let mut query: Vec<u32> = (0..20).collect();
            query.extend(&document[10..10 + n]);
            query.extend(200..220);
            query
        };
        let ask = |n: usize| ask(matching, slice::from_ref(&document), &query(n));
        assert_eq!(ordinals(&ask(length)), [0]);
        assert!(ask(length - 1).is_empty());
    }
}

#[test]
fn windows_on_different_diagonals_make_no_run() {
    let document: Vec<u32> = (0..30).collect();
    // Three windows match, each with another distance.
    let query = [0, 1, 2, 3, 99, 10, 11, 12, 13, 98, 97, 20, 21, 22, 23];
    assert!(ask(matching(4, 1, Jumping::Static, 2), &[document], &query).is_empty());
}

#[test]
fn windows_left_out_count_inside_a_run() {
    // T-DJ: starts 2, 3 and 4 are left out, and the run from 0 to 8 has nine windows.
    let document = vec![7, 5, 5, 5, 5, 5, 9, 4, 3, 2, 8, 6];
    for (least_run, expected) in [(9, 1), (10, 0)] {
        let matching = matching(4, 1, Jumping::Dynamic, least_run);
        let found = ask(matching, slice::from_ref(&document), &document);
        assert_eq!(found.len(), expected, "t = {least_run}");
    }
}

#[test]
fn scores_are_the_match_ratio() {
    // T-SCO, with windows of one length: 1000 documents, df of the four windows 10, 100, 0, 1.
    let document = |i: u32| {
        let mut lengths = vec![1000 + i];
        lengths.extend((i < 10).then_some(1));
        lengths.extend((i < 2 || (100..198).contains(&i)).then_some(2));
        lengths.extend((i == 9).then_some(4));
        lengths
    };
    let documents: Vec<Vec<u32>> = (0..1000).map(document).collect();
    let matching = matching(1, 1, Jumping::Static, 1);
    let found = ask(matching, &documents, &[1, 2, 3, 4]);
    let score = |ordinal: u32| {
        let partner = found.iter().find(|x| x.ordinal.0 == ordinal);
        (partner.expect("it shares a window").scores.a_in_b.get() * 10_000.0).round() / 10_000.0
    };
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found}");
    near(score(0), 0.3333);
    near(score(9), 0.5556);
    near(score(150), 0.1111);
    assert_eq!(found.len(), 10 + 98);
    let index = index(matching, Weights::Idf, &documents);
    let weights = [10, 100, 0, 1].map(|n| format!("{:.4}", index.weight(n)));
    assert_eq!(weights, ["4.6052", "2.3026", "6.9078", "6.9078"]);
}

#[test]
fn uniform_weights_count_windows_and_repeats_if_they_are_kept() {
    let documents = [vec![1, 2, 3], vec![9]];
    for (repeats, share, kind) in
        [(Repeats::Kept, 0.75, Kind::Contained), (Repeats::Once, 0.5, Kind::Partial)]
    {
        let matching = Matching { repeats, ..matching(1, 1, Jumping::Static, 1) };
        let (found, _) = ask_by(matching, Weights::Uniform, &documents, &[1, 1, 1, 7]);
        let scores = found[0].scores;
        assert!((scores.a_in_b.get() - share).abs() < 1e-12);
        assert!((scores.b_in_a.get() - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(found[0].kind, kind);
    }
}

#[test]
fn it_does_not_matter_who_asks() {
    // A common stretch of one window, at an even place of the one and an odd place of the other.
    let even = [1, 2, 11, 12, 13, 14, 3, 4].to_vec();
    let odd = [5, 11, 12, 13, 14, 6, 7, 8].to_vec();
    for (first, second) in [(&even, &odd), (&odd, &even)] {
        let matching = matching(4, 2, Jumping::Static, 1);
        assert_eq!(ordinals(&ask(matching, slice::from_ref(first), second)), [0]);
        let index = index(matching, Weights::Idf, slice::from_ref(first));
        assert_eq!(index.statistics().n_windows, 3, "only every second window is stored");
    }
}

#[test]
fn windows_that_documents_share_are_collisions() {
    let documents = [vec![1, 2, 3, 2, 3], vec![2, 3, 9], vec![7]];
    let matching = matching(2, 1, Jumping::Static, 1);
    let found = index(matching, Weights::Idf, &documents).statistics();
    // 12, 23, 32, 23 and 23, 39.
    assert_eq!((found.n_documents, found.n_windows), (3, 6));
    assert_eq!((found.n_pairs, found.n_different, found.n_collided), (5, 4, 1));
    assert!((found.collision_rate() - 0.2).abs() < 1e-12);
}

#[test]
fn two_equal_documents_score_one_though_their_windows_weigh_nothing() {
    let document: Vec<u32> = (1..20).collect();
    let matching = matching(8, 1, Jumping::Static, 1);
    let found = ask(matching, &[document.clone(), document.clone()], &document);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].scores, Scores::EQUAL);
    assert_eq!(found[0].kind, Kind::NearDuplicate);
}

#[test]
fn a_document_shorter_than_a_window_has_no_windows() {
    let matching = matching(8, 1, Jumping::Static, 1);
    let documents = [vec![3; 7], vec![3; 8]];
    assert_eq!(ordinals(&ask(matching, &documents, &[3; 9])), [1]);
    assert!(ask(matching, &documents, &[3; 7]).is_empty());
}

#[test]
fn a_window_of_many_documents_speaks_for_the_first_and_is_counted() {
    let documents = vec![vec![5, 6, 7, 8]; 10];
    let few = Matching { stop: 3, ..matching(4, 1, Jumping::Static, 1) };
    let (found, cuts) = ask_by(few, Weights::Idf, &documents, &documents[0]);
    assert_eq!(ordinals(&found), [0, 1, 2]);
    assert_eq!(cuts.n_stop_features, 1);
}

#[test]
fn equal_lengths_everywhere_cost_no_square() {
    // A hundred thousand sentences of one word: all windows are the same.
    let monotonous = vec![1; 100_000];
    for (most_repeats, least_run) in [(8, 3), (usize::MAX, 3), (usize::MAX, 9)] {
        let limited = Matching { most_repeats, ..matching(8, 1, Jumping::Static, least_run) };
        let found = ask(limited, &[monotonous.clone(), vec![1; 50], vec![2; 50]], &monotonous);
        assert_eq!(ordinals(&found), [0, 1]);
    }
}

#[test]
fn two_texts_that_match_in_too_many_places_are_given_up() {
    // Eight ones between changing numbers: a window that comes thousands of times and never
    // starts a run.
    let text = |from: u32| -> Vec<u32> {
        (from..from + 3000).flat_map(|i| [1, 1, 1, 1, 1, 1, 1, 1, i]).collect()
    };
    let mut texts = [text(10), text(10_000)];
    // A run at the very end comes too late.
    for text in &mut texts {
        text.extend(1..30);
    }
    let [one, other] = texts;
    let unlimited = matching(8, 1, Jumping::Static, 3);
    assert!(ask(unlimited, slice::from_ref(&one), &other).is_empty());
    let limited = Matching { most_repeats: 8, ..unlimited };
    assert_eq!(ask(limited, &[one], &other).len(), 1);
}

proptest! {
    #[test]
    fn runs_are_those_of_the_definition_whoever_asks(
        document in prop::collection::vec(1..3u32, 0..24), query in prop::collection::vec(1..3u32, 0..24),
        size in 1..5usize, step in 1..4usize, least_run in 1..6usize, is_dynamic in any::<bool>(),
    ) {
        let jumping = if is_dynamic { Jumping::Dynamic } else { Jumping::Static };
        let matching = matching(size, step, jumping, least_run);
        let is_found = !ask(matching, slice::from_ref(&document), &query).is_empty();
        let expected = by_definition(matching, &document, &query)
            || by_definition(matching, &query, &document);
        prop_assert_eq!(is_found, expected);
    }

    #[test]
    fn the_engines_find_what_the_index_finds_with_scores_between_zero_and_one(
        documents in prop::collection::vec(prop::collection::vec(1..4u32, 0..30), 1..6),
        step in 1..4usize, least_run in 1..4usize, most_repeats in 1..5usize,
        is_dynamic in any::<bool>(), is_uniform in any::<bool>(),
    ) {
        let weights = if is_uniform { Weights::Uniform } else { Weights::Idf };
        let jumping = if is_dynamic { Jumping::Dynamic } else { Jumping::Static };
        let repeats = if least_run % 2 == 0 { Repeats::Kept } else { Repeats::Once };
        let matching = Matching { most_repeats, repeats, ..matching(3, step, jumping, least_run) };
        for document in &documents {
            let (found, cuts) = ask_by(matching, weights, &documents, document);
            prop_assert_eq!(cuts, Cuts::default());
            let ordinals: BTreeSet<Ordinal> = found.iter().map(|x| x.ordinal).collect();
            prop_assert_eq!(ordinals.len(), found.len());
            for partner in found {
                for score in [partner.scores.a_in_b, partner.scores.b_in_a] {
                    prop_assert!((0.0..=1.0).contains(&score.get()));
                }
            }
        }
    }

    #[test]
    fn a_removed_document_is_as_if_it_had_never_come(
        documents in prop::collection::vec(prop::collection::vec(1..4u32, 0..30), 1..8),
        leave in prop::collection::vec(any::<bool>(), 8), repeats in 1..4usize,
    ) {
        let matching = Matching { most_repeats: repeats, ..matching(3, 2, Jumping::Dynamic, 2) };
        let mut grown = index(matching, Weights::Idf, &documents);
        let mut anew = DiagonalIndex::new(matching, Weights::Idf);
        for ((ordinal, document), &leaves) in (0..).zip(&documents).zip(&leave) {
            if leaves {
                grown.remove(Ordinal(ordinal), document);
            } else {
                anew.insert(Ordinal(ordinal), document);
            }
        }
        prop_assert_eq!(grown.statistics(), anew.statistics());
        prop_assert_eq!(grown.stored.n_places, anew.stored.n_places);
        for document in &documents {
            prop_assert_eq!(ask_index(&grown, document), ask_index(&anew, document));
        }
    }
}
