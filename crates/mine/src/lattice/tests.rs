use super::*;
use crate::trial::{Random, small_context};

/// Documents d1 to d4 with the units 1 to 9: 1 to 3 stand in d1, d2 and d3, and so on.
const FCA: [&[u32]; 9] =
    [&[0, 1, 2], &[0, 1, 2], &[0, 1, 2], &[0, 1, 3], &[0, 3], &[1], &[2, 3], &[2, 3], &[3]];

fn fca() -> Lattice {
    let rows: Vec<Vec<u32>> = FCA.iter().map(|row| row.to_vec()).collect();
    Lattice::of(&Context::of(&rows), &[0, 1, 2, 3], 100).expect("eleven concepts")
}

/// Returns a concept as `d1 d2: 4`.
fn told(concept: &Concept) -> String {
    let names: Vec<String> = concept.places().map(|place| format!("d{}", place + 1)).collect();
    format!("{}: {}", names.join(" "), concept.n_units())
}

#[test]
fn the_lattice_of_four_documents_is_the_one_made_by_hand() {
    let lattice = fca();
    let concepts: Vec<String> = lattice.concepts().iter().map(told).collect();
    let by_hand = [
        ": 9",
        "d1: 5",
        "d2: 5",
        "d3: 5",
        "d4: 5",
        "d1 d2: 4",
        "d1 d4: 2",
        "d3 d4: 2",
        "d1 d2 d3: 3",
        "d1 d2 d4: 1",
        "d1 d2 d3 d4: 0",
    ];
    assert_eq!(concepts, by_hand);
    let lines: Vec<(&str, &str)> =
        lattice.covers().iter().map(|&(upper, lower)| (by_hand[upper], by_hand[lower])).collect();
    let lines_by_hand = [
        (": 9", "d1: 5"),
        (": 9", "d2: 5"),
        (": 9", "d3: 5"),
        (": 9", "d4: 5"),
        ("d1: 5", "d1 d2: 4"),
        ("d1: 5", "d1 d4: 2"),
        ("d2: 5", "d1 d2: 4"),
        ("d3: 5", "d3 d4: 2"),
        ("d3: 5", "d1 d2 d3: 3"),
        ("d4: 5", "d1 d4: 2"),
        ("d4: 5", "d3 d4: 2"),
        ("d1 d2: 4", "d1 d2 d3: 3"),
        ("d1 d2: 4", "d1 d2 d4: 1"),
        ("d1 d4: 2", "d1 d2 d4: 1"),
        ("d3 d4: 2", "d1 d2 d3 d4: 0"),
        ("d1 d2 d3: 3", "d1 d2 d3 d4: 0"),
        ("d1 d2 d4: 1", "d1 d2 d3 d4: 0"),
    ];
    assert_eq!(lines, lines_by_hand);
    let firsts = lattice.first_places();
    assert_eq!(firsts[1..5], [[0], [1], [2], [3]]);
    assert!(firsts[5..].iter().all(Vec::is_empty) && firsts[0].is_empty());
}

/// Returns the closed sets of all items of a context by looking at every subset.
fn by_definition(context: &Context) -> Vec<(u64, u64)> {
    let n_items = context.n_items();
    let mut units: Vec<u64> =
        context.rows().map(|row| row.iter().fold(0, |bits, item| bits | 1 << item)).collect();
    for (item, &count) in context.alone().iter().enumerate() {
        units.extend(std::iter::repeat_n(1 << item, count as usize));
    }
    let mut closed: Vec<(u64, u64)> = (0..1u64 << n_items)
        .filter_map(|set| {
            let having: Vec<u64> = units.iter().copied().filter(|unit| unit & set == set).collect();
            let common = having.iter().fold((1 << n_items) - 1, |common, unit| common & unit);
            (common == set).then_some((set, having.len() as u64))
        })
        .collect();
    closed.sort_unstable();
    closed
}

#[test]
fn concepts_and_neighbours_are_those_of_the_definition() {
    let mut n_contexts = 0;
    for seed in 0..1_000 {
        let context = small_context(&mut Random::new(seed));
        let items: Vec<u32> = (0..context.n_items() as u32).collect();
        if items.is_empty() {
            continue;
        }
        n_contexts += 1;
        let lattice = Lattice::of(&context, &items, 5_000).expect("at most 2^12 concepts");
        let mut found: Vec<(u64, u64)> =
            lattice.concepts().iter().map(|concept| (concept.bits, concept.n_units)).collect();
        found.sort_unstable();
        assert_eq!(found, by_definition(&context), "{seed}");

        let concepts = lattice.concepts();
        for (upper, a) in concepts.iter().enumerate().take(200) {
            for (lower, b) in concepts.iter().enumerate().take(200) {
                let is_between = |c: &Concept| b.is_below(c) && c.is_below(a);
                let is_cover = b.is_below(a) && !concepts.iter().any(is_between);
                let is_told = lattice.covers().binary_search(&(upper, lower)).is_ok();
                assert_eq!(is_told, is_cover, "{seed} {upper} {lower}");
            }
        }
        let mut firsts: Vec<usize> = lattice.first_places().concat();
        firsts.sort_unstable();
        assert!(firsts.into_iter().eq(0..items.len()), "every item appears once: {seed}");
    }
    assert!(n_contexts > 800);
}

#[test]
fn only_chosen_items_count_and_units_of_others_are_left_out() {
    let rows: Vec<Vec<u32>> = FCA.iter().map(|row| row.to_vec()).collect();
    let context = Context::of(&rows);
    let lattice = Lattice::of(&context, &[3, 2, 3], 100).expect("few concepts");
    assert_eq!(lattice.items(), [2, 3]);
    let concepts: Vec<String> = lattice.concepts().iter().map(told).collect();
    assert_eq!(concepts, [": 8", "d1: 5", "d2: 5", "d1 d2: 2"]);
    let one = Lattice::of(&context, &[3], 100).expect("one concept");
    assert_eq!(one.concepts().iter().map(told).collect::<Vec<_>>(), ["d1: 5"]);
    assert!(one.covers().is_empty());
    let unknown = Lattice::of(&context, &[99], 100).expect("one concept");
    assert_eq!(unknown.concepts().iter().map(told).collect::<Vec<_>>(), ["d1: 0"]);
}

#[test]
fn what_is_too_large_is_refused() {
    let lacking = |n: u32| -> Vec<Vec<u32>> {
        (0..n).map(|lacks| (0..n).filter(|&item| item != lacks).collect()).collect()
    };
    let context = Context::of(&lacking(12));
    let items: Vec<u32> = (0..12).collect();
    let error = Lattice::of(&context, &items, 4_095).unwrap_err();
    assert_eq!(error.to_string(), "the 12 items have more than 4095 concepts; choose fewer items");
    assert_eq!(Lattice::of(&context, &items, 4_096).map(|l| l.concepts().len()), Ok(4_096));
    assert_eq!(Lattice::of(&context, &[], 10), Err(LatticeError::NoItems));
    let items: Vec<u32> = (0..65).collect();
    assert_eq!(Lattice::of(&context, &items, 10), Err(LatticeError::TooManyItems(65)));
    let items: Vec<u32> = (0..64).collect();
    assert_eq!(Lattice::of(&Context::new(), &items, 10).map(|l| l.concepts().len()), Ok(1));
}

#[test]
fn a_lattice_is_not_made_once_nobody_wants_it() {
    use std::sync::atomic::{AtomicU64, Ordering};
    let rows: Vec<Vec<u32>> = FCA.iter().map(|row| row.to_vec()).collect();
    let looks = |most: u64| {
        let n_looks = AtomicU64::new(0);
        let is_stopped = || n_looks.fetch_add(1, Ordering::Relaxed) >= most;
        let made = Lattice::of_while(&Context::of(&rows), &[0, 1, 2, 3], 100, &is_stopped);
        (made.err(), n_looks.into_inner())
    };
    let (made, n_all) = looks(u64::MAX);
    assert!(made.is_none() && n_all > 20);
    for most in 0..n_all {
        assert_eq!(looks(most), (Some(LatticeError::Stopped), most + 1));
    }
}
