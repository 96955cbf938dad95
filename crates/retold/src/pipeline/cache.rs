//! Profiles at hand, up to a budget: those not used for longest make room.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering as Memory};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retold_core::document::Ordinal;
use retold_core::hash::{self, Prehashed};
use retold_core::verify::Profile;

/// What can be kept at hand: it says how much it takes.
pub(super) trait HeldBytes {
    /// Returns the number of bytes held.
    fn held_bytes(&self) -> usize;
}

impl HeldBytes for Profile {
    fn held_bytes(&self) -> usize {
        Self::held_bytes(self)
    }
}

/// Parts of the cache, each with its own lock, so that threads seldom meet.
const N_PARTS: usize = 64;

/// Documents are numbered one after the other: their numbers need no hashing but to be spread.
type Part<T> = HashMap<u64, Held<T>, Prehashed>;

/// Returns the key of a document.
fn key(ordinal: Ordinal) -> u64 {
    hash::mix(u64::from(ordinal.0))
}

/// Profiles at hand.
pub(super) struct Cache<T = Profile> {
    parts: Vec<Mutex<Part<T>>>,
    /// Grows with every profile made; tells how long ago a profile was used.
    clock: AtomicU64,
    bytes: AtomicUsize,
    budget_bytes: usize,
    /// Held by whoever makes room.
    sweeping: Mutex<()>,
}

struct Held<T> {
    ordinal: Ordinal,
    profile: Arc<T>,
    used: u64,
}

impl<T: HeldBytes> Cache<T> {
    /// Makes an empty one.
    pub(super) fn new(budget_bytes: usize) -> Self {
        Self {
            parts: (0..N_PARTS).map(|_| Mutex::default()).collect(),
            clock: AtomicU64::new(0),
            bytes: AtomicUsize::new(0),
            budget_bytes,
            sweeping: Mutex::default(),
        }
    }

    fn part(&self, ordinal: Ordinal) -> MutexGuard<'_, Part<T>> {
        self.parts[ordinal.index() % N_PARTS].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the profile of a document, if it is at hand.
    pub(super) fn get(&self, ordinal: Ordinal) -> Option<Arc<T>> {
        let mut part = self.part(ordinal);
        let held = part.get_mut(&key(ordinal))?;
        held.used = self.clock.load(Memory::Relaxed);
        Some(Arc::clone(&held.profile))
    }

    /// Keeps a profile.
    pub(super) fn put(&self, ordinal: Ordinal, profile: &Arc<T>) {
        let used = self.clock.fetch_add(1, Memory::Relaxed) + 1;
        let n_bytes = profile.held_bytes();
        let new = Held { ordinal, profile: Arc::clone(profile), used };
        // Counted before anybody can find it and take it out of the count.
        let held = self.bytes.fetch_add(n_bytes, Memory::Relaxed) + n_bytes;
        if let Some(old) = self.part(ordinal).insert(key(ordinal), new) {
            // Another thread made it meanwhile.
            self.bytes.fetch_sub(old.profile.held_bytes(), Memory::Relaxed);
        }
        if held > self.budget_bytes {
            self.make_room();
        }
    }

    /// Drops all profiles.
    pub(super) fn clear(&self) {
        for part in &self.parts {
            let dropped = std::mem::take(&mut *part.lock().unwrap_or_else(PoisonError::into_inner));
            let n_bytes: usize = dropped.values().map(|held| held.profile.held_bytes()).sum();
            self.bytes.fetch_sub(n_bytes, Memory::Relaxed);
        }
    }

    /// Drops the profiles not used for longest, until a quarter of the budget is free.
    fn make_room(&self) {
        // Whoever finds it held may go on: room is being made.
        let Ok(_sweeping) = self.sweeping.try_lock() else { return };
        let mut held: Vec<(u64, Ordinal)> = Vec::new();
        for part in &self.parts {
            let part = part.lock().unwrap_or_else(PoisonError::into_inner);
            held.extend(part.values().map(|held| (held.used, held.ordinal)));
        }
        held.sort_unstable();
        held.pop(); // The newest is about to be used.
        for (_, ordinal) in held {
            if self.bytes.load(Memory::Relaxed) <= self.budget_bytes / 4 * 3 {
                break;
            }
            if let Some(dropped) = self.part(ordinal).remove(&key(ordinal)) {
                self.bytes.fetch_sub(dropped.profile.held_bytes(), Memory::Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use retold_core::document::Span;
    use retold_core::features::Words;
    use retold_core::features::shingles::Shingles;

    use super::*;

    fn profile(n_words: u32) -> Arc<Profile> {
        let hashes = (0..u64::from(n_words)).collect();
        let spans = (0..n_words).map(|i| Span::new(i, i + 1)).collect();
        let words = Words { hashes, spans, ..Words::default() };
        Arc::new(Profile::new(words, Shingles::new(5)))
    }

    #[test]
    fn profiles_not_used_for_longest_make_room() {
        let one = profile(100);
        let cache = Cache::new(4 * one.held_bytes());
        for doc in 0..4 {
            cache.put(Ordinal(doc), &one);
        }
        cache.get(Ordinal(0)).expect("all fit so far");
        cache.put(Ordinal(4), &one);
        let kept: Vec<bool> = (0..6).map(|doc| cache.get(Ordinal(doc)).is_some()).collect();
        assert_eq!(kept, [true, false, false, true, true, false]);
        assert_eq!(cache.bytes.load(Memory::Relaxed), 3 * one.held_bytes());
    }

    #[test]
    fn a_profile_beyond_the_budget_is_kept_while_it_is_the_newest() {
        let cache = Cache::new(1);
        cache.put(Ordinal(0), &profile(1000));
        assert!(cache.get(Ordinal(0)).is_some());
        cache.put(Ordinal(1), &profile(1000));
        assert!(cache.get(Ordinal(0)).is_none() && cache.get(Ordinal(1)).is_some());
    }

    #[test]
    fn a_cache_that_was_cleared_is_empty_and_can_be_filled_again() {
        let cache = Cache::new(1 << 20);
        let one = profile(100);
        cache.put(Ordinal(0), &one);
        cache.put(Ordinal(1), &one);
        cache.clear();
        assert!(cache.get(Ordinal(0)).is_none() && cache.get(Ordinal(1)).is_none());
        cache.put(Ordinal(1), &one);
        assert_eq!(cache.bytes.load(Memory::Relaxed), one.held_bytes());
    }

    #[test]
    fn a_profile_made_twice_counts_once() {
        let cache = Cache::new(1 << 20);
        let one = profile(100);
        cache.put(Ordinal(0), &one);
        cache.put(Ordinal(0), &one);
        assert_eq!(cache.bytes.load(Memory::Relaxed), one.held_bytes());
    }
}
