//! `retold serve` as a process: what it prints, how it ends, and that keys stay out of sight.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::common::{retold, run};

/// Starts a server and returns it with its address.
fn started(line: &str, token: Option<&str>) -> (Child, String) {
    let mut command = retold();
    command.args(line.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(token) = token {
        command.env("RETOLD_TOKEN", token);
    }
    let mut child = command.spawn().expect("the command starts");
    let stdout = child.stdout.take().expect("its output");
    let mut told = String::new();
    BufReader::new(stdout).read_line(&mut told).expect("a line");
    let told: Value = serde_json::from_str(&told).expect("JSON");
    let url = told["listens"].as_str().expect("an address");
    (child, url.trim_start_matches("http://").to_owned())
}

fn asked(address: &str, path: &str, key: Option<&str>) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let key = key.map(|key| format!("authorization: Bearer {key}\r\n")).unwrap_or_default();
    let request =
        format!("GET {path} HTTP/1.1\r\nhost: {address}\r\n{key}connection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[cfg(unix)]
fn ended(mut child: Child) -> Option<i32> {
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("a signal");
    child.wait().expect("it ends").code()
}

#[test]
#[cfg(unix)]
fn the_demo_serves_the_sample_news_and_ends_in_peace() {
    let (child, address) = started("serve --demo --listen 127.0.0.1:0 --json", None);
    assert!(asked(&address, "/health/ready", None).starts_with("HTTP/1.1 200 "));
    let collections = asked(&address, "/api/v1/collections", None);
    assert!(collections.contains("\"documents\":74"), "{collections}");
    assert!(asked(&address, "/", None).contains("<h1>Retold</h1>"));
    assert_eq!(ended(child), Some(0));
}

#[test]
fn an_address_that_others_reach_is_refused_without_a_key() {
    let data = tempfile::tempdir().expect("a folder for the test");
    let ran = run(&format!("serve --listen 0.0.0.0:0 --data {}", data.path().display()));
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("hint: give a key with `--token-file FILE`"), "{}", ran.stderr);
    let ran = run(&format!("serve --data {} --limit colour=3", data.path().display()));
    assert!(ran.stderr.contains("the limits are always_waiting, atomic_bytes"), "{}", ran.stderr);
}

#[test]
#[cfg(target_os = "linux")]
fn a_key_is_taken_from_the_environment_and_not_shown() {
    let token = "a-key-that-is-long-enough-for-tests";
    let (mut child, address) = started("serve --demo --listen 127.0.0.1:0 --json", Some(token));
    assert!(asked(&address, "/api/v1/limits", None).starts_with("HTTP/1.1 401 "));
    assert!(asked(&address, "/api/v1/limits", Some(token)).starts_with("HTTP/1.1 200 "));
    let line = std::fs::read(format!("/proc/{}/cmdline", child.id())).expect("a command line");
    assert!(!String::from_utf8_lossy(&line).contains(token));
    let mut stderr = child.stderr.take().expect("its messages");
    assert_eq!(ended(child), Some(0));
    let mut messages = String::new();
    stderr.read_to_string(&mut messages).expect("text");
    assert!(!messages.contains(token), "{messages}");
}

#[test]
#[cfg(unix)]
fn two_servers_do_not_share_a_folder() {
    let data = tempfile::tempdir().expect("a folder for the test");
    let line = format!("serve --listen 127.0.0.1:0 --json --data {}", data.path().display());
    let (child, _) = started(&line, None);
    let second = run(&line);
    assert_eq!(second.code, Some(2));
    assert!(second.stderr.contains("another server uses"), "{}", second.stderr);
    assert_eq!(ended(child), Some(0));
}
