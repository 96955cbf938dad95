//! `retold dedup`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{ClusterArgs, DetectArgs, MannerArgs, ResourceArgs, StrikeArgs, TableArgs, values};

/// Write the collection without its copies, and a list of what went and why.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Dedup {
    /// Files, folders and archives to read.
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,

    /// Also remove what the documents under this PATH hold, or those of an index; may be repeated.
    /// They stay as they are.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) against: Vec<PathBuf>,

    /// Write the kept documents and the lists into DIR.
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath, required = true)]
    #[arg(help_heading = "Output")]
    pub(crate) output: PathBuf,

    /// Remove a document only if a kept one contains at least this share of it.
    #[arg(long, value_name = "X", help_heading = "Removal")]
    pub(crate) cover: Option<f64>,

    /// Also remove documents that are contained in a much longer one; without this option they are
    /// listed for review.
    #[arg(long, help_heading = "Removal")]
    pub(crate) remove_contained: bool,

    /// Write the kept records of a file into shards of at most SIZE, such as 512M, at least 64K, counted
    /// before compression: `news-00001.jsonl.gz`, `news-00002.jsonl.gz` and so on. No record is cut, and their
    /// order stays; rows of Parquet count as the average of their row group.
    #[arg(long, value_name = "SIZE", value_parser = values::shard_size, help_heading = "Output")]
    pub(crate) shard_size: Option<u64>,

    /// Go on if an earlier run of the same command was interrupted, and write down what a later one
    /// needs for that, in DIR.resume. If an earlier one came to its end, its result stays, its figures
    /// are printed, and nothing else is done. Files that were read to their end are not read again; in the one
    /// that was being read, what was done is passed over unparsed. What was decided is kept as well;
    /// the search, with --level also the deciding, and the copying begin anew. Refused if settings or
    /// files have changed.
    #[arg(long, help_heading = "Running")]
    pub(crate) resume: bool,

    #[command(flatten)]
    pub(crate) strikes: StrikeArgs,

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
  retold dedup corpus/*.parquet -o clean              keep the longest of each cluster
  retold dedup news/ -o clean --keep oldest           keep the first published
  retold dedup news/ -o clean --keep source:ap,afp    prefer these sources, in this order
  retold dedup crawl.warc.gz -o clean --cover 0.95    remove nearly word-for-word copies only
  retold dedup corpus/ -o clean --resume              again after an interruption: it goes on
  retold dedup corpus/ -o clean --shard-size 512M     files of at most 512 MB
  retold dedup new/ --against archive.idx -o clean    remove what the archive holds, and copies
  retold dedup crawl/ -o clean --level passage        strike runs of 50 words that stood before
  retold dedup test/ --against train/ -o found --level passage --min-words 13 --report-only
                                                      list test items that stand in training data

A document goes only if a kept one holds at least `--cover` of it; `removed` says which and
how much. What is contained in something much longer is listed in `review`.";
