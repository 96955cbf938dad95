//! An index of every format that was ever released opens and answers as it did.

use retold::{
    Asking, Document, Documents, Filter, INDEX_FORMAT, Index, IndexWriter, Job, Resources,
    check_index,
};
use retold_samples::testdata;

#[test]
fn an_index_of_format_1_opens_answers_and_can_be_written_to() {
    assert_eq!(INDEX_FORMAT, 1, "a new format needs an index of it in testdata/index");
    let path = testdata().join("index/format-1");
    assert!(check_index(&path).expect("a report").is_sound());
    let index = Index::open(&path).expect("it opens");
    assert_eq!(index.n_documents(), 33);
    let methods: Vec<&str> = index.jobs().map(Job::method).collect();
    assert_eq!(methods, ["anchor", "minhash"]);
    let late = index.get("late").expect("it can be read").expect("it is there");
    assert_eq!(late.document.fields["weekday"], "Tuesday");

    let canal = index.get("samples/news/en/canal-telex.txt").expect("it can be read");
    let canal = canal.expect("it is there").document;
    for method in methods {
        let asking = Asking { method: Some(method.to_owned()), ..Asking::default() };
        let hits = index.ask(&canal, &asking).expect("an answer").hits;
        assert_eq!(hits[0].id, "samples/news/en/canal-telex.txt", "{method}");
        assert_eq!(hits[0].match_ratio, Some(1.0), "{method}");
    }
    let filter = Filter { from: retold::seconds("2025-04-01"), ..Filter::default() };
    let mut listed = Vec::new();
    index
        .list(&filter, &mut |stored| {
            listed.push(stored.document.id);
            Ok(())
        })
        .expect("it can be listed");
    assert!(listed.contains(&"late".to_owned()), "{listed:?}");

    let mut writer = IndexWriter::open(&path).expect("it opens for writing");
    let new = Document::plain("new", "a document that is new");
    let added = writer.add(Documents::new(vec![new]), &Resources::new()).expect("it is added");
    assert_eq!((added.n_added, writer.index().expect("readable").n_documents()), (1, 34));
}
