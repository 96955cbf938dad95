//! `retold query`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use retold::{Kind, Quotes, Rank};

use super::values;
use super::{DetectArgs, FilterArgs, MannerArgs, ResourceArgs};

/// Ask whether a text is copied from anything in a collection.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Query {
    /// The text, or a file of texts; `-` is standard input.
    #[arg(value_name = "TEXT", value_hint = ValueHint::FilePath, required = true)]
    pub(crate) asked: PathBuf,

    /// An index, or files, folders and archives to look in.
    #[arg(long = "in", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    #[arg(required = true, num_args = 1..)]
    pub(crate) paths: Vec<PathBuf>,

    /// Hits listed for each text, the best first.
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Output")]
    pub(crate) top: usize,

    /// Hits shown side by side with the text.
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Output")]
    pub(crate) show: usize,

    /// Passages listed per hit, the longest first.
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub(crate) passages_per_pair: Option<usize>,

    /// Relations that count, seen from the text: exact, near-duplicate, contains, contained, partial.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = values::relation)]
    #[arg(help_heading = "Output")]
    pub(crate) relations: Vec<Kind>,

    /// Leave out partial copies that share fewer than N distinctive runs of words with the text: runs that
    /// at most five documents have. In an index those are counted that are compared with the text. 0 only
    /// counts.
    #[arg(long, value_name = "N", help_heading = "Method")]
    pub(crate) distinctive: Option<u32>,

    /// Order of hits in an index: share (of the text found in them) or match-ratio (shared keys of
    /// the method, rare ones counting more).
    #[arg(long, value_name = "ORDER", hide_possible_values = true, help_heading = "Output")]
    #[arg(value_parser = values::choice::<Rank>(&["share", "match-ratio"]))]
    pub(crate) rank: Option<Rank>,

    /// Ask an index about a long text as a whole only, and not in parts of 200 words, too.
    #[arg(long, help_heading = "Output")]
    pub(crate) whole: bool,

    /// Say how the answer of an index came about.
    #[arg(long, help_heading = "Output")]
    pub(crate) explain: bool,

    /// What becomes of quoted text and of passages whose source the text names: count (like any other),
    /// mark, skip.
    #[arg(long, value_name = "WAY", hide_possible_values = true, help_heading = "Output")]
    #[arg(value_parser = values::choice::<Quotes>(&["count", "mark", "skip"]))]
    pub(crate) quotes: Option<Quotes>,

    #[command(flatten)]
    pub(crate) filter: FilterArgs,

    #[command(flatten)]
    pub(crate) detect: DetectArgs,

    #[command(flatten)]
    pub(crate) resources: ResourceArgs,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

const EXAMPLES: &str = "\
EXAMPLES
  retold query draft.txt --in archive/               what it was copied from, with passages
  retold query draft.txt --in archive/ --show 3      three hits side by side
  retold query texts.jsonl --in archive/ --json      a line of JSON for each text
  retold query draft.txt --in archive/ --quotes skip without what the draft quotes or names
  retold query draft.txt --in archive.idx --from 2026-11-01 --where source=reuters
  retold query new.jsonl --in archive.idx --relations contained,partial --json
  retold query draft.txt --in archive/ --method sl-fp-sd --profile paper   ranked sentences";
