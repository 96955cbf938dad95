//! `retold judge`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use retold_lab::judging::Question;

use super::MannerArgs;
use super::values::choice;

/// Judge what a pool holds, pair by pair, and see how far everybody has come.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Judge {
    /// The pool that `retold pool` made.
    #[arg(value_name = "POOL", value_hint = ValueHint::FilePath, required = true)]
    pub(crate) pool: PathBuf,

    /// Files of judgements; if none are given, those beside the pool.
    #[arg(value_name = "JUDGEMENTS", value_hint = ValueHint::FilePath)]
    pub(crate) judgements: Vec<PathBuf>,

    /// Judge as NAME; answers go to NAME.judgements.jsonl beside the pool.
    #[arg(long = "as", value_name = "NAME", conflicts_with = "status")]
    pub(crate) name: Option<String>,

    /// Print how much is decided, how far the judges agree, and what is undecided.
    #[arg(long)]
    pub(crate) status: bool,

    /// List what is still to be judged, by NAME if one is given, and judge nothing.
    #[arg(long, conflicts_with = "status")]
    pub(crate) list: bool,

    /// Only this group.
    #[arg(long, value_name = "N", conflicts_with = "status")]
    pub(crate) group: Option<u32>,

    /// Ask this instead of what the pool was made for: near-duplicate, partial, containment.
    #[arg(long, value_name = "WHAT", hide_possible_values = true)]
    #[arg(value_parser = choice::<Question>(&["containment", "near-duplicate", "partial"]))]
    pub(crate) question: Option<Question>,

    /// Where the collection stands, if not where the pool says.
    #[arg(long = "in", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,

    /// Write answers to FILE instead of NAME.judgements.jsonl.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) to: Option<PathBuf>,

    /// With --status, write the decided pairs to FILE, one a line: the two ids and their relation,
    /// or `none`.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(requires = "status", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Replace FILE if it is there.
    #[arg(long, help_heading = "Output")]
    pub(crate) overwrite: bool,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

const EXAMPLES: &str = "\
EXAMPLES
  retold judge pool.jsonl --as ann                 judge what still needs it
  retold judge pool.jsonl --as ann --group 3       only group 3
  retold judge pool.jsonl --as ann --list          what that would be
  retold judge pool.jsonl --status                 progress, kappa, what is undecided
  retold judge pool.jsonl --status -o truth.tsv    what was decided, as a list of pairs
  retold judge pool.jsonl --as ann < answers.txt   an answer a line, for scripts

KEYS
  y yes    n no    u unsure    s skip    b back    t whole texts    q quit

Two people judge each pair, and one more where they differ; nobody is given the same pair twice.
An answer is on the disk before the next pair is shown. Files of judgements merge by being put one
behind the other; of what one person said of a pair, the last counts.";
