//! What an archive holds goes from a new collection, and the archive stays as it is.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use retold::{
    Dedup, Document, Documents, Files, Found, Index, IndexOptions, IndexWriter, Job, Keep, Kind,
    Resources, Tables,
};
use retold_testkit::corpus::{Writer, planted, running};

/// Returns what goes: the document, what covers it, and whether it is removed.
fn gone(dedup: Dedup) -> Vec<(usize, usize, bool)> {
    let mut found = Found::new();
    dedup.run(&mut found).unwrap();
    let removals = found.removals().iter();
    removals.map(|gone| (gone.document(), gone.covered_by(), gone.is_removed())).collect()
}

fn index_of(path: &Path, archive: &[Document]) -> Index {
    let mut writer =
        IndexWriter::create(path, &[Job::default()], &IndexOptions::default()).unwrap();
    writer.add(Documents::new(archive), &Resources::new()).unwrap();
    Index::open(path).unwrap()
}

#[test]
fn documents_of_an_archive_stay_whatever_the_policy() {
    let mut writer = Writer::new(4, 20_000);
    let [base, other] = [200, 200].map(|n| writer.text(n));
    let longer = [&base[..], &writer.text(20)].concat();
    let with_other = [&other[..150], &writer.text(60)].concat();
    let texts = |texts: &[&[String]]| -> Vec<Document> {
        let document = |(i, words): (usize, &&[String])| Document {
            time: Some(format!("2026-01-{:02}", 1 + i)),
            ..Document::plain(format!("d{i}"), running(words))
        };
        texts.iter().enumerate().map(document).collect()
    };
    // The archive has the base twice, and a text of which the fourth new one holds a part.
    let archive = texts(&[&base, &other, &base]);
    let new = texts(&[&longer, &base, &with_other, &with_other, &writer.text(90)]);
    for keep in [Keep::Longest, Keep::First, Keep::Oldest, Keep::Newest] {
        let job = Job::default().with_keep(keep.clone());
        let dedup = Dedup::new(Documents::new(&new[..])).job(job);
        let gone = gone(dedup.against(Documents::new(&archive[..])));
        let removed: BTreeSet<usize> =
            gone.iter().filter(|gone| gone.2).map(|gone| gone.0).collect();
        let kept_of_pair = if removed.contains(&2) { 2 } else { 3 };
        assert_eq!(removed, BTreeSet::from([0, 1, kept_of_pair]), "{keep:?} {gone:?}");
        for &(document, covered_by, _) in gone.iter().filter(|gone| gone.0 < 2) {
            assert!(covered_by >= new.len(), "{keep:?}: {document} by {covered_by}");
        }
    }
}

#[test]
fn an_index_and_its_documents_make_the_same_go() {
    let dir = tempfile::tempdir().unwrap();
    let mut documents = planted(60, 8).documents;
    // A crowd of near-copies, some of them in the archive.
    let mut writer = Writer::new(6, 20_000);
    let words = writer.text(300);
    for number in 0..60 {
        let mut edited = words.clone();
        edited[number * 4] = format!("z{number}");
        documents.push(Document::plain(format!("crowd{number}"), running(&edited)));
    }
    let (mut new, mut archive) = (Vec::new(), Vec::new());
    for (i, document) in documents.into_iter().enumerate() {
        if i % 3 == 0 { archive.push(document) } else { new.push(document) }
    }
    let index = index_of(&dir.path().join("old.idx"), &archive);
    let ids = |dedup: Dedup| -> BTreeSet<(String, Kind, bool)> {
        let mut found = Found::new();
        dedup.run(&mut found).unwrap();
        let removals = found.removals().iter();
        removals
            .filter(|gone| gone.is_removed())
            .map(|gone| (new[gone.document()].id.clone(), gone.relation(), gone.is_removed()))
            .collect()
    };
    let by_index = Dedup::new(Documents::new(&new[..])).against_index(index, None).unwrap();
    let by_documents = Dedup::new(Documents::new(&new[..])).against(Documents::new(&archive[..]));
    let (by_index, by_documents) = (ids(by_index), ids(by_documents));
    assert_eq!(by_index, by_documents);
    let n_crowd = by_index.iter().filter(|gone| gone.0.starts_with("crowd")).count();
    assert_eq!(n_crowd, 40, "all but those of the archive");
    assert!(by_index.len() > n_crowd + 3, "{}", by_index.len());
}

#[test]
fn kept_records_are_copied_and_those_of_the_archive_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let mut writer = Writer::new(3, 20_000);
    let texts: Vec<String> = (0..4).map(|_| running(&writer.text(80))).collect();
    let line =
        |id: &str, text: &str| serde_json::json!({ "id": id, "text": text }).to_string() + "\n";
    let new = [line("n0", &texts[0]), line("n1", &texts[1]), line("n2", &texts[1])].concat();
    let old = [line("o0", &texts[0]), line("o1", &texts[3]), line("o2", &texts[3])].concat();
    fs::write(path("new.jsonl"), new).unwrap();
    fs::write(path("old.jsonl"), &old).unwrap();
    let dedup =
        Dedup::new(Files::new([path("new.jsonl")])).against(Files::new([path("old.jsonl")]));
    let outcome = dedup.run(&mut Tables::new(path("clean"))).unwrap();
    assert_eq!(outcome.summary().n_removed, Some(2));
    assert_eq!(outcome.summary().n_exact_groups, 2, "copies within the archive are its own affair");
    let copied: Vec<String> = fs::read_dir(path("clean/documents"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(copied, ["new.jsonl"]);
    let kept = fs::read_to_string(path("clean/documents/new.jsonl")).unwrap();
    assert_eq!(kept, line("n1", &texts[1]));
    let removed = fs::read_to_string(path("clean/removed.jsonl")).unwrap();
    let removed: Vec<serde_json::Value> =
        removed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&removed[0]["id"], &removed[0]["covered_by"]), (&"n0".into(), &"o0".into()));
    let covered_in = removed[0]["covered_in"].as_str().unwrap();
    assert!(covered_in.ends_with("old.jsonl"), "{covered_in}");
    assert_eq!((&removed[1]["id"], &removed[1]["covered_in"]), (&"n2".into(), &().into()));
    assert_eq!(fs::read_to_string(path("old.jsonl")).unwrap(), old);
}
