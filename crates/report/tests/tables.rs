//! The lists of columns in `docs/tables.md`. They are made from the tables themselves; run the test
//! with `RETOLD_TEST_UPDATE=1` to write them anew.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use retold_core::document::Span;
use retold_core::relation::{Counted, Evidence, Kind, Passage, Score, Scores};
use retold_report::table::{Clusters, Column, ColumnType, Documents, Pairs, Removals, Table};
use retold_report::{ClusterRow, DocumentRow, PairRow, RemovalRow, Verdict};

/// Returns the list of a table's columns and an example line.
fn described<T: Table>(example: &T::Row<'_>) -> String {
    let mut out = format!("Each row is {}.\n\n", T::HELP);
    out.push_str("| column | type | holds | in every row |\n|---|---|---|---|\n");
    for column in T::COLUMNS {
        let Column { name, help, .. } = column;
        let (kind, presence) = (kind(column.kind), presence(column));
        writeln!(out, "| `{name}` | {kind} | {help} | {presence} |").expect("a string takes all");
    }
    let mut line = Vec::new();
    T::encode(example, &mut line);
    let line = String::from_utf8(line).expect("JSON is UTF-8");
    write!(out, "\n```json\n{line}```\n").expect("a string takes all");
    out
}

fn kind(kind: ColumnType) -> &'static str {
    match kind {
        ColumnType::Text => "text",
        ColumnType::Count => "number",
        ColumnType::Share => "share",
        ColumnType::Flag => "yes or no",
        ColumnType::Texts => "texts",
        ColumnType::Passages => "passages",
    }
}

fn presence(column: &Column) -> &'static str {
    match column {
        Column { is_optional: true, .. } => "no",
        Column { is_left_out_if_empty: false, .. } => "yes",
        Column { kind: ColumnType::Flag, .. } => "left out of JSON if `false`",
        Column { kind: ColumnType::Count | ColumnType::Share, .. } => "left out of JSON if 0",
        _ => "left out of JSON if empty",
    }
}

fn all() -> [(&'static str, String); 4] {
    let score = |value| Score::new(value).expect("between 0 and 1");
    let evidence = Evidence {
        passages: vec![Passage {
            a: Span::new(0, 1840),
            b: Span::new(212, 2065),
            words: 301,
            differ: 4,
            moved: 0,
        }],
        a_words: 305,
        b_words: 304,
        n_cut: 0,
        counted: Some(Counted {
            a_runs: 500,
            b_runs: 825,
            common_runs: 470,
            longest_words: 301,
            shared_words: 301,
            distinctive_runs: Some(466),
        }),
    };
    let pair = PairRow {
        a: "news/ferry.html",
        b: "wire/1207",
        relation: Kind::Contained,
        scores: Scores { resemblance: score(0.55), a_in_b: score(0.94), b_in_a: score(0.57) },
        evidence: &evidence,
    };
    let cluster = ClusterRow {
        id: 0,
        members: &["news/ferry.html", "wire/1207", "wire/1208"],
        representative: "wire/1207",
        cohesion: 2.0 / 3.0,
        n_pairs: 2,
        kind_counts: [1, 0, 0, 1, 0],
        n_derived: 0,
        n_common: None,
        shared_words: Some(301),
        shared_text: Some("The ferry to the islands will run every hour from May on"),
    };
    let document = DocumentRow {
        id: "wire/1208",
        file: "wire.jsonl",
        record: 1,
        n_words: 530,
        verdict: Verdict::Copy,
        cluster: Some(0),
        clusters: &[],
        representative: Some("wire/1207"),
        exact_copy_of: Some("wire/1207"),
        n_pairs: 1,
        pairs_cut: false,
        n_partial: 0,
        notes: &[],
        language: Some("en"),
        is_too_short: false,
        time: Some("2026-11-15"),
        source: Some("wire"),
        keep_value: None,
    };
    let removal = RemovalRow {
        id: "news/ferry.html",
        file: "news/ferry.html",
        record: 0,
        covered_by: "wire/1207",
        covered_in: None,
        relation: Kind::Contained,
        covered: 0.94,
        words: 310,
        decision: "removed",
    };
    [
        (Pairs::NAME, described::<Pairs>(&pair)),
        (Clusters::NAME, described::<Clusters>(&cluster)),
        (Documents::NAME, described::<Documents>(&document)),
        (Removals::NAME, described::<Removals>(&removal)),
    ]
}

#[test]
fn the_page_lists_the_columns_that_are_written() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tables.md");
    let page = fs::read_to_string(&path).expect("the page is there");
    let mut made = page.clone();
    for (name, list) in all() {
        let [begin, end] = ["begin", "end"].map(|place| format!("<!-- {place} {name} -->\n"));
        let from = made.find(&begin).expect("each list has its place") + begin.len();
        let to = made.find(&end).expect("each list ends");
        made.replace_range(from..to, &format!("\n{list}\n"));
    }
    if std::env::var_os("RETOLD_TEST_UPDATE").is_some() {
        fs::write(&path, &made).expect("the page can be written");
    } else {
        assert_eq!(page, made, "docs/tables.md differs; RETOLD_TEST_UPDATE=1 writes it anew");
    }
}

#[test]
fn every_column_says_what_it_holds() {
    let columns = [Pairs::COLUMNS, Clusters::COLUMNS, Documents::COLUMNS, Removals::COLUMNS];
    for column in columns.concat() {
        assert!(!column.help.is_empty() && !column.help.ends_with('.'), "{column:?}");
        assert!(!column.help.contains(['\n', '|']), "{column:?} does not fit into a table");
    }
}
