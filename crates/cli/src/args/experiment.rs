//! `retold experiment`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::MannerArgs;

/// Run an experiment and say whether a claim holds.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Experiment {
    /// Names of experiments, files with designs, `all`, or `list`.
    #[arg(value_name = "NAME", value_hint = ValueHint::FilePath, required = true, num_args = 1..)]
    pub(crate) names: Vec<String>,

    /// Run the small version, in seconds.
    #[arg(long)]
    pub(crate) quick: bool,

    /// Documents to run on: a folder that holds the collections designs name, or any documents;
    /// without it documents are drawn from a word model.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) data: Option<PathBuf>,

    /// Folder for the report: report.html, report.md, plots, results and times.
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Replace a report that stands there.
    #[arg(long, help_heading = "Output")]
    pub(crate) overwrite: bool,

    /// Number of threads; 0 means as many as the machine runs at once.
    #[arg(long, value_name = "N", help_heading = "Running")]
    pub(crate) threads: Option<usize>,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

const EXAMPLES: &str = "\
EXAMPLES
  retold experiment list                           what there is
  retold experiment all --quick -o report          all of them in minutes; open report/report.html
  retold experiment which-method --data news/      which method to use on these documents
  retold experiment thesis-a --data DIR -o a       the full version on real collections
  retold experiment my-design.toml --quick         a design of one's own

An experiment that is stopped goes on when the same command is given again: what is done lies
beside the report, in DIR.work.";
