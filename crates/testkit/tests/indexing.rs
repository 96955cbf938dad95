//! An index is what was put in and not taken out, whatever the order.

use std::path::Path;

use retold::{
    Asking, Document, Documents, Index, IndexOptions, IndexWriter, Job, Profile, Rank, Resources,
    check_index,
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
