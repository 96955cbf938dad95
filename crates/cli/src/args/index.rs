//! `retold index`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::values;
use super::{DetectArgs, InputArgs, MannerArgs, ResourceArgs};

/// Keep a collection on disk, with what methods need to find copies in it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, disable_help_subcommand = true)]
pub(crate) struct Index {
    /// What to do.
    #[command(subcommand)]
    pub(crate) action: IndexAction,
}

/// What can be done with an index.
#[derive(Debug, Subcommand)]
pub(crate) enum IndexAction {
    Create(Box<CreateIndex>),
    Add(Box<AddToIndex>),
    AddMethod(Box<AddMethod>),
    List(ListIndex),
    Get(GetFromIndex),
    Remove(RemoveFromIndex),
    Expire(ExpireIndex),
    Refresh(RefreshIndex),
    /// Say what an index holds and what it takes up.
    Stats(OneIndex),
    /// Read everything an index holds and prove that it is whole.
    Check(OneIndex),
    /// Drop what is damaged, and nothing else, and say what went.
    Repair(OneIndex),
    /// Merge all parts of an index to one.
    Merge(OneIndex),
    Export(ExportIndex),
    Backup(CopyIndex),
    /// Make an index from a backup, once the backup is proven whole.
    Restore(CopyIndex),
    /// Bring an index of an earlier version to the format of this one.
    Upgrade(OneIndex),
}

/// Make an empty index.
#[derive(Debug, Args)]
pub(crate) struct CreateIndex {
    /// Folder of the new index.
    #[arg(value_name = "INDEX", value_hint = ValueHint::DirPath)]
    pub(crate) index: PathBuf,

    /// Further methods of the same index, with their usual parameters.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = values::method())]
    #[arg(hide_possible_values = true, help_heading = "Method")]
    pub(crate) also: Vec<String>,

    /// Leave texts where they are read, if they can be read there again, and check them by hash.
    #[arg(long)]
    pub(crate) by_reference: bool,

    #[command(flatten)]
    pub(crate) detect: DetectArgs,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

/// Add documents; those with an id that is there already replace the other.
#[derive(Debug, Args)]
pub(crate) struct AddToIndex {
    /// The index.
    #[arg(value_name = "INDEX", value_hint = ValueHint::DirPath)]
    pub(crate) index: PathBuf,

    /// Files, folders and archives to read; `-` is standard input.
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) input: InputArgs,

    #[command(flatten)]
    pub(crate) resources: ResourceArgs,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

/// Add a method to an index, from the texts that it holds.
#[derive(Debug, Args)]
pub(crate) struct AddMethod {
    /// The index.
    #[arg(value_name = "INDEX", value_hint = ValueHint::DirPath)]
    pub(crate) index: PathBuf,

    #[command(flatten)]
    pub(crate) detect: DetectArgs,

    #[command(flatten)]
    pub(crate) resources: ResourceArgs,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

/// Which documents of an index are meant.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Which documents")]
pub(crate) struct FilterArgs {
    /// Only documents from this time on: `2026-11-01`, `2026-11-01T12:00:00Z`.
    #[arg(long, value_name = "TIME", value_parser = values::time)]
    pub(crate) from: Option<i64>,

    /// Only documents from before this time.
    #[arg(long, value_name = "TIME", value_parser = values::time)]
    pub(crate) until: Option<i64>,

    /// Only documents with this value in a field, such as `source=reuters`; may be repeated, and
    /// one of several values of one field is enough.
    #[arg(long = "where", value_name = "FIELD=VALUE", value_parser = values::field)]
    pub(crate) fields: Vec<(String, String)>,
}

/// List the documents of an index.
#[derive(Debug, Args)]
pub(crate) struct ListIndex {
    /// The index.
    #[arg(value_name = "INDEX", value_hint = ValueHint::DirPath)]
    pub(crate) index: PathBuf,

    #[command(flatten)]
    pub(crate) filter: FilterArgs,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

/// Print documents of an index.
#[derive(Debug, Args)]
pub(crate) struct GetFromIndex {
    /// The index.
    #[arg(value_name = "INDEX", value_hint = ValueHint::DirPath)]
    pub(crate) index: PathBuf,

    /// Ids of the documents.
    #[arg(required = true, value_name = "ID")]
    pub(crate) ids: Vec<String>,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

/// Remove documents.
#[derive(Debug, Args)]
pub(crate) struct RemoveFromIndex {
    /// The index.
    #[arg(value_name = "INDEX", value_hint = ValueHint::DirPath)]
    pub(crate) index: PathBuf,

    /// Ids of the documents; `-` reads them from standard input, one a line.
    #[arg(required = true, value_name = "ID")]
    pub(crate) ids: Vec<String>,

    /// Erase them: afterwards no file of the index holds anything of them.
    #[arg(long)]
    pub(crate) purge: bool,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

/// Remove documents from before a time.
#[derive(Debug, Args)]
pub(crate) struct ExpireIndex {
    /// The index.
    #[arg(value_name = "INDEX", value_hint = ValueHint::DirPath)]
    pub(crate) index: PathBuf,

    /// Documents from before this time go; those without a time stay.
    #[arg(long, value_name = "TIME", value_parser = values::time)]
    #[arg(required_unless_present = "older_than")]
    pub(crate) before: Option<i64>,

    /// Documents older than this go: `90m`, `36h`, `7d`, counted back from now.
    #[arg(long, value_name = "SPAN", value_parser = values::span, conflicts_with = "before")]
    pub(crate) older_than: Option<i64>,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

/// Take the statistics of all documents anew and remake what methods keep of them.
#[derive(Debug, Args)]
pub(crate) struct RefreshIndex {
    /// The index.
    #[arg(value_name = "INDEX", value_hint = ValueHint::DirPath)]
    pub(crate) index: PathBuf,

    #[command(flatten)]
    pub(crate) resources: ResourceArgs,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

/// An index and nothing else.
#[derive(Debug, Args)]
pub(crate) struct OneIndex {
    /// The index.
    #[arg(value_name = "INDEX", value_hint = ValueHint::DirPath)]
    pub(crate) index: PathBuf,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

/// Write the documents of an index as JSON Lines.
#[derive(Debug, Args)]
pub(crate) struct ExportIndex {
    /// The index.
    #[arg(value_name = "INDEX", value_hint = ValueHint::DirPath)]
    pub(crate) index: PathBuf,

    /// File to write; standard output if not given.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Replace FILE if it is there.
    #[arg(long)]
    pub(crate) overwrite: bool,

    #[command(flatten)]
    pub(crate) filter: FilterArgs,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

/// Copy an index, also while it is written to.
#[derive(Debug, Args)]
pub(crate) struct CopyIndex {
    /// What is copied.
    #[arg(value_name = "FROM", value_hint = ValueHint::DirPath)]
    pub(crate) from: PathBuf,

    /// Folder of the copy, which must not be there yet.
    #[arg(value_name = "TO", value_hint = ValueHint::DirPath)]
    pub(crate) to: PathBuf,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

const EXAMPLES: &str = "\
EXAMPLES
  retold index create archive.idx                          for the default method
  retold index create archive.idx --method sl-fp-sd --also anchor,minhash
  retold index add archive.idx news/2026-11/*.jsonl.zst    safe to interrupt and to repeat
  retold query draft.txt --in archive.idx                  what a text was copied from
  retold find new/ --against archive.idx -o found          new documents against all of it
  retold index expire archive.idx --older-than 30d
  retold index remove archive.idx id-17 --purge            erased from every file
  retold index backup archive.idx copy.idx                 of an index in use

`retold index ACTION --help` shows the options of an action.";
