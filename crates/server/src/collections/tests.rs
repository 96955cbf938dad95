//! What is erased, and what is told of it.

use std::path::Path;
use std::sync::Arc;

use retold::{Document, IndexOptions, IndexWriter, Job};
use tantivy::indexer::NoMergePolicy;
use tantivy::{TantivyDocument, Term};

use super::{Collection, Record};
use crate::disk::FreeSpace;
use crate::problem::{Code, Problem};

fn opened(folder: &Path) -> Collection {
    let record = Record {
        name: "news".to_owned(),
        title: None,
        created: 0,
        window: None,
        forgets: false,
        check_against: Vec::new(),
        archive: None,
    };
    let free = Arc::new(FreeSpace::new(folder.to_owned(), 0));
    Collection::open(folder, record, &free).expect("a collection")
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime")
}

/// Makes a collection of two documents, of which one has a word of its own.
fn of_two(folder: &Path) -> Collection {
    IndexWriter::create(folder.join("index"), &[Job::default()], &IndexOptions::default())
        .expect("an index");
    let collection = opened(folder);
    let documents = vec![
        Document::plain("kept", "the harbour board closes the east quay"),
        Document::plain("gone", "the harbour board opens a zanzibar"),
    ];
    runtime().block_on(collection.put(documents, true)).expect("two documents");
    while collection.n_searchable() < 2 {
        std::thread::yield_now();
    }
    assert!(is_in_a_file(folder, "zanzibar"));
    collection
}

fn erase(collection: &Collection) -> Result<u64, Code> {
    let erased = collection.remove(vec!["gone".to_owned()], true);
    runtime().block_on(erased).map_err(|problem| problem.code())
}

/// Looks for bytes in all files below a folder.
fn is_in_a_file(folder: &Path, word: &str) -> bool {
    std::fs::read_dir(folder).expect("a folder").flatten().any(|entry| {
        if entry.path().is_dir() {
            return is_in_a_file(&entry.path(), word);
        }
        let bytes = std::fs::read(entry.path()).unwrap_or_default();
        bytes.windows(word.len()).any(|window| window == word.as_bytes())
    })
}

#[test]
fn who_asks_again_for_an_erasure_that_took_long_is_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let collection = of_two(folder.path());
    assert_eq!(erase(&collection), Ok(1));
    assert!(!is_in_a_file(folder.path(), "zanzibar"));
    let late = Err(Problem::new(Code::StillErasing, "it takes long"));
    let told = collection.answered(vec!["gone".to_owned()], 1, late);
    assert_eq!(told.map_err(|problem| problem.code()), Err(Code::StillErasing));
    assert_eq!(erase(&collection), Ok(1), "it was there when it was asked for first");
    assert_eq!(erase(&collection), Ok(0), "it was answered");
}

#[test]
fn what_was_to_be_erased_when_the_server_ended_is_erased_when_it_is_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let collection = of_two(folder.path());
    collection.close();
    drop(collection);
    let mut writer = IndexWriter::open(folder.path().join("index")).expect("an index");
    assert_eq!(writer.purge(&["gone"]).expect("it is there"), 1);
    drop(writer);
    // As far as a server comes that ends before it writes the segments anew.
    let full_text = folder.path().join("full-text");
    let index = tantivy::Index::open_in_dir(&full_text).expect("a full-text index");
    let id = index.schema().get_field("id").expect("a field");
    let payload = index.load_metas().expect("it is whole").payload.expect("how far it is");
    let mut done: serde_json::Value = serde_json::from_str(&payload).expect("an object");
    done["owes_erasure"] = true.into();
    let mut writer =
        index.writer_with_num_threads::<TantivyDocument>(1, 24 << 20).expect("a writer");
    writer.set_merge_policy(Box::new(NoMergePolicy));
    writer.delete_term(Term::from_field_text(id, "gone"));
    let mut commit = writer.prepare_commit().expect("a commit");
    commit.set_payload(&done.to_string());
    commit.commit().expect("a commit");
    drop(writer);
    // Words of an index are not written one letter after the other, so they are not looked for.
    let n_deleted = || -> u32 {
        let segments = index.searchable_segment_metas().expect("it is whole");
        segments.iter().map(tantivy::SegmentMeta::num_deleted_docs).sum()
    };
    assert_eq!(n_deleted(), 1, "it is removed, and stands in a file");

    let collection = opened(folder.path());
    assert_eq!(erase(&collection), Ok(0), "it was removed before");
    assert_eq!(n_deleted(), 0, "its segment was written anew");
    assert!(!is_in_a_file(folder.path(), "zanzibar"));
}
