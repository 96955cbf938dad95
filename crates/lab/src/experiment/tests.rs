//! Experiments with a workbench that finds what it is told to.

use std::cell::{Cell as Counter, RefCell};
use std::collections::BTreeMap;

use retold_core::document::{Document, Ordinal};
use retold_core::relation::{Evidence, Kind, Relation, Scores};

use super::*;

/// Finds documents whose first words agree: as many words as the parameter says.
#[derive(Default)]
struct Toy {
    n_runs: Counter<usize>,
}

impl Workbench for Toy {
    fn check(&self, job: &CellJob) -> Result<(), ExperimentError> {
        if job.method == "toy" {
            return Ok(());
        }
        Err(ExperimentError::Workbench(format!("no method `{}`", job.method)))
    }

    fn documents(&self, _: &str, _: usize) -> Result<Option<Vec<Document>>, ExperimentError> {
        Ok(None)
    }

    fn relations(&self, job: &CellJob, documents: &[Document]) -> Result<Ran, ExperimentError> {
        self.n_runs.set(self.n_runs.get() + 1);
        let n = job.parameters.get("words").and_then(serde_json::Value::as_u64).unwrap_or(5);
        let head = |document: &Document| -> Vec<String> {
            document.text.split_whitespace().take(n as usize).map(ToOwned::to_owned).collect()
        };
        let heads: Vec<Vec<String>> = documents.iter().map(head).collect();
        let mut relations = Vec::new();
        for b in 0..heads.len() {
            for a in 0..b {
                if heads[a] == heads[b] {
                    relations.push(Relation {
                        a: Ordinal(a as u32),
                        b: Ordinal(b as u32),
                        kind: Kind::NearDuplicate,
                        scores: Scores::EQUAL,
                        evidence: Evidence::default(),
                    });
                }
            }
        }
        // Times that do not depend on the machine, so that reports can be compared.
        let seconds = documents.len() as f64 / 1000.0;
        Ok(Ran { relations, counters: BTreeMap::new(), seconds, cpu_seconds: seconds })
    }

    fn answers(
        &self,
        _: &CellJob,
        documents: &[Document],
        _: &Document,
    ) -> Result<Answered, ExperimentError> {
        let ranking = (0..documents.len() as u32).collect();
        Ok(Answered { ranking, ..Answered::default() })
    }
}

const DESIGN: &str = r#"
title = "Toy"
question = "How many first words?"
row = "{method} {words}"
columns = ["precision", "recall", "f1", "seconds"]

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
label = "heads"
method = "toy"
sweep = { words = [2, 6] }

[published]
columns = ["F1"]
rows = [["heads 2", 0.5], ["heads 9", 0.4]]

[[chart]]
kind = "lines"
title = "F1"
x = "percent"
y = "f1"
by = ["words"]

[[claim]]
says = "six words lose nothing"
check = "no-less"
equal = true
measure = "recall"
pairs = [["heads 6", "heads 2"]]
[[claim]]
says = "nine words are best"
check = "order"
measure = "recall"
rows = ["heads 9", "heads 2"]
[[claim]]
says = "two words are found more often than six"
check = "no-less"
measure = "recall"
pairs = [["heads 2", "heads 6"]]
"#;

/// Runs a design, stopping after some cells.
fn attempt(bench: &Toy, done: &str, most: usize) -> (Result<Findings, ExperimentError>, String) {
    struct Impatient(usize);
    impl Watch for Impatient {
        fn is_stopped(&self) -> bool {
            false
        }
        fn at(&self, done: usize, all: usize, _: &str) {
            assert!(done <= all && self.0 > 0);
        }
    }
    struct After<'a>(&'a RefCell<usize>, usize);
    impl Watch for After<'_> {
        fn is_stopped(&self) -> bool {
            *self.0.borrow() >= self.1
        }
    }
    let design = Design::parse("toy", DESIGN).expect("a good design");
    let work = RefCell::new(done.to_owned());
    let n_done = RefCell::new(0);
    let mut append = |line: &str| {
        work.borrow_mut().push_str(line);
        *n_done.borrow_mut() += 1;
        Ok(())
    };
    let (patient, impatient) = (Impatient(1), After(&n_done, most));
    let watch: &dyn Watch = if most == usize::MAX { &patient } else { &impatient };
    let request =
        Request { design: &design, extent: Extent::Quick, bench, done, append: &mut append, watch };
    let found = run(request);
    (found, work.into_inner())
}

#[test]
fn an_experiment_that_was_stopped_goes_on_to_the_same_findings() {
    let (whole, all_lines) = attempt(&Toy::default(), "", usize::MAX);
    let whole = whole.expect("it runs to its end");
    let bench = Toy::default();
    let (stopped, mut work) = attempt(&bench, "", 3);
    assert!(matches!(stopped, Err(ExperimentError::Stopped { done: 3, all: 8 })));
    // A line that was being written when the machine went down.
    work.push_str("{\"cell\":{\"key\":\"");
    let (resumed, rest) = attempt(&bench, &work, usize::MAX);
    let resumed = resumed.expect("it runs to its end");
    assert_eq!(bench.n_runs.get(), 8, "no cell is run twice");
    assert_eq!(format!("{whole:?}"), format!("{resumed:?}"));
    assert_eq!(rest.replace("{\"cell\":{\"key\":\"{", "{"), all_lines);
}

/// Is asked to stop in the middle of its runs from the given one on, and leaves them.
struct Leaving<'a> {
    toy: Toy,
    from_run: usize,
    is_stopped: &'a Counter<bool>,
}

impl Workbench for Leaving<'_> {
    fn check(&self, job: &CellJob) -> Result<(), ExperimentError> {
        self.toy.check(job)
    }

    fn documents(&self, _: &str, _: usize) -> Result<Option<Vec<Document>>, ExperimentError> {
        Ok(None)
    }

    fn relations(&self, job: &CellJob, documents: &[Document]) -> Result<Ran, ExperimentError> {
        let ran = self.toy.relations(job, documents)?;
        if self.toy.n_runs.get() < self.from_run {
            return Ok(ran);
        }
        self.is_stopped.set(true);
        Err(ExperimentError::Workbench("left".to_owned()))
    }

    fn answers(
        &self,
        job: &CellJob,
        documents: &[Document],
        question: &Document,
    ) -> Result<Answered, ExperimentError> {
        self.toy.answers(job, documents, question)
    }
}

#[test]
fn a_cell_that_was_left_is_not_recorded() {
    struct Asked<'a>(&'a Counter<bool>);
    impl Watch for Asked<'_> {
        fn is_stopped(&self) -> bool {
            self.0.get()
        }
    }
    let (_, all_lines) = attempt(&Toy::default(), "", usize::MAX);
    let design = Design::parse("toy", DESIGN).expect("a good design");
    for from_run in 1..=8 {
        let is_stopped = Counter::new(false);
        let bench = Leaving { toy: Toy::default(), from_run, is_stopped: &is_stopped };
        let mut work = String::new();
        let mut append = |line: &str| {
            work.push_str(line);
            Ok(())
        };
        let stopped = run(Request {
            design: &design,
            extent: Extent::Quick,
            bench: &bench,
            done: "",
            append: &mut append,
            watch: &Asked(&is_stopped),
        });
        let n_done = from_run - 1;
        assert!(
            matches!(stopped, Err(ExperimentError::Stopped { done, all: 8 }) if done == n_done),
            "{stopped:?}"
        );
        assert_eq!(bench.toy.n_runs.get(), from_run, "nothing is run after it");
        assert_eq!(work.lines().count(), n_done);
        assert!(all_lines.starts_with(&work));
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
    let (found, _) = attempt(&Toy::default(), "", usize::MAX);
    for record in found.expect("it runs").records {
        assert!(record.time.seconds > 0.0);
        assert!(record.cell.measures.keys().all(|name| !name.contains("seconds")));
    }
}

#[test]
fn copies_without_edits_are_found_and_the_table_has_two_sides() {
    let (found, _) = attempt(&Toy::default(), "", usize::MAX);
    let found = found.expect("it runs");
    let table = &found.tables[0];
    let sides: Vec<Side> = table.columns.iter().map(|column| column.side).collect();
    assert_eq!(sides[0], Side::Name);
    assert_eq!(sides.iter().filter(|side| **side == Side::Paper).count(), 1);
    let row = |name: &str| table.rows.iter().find(|row| row[0] == name).expect("a row");
    assert_eq!(row("heads 9")[1..], ["", "", "", "", "0.4"], "only the paper has it");
    assert_eq!(row("heads 2")[5], "0.5");
    assert_eq!(found.charts[0].lines.len(), 2);
    let unedited = &found.charts[0].lines[0].points[0];
    assert!(unedited.1 > 0.99, "{unedited:?}");
}

#[test]
fn claims_are_computed_and_missing_rows_are_said() {
    let (found, _) = attempt(&Toy::default(), "", usize::MAX);
    let verdicts = found.expect("it runs").verdicts;
    assert_eq!(verdicts[0].verdict, Verdicts::Reproduced, "{}", verdicts[0].because);
    assert_eq!(verdicts[1].verdict, Verdicts::Open);
    assert!(verdicts[2].because.ends_with("heads 2 1.000 against heads 6 1.000"));
    assert_eq!(verdicts[2].verdict, Verdicts::Open, "what is alike shows no difference");
}

#[test]
fn few_sets_are_said() {
    let (found, _) = attempt(&Toy::default(), "", usize::MAX);
    let notes = found.expect("it runs").notes;
    assert!(notes.iter().any(|note| note.contains("2 of 3 sets")), "{notes:?}");
}

#[test]
fn a_work_file_of_somebody_else_is_refused() {
    let (refused, _) = attempt(&Toy::default(), "hello\n", usize::MAX);
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
            for set in sets::planned(&design, extent, &sets::Base::Drawn) {
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
    let nowhere = DESIGN.replace("sweep = { words = [2, 6] }", "on = { place = [\"begin\"] }");
    assert!(told(&nowhere).contains("`place`"), "{}", told(&nowhere));
}

#[test]
fn all_published_rows_of_the_image_tables_stand_beside_ours() {
    let design = Design::built_in("image-size-and-threshold").expect("listed").expect("good");
    let published = findings::printed(design.published.as_ref().expect("it has a table"));
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
label = "heads"
method = "toy"
"#;
    let design = Design::parse("growth", text).expect("a good design");
    let sizes = |n: usize| {
        let document = |id: usize| Document::plain(id.to_string(), "text");
        let base = sets::Base::Given((0..n).map(document).collect());
        let planned = sets::planned(&design, Extent::Full, &base);
        planned.iter().map(|set| set.n_documents).collect::<Vec<_>>()
    };
    assert_eq!(sizes(20), [4, 8, 16]);
    assert_eq!(sizes(15), [4, 8]);
    assert_eq!(sizes(3), [4], "the smallest is taken as far as it goes");
}
