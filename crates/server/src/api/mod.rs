//! The API: one table of routes, from which both the router and the OpenAPI document are made, so that
//! nothing is served that is not documented.

mod about;
mod boilerplate;
mod bulk;
mod clean;
mod clusters;
mod collections;
mod compare;
mod decisions;
mod documents;
mod evaluation;
mod experiments;
mod extract;
mod grouped;
mod in_time;
mod jobs;
mod keys;
mod notices;
mod offsets;
mod openapi;
mod plan;
mod pools;
mod preview;
mod query;
mod result_list;
mod results;
mod roots;
mod search;
mod stream;

use std::sync::OnceLock;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Request};
use axum::handler::Handler;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodFilter, MethodRouter, on};
use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

pub(crate) use self::bulk::Answered;
pub(crate) use self::extract::{At, Given, Params};
use crate::app::{App, Shared};
use crate::http::guarded;
use crate::keys::{Caller, Scope};
use crate::pages;
use crate::problem::{Code, Problem};

/// What every address of the API begins with.
const PREFIX: &str = "/api/v1";

type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// The own schema of a type, not a reference to it.
fn inline_schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    T::json_schema(generator)
}

/// One thing that can be asked of the server.
pub(crate) struct Route {
    method: &'static str,
    path: &'static str,
    scope: Scope,
    about: &'static str,
    /// What it does in more words.
    details: &'static str,
    query: Option<SchemaOf>,
    /// Headers that it looks at: name and meaning.
    headers: Vec<(&'static str, &'static str)>,
    /// Bodies that it takes: content type, and schema if it has one.
    bodies: Vec<(&'static str, Option<SchemaOf>)>,
    answers: Vec<Answer>,
    handler: Option<MethodRouter<Shared>>,
}

/// One answer that a request may get.
struct Answer {
    status: u16,
    about: &'static str,
    /// Content types, and schemas of those that have one.
    types: Vec<(&'static str, Option<SchemaOf>)>,
}

impl Route {
    fn new(method: &'static str, path: &'static str, scope: Scope, about: &'static str) -> Self {
        Self {
            method,
            path,
            scope,
            about,
            details: "",
            query: None,
            headers: Vec::new(),
            bodies: Vec::new(),
            answers: Vec::new(),
            handler: None,
        }
    }

    fn get(path: &'static str, scope: Scope, about: &'static str) -> Self {
        Self::new("get", path, scope, about)
    }

    fn post(path: &'static str, scope: Scope, about: &'static str) -> Self {
        Self::new("post", path, scope, about)
    }

    fn put(path: &'static str, scope: Scope, about: &'static str) -> Self {
        Self::new("put", path, scope, about)
    }

    fn delete(path: &'static str, scope: Scope, about: &'static str) -> Self {
        Self::new("delete", path, scope, about)
    }

    fn details(self, details: &'static str) -> Self {
        Self { details, ..self }
    }

    /// Takes the fields of a type as parameters of the query.
    fn query<T: JsonSchema>(self) -> Self {
        Self { query: Some(inline_schema_of::<T>), ..self }
    }

    fn header(mut self, name: &'static str, about: &'static str) -> Self {
        self.headers.push((name, about));
        self
    }

    /// Takes JSON.
    fn body<T: JsonSchema>(mut self) -> Self {
        self.bodies.push(("application/json", Some(schema_of::<T>)));
        self
    }

    /// Takes bytes of a type.
    fn bytes(mut self, content_type: &'static str) -> Self {
        self.bodies.push((content_type, None));
        self
    }

    /// Answers with JSON.
    fn answer<T: JsonSchema>(mut self, status: u16, about: &'static str) -> Self {
        let types = vec![("application/json", Some(schema_of::<T> as SchemaOf))];
        self.answers.push(Answer { status, about, types });
        self
    }

    /// Answers with nothing, or with another type than JSON; a second call for a status adds a type.
    fn answer_of(mut self, status: u16, about: &'static str, types: &[&'static str]) -> Self {
        let new = types.iter().map(|name| (*name, None));
        match self.answers.iter_mut().find(|answer| answer.status == status) {
            Some(answer) => answer.types.extend(new),
            None => self.answers.push(Answer { status, about, types: new.collect() }),
        }
        self
    }

    fn to<H, T>(mut self, handler: H) -> Self
    where
        H: Handler<T, Shared>,
        T: 'static,
    {
        let filter = match self.method {
            "get" => MethodFilter::GET,
            "post" => MethodFilter::POST,
            "put" => MethodFilter::PUT,
            _ => MethodFilter::DELETE,
        };
        let scope = self.scope;
        let check = move |caller: Caller, request: Request, next: Next| async move {
            match App::require(&caller, scope) {
                Ok(()) => next.run(request).await,
                Err(problem) => problem.into_response(),
            }
        };
        self.handler = Some(on(filter, handler).route_layer(from_fn(check)));
        self
    }
}

/// Returns everything that can be asked.
fn routes() -> Vec<Route> {
    [
        about::routes(),
        compare::routes(),
        collections::routes(),
        documents::routes(),
        bulk::routes(),
        query::routes(),
        search::routes(),
        stream::routes(),
        preview::routes(),
        plan::routes(),
        roots::routes(),
        jobs::routes(),
        result_list::routes(),
        results::routes(),
        clusters::routes(),
        decisions::routes(),
        grouped::routes(),
        clean::routes(),
        evaluation::routes(),
        experiments::routes(),
        pools::routes(),
        notices::routes(),
        keys::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns the OpenAPI document.
pub(crate) fn openapi_json() -> &'static str {
    static DOCUMENT: OnceLock<String> = OnceLock::new();
    DOCUMENT.get_or_init(|| openapi::document(&routes()).to_string())
}

/// Makes the router.
pub(crate) fn router(app: Shared) -> Router {
    let mut router: Router<Shared> = Router::new();
    for route in routes() {
        if let Some(handler) = route.handler {
            router = router.route(&format!("{PREFIX}{}", route.path), handler);
        }
    }
    router
        .merge(pages::router())
        .fallback(|| async { Problem::not_found("address") })
        .method_not_allowed_fallback(|| async {
            let detail = "the address is right, but it does not take this method";
            Problem::new(Code::MethodNotAllowed, detail)
        })
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(app.clone(), guarded))
        .with_state(app)
}

/// Answers with JSON.
pub(crate) fn json(value: &impl Serialize) -> Result<Response, Problem> {
    json_with(StatusCode::OK, value)
}

/// Answers with JSON and a status.
pub(crate) fn json_with(status: StatusCode, value: &impl Serialize) -> Result<Response, Problem> {
    let body = serde_json::to_vec(value).map_err(Problem::internal)?;
    Ok(typed(status, "application/json", body))
}

/// Answers with bytes of a type.
pub(crate) fn typed(
    status: StatusCode,
    content_type: &'static str,
    body: impl Into<Bytes>,
) -> Response {
    let mut response = (status, body.into()).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
