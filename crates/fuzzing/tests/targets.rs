//! Every target with its seeds, and with a fixed number of changed ones: the same on every machine.
//!
//! ```text
//! RETOLD_FUZZ_INPUTS=100000 cargo test --release -p retold-fuzzing -- --nocapture
//! RETOLD_FUZZ_TARGET=manifest RETOLD_FUZZ_SEED=7 …                  # one target, other inputs
//! ```

#[path = "../../read/tests/mutating/mutator.rs"]
mod mutator;

use std::env;
use std::fs;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Instant;

use mutator::{Mutator, Seed};
use retold_fuzzing::TARGETS;

/// Inputs of each target unless the environment says otherwise.
const N_INPUTS: u64 = 150;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn seeds(folders: &[&str]) -> Vec<Seed> {
    let mut seeds = Vec::new();
    for folder in folders {
        let entries = fs::read_dir(root().join(folder)).expect("a folder of seeds");
        let mut paths: Vec<PathBuf> =
            entries.map(|entry| entry.expect("an entry can be read").path()).collect();
        paths.sort();
        seeds.extend(paths.iter().filter(|path| path.is_file()).map(|path| Seed {
            name: path.file_name().expect("a file has a name").to_string_lossy().into_owned(),
            bytes: fs::read(path).expect("a seed can be read"),
        }));
    }
    seeds
}

#[test]
fn every_target_takes_changed_seeds() {
    let number = |name: &str| env::var(name).ok().map(|value| value.parse::<u64>().expect(name));
    let n_inputs = number("RETOLD_FUZZ_INPUTS").unwrap_or(N_INPUTS);
    let seed = number("RETOLD_FUZZ_SEED").unwrap_or(1);
    let only = env::var("RETOLD_FUZZ_TARGET").ok();
    for target in TARGETS {
        if only.as_ref().is_some_and(|only| only != target.name) {
            continue;
        }
        let seeds = seeds(target.seeds);
        assert!(!seeds.is_empty(), "{} has no seeds", target.name);
        let start = Instant::now();
        for whole in &seeds {
            (target.call)(&whole.bytes);
        }
        for input in 0..n_inputs {
            let (_, bytes) = Mutator::new(seed, input).make(&seeds);
            if catch_unwind(AssertUnwindSafe(|| (target.call)(&bytes))).is_err() {
                let kept =
                    env::temp_dir().join(format!("retold-fuzzed-{}-{seed}-{input}", target.name));
                fs::write(&kept, &bytes).expect("a file for what failed");
                panic!("{}, seed {seed}, input {input}; kept as {}", target.name, kept.display());
            }
        }
        let _ = writeln!(
            std::io::stderr(),
            "{}: {} seeds, {n_inputs} inputs from seed {seed}, {:.1} s",
            target.name,
            seeds.len(),
            start.elapsed().as_secs_f64()
        );
    }
}

#[test]
fn every_target_has_a_file_for_libfuzzer() {
    for target in TARGETS {
        let path = root().join(format!("fuzz/fuzz_targets/{}.rs", target.name));
        let text = fs::read_to_string(&path).unwrap_or_default();
        assert!(text.contains(&format!("\"{}\"", target.name)), "{}", path.display());
    }
    let entries = fs::read_dir(root().join("fuzz/fuzz_targets")).expect("the folder is there");
    assert_eq!(entries.count(), TARGETS.len());
}
