//! Ctrl-C during a run.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::common::{listed, retold};

/// Runs a command on a stream that begins with `sent` and never ends, interrupts it once it runs,
/// and returns its exit code and messages.
fn interrupt(line: &str, sent: &[u8], out: &std::path::Path) -> (Option<i32>, String) {
    let mut child = retold()
        .args(line.split_whitespace())
        .arg("-o")
        .arg(out)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    stdin.write_all(sent).expect("the command reads");
    // The hidden folder or file shows that the run has begun and the handler stands.
    let parent = out.parent().expect("a folder for a test").to_owned();
    let deadline = Instant::now() + Duration::from_mins(1);
    while listed(&parent).is_empty() {
        assert!(Instant::now() < deadline, "the run did not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::INT).expect("the command runs");
    let stderr = BufReader::new(child.stderr.take().expect("stderr is a pipe"));
    let said: Vec<String> = stderr.lines().map_while(Result::ok).collect();
    let code = child.wait().expect("the command ends").code();
    drop(stdin);
    (code, said.join("\n"))
}

#[test]
fn a_run_that_waits_for_its_input_stops_and_leaves_nothing() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let (code, said) =
        interrupt("find -", b"{\"text\":\"one document\"}\n", &dir.path().join("found"));
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("stopping…"), "{said}");
    assert!(said.contains("stopped: during reading"), "{said}");
    assert_eq!(listed(dir.path()), [""; 0], "nothing is left, hidden or not");
}

#[test]
fn a_run_that_was_sent_nothing_yet_stops_too() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let (code, said) = interrupt("find -", b"", &dir.path().join("found"));
    assert_eq!(code, Some(130), "{said}");
    assert_eq!(listed(dir.path()), [""; 0]);
}

#[test]
fn mining_that_waits_for_its_input_stops_and_leaves_nothing() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let (code, said) = interrupt("mine - -k 1", b"1 2 3\n", &dir.path().join("sets.txt"));
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("stopped: after 0 sets"), "{said}");
    assert_eq!(listed(dir.path()), [""; 0], "nothing is left, hidden or not");
}
