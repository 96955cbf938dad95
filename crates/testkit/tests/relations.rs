//! Looking for some relations gives the rows of looking for all, without the others.

use retold::{
    Copies, Document, Documents, Edits, Find, Found, Job, Kind, METHODS, PairsWritten, Profile,
    Relation, Relations,
};
use retold_testkit::corpus::{Writer, planted, running};

/// What is asked for in the tests.
const ASKED: [&[Kind]; 7] = [
    &[Kind::NearDuplicate, Kind::Contained],
    &[Kind::NearDuplicate],
    &[Kind::Contained],
    &[Kind::Partial],
    &[Kind::Exact],
    &[Kind::Exact, Kind::Partial],
    &[Kind::NearDuplicate, Kind::Partial],
];

/// Planted copies, and a crowd of documents that differ in a word each.
fn documents(seed: u64) -> Vec<Document> {
    let mut documents = planted(70, seed).documents;
    let mut writer = Writer::new(seed, 20_000);
    let crowd = writer.text(120);
    for number in 0..45 {
        let mut member = crowd.clone();
        member[number] = format!("z{number}");
        documents.push(Document::plain(format!("crowd {number}"), running(&member)));
    }
    documents
}

fn pairs(documents: &[Document], job: &Job) -> Vec<Relation> {
    let mut found = Found::new();
    Find::new(Documents::new(documents)).job(job.clone()).run(&mut found).expect("a run");
    found.into_pairs()
}

/// Checks a job with each choice of relations; returns how many rows there are of all kinds.
fn check(documents: &[Document], job: &Job, what: &str) -> usize {
    let all = pairs(documents, job);
    for kinds in ASKED {
        let asked = Relations::of(kinds);
        let some = pairs(documents, &job.clone().with_relations(asked));
        let expected: Vec<&Relation> = all.iter().filter(|row| asked.has(row.kind)).collect();
        assert_eq!(some.len(), expected.len(), "{what}, {asked}");
        for (row, expected) in some.iter().zip(expected) {
            assert_eq!(row, expected, "{what}, {asked}");
        }
    }
    all.len()
}

#[test]
fn every_method_finds_of_what_is_asked_for_what_it_finds_of_all() {
    let documents = documents(3);
    for spec in METHODS {
        for profile in [Profile::Retold, Profile::Paper] {
            let job = Job::of(spec.name, profile).expect("a method");
            let n_rows = check(&documents, &job, &format!("{}, {profile:?}", spec.name));
            assert!(n_rows > 0, "{}, {profile:?}: no rows", spec.name);
        }
    }
}

#[test]
fn no_setting_changes_the_rows_of_what_is_asked_for() {
    let documents = documents(5);
    let plain = Job::default();
    let jobs = [
        ("all pairs", plain.clone().with_pairs(PairsWritten::All)),
        ("copies by text", plain.clone().with_copies(Copies::Text)),
        ("edits", plain.clone().with_edits(Edits::Heavy)),
        ("similar", plain.clone().with_parameter("similarity", 0.7)),
        ("strict", plain.with_parameter("containment", 0.9)),
    ];
    for (what, job) in jobs {
        assert!(check(&documents, &job, what) > 50, "{what}");
    }
}
