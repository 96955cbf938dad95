//! `documents`: one verdict a document.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::columns::{Column, ColumnType, Value};
use super::json::{put_count, put_text, put_texts};
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

    const COLUMNS: &'static [Column] = &[
        Column::of("id", ColumnType::Text),
        Column::of("file", ColumnType::Text),
        Column::of("record", ColumnType::Count),
        Column::of("n_words", ColumnType::Count),
        Column::of("verdict", ColumnType::Text),
        Column::optional("cluster", ColumnType::Count),
        Column::optional("clusters", ColumnType::Text),
        Column::optional("representative", ColumnType::Text),
        Column::optional("exact_copy_of", ColumnType::Text),
        Column::of("n_pairs", ColumnType::Count),
        Column::of("pairs_cut", ColumnType::Flag),
        Column::of("n_partial", ColumnType::Count),
        Column::of("notes", ColumnType::Texts),
        Column::optional("language", ColumnType::Text),
    ];

    fn encode(row: &DocumentRow<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"id\":");
        put_text(out, row.id);
        out.extend_from_slice(b",\"file\":");
        put_text(out, row.file);
        out.extend_from_slice(b",\"record\":");
        put_count(out, row.record);
        out.extend_from_slice(b",\"n_words\":");
        put_count(out, u64::from(row.n_words));
        out.extend_from_slice(b",\"verdict\":\"");
        out.extend_from_slice(row.verdict.name().as_bytes());
        out.push(b'"');
        if let Some(cluster) = row.cluster {
            out.extend_from_slice(b",\"cluster\":");
            put_count(out, u64::from(cluster));
        }
        if !row.clusters.is_empty() {
            out.extend_from_slice(b",\"clusters\":[");
            for (at, &cluster) in row.clusters.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                put_count(out, u64::from(cluster));
            }
            out.push(b']');
        }
        if let Some(id) = row.representative {
            out.extend_from_slice(b",\"representative\":");
            put_text(out, id);
        }
        if let Some(id) = row.exact_copy_of {
            out.extend_from_slice(b",\"exact_copy_of\":");
            put_text(out, id);
        }
        out.extend_from_slice(b",\"n_pairs\":");
        put_count(out, u64::from(row.n_pairs));
        if row.pairs_cut {
            out.extend_from_slice(b",\"pairs_cut\":true");
        }
        out.extend_from_slice(b",\"n_partial\":");
        put_count(out, u64::from(row.n_partial));
        if !row.notes.is_empty() {
            out.extend_from_slice(b",\"notes\":");
            put_texts(out, row.notes);
        }
        if let Some(language) = row.language {
            out.extend_from_slice(b",\"language\":");
            put_text(out, language);
        }
        out.extend_from_slice(b"}\n");
    }

    fn values(row: &DocumentRow<'_>, emit: &mut dyn FnMut(Value<'_>)) {
        emit(Value::Text(row.id));
        emit(Value::Text(row.file));
        emit(Value::Count(row.record));
        emit(row.n_words.into());
        emit(Value::Text(row.verdict.name()));
        emit(row.cluster.map_or(Value::Absent, Value::from));
        let clusters: Vec<String> = row.clusters.iter().map(ToString::to_string).collect();
        let clusters = clusters.join(" ");
        emit(if clusters.is_empty() { Value::Absent } else { Value::Text(&clusters) });
        emit(row.representative.into());
        emit(row.exact_copy_of.into());
        emit(row.n_pairs.into());
        emit(Value::Flag(row.pairs_cut));
        emit(row.n_partial.into());
        emit(Value::Texts(row.notes));
        emit(row.language.into());
    }
}
