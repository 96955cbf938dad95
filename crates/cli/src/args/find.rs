//! `retold find`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use retold::Relations;

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

    /// Relations to look for, with commas between: exact, near-duplicate (with exact copies), contained
    /// (with contains), partial. What is not named is neither searched nor compared: without partial
    /// no passages are looked for but those of related documents. Clusters are made of these
    /// relations and of exact copies.
    #[arg(long, value_name = "NAMES", help_heading = "Method")]
    pub(crate) relations: Option<Relations>,

    /// Leave boilerplate out of all comparisons: runs of 8 words that stand in more than N documents of
    /// one source (--source-field; documents without one count as one source). How many words were left
    /// out is told. Reads the documents twice.
    #[arg(long, value_name = "N", conflicts_with = "recall", help_heading = "Method")]
    pub(crate) boilerplate: Option<u32>,

    /// Leave out partial copies that share fewer than N distinctive runs of words: runs that at most five
    /// documents have, documents with the same words counted once. What documents of one template share
    /// stands in many. How many pairs were left out is told; 0 only counts. Reads the documents once more.
    #[arg(long, value_name = "N", help_heading = "Method")]
    pub(crate) distinctive: Option<u32>,

    /// Choose the parameters of the method so that it finds this share of all pairs of
    /// --similarity, by theory and by a sample of the documents.
    #[arg(long, value_name = "R", requires = "similarity", conflicts_with = "against")]
    #[arg(help_heading = "Method")]
    pub(crate) recall: Option<f64>,

    /// Write pairs, clusters, documents, a manifest and a page into DIR.
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    #[arg(help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Go on if an earlier run of the same command was interrupted, and write down what a later one
    /// needs for that, in DIR.resume. Files that were read to their end are not read again; in the one
    /// that was being read, what was done is passed over unparsed. The search and all that follows begin
    /// anew. Refused if settings or files have changed.
    #[arg(long, requires = "output", help_heading = "Running")]
    pub(crate) resume: bool,

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
  retold find news/ --relations near-duplicate -o found  copies alone, no shared passages
  retold find news/ --similarity 0.8 --recall 0.95 --method minhash -o found
  retold find news/ --boilerplate 50 -o found    without footers of more than 50 documents
  retold find news/ --distinctive 8 -o found     without notices filled in from one template
  retold find today/ --against archive/ -o found pairs of one document each
  retold find today/ --against archive.idx -o found  everything seen before, and each other
  retold find news/ --method codet --profile paper -o found

FILES
  pairs.jsonl      two documents, their relation, shares and passages
  clusters.jsonl   documents that tell the same, and the one that is kept
  documents.jsonl  what was found about each document
  manifest.json    what was asked, read and left out
  report.html      the same for people";
