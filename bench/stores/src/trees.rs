//! Stores that keep postings in a B-tree.
//!
//! A batch is sorted first: that is faster for both of them. Postings are either keys of the tree
//! by themselves, five bytes of key and four of document, so that the postings of a key are
//! neighbours; or a key with several values.

use std::path::Path;

use heed::byteorder::NativeEndian as Native;
use heed::types::{Bytes, U32, U64, Unit};
use heed::{Database, DatabaseFlags, Env, EnvOpenOptions, IntegerComparator};
use redb::{MultimapTableDefinition, ReadableDatabase as _, TableDefinition};

use crate::data::Document;
use crate::{Result, Store};

/// Room for the largest LMDB; it is address space, not memory.
const MAP_BYTES: usize = 64 << 30;

/// Returns all postings of a batch, ascending.
fn postings(batch: &[Document]) -> Vec<(u64, u32)> {
    let all =
        batch.iter().flat_map(|document| document.keys.iter().map(|key| (*key, document.number)));
    let mut postings: Vec<(u64, u32)> = all.collect();
    postings.sort_unstable();
    postings
}

/// Puts a posting into nine bytes that are in its order.
fn composed((key, document): (u64, u32)) -> [u8; 9] {
    let mut bytes = [0; 9];
    bytes[..5].copy_from_slice(&key.to_be_bytes()[3..]);
    bytes[5..].copy_from_slice(&document.to_be_bytes());
    bytes
}

fn document_of(bytes: &[u8]) -> u32 {
    bytes[5..].iter().fold(0, |document, byte| document << 8 | u32::from(*byte))
}

#[expect(unsafe_code, reason = "LMDB maps a file; nobody else writes to the temporary folder")]
fn open_lmdb(folder: &Path) -> Result<Env> {
    Ok(unsafe { EnvOpenOptions::new().map_size(MAP_BYTES).open(folder)? })
}

/// LMDB with composed keys.
pub struct Lmdb {
    env: Env,
    tree: Database<Bytes, Unit>,
}

impl Lmdb {
    pub fn create(folder: &Path) -> Result<Self> {
        let env = open_lmdb(folder)?;
        let mut change = env.write_txn()?;
        let tree = env.create_database(&mut change, None)?;
        change.commit()?;
        Ok(Self { env, tree })
    }
}

impl Store for Lmdb {
    fn load(&mut self, batch: &[Document]) -> Result<()> {
        let mut change = self.env.write_txn()?;
        for posting in postings(batch) {
            self.tree.put(&mut change, &composed(posting), &())?;
        }
        Ok(change.commit()?)
    }

    fn look_up(&mut self, keys: &[u64], each: &mut dyn FnMut(u64, u32)) -> Result<()> {
        let view = self.env.read_txn()?;
        for &key in keys {
            for found in self.tree.prefix_iter(&view, &composed((key, 0))[..5])? {
                each(key, document_of(found?.0));
            }
        }
        Ok(())
    }
}

/// LMDB with several values of a key.
pub struct LmdbDuplicates {
    env: Env,
    tree: Database<U64<Native>, U32<Native>, IntegerComparator, IntegerComparator>,
}

impl LmdbDuplicates {
    pub fn create(folder: &Path) -> Result<Self> {
        let env = open_lmdb(folder)?;
        let mut change = env.write_txn()?;
        let tree = env
            .database_options()
            .types()
            .key_comparator()
            .dup_sort_comparator()
            .flags(DatabaseFlags::DUP_SORT | DatabaseFlags::DUP_FIXED)
            .create(&mut change)?;
        change.commit()?;
        Ok(Self { env, tree })
    }
}

impl Store for LmdbDuplicates {
    fn load(&mut self, batch: &[Document]) -> Result<()> {
        let mut change = self.env.write_txn()?;
        for (key, document) in postings(batch) {
            self.tree.put(&mut change, &key, &document)?;
        }
        Ok(change.commit()?)
    }

    fn look_up(&mut self, keys: &[u64], each: &mut dyn FnMut(u64, u32)) -> Result<()> {
        let view = self.env.read_txn()?;
        for &key in keys {
            for found in self.tree.get_duplicates(&view, &key)?.into_iter().flatten() {
                each(key, found?.1);
            }
        }
        Ok(())
    }
}

const POSTINGS: TableDefinition<'_, &[u8; 9], ()> = TableDefinition::new("postings");
const LISTS: MultimapTableDefinition<'_, u64, u32> = MultimapTableDefinition::new("lists");

/// redb with composed keys.
pub struct Redb(redb::Database);

impl Redb {
    pub fn create(folder: &Path) -> Result<Self> {
        Ok(Self(redb::Database::create(folder.join("redb"))?))
    }
}

impl Store for Redb {
    fn load(&mut self, batch: &[Document]) -> Result<()> {
        let change = self.0.begin_write()?;
        {
            let mut table = change.open_table(POSTINGS)?;
            for posting in postings(batch) {
                table.insert(&composed(posting), ())?;
            }
        }
        Ok(change.commit()?)
    }

    fn look_up(&mut self, keys: &[u64], each: &mut dyn FnMut(u64, u32)) -> Result<()> {
        let view = self.0.begin_read()?;
        let table = view.open_table(POSTINGS)?;
        for &key in keys {
            let (first, last) = (composed((key, 0)), composed((key, u32::MAX)));
            for found in table.range::<&[u8; 9]>(&first..=&last)? {
                each(key, document_of(found?.0.value()));
            }
        }
        Ok(())
    }
}

/// redb with several values of a key.
pub struct RedbMulti(redb::Database);

impl RedbMulti {
    pub fn create(folder: &Path) -> Result<Self> {
        Ok(Self(redb::Database::create(folder.join("redb"))?))
    }
}

impl Store for RedbMulti {
    fn load(&mut self, batch: &[Document]) -> Result<()> {
        let change = self.0.begin_write()?;
        {
            let mut table = change.open_multimap_table(LISTS)?;
            for (key, document) in postings(batch) {
                table.insert(key, document)?;
            }
        }
        Ok(change.commit()?)
    }

    fn look_up(&mut self, keys: &[u64], each: &mut dyn FnMut(u64, u32)) -> Result<()> {
        let view = self.0.begin_read()?;
        let table = view.open_multimap_table(LISTS)?;
        for &key in keys {
            for found in table.get(key)? {
                each(key, found?.value());
            }
        }
        Ok(())
    }
}
