//! Connections: accepted within limits, served by hyper, ended in peace.

mod body;
mod guard;
mod idle;
mod places;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tower::ServiceExt as _;

pub(crate) use self::body::{Events, stream_body};
pub(crate) use self::guard::guarded;
use self::idle::Idle;
use self::places::{Open, Places, Sending};
use crate::app::Shared;

/// Longest time that open connections are waited for when the server ends.
const LONGEST_END: Duration = Duration::from_secs(20);

/// The address of whoever sent a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// Accepts connections until the server ends.
pub(crate) async fn serve(app: Shared, router: Router, listener: TcpListener) {
    let places = Places::new(app.limits().connections);
    let mut ending = app.ending.clone();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = crate::app::ended(&mut ending) => break,
        };
        let Ok((stream, peer)) = accepted else {
            // No file handles are left, most likely: those that are idle are closed soon.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Some((place, is_crowded)) = places.take().await else {
            app.metrics.refused_connections.inc();
            continue;
        };
        if is_crowded {
            app.metrics.refused_connections.inc();
        }
        let (app, router) = (Arc::clone(&app), router.clone());
        tokio::spawn(async move {
            app.n_connections.fetch_add(1, Ordering::Relaxed);
            connection(&app, router, stream, peer, &place.open).await;
            app.n_connections.fetch_sub(1, Ordering::Relaxed);
            drop(place);
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(LONGEST_END, places.all_free()).await;
}

async fn connection(
    app: &Shared,
    router: Router,
    stream: TcpStream,
    peer: SocketAddr,
    open: &Arc<Open>,
) {
    let _ = stream.set_nodelay(true);
    let limits = app.limits();
    let io = TokioIo::new(Idle::new(stream, limits.idle()));
    let counted = Arc::clone(open);
    let service = service_fn(move |mut request: Request<Incoming>| {
        let (serving, router) = (counted.request(), router.clone());
        request.extensions_mut().insert(Peer(peer));
        async move {
            let answer = router.oneshot(request.map(Body::new)).await;
            answer.map(|answer| answer.map(|body| Sending::new(body, serving)))
        }
    });
    let mut server = hyper::server::conn::http1::Builder::new();
    server
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_millis(limits.header_ms))
        .max_headers(64)
        .max_buf_size(64 << 10);
    let serving = server.serve_connection(io, service);
    tokio::pin!(serving);
    let mut ending = app.ending.clone();
    let is_over = tokio::select! {
        _ = serving.as_mut() => true,
        () = open.closed() => true,
        () = crate::app::ended(&mut ending) => false,
    };
    if !is_over {
        // The request that is being served is finished, and no other is taken.
        serving.as_mut().graceful_shutdown();
        let _ = serving.await;
    }
}
