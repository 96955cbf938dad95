//! Striking compared with its definition, on texts made to overlap and repeat themselves.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use retold_core::document::{Document, Markup, Span};
use retold_core::hash::Random;
use serde_json::Value;

use super::{
    Level, Rebuild, Strike, StrikeKind, StrikeRow, StrikeSettings, StrikeTables, Struck, rebuild,
};
use crate::job::Job;
use crate::keep::Keep;
use crate::progress::{Progress, Stage};
use crate::resources::Resources;
use crate::source::{Documents, Files};

fn passages(min_words: u32) -> StrikeSettings {
    StrikeSettings { min_words: Some(min_words), ..StrikeSettings::default() }
}

fn strike_with(
    documents: &[Document],
    against: &[Document],
    settings: StrikeSettings,
    keep: &Keep,
    resources: Resources,
) -> Struck {
    let mut struck = Struck::new();
    let mut strike = Strike::new(Documents::new(documents.to_vec()))
        .settings(settings)
        .job(Job::default().with_keep(keep.clone()))
        .resources(resources);
    if !against.is_empty() {
        strike = strike.against(Documents::new(against.to_vec()));
    }
    strike.run(&mut struck).expect("it runs");
    struck
}

fn strike(documents: &[Document], settings: StrikeSettings) -> Struck {
    strike_with(documents, &[], settings, &Keep::First, Resources::new().threads(1))
}

fn plain(texts: &[String]) -> Vec<Document> {
    let name = |(n, text): (usize, &String)| Document::plain(n.to_string(), text.as_str());
    texts.iter().enumerate().map(name).collect()
}

/// Words of a text of words, blanks and line ends, with their bytes.
fn words(text: &str) -> Vec<(Span, &str)> {
    let mut out = Vec::new();
    let mut at = 0;
    for word in text.split([' ', '\n']) {
        if !word.is_empty() {
            out.push((Span::new(at, at + word.len() as u32), word));
        }
        at += word.len() as u32 + 1;
    }
    out
}

/// Texts of few different words that repeat each other and themselves.
fn texts(random: &mut Random, n: usize, n_words: usize, alphabet: usize) -> Vec<String> {
    let mut out: Vec<Vec<String>> = Vec::new();
    for _ in 0..n {
        let mut text: Vec<String> = Vec::new();
        while text.len() < n_words {
            match random.below(4) {
                0 if !out.is_empty() => {
                    let other = &out[random.below(out.len())];
                    let from = random.below(other.len());
                    let until = (from + 1 + random.below(20)).min(other.len());
                    text.extend_from_slice(&other[from..until]);
                }
                1 if !text.is_empty() => {
                    let from = random.below(text.len());
                    let until = (from + 1 + random.below(20)).min(text.len());
                    text.extend_from_within(from..until);
                }
                _ => text.push(format!("w{}", random.below(alphabet))),
            }
        }
        text.truncate(random.below(n_words) + 1);
        out.push(text);
    }
    out.into_iter().map(|text| text.join(" ")).collect()
}

/// The definition: every word of a run whose words stood before, without overlapping it.
fn by_definition(texts: &[String], order: &[usize], width: usize) -> Vec<Vec<bool>> {
    let mut firsts: HashMap<Vec<&str>, (usize, usize)> = HashMap::new();
    let mut struck: Vec<Vec<bool>> =
        texts.iter().map(|text| vec![false; words(text).len()]).collect();
    for &doc in order {
        let all: Vec<&str> = words(&texts[doc]).into_iter().map(|(_, word)| word).collect();
        for (at, run) in all.windows(width).enumerate() {
            let &mut (first, from) = firsts.entry(run.to_vec()).or_insert((doc, at));
            if first != doc || from + width <= at {
                struck[doc][at..at + width].fill(true);
            }
        }
    }
    struck
}

/// Returns which words of a document are struck.
fn struck_words(text: &str, strikes: &[&StrikeRow]) -> Vec<bool> {
    let holds = |span: Span, word: Span| span.start <= word.start && word.end <= span.end;
    let is_struck = |word: Span| strikes.iter().any(|strike| holds(strike.span, word));
    words(text).into_iter().map(|(word, _)| is_struck(word)).collect()
}

fn of_document(struck: &Struck, doc: usize) -> Vec<&StrikeRow> {
    let id = doc.to_string();
    struck.strikes().iter().filter(|strike| strike.id == id).collect()
}

/// Checks what must hold of any list of strikes of plain texts; those of an archive come last.
fn check(texts: &[String], struck: &Struck, is_exact: bool) {
    let gone: Vec<Vec<bool>> =
        (0..texts.len()).map(|doc| struck_words(&texts[doc], &of_document(struck, doc))).collect();
    for (doc, text) in texts.iter().enumerate().take(struck.texts().len()) {
        let strikes = of_document(struck, doc);
        let n_left = gone[doc].iter().filter(|&&is_gone| !is_gone).count();
        assert_eq!(struck.documents()[doc].left_words as usize, n_left, "{text:?} {strikes:#?}");
        let spans = strikes.iter().map(|strike| (strike.span, strike.text.as_str()));
        assert_eq!(rebuild(&struck.texts()[doc], spans).as_ref(), Some(text));
        for both in strikes.windows(2) {
            assert!(both[0].span.end <= both[1].span.start);
        }
        for strike in strikes {
            assert_eq!(strike.span.of(text), Some(strike.text.as_str()));
            assert!(strike.kind != StrikeKind::Boilerplate || strike.twins.is_empty());
            let mut n_words = 0;
            for twin in &strike.twins {
                let of = twin.of.of(text).expect("characters");
                let other: usize = twin.id.parse().expect("a number");
                assert_eq!(twin.span.of(&texts[other]), Some(of));
                n_words += words(of).len();
                for ((word, _), is_gone) in words(&texts[other]).into_iter().zip(&gone[other]) {
                    let is_apart = word.end <= twin.span.start || word.start >= twin.span.end;
                    assert!(is_apart || !is_gone, "a twin is struck: {strike:?}");
                }
            }
            if is_exact {
                assert_eq!(n_words, strike.words as usize, "{strike:?}");
                assert_eq!(strike.kind, StrikeKind::Repeat);
            }
        }
    }
}

#[test]
fn exactly_the_words_of_the_definition_are_struck() {
    let mut random = Random::new(7);
    for round in 0..300 {
        let (alphabet, width) = ([1, 2, 3, 30][round % 4], 2 + random.below(9));
        let texts = texts(&mut random, 5, 60, alphabet);
        let mut order: Vec<usize> = (0..texts.len()).collect();
        let keep = if round % 2 == 0 { Keep::First } else { Keep::Longest };
        if keep == Keep::Longest {
            order.sort_by_key(|&doc| std::cmp::Reverse(words(&texts[doc]).len()));
        }
        let resources = Resources::new().threads(1);
        let struck = strike_with(&plain(&texts), &[], passages(width as u32), &keep, resources);
        let expected = by_definition(&texts, &order, width);
        for (doc, expected) in expected.iter().enumerate() {
            let found = struck_words(&texts[doc], &of_document(&struck, doc));
            assert_eq!(found, *expected, "{width} words in {texts:#?}, document {doc}");
        }
        check(&texts, &struck, true);
        // Strikes are as long as can be: between two of them something is left.
        for doc in 0..texts.len() {
            for both in of_document(&struck, doc).windows(2) {
                assert!(both[0].span.end < both[1].span.start);
            }
        }
    }
}

#[test]
fn units_that_stood_before_are_struck_and_no_others() {
    let mut random = Random::new(8);
    for round in 0..100 {
        let least = round % 4;
        let texts: Vec<String> = (0..4)
            .map(|_| {
                let line = |random: &mut Random| texts(random, 1, 6, 2).remove(0);
                let lines: Vec<String> = (0..12).map(|_| line(&mut random)).collect();
                lines.join("\n")
            })
            .collect();
        let settings = StrikeSettings { level: Level::Line, min_words: Some(least), ..passages(0) };
        let struck = strike(&plain(&texts), settings);
        let mut seen = HashSet::new();
        for (text, left) in texts.iter().zip(struck.texts()) {
            let is_new =
                |line: &&str| words(line).len() < least as usize || seen.insert((*line).to_owned());
            let expected: Vec<&str> = text.lines().filter(is_new).collect();
            let found: Vec<&str> = left.lines().collect();
            assert_eq!(found, expected);
        }
        check(&texts, &struck, true);
    }
}

/// Texts of units that repeat each other, some of them with edits.
fn texts_of_units(random: &mut Random, level: Level) -> Vec<String> {
    let known: Vec<Vec<String>> = (0..12)
        .map(|_| (0..=random.below(30)).map(|_| format!("w{}", random.below(6))).collect())
        .collect();
    let unit = |random: &mut Random| {
        let mut unit = known[random.below(known.len())].clone();
        for _ in 0..random.below(3) {
            let at = random.below(unit.len());
            unit[at] = format!("w{}", random.below(6));
        }
        let text = unit.join(" ");
        if level == Level::Sentence { format!("W{}.", &text[1..]) } else { text }
    };
    let between = match level {
        Level::Passage | Level::Sentence => " ",
        Level::Paragraph => "\n\n",
        Level::Line => "\n",
    };
    let text = |random: &mut Random| {
        let units: Vec<String> = (0..=random.below(6)).map(|_| unit(random)).collect();
        units.join(between)
    };
    (0..12).map(|_| text(random)).collect()
}

/// Near-equal passages reached across boilerplate once, so that strikes overlapped.
#[test]
fn no_options_together_strike_a_word_twice_or_a_twin() {
    let mut random = Random::new(11);
    let levels = [Level::Passage, Level::Paragraph, Level::Line, Level::Sentence];
    let mut n_of_kind = [0; 3];
    for round in 0..600 {
        let level = levels[round % 4];
        let made = texts_of_units(&mut random, level);
        let n_new = if random.below(3) == 0 { 8 } else { made.len() };
        let documents: Vec<Document> = plain(&made)
            .into_iter()
            .map(|document| Document {
                source: [None, Some("ap".into())][random.below(2)].clone(),
                ..document
            })
            .collect();
        let settings = StrikeSettings {
            level,
            differ: if level == Level::Passage { [0.0, 0.1, 0.2][random.below(3)] } else { 0.0 },
            boilerplate: [None, Some(2), Some(4)][random.below(3)],
            ..passages(2 + random.below(12) as u32)
        };
        let keep = [Keep::First, Keep::Longest][random.below(2)].clone();
        let (new, old) = documents.split_at(n_new);
        let struck = strike_with(new, old, settings, &keep, Resources::new().threads(1));
        check(&made, &struck, settings.differ <= 0.0 && settings.boilerplate.is_none());
        for strike in struck.strikes() {
            n_of_kind[strike.kind as usize] += 1;
        }
    }
    assert!(n_of_kind.iter().all(|&n| n > 100), "{n_of_kind:?}");
}

#[test]
fn threads_and_memory_change_nothing() {
    let mut random = Random::new(9);
    let made = texts(&mut random, 60, 400, 20);
    let (new, old) = made.split_at(40);
    let levels = [Level::Passage, Level::Sentence, Level::Line];
    for (level, differ) in levels.into_iter().zip([0.1, 0.0, 0.0]) {
        let settings = StrikeSettings {
            level,
            differ,
            boilerplate: Some(9),
            least_left: Some(0.3),
            ..passages(12)
        };
        let run = |resources| {
            let struck = strike_with(&plain(new), &plain(old), settings, &Keep::Longest, resources);
            (struck.strikes().to_vec(), struck.texts().to_vec(), struck.documents().to_vec())
        };
        let one = run(Resources::new().threads(1));
        assert!(level != Level::Passage || !one.0.is_empty());
        assert!(one == run(Resources::new().threads(4)));
        assert!(one == run(Resources::new().threads(3).spill(100)));
        assert!(one == run(Resources::new().threads(1).memory(64 << 20)));
    }
}

#[test]
fn near_equal_passages_are_struck_with_their_edits() {
    let mut random = Random::new(10);
    let (mut n_found, mut n_planted) = (0, 0);
    for _ in 0..60 {
        let other = |random: &mut Random, n: usize| -> Vec<String> {
            (0..n).map(|_| format!("w{}", random.below(4_000))).collect()
        };
        let passage = other(&mut random, 100);
        let mut edited = passage.clone();
        for _ in 0..5 {
            let at = random.below(edited.len());
            match random.below(3) {
                0 => edited[at] = "edited".to_owned(),
                1 => edited.insert(at, "added".to_owned()),
                _ => drop(edited.remove(at)),
            }
        }
        let around = |random: &mut Random, middle: &[String]| {
            [other(random, 30), middle.to_vec(), other(random, 30)].concat().join(" ")
        };
        let texts = vec![around(&mut random, &passage), around(&mut random, &edited)];
        let settings = StrikeSettings { differ: 0.06, ..passages(50) };
        let struck = strike(&plain(&texts), settings);
        check(&texts, &struck, false);
        assert!(of_document(&struck, 0).is_empty());
        n_planted += edited.len();
        n_found +=
            struck_words(&texts[1], &of_document(&struck, 1)).iter().filter(|&&is| is).count();
    }
    assert!(n_found * 100 >= n_planted * 95, "{n_found} of {n_planted}");
}

#[test]
fn what_an_archive_holds_goes_and_the_archive_stays() {
    let line = |n: usize| (0..12).map(|i| format!("w{n}x{i}")).collect::<Vec<_>>().join(" ");
    let new = plain(&[format!("{} {}", line(1), line(2)), line(2)]);
    let old = vec![Document::plain("old", format!("{} {}", line(1), line(1)))];
    let resources = Resources::new().threads(1);
    let struck = strike_with(&new, &old, passages(10), &Keep::First, resources);
    assert_eq!(struck.texts(), [line(2), String::new()]);
    let twins: Vec<&str> = struck.strikes().iter().map(|row| row.twins[0].id.as_str()).collect();
    assert_eq!(twins, ["old", "0"]);
    assert_eq!((struck.documents()[1].left_words, struck.documents()[1].left_bytes), (0, 0));
}

#[test]
fn boilerplate_goes_from_its_source_and_stays_in_others() {
    let footer = "Sign up for our newsletter and never miss a story of the day";
    let document = |n: usize, source: &str| Document {
        source: Some(source.to_owned()),
        ..Document::plain(n.to_string(), format!("Story {n} of {source}.\n{footer}\nEnd {n}."))
    };
    let documents: Vec<Document> =
        (0..4).map(|n| document(n, "ap")).chain((4..6).map(|n| document(n, "afp"))).collect();
    for level in [Level::Line, Level::Passage] {
        let settings = StrikeSettings { level, boilerplate: Some(3), ..passages(10) };
        let struck = strike(&documents, settings);
        let kinds: Vec<(&str, StrikeKind)> =
            struck.strikes().iter().map(|row| (row.id.as_str(), row.kind)).collect();
        let (boilerplate, repeat) = (StrikeKind::Boilerplate, StrikeKind::Repeat);
        let expected = [("0", boilerplate), ("1", boilerplate), ("2", boilerplate)];
        assert_eq!(kinds[..3], expected, "{level:?}");
        assert_eq!(kinds[3..], [("3", boilerplate), ("5", repeat)], "{level:?}");
        assert!(struck.texts()[4].contains(footer));
        assert_eq!(struck.strikes()[4].twins[0].id, "4");
    }
}

#[test]
fn letters_of_all_kinds_and_markup_are_cut_where_they_stand() {
    let shared = "Ἡ λεωφόρος ἔκλεισε für Größe 東京都 и набережная e\u{301}te\u{301} 🎉 kapatıldı";
    let composed = shared.replace("e\u{301}", "é").replace("набережная", "НАБЕРЕЖНАЯ");
    let texts = [format!("«Α» {shared}"), format!("Новое: {composed}, и это.")];
    let struck = strike(&plain(&texts), passages(8));
    assert_eq!(struck.texts()[1], "Новое: и это.");
    let html =
        |id: &str, text: &str| Document { markup: Markup::Html, ..Document::plain(id, text) };
    let page = "<p>The quay <b>is closed</b> from Monday &amp; until the end of May</p>";
    let documents = [html("0", page), html("1", &format!("<h1>News</h1>{page}<p>And more</p>"))];
    let struck = strike(&documents, passages(8));
    assert_eq!(struck.texts()[1], "<h1>News</h1><p></p><p>And more</p>");
    let strike = &struck.strikes()[0];
    assert_eq!(strike.twins[0].span.of(page), Some(strike.text.as_str()));
}

#[test]
fn words_beyond_the_limit_stay() {
    let texts = ["a b c d e f g h".to_owned(), "a b c d e f g h".to_owned()];
    let mut struck = Struck::new();
    let mut text = Job::default().text().clone();
    text.most_words = 5;
    let outcome = Strike::new(Documents::new(plain(&texts)))
        .settings(passages(3))
        .job(Job::default().with_keep(Keep::First).with_text(text))
        .run(&mut struck)
        .expect("it runs");
    assert_eq!((struck.texts()[1].as_str(), outcome.n_cut_documents), ("f g h", 2));
}

/// Reads a file of JSON Lines.
fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("a table");
    text.lines().map(|line| serde_json::from_str(line).expect("a row")).collect()
}

#[test]
fn files_come_back_byte_for_byte_from_what_is_left_and_the_strikes() {
    let folder = tempfile::tempdir().expect("a folder for a test");
    let shared: Vec<String> = (0..40).map(|n| format!("wórd{n}")).collect();
    let shared = shared.join(" ");
    let a = format!("{{\"id\":\"a\",\"text\":\"{shared}\\n\\u00e9nd\",\"n\":1.50}}\n");
    let b = format!("{{\"x\":[],\"text\":\"Begin \\\"{shared}\\\".\\nRest\", \"id\":\"b\"}}\n");
    let bad = "{\"id\":\"c\"}\n".to_owned();
    let c = format!("{{\"id\":\"d\",\"text\":\"{shared}\"}}\n");
    let inputs = folder.path().join("in");
    fs::create_dir(&inputs).expect("a folder");
    fs::write(inputs.join("one.jsonl"), [a.clone(), b.clone(), bad.clone()].concat())
        .expect("a file");
    let packed = zstd::encode_all(c.as_bytes(), 0).expect("it is packed");
    fs::write(inputs.join("two.jsonl.zst"), packed).expect("a file");
    let table = format!("id,text,note\ne,\"{shared}, \"\"end\"\"\",kept\n");
    fs::write(inputs.join("three.csv"), &table).expect("a file");
    // As programs write it that know no other letters than those of ASCII.
    let escaped = shared.replace('ó', "\\u00f3");
    let all_escaped = format!("{{\"id\":\"f\",\"text\":\"{escaped}\",\"z\":{{\"k\":1.0}}}}\n");
    let some_escaped = format!("{{\"text\" : \"Start: {escaped} T\\u00e4il\\/\",\"id\":\"g\"}}\n");
    fs::write(inputs.join("z.jsonl"), [all_escaped.clone(), some_escaped.clone()].concat())
        .expect("a file");
    let output = folder.path().join("out");
    let settings = StrikeSettings { least_left: Some(0.01), drop_short: true, ..passages(20) };
    let outcome = Strike::new(Files::new([&inputs]))
        .settings(settings)
        .job(Job::default().with_keep(Keep::First))
        .run(&mut StrikeTables::new(&output))
        .expect("it runs");
    assert_eq!((outcome.n_documents, outcome.n_bad, outcome.n_dropped), (6, 1, 2));
    let read =
        |name: &str| fs::read_to_string(output.join("documents").join(name)).expect("a file");
    // The bad record is not copied, as `dedup` does not copy it either.
    let left = "{\"x\":[],\"text\":\"Begin \\\"Rest\", \"id\":\"b\"}\n";
    assert_eq!(read("one.jsonl"), format!("{a}{left}"));
    assert_eq!(read("three.csv"), "id,text,note\ne,\"\"\"end\"\"\",kept\n");
    assert!(!output.join("documents/two.jsonl.zst").exists());
    let dropped = fs::read(output.join("dropped/two.jsonl.zst")).expect("a file");
    let dropped = zstd::decode_all(&dropped[..]).expect("it is packed");
    assert_eq!(dropped, b"{\"id\":\"d\",\"text\":\"\"}\n");
    let strikes = lines(&output.join("strikes.jsonl"));
    let original = |id: &str, left: &str| {
        let strikes = strikes.iter().filter(|row| row["id"] == id).map(|row| {
            let span: Span = serde_json::from_value(row["span"].clone()).expect("a span");
            (span, row["text"].as_str().expect("a text"))
        });
        rebuild(left, strikes).expect("it fits")
    };
    assert_eq!(original("b", "Begin \"Rest"), format!("Begin \"{shared}\".\nRest"));
    assert_eq!(original("e", "\"end\""), format!("{shared}, \"end\""));
    assert_eq!(original("d", ""), shared);
    let documents = lines(&output.join("documents.jsonl"));
    let decisions: Vec<&str> =
        documents.iter().map(|row| row["decision"].as_str().expect("a word")).collect();
    assert_eq!(decisions, ["kept", "kept", "kept", "dropped", "dropped", "kept"]);
    assert_eq!(read("z.jsonl"), "{\"text\" : \"Start: T\\u00e4il\\/\",\"id\":\"g\"}\n");
    // Records of JSON Lines come back with all their fields, and as they were written.
    let again = folder.path().join("again");
    let rebuilt = Rebuild::open(&output)
        .and_then(|rebuild| rebuild.run(&again, false, &Resources::new()))
        .expect("it is as it was written");
    assert_eq!((rebuilt.n_documents, rebuilt.n_struck_documents, rebuilt.n_files), (6, 5, 4));
    let read = |name: &str| fs::read_to_string(again.join(name)).expect("a file");
    assert_eq!(read("one.jsonl"), format!("{a}{b}"));
    assert_eq!(read("two.jsonl"), c);
    assert_eq!(read("z.jsonl"), format!("{all_escaped}{some_escaped}"));
    assert!(read("three.csv.jsonl").contains("\"text\":\"wórd0 "));
    // A strike that does not fit any more is found out.
    let path = output.join("strikes.jsonl");
    let changed = fs::read_to_string(&path).expect("a table").replacen("wórd7", "wó7", 2);
    fs::write(&path, changed).expect("a file");
    let refused = Rebuild::open(&output)
        .and_then(|rebuild| rebuild.run(&folder.path().join("x"), false, &Resources::new()));
    assert!(refused.is_err());
}

/// Notes how far stages are said to be.
#[derive(Default)]
struct Told(Mutex<Vec<(Stage, u64, u64)>>, AtomicU64);

impl Progress for Told {
    fn begin(&self, stage: Stage, total: u64) {
        self.0.lock().expect("nobody panics").push((stage, total, 0));
    }

    fn at(&self, done: u64, _: u64) {
        if let Some((_, _, furthest)) = self.0.lock().expect("nobody panics").last_mut() {
            *furthest = (*furthest).max(done);
        }
    }

    fn strikes(&self, n_strikes: u64) {
        self.1.fetch_max(n_strikes, Ordering::Relaxed);
    }
}

#[test]
fn every_stage_tells_how_far_it_is_and_how_many_strikes_there_are() {
    let mut random = Random::new(12);
    let made = texts(&mut random, 30, 200, 20);
    let told = Arc::new(Told::default());
    let settings = StrikeSettings { differ: 0.1, boilerplate: Some(5), ..passages(8) };
    let resources = Resources::new().threads(2).progress(Arc::clone(&told));
    let struck = strike_with(&plain(&made), &[], settings, &Keep::First, resources);
    let stages = told.0.lock().expect("nobody panics");
    // Documents in memory are read at one go.
    for (stage, total, furthest) in stages.iter().filter(|told| told.0 != Stage::Read) {
        assert!(*total > 0 && furthest == total, "{stage:?}: {furthest} of {total}");
    }
    assert!(stages.iter().any(|told| told.0 == Stage::Verify));
    let n_told = told.1.load(Ordering::Relaxed);
    assert!(n_told > 0 && n_told <= struck.strikes().len() as u64, "{n_told}");
}

#[test]
fn a_run_that_came_to_its_end_is_not_begun_again() {
    let folder = tempfile::tempdir().expect("a folder for a test");
    let (input, output) = (folder.path().join("in.jsonl"), folder.path().join("out"));
    let text = "one two three four five six seven eight";
    let line = |n: u32| format!("{{\"id\":{n},\"text\":\"{text}\"}}\n");
    fs::write(&input, line(1) + &line(2)).expect("a file");
    let resume = folder.path().join("out.resume");
    let run = |min_words| {
        Strike::new(Files::new([&input]))
            .settings(passages(min_words))
            .resources(Resources::new().resume(&resume))
            .run(&mut StrikeTables::new(&output))
    };
    let first = run(5).expect("it runs");
    let written = fs::metadata(output.join("manifest.json")).and_then(|file| file.modified());
    assert_eq!((first.n_strikes, resume.exists()), (1, false));
    let again = run(5).expect("nothing is left to do");
    assert_eq!((again.n_strikes, again.n_struck_words, again.n_documents), (1, 8, 2));
    let now = fs::metadata(output.join("manifest.json")).and_then(|file| file.modified());
    assert_eq!(written.expect("it is there"), now.expect("it is there"));
    assert!(!resume.exists());
    // Another job, or other files: the result stands in the way, as ever.
    assert!(run(6).is_err());
    fs::write(&input, line(1) + &line(3)).expect("a file");
    assert!(run(5).is_err());
}
