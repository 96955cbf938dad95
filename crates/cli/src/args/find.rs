//! `retold find`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{ClusterArgs, DetectArgs, MannerArgs, ResourceArgs, TableArgs};

/// Find documents that repeat each other, with the passages that prove it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Find {
    /// Files, folders and archives to read; `-` is standard input.
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,

    /// Compare the documents with those under this PATH instead of with each other; may be
    /// repeated. With those of an index they are compared beside with each other.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) against: Vec<PathBuf>,

    /// Choose the parameters of the method so that it finds this share of all pairs of
    /// --similarity, by theory and by a sample of the documents.
    #[arg(long, value_name = "R", requires = "similarity", conflicts_with = "against")]
    #[arg(help_heading = "Method")]
    pub(crate) recall: Option<f64>,

    /// Write pairs, clusters, documents, a manifest and a page into DIR.
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    #[arg(help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) tables: TableArgs,

    #[command(flatten)]
    pub(crate) clusters: ClusterArgs,

    #[command(flatten)]
    pub(crate) detect: DetectArgs,

    #[command(flatten)]
    pub(crate) resources: ResourceArgs,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

const EXAMPLES: &str = "\
EXAMPLES
  retold find news/                              figures of a folder, nothing is written
  retold find news/ old.jsonl.zst -o found       pairs, clusters, passages and a page
  zcat dump.gz | retold find - -o found          a stream
  retold find pages/ --html main -o found        web pages without menus and footers
  retold find mails.csv --text-field body        text in a column of another name
  retold find news/ --containment 0.8 --json     stricter, figures as JSON
  retold find news/ --similarity 0.8 --recall 0.95 --method minhash -o found
  retold find today/ --against archive/ -o found pairs of one document each
  retold find today/ --against archive.idx -o found  everything seen before, and each other
  retold find news/ --method codet --profile paper -o found

FILES
  pairs.jsonl      two documents, their relation, shares and passages
  clusters.jsonl   documents that tell the same, and the one that is kept
  documents.jsonl  what was found about each document
  manifest.json    what was asked, read and left out
  report.html      the same for people";
