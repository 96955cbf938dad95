//! What may be written over, what a killed run leaves, and what ends a run.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Pid, Signal, kill_process};

use crate::common::{finish, listed, retold, run};

/// Commands that write a file, up to its name.
fn writers(dir: &Path) -> Vec<String> {
    let table = dir.join("table.dat");
    fs::write(&table, "1 2 3\n1 2 3\n1 2\n").expect("a file for a test");
    let table = table.display();
    let stories = "samples/news/en/cheese-fair-2025.txt samples/news/en/cheese-fair-2025.txt";
    vec![
        "idf build samples/news/en -o".to_owned(),
        format!("mine {table} -k 2 -o"),
        format!("lattice {table} --items 1,2,3 -o"),
        format!("compare {stories} --page"),
    ]
}

#[test]
fn no_file_is_replaced_without_a_word() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    for line in writers(dir.path()) {
        let out = dir.path().join("out.svg");
        run(&format!("{line} {}", out.display())).good();
        fs::write(&out, "years of work").expect("a file for a test");
        let refused = run(&format!("{line} {}", out.display()));
        assert_eq!(refused.code, Some(2), "{line}: {}", refused.stderr);
        assert!(refused.stderr.contains("out.svg` exists"), "{line}: {}", refused.stderr);
        assert!(refused.stderr.contains("hint: pass `--overwrite`"), "{line}: {}", refused.stderr);
        assert_eq!(fs::read_to_string(&out).ok().as_deref(), Some("years of work"), "{line}");
        // A link to it is no way around.
        let link = dir.path().join("link.svg");
        symlink(&out, &link).expect("a link for a test");
        assert_eq!(run(&format!("{line} {}", link.display())).code, Some(2), "{line}");
        run(&format!("{line} {} --overwrite", link.display())).good();
        assert!(fs::symlink_metadata(&link).is_ok_and(|found| found.is_symlink()), "{line}");
        assert_ne!(fs::read_to_string(&out).ok().as_deref(), Some("years of work"), "{line}");
        for path in [&out, &link] {
            fs::remove_file(path).expect("it is there");
        }
        assert_eq!(listed(dir.path()), ["table.dat"], "{line}: nothing is left beside it");
    }
}

#[test]
fn only_regular_files_are_replaced() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    for line in writers(dir.path()) {
        let fifo = dir.path().join("fifo.svg");
        mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a FIFO");
        let nowhere = dir.path().join("nowhere.svg");
        symlink(dir.path().join("missing"), &nowhere).expect("a link for a test");
        let device = dir.path().join("device.svg");
        symlink("/dev/null", &device).expect("a link for a test");
        for path in [&fifo, &nowhere, &device] {
            for overwrite in ["", " --overwrite"] {
                let refused = run(&format!("{line} {}{overwrite}", path.display()));
                assert_eq!(refused.code, Some(2), "{line}: {}", refused.stderr);
                let why = "only a regular file is overwritten";
                assert!(refused.stderr.contains(why), "{line}: {}", refused.stderr);
            }
            assert!(fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()));
            fs::remove_file(path).expect("it is there");
        }
    }
    assert!(fs::metadata("/dev/null").is_ok_and(|found| !found.is_file()));
}

#[test]
fn pages_of_methods_and_manuals_follow_the_same_rule() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    for line in ["methods --pages", "man"] {
        let folder = dir.path().join(line.replace(' ', "-"));
        let command = format!("{line} {}", folder.display());
        run(&command).good();
        let some = folder.join(&listed(&folder)[0]);
        fs::write(&some, "mine").expect("a file for a test");
        let refused = run(&command);
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert_eq!(fs::read_to_string(&some).ok().as_deref(), Some("mine"));
        run(&format!("{command} --overwrite")).good();
        assert_ne!(fs::read_to_string(&some).ok().as_deref(), Some("mine"));
    }
}

#[test]
fn what_a_killed_run_left_is_removed_by_the_next() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let out = dir.path().join("found");
    let mut killed = retold()
        .args(["find", "-", "-o"])
        .arg(&out)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    let deadline = Instant::now() + Duration::from_mins(1);
    while listed(dir.path()).is_empty() {
        assert!(Instant::now() < deadline, "the run did not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
    // One that lives is left alone.
    run(&format!("find samples/news/tr -q -o {}", out.display())).good();
    let names = listed(dir.path());
    assert_eq!(names.len(), 2, "{names:?}");
    killed.kill().expect("the command runs");
    killed.wait().expect("the command ends");
    assert_eq!(listed(dir.path()), names, "killed, it leaves its folder");
    run(&format!("find samples/news/tr -q --overwrite -o {}", out.display())).good();
    assert_eq!(listed(dir.path()), ["found"]);
}

#[test]
fn help_that_cannot_be_printed_is_an_error() {
    for line in ["--help", "--version", "find --help", "methods"] {
        let full = File::options().write(true).open("/dev/full").expect("the system has it");
        let ran = finish(
            retold().args(line.split_whitespace()).stdout(Stdio::from(full)).stderr(Stdio::piped()),
        );
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains("cannot print"), "{line}: {}", ran.stderr);
    }
}

#[test]
fn a_stream_that_is_stopped_says_so() {
    let mut child = retold()
        .args(["stream", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    stdin.write_all(b"{\"text\":\"some words of a story\"}\n").expect("the command reads");
    let mut stdout = std::io::BufReader::new(child.stdout.take().expect("stdout is a pipe"));
    let mut line = String::new();
    std::io::BufRead::read_line(&mut stdout, &mut line).expect("the first is answered");
    kill_process(Pid::from_child(&child), Signal::INT).expect("the command runs");
    let ended = child.wait_with_output().expect("the command ends");
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.contains("stopped: after 1 document"), "{said}");
    drop(stdin);
}

#[test]
fn a_story_from_the_future_is_counted_and_told() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let path = dir.path().join("wire.jsonl");
    let story = "the harbour board will close the east quay for repairs from monday until friday";
    let line = |id: &str, text: &str, time: &str| {
        format!("{{\"id\":\"{id}\",\"text\":\"{text}\",\"time\":\"{time}\"}}\n")
    };
    let wire = [
        line("a", story, "2026-01-05T12:00:00Z"),
        line("odd", "rain is expected on the coast all week long", "9999-12-31"),
        line("odder", "nobody knows what comes after that", "9999-12-31"),
        line("b", story, "2026-01-05T12:30:00Z"),
    ];
    fs::write(&path, wire.concat()).expect("a file for a test");
    let ran = run(&format!("stream {} --window 1h", path.display()));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let last = ran.stdout.lines().last().unwrap_or_default();
    assert!(last.contains("\"copy_of\":\"a\"") && !last.contains("is_ahead"), "{last}");
    assert_eq!(ran.stdout.matches("\"is_ahead\":true").count(), 2);
    assert!(ran.stderr.contains("`odd` is dated 9999-12-31, too far ahead"), "{}", ran.stderr);
    assert!(ran.stderr.contains("2 documents in all were dated too far ahead"), "{}", ran.stderr);
    let believed = run(&format!("stream {} --window 1h --ahead 9999999d", path.display()));
    assert!(!believed.stdout.contains("copy_of"), "{}", believed.stdout);
}

#[test]
fn skipped_records_are_told_in_the_order_of_the_files() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let input = dir.path().join("input");
    fs::create_dir(&input).expect("a folder for a test");
    for n in 0..600 {
        let text = format!("{{\"text\":\"story {n}\"}}\n{{oops {n}\n");
        fs::write(input.join(format!("{n:04}.jsonl")), text).expect("a file for a test");
    }
    let said = |threads: usize| {
        let out = dir.path().join(format!("out-{threads}"));
        let line = format!("find input -v --threads {threads} -o {}", out.display());
        let mut command = retold();
        let ran = finish(command.current_dir(dir.path()).args(line.split_whitespace()));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let page = fs::read_to_string(out.join("report.html")).expect("a page was written");
        let lines: Vec<String> = ran
            .stderr
            .lines()
            .filter(|line| line.starts_with("skipped:"))
            .map(ToOwned::to_owned)
            .collect();
        (lines, page.replace(&format!("out-{threads}"), "out"))
    };
    let (lines, page) = said(1);
    assert_eq!(lines.len(), 600);
    assert!(lines.is_sorted());
    for threads in [2, 8] {
        let (other, other_page) = said(threads);
        assert_eq!(other, lines);
        assert!(other_page == page, "the page is another with {threads} threads");
    }
}
