//! What comes to a collection, as it comes: server-sent events, or the same by asking again and again.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;

use super::{At, Params, Route, json};
use crate::app::Shared;
use crate::collections::{Collection, Searched};
use crate::http::Events;
use crate::keys::{Caller, Scope};
use crate::problem::{Code, Problem};

/// Documents that are told together.
const TOGETHER: usize = 100;

/// Time between signs of life.
const BEAT: Duration = Duration::from_secs(15);

/// Longest time that an answer waits for something new.
const LONGEST_WAIT: u64 = 30;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/collections/{collection}/stream", Scope::Read, "Documents as they come")
            .details(
                "With `Accept: text/event-stream` events are sent as documents come, each with the \
                 number of its document as id; `Last-Event-ID` goes on behind one. Otherwise the \
                 answer is a list of those behind `after`, and waits for the first up to `wait` \
                 seconds. Both tell the same: every document that is still there, in the order of \
                 coming; one that was replaced comes again under its new number.",
            )
            .query::<StreamParams>()
            .header("Last-Event-ID", "Number of the last event that was seen")
            .answer::<StreamAnswer>(200, "Documents behind a number")
            .answer_of(200, "", &["text/event-stream"])
            .to(stream),
    ]
}

/// Where to go on.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StreamParams {
    /// Number of the last document that was seen; the default is none, for all.
    after: Option<u64>,
    /// Documents of one answer, at most 1,000. The default is 100.
    limit: Option<u64>,
    /// Seconds to wait for something new, at most 30. The default is 0.
    #[serde(default)]
    wait: u64,
}

/// Documents behind a number.
#[derive(Serialize, JsonSchema)]
struct StreamAnswer {
    /// The documents, in the order of coming.
    events: Vec<Came>,
    /// The number to go on with.
    next: u64,
    /// What was there.
    searched: Searched,
}

/// A document that came.
#[derive(Serialize, JsonSchema)]
struct Came {
    /// Its number, from 1.
    number: u64,
    /// Its id.
    id: String,
    /// Headline.
    title: Option<String>,
    /// When it was published.
    time: Option<String>,
    /// Who published it.
    source: Option<String>,
    /// Where it was found.
    url: Option<String>,
    /// The document that its cluster began with, in a stream: its own id if it tells something new.
    cluster: Option<String>,
    /// Who told it first, in a stream: id, time and source.
    #[schemars(with = "Option<Value>")]
    first: Option<retold::Telling>,
}

impl Came {
    fn of(stored: retold::StoredDocument) -> Self {
        let retold::Document { id, title, time, source, url, .. } = stored.document;
        let (number, cluster, first) = (stored.seq + 1, stored.cluster, stored.first);
        Self { number, id, title, time, source, url, cluster, first }
    }
}

async fn stream(
    State(app): State<Shared>,
    caller: Caller,
    At(name): At<String>,
    Params(params): Params<StreamParams>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let collection = app.collection(&caller, &name)?;
    let is_events = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("text/event-stream"));
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let last = match last {
        None => params.after,
        Some(id) => Some(id.trim().parse().map_err(|_| {
            Problem::new(Code::BadRequest, "Last-Event-ID is the number of an event")
        })?),
    };
    if is_events {
        let place = place(&app)?;
        let (events, response) = Events::begin();
        tokio::spawn(tell(app, caller, collection, events, last.unwrap_or(0), place));
        return Ok(response);
    }
    let limit = params.limit.unwrap_or(100).clamp(1, 1_000) as usize;
    let wait = Duration::from_secs(params.wait.min(LONGEST_WAIT));
    let deadline = tokio::time::Instant::now() + wait;
    let after = last.unwrap_or(0);
    // Only those who wait take a place.
    let _place = if wait.is_zero() { None } else { Some(place(&app)?) };
    let (mut changed, mut ending) = (collection.subscribe(), app.ending.clone());
    loop {
        changed.mark_unchanged();
        let reading = Arc::clone(&collection);
        let answer = app
            .work(&caller, move |_| {
                let index = reading.index();
                let events: Vec<Came> =
                    index.after(after.checked_sub(1), limit)?.into_iter().map(Came::of).collect();
                let next = events.last().map_or(after, |came| came.number);
                Ok(StreamAnswer { events, next, searched: Searched::of(&index) })
            })
            .await?;
        if !answer.events.is_empty() || tokio::time::Instant::now() >= deadline {
            return json(&answer);
        }
        tokio::select! {
            _ = changed.changed() => {}
            () = tokio::time::sleep_until(deadline) => {}
            () = crate::app::ended(&mut ending) => return json(&answer),
        }
    }
}

/// Takes one of the places for streams.
pub(super) fn place(app: &Shared) -> Result<OwnedSemaphorePermit, Problem> {
    Arc::clone(&app.streams).try_acquire_owned().map_err(|_| {
        let problem = Problem::new(Code::Overloaded, "too many streams are open");
        problem.limit("streams", app.limits().streams).retry_after(5)
    })
}

async fn tell(
    app: Shared,
    caller: Caller,
    collection: Arc<Collection>,
    events: Events,
    mut last: u64,
    _place: OwnedSemaphorePermit,
) {
    let (mut changed, mut ending) = (collection.subscribe(), app.ending.clone());
    if !events.beat().await {
        return;
    }
    loop {
        changed.mark_unchanged();
        let reading = Arc::clone(&collection);
        let came = app
            .work(&caller, move |_| Ok(reading.index().after(last.checked_sub(1), TOGETHER)?))
            .await;
        // Who cannot be served now goes on where it stopped when it comes again.
        let Ok(came) = came else { return };
        let is_more = came.len() == TOGETHER;
        for stored in came {
            let came = Came::of(stored);
            last = came.number;
            let Ok(json) = serde_json::to_string(&came) else { return };
            if !events.send(Some(last), "document", &json).await {
                return;
            }
        }
        if is_more {
            continue;
        }
        tokio::select! {
            changed = changed.changed() => if changed.is_err() { return },
            () = tokio::time::sleep(BEAT) => if !events.beat().await { return },
            () = events.closed() => return,
            () = crate::app::ended(&mut ending) => return,
        }
    }
}
