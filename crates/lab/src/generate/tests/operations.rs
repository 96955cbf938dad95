//! Each operation by itself.

use std::collections::BTreeMap;

use retold::{Document, Kind};

use super::{inputs, one, paragraphs, percent, ten};
use crate::generate::units::{Folding, units, word_spans, words};
use crate::generate::*;

/// Vector T-GEN of testdata/VECTORS.md.
#[test]
fn deleting_rounds_half_up_and_takes_at_least_one() {
    for (share, n_left) in [(25.0, 7), (1.0, 9), (0.0, 10), (100.0, 1)] {
        let operation = Operation::Delete { percent: percent(share), unit: Unit::Paragraph };
        let (document, entry) = one(operation);
        assert_eq!(entry.after.paragraphs, n_left, "{share}");
        assert_eq!(entry.steps[0].changed.deleted.units, 10 - n_left);
        let source = ten();
        let all = paragraphs(&source);
        let left: Vec<&str> =
            paragraphs(&document).into_iter().filter(|text| !text.is_empty()).collect();
        let mut rest = all.iter();
        assert!(left.iter().all(|text| rest.any(|other| other == text)), "in order and unchanged");
        assert_eq!(left.len(), n_left);
    }
}

#[test]
fn deleting_emptied_documents_of_one_paragraph() {
    let of = |text: &str, share: f64, unit: Unit| {
        let operation = Operation::Delete { percent: percent(share), unit };
        let inputs = [Document::plain("d", text)];
        let mut made = make(&Plan::of(7, [operation]), &inputs).expect("a good plan");
        (made.documents.swap_remove(1).text, made.log.swap_remove(0).steps.swap_remove(0))
    };
    let (text, step) = of("There is one paragraph.", 25.0, Unit::Paragraph);
    assert_eq!(text, "There is one paragraph.");
    assert_eq!(step.notes, ["one paragraph always stays: 0 of 1 went"]);
    assert_eq!((step.edits.len(), step.changed.deleted.units), (0, 0));
    let (text, step) = of("First.\n\nSecond.", 100.0, Unit::Paragraph);
    assert!(text == "First." || text == "Second.", "{text}");
    assert_eq!(step.notes, ["one paragraph always stays: 1 of 2 went"]);
    let (text, step) = of("Alone", 1.0, Unit::Word);
    assert_eq!((text.as_str(), &*step.notes[0]), ("Alone", "one word always stays: 0 of 1 went"));
    let (text, step) = of("First.\n\nSecond.", 50.0, Unit::Paragraph);
    assert!(!text.is_empty() && step.notes.is_empty());
    let (text, step) = of(" \n", 50.0, Unit::Paragraph);
    assert!(text == " \n" && step.notes.is_empty());
}

/// Vector T-GEN of testdata/VECTORS.md.
#[test]
fn repeating_two_paragraphs_three_times_makes_sixteen_of_ten() {
    let (document, entry) =
        one(Operation::AddRepeated { amount: 2, repeats: 3, unit: Unit::Paragraph });
    assert_eq!((entry.before.paragraphs, entry.after.paragraphs), (10, 16));
    let source = ten();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for text in paragraphs(&document) {
        *counts.entry(text).or_default() += 1;
    }
    let mut counts: Vec<usize> = paragraphs(&source).into_iter().map(|text| counts[text]).collect();
    counts.sort_unstable();
    assert_eq!(counts, [1, 1, 1, 1, 1, 1, 1, 1, 4, 4]);
}

/// Vector T-GEN of testdata/VECTORS.md.
#[test]
fn a_pair_of_characters_changes_every_occurrence_or_a_share() {
    let source = ten().text;
    let n = source.matches('a').count();
    let pairs = vec![("a".to_owned(), "@".to_owned())];
    let all = Operation::ReplaceCharacters { pairs: pairs.clone(), percent: percent(100.0) };
    let (document, entry) = one(all);
    assert_eq!(document.text, source.replace('a', "@"));
    assert_eq!(entry.steps[0].changed.replaced.characters, n);
    let half = Operation::ReplaceCharacters { pairs, percent: percent(50.0) };
    let (document, _) = one(half);
    assert_eq!(document.text.matches('@').count(), n.div_ceil(2));
    assert_eq!(document.text.replace('@', "a"), source);
}

#[test]
fn characters_are_replaced_all_at_once_and_the_longest_first() {
    let pairs = [("a", "b"), ("b", "a"), ("ab", "x"), ("c", "")];
    let pairs = pairs.map(|(from, to)| (from.to_owned(), to.to_owned())).to_vec();
    let operation = Operation::ReplaceCharacters { pairs, percent: percent(100.0) };
    let made = make(&Plan::of(1, [operation]), &[Document::plain("d", "a b ab ba cab")]);
    assert_eq!(made.expect("a good plan").documents[1].text, "b a x ab x");
}

#[test]
fn reordering_moves_every_chosen_paragraph_and_keeps_them_all() {
    for share in [30.0, 100.0] {
        let (document, entry) =
            one(Operation::Reorder { percent: percent(share), unit: Unit::Paragraph });
        let source = ten();
        let (before, after) = (paragraphs(&source), paragraphs(&document));
        let n_moved = before.iter().zip(&after).filter(|(x, y)| x != y).count();
        assert_eq!(n_moved, percent(share).of(10));
        assert_eq!(entry.steps[0].changed.moved.units, n_moved);
        let sorted = |mut texts: Vec<&str>| {
            texts.sort_unstable();
            texts.join(" ")
        };
        assert_eq!(sorted(before), sorted(after));
    }
}

#[test]
fn foreign_paragraphs_come_from_other_documents() {
    let (document, entry) =
        one(Operation::AddForeign { percent: percent(25.0), unit: Unit::Paragraph });
    assert_eq!(entry.after.paragraphs, 13);
    let n_foreign =
        paragraphs(&document).into_iter().filter(|text| text.starts_with("Foreign")).count();
    assert_eq!(n_foreign, 3);
    let (document, entry) =
        one(Operation::AddForeign { percent: percent(10.0), unit: Unit::Sentence });
    assert_eq!((entry.after.paragraphs, entry.after.sentences), (10, 33));
    assert!(document.text.contains("oreign") || document.text.contains("short"));
}

#[test]
fn alone_there_is_nothing_foreign_and_the_log_says_so() {
    for operation in [
        Operation::AddForeign { percent: percent(10.0), unit: Unit::Paragraph },
        Operation::Contain { ratio: Ratio::new(10), place: Place::Any },
        Operation::Plant {
            sources: 1,
            unit: Unit::Sentence,
            amount: Extent::exactly(2),
            from: Place::Any,
            into: Place::Any,
        },
    ] {
        // A second copy of the same text is nothing foreign either.
        let copy = Document { id: "copy".into(), ..ten() };
        for inputs in [vec![ten()], vec![ten(), copy]] {
            let made = make(&Plan::of(7, [operation.clone()]), &inputs).expect("a good plan");
            assert_eq!(made.documents[inputs.len()].text, ten().text);
            let notes = &made.log[0].steps[0].notes;
            let is_said = notes.iter().any(|note| note.starts_with("there is no other document"));
            assert!(is_said, "{notes:?}");
            assert_eq!(made.pairs[0].relation, Some(Kind::Exact));
        }
    }
}

#[test]
fn replaced_words_are_so_many_and_others() {
    let (document, entry) = one(Operation::ReplaceWords { percent: percent(10.0) });
    let (before, after) =
        (words(&ten().text, Folding::Lower), words(&document.text, Folding::Lower));
    assert_eq!(before.hashes.len(), after.hashes.len());
    let n_changed = before.hashes.iter().zip(&after.hashes).filter(|(x, y)| x != y).count();
    assert_eq!(n_changed, percent(10.0).of(before.hashes.len()));
    assert_eq!(entry.steps[0].changed.replaced.words, n_changed);
    for edit in &entry.steps[0].edits {
        let Put::Text(new) = &edit.put[0] else { panic!("a word was copied") };
        let known = format!("{} Foreign one It is short two too three", ten().text);
        assert!(known.contains(new.as_str()), "{new}");
    }
}

#[test]
fn words_may_come_from_a_dictionary_and_do_not_run_together() {
    let plan = Plan {
        dictionary: vec!["zebra".to_owned()],
        ..Plan::of(3, [Operation::ReplaceWords { percent: percent(100.0) }])
    };
    let input = Document::plain("d", "2024年の“夏”is over, don't wait. zebra");
    let made = make(&plan, &[input]).expect("a good plan");
    let text = &made.documents[1].text;
    assert_eq!(text, "zebra zebra zebra“zebra”zebra zebra, zebra zebra. zebra");
    assert_eq!(made.log[0].steps[0].notes, ["no other word was found for 1 words"]);
}

#[test]
fn deleting_a_word_or_a_sentence_leaves_the_stronger_mark() {
    let input = "One two, three. Four five.\n\nSix seven.";
    let deleted = |unit: Unit, seeds: std::ops::Range<u64>| -> Vec<String> {
        let mut all: Vec<String> = seeds
            .map(|seed| {
                let plan = Plan::of(seed, [Operation::Delete { percent: percent(1.0), unit }]);
                let made = make(&plan, &[Document::plain("d", input)]).expect("a good plan");
                made.documents[1].text.clone()
            })
            .collect();
        all.sort();
        all.dedup();
        all
    };
    assert_eq!(
        deleted(Unit::Sentence, 0..40),
        ["Four five.\n\nSix seven.", "One two, three.\n\nSix seven.", "One two, three. Four five.",]
    );
    let words = deleted(Unit::Word, 0..100);
    assert_eq!(words.len(), 7);
    assert!(words.contains(&"One two. Four five.\n\nSix seven.".to_owned()), "{words:?}");
    assert!(words.contains(&"One, three. Four five.\n\nSix seven.".to_owned()), "{words:?}");
}

#[test]
fn unseen_characters_change_no_word() {
    let inputs = inputs();
    let plan = Plan::of(5, [Operation::ZeroWidth { percent: percent(30.0) }]);
    let made = make(&plan, &inputs).expect("a good plan");
    for (pair, entry) in made.pairs.iter().zip(&made.log) {
        if entry.before.words > 0 && entry.input.as_deref() != Some("thai") {
            assert!(entry.after.characters > entry.before.characters);
            assert_eq!((pair.relation, pair.edit_ratio), (Some(Kind::Exact), 0.0), "{}", pair.a);
        }
    }
}

#[test]
fn noise_and_disguise_change_as_many_characters_as_they_say() {
    let source = ten().text;
    let n_seen = source.chars().filter(|c| !c.is_whitespace()).count();
    let table = Vec::new();
    let (_, entry) = one(Operation::Ocr { percent: percent(5.0), table });
    assert_eq!(entry.steps[0].edits.len(), percent(5.0).of(n_seen));
    let table = vec![("a".to_owned(), "ä".to_owned())];
    let (document, entry) = one(Operation::Ocr { percent: percent(100.0), table });
    assert_eq!(document.text, source.replace('a', "ä"));
    assert!(entry.steps[0].notes[0].starts_with("only "), "{:?}", entry.steps[0].notes);
    let (document, entry) = one(Operation::Homoglyphs { percent: percent(20.0) });
    let n_strange = document.text.chars().filter(|c| !c.is_ascii()).count();
    assert_eq!(n_strange, entry.steps[0].edits.len());
    assert_eq!(document.text.chars().count(), source.chars().count());
}

#[test]
fn long_words_are_broken_over_lines_and_by_spaces() {
    let source = ten().text;
    let is_long = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() >= 5;
    let n_long = source.split_whitespace().filter(is_long).count();
    let (document, entry) = one(Operation::Hyphens { percent: percent(100.0) });
    assert_eq!(document.text.replace("-\n", ""), source);
    assert_eq!(entry.steps[0].edits.len(), n_long);
    let (document, entry) = one(Operation::Spaces { percent: percent(100.0) });
    let letters = |text: &str| text.split_whitespace().collect::<String>();
    assert_eq!(letters(&document.text), letters(&source));
    assert_eq!(entry.steps[0].edits.len(), n_long);
}

#[test]
fn a_document_becomes_a_part_of_the_size_asked_for() {
    let inputs = inputs();
    for (whole, place) in [
        (1, Place::Any),
        (2, Place::Begin),
        (10, Place::Middle),
        (50, Place::End),
        (1000, Place::Any),
    ] {
        let operation = Operation::Contain { ratio: Ratio::new(whole), place };
        let variant = Variant { documents: percent(5.0), ..Variant::default() };
        let plan = Plan {
            related: Related::Inputs,
            variants: vec![Variant { steps: vec![operation], ..variant }],
            ..Plan::default()
        };
        let made = make(&plan, &inputs).expect("a good plan");
        for entry in made.log.iter().filter(|entry| entry.before.words > 0) {
            assert_eq!(entry.after.words, entry.before.words * whole as usize, "{}", entry.output);
            let pair = made
                .pairs
                .iter()
                .find(|pair| Some(&pair.a) == entry.input.as_ref() && pair.b == entry.output);
            let scores = pair.expect("it was made of it").scores;
            // All of it is contained, unless other text around it changes how letters are folded.
            assert!(scores.a_in_b.get() > 0.5, "{}", entry.output);
        }
    }
    for (whole, place) in [(1, Place::Any), (2, Place::Begin), (3, Place::Middle), (4, Place::End)]
    {
        let (document, entry) = one(Operation::Excerpt { ratio: Ratio::new(whole), place });
        let n = entry.before.words as f64 / f64::from(whole);
        assert!((entry.after.words as f64 - n).abs() <= 0.5, "{whole}");
        assert!(ten().text.contains(&document.text));
        assert_eq!(ten().text.starts_with(&document.text), place == Place::Begin || whole == 1);
        assert_eq!(ten().text.ends_with(&document.text), place == Place::End || whole == 1);
    }
}

#[test]
fn planted_stretches_are_taken_and_put_where_they_should() {
    let source = ten();
    let host = Document::plain("host", "Host one.\n\nHost two.\n\nHost three.\n\nHost four.");
    let sentences = |text: &str| -> Vec<String> {
        let found = units(text, Unit::Sentence, &word_spans(text));
        found.into_iter().map(|at| text[at].to_owned()).collect()
    };
    let all = sentences(&source.text);
    for (from, into) in
        [(Place::Begin, Place::End), (Place::Middle, Place::Begin), (Place::End, Place::Middle)]
    {
        let plant = Operation::Plant {
            sources: 1,
            unit: Unit::Sentence,
            amount: Extent::exactly(6),
            from,
            into,
        };
        let inputs = [host.clone(), source.clone()];
        let made = make(&Plan::of(2, [plant]), &inputs).expect("a good plan");
        let planted = sentences(&made.documents[2].text);
        assert_eq!(planted.len(), 10);
        let at = match into {
            Place::Begin => 0,
            Place::Middle => 2,
            _ => 4,
        };
        let first = match from {
            Place::Begin => 0,
            Place::Middle => 12,
            _ => 24,
        };
        assert_eq!(planted[at..at + 6], all[first..first + 6]);
        // What was planted is listed with its places in both texts.
        let span = made.spans.iter().find(|span| span.a == "ten" && span.b == "host~1");
        let span = span.expect("it was copied");
        let (here, there) = (span.a_span.of(&source.text), span.b_span.of(&made.documents[2].text));
        assert_eq!(here, there);
        assert_eq!(here.map(|text| sentences(text).len()), Some(6));
    }
}
