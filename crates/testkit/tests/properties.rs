//! What holds for any input.

use proptest::prelude::*;
use retold::{Document, Documents, Find, Job, Kind, METHODS, Profile, Span, TextSettings, compare};
use retold_core::features::{Featurizer, Words};
use retold_testkit::corpus::planted;
use retold_testkit::runs::{pairs, pairs_of};

/// Texts with a few repeated words, so that documents have something in common.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("harbour".to_owned()),
        Just("quay".to_owned()),
        Just("Ilıca".to_owned()),
        Just("it's".to_owned()),
        "[a-zçğışöü]{1,6}",
        "\\PC{1,3}",
    ];
    prop::collection::vec(word, 0..60).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn every_word_lies_where_its_span_says(text in text()) {
        let featurizer = Featurizer::new(TextSettings::default(), 1);
        let document = Document::plain("a", text);
        let mut words = Words::default();
        featurizer.words(&document, &mut words);
        prop_assert_eq!(words.hashes.len(), words.spans.len());
        let mut last = 0;
        for (span, &hash) in words.spans.iter().zip(&words.hashes) {
            prop_assert!(span.start >= last, "words come in order");
            last = span.end;
            let word = span.of(&document.text).expect("spans lie on character borders");
            // The word alone, in a text of the same language, is the same word.
            let language = if document.text.contains(['ı', 'İ']) { "tr" } else { "en" };
            let alone = Document { language: Some(language.to_owned()), ..Document::plain("b", word) };
            let mut again = Words::default();
            featurizer.words(&alone, &mut again);
            prop_assert_eq!(&again.hashes, &vec![hash], "{:?}", word);
        }
    }

    #[test]
    fn a_document_contains_itself(text in text()) {
        let document = Document::plain("a", text);
        let mut words = Words::default();
        Featurizer::new(TextSettings::default(), 1).words(&document, &mut words);
        // Without words it is related to nothing.
        prop_assume!(!words.is_wordless());
        let found = compare(&document, &document, &Job::default()).expect("valid");
        prop_assert_eq!(found.relation(), Some(Kind::Exact));
        prop_assert!((found.scores().a_in_b.get() - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn scores_are_the_same_from_both_sides(a in text(), b in text()) {
        let (a, b) = (Document::plain("a", a), Document::plain("b", b));
        let there = compare(&a, &b, &Job::default()).expect("valid");
        let back = compare(&b, &a, &Job::default()).expect("valid");
        prop_assert_eq!(there.scores(), back.scores().flipped());
    }

    #[test]
    fn passages_are_equal_text_or_say_how_much_differs(a in text(), b in text()) {
        let joined = format!("{a} the harbour board will close the east quay {b}");
        let (a, b) = (Document::plain("a", a), Document::plain("b", joined));
        let found = compare(&a, &b, &Job::default()).expect("valid");
        let featurizer = Featurizer::new(TextSettings::default(), 1);
        let words = |document: &Document, span: Span| {
            let mut words = Words::default();
            featurizer.words(document, &mut words);
            let inside = |s: &Span| s.start >= span.start && s.end <= span.end;
            let keep: Vec<u64> = words.spans.iter().zip(&words.hashes)
                .filter(|(s, _)| inside(s)).map(|(_, &hash)| hash).collect();
            keep
        };
        for passage in &found.evidence().passages {
            let (x, y) = (words(&a, passage.a), words(&b, passage.b));
            if passage.differ == 0 {
                prop_assert_eq!(x, y);
            } else {
                prop_assert!(x.len().max(y.len()) as u32 <= passage.words + passage.differ);
            }
        }
    }
}

#[test]
fn order_of_documents_does_not_matter() {
    let corpus = planted(120, 9);
    for spec in METHODS {
        let job = Job::of(spec.name, Profile::Retold).expect("the name is registered");
        let named = |documents: &[Document]| {
            let mut told: Vec<(String, String, String)> = pairs(documents, &job)
                .into_iter()
                .map(|relation| {
                    let (a, b) = (&documents[relation.a.index()], &documents[relation.b.index()]);
                    let scores = relation.scores;
                    let (id_a, id_b) = (a.id.clone(), b.id.clone());
                    if id_a < id_b {
                        (id_a, id_b, format!("{} {scores:?}", relation.kind))
                    } else {
                        let kind = relation.kind.flipped();
                        (id_b, id_a, format!("{kind} {:?}", scores.flipped()))
                    }
                })
                .collect();
            told.sort();
            told
        };
        let mut reversed = corpus.documents.clone();
        reversed.reverse();
        assert_eq!(named(&corpus.documents), named(&reversed), "{}", spec.name);
    }
}

#[test]
fn one_thread_equals_eight() {
    let corpus = planted(200, 10);
    for (spec, profile) in METHODS.iter().flat_map(|spec| Profile::ALL.map(|of| (spec, of))) {
        let on = |threads| {
            let job = Job::of(spec.name, profile).expect("the name is registered");
            let documents = Documents::new(corpus.documents.clone());
            pairs_of(Find::new(documents).threads(threads), &job)
        };
        assert_eq!(on(1), on(8), "{}, {}", spec.name, profile.name());
    }
}
