//! Inputs that change while a run is under way.

use std::fs;
use std::path::{Path, PathBuf};

use retold::{Dedup, Error, Files, Outcome, Progress, Stage, Tables};

/// Does something to an input when the copying begins.
struct Meddler<F>(F);

impl<F: Fn() + Send + Sync> Progress for Meddler<F> {
    fn begin(&self, stage: Stage, _: u64) {
        if stage == Stage::Copy {
            (self.0)();
        }
    }
}

fn lines(word: &str) -> String {
    let line = |n| format!("{{\"text\":\"{word} number {n} of them\"}}");
    (0..2_000).map(line).collect::<Vec<_>>().join("\n")
}

fn run(
    paths: &[PathBuf],
    out: &Path,
    meddle: impl Fn() + Send + Sync + 'static,
) -> Result<Outcome, Error> {
    Dedup::new(Files::new(paths)).progress(Meddler(meddle)).run(&mut Tables::new(out))
}

#[test]
fn an_input_overwritten_at_the_same_size_was_not_copied_and_the_run_succeeded() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("in");
    fs::create_dir(&folder).unwrap();
    let packed = |word: &str| zstd::encode_all(lines(word).as_bytes(), 1).unwrap();
    fs::write(folder.join("a.jsonl"), lines("one")).unwrap();
    fs::write(folder.join("b.jsonl.zst"), packed("two")).unwrap();
    fs::write(folder.join("c.txt"), "a text of its own").unwrap();
    let inputs = [folder.clone()];
    run(&inputs, &dir.path().join("as-it-was"), || {}).unwrap();
    for name in ["a.jsonl", "b.jsonl.zst", "c.txt"] {
        let path = folder.join(name);
        let was = fs::read(&path).unwrap();
        let out = dir.path().join(format!("out-{name}"));
        let (changed, blank) = (path.clone(), vec![b'\n'; was.len()]);
        let meddle = move || fs::write(&changed, &blank).unwrap();
        let error = run(&inputs, &out, meddle).expect_err("it changed").to_string();
        assert!(error.contains(name) && error.contains("changed"), "{error}");
        assert!(!out.exists(), "an output folder is whole or absent");
        fs::write(&path, was).unwrap();
    }
}

#[test]
fn an_input_cut_before_it_is_copied_ends_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    fs::write(&path, lines("one")).unwrap();
    let cut = path.clone();
    let meddle = move || {
        let file = fs::File::options().write(true).open(&cut).unwrap();
        file.set_len(1_000).unwrap();
    };
    let out = dir.path().join("out");
    let error = run(std::slice::from_ref(&path), &out, meddle).expect_err("it was cut").to_string();
    assert!(error.contains("a.jsonl") && error.contains("changed"), "{error}");
    assert!(!out.exists());
}
