//! A stream that fails if one record takes too many bytes.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::stream::{Stream, past};

/// Read-ahead of the parsers above; a record is not charged for it.
const AHEAD: u64 = 256 << 10;

/// Bytes of a stream, counted since the last record began.
pub(crate) struct Metered {
    stream: Stream,
    meter: Meter,
    limit: u64,
    reason: String,
}

/// Resets the count; held by the parser, which knows where records begin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter(Arc<AtomicU64>);

impl Meter {
    /// Starts a new record.
    pub(crate) fn reset(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

impl Metered {
    /// Bounds a stream: past `limit` bytes for one record, reading fails with `reason`.
    pub(crate) fn new(stream: Stream, limit: u64, reason: String) -> (Self, Meter) {
        let meter = Meter::default();
        (Self { stream, meter: meter.clone(), limit: limit.saturating_add(AHEAD), reason }, meter)
    }
}

impl Read for Metered {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.stream.read(buffer)?;
        let used = self.meter.0.fetch_add(n as u64, Ordering::Relaxed) + n as u64;
        if used > self.limit {
            return Err(past(self.reason.clone()));
        }
        Ok(n)
    }
}
