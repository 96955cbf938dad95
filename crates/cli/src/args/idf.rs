//! `retold idf`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::{DetectArgs, MannerArgs, ResourceArgs};

/// Count in how many documents each word stands, for methods that weigh words.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Idf {
    /// What to do: build.
    #[arg(value_name = "ACTION", hide_possible_values = true, required = true)]
    pub(crate) action: IdfAction,

    /// Files, folders and archives to count; `-` is standard input.
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,

    /// File to write.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, required = true)]
    pub(crate) output: PathBuf,

    /// Replace FILE if it is there.
    #[arg(long)]
    pub(crate) overwrite: bool,

    #[command(flatten)]
    pub(crate) detect: DetectArgs,

    #[command(flatten)]
    pub(crate) resources: ResourceArgs,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

/// What `retold idf` can do.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum IdfAction {
    /// Make a table.
    Build,
}

const EXAMPLES: &str = "\
EXAMPLES
  retold idf build archive/ -o news.idf
  retold idf build archive/ -o codet.idf --method codet --profile paper
                                     with the stop words and stems of that profile
  retold find today/ --method imatch --idf news.idf -o found

The table is text: a word, a tab, the number of documents that hold it.";
