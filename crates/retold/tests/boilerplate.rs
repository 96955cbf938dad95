//! Boilerplate is left out of comparisons, and all positions stay what they are.

use retold::{
    Document, Documents, Error, Family, Files, Find, Found, Job, Kind, Nothing, Opened, Opening,
    Resources, Source,
};

const FOOTER: &str = "Copyright of this story belongs to the agency, and it may not be published, \
                      broadcast, rewritten or passed on without its written consent, in whole or in \
                      part, by anybody who has not paid for it, anywhere in the world and at any time.";

/// Twelve stories that have nothing in common but the footer of their agency, a copy of the third with
/// another footer, and a quotation of the footer by another source.
fn documents() -> Vec<Document> {
    let story = |n: usize| {
        let words: Vec<String> = (0..30).map(|at| format!("w{}x{at}", n * 7)).collect();
        words.join(" ")
    };
    let of = |id: String, source: &str, text: String| Document {
        source: Some(source.to_owned()),
        ..Document::plain(id, text)
    };
    let mut all: Vec<Document> =
        (0..12).map(|n| of(n.to_string(), "agency", format!("{}. {FOOTER}", story(n)))).collect();
    all.push(of("copy".to_owned(), "paper", format!("It is told: {}.", story(3))));
    all.push(of("quotation".to_owned(), "paper", format!("They write: {FOOTER}")));
    all
}

fn found(boilerplate: Option<u32>, resources: Resources) -> (Found, Vec<(String, u64)>) {
    let mut found = Found::new();
    let job = Job::default().with_boilerplate(boilerplate);
    let find = Find::new(Documents::new(documents())).job(job).resources(resources);
    let outcome = find.run(&mut found).expect("a run");
    let cuts = outcome.manifest().cuts.iter().map(|cut| (cut.what.clone(), cut.count));
    (found, cuts.filter(|cut| cut.0.contains("boilerplate")).collect())
}

#[test]
fn what_stands_in_many_documents_of_a_source_relates_none_of_them() {
    let (all, cuts) = found(None, Resources::new());
    assert!(all.pairs().len() > 60, "{}", all.pairs().len());
    assert_eq!(cuts, []);
    for resources in [Resources::new(), Resources::new().threads(1), Resources::new().spill(64)] {
        let (some, cuts) = found(Some(5), resources);
        let pairs: Vec<_> =
            some.pairs().iter().map(|pair| (pair.a.0, pair.b.0, pair.kind)).collect();
        assert_eq!(pairs, [(3, 12, Kind::NearDuplicate)]);
        // Passages stand where they say in the texts as they are.
        let documents = documents();
        let passage = some.pairs()[0].evidence.passages[0];
        let text = |document: &Document, span: retold::Span| {
            document.text[span.start as usize..span.end as usize].to_owned()
        };
        assert_eq!(text(&documents[3], passage.a), text(&documents[12], passage.b));
        let n_words = FOOTER.split_whitespace().count() as u64;
        assert_eq!(cuts[0].1, 12 * n_words, "{cuts:?}");
        assert_eq!(cuts[1].1, 12);
    }
}

#[test]
fn what_stands_in_few_documents_is_compared() {
    let (some, cuts) = found(Some(12), Resources::new());
    let (all, _) = found(None, Resources::new());
    assert_eq!(some.pairs(), all.pairs());
    assert_eq!(cuts, []);
}

/// Records that come once.
struct Once;

impl Source for Once {
    fn open(self: Box<Self>, _: &Opening<'_>) -> Result<Opened, Error> {
        Ok(Opened::new("once", documents().into_iter().map(Ok)))
    }
}

#[test]
fn what_can_be_read_only_once_is_refused() {
    let job = || Job::default().with_boilerplate(5_u32);
    for find in [Find::new(Once), Find::new(Files::new(["-"]))] {
        let error = find.job(job()).run(&mut Nothing).expect_err("it comes once");
        assert_eq!(error.family(), Family::User, "{error}");
        assert!(error.to_string().contains("read twice"), "{error}");
    }
    assert!(Job::default().with_boilerplate(0_u32).check().is_err());
}
