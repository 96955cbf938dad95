//! Folders that jobs may read files from, and what stands in them.

use std::path::Path;

use axum::extract::State;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Params, Route, json};
use crate::app::{App, Shared};
use crate::keys::{Caller, Scope};
use crate::problem::{Code, Problem};

/// Entries of a folder that are looked at.
const MOST_ENTRIES: usize = 100_000;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/roots", Scope::Read, "Folders that jobs may read files from")
            .answer::<RootList>(200, "The folders that the server was started with (`--root`)")
            .to(roots),
        Route::get("/roots/files", Scope::Read, "What stands in such a folder")
            .details("Entries that lead out of the folders are left out, as jobs refuse them.")
            .query::<FileParams>()
            .answer::<FileList>(200, "Folders first, then files, by their names")
            .to(files),
    ]
}

/// Folders.
#[derive(Serialize, JsonSchema)]
struct RootList {
    /// The folders.
    roots: Vec<Root>,
}

/// A folder that jobs may read files from.
#[derive(Serialize, JsonSchema)]
struct Root {
    /// Its path.
    path: String,
    /// Its last name.
    name: String,
    /// Whether it is there.
    there: bool,
}

/// Which folder.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FileParams {
    /// The folder, below one that the server was started with.
    path: String,
    /// Entries that are listed. The default is 1,000.
    limit: Option<u64>,
}

/// What stands in a folder.
#[derive(Serialize, JsonSchema)]
struct FileList {
    /// The folder.
    path: String,
    /// The folder around it, unless that is out of reach.
    parent: Option<String>,
    /// What stands in it.
    entries: Vec<Entry>,
    /// All entries.
    total: usize,
    /// Entries that are not listed.
    cut: usize,
}

/// A folder or file.
#[derive(Serialize, JsonSchema)]
struct Entry {
    /// Its name.
    name: String,
    /// Its path, as a job takes it.
    path: String,
    /// What it is.
    kind: EntryKind,
    /// Bytes of a file.
    bytes: Option<u64>,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum EntryKind {
    /// A folder.
    Folder,
    /// A file.
    File,
}

/// Refuses keys that are not for files.
pub(super) fn for_files(caller: &Caller) -> Result<(), Problem> {
    if caller.sees_all() {
        return Ok(());
    }
    Err(Problem::new(Code::Forbidden, "the key is not for files"))
}

async fn roots(State(app): State<Shared>, caller: Caller) -> Result<Response, Problem> {
    for_files(&caller)?;
    let roots = app.wait(|app| Ok(app.config.roots.iter().map(|root| told(root)).collect()));
    json(&RootList { roots: roots.await? })
}

fn told(root: &Path) -> Root {
    let whole = root.canonicalize();
    let path = whole.as_deref().unwrap_or(root);
    let name = path.file_name().map_or_else(|| path.as_os_str().to_owned(), ToOwned::to_owned);
    Root {
        path: path.display().to_string(),
        name: name.to_string_lossy().into_owned(),
        there: path.is_dir(),
    }
}

async fn files(
    State(app): State<Shared>,
    caller: Caller,
    Params(params): Params<FileParams>,
) -> Result<Response, Problem> {
    for_files(&caller)?;
    let most = app.limits().page_rows;
    let limit = params.limit.unwrap_or(most).clamp(1, most) as usize;
    let list = app.work(&caller, move |app| listed(app, &params.path, limit)).await?;
    json(&list)
}

fn listed(app: &App, path: &str, limit: usize) -> Result<FileList, Problem> {
    let folder = app.path(path)?;
    if !folder.is_dir() {
        return Err(Problem::new(Code::NotAccepted, "the path is not a folder"));
    }
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(&folder)?.take(MOST_ENTRIES) {
        let Ok(entry) = entry else { continue };
        // Names that are not UTF-8 cannot be told and given back.
        let Some(path) = entry.path().to_str().map(str::to_owned) else { continue };
        if app.path(&path).is_err() {
            continue;
        }
        let Ok(facts) = std::fs::metadata(&path) else { continue };
        let kind = match (facts.is_dir(), facts.is_file()) {
            (true, _) => EntryKind::Folder,
            (_, true) => EntryKind::File,
            _ => continue,
        };
        let name = entry.file_name().to_string_lossy().into_owned();
        let bytes = (kind == EntryKind::File).then_some(facts.len());
        entries.push(Entry { name, path, kind, bytes });
    }
    entries.sort_by(|one, other| (one.kind, &one.name).cmp(&(other.kind, &other.name)));
    let total = entries.len();
    entries.truncate(limit);
    let parent = folder.parent().and_then(Path::to_str);
    let parent = parent.filter(|parent| app.path(parent).is_ok()).map(str::to_owned);
    let path = folder.display().to_string();
    Ok(FileList { path, parent, cut: total - entries.len(), entries, total })
}
