//! `retold mine`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use retold_mine::{MinSupport, Target};

use super::run::Color;
use super::values;

/// Mine frequent sets of items in a file of transactions.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct Mine {
    /// One transaction a line, items as numbers; may be gzip, zstd or xz, `-` is standard input.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,

    /// Least number of transactions that a set must lie in, or their share of all transactions,
    /// such as 0.5%, rounded up.
    #[arg(short = 'k', long, value_name = "K", value_parser = values::support)]
    pub(crate) min_support: Option<MinSupport>,

    /// Which sets: maximal (in no larger one), closed (no larger one is as frequent), all, cover
    /// (some of the maximal, so that every related pair is in one).
    #[arg(long, value_name = "SETS", value_parser = values::target(), hide_possible_values = true)]
    pub(crate) target: Option<Target>,

    /// Algorithm; `--list` tells what there is.
    #[arg(long, value_name = "NAME", value_parser = values::miner(), hide_possible_values = true)]
    pub(crate) algorithm: Option<String>,

    /// Items that a set must have.
    #[arg(long, value_name = "N")]
    pub(crate) min_size: Option<usize>,

    /// Search the table as it is, without the reduction that comes first otherwise: only items that
    /// are not frequent are left out. Finds the same sets; for comparison with published times.
    #[arg(long)]
    pub(crate) raw: bool,

    /// List the algorithms, where they come from and what they find.
    #[arg(long)]
    pub(crate) list: bool,

    /// Write the sets to FILE and print a summary.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Replace FILE if it is there.
    #[arg(long, help_heading = "Output")]
    pub(crate) overwrite: bool,

    /// Write sets with the names of documents instead of numbers, tabs between them, and last the
    /// number of common units: from a documents.jsonl, or a file with a name a line. The first line
    /// is document 0.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) names: Option<PathBuf>,

    /// Only count the sets and print a summary.
    #[arg(long, conflicts_with = "output", help_heading = "Output")]
    pub(crate) count: bool,

    /// Print the summary, or the list, as JSON instead of text.
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Most sets in all; 1000000 by default if --algorithm is not auto. 0 is no limit, here and
    /// below.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) most_sets: Option<u64>,

    /// Most sets of each connected component of the items, if --algorithm is auto.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) component_sets: Option<u64>,

    /// Most steps of the search; if --algorithm is auto, of each connected component of the items.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) steps: Option<u64>,

    /// Most memory for the search, in addition to the transactions; 128M by default if --algorithm
    /// is not auto.
    #[arg(long, value_name = "SIZE", value_parser = values::size, help_heading = "Limits")]
    pub(crate) most_memory: Option<u64>,

    /// Most time for the search; 60 by default if --algorithm is not auto.
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds, help_heading = "Limits")]
    pub(crate) most_seconds: Option<f64>,

    /// Most bytes that one compressed byte may become, above the first MiB; ten times that here.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) max_ratio: Option<u64>,

    /// Number of threads; 0 means as many as the machine runs at once.
    #[arg(long, value_name = "N", help_heading = "Running")]
    pub(crate) threads: Option<usize>,

    /// Read options from a TOML file, by the names they have here.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Running")]
    pub(crate) config: Option<PathBuf>,

    /// Say nothing but results, errors and that a limit was reached.
    #[arg(short, long, help_heading = "Running")]
    pub(crate) quiet: bool,

    /// Colour the output: auto, always, never.
    #[arg(long, value_name = "WHEN", value_parser = values::choice::<Color>(Color::NAMES))]
    #[arg(hide_possible_values = true, help_heading = "Running")]
    pub(crate) color: Option<Color>,
}

const EXAMPLES: &str = "\
EXAMPLES
  retold mine inverted.dat -k 85 -o clusters.txt    clusters of documents with 85 common units
  retold mine inverted.dat -k 85 --min-size 2       at least two documents, to standard output
  retold mine inverted.dat -k 85 --target cover     few sets, but every related pair is in one
  retold mine found/b_1_20_s_100_n1-12.dat -k 85 --min-size 2 --names found/documents.jsonl
  retold mine inverted.dat -k 85 --algorithm fpmax --raw --count   as the paper timed it
  retold mine mushroom.dat.gz -k 10% --target closed --count
  zcat big.gz | retold mine - -k 500 --count --json
  retold mine --list                                algorithms and what each finds

FILES
  In: a line is a transaction, `3 17 29`. For clusters of documents a line is a unit of text and
  its numbers are the documents that have it.
  Out: a line is a set, its items and in parentheses the transactions it lies in, `3 29 (85)`. With
  --names it is the documents and the units they have in common, with tabs between them.

A search that reaches a limit ends with exit code 0. It says so on stderr, counts are given as `at
least`, and the JSON has `is_complete: false`, `cut` and `cut_parts`.";
