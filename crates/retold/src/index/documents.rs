//! The documents of an index as a source, in the order of their coming.

use std::sync::Arc;

use retold_read::BadRecord;

use super::Index;
use crate::error::Error;
use crate::source::{Opened, Opening, Source};

/// All documents of one state of an index.
pub(crate) struct IndexDocuments {
    index: Index,
    name: String,
}

impl IndexDocuments {
    /// Takes the documents of the same state as `index` has.
    pub(crate) fn of(index: &Index) -> Result<Self, Error> {
        let (snapshot, methods) = (Arc::clone(&index.snapshot), Arc::clone(&index.methods));
        let name = index.path.display().to_string();
        let index = Index::of(index.path.clone(), snapshot, Some(methods))?;
        Ok(Self { index, name })
    }

    /// Gives the documents another name.
    pub(super) fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }
}

impl Source for IndexDocuments {
    fn open(self: Box<Self>, _: &Opening<'_>) -> Result<Opened, Error> {
        let Self { index, name } = *self;
        let file = name.clone();
        let docs: Vec<u32> = index.snapshot.ordinals().collect();
        let documents = docs.into_iter().map(move |doc| {
            index.document_at(doc).map_err(|error| BadRecord {
                file: file.clone(),
                record: Some(u64::from(doc)),
                offset: None,
                reason: error.to_string(),
            })
        });
        Ok(Opened::new(name, documents))
    }
}
