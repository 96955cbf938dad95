//! What `dedup` decides when it compares only what decides is what it decides when it compares all.

use retold::{
    Copies, Dedup, Document, Documents, Found, Job, Keep, Kind, PairsWritten, Profile, Resources,
};
use retold_testkit::corpus::{Writer, planted, running};

/// What is told of a document that goes or is left to a person.
type Gone = (usize, usize, Kind, f64, bool);

fn decided(documents: &[Document], job: &Job, resources: Resources) -> Vec<Gone> {
    let mut found = Found::new();
    let dedup = Dedup::new(Documents::new(documents)).job(job.clone()).resources(resources);
    dedup.run(&mut found).expect("a run");
    let gone = found.removals().iter();
    gone.map(|x| (x.document(), x.covered_by(), x.relation(), x.covered(), x.is_removed()))
        .collect()
}

fn assert_same(one: &[Gone], other: &[Gone], what: &str) {
    for (one, other) in one.iter().zip(other) {
        assert_eq!(one, other, "{what}");
    }
    assert_eq!(one.len(), other.len(), "{what}");
}

/// Checks that both ways of deciding agree; returns how many are removed and left to a person.
fn check(documents: &[Document], job: &Job, what: &str) -> (usize, usize) {
    let all = job.clone().with_pairs(PairsWritten::All);
    let expected = decided(documents, &all, Resources::new().threads(2));
    for n_threads in [1, 3] {
        let only = decided(documents, job, Resources::new().threads(n_threads));
        assert_same(&only, &expected, &format!("{what}, {n_threads} threads"));
    }
    // Nothing fits: every document that decides is read again.
    let spilled = decided(documents, job, Resources::new().threads(2).spill(100));
    assert_same(&spilled, &expected, &format!("{what}, nothing held"));
    let n_removed = expected.iter().filter(|gone| gone.4).count();
    (n_removed, expected.len() - n_removed)
}

/// Chains of versions, each a few words away from the one before; texts that hold others; crowds;
/// exact copies of any of them.
fn versions(seed: u64) -> Vec<Document> {
    let mut writer = Writer::new(seed, 20_000);
    let mut texts = Vec::new();
    for _ in 0..6 {
        let length = 80 + writer.below(400);
        let mut text = writer.text(length);
        for _ in 0..12 {
            for _ in 0..=writer.below(8) {
                let at = writer.below(text.len());
                text[at] = writer.word();
            }
            if writer.below(3) == 0 {
                let n = writer.below(40);
                text.extend(writer.text(n));
            }
            texts.push(text.clone());
            if writer.below(5) == 0 {
                let n_more = 100 + writer.below(900);
                texts.push([&writer.text(n_more)[..], &text, &writer.text(30)].concat());
            }
            if writer.below(4) == 0 {
                let from = writer.below(text.len() / 2);
                texts.push(text[from..from + text.len() / 2].to_vec());
            }
        }
    }
    let crowd = writer.text(120);
    for number in 0..45 {
        let mut member = crowd.clone();
        member[number] = format!("z{number}");
        texts.push(member);
    }
    for _ in 0..20 {
        let copied = texts[writer.below(texts.len())].clone();
        texts.push(copied);
    }
    let document = |(i, words): (usize, &Vec<String>)| Document {
        time: Some(format!("2026-{:02}-{:02}", 1 + i * 7 % 12, 1 + i * 5 % 28)),
        ..Document::plain(i.to_string(), running(words))
    };
    // Out of order, so that neither the order of reading nor lengths follow the versions.
    let mut documents: Vec<Document> = texts.iter().enumerate().map(document).collect();
    for i in (1..documents.len()).rev() {
        documents.swap(i, writer.below(i + 1));
    }
    documents
}

#[test]
fn what_decides_gives_what_comparing_everything_gives() {
    let (mut n_removed, mut n_left) = (0, 0);
    for seed in 0..4 {
        let mut documents = versions(seed);
        documents.extend(planted(60, seed).documents);
        let plain = Job::default();
        let jobs = [
            ("longest", plain.clone()),
            ("first", plain.clone().with_keep(Keep::First)),
            ("oldest", plain.clone().with_keep(Keep::Oldest)),
            ("strict", plain.clone().with_cover(0.97)),
            ("contained", plain.clone().with_remove_contained(true).with_keep(Keep::First)),
            ("similar", plain.clone().with_parameter("similarity", 0.85)),
            ("loose", plain.clone().with_parameter("containment", 0.4).with_cover(0.5)),
            ("copies by text", plain.with_copies(Copies::Text)),
        ];
        for (what, job) in jobs {
            let (removed, left) = check(&documents, &job, &format!("{what} {seed}"));
            n_removed += removed;
            n_left += left;
        }
    }
    assert!(n_removed > 1_000 && n_left > 100, "{n_removed} removed, {n_left} left to a person");
}

#[test]
fn other_methods_and_their_own_word_decide_alike() {
    let mut documents = versions(9);
    documents.extend(planted(40, 9).documents);
    for (method, profile) in [
        ("minhash", Profile::Retold),
        ("codet", Profile::Paper),
        ("codet", Profile::Retold),
        ("imatch", Profile::Retold),
        ("exhaustive", Profile::Retold),
    ] {
        let job = Job::of(method, profile).expect("a method");
        let (removed, _) = check(&documents, &job, method);
        assert!(removed > 0, "{method} removes nothing");
    }
}
