//! Every method against every case, in every way of running.

use std::path::PathBuf;

use retold::{
    Document, Documents, Find, IdfBuilder, Job, Kind, METHODS, Profile, Relation, Resources,
    Scores, Span, Spec, Stream, compare,
};
use retold_testkit::cases::{Case, cases, is_left_out};
use retold_testkit::runs::{detector, pairs, pairs_between, pairs_of};

/// Words in the runs that the bounds of the cases are shares of.
const CASE_WORDS: usize = 5;

/// Returns the job of a method: documents are compared by runs of five words, as the cases'
/// bounds are, and word weights come from the texts of all cases, because two texts are no
/// collection.
fn job(spec: &Spec, tables: &Tables) -> Job {
    let mut job = Job::of(spec.name, Profile::Retold).expect("the name is registered");
    let n_words = |job: &Job| detector(job).shingles().k();
    if n_words(&job) != CASE_WORDS {
        job = job.with_parameter("k", CASE_WORDS);
        assert_eq!(n_words(&job), CASE_WORDS, "{}: `k` sets the length of runs", spec.name);
    }
    let table = tables.of(&job);
    job.with_idf(table)
}

/// Statistics of the texts of all cases, one table for each method.
struct Tables {
    folder: tempfile::TempDir,
    documents: Vec<Document>,
}

impl Tables {
    fn new(cases: &[Case]) -> Self {
        let folder = tempfile::tempdir().expect("a folder for a test");
        Self { folder, documents: cases.iter().flat_map(Case::documents).collect() }
    }

    fn of(&self, job: &Job) -> PathBuf {
        let path = self.folder.path().join(format!("{}.idf", job.method()));
        if !path.exists() {
            let documents = Documents::new(self.documents.clone());
            IdfBuilder::new(documents).job(job.clone()).write(&path).expect("a table");
        }
        path
    }
}

/// Passages run from word to word: line ends and the punctuation around them do not count.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

/// How two texts relate, seen from the left one.
#[derive(Debug)]
struct Said {
    kind: Kind,
    scores: Scores,
    /// Passages of the left text.
    passages: Vec<Span>,
}

/// A way of running.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// Both texts are one collection.
    Within,
    /// Each is a collection.
    Against,
    /// The right one comes after the left one.
    Streamed,
    /// One collection, with next to no memory.
    Spilled,
}

impl Way {
    const ALL: [Self; 4] = [Self::Within, Self::Against, Self::Streamed, Self::Spilled];

    /// Returns what is said of two texts.
    fn run(self, [left, right]: [Document; 2], job: &Job) -> Option<Said> {
        match self {
            Self::Within => only(pairs(&[left, right], job)),
            Self::Against => only(pairs_between(&[left], &[right], job)),
            Self::Spilled => {
                let spilling = Resources::new().memory(40 << 20).spill(0);
                let find = Find::new(Documents::new([left, right])).resources(spilling);
                only(pairs_of(find, job))
            }
            Self::Streamed => {
                let mut stream = Stream::new(job, None).expect("the settings are valid");
                assert!(stream.push(&left).hits.is_empty(), "there is nothing before it");
                let mut hits = stream.push(&right).hits;
                assert!(hits.len() <= 1, "two documents have one relation");
                let hit = hits.pop()?;
                Some(Said {
                    kind: hit.relation.flipped(),
                    scores: hit.scores.flipped(),
                    passages: hit.evidence.passages.iter().map(|passage| passage.b).collect(),
                })
            }
        }
    }
}

fn only(mut relations: Vec<Relation>) -> Option<Said> {
    assert!(relations.len() <= 1, "two documents have one relation");
    let Relation { kind, scores, evidence, .. } = relations.pop()?;
    let passages = evidence.passages.iter().map(|passage| passage.a).collect();
    Some(Said { kind, scores, passages })
}

/// Says what is wrong with what was found, if anything.
fn complaint(case: &Case, found: Option<&Said>) -> Option<String> {
    let expected = &case.relation;
    let kind = found.map_or("none", |said| said.kind.name());
    if kind != expected.kind {
        return Some(format!("expected {}, found {kind}: {found:?}", expected.kind));
    }
    let Said { scores, passages, .. } = found?;
    for (name, bounds, value) in [
        ("a_in_b", expected.a_in_b, scores.a_in_b.get()),
        ("b_in_a", expected.b_in_a, scores.b_in_a.get()),
        ("resemblance", expected.resemblance, scores.resemblance.get()),
    ] {
        if !bounds.hold(value) {
            return Some(format!("{name} is {value}, expected {bounds:?}"));
        }
    }
    let passages: Vec<String> = passages
        .iter()
        .map(|passage| passage.of(&case.left).expect("spans lie on character borders"))
        .map(one_line)
        .collect();
    let is_inside =
        |text: &String| passages.iter().any(|passage| passage.contains(&one_line(text)));
    let missing = case.passages.iter().find(|text| !is_inside(text));
    missing.map(|text| format!("`{text}` is in none of the passages {passages:#?}"))
}

#[test]
fn every_method_agrees_with_every_case_in_every_way_of_running() {
    let cases = cases();
    let tables = Tables::new(&cases);
    assert!(cases.len() >= 40, "only {} cases were read", cases.len());
    let mut n_run = 0;
    let mut complaints = Vec::new();
    for spec in METHODS {
        let job = job(spec, &tables);
        for case in &cases {
            if spec.skips.iter().any(|skip| is_left_out(case, skip)) {
                continue;
            }
            for way in Way::ALL {
                n_run += 1;
                let said = way.run(case.documents(), &job);
                if let Some(complaint) = complaint(case, said.as_ref()) {
                    let name = &case.name;
                    complaints.push(format!("{} on \"{name}\", {way:?}: {complaint}", spec.name));
                }
            }
        }
    }
    assert!(complaints.is_empty(), "{n_run} run; {}", complaints.join("\n"));
}

#[test]
fn every_skip_fits_a_case_and_gives_a_reason() {
    let cases = cases();
    for spec in METHODS {
        for skip in spec.skips {
            let entry = format!("{}: {skip:?}", spec.name);
            assert!(!skip.why.is_empty() && skip.kinds.len() + skip.cases.len() > 0, "{entry}");
            for name in skip.cases {
                assert!(cases.iter().any(|case| case.name == *name), "{entry}: no case `{name}`");
            }
            for kind in skip.kinds {
                let is_expected = |case: &Case| case.relation.kind == kind.name();
                assert!(cases.iter().any(is_expected), "{entry}: no case expects {kind:?}");
            }
        }
    }
}

#[test]
fn names_of_cases_are_unique() {
    let mut names: Vec<String> = cases().into_iter().map(|case| case.name).collect();
    names.sort();
    let n = names.len();
    names.dedup();
    assert_eq!(names.len(), n);
}

#[test]
fn comparing_two_documents_agrees_with_searching_them() {
    for case in cases() {
        let [a, b] = case.documents();
        let job = Job::default();
        let compared = compare(&a, &b, &job).expect("valid");
        let searched: Option<Kind> = pairs(&[a, b], &job).first().map(|relation| relation.kind);
        assert_eq!(compared.relation(), searched, "{}", case.name);
    }
}
