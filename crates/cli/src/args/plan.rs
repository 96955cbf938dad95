//! `retold plan`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{DetectArgs, MannerArgs, ResourceArgs};

/// Tell from a sample what `retold find` will cost and find: time, memory, disk and copies.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Plan {
    /// Files, folders and archives to read.
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) detect: DetectArgs,

    #[command(flatten)]
    pub(crate) resources: ResourceArgs,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

const EXAMPLES: &str = "\
EXAMPLES
  retold plan corpus/                            with half of the memory of the machine
  retold plan corpus/*.jsonl.zst --memory 4G     with less
  retold plan corpus/ --method minhash --json    another method, for a program";
