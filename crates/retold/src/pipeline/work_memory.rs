//! Memory for documents in work: a thread waits until the document it takes up fits in.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::progress::Stop;

/// Memory that threads share, in bytes.
pub(crate) struct WorkMemory {
    all: usize,
    state: Mutex<State>,
    freed: Condvar,
}

struct State {
    n_free: usize,
    /// Threads that wait for more.
    n_waiting: usize,
}

/// A part of the memory, given back when it is dropped.
pub(crate) struct Part<'a> {
    memory: &'a WorkMemory,
    n_bytes: usize,
}

impl WorkMemory {
    /// Makes a memory of so many bytes.
    pub(crate) fn new(all: usize) -> Self {
        let state = State { n_free: all, n_waiting: 0 };
        Self { all, state: Mutex::new(state), freed: Condvar::new() }
    }

    /// Waits until there are so many bytes, or all if it is more than all; gives up waiting when it
    /// is asked to stop. A thread takes one part at a time.
    pub(crate) fn take(&self, n_bytes: usize, stop: &Stop) -> Part<'_> {
        let n_bytes = n_bytes.min(self.all);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.n_free < n_bytes && !stop.is_set() {
            state.n_waiting += 1;
            let waited = self.freed.wait_timeout(state, Duration::from_millis(100));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            state.n_waiting -= 1;
        }
        let n_bytes = n_bytes.min(state.n_free);
        state.n_free -= n_bytes;
        Part { memory: self, n_bytes }
    }
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        let mut state = self.memory.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.n_free += self.n_bytes;
        // PERF: waking asks the system even where nobody waits, which is once for every document.
        if state.n_waiting > 0 {
            self.memory.freed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn threads_never_hold_more_than_there_is() {
        let (room, stop) = (WorkMemory::new(10), Stop::new());
        let held = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for n_bytes in [3, 4, 5, 10, 700] {
                let (room, stop, held) = (&room, &stop, &held);
                scope.spawn(move || {
                    for _ in 0..50 {
                        let _place = room.take(n_bytes, stop);
                        let now = held.fetch_add(n_bytes.min(10), Ordering::SeqCst);
                        assert!(now + n_bytes.min(10) <= 10);
                        held.fetch_sub(n_bytes.min(10), Ordering::SeqCst);
                    }
                });
            }
        });
        let state = room.state.lock().expect("no thread failed");
        assert_eq!((state.n_free, state.n_waiting), (10, 0));
    }
}
