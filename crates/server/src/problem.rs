//! What a request is told when it cannot be served: `application/problem+json` with a code that
//! programs decide by, a sentence for people, and the limit that was met, if one was.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use retold::Family;
use schemars::JsonSchema;
use serde::Serialize;

/// Declares all codes: name, status, title, and what to do.
macro_rules! codes {
    ($($variant:ident $name:literal $status:literal $title:literal $advice:literal;)*) => {
        /// Why a request was not served.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Code { $(#[doc = $title] $variant),* }

        impl Code {
            /// All codes, in the order of their statuses.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the name that programs decide by.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// Returns the status of the answer.
            pub(crate) fn status(self) -> StatusCode {
                let status = match self { $(Self::$variant => $status),* };
                StatusCode::from_u16(status).expect("the table holds statuses")
            }

            /// Returns what it means.
            pub(crate) fn title(self) -> &'static str {
                match self { $(Self::$variant => $title),* }
            }

            /// Returns what to do.
            pub(crate) fn advice(self) -> &'static str {
                match self { $(Self::$variant => $advice),* }
            }
        }
    };
}

codes! {
    BadRequest "bad-request" 400 "the request cannot be understood"
        "The detail names the part that is wrong; /openapi.json says what is accepted.";
    BadCursor "bad-cursor" 400 "the cursor does not belong to this list"
        "Begin again without `after`; a cursor belongs to one list, filter and order.";
    Unauthorized "unauthorized" 401 "a key is needed"
        "Send `Authorization: Bearer KEY`. An administrator makes keys with POST /api/v1/keys.";
    Forbidden "forbidden" 403 "the key does not allow this"
        "Ask for a key with the scope that the detail names.";
    ForeignHost "foreign-host" 403 "the Host header names another server"
        "Address the server by the name it listens on, or start it with --host NAME.";
    ForeignOrigin "foreign-origin" 403 "the request comes from a page of another site"
        "Pages of other sites may not use this server.";
    NotFound "not-found" 404 "there is nothing at this address"
        "Names and numbers are as the lists give them.";
    MethodNotAllowed "method-not-allowed" 405 "this address does not take this method"
        "The Allow header lists those it takes.";
    TooSlow "too-slow" 408 "the request did not arrive in time"
        "Send the body without long pauses; /api/v1/limits tells how long they may be.";
    Conflict "conflict" 409 "the state of the thing does not allow this"
        "The detail says which state it is in.";
    ReadOnly "read-only" 409 "the collection is read only"
        "Archives named on the command line are only read; write with `retold index add`.";
    Gone "gone" 410 "what the answer needs is not there any more"
        "The documents of the result were removed or their files changed; run the job again.";
    TooLarge "too-large" 413 "the request is larger than a limit"
        "The problem names the limit; /api/v1/limits lists all, and bulk requests are streamed.";
    UnsupportedType "unsupported-type" 415 "the Content-Type is not accepted here"
        "The detail lists what is accepted.";
    NotAccepted "not-accepted" 422 "the request is understood but cannot be done"
        "The detail says what is accepted.";
    KeyReused "key-reused" 422 "the Idempotency-Key was used with another body"
        "Use a new key for a new request.";
    TooMany "too-many-requests" 429 "more requests than the key may make"
        "Wait as long as Retry-After says.";
    Internal "internal" 500 "our mistake"
        "The audit log of the server says what happened; please report it.";
    Overloaded "overloaded" 503 "more work than the server can do in time"
        "Wait as long as Retry-After says; the request was not begun.";
    StillErasing "still-erasing" 503 "the document is removed and not yet erased from all files"
        "Send the request again after as long as Retry-After says; it is answered when nothing is left.";
    ShuttingDown "shutting-down" 503 "the server is ending"
        "Try again when it is back.";
    NoSpace "no-space" 507 "the disk is nearly full"
        "Reading goes on; writing resumes by itself when there is room.";
}

/// A limit that was met.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct MetLimit {
    /// Its name, as /api/v1/limits has it.
    name: String,
    /// Its value.
    value: u64,
}

/// Why a request was not served.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    code: Code,
    detail: String,
    limit: Option<MetLimit>,
    retry_after: Option<u64>,
    /// What belongs to this problem alone, such as the failing lines of a bulk request.
    more: Option<serde_json::Value>,
}

/// What went wrong inside, for the audit log.
#[derive(Clone, Debug)]
pub(crate) struct Logged(pub(crate) String);

/// A problem as it is written.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub(crate) struct ProblemBody {
    /// Where the code is explained.
    r#type: String,
    /// What the code means.
    title: String,
    /// The status of the answer.
    status: u16,
    /// What programs decide by.
    code: String,
    /// What went wrong this time.
    detail: String,
    /// The limit that was met.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<MetLimit>,
    /// What belongs to this problem alone, such as the failing lines of a bulk request.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<serde_json::Value>,
}

impl Problem {
    pub(crate) fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), limit: None, retry_after: None, more: None }
    }

    /// Says which limit was met.
    pub(crate) fn limit(self, name: &str, value: u64) -> Self {
        Self { limit: Some(MetLimit { name: name.to_owned(), value }), ..self }
    }

    /// Says after how many seconds it may be tried again.
    pub(crate) fn retry_after(self, seconds: u64) -> Self {
        Self { retry_after: Some(seconds.max(1)), ..self }
    }

    pub(crate) fn more(self, more: serde_json::Value) -> Self {
        Self { more: Some(more), ..self }
    }

    /// Says that something is not there: the same words whether it was never there or is another's.
    pub(crate) fn not_found(what: &str) -> Self {
        Self::new(Code::NotFound, format!("there is no such {what}"))
    }

    #[expect(clippy::needless_pass_by_value, reason = "errors are handed over by `map_err`")]
    pub(crate) fn internal(detail: impl ToString) -> Self {
        Self::new(Code::Internal, detail.to_string())
    }

    #[cfg(test)]
    pub(crate) fn code(&self) -> Code {
        self.code
    }

    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self { code, mut detail, limit, retry_after, more } = self;
        let mut logged = None;
        if code == Code::Internal {
            // It may name files and what stands in them, which is for whoever runs the server.
            let told = "what happened stands in the audit log of the server".to_owned();
            logged = Some(Logged(std::mem::replace(&mut detail, told)));
        }
        let body = ProblemBody {
            r#type: format!("/problems#{}", code.name()),
            title: code.title().to_owned(),
            status: code.status().as_u16(),
            code: code.name().to_owned(),
            detail,
            limit,
            more,
        };
        let json = serde_json::to_vec(&body).expect("a problem is plain data");
        let mut response = (code.status(), json).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if code == Code::Unauthorized {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(code);
        if let Some(logged) = logged {
            response.extensions_mut().insert(logged);
        }
        response
    }
}

impl From<retold::Error> for Problem {
    fn from(error: retold::Error) -> Self {
        if is_no_space(&error) {
            return Self::new(Code::NoSpace, "there is no room on the disk");
        }
        let code = match &error {
            retold::Error::NoText { .. } | retold::Error::Changed { .. } => Code::Gone,
            other => match other.family() {
                Family::User | Family::Input => Code::NotAccepted,
                Family::Stopped => Code::ShuttingDown,
                _ => Code::Internal,
            },
        };
        Self::new(code, error.to_string())
    }
}

fn is_no_space(error: &retold::Error) -> bool {
    match error {
        retold::Error::Index { source, .. } => source.is_no_space(),
        retold::Error::Io { source, .. } => source.kind() == std::io::ErrorKind::StorageFull,
        _ => false,
    }
}

impl From<retold_lab::Error> for Problem {
    fn from(error: retold_lab::Error) -> Self {
        Self::new(Code::NotAccepted, error.to_string())
    }
}

impl From<retold::ConfigError> for Problem {
    fn from(error: retold::ConfigError) -> Self {
        Self::new(Code::NotAccepted, error.to_string())
    }
}

impl From<std::io::Error> for Problem {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::StorageFull {
            return Self::new(Code::NoSpace, "there is no room on the disk");
        }
        Self::internal(error)
    }
}
