//! What is taken out of the lines of each table.

use std::borrow::Cow;

use retold_core::relation::Kind;
use retold_report::Verdict;
use serde::Deserialize;

use super::Texts;
use crate::column::ColumnBuilder;
use crate::error::BrowseError;
use crate::side::SideWriter;
use crate::table::ResultTable;
use crate::time;

/// Declares the columns of a table: a field, and whether its rows have one value (`default`), at most
/// one (`optional`) or several (`lists`). Each is written under the name of the table and the field.
macro_rules! columns {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $presence:ident),+ $(,)? }) => {
        $(#[$doc])*
        pub(super) struct $name {
            $(pub(super) $field: columns!(@type $presence)),+
        }

        impl $name {
            /// Makes columns without rows.
            pub(super) fn new() -> Self {
                Self { $($field: <columns!(@type $presence)>::$presence()),+ }
            }

            /// Writes the columns of `table`.
            pub(super) fn write(
                self,
                writer: &mut SideWriter,
                table: ResultTable,
            ) -> Result<(), BrowseError> {
                $(self.$field.put(writer, &format!(concat!("{}.", stringify!($field)), table))?;)+
                Ok(())
            }
        }
    };
    (@type lists) => { ListColumns };
    (@type $other:ident) => { ColumnBuilder };
}

columns! {
    /// Columns of `documents`.
    DocumentColumns {
        id: default, file: default, words: default, verdict: default, cluster: lists,
        pairs: default, partial: default, language: optional, source: optional, time: optional,
    }
}

columns! {
    /// Columns of `clusters`.
    ClusterColumns {
        id: default, size: default, cohesion: default, pairs: default, exact: default,
        near: default, contains: default, contained: default, partial: default, derived: default,
        common: optional, shared: optional, members: lists,
    }
}

columns! {
    /// Columns of `pairs`.
    PairColumns {
        a: default, b: default, relation: default, resemblance: default, a_in_b: default,
        b_in_a: default, a_words: default, b_words: default, longest: optional,
    }
}

columns! {
    /// Columns of `removed` and `review`.
    RemovalColumns {
        id: default, file: default, kept: default, relation: default, share: default,
        words: default,
    }
}

/// Text of a line, borrowed unless it is escaped there.
#[derive(Deserialize)]
struct Text<'l>(#[serde(borrow)] Cow<'l, str>);

#[derive(Deserialize)]
struct DocumentLine<'l> {
    #[serde(borrow)]
    id: Text<'l>,
    #[serde(borrow)]
    file: Text<'l>,
    n_words: u64,
    verdict: Verdict,
    cluster: Option<u32>,
    #[serde(default)]
    clusters: Vec<u32>,
    n_pairs: u64,
    n_partial: u64,
    #[serde(borrow)]
    language: Option<Text<'l>>,
    #[serde(borrow)]
    time: Option<Text<'l>>,
    #[serde(borrow)]
    source: Option<Text<'l>>,
}

impl DocumentColumns {
    /// Appends a line of `documents`.
    pub(super) fn push(&mut self, line: &[u8], texts: &mut Texts) -> Result<(), String> {
        let line: DocumentLine<'_> = parsed(line)?;
        self.id.push(u64::from(texts.ids.code(&line.id.0)));
        self.file.push(u64::from(texts.files.code(&line.file.0)));
        self.words.push(line.n_words);
        self.verdict.push(line.verdict as u64);
        let mut clusters = line.clusters;
        clusters.extend(line.cluster);
        clusters.sort_unstable();
        clusters.dedup();
        self.cluster.push(clusters.into_iter().map(u64::from));
        self.pairs.push(line.n_pairs);
        self.partial.push(line.n_partial);
        self.language.push(line.language.map(|name| u64::from(texts.languages.code(&name.0))));
        self.source.push(line.source.map(|name| u64::from(texts.sources.code(&name.0))));
        self.time.push(line.time.and_then(|time| time::stored(&time.0)));
        Ok(())
    }
}

#[derive(Deserialize)]
struct ClusterLine<'l> {
    id: u32,
    size: u64,
    cohesion: f64,
    n_pairs: u64,
    n_exact: u64,
    n_near_duplicate: u64,
    n_contains: u64,
    n_contained: u64,
    n_partial: u64,
    n_derived: u64,
    n_common: Option<u64>,
    shared_words: Option<u64>,
    #[serde(borrow)]
    members: Vec<Text<'l>>,
}

impl ClusterColumns {
    /// Appends a line of `clusters`.
    pub(super) fn push(&mut self, line: &[u8], texts: &mut Texts) -> Result<(), String> {
        let line: ClusterLine<'_> = parsed(line)?;
        self.id.push(u64::from(line.id));
        self.size.push(line.size);
        self.cohesion.push(millionths("cohesion", line.cohesion)?);
        self.pairs.push(line.n_pairs);
        self.exact.push(line.n_exact);
        self.near.push(line.n_near_duplicate);
        self.contains.push(line.n_contains);
        self.contained.push(line.n_contained);
        self.partial.push(line.n_partial);
        self.derived.push(line.n_derived);
        self.common.push(line.n_common);
        self.shared.push(line.shared_words);
        self.members.push(line.members.iter().map(|id| u64::from(texts.ids.code(&id.0))));
        Ok(())
    }
}

#[derive(Deserialize)]
struct PairLine<'l> {
    #[serde(borrow)]
    a: Text<'l>,
    #[serde(borrow)]
    b: Text<'l>,
    relation: Kind,
    resemblance: f64,
    a_in_b: f64,
    b_in_a: f64,
    a_words: u64,
    b_words: u64,
    longest_words: Option<u64>,
}

impl PairColumns {
    /// Appends a line of `pairs`.
    pub(super) fn push(&mut self, line: &[u8], texts: &mut Texts) -> Result<(), String> {
        let line: PairLine<'_> = parsed(line)?;
        self.a.push(u64::from(texts.ids.code(&line.a.0)));
        self.b.push(u64::from(texts.ids.code(&line.b.0)));
        self.relation.push(line.relation as u64);
        self.resemblance.push(millionths("resemblance", line.resemblance)?);
        self.a_in_b.push(millionths("a_in_b", line.a_in_b)?);
        self.b_in_a.push(millionths("b_in_a", line.b_in_a)?);
        self.a_words.push(line.a_words);
        self.b_words.push(line.b_words);
        // Of exact copies the longest passage is not written: it is the whole text.
        let whole = (line.relation == Kind::Exact).then_some(line.a_words);
        self.longest.push(line.longest_words.or(whole));
        Ok(())
    }
}

#[derive(Deserialize)]
struct RemovalLine<'l> {
    #[serde(borrow)]
    id: Text<'l>,
    #[serde(borrow)]
    file: Text<'l>,
    #[serde(borrow)]
    covered_by: Text<'l>,
    relation: Kind,
    covered: f64,
    words: u64,
}

impl RemovalColumns {
    /// Appends a line of `removed` or `review`.
    pub(super) fn push(&mut self, line: &[u8], texts: &mut Texts) -> Result<(), String> {
        let line: RemovalLine<'_> = parsed(line)?;
        self.id.push(u64::from(texts.ids.code(&line.id.0)));
        self.file.push(u64::from(texts.files.code(&line.file.0)));
        self.kept.push(u64::from(texts.ids.code(&line.covered_by.0)));
        self.relation.push(line.relation as u64);
        self.share.push(millionths("covered", line.covered)?);
        self.words.push(line.words);
        Ok(())
    }
}

/// Reads a line. What is skipped in it has to be UTF-8 as well, and a row is an object without blanks
/// around it, because lines are handed out as they are.
fn parsed<'l, T: Deserialize<'l>>(line: &'l [u8]) -> Result<T, String> {
    let line = std::str::from_utf8(line).map_err(|error| format!("is not UTF-8: {error}"))?;
    if !(line.starts_with('{') && line.ends_with('}')) {
        return Err("is no JSON object".to_owned());
    }
    serde_json::from_str(line).map_err(|error| format!("not as it was written: {error}"))
}

/// Returns a share in millionths, as it is written: with at most six decimals.
fn millionths(name: &str, share: f64) -> Result<u64, String> {
    if !(0.0..=1.0).contains(&share) {
        return Err(format!("`{name}` must be between 0 and 1, got {share}"));
    }
    #[expect(clippy::cast_sign_loss, reason = "checked to be at least 0")]
    let millionths = (share * 1e6).round_ties_even() as u64;
    Ok(millionths)
}

/// Several values a row.
#[derive(Default)]
pub(super) struct ListColumns {
    starts: ColumnBuilder,
    values: ColumnBuilder,
}

impl ListColumns {
    fn lists() -> Self {
        Self::default()
    }

    fn push(&mut self, values: impl Iterator<Item = u64>) {
        self.starts.push(self.values.len() as u64);
        values.for_each(|value| self.values.push(value));
    }

    fn put(mut self, writer: &mut SideWriter, name: &str) -> Result<(), BrowseError> {
        self.starts.push(self.values.len() as u64);
        writer.column(&format!("{name}.starts"), self.starts)?;
        writer.column(&format!("{name}.values"), self.values)
    }
}

impl ColumnBuilder {
    fn put(self, writer: &mut SideWriter, name: &str) -> Result<(), BrowseError> {
        writer.column(name, self)
    }
}
