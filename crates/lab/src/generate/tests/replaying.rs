//! What is made can be made again from its log, and is what its reference says.

use std::collections::BTreeMap;

use retold::{Document, Kind, TextSettings};
use retold_core::features::Featurizer;
use retold_core::image::edit::distance;
use retold_core::methods::{self, Profile};
use retold_core::verify::Profile as Compared;
use retold_core::verify::align::compare;
use retold_core::verify::rule::Edits;

use super::{inputs, percent, ten};
use crate::generate::*;

/// Every operation alone, with small and large parameters, and sequences.
fn sequences() -> Vec<Vec<Operation>> {
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect()
    };
    let mut out = Vec::new();
    for unit in [Unit::Paragraph, Unit::Line, Unit::Sentence, Unit::Word] {
        for share in [10.0, 50.0, 100.0] {
            out.push(vec![Operation::Reorder { percent: percent(share), unit }]);
            out.push(vec![Operation::Delete { percent: percent(share), unit }]);
            out.push(vec![Operation::AddForeign { percent: percent(share), unit }]);
        }
        out.push(vec![Operation::AddRepeated { amount: 2, repeats: 3, unit }]);
        let amount = Extent { least: 2, most: 10 };
        for place in [Place::Begin, Place::Middle, Place::End, Place::Any] {
            out.push(vec![Operation::Plant { sources: 2, unit, amount, from: place, into: place }]);
        }
    }
    for share in [1.0, 20.0, 100.0] {
        out.push(vec![Operation::ReplaceWords { percent: percent(share) }]);
        out.push(vec![Operation::ZeroWidth { percent: percent(share) }]);
        out.push(vec![Operation::Hyphens { percent: percent(share) }]);
        out.push(vec![Operation::Spaces { percent: percent(share) }]);
        out.push(vec![Operation::Homoglyphs { percent: percent(share) }]);
        out.push(vec![Operation::Ocr { percent: percent(share / 4.0), table: Vec::new() }]);
        out.push(vec![Operation::ReplaceCharacters {
            pairs: pairs(&[("a", "@"), ("e", "é"), (" t", "t"), ("の", "之"), ("ı", "I")]),
            percent: percent(share),
        }]);
    }
    for place in [Place::Begin, Place::Middle, Place::End, Place::Any] {
        for whole in [1, 2, 10] {
            out.push(vec![Operation::Contain { ratio: Ratio::new(whole), place }]);
            out.push(vec![Operation::Excerpt { ratio: Ratio::new(whole), place }]);
        }
    }
    out.push(vec![Operation::Contain { ratio: Ratio::new(100), place: Place::Any }]);
    out.push(vec![Operation::Excerpt { ratio: Ratio::new(100), place: Place::Any }]);
    let all: Vec<Operation> = out.iter().map(|steps| steps[0].clone()).collect();
    for (i, first) in all.iter().enumerate() {
        let second = all[(i * 7 + 3) % all.len()].clone();
        let third = all[(i * 5 + 11) % all.len()].clone();
        out.push(vec![first.clone(), second, third]);
    }
    out
}

/// Checks that every pair has the scores that `exhaustive` computes. Returns the pairs for which
/// `exhaustive` finds another relation, each with that relation.
fn check_against_exhaustive(made: &Made, inputs: &[Document]) -> Vec<(Pair, Option<Kind>)> {
    let detector = methods::make("exhaustive", Profile::Retold, &serde_json::Map::new(), 1)
        .expect("the method exists");
    let featurizer = Featurizer::new(TextSettings::default(), 1);
    let collection = Collection::new(inputs);
    let all = collection.documents().chain(&made.documents).chain(&made.queries);
    let profiles: BTreeMap<&str, Compared> = all
        .map(|document| {
            let profile = Compared::of(document, &featurizer, detector.shingles());
            (document.id.as_str(), profile)
        })
        .collect();
    let mut different = Vec::new();
    for pair in &made.pairs {
        let (a, b) = (&profiles[pair.a.as_str()], &profiles[pair.b.as_str()]);
        let found = compare(a, b, detector.shingles().k(), Edits::Light).scores;
        assert_eq!(pair.scores, found, "{} and {}", pair.a, pair.b);
        let kind = detector.verify(a, b).map(|(kind, _)| kind);
        if kind != pair.relation {
            different.push((pair.clone(), kind));
        }
        assert!((0.0..=1.0).contains(&pair.edit_ratio));
        // What was counted is a way to edit one into the other; there may be a shorter one.
        let longer = a.n_words().max(b.n_words());
        if longer < 150 {
            let shortest = distance(&a.words.hashes, &b.words.hashes, longer);
            let n_edits = (pair.edit_ratio * longer as f64).round();
            assert!(n_edits >= shortest.unwrap_or(longer) as f64, "{} and {}", pair.a, pair.b);
        }
    }
    different
}

#[test]
fn a_thousand_documents_replay_from_their_log_and_their_truth_is_that_of_exhaustive() {
    let inputs = inputs();
    let mut n_made = 0;
    let mut n_steps: BTreeMap<&'static str, usize> = BTreeMap::new();
    let (mut n_pairs, mut n_different) = (0, 0);
    for (i, steps) in sequences().into_iter().enumerate() {
        let name = steps.iter().map(Operation::name).collect::<Vec<_>>().join(" ");
        let variant = Variant { name, steps, documents: percent(10.0), copies: 1 };
        let related = if i % 8 == 0 { Related::All } else { Related::Inputs };
        let plan = Plan { seed: i as u64, related, variants: vec![variant], ..Plan::default() };
        let made = make(&plan, &inputs).expect("a good plan");
        n_made += made.log.len();

        let log = Log { plan, entries: made.log.clone() };
        let read = Log::parse(&log.to_jsonl()).expect("its own words");
        assert_eq!(read, log);
        let again = replay(&read, &inputs).expect("it replays");
        assert_eq!(again[..], made.documents[inputs.len()..]);
        let remade = remake(&read, &inputs).expect("it replays");
        assert_eq!(remade, made);

        n_pairs += made.pairs.len();
        // What the log says is compared with what the texts say.
        for (pair, kind) in check_against_exhaustive(&remade, &inputs) {
            // Of what decides, only the longest passage may be told otherwise: copied words are
            // counted, not words that happen to be equal.
            let told = [pair.relation, kind];
            assert!(told.contains(&None) && told.contains(&Some(Kind::Partial)), "{pair:?}");
            n_different += 1;
        }
        for step in made.log.iter().flat_map(|entry| &entry.steps) {
            *n_steps.entry(step.done.name()).or_default() += 1;
        }
    }
    assert!(n_made >= 1000, "{n_made}");
    assert_eq!(n_steps.len(), 14, "every operation: {n_steps:?}");
    assert!(n_steps.values().all(|&n| n >= 50), "{n_steps:?}");
    // Damaged and broken words inside of a passage are told by comparing, and not by the log.
    assert!(n_different * 25 < n_pairs, "{n_different} of {n_pairs}");
}

#[test]
fn a_log_that_does_not_belong_to_its_inputs_is_refused() {
    let plan = Plan::of(3, [Operation::ReplaceWords { percent: percent(30.0) }]);
    let made = make(&plan, &[ten()]).expect("a good plan");
    let log = Log { plan, entries: made.log };
    let refused = |log: &Log, inputs: &[Document]| {
        replay(log, inputs).expect_err("it does not fit").to_string()
    };
    assert_eq!(refused(&log, &[]), "`ten~1` is made of `ten`, which is not among the inputs");
    assert_eq!(
        refused(&log, &[Document::plain("ten", "else")]),
        "`ten` is not the text that `ten~1` was made of"
    );
    let mut changed = log.clone();
    changed.entries[0].steps[0].edits[1].was = Some("never".into());
    assert_eq!(refused(&changed, &[ten()]), "`ten~1`, step 1, edit 2: the text there is another");
    let mut changed = log.clone();
    changed.entries[0].steps[0].edits.pop();
    assert_eq!(refused(&changed, &[ten()]), "`ten~1` came out otherwise than the log says");

    let written = log.to_jsonl();
    let unread = |text: &str| Log::parse(text).expect_err("not a log").to_string();
    assert_eq!(unread(""), "line 1: it is empty");
    assert!(unread("{}\n").starts_with("line 1: not the head of a log: missing field"));
    let broken = written.replacen("\"edits\"", "\"edit\"", 1);
    assert!(unread(&broken).starts_with("line 2: missing field `edits`"));
    let newer = written.replacen("\"version\":1", "\"version\":9", 1);
    assert_eq!(unread(&newer), "line 1: version 9 is newer than 1");
}

#[test]
fn the_log_can_be_read_by_people() {
    let inputs = [
        Document::plain("a", "Ships wait. Rain falls.\n\nNobody knows why.\n\nThe end."),
        Document::plain("b", "Foreign words."),
    ];
    let plan = Plan::of(
        3,
        [
            Operation::Delete { percent: percent(20.0), unit: Unit::Paragraph },
            Operation::AddForeign { percent: percent(20.0), unit: Unit::Paragraph },
            Operation::ReplaceWords { percent: percent(20.0) },
        ],
    );
    let made = make(&plan, &inputs).expect("a good plan");
    assert_eq!(made.log[0].told(), TOLD);
}

const TOLD: &str = "\
a~1, made of a (seed 3)
  3 paragraphs, 4 sentences, 9 words, 52 characters → 3, 3, 7, 41
  1. delete 20 % of paragraphs: 1 paragraph, 4 words, 23 characters deleted
     bytes 0-25, paragraph 0 deleted
  2. add-foreign 20 % of paragraphs: 1 paragraph, 2 words, 14 characters added
     bytes 27-27: paragraph 0 (bytes 0-14) of b inserted
  3. replace-words 20 % of words: 1 word, 7 characters replaced
     bytes 29-36, word 5 \"Foreign\" → \"words\"
";
