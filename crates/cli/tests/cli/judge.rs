//! `retold pool` and `retold judge`: from nominations to a list of truth.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{Ran, ran, retold, run};

const METHODS: &str = "codet,dsc-positional,ffp,imatch,simhash";

/// Makes a pool of the samples and returns its folder and its file.
fn pool_of_samples(more: &str) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let file = dir.path().join("pool.jsonl");
    let line = format!("pool samples/news -o {} --methods {METHODS} {more}", file.display());
    run(&line).good();
    (dir, file)
}

/// Lets somebody judge, an answer a line.
fn answer(pool: &Path, more: &str, answers: &str) -> Ran {
    let mut command = retold();
    command.arg("judge").arg(pool).args(more.split_whitespace());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let mut stdin = child.stdin.take().expect("it was asked for");
    // Whoever has heard enough does not read on.
    let _ = stdin.write_all(answers.as_bytes());
    drop(stdin);
    ran(&child.wait_with_output().expect("the command ends"))
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("the file is there");
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

fn status(pool: &Path) -> Value {
    let text = run(&format!("judge {} --status --json", pool.display())).good();
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn a_pool_names_pairs_and_who_nominated_them() {
    let (_dir, file) = pool_of_samples("--permissive");
    let lines = lines(&file);
    assert_eq!(lines[0]["retold_pool"], 1);
    assert_eq!(lines[0]["paths"], json!(["samples/news"]));
    let runs: Vec<&str> = lines.iter().filter_map(|line| line["run"]["method"].as_str()).collect();
    assert_eq!(runs.join(","), METHODS);
    assert_eq!(lines[1]["run"]["parameters"]["threshold"], 0.3);
    let pairs: Vec<&Value> = lines.iter().filter(|line| line["a"].is_string()).collect();
    assert!(pairs.len() > 40, "{}", pairs.len());
    let note = pairs.iter().find(|pair| {
        pair["a"] == "samples/news/en/harbour-works.txt"
            && pair["b"] == "samples/news/en/harbour-feature.txt"
    });
    let by = note.expect("the note stands in the feature")["by"].to_string();
    assert!(by.contains("ffp") && by.contains("codet"), "{by}");
    assert!(pairs.iter().all(|pair| pair["text"].is_null()));

    let (_other, again) = pool_of_samples("--permissive");
    assert_eq!(fs::read(&file).ok(), fs::read(&again).ok(), "the same seed deals the same");
    let (_third, dealt) = pool_of_samples("--permissive --seed 2");
    assert_ne!(fs::read(&file).ok(), fs::read(&dealt).ok());
}

#[test]
fn a_further_method_adds_only_what_nobody_nominated() {
    let (_dir, file) = pool_of_samples("--groups 4");
    let before = fs::read_to_string(&file).expect("the pool is there");
    let line = format!("pool add {} --methods winnowing --permissive --json", file.display());
    let told: Value = serde_json::from_str(&run(&line).good()).expect("JSON");
    let after = fs::read_to_string(&file).expect("the pool is there");
    let added = after.strip_prefix(&before).expect("what was there stays");
    let n_new = added.lines().filter(|line| line.contains("\"group\"")).count();
    assert_eq!(told["n_new"], n_new);
    assert!(told["n_known"].as_u64() > Some(0) && n_new > 0);
    let none: Value = serde_json::from_str(&run(&line).good()).expect("JSON");
    assert_eq!(none["n_new"], 0);
}

#[test]
fn two_people_judge_and_a_third_where_they_differ() {
    let (dir, file) = pool_of_samples("--groups 2 --without-exact");
    let n = lines(&file).iter().filter(|line| line["a"].is_string()).count();
    let at = |name: &str| dir.path().join(name);

    // The first says yes to all; shows passages and the question, but no verdict.
    let shown = answer(&file, "--as ann", &"y\n".repeat(n)).good();
    assert!(shown.contains("does b hold what a tells") && shown.contains(" │ "), "{shown}");
    assert!(!shown.contains("near-duplicate:") && !shown.contains("resemblance"), "{shown}");
    assert_eq!(lines(&at("ann.judgements.jsonl")).len(), n + 1);
    let nothing = answer(&file, "--as ann", "y\n").good();
    assert_eq!(nothing, "nothing here needs a judgement of ann\n");

    // The second differs in the first two, corrects one of them, and is unsure once.
    let rest = "y\n".repeat(n - 3);
    answer(&file, "--as ben -q", &format!("n\nn\nb\nb\ny\nn\nu\n{rest}")).good();
    let state = status(&file);
    assert_eq!(state["standing"]["n_yes"], n - 2);
    assert_eq!(state["standing"]["n_split"], 2);
    assert_eq!(state["agreement"]["pairs"][0]["confusion"][0], json!([n - 2, 1, 1]));
    assert_eq!(state["undecided"].as_array().map(Vec::len), Some(2));

    // The third is given those two alone.
    let list = run(&format!("judge {} --as cy --list", file.display())).good();
    assert_eq!(list.lines().count(), 2, "{list}");
    answer(&file, "--as cy", "n\ny\n").good();
    let of_third = lines(&at("cy.judgements.jsonl"));
    assert!(of_third[1..].iter().all(|line| line["breaks_tie"] == true), "{of_third:?}");
    let state = status(&file);
    let standing = &state["standing"];
    assert_eq!((&standing["n_yes"], &standing["n_no"]), (&json!(n - 1), &json!(1)));
    assert_eq!(state["agreement"]["pairs"].as_array().map(Vec::len), Some(1));

    let truth = at("truth.tsv");
    let line = format!("judge {} --status -o {}", file.display(), truth.display());
    let text = run(&line).good();
    assert!(text.contains("ann and ben") && text.contains("average kappa"), "{text}");
    let truth = fs::read_to_string(truth).expect("it was written");
    assert_eq!(truth.lines().next(), Some("id_a\tid_b\trelation\tnote"));
    assert_eq!(truth.lines().filter(|line| line.contains("\tcontained\t")).count(), n - 1);
    assert_eq!(truth.lines().filter(|line| line.contains("\tnone\t1 yes, 2 no")).count(), 1);
}

#[test]
fn a_sitting_skips_goes_back_and_quits() {
    let (dir, file) = pool_of_samples("--groups 1");
    let own = dir.path().join("ann.judgements.jsonl");
    let ran = answer(&file, "--as ann --json", "s\nmaybe\ny\nb\nn\nq\ny\n");
    assert!(ran.stderr.contains("answer with y, n, u, s, b, t or q"), "{}", ran.stderr);
    let told = ran.good();
    let told: Vec<Value> =
        told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(told.last().map(|last| last["n_answered"].clone()), Some(json!(2)));
    let written = lines(&own);
    assert_eq!(written.len(), 3, "the header and two answers: nothing behind the end counts");
    assert_eq!((&written[1]["a"], &written[1]["b"]), (&written[2]["a"], &written[2]["b"]));
    assert_eq!(written[1]["answer"], "yes");
    assert_eq!(written[2]["answer"], "no");
    assert_eq!(written[1]["a"], told[1]["a"], "the first was passed over");
    assert_ne!(told[0], told[1]);
    // What was passed over comes again, what was answered does not.
    let again = answer(&file, "--as ann --json", "").good();
    let first: Value = serde_json::from_str(again.lines().next().expect("a pair")).expect("JSON");
    assert_eq!(first["a"], told[0]["a"]);
    assert_eq!(first["of"].as_u64().map(|n| n + 1), told[0]["of"].as_u64());
    let whole = answer(&file, "--as ann", "t\nq\n").good();
    assert!(whole.lines().count() > again.lines().count() + 10);
}

#[test]
fn a_torn_line_is_named_and_everything_else_counts() {
    let (dir, file) = pool_of_samples("--groups 1");
    let own = dir.path().join("ann.judgements.jsonl");
    answer(&file, "--as ann -q", "y\nn\ny\nq\n").good();
    let whole = fs::read(&own).expect("it was written");
    fs::write(&own, &whole[..whole.len() - 9]).expect("a file for a test");
    let ran = run(&format!("judge {} --status", file.display()));
    let expected = format!("warning: {}, line 4: ends in the middle", own.display());
    assert!(ran.stderr.contains(&expected), "{}", ran.stderr);
    assert!(ran.good().contains("begun        2"));
    let goes_on = answer(&file, "--as ann", "n\nq\n");
    assert!(goes_on.stderr.contains("line 4: ends in the middle"), "{}", goes_on.stderr);
    assert_eq!(status(&file)["standing"]["n_begun"], 3);
    let text = fs::read_to_string(&own).expect("it was written");
    assert_eq!(text.lines().count(), 5);

    // One person, two files, two answers.
    let copy = dir.path().join("laptop.judgements.jsonl");
    let turned = text.lines().nth(1).expect("an answer").replace("\"yes\"", "\"no\"");
    fs::write(&copy, turned + "\n").expect("a file for a test");
    let ran = run(&format!("judge {} --status", file.display()));
    assert!(ran.stderr.contains("laptop.judgements.jsonl, line 1: `ann` answered otherwise"));
    // Files put one behind the other are the files.
    let glued = dir.path().join("all.txt");
    fs::write(&glued, [fs::read(&own).unwrap(), fs::read(&copy).unwrap()].concat())
        .expect("a file for a test");
    let line = format!("judge {} {} --status --json", file.display(), glued.display());
    let alone: Value = serde_json::from_str(&run(&line).good()).expect("JSON");
    assert_eq!(alone["standing"], status(&file)["standing"]);
}

/// T-20: the thesis' twenty documents.
#[test]
fn the_twenty_documents_of_the_thesis_come_out_of_three_files() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let pool = dir.path().join("pool.jsonl");
    let between = json!({"methods": ["imatch", "tweezer"], "n_both": 8, "n_neither": 5});
    let mut text = json!({
        "retold_pool": 1, "question": "duplicate", "seed": 1, "n_groups": 1, "between": between,
    })
    .to_string();
    let only = [("imatch", [1, 11, 17].as_slice()), ("tweezer", &[3, 8, 15, 19])];
    for (method, documents) in only {
        for document in documents {
            let line = json!({"a": document.to_string(), "group": 1, "by": [method]});
            text = text + "\n" + &line.to_string();
        }
    }
    fs::write(&pool, text + "\n").expect("a file for a test");
    let open: Value = status(&pool);
    assert_eq!(open["between"], json!({"n_open": 7}));
    for (by, errs) in [("ann", false), ("ben", false), ("cy", true)] {
        let mut text = String::new();
        for document in [1, 11, 17, 3, 8, 15, 19] {
            let is_true = [3, 11, 15].contains(&document) != errs;
            let answer = if is_true { "yes" } else { "no" };
            let a = document.to_string();
            let line = json!({"a": a, "question": "duplicate", "answer": answer, "by": by});
            text = text + &line.to_string() + "\n";
        }
        fs::write(dir.path().join(format!("{by}.judgements.jsonl")), text)
            .expect("a file for a test");
    }
    let told = status(&pool);
    let methods = told["between"]["methods"].as_array().expect("two methods");
    let counts = |at: usize| ["a", "b", "c", "d"].map(|name| methods[at][name].as_u64().unwrap());
    assert_eq!((counts(0), counts(1)), ([9, 2, 2, 7], [10, 2, 1, 7]));
    for (at, cost) in [(0, 3.134_199), (1, 3.043_290)] {
        let found = methods[at]["normalised_cost"].as_f64().expect("a number");
        assert!((found - cost).abs() < 5e-7, "{found}");
    }
    let text = run(&format!("judge {} --status", pool.display())).good();
    assert!(text.contains("tweezer        10      2      1      7"), "{text}");
}

#[test]
fn documents_that_one_of_two_methods_found_are_shown_beside_their_cluster() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let file = dir.path().join("two.jsonl");
    let line =
        format!("pool samples/news -o {} --methods imatch,5ne5 --difference", file.display());
    let told = run(&line).good();
    assert!(told.contains("to be judged by three people"), "{told}");
    let shown = answer(&file, "--as ann", "y\nq\n").good();
    assert!(shown.contains("is the document a near-duplicate of one shown"), "{shown}");
    let state = status(&file);
    assert_eq!(state["standing"]["n_begun"], 1);
    assert!(state["between"]["n_open"].as_u64() > Some(1));
}

#[test]
fn what_cannot_be_judged_is_refused_with_a_reason() {
    let (dir, file) = pool_of_samples("--question near-duplicate");
    let at = file.display();
    for (line, message) in [
        (format!("judge {at}"), "who judges must be given"),
        (format!("judge {at} --as ../ann"), "name must be letters, digits"),
        (format!("judge {at} --as ann --group 21"), "group must be from 1 to 20, got 21"),
        (
            format!("judge {at} --as ann --question containment"),
            "cannot be asked for `containment`",
        ),
        ("judge samples/planted.tsv --status".to_owned(), "planted.tsv, line 1: not JSON"),
        (
            format!("pool samples/news -o {at} --methods ffp"),
            "`--output` must be a file that is not there yet",
        ),
        ("pool samples/news --methods ffp".to_owned(), "a file for the pool must be given"),
        ("pool add --methods ffp".to_owned(), "a pool to add to must be given"),
        ("pool - -o x --methods ffp".to_owned(), "standard input cannot be read"),
        ("pool samples/news -o x --methods ffp --difference".to_owned(), "of two methods, got 1"),
        (
            "pool samples/news -o x --methods ffp,ffp".to_owned(),
            "different methods, got `ffp` twice",
        ),
        ("pool samples/news -o x --methods nobody".to_owned(), "does not know `nobody`"),
        ("pool samples/news -o x --methods ffp --groups 0".to_owned(), "`--groups` must be from 1"),
    ] {
        let ran = run(&line);
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{line}: {}", ran.stderr);
    }
    // A collection that is not there: nothing can be shown, and nothing is written.
    let gone = answer(&file, "--as ann --in /nowhere/news", "y\n");
    assert_eq!(gone.code, Some(2), "{}", gone.stderr);
    assert!(!dir.path().join("ann.judgements.jsonl").exists());
}
