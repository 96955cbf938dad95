use std::collections::HashSet;

use super::*;
use crate::context::Context;
use crate::mine;
use crate::oracle::oracle;
use crate::task::Outcome;
use crate::trial::{Random, found, small_context};

/// Returns sets as given out, and what came of the run.
fn run(context: &Context, task: &Task) -> (Vec<(Vec<u32>, u32)>, Outcome) {
    let mut sets = Vec::new();
    let outcome =
        mine(&Auto, context, task, &mut |set, support| sets.push((set.to_vec(), support)));
    (sets, outcome)
}

/// Returns a context of documents given as their units.
fn of_images(images: &[Vec<u32>]) -> Context {
    let n_units = images.iter().flatten().max().map_or(0, |&unit| unit + 1);
    let mut units: Vec<Vec<u32>> = vec![Vec::new(); n_units as usize];
    for (document, image) in images.iter().enumerate() {
        for &unit in image {
            units[unit as usize].push(document as u32);
        }
    }
    Context::of(&units)
}

#[test]
fn maximal_sets_are_those_of_the_definition() {
    for seed in 0..500 {
        let context = small_context(&mut Random::new(seed));
        for k in 1..=context.n_transactions().max(1) as u32 + 1 {
            let task = Task::maximal(k);
            assert_eq!(found(&Auto, &context, &task), oracle(&context, &task), "{seed} {k}");
        }
    }
}

#[test]
fn a_cover_holds_every_related_pair_in_maximal_sets() {
    for seed in 0..500 {
        let context = small_context(&mut Random::new(seed));
        for k in 1..=context.n_transactions().max(1) as u32 {
            let maximal = oracle(&context, &Task::maximal(k));
            let cover = found(&Auto, &context, &Task::new(Target::Cover, k));
            assert!(cover.iter().all(|set| maximal.binary_search(set).is_ok()), "{seed} {k}");
            let mut pairs = Task::new(Target::All, k);
            pairs.min_size = 2;
            let pairs: Vec<_> = oracle(&context, &pairs);
            for (pair, _) in pairs.iter().filter(|(set, _)| set.len() == 2) {
                let holds = |(set, _): &(Vec<u32>, u32)| pair.iter().all(|item| set.contains(item));
                assert!(cover.iter().any(holds), "{seed} {k} {pair:?}");
            }
            let n_sets = cover.iter().filter(|(set, _)| set.len() > 1).count();
            assert!(n_sets <= pairs.len(), "{seed} {k}");
        }
    }
}

#[test]
fn four_documents_make_the_sets_of_the_paper() {
    // T-FCA; documents d1 to d4 are items 0 to 3.
    let images =
        [vec![1, 2, 3, 4, 5], vec![1, 2, 3, 4, 6], vec![1, 2, 3, 7, 8], vec![4, 5, 7, 8, 9]];
    let context = of_images(&images);
    let at = |k| found(&Auto, &context, &Task::maximal(k));
    assert_eq!(at(2), [(vec![0, 1, 2], 3), (vec![0, 3], 2), (vec![2, 3], 2)]);
    assert_eq!(at(3), [(vec![0, 1, 2], 3), (vec![3], 5)]);
    assert_eq!(at(4), [(vec![0, 1], 4), (vec![2], 5), (vec![3], 5)]);
    assert_eq!(at(6), []);
}

#[test]
fn a_template_is_one_set() {
    // Ten documents share 90 units and have ten of their own each.
    let images: Vec<Vec<u32>> =
        (0..10).map(|i| (0..90).chain(90 + 10 * i..100 + 10 * i).collect()).collect();
    let context = of_images(&images);
    assert_eq!(found(&Auto, &context, &Task::maximal(90)), [((0..10).collect(), 90)]);
    assert_eq!(found(&Auto, &context, &Task::maximal(91)).len(), 10);
}

#[test]
fn a_star_has_as_many_sets_as_can_be_chosen() {
    // Twenty documents, each lacking one unit of a hundred; any three of them share 97.
    let images: Vec<Vec<u32>> = (0..20)
        .map(|lacks| (0..100).filter(|&unit| unit != lacks).chain([100 + lacks]).collect())
        .collect();
    let sets = found(&Auto, &of_images(&images), &Task::maximal(97));
    assert_eq!(sets.len(), 1140);
    assert!(sets.iter().all(|(set, support)| (set.len(), *support) == (3, 97)));
}

#[test]
fn a_chain_is_a_window_for_each_step() {
    // Each version replaces three units of 99; six in a row share 84.
    let n = 2_000;
    let mut image: Vec<u32> = (0..99).collect();
    let mut images = vec![image.clone()];
    for step in 1..n {
        for offset in 0..3 {
            image[(3 * step + offset) % 99] = (99 + 3 * step + offset) as u32;
        }
        images.push(image.clone());
    }
    let sets = found(&Auto, &of_images(&images), &Task::maximal(84));
    assert_eq!(sets.len(), n - 5);
    assert!(sets.iter().all(|(set, support)| (set.len(), *support) == (6, 84)));
}

/// Forty documents that each lack one of forty classes of units: the itemset bomb.
fn bomb(first_document: u32) -> Vec<Vec<u32>> {
    (0..40)
        .map(|lacks| {
            (0..40).filter(|&unit| unit != lacks).map(|unit| unit + 1000 * first_document).collect()
        })
        .collect()
}

#[test]
fn a_bomb_is_cut_and_the_rest_is_complete() {
    let mut images = bomb(0);
    images.extend([(5000..5050).collect(), (5000..5050).collect(), (5001..5051).collect()]);
    let mut task = Task::maximal(20);
    task.budget.component_sets = Some(1_000);
    task.budget.steps = Some(100_000);
    let (sets, outcome) = run(&of_images(&images), &task);
    assert_eq!(outcome.cut, None);
    let [part] = outcome.cut_parts[..] else { panic!("{:?}", outcome.cut_parts) };
    assert_eq!((part.first_item, part.n_items, part.cut), (0, 40, Cut::Sets));
    assert!(sets.contains(&(vec![40, 41, 42], 49)));
    let distinct: HashSet<&Vec<u32>> = sets.iter().map(|(set, _)| set).collect();
    assert_eq!(distinct.len(), sets.len());
    assert!(sets.iter().filter(|(set, _)| set[0] < 40).all(|(set, k)| (set.len(), *k) == (20, 20)));
    // Although most sets are missing, no related pair is.
    for a in 0..40 {
        for b in a + 1..40 {
            assert!(sets.iter().any(|(set, _)| set.contains(&a) && set.contains(&b)), "{a} {b}");
        }
    }
}

#[test]
fn what_is_cut_does_not_depend_on_threads() {
    let context = of_images(&bomb(0));
    let mut task = Task::maximal(20);
    task.budget.component_sets = Some(5_000);
    let on = |n_threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        pool.install(|| run(&context, &task))
    };
    assert_eq!(on(1), on(4));
}

#[test]
fn limits_of_the_run_end_it() {
    let context = of_images(&bomb(0));
    let mut task = Task::maximal(20);
    task.budget.sets = Some(10);
    task.budget.component_sets = Some(1_000);
    let (sets, outcome) = run(&context, &task);
    assert_eq!((sets.len(), outcome.cut), (10, Some(Cut::Sets)));
    task.budget.time = Some(std::time::Duration::ZERO);
    assert_eq!(run(&context, &task).1.cut, Some(Cut::Time));
}
