//! `retold links`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use retold::{Kind, LinksFormat};

use super::values::{self, choice};
use super::{MannerArgs, ResourceArgs};

/// Write the graph of documents that share passages.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Links {
    /// An index, all documents of which are compared, or a folder that `retold find` wrote.
    #[arg(value_name = "ARCHIVE", value_hint = ValueHint::DirPath, required = true)]
    pub(crate) archive: PathBuf,

    /// Method of the index; the first if none is named.
    #[arg(long, value_name = "NAME", help_heading = "Method")]
    pub(crate) method: Option<String>,

    /// Relations that are links: exact, near-duplicate, contains, contained, partial. [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = values::relation)]
    #[arg(help_heading = "Output")]
    pub(crate) relations: Vec<Kind>,

    /// Fewest words that linked documents share. [default: 0]
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub(crate) min_words: Option<u32>,

    /// How links are written: jsonl, tsv, graphml, dot (for Graphviz). [default: by the ending of
    /// -o, else jsonl]
    #[arg(long, value_name = "FORMAT", hide_possible_values = true, help_heading = "Output")]
    #[arg(value_parser = choice::<LinksFormat>(&["jsonl", "tsv", "graphml", "dot"]))]
    pub(crate) format: Option<LinksFormat>,

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
  retold links archive.idx -o links.graphml           for networkx, Gephi and others
  retold links archive.idx --relations partial        shared passages only, as JSON Lines
  retold links found -o links.tsv                     from the pairs of a run
  retold links found --min-words 100 -o links.dot && sfdp -Tsvg links.dot > links.svg

A link has the words that both documents share (its weight) and how much of each stands in the
other. Documents without links are left out. Crowds of copies are linked as a star, as `find`
writes them.";
