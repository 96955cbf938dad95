//! What `docs/promises.md` names is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Adds the names of all functions in the Rust files below a folder.
fn functions(folder: &Path, names: &mut BTreeSet<String>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != "target") {
                functions(&path, names);
            }
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).expect("sources are UTF-8");
            for line in text.lines() {
                if let Some((_, rest)) = line.split_once("fn ") {
                    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
                    names.insert(rest[..end.unwrap_or(rest.len())].to_owned());
                }
            }
        }
    }
}

#[test]
fn every_promise_names_tests_and_files_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("docs/promises.md")).expect("the page is there");
    let mut known = BTreeSet::new();
    functions(&root.join("crates"), &mut known);
    let mut n_named = 0;
    for name in text.split('`').skip(1).step_by(2) {
        if name.contains('/') {
            let path = name.split(' ').next().expect("split gives at least one piece");
            assert!(root.join(path).exists(), "there is no `{path}`");
        } else if name.matches('_').count() >= 2 {
            assert!(known.contains(name), "there is no test `{name}`");
        } else {
            continue;
        }
        n_named += 1;
    }
    assert!(n_named > 30, "only {n_named} names were found");
}
