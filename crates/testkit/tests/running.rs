//! A method is written once and runs in every way: a collection, two collections, questions, a
//! stream, an index, with memory and without. What is found is the same.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use retold::{
    Answer, Asking, Document, Documents, Find, Found, IdfBuilder, Index, IndexOptions, IndexWriter,
    Job, Kind, Ordinal, PairsWritten, Profile, Query, Relation, Resources, Scores, Stream,
};
use retold_core::methods::names;
use retold_testkit::corpus::{Writer, english, planted, running};
use retold_testkit::runs::{self, detector, pairs_between, pairs_of};

/// What is said of two documents by their numbers, seen from the first.
type Pairs = BTreeMap<(usize, usize), (Kind, Scores)>;

/// Returns texts of 3 to 6,000 words, copies of all kinds among them. Notes of 3 to 11 words stand
/// in long articles, before and after them in order; each half has both.
fn documents() -> Vec<Document> {
    let mut writer = Writer::new(5, 20_000);
    let articles: Vec<Vec<String>> = [6000, 2400, 700].map(|n| writer.text(n)).into();
    let note = |article: usize, number: usize| {
        let words = &articles[article];
        // From all over the article, at no round places.
        let at = number * 397 % (words.len() - 11);
        running(&words[at..at + 3 + number])
    };
    let notes = |article: usize, numbers: std::ops::Range<usize>| -> Vec<String> {
        numbers.map(|number| note(article, number)).collect()
    };
    let mut edited = articles[1].clone();
    for word in edited.iter_mut().step_by(61) {
        word.push('x');
    }
    let mut texts = notes(0, 0..9);
    texts.extend(notes(1, 2..7));
    texts.push(running(&articles[1]));
    let mut others = planted(28, 11).documents.into_iter().map(|document| document.text);
    texts.extend(others.by_ref().take(16));
    texts.extend([running(&articles[0]), running(&articles[2])]);
    texts.extend(others);
    texts.extend(notes(0, 1..9));
    texts.extend(notes(2, 0..9));
    texts.push(running(&edited));
    // One word more, or another one: signatures of a few words may stay the same.
    texts.extend([format!("{} sukato", texts[16]), texts[17].replacen(' ', " sumel ", 1)]);
    texts.extend(notes(1, 1..9));
    let number = |(i, text): (usize, String)| Document {
        language: Some("en".to_owned()),
        ..Document::plain(i.to_string(), english(&text))
    };
    texts.into_iter().enumerate().map(number).collect()
}

/// Returns a job with frozen statistics where the method weighs by any: those of the documents
/// so far are other ones for every document of a stream.
fn job(method: &str, profile: Profile, documents: &[Document], folder: &Path) -> Job {
    let job = Job::of(method, profile).expect("the name is registered");
    if !detector(&job).needs_counts() {
        return job;
    }
    let path = folder.join(format!("{method}-{}.idf", profile.name()));
    let table = IdfBuilder::new(Documents::new(documents)).job(job.clone()).overwrite(true);
    table.write(&path).expect("a table");
    job.with_idf(path)
}

fn told(found: Vec<Relation>) -> Pairs {
    let told = |r: Relation| ((r.a.index(), r.b.index()), (r.kind, r.scores));
    found.into_iter().map(told).collect()
}

fn number(id: &str) -> usize {
    id.parse().expect("ids are numbers")
}

fn streamed(documents: &[Document], job: &Job) -> Pairs {
    let mut stream = Stream::new(job, None).expect("a table is given");
    let mut pairs = Pairs::new();
    for document in documents {
        let arrival = stream.push(&document.clone());
        for hit in arrival.hits {
            let said = (hit.relation.flipped(), hit.scores.flipped());
            pairs.insert((number(&hit.id), number(&arrival.id)), said);
        }
    }
    pairs
}

/// Asks about every document, all others being held; every pair is found from both sides.
fn asked(documents: &[Document], job: &Job) -> [Pairs; 2] {
    let query = Query::new(Documents::new(documents), Documents::new(documents));
    both_ways(query.job(job.clone()).run().expect("a run").answers)
}

/// Returns the pairs of answers about all documents, as the earlier and as the later one sees them.
fn both_ways(answers: impl IntoIterator<Item = Answer>) -> [Pairs; 2] {
    let mut pairs = [Pairs::new(), Pairs::new()];
    for answer in answers {
        let own = number(&answer.id);
        for hit in answer.hits {
            match (number(&hit.id), (hit.relation, hit.scores)) {
                // It is held, too.
                (other, said) if other == own => assert_eq!(said.0, Kind::Exact),
                (other, said) if other > own => {
                    pairs[0].insert((own, other), said);
                }
                (other, (kind, scores)) => {
                    pairs[1].insert((other, own), (kind.flipped(), scores.flipped()));
                }
            }
        }
    }
    pairs
}

/// Makes an index of documents.
fn indexed(documents: &[Document], job: &Job, path: &Path) -> Index {
    let mut writer = IndexWriter::create(path, std::slice::from_ref(job), &IndexOptions::default())
        .expect("a new index");
    writer.add(Documents::new(documents), &Resources::new()).expect("documents are added");
    writer.index().expect("it can be read")
}

/// Asks an index of all documents about each of them.
fn asked_of_index(documents: &[Document], index: &Index) -> [Pairs; 2] {
    let answers = documents.iter().map(|document| {
        // In parts a long document may find more than in any other way.
        let asking = Asking { is_whole: true, ..Asking::default() };
        let answer = index.ask(document, &asking).expect("an answer");
        assert_eq!(answer.searched.n_documents, documents.len() as u64);
        answer
    });
    both_ways(answers)
}

/// Compares documents with an index of others, and with each other.
fn against_index(new: &[Document], index: Index, job: &Job) -> Pairs {
    let find = Find::new(Documents::new(new));
    let find = find.against_index(index, None).expect("the method of the index");
    let mut found = Found::new();
    find.job(job.clone().with_pairs(PairsWritten::All)).run(&mut found).expect("a run");
    let id = |doc: Ordinal| number(found.id(doc.index()));
    let mut pairs = Pairs::new();
    for pair in found.pairs() {
        let (a, b, said) = (id(pair.a), id(pair.b), (pair.kind, pair.scores));
        if a < b {
            pairs.insert((a, b), said);
        } else {
            pairs.insert((b, a), (said.0.flipped(), said.1.flipped()));
        }
    }
    pairs
}

/// Says where two results differ.
fn compare(label: &str, found: &Pairs, expected: &Pairs, out: &mut String) {
    for (pair, said) in expected {
        if found.get(pair) != Some(said) {
            let found = found.get(pair);
            writeln!(out, "{label}: {pair:?} is {found:?}, within {said:?}").expect("a string");
        }
    }
    for (pair, said) in found.iter().filter(|(pair, _)| !expected.contains_key(pair)) {
        writeln!(out, "{label}: {pair:?} is {said:?}, within nothing").expect("a string");
    }
}

#[test]
fn every_method_and_form_finds_the_same_in_every_way_of_running() {
    let documents = documents();
    let half = documents.len() / 2;
    let folder = tempfile::tempdir().expect("a folder for a test");
    let mut complaints = String::new();
    for method in names() {
        for profile in Profile::ALL {
            let job = job(method, profile, &documents, folder.path());
            let expected = told(runs::pairs(&documents, &job));
            let mut check = |way: &str, found: &Pairs, expected: &Pairs| {
                let label = format!("{method}, {}, {way}", profile.name());
                compare(&label, found, expected, &mut complaints);
            };
            assert!(expected.len() >= 15, "{method}, {}: {expected:?}", profile.name());
            check("streamed", &streamed(&documents, &job), &expected);

            let spilling = Resources::new().memory(40 << 20).spill(100);
            let find = Find::new(Documents::new(documents.clone())).resources(spilling);
            check("spilled", &told(pairs_of(find, &job)), &expected);

            let [first, second] = asked(&documents, &job);
            check("asked, the earlier one", &first, &expected);
            check("asked, the later one", &second, &expected);

            let between = pairs_between(&documents[..half], &documents[half..], &job);
            let mut across = expected.clone();
            across.retain(|&(a, b), _| a < half && b >= half);
            check("two collections", &told(between), &across);

            let path =
                |name: &str| folder.path().join(format!("{method}-{}-{name}", profile.name()));
            let [first, second] =
                asked_of_index(&documents, &indexed(&documents, &job, &path("all")));
            check("asked of an index, the earlier one", &first, &expected);
            check("asked of an index, the later one", &second, &expected);

            let index = indexed(&documents[..half], &job, &path("half"));
            let mut with_new = expected;
            with_new.retain(|&(_, b), _| b >= half);
            check("against an index", &against_index(&documents[half..], index, &job), &with_new);
        }
    }
    assert!(complaints.is_empty(), "{complaints}");
}
