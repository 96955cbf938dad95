//! The stored index of Retold: documents, and what each method keeps of them, in a folder that
//! survives crashes.
//!
//! A [`Writer`] puts documents in and removes them, in groups that are durable after
//! [`Writer::commit`], all or nothing. A [`Snapshot`] is the index as it was at one commit; it is
//! read while the writer goes on, in the same process or in another. What texts mean is not
//! known here: ids, times, records, texts and the entries of methods come and go as they are.
//!
//! # How it is stored
//! A *log* makes groups durable. From time to time its documents become a *part*, an immutable
//! file of compressed texts, tables and sorted posting lists; parts are merged in tiers. The
//! *manifest* says which parts and which log are the index, and is replaced in one step. What was
//! removed from a part stands in a bitmap beside it until the part is merged. Values of the caller's
//! are *states*, small ones in the log, or *attachments*, in files of their own. Every block has a
//! checksum that is made of its place as well as its bytes, and is verified whenever the block is
//! read. The bytes are described in `docs/index-format.md`.
//!
//! # What is assumed of the disk
//! See [`disk`].
//!
//! ```
//! use std::sync::Arc;
//! use retold_core::candidates::stored::Entry;
//! use retold_index::{Kept, Put, Settings, Writer, disk::Simulated};
//!
//! # fn main() -> Result<(), retold_index::Error> {
//! let settings = Settings::new(serde_json::json!({ "methods": ["anchor"] }), 1);
//! let mut writer = Writer::create(Arc::new(Simulated::new()), settings)?;
//! let entry = Entry { keys: vec![(7, 0)], ..Entry::default() };
//! let kept = Kept { identity: Some(1), entry: Some(entry) };
//! writer.put(Put {
//!     id: "a".to_owned(),
//!     text: b"told again".to_vec(),
//!     methods: vec![Some(kept)],
//!     ..Put::default()
//! })?;
//! writer.commit()?;
//! let snapshot = writer.snapshot()?;
//! let mut found = Vec::new();
//! snapshot.list(0, 7, &mut found)?;
//! assert_eq!(snapshot.document(found[0].0)?.text, b"told again");
//! # Ok(())
//! # }
//! ```

mod attachment;
mod backup;
mod bitmap;
mod bits;
mod check;
#[doc(hidden)]
pub mod decoders;
pub mod disk;
mod document;
mod error;
mod filter;
mod format;
mod heap;
mod lists;
mod live;
mod log;
mod manifest;
mod part;
mod removed;
mod repair;
mod snapshot;
mod sorted;
mod steps;
mod table;
mod writer;

pub use self::attachment::{AttachmentReader, AttachmentWriter};
pub use self::backup::{Copied, backup, restore};
pub use self::check::{CheckReport, Problem, check};
pub use self::disk::{Disk, DiskFile, Folder};
pub use self::document::{
    FlushLimits, Kept, MOST_DOCUMENT_BYTES, MOST_ENTRY_BYTES, MOST_FACTS_BYTES, MOST_ID_BYTES,
    MOST_METHODS, MOST_RECORD_BYTES, MOST_STATE_BYTES, MOST_STATE_NAME_BYTES, MOST_TEXT_BYTES, Put,
    PutOutcome, Settings, content_hash,
};
pub use self::error::{Error, Result};
pub use self::format::VERSION as FORMAT;
pub use self::manifest::Written;
pub use self::repair::{DroppedAttachment, DroppedPart, RepairReport, repair};
pub use self::snapshot::{PartStats, Sections, Snapshot, Stats, Stored};
pub use self::steps::STEPS;
pub use self::writer::{Expired, MergeJob, MergedPart, Purged, Rebuild, Writer, hash_of};
