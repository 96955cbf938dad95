//! Room on the disk: writing ends before it is full, and resumes by itself.

use std::path::PathBuf;

use crate::problem::{Code, Problem};

/// Watches the room on the disk of a folder.
pub(crate) struct FreeSpace {
    folder: PathBuf,
    least: u64,
}

impl FreeSpace {
    pub(crate) fn new(folder: PathBuf, least: u64) -> Self {
        Self { folder, least }
    }

    /// Returns the bytes that are free; as many as there may be where the system does not tell.
    pub(crate) fn bytes(&self) -> u64 {
        rustix::fs::statvfs(&self.folder)
            .map_or(u64::MAX, |about| about.f_bavail.saturating_mul(about.f_frsize))
    }

    /// Refuses to write if there is too little room.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        let free = self.bytes();
        if free < self.least {
            let detail = format!("{free} bytes are free; nothing is written below {}", self.least);
            return Err(Problem::new(Code::NoSpace, detail).limit("free_bytes", self.least));
        }
        Ok(())
    }
}
