//! `retold spark`.

use clap::{Args, ValueEnum};

/// Find copies or remove them on a cluster of machines, with Spark.
///
/// The work is that of `retold find` and `retold dedup`, done by `retold.spark` of the Python package, which
/// the machines must have. This command starts it by `spark-submit`, which is looked for in `SPARK_HOME` and
/// on the path. A run that broke off goes on where it was if it is started again.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Spark {
    /// What to do: find, dedup.
    #[arg(value_name = "COMMAND", value_enum, hide_possible_values = true)]
    pub(crate) command: SparkCommand,

    /// Files or folders as Spark names them, such as `hdfs:///corpus`.
    #[arg(value_name = "PATH", required = true)]
    pub(crate) inputs: Vec<String>,

    /// Folder for the results and for what lies between the stages, which all machines can reach.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: String,

    /// Format of the input, as Spark names it: parquet, json, csv, orc [default: parquet].
    #[arg(long, value_name = "NAME")]
    pub(crate) input_format: Option<String>,

    /// Columns by which documents are put in order [default: their ids].
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub(crate) order: Vec<String>,

    /// Tasks of a shuffle [default: what Spark is set to].
    #[arg(long, value_name = "N")]
    pub(crate) partitions: Option<u32>,

    /// A setting of `retold find` or `retold dedup`; `text`, `id`, `time` and `source` name columns.
    #[arg(long = "setting", value_name = "NAME=VALUE")]
    pub(crate) job: Vec<String>,

    /// Options of spark-submit.
    #[arg(value_name = "OPTION", last = true, allow_hyphen_values = true)]
    pub(crate) submit: Vec<String>,
}

/// What `retold spark` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SparkCommand {
    Find,
    Dedup,
}

const EXAMPLES: &str = "\
EXAMPLES
  retold spark dedup hdfs:///corpus -o hdfs:///clean --setting text=body --setting keep=newest
  retold spark find s3a://news -o s3a://found -- --master yarn --archives retold.zip#retold \
    --conf spark.executorEnv.PYTHONPATH=retold";
