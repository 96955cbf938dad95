//! Copies are told from documents that were made of one template: by the runs that few documents have.

use retold::{
    Answer, Asking, Document, Documents, Find, Found, Hit, Index, IndexOptions, IndexWriter, Job,
    Kind, Nothing, PairsWritten, Query, Regroup, Resources, Tables,
};

/// A notice of which only a number changes.
const NOTICE: &str = "The department of labor said that initial claims for state unemployment benefits \
                      fell to a seasonally adjusted level in the week that ended on the day before, and \
                      that the number of people who received benefits under regular state programs was \
                      the lowest since the same week of the year before it, when it had been higher";
/// What two stories have in common and nobody else.
const PASSAGE: &str = "Two men who had crossed the frozen bay on foot told the harbour master that they \
                       had seen the missing trawler drift without lights toward the old whaling station, \
                       where nobody has lived since the great storm took the jetty and both of its cranes \
                       away during one night of that winter";

/// Eight stories of one template with words of their own before and after it, two of them the same;
/// and two stories that share a passage.
fn documents() -> Vec<Document> {
    let own = |n: usize| (0..60).map(|at| format!("w{n}x{at}")).collect::<Vec<_>>().join(" ");
    let story = |n: usize, text: &str| format!("{} {text} {}", own(2 * n), own(2 * n + 1));
    let mut all: Vec<Document> =
        (0..7).map(|n| Document::plain(n.to_string(), story(n, NOTICE))).collect();
    all.push(Document::plain("again", story(6, NOTICE)));
    all.extend([8, 9].map(|n| Document::plain(n.to_string(), story(n, PASSAGE))));
    all
}

fn job(distinctive: Option<u32>) -> Job {
    Job::default().with_pairs(PairsWritten::All).with_distinctive(distinctive)
}

type Told = Vec<(u32, u32, Kind, Option<u32>)>;

/// Hits by their ids, with their distinctive runs.
type Hits = Vec<(String, Option<u32>)>;

/// Returns pairs with their distinctive runs, and how many pairs were left out.
fn found(job: Job, resources: Resources) -> (Told, Option<u64>) {
    let mut found = Found::new();
    let find = Find::new(Documents::new(documents())).job(job).resources(resources);
    let outcome = find.run(&mut found).expect("a run");
    let distinctive = |pair: &retold::Relation| pair.evidence.counted?.distinctive_runs;
    let pairs = found.pairs().iter().map(|pair| (pair.a.0, pair.b.0, pair.kind, distinctive(pair)));
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort_unstable_by_key(|pair| (pair.0, pair.1));
    let cuts = &outcome.manifest().cuts;
    let cut = cuts.iter().find(|cut| cut.what.contains("distinctive"));
    (pairs, cut.map(|cut| cut.count))
}

#[test]
fn documents_of_one_template_are_left_out_and_a_shared_passage_stays() {
    let (all, cut) = found(job(None), Resources::new());
    assert!(all.len() > 28 && all.iter().all(|pair| pair.3.is_none()), "{all:?}");
    assert_eq!(cut, None);
    let (counted, cut) = found(job(Some(0)), Resources::new());
    let n_runs = PASSAGE.split_whitespace().count() as u32 - 4;
    assert_eq!((counted.len(), cut), (all.len(), None));
    for &(a, b, kind, n) in &counted {
        let expected = match (a, kind) {
            (8, _) => Some(n_runs),
            (_, Kind::Exact) => None,
            _ => Some(0),
        };
        assert_eq!(n, expected, "{a} {b}");
    }
    for resources in [Resources::new(), Resources::new().threads(1), Resources::new().spill(64)] {
        let (some, cut) = found(job(Some(8)), resources);
        let expected = [(6, 7, Kind::Exact, None), (8, 9, Kind::Partial, Some(n_runs))];
        assert_eq!(some, expected);
        // Seven different documents; a copy of one of them is not counted again.
        assert_eq!(cut, Some(21));
    }
    let exhaustive = Job::of("exhaustive", retold::Profile::Retold).expect("a method");
    let exhaustive = exhaustive.with_pairs(PairsWritten::All).with_distinctive(8);
    assert_eq!(found(exhaustive, Resources::new()).0.len(), 2);
}

#[test]
fn a_result_that_counts_distinctive_runs_is_cut_without_another_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |job: Job, name: &str| {
        let path = folder.path().join(name);
        let job = job.with_no_page(true).with_no_shared_text(true);
        let find = Find::new(Documents::new(documents())).job(job);
        find.run(&mut Tables::new(&path)).expect("a run");
        path
    };
    let counted = write(job(Some(0)), "counted");
    let fresh = write(job(Some(8)), "fresh");
    let cut = folder.path().join("cut");
    let regroup = Regroup::open(&counted).expect("a result").distinctive(8);
    let outcome = regroup.run(&mut Tables::new(&cut)).expect("a run");
    assert_eq!(outcome.manifest().cuts[0].count, 21);
    for name in ["pairs.jsonl", "clusters.jsonl", "documents.jsonl"] {
        let read = |folder: &std::path::Path| std::fs::read(folder.join(name)).expect("a table");
        assert_eq!(read(&fresh), read(&cut), "{name}");
    }
    let again = Regroup::open(&fresh).expect("a result");
    assert_eq!(again.run(&mut Nothing).expect("a run").manifest().cuts, outcome.manifest().cuts);
    for (path, changed) in [
        (write(job(None), "plain"), Regroup::distinctive as fn(Regroup, u32) -> Regroup),
        (fresh, |regroup, _| regroup.passage_words(50)),
        (cut, |regroup, _| regroup.distinctive(4)),
    ] {
        let regroup = changed(Regroup::open(path).expect("a result"), 8);
        let error = regroup.run(&mut Nothing).expect_err("it is not held");
        assert!(error.to_string().contains("distinctive"), "{error}");
    }
}

#[test]
fn a_question_leaves_templates_out_in_files_and_in_an_index() {
    let question =
        || Documents::new(vec![Document::plain("question", format!("{NOTICE}. {PASSAGE}."))]);
    let told = |answer: &Answer| -> (Hits, u64) {
        let runs = |hit: &Hit| hit.evidence.counted.and_then(|counted| counted.distinctive_runs);
        let mut hits: Hits = answer.hits.iter().map(|hit| (hit.id.clone(), runs(hit))).collect();
        hits.sort();
        (hits, answer.n_undistinctive)
    };
    let hits = |distinctive| {
        let query = Query::new(question(), Documents::new(documents())).job(job(distinctive));
        told(&query.run().expect("an answer").answers[0])
    };
    assert_eq!(hits(None).0.len(), 10);
    let (left, n_left_out) = hits(Some(8));
    assert_eq!(left.iter().map(|hit| hit.0.as_str()).collect::<Vec<_>>(), ["8", "9"]);
    // A copy is not counted again.
    assert_eq!(n_left_out, 7);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let options = IndexOptions::default();
    let mut writer = IndexWriter::create(&path, &[Job::default()], &options).expect("an index");
    writer.add(Documents::new(documents()), &Resources::new()).expect("documents");
    drop(writer);
    let index = Index::open(&path).expect("an index");
    // All documents that have the template are compared, so an index counts as the files do.
    let question_of = Document::plain("question", format!("{NOTICE}. {PASSAGE}."));
    for distinctive in [None, Some(0), Some(8)] {
        let asking = Asking { distinctive, ..Asking::default() };
        let answer = index.ask(&question_of, &asking).expect("an answer");
        assert_eq!(told(&answer), hits(distinctive), "{distinctive:?}");
    }
    let find = Find::new(question()).against_index(index, None).expect("its method");
    let mut found = Found::new();
    let outcome = find.job(job(Some(8))).run(&mut found).expect("a run");
    assert_eq!(found.pairs().len(), 2);
    let cuts = &outcome.manifest().cuts;
    let cut = cuts.iter().find(|cut| cut.what.contains("distinctive")).expect("it is told");
    assert_eq!(cut.count, 7);
}
