//! `retold lineage`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use retold_lab::LineageFormat;

use super::values::choice;
use super::{MannerArgs, ResourceArgs};

/// Tell who most likely copied from whom in a cluster, and what each step changed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Lineage {
    /// A folder that `retold find` or `retold dedup` wrote.
    #[arg(value_name = "FOUND", value_hint = ValueHint::DirPath, required = true)]
    pub(crate) found: PathBuf,

    /// Number of the cluster, as in clusters.jsonl.
    #[arg(long, value_name = "ID", required = true)]
    pub(crate) cluster: u64,

    /// An index, or files, with the texts; without it they are read from where the run read them.
    #[arg(long = "in", value_name = "PATH", value_hint = ValueHint::AnyPath, num_args = 1..)]
    pub(crate) texts: Vec<PathBuf>,

    /// How it is written: json, dot (for Graphviz), svg, png. [default: by the ending of -o, else
    /// json]
    #[arg(long, value_name = "FORMAT", hide_possible_values = true, help_heading = "Output")]
    #[arg(value_parser = choice::<LineageFormat>(&["json", "dot", "svg", "png"]))]
    pub(crate) format: Option<LineageFormat>,

    /// Write to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Replace FILE if it is there.
    #[arg(long, help_heading = "Output")]
    pub(crate) overwrite: bool,

    #[command(flatten)]
    pub(crate) resources: ResourceArgs,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

const EXAMPLES: &str = "\
EXAMPLES
  retold lineage found --cluster 17 -o tree.svg       a picture
  retold lineage found --cluster 17 | jq .steps       everything, with the changed texts
  retold lineage found --cluster 17 --in archive.idx  texts from an index
  retold lineage found --cluster 17 -o tree.dot && dot -Tpdf tree.dot > tree.pdf

Every document but the first gets the parent that makes the whole tree cheapest, counted in words
that were added and dropped. With times no parent is later than its child, and a recent one is
likelier. Without times the direction is often a guess: `confidence` says how sure a step is, and a
tie is called one.";
