//! `retold stream`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::values;
use super::{DetectArgs, MannerArgs};

/// Follow documents as they come; print for each what it repeats of a time window.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Stream {
    /// Files in the order of their coming; `-` is standard input.
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,

    /// How far back documents are compared, by their time: `90m`, `36h`, `7d`; all if not given.
    #[arg(long, value_name = "SPAN", value_parser = values::span)]
    pub(crate) window: Option<i64>,

    /// How far ahead of the clock a time is believed; a document from later counts as one without
    /// a time [default: 1d]
    #[arg(long, value_name = "SPAN", value_parser = values::span)]
    pub(crate) ahead: Option<i64>,

    /// Passages listed per hit, the longest first.
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub(crate) passages_per_pair: Option<usize>,

    #[command(flatten)]
    pub(crate) detect: DetectArgs,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

const EXAMPLES: &str = "\
EXAMPLES
  tail -f wire.jsonl | retold stream - --window 7d   a line of JSON for each story
  retold stream 2026/*.jsonl --window 36h            an archive, as if it came now
  retold stream - --method codet --idf news.idf      weights from a frozen table

Each line has `id`, `copy_of` (the earliest story of the window that tells the same), `hits` with
passages, and how many stories the window holds.";
