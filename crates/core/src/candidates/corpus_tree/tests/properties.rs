//! What holds of a tree of any documents.

use proptest::prelude::*;

use super::*;

/// Collections over few words, so that sentences have beginnings in common.
pub(in crate::candidates) fn collections() -> impl Strategy<Value = Vec<Text>> {
    let word = (0..6u8).prop_map(|i| format!("w{i}"));
    let sentence = prop::collection::vec(word, 1..6);
    let document = prop::collection::vec(sentence, 1..5);
    prop::collection::vec(document, 1..9)
}

pub(in crate::candidates) fn shapes() -> impl Strategy<Value = Shape> {
    let order = prop_oneof![Just(WordOrder::Idf), Just(WordOrder::Text)];
    (order, 1..4usize, prop_oneof![Just(INFINITE), 1..5usize])
        .prop_map(|(order, suffixes, depth)| Shape { order, suffixes, depth })
}

pub(in crate::candidates) fn aggregates() -> impl Strategy<Value = Aggregate> {
    prop_oneof![Just(Aggregate::Sum), Just(Aggregate::Max)]
}

proptest! {
    #[test]
    fn the_tree_gives_the_sums_of_the_definition(
        documents in collections(), shape in shapes(), aggregate in aggregates(),
    ) {
        let all = Collection::new(documents);
        let (tree, _) = all.tree(shape, rule(aggregate));
        for a in 0..all.documents.len() {
            let (found, _) = tree.similarities(&all.image(a, shape), ALL_BEFORE);
            for similarity in found {
                let b = similarity.ordinal.index();
                let (there, back) =
                    (all.common(a, b, shape, aggregate), all.common(b, a, shape, aggregate));
                prop_assert!((similarity.a_in_b - there).abs() < 1e-9);
                prop_assert!((similarity.b_in_a - back).abs() < 1e-9);
                if a == b {
                    let own = all.image(a, shape).self_similarity(aggregate);
                    prop_assert!((own - there).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn eviction_equals_a_tree_built_from_the_survivors(
        documents in collections(), shape in shapes(), leave in prop::collection::vec(any::<bool>(), 9),
    ) {
        let all = Collection::new(documents);
        let (mut tree, _) = all.tree(shape, rule(Aggregate::Sum));
        let mut anew = CorpusTree::new(rule(Aggregate::Sum));
        for (document, &leaves) in (0..all.documents.len()).zip(&leave) {
            let image = all.image(document, shape);
            if leaves {
                tree.remove(Ordinal(document as u32), &image);
            } else {
                anew.insert(Ordinal(document as u32), &image);
            }
        }
        prop_assert_eq!(all.show(&tree), all.show(&anew));
        let (left, right) = (tree.statistics(), anew.statistics());
        prop_assert_eq!((left.n_nodes, left.n_ids), (right.n_nodes, right.n_ids));
        for document in 0..all.documents.len() {
            let image = all.image(document, shape);
            prop_assert_eq!(
                tree.similarities(&image, ALL_BEFORE), anew.similarities(&image, ALL_BEFORE)
            );
        }
    }

    #[test]
    fn order_of_insertion_does_not_change_what_pairs_have_in_common(
        documents in collections(), shape in shapes(), aggregate in aggregates(),
    ) {
        let all = Collection::new(documents);
        let n = all.documents.len();
        let pairs = |order: &mut dyn Iterator<Item = usize>| {
            let mut tree = CorpusTree::new(rule(aggregate));
            let mut out = BTreeMap::new();
            for a in order {
                let image = all.image(a, shape);
                for found in tree.similarities(&image, ALL_BEFORE).0 {
                    let b = found.ordinal.index();
                    let values = if a < b {
                        (found.a_in_b, found.b_in_a)
                    } else {
                        (found.b_in_a, found.a_in_b)
                    };
                    out.insert((a.min(b), a.max(b)), values);
                }
                tree.insert(Ordinal(a as u32), &image);
            }
            out
        };
        // The sums run over the common nodes in one order, so they are the same to the last bit.
        prop_assert_eq!(pairs(&mut (0..n)), pairs(&mut (0..n).rev()));
    }

    #[test]
    fn best_matches_are_shares(documents in collections(), shape in shapes()) {
        let all = Collection::new(documents);
        let (tree, _) = all.tree(shape, rule(Aggregate::Max));
        for a in 0..all.documents.len() {
            let image = all.image(a, shape);
            let own = image.self_similarity(Aggregate::Max);
            for found in tree.similarities(&image, ALL_BEFORE).0 {
                prop_assert!((0.0..=own * (1.0 + 1e-12)).contains(&found.a_in_b));
            }
        }
    }

    #[test]
    fn the_base_of_the_logarithm_does_not_matter(documents in collections(), shape in shapes()) {
        let all = Collection::new(documents.clone());
        let binary = Collection::weighted(documents, |word| all.weights[&word] / 2f64.ln());
        let ratios = |all: &Collection| {
            let (tree, _) = all.tree(shape, rule(Aggregate::Sum));
            let mut out = Vec::new();
            for a in 0..all.documents.len() {
                let image = all.image(a, shape);
                let own = image.self_similarity(Aggregate::Sum);
                let found = tree.similarities(&image, ALL_BEFORE).0;
                out.extend(found.iter().filter(|_| own > 0.0).map(|x| x.a_in_b / own));
            }
            out
        };
        let (natural, binary) = (ratios(&all), ratios(&binary));
        prop_assert_eq!(natural.len(), binary.len());
        prop_assert!(natural.iter().zip(&binary).all(|(x, y)| (x - y).abs() < 1e-9));
    }

    #[test]
    fn selective_results_are_among_the_permissive_ones(
        documents in collections(), shape in shapes(), aggregate in aggregates(),
        selective in 0.0..1.0f64, permissive in 0.0..1.0f64,
    ) {
        prop_assume!(permissive <= selective);
        let all = Collection::new(documents);
        let pairs = |threshold: f64| {
            let containment = Containment { threshold, ..rule(aggregate) };
            let (_, answers) = all.tree(shape, containment);
            let mut out = BTreeSet::new();
            for (a, found) in answers.iter().enumerate() {
                for partner in &found.partners {
                    let b = partner.ordinal.index();
                    if partner.kind != Kind::Contains {
                        out.insert((a, b));
                    }
                    if partner.kind != Kind::Contained {
                        out.insert((b, a));
                    }
                }
            }
            out
        };
        prop_assert!(pairs(selective).is_subset(&pairs(permissive)));
    }
}
