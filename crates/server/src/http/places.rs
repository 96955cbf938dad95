//! Places for connections. When all are taken, the one that has waited longest without a request gives
//! its place to the next: whoever opens connections and says nothing cannot keep others out.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use hyper::body::{Frame, SizeHint};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// How long a place that was asked for may take to become free.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// All places.
pub(super) struct Places {
    most: u32,
    free: Arc<Semaphore>,
    open: Mutex<BTreeMap<u64, Arc<Open>>>,
    next: Mutex<u64>,
}

/// A connection.
#[derive(Default)]
pub(super) struct Open {
    /// Requests that are being served.
    n_requests: AtomicUsize,
    close: Notify,
}

/// A place that was taken.
pub(super) struct Place {
    pub(super) open: Arc<Open>,
    places: Arc<Places>,
    number: u64,
    _permit: OwnedSemaphorePermit,
}

impl Places {
    pub(super) fn new(most: u64) -> Arc<Self> {
        let most = u32::try_from(most).unwrap_or(u32::MAX).clamp(1, 1 << 20);
        Arc::new(Self {
            most,
            free: Arc::new(Semaphore::new(most as usize)),
            open: Mutex::default(),
            next: Mutex::default(),
        })
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Open>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place; returns whether another connection had to go for it.
    pub(super) async fn take(self: &Arc<Self>) -> Option<(Place, bool)> {
        let free = Arc::clone(&self.free);
        let (permit, is_crowded) = if let Ok(permit) = Arc::clone(&free).try_acquire_owned() {
            (permit, false)
        } else {
            self.close_oldest();
            let permit = tokio::time::timeout(LONGEST_WAIT, free.acquire_owned()).await;
            (permit.ok()?.ok()?, true)
        };
        let number = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            *next += 1;
            *next
        };
        let open = Arc::new(Open::default());
        self.open().insert(number, Arc::clone(&open));
        let places = Arc::clone(self);
        Some((Place { open, places, number, _permit: permit }, is_crowded))
    }

    /// Closes the oldest connection that serves no request.
    fn close_oldest(&self) {
        let mut open = self.open();
        let is_idle = |(_, one): &(&u64, &Arc<Open>)| one.n_requests.load(Ordering::Relaxed) == 0;
        if let Some(number) = open.iter().find(is_idle).map(|(number, _)| *number)
            && let Some(oldest) = open.remove(&number)
        {
            oldest.close.notify_one();
        }
    }

    /// Waits until all connections are closed.
    pub(super) async fn all_free(&self) {
        let _ = self.free.acquire_many(self.most).await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.open().remove(&self.number);
    }
}

impl Open {
    /// Waits until the connection is to be closed.
    pub(super) async fn closed(&self) {
        self.close.notified().await;
    }

    /// Counts a request until its answer is sent.
    pub(super) fn request(self: &Arc<Self>) -> Serving {
        self.n_requests.fetch_add(1, Ordering::Relaxed);
        Serving(Arc::clone(self))
    }
}

/// A request that is being served.
pub(super) struct Serving(Arc<Open>);

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.n_requests.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The body of an answer; the request counts until it is sent.
pub(super) struct Sending {
    body: Body,
    _serving: Serving,
}

impl Sending {
    pub(super) fn new(body: Body, serving: Serving) -> Self {
        Self { body, _serving: serving }
    }
}

impl hyper::body::Body for Sending {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
