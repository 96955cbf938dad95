//! What an index takes, and where.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Snapshot, name_of};
use crate::manifest::Written;
use crate::part::Footer;
use crate::table::Table;

/// What an index takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stats {
    /// Number of the last commit.
    pub commit: u64,
    /// How often all documents were put anew.
    pub epoch: u64,
    /// How often the manifest was replaced.
    pub generation: u64,
    /// Documents that are there.
    pub n_documents: u64,
    /// Bytes of the log.
    pub log_bytes: u64,
    /// The parts in order, those in memory last.
    pub parts: Vec<PartStats>,
    /// Bytes of the values in files of their own, by their names.
    pub attachments: BTreeMap<String, u64>,
    /// Bytes on the disk by what they hold.
    pub sections: Sections,
    /// Bytes written since the index was made. A document is written once to the log, once to a
    /// part, and again with every merge: `(flushed + merged) / flushed` is how often.
    pub written: Written,
}

/// What one part takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PartStats {
    /// Name of its file.
    pub name: String,
    /// Whether it is in memory only, its documents in the log.
    pub is_in_memory: bool,
    /// Bytes of its file.
    pub n_bytes: u64,
    /// Documents in it.
    pub n_documents: u32,
    /// Documents of it that were removed.
    pub n_removed: u32,
    /// Postings in it, of all methods.
    pub n_postings: u64,
    /// Oldest and newest time of its documents.
    pub times: Option<(i64, i64)>,
    /// Sequence numbers of its first and last document.
    pub seqs: (u64, u64),
    /// Bytes of ids, records and texts before compression.
    pub content_bytes: u64,
}

/// Bytes of parts and attachments by what they hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sections {
    /// Texts.
    pub texts: u64,
    /// Ids and records.
    pub records: u64,
    /// Table of documents.
    pub documents: u64,
    /// Table of ids.
    pub ids: u64,
    /// Tables of identities.
    pub identities: u64,
    /// Facts.
    pub facts: u64,
    /// Posting lists.
    pub lists: u64,
    /// Postings in them.
    pub n_postings: u64,
    /// Images.
    pub images: u64,
    /// Codes of tiny documents.
    pub tiny: u64,
    /// Code sets of long documents.
    pub code_sets: u64,
    /// Attachments.
    pub attachments: u64,
}

impl Sections {
    fn add(&mut self, footer: &Footer) {
        let table = |table: &Table| table.n_bytes().unwrap_or(0);
        let optional = |it: &Option<Table>| it.as_ref().map_or(0, table);
        self.texts += footer.texts.all_bytes();
        self.records += footer.records.all_bytes();
        self.documents += table(&footer.documents);
        self.ids += footer.ids.n_bytes() + table(&footer.id_filter);
        for method in &footer.methods {
            self.identities += optional(&method.kept)
                + method.identities.map_or(0, |identities| identities.n_bytes())
                + optional(&method.identity_filter)
                + optional(&method.followed)
                + optional(&method.later);
            self.facts += optional(&method.facts);
            if let Some(lists) = &method.lists {
                self.lists += lists.n_bytes() + table(&lists.first_keys);
                self.n_postings += lists.n_postings;
            }
            self.images += method.images.map_or(0, |heap| heap.all_bytes());
            self.tiny += method.tiny.map_or(0, |tiny| tiny.n_bytes());
            self.code_sets += method.code_sets.map_or(0, |heap| heap.all_bytes());
        }
    }
}

impl Snapshot {
    /// Returns what the index takes.
    pub fn stats(&self) -> Stats {
        let attached = self.attached.values();
        let attachments = attached.clone().map(|one| (one.name.clone(), one.n_bytes)).collect();
        let mut sections = Sections {
            attachments: attached.map(|one| one.file_bytes()).sum(),
            ..Sections::default()
        };
        let parts = self
            .views
            .iter()
            .map(|view| {
                let footer = &view.part.footer;
                let is_in_memory = view.part.is_in_memory();
                if !is_in_memory {
                    sections.add(footer);
                }
                let lists = footer.methods.iter().filter_map(|method| method.lists.as_ref());
                PartStats {
                    name: name_of(view),
                    is_in_memory,
                    n_bytes: view.part.file.len,
                    n_documents: footer.n_documents,
                    n_removed: view.removed.n_set(),
                    n_postings: lists.map(|lists| lists.n_postings).sum(),
                    times: footer.times,
                    seqs: footer.seqs,
                    content_bytes: footer.content_bytes,
                }
            })
            .collect();
        Stats {
            commit: self.commit,
            epoch: self.manifest.epoch,
            generation: self.manifest.generation,
            n_documents: u64::from(self.n_documents()),
            log_bytes: self.log_bytes,
            parts,
            attachments,
            sections,
            written: self.manifest.written,
        }
    }
}
