//! Takes what a job finds: as Arrow tables, and where it is asked for as a folder, too.

use std::collections::HashSet;
use std::path::Path;

use retold::{
    Beginning, Cluster, DocumentRow, Ending, Error, Outcome, Pair, Removal, Sink, Tables, Wants,
};
use retold_report::table::{Clusters, Documents, Pairs, Removals};

use crate::tables::{Filling, Table};

/// Takes what a job finds.
pub(crate) struct Taking {
    /// A folder beside the tables in memory.
    folder: Option<Tables>,
    has_shared_text: bool,
    is_deciding: bool,
    pairs: Filling<Pairs>,
    clusters: Filling<Clusters>,
    documents: Filling<Documents>,
    removed: Filling<Removals>,
    review: Filling<Removals>,
    /// Record of each document.
    records: Vec<u64>,
    /// Positions of removed documents.
    gone: HashSet<usize>,
    /// Where removed documents stand.
    gone_from: HashSet<(String, u64)>,
}

/// What was found.
#[derive(Clone)]
pub(crate) struct Taken {
    pub(crate) pairs: Table,
    pub(crate) clusters: Table,
    pub(crate) documents: Table,
    pub(crate) removed: Table,
    pub(crate) review: Table,
    pub(crate) is_deciding: bool,
    /// Records of the documents that stay, of those that were asked about.
    pub(crate) kept_rows: Vec<u64>,
    /// Where removed documents stand: file and record.
    pub(crate) gone_from: HashSet<(String, u64)>,
}

impl Taking {
    pub(crate) fn new(folder: Option<Tables>) -> Self {
        Self {
            folder,
            has_shared_text: true,
            is_deciding: false,
            pairs: Filling::new(),
            clusters: Filling::new(),
            documents: Filling::new(),
            removed: Filling::new(),
            review: Filling::new(),
            records: Vec::new(),
            gone: HashSet::new(),
            gone_from: HashSet::new(),
        }
    }

    /// Returns what was found, once the job is over.
    pub(crate) fn taken(mut self, outcome: &Outcome) -> Result<Taken, Error> {
        let manifest = outcome.manifest();
        let n_first = manifest.second_from.or(manifest.joined_from);
        let n_first = n_first.map_or(self.records.len(), |n_first| n_first as usize);
        let rows = self.records.iter().take(n_first).enumerate();
        let kept = rows.filter(|(position, _)| !self.gone.contains(position));
        let kept_rows = kept.map(|(_, row)| *row).collect();
        Ok(Taken {
            pairs: self.pairs.finish()?,
            clusters: self.clusters.finish()?,
            documents: self.documents.finish()?,
            removed: self.removed.finish()?,
            review: self.review.finish()?,
            is_deciding: self.is_deciding,
            kept_rows,
            gone_from: self.gone_from,
        })
    }
}

impl Sink for Taking {
    fn begin(&mut self, beginning: &Beginning<'_>) -> Result<(), Error> {
        self.has_shared_text = !beginning.job().no_shared_text();
        self.is_deciding = beginning.is_deciding();
        self.folder.as_mut().map_or(Ok(()), |folder| folder.begin(beginning))
    }

    fn wants(&self) -> Wants {
        let wants = Wants::nothing().pairs().documents().clusters();
        if self.has_shared_text { wants.shared_texts() } else { wants }
    }

    fn folder(&self) -> Option<&Path> {
        self.folder.as_ref().and_then(Sink::folder)
    }

    fn pair(&mut self, pair: &Pair<'_>) -> Result<(), Error> {
        self.pairs.push(pair.row())?;
        self.folder.as_mut().map_or(Ok(()), |folder| folder.pair(pair))
    }

    fn document(&mut self, row: &DocumentRow<'_>) -> Result<(), Error> {
        self.documents.push(row)?;
        self.records.push(row.record);
        self.folder.as_mut().map_or(Ok(()), |folder| folder.document(row))
    }

    fn cluster(&mut self, cluster: &Cluster<'_>) -> Result<(), Error> {
        self.clusters.push(cluster.row())?;
        self.folder.as_mut().map_or(Ok(()), |folder| folder.cluster(cluster))
    }

    fn removal(&mut self, removal: &Removal<'_>) -> Result<(), Error> {
        if removal.is_removed() {
            self.removed.push(removal.row())?;
            self.gone.insert(removal.position());
            self.gone_from.insert((removal.row().file.to_owned(), removal.row().record));
        } else {
            self.review.push(removal.row())?;
        }
        self.folder.as_mut().map_or(Ok(()), |folder| folder.removal(removal))
    }

    fn finish(&mut self, ending: &mut Ending<'_>) -> Result<(), Error> {
        self.folder.as_mut().map_or(Ok(()), |folder| folder.finish(ending))
    }
}
