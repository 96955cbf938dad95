//! `retold generate`.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches, ValueHint};
use retold_lab::generate::{Extent, Percent, Place, Ratio, Related, Unit};

use super::values::{self, choice};
use super::{InputArgs, MannerArgs};

/// Make a test collection whose copies are known.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct Generate {
    /// Files, folders and archives to make it of; `-` is standard input.
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,

    /// Folder to write; it appears only when it is complete.
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Replace DIR if it holds an earlier result.
    #[arg(long, help_heading = "Output")]
    pub(crate) overwrite: bool,

    /// Leave the documents under PATH out of the collection; write only what is made of them.
    #[arg(long, help_heading = "Output")]
    pub(crate) no_originals: bool,

    /// Pairs listed: all (that share words of one input), inputs (with what was made of them), none
    /// (which takes little memory).
    #[arg(long, value_name = "WHICH", hide_possible_values = true, help_heading = "Output")]
    #[arg(value_parser = choice::<Related>(&["all", "inputs", "none"]))]
    pub(crate) related: Option<Related>,

    /// Do not write down how each document was made; it cannot be replayed then.
    #[arg(long, help_heading = "Output")]
    pub(crate) no_log: bool,

    /// Make nothing; print the number of paragraphs, sentences and words of each document.
    #[arg(long, conflicts_with_all = ["output", "plan", "replay"], help_heading = "What to do")]
    pub(crate) counts: bool,

    /// Carry out a plan in TOML instead of the operations given here.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(conflicts_with = "replay", help_heading = "What to do")]
    pub(crate) plan: Option<PathBuf>,

    /// Make a folder again from its log.jsonl; PATH is what it was made of.
    #[arg(long, value_name = "LOG", value_hint = ValueHint::FilePath, help_heading = "What to do")]
    pub(crate) replay: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) sequence: Sequence,

    #[command(flatten)]
    pub(crate) details: DetailArgs,

    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// Number of threads; 0 means as many as the machine runs at once.
    #[arg(long, value_name = "N", help_heading = "Running")]
    pub(crate) threads: Option<usize>,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

/// What is done to each document.
#[derive(Debug, Args)]
#[command(next_help_heading = "Operations, in the order given")]
pub(crate) struct OperationArgs {
    /// Let a share of the paragraphs change places.
    #[arg(long, value_name = "P%")]
    pub(crate) reorder: Option<Percent>,

    /// Delete a share of the paragraphs; one always stays.
    #[arg(long, value_name = "P%")]
    pub(crate) delete: Option<Percent>,

    /// Insert paragraphs of other documents, as a share of those there are.
    #[arg(long, value_name = "P%")]
    pub(crate) add_foreign: Option<Percent>,

    /// Replace a share of the words by random ones.
    #[arg(long, value_name = "P%")]
    pub(crate) replace_words: Option<Percent>,

    /// Insert R further copies of each of A paragraphs.
    #[arg(long, value_name = "AxR", value_parser = values::times)]
    pub(crate) add_repeated: Option<(u32, u32)>,

    /// Replace characters: `a=@,rn=m`.
    #[arg(long, value_name = "PAIRS", value_parser = values::pairs)]
    pub(crate) replace_characters: Option<Pairs>,

    /// Misread a share of the characters as a scanner would.
    #[arg(long, value_name = "P%")]
    pub(crate) ocr: Option<Percent>,

    /// Replace a share of the letters by letters of other alphabets that look the same.
    #[arg(long, value_name = "P%")]
    pub(crate) homoglyphs: Option<Percent>,

    /// Put unseen characters into a share of the words.
    #[arg(long, value_name = "P%")]
    pub(crate) zero_width: Option<Percent>,

    /// Break a share of the long words over two lines with a hyphen.
    #[arg(long, value_name = "P%")]
    pub(crate) hyphens: Option<Percent>,

    /// Break a share of the long words in two, or join them with the word before.
    #[arg(long, value_name = "P%")]
    pub(crate) spaces: Option<Percent>,

    /// Fill up with other documents until the whole has N times the words.
    #[arg(long, value_name = "1:N")]
    pub(crate) contain: Option<Ratio>,

    /// Keep one stretch with the N-th part of the words.
    #[arg(long, value_name = "1:N")]
    pub(crate) excerpt: Option<Ratio>,

    /// Plant a stretch of each of N other documents.
    #[arg(long, value_name = "N")]
    pub(crate) plant: Option<u32>,
}

/// Pairs of characters, or of strings of them.
pub(crate) type Pairs = Vec<(String, String)>;

/// The operations and the order they were given in.
#[derive(Debug)]
pub(crate) struct Sequence {
    /// What was given.
    pub(crate) given: OperationArgs,
    /// Names of the options that were, in order.
    pub(crate) order: Vec<&'static str>,
}

impl Sequence {
    /// The options that are operations.
    const NAMES: [&'static str; 14] = [
        "reorder",
        "delete",
        "add_foreign",
        "replace_words",
        "add_repeated",
        "replace_characters",
        "ocr",
        "homoglyphs",
        "zero_width",
        "hyphens",
        "spaces",
        "contain",
        "excerpt",
        "plant",
    ];
}

impl FromArgMatches for Sequence {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = OperationArgs::from_arg_matches(matches)?;
        let mut order: Vec<(usize, &'static str)> = Self::NAMES
            .into_iter()
            .filter_map(|name| Some((matches.index_of(name)?, name)))
            .collect();
        order.sort_unstable();
        Ok(Self { given, order: order.into_iter().map(|(_, name)| name).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Sequence {
    fn augment_args(command: Command) -> Command {
        OperationArgs::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        OperationArgs::augment_args_for_update(command)
    }
}

/// How the operations go about it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Details")]
pub(crate) struct DetailArgs {
    /// What is moved, deleted, added, planted: paragraph, line, sentence, word [default: paragraph;
    /// sentence for --plant and --query].
    #[arg(long, value_name = "UNIT", hide_possible_values = true)]
    #[arg(value_parser = choice::<Unit>(&["paragraph", "line", "sentence", "word"]))]
    pub(crate) unit: Option<Unit>,

    /// Documents made of each document, by choices of their own.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) variants: u32,

    /// Share of the documents that others are made of.
    #[arg(long, value_name = "P%", default_value = "100%")]
    pub(crate) documents: Percent,

    /// Words to replace others with, between white space; the collection's own if not given.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) dictionary: Option<PathBuf>,

    /// Share of the occurrences that --replace-characters replaces.
    #[arg(long, value_name = "P%", default_value = "100%")]
    pub(crate) occurrences: Percent,

    /// Replacements that --ocr makes: a file with a line `from<TAB>to` for each.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) ocr_table: Option<PathBuf>,

    /// Paste stretches of N documents together to one query.
    #[arg(long, value_name = "N")]
    pub(crate) query: Option<u32>,

    /// Units of a stretch for --plant and --query: a number or a range.
    #[arg(long, value_name = "N-M", default_value = "2-10")]
    pub(crate) amount: Extent,

    /// Where --plant and --excerpt take: begin, middle, end, any. A query takes the first three
    /// from a third of its documents each [default: any].
    #[arg(long, value_name = "PLACE", hide_possible_values = true)]
    #[arg(value_parser = choice::<Place>(&["begin", "middle", "end", "any"]))]
    pub(crate) from: Option<Place>,

    /// Where --plant and --contain put: begin, middle, end, any.
    #[arg(long, value_name = "PLACE", hide_possible_values = true, default_value = "any")]
    #[arg(value_parser = choice::<Place>(&["begin", "middle", "end", "any"]))]
    pub(crate) into: Place,
}

const EXAMPLES: &str = "\
EXAMPLES
  retold generate news/ --counts                             what each document is made of
  retold generate news/ -o made --delete 25% --replace-words 10% --seed 7
  retold generate news/ -o made --variants 5 --ocr 2%        five scans of each document
  retold generate news/ -o made --plant 2 --amount 6 --from begin
  retold generate news/ -o made --contain 1:100 --related inputs
  retold generate news/ -o made --query 180                  one query with 180 known sources
  retold generate news/ -o made --plan plan.toml
  retold generate news/ -o again --replay made/log.jsonl     the same bytes, without chance

PLANS
  A plan makes several kinds of variants and repeats operations:
    seed = 7
    [[variant]]
    name = \"rewritten\"
    copies = 2
    steps = [
      { operation = \"delete\", percent = 25 },
      { operation = \"replace-words\", percent = 10 },
    ]
    [[query]]
    documents = 180
    unit = \"sentence\"
    amount = [2, 10]

  The text without markup is edited and written. Shares are rounded half up, to at least one.";
