//! `documents`: one verdict a document.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::cell::Cell;
use super::columns::{Column, ColumnType, RowVisitor, columns};
use super::{Table, TableWriter};

/// What a run says about a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No other document tells the same.
    Unique,
    /// Others tell the same; this one is kept for them.
    Representative,
    /// Another document tells the same and is kept.
    Copy,
    /// Too few words to judge.
    TooShort,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Self; 4] = [Self::Unique, Self::Representative, Self::Copy, Self::TooShort];

    /// Returns the name used in files and pages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unique => "unique",
            Self::Representative => "representative",
            Self::Copy => "copy",
            Self::TooShort => "too-short",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One document.
#[derive(Clone, Copy, Debug)]
pub struct DocumentRow<'a> {
    /// Id of the document.
    pub id: &'a str,
    /// Input file it came from.
    pub file: &'a str,
    /// Number of its record in the file, counted from 0.
    pub record: u64,
    /// Words in its text.
    pub n_words: u32,
    /// What the run says about it.
    pub verdict: Verdict,
    /// Its cluster, if it is in one.
    pub cluster: Option<u32>,
    /// All its clusters, if it is in several. In JSON Lines an array, elsewhere numbers with
    /// blanks between them.
    pub clusters: &'a [u32],
    /// Id of the cluster's kept document, if it is another.
    pub representative: Option<&'a str>,
    /// Id of the document it is an exact copy of.
    pub exact_copy_of: Option<&'a str>,
    /// Pairs it stands in.
    pub n_pairs: u32,
    /// Whether pairs beyond the cap were not written.
    pub pairs_cut: bool,
    /// Partial copies it stands in.
    pub n_partial: u32,
    /// Remarks, such as how its encoding was guessed.
    pub notes: &'a [&'a str],
    /// Language code, if known.
    pub language: Option<&'a str>,
    /// Whether it has too few words for the method, whatever its verdict.
    pub is_too_short: bool,
    /// Time, as the record tells it.
    pub time: Option<&'a str>,
    /// Source, as the record tells it.
    pub source: Option<&'a str>,
    /// Value of the field that `--keep field:NAME` names.
    pub keep_value: Option<&'a str>,
}

/// The table of documents.
///
/// A line of `documents.jsonl` leaves out what is absent, empty or `false`.
#[derive(Clone, Copy, Debug)]
pub struct Documents;

/// Writes `documents.jsonl`, `documents.csv` or `documents.parquet`.
pub type DocumentsWriter = TableWriter<Documents>;

impl Table for Documents {
    type Row<'a> = DocumentRow<'a>;

    const NAME: &'static str = "documents";

    const HELP: &'static str = "a document that was read, in the order of reading";

    columns! { row;
        always "id": Text = row.id,
            "id of the document";
        always "file": Text = row.file,
            "input file it came from";
        always "record": Count = row.record,
            "number of its record in the file, counted from 0";
        always "n_words": Count = u64::from(row.n_words),
            "words in its text";
        always "verdict": Name = row.verdict.name(),
            "`unique`, `representative` (kept for a cluster), `copy` (another document of its \
             cluster is kept) or `too-short` (fewer than five words; without any it is related to \
             nothing)";
        optional "cluster": Count = row.cluster.map(u64::from),
            "number of its cluster, if it is in one";
        optional "clusters": Counts = Some(row.clusters).filter(|clusters| !clusters.is_empty()),
            "numbers of all its clusters, if it is in several: an array in JSON, elsewhere text \
             with blanks between the numbers";
        optional "representative": Text = row.representative,
            "id of the kept document of its cluster, if that is another one";
        optional "exact_copy_of": Text = row.exact_copy_of,
            "id of the document it is an exact copy of, if it is one";
        always "n_pairs": Count = u64::from(row.n_pairs),
            "pairs that it stands in";
        unless_empty "pairs_cut": Flag = row.pairs_cut,
            "whether further pairs were not written, because of `--pairs-per-document`";
        always "n_partial": Count = u64::from(row.n_partial),
            "pairs of the relation `partial` that it stands in";
        unless_empty "notes": Texts = row.notes,
            "remarks, such as how its encoding was guessed";
        optional "language": Text = row.language,
            "language code, if the record names it or `--detect-language` found it";
        unless_empty "too_short": Flag = row.is_too_short,
            "whether it has too few words for the method, also where it is in a cluster of its copies";
        optional "time": Text = row.time,
            "time of the document, as its record tells it";
        optional "source": Text = row.source,
            "source of the document, as its record tells it";
        optional "keep_value": Text = row.keep_value,
            "value of the field that `--keep field:NAME` names, if the document has it";
    }
}
