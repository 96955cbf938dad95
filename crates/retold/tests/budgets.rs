//! The same bytes whatever the memory: what spills comes back as it was.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use retold::{
    Dedup, Error, Files, Find, Grouping, Job, Keep, Nothing, PairsWritten, Profile, Resources,
    Stop, Tables,
};
use retold_core::hash::Random;

/// Documents of words drawn at random, most of them versions of an earlier one: edited, shortened,
/// copied, or quoted in another.
fn documents(n: usize) -> Vec<String> {
    let mut random = Random::new(11);
    let mut texts: Vec<Vec<String>> = Vec::new();
    for number in 0..n {
        let mut draw = |n_words: usize| -> Vec<String> {
            (0..n_words).map(|_| format!("w{}", random.below(5_000))).collect()
        };
        let mut fresh = draw(80);
        let kind = number % 10;
        let earlier = texts.get(number.wrapping_sub(1 + number % 7)).cloned();
        let text = match (kind, earlier) {
            (1..=3, Some(mut text)) => {
                let at = number % text.len().max(1);
                text.splice(at..(at + 3).min(text.len()), fresh.drain(..2));
                text
            }
            (4, Some(text)) => text,
            (5, Some(text)) => text[..text.len() * 2 / 3].to_vec(),
            (6, Some(text)) => {
                fresh.splice(10..10, text.into_iter().take(30));
                fresh
            }
            _ => fresh,
        };
        texts.push(text);
    }
    let shared = texts[0].join(" ");
    let mut texts: Vec<String> = texts.into_iter().map(|text| text.join(" ")).collect();
    texts.extend((0..40).map(|n| if n % 2 == 0 { shared.clone() } else { shared.to_uppercase() }));
    texts
}

/// Writes the documents to two files: one that can be read again by position, and one that cannot.
fn inputs(dir: &Path, n: usize) -> Vec<PathBuf> {
    let (lines, table) = (dir.join("a.jsonl"), dir.join("b.csv"));
    let (mut json, mut csv) = (String::new(), "id,text,time\n".to_owned());
    for (number, text) in documents(n).into_iter().enumerate() {
        let time = format!("2026-01-{:02}", 1 + number * 7 % 28);
        if number % 3 == 0 {
            writeln!(csv, "c{number},{text},{time}").unwrap();
        } else {
            let line =
                serde_json::json!({ "id": format!("j{number}"), "text": text, "time": time });
            writeln!(json, "{line}").unwrap();
        }
    }
    fs::write(&lines, json).unwrap();
    fs::write(&table, csv).unwrap();
    vec![lines, table]
}

/// Reads all files of a result, but for those that tell times and memory.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if !path.ends_with("report.html") && !path.ends_with("manifest.json") {
            let bytes = fs::read(&path).unwrap();
            found.insert(path, bytes);
        }
    }
    found
}

/// Runs with plenty of memory on one thread, and in other ways that must make no difference.
fn same_in_all_ways(n: usize, run: impl Fn(Files, &mut Tables, Resources)) {
    let dir = tempfile::tempdir().unwrap();
    let inputs = inputs(dir.path(), n);
    let out = dir.path().join("out");
    let mut expected = None;
    for (memory_bytes, spill_bytes, threads) in
        [(16 << 30, None, 1), (33 << 20, None, 2), (64 << 20, Some(2_000), 1), (0, Some(100), 2)]
    {
        let way = Resources::new().memory(memory_bytes).threads(threads);
        let way = match spill_bytes {
            Some(spill_bytes) => way.spill(spill_bytes),
            None => way,
        };
        run(Files::new(&inputs), &mut Tables::new(&out).overwrite(true), way);
        let found = files(&out);
        assert!(found.values().all(|bytes| !bytes.is_empty()) && found.len() >= 3);
        let expected = expected.get_or_insert_with(|| found.clone());
        for (path, bytes) in &found {
            let is_same = Some(bytes) == expected.get(path);
            assert!(is_same, "{} with {memory_bytes}, {spill_bytes:?}, {threads}", path.display());
        }
        assert_eq!(found.len(), expected.len());
    }
}

fn finding(job: Job) -> impl Fn(Files, &mut Tables, Resources) {
    move |inputs, out, resources| {
        let find = Find::new(inputs).job(job.clone()).resources(resources);
        let outcome = find.run(out).unwrap();
        assert!(outcome.summary().n_pairs() > 100 && outcome.summary().n_clusters > 10);
    }
}

#[test]
fn find_writes_the_same_whatever_the_memory() {
    same_in_all_ways(600, finding(Job::default()));
    let limited = Job::default()
        .with_pairs_per_document(3_u32)
        .with_clusters(Grouping::Components)
        .with_keep(Keep::Newest);
    same_in_all_ways(300, finding(limited));
}

#[test]
fn find_writes_the_same_where_the_method_decides() {
    let judged = Job::of("shingling", Profile::Paper).unwrap();
    let judged = judged.with_clusters(Grouping::Cliques).with_pairs(PairsWritten::All);
    same_in_all_ways(300, finding(judged));
}

#[test]
fn dedup_writes_the_same_whatever_the_memory() {
    same_in_all_ways(400, |inputs, out, resources| {
        let outcome = Dedup::new(inputs).resources(resources).run(out).unwrap();
        let summary = outcome.summary();
        assert!(summary.n_removed.unwrap() > 50 && summary.n_review.unwrap() > 0);
    });
}

#[test]
fn a_large_group_of_copies_is_a_star_around_the_kept_one() {
    let dir = tempfile::tempdir().unwrap();
    let inputs = inputs(dir.path(), 20);
    let run = |pairs| {
        let job = Job::default().with_pairs(pairs).with_keep(Keep::Newest);
        let outcome = Find::new(Files::new(&inputs)).job(job).run(&mut Nothing).unwrap();
        outcome.summary().clone()
    };
    let (star, all) = (run(PairsWritten::Star), run(PairsWritten::All));
    // One text and its forty copies.
    assert_eq!(all.pairs_by_kind[0] - star.pairs_by_kind[0], 41 * 40 / 2 - 40);
    assert_eq!(star.cuts[0].count, 41 * 40 / 2 - 40);
    assert_eq!(all.cuts.len(), 0);
}

#[test]
fn a_memory_too_small_is_refused_with_one_that_would_do() {
    let dir = tempfile::tempdir().unwrap();
    let inputs = inputs(dir.path(), 20);
    let run = |memory| Find::new(Files::new(&inputs)).memory(memory).run(&mut Nothing);
    let refused = run(1 << 20).unwrap_err();
    let Error::Memory { needed, .. } = &refused else { panic!("{refused}") };
    assert!(refused.to_string().contains("the smallest memory that will do is"), "{refused}");
    run(*needed + (1 << 20)).expect("what was named will do");
}

#[test]
fn a_document_too_large_is_named_and_the_run_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut inputs = inputs(dir.path(), 20);
    let large = dir.path().join("large.txt");
    fs::write(&large, "word and word ".repeat(200_000)).unwrap();
    inputs.push(large);
    let outcome = Find::new(Files::new(&inputs)).memory(40 << 20).run(&mut Nothing).unwrap();
    assert_eq!((outcome.summary().n_bad, outcome.summary().n_documents), (1, 60));
    let bad = &outcome.manifest().bad_records[0];
    assert!(bad.file.ends_with("large.txt"), "{}", bad.file);
    assert!(bad.reason.contains("too large for a memory of 40M; 57M would do"), "{}", bad.reason);
}

#[test]
fn a_wish_to_stop_ends_the_run_without_output() {
    let dir = tempfile::tempdir().unwrap();
    let inputs = inputs(dir.path(), 20);
    let stop = Stop::new();
    stop.set();
    let out = dir.path().join("out");
    let stopped = Find::new(Files::new(&inputs)).stop(&stop).run(&mut Tables::new(&out));
    assert!(matches!(stopped, Err(Error::Stopped { .. })));
    assert!(!out.exists());
}
