//! An index is what was put in and not taken out, whatever the order.

use std::path::Path;

use retold::{
    Asking, Document, Documents, Error, Index, IndexOptions, IndexWriter, Job, Profile, Rank,
    Resources, Watch, WatchOptions, check_index, repair_index,
};
use retold_core::hash::Random;
use retold_core::methods::names;
use retold_testkit::corpus::{english, planted};

fn documents() -> Vec<Document> {
    let mut documents: Vec<Document> = planted(24, 3)
        .documents
        .into_iter()
        .enumerate()
        .map(|(i, document)| Document {
            language: Some("en".to_owned()),
            ..Document::plain(format!("d{i}"), english(&document.text))
        })
        .collect();
    // Copies, whose first may go before them.
    for i in [0, 0, 3, 7] {
        let (id, text) = (format!("d{}", documents.len()), documents[i].text.clone());
        documents.push(Document { id, text, ..documents[i].clone() });
    }
    documents
}

fn create(path: &Path, job: &Job) -> IndexWriter {
    IndexWriter::create(path, std::slice::from_ref(job), &IndexOptions::default())
        .expect("a new index")
}

fn add(writer: &mut IndexWriter, documents: Vec<Document>) {
    writer.add(Documents::new(documents), &Resources::new()).expect("documents are added");
}

/// Returns all answers about some documents, as they are written down.
fn answers(index: &Index, questions: &[Document]) -> Vec<String> {
    let mut lines = Vec::new();
    for question in questions {
        for rank in [Rank::Share, Rank::MatchRatio] {
            let asking = Asking { rank, explains: true, ..Asking::default() };
            let answer = index.ask(question, &asking).expect("an answer");
            lines.push(serde_json::to_string(&answer).expect("plain data"));
        }
    }
    lines
}

#[test]
fn batches_in_any_order_with_removals_and_returns_equal_indexing_what_is_left_at_once() {
    let documents = documents();
    let folder = tempfile::tempdir().expect("a folder for a test");
    let mut random = Random::new(7);
    let mut n_hits = 0;
    for method in names() {
        for profile in Profile::ALL {
            let job = Job::of(method, profile).expect("a registered name");
            let path =
                |name: &str| folder.path().join(format!("{method}-{}-{name}", profile.name()));
            let mut left: Vec<Document> = documents.clone();
            let gone: Vec<Document> =
                (0..5).map(|_| left.remove(random.below(left.len()))).collect();
            let mut at_once = create(&path("once"), &job);
            add(&mut at_once, left.clone());
            let expected = answers(&at_once.index().expect("readable"), &documents);

            let mut shuffled = documents.clone();
            for i in (1..shuffled.len()).rev() {
                shuffled.swap(i, random.below(i + 1));
            }
            let mut writer = create(&path("steps"), &job);
            for batch in shuffled.chunks(1 + random.below(9)) {
                // Some come with another text first, and some twice.
                let other = Document { text: "another text altogether".into(), ..batch[0].clone() };
                add(&mut writer, vec![other]);
                add(&mut writer, batch.to_vec());
                if random.below(3) == 0 {
                    writer.remove(&[&batch[0].id]).expect("it is there");
                    add(&mut writer, vec![batch[0].clone()]);
                }
                if random.below(3) == 0 {
                    drop(writer);
                    writer = IndexWriter::open(path("steps")).expect("it opens again");
                }
                if random.below(4) == 0 {
                    writer.merge().expect("parts are merged");
                }
            }
            let ids: Vec<&str> = gone.iter().map(|document| document.id.as_str()).collect();
            assert_eq!(writer.remove(&ids).expect("they are there"), 5);
            writer.refresh(&Resources::new()).expect("statistics are taken");
            let found = answers(&writer.index().expect("readable"), &documents);
            assert_eq!(found, expected, "{method}, {}", profile.name());
            n_hits += found.iter().filter(|line| line.contains(r#""relation""#)).count();
            assert!(check_index(path("steps")).expect("a report").is_sound());
        }
    }
    assert!(n_hits > 1_000, "{n_hits} answers have hits");
}

/// Returns the files of an index that hold statistics.
fn statistics(path: &Path) -> Vec<std::path::PathBuf> {
    let files = std::fs::read_dir(path).expect("it is a folder");
    let paths = files.map(|file| file.expect("it is listed").path());
    let is_one = |path: &std::path::PathBuf| path.to_string_lossy().contains("attachment-");
    paths.filter(is_one).collect()
}

#[test]
fn statistics_stand_in_one_file_and_a_refresh_replaces_it() {
    let folder = tempfile::tempdir().expect("a folder for a test");
    let path = folder.path().join("archive.idx");
    let mut writer = create(&path, &Job::of("imatch", Profile::Retold).expect("a method"));
    assert_eq!(statistics(&path).len(), 0);
    let documents = documents();
    add(&mut writer, documents[..12].to_vec());
    let before = statistics(&path);
    assert_eq!(before.len(), 1);
    add(&mut writer, documents[12..].to_vec());
    writer.merge().expect("parts are merged");
    drop(writer);
    let mut writer = IndexWriter::open(&path).expect("it opens again");
    assert_eq!(statistics(&path), before, "written once");
    let stats = writer.index().expect("readable").stats().expect("readable");
    let n_bytes = stats.methods[0].statistics_bytes.expect("it needs statistics");
    assert!(n_bytes > 1_000 && stats.storage.sections.attachments > n_bytes);
    assert!(stats.storage.log_bytes < n_bytes, "they are not in the log");
    assert_eq!(stats.methods[0].n_changed, Some(documents.len() as u64 - 12));
    writer.refresh(&Resources::new()).expect("statistics are taken");
    let after = statistics(&path);
    assert!(after.len() == 1 && after != before);
    let stats = Index::open(&path).expect("it opens").stats().expect("readable");
    let epoch = stats.methods[0].epoch.as_ref().expect("it needs statistics");
    assert_eq!((epoch.number, epoch.n_documents), (2, documents.len() as u64));
    assert_eq!(stats.methods[0].n_changed, Some(0));
}

#[test]
fn lost_statistics_are_told_and_taken_anew() {
    let folder = tempfile::tempdir().expect("a folder for a test");
    let job = Job::of("imatch", Profile::Retold).expect("a method");
    let (path, documents) = (folder.path().join("archive.idx"), documents());
    let mut writer = create(&path, &job);
    add(&mut writer, documents.clone());
    let expected = answers(&writer.index().expect("readable"), &documents);
    drop(writer);
    for heals_by_adding in [false, true] {
        let file = statistics(&path).pop().expect("it needs statistics");
        let mut bytes = std::fs::read(&file).expect("it can be read");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&file, bytes).expect("it can be written");
        assert!(matches!(Index::open(&path), Err(Error::Index { .. })));
        assert_eq!(check_index(&path).expect("a report").problems.len(), 1);
        let report = repair_index(&path).expect("it can be repaired");
        assert_eq!(report.dropped_attachments.len(), 1);
        assert!(report.dropped.is_empty() && check_index(&path).expect("a report").is_sound());

        let index = Index::open(&path).expect("it opens without statistics");
        assert_eq!(index.n_documents(), documents.len() as u64);
        assert!(index.get("d1").expect("it can be read").is_some());
        let method = index.stats().expect("readable").methods.remove(0);
        assert!(method.needs_refresh && method.statistics_bytes.is_none());
        let refused = index.ask(&documents[0], &Asking::default()).expect_err("it cannot answer");
        assert!(matches!(refused, Error::LostStatistics { .. }), "{refused}");
        assert!(matches!(
            Watch::open(&path, WatchOptions::default()).map(drop),
            Err(Error::LostStatistics { .. })
        ));
        let mut writer = IndexWriter::open(&path).expect("it opens without statistics");
        if heals_by_adding {
            add(&mut writer, vec![documents[0].clone()]);
        } else {
            writer.refresh(&Resources::new()).expect("statistics are taken");
        }
        assert_eq!(answers(&writer.index().expect("readable"), &documents), expected);
    }
}
