//! What every request passes, whatever it asks for: Host and Origin, the key, the pace, the headers of
//! the answer, the logs.

use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::Peer;
use crate::app::{App, Shared};
use crate::audit::Line;
use crate::keys::Caller;
use crate::pages::is_public;
use crate::problem::{Code, Logged, Problem};

/// Headers that every answer has.
const HEADERS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
         connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("x-frame-options", "DENY"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
];

/// Lets a request pass or answers it.
pub(crate) async fn guarded(
    State(app): State<Shared>,
    mut request: Request,
    next: Next,
) -> Response {
    let begun = Instant::now();
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or_else(|| "none".to_owned(), |route| route.as_str().to_owned());
    let peer = request.extensions().get::<Peer>().map(|peer| peer.0.ip().to_string());
    let peer = peer.unwrap_or_default();
    let mut caller = None;
    let mut response = match admit(&app, request.headers(), &method, &path, &peer) {
        Ok(admitted) => {
            caller = Some(admitted.clone());
            request.extensions_mut().insert(admitted);
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    let headers = response.headers_mut();
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    let status = response.status().as_u16();
    app.metrics.request(method.as_str(), &route, status, begun.elapsed().as_secs_f64());
    let code = response.extensions().get::<Code>().copied();
    let logged = response.extensions().get::<Logged>().map(|logged| logged.0.clone());
    if !is_safe(&method) || matches!(status, 401 | 403 | 429) || logged.is_some() {
        app.audit.write(&Line {
            client: caller.as_ref().map_or("", |caller| &caller.client),
            name: caller.as_ref().map_or("", |caller| &caller.name),
            address: &peer,
            method: method.as_str(),
            path: &path,
            status,
            code: code.map(Code::name),
            detail: logged.as_deref(),
        });
    }
    response
}

fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

fn admit(
    app: &App,
    headers: &HeaderMap,
    method: &Method,
    path: &str,
    peer: &str,
) -> Result<Caller, Problem> {
    let text = |name: header::HeaderName| {
        headers.get(name).map(|value| value.to_str().unwrap_or("\u{fffd}"))
    };
    let hosts: Vec<_> = headers.get_all(header::HOST).iter().collect();
    let host = text(header::HOST).filter(|_| hosts.len() == 1);
    if !host.is_some_and(|host| is_own_host(app, host)) {
        let detail = "the Host header names another server than this one";
        return Err(Problem::new(Code::ForeignHost, detail));
    }
    let origin = text(header::ORIGIN);
    let is_own_origin = origin.is_none_or(|origin| {
        let host_of = origin.split_once("://").map(|(_, host)| host);
        host_of.is_some_and(|host| is_own_host(app, host))
    });
    let site = headers.get("sec-fetch-site").map(|value| value.to_str().unwrap_or("cross-site"));
    // Whatever another site makes a browser send; typing an address or following a link is `none`
    // and `cross-site` for pages, which hold nothing without a further request.
    let is_foreign_site = matches!(site, Some("cross-site" | "same-site"));
    let is_page = is_safe(method) && !path.starts_with("/api/");
    if !is_own_origin || (is_foreign_site && !is_page) {
        let detail = "requests from pages of other sites are not served";
        return Err(Problem::new(Code::ForeignOrigin, detail));
    }
    if matches!(path, "/health/live" | "/health/ready") {
        return Ok(Caller::administrator(format!("address {peer}"), "health"));
    }
    let given = text(header::AUTHORIZATION);
    match app.keys.caller(given, peer) {
        Ok(caller) => {
            app.keys.count(&caller)?;
            Ok(caller)
        }
        // The pages themselves are for everybody.
        Err(_) if given.is_none() && is_page && is_public(path) => Ok(Caller::stranger(peer)),
        Err(problem) => {
            app.keys.count_stranger(peer)?;
            Err(problem)
        }
    }
}

/// Returns whether a Host or the host of an Origin names this server.
fn is_own_host(app: &App, host: &str) -> bool {
    let port = app.address.port();
    let (name, given_port) = match host.rsplit_once(':') {
        Some((name, digits)) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            (name, digits.parse().ok())
        }
        _ => (host, Some(80)),
    };
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    if app.config.hosts.iter().any(|own| own.eq_ignore_ascii_case(&name)) {
        // A server in front may listen on another port.
        return true;
    }
    let address = app.address.ip();
    let own = match address {
        std::net::IpAddr::V4(ip) => ip.to_string(),
        std::net::IpAddr::V6(ip) => format!("[{ip}]"),
    };
    let is_loopback = matches!(name.as_str(), "localhost" | "127.0.0.1" | "[::1]");
    given_port == Some(port) && (is_loopback || (name == own && !address.is_unspecified()))
}
