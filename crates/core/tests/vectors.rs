//! The test vectors that comments cite, `T-BRO` for example, are written down in
//! `testdata/VECTORS.md`, and those written down there are cited.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the names of vectors in a text: `T-`, two or more capitals or digits, and a small letter
/// where a vector has several parts.
fn names(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    for (at, _) in text.match_indices("T-") {
        let is_start = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '-');
        let rest = &text[at + 2..];
        let upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit();
        let n = rest.find(|c| !upper(c)).unwrap_or(rest.len());
        let part = usize::from(rest[n..].starts_with(|c: char| c.is_ascii_lowercase()));
        let is_end = !rest[n + part..].starts_with(|c: char| c.is_alphanumeric());
        if is_start && is_end && n >= 2 {
            out.push(&text[at..at + 2 + n + part]);
        }
    }
    out
}

/// Returns the names that headings define.
fn defined(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("## ")).flat_map(names).collect()
}

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be listed") {
        let path = entry.expect("the entry can be read").path();
        if path.is_dir() && !path.ends_with("target") {
            sources(&path, out);
        } else if path.extension().is_some_and(|end| end == "rs") {
            out.push(path);
        }
    }
}

#[test]
fn every_vector_that_is_cited_is_written_down_and_every_one_written_down_is_cited() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("testdata/VECTORS.md")).expect("vectors are text");
    let defined = defined(&text);
    let mut files = Vec::new();
    sources(&root.join("crates"), &mut files);
    let mut cited: BTreeMap<String, PathBuf> = BTreeMap::new();
    for file in files.iter().filter(|file| !file.ends_with("core/tests/vectors.rs")) {
        let source = fs::read_to_string(file).expect("sources are text");
        cited.extend(names(&source).into_iter().map(|name| (name.to_owned(), file.clone())));
    }
    for (name, file) in &cited {
        let file = file.strip_prefix(&root).unwrap_or(file).display();
        assert!(defined.contains(&name.as_str()), "{file} cites {name}, which is not written down");
    }
    for name in &defined {
        assert!(cited.contains_key(*name), "nobody cites {name}");
    }
    assert!(defined.len() > 30, "{} vectors", defined.len());
}

#[test]
fn names_are_found_in_running_text() {
    let text = "// T-BRO: and (T-GF2b), as in T-20; not RT-AB, T-shirt, T-A or T-ABcd";
    assert_eq!(names(text), ["T-BRO", "T-GF2b", "T-20"]);
    assert_eq!(defined("## T-CAT\nsee T-BRO\n## T-GF2c, of T-GF2\n"), ["T-CAT", "T-GF2c", "T-GF2"]);
}
