//! Memory for the bodies of requests: all together may take so much, whoever asks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::problem::{Code, Problem};

/// What all bodies may take.
pub(crate) struct Budget {
    most: u64,
    taken: AtomicU64,
}

/// What one request takes; given back when it is dropped.
pub(crate) struct Held {
    budget: Arc<Budget>,
    bytes: u64,
}

impl Budget {
    pub(crate) fn new(most: u64) -> Arc<Self> {
        Arc::new(Self { most, taken: AtomicU64::new(0) })
    }

    /// Begins with nothing.
    pub(crate) fn hold(self: &Arc<Self>) -> Held {
        Held { budget: Arc::clone(self), bytes: 0 }
    }
}

impl Held {
    /// Takes more or less than before.
    ///
    /// *Errors* if there is not as much left; what was taken before stays.
    pub(crate) fn set(&mut self, bytes: u64) -> Result<(), Problem> {
        let taken = &self.budget.taken;
        if bytes > self.bytes {
            let more = bytes - self.bytes;
            if taken.fetch_add(more, Ordering::Relaxed) + more > self.budget.most {
                taken.fetch_sub(more, Ordering::Relaxed);
                let problem = Problem::new(Code::Overloaded, "too many large requests at once");
                return Err(problem.limit("bodies_bytes", self.budget.most).retry_after(1));
            }
        } else {
            taken.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.budget.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_can_be_taken_again() {
        let budget = Budget::new(100);
        let (mut one, mut two) = (budget.hold(), budget.hold());
        assert!(one.set(60).is_ok() && two.set(60).is_err() && two.set(40).is_ok());
        one.set(10).expect("less is always there");
        assert!(two.set(90).is_ok() && one.set(11).is_err());
        drop((one, two));
        assert!(budget.hold().set(100).is_ok());
    }
}
