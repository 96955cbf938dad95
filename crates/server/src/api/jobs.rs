//! Jobs: begun, watched, ended. Each has an address that outlives the page it was begun from.

use std::path::PathBuf;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use retold::{PairsWritten, Regroup, TableFormat};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::compare::settings_of;
use super::results::result_of;
use super::stream::place;
use super::{At, Given, Params, Route, json, json_with};
use crate::app::Shared;
use crate::cursor::Cursor;
use crate::http::Events;
use crate::jobs::{Event, Input, Kind, Progress, Record, Regrouping, Status, Wanted, refusal};
use crate::keys::{Caller, Scope};
use crate::problem::{Code, Problem};
use crate::time::rfc3339;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/jobs", Scope::Write, "Begin a job")
            .details(
                "`find` looks for copies, `dedup` decides which documents go, `import` adds the \
                 documents of files to a collection. `regroup` makes a new result of `input.result` \
                 with other values of `containment`, `passage-words`, `shared`, `distinctive`, `clusters`, `join`, `keep`, \
                 `cover`, `remove-contained` and `dedup`, without reading texts. A job survives the end of the server: it begins \
                 again, or is reported as failed.",
            )
            .body::<JobBody>()
            .answer::<JobAnswer>(202, "It is stored, and waits or runs")
            .to(begin),
        Route::get("/jobs", Scope::Read, "All jobs")
            .query::<JobParams>()
            .answer::<JobList>(200, "Jobs in the order in which they were begun")
            .to(list),
        Route::get("/jobs/{job}", Scope::Read, "One job")
            .answer::<JobAnswer>(200, "How it stands")
            .to(get),
        Route::delete("/jobs/{job}", Scope::Write, "End a job, or forget one that is over")
            .details("A job that is over is forgotten together with its result.")
            .answer::<JobAnswer>(202, "It is asked to end")
            .answer_of(204, "It is forgotten", &[])
            .to(end),
        Route::get("/jobs/{job}/events", Scope::Read, "How a job goes on")
            .details(
                "With `Accept: text/event-stream` an event for every step until it is over; \
                 otherwise the answer is how it stands now.",
            )
            .answer::<Event>(200, "How it stands")
            .answer_of(200, "", &["text/event-stream"])
            .to(events),
    ]
}

/// A job that is to be begun.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct JobBody {
    /// What it does.
    kind: Kind,
    /// What it is called for people.
    title: Option<String>,
    /// Where its documents come from.
    input: Input,
    /// For `find` and `dedup`: a collection that the documents are compared with, too.
    against: Option<String>,
    /// For `import`: the collection that documents are added to.
    into: Option<String>,
    /// Settings by the names of the command line's options, such as `{"method": "minhash"}`.
    #[serde(default)]
    settings: Map<String, Value>,
}

/// Which jobs.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct JobParams {
    /// Only those of a status.
    status: Option<Status>,
    /// Where the page begins: `next` of the page before.
    after: Option<String>,
    /// Jobs of a page. The default is 100.
    limit: Option<u64>,
}

/// A job.
#[derive(Serialize, JsonSchema)]
pub(super) struct JobAnswer {
    /// Its number, and that of its result.
    id: u64,
    /// What it does.
    kind: Kind,
    /// What it is called for people.
    title: Option<String>,
    /// How it stands.
    status: Status,
    /// Where its documents come from.
    input: Input,
    /// The collection that the documents are compared with, too.
    against: Option<String>,
    /// The collection that documents are added to.
    into: Option<String>,
    /// Its settings, by the names of the command line's options.
    settings: Value,
    /// Who began it.
    by: String,
    /// When it was taken.
    created: String,
    /// When it was begun, for the last time.
    started: Option<String>,
    /// When it was over.
    ended: Option<String>,
    /// Times that it was begun.
    tries: u32,
    /// Why it failed.
    problem: Option<String>,
    /// What came of it: the number of its result and figures.
    outcome: Option<Value>,
    /// How far it is, while it runs.
    progress: Option<Progress>,
}

/// A page of jobs.
#[derive(Serialize, JsonSchema)]
struct JobList {
    /// The jobs.
    jobs: Vec<JobAnswer>,
    /// Where the next page begins, if there is one.
    next: Option<String>,
}

fn told(app: &Shared, record: Record) -> JobAnswer {
    let progress = app.jobs.progress(record.number);
    let Record { number, wanted, status, by, created, started, ended, tries, problem, outcome } =
        record;
    let Wanted { kind, title, input, files: _, against, into, settings, regrouping: _ } = wanted;
    JobAnswer {
        id: number,
        kind,
        title,
        status,
        input,
        against,
        into,
        settings: serde_json::to_value(&settings).unwrap_or_default(),
        by,
        created: rfc3339(created),
        started: started.map(rfc3339),
        ended: ended.map(rfc3339),
        tries,
        problem,
        outcome,
        progress,
    }
}

/// Returns whether a caller may see a job: whether its key is for the collections that it reads and
/// writes. Jobs on files are for keys that are for all collections.
pub(super) fn may_see(caller: &Caller, wanted: &Wanted) -> bool {
    let names = [&wanted.input.collection, &wanted.against, &wanted.into];
    let sees_names = names.iter().filter_map(|name| name.as_ref()).all(|name| caller.may_see(name));
    sees_names && (wanted.input.path.is_none() || caller.sees_all())
}

async fn begin(
    State(app): State<Shared>,
    caller: Caller,
    Given(body): Given<JobBody>,
) -> Result<Response, Problem> {
    let JobBody { kind, title, input, against, into, settings } = body;
    let refused = |detail: &str| Err(Problem::new(Code::NotAccepted, detail));
    if kind == Kind::Regroup {
        if against.is_some() || into.is_some() {
            return refused("`regroup` takes neither `against` nor `into`");
        }
        let wanted = regrouped(&app, &caller, title, input, settings).await?;
        return taken(&app, &caller, wanted).await;
    }
    if kind == Kind::Import && input.path.is_none() {
        return refused("`import` reads a `path`");
    }
    let files = input_files(&app, &caller, &input)?;
    if let Some(name) = &against {
        if kind == Kind::Import {
            return refused("`against` is for `find` and `dedup`");
        }
        let index = app.collection(&caller, name)?.index();
        let method = settings.get("method").and_then(Value::as_str);
        if method.is_some_and(|method| !index.jobs().any(|job| job.method() == method)) {
            return refused("`against` names a collection that does not have this method");
        }
    }
    match (&into, kind) {
        (Some(name), Kind::Import) => {
            if app.collection(&caller, name)?.is_read_only() {
                return Err(Problem::new(Code::ReadOnly, format!("`{name}` is only read")));
            }
        }
        (None, Kind::Import) => return refused("`import` needs `into`, a collection"),
        (Some(_), _) => return refused("`into` is for `import`"),
        (None, _) => {}
    }
    let has_pairs = settings.contains_key("pairs");
    let mut settings = settings_of(&app.config.job, settings)?.with_format(TableFormat::Jsonl);
    if !has_pairs {
        settings = settings.with_pairs(PairsWritten::All);
    }
    let settings = settings.with_no_page(true);
    let wanted = Wanted { kind, title, input, files, against, into, settings, regrouping: None };
    taken(&app, &caller, wanted).await
}

/// Checks an input of documents; returns the files if it is a path.
pub(super) fn input_files(
    app: &Shared,
    caller: &Caller,
    input: &Input,
) -> Result<Option<PathBuf>, Problem> {
    let refused = |detail: &str| Err(Problem::new(Code::NotAccepted, detail));
    match (&input.collection, &input.path, input.result) {
        (_, _, Some(_)) => refused("`result` is for `regroup`"),
        (Some(name), None, None) => app.collection(caller, name).map(|_| None),
        (None, Some(path), None) if caller.sees_all() => app.path(path).map(Some),
        (None, Some(_), None) => refused("the key is not for files"),
        _ => refused("`input` names either a `collection` or a `path`"),
    }
}

/// Checks that a result can be grouped again; returns what is to be done.
async fn regrouped(
    app: &Shared,
    caller: &Caller,
    title: Option<String>,
    input: Input,
    settings: Map<String, Value>,
) -> Result<Wanted, Problem> {
    let Input { collection: None, path: None, result: Some(of) } = input else {
        let detail = "`input` of `regroup` names a `result`, and nothing else";
        return Err(Problem::new(Code::NotAccepted, detail));
    };
    let base = result_of(app, caller, of)?.wanted;
    let regrouping = serde_json::from_value::<Regrouping>(Value::Object(settings));
    let mut regrouping = regrouping
        .map_err(|error| Problem::new(Code::NotAccepted, format!("settings: {error}")))?;
    regrouping.dedup = regrouping.dedup.or(Some(base.decides()));
    app.work(caller, move |app| {
        let regroup = Regroup::open(app.results.folder(of)).map_err(|error| refusal(error, of))?;
        let job = regrouping.apply(regroup).job().map_err(|error| refusal(error, of))?;
        let Wanted { input, files, against, .. } = base;
        // Whoever may see the documents of the one may see those of the other.
        let input = Input { result: Some(of), ..input };
        let (kind, settings) = (Kind::Regroup, job);
        let regrouping = Some(regrouping);
        Ok(Wanted { kind, title, input, files, against, into: None, settings, regrouping })
    })
    .await
}

/// Stores a job and tells of it.
async fn taken(app: &Shared, caller: &Caller, wanted: Wanted) -> Result<Response, Problem> {
    app.free.check()?;
    let by = caller.name.to_string();
    let record = app.wait(move |app| app.jobs.add(wanted, &by)).await?;
    let location = format!("/api/v1/jobs/{}", record.number);
    let mut response = json_with(StatusCode::ACCEPTED, &told(app, record))?;
    let location = HeaderValue::from_str(&location).map_err(Problem::internal)?;
    response.headers_mut().insert(header::LOCATION, location);
    Ok(response)
}

async fn list(
    State(app): State<Shared>,
    caller: Caller,
    Params(params): Params<JobParams>,
) -> Result<Response, Problem> {
    let limit = params.limit.unwrap_or(100).clamp(1, app.limits().page_rows) as usize;
    let list = format!("jobs/{:?}", params.status);
    let after = Cursor::position(params.after.as_deref(), &list)?;
    let seen = caller.clone();
    let mut records = app
        .work(&caller, move |app| {
            let after = (after > 0).then_some(after);
            app.jobs.list(params.status, after, limit + 1, |job| may_see(&seen, &job.wanted))
        })
        .await?;
    let next = (records.len() > limit).then(|| {
        records.truncate(limit);
        Cursor::at(records.last().map_or(0, |job| job.number), &list)
    });
    let jobs = records.into_iter().map(|record| told(&app, record)).collect();
    json(&JobList { jobs, next })
}

/// Returns a job that a caller may see.
pub(super) fn job_of(app: &Shared, caller: &Caller, number: u64) -> Result<Record, Problem> {
    let record = app.jobs.get(number)?.filter(|job| may_see(caller, &job.wanted));
    record.ok_or_else(|| Problem::not_found("job"))
}

async fn get(
    State(app): State<Shared>,
    caller: Caller,
    At(number): At<u64>,
) -> Result<Response, Problem> {
    let record = job_of(&app, &caller, number)?;
    json(&told(&app, record))
}

async fn end(
    State(app): State<Shared>,
    caller: Caller,
    At(number): At<u64>,
) -> Result<Response, Problem> {
    let record = job_of(&app, &caller, number)?;
    if record.status.is_over() {
        app.wait(move |app| {
            app.results.close(number);
            app.jobs.forget(number)
        })
        .await?;
        return Ok(axum::response::IntoResponse::into_response(StatusCode::NO_CONTENT));
    }
    let record = app.wait(move |app| app.jobs.cancel(number)).await?;
    let record = record.ok_or_else(|| Problem::not_found("job"))?;
    json_with(StatusCode::ACCEPTED, &told(&app, record))
}

async fn events(
    State(app): State<Shared>,
    caller: Caller,
    At(number): At<u64>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let record = job_of(&app, &caller, number)?;
    let is_events = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("text/event-stream"));
    if !is_events {
        return json(&Event { status: record.status, progress: app.jobs.progress(number) });
    }
    let place = place(&app)?;
    let (events, response) = Events::begin();
    tokio::spawn(async move {
        let _place = place;
        let mut ending = app.ending.clone();
        loop {
            let steps = app.jobs.follow(number);
            let Ok(Some(record)) = app.jobs.get(number) else { return };
            let event = Event { status: record.status, progress: app.jobs.progress(number) };
            let Ok(json) = serde_json::to_string(&event) else { return };
            if !events.send(None, "job", &json).await || record.status.is_over() {
                return;
            }
            let wait = async {
                match steps {
                    Some(mut steps) => {
                        let _ = steps.changed().await;
                    }
                    None => tokio::time::sleep(std::time::Duration::from_millis(500)).await,
                }
            };
            tokio::select! {
                () = wait => {}
                () = events.closed() => return,
                () = crate::app::ended(&mut ending) => return,
            }
        }
    });
    Ok(response)
}
