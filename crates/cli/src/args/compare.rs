//! `retold compare`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use retold::Quotes;

use super::values;
use super::{DetectArgs, MannerArgs};

/// Show how two documents relate and the passages they share, side by side.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Compare {
    /// The one document; `-` is standard input.
    #[arg(value_name = "A", value_hint = ValueHint::FilePath, required = true)]
    pub(crate) a: PathBuf,

    /// The other document.
    #[arg(value_name = "B", value_hint = ValueHint::FilePath, required = true)]
    pub(crate) b: PathBuf,

    /// Write the comparison into an HTML file as well.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) page: Option<PathBuf>,

    /// Replace FILE if it is there.
    #[arg(long, help_heading = "Output")]
    pub(crate) overwrite: bool,

    /// Passages listed, the longest first.
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub(crate) passages_per_pair: Option<usize>,

    /// What becomes of text that either of them quotes: count (like any other), mark, skip.
    #[arg(long, value_name = "WAY", hide_possible_values = true, help_heading = "Output")]
    #[arg(value_parser = values::choice::<Quotes>(&["count", "mark", "skip"]))]
    pub(crate) quotes: Option<Quotes>,

    #[command(flatten)]
    pub(crate) detect: DetectArgs,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

const EXAMPLES: &str = "\
EXAMPLES
  retold compare a.html b.txt                  relation, shares and passages
  retold compare a.txt b.txt --page both.html  the same as a page
  retold compare a.txt b.txt --json            one line, as in pairs.jsonl
  curl -s URL | retold compare - saved.html    standard input against a file";
