//! The audit log: one line of JSON for every request that may change something, and for every one that
//! was not let in. Names stand in it escaped, keys by their ids.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use crate::time::{now, rfc3339};

/// Writes the audit log.
pub(crate) struct Audit {
    file: Mutex<File>,
}

/// One line.
#[derive(Serialize)]
pub(crate) struct Line<'a> {
    /// Who: the key by its id, or the address.
    pub(crate) client: &'a str,
    /// Name of the key.
    pub(crate) name: &'a str,
    /// The address that the request came from.
    pub(crate) address: &'a str,
    pub(crate) method: &'a str,
    /// The address of the thing, without the query.
    pub(crate) path: &'a str,
    pub(crate) status: u16,
    /// Why it was not served.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<&'a str>,
    /// What went wrong inside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<&'a str>,
}

impl Audit {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        Ok(Self { file: Mutex::new(file) })
    }

    /// Writes a line. A log that cannot be written does not stop the server.
    pub(crate) fn write(&self, line: &Line<'_>) {
        #[derive(Serialize)]
        struct Dated<'a> {
            time: String,
            #[serde(flatten)]
            line: &'a Line<'a>,
        }
        let dated = Dated { time: rfc3339(now()), line };
        if let Ok(mut text) = serde_json::to_vec(&dated) {
            text.push(b'\n');
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = file.write_all(&text);
        }
    }
}
