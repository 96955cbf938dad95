//! A collection that remembers: documents, what methods keep of them, and posting lists, on disk.
//!
//! [`IndexWriter`] adds, replaces and removes documents; there is one at a time. [`Index`] is one
//! state of an index as readers see it, whatever a writer does meanwhile. What lies where on disk is
//! the matter of the crate `retold-index`; here documents become entries and questions become answers.

mod adding;
mod asking;
mod comparing;
mod documents;
mod filter;
mod maintaining;
mod methods;
mod own_runs;
mod reading;
mod record;
mod refreshing;
mod watching;
mod writing;

pub use self::adding::{Added, PutDone};
pub use self::asking::{Asking, Explanation, Rank, Searched};
pub(crate) use self::documents::IndexDocuments;
pub use self::filter::Filter;
pub use self::maintaining::{backup_index, check_index, is_index, repair_index, restore_index};
pub use self::methods::{Epoch, TextStorage};
pub use self::reading::{Index, IndexStats, MethodStats, StoredDocument};
pub use self::watching::{Following, Watch, WatchOptions};
pub use self::writing::{Expired, IndexOptions, IndexWriter};
