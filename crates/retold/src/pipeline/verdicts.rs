//! Where each document stands in clusters that may overlap.

use retold_core::document::Ordinal;

use super::bits::Bits;
use super::clusters::ClusterLog;
use crate::error::Error;

/// In no cluster.
const NONE: u32 = u32::MAX;

/// Clusters by document.
pub(crate) struct Verdicts {
    /// The cluster that decides what is said of a document: one that it represents, else its first.
    main: Vec<u32>,
    /// All clusters of the documents that are in several, by document and cluster.
    several: Vec<(Ordinal, u32)>,
    n_kept: u64,
    n_in_several: u64,
}

impl Verdicts {
    /// Looks at all clusters.
    pub(crate) fn new(clusters: &ClusterLog, n_documents: usize) -> Result<Self, Error> {
        let mut main = vec![NONE; n_documents];
        let mut in_several = Bits::new(n_documents);
        for (id, cluster) in (0..).zip(clusters.iter()) {
            for member in cluster?.members {
                let main = &mut main[member.index()];
                if *main == NONE {
                    *main = id;
                } else {
                    in_several.insert(member);
                }
            }
        }
        let n_in_several = in_several.len();
        let mut several = Vec::new();
        if n_in_several > 0 {
            for (id, cluster) in (0..).zip(clusters.iter()) {
                let members = cluster?.members.into_iter();
                let members = members.filter(|&member| in_several.contains(member));
                several.extend(members.map(|member| (member, id)));
            }
            several.sort_unstable();
        }
        let mut is_kept = Bits::new(n_documents);
        for id in 0..clusters.len() {
            let kept = clusters.representative(id);
            if is_kept.insert(kept) {
                main[kept.index()] = id as u32;
            }
        }
        Ok(Self { main, several, n_kept: is_kept.len(), n_in_several })
    }

    /// All clusters of a document, ascending, if it is in several.
    pub(crate) fn several(&self, doc: Ordinal) -> Vec<u32> {
        let from = self.several.partition_point(|entry| entry.0 < doc);
        let of_doc = self.several[from..].iter().take_while(|entry| entry.0 == doc);
        of_doc.map(|entry| entry.1).collect()
    }

    /// The cluster that decides what is said of a document.
    pub(crate) fn main(&self, doc: Ordinal) -> Option<u32> {
        Some(self.main[doc.index()]).filter(|&id| id != NONE)
    }

    pub(crate) fn n_clustered(&self) -> u64 {
        self.main.iter().filter(|&&id| id != NONE).count() as u64
    }

    pub(crate) fn n_kept(&self) -> u64 {
        self.n_kept
    }

    pub(crate) fn n_in_several(&self) -> u64 {
        self.n_in_several
    }
}
