//! The stored index of Retold.

use std::path::Path;
use std::sync::Arc;

use retold_core::candidates::stored::Entry;
use retold_core::hash::mix;
use retold_index::{Folder, Kept, Put, Settings, Snapshot, Writer};

use crate::data::Document;
use crate::{Result, Store};

/// An index of documents with ids, identities and entries, and without text. Merges are part of
/// the loading.
pub struct Ours {
    writer: Writer,
    snapshot: Option<Arc<Snapshot>>,
}

impl Ours {
    pub fn create(folder: &Path) -> Result<Self> {
        let disk = Arc::new(Folder::open(folder)?);
        let writer = Writer::create(disk, Settings::new(serde_json::json!({}), 1))?;
        Ok(Self { writer, snapshot: None })
    }
}

impl Store for Ours {
    fn load(&mut self, batch: &[Document]) -> Result<()> {
        for document in batch {
            let entry = Entry {
                keys: document.keys.iter().map(|key| (*key, 0)).collect(),
                ..Entry::default()
            };
            let number = u64::from(document.number);
            let identity = u128::from(mix(number)) << 64 | u128::from(number);
            self.writer.put(Put {
                id: format!("document-{number}"),
                methods: vec![Some(Kept { identity: Some(identity), entry: Some(entry) })],
                ..Put::default()
            })?;
        }
        self.writer.commit()?;
        self.writer.maintain()?;
        Ok(())
    }

    /// What is still in the log becomes a part, so that all is in its last form.
    fn finish(&mut self) -> Result<()> {
        self.writer.flush()?;
        self.writer.maintain()?;
        self.snapshot = Some(self.writer.snapshot()?);
        Ok(())
    }

    fn look_up(&mut self, keys: &[u64], each: &mut dyn FnMut(u64, u32)) -> Result<()> {
        let snapshot = self.snapshot.as_ref().ok_or("looked up before the end")?;
        let mut found = Vec::new();
        for &key in keys {
            found.clear();
            snapshot.list(0, key, &mut found)?;
            for &(ordinal, _) in &found {
                // Nothing is removed here, so documents keep their order.
                each(key, ordinal);
            }
        }
        Ok(())
    }
}
