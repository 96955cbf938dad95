//! Options about what is written.

use clap::Args;
use retold::{Grouping, Joining, Keep, MinCommon, PairsWritten, Sets, TableFormat};

use super::values::{choice, miner};

/// What is written into the output folder, and how.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct TableArgs {
    /// Replace DIR if it holds an earlier result.
    #[arg(long)]
    pub(crate) overwrite: bool,

    /// Format of the tables: jsonl, csv, parquet.
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    #[arg(value_parser = choice::<TableFormat>(&["jsonl", "csv", "parquet"]))]
    pub(crate) format: Option<TableFormat>,

    /// Do not write report.html.
    #[arg(long)]
    pub(crate) no_page: bool,

    /// Do not look for the text that all members of a cluster share.
    #[arg(long)]
    pub(crate) no_shared_text: bool,

    /// Pairs to write: star (of more than 32 copies or near-copies those with the kept one, and at
    /// most --pairs-per-document; the default of all but dedup), all, none. Without pairs, dedup
    /// compares only what decides what goes, and makes no clusters.
    #[arg(long, value_name = "WHICH", hide_possible_values = true)]
    #[arg(value_parser = choice::<PairsWritten>(&["star", "all", "none"]))]
    pub(crate) pairs: Option<PairsWritten>,

    /// Search for candidates as if --containment were X, if that is less; --pairs all searches at
    /// least as for the default of the method.
    #[arg(long, value_name = "X")]
    pub(crate) search_containment: Option<f64>,

    /// Search for candidates as if --passage-words were N, likewise.
    #[arg(long, value_name = "N")]
    pub(crate) search_passage_words: Option<u32>,

    /// Pairs written per document with --pairs star; beyond it, those with the kept document.
    #[arg(long, value_name = "N")]
    pub(crate) pairs_per_document: Option<u32>,

    /// Passages listed per pair, the longest first.
    #[arg(long, value_name = "N")]
    pub(crate) passages_per_pair: Option<usize>,
}

/// How clusters are made and which document stands for one.
#[derive(Debug, Args)]
#[command(next_help_heading = "Clusters")]
pub(crate) struct ClusterArgs {
    /// Document of a cluster to keep: longest, oldest, newest, first (in reading order), source:A,B
    /// (whose source is listed first), field:NAME (smallest value of a field), field:-NAME
    /// (largest), score:NAME (largest number); several with `then` between, of which the next decides
    /// where one finds documents equal.
    #[arg(long, value_name = "POLICY")]
    pub(crate) keep: Option<Keep>,

    /// How clusters are made: star (a kept document and others near enough to it that all agree),
    /// components (all documents connected through relations), cliques (largest groups in which
    /// every two are related), closed-sets (largest groups whose images have --min-common units in
    /// common).
    #[arg(long, visible_alias = "cluster", value_name = "HOW", hide_possible_values = true)]
    #[arg(value_parser = choice::<Grouping>(&["star", "components", "cliques", "closed-sets"]))]
    pub(crate) clusters: Option<Grouping>,

    /// Units that the images of a closed set have in common: a number, or a share of the smallest
    /// image such as 85%.
    #[arg(long, value_name = "N|P%")]
    pub(crate) min_common: Option<MinCommon>,

    /// Closed sets to list: cover (enough of them that each related pair is in one), all.
    #[arg(long, value_name = "WHICH", hide_possible_values = true)]
    #[arg(value_parser = choice::<Sets>(&["cover", "all"]))]
    pub(crate) sets: Option<Sets>,

    /// Algorithm that finds closed sets; `retold mine --list` tells what there is. All but auto need
    /// --sets all.
    #[arg(long, value_name = "NAME", value_parser = miner(), hide_possible_values = true)]
    pub(crate) miner: Option<String>,

    /// Weakest relation that joins documents: near-duplicate, containment.
    #[arg(long, value_name = "RELATION", hide_possible_values = true)]
    #[arg(value_parser = choice::<Joining>(&["near-duplicate", "containment"]))]
    pub(crate) join: Option<Joining>,
}
