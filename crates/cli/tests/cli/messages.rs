//! What is said when something is wrong, and where it is said.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::Value;

use crate::common::{finish, ran, retold, run};

#[test]
fn an_unknown_method_is_answered_with_the_nearest() {
    let ran = run("find samples/news --method anchr");
    assert_eq!(ran.code, Some(2));
    assert_eq!(
        ran.stderr,
        "error: `--method` does not know `anchr`\nhint: did you mean `anchor`?\n"
    );
}

#[test]
fn an_unknown_option_is_answered_with_the_nearest() {
    let ran = run("find samples/news --treads 2");
    assert_eq!(ran.code, Some(2));
    assert_eq!(
        ran.stderr,
        "error: there is no option `--treads` here\nhint: did you mean `--threads`?\n"
    );
}

#[test]
fn what_cannot_be_used_is_refused_before_anything_is_read() {
    for (line, message) in [
        ("find", "error: <PATH>... must be given"),
        ("dedup samples/news", "error: --output <DIR> must be given"),
        ("seek x", "error: there is no command `seek`"),
        ("find x --set k", "error: `--set`: a parameter must be NAME=VALUE, got `k`"),
        ("find x --set colour=1", "error: method `anchor` has no parameter `colour`"),
        ("find x --containment 2", "error: `--containment` must be"),
        ("find x --keep tallest", "error: `--keep`: keep must be longest, oldest"),
        ("find x --memory lots", "error: `--memory`: a size must be"),
        ("find x --threads few", "error: `--threads`: "),
        ("find x --stem", "error: `--stem` needs a value"),
        ("find x --encoding klingon", "error: `--encoding`: encoding must have a label"),
        ("find x --stop-words no-such-file", "error: cannot read stop words `no-such-file`"),
        ("dedup x -o y --cover 0", "error: `--cover` must be above 0 and at most 1, got 0"),
        ("dedup x -o y --shard-size 10", "error: `--shard-size`: a shard must have at least 64K"),
        ("find no/such/path", "error: no file or directory at `no/such/path`"),
        ("dedup - -o y", "error: standard input cannot be read a second time"),
        ("compare - -", "error: only one of two documents can be standard input"),
        ("mine x", "error: --min-support <K> must be given"),
        ("mine -k 2", "error: <FILE> must be given"),
        ("mine x -k 0", "error: `--min-support`: minimum support must be at least 1"),
        ("mine x -k 0.5", "error: `--min-support`: a support must be a whole number such as 85"),
        ("mine x -k 2 --target most", "error: `--target` must be all, closed, maximal or cover"),
        ("mine x -k 2 --json", "error: --json is for the summary"),
        ("mine x -k 2 --most-seconds soon", "error: `--most-seconds`: seconds must be a number"),
        ("mine no/such/file -k 2", "error: cannot open `no/such/file`"),
        ("lattice x --items 1", "error: --output <FILE> must be given"),
        ("lattice x --items a -o y.svg", "error: `--items`: "),
        ("completions tcsh", "error: `<SHELL>` must be bash, elvish"),
    ] {
        let ran = run(line);
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.stderr);
        assert!(ran.stderr.starts_with(message), "{line}: {}", ran.stderr);
        assert!(ran.stdout.is_empty(), "{line}: {}", ran.stdout);
    }
}

#[test]
fn an_output_that_exists_is_left_alone_until_overwriting_is_allowed() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let found = dir.path().join("found");
    let line = format!("find samples/news/en -o {}", found.display());
    run(&line).good();
    let ran = run(&line);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("exists"), "{}", ran.stderr);
    assert!(ran.stderr.ends_with("hint: pass `--overwrite` to replace an earlier result\n"));
    run(&format!("{line} --overwrite")).good();

    let own = dir.path().join("own");
    fs::create_dir(&own).expect("a folder for a test");
    fs::write(own.join("thesis.txt"), "years of work").expect("a file for a test");
    let ran = run(&format!("find samples/news/en --overwrite -o {}", own.display()));
    assert_eq!(ran.code, Some(2));
    assert_eq!(fs::read_to_string(own.join("thesis.txt")).ok().as_deref(), Some("years of work"));
}

#[test]
fn a_run_without_documents_says_what_was_skipped() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let empty = run(&format!("find {}", dir.path().display()));
    assert_eq!(empty.code, Some(3));
    assert!(empty.stderr.starts_with("error: no documents in `"), "{}", empty.stderr);
    assert!(empty.stderr.contains("\nhint: hidden files"), "{}", empty.stderr);

    fs::write(dir.path().join("a.jsonl"), "{\"title\":\"no text\"}\n").expect("a file for a test");
    let refused = run(&format!("find {}", dir.path().display()));
    assert_eq!(refused.code, Some(3));
    assert!(refused.stderr.contains("skipped: "), "{}", refused.stderr);
    assert!(refused.stderr.contains("a.jsonl: record 0"), "{}", refused.stderr);
}

#[test]
fn a_strict_run_ends_at_the_first_bad_record() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let file = dir.path().join("mixed.jsonl");
    fs::write(&file, "{\"text\":\"good\"}\n{oops\n{\"text\":\"good too\"}\n").expect("a file");
    let out = dir.path().join("found");
    let ran = run(&format!("find {} --strict -o {}", file.display(), out.display()));
    assert_eq!(ran.code, Some(3));
    assert!(ran.stderr.contains("mixed.jsonl: record 1"), "{}", ran.stderr);
    assert!(ran.stderr.contains("\nhint: without `--strict`"), "{}", ran.stderr);
    assert!(!out.exists());
    let ran = run(&format!("find {}", file.display()));
    assert_eq!(ran.code, Some(0));
    assert!(ran.stderr.starts_with("skipped: "), "{}", ran.stderr);
}

#[test]
fn only_the_first_skipped_records_are_named() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let file = dir.path().join("bad.jsonl");
    let lines = format!("{}{{\"text\":\"one good record\"}}\n", "{oops\n".repeat(30));
    fs::write(&file, lines).expect("a file for a test");
    let line = format!("find {}", file.display());
    let named = |more: &str| run(&format!("{line} {more}")).stderr.lines().count();
    assert_eq!(named(""), 21);
    assert!(run(&line).stderr.ends_with("skipped: 10 more; `-v` names them all\n"));
    assert_eq!(named("-v"), 30);
    assert_eq!(named("-q"), 0);
}

#[test]
fn names_from_strangers_do_not_reach_the_terminal_raw() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let name = "evil\u{1b}]52;c;x\u{7}\nerror: forged\u{202e}.jsonl";
    fs::write(dir.path().join(name), "{oops\n{\"text\":\"good\"}\n").expect("a file for a test");
    let ran = finish(retold().arg("find").arg(dir.path()));
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    for letter in ['\u{1b}', '\u{7}', '\u{202e}'] {
        assert!(!ran.stderr.contains(letter) && !ran.stdout.contains(letter));
    }
}

#[test]
fn results_go_to_stdout_and_nothing_else_is_said_without_a_terminal() {
    let ran = run("find samples/news");
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.stderr, "");
    assert!(ran.stdout.contains("documents repeat another"), "{}", ran.stdout);
    assert!(ran.stdout.contains("`-o DIR` writes pairs"), "{}", ran.stdout);
    assert!(!ran.stdout.contains('\u{1b}'));
    assert!(!run("find samples/news -q").good().contains("-o DIR"));
}

#[test]
fn colour_comes_on_request_only() {
    assert!(run("find samples/news/en --color always").good().contains('\u{1b}'));
    assert!(run("find no-such-path --color always").stderr.starts_with("\u{1b}["));
    let mut command = retold();
    command.args(["find", "samples/news/en"]).env("NO_COLOR", "1");
    assert!(!finish(&mut command).good().contains('\u{1b}'));
}

#[test]
fn json_is_json() {
    let find: Value =
        serde_json::from_str(&run("find samples/news --json").good()).expect("one object");
    assert_eq!(find["command"], "find");
    assert_eq!(find["n_documents"], 74);
    assert_eq!(find["pairs"]["exact"], 5);

    let line = run(
        "compare samples/news/en/rail-bridge.txt samples/news/web/rail-anniversary.html --json",
    );
    let line = line.good();
    assert_eq!(line.lines().count(), 1);
    let pair: Value = serde_json::from_str(&line).expect("one object");
    assert_eq!(pair["relation"], "partial");
    assert!(pair["evidence"][0]["words"].as_u64().is_some_and(|words| words >= 40));
    // The words of a shared run are words in common.
    for (words, runs) in [("a_vocabulary_in_b", "a_in_b"), ("b_vocabulary_in_a", "b_in_a")] {
        assert!(pair[words].as_f64() > pair[runs].as_f64(), "{line}");
    }
    let line = "compare samples/news/en/cold-pool.txt samples/news/en/museum-gazette.txt --json";
    let none: Value = serde_json::from_str(&run(line).good()).expect("one object");
    assert_eq!(none["relation"], Value::Null);
}

#[test]
fn a_comparison_is_shown_and_written_as_a_page() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let page = dir.path().join("both.html");
    let shown = run(&format!(
        "compare samples/news/en/council-budget.txt samples/news/en/council-budget-corrected.txt \
         --page {}",
        page.display()
    ))
    .good();
    assert!(shown.contains("near-duplicate"), "{shown}");
    assert!(shown.contains(" │ "), "two columns: {shown}");
    let page = fs::read_to_string(page).expect("the page was written");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("council-budget-corrected"));
}

#[test]
fn a_document_may_come_from_standard_input() {
    let mut child = retold()
        .args(["compare", "-", "samples/news/en/rail-bridge.txt", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let text = fs::read(crate::common::workspace().join("samples/news/en/rail-bridge.txt"));
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    stdin.write_all(&text.expect("the sample is there")).expect("the command reads");
    drop(stdin);
    let line = ran(&child.wait_with_output().expect("the command ends")).good();
    let pair: Value = serde_json::from_str(&line).expect("one object");
    assert_eq!(pair["relation"], "exact");
}

#[test]
fn a_closed_pipe_ends_the_command_quietly() {
    let mut child = retold()
        .args(["methods", "anchor"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let stderr = BufReader::new(child.stderr.take().expect("stderr is a pipe"));
    assert_eq!(stderr.lines().count(), 0);
    assert_eq!(child.wait().expect("the command ends").code(), Some(0));
}

#[test]
fn five_thousand_threads_took_minutes() {
    let ran = run("find samples/news/en --threads 5000 --json");
    assert!(ran.stderr.starts_with("note: ") && ran.stderr.contains("not 5000"), "{}", ran.stderr);
    let mut found: Value = serde_json::from_str(&ran.good()).expect("one object");
    let mut usual: Value =
        serde_json::from_str(&run("find samples/news/en --threads 2 --json").good()).expect("one");
    for result in [&mut found, &mut usual] {
        result["seconds"] = Value::Null;
    }
    assert_eq!(found, usual);
    assert_eq!(run("find samples/news/en --threads 5000 -q").stderr, "");
}
