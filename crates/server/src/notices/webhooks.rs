//! Webhooks: notices that are sent to addresses which an administrator has allowed.
//!
//! Each is signed (`Retold-Signature: sha256=HEX`, the HMAC-SHA256 of the body by the secret of the
//! watch) and carries the number of the notice, by which a receiver knows one that comes again because
//! its answer was lost. Redirections are not followed.

use std::collections::HashSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use super::{Notice, Watch};
use crate::keys::hexadecimal;
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::store::{Changes, DELIVERIES, NOTICES, Store, WATCHES, key_of};
use crate::time::now;

/// Seconds until a delivery is tried again, by how often it was tried.
const PAUSES: [i64; 10] = [1, 2, 5, 15, 60, 300, 900, 3_600, 21_600, 43_200];

/// How long one try may take.
const LONGEST_TRY: Duration = Duration::from_secs(10);

/// A webhook that is to be sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Delivery {
    notice: u64,
    watch: String,
    url: String,
    tries: u32,
    /// When it is tried next, in seconds since 1970.
    next: i64,
}

/// Sends webhooks.
pub(crate) struct Webhooks {
    allowed: Vec<String>,
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    store: Arc<Store>,
    metrics: Arc<Metrics>,
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    is_ending: bool,
    has_new: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Webhooks {
    pub(super) fn start(
        store: Arc<Store>,
        metrics: Arc<Metrics>,
        allowed: &[String],
    ) -> Result<Self, Problem> {
        let state = Mutex::new(State { has_new: true, ..State::default() });
        let shared = Arc::new(Shared { store, metrics, state, wake: Condvar::new() });
        let sending = Arc::clone(&shared);
        let thread =
            Builder::new().name("webhooks".to_owned()).spawn(move || send_all(&sending))?;
        Ok(Self { allowed: allowed.to_vec(), shared, thread: Mutex::new(Some(thread)) })
    }

    /// Returns whether an administrator has allowed an address: it begins with one that was named, and
    /// goes on with a path.
    pub(crate) fn is_allowed(&self, url: &str) -> bool {
        let is_plain =
            url.bytes().all(|byte| byte.is_ascii_graphic()) && !url.contains(['@', '\\']);
        is_plain
            && self.allowed.iter().any(|allowed| {
                url.strip_prefix(allowed.as_str()).is_some_and(|rest| {
                    rest.is_empty() || allowed.ends_with('/') || rest.starts_with(['/', '?'])
                })
            })
    }

    /// Plans a delivery together with its notice.
    pub(super) fn plan(changes: &Changes, notice: &Notice, url: &str) -> Result<(), Problem> {
        let delivery = Delivery {
            notice: notice.number,
            watch: notice.watch.clone(),
            url: url.to_owned(),
            tries: 0,
            next: now(),
        };
        changes.put(DELIVERIES, &key_of(notice.number), &delivery)
    }

    /// Says that there is something to send.
    pub(super) fn wake(&self) {
        self.shared.state().has_new = true;
        self.shared.wake.notify_all();
    }

    /// Ends the thread and waits for it.
    pub(crate) fn end(&self) {
        self.shared.state().is_ending = true;
        self.shared.wake.notify_all();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

fn send_all(shared: &Shared) {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_global(Some(LONGEST_TRY))
        .max_redirects(0)
        .http_status_as_error(false)
        .build()
        .into();
    loop {
        let mut state = shared.state();
        if !state.has_new && !state.is_ending {
            let waited = shared.wake.wait_timeout(state, Duration::from_secs(1));
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        if state.is_ending {
            return;
        }
        state.has_new = false;
        drop(state);
        let Ok(planned) = shared.store.list::<Delivery>(DELIVERIES, "", None, 10_000) else {
            continue;
        };
        // An address that does not answer keeps the others waiting once in a round.
        let mut silent = HashSet::new();
        for (key, delivery) in planned {
            if shared.state().is_ending {
                return;
            }
            if delivery.next <= now() && !silent.contains(&delivery.url) {
                let url = delivery.url.clone();
                // A database that cannot be written: it is tried again.
                if !send(shared, &agent, &key, delivery).unwrap_or(false) {
                    silent.insert(url);
                }
            }
        }
    }
}

/// Tries a delivery; returns whether it is done with.
fn send(
    shared: &Shared,
    agent: &ureq::Agent,
    key: &str,
    mut delivery: Delivery,
) -> Result<bool, Problem> {
    let notice = shared.store.get::<Notice>(NOTICES, key)?;
    let watch = shared.store.get::<Watch>(WATCHES, &delivery.watch)?;
    let (Some(notice), Some(watch)) = (notice, watch) else {
        return shared.store.remove(DELIVERIES, key).map(|_| true);
    };
    let body = serde_json::to_vec(&notice).map_err(Problem::internal)?;
    let sent = agent
        .post(&delivery.url)
        .header("Content-Type", "application/json")
        .header("Retold-Notice", notice.number.to_string())
        .header("Retold-Signature", format!("sha256={}", signature(&watch.secret, &body)))
        .send(&body[..]);
    if sent.is_ok_and(|answer| answer.status().is_success()) {
        return shared.store.remove(DELIVERIES, key).map(|_| true);
    }
    shared.metrics.webhooks_failed.inc();
    let Some(pause) = PAUSES.get(delivery.tries as usize) else {
        // The notice stays in the inbox and the feed.
        return shared.store.remove(DELIVERIES, key).map(|_| true);
    };
    delivery.tries += 1;
    delivery.next = now() + pause;
    shared.store.put(DELIVERIES, key, &delivery)?;
    Ok(false)
}

/// Returns the HMAC-SHA256 of a body in hexadecimal digits.
fn signature(secret: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("keys have any length");
    mac.update(body);
    hexadecimal(&mac.finalize().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_that_of_rfc_4231() {
        let signed = signature("Jefe", b"what do ya want for nothing?");
        assert_eq!(signed, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }
}
