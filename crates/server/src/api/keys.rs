//! Keys: made, listed, removed, by whoever may do everything.

use std::collections::BTreeSet;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{At, Given, Route, json, json_with};
use crate::app::Shared;
use crate::keys::{Caller, Key, Scope};
use crate::problem::{Code, Problem};
use crate::time::{now, rfc3339};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/keys", Scope::Admin, "All keys")
            .answer::<KeyList>(200, "The keys, without their secrets")
            .to(list),
        Route::post("/keys", Scope::Admin, "Make a key")
            .body::<KeyBody>()
            .answer::<NewKey>(201, "The key; its secret is told this once")
            .to(create),
        Route::delete("/keys/{key}", Scope::Admin, "Remove a key")
            .answer_of(204, "It is gone", &[])
            .to(remove),
    ]
}

/// A key that is to be made.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KeyBody {
    /// Who or what it is for; judgements and logs show it.
    #[schemars(length(min = 1, max = 64))]
    name: String,
    /// What it allows.
    scopes: BTreeSet<Scope>,
    /// Collections it is for; left out means all.
    collections: Option<BTreeSet<String>>,
    /// When it ends.
    expires: Option<String>,
    /// Requests a second that it may make, if not as many as all keys.
    #[schemars(range(min = 1))]
    requests_per_second: Option<u64>,
}

/// A key.
#[derive(Serialize, JsonSchema)]
struct KeyAnswer {
    /// Its id, by which it is removed and named in logs.
    id: String,
    /// Who or what it is for.
    name: String,
    /// What it allows.
    scopes: BTreeSet<Scope>,
    /// Collections it is for; none means all.
    collections: Option<BTreeSet<String>>,
    /// When it ends.
    expires: Option<String>,
    /// When it was made.
    created: String,
    /// Requests a second that it may make, if not as many as all keys.
    requests_per_second: Option<u64>,
}

/// All keys.
#[derive(Serialize, JsonSchema)]
struct KeyList {
    /// The keys, oldest first.
    keys: Vec<KeyAnswer>,
}

/// A key that was just made.
#[derive(Serialize, JsonSchema)]
struct NewKey {
    /// The key.
    #[serde(flatten)]
    key: KeyAnswer,
    /// What has to be sent: `Authorization: Bearer TOKEN`. It cannot be told again.
    token: String,
}

fn told(key: Key) -> KeyAnswer {
    KeyAnswer {
        id: key.id,
        name: key.name,
        scopes: key.scopes,
        collections: key.collections,
        expires: key.expires.map(rfc3339),
        created: rfc3339(key.created),
        requests_per_second: key.requests_per_second,
    }
}

async fn list(State(app): State<Shared>) -> Result<Response, Problem> {
    json(&KeyList { keys: app.keys.list().into_iter().map(told).collect() })
}

async fn create(
    State(app): State<Shared>,
    caller: Caller,
    Given(body): Given<KeyBody>,
) -> Result<Response, Problem> {
    let KeyBody { name, scopes, collections, expires, requests_per_second } = body;
    let refused = |detail: &str| Err(Problem::new(Code::NotAccepted, detail));
    if name.is_empty() || name.len() > 64 || name.chars().any(char::is_control) {
        return refused("`name` has from 1 to 64 bytes, all printable");
    }
    if scopes.is_empty() {
        return refused("a key needs at least one scope: read, write, judge or admin");
    }
    // Nobody gives more than they have.
    let names = collections.as_ref();
    if !caller.sees_all() && !names.is_some_and(|names| names.iter().all(|n| caller.may_see(n))) {
        return refused("the new key may only be for collections that yours is for");
    }
    let expires = match expires {
        None => None,
        Some(text) => match retold::seconds(&text) {
            Some(seconds) if seconds <= now() => return refused("`expires` lies in the past"),
            Some(seconds) => Some(seconds),
            None => return refused("`expires` is no time: RFC 3339, a date or seconds are"),
        },
    };
    if requests_per_second == Some(0) {
        return refused("`requests_per_second` is at least 1");
    }
    let wanted = Key::wanted(name, scopes, collections, expires, requests_per_second);
    let (key, token) = app.wait(move |app| app.keys.add(&app.store, wanted)).await?;
    json_with(StatusCode::CREATED, &NewKey { key: told(key), token })
}

async fn remove(State(app): State<Shared>, At(id): At<String>) -> Result<Response, Problem> {
    if app.wait(move |app| app.keys.remove(&app.store, &id)).await? {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Err(Problem::not_found("key"))
}
