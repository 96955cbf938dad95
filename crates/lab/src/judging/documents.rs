//! Documents of a collection by their ids: what a judge is shown.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use retold::{BadRecord, Document, Resources, Stage};
use retold_read::{Again, Place, Reader, discover};

use super::pool::Pool;
use crate::error::Error;

/// Some documents of a pool's collection, by their ids.
pub struct PoolDocuments {
    again: Again,
    held: HashMap<String, Held>,
    /// Ids that no document has.
    missing: Vec<String>,
}

enum Held {
    /// Read from its file when it is asked for.
    At(Place),
    /// Kept in memory: a document of an archive or a stream cannot be read alone.
    Whole(Box<Document>),
}

impl PoolDocuments {
    /// Looks for documents in the collection of a pool, which is read once. `paths` is where it is
    /// now; if empty, it is where the pool says. If several documents have the same id, the first
    /// is taken.
    pub fn open(
        pool: &Pool,
        paths: &[PathBuf],
        wanted: &BTreeSet<String>,
        resources: &Resources,
    ) -> Result<Self, Error> {
        let (progress, stop) = (resources.progress_listener(), resources.stop_wish());
        let stored: Vec<PathBuf> = pool.header.paths.iter().map(PathBuf::from).collect();
        let found = discover(if paths.is_empty() { &stored } else { paths })?;
        let options = pool.header.read_options()?;
        found.skipped.iter().for_each(|bad| progress.bad(bad));
        progress.begin(Stage::Read, found.files.iter().map(|file| file.bytes).sum());
        let again = Again::new(&found.files, &options);
        let mut reader = Reader::new(found.files, options);
        let mut held: HashMap<String, Held> = HashMap::new();
        let mut n_documents = 0;
        while held.len() < wanted.len()
            && let Some(batch) = reader.next_batch()
        {
            Error::if_stopped(stop, Stage::Read, n_documents)?;
            batch.parse(&mut |record| match record {
                Ok(record) => {
                    n_documents += 1;
                    let id = &record.document.id;
                    if wanted.contains(id) && !held.contains_key(id) {
                        let id = id.clone();
                        let document = match record.place.again {
                            Some(_) => Held::At(record.place),
                            None => Held::Whole(Box::new(record.document)),
                        };
                        held.insert(id, document);
                    }
                }
                Err(bad) => progress.bad(&bad),
            });
            progress.at(reader.bytes_read(), n_documents as u64);
        }
        progress.end();
        let missing = wanted.iter().filter(|id| !held.contains_key(*id)).cloned().collect();
        Ok(Self { again, held, missing })
    }

    /// Returns a document.
    pub fn document(&self, id: &str) -> Result<Document, Error> {
        let document = match self.held.get(id) {
            Some(Held::At(place)) => self.again.document(place, id),
            Some(Held::Whole(document)) => Ok(Document::clone(document)),
            None => Err(BadRecord {
                file: id.to_owned(),
                record: None,
                offset: None,
                reason: "no document of the collection has this id".to_owned(),
            }),
        };
        document.map_err(|bad| retold::Error::Input(bad).into())
    }

    /// Returns the ids that no document has, in order.
    pub fn missing(&self) -> &[String] {
        &self.missing
    }
}
