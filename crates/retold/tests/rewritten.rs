//! Rewritten documents are candidates with heavy edits, in every way of searching.

use retold::{
    Asking, Document, Documents, Edits, Find, Found, Index, IndexOptions, IndexWriter, Job, Kind,
    Query, Resources, Stream,
};

const SOURCE: &str = "The harbour board closed the east quay on Monday because divers had found cracks in \
    three concrete pillars below the waterline, and engineers from the technical university will measure \
    the remaining strength of the wall before any ferry, trawler or container vessel may land again.";
/// The same with words replaced and sentences turned round; no five words in a row are equal.
const REWRITTEN: &str = "Before a container vessel, trawler or ferry can land there again, engineers from the \
    university must measure what strength remains in the wall; divers discovered cracks below the waterline \
    in three pillars of concrete, so on Monday the board of the harbour shut the quay in the east.";
const OTHER: &str = "Prices of wheat and barley fell for a third week as warm rain in the southern provinces \
    promised a larger harvest than traders had expected, while mills in the capital bought little and waited \
    for the ministry to announce how much grain will leave the country before winter.";

fn document(id: &str, text: &str) -> Document {
    Document { language: Some("en".to_owned()), ..Document::plain(id, text) }
}

fn documents() -> Vec<Document> {
    vec![document("source", SOURCE), document("other", OTHER), document("rewritten", REWRITTEN)]
}

fn job(edits: Edits) -> Job {
    Job::default().with_edits(edits)
}

/// Returns who the rewritten document is related to, in each way of searching.
fn found_by_all(edits: Edits) -> [Vec<String>; 4] {
    let rest = || documents().into_iter().take(2).collect::<Vec<Document>>();
    let ids = |hits: &[retold::Hit]| hits.iter().map(|hit| hit.id.clone()).collect::<Vec<_>>();
    let mut found = Found::new();
    Find::new(Documents::new(documents())).job(job(edits)).run(&mut found).expect("a run");
    let pairs = found.pairs().iter().map(|pair| {
        assert_eq!(found.id(pair.b.index()), "rewritten");
        assert_eq!(pair.kind, Kind::Partial);
        found.id(pair.a.index()).to_owned()
    });
    let question = Documents::new(vec![document("rewritten", REWRITTEN)]);
    let asked = Query::new(question, Documents::new(rest())).job(job(edits)).run().expect("a run");
    let mut stream = Stream::new(&job(edits), None).expect("a job");
    let arrivals: Vec<_> = documents().iter().map(|document| stream.push(document)).collect();
    let folder = tempfile::tempdir().expect("a folder for a test");
    let path = folder.path().join("index");
    let mut writer =
        IndexWriter::create(&path, &[job(edits)], &IndexOptions::default()).expect("made");
    writer.add(Documents::new(rest()), &Resources::new()).expect("added");
    drop(writer);
    let index = Index::open(&path).expect("it is there");
    let stored = index.ask(&document("rewritten", REWRITTEN), &Asking::default()).expect("asked");
    [pairs.collect(), ids(&asked.answers[0].hits), ids(&arrivals[2].hits), ids(&stored.hits)]
}

#[test]
fn a_rewritten_document_is_found_in_every_way_of_searching() {
    for found in found_by_all(Edits::Heavy) {
        assert_eq!(found, ["source"]);
    }
    for found in found_by_all(Edits::Light) {
        assert!(found.is_empty(), "light edits do not reach that far: {found:?}");
    }
}
