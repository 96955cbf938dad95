//! Answers that are sent piece by piece.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use hyper::body::Frame;
use tokio::sync::mpsc;

/// Pieces that wait to be sent.
const MOST_WAITING: usize = 16;

struct Pieces(mpsc::Receiver<Bytes>);

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }
}

/// Returns a body and the way to fill it. Whoever fills it hears that nobody reads any more by an
/// error when sending.
pub(crate) fn stream_body() -> (mpsc::Sender<Bytes>, Body) {
    let (sender, receiver) = mpsc::channel(MOST_WAITING);
    (sender, Body::new(Pieces(receiver)))
}

/// Server-sent events.
pub(crate) struct Events(mpsc::Sender<Bytes>);

impl Events {
    /// Returns an answer of events and the way to send them.
    pub(crate) fn begin() -> (Self, Response) {
        let (sender, body) = stream_body();
        let mut response = body.into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        (Self(sender), response)
    }

    /// Sends an event; returns whether somebody still listens. `json` has no line breaks.
    pub(crate) async fn send(&self, id: Option<u64>, name: &str, json: &str) -> bool {
        let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
        self.0.send(format!("{id}event: {name}\ndata: {json}\n\n").into()).await.is_ok()
    }

    /// Sends a sign of life.
    pub(crate) async fn beat(&self) -> bool {
        self.0.send(Bytes::from_static(b": alive\n\n")).await.is_ok()
    }

    /// Waits until nobody listens any more.
    pub(crate) async fn closed(&self) {
        self.0.closed().await;
    }
}
