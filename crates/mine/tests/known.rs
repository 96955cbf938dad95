//! Every miner on the data of the FIMI workshops, compared with known numbers of sets.
//!
//! The numbers in `KNOWN.tsv` are those on which several public implementations agree. Two of the
//! four files are in the repository. For all of them, with times on standard error:
//!
//! ```text
//! RETOLD_FIMI=DIR cargo test --release -p retold-mine --test known
//! ```
//!
//! where `DIR` holds `KNOWN.tsv` and the files it names (`chess.dat.zst`, ...).

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use retold_mine::{Context, MINERS, Miner, Target, Task, mine, read};

/// Runs that are left out.
struct Skip {
    /// Name of the miner; all miners if empty.
    miner: &'static str,
    data: &'static str,
    targets: &'static [Target],
    /// At this support and below.
    min_support: u32,
    when: When,
    why: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// Where only the files of the repository are tried.
    Short,
    /// Also where all files are.
    Always,
}

/// What takes more than about a second in the development profile.
const SKIPS: &[Skip] = &[
    Skip {
        miner: "",
        data: "mushroom",
        targets: &[Target::All],
        min_support: 163,
        when: When::Short,
        why: "23 and 91 million sets are given out one by one",
    },
    Skip {
        miner: "fpmax",
        data: "chess",
        targets: &[Target::Closed],
        min_support: 1_598,
        when: When::Short,
        why: "2 s",
    },
    Skip {
        miner: "add-intent",
        data: "chess",
        targets: &[Target::Closed, Target::Maximal],
        min_support: 1_598,
        when: When::Short,
        why: "369,450 closed sets are built with their transactions",
    },
    Skip {
        miner: "apriori",
        data: "chess",
        targets: &[Target::All, Target::Closed, Target::Maximal],
        min_support: 1_918,
        when: When::Short,
        why: "20 s: it goes through all 254,944 frequent sets, whatever is asked for",
    },
    Skip {
        miner: "apriori",
        data: "chess",
        targets: &[Target::All, Target::Closed, Target::Maximal],
        min_support: 1_598,
        when: When::Always,
        why: "2 minutes, as above",
    },
    Skip {
        miner: "apriori",
        data: "mushroom",
        targets: &[Target::All, Target::Closed, Target::Maximal],
        min_support: 813,
        when: When::Short,
        why: "25 s in the release profile, as above",
    },
    Skip {
        miner: "apriori",
        data: "mushroom",
        targets: &[Target::All, Target::Closed, Target::Maximal],
        min_support: 406,
        when: When::Always,
        why: "not tried: 4 to 91 million frequent sets, and 0.6 million took 25 s",
    },
];

/// A line of `KNOWN.tsv`.
struct Known {
    data: String,
    min_support: u32,
    n_sets: [(Target, u64); 3],
}

fn known(directory: &Path) -> Vec<Known> {
    let path = directory.join("KNOWN.tsv");
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let line = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| fields[at].parse::<u64>().expect("counts are numbers");
        Known {
            data: fields[0].to_owned(),
            min_support: number(1) as u32,
            n_sets: [
                (Target::Maximal, number(2)),
                (Target::Closed, number(3)),
                (Target::All, number(4)),
            ],
        }
    };
    text.lines().skip(1).map(line).collect()
}

fn context(directory: &Path, data: &str) -> Context {
    let path = directory.join(format!("{data}.dat.zst"));
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    read(zstd::Decoder::new(file).expect("a buffer can be made"))
        .expect("the file is sound")
        .context
}

/// The reason to leave a run out, if there is one.
fn skip(miner: &dyn Miner, data: &str, task: &Task, is_short: bool) -> Option<&'static str> {
    let applies = |skip: &&Skip| {
        (skip.miner.is_empty() || skip.miner == miner.spec().name)
            && skip.data == data
            && skip.targets.contains(&task.target)
            && task.min_support <= skip.min_support
            && (is_short || skip.when == When::Always)
    };
    SKIPS.iter().find(applies).map(|skip| skip.why)
}

/// Tries all miners on some data; returns the number of runs.
fn check(directory: &Path, data: &str, is_short: bool) -> usize {
    let context = context(directory, data);
    let mut n_runs = 0;
    for line in known(directory).iter().filter(|line| line.data == data) {
        for (target, n_wanted) in line.n_sets {
            let task = Task::new(target, line.min_support);
            for miner in MINERS.iter().filter(|miner| miner.spec().targets.contains(&target)) {
                let what = format!("{} {data} {} {target:?}", miner.spec().name, line.min_support);
                let say = |text: &str| {
                    if !is_short {
                        writeln!(io::stderr(), "{what}: {text}").expect("standard error is open");
                    }
                };
                if let Some(why) = skip(*miner, data, &task, is_short) {
                    say(&format!("left out, {why}"));
                    continue;
                }
                let start = Instant::now();
                let mut n_sets = 0;
                let outcome = mine(*miner, &context, &task, &mut |_, support| {
                    assert!(support >= line.min_support, "{what}");
                    n_sets += 1;
                });
                say(&format!("{:.2} s", start.elapsed().as_secs_f64()));
                assert!(outcome.is_complete(), "{what}");
                assert_eq!((n_sets, outcome.n_sets), (n_wanted, n_wanted), "{what}");
                n_runs += 1;
            }
        }
    }
    n_runs
}

fn repository() -> PathBuf {
    retold_samples::testdata().join("fimi")
}

#[test]
fn counts_on_chess_are_known() {
    assert!(check(&repository(), "chess", true) > 0);
}

#[test]
fn counts_on_mushroom_are_known() {
    assert!(check(&repository(), "mushroom", true) > 0);
}

#[test]
fn counts_on_all_files_are_known_where_they_are_given() {
    let Some(directory) = std::env::var_os("RETOLD_FIMI") else { return };
    for data in ["chess", "mushroom", "retail", "T10I4D100K"] {
        assert!(check(Path::new(&directory), data, false) > 0);
    }
}

#[test]
fn no_miner_works_without_memory() {
    let context = context(&repository(), "chess");
    for miner in MINERS {
        for &target in miner.spec().targets {
            let mut task = Task::new(target, 2_877);
            task.budget.bytes = Some(1);
            let outcome = mine(*miner, &context, &task, &mut |_, _| {});
            assert!(!outcome.is_complete(), "{} {target:?}", miner.spec().name);
        }
    }
}

#[test]
fn miners_have_names_of_their_own() {
    let mut names: Vec<&str> = MINERS.iter().map(|miner| miner.spec().name).collect();
    names.sort_unstable();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
    for skip in SKIPS {
        assert!(skip.miner.is_empty() || names.contains(&skip.miner), "{}", skip.miner);
        assert!(!skip.why.is_empty());
    }
}
