//! What stays of the documents of a result, once people have decided: figures, and the documents.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Read as _, Seek as _, Write};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use retold::{Document, Manifest, ReadOptions};
use retold_browse::ResultTable;
use retold_read::{Reader, discover};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json as value;

use super::decisions::kept_by_people;
use super::results::result_of;
use super::{At, Params, Route, json};
use crate::app::{App, Shared};
use crate::http::stream_body;
use crate::jobs::Record;
use crate::keys::{Caller, Scope};
use crate::problem::{Code, Problem};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/results/{result}/kept", Scope::Read, "How many documents stay")
            .details("Of a result of `dedup`, with all standing decisions applied.")
            .answer::<Staying>(200, "Figures")
            .to(kept),
        Route::get("/results/{result}/clean", Scope::Read, "The documents that stay")
            .details(
                "Of a result of `dedup`, with all standing decisions applied: `keep` and `leave-out` \
                 keep a document, `remove` removes it, and of those that were `split` off the first one \
                 stays. Documents are read again from where the job \
                 read them; if they changed since, the answer is a problem.",
            )
            .query::<CleanParams>()
            .answer_of(200, "The documents", &["application/x-ndjson", "text/csv"])
            .to(clean),
    ]
}

/// How documents are written.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CleanParams {
    /// The form. The default is `ndjson`.
    #[serde(default)]
    format: CleanFormat,
}

/// A form of documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum CleanFormat {
    /// One JSON object a line.
    #[default]
    Ndjson,
    /// Comma-separated values; `fields` is JSON. A cell that a spreadsheet would take for a formula
    /// begins with an apostrophe.
    Csv,
}

/// How many documents stay.
#[derive(Default, Serialize, JsonSchema)]
struct Staying {
    /// Documents of the result.
    documents: u64,
    /// Those that stay.
    kept: u64,
    /// Those that go.
    removed: u64,
    /// Those left to a person that nobody has decided about.
    review: u64,
    /// Documents that stay or go otherwise than the job decided.
    changed_by_decisions: u64,
}

/// A line of a table.
#[derive(Deserialize)]
struct Line {
    id: String,
    file: String,
    record: u64,
}

/// Which documents go.
struct Going {
    /// Places of those that the job removes.
    removed: HashSet<(String, u64)>,
    /// What people decided, by id.
    decided: HashMap<String, bool>,
    /// Documents of the result; those of an archive stand behind them.
    n_documents: u64,
}

impl Going {
    fn of(app: &App, number: u64) -> Result<Self, Problem> {
        app.results.with_table(number, ResultTable::Removed)?;
        let folder = app.results.folder(number);
        let mut removed = HashSet::new();
        each_line(app, number, "removed", |line| {
            removed.insert((line.file, line.record));
            Ok(true)
        })?;
        let n_documents = Manifest::read(&folder)?.joined_from.unwrap_or(u64::MAX);
        Ok(Self { removed, decided: kept_by_people(app, number)?, n_documents })
    }

    /// Returns whether the job keeps a document, and whether it stays in the end.
    fn stays(&self, line: &Line) -> (bool, bool) {
        let by_job = !self.removed.contains(&(line.file.clone(), line.record));
        (by_job, self.decided.get(&line.id).copied().unwrap_or(by_job))
    }
}

/// Hands over the lines of a table until `each` returns false.
fn each_line(
    app: &App,
    number: u64,
    table: &str,
    mut each: impl FnMut(Line) -> Result<bool, Problem>,
) -> Result<(), Problem> {
    let file = File::open(app.results.folder(number).join(format!("{table}.jsonl")))?;
    for line in BufReader::new(file).lines() {
        if !each(serde_json::from_str(&line?).map_err(Problem::internal)?)? {
            break;
        }
    }
    Ok(())
}

async fn kept(
    State(app): State<Shared>,
    caller: Caller,
    At(number): At<u64>,
) -> Result<Response, Problem> {
    result_of(&app, &caller, number)?;
    let kept = app.work(&caller, move |app| {
        let going = Going::of(app, number)?;
        let mut kept = Staying::default();
        each_line(app, number, "documents", |line| {
            if kept.documents == going.n_documents {
                return Ok(false);
            }
            let (by_job, stays) = going.stays(&line);
            kept.documents += 1;
            kept.kept += u64::from(stays);
            kept.removed += u64::from(!stays);
            kept.changed_by_decisions += u64::from(stays != by_job);
            Ok(true)
        })?;
        each_line(app, number, "review", |line| {
            kept.review += u64::from(!going.decided.contains_key(&line.id));
            Ok(true)
        })?;
        Ok(kept)
    });
    json(&kept.await?)
}

async fn clean(
    State(app): State<Shared>,
    caller: Caller,
    At(number): At<u64>,
    Params(params): Params<CleanParams>,
) -> Result<Response, Problem> {
    let job = result_of(&app, &caller, number)?;
    app.free.check()?;
    let format = params.format;
    // Written as a whole first, so that documents that are gone are a problem and not a broken answer.
    let file = app.work(&caller, move |app| written(app, &job, format)).await?;
    let (content_type, ending) = match format {
        CleanFormat::Ndjson => ("application/x-ndjson", "jsonl"),
        CleanFormat::Csv => ("text/csv", "csv"),
    };
    sent(file, content_type, &format!("clean-{number}.{ending}"))
}

/// Sends a file to be saved under a name.
pub(super) fn sent(
    mut file: File,
    content_type: &'static str,
    name: &str,
) -> Result<Response, Problem> {
    let (sender, body) = stream_body();
    tokio::task::spawn_blocking(move || {
        let mut piece = vec![0; 64 << 10];
        while let Ok(n_read @ 1..) = file.read(&mut piece) {
            if sender.blocking_send(Bytes::copy_from_slice(&piece[..n_read])).is_err() {
                return;
            }
        }
    });
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    let name = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""))
        .map_err(Problem::internal)?;
    headers.insert(header::CONTENT_DISPOSITION, name);
    Ok(response)
}

/// Writes the documents that stay into a file without a name.
fn written(app: &App, job: &Record, format: CleanFormat) -> Result<File, Problem> {
    let number = job.number;
    let going = Going::of(app, number)?;
    let mut out = BufWriter::new(tempfile::tempfile_in(&app.config.data)?);
    if format == CleanFormat::Csv {
        out.write_all(b"id,text,title,time,source,url,language,fields\n")?;
    }
    let mut n_seen = 0;
    let mut texts = Again::of(app, job)?;
    each_line(app, number, "documents", |line| {
        if n_seen == going.n_documents {
            return Ok(false);
        }
        n_seen += 1;
        let stays = going.stays(&line).1;
        let document = texts.next(&line, stays)?;
        if let Some(document) = document.filter(|_| stays) {
            put(&mut out, format, &line.id, &document)?;
        }
        Ok(true)
    })?;
    let mut file = out.into_inner().map_err(|error| Problem::from(error.into_error()))?;
    file.rewind()?;
    Ok(file)
}

/// The documents of a result, read again in their order.
enum Again {
    Index(std::sync::Arc<retold::Index>),
    Files { reader: Box<Reader>, names: Vec<String>, waiting: std::collections::VecDeque<Placed> },
}

/// A document and where it stands.
struct Placed {
    file: u32,
    record: u64,
    document: Document,
}

fn gone(id: &str) -> Problem {
    let detail = format!("the document `{id}` is not where the job read it any more");
    Problem::new(Code::Gone, detail)
}

impl Again {
    fn of(app: &App, job: &Record) -> Result<Self, Problem> {
        let wanted = &job.wanted;
        if let Some(name) = &wanted.input.collection {
            let collection = app.collections.get(name);
            let missing = || Problem::new(Code::Gone, format!("the collection `{name}` is gone"));
            return Ok(Self::Index(collection.ok_or_else(missing)?.index()));
        }
        let path = wanted.files.clone().ok_or_else(|| Problem::not_found("input"))?;
        let found = discover(&[path]);
        let found = found.map_err(|error| Problem::new(Code::Gone, error.to_string()))?;
        let names = found.files.iter().map(|file| file.name.clone()).collect();
        let helper = app.config.read.pdf_helper.clone();
        let options = ReadOptions { pdf_helper: helper, ..wanted.settings.read_options() };
        let reader = Box::new(Reader::new(found.files, options));
        Ok(Self::Files { reader, names, waiting: std::collections::VecDeque::new() })
    }

    /// Returns the next document, which has to be the one of a line.
    fn next(&mut self, line: &Line, is_wanted: bool) -> Result<Option<Document>, Problem> {
        match self {
            Self::Index(index) if is_wanted => {
                let stored = index.get(&line.id)?.ok_or_else(|| gone(&line.id))?;
                Ok(Some(stored.document))
            }
            Self::Index(_) => Ok(None),
            Self::Files { reader, names, waiting } => {
                while waiting.is_empty() {
                    let batch = reader.next_batch().ok_or_else(|| gone(&line.id))?;
                    batch.parse(&mut |record| {
                        if let Ok(record) = record {
                            waiting.push_back(Placed {
                                file: record.place.file,
                                record: record.place.record,
                                document: record.document,
                            });
                        }
                    });
                }
                let next = waiting.pop_front().ok_or_else(|| gone(&line.id))?;
                if names[next.file as usize] != line.file || next.record != line.record {
                    return Err(gone(&line.id));
                }
                Ok(Some(next.document))
            }
        }
    }
}

/// Writes a document.
fn put(
    out: &mut impl Write,
    format: CleanFormat,
    id: &str,
    document: &Document,
) -> Result<(), Problem> {
    let Document { text, title, time, source, url, language, fields, .. } = document;
    if format == CleanFormat::Ndjson {
        let line = value!({
            "id": id, "text": text, "title": title, "time": time, "source": source, "url": url,
            "language": language, "fields": fields,
        });
        writeln!(out, "{line}")?;
        return Ok(());
    }
    let fields = serde_json::to_string(fields).map_err(Problem::internal)?;
    let cells = [Some(id), Some(text), title.as_deref(), time.as_deref(), source.as_deref()];
    let cells = cells.into_iter().chain([url.as_deref(), language.as_deref(), Some(&fields)]);
    for (at, cell) in cells.enumerate() {
        let comma = if at == 0 { "" } else { "," };
        let cell = cell.unwrap_or_default();
        // No spreadsheet takes it for a formula.
        let guard = if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
        write!(out, "{comma}\"{guard}{}\"", cell.replace('"', "\"\""))?;
    }
    writeln!(out)?;
    Ok(())
}
