//! `clusters`: documents that tell the same, and which of them is kept.

use retold_core::relation::Kind;

use super::cell::Cell;
use super::columns::{Column, ColumnType, RowVisitor, columns};
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
    pub kind_counts: [u64; Kind::ALL.len()],
    /// Pairs of members that were not compared, but follow from how near both are to the kept one.
    pub n_derived: u64,
    /// Units that the images of all members have in common, if that made the cluster.
    pub n_common: Option<u32>,
    /// Words that all members share, if it was looked for.
    pub shared_words: Option<u32>,
    /// The longest text that stands in all members.
    pub shared_text: Option<&'a str>,
}

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

    const HELP: &'static str = "a cluster: documents that tell the same, and which of them is kept";

    columns! { row;
        always "id": Count = u64::from(row.id),
            "number of the cluster, counted from 0";
        always "size": Count = row.members.len() as u64,
            "number of its documents";
        always "representative": Text = row.representative,
            "id of the document that is kept, chosen by `--keep`";
        always "cohesion": Share = row.cohesion,
            "share of all pairs of members that are verified relations";
        always "n_pairs": Count = row.n_pairs,
            "verified pairs of members, whether written to `pairs` or not; the next five columns \
             split them by relation";
        always "n_exact": Count = row.kind_counts[0],
            "pairs of members that are exact copies";
        always "n_near_duplicate": Count = row.kind_counts[1],
            "pairs of members that are near-duplicates";
        always "n_contains": Count = row.kind_counts[2],
            "pairs of members whose first document holds the second";
        always "n_contained": Count = row.kind_counts[3],
            "pairs of members whose first document stands in the second";
        always "n_partial": Count = row.kind_counts[4],
            "pairs of members that share only passages";
        always "n_derived": Count = row.n_derived,
            "pairs of members that were not compared with each other: that they agree follows from \
             how near both are to the kept document; neither `n_pairs` nor `pairs` has them";
        optional "n_common": Count = row.n_common.map(u64::from),
            "units that the images of all members have in common, with `--clusters closed-sets`";
        optional "shared_words": Count = row.shared_words.map(u64::from),
            "words that stand in all members (of large clusters, in the first 50), if looked for";
        optional "shared_text": Text = row.shared_text,
            "the longest stretch of text that stands in all members, if there is one";
        always "members": Texts = row.members,
            "ids of all members; clusters overlap with `--clusters cliques` and `closed-sets`";
    }
}
