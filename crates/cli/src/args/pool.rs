//! `retold pool`.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueHint};
use retold::Profile;
use retold_lab::judging::Question;

use super::values::{self, choice};
use super::{InputArgs, MannerArgs, ResourceArgs, TextArgs};

/// Gather what several methods find, for people to judge.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Pool {
    /// Files, folders and archives to read; or `add` and a pool that further methods are to join.
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,

    /// File to write; it must not be there yet.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Methods to run, separated by commas; `retold methods` lists them.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', action = ArgAction::Set)]
    #[arg(required = true, value_parser = values::method(), hide_possible_values = true)]
    #[arg(help_heading = "Nominating")]
    pub(crate) methods: Vec<String>,

    /// Loosen the thresholds of all methods, so that they nominate generously.
    #[arg(long, help_heading = "Nominating")]
    pub(crate) permissive: bool,

    /// Whose setting of the methods: paper (to the letter) or retold (the product's) [default:
    /// paper]
    #[arg(long, value_name = "WHOSE", hide_possible_values = true, help_heading = "Nominating")]
    #[arg(value_parser = choice::<Profile>(&["retold", "paper"]))]
    pub(crate) profile: Option<Profile>,

    /// What is asked of a pair: containment (in each direction), near-duplicate, partial [default:
    /// containment]
    #[arg(long, value_name = "WHAT", hide_possible_values = true, help_heading = "Nominating")]
    #[arg(value_parser = choice::<Question>(&["containment", "near-duplicate", "partial"]))]
    pub(crate) question: Option<Question>,

    /// Ask about documents instead of pairs: those that only one of two methods put into a cluster.
    #[arg(long, conflicts_with = "question", help_heading = "Nominating")]
    pub(crate) difference: bool,

    /// Leave out exact copies: pairs of documents with the same words in the same order.
    #[arg(long, help_heading = "Nominating")]
    pub(crate) without_exact: bool,

    /// Groups of about equal size.
    #[arg(long, value_name = "N", default_value_t = 20, help_heading = "Nominating")]
    pub(crate) groups: u32,

    #[command(flatten)]
    pub(crate) text: TextArgs,

    #[command(flatten)]
    pub(crate) input: InputArgs,

    #[command(flatten)]
    pub(crate) resources: ResourceArgs,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

const EXAMPLES: &str = "\
EXAMPLES
  retold pool news/ -o pool.jsonl --methods codet,dsc-positional,ffp,imatch,simhash --permissive
  retold pool add pool.jsonl --methods tweezer      only pairs that nobody nominated are added
  retold pool news/ -o two.jsonl --methods imatch,tweezer --difference
  retold pool news/ -o pool.jsonl --methods anchor,minhash --question near-duplicate

FILES
  A pool names documents by their ids and where the collection stands; texts are not copied.
  It only grows, and what is in a group stays there. `retold judge` takes it from here.";
