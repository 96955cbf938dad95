//! Parts of a request, checked: what does not fit is answered with a problem.

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::header;
use axum::http::request::Parts;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use serde::de::DeserializeOwned;

use crate::app::Shared;
use crate::budget::Held;
use crate::keys::Caller;
use crate::limits::Limits;
use crate::problem::{Code, Problem};

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let caller = parts.extensions.get::<Self>().cloned();
        caller.ok_or_else(|| Problem::internal("a request was not let in"))
    }
}

/// Parameters of the query.
pub(crate) struct Params<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let Query(params) = Query::try_from_uri(&parts.uri)
            .map_err(|error| Problem::new(Code::BadRequest, error.body_text()))?;
        Ok(Self(params))
    }
}

/// Names in the address.
pub(crate) struct At<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for At<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(at)) => Ok(Self(at)),
            Err(PathRejection::FailedToDeserializePathParams(_)) => {
                Err(Problem::not_found("address"))
            }
            Err(other) => Err(Problem::internal(other.body_text())),
        }
    }
}

/// A body of JSON.
pub(crate) struct Given<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Shared> for Given<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Shared) -> Result<Self, Problem> {
        if content_type(request.headers()).is_none_or(|name| name != "application/json") {
            return Err(Problem::new(Code::UnsupportedType, "this takes application/json"));
        }
        let (body, _held) = whole_body(request.into_body(), app).await?;
        from_json(&body).map(Self)
    }
}

/// Reads JSON; what does not fit is told with its line and column.
pub(crate) fn from_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(body)
        .map_err(|error| Problem::new(Code::BadRequest, format!("the body: {error}")))
}

/// Returns the content type without its parameters, in lower case.
pub(crate) fn content_type(headers: &header::HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

/// Reads a body that has to be there as a whole; it takes memory as long as what comes with it is held.
pub(crate) async fn whole_body(body: Body, app: &Shared) -> Result<(Bytes, Held), Problem> {
    let limits = app.limits();
    let (mut reader, mut held) = (BodyReader::new(body, limits), app.bodies.hold());
    let mut whole = BytesMut::new();
    while let Some(piece) = reader.next().await? {
        let n_bytes = whole.len() as u64 + piece.len() as u64;
        if n_bytes > limits.body_bytes {
            return Err(too_large("body_bytes", limits.body_bytes));
        }
        held.set(n_bytes)?;
        whole.extend_from_slice(&piece);
    }
    Ok((whole.freeze(), held))
}

pub(crate) fn too_large(name: &str, most: u64) -> Problem {
    let detail = format!("the limit `{name}` is {most} bytes");
    Problem::new(Code::TooLarge, detail).limit(name, most)
}

/// Reads a body piece by piece; a pause that is too long ends it.
pub(crate) struct BodyReader {
    body: Body,
    idle: std::time::Duration,
}

impl BodyReader {
    pub(crate) fn new(body: Body, limits: &Limits) -> Self {
        Self { body, idle: limits.idle() }
    }

    /// Returns the next bytes; none at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, Problem> {
        loop {
            let frame = tokio::time::timeout(self.idle, self.body.frame()).await.map_err(|_| {
                Problem::new(Code::TooSlow, "no byte of the body came for too long")
                    .limit("idle_ms", self.idle.as_millis() as u64)
            })?;
            match frame {
                None => return Ok(None),
                Some(Err(error)) => {
                    return Err(Problem::new(Code::BadRequest, format!("the body: {error}")));
                }
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
            }
        }
    }
}
