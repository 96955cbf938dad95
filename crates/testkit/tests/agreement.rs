//! Approximate methods against the exhaustive one, on corpora whose truth is known.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use retold::{Job, Kind, METHODS, Profile, Relation};
use retold_testkit::corpus::{Corpus, Plant, english, planted};
use retold_testkit::runs::{self, detector};

fn run(corpus: &Corpus, method: &str) -> BTreeMap<(u32, u32), Relation> {
    pairs(corpus, &Job::default().with_method(method).with_parameter("k", 5))
}

fn pairs(corpus: &Corpus, job: &Job) -> BTreeMap<(u32, u32), Relation> {
    let found = runs::pairs(&corpus.documents, job);
    found.into_iter().map(|relation| ((relation.a.0, relation.b.0), relation)).collect()
}

#[test]
fn the_default_finds_what_the_exhaustive_search_finds() {
    for seed in [1, 2, 3] {
        let corpus = planted(400, seed);
        let (default, truth) = (run(&corpus, "anchor"), run(&corpus, "exhaustive"));
        assert!(truth.len() >= 100, "{} relations", truth.len());
        let missed: Vec<_> = truth.keys().filter(|pair| !default.contains_key(pair)).collect();
        assert!(missed.len() * 100 <= truth.len(), "missed {missed:?} of {}", truth.len());
        for (pair, relation) in &default {
            assert_eq!(Some(relation), truth.get(pair), "what is reported is verified");
        }
    }
}

#[test]
fn full_fingerprints_find_exactly_what_the_exhaustive_search_finds() {
    let corpus = planted(300, 7);
    let is_strong = |relation: &Relation| relation.kind != Kind::Partial;
    let strong = |method| -> Vec<(u32, u32)> {
        run(&corpus, method)
            .into_iter()
            .filter(|(_, r)| is_strong(r))
            .map(|(pair, _)| pair)
            .collect()
    };
    assert_eq!(strong("full-fingerprint"), strong("exhaustive"));
}

#[test]
fn planted_copies_are_found_as_what_they_are() {
    let corpus = planted(400, 4);
    let found = run(&corpus, "anchor");
    for &(own, copy, plant) in &corpus.planted {
        let kind = found.get(&(own as u32, copy as u32)).map(|relation| relation.kind);
        let expected = match plant {
            Plant::Exact => Kind::Exact,
            Plant::Edited => Kind::NearDuplicate,
            Plant::Inside => Kind::Contained,
            // A passage may be most of a short text.
            Plant::Passage if kind == Some(Kind::Contained) => Kind::Contained,
            Plant::Passage => Kind::Partial,
        };
        assert_eq!(kind, Some(expected), "{own} and {copy}, {plant:?}");
    }
}

#[test]
fn minhash_misses_no_more_than_its_formula_says() {
    let corpus = planted(1200, 5);
    let (found, truth) = (run(&corpus, "minhash"), run(&corpus, "exhaustive"));
    // Expected misses and their variance over all true pairs, from (1 - s^8)^16.
    let (mut expected, mut variance, mut missed) = (0.0, 0.0, 0.0);
    for (pair, relation) in &truth {
        let s: f64 = relation.scores.resemblance.get();
        let miss = (1.0 - s.powi(8)).powi(16);
        expected += miss;
        variance += miss * (1.0 - miss);
        missed += f64::from(u8::from(!found.contains_key(pair)));
    }
    let bound = 4.0 * f64::sqrt(variance) + 1.0;
    assert!((missed - expected).abs() <= bound, "{missed} missed, {expected} expected ± {bound}");
}

#[test]
fn what_a_method_proposes_is_told_as_the_exhaustive_search_tells_it() {
    let mut corpus = planted(240, 6);
    for document in &mut corpus.documents {
        document.text = english(&document.text);
        document.language = Some("en".to_owned());
    }
    let mut truths: BTreeMap<String, BTreeMap<(u32, u32), Relation>> = BTreeMap::new();
    let mut complaints = String::new();
    for spec in METHODS.iter().filter(|spec| spec.name != "exhaustive") {
        let name = spec.name;
        let job = Job::of(name, Profile::Retold).expect("the name is registered");
        let found = pairs(&corpus, &job);
        let exhaustive = exhaustive_like(&job);
        let key = serde_json::to_string(&exhaustive).expect("plain data");
        let truth = truths.entry(key).or_insert_with(|| pairs(&corpus, &exhaustive));
        assert!(truth.len() >= 60, "{} relations", truth.len());
        for (pair, relation) in &found {
            let told = |relation: &Relation| (relation.kind, relation.scores);
            let (here, there) = (told(relation), truth.get(pair).map(told));
            if there != Some(here) {
                writeln!(complaints, "{name}, {pair:?}: {here:?}, not {there:?}")
                    .expect("a string");
            }
        }
        let recall = found.len() * 100 / truth.len();
        let least = spec.recall.percent;
        assert_eq!(
            least < 100,
            !spec.recall.why.is_empty(),
            "{name} says why it does not find all"
        );
        if recall < least {
            writeln!(complaints, "{name} finds {recall} %, not {least}").expect("a string");
        }
    }
    assert!(complaints.is_empty(), "{complaints}");
}

/// Returns the exhaustive search by the same words, runs of words and rule as a method.
fn exhaustive_like(job: &Job) -> Job {
    let detector = detector(job);
    let rule = detector.rule();
    job.clone()
        .with_method("exhaustive")
        .with_parameter("k", detector.shingles().k())
        .with_parameter("containment", rule.containment)
        .with_parameter("passage_words", rule.passage_words)
}
