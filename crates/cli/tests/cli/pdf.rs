//! PDF files that mean harm, through the command, where the system limits what a process may use.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::common::{finish, manifest, ran, retold, table, text};
use crate::pdf_files::{Case, Comes, bad_files, is_refusal, page};

const GOOD: &str = "the ferry to the islands leaves at noon and comes back before dark";

#[test]
fn a_folder_of_bad_pdf_files_is_read_to_its_end() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let input = dir.path().join("input");
    fs::create_dir(&input).expect("a folder for a test");
    let cases = bad_files();
    for case in &cases {
        fs::write(input.join(format!("{}.pdf", case.name)), &case.bytes).expect("a test's file");
    }
    for name in ["1.pdf", "2.pdf"] {
        fs::write(input.join(name), page(&GOOD.repeat(3))).expect("a file for a test");
    }
    let out = dir.path().join("out");
    let ran = finish(retold().current_dir(dir.path()).args(["find", "input", "-o"]).arg(&out));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let manifest = manifest(&out);
    let bad = manifest["bad_records"].as_array().expect("a list");
    let documents = table(&out, "documents");
    for Case { name, comes, .. } in &cases {
        let file = format!("input/{name}.pdf");
        let said = bad.iter().find(|row| text(row, "file") == file).map(|row| text(row, "reason"));
        let is_read = documents.iter().any(|row| text(row, "id") == file);
        assert!(is_read != said.is_some(), "{name}: read {is_read}, said {said:?}");
        match comes {
            Comes::To(text) => assert!(is_read, "{name} holds `{text}`: {said:?}"),
            Comes::Refused(why) => {
                assert!(said.is_some_and(|said| is_refusal(said, why)), "{name}: {said:?}");
            }
            Comes::ToAnEnd => {}
        }
    }
    let pairs = table(&out, "pairs");
    let is_good = |row: &serde_json::Value| {
        text(row, "a") == "input/1.pdf" && text(row, "b") == "input/2.pdf"
    };
    assert!(pairs.iter().any(is_good), "the good files are found: {pairs:?}");
}

#[test]
fn a_bad_pdf_file_ends_a_strict_run_as_other_bad_input_does() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let bomb = bad_files().into_iter().find(|case| case.name.contains("2 GiB in")).expect("a bomb");
    fs::write(dir.path().join("bomb.pdf"), bomb.bytes).expect("a file for a test");
    let ran = finish(retold().current_dir(dir.path()).args(["find", "bomb.pdf", "--strict"]));
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert!(ran.stderr.contains("bomb.pdf: record 0: is PDF that needs more memory"), "{ran:?}");
}

/// What a command took, its helpers included.
struct Cost {
    /// From beginning to end.
    wall: Duration,
    /// What processors spent on its processes; as long as the wall time on an idle machine.
    time: Duration,
    /// The most that its processes held, in bytes.
    memory: u64,
}

/// Each bad file may cost a second and one for each MiB, and 64 MiB and eight times its size, beyond
/// what a good file costs.
#[expect(clippy::print_stdout, reason = "figures are read by a person")]
#[test]
fn no_bad_pdf_file_costs_more_than_its_size_allows() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let cost = |bytes: &[u8]| {
        fs::write(dir.path().join("paper.pdf"), bytes).expect("a file for a test");
        cost_of(dir.path())
    };
    let base = cost(&page(GOOD));
    let mut faults = Vec::new();
    for Case { name, bytes, .. } in bad_files() {
        let mib = bytes.len() as f64 / f64::from(1 << 20);
        let Cost { wall, time, memory } = cost(&bytes);
        let most_time = base.time + Duration::from_secs_f64(1.0 + mib);
        let most_memory = base.memory + 8 * bytes.len() as u64 + (64 << 20);
        let figures = format!(
            "{name}: {:.2} s of {:.2} (wall {:.2}), {} MiB of {}",
            time.as_secs_f64(),
            most_time.as_secs_f64(),
            wall.as_secs_f64(),
            memory >> 20,
            most_memory >> 20
        );
        if time > most_time || memory > most_memory {
            faults.push(figures.clone());
        }
        println!("{figures}");
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Compares a file with itself and watches the process and all it starts.
fn cost_of(dir: &Path) -> Cost {
    let began = Instant::now();
    let mut child = retold()
        .current_dir(dir)
        .args(["find", "paper.pdf"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    // Each process keeps count itself of what it held at most and how long it ran.
    let (mut held, mut spent) = (BTreeMap::<u32, u64>::new(), BTreeMap::<u32, Duration>::new());
    while child.try_wait().expect("the command can be waited for").is_none() {
        for pid in helpers_of(&child).into_iter().chain([child.id()]) {
            held.extend(most_held(pid).map(|bytes| (pid, bytes)));
            spent.extend(processor_time(pid).map(|time| (pid, time)));
        }
        std::thread::sleep(Duration::from_micros(500));
    }
    let (wall, time) = (began.elapsed(), spent.into_values().sum());
    Cost { wall, time, memory: held.into_values().sum() }
}

/// Returns the processes that a command has started.
fn helpers_of(child: &Child) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{}/task", child.id()));
    let of_task = |task: fs::DirEntry| fs::read_to_string(task.path().join("children")).ok();
    let lists: Vec<String> = tasks.into_iter().flatten().flatten().filter_map(of_task).collect();
    lists
        .iter()
        .flat_map(|pids| pids.split_whitespace())
        .filter_map(|pid| pid.parse().ok())
        .collect()
}

/// Returns the time that processors spent on a process; none if it is gone.
fn processor_time(pid: u32) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, in brackets, may hold spaces; of what follows, two numbers count in hundredths.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let hundredths = fields.get(11..13)?.iter().filter_map(|field| field.parse::<u64>().ok());
    Some(Duration::from_millis(10 * hundredths.sum::<u64>()))
}

/// Returns the most memory that a process ever held, in bytes; none if it is gone.
fn most_held(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

/// Starts a command on a file that keeps its helper busy for half a minute.
fn start_on_a_slow_file(dir: &Path) -> (Child, u32) {
    let slow = bad_files().into_iter().find(|case| case.name.starts_with("widths told"));
    let mut bytes = slow.expect("such a file").bytes;
    // A larger file may take longer.
    bytes.resize(48 << 20, b' ');
    fs::write(dir.join("paper.pdf"), bytes).expect("a file for a test");
    let child = retold()
        .current_dir(dir)
        .args(["find", "paper.pdf"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let helper = loop {
        match helpers_of(&child).first() {
            Some(&helper) => break helper,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    (child, helper)
}

/// Waits until a process is gone.
fn wait_for_the_end_of(pid: u32) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while most_held(pid).is_some() {
        assert!(Instant::now() < deadline, "the helper lives on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn ctrl_c_does_not_wait_for_a_slow_file() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let (child, helper) = start_on_a_slow_file(dir.path());
    let began = Instant::now();
    kill_process(Pid::from_child(&child), Signal::INT).expect("the command runs");
    let ran = ran(&child.wait_with_output().expect("the command ends"));
    assert_eq!(ran.code, Some(130), "{ran:?}");
    assert!(!ran.stderr.contains("skipped"), "the file is not called bad: {ran:?}");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    wait_for_the_end_of(helper);
}

#[test]
fn no_helper_outlives_a_command_that_is_killed() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let (mut child, helper) = start_on_a_slow_file(dir.path());
    child.kill().expect("the command runs");
    let ran = ran(&child.wait_with_output().expect("the command is gone"));
    assert_eq!(ran.code, None, "{ran:?}");
    wait_for_the_end_of(helper);
}
