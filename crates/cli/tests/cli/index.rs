//! An index from the command line: made, filled, asked, watched, mended.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::common::{finish, ran, retold, run, table};

/// Makes an index of the sample news.
fn of_samples(dir: &Path, options: &str) -> PathBuf {
    let path = dir.join("news.idx");
    run(&format!("index create {} {options}", path.display())).good();
    let told = run(&format!("index add {} samples/news", path.display())).good();
    assert!(told.starts_with("74 documents added"), "{told}");
    path
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for a test")
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

#[test]
fn an_index_answers_as_the_files_do_and_says_how() {
    let dir = folder();
    let path = of_samples(dir.path(), "--also minhash");
    let file = "samples/news/en/canal-telex.txt";
    let of = |place: &str, options: &str| {
        let line = run(&format!("query {file} --in {place} --json --top 99 {options}")).good();
        let answer: Value = serde_json::from_str(&line).expect("a line of JSON");
        let hits = answer["hits"].as_array().expect("a list").clone();
        let told = |hit: &Value| {
            format!("{} {} {} {}", hit["id"], hit["relation"], hit["a_in_b"], hit["passages"])
        };
        let mut told: Vec<String> = hits.iter().map(told).collect();
        told.sort();
        (told, answer)
    };
    let (expected, _) = of("samples/news", "");
    let (found, answer) = of(&path.display().to_string(), "");
    assert_eq!(found, expected);
    assert_eq!(answer["searched"]["n_documents"], 74);
    assert_eq!(answer["attribution"]["n_found"], answer["attribution"]["n_words"]);
    let (by_other, answer) = of(&path.display().to_string(), "--method minhash --explain");
    assert_eq!((by_other, &answer["explanation"]["method"]), (expected, &Value::from("minhash")));

    let filtered = of(&path.display().to_string(), "--where source=nobody").0;
    assert!(filtered.is_empty(), "{filtered:?}");
    let refused = run(&format!("query {file} --in {} --set k=7", path.display()));
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("the settings it was made with"), "{}", refused.stderr);
    let unknown = run(&format!("query {file} --in {} --method codet", path.display()));
    assert!(unknown.stderr.contains("it has anchor, minhash"), "{}", unknown.stderr);
}

#[test]
fn options_of_a_method_are_accepted_where_they_are_those_of_the_index() {
    let dir = folder();
    let path = of_samples(dir.path(), "--edits heavy");
    let index = path.display().to_string();
    let told = run(&format!("index stats {index}")).good();
    assert!(told.contains("method anchor (retold), heavy edits"), "{told}");
    let stats: Value =
        serde_json::from_str(&run(&format!("index stats {index} --json")).good()).expect("JSON");
    assert_eq!(stats["methods"][0]["edits"], "heavy");
    assert_eq!(stats["methods"][0]["parameters"]["k"], 5);
    let ask = format!("query samples/news/en/canal-telex.txt --in {index}");
    let plain = run(&ask).good();
    for same in ["--edits heavy", "--set k=5 --containment 0.6", "--profile retold"] {
        assert_eq!(run(&format!("{ask} {same}")).good(), plain, "{same}");
    }
    for (other, held, hint) in [
        ("--edits light", "has heavy", "retold index create --edits light"),
        ("--passage-words 30", "has 40", "retold index create --passage-words 30"),
        ("--set k=7", "has 5", "retold index create --set k=7"),
        ("--profile paper", "has retold", "retold index create --profile paper"),
    ] {
        let stream = format!("stream samples/news --index {index}");
        let find = format!("find samples/news --against {index}");
        for command in [&ask, &stream, &find] {
            let refused = run(&format!("{command} {other}"));
            assert_eq!(refused.code, Some(2), "{command} {other}");
            assert!(refused.stderr.contains("the settings it was made with"), "{}", refused.stderr);
            assert!(refused.stderr.contains(other), "{}", refused.stderr);
            assert!(refused.stderr.contains(held), "{}", refused.stderr);
            assert!(refused.stderr.contains(hint), "{}", refused.stderr);
        }
    }
}

#[test]
fn new_documents_are_compared_with_an_index_and_with_each_other() {
    let dir = folder();
    let (old, found) = (dir.path().join("old.idx"), dir.path().join("found"));
    let story = "the harbour board will close the east quay for repairs from monday until friday";
    let write = |name: &str, ids: &[(&str, &str)]| {
        let path = dir.path().join(name);
        let line = |(id, text): &(&str, &str)| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
        fs::write(&path, ids.iter().map(line).collect::<String>()).expect("a file for a test");
        path.display().to_string()
    };
    let archive =
        write("old.jsonl", &[("o1", story), ("o2", story), ("o3", "nothing of the kind")]);
    let longer = format!("{story} and ships will have to wait for a berth until they are done");
    let new = write("new.jsonl", &[("n1", &longer), ("n2", &longer.replace("ships", "boats"))]);
    run(&format!("index create {}", old.display())).good();
    run(&format!("index add {} {archive}", old.display())).good();
    run(&format!("find {new} --against {} -o {}", old.display(), found.display())).good();
    let pairs: Vec<String> = table(&found, "pairs")
        .iter()
        .map(|row| format!("{} {} {}", row["a"], row["b"], row["relation"]).replace('"', ""))
        .collect();
    let expected = [
        "n1 n2 near-duplicate",
        "n1 o1 contains",
        "n1 o2 contains",
        "n2 o1 contains",
        "n2 o2 contains",
    ];
    let mut sorted = pairs.clone();
    sorted.sort();
    assert_eq!(sorted, expected);
}

#[test]
fn documents_are_listed_got_removed_erased_and_exported() {
    let dir = folder();
    let path = of_samples(dir.path(), "--store-fields weekday");
    let index = path.display().to_string();
    assert_eq!(run(&format!("index list {index}")).good().lines().count(), 74);
    let one = lines(&run(&format!("index get {index} cw-2101 --json")).good());
    assert_eq!(one[0]["source"], "Coast Wire");
    let from = run(&format!("index list {index} --json --where source=Coast%20Wire"));
    assert_eq!(from.good(), "");
    let mut from = retold();
    from.args(["index", "list", &index, "--json", "--where", "source=Coast Wire"]);
    let wired = lines(&finish(&mut from).good());
    assert!(!wired.is_empty() && wired.iter().all(|line| line["source"] == "Coast Wire"));
    let missing = run(&format!("index get {index} nobody"));
    assert!(missing.stderr.contains("no document `nobody`"), "{}", missing.stderr);

    let told = run(&format!("index remove {index} 9001 nobody")).good();
    assert_eq!(told, "1 document removed, 1 were not there\n");
    assert_eq!(run(&format!("index remove {index} cw-2105 --purge")).good(), "1 document erased\n");
    for file in fs::read_dir(&path).expect("the folder is there") {
        let bytes = fs::read(file.expect("a file").path()).expect("it can be read");
        assert!(!bytes.windows(7).any(|window| window == b"cw-2105"), "it is still there");
    }
    let output = dir.path().join("out.jsonl");
    run(&format!("index export {index} -o {}", output.display())).good();
    let exported = lines(&fs::read_to_string(&output).expect("it was written"));
    assert_eq!(exported.len(), 72);
    let again = run(&format!("index export {index} -o {}", output.display()));
    assert_eq!(again.code, Some(2), "{}", again.stdout);

    // What was exported makes the same index.
    let copy = dir.path().join("copy.idx");
    run(&format!("index create {}", copy.display())).good();
    let told = run(&format!("index add {} {}", copy.display(), output.display())).good();
    assert!(told.starts_with("72 documents added"), "{told}");
}

#[test]
fn an_index_is_checked_backed_up_damaged_and_repaired() {
    let dir = folder();
    let path = of_samples(dir.path(), "");
    let index = path.display().to_string();
    run(&format!("index merge {index}")).good();
    assert!(run(&format!("index check {index}")).good().contains("all is as it should be"));
    let copy = dir.path().join("copy.idx");
    run(&format!("index backup {index} {}", copy.display())).good();
    let part = fs::read_dir(&path)
        .expect("the folder is there")
        .map(|file| file.expect("a file").path())
        .find(|file| file.to_string_lossy().contains("part-"))
        .expect("a part");
    let mut bytes = fs::read(&part).expect("it can be read");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&part, bytes).expect("it can be written");
    let damaged = run(&format!("index check {index}"));
    assert_eq!(damaged.code, Some(2));
    assert!(damaged.stdout.contains("is damaged at byte"), "{}", damaged.stdout);
    assert!(damaged.stderr.contains("index repair"), "{}", damaged.stderr);
    let told = run(&format!("index repair {index}")).good();
    assert!(told.contains("dropped with 74 documents") && told.contains("cw-2101"), "{told}");
    run(&format!("index check {index}")).good();
    let back = dir.path().join("back.idx");
    run(&format!("index restore {} {}", copy.display(), back.display())).good();
    let stats: Value =
        serde_json::from_str(&run(&format!("index stats {} --json", back.display())).good())
            .expect("JSON");
    assert_eq!(stats["n_documents"], 74);
    let there = run(&format!("index create {}", back.display()));
    assert_eq!(there.code, Some(2), "{}", there.stdout);
}

/// Sends stories to a stream that is kept in an index.
fn streamed(index: &Path, options: &[&str], stories: &[(&str, &str, &str)]) -> Vec<Value> {
    let mut child = retold()
        .args(["stream", "-", "--window", "7d", "--index"])
        .arg(index)
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    for (id, time, text) in stories {
        writeln!(stdin, r#"{{"id":"{id}","text":"{text}","time":"{time}","source":"wire {id}"}}"#)
            .expect("it reads");
    }
    drop(stdin);
    lines(&ran(&child.wait_with_output().expect("it ends")).good())
}

#[test]
fn a_stream_that_is_kept_goes_on_where_it_stopped() {
    let dir = folder();
    let index = dir.path().join("wire.idx");
    run(&format!("index create {}", index.display())).good();
    let story = "The harbour board will close the east quay for repairs from Monday until Friday.";
    let longer = format!("{story} Ships have to wait for a berth until the work is done.");
    let first = streamed(&index, &[], &[("a", "2026-01-01", story), ("b", "2026-01-02", &longer)]);
    assert_eq!((&first[0]["seq"], &first[1]["seq"]), (&Value::from(1), &Value::from(2)));
    assert_eq!(first[1]["cluster"], "a");
    assert_eq!(first[1]["first"]["source"], "wire a");
    let new = first[1]["new_sentences"].as_array().expect("a list");
    assert_eq!(new.len(), 1, "{new:?}");
    let (start, end) = (new[0][0].as_u64(), new[0][1].as_u64());
    let new = &longer[start.expect("a place") as usize..end.expect("a place") as usize];
    assert!(new.starts_with("Ships have"), "{new}");

    let second = streamed(&index, &["--after", "1"], &[("c", "2026-01-03", story)]);
    assert_eq!(second[0], first[1], "what may have been lost comes again");
    assert_eq!(second[1]["seq"], 3);
    assert_eq!((&second[1]["copy_of"], &second[1]["cluster"]), (&"a".into(), &"a".into()));
    // Beyond the window nothing is known but who told it first within the last one.
    let third = streamed(&index, &[], &[("d", "2026-02-01", story)]);
    assert_eq!(
        (third[0]["hits"].as_array().map(Vec::len), &third[0]["cluster"]),
        (Some(0), &"d".into())
    );
    // The documents are there for questions all the same.
    let stats = run(&format!("index stats {} --json", index.display())).good();
    let stats: Value = serde_json::from_str(&stats).expect("JSON");
    assert_eq!(stats["n_documents"], 4);
}

#[test]
fn lines_of_a_stream_go_to_a_file_exactly_once() {
    let dir = folder();
    let (index, told) = (dir.path().join("wire.idx"), dir.path().join("told.jsonl"));
    let stories = dir.path().join("stories.jsonl");
    let line = |i: u32| format!("{{\"id\":\"s{i}\",\"text\":\"story {i} of the wire today\"}}\n");
    fs::write(&stories, (0..5).map(line).collect::<String>()).expect("a file for a test");
    run(&format!("index create {}", index.display())).good();
    let command = format!(
        "stream {} --index {} --group 2 -o {}",
        stories.display(),
        index.display(),
        told.display()
    );
    run(&command).good();
    let whole = fs::read_to_string(&told).expect("lines were written");
    assert_eq!(lines(&whole).len(), 5);
    // Lines of stories that were never made durable, half of one last: they are cut off.
    fs::write(&told, format!("{whole}{{\"seq\":6}}\n{{\"se")).expect("a file for a test");
    fs::write(&stories, (0..7).map(line).collect::<String>()).expect("a file for a test");
    run(&command).good();
    let all = fs::read_to_string(&told).expect("lines were written");
    assert!(all.starts_with(&whole));
    let seqs: Vec<Value> = lines(&all).iter().map(|line| line["seq"].clone()).collect();
    assert_eq!(seqs, [1, 2, 3, 4, 5, 6, 7].map(Value::from));
}

#[test]
fn texts_left_in_their_files_are_read_there_and_refused_when_they_changed() {
    let dir = folder();
    let (index, file) = (dir.path().join("by.idx"), dir.path().join("news.jsonl"));
    let story = "the harbour board will close the east quay for repairs from monday until friday";
    let line = |text: &str| format!("{{\"id\":\"a\",\"text\":\"{text}\"}}\n");
    fs::write(&file, line(story)).expect("a file for a test");
    run(&format!("index create {} --by-reference", index.display())).good();
    run(&format!("index add {} {}", index.display(), file.display())).good();
    run(&format!("index merge {}", index.display())).good();
    for part in fs::read_dir(&index).expect("the folder is there") {
        let bytes = fs::read(part.expect("a file").path()).expect("it can be read");
        assert!(!bytes.windows(9).any(|window| window == b"east quay"), "the text is stored");
    }
    let got = run(&format!("index get {} a", index.display())).good();
    assert_eq!(got.trim_end(), story);
    fs::write(&file, line(&story.replace("east", "west"))).expect("a file for a test");
    let refused = run(&format!("index get {} a", index.display()));
    assert_eq!(refused.code, Some(3));
    assert!(refused.stderr.contains("no longer what was indexed"), "{}", refused.stderr);
}

#[test]
fn a_strict_addition_ends_at_the_first_bad_record() {
    let dir = folder();
    let (index, file) = (dir.path().join("strict.idx"), dir.path().join("news.jsonl"));
    fs::write(&file, "{\"id\":\"a\",\"text\":\"some text\"}\n{oops\n").expect("a file for a test");
    run(&format!("index create {}", index.display())).good();
    let refused = run(&format!("index add {} {} --strict", index.display(), file.display()));
    assert_eq!(refused.code, Some(3), "{}", refused.stdout);
    let added = run(&format!("index add {} {} -q", index.display(), file.display())).good();
    assert!(added.contains("1 record skipped"), "{added}");
}

#[test]
fn an_index_is_made_under_a_bare_name() {
    let dir = tempfile::tempdir().expect("a folder for the test");
    for line in ["index create archive.idx", "index backup archive.idx copy.idx"] {
        let mut command = retold();
        finish(command.args(line.split(' ')).current_dir(dir.path())).good();
    }
    assert!(dir.path().join("copy.idx/manifest").is_file());
}
