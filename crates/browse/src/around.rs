//! What stands around one cluster, one pair or one document.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use retold_core::relation::Kind;

use crate::bits::Bits;
use crate::browser::{Browser, Row};
use crate::error::BrowseError;
use crate::filter::names::{self, Dictionary};
use crate::filter::value::Item;
use crate::filter::{Term, Test};
use crate::page::{Page, PageRequest, Question};
use crate::table::ResultTable;

/// A cluster and its documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterRows {
    /// The row of the cluster.
    pub cluster: Row,
    /// The first rows of `documents` that are in it, in the order of that table.
    pub members: Vec<Row>,
    /// How many rows of `documents` are in it. The page of `documents` with the filter `cluster:K` has
    /// them all.
    pub n_members: u64,
}

/// A pair with one document in a cluster and the other one outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// The row of the pair.
    pub pair: Row,
    /// Id of the document in the cluster.
    pub inside: String,
    /// Id of the document outside.
    pub outside: String,
    /// Why it is outside, as far as the tables tell.
    pub reason: Outside,
}

/// Why a document that is related to a member of a cluster is not in the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outside {
    /// The two share only passages, and partial copies do not join documents to clusters.
    Partial,
    /// One contains the other, which does not join documents unless the run was asked to
    /// (`--join containment`).
    Containment,
    /// The relation joins documents, but the document is in these other clusters.
    OtherClusters(Vec<u64>),
    /// The relation joins documents, but it does not hold with enough of the members, and the document
    /// is in no cluster.
    TooFewMembers {
        /// Members with which the document has a pair that joins.
        n_related: u64,
        /// All members.
        n_members: u64,
    },
}

impl Browser {
    /// Returns a cluster by its number, with the rows of at most `limit` of its documents; `None` if
    /// there is no such cluster.
    pub fn cluster(&self, number: u64, limit: usize) -> Result<Option<ClusterRows>, BrowseError> {
        let Some(row) = self.cluster_row(number)? else { return Ok(None) };
        let clusters = self.lists(ResultTable::Documents, "cluster")?;
        let is_member = |row: &usize| clusters.of(*row).any(|cluster| cluster as u64 == number);
        let rows: Vec<usize> = (0..self.len(ResultTable::Documents)?).filter(is_member).collect();
        let members = rows.iter().take(limit);
        let members = members.map(|row| self.read_row(ResultTable::Documents, *row));
        Ok(Some(ClusterRows {
            cluster: self.read_row(ResultTable::Clusters, row)?,
            members: members.collect::<Result<_, _>>()?,
            n_members: rows.len() as u64,
        }))
    }

    /// Returns the pairs of members of a cluster with documents outside of it, the strongest first: at
    /// most `limit`. `None` if there is no such cluster.
    pub fn neighbours(
        &self,
        number: u64,
        limit: usize,
    ) -> Result<Option<Vec<Neighbour>>, BrowseError> {
        let Some(cluster) = self.cluster_row(number)? else { return Ok(None) };
        let strings = self.strings(Dictionary::Ids)?;
        let mut members = Bits::none(strings.len());
        self.lists(ResultTable::Clusters, "members")?.of(cluster).for_each(|id| members.insert(id));
        let pair = |name| self.column(ResultTable::Pairs, name);
        let (a, b, relation) = (pair("a")?, pair("b")?, pair("relation")?);
        let (a_in_b, b_in_a) = (pair("a_in_b")?, pair("b_in_a")?);
        let crosses = |row: &usize| members.has(a.place(*row)) != members.has(b.place(*row));
        let crossing: Vec<usize> = (0..a.len()).filter(crosses).collect();
        let sides = |row: usize| {
            let (a, b) = (a.place(row), b.place(row));
            if members.has(a) { (a, b) } else { (b, a) }
        };
        let joins = |row: usize| {
            let kind = Kind::ALL.get(relation.place(row));
            kind.is_some_and(|kind| self.files.joining.joins(*kind))
        };
        let mut ordered = crossing.clone();
        let strength = |row: usize| a_in_b.get(row).max(b_in_a.get(row));
        ordered.sort_by_key(|&row| (Reverse(strength(row)), row));
        ordered.truncate(limit);
        let mut n_related: BTreeMap<usize, u64> =
            ordered.iter().map(|&row| (sides(row).1, 0)).collect();
        for &row in crossing.iter().filter(|row| joins(**row)) {
            n_related.entry(sides(row).1).and_modify(|n| *n += 1);
        }
        let first_rows = self.first_rows()?;
        let clusters = self.lists(ResultTable::Documents, "cluster")?;
        let clusters_of = |id: usize| -> Vec<u64> {
            let row = first_rows.of(id);
            row.into_iter().flat_map(|row| clusters.of(row)).map(|other| other as u64).collect()
        };
        let reason = |row: usize, outside: usize| {
            if !joins(row) {
                let is_partial = relation.get(row) == Some(Kind::Partial as u64);
                return if is_partial { Outside::Partial } else { Outside::Containment };
            }
            let others = clusters_of(outside);
            if !others.is_empty() {
                return Outside::OtherClusters(others);
            }
            let n_related = n_related.get(&outside).copied().unwrap_or_default();
            Outside::TooFewMembers { n_related, n_members: members.count() }
        };
        let id = |code: usize| strings.get(code).unwrap_or_default().to_owned();
        let neighbours = ordered.into_iter().map(|row| {
            let (inside, outside) = sides(row);
            Ok(Neighbour {
                pair: self.read_row(ResultTable::Pairs, row)?,
                inside: id(inside),
                outside: id(outside),
                reason: reason(row, outside),
            })
        });
        neighbours.collect::<Result<_, _>>().map(Some)
    }

    /// Returns a pair by the number of its row, counted from 0; `None` if there is no such pair.
    pub fn pair(&self, number: u64) -> Result<Option<Row>, BrowseError> {
        self.row(ResultTable::Pairs, number)
    }

    /// Returns the first document with an id; `None` if there is none.
    pub fn document(&self, id: &str) -> Result<Option<Row>, BrowseError> {
        let Some(code) = self.strings(Dictionary::Ids)?.find(id) else { return Ok(None) };
        let row = self.first_rows()?.of(code);
        row.map(|row| self.read_row(ResultTable::Documents, row)).transpose()
    }

    /// Returns a page of the pairs that a document is in.
    pub fn pairs_of(&self, id: &str, request: &PageRequest) -> Result<Page, BrowseError> {
        let table = ResultTable::Pairs;
        let question = Question::parse(table, &request.filter, &request.sort)?;
        let name = names::find(table, "id").expect("pairs have the name `id`");
        let test = Test::Named(name, vec![Item::Exactly(id.to_owned())]);
        let question = question.with(Term { is_negated: false, test }, id);
        self.page_of(table, &question, request)
    }

    /// Returns the row of a cluster.
    fn cluster_row(&self, number: u64) -> Result<Option<usize>, BrowseError> {
        let numbers = self.column(ResultTable::Clusters, "id")?;
        // Clusters are numbered in the order of the table, so the first look is nearly always right.
        let first = usize::try_from(number).ok().filter(|row| numbers.get(*row) == Some(number));
        Ok(first.or_else(|| (0..numbers.len()).find(|row| numbers.get(*row) == Some(number))))
    }
}
