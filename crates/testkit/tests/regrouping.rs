//! A result that is cut and clustered again is what a run with those settings gives, to the byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use retold::{
    Dedup, Document, Documents, Error, Files, Find, Found, Grouping, Index, IndexOptions,
    IndexWriter, Job, Joining, Keep, PairsWritten, Profile, Regroup, Resources, TableFormat,
    Tables,
};
use retold_core::methods::names;
use retold_testkit::corpus::{Writer, english, planted, running};

/// Returns documents related in many ways: planted copies, versions of a text that drift apart, texts
/// of a few words, copies in other letters; with times, sources and a field.
fn documents() -> Vec<Document> {
    let mut texts: Vec<String> =
        planted(40, 21).documents.into_iter().map(|document| document.text).collect();
    let mut writer = Writer::new(9, 20_000);
    let mut words = writer.text(240);
    for step in 0..12 {
        texts.push(running(&words));
        for word in words.iter_mut().skip(step).step_by(31) {
            *word = format!("{}y", writer.word());
        }
    }
    for at in [3, 3, 41, 60] {
        texts.push(texts[at].to_uppercase());
    }
    texts.extend(["too short", "Too short!", ""].map(ToOwned::to_owned));
    let document = |(i, text): (usize, String)| Document {
        language: (i % 3 > 0).then(|| "en".to_owned()),
        time: (i % 5 > 0).then(|| format!("2026-{:02}-{:02}", 1 + i * 7 % 12, 1 + i * 5 % 28)),
        source: (i % 4 > 0).then(|| ["ap", "afp", "dpa"][i % 3].to_owned()),
        fields: BTreeMap::from([("score".to_owned(), (i * 37 % 11).to_string())]),
        ..Document::plain(format!("d\"{i}"), english(&text))
    };
    texts.into_iter().enumerate().map(document).collect()
}

fn all_pairs() -> Job {
    Job::default().with_pairs(PairsWritten::All)
}

/// Returns a job as it is stored by a result that was regrouped.
fn without_texts(job: Job) -> Job {
    job.with_no_page(true).with_no_shared_text(true)
}

/// Returns all files of a result, without what names the run.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let (name, path) = {
            let entry = entry.unwrap();
            (entry.file_name().into_string().unwrap(), entry.path())
        };
        if path.is_dir() {
            continue;
        }
        let mut bytes = fs::read(path).unwrap();
        if name == "manifest.json" {
            let text = String::from_utf8(bytes).unwrap();
            let (above, _) = text.split_once("\n  \"run\": ").unwrap();
            let is_command = |line: &&str| line.starts_with("  \"command\": ");
            let lines: Vec<&str> = above.lines().filter(|line| !is_command(line)).collect();
            bytes = lines.join("\n").into_bytes();
        }
        files.insert(name, bytes);
    }
    files
}

/// Checks that two results are the same.
fn assert_same(fresh: &Path, regrouped: &Path, what: &str) {
    let (fresh, regrouped) = (files(fresh), files(regrouped));
    assert!(fresh.keys().eq(regrouped.keys()), "{what}");
    for (name, bytes) in &fresh {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if bytes != &regrouped[name] {
            let (fresh, regrouped) = (text(bytes), text(&regrouped[name]));
            let differ = fresh.lines().zip(regrouped.lines()).find(|(x, y)| x != y);
            panic!("{name} of {what}: {differ:?}");
        }
    }
}

#[test]
fn a_regrouped_result_is_that_of_a_fresh_run_to_the_byte() {
    let dir = tempfile::tempdir().unwrap();
    let [found, fresh, regrouped] =
        ["found", "fresh", "regrouped"].map(|name| dir.path().join(name));
    let documents = documents();
    let samples = retold_samples::samples().join("news");
    for is_sample in [true, false] {
        let find = || {
            if is_sample {
                Find::new(Files::new([&samples]))
            } else {
                Find::new(Documents::new(&documents[..]))
            }
        };
        find().job(all_pairs()).run(&mut Tables::new(&found).overwrite(true)).unwrap();
        let keeps = [Keep::Longest, Keep::Oldest, Keep::Source(vec!["afp".into(), "ap".into()])];
        let mut results = std::collections::BTreeSet::new();
        for (containment, passage_words) in [(0.6, 40), (0.8, 40), (0.85, 90), (1.0, 10_000)] {
            for clusters in [Grouping::Star, Grouping::Components, Grouping::Cliques] {
                for join in [Joining::NearDuplicate, Joining::Containment] {
                    for keep in &keeps {
                        let job = all_pairs()
                            .with_parameter("containment", containment)
                            .with_parameter("passage_words", passage_words)
                            .with_clusters(clusters)
                            .with_join(join)
                            .with_keep(keep.clone());
                        let job = without_texts(job);
                        find()
                            .job(job.clone())
                            .run(&mut Tables::new(&fresh).overwrite(true))
                            .unwrap();
                        let regroup = Regroup::open(&found)
                            .unwrap()
                            .containment(containment)
                            .passage_words(passage_words)
                            .clusters(clusters)
                            .join(join)
                            .keep(keep.clone());
                        assert_eq!(regroup.job().unwrap(), job);
                        regroup.run(&mut Tables::new(&regrouped).overwrite(true)).unwrap();
                        let what = format!("{containment} {clusters:?} {join:?} {keep:?}");
                        assert_same(&fresh, &regrouped, &what);
                        results.insert(fs::read(regrouped.join("clusters.jsonl")).unwrap());
                    }
                }
            }
        }
        assert!(results.len() > 10, "the settings make a difference: {}", results.len());
    }
}

#[test]
fn what_goes_is_decided_as_dedup_decides_it() {
    let dir = tempfile::tempdir().unwrap();
    let [found, fresh, regrouped] =
        ["found", "fresh", "regrouped"].map(|name| dir.path().join(name));
    let documents = documents();
    let source = || Documents::new(&documents[..]);
    let by_field = all_pairs().with_keep(Keep::Field("score".into()));
    Find::new(source()).job(by_field).run(&mut Tables::new(&found)).unwrap();
    let keeps = [Keep::Longest, Keep::Newest, Keep::First, Keep::FieldDescending("score".into())];
    for (containment, cover) in [(0.6, 0.8), (0.6, 0.6), (0.8, 0.95)] {
        for remove_contained in [false, true] {
            for keep in &keeps {
                let job = all_pairs()
                    .with_parameter("containment", containment)
                    .with_cover(cover)
                    .with_remove_contained(remove_contained)
                    .with_keep(keep.clone());
                let dedup = Dedup::new(source()).job(without_texts(job));
                let fresh_run = dedup.run(&mut Tables::new(&fresh).overwrite(true)).unwrap();
                let again = Regroup::open(&found)
                    .unwrap()
                    .containment(containment)
                    .cover(cover)
                    .remove_contained(remove_contained)
                    .keep(keep.clone())
                    .deciding(true)
                    .run(&mut Tables::new(&regrouped).overwrite(true))
                    .unwrap();
                assert_same(&fresh, &regrouped, &format!("{containment} {cover} {keep:?}"));
                assert!(again.summary().n_removed > Some(2), "{:?}", again.summary().n_removed);
                assert_eq!(again.summary().n_review, fresh_run.summary().n_review);
            }
        }
    }
}

#[test]
fn every_method_and_every_format_can_be_regrouped_on_any_number_of_threads() {
    let dir = tempfile::tempdir().unwrap();
    let [found, fresh, regrouped] =
        ["found", "fresh", "regrouped"].map(|name| dir.path().join(name));
    let documents = documents();
    for (method, format, threads) in names()
        .into_iter()
        .zip([TableFormat::Csv, TableFormat::Parquet, TableFormat::Jsonl].into_iter().cycle())
        .zip([1, 3].into_iter().cycle())
        .map(|((method, format), threads)| (method, format, threads))
    {
        let job = Job::of(method, Profile::Retold).unwrap().with_pairs(PairsWritten::All);
        let find = |job: Job| Find::new(Documents::new(&documents[..])).job(job);
        find(job.clone()).run(&mut Tables::new(&found).overwrite(true)).unwrap();
        let strict = without_texts(job.with_parameter("containment", 0.75)).with_format(format);
        find(strict).run(&mut Tables::new(&fresh).overwrite(true)).unwrap();
        Regroup::open(&found)
            .unwrap()
            .containment(0.75)
            .format(format)
            .resources(Resources::new().threads(threads))
            .run(&mut Tables::new(&regrouped).overwrite(true))
            .unwrap();
        assert_same(&fresh, &regrouped, method);
    }
}

#[test]
fn a_result_of_lower_thresholds_says_how_it_was_searched() {
    let dir = tempfile::tempdir().unwrap();
    let [found, fresh, regrouped] =
        ["found", "fresh", "regrouped"].map(|name| dir.path().join(name));
    let documents = documents();
    let find = |job: Job| Find::new(Documents::new(&documents[..])).job(job);
    let low = all_pairs().with_parameter("containment", 0.3).with_parameter("passage_words", 20);
    find(low).run(&mut Tables::new(&found)).unwrap();
    let regroup = Regroup::open(&found).unwrap().containment(0.7).passage_words(50);
    let job = regroup.job().unwrap();
    assert_eq!((job.search_containment(), job.search_passage_words()), (Some(0.3), Some(20)));
    regroup.run(&mut Tables::new(&regrouped)).unwrap();
    find(job).run(&mut Tables::new(&fresh)).unwrap();
    assert_same(&fresh, &regrouped, "lower thresholds");
    // What was regrouped can be regrouped.
    let again = dir.path().join("again");
    Regroup::open(&regrouped).unwrap().containment(0.9).run(&mut Tables::new(&again)).unwrap();
    let at_once = Regroup::open(&found).unwrap().containment(0.9).passage_words(50);
    at_once.run(&mut Tables::new(&regrouped).overwrite(true)).unwrap();
    assert_same(&regrouped, &again, "in two steps");
}

#[test]
fn two_collections_and_an_index_are_regrouped_as_they_were_compared() {
    let dir = tempfile::tempdir().unwrap();
    let [found, fresh, regrouped, index] =
        ["found", "fresh", "regrouped", "old.idx"].map(|name| dir.path().join(name));
    let documents = documents();
    let (new, old) = documents.split_at(50);
    let between = |job: Job| Find::new(Documents::new(new)).against(Documents::new(old)).job(job);
    between(all_pairs()).run(&mut Tables::new(&found)).unwrap();
    let strict = without_texts(all_pairs().with_parameter("containment", 0.8));
    between(strict).run(&mut Tables::new(&fresh)).unwrap();
    let regroup = Regroup::open(&found).unwrap().containment(0.8);
    regroup.run(&mut Tables::new(&regrouped)).unwrap();
    assert_same(&fresh, &regrouped, "two collections");
    let error = Regroup::open(&found).unwrap().deciding(true).run(&mut Found::new()).unwrap_err();
    assert!(error.to_string().contains("neither with itself"), "{error}");

    let mut writer =
        IndexWriter::create(&index, &[Job::default()], &IndexOptions::default()).unwrap();
    writer.add(Documents::new(old), &Resources::new()).unwrap();
    let dedup = |job: Job| {
        let dedup = Dedup::new(Documents::new(new)).job(job);
        dedup.against_index(Index::open(&index).unwrap(), None).unwrap()
    };
    dedup(all_pairs()).run(&mut Tables::new(&found).overwrite(true)).unwrap();
    let job = without_texts(all_pairs().with_keep(Keep::Oldest)).with_cover(0.7);
    dedup(job).run(&mut Tables::new(&fresh).overwrite(true)).unwrap();
    let regroup = Regroup::open(&found).unwrap().keep(Keep::Oldest).cover(0.7).deciding(true);
    regroup.run(&mut Tables::new(&regrouped).overwrite(true)).unwrap();
    assert_same(&fresh, &regrouped, "an index");
    let error = Regroup::open(&found).unwrap().containment(0.8).run(&mut Found::new()).unwrap_err();
    assert!(error.to_string().contains("thresholds of the index"), "{error}");
}

/// Returns the reason and the advice of an error.
fn told(result: Result<impl Sized, Error>) -> String {
    match result {
        Err(Error::NotEnough { reason, hint, .. }) => format!("{reason} / {hint}"),
        Err(other) => panic!("another error: {other}"),
        Ok(_) => panic!("it is refused"),
    }
}

#[test]
fn a_folder_that_does_not_hold_enough_says_what_to_run() {
    let dir = tempfile::tempdir().unwrap();
    let found = dir.path().join("found");
    let documents = documents();
    let make = |job: Job| {
        let find = Find::new(Documents::new(&documents[..])).job(job);
        find.run(&mut Tables::new(&found).overwrite(true)).unwrap();
    };
    make(Job::default());
    let text = told(Regroup::open(&found));
    assert_eq!(
        text,
        "it does not hold all pairs / make it again by `retold find PATH -o DIR --pairs all`"
    );
    make(all_pairs().with_format(TableFormat::Csv));
    assert!(told(Regroup::open(&found)).contains("its tables are csv"));
    make(Job::of("codet", Profile::Paper).unwrap().with_pairs(PairsWritten::All));
    assert!(told(Regroup::open(&found)).contains("`--decide documents --pairs all`"));

    make(all_pairs());
    let refused = |change: &dyn Fn(Regroup) -> Regroup| {
        told(change(Regroup::open(&found).unwrap()).run(&mut Found::new()))
    };
    let text = refused(&|regroup| regroup.containment(0.5));
    assert!(text.contains("from a containment of 0.6 on, not of 0.5"), "{text}");
    assert!(text.ends_with("run `retold find --pairs all --containment 0.5`"), "{text}");
    let text = refused(&|regroup| regroup.passage_words(39));
    assert!(text.contains("from 40 words on, not from 39"), "{text}");
    let text = refused(&|regroup| regroup.clusters(Grouping::ClosedSets));
    assert!(text.contains("made of images"), "{text}");
    let text = refused(&|regroup| regroup.keep(Keep::Field("score".into())));
    assert!(text.contains("the field `score`"), "{text}");
    let error = Regroup::open(&found).unwrap().containment(7.0).run(&mut Found::new());
    assert!(matches!(error, Err(Error::Config(_))));

    let pairs = found.join("pairs.jsonl");
    let good = fs::read_to_string(&pairs).unwrap();
    for (what, bad) in [
        ("cannot be used", good[..good.len() - 9].to_owned()),
        ("what the shares", good.replace("\"common_runs\"", "\"common\"")),
        ("more runs are common", good.replace("\"common_runs\":", "\"common_runs\":9")),
        ("not among the documents", good.replace("d\\\"", "e\\\"")),
        ("no relation `near`", good.replace("near-duplicate", "near")),
    ] {
        fs::write(&pairs, bad).unwrap();
        let text = refused(&|regroup| regroup);
        assert!(text.contains(what), "{what}: {text}");
    }
    fs::write(&pairs, &good).unwrap();
    let table = found.join("documents.jsonl");
    let lines = fs::read_to_string(&table).unwrap();
    let (but_one, _) = lines.trim_end().rsplit_once('\n').unwrap();
    fs::write(&table, but_one).unwrap();
    assert!(refused(&|regroup| regroup).contains("the manifest counts"));
    let (first, rest) = lines.split_once('\n').unwrap();
    fs::write(&table, format!("{first}\n{first}\n{}", rest.split_once('\n').unwrap().1)).unwrap();
    assert!(refused(&|regroup| regroup).contains("several documents have the id"));
}

#[test]
fn a_pairs_table_that_others_wrote_again_is_read_all_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let [found, plain, other] = ["found", "plain", "other"].map(|name| dir.path().join(name));
    let find = Find::new(Documents::new(documents())).job(all_pairs());
    find.run(&mut Tables::new(&found)).unwrap();
    let strict = || Regroup::open(&found).unwrap().containment(0.8);
    strict().run(&mut Tables::new(&plain)).unwrap();
    let pairs = found.join("pairs.jsonl");
    let spaced = fs::read_to_string(&pairs).unwrap().replace("\"relation\":", "\"relation\" : ");
    fs::write(&pairs, spaced).unwrap();
    strict().run(&mut Tables::new(&other)).unwrap();
    let read = |folder: &Path| -> Vec<serde_json::Value> {
        let text = fs::read_to_string(folder.join("pairs.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    assert_eq!(read(&plain), read(&other));
}
