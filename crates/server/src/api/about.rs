//! What the server accepts and which methods it has.

use axum::extract::State;
use axum::response::Response;
use retold::{METHODS, Profile};
use retold_core::methods;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{At, Route, json};
use crate::app::Shared;
use crate::keys::Scope;
use crate::limits::Limits;
use crate::problem::Problem;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/limits", Scope::Read, "What the server accepts")
            .answer::<Limits>(200, "All limits, by the names that problems give them")
            .to(limits),
        Route::get("/methods", Scope::Read, "All methods, with their parameters")
            .answer::<MethodList>(200, "The methods")
            .to(all_methods),
        Route::get("/methods/{method}", Scope::Read, "One method or form of one")
            .answer::<Value>(200, "The method, with the JSON schema of its parameters")
            .to(one_method),
    ]
}

/// All methods.
#[derive(Serialize, JsonSchema)]
struct MethodList {
    /// Each with its name, title, story, relations that it finds, parameters and forms, and the JSON
    /// schema of its parameters.
    methods: Vec<Value>,
}

async fn limits(State(app): State<Shared>) -> Result<Response, Problem> {
    json(app.limits())
}

async fn all_methods() -> Result<Response, Problem> {
    let methods = METHODS.iter().map(|spec| described(spec.name)).collect::<Result<_, _>>()?;
    json(&MethodList { methods })
}

async fn one_method(At(name): At<String>) -> Result<Response, Problem> {
    methods::find(&name).map_err(|_| Problem::not_found("method"))?;
    json(&described(&name)?)
}

fn described(name: &str) -> Result<Value, Problem> {
    let (spec, _) = methods::find(name)?;
    let mut about = spec.describe();
    about["schema"] = methods::schema(name, Profile::Retold)?;
    Ok(about)
}
