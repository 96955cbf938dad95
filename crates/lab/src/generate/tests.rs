//! The generator as a whole.

use std::collections::BTreeMap;
use std::fs;

use retold_core::document::{Document, Markup};
use retold_core::features::Featurizer;
use retold_core::features::TextSettings;
use retold_core::image::edit::distance;
use retold_core::methods::{self, Profile};
use retold_core::relation::Kind;
use retold_core::verify::Profile as Compared;
use retold_core::verify::align::compare;

use super::units::{Folding, units, word_spans, words};
use super::*;

/// The sample news that are files of their own, and small texts in other scripts.
fn inputs() -> Vec<Document> {
    let mut documents = Vec::new();
    let samples = retold_samples::samples().join("news");
    for folder in ["en", "tr", "web", "web/tr"] {
        let mut paths: Vec<_> = fs::read_dir(samples.join(folder))
            .expect("the sample news")
            .map(|entry| entry.expect("a readable folder").path())
            .filter(|path| path.is_file())
            .collect();
        paths.sort();
        for path in paths {
            let bytes = fs::read(&path).expect("a readable file");
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let is_page = path.extension().is_some_and(|extension| extension == "html");
            let markup = if is_page { Markup::Html } else { Markup::Plain };
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let id = format!("{folder}/{name}");
            documents.push(Document { markup, ..Document::plain(id, text) });
        }
    }
    let plain = |id: &str, text: &str| Document::plain(id, text);
    documents.extend([
        plain("cjk", "東京は今日も晴れ。気温は25度まで上がる。\n\n大阪では雨が降る。風も強い！\n\n北海道は雪、最低気温は2%下がった。"),
        plain("thai", "สวัสดีชาวโลก วันนี้อากาศดี\n\nพรุ่งนี้ฝนจะตก และลมแรงมาก"),
        plain("turkic", "IŞIK ISINDI. Irmak İzmir'den ılık akar; 2% arttı.\n\nIĞDIR'da ışıklar söndü.\n\nİkinci gün başladı."),
        plain("marks", "Cafe\u{301} na\u{308}\u{131}ve 5%'a <b> x=\u{338} y ' '' z'z'.\n\n% 7% 'q' ’r’ s’t"),
        plain("one paragraph", "There is one paragraph here. It has three sentences. This is the last of them."),
        plain("one word", "Alone"),
        plain("no word", " ... \n\n --- \n"),
        plain("nothing", ""),
        Document { language: Some("tr".into()), ..plain("named", "ISI ARTTI. Irmak taşar.\n\nIsı yine düştü, ırmak çekildi.") },
        Document { language: Some("en".into()), ..plain("misnamed", "Irmak ısındı ve ISI arttı.\n\nIT IS IN ISTANBUL, İstanbul.") },
    ]);
    let numbered = |i: usize| {
        format!("Paragraph number {i} speaks of ships, of rain and of item {}.", i * 7919 % 101)
    };
    for n in [2, 3, 5, 10, 20, 40] {
        let text: Vec<String> = (0..n).map(numbered).collect();
        documents.push(plain(&format!("numbered {n}"), &text.join("\n\n")));
    }
    documents
}

fn percent(value: f64) -> Percent {
    Percent::new(value)
}

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

/// Checks the scores of every pair against the method that compares all and leaves nothing out.
/// Returns the pairs whose relation is told otherwise.
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
        let found = compare(a, b, detector.shingles().k()).scores;
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
    assert_eq!(n_steps.len(), 12, "every operation: {n_steps:?}");
    assert!(n_steps.values().all(|&n| n >= 50), "{n_steps:?}");
    assert!(n_different * 50 < n_pairs, "{n_different} of {n_pairs}");
}

/// Ten paragraphs of three sentences, none of them alike.
fn ten() -> Document {
    let paragraph = |i: usize| {
        format!(
            "Alpha{i} banana{i} cat{i}. Delta{i} eagle{i} fan{i} and gala{i}! Has{i} it ended{i}?"
        )
    };
    Document::plain("ten", (0..10).map(paragraph).collect::<Vec<_>>().join("\n\n"))
}

/// Makes one document of `ten`, beside another document.
fn one(operation: Operation) -> (Document, Entry) {
    let other = "Foreign one. It is short.\n\nForeign two is short too.\n\nForeign three.";
    let inputs = [ten(), Document::plain("other", other)];
    let mut made = make(&Plan::of(7, [operation]), &inputs).expect("a good plan");
    (made.documents.swap_remove(2), made.log.swap_remove(0))
}

fn paragraphs(document: &Document) -> Vec<&str> {
    document.text.split("\n\n").collect()
}

#[test]
fn deleting_rounds_half_up_and_takes_at_least_one() {
    // T-GEN.
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

#[test]
fn repeating_two_paragraphs_three_times_makes_sixteen_of_ten() {
    // T-GEN.
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

#[test]
fn a_pair_of_characters_changes_every_occurrence_or_a_share() {
    // T-GEN.
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
            // All of it stands there, unless its letters are folded otherwise among others.
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

fn units_of(inputs: &[Document], name: &str, span: retold_core::document::Span) -> usize {
    let document = inputs.iter().find(|document| document.id == name).expect("an input");
    Counts::of(span.of(&document.text).expect("a stretch of it")).sentences
}

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
