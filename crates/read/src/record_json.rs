//! One record of JSON as a document, for callers that have their records one by one.

use retold_core::document::Document;

use crate::fields::Names;
use crate::options::{Limits, ReadOptions};
use crate::scan;

/// Makes documents of single records of JSON, by the same rules as a file of JSON Lines is read.
///
/// ```
/// use retold_read::{JsonRecords, ReadOptions};
///
/// let records = JsonRecords::new(&ReadOptions::default());
/// let document = records.document(br#"{"id": 7, "body": "some text"}"#).unwrap();
/// assert_eq!((document.id.as_str(), document.text.as_str()), ("7", "some text"));
/// assert_eq!(records.document(b"[]").unwrap_err().0, 0);
/// ```
pub struct JsonRecords {
    names: Names,
    limits: Limits,
}

impl JsonRecords {
    /// Takes names of fields and limits from `options`.
    pub fn new(options: &ReadOptions) -> Self {
        Self { names: Names::new(options), limits: options.limits }
    }

    /// Reads one object; the id is empty if it has none.
    ///
    /// *Errors* with the byte of the record and the reason.
    pub fn document(&self, json: &[u8]) -> Result<Document, (usize, String)> {
        if json.len() as u64 > self.limits.line_bytes {
            let most = self.limits.line_bytes;
            return Err((0, format!("the record is longer than {most} bytes")));
        }
        if let Some(at) = memchr::memchr(0, json) {
            return Err((at, "a NUL byte stands in the record".to_owned()));
        }
        let json = std::str::from_utf8(json)
            .map_err(|error| (error.valid_up_to(), "the record is not UTF-8".to_owned()))?;
        let document = scan::document(json, &self.names, self.limits.json_depth)
            .map_err(|error| (error.at, error.reason))?;
        if document.text.len() as u64 > self.limits.document_bytes {
            let most = self.limits.document_bytes;
            return Err((0, format!("the text is longer than {most} bytes")));
        }
        Ok(document)
    }
}
