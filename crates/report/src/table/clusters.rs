//! `clusters`: documents that tell the same, and which of them is kept.

use retold_core::relation::Kind;

use super::columns::{Column, ColumnType, Value};
use super::json::{put_count, put_share, put_text, put_texts};
use super::{Table, TableWriter};

/// One cluster.
#[derive(Clone, Copy, Debug)]
pub struct ClusterRow<'a> {
    /// Number of the cluster, counted from 0.
    pub id: u32,
    /// Ids of its documents.
    pub members: &'a [&'a str],
    /// Id of the kept document.
    pub representative: &'a str,
    /// How well the members hold together, between 0 and 1.
    pub cohesion: f64,
    /// Verified pairs inside the cluster.
    pub n_pairs: u64,
    /// Those pairs by kind, in the order of [`Kind::ALL`].
    pub kind_counts: [u64; 5],
    /// Pairs of members that were not compared, but follow from how near both are to the kept one.
    pub n_derived: u64,
    /// Units that the images of all members have in common, if that made the cluster.
    pub n_common: Option<u32>,
    /// Words that all members share, if it was looked for.
    pub shared_words: Option<u32>,
    /// The longest text that stands in all members.
    pub shared_text: Option<&'a str>,
}

/// Column names of the pair counts, in the order of [`Kind::ALL`].
const KIND_COLUMNS: [&str; Kind::ALL.len()] =
    ["n_exact", "n_near_duplicate", "n_contains", "n_contained", "n_partial"];

/// The table of clusters.
///
/// `n_exact` to `n_partial` split `n_pairs` by kind.
#[derive(Clone, Copy, Debug)]
pub struct Clusters;

/// Writes `clusters.jsonl`, `clusters.csv` or `clusters.parquet`.
pub type ClustersWriter = TableWriter<Clusters>;

impl Table for Clusters {
    type Row<'a> = ClusterRow<'a>;

    const NAME: &'static str = "clusters";

    const COLUMNS: &'static [Column] = &[
        Column::of("id", ColumnType::Count),
        Column::of("size", ColumnType::Count),
        Column::of("representative", ColumnType::Text),
        Column::of("cohesion", ColumnType::Share),
        Column::of("n_pairs", ColumnType::Count),
        Column::of(KIND_COLUMNS[0], ColumnType::Count),
        Column::of(KIND_COLUMNS[1], ColumnType::Count),
        Column::of(KIND_COLUMNS[2], ColumnType::Count),
        Column::of(KIND_COLUMNS[3], ColumnType::Count),
        Column::of(KIND_COLUMNS[4], ColumnType::Count),
        Column::of("n_derived", ColumnType::Count),
        Column::optional("n_common", ColumnType::Count),
        Column::optional("shared_words", ColumnType::Count),
        Column::optional("shared_text", ColumnType::Text),
        Column::of("members", ColumnType::Texts),
    ];

    fn encode(row: &ClusterRow<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"id\":");
        put_count(out, u64::from(row.id));
        out.extend_from_slice(b",\"size\":");
        put_count(out, row.members.len() as u64);
        out.extend_from_slice(b",\"representative\":");
        put_text(out, row.representative);
        out.extend_from_slice(b",\"cohesion\":");
        put_share(out, row.cohesion);
        out.extend_from_slice(b",\"n_pairs\":");
        put_count(out, row.n_pairs);
        for (name, count) in KIND_COLUMNS.into_iter().zip(row.kind_counts) {
            out.extend_from_slice(b",\"");
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b"\":");
            put_count(out, count);
        }
        out.extend_from_slice(b",\"n_derived\":");
        put_count(out, row.n_derived);
        for (name, count) in [("n_common", row.n_common), ("shared_words", row.shared_words)] {
            if let Some(count) = count {
                out.extend_from_slice(b",\"");
                out.extend_from_slice(name.as_bytes());
                out.extend_from_slice(b"\":");
                put_count(out, u64::from(count));
            }
        }
        if let Some(text) = row.shared_text {
            out.extend_from_slice(b",\"shared_text\":");
            put_text(out, text);
        }
        out.extend_from_slice(b",\"members\":");
        put_texts(out, row.members);
        out.extend_from_slice(b"}\n");
    }

    fn values(row: &ClusterRow<'_>, emit: &mut dyn FnMut(Value<'_>)) {
        emit(row.id.into());
        emit(Value::Count(row.members.len() as u64));
        emit(Value::Text(row.representative));
        emit(Value::Share(row.cohesion));
        emit(Value::Count(row.n_pairs));
        for count in row.kind_counts {
            emit(Value::Count(count));
        }
        emit(Value::Count(row.n_derived));
        for count in [row.n_common, row.shared_words] {
            emit(count.map_or(Value::Absent, Value::from));
        }
        emit(row.shared_text.map_or(Value::Absent, Value::Text));
        emit(Value::Texts(row.members));
    }
}
