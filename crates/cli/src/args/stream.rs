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

    /// Keep the stream in an index: what was told is durable, and a restart goes on behind it. The
    /// method is one of the index.
    #[arg(long, value_name = "INDEX", value_hint = ValueHint::DirPath, help_heading = "Kept in an index")]
    pub(crate) index: Option<PathBuf>,

    /// Name of the stream, if the index keeps several [default: stream]
    #[arg(long, value_name = "NAME", requires = "index", help_heading = "Kept in an index")]
    pub(crate) name: Option<String>,

    /// Let documents leave the index when they leave the window; refused if the index holds others
    /// than those of this stream.
    #[arg(long, requires = "index", help_heading = "Kept in an index")]
    pub(crate) forget: bool,

    /// Most stories that are made durable together [default: 1000]
    #[arg(long, value_name = "N", requires = "index", help_heading = "Kept in an index")]
    pub(crate) group: Option<usize>,

    /// Add the lines to FILE, each exactly once whatever happens, instead of printing them.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "index")]
    #[arg(help_heading = "Kept in an index")]
    pub(crate) output: Option<PathBuf>,

    /// Standard input begins again from its start: pass over the stories that were taken before.
    /// Files are always read so.
    #[arg(long, requires = "index", help_heading = "Kept in an index")]
    pub(crate) replay: bool,

    /// Print what was told of the last stories behind this number first; for whoever may have lost
    /// lines when the stream stopped.
    #[arg(long, value_name = "SEQ", requires = "index", help_heading = "Kept in an index")]
    pub(crate) after: Option<u64>,

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
  retold stream - --index wire.idx --window 7d       goes on after a restart where it stopped
  retold stream 2026/*.jsonl --index wire.idx --window 7d --forget -o told.jsonl

Each line has `id`, `copy_of` (the earliest story of the window that tells the same), `cluster`,
`first` (who told it first, as far as is known), `new_sentences`, `hits` with passages, and how many
stories the window holds. A stream kept in an index numbers its lines by `seq`.";
