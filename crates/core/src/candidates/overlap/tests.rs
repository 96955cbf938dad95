use super::super::both::found_by_all;
use super::super::growing::Growing;
use super::super::{Cuts, Found, Partner, Window};
use super::*;
use crate::document::Ordinal;
use crate::encode::to_bytes;
use crate::features::counts::Counts;
use crate::hash::{Random, mix};

/// Sets of very different sizes over few common and many rare features.
fn images(n: usize, seed: u64) -> Vec<FeatureSet> {
    let mut random = Random::new(seed);
    let mut out: Vec<FeatureSet> = Vec::new();
    for i in 0..n {
        let mut features: Vec<u64> = match random.below(3) {
            // Something of an earlier document, in whole or in part.
            0 if i > 0 => {
                let earlier = out[random.below(i)].features();
                let share = 1 + random.below(10);
                earlier.iter().copied().filter(|_| random.below(10) < share).collect()
            }
            _ => Vec::new(),
        };
        for _ in 0..random.below(60) {
            // A tenth of the documents has each of the common features.
            let bound = [20, 400, 1 << 40][random.below(3)];
            features.push(mix(random.below(bound) as u64));
        }
        out.push(match i % 3 {
            0 => FeatureSet::new(features),
            1 => FeatureSet::counted(features),
            _ => {
                let stored = features.iter().copied().step_by(3).collect();
                FeatureSet::asking(features, Some(stored))
            }
        });
        let length = random.below(30) + 90;
        out[i] = out[i].clone().with_length(length);
    }
    out
}

fn plain(images: Vec<FeatureSet>) -> Vec<FeatureSet> {
    let plain = |image: FeatureSet| {
        FeatureSet::new(image.features().to_vec()).with_length(image.length() as usize)
    };
    images.into_iter().map(plain).collect()
}

fn limits(stop: usize, most_partners: usize) -> Limits {
    Limits { stop: Limit::at(stop), most_partners: Limit::at(most_partners) }
}

fn filled(decision: Decision, limits: Limits, images: &[FeatureSet]) -> Growing<Overlap> {
    let mut window = Growing::new(Overlap::new(decision, limits));
    for (i, image) in images.iter().enumerate() {
        window.insert(Ordinal(i as u32), &to_bytes(image)).expect("an image");
    }
    window
}

fn ask(window: &Growing<Overlap>, image: &FeatureSet, before: usize) -> Found {
    let mut found = Found::default();
    window.ask(&to_bytes(image), Ordinal(before as u32), &mut found).expect("an image");
    found
}

/// Statistics of the features that images store.
fn counts(images: &[FeatureSet]) -> Counts {
    let mut counts = Counts::default();
    for image in images {
        let mut features = Vec::new();
        image.each_stored(&mut |feature| features.push(feature));
        counts.add(features);
    }
    counts
}

#[test]
fn all_engines_agree_with_and_without_limits() {
    let images = images(250, 7);
    let statistics = counts(&images);
    let weighed: Vec<FeatureSet> =
        images.iter().map(|image| image.clone().weighed(&statistics)).collect();
    for limits in [Limits::NONE, limits(12, 5)] {
        for decision in [
            Decision::containment(0.4).partial_from(6),
            Decision::containment(0.4).share_of(ShareOf::Stored),
            Decision::resemblance(0.3),
            Decision::score(0.2, Weights::Idf).partial_from(3),
        ] {
            let meeting = || Overlap::new(decision, limits);
            let (found, _) = found_by_all(meeting, &weighed, None);
            assert!(found.iter().flatten().count() > 10, "{decision:?}");
            found_by_all(meeting, &weighed, Some(100));
        }
    }
}

/// Features of `a` that `b` stores, and those of `b` that `a` stores.
fn common(a: &FeatureSet, b: &FeatureSet) -> (usize, usize) {
    let stored = |image: &FeatureSet, feature| {
        image.features().binary_search(feature).is_ok_and(|at| image.is_stored(at))
    };
    (
        a.features().iter().filter(|feature| stored(b, feature)).count(),
        b.features().iter().filter(|feature| stored(a, feature)).count(),
    )
}

#[test]
fn the_answer_is_that_of_comparing_all_pairs() {
    let images = plain(images(700, 1));
    let decisions = [
        Decision::containment(0.6),
        Decision::containment(0.5).strictly(),
        Decision::containment(0.8).partial_from(12),
        Decision::resemblance(0.5),
        Decision::resemblance(0.3).strictly().length_within(0.1),
        Decision::new(By::Mutual, 0.5),
        Decision::common(8, Kind::NearDuplicate),
        Decision::common(1, Kind::Partial),
    ];
    for decision in decisions {
        let index = filled(decision, Limits::NONE, &images);
        let mut n_found = 0;
        for (i, a) in images.iter().enumerate() {
            let found = ask(&index, a, i);
            assert_eq!(found.cuts, Cuts::default());
            let mut expected = Vec::new();
            for (j, b) in images[..i].iter().enumerate() {
                let n_common = a.common(b).forward as usize;
                let scores = Scores::of_sets(a.len(), b.len(), n_common);
                let (shorter, longer) = (a.length().min(b.length()), a.length().max(b.length()));
                let differs = f64::from(longer - shorter) / f64::from(shorter);
                if a.is_empty() || n_common == 0 || differs > decision.length_within {
                    continue;
                }
                let kind = match decision.by {
                    By::Resemblance => {
                        decision.is_enough(scores.resemblance.get()).then_some(Kind::NearDuplicate)
                    }
                    By::Mutual => decision
                        .is_enough(scores.a_in_b.get().min(scores.b_in_a.get()))
                        .then_some(Kind::NearDuplicate),
                    By::Common(kind) => decision.is_enough(n_common as f64).then_some(kind),
                    _ => Kind::of(
                        decision.is_enough(scores.a_in_b.get()),
                        decision.is_enough(scores.b_in_a.get()),
                    ),
                };
                let is_partial = n_common >= decision.partial_from as usize;
                if let Some(kind) = kind.or(is_partial.then_some(Kind::Partial)) {
                    expected.push(Partner { ordinal: Ordinal(j as u32), kind, scores });
                }
            }
            n_found += expected.len();
            assert_eq!(found.partners, expected, "{decision:?}, document {i}");
        }
        assert!(n_found > 50, "{decision:?} finds {n_found}");
    }
}

#[test]
fn what_is_stored_and_what_is_asked_with_may_differ() {
    let images = images(500, 2);
    for share_of in [ShareOf::Asked, ShareOf::Stored] {
        let index = filled(Decision::containment(0.4).share_of(share_of), Limits::NONE, &images);
        for (i, a) in images.iter().enumerate() {
            let found = ask(&index, a, i);
            let mut expected = Vec::new();
            for (j, b) in images[..i].iter().enumerate() {
                let (forward, backward) = common(a, b);
                let (a_in_b, b_in_a) = match share_of {
                    ShareOf::Asked => ((forward, a.len()), (backward, b.len())),
                    ShareOf::Stored => ((backward, a.n_stored()), (forward, b.n_stored())),
                };
                let is_in = |(n, whole): (usize, usize)| n as f64 >= 0.4 * whole as f64;
                if forward.max(backward) > 0 {
                    let kind = Kind::of(is_in(a_in_b), is_in(b_in_a));
                    expected.extend(kind.map(|kind| (Ordinal(j as u32), kind)));
                }
            }
            let found: Vec<_> = found.partners.iter().map(|x| (x.ordinal, x.kind)).collect();
            assert_eq!(found, expected, "{share_of:?}, document {i}");
        }
    }
}

#[test]
fn a_sample_is_found_in_a_query_wherever_it_was_taken() {
    // Every third of 300 features is stored; the other document has the same ones, shifted.
    let features = |from: u64| (from..from + 300).map(mix).collect::<Vec<_>>();
    let image = |from: u64| {
        let stored = features(from).into_iter().step_by(3).collect();
        FeatureSet::asking(features(from), Some(stored))
    };
    let decision = Decision::containment(0.6).share_of(ShareOf::Stored);
    let index = filled(decision, Limits::NONE, &[image(0)]);
    let [found] = ask(&index, &image(1), 9).partners[..] else { panic!("one partner") };
    assert_eq!(found.kind, Kind::NearDuplicate);
    assert!((found.scores.a_in_b.get() - 0.99).abs() < 0.02);
}

#[test]
fn scores_weigh_what_few_documents_have() {
    // T-SCO: 1000 documents; df 10, 100, 0 and 1; q1 q2 → 0.3333, q1 q4 → 0.5556, q2 → 0.1111.
    let mut images = vec![vec![1, 2], vec![1, 4], vec![2]];
    images.extend((3..11).map(|i| vec![1, 1000 + i]));
    images.extend((11..109).map(|i| vec![2, 1000 + i]));
    images.extend((109..1000).map(|i| vec![1000 + i]));
    let images: Vec<FeatureSet> = images.into_iter().map(FeatureSet::counted).collect();
    let counts = counts(&images);
    assert_eq!((counts.n_documents(), [1, 2, 3, 4].map(|x| counts.df(x))), (1000, [10, 100, 0, 1]));
    let images: Vec<FeatureSet> = images.into_iter().map(|image| image.weighed(&counts)).collect();
    let index = filled(Decision::score(0.0, Weights::Idf), Limits::NONE, &images);
    let query = FeatureSet::counted(vec![1, 2, 3, 4]).weighed(&counts);
    let mut partners = ask(&index, &query, 1000).partners;
    for (partner, expected) in partners.iter().zip([0.3333, 0.5556, 0.1111]) {
        let score = partner.scores.a_in_b.get();
        assert!((score - expected).abs() < 5e-5, "{} {score}", partner.ordinal);
    }
    assert_eq!(partners.len(), 109);
    rank(&mut partners);
    let best: Vec<u32> = partners.iter().take(4).map(|partner| partner.ordinal.0).collect();
    assert_eq!(best, [1, 0, 3, 4], "best first, ties by ordinal");
}

#[test]
fn scores_of_both_documents_are_those_of_the_formula() {
    let images = images(300, 3);
    let statistics = counts(&images);
    let weighed: Vec<FeatureSet> =
        images.iter().map(|image| image.clone().weighed(&statistics)).collect();
    for (weights, images) in [(Weights::Idf, &weighed), (Weights::Uniform, &images)] {
        let index = filled(Decision::score(0.0, weights), Limits::NONE, images);
        let score = |asker: &FeatureSet, other: &FeatureSet| {
            let (mut found, mut all) = (0.0, 0.0);
            for (place, &feature) in asker.features().iter().enumerate() {
                let df = images.iter().filter(|x| common_one(x, feature)).count().max(1) as f64;
                let n = images.len() as f64;
                let weight = if weights == Weights::Idf { (n / df).ln() } else { 1.0 };
                let weight = weight * f64::from(asker.times(place));
                all += weight;
                found += if common_one(other, feature) { weight } else { 0.0 };
            }
            found / all
        };
        for (i, a) in images.iter().enumerate().step_by(7) {
            for partner in ask(&index, a, i).partners {
                let b = &images[partner.ordinal.index()];
                let scores = partner.scores;
                assert!((scores.a_in_b.get() - score(a, b)).abs() < 1e-8);
                assert!((scores.b_in_a.get() - score(b, a)).abs() < 1e-8);
            }
        }
    }
}

fn common_one(image: &FeatureSet, feature: u64) -> bool {
    image.features().binary_search(&feature).is_ok_and(|at| image.is_stored(at))
}

#[test]
fn where_everybody_has_everything_features_weigh_the_same() {
    let images = vec![FeatureSet::counted(vec![1, 2, 3, 4]); 2];
    let counts = counts(&images);
    let images: Vec<FeatureSet> = images.into_iter().map(|image| image.weighed(&counts)).collect();
    let index = filled(Decision::score(0.9, Weights::Idf), Limits::NONE, &images);
    let [partner] = ask(&index, &images[1], 1).partners[..] else { panic!("one partner") };
    assert_eq!((partner.kind, partner.scores), (Kind::NearDuplicate, Scores::EQUAL));
}

#[test]
fn a_window_that_moves_on_leaves_what_a_new_index_has() {
    let images = images(400, 4);
    for decision in [Decision::containment(0.5), Decision::score(0.3, Weights::Uniform)] {
        let limits = limits(10, 8);
        let mut index = Growing::new(Overlap::new(decision, limits));
        for (i, image) in images.iter().enumerate() {
            index.insert(Ordinal(i as u32), &to_bytes(image)).expect("an image");
            if let Some(old) = i.checked_sub(150) {
                index.remove(Ordinal(old as u32)).expect("it is there");
            }
        }
        let mut anew = Growing::new(Overlap::new(decision, limits));
        for (i, image) in images.iter().enumerate().skip(250) {
            anew.insert(Ordinal(i as u32), &to_bytes(image)).expect("an image");
        }
        for image in &images {
            assert_eq!(ask(&index, image, 400).partners, ask(&anew, image, 400).partners);
        }
        for i in 250..400 {
            index.remove(Ordinal(i)).expect("it is there");
        }
        assert!(index.is_empty());
    }
}

#[test]
fn a_large_group_of_copies_meets_its_first_documents() {
    let images: Vec<FeatureSet> = (0..500).map(|_| FeatureSet::new((0..50).collect())).collect();
    let limits = limits(100, 10);
    let index = filled(Decision::containment(0.6), limits, &images);
    let found = ask(&index, &images[400], 400);
    let ordinals: Vec<u32> = found.partners.iter().map(|partner| partner.ordinal.0).collect();
    assert_eq!(ordinals, (0..10).collect::<Vec<_>>());
    assert!(found.partners.iter().all(|partner| partner.scores == Scores::EQUAL));
    assert!(found.cuts.n_stop_features > 0);
    assert_eq!(found.cuts.n_candidates_cut, 90);
}

#[test]
fn a_list_that_is_cut_still_counts_for_those_found_otherwise() {
    // A footer of 40 features in 300 documents; only the last two share more.
    let image = |own: u64| FeatureSet::new((0..40).chain(own..own + 60).collect());
    let mut images: Vec<FeatureSet> = (0..300).map(|i| image(1000 + 100 * i)).collect();
    images.push(image(1000 + 100 * 299));
    let limits = limits(100, 1000);
    let index = filled(Decision::containment(0.6), limits, &images);
    let found = ask(&index, &images[300], 300);
    assert_eq!(found.partners.len(), 1);
    assert_eq!(found.partners[0].scores, Scores::EQUAL);
}

#[test]
fn the_smallest_number_of_common_features_is_exact() {
    for threshold in [0.1, 0.3, 0.5, 0.6, 0.7, 0.9, 1.0] {
        for decision in [Decision::containment(threshold), Decision::resemblance(threshold)] {
            for decision in [decision, decision.strictly()] {
                for n_a in 1..40usize {
                    for n_b in 1..40usize {
                        let is_enough = |n: &usize| {
                            let scores = Scores::of_sets(n_a, n_b, *n);
                            match decision.by {
                                By::Resemblance => decision.is_enough(scores.resemblance.get()),
                                _ => decision.is_enough(scores.containment()),
                            }
                        };
                        let least = decision.least_common(n_a as u32, n_b as u32) as usize;
                        match (1..=n_a.min(n_b)).find(is_enough) {
                            Some(expected) => assert_eq!(least, expected, "{decision:?}"),
                            None => assert!(least > n_a.min(n_b)),
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn what_many_documents_have_in_common_makes_no_partial_copies() {
    let image = |own: u64| FeatureSet::new((0..40).chain(own..own + 300).collect());
    let mut images: Vec<FeatureSet> = (0..300).map(|i| image(1000 + 1000 * i)).collect();
    // Shares 20 features of its own with one other document, and the footer with all.
    images.push(FeatureSet::new((0..40).chain(1000..1020).chain(7..300).collect()));
    let decision = Decision::containment(0.6).partial_from(20);
    let ask = |stop| {
        let index = filled(decision, limits(stop, 1000), &images);
        ask(&index, &images[300], 300).partners
    };
    let [partner] = ask(100)[..] else { panic!("one partner") };
    assert_eq!((partner.ordinal, partner.kind), (Ordinal(0), Kind::Partial));
    assert_eq!(ask(1000).len(), 300, "within the limit everything counts");
}
