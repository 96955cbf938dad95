//! Clusters that overlap, from documents to tables.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use retold::{Files, Find, Grouping, Job, MinCommon, Nothing, Profile, Sets, Tables};
use retold_mine::{Task, find as miner, mine, read};
use serde_json::Value;

/// Three versions of a text, each with another quarter replaced for good: the first and the last
/// share half; and one document that has nothing to do with them.
fn versions() -> Vec<(String, String)> {
    let words = |from: u32, to: u32| (from..to).map(|n| format!("word{n}")).collect::<Vec<_>>();
    let version = |step: u32| {
        let kept = words(50 * step, 200);
        let new = (1..=step).map(|step| words(1000 * step, 1000 * step + 50));
        [kept].into_iter().chain(new).collect::<Vec<_>>().concat().join(" ")
    };
    let mut documents: Vec<(String, String)> =
        (0..3).map(|step| (format!("v{step}"), version(step))).collect();
    documents.push(("other".to_owned(), words(9000, 9200).join(" ")));
    documents.push(("v1-copy".to_owned(), documents[1].1.to_uppercase()));
    documents
}

fn job(grouping: Grouping) -> Job {
    Job::of("minimal-b", Profile::Paper)
        .unwrap()
        .with_parameter("k", 5)
        .with_parameter("common", 62)
        .with_clusters(grouping)
        .with_min_common(MinCommon::Units(62))
        .with_sets(Sets::All)
}

fn run(dir: &Path, job: &Job, threads: usize) -> (Vec<Value>, Vec<Value>) {
    let input = dir.join("versions.jsonl");
    let line =
        |(id, text): (String, String)| serde_json::json!({ "id": id, "text": text }).to_string();
    let lines: Vec<String> = versions().into_iter().map(line).collect();
    fs::write(&input, lines.join("\n")).unwrap();
    let found = dir.join("found");
    let find = Find::new(Files::new([input])).job(job.clone()).threads(threads);
    find.run(&mut Tables::new(&found).overwrite(true)).unwrap();
    let table = |name: &str| {
        let text = fs::read_to_string(found.join(name)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    (table("clusters.jsonl"), table("documents.jsonl"))
}

fn members(cluster: &Value) -> Vec<&str> {
    cluster["members"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect()
}

#[test]
fn a_chain_is_one_component_and_two_closed_sets() {
    let dir = tempfile::tempdir().unwrap();
    let (components, _) = run(dir.path(), &job(Grouping::Components), 0);
    assert_eq!(components.len(), 1);
    assert_eq!(members(&components[0]), ["v0", "v1", "v2", "v1-copy"]);
    for grouping in [Grouping::ClosedSets, Grouping::Cliques] {
        let (clusters, documents) = run(dir.path(), &job(grouping), 0);
        let sets: Vec<Vec<&str>> = clusters.iter().map(members).collect();
        assert_eq!(
            sets,
            [vec!["v0", "v1", "v1-copy"], vec!["v1", "v2", "v1-copy"]],
            "{grouping:?}"
        );
        // Who is in both says so, and everybody's representative is one.
        assert_eq!(documents[1]["clusters"], serde_json::json!([0, 1]));
        assert_eq!(documents[0]["clusters"], Value::Null);
        let verdict = |id: &str| {
            documents.iter().find(|document| document["id"] == id).unwrap()["verdict"].clone()
        };
        for document in documents.iter().filter(|document| document["verdict"] == "copy") {
            assert_eq!(verdict(document["representative"].as_str().unwrap()), "representative");
        }
        assert_eq!(verdict("other"), "unique");
    }
}

#[test]
fn closed_sets_say_how_much_is_in_common_and_show_it() {
    let dir = tempfile::tempdir().unwrap();
    let (clusters, _) = run(dir.path(), &job(Grouping::ClosedSets), 0);
    for (cluster, first) in clusters.iter().zip(["word50", "word100"]) {
        assert!(cluster["n_common"].as_u64().unwrap() >= 62);
        assert!(cluster["shared_text"].as_str().unwrap().to_lowercase().starts_with(first));
    }
    assert_eq!(clusters[0]["shared_words"], 150);
}

#[test]
fn the_table_of_units_gives_the_same_sets_to_any_miner() {
    let dir = tempfile::tempdir().unwrap();
    let (clusters, documents) = run(dir.path(), &job(Grouping::ClosedSets), 0);
    let file = fs::File::open(dir.path().join("found/b_1_5_s_100_n1-1.dat")).unwrap();
    let named = read(file).unwrap();
    let mut task = Task::maximal(62);
    task.min_size = 2;
    let mut sets: BTreeSet<(Vec<String>, u64)> = BTreeSet::new();
    mine(miner("lcm").unwrap(), &named.context, &task, &mut |set, support| {
        let id = |item: &u32| documents[named.name(*item) as usize]["id"].as_str().unwrap();
        let mut ids: Vec<String> = set.iter().map(|item| id(item).to_owned()).collect();
        ids.sort();
        sets.insert((ids, u64::from(support)));
    });
    let own: BTreeSet<(Vec<String>, u64)> = clusters
        .iter()
        .map(|cluster| {
            let mut ids: Vec<String> =
                members(cluster).into_iter().map(ToOwned::to_owned).collect();
            ids.sort();
            (ids, cluster["n_common"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(sets, own);
}

#[test]
fn a_method_without_units_is_refused_with_those_that_have_them() {
    let dir = tempfile::tempdir().unwrap();
    let input = dir.path().join("a.txt");
    fs::write(&input, "ten words of text are enough for simhash to judge").unwrap();
    let job = Job::of("simhash", Profile::Retold).unwrap().with_clusters(Grouping::ClosedSets);
    let error = Find::new(Files::new([input])).job(job).run(&mut Nothing);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("minimal-elements") && error.contains("simhash"), "{error}");
}

#[test]
fn overlapping_clusters_are_the_same_on_any_number_of_threads() {
    let dir = tempfile::tempdir().unwrap();
    for grouping in [Grouping::Cliques, Grouping::ClosedSets] {
        let on = |threads| run(dir.path(), &job(grouping), threads);
        assert_eq!(on(1), on(4));
    }
}
