//! What the server accepts: readable beforehand, and named when it is met.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much one request, one key and all together may ask for.
///
/// ```
/// assert_eq!(retold_server::Limits::default().body_bytes, 16 << 20);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of the body of a request, bulk requests apart. The default is 16 MiB.
    pub body_bytes: u64,
    /// Bytes of the bodies of all requests together that have to be in memory. The default is 512 MiB.
    pub bodies_bytes: u64,
    /// Bytes of one record of a bulk request. The default is 64 MiB.
    pub record_bytes: u64,
    /// Bytes of a bulk request that is accepted or refused as a whole. The default is 64 MiB.
    pub atomic_bytes: u64,
    /// Bytes of an uploaded file. The default is 4 GiB.
    pub file_bytes: u64,
    /// Bytes of the id of a document. The default is 4,096.
    pub id_bytes: u64,
    /// Failing lines that the answer to a bulk request lists. The default is 1,000.
    pub listed_failures: u64,
    /// Rows of one page. The default is 1,000.
    pub page_rows: u64,
    /// Hits of one answer. The default is 1,000.
    pub hits: u64,
    /// Hits of a full-text search that are folded together. The default is 200.
    pub folded_hits: u64,
    /// Milliseconds that documents are compared with a question. The default is 10,000.
    pub query_ms: u64,
    /// Milliseconds until the headers of a request are there. The default is 10,000.
    pub header_ms: u64,
    /// Milliseconds without a byte of a body, in either direction. The default is 30,000.
    pub idle_ms: u64,
    /// Connections at once. The default is 1,024.
    pub connections: u64,
    /// Pieces of work at once; one client gets at most a quarter of them. The default is four times the
    /// number of processors.
    pub concurrent: u64,
    /// Requests that wait for their turn. The default is 1,000.
    pub waiting: u64,
    /// Requests that may wait for their turn however long that takes. The default is 64.
    pub always_waiting: u64,
    /// Milliseconds that further requests wait for their turn, or four times as long as the last ones of
    /// the same client took, if that is more. The default is 100.
    pub wait_ms: u64,
    /// Requests a second that a key may make, unless the key says otherwise. The default is 100.
    pub requests_per_second: u64,
    /// Streams of events at once. The default is 256.
    pub streams: u64,
    /// Jobs that wait. The default is 1,000.
    pub waiting_jobs: u64,
    /// Bytes of free disk below which nothing is written. The default is 256 MiB.
    pub free_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        let n_processors = std::thread::available_parallelism().map_or(1, usize::from) as u64;
        Self {
            body_bytes: 16 << 20,
            bodies_bytes: 512 << 20,
            record_bytes: 64 << 20,
            atomic_bytes: 64 << 20,
            file_bytes: 4 << 30,
            id_bytes: 4_096,
            listed_failures: 1_000,
            page_rows: 1_000,
            hits: 1_000,
            folded_hits: 200,
            query_ms: 10_000,
            header_ms: 10_000,
            idle_ms: 30_000,
            connections: 1_024,
            concurrent: 4 * n_processors,
            waiting: 1_000,
            always_waiting: 64,
            wait_ms: 100,
            requests_per_second: 100,
            streams: 256,
            waiting_jobs: 1_000,
            free_bytes: 256 << 20,
        }
    }
}

impl Limits {
    pub(crate) fn idle(&self) -> Duration {
        Duration::from_millis(self.idle_ms)
    }
}
