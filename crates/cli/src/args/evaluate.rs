//! `retold evaluate`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use retold::Kind;
use retold_lab::PlaceUnit;
use retold_lab::measures::evaluation::TruthOf;
use retold_lab::reference::{ListKind, ScoreOf};

use super::values::{self, choice};
use super::{InputArgs, MannerArgs};

/// Compare results with a list of what is true.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct Evaluate {
    /// A folder written by `retold find`, or a list of pairs, clusters, answers or passages; a
    /// second one is compared with the first.
    #[arg(value_name = "FOUND", value_hint = ValueHint::AnyPath, required = true)]
    #[arg(num_args = 1..=2)]
    pub(crate) found: Vec<PathBuf>,

    /// List of what is true: a file, or a folder with the XML of PAN.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::AnyPath, required = true)]
    pub(crate) reference: PathBuf,

    /// What the reference holds: pairs, clusters, members (document and cluster a line), qrels,
    /// pan, spans; told from its first line if not given.
    #[arg(long, value_name = "KIND", hide_possible_values = true, help_heading = "Lists")]
    #[arg(value_parser = choice::<ListKind>(ListKind::NAMES))]
    pub(crate) kind: Option<ListKind>,

    /// What FOUND holds, if it is a file: the same, or run.
    #[arg(long, value_name = "KIND", hide_possible_values = true, help_heading = "Lists")]
    #[arg(value_parser = choice::<ListKind>(ListKind::NAMES))]
    pub(crate) found_kind: Option<ListKind>,

    /// What the reference may claim to be: listed (pairs may be missing), complete, pooled,
    /// planted, exhaustive; decides what recall is called.
    #[arg(long, value_name = "WHAT", hide_possible_values = true, help_heading = "Lists")]
    #[arg(value_parser = choice::<TruthOf>(TruthOf::NAMES))]
    pub(crate) truth: Option<TruthOf>,

    /// Labels of the reference that count as true, with commas between them; if not given, all
    /// but those that say no, such as none or 0.
    #[arg(long, value_name = "LABELS", value_delimiter = ',', help_heading = "Lists")]
    pub(crate) labels: Vec<String>,

    /// Labels that say no, beside the usual ones.
    #[arg(long, value_name = "LABELS", value_delimiter = ',', help_heading = "Lists")]
    pub(crate) negative: Vec<String>,

    /// Labels whose lines are passed over.
    #[arg(long, value_name = "LABELS", value_delimiter = ',', help_heading = "Lists")]
    pub(crate) ignore: Vec<String>,

    /// The last cell of a line of a cluster is a count, as miners of frequent sets write it.
    #[arg(long, help_heading = "Lists")]
    pub(crate) count_last: bool,

    /// A pair `a b` says that a stands in b; without it the order does not matter.
    #[arg(long, help_heading = "What counts")]
    pub(crate) ordered: bool,

    /// Relations that count as found, with commas between them; if not given, all.
    #[arg(long, value_name = "RELATIONS", value_delimiter = ',', help_heading = "What counts")]
    #[arg(value_parser = choice::<Kind>(KINDS), hide_possible_values = true)]
    pub(crate) relations: Vec<Kind>,

    /// Count only those pairs of FOUND that the reference lists, as true or as not.
    #[arg(long, help_heading = "What counts")]
    pub(crate) listed_only: bool,

    /// Score by which pairs are ranked: containment, resemblance.
    #[arg(long, value_name = "SCORE", hide_possible_values = true, help_heading = "What counts")]
    #[arg(value_parser = choice::<ScoreOf>(&["containment", "resemblance"]))]
    pub(crate) score: Option<ScoreOf>,

    /// Least score of a pair that counts as found.
    #[arg(long, value_name = "X", value_parser = values::number, help_heading = "What counts")]
    pub(crate) min_score: Option<f64>,

    /// Documents of the collection, if FOUND does not list them.
    #[arg(long, value_name = "N", help_heading = "What counts")]
    pub(crate) documents: Option<u64>,

    /// Share of duplicates that costs are reckoned with; estimated from the reference if not given.
    #[arg(long, value_name = "X", value_parser = values::share, help_heading = "What counts")]
    pub(crate) p_dup: Option<f64>,

    /// Cost of a missed duplicate.
    #[arg(long, value_name = "X", value_parser = values::cost, help_heading = "What counts")]
    #[arg(default_value = "1")]
    pub(crate) cost_miss: f64,

    /// Cost of a false alarm.
    #[arg(long, value_name = "X", value_parser = values::cost, help_heading = "What counts")]
    #[arg(default_value = "1")]
    pub(crate) cost_false_alarm: f64,

    /// Numbers of results at which ranked answers are measured, with commas between them.
    #[arg(long, value_name = "K", value_delimiter = ',', help_heading = "What counts")]
    #[arg(default_value = "1,5,10,20,50,100")]
    pub(crate) top: Vec<u64>,

    /// Texts of the documents, to convert places of passages between bytes and characters.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath, help_heading = "What counts")]
    pub(crate) texts: Vec<PathBuf>,

    /// What places of the reference count: bytes, characters; told from its form if not given.
    #[arg(long, value_name = "UNIT", hide_possible_values = true, help_heading = "What counts")]
    #[arg(value_parser = choice::<PlaceUnit>(&["bytes", "characters"]))]
    pub(crate) unit: Option<PlaceUnit>,

    /// How sure intervals are.
    #[arg(long, value_name = "X", value_parser = values::share, help_heading = "Intervals")]
    #[arg(default_value = "0.95")]
    pub(crate) level: f64,

    /// Samples that intervals and tests are drawn from.
    #[arg(long, value_name = "N", help_heading = "Intervals", default_value = "1000")]
    pub(crate) repeats: usize,

    /// Folder to write details into, such as every pair of the reference and of FOUND, curves
    /// over all thresholds, and passages as the XML of PAN.
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    #[arg(help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Replace DIR if it holds an earlier result.
    #[arg(long, help_heading = "Output")]
    pub(crate) overwrite: bool,

    /// Memory to hold lists in; longer ones are counted in parts through scratch files.
    #[arg(long, value_name = "SIZE", value_parser = values::size, help_heading = "Running")]
    #[arg(default_value = "512M")]
    pub(crate) memory: u64,

    /// Folder for scratch files.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Running")]
    pub(crate) scratch: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) input: InputArgs,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

/// Names of relations.
const KINDS: &[&str] = &["exact", "near-duplicate", "contains", "contained", "partial"];

const EXAMPLES: &str = "\
EXAMPLES
  retold evaluate found --reference planted.tsv -o details
                                     every measure of pairs, documents and clusters
  retold evaluate found other --reference planted.tsv
                                     two results, with tests of their differences
  retold evaluate found -r judged.tsv --truth pooled --negative doubtful
  retold evaluate clusters.txt -r list.tsv --found-kind clusters --count-last
  retold evaluate found -r contained.tsv --ordered --relations exact,near-duplicate,contains,contained
  retold evaluate run.txt -r judged.qrels --top 5,10,180
  retold evaluate found -r pan13/ --texts pan13.jsonl --listed-only -o details

LISTS
  pairs      a<TAB>b<TAB>label, also with commas or spaces, with names of columns in the first line,
             or JSON Lines with a, b, relation; a number instead of a label is a grade or a score
  clusters   names of the documents of a cluster in each line, or JSON Lines with members
  members    document<TAB>cluster in each line
  qrels, run question 0 document grade; question Q0 document rank score name
  pan        <document reference=..><feature name=\"plagiarism\" this_offset=.. this_length=.. ..>
  spans      a table with susp_id src_id this_offset this_length source_offset source_length, or
             JSON Lines with a, b, a_span, b_span";
