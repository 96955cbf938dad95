//! Queries that are pasted together.

use retold::{Document, Span};

use crate::generate::*;

#[test]
fn a_query_takes_equal_subsets_from_begin_middle_and_end() {
    let long = |i: usize| {
        let text: Vec<String> =
            (0..20).map(|n| format!("Text {i} has sentence {n} here.")).collect();
        Document::plain(format!("d{i:02}"), text.join(" "))
    };
    let mut inputs: Vec<Document> = (0..30).map(long).collect();
    inputs.push(Document::plain("short", "Only one sentence."));
    let query = Query { documents: 9, ..Query::default() };
    let plan = Plan { queries: vec![query], ..Plan::default() };
    let made = make(&plan, &inputs).expect("a good plan");
    assert_eq!((made.documents.len(), made.queries.len()), (31, 1));
    let entry = &made.log[0];
    assert_eq!((entry.steps.len(), entry.input.clone()), (3, None));
    let mut sources = Vec::new();
    for (step, place) in entry.steps.iter().zip([Place::Begin, Place::Middle, Place::End]) {
        assert_eq!(step.edits.len(), 3);
        for edit in &step.edits {
            let copied = edit.put.iter().find_map(|put| match put {
                Put::Copy { from: Some(from), span, unit } => Some((from, span, unit)),
                _ => None,
            });
            let (from, span, unit) = copied.expect("a stretch");
            sources.push(from.clone());
            let n = units_of(&inputs, from, *span);
            assert!((2..=10).contains(&n));
            let first = unit.expect("its first sentence");
            match place {
                Place::Begin => assert_eq!(first, 0),
                Place::Middle => assert_eq!(first, (20 - n) / 2),
                _ => assert_eq!(first + n, 20),
            }
        }
    }
    sources.sort();
    sources.dedup();
    assert_eq!(sources.len(), 9, "each document once");
    let pairs: Vec<&str> = made.pairs.iter().map(|pair| pair.a.as_str()).collect();
    assert_eq!(pairs, sources);
    let fewer = Plan {
        queries: vec![Query { documents: 99, spread: Spread::Every, ..Query::default() }],
        ..Plan::default()
    };
    let made = make(&fewer, &inputs).expect("a good plan");
    assert_eq!(made.log[0].steps[0].notes, ["only 30 of 99 documents were found"]);
    assert!(made.log[0].steps.iter().all(|step| step.edits.len() == 30));
}

fn units_of(inputs: &[Document], name: &str, span: Span) -> usize {
    let document = inputs.iter().find(|document| document.id == name).expect("an input");
    Counts::of(span.of(&document.text).expect("a stretch of it")).sentences
}
