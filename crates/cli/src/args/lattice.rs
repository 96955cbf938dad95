//! `retold lattice`.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueHint};

use super::run::Color;
use super::values;

/// Draw how a few documents agree: every set of them and the units it has in common.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Lattice {
    /// Inverted table: a line is a unit, its numbers are the documents that have it; may be gzip,
    /// zstd or xz, `-` is standard input. Or a folder that `retold find --clusters closed-sets`
    /// wrote.
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath, required = true)]
    pub(crate) file: PathBuf,

    /// Numbers of the documents, at most 64, such as 3,5,9.
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', action = ArgAction::Set)]
    #[arg(required_unless_present = "cluster", conflicts_with = "cluster")]
    pub(crate) items: Vec<u64>,

    /// Number of the cluster to draw, if FILE is a folder; its documents are drawn with their
    /// names.
    #[arg(long, value_name = "ID", conflicts_with = "names")]
    pub(crate) cluster: Option<u64>,

    /// Take names from a documents.jsonl, or a file with a name a line: the first line is document
    /// 0.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) names: Option<PathBuf>,

    /// Most sets to draw; more are refused.
    #[arg(long, value_name = "N")]
    pub(crate) most_concepts: Option<usize>,

    /// File to write: a picture if it ends in .svg, text for Graphviz if in .dot.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, required = true)]
    #[arg(help_heading = "Output")]
    pub(crate) output: PathBuf,

    /// Replace FILE if it is there.
    #[arg(long, help_heading = "Output")]
    pub(crate) overwrite: bool,

    /// Print what was drawn as JSON instead of text.
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Colour messages: auto, always, never.
    #[arg(long, value_name = "WHEN", value_parser = values::choice::<Color>(Color::NAMES))]
    #[arg(hide_possible_values = true, help_heading = "Output")]
    pub(crate) color: Option<Color>,
}

const EXAMPLES: &str = "\
EXAMPLES
  retold lattice found --cluster 3 -o lattice.svg
  retold lattice inverted.dat --items 3,5,9 -o lattice.svg
  retold lattice inverted.dat.zst --items 3,5,9 --names found/documents.jsonl -o lattice.svg
  retold lattice inverted.dat --items 3,5,9 -o lattice.dot && dot -Tpdf lattice.dot > lattice.pdf

A box stands for all documents on the ways up from it; the number counts the units that they have
in common. Clusters of `retold mine -k 85` are the lowest boxes of at least 85 units.";
