//! Collections made of files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use retold::{
    Document, Documents, Family, Find, Found, Job, Ordinal, PairsWritten, Profile, Resources, Stop,
};

use crate::error::Error;
use crate::generate::inputs::Inputs;
use crate::generate::{Generate, Operation, Percent, Plan, Query, Related, Unit, Variant, count};

fn samples() -> Vec<PathBuf> {
    vec![retold_samples::samples().join("news")]
}

fn plan() -> Plan {
    let percent = Percent::new;
    let unit = Unit::Paragraph;
    Plan {
        seed: 7,
        variants: vec![
            Variant {
                name: "rewritten".to_owned(),
                copies: 2,
                documents: percent(40.0),
                steps: vec![
                    Operation::Delete { percent: percent(25.0), unit },
                    Operation::AddForeign { percent: percent(25.0), unit },
                    Operation::ReplaceWords { percent: percent(5.0) },
                ],
            },
            Variant { name: "copied".to_owned(), documents: percent(10.0), ..Variant::default() },
        ],
        queries: vec![Query { documents: 12, ..Query::default() }],
        ..Plan::default()
    }
}

fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).expect("a folder");
    entries
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs::read(path).expect("a readable file"))
        })
        .filter(|(name, _)| name != "manifest.json")
        .collect()
}

#[test]
fn a_folder_is_made_again_from_its_log_on_any_number_of_threads() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let (one, two, again) = (dir.path().join("1"), dir.path().join("2"), dir.path().join("3"));
    let with = |n_threads| Generate::new(samples()).resources(Resources::new().threads(n_threads));
    let made = with(1).plan(plan()).write(&one).expect("made");
    assert_eq!((made.n_documents, made.n_queries), (74, 1));
    assert_eq!(made.n_made, 2 * 30 + 7);
    with(3).plan(plan()).write(&two).expect("made");
    assert_eq!(files(&one), files(&two));
    with(3).replay(one.join("log.jsonl")).write(&again).expect("made again");
    assert_eq!(files(&one), files(&again));
    let names: Vec<String> = files(&one).into_keys().collect();
    assert_eq!(
        names,
        ["collection.jsonl", "log.jsonl", "log.txt", "pairs.tsv", "queries.jsonl", "spans.tsv"]
    );
}

#[test]
fn without_log_and_pairs_the_documents_are_the_same() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let (all, few) = (dir.path().join("all"), dir.path().join("few"));
    Generate::new(samples()).plan(plan()).write(&all).expect("made");
    let unlisted = Plan { related: Related::None, ..plan() };
    let made = Generate::new(samples()).plan(unlisted).log(false).write(&few).expect("made");
    assert_eq!((made.n_made, made.n_pairs, made.n_spans), (2 * 30 + 7, 0, 0));
    let (mut all, few) = (files(&all), files(&few));
    all.retain(|name, _| ["collection.jsonl", "queries.jsonl"].contains(&name.as_str()));
    assert_eq!(all, few);
}

/// Reads the rows of a tab-separated table without its header, each split into its columns.
fn rows(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).expect("a table");
    text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

#[test]
fn what_exhaustive_finds_in_the_written_collection_is_what_the_reference_says() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let out = dir.path().join("made");
    Generate::new(samples()).plan(plan()).write(&out).expect("made");
    let written = ["collection.jsonl", "queries.jsonl"].map(|name| out.join(name));
    let read = Inputs::read(&written, &Job::default(), &Resources::new()).expect("documents");
    let documents: Vec<Document> = read.collection.documents().cloned().collect();
    let exhaustive = Job::of("exhaustive", Profile::Retold).expect("a method");
    let exhaustive = exhaustive.with_pairs(PairsWritten::All);
    let names: Vec<String> = documents.iter().map(|document| document.id.clone()).collect();
    let texts: BTreeMap<String, String> =
        documents.iter().map(|document| (document.id.clone(), document.text.clone())).collect();
    let mut found = Found::only_pairs();
    Find::new(Documents::new(documents)).job(exhaustive).run(&mut found).expect("it runs");
    let shown = |share: f64| format!("{share:.6}");
    let found: BTreeMap<(&str, &str), [String; 4]> = found
        .pairs()
        .iter()
        .map(|relation| {
            let name = |ordinal: Ordinal| &*names[ordinal.index()];
            let scores = relation.scores;
            let row = [
                relation.kind.name().to_owned(),
                shown(scores.resemblance.get()),
                shown(scores.a_in_b.get()),
                shown(scores.b_in_a.get()),
            ];
            ((name(relation.a), name(relation.b)), row)
        })
        .collect();
    let pairs = rows(&out.join("pairs.tsv"));
    let (mut n_related, mut n_broken) = (0, 0);
    for row in &pairs {
        if row[2] != "none" {
            n_related += 1;
            let found = found.get(&(&*row[0], &*row[1])).map(|row| &row[..]);
            // Where a document tells something twice, a run that stands in the other telling
            // breaks a passage that the reference, which knows what was copied, sees whole.
            if found.is_none() && row[2] == "partial" {
                n_broken += 1;
                continue;
            }
            assert_eq!(found, Some(&row[2..6]), "{row:?}");
        }
    }
    assert!(n_related > 150 && n_broken * 50 < n_related, "{n_broken} of {n_related}");
    // What else is found stood in the inputs before: copies of the same or of related ones.
    let listed: BTreeSet<(&str, &str)> = pairs.iter().map(|row| (&*row[0], &*row[1])).collect();
    let is_made = |name: &str| name.contains('~') || name == "query";
    let n_more = found.keys().filter(|pair| !listed.contains(*pair) && is_made(pair.1)).count();
    assert!(n_more * 2 < found.len(), "{n_more} of {}", found.len());
    for row in rows(&out.join("spans.tsv")) {
        let at = |i: usize| row[i].parse::<usize>().expect("a number");
        let here = texts[&row[0]].get(at(2)..at(3)).expect("a stretch of it");
        let there = texts[&row[1]].get(at(4)..at(5)).expect("a stretch of it");
        let first = |text: &str| text.split_whitespace().next().map(str::to_owned);
        assert_eq!(first(here).is_some(), first(there).is_some());
    }
}

#[test]
fn documents_are_counted_as_they_would_be_edited() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let page = "<p>Ships wait. Why?</p><p>Nobody <b>knows</b>.</p>";
    fs::write(dir.path().join("a.html"), page).expect("a file for a test");
    let paths = [dir.path().to_owned()];
    let counted = count(&paths, &Job::default(), &Resources::new()).expect("counted");
    let counts = counted[0].1;
    assert_eq!((counts.paragraphs, counts.sentences, counts.words), (2, 3, 5));
}

#[test]
fn a_run_that_is_stopped_or_finds_nothing_leaves_nothing() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let out = dir.path().join("made");
    let stop = Stop::new();
    stop.set();
    let stopping = Generate::new(samples()).plan(plan()).resources(Resources::new().stop(&stop));
    let stopped = stopping.write(&out).expect_err("it was asked to stop");
    assert_eq!(stopped.family(), Family::Stopped);
    let refused = Generate::new([dir.path()]).plan(plan()).write(&out);
    assert!(matches!(refused, Err(Error::Retold(retold::Error::Empty(_)))), "{refused:?}");
    assert!(fs::read_dir(dir.path()).expect("a folder").next().is_none());
}
