//! A method is written once and runs in every way: a collection, two collections, a stream.

use std::fmt::Write as _;
use std::path::PathBuf;

use retold::core::methods::names;
use retold::core::relation::{Kind, Scores};
use retold::{
    Document, Profile, Settings, Silent, Stop, Stream, build_idf, find_between_in_memory,
    find_in_memory,
};
use retold_testkit::corpus::planted;

type Pair = (String, String, Kind, Scores);

/// Returns settings with word weights from a table, as a stream needs it.
fn settings(method: &str, profile: Profile, texts: &PathBuf) -> Settings {
    let mut settings = Settings::of(method, profile).expect("the name is registered");
    settings.threads = 2;
    // Weights by the index's own lists are those of the documents so far: not the same in a stream.
    let detector = settings.detector().expect("defaults are valid");
    if detector.parameters()["weights"] == "idf" {
        settings.parameters.insert("weights".to_owned(), "uniform".into());
    }
    let path = texts.with_file_name(format!("{method}-{}.idf", profile.name()));
    build_idf(std::slice::from_ref(texts), &path, &settings, &Silent, &Stop::new())
        .expect("a table");
    settings.idf = Some(path);
    settings
}

fn streamed(documents: &[Document], settings: &Settings) -> Vec<Pair> {
    let mut stream = Stream::new(settings, None).expect("a table is given");
    let mut pairs = Vec::new();
    for document in documents {
        let arrival = stream.push(document.clone());
        for hit in arrival.hits {
            let (kind, scores) = (hit.relation.flipped(), hit.scores.flipped());
            pairs.push((hit.id, arrival.id.clone(), kind, scores));
        }
    }
    pairs
}

fn ordered(mut pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.sort_by(|x, y| (&x.0, &x.1).cmp(&(&y.0, &y.1)));
    pairs
}

#[test]
fn every_method_and_form_finds_the_same_in_every_way_of_running() {
    let documents = planted(120, 11).documents;
    let half = documents.len() / 2;
    let folder = tempfile::tempdir().expect("a folder for a test");
    let texts = folder.path().join("texts.jsonl");
    let mut lines = String::new();
    for document in &documents {
        let line = serde_json::json!({ "id": document.id, "text": document.text });
        writeln!(lines, "{line}").expect("a string can be written to");
    }
    std::fs::write(&texts, lines).expect("a file for a test");
    for method in names() {
        for profile in Profile::ALL {
            let settings = settings(method, profile, &texts);
            let name = |doc: retold::core::document::Ordinal| documents[doc.index()].id.clone();
            let told = |found: retold::Found| -> Vec<Pair> {
                let told =
                    |r: retold::core::relation::Relation| (name(r.a), name(r.b), r.kind, r.scores);
                ordered(found.relations.into_iter().map(told).collect())
            };
            let together = told(find_in_memory(documents.clone(), &settings).expect("a run"));
            let label = format!("{method}, {}", profile.name());
            assert_eq!(ordered(streamed(&documents, &settings)), together, "{label}, streamed");

            let (first, second) = (documents[..half].to_vec(), documents[half..].to_vec());
            let between = find_between_in_memory(first, second, &settings).expect("a run");
            let is_first = |id: &String| documents[..half].iter().any(|d| d.id == *id);
            let across: Vec<Pair> = together
                .into_iter()
                .filter(|pair| is_first(&pair.0) != is_first(&pair.1))
                .collect();
            assert_eq!(told(between), across, "{label}, two collections");
        }
    }
}
