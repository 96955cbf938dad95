//! Archives: members one after another, each a stream; nothing is unpacked to disk.
//!
//! A member's name is a label and never becomes a path. Only regular members are read; links,
//! devices and encrypted members are refused by name, hidden ones left out as in directories.

use crate::bad::{Fault, escape};
use crate::stream::Stream;

/// A member of an archive.
pub(crate) struct Member {
    /// Its name, escaped: it goes into ids.
    pub(crate) name: String,
    /// Its bytes, or why they are not read.
    pub(crate) content: Result<Stream, String>,
}

/// Walks an archive.
pub(crate) trait Members: Send {
    /// Returns the next member, or `None` at the end. It is not called again after the end or a
    /// fault.
    fn next(&mut self) -> Result<Option<Member>, Fault>;
}

/// Makes a label of a member's name.
pub(crate) fn label(name: &[u8], path_bytes: u32) -> Result<String, String> {
    let shown = escape(&String::from_utf8_lossy(name));
    if name.len() > path_bytes as usize {
        let n = name.len();
        return Err(format!(
            "a member's name of {n} bytes is longer than the limit of {path_bytes} (`path_bytes`)"
        ));
    }
    Ok(shown)
}

/// Returns whether a member is hidden, as `.git/config` is.
pub(crate) fn is_hidden(name: &str) -> bool {
    name.split(['/', '\\']).any(|part| {
        part.strip_prefix('.').is_some_and(|rest| !rest.is_empty() && !rest.starts_with('.'))
    })
}

/// Counts members against the limit.
#[derive(Debug)]
pub(crate) struct Entries {
    seen: u64,
    limit: u64,
}

impl Entries {
    pub(crate) fn new(limit: u64) -> Self {
        Self { seen: 0, limit }
    }

    /// Counts one more.
    pub(crate) fn add(&mut self) -> Result<(), Fault> {
        self.seen += 1;
        if self.seen > self.limit {
            let limit = self.limit;
            return Err(Fault::rest(
                None,
                format!("the archive has more than {limit} members (`entries`)"),
            ));
        }
        Ok(())
    }
}
