//! Who may work now: a bounded number of pieces of work, shared fairly between clients.
//!
//! Every client has a queue of its own and at most a quarter of all places, so that one that asks for
//! too much waits for itself. Whoever would have to wait too long is refused at once, with the time
//! after which it may be worth trying again; nothing is begun that nobody waits for any more.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::limits::Limits;
use crate::problem::{Code, Problem};

/// Clients whose pace is remembered.
const MOST_REMEMBERED: usize = 10_000;

/// Seconds that a piece of work is thought to take before any was done.
const UNKNOWN_PACE: f64 = 0.1;

/// Lets clients in.
pub(crate) struct Gate {
    inner: Arc<Inner>,
}

struct Inner {
    places: usize,
    places_of_one: usize,
    /// Requests that may wait however long it takes.
    always_waiting: usize,
    most_waiting: usize,
    longest_wait: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    n_running: usize,
    n_waiting: usize,
    clients: HashMap<String, Client>,
    /// Clients with somebody waiting, in the order of their turns.
    turns: VecDeque<String>,
    /// Seconds that a piece of work of anybody took lately.
    pace: f64,
}

#[derive(Default)]
struct Client {
    n_running: usize,
    waiting: VecDeque<oneshot::Sender<Pass>>,
    /// Seconds that a piece of work took lately.
    pace: f64,
}

/// A place, given back when it is dropped.
pub(crate) struct Pass {
    inner: Arc<Inner>,
    client: String,
    since: Instant,
}

/// How it stands, for the metrics.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Standing {
    pub(crate) n_running: usize,
    pub(crate) n_waiting: usize,
}

impl Gate {
    pub(crate) fn new(limits: &Limits) -> Self {
        let places = (limits.concurrent as usize).max(1);
        Self {
            inner: Arc::new(Inner {
                places,
                places_of_one: places.div_ceil(4),
                always_waiting: limits.always_waiting as usize,
                most_waiting: limits.waiting as usize,
                longest_wait: Duration::from_millis(limits.wait_ms),
                state: Mutex::default(),
            }),
        }
    }

    /// Waits for a place.
    ///
    /// *Errors* if it would take too long.
    pub(crate) async fn enter(&self, client: &str) -> Result<Pass, Problem> {
        let waiting = {
            let mut state = self.inner.state();
            let (n_running, n_waiting) = (state.n_running, state.n_waiting);
            let (n_clients, pace) = (state.turns.len(), state.pace);
            let one = state.clients.entry(client.to_owned()).or_default();
            let is_free = n_running < self.inner.places && one.n_running < self.inner.places_of_one;
            if is_free && one.waiting.is_empty() {
                one.n_running += 1;
                state.n_running += 1;
                return Ok(self.inner.pass(client));
            }
            // Of whom nothing is known yet, as much is expected as of the others.
            let known = |pace: f64, other: f64| if pace > 0.0 { pace } else { other };
            let pace = known(pace, UNKNOWN_PACE);
            let own_pace = known(one.pace, pace);
            // A round serves one request of every client that waits.
            let own_round = own_pace / self.inner.places_of_one as f64;
            let round = own_round.max(n_clients as f64 * pace / self.inner.places as f64);
            let expected = (one.waiting.len() + 1) as f64 * round;
            let longest = self.inner.longest_wait.as_secs_f64().max(4.0 * own_pace);
            let is_long = n_waiting >= self.inner.always_waiting && expected > longest;
            if n_waiting >= self.inner.most_waiting || is_long {
                let detail = "too many requests wait already; this one was not begun";
                let again = expected.ceil().clamp(1.0, 60.0);
                #[expect(clippy::cast_sign_loss, reason = "it is at least 1")]
                return Err(Problem::new(Code::Overloaded, detail).retry_after(again as u64));
            }
            let (sender, receiver) = oneshot::channel();
            one.waiting.push_back(sender);
            let is_first = one.waiting.len() == 1;
            state.n_waiting += 1;
            if is_first {
                state.turns.push_back(client.to_owned());
            }
            receiver
        };
        waiting.await.map_err(|_| Problem::new(Code::ShuttingDown, "the server is ending"))
    }

    pub(crate) fn standing(&self) -> Standing {
        let state = self.inner.state();
        Standing { n_running: state.n_running, n_waiting: state.n_waiting }
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pass(self: &Arc<Self>, client: &str) -> Pass {
        Pass { inner: Arc::clone(self), client: client.to_owned(), since: Instant::now() }
    }

    /// Takes a place back and hands it to whoever is next.
    fn leave(self: &Arc<Self>, client: &str, took: Duration) {
        // Passes that nobody takes any more are dropped when the lock is free again.
        let mut unwanted = Vec::new();
        let mut state = self.state();
        state.n_running -= 1;
        let took = took.as_secs_f64();
        let lately = |pace: f64| if pace > 0.0 { 0.9 * pace + 0.1 * took } else { took };
        state.pace = lately(state.pace);
        if let Some(one) = state.clients.get_mut(client) {
            one.n_running -= 1;
            one.pace = lately(one.pace);
        }
        let mut n_passed_over = 0;
        while state.n_running < self.places && n_passed_over < state.turns.len() {
            let Some(next) = state.turns.pop_front() else { break };
            let Some(one) = state.clients.get_mut(&next) else { continue };
            if one.n_running >= self.places_of_one {
                state.turns.push_back(next);
                n_passed_over += 1;
                continue;
            }
            let Some(sender) = one.waiting.pop_front() else { continue };
            one.n_running += 1;
            let has_more = !one.waiting.is_empty();
            state.n_waiting -= 1;
            state.n_running += 1;
            if has_more {
                state.turns.push_back(next.clone());
            }
            n_passed_over = 0;
            if let Err(pass) = sender.send(self.pass(&next)) {
                unwanted.push(pass);
            }
        }
        if state.clients.len() > MOST_REMEMBERED {
            state.clients.retain(|_, one| one.n_running > 0 || !one.waiting.is_empty());
        }
        drop(state);
        drop(unwanted);
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.inner.leave(&self.client, self.since.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(concurrent: u64, waiting: u64) -> Gate {
        let limits = Limits { concurrent, waiting, wait_ms: 60_000, ..Limits::default() };
        Gate::new(&limits)
    }

    #[tokio::test]
    async fn one_client_leaves_places_for_others() {
        let gate = gate(8, 100);
        let first = gate.enter("a").await.expect("a free place");
        let _second = gate.enter("a").await.expect("a free place");
        let third = gate.enter("a");
        let mut third = Box::pin(third);
        let waits = tokio::time::timeout(Duration::from_millis(20), &mut third).await;
        assert!(waits.is_err(), "a quarter of 8 places are taken");
        let _other = gate.enter("b").await.expect("others have places of their own");
        drop(first);
        let _third = third.await.expect("a place that was given back");
        assert_eq!(gate.standing().n_running, 3);
    }

    #[tokio::test]
    async fn who_would_wait_too_long_is_refused_with_a_time() {
        let gate = gate(4, 1);
        let pass = gate.enter("a").await.expect("a free place");
        let waiting = gate.enter("a");
        let mut waiting = Box::pin(waiting);
        let _ = tokio::time::timeout(Duration::from_millis(10), &mut waiting).await;
        let refused = gate.enter("a").await.err().expect("the queue is full");
        assert_eq!(refused.code(), Code::Overloaded);
        drop(pass);
        drop(waiting.await.expect("its turn"));
        assert_eq!(gate.standing().n_running + gate.standing().n_waiting, 0);
    }

    #[tokio::test]
    async fn a_place_whose_taker_has_left_goes_on_to_the_next() {
        let gate = gate(4, 10);
        let pass = gate.enter("a").await.expect("a free place");
        let mut gone = Box::pin(gate.enter("a"));
        let _ = tokio::time::timeout(Duration::from_millis(10), &mut gone).await;
        let mut next = Box::pin(gate.enter("a"));
        let _ = tokio::time::timeout(Duration::from_millis(10), &mut next).await;
        drop(gone);
        drop(pass);
        next.await.expect("its turn");
    }
}
