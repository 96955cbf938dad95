//! From the arguments of `retold mine` and `retold lattice` to what is mined and drawn.

use std::path::PathBuf;
use std::time::Duration;

use retold::{Limits, Resources};
use retold_lab::{MOST_CONCEPTS, Mining};
use retold_mine::{Budget, Preparation};

use super::{Talk, Volume, put};
use crate::args::{Lattice, Mine};
use crate::failure::Failure;

/// What `retold mine` is to do, resolved.
#[derive(Debug)]
pub(crate) enum MineJob {
    /// List the algorithms.
    List(Talk),
    /// Mine a file.
    File {
        /// The transactions.
        file: PathBuf,
        /// Where the sets go.
        to: SetsFor,
        /// What is looked for.
        mining: Box<Mining>,
        /// What it is done with.
        resources: Resources,
        /// How to talk.
        talk: Talk,
    },
}

/// Where mined sets go.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SetsFor {
    /// To standard output; there is no summary.
    Stdout,
    /// Nowhere; they are counted.
    Count,
    /// To a file.
    File(PathBuf),
}

/// Which documents a lattice is drawn of.
#[derive(Debug)]
pub(crate) enum Drawn {
    /// Those of a cluster.
    Cluster(u64),
    /// Those of some numbers.
    Items {
        /// The numbers.
        items: Vec<u64>,
        /// Where their names stand.
        names: Option<PathBuf>,
    },
}

/// A lattice to draw, resolved.
#[derive(Debug)]
pub(crate) struct Drawing {
    /// The inverted table, or a folder with one.
    pub(crate) file: PathBuf,
    /// Which documents.
    pub(crate) what: Drawn,
    /// Most concepts.
    pub(crate) most_concepts: usize,
    /// The picture.
    pub(crate) output: PathBuf,
    /// Whether it may take the place of another file.
    pub(crate) overwrite: bool,
    /// How much the files may ask for.
    pub(crate) limits: Limits,
    /// How to talk.
    pub(crate) talk: Talk,
}

/// Resolves `retold mine`.
pub(crate) fn mine(args: Mine) -> Result<MineJob, Failure> {
    let Mine {
        file,
        min_support,
        target,
        algorithm,
        min_size,
        raw,
        list,
        output,
        overwrite,
        names,
        count,
        json,
        most_sets,
        component_sets,
        steps,
        most_memory,
        most_seconds,
        max_ratio,
        threads,
        // The file was read before the arguments were.
        config: _,
        quiet,
        color,
    } = args;
    let volume = if quiet { Volume::Quiet } else { Volume::Normal };
    let talk = Talk { is_json: json, volume, color: color.unwrap_or_default() };
    if list {
        return Ok(MineJob::List(talk));
    }
    let missing = |what: &str| {
        Failure::hinted(
            format!("{what} must be given"),
            "`retold mine --help` shows what is accepted",
        )
    };
    let file = file.ok_or_else(|| missing("<FILE>"))?;
    let min_support = min_support.ok_or_else(|| missing("--min-support <K>"))?;
    let mut mining = Mining::by(algorithm.as_deref().unwrap_or("auto"), min_support);
    put(target, &mut mining.target);
    put(min_size, &mut mining.min_size);
    mining.preparation = if raw { Preparation::Raw } else { Preparation::Reduced };
    mining.overwrite = overwrite;
    mining.names = names;
    let resources = Resources::new().threads(threads.unwrap_or_default());
    put(max_ratio, &mut mining.limits.ratio);
    let Budget { sets, component_sets: of_component, steps: most_steps, bytes, time } =
        &mut mining.budget;
    put(most_sets.map(limit), sets);
    put(component_sets.map(limit), of_component);
    put(steps.map(limit), most_steps);
    put(most_memory.map(|most| limit(usize::try_from(most).unwrap_or(usize::MAX))), bytes);
    put(most_seconds.map(|most| limit(Duration::from_secs_f64(most))), time);
    mining.miner().map_err(retold_lab::Error::from)?;
    let to = match output {
        Some(path) if path.as_os_str() != "-" => SetsFor::File(path),
        _ if count => SetsFor::Count,
        _ if json => {
            return Err(Failure::hinted(
                "--json is for the summary, and sets go to standard output",
                "add `--count`, or `-o FILE` for the sets",
            ));
        }
        _ => SetsFor::Stdout,
    };
    Ok(MineJob::File { file, to, mining: Box::new(mining), resources, talk })
}

/// Returns a limit as it is typed: 0 is none.
fn limit<T: Default + PartialEq>(most: T) -> Option<T> {
    (most != T::default()).then_some(most)
}

/// Resolves `retold lattice`.
pub(crate) fn lattice(args: Lattice) -> Drawing {
    let Lattice { file, items, cluster, names, most_concepts, output, overwrite, json, color } =
        args;
    let what = match cluster {
        Some(cluster) => Drawn::Cluster(cluster),
        None => Drawn::Items { items, names },
    };
    let talk = Talk { is_json: json, volume: Volume::Normal, color: color.unwrap_or_default() };
    let most_concepts = most_concepts.unwrap_or(MOST_CONCEPTS);
    Drawing { file, what, most_concepts, output, overwrite, limits: Limits::default(), talk }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Cli, Command};

    fn mining(line: &str) -> Result<(Mining, SetsFor), Failure> {
        let line = ["retold", "mine"].into_iter().chain(line.split_whitespace());
        let Command::Mine(args) = Cli::parse_from(line).command else { panic!("not mine") };
        match mine(*args)? {
            MineJob::File { mining, to, .. } => Ok((*mining, to)),
            MineJob::List(_) => panic!("not a file"),
        }
    }

    #[test]
    fn limits_of_mining_are_those_of_the_library_until_lifted() {
        let (plain, to) = mining("x -k 85").expect("a good line");
        assert_eq!(plain, Mining::new(retold_mine::MinSupport::Absolute(85)));
        assert_eq!(to, SetsFor::Stdout);
        let (lifted, to) =
            mining("x -k 85 --component-sets 0 --steps 0 --most-memory 0 --count").expect("good");
        assert_eq!((lifted.budget, to), (Budget::default(), SetsFor::Count));
        let (set, to) = mining("x -k 1% --most-memory 1G --most-seconds 0.5 -o y").expect("good");
        assert_eq!(
            (set.budget.bytes, set.budget.time),
            (Some(1 << 30), Some(Duration::from_millis(500)))
        );
        assert_eq!(to, SetsFor::File("y".into()));
        assert!(
            mining("x -k 85 --json").is_err() && mining("x").is_err() && mining("-k 1").is_err()
        );
    }
}
