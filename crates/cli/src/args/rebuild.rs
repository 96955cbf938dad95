//! `retold rebuild`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::MannerArgs;

/// Put the texts together again that `dedup --level` struck from, byte for byte.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Rebuild {
    /// Folder that `retold dedup --level ... -o CLEAN` wrote, with its records and strikes.
    #[arg(value_name = "CLEAN", value_hint = ValueHint::DirPath)]
    pub(crate) clean: PathBuf,

    /// Write them into DIR, one file for each that was read: records of JSON Lines as they were, those of
    /// other formats as JSON Lines with the fields that are read of documents.
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath, required = true)]
    #[arg(help_heading = "Output")]
    pub(crate) output: PathBuf,

    /// Replace DIR if it holds an earlier result.
    #[arg(long, help_heading = "Output")]
    pub(crate) overwrite: bool,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

const EXAMPLES: &str = "\
EXAMPLES
  retold dedup crawl/ -o clean --level passage      strikes what stood before
  retold rebuild clean -o crawl-again               every text as it was

Dropped documents come back as well. The inputs of `dedup` are not needed.";
