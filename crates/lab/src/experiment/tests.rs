//! Experiments from a design to their findings.

use std::cell::{Cell as Counter, RefCell};
use std::sync::atomic::{AtomicUsize, Ordering};

use retold::{Document, Progress, Resources, Stage, Stop};

use super::bench::Bench;
use super::run::{Request, run};
use super::*;
use crate::error::Error;

const DESIGN: &str = r#"
title = "Toy"
question = "How long are runs?"
row = "{method} {k}"
columns = ["precision", "recall", "f1"]

[data]
collection = "none"
quick = { documents = 12, sets = 2 }
full = { documents = 24, sets = 3 }
[[data.axis]]
name = "percent"
values = [0, 20]
[[data.plan.variant]]
steps = [{ operation = "replace-words", percent = "$percent" }]

[truth]
kind = "planted"
counts = "any"

[[method]]
label = "runs"
method = "full-fingerprint"
profile = "retold"
sweep = { k = [3, 6] }

[published]
columns = ["F1"]
rows = [["runs 3", 0.5], ["runs 9", 0.4]]

[[chart]]
kind = "lines"
title = "F1"
x = "percent"
y = "f1"
by = ["k"]

[[claim]]
says = "six words lose nothing"
check = "no-less"
equal = true
measure = "recall"
pairs = [["runs 6", "runs 3"]]
[[claim]]
says = "nine words are best"
check = "order"
measure = "recall"
rows = ["runs 9", "runs 3"]
[[claim]]
says = "three words find more than six"
check = "no-less"
measure = "recall"
pairs = [["runs 3", "runs 6"]]
"#;

/// Runs the design after what is done already; `after_cell` hears how many cells were done now.
fn attempt(
    done: &str,
    resources: Resources,
    after_cell: &dyn Fn(usize),
) -> (Result<Findings, Error>, String) {
    let design = Design::parse("own", DESIGN).expect("a good design");
    let bench = Bench { data: None, resources };
    let work = RefCell::new(done.to_owned());
    let n_done = Counter::new(0);
    let found = run(Request {
        design: &design,
        extent: Extent::Quick,
        bench: &bench,
        done,
        append: &mut |line| {
            work.borrow_mut().push_str(line);
            n_done.set(n_done.get() + 1);
            after_cell(n_done.get());
            Ok(())
        },
        list: &mut |_| (),
        listener: &|cells| assert!(cells.n_done <= cells.n_all && cells.n_all == 8),
    });
    (found, work.into_inner())
}

/// Runs the whole design.
fn whole() -> (Findings, String) {
    let (found, work) = attempt("", Resources::new().threads(1), &|_| ());
    (found.expect("it runs to its end"), work)
}

/// Returns the cells of a work file, without times.
fn cells(work: &str) -> Vec<Cell> {
    let record = |line| serde_json::from_str::<Record>(line).expect("a record").cell;
    work.lines().map(record).collect()
}

#[test]
fn an_experiment_that_was_stopped_goes_on_to_the_same_findings() {
    let (whole, all_lines) = whole();
    let stop = Stop::new();
    let stopping = Resources::new().threads(1).stop(&stop);
    let stop_at_three = |n_done| {
        if n_done == 3 {
            stop.set();
        }
    };
    let (stopped, work) = attempt("", stopping, &stop_at_three);
    assert!(matches!(stopped, Err(Error::StoppedExperiment { done: 3, all: 8 })), "{stopped:?}");
    assert_eq!(work.lines().count(), 3);
    // A line that was being written when the machine went down is done again.
    let torn = "{\"cell\":{\"key\":\"";
    let (resumed, rest) = attempt(&format!("{work}{torn}"), Resources::new().threads(1), &|_| ());
    let resumed = resumed.expect("it runs to its end");
    // With their times: what was done was not run again.
    let rest = rest.replace(&format!("{torn}{{"), "{");
    assert!(rest.starts_with(&work));
    assert_eq!(cells(&rest), cells(&all_lines));
    assert_eq!((resumed.tables, resumed.verdicts), (whole.tables, whole.verdicts));
}

/// Asks to stop in the middle of a run from the given one on.
struct StopWithin {
    n_runs: AtomicUsize,
    from_run: usize,
    stop: Stop,
}

impl Progress for StopWithin {
    fn begin(&self, stage: Stage, _: u64) {
        let n_before = match stage {
            Stage::Read => self.n_runs.fetch_add(1, Ordering::Relaxed),
            _ => return,
        };
        if n_before + 1 >= self.from_run {
            self.stop.set();
        }
    }
}

#[test]
fn a_cell_that_was_left_is_not_recorded() {
    let (_, all_lines) = whole();
    let all_cells = cells(&all_lines);
    for from_run in 1..=8 {
        let stop = Stop::new();
        let progress = StopWithin { n_runs: AtomicUsize::new(0), from_run, stop: stop.clone() };
        let resources = Resources::new().threads(1).stop(&stop).progress(progress);
        let (stopped, work) = attempt("", resources, &|_| ());
        let n_done = from_run - 1;
        assert!(
            matches!(stopped, Err(Error::StoppedExperiment { done, all: 8 }) if done == n_done),
            "{stopped:?}"
        );
        assert_eq!(cells(&work), all_cells[..n_done]);
    }
}

#[test]
fn a_set_is_not_made_once_nobody_wants_it() {
    let plan: crate::generate::Plan =
        toml::from_str("[[variant]]\nsteps = [{ operation = \"replace-words\", percent = 10 }]")
            .expect("a good plan");
    let documents = drawn::draw(5, &Drawn::default(), 1);
    let n_looks = Counter::new(0);
    let looks = |most: usize| {
        n_looks.set(0);
        let is_stopped = || {
            n_looks.set(n_looks.get() + 1);
            n_looks.get() > most
        };
        let made = crate::generate::make_while(&plan, &documents, &is_stopped);
        (made.is_ok(), n_looks.get())
    };
    let (is_made, n_all) = looks(usize::MAX);
    assert!(is_made && n_all > 10);
    for most in 0..n_all {
        let (is_made, n_looks) = looks(most);
        assert!(!is_made && n_looks <= most + documents.len() + 4, "{most} {n_looks}");
    }
}

#[test]
fn what_a_cell_took_does_not_reach_what_it_found() {
    for record in whole().0.records {
        assert!(record.time.seconds > 0.0);
        assert!(record.cell.measures.keys().all(|name| !name.contains("seconds")));
    }
}

#[test]
fn copies_without_edits_are_found_and_the_table_has_two_sides() {
    let (found, _) = whole();
    let table = &found.tables[0];
    let sides: Vec<Side> = table.columns.iter().map(|column| column.side).collect();
    assert_eq!(sides[0], Side::Name);
    assert_eq!(sides.iter().filter(|side| **side == Side::Paper).count(), 1);
    let row = |name: &str| table.rows.iter().find(|row| row[0] == name).expect("a row");
    assert_eq!(row("runs 9")[1..], ["", "", "", "0.4"], "only the paper has it");
    assert_eq!(row("runs 3")[4], "0.5");
    assert_eq!(row("runs 3")[3], "1.000");
    let drawn = found.charts[0].chart.to_svg();
    assert!(drawn.contains("runs, k 3") && drawn.contains("runs, k 6"), "{drawn}");
}

#[test]
fn claims_are_computed_and_missing_rows_are_said() {
    let verdicts = whole().0.verdicts;
    assert_eq!(verdicts[0].verdict, Verdicts::Reproduced, "{:?}", verdicts[0].ours);
    assert_eq!(verdicts[1].verdict, Verdicts::Open);
    assert!(verdicts[2].ours[0].contains("runs 3 1.000 against runs 6 1.000"));
    assert_eq!(verdicts[2].verdict, Verdicts::Open, "what is alike shows no difference");
}

#[test]
fn few_sets_are_said() {
    let notes = whole().0.notes;
    assert!(notes.iter().any(|note| note.contains("2 of 3 sets")), "{notes:?}");
}

#[test]
fn a_work_file_of_somebody_else_is_refused() {
    let (refused, _) = attempt("hello\n", Resources::new(), &|_| ());
    let told = refused.expect_err("not a work file").to_string();
    assert!(told.starts_with("work file, line 1: "), "{told}");
}

#[test]
fn every_design_that_comes_with_the_program_can_be_read() {
    for (name, _) in BUILT_IN {
        let design = Design::built_in(name).expect("it is listed");
        let design = design.unwrap_or_else(|error| panic!("{error}"));
        assert!(!design.title.is_empty() && !design.question.is_empty());
        for extent in [Extent::Quick, Extent::Full] {
            let names = design.data.collections(extent);
            let bases = names.iter().map(|name| ((*name).to_owned(), base::Base::Drawn)).collect();
            for set in sets::planned(&design, extent, &bases).expect("sets") {
                let plan: Result<crate::generate::Plan, _> = set.plan.clone().try_into();
                let plan = plan.unwrap_or_else(|error| panic!("{name}: {error}"));
                plan.check().unwrap_or_else(|error| panic!("{name}: {error}"));
            }
        }
    }
}

#[test]
fn a_design_that_cannot_be_used_says_where() {
    let told = |text: &str| Design::parse("own", text).expect_err("not a design").to_string();
    let misspelt = DESIGN.replace("question =", "queston =");
    assert!(told(&misspelt).starts_with("design `own`, line "), "{}", told(&misspelt));
    let nowhere = DESIGN.replace("sweep = { k = [3, 6] }", "on = { place = [\"begin\"] }");
    assert!(told(&nowhere).contains("`place`"), "{}", told(&nowhere));
    let unmeasured = DESIGN.replace("y = \"f1\"", "y = \"beauty\"");
    assert!(told(&unmeasured).contains("`beauty`"), "{}", told(&unmeasured));
    let unmeasured = DESIGN.replace("\"recall\", \"f1\"]", "\"beauty\"]");
    assert!(told(&unmeasured).contains("`beauty`"), "{}", told(&unmeasured));
}

#[test]
fn all_published_rows_of_the_image_tables_stand_beside_ours() {
    let design = Design::built_in("image-size-and-threshold").expect("listed").expect("good");
    let published = findings::PrintedTable::of(design.published.as_ref().expect("it has a table"));
    assert_eq!(published.rows.len(), 23);
    let row = &published.rows["b_1_20_s_100_n1-12.txt 100"];
    assert_eq!(row[..], ["105570", "15072", "97055", "6557", "8515"]);
}

#[test]
fn sizes_that_a_collection_does_not_reach_are_left_out() {
    let text = r#"
title = "Growth"
question = "How long?"
row = "{method} {documents}"
columns = ["seconds"]
[data]
collection = "mine"
quick = { documents = 4 }
full = { documents = 4 }
[[data.axis]]
name = "documents"
values = [{ name = "4", documents = 4 }, { name = "8", documents = 8 }, { name = "16", documents = 16 }]
[truth]
kind = "none"
[[method]]
label = "runs"
method = "ffp"
"#;
    let design = Design::parse("growth", text).expect("a good design");
    let sizes = |n: usize| {
        let document = |id: usize| Document::plain(id.to_string(), "text");
        let given = base::Given::new("mine", (0..n).map(document).collect());
        let bases = [("mine".to_owned(), base::Base::Given(given))].into();
        let planned = sets::planned(&design, Extent::Full, &bases).expect("sets");
        planned.iter().map(|set| set.n_documents).collect::<Vec<_>>()
    };
    assert_eq!(sizes(20), [4, 8, 16]);
    assert_eq!(sizes(15), [4, 8]);
    assert_eq!(sizes(3), [3], "the smallest is taken as far as it goes");
}

#[test]
fn natural_sets_are_listed_and_judged_by_no_method() {
    let text = r#"
title = "Natural"
question = "Who finds more?"
row = "{method}, {judge}, {sets}"
columns = ["sets", "a", "b", "c", "d"]
[data]
collection = "stories"
category_field = "section"
headline = "first-line"
draw = "quota"
is_natural = true
quick = { documents = 10, sets = 4 }
full = { documents = 10, sets = 4 }
[[data.plan.variant]]
name = "copy"
[truth]
kind = "difference"
[[method]]
label = "runs"
method = "ffp"
[[method]]
label = "copies"
method = "exact"
"#;
    let design = Design::parse("natural", text).expect("a good design");
    let folder = tempfile::tempdir().expect("a folder");
    let drawn = drawn::draw(12, &Drawn::default(), 1);
    let mut lines = String::new();
    // Every story twice under other headlines, one of them with a sentence more.
    for (n, document) in drawn.iter().enumerate() {
        let section = if n % 3 == 0 { "sport" } else { "world" };
        for (id, more) in
            [("a", ""), ("b", if n % 2 == 0 { " And one sentence more." } else { "" })]
        {
            let story = format!("Headline {id} {n}\n{}{more}", document.text);
            let record = serde_json::json!({
                "id": format!("{n}{id}"), "text": story, "section": section, "lang": "tr",
            });
            lines.push_str(&record.to_string());
            lines.push('\n');
        }
    }
    std::fs::write(folder.path().join("stories.jsonl"), lines).expect("a file");
    let bench = Bench { data: Some(folder.path()), resources: Resources::new().threads(1) };
    let mut listed = Vec::new();
    let found = run(Request {
        design: &design,
        extent: Extent::Full,
        bench: &bench,
        done: "",
        append: &mut |_| Ok(()),
        list: &mut |set| listed.push(set),
        listener: &|_| (),
    })
    .expect("it runs to its end");
    let kinds: Vec<SetKind> = listed.iter().map(|set| set.kind).collect();
    let expected = [SetKind::Disjoint, SetKind::Disjoint, SetKind::Redrawn, SetKind::Redrawn];
    assert_eq!(kinds, expected);
    for set in &listed {
        assert_eq!(set.ids.len(), 10, "nothing is planted");
        let whole = set.ids.iter().all(|id| {
            let twin = if id.ends_with('a') { id.replace('a', "b") } else { id.replace('b', "a") };
            set.ids.contains(&twin)
        });
        assert!(whole, "a story and its copy stay together: {:?}", set.ids);
    }
    let row = |name: &str| {
        let rows = &found.tables[0].rows;
        rows.iter().find(|row| row[0] == name).unwrap_or_else(|| panic!("{name} in {rows:?}"))
    };
    // All ten have a mate; the copies alone are those without a further sentence.
    let runs = row("runs, judged at 0.5, disjoint");
    assert_eq!(runs[1..], ["2", "10", "0", "0", "0"]);
    assert_eq!(row("runs, all known at 0.5, with redrawn")[1], "4");
    let copies = row("copies, all known at 0.7, disjoint");
    assert_ne!(copies[2], runs[2], "{copies:?}");
    assert!(found.examples.iter().all(|example| example.found_by == "runs"));
    assert!(!found.examples.is_empty());
}
