//! Small results: one by hand, and random ones with everything that may be strange in a result.

use std::fmt::Write as _;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use retold_browse::{Browser, PageRequest, ResultTable};
use retold_report::{Manifest, PROGRAM};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Tables of a result, in the order of `ResultTable::ALL`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made {
    pub(crate) tables: [Vec<Value>; 5],
}

/// A result that is written and open.
pub(crate) struct Opened {
    pub(crate) dir: TempDir,
    pub(crate) browser: Browser,
}

impl Made {
    pub(crate) fn rows(&self, table: ResultTable) -> &[Value] {
        &self.tables[table as usize]
    }

    /// Returns a table as its file has it.
    pub(crate) fn lines(&self, table: ResultTable) -> String {
        let mut lines = String::new();
        for row in self.rows(table) {
            writeln!(lines, "{row}").expect("a string takes all");
        }
        lines
    }

    /// Writes the result to `dir/found`.
    pub(crate) fn write(&self, dir: &Path) {
        let folder = dir.join("found");
        fs::create_dir(&folder).expect("a temporary folder can be written");
        let manifest = Manifest { program: PROGRAM.to_owned(), ..Manifest::default() };
        manifest.write(&folder).expect("the manifest can be written");
        for table in ResultTable::ALL {
            fs::write(folder.join(format!("{table}.jsonl")), self.lines(table))
                .expect("so can tables");
        }
    }

    pub(crate) fn open(&self) -> Opened {
        let dir = tempfile::tempdir().expect("the system has a place for temporary files");
        self.write(dir.path());
        let browser = reopened(dir.path());
        Opened { dir, browser }
    }
}

/// Opens the result in `dir/found`, with a side file in `dir/side`.
pub(crate) fn reopened(dir: &Path) -> Browser {
    let go_on = &mut |_| ControlFlow::Continue(());
    Browser::open_or_build(&dir.join("found"), &dir.join("side"), go_on).expect("it can be opened")
}

/// Asks for a first page with a filter and an order.
pub(crate) fn asking(filter: &str, sort: &str) -> PageRequest {
    PageRequest { filter: filter.to_owned(), sort: sort.to_owned(), ..PageRequest::default() }
}

/// Returns the numbers of the rows on the first page.
pub(crate) fn numbers(browser: &Browser, table: ResultTable, filter: &str, sort: &str) -> Vec<u64> {
    let page = browser.page(table, &asking(filter, sort)).expect("the question is right");
    page.rows.iter().map(|row| row.number).collect()
}

pub(crate) fn document(id: &str, cluster: Option<u32>, more: &Value) -> Value {
    let mut row = json!({"id": id, "file": "wire.jsonl", "record": 0, "n_words": 100,
        "verdict": "unique", "n_pairs": 1, "n_partial": 0});
    put(&mut row, &json!({"cluster": cluster}));
    put(&mut row, more);
    row
}

pub(crate) fn cluster(id: u32, members: &[&str]) -> Value {
    json!({"id": id, "size": members.len(), "representative": members[0], "cohesion": 1.0,
        "n_pairs": 1, "n_exact": 0, "n_near_duplicate": 1, "n_contains": 0, "n_contained": 0,
        "n_partial": 0, "n_derived": 0, "shared_words": 12, "members": members})
}

pub(crate) fn pair(a: &str, b: &str, relation: &str, shares: [f64; 2]) -> Value {
    json!({"a": a, "b": b, "relation": relation, "resemblance": 0.5, "a_in_b": shares[0],
        "b_in_a": shares[1], "a_words": 80, "b_words": 90, "longest_words": 40,
        "evidence": [{"a": [0, 40], "b": [3, 43], "words": 8, "differ": 0, "agrees": "equal"}]})
}

/// Puts the entries of `more` that are not null into a row.
fn put(row: &mut Value, more: &Value) {
    let entries = more.as_object().expect("entries are an object");
    for (name, value) in entries.iter().filter(|(_, value)| !value.is_null()) {
        row[name] = value.clone();
    }
}

/// A small result by hand: two clusters, a pair between them, and some that share less.
pub(crate) fn newsroom() -> Made {
    let wire = json!({"source": "Coast Wire", "time": "2026-11-01", "language": "en"});
    let post = json!({"source": "Post", "time": "2026-10-15T08:00:00Z", "file": "news/post.html"});
    let documents = vec![
        document("a", Some(0), &wire),
        document("b", Some(0), &post),
        document("c", Some(1), &wire),
        document("d", Some(1), &post),
        document("=loose", None, &json!({"n_words": 7})),
        document("Ökonom", None, &json!({"time": "soon", "verdict": "too-short"})),
    ];
    let pairs = vec![
        pair("a", "b", "near-duplicate", [0.9, 0.95]),
        pair("c", "d", "exact", [1.0, 1.0]),
        pair("b", "c", "near-duplicate", [0.8, 0.7]),
        pair("a", "=loose", "near-duplicate", [0.85, 0.6]),
        pair("Ökonom", "a", "partial", [0.3, 0.1]),
        pair("a", "d", "contains", [0.2, 0.99]),
    ];
    let removal = json!({"id": "b", "file": "news/post.html", "record": 0, "decision": "removed",
        "covered_by": "a", "relation": "near-duplicate", "covered": 0.95, "words": 100});
    let clusters = vec![cluster(0, &["a", "b"]), cluster(1, &["c", "d"])];
    Made { tables: [pairs, clusters, documents, vec![removal], vec![]] }
}

const RELATIONS: [&str; 5] = ["exact", "near-duplicate", "contains", "contained", "partial"];
const VERDICTS: [&str; 4] = ["unique", "representative", "copy", "too-short"];

fn share() -> impl Strategy<Value = f64> {
    prop_oneof![
        (0..=20_u32).prop_map(|n| f64::from(n) / 20.0),
        (0..=1_000_000_u32).prop_map(|n| f64::from(n) / 1e6)
    ]
}

fn id() -> impl Strategy<Value = String> {
    (0..12_u32).prop_map(|n| if n == 11 { "İd \"11\"".to_owned() } else { format!("Doc-{n}") })
}

fn some_document() -> impl Strategy<Value = Value> {
    let source = prop_oneof![Just("wire"), Just("Coast Wire"), Just("none"), Just("say \"so\"")];
    let time = prop_oneof![
        (2020..2027_i32, 1..13_u32, 1..29_u32)
            .prop_map(|(year, month, day)| format!("{year}-{month:02}-{day:02}")),
        Just("soon".to_owned()),
    ];
    let clusters = vec(0..4_u32, 0..3);
    (id(), 0..5_u32, 0..6_u64, 0..4_usize, clusters, option::of(source), option::of(time)).prop_map(
        |(id, file, words, verdict, clusters, source, time)| {
            let more = json!({"n_words": words, "verdict": VERDICTS[verdict], "source": source,
                "time": time, "file": format!("news/{file}.txt")});
            let mut row = document(&id, clusters.first().copied(), &more);
            if clusters.len() > 1 {
                row["clusters"] = json!(clusters);
            }
            row
        },
    )
}

fn some_pair() -> impl Strategy<Value = Value> {
    let numbers = (0..5_u64, 0..5_u64, option::of(0..4_u64));
    (id(), id(), 0..5_usize, share(), share(), numbers).prop_map(
        |(a, b, relation, a_in_b, b_in_a, (a_words, b_words, longest))| {
            let mut row = pair(&a, &b, RELATIONS[relation], [a_in_b, b_in_a]);
            row["a_words"] = json!(a_words);
            row["b_words"] = json!(b_words);
            let entries = row.as_object_mut().expect("a row is an object");
            entries.remove("longest_words");
            entries.extend(longest.map(|longest| ("longest_words".to_owned(), json!(longest))));
            row
        },
    )
}

fn some_cluster() -> impl Strategy<Value = Value> {
    let pairs = prop_oneof![0..4_u64, Just(1 << 33)];
    (vec(id(), 1..5), share(), pairs, option::of(0..40_u32)).prop_map(
        |(members, cohesion, pairs, shared)| {
            let ids: Vec<&str> = members.iter().map(String::as_str).collect();
            let mut row = cluster(0, &ids);
            row["cohesion"] = json!(cohesion);
            row["n_pairs"] = json!(pairs);
            row["shared_words"] = json!(shared);
            row
        },
    )
}

fn some_removal() -> impl Strategy<Value = Value> {
    (id(), id(), 0..5_usize, share(), 0..5_u64).prop_map(|(id, kept, relation, covered, words)| {
        json!({"id": id, "file": "news/1.txt", "record": 0, "decision": "removed",
            "covered_by": kept, "relation": RELATIONS[relation], "covered": covered, "words": words})
    })
}

/// Returns random results.
pub(crate) fn some_result() -> impl Strategy<Value = Made> {
    let removals = || vec(some_removal(), 0..12);
    (
        vec(some_pair(), 0..30),
        vec(some_cluster(), 0..4),
        vec(some_document(), 0..25),
        removals(),
        removals(),
    )
        .prop_map(|(pairs, mut clusters, documents, removed, review)| {
            for (number, cluster) in clusters.iter_mut().enumerate() {
                cluster["id"] = json!(number);
            }
            Made { tables: [pairs, clusters, documents, removed, review] }
        })
}
