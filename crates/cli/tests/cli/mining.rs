//! `retold mine` and `retold lattice` on files of transactions.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::common::{Ran, listed, manifest, ran, retold, run};

/// Documents 1 to 4 by their units: three units stand in 1, 2 and 3, one in 1, 2 and 4, and so on.
const TABLE: &str = "1 2 3\n1 2 3\n1 2 3\n1 2 4\n1 4\n2\n3 4\n3 4\n4\n";

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for a test")
}

/// Writes a file and returns its path as it would be typed.
fn put(dir: &tempfile::TempDir, name: &str, bytes: impl AsRef<[u8]>) -> String {
    let path = dir.path().join(name);
    fs::write(&path, bytes).expect("a file for a test");
    path.display().to_string()
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// Runs a command on standard input.
fn fed(line: &str, input: &[u8]) -> Ran {
    let mut child = retold()
        .args(line.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    child.stdin.take().expect("stdin is a pipe").write_all(input).expect("the command reads");
    ran(&child.wait_with_output().expect("the command ends"))
}

fn json(line: &str) -> Value {
    serde_json::from_str(&run(line).good()).expect("one object")
}

#[test]
fn clusters_of_four_documents_are_those_made_by_hand() {
    let dir = folder();
    let table = put(&dir, "table.dat", TABLE);
    for (k, sets) in [
        (2, &["1 2 3 (3)", "1 4 (2)", "3 4 (2)"][..]),
        (3, &["1 2 3 (3)", "4 (5)"]),
        (4, &["1 2 (4)", "3 (5)", "4 (5)"]),
        (6, &[]),
    ] {
        assert_eq!(sorted(&run(&format!("mine {table} -k {k}")).good()), sets, "{k}");
    }
    let pairs = run(&format!("mine {table} -k 4 --min-size 2")).good();
    assert_eq!(pairs, "1 2 (4)\n");
    let share = run(&format!("mine {table} --min-support 34%")).good();
    assert_eq!(sorted(&share), ["1 2 (4)", "3 (5)", "4 (5)"], "3.06 of 9 is 4");
    let cover = run(&format!("mine {table} -k 2 --target cover")).good();
    assert_eq!(sorted(&cover), ["1 2 3 (3)", "1 4 (2)", "3 4 (2)"]);
}

#[test]
fn compressed_files_and_standard_input_are_read() {
    let dir = folder();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(TABLE.as_bytes()).expect("memory can be written");
    let gzip = gzip.finish().expect("memory can be written");
    let table = put(&dir, "table.dat.gz", &gzip);
    let expected = ["1 2 (4)", "3 (5)", "4 (5)"];
    assert_eq!(sorted(&run(&format!("mine {table} -k 4")).good()), expected);
    assert_eq!(sorted(&fed("mine - -k 4", TABLE.as_bytes()).good()), expected);
    assert_eq!(sorted(&fed("mine - -k 4", &gzip).good()), expected);
}

#[test]
fn a_known_file_has_its_known_number_of_sets() {
    let file = "testdata/fimi/mushroom.dat.zst";
    let exact = json(&format!("mine {file} --min-support 812 --count --json"));
    assert_eq!((&exact["n_sets"], &exact["n_transactions"]), (&558.into(), &8_124.into()));
    assert_eq!((&exact["is_complete"], &exact["cut"]), (&true.into(), &Value::Null));
    let share = json(&format!("mine {file} --min-support 10% --count --json"));
    assert_eq!((&share["n_sets"], &share["min_support"]), (&547.into(), &813.into()));
    let of_sizes = share["sizes"]["counts"].as_array().expect("a list").iter();
    let n_sets: u64 = of_sizes.filter_map(|row| row["n_sets"].as_u64()).sum();
    assert_eq!(n_sets, 547);
    assert!(share["supports"]["least"].as_u64() >= Some(813), "{share}");
}

#[test]
fn sets_are_written_to_a_file_that_appears_whole() {
    let dir = folder();
    let table = put(&dir, "table.dat", TABLE);
    let out = dir.path().join("sets.txt");
    let line = format!("mine {table} -k 4 -o {}", out.display());
    let told = run(&line).good();
    assert!(told.starts_with("3 maximal sets\n9 transactions · 4 items · "), "{told}");
    assert!(told.ends_with("sets.txt\n"), "{told}");
    let written = fs::read_to_string(&out).expect("it was written");
    assert_eq!(sorted(&written), ["1 2 (4)", "3 (5)", "4 (5)"]);
    assert_eq!(listed(dir.path()), ["sets.txt", "table.dat"]);
    let told = json(&format!("{line} --json --overwrite"));
    assert_eq!(told["output"], out.display().to_string());

    let bad = put(&dir, "bad.dat", "1 2\n1 two\n");
    let ran = run(&format!("mine {bad} -k 1 --overwrite -o {}", out.display()));
    assert_eq!(ran.code, Some(3));
    assert!(ran.stderr.contains("bad.dat`: line 2: items must be whole numbers"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(&out).ok(), Some(written), "the old one stays");
    assert_eq!(listed(dir.path()), ["bad.dat", "sets.txt", "table.dat"]);
    let ran = run(&format!("mine {table} -k 1 -o {}/no/folder", dir.path().display()));
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.starts_with("error: cannot write `"), "{}", ran.stderr);
}

/// Returns documents each of which lacks one unit of its own: every half of them is maximal.
fn star(n: u32) -> String {
    let line = |lacks| {
        let items: Vec<String> =
            (0..n).filter(|&item| item != lacks).map(|item| item.to_string()).collect();
        items.join(" ") + "\n"
    };
    (0..n).map(line).collect()
}

#[test]
fn a_search_that_is_cut_says_so_everywhere() {
    let dir = folder();
    let table = put(&dir, "star.dat", star(20));
    let whole = json(&format!("mine {table} -k 17 --count --json"));
    assert_eq!((&whole["n_sets"], &whole["is_complete"]), (&1_140.into(), &true.into()));

    let line = format!("mine {table} -k 10 --component-sets 100");
    let ran = run(&line);
    assert_eq!(ran.code, Some(0));
    assert!(
        ran.stderr.starts_with("warning: the search was cut, there are at least "),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("1 component with 20 items did not come to an end"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("hint: `--component-sets 0` searches on"), "{}", ran.stderr);
    let n_sets = ran.stdout.lines().count();
    assert!((100..1_000).contains(&n_sets), "{n_sets}");
    assert!(ran.stdout.lines().all(|line| line.ends_with(" (10)")), "{}", ran.stdout);

    let quiet = run(&format!("{line} --count --quiet"));
    assert!(quiet.stdout.starts_with(&format!("at least {n_sets} maximal sets\n")), "{quiet:?}");
    assert!(quiet.stderr.starts_with("warning: "), "{}", quiet.stderr);
    let told = json(&format!("{line} --count --json"));
    assert_eq!((&told["is_complete"], &told["cut"]), (&false.into(), &Value::Null));
    assert_eq!(told["cut_parts"][0]["cut"], "sets");
    assert_eq!(told["n_sets"], n_sets);

    let run_cut = json(&format!("mine {table} -k 10 --most-sets 7 --count --json"));
    assert_eq!((&run_cut["n_sets"], &run_cut["cut"]), (&7.into(), &"sets".into()));
    assert_eq!(run_cut["is_complete"], false);
}

#[test]
fn algorithms_are_listed_and_asked_only_for_what_they_find() {
    let list = run("mine --list").good();
    assert!(list.starts_with("algorithm") && list.contains("\nauto "), "{list}");
    assert!(list.lines().all(|line| line.chars().count() <= 80), "{list}");
    let all = json("mine --list --json");
    for spec in all.as_array().expect("a list") {
        let name = spec["name"].as_str().expect("a name");
        assert!(spec["title"].is_string() && spec["source"].is_string(), "{spec}");
        for target in ["all", "closed", "maximal", "cover"] {
            let is_found = spec["targets"].as_array().is_some_and(|t| t.contains(&target.into()));
            let ran = run(&format!("mine no/file -k 2 --algorithm {name} --target {target}"));
            assert_eq!(ran.code, Some(2));
            let refused = format!("error: `{name}` does not find {target} sets; auto");
            assert_eq!(ran.stderr.starts_with(&refused), !is_found, "{}", ran.stderr);
        }
    }
    let ran = run("mine x -k 2 --algorithm autto");
    assert!(ran.stderr.contains("autto") && ran.stderr.contains("auto"), "{}", ran.stderr);
}

#[test]
fn a_reader_that_has_seen_enough_ends_the_search_quietly() {
    let dir = folder();
    let table = put(&dir, "star.dat", star(22));
    let mut child = retold()
        .args(["mine", &table, "-k", "11"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdout = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
    let mut line = String::new();
    stdout.read_line(&mut line).expect("there are sets");
    assert!(line.ends_with(" (11)\n"), "{line}");
    drop(stdout);
    let stderr = BufReader::new(child.stderr.take().expect("stderr is a pipe"));
    assert_eq!(stderr.lines().count(), 0);
    assert_eq!(child.wait().expect("the command ends").code(), Some(0));
}

#[test]
fn a_lattice_is_drawn_with_the_names_of_documents() {
    let dir = folder();
    let table = put(&dir, "table.dat", TABLE);
    let rows = ["zero", "a<b>.txt", "two", "three", "four"]
        .map(|id| serde_json::json!({ "id": id, "n_words": 7 }).to_string() + "\n");
    let names = put(&dir, "documents.jsonl", rows.concat());
    let few = put(&dir, "few.txt", "zero\none\n");
    let draw = |more: &str, out: &str| {
        let out = dir.path().join(out);
        let ran = run(&format!("lattice {table} {more} -o {}", out.display()));
        (ran, fs::read_to_string(out).unwrap_or_default())
    };
    let (ran, svg) = draw(&format!("--items 4,1,2,3 --names {names}"), "lattice.svg");
    assert!(ran.good().ends_with("lattice.svg: 11 concepts of 4 documents, 17 lines\n"));
    assert!(svg.starts_with("<svg ") && svg.contains("<title id="), "{svg}");
    assert!(svg.contains(">a&lt;b&gt;.txt<") && svg.contains(">four<"), "{svg}");
    let (ran, again) = draw(&format!("--items 1,2,3,4 --names {names} --json"), "again.svg");
    let told: Value = serde_json::from_str(&ran.good()).expect("one object");
    assert_eq!((&told["n_concepts"], &told["n_lines"]), (&11.into(), &17.into()));
    assert_eq!(svg, again);
    let (ran, dot) = draw("--items 3,4", "lattice.dot");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(dot.starts_with("digraph lattice {") && dot.contains("label=\"3\\n5 units\""), "{dot}");

    for (more, out, code, message) in [
        ("--items 1,7", "x.svg", 2, "item 7 stands in no line of `"),
        ("--items 1,2", "x.png", 2, "a lattice is written to a file that ends in .svg or .dot"),
        ("--items 1,2,3,4 --most-concepts 9", "x.svg", 2, "the 4 items have more than 9 concepts"),
        (&format!("--items 4 --names {few}"), "x.svg", 3, "cannot use `"),
    ] {
        let (ran, _) = draw(more, out);
        assert_eq!(ran.code, Some(code), "{more}: {}", ran.stderr);
        assert!(ran.stderr.starts_with(&format!("error: {message}")), "{more}: {}", ran.stderr);
        assert!(!Path::new(out).exists() && !dir.path().join(out).exists(), "{more}");
    }
}

#[test]
fn a_cluster_of_a_folder_is_drawn_with_the_names_of_its_members() {
    let dir = folder();
    let text = |last: &str| {
        let words: Vec<String> = (0..80).map(|n| format!("word{n}")).collect();
        format!("{} {last}", words.join(" "))
    };
    fs::create_dir(dir.path().join("in")).expect("a folder for a test");
    for (name, last) in [("a.txt", "ends here"), ("b.txt", "ends there"), ("c.txt", "does not end")]
    {
        put(&dir, &format!("in/{name}"), text(last));
    }
    put(&dir, "in/d.txt", "something else that nobody has told before in this small collection");
    let (input, found) = (dir.path().join("in"), dir.path().join("found"));
    let clusters = "--method minimal-b --clusters closed-sets --min-common 50%";
    run(&format!("find {} {clusters} -o {}", input.display(), found.display())).good();
    let out = dir.path().join("lattice.svg");
    let draw = |from: &Path, cluster: u64| {
        run(&format!("lattice {} --cluster {cluster} -o {}", from.display(), out.display()))
    };
    let ran = draw(&found, 0);
    assert!(ran.good().contains(" of 3 documents, "));
    let svg = fs::read_to_string(&out).expect("it was written");
    assert!(["a.txt", "b.txt", "c.txt"].iter().all(|name| svg.contains(name)), "{svg}");
    assert!(!svg.contains("d.txt"), "{svg}");
    let ran = draw(&found, 7);
    assert!(ran.stderr.starts_with("error: there is no cluster 7 in `"), "{}", ran.stderr);
    let ran = draw(&input, 0);
    assert!(ran.stderr.contains("has no inverted table; `retold find "), "{}", ran.stderr);
}

/// Puts a small collection with three versions of a text and an exact copy into `in`.
fn versions(dir: &tempfile::TempDir) {
    let text = |last: &str| {
        let words: Vec<String> = (0..200).map(|n| format!("word{n}")).collect();
        format!("{} {last}", words.join(" "))
    };
    fs::create_dir(dir.path().join("in")).expect("a folder for a test");
    for (name, last) in [("a.txt", "ends here"), ("b.txt", "ends there"), ("b2.txt", "ENDS there")]
    {
        put(dir, &format!("in/{name}"), text(last));
    }
    let other: Vec<String> = (0..150).map(|n| format!("other{n}")).collect();
    put(dir, "in/c.txt", other.join(" "));
    put(dir, "in/c2.txt", other.join(", "));
}

#[test]
fn any_miner_can_be_chosen_and_a_manifest_repeats_it() {
    let dir = folder();
    versions(&dir);
    let (input, found) = (dir.path().join("in"), dir.path().join("found"));
    let clusters = "--method minimal-b --profile paper --clusters closed-sets --min-common 85";
    let by = |more: &str| {
        let line = format!("find {} {clusters} {more} --overwrite -o", input.display());
        run(&format!("{line} {}", found.display()))
    };
    by("--sets all").good();
    let wanted = fs::read_to_string(found.join("clusters.jsonl")).expect("it was written");
    by("--sets all --miner fpmax").good();
    assert_eq!(fs::read_to_string(found.join("clusters.jsonl")).ok().as_ref(), Some(&wanted));
    let manifest = manifest(&found);
    assert_eq!(manifest["settings"]["miner"], "fpmax");
    let again = dir.path().join("again");
    let from = found.join("manifest.json");
    let line =
        format!("find {} --config {} -o {}", input.display(), from.display(), again.display());
    run(&line).good();
    assert_eq!(fs::read_to_string(again.join("clusters.jsonl")).ok(), Some(wanted));
    let refused = by("--miner fpmax");
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("`--miner` must be auto, or sets must be all"),
        "{}",
        refused.stderr
    );
}

#[test]
fn clusters_are_lines_of_names_as_the_tool_of_2009_wrote_them() {
    let dir = folder();
    versions(&dir);
    let (input, found) = (dir.path().join("in"), dir.path().join("found"));
    let clusters = "--method minimal-b --profile paper --clusters closed-sets --min-common 85";
    run(&format!("find {} {clusters} --sets all -o {}", input.display(), found.display())).good();
    let written =
        fs::read_to_string(found.join("b_1_10_s_100_n1-5.txt")).expect("clusters were written");
    let lines: Vec<Vec<&str>> = written.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines.len(), 2, "{written}");
    assert!(lines[0][..3].iter().zip(["a.txt", "b.txt", "b2.txt"]).all(|(x, y)| x.ends_with(y)));
    assert!(lines[0][3].parse::<u32>().is_ok_and(|n| (85..=100).contains(&n)), "{written}");
    assert_eq!((lines[1].len(), lines[1][2]), (3, "100"), "{written}");
    let names = found.join("documents.jsonl");
    for more in ["", "--raw --algorithm fpmax", "--raw --algorithm eclat"] {
        let mined = run(&format!(
            "mine {} -k 85 --min-size 2 --names {} {more}",
            found.join("b_1_10_s_100_n1-5.dat").display(),
            names.display()
        ));
        let mined = mined.good();
        let mut mined: Vec<&str> = mined.lines().collect();
        mined.sort_unstable();
        assert_eq!(mined, written.lines().collect::<Vec<_>>(), "{more}");
    }
}

#[test]
fn a_search_without_the_reduction_keeps_to_its_limits_and_says_so() {
    let dir = folder();
    let rows: Vec<String> = (0..30)
        .map(|lacks| {
            let items = (0..30).filter(|&item| item != lacks);
            items.map(|item: u32| item.to_string()).collect::<Vec<_>>().join(" ")
        })
        .collect();
    put(&dir, "bomb.dat", rows.join("\n"));
    let file = dir.path().join("bomb.dat");
    let ran = run(&format!(
        "mine {} -k 15 --algorithm fpmax --raw --most-sets 50 --count --json",
        file.display()
    ));
    assert!(ran.stderr.contains("it reached the limit of sets"), "{}", ran.stderr);
    let json: serde_json::Value = serde_json::from_str(&ran.good()).expect("JSON");
    assert_eq!((&json["raw"], &json["is_complete"]), (&true.into(), &false.into()));
    assert_eq!((&json["n_sets"], &json["cut"]), (&50.into(), &"sets".into()));
}
