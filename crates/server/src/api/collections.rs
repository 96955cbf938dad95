//! Collections: made, listed, described, removed, filled with files, copied.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use retold::{IndexOptions, Job, Silent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::io::Write as _;
use std::sync::Arc;

use super::compare::settings_of;
use super::extract::{BodyReader, too_large};
use super::{At, Given, Params, Route, json, json_with};
use crate::app::Shared;
use crate::collections::{Collection, Record, Searched, is_name};
use crate::keys::{Caller, Scope, random_name, random_seed};
use crate::problem::{Code, Problem};
use crate::reading;
use crate::time::{now, rfc3339};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/collections", Scope::Read, "All collections that the key is for")
            .answer::<CollectionList>(200, "The collections, by name")
            .to(list),
        Route::post("/collections", Scope::Admin, "Make a collection")
            .body::<CollectionBody>()
            .answer::<CollectionAnswer>(201, "It is there, and empty")
            .to(create),
        Route::get("/collections/{collection}", Scope::Read, "One collection")
            .answer::<CollectionAnswer>(200, "The collection")
            .to(get),
        Route::delete("/collections/{collection}", Scope::Admin, "Remove a collection")
            .details("Everything it holds is removed. Results of jobs stay.")
            .answer_of(204, "It is gone", &[])
            .to(remove),
        Route::get("/collections/{collection}/stats", Scope::Read, "What a collection holds")
            .answer::<Value>(200, "Documents, methods, and bytes on the disk")
            .to(stats),
        Route::post("/collections/{collection}/files", Scope::Write, "Add the documents of a file")
            .details(
                "The body is a file of any format that the readers know, packed or not; it is read \
                 as a stream to the disk and then like a file on the command line.",
            )
            .query::<FileParams>()
            .bytes("application/octet-stream")
            .answer::<FileAnswer>(200, "What became of its documents")
            .to(add_file),
        Route::post("/collections/{collection}/snapshots", Scope::Admin, "Copy a collection")
            .details(
                "The copy is an index as `retold index restore` takes it, below `snapshots` in the \
                 data folder; writing goes on meanwhile.",
            )
            .answer::<SnapshotAnswer>(201, "The copy is whole and on the disk")
            .to(snapshot),
        Route::get("/collections/{collection}/snapshots", Scope::Admin, "All copies")
            .answer::<SnapshotList>(200, "The copies, by name")
            .to(snapshots),
    ]
}

/// A collection that is to be made.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CollectionBody {
    /// Its name: letters a to z, digits, `.`, `_` and `-`, at most 64.
    #[schemars(regex(pattern = r"^[a-z0-9][a-z0-9._-]{0,63}$"))]
    name: String,
    /// What it is called for people.
    title: Option<String>,
    /// Settings by the names of the command line's options, such as `{"method": "sl-fp-sd"}`.
    #[serde(default)]
    settings: Map<String, Value>,
    /// Further methods, each by its settings.
    #[serde(default)]
    further: Vec<Map<String, Value>>,
    /// The time window, such as `7d`, `12h` or `30m`; with it the collection is a stream, and every
    /// document gets a verdict.
    #[schemars(regex(pattern = r"^[0-9]{1,6}[smhd]$"))]
    window: Option<String>,
    /// Whether documents leave the collection when they leave the window.
    #[serde(default)]
    forget: bool,
    /// Collections that posted texts are checked against; who watches them gets notices.
    #[serde(default)]
    check_against: Vec<String>,
}

/// A collection.
#[derive(Serialize, JsonSchema)]
struct CollectionAnswer {
    /// Its name.
    name: String,
    /// What it is called for people.
    title: Option<String>,
    /// When it was made, or first served.
    created: String,
    /// What there is to search.
    searched: Searched,
    /// Documents that the full-text search knows; it follows a moment later.
    searchable: u64,
    /// Its methods.
    methods: Vec<String>,
    /// Seconds of the time window, if it is a stream.
    window_seconds: Option<i64>,
    /// Collections that posted texts are checked against.
    check_against: Vec<String>,
    /// Whether it is only read.
    is_read_only: bool,
}

/// All collections.
#[derive(Serialize, JsonSchema)]
struct CollectionList {
    /// The collections, by name.
    collections: Vec<CollectionAnswer>,
}

/// Names a file.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FileParams {
    /// Name of the file; its ending helps to tell the format.
    #[serde(default)]
    name: String,
}

/// What became of the documents of a file.
#[derive(Serialize, JsonSchema)]
struct FileAnswer {
    /// Documents that are new.
    added: u64,
    /// Documents that took the place of others with their ids.
    replaced: u64,
    /// Documents that were there already.
    unchanged: u64,
    /// Documents older than the time window.
    late: u64,
    /// Records that could not be read.
    bad_records: u64,
    /// The first reasons.
    remarks: Vec<String>,
}

/// A copy of a collection.
#[derive(Serialize, JsonSchema)]
struct SnapshotAnswer {
    /// Name of its folder, below `snapshots` in the data folder.
    name: String,
    /// When it was made.
    created: String,
    /// What it holds.
    searched: Searched,
}

/// All copies of a collection.
#[derive(Serialize, JsonSchema)]
struct SnapshotList {
    /// Names of their folders.
    snapshots: Vec<String>,
}

fn described(collection: &Collection) -> CollectionAnswer {
    let Record { name, title, created, window, check_against, archive, .. } = collection.record();
    let index = collection.index();
    CollectionAnswer {
        name,
        title,
        created: rfc3339(created),
        searched: Searched::of(&index),
        searchable: collection.n_searchable(),
        methods: index.jobs().map(|job| job.method().to_owned()).collect(),
        window_seconds: window,
        check_against,
        is_read_only: archive.is_some(),
    }
}

async fn list(State(app): State<Shared>, caller: Caller) -> Result<Response, Problem> {
    let all = app.collections.all();
    let seen = all.iter().filter(|collection| caller.may_see(&collection.name()));
    json(&CollectionList { collections: seen.map(|collection| described(collection)).collect() })
}

async fn get(
    State(app): State<Shared>,
    caller: Caller,
    At(name): At<String>,
) -> Result<Response, Problem> {
    json(&described(&*app.collection(&caller, &name)?))
}

/// Returns the seconds of a time such as `7d`.
fn seconds_of(window: &str) -> Option<i64> {
    let unit = match window.bytes().last()? {
        b's' => 1,
        b'm' => 60,
        b'h' => 3_600,
        b'd' => 86_400,
        _ => return None,
    };
    let number: i64 = window[..window.len() - 1].parse().ok()?;
    (1..=999_999).contains(&number).then(|| number * unit)
}

async fn create(
    State(app): State<Shared>,
    caller: Caller,
    Given(body): Given<CollectionBody>,
) -> Result<Response, Problem> {
    let CollectionBody { name, title, settings, further, window, forget, check_against } = body;
    if !is_name(&name) || !caller.may_see(&name) {
        let detail = format!("`{name}` cannot be the name of a collection");
        return Err(Problem::new(Code::NotAccepted, detail));
    }
    let window = match window.as_deref() {
        None => None,
        Some(text) => Some(seconds_of(text).ok_or_else(|| {
            Problem::new(Code::NotAccepted, "window is a number with s, m, h or d, such as `7d`")
        })?),
    };
    for other in &check_against {
        app.collection(&caller, other)?;
    }
    // What a stranger posts meets features that a stranger cannot compute.
    let seed = random_seed()?;
    let seeded = |mut settings: Map<String, Value>| {
        settings.entry("seed").or_insert_with(|| Value::from(seed));
        settings_of(&app.config.job, settings)
    };
    let mut jobs: Vec<Job> = vec![seeded(settings)?];
    for settings in further {
        jobs.push(seeded(settings)?);
    }
    let record = Record {
        name,
        title,
        created: now(),
        window,
        forgets: forget,
        check_against,
        archive: None,
    };
    let collection = app
        .wait(move |app| {
            app.collections.create(&app.store, &record, &jobs, &IndexOptions::default())
        })
        .await?;
    json_with(StatusCode::CREATED, &described(&collection))
}

async fn remove(
    State(app): State<Shared>,
    caller: Caller,
    At(name): At<String>,
) -> Result<Response, Problem> {
    app.collection(&caller, &name)?;
    let is_gone = app.wait(move |app| app.collections.remove(&app.store, &name)).await?;
    if !is_gone {
        return Err(Problem::not_found("collection"));
    }
    Ok(axum::response::IntoResponse::into_response(StatusCode::NO_CONTENT))
}

async fn stats(
    State(app): State<Shared>,
    caller: Caller,
    At(name): At<String>,
) -> Result<Response, Problem> {
    let collection = app.collection(&caller, &name)?;
    let stats = app.work(&caller, move |_| Ok(collection.index().stats()?)).await?;
    json(&stats)
}

async fn add_file(
    State(app): State<Shared>,
    caller: Caller,
    At(name): At<String>,
    Params(params): Params<FileParams>,
    request: Request,
) -> Result<Response, Problem> {
    let collection = app.collection(&caller, &name)?;
    if collection.is_read_only() {
        return Err(Problem::new(Code::ReadOnly, format!("`{name}` is only read")));
    }
    let file = uploaded(&app, &params.name, request).await?;
    let runtime = tokio::runtime::Handle::current();
    let answer = app
        .wait(move |app| {
            let remarks = Remarks::default();
            let read = &app.config.read;
            let added = reading::each_batch(
                &file.path(),
                Some(file.label()),
                read,
                1_000,
                &remarks,
                |documents| {
                    let n_documents = documents.len() as u64;
                    let written = runtime.block_on(collection.put(documents, true))?;
                    app.metrics.documents_written.inc_by(n_documents);
                    Ok(written.done)
                },
            )?;
            app.notices.follow(&collection)?;
            let n = |name: &str| added[name].as_u64().unwrap_or(0);
            Ok(FileAnswer {
                added: n("added"),
                replaced: n("replaced"),
                unchanged: n("unchanged"),
                late: n("late"),
                bad_records: n("bad_records"),
                remarks: remarks.into_inner(),
            })
        })
        .await?;
    json(&answer)
}

/// The first reasons why records could not be read.
#[derive(Default)]
struct Remarks(std::sync::Mutex<Vec<String>>);

impl Remarks {
    fn into_inner(self) -> Vec<String> {
        self.0.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl retold::Progress for Remarks {
    fn bad(&self, record: &retold::BadRecord) {
        Silent.bad(record);
        let mut remarks = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if remarks.len() < 100 {
            remarks.push(record.reason.clone());
        }
    }
}

/// A file that was uploaded, in a folder that goes with it.
pub(super) struct Uploaded {
    folder: tempfile::TempDir,
    name: String,
    label: String,
}

impl Uploaded {
    /// Returns the name that its sender gave it, which is part of the ids of its documents.
    pub(super) fn label(&self) -> &str {
        &self.label
    }

    pub(super) fn path(&self) -> std::path::PathBuf {
        self.folder.path().join(&self.name)
    }
}

/// Writes the body of a request to a file. Only the ending of its name is taken over.
pub(super) async fn uploaded(
    app: &Shared,
    name: &str,
    request: Request,
) -> Result<Uploaded, Problem> {
    app.free.check()?;
    let folder = app.config.data.join("uploads");
    let folder = tempfile::tempdir_in(folder)?;
    let label = if name.is_empty() { "upload" } else { name }.to_owned();
    let is_plain = |c: char| c.is_ascii_alphanumeric();
    let endings = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let mut endings: Vec<&str> = endings
        .split('.')
        .skip(1)
        .filter(|ending| ending.len() <= 8 && !ending.is_empty() && ending.chars().all(is_plain))
        .collect();
    endings.drain(..endings.len().saturating_sub(2));
    let name = std::iter::once("upload").chain(endings).collect::<Vec<_>>().join(".");
    let uploaded = Uploaded { folder, name, label };
    let mut file = std::fs::File::create(uploaded.path())?;
    let most = app.limits().file_bytes;
    let (mut reader, mut n_bytes) = (BodyReader::new(request.into_body(), app.limits()), 0);
    while let Some(piece) = reader.next().await? {
        n_bytes += piece.len() as u64;
        if n_bytes > most {
            return Err(too_large("file_bytes", most));
        }
        file.write_all(&piece)?;
    }
    Ok(uploaded)
}

async fn snapshot(
    State(app): State<Shared>,
    caller: Caller,
    At(name): At<String>,
) -> Result<Response, Problem> {
    let collection: Arc<Collection> = app.collection(&caller, &name)?;
    let answer = app
        .wait(move |app| {
            app.free.check()?;
            let folder = app.config.data.join("snapshots");
            std::fs::create_dir_all(&folder)?;
            let created = now();
            let stamp = rfc3339(created).replace([':', '-'], "");
            let name = format!("{}-{stamp}-{}", collection.name(), random_name()?);
            retold::backup_index(collection.path(), folder.join(&name))?;
            let index = retold::Index::open(folder.join(&name))?;
            let created = rfc3339(created);
            Ok(SnapshotAnswer { name, created, searched: Searched::of(&index) })
        })
        .await?;
    json_with(StatusCode::CREATED, &answer)
}

async fn snapshots(
    State(app): State<Shared>,
    caller: Caller,
    At(name): At<String>,
) -> Result<Response, Problem> {
    app.collection(&caller, &name)?;
    let mut snapshots = Vec::new();
    if let Ok(entries) = std::fs::read_dir(app.config.data.join("snapshots")) {
        for entry in entries.flatten() {
            let folder = entry.file_name().to_string_lossy().into_owned();
            // A name, a time and a random part, with `-` between them.
            let of = folder.rsplitn(3, '-').nth(2);
            if of == Some(name.as_str()) {
                snapshots.push(folder);
            }
        }
    }
    snapshots.sort();
    json(&SnapshotList { snapshots })
}
