//! `retold regroup`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use retold::{Grouping, Joining, Keep, TableFormat};

use super::values::choice;
use super::{MannerArgs, ResourceArgs};

/// Cut, cluster and decide again from a result that holds all pairs, without reading texts.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Regroup {
    /// Folder that `retold find --pairs all -o FOUND` wrote.
    #[arg(value_name = "FOUND", value_hint = ValueHint::DirPath)]
    pub(crate) found: PathBuf,

    /// Write pairs, clusters, documents and a manifest into DIR.
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    #[arg(help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Replace DIR if it holds an earlier result.
    #[arg(long, help_heading = "Output")]
    pub(crate) overwrite: bool,

    /// Format of the tables: jsonl, csv, parquet. [default: jsonl]
    #[arg(long, value_name = "FORMAT", hide_possible_values = true, help_heading = "Output")]
    #[arg(value_parser = choice::<TableFormat>(&["jsonl", "csv", "parquet"]))]
    pub(crate) format: Option<TableFormat>,

    /// Share of a document that must stand in the other to count as contained, not below that of
    /// FOUND. [default: that of FOUND]
    #[arg(long, value_name = "X", help_heading = "Thresholds")]
    pub(crate) containment: Option<f64>,

    /// Words of a common passage from which two documents are partial copies, not fewer than those
    /// of FOUND. [default: those of FOUND]
    #[arg(long, value_name = "N", help_heading = "Thresholds")]
    pub(crate) passage_words: Option<u32>,

    /// Share of the shorter document that shorter passages of a partial copy must have together, not
    /// below that of FOUND. [default: that of FOUND]
    #[arg(long, value_name = "X", help_heading = "Thresholds")]
    pub(crate) shared: Option<f64>,

    /// Distinctive runs of words that a partial copy shares at least. FOUND must have been made with
    /// `--distinctive 0`. [default: that of FOUND]
    #[arg(long, value_name = "N", help_heading = "Thresholds")]
    pub(crate) distinctive: Option<u32>,

    /// Document of a cluster to keep: longest, oldest, newest, first, source:A,B, field:NAME,
    /// field:-NAME (a field only if FOUND was made with it). [default: as in FOUND]
    #[arg(long, value_name = "POLICY", help_heading = "Clusters")]
    pub(crate) keep: Option<Keep>,

    /// How clusters are made: star, components, cliques. [default: as in FOUND]
    #[arg(long, visible_alias = "cluster", value_name = "HOW", hide_possible_values = true)]
    #[arg(value_parser = choice::<Grouping>(&["star", "components", "cliques"]))]
    #[arg(help_heading = "Clusters")]
    pub(crate) clusters: Option<Grouping>,

    /// Weakest relation that joins documents: near-duplicate, containment. [default: as in FOUND]
    #[arg(long, value_name = "RELATION", hide_possible_values = true, help_heading = "Clusters")]
    #[arg(value_parser = choice::<Joining>(&["near-duplicate", "containment"]))]
    pub(crate) join: Option<Joining>,

    /// List what `retold dedup` would remove, and what it would leave to a person.
    #[arg(long, help_heading = "Removal")]
    pub(crate) dedup: bool,

    /// Remove a document only if a kept one contains at least this share of it. [default: as in
    /// FOUND]
    #[arg(long, value_name = "X", requires = "dedup", help_heading = "Removal")]
    pub(crate) cover: Option<f64>,

    /// Also remove documents that are contained in a much longer one.
    #[arg(long, requires = "dedup", help_heading = "Removal")]
    pub(crate) remove_contained: bool,

    #[command(flatten)]
    pub(crate) resources: ResourceArgs,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

const EXAMPLES: &str = "\
EXAMPLES
  retold find news/ --pairs all -o found                 once, with the lowest thresholds wanted
  retold regroup found --containment 0.8                 figures at a stricter threshold
  retold regroup found --containment 0.8 -o strict       the tables, too
  retold regroup found --clusters components -o chains   other clusters of the same pairs
  retold regroup found --keep oldest --dedup -o plan     what would go if the oldest is kept

The tables are those that a run with the same settings gives, to the byte; texts are not read, so
there is no page and no text that members of a cluster share.";
