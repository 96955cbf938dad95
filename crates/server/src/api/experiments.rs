//! Reports of experiments, as `retold experiment -o DIR` wrote them, read only.

use std::fs;
use std::path::{Path, PathBuf};

use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;

use super::roots::for_files;
use super::{At, Route, json, typed};
use crate::app::{App, Shared};
use crate::keys::{Caller, Scope};
use crate::problem::{Code, Problem};

/// Folders that are looked into, and how deep.
const MOST_FOLDERS: usize = 2_000;
const MOST_DEPTH: usize = 3;
/// Files of a report that are listed, and bytes of one that is sent.
const MOST_FILES: usize = 1_000;
const MOST_BYTES: u64 = 64 << 20;
/// Files that every report has.
const MARKS: [&str; 3] = ["report.md", "results.jsonl", "verdicts.jsonl"];
/// What pages and drawings of a report may do: show themselves.
const POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:";

/// Content types by endings.
const TYPES: [(&str, &str); 6] = [
    ("md", "text/markdown; charset=utf-8"),
    ("json", "application/json"),
    ("jsonl", "application/x-ndjson"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("html", "text/html; charset=utf-8"),
];

pub(super) fn routes() -> Vec<Route> {
    let types = ["text/markdown", "application/json", "application/x-ndjson", "image/svg+xml"];
    let file = |path: &'static str, about: &'static str| {
        Route::get(path, Scope::Read, about).answer_of(200, "The file", &types).answer_of(
            200,
            "",
            &["image/png", "text/html"],
        )
    };
    vec![
        Route::get("/experiments", Scope::Read, "Reports of experiments")
            .details(
                "Reports that `retold experiment -o DIR` wrote into the folder `experiments` of the \
                 server's data or below a folder that it was started with (`--root`).",
            )
            .answer::<ExperimentList>(200, "The reports")
            .to(list),
        file("/experiments/{name}/{file}", "A file of a report").to(
            |app, caller, At((name, file)): At<(String, String)>| get(app, caller, name, file),
        ),
        file("/experiments/{name}/plots/{file}", "A plot of a report").to(
            |app, caller, At((name, file)): At<(String, String)>| {
                get(app, caller, name, format!("plots/{file}"))
            },
        ),
    ]
}

/// Reports.
#[derive(Serialize, JsonSchema)]
struct ExperimentList {
    /// The reports.
    experiments: Vec<Experiment>,
    /// Whether there were more folders than are looked into.
    cut: bool,
}

/// A report.
#[derive(Serialize, JsonSchema)]
struct Experiment {
    /// Its name in addresses.
    name: String,
    /// What it is about: the heading of the first experiment.
    title: String,
    /// The folder, as it lies below the data or a root.
    folder: String,
    /// Its files.
    files: Vec<ReportFile>,
}

/// A file of a report.
#[derive(Serialize, JsonSchema)]
struct ReportFile {
    /// Its name below the report, such as `plots/curve.svg`.
    name: String,
    /// Its content type.
    #[serde(rename = "type")]
    content_type: String,
    /// Bytes.
    bytes: u64,
}

/// A folder with a report.
struct Report {
    name: String,
    folder: PathBuf,
    shown: String,
}

fn content_type(name: &str) -> Option<&'static str> {
    let (_, ending) = name.rsplit_once('.')?;
    TYPES.iter().find(|(other, _)| *other == ending).map(|(_, content_type)| *content_type)
}

/// Finds the folders with reports; returns whether there were too many folders to look into.
fn reports(app: &App) -> (Vec<Report>, bool) {
    let own = app.config.data.join("experiments");
    let places = std::iter::once(&own).chain(&app.config.roots).enumerate();
    let (mut found, mut n_seen) = (Vec::new(), 0);
    for (number, place) in places {
        let Ok(place) = place.canonicalize() else { continue };
        let mut waiting = vec![(place.clone(), 0)];
        while let Some((folder, depth)) = waiting.pop() {
            n_seen += 1;
            if n_seen > MOST_FOLDERS {
                return (found, true);
            }
            if MARKS.iter().all(|mark| folder.join(mark).is_file()) {
                let below = folder.strip_prefix(&place).unwrap_or(&folder);
                let shown = below.to_string_lossy().into_owned();
                let name = format!("{number}-{}", shown.replace(['/', '\\'], "~"));
                found.push(Report { name, folder, shown });
                continue;
            }
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            let mut inner: Vec<PathBuf> = entries
                .filter_map(Result::ok)
                // Links are not followed.
                .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                .map(|entry| entry.path())
                .collect();
            inner.sort_unstable_by(|one, other| other.cmp(one));
            if depth < MOST_DEPTH {
                waiting.extend(inner.into_iter().map(|folder| (folder, depth + 1)));
            }
        }
    }
    (found, false)
}

/// Lists the files of a report.
fn files_of(report: &Report) -> Vec<ReportFile> {
    let mut files = Vec::new();
    for (folder, before) in [(report.folder.clone(), ""), (report.folder.join("plots"), "plots/")] {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for entry in entries.filter_map(Result::ok).take(MOST_FILES) {
            let name = format!("{before}{}", entry.file_name().to_string_lossy());
            let Some(content_type) = content_type(&name) else { continue };
            if !entry.file_type().is_ok_and(|kind| kind.is_file()) {
                continue;
            }
            let bytes = entry.metadata().map_or(0, |facts| facts.len());
            files.push(ReportFile { name, content_type: content_type.to_owned(), bytes });
        }
    }
    files.sort_by(|one, other| one.name.cmp(&other.name));
    files.truncate(MOST_FILES);
    files
}

/// Returns the heading of the first experiment of a report.
fn title_of(folder: &Path) -> Option<String> {
    use std::io::Read as _;
    let mut beginning = Vec::new();
    fs::File::open(folder.join("report.md"))
        .ok()?
        .take(16 << 10)
        .read_to_end(&mut beginning)
        .ok()?;
    let beginning = String::from_utf8_lossy(&beginning);
    let mut headings = beginning.lines().filter_map(|line| line.strip_prefix("## "));
    // What stands before the first experiment is about all of them.
    let heading = headings.find(|heading| !matches!(heading.trim(), "Verdicts" | "Times"))?;
    Some(heading.trim().to_owned())
}

async fn list(State(app): State<Shared>, caller: Caller) -> Result<Response, Problem> {
    for_files(&caller)?;
    let list = app.work(&caller, |app| {
        let (reports, cut) = reports(app);
        let experiments = reports.into_iter().map(|report| Experiment {
            title: title_of(&report.folder).unwrap_or_else(|| report.name.clone()),
            files: files_of(&report),
            name: report.name,
            folder: report.shown,
        });
        Ok(ExperimentList { experiments: experiments.collect(), cut })
    });
    json(&list.await?)
}

async fn get(
    State(app): State<Shared>,
    caller: Caller,
    name: String,
    file: String,
) -> Result<Response, Problem> {
    for_files(&caller)?;
    app.work(&caller, move |app| {
        let report = reports(app).0.into_iter().find(|report| report.name == name);
        let report = report.ok_or_else(|| Problem::not_found("report"))?;
        // Only files that are listed are sent, whatever the name says.
        let listed = files_of(&report).into_iter().find(|listed| listed.name == file);
        let listed = listed.ok_or_else(|| Problem::not_found("file"))?;
        if listed.bytes > MOST_BYTES {
            let detail = format!("the file has more than {MOST_BYTES} bytes");
            return Err(Problem::new(Code::NotAccepted, detail));
        }
        let content_type = content_type(&listed.name).unwrap_or("application/octet-stream");
        let bytes = fs::read(report.folder.join(&listed.name))?;
        let mut response = typed(StatusCode::OK, content_type, bytes);
        let policy = HeaderValue::from_static(POLICY);
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
        Ok(response)
    })
    .await
}
