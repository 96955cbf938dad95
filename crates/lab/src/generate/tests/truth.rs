//! What is known of made documents.

use std::collections::BTreeMap;

use retold::{Document, Kind, Markup};

use super::{inputs, percent, ten};
use crate::generate::*;

#[test]
fn the_edit_ratio_is_the_share_of_words_that_were_edited() {
    let n = Counts::of(&ten().text).words as f64;
    let ratio = |operation: Operation| {
        let inputs = [ten(), Document::plain("other", "Foreign one.\n\nForeign two.")];
        let made = make(&Plan::of(7, [operation]), &inputs).expect("a good plan");
        (made.pairs[0].edit_ratio, made.log[0].steps[0].changed)
    };
    let (replaced, changed) = ratio(Operation::ReplaceWords { percent: percent(20.0) });
    assert!((replaced - changed.replaced.words as f64 / n).abs() < 1e-12);
    let unit = Unit::Paragraph;
    let (deleted, changed) = ratio(Operation::Delete { percent: percent(30.0), unit });
    assert!((deleted - changed.deleted.words as f64 / n).abs() < 1e-12);
    let (added, changed) = ratio(Operation::AddForeign { percent: percent(30.0), unit });
    let words = changed.added.words as f64;
    assert!((added - words / (n + words)).abs() < 1e-12);
    let (moved, _) = ratio(Operation::Reorder { percent: percent(20.0), unit });
    assert!(moved > 0.1 && moved < 0.8, "{moved}");
}

#[test]
fn what_was_made_changed_with_the_names_of_the_documents() {
    let inputs = inputs();
    let steps = vec![
        Operation::Reorder { percent: percent(50.0), unit: Unit::Sentence },
        Operation::AddForeign { percent: percent(30.0), unit: Unit::Paragraph },
        Operation::ReplaceWords { percent: percent(10.0) },
    ];
    let plan = Plan {
        related: Related::Inputs,
        variants: vec![Variant {
            steps,
            copies: 2,
            documents: percent(30.0),
            ..Variant::default()
        }],
        queries: vec![Query { documents: 5, ..Query::default() }],
        ..Plan::default()
    };
    let texts = |made: Made| -> BTreeMap<String, String> {
        let all = made.documents.into_iter().chain(made.queries);
        all.map(|document| (document.id, document.text)).collect()
    };
    let made = texts(make(&plan, &inputs).expect("a good plan"));
    // Names as in another folder, and names in another order.
    let elsewhere = |i: usize, id: &str| format!("/elsewhere/{i}/{id}");
    let turned = |i: usize, _: &str| format!("{}", 999 - i);
    for rename in [elsewhere as fn(usize, &str) -> String, turned] {
        let renamed: Vec<Document> = inputs
            .iter()
            .enumerate()
            .map(|(i, document)| Document { id: rename(i, &document.id), ..document.clone() })
            .collect();
        let there = make(&plan, &renamed).expect("a good plan");
        let here = make(&plan, &inputs).expect("a good plan");
        let bodies = |made: &Made| -> Vec<String> {
            made.documents.iter().chain(&made.queries).map(|d| d.text.clone()).collect()
        };
        assert_eq!(bodies(&there), bodies(&here));
    }
    // Copies differ, and so do seeds.
    let first = made.keys().find(|name| name.starts_with("en/") && name.ends_with("~1"));
    let first = first.expect("some were made");
    assert_ne!(made[first], made[&first.replace("~1", "~2")]);
    let other = Plan { seed: 2, ..plan };
    assert_ne!(texts(make(&other, &inputs).expect("a good plan")), made);
}

#[test]
fn variants_of_one_document_are_related_to_each_other() {
    let plan = Plan {
        variants: vec![Variant {
            copies: 3,
            steps: vec![Operation::ReplaceWords { percent: percent(2.0) }],
            ..Variant::default()
        }],
        ..Plan::default()
    };
    let made = make(&plan, &[ten()]).expect("a good plan");
    let names: Vec<(&str, &str)> =
        made.pairs.iter().map(|pair| (pair.a.as_str(), pair.b.as_str())).collect();
    assert_eq!(
        names,
        [
            ("ten", "ten~1"),
            ("ten", "ten~2"),
            ("ten~1", "ten~2"),
            ("ten", "ten~3"),
            ("ten~1", "ten~3"),
            ("ten~2", "ten~3")
        ]
    );
    assert!(made.pairs.iter().all(|pair| pair.relation == Some(Kind::NearDuplicate)));
    let inputs = Plan { related: Related::Inputs, ..plan };
    let mut pairs = made.pairs;
    pairs.retain(|pair| pair.a == "ten");
    assert_eq!(make(&inputs, &[ten()]).expect("a good plan").pairs, pairs);
}

#[test]
fn names_are_never_given_twice() {
    let inputs =
        ["a", "a~1", "a", "query"].map(|id| Document::plain(id, "one two three four five"));
    let plan = Plan { queries: vec![Query::default(); 2], ..Plan::of(1, []) };
    let made = make(&plan, &inputs).expect("a good plan");
    let names: Vec<&str> =
        made.documents.iter().chain(&made.queries).map(|document| document.id.as_str()).collect();
    assert_eq!(
        names,
        ["a", "a~1", "a#2", "query", "a~1~", "a~1~1", "a#2~1", "query~1", "query~", "query~~"]
    );
}

#[test]
fn nothing_is_made_of_nothing() {
    let plan = Plan {
        queries: vec![Query::default()],
        ..Plan::of(1, [Operation::Delete { percent: percent(50.0), unit: Unit::Paragraph }])
    };
    let made = make(&plan, &[]).expect("a good plan");
    assert!(made.documents.is_empty() && made.pairs.is_empty());
    assert_eq!(made.queries[0].text, "");
    assert_eq!(made.log[0].steps[0].notes.len(), 2);
}

#[test]
fn a_made_document_keeps_what_is_known_of_its_input() {
    let input = Document {
        title: Some("Ten".into()),
        time: Some("2024-05-01".into()),
        language: Some("en".into()),
        markup: Markup::Html,
        ..Document::plain("page", "<p>Ships wait.</p><p>Nobody knows why.</p>")
    };
    let made = make(&Plan::of(1, []), std::slice::from_ref(&input)).expect("a good plan");
    let copy = &made.documents[1];
    assert_eq!(
        (&copy.title, &copy.time, &copy.language),
        (&input.title, &input.time, &input.language)
    );
    assert_eq!(copy.markup, Markup::Plain);
    assert_eq!(copy.text, made.documents[0].text);
    assert!(!copy.text.contains('<'));
}
