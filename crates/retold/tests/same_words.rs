//! Which documents count as equal, in every way of running.

use std::fs;
use std::path::{Path, PathBuf};

use retold::{
    Dedup, Document, Documents, Files, Find, Found, Job, Kind, Nothing, Query, Relation, Stream,
    Tables, TextSettings, compare,
};
use retold_core::features::StopList;
use retold_core::features::stem::Stem;
use serde_json::{Value, json};

const NOTE: &str = "The harbours were closed for repairs while ships waited outside the walls";

fn lines(documents: &[(&str, &str)]) -> String {
    let line = |(id, text): &(&str, &str)| format!("{}\n", json!({ "id": id, "text": text }));
    documents.iter().map(line).collect()
}

fn written(dir: &Path, name: &str, documents: &[(&str, &str)]) -> PathBuf {
    let path = dir.join(name);
    fs::write(&path, lines(documents)).unwrap();
    path
}

fn table(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const WORDLESS: [(&str, &str); 5] =
    [("a", ""), ("b", ""), ("c", "--- !!"), ("d", "--- !!"), ("e", "🎉 🎉")];

#[test]
fn documents_without_words_were_one_cluster_and_dedup_removed_all_but_one() {
    let dir = tempfile::tempdir().unwrap();
    let documents = [&WORDLESS[..], &[("f", NOTE), ("g", NOTE)]].concat();
    let input = written(dir.path(), "in.jsonl", &documents);
    for method in ["anchor", "exact", "exhaustive", "edit-distance", "imatch", "simhash"] {
        let job = Job::of(method, retold::Profile::Retold).unwrap();
        let found = dir.path().join(format!("found-{method}"));
        let input = || Files::new([&input]);
        Find::new(input()).job(job.clone()).run(&mut Tables::new(&found)).unwrap();
        let rows = table(&found.join("documents.jsonl"));
        for row in &rows[..5] {
            assert_eq!(row["verdict"], "too-short", "{method}: {row}");
            assert!(row["exact_copy_of"].is_null(), "{method}: {row}");
        }
        assert_eq!(table(&found.join("pairs.jsonl")).len(), 1, "{method}");

        let kept = dir.path().join(format!("kept-{method}"));
        Dedup::new(input()).job(job).run(&mut Tables::new(&kept)).unwrap();
        let gone: Vec<Value> = table(&kept.join("removed.jsonl"));
        assert_eq!(gone.len(), 1, "{method}: {gone:?}");
        assert_eq!(gone[0]["id"], "g");
        assert_eq!(table(&kept.join("documents/in.jsonl")).len(), 6, "{method}");
    }
}

#[test]
fn documents_without_words_were_copies_of_those_of_another_collection() {
    let dir = tempfile::tempdir().unwrap();
    let here = written(dir.path(), "here.jsonl", &WORDLESS);
    let there = written(dir.path(), "there.jsonl", &WORDLESS);
    let (here, there) = (Files::new([here]), Files::new([there]));
    let between = Find::new(here.clone()).against(there.clone()).run(&mut Nothing).unwrap();
    assert_eq!(between.summary().pairs_by_kind, [0; 5]);

    let answers = Query::new(here, there).shown(3).run().unwrap();
    assert_eq!(answers.answers.len(), 5);
    assert!(answers.answers.iter().all(|answer| answer.hits.is_empty() && answer.is_too_short));

    let job = Job::default();
    let mut stream = Stream::new(&job, None).unwrap();
    for (id, text) in WORDLESS {
        let arrival = stream.push(&Document::plain(id, text));
        assert!(arrival.hits.is_empty() && arrival.copy_of.is_none() && arrival.is_too_short);
    }
    assert_eq!(stream.len(), 5);

    let compared = compare(&Document::plain("a", ""), &Document::plain("b", ""), &job).unwrap();
    assert_eq!(compared.relation(), None);
}

#[test]
fn documents_without_words_leave_the_window_like_others() {
    let mut stream = Stream::new(&Job::default(), Some(60)).unwrap();
    let at = |time: &str| Document { time: Some(time.to_owned()), ..Document::plain("d", "") };
    stream.push(&at("2026-01-01T00:00:00Z"));
    let later = stream.push(&at("2026-01-01T01:00:00Z"));
    assert_eq!((later.n_expired, later.n_live), (1, 1));
}

fn pairs(find: Find, job: &Job) -> Vec<Relation> {
    let mut found = Found::only_pairs();
    find.job(job.clone()).run(&mut found).unwrap();
    found.into_pairs()
}

/// Every way to ask how two documents relate.
fn kinds(a: &str, b: &str, job: &Job) -> Vec<Option<Kind>> {
    let (a, b) = (Document::plain("a", a), Document::plain("b", b));
    let of = |documents: &[&Document]| {
        Documents::new(documents.iter().copied().cloned().collect::<Vec<_>>())
    };
    let together = pairs(Find::new(of(&[&a, &b])), job);
    let across = pairs(Find::new(of(&[&a])).against(of(&[&b])), job);
    let mut stream = Stream::new(job, None).unwrap();
    stream.push(&a.clone());
    vec![
        together.first().map(|relation| relation.kind),
        across.first().map(|relation| relation.kind),
        stream.push(&b.clone()).hits.first().map(|hit| hit.relation),
        compare(&a, &b, job).unwrap().relation(),
    ]
}

#[test]
fn documents_that_differ_in_a_word_were_exact_copies_because_their_stems_agree() {
    let text =
        TextSettings { stem: Stem::Snowball, language: "en".to_owned(), ..TextSettings::default() };
    let job = Job::default().with_text(text);
    let ships = NOTE.replace("ships", "ship");
    assert_eq!(kinds(NOTE, &ships, &job), [Some(Kind::NearDuplicate); 4]);
    assert_eq!(kinds(NOTE, &NOTE.to_uppercase(), &job), [Some(Kind::Exact); 4]);
}

#[test]
fn documents_that_differ_in_a_stop_word_were_exact_copies() {
    let stop_words = StopList::Words(vec!["the".to_owned(), "a".to_owned()]);
    let job = Job::default().with_text(TextSettings { stop_words, ..TextSettings::default() });
    let other = NOTE.replace("the walls", "a walls");
    assert_eq!(kinds(NOTE, &other, &job), [Some(Kind::NearDuplicate); 4]);
    assert_eq!(kinds(NOTE, &NOTE.to_lowercase(), &job), [Some(Kind::Exact); 4]);
    assert_eq!(kinds("The a", "the A", &job), [Some(Kind::Exact); 4]);
}

/// The same words under two languages have other stems; they are equal all the same, and the
/// passages of their copies are those of their own words.
#[test]
fn copies_that_name_other_languages_are_equal() {
    let text = TextSettings {
        stem: Stem::Snowball,
        stop_words: StopList::Language,
        ..TextSettings::default()
    };
    let job = Job::default().with_text(text);
    let in_language = |id: &str, text: &str, code: &str| Document {
        language: Some(code.to_owned()),
        ..Document::plain(id, text)
    };
    let longer = format!("{NOTE} and nobody could say for how long that would be so");
    let documents = vec![
        in_language("a", NOTE, "en"),
        in_language("b", &NOTE.to_uppercase(), "de"),
        in_language("c", &longer, "en"),
    ];
    let found = pairs(Find::new(Documents::new(documents.clone())), &job);
    let kinds: Vec<Kind> = found.iter().map(|relation| relation.kind).collect();
    assert_eq!(kinds[0], Kind::Exact, "{found:?}");
    for relation in &found {
        for passage in &relation.evidence.passages {
            assert!(passage.a.of(&documents[relation.a.index()].text).is_some());
            assert!(passage.b.of(&documents[relation.b.index()].text).is_some());
        }
    }
    let (first, second) = (Documents::new(&documents[..1]), Documents::new(&documents[1..2]));
    let between = pairs(Find::new(first).against(second), &job);
    assert_eq!(between.len(), 1);
    assert_eq!(between[0].kind, Kind::Exact);
}

/// Turkish without ı and İ: I folds to i unless somebody says that the text is Turkish.
#[test]
fn a_detected_language_changed_how_spooled_texts_were_folded_the_second_time() {
    let text = "ISTANBUL ve Ankara belediyeleri, deniz otobüslerinin ve trenlerin gelecek haftadan \
                itibaren daha geç saatlere kadar sefer yapmasına karar verdi. ISPARTA ve ILGAZ için \
                de benzer bir düzenleme gelecek ay görüşülecek, dedi yetkililer bugün öğleden sonra";
    let text = text.replace('ı', "i");
    let edited = text.to_lowercase().replace("gelecek ay", "gelecek yil");
    let dir = tempfile::tempdir().unwrap();
    let documents = lines(&[("a", &text), ("b", &edited)]);
    let plain = dir.path().join("plain.jsonl");
    fs::write(&plain, &documents).unwrap();
    let packed = dir.path().join("packed.jsonl.zst");
    fs::write(&packed, zstd::encode_all(documents.as_bytes(), 1).unwrap()).unwrap();
    let pairs = |input: &Path, detect_language: bool| {
        let found = dir.path().join("found");
        let job = Job::default().with_detect_language(detect_language);
        let mut tables = Tables::new(&found).overwrite(true);
        Find::new(Files::new([input])).job(job).run(&mut tables).unwrap();
        if detect_language {
            for row in table(&found.join("documents.jsonl")) {
                assert_eq!(row["language"], "tr", "it is reported all the same");
            }
        }
        fs::read_to_string(found.join("pairs.jsonl")).unwrap()
    };
    let expected = pairs(&plain, false);
    assert_eq!(expected.lines().count(), 1);
    for input in [&plain, &packed] {
        assert_eq!(pairs(input, true), expected, "{}", input.display());
    }
}
