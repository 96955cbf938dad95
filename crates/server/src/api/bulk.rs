//! Many documents in a stream of lines.

use std::sync::{Arc, PoisonError};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use bytes::BytesMut;
use retold::Document;
use retold_read::JsonRecords;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::documents::checks;
use super::extract::{BodyReader, content_type, too_large};
use super::{At, Params, Route, json_with};
use crate::app::Shared;
use crate::budget::Held;
use crate::collections::Collection;
use crate::keys::{Caller, Scope};
use crate::notices::Check;
use crate::problem::{Code, Problem};
use crate::reading::Counts;
use crate::store::ANSWERED;
use crate::time::now;

/// Documents that are written together.
const TOGETHER: usize = 1_000;

/// Bytes of texts that are written together.
const BYTES_TOGETHER: usize = 8 << 20;

/// A record that is this many times longer than may be ends its request.
const MOST_DROPPED: u64 = 4;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/collections/{collection}/documents:bulk",
            Scope::Write,
            "Add or replace many documents",
        )
        .details(
            "The body is NDJSON, a document a line, read as a stream: `id` and `text`, and `title`, \
             `time`, `source`, `url`, `language` if there are any. 200 says that every line was \
             accepted; 207 lists those that were not, and all others are there. With `atomic=true` \
             nothing is written if one line is not accepted, and the answer is 422. A request with \
             an Idempotency-Key that was answered before gets the same answer again.",
        )
        .query::<BulkParams>()
        .header("Idempotency-Key", "A name for the request; a second one with it is not done again")
        .bytes("application/x-ndjson")
        .answer::<BulkAnswer>(200, "Every line was accepted")
        .answer::<BulkAnswer>(207, "Some lines were not accepted")
        .to(bulk),
    ]
}

/// How a bulk request is done.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BulkParams {
    /// Whether all lines are accepted or none.
    #[serde(default)]
    atomic: bool,
    /// When the request is answered.
    #[serde(default)]
    commit: Commit,
    /// Whether the answer has what the stream says of every document.
    #[serde(default)]
    verdicts: bool,
}

/// When a bulk request is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Commit {
    /// When the documents are on the disk.
    #[default]
    Disk,
    /// When they are in memory; a crash may lose them.
    Memory,
}

/// What became of the lines of a bulk request.
#[derive(Serialize, Deserialize, JsonSchema)]
struct BulkAnswer {
    /// Lines that are not blank.
    lines: u64,
    /// Documents that are new.
    added: u64,
    /// Documents that took the place of others with their ids.
    replaced: u64,
    /// Documents that were there already, the same in every respect.
    unchanged: u64,
    /// Documents that are older than the time window and were not kept.
    late: u64,
    /// Lines that were not accepted.
    failed: u64,
    /// The first of them.
    failures: Vec<Failure>,
    /// Whether there are more than are listed.
    failures_cut: bool,
    /// Where the documents are: `disk` or `memory`.
    acknowledged: String,
    /// Number of the state that has them.
    snapshot: u64,
    /// What the stream says of each document, if that was asked for.
    verdicts: Vec<Value>,
    /// What documents were found to copy from, if posts to the collection are checked: those for which
    /// something was found.
    checks: Vec<Check>,
}

/// A line that was not accepted.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct Failure {
    /// Number of the line, from 1.
    line: u64,
    /// First byte of the record in the body, or the byte where it went wrong.
    byte: u64,
    /// Id of the document, if it was read.
    id: Option<String>,
    /// Why: `not-accepted` or `too-large`.
    code: String,
    /// Why, in words.
    detail: String,
}

async fn bulk(
    State(app): State<Shared>,
    caller: Caller,
    At(name): At<String>,
    Params(params): Params<BulkParams>,
    request: Request,
) -> Result<Response, Problem> {
    let collection = app.collection(&caller, &name)?;
    let accepted = ["application/x-ndjson", "application/ndjson", "application/jsonl"];
    let given = content_type(request.headers());
    if !given.is_some_and(|given| accepted.contains(&given.as_str())) {
        return Err(Problem::new(Code::UnsupportedType, "this takes application/x-ndjson"));
    }
    let key = idempotency_key(request.headers(), &caller, &name)?;
    let begun = match &key {
        Some(key) => {
            let busy = Busy::enter(&app, key)?;
            if let Some(answered) = app.store.get::<Answered>(ANSWERED, key)? {
                return again(&app, &answered, request.into_body()).await;
            }
            Some(busy)
        }
        None => None,
    };
    let mut bulk = Bulk::new(&app, &caller, &collection, &params);
    let done = if params.atomic {
        bulk.all_or_none(request.into_body()).await
    } else {
        bulk.as_they_come(request.into_body()).await
    };
    let hash = bulk.hasher.finalize().to_hex().to_string();
    let answer = bulk.answer;
    if let Err(problem) = done {
        let is_told = !params.atomic && answer.lines > 0;
        // What was written before stays, and is told with what went wrong.
        let more = serde_json::to_value(&answer).map_err(Problem::internal)?;
        return Err(if is_told { problem.more(more) } else { problem });
    }
    let status = if answer.failed > 0 { StatusCode::MULTI_STATUS } else { StatusCode::OK };
    if let Some(key) = key {
        let body = serde_json::to_value(&answer).map_err(Problem::internal)?;
        let answered = Answered { hash, status: status.as_u16(), body, time: now() };
        app.wait(move |app| app.store.put(ANSWERED, &key, &answered)).await?;
    }
    drop(begun);
    json_with(status, &answer)
}

/// An answer that is given again.
#[derive(Serialize, Deserialize)]
pub(crate) struct Answered {
    hash: String,
    status: u16,
    body: Value,
    pub(crate) time: i64,
}

fn idempotency_key(
    headers: &HeaderMap,
    caller: &Caller,
    collection: &str,
) -> Result<Option<String>, Problem> {
    let Some(key) = headers.get("idempotency-key") else { return Ok(None) };
    let is_plain = |key: &&str| (1..=255).contains(&key.len());
    let key = key.to_str().ok().filter(is_plain).ok_or_else(|| {
        Problem::new(Code::BadRequest, "an Idempotency-Key has from 1 to 255 printable characters")
    })?;
    Ok(Some(format!("{collection}/{}/{key}", caller.client)))
}

/// Gives an answer once more, if the request is the same.
async fn again(app: &Shared, answered: &Answered, body: Body) -> Result<Response, Problem> {
    let mut reader = BodyReader::new(body, app.limits());
    let mut hasher = blake3::Hasher::new();
    while let Some(piece) = reader.next().await? {
        hasher.update(&piece);
    }
    if hasher.finalize().to_hex().as_str() != answered.hash {
        let detail = "the Idempotency-Key was used with another body";
        return Err(Problem::new(Code::KeyReused, detail));
    }
    let status = StatusCode::from_u16(answered.status).unwrap_or(StatusCode::OK);
    json_with(status, &answered.body)
}

/// A request that is being done under an Idempotency-Key.
struct Busy {
    app: Shared,
    key: String,
}

impl Busy {
    fn enter(app: &Shared, key: &str) -> Result<Self, Problem> {
        let mut busy = app.busy.lock().unwrap_or_else(PoisonError::into_inner);
        if !busy.insert(key.to_owned()) {
            let detail = "a request with this Idempotency-Key is being done";
            return Err(Problem::new(Code::Conflict, detail).retry_after(1));
        }
        Ok(Self { app: Arc::clone(app), key: key.to_owned() })
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let mut busy = self.app.busy.lock().unwrap_or_else(PoisonError::into_inner);
        busy.remove(&self.key);
    }
}

/// A bulk request that is being done.
struct Bulk<'a> {
    app: &'a Shared,
    caller: &'a Caller,
    collection: &'a Arc<Collection>,
    params: &'a BulkParams,
    records: JsonRecords,
    hasher: blake3::Hasher,
    waiting: Vec<Document>,
    waiting_bytes: usize,
    held: Held,
    /// Line and first byte of the next record.
    line: u64,
    byte: u64,
    answer: BulkAnswer,
}

impl<'a> Bulk<'a> {
    fn new(
        app: &'a Shared,
        caller: &'a Caller,
        collection: &'a Arc<Collection>,
        params: &'a BulkParams,
    ) -> Self {
        let mut read = app.config.read.clone();
        read.limits.line_bytes = app.limits().record_bytes;
        read.limits.path_bytes = u32::try_from(app.limits().id_bytes).unwrap_or(u32::MAX);
        let acknowledged = match params.commit {
            Commit::Disk => "disk",
            Commit::Memory => "memory",
        };
        Self {
            app,
            caller,
            collection,
            params,
            records: JsonRecords::new(&read),
            hasher: blake3::Hasher::new(),
            waiting: Vec::new(),
            waiting_bytes: 0,
            held: app.bodies.hold(),
            line: 1,
            byte: 0,
            answer: BulkAnswer {
                lines: 0,
                added: 0,
                replaced: 0,
                unchanged: 0,
                late: 0,
                failed: 0,
                failures: Vec::new(),
                failures_cut: false,
                acknowledged: acknowledged.to_owned(),
                snapshot: collection.index().commit(),
                verdicts: Vec::new(),
                checks: Vec::new(),
            },
        }
    }

    /// Writes documents while they come.
    async fn as_they_come(&mut self, body: Body) -> Result<(), Problem> {
        let mut lines = Lines::new(body, self.app, u64::MAX);
        while let Some(line) = lines.next(&mut self.hasher).await? {
            self.take(line);
            self.held.set(self.waiting_bytes as u64)?;
            if self.waiting.len() >= TOGETHER || self.waiting_bytes >= BYTES_TOGETHER {
                self.write().await?;
            }
        }
        self.write().await
    }

    /// Reads everything, then writes everything or nothing.
    async fn all_or_none(&mut self, body: Body) -> Result<(), Problem> {
        let mut lines = Lines::new(body, self.app, self.app.limits().atomic_bytes);
        while let Some(line) = lines.next(&mut self.hasher).await? {
            self.take(line);
            self.held.set(self.waiting_bytes as u64)?;
        }
        if self.answer.failed > 0 {
            let detail = format!(
                "{} of {} lines were not accepted; nothing was written",
                self.answer.failed, self.answer.lines
            );
            let more = serde_json::to_value(&self.answer).map_err(Problem::internal)?;
            return Err(Problem::new(Code::NotAccepted, detail).more(more));
        }
        self.write().await
    }

    /// Makes a document of a line, or notes why it is none.
    fn take(&mut self, line: Line) {
        let (number, start) = (self.line, self.byte);
        self.line += 1;
        self.byte += line.n_bytes;
        let fail = |byte: u64, id: Option<String>, code: Code, detail: String| Failure {
            line: number,
            byte,
            id,
            code: code.name().to_owned(),
            detail,
        };
        let failure = match line.content {
            None => {
                let most = self.app.limits().record_bytes;
                let detail = format!("the record is longer than `record_bytes`: {most}");
                fail(start, None, Code::TooLarge, detail)
            }
            Some(content) if content.iter().all(u8::is_ascii_whitespace) => return,
            Some(content) => match self.records.document(&content) {
                Ok(document) if document.id.is_empty() => {
                    fail(start, None, Code::NotAccepted, "the record has no id".to_owned())
                }
                Ok(document) => {
                    self.answer.lines += 1;
                    self.waiting_bytes += document.text.len();
                    self.waiting.push(document);
                    return;
                }
                Err((at, reason)) => {
                    let id = id_of(&content);
                    fail(start + at as u64, id, Code::NotAccepted, reason)
                }
            },
        };
        self.answer.lines += 1;
        self.answer.failed += 1;
        if (self.answer.failures.len() as u64) < self.app.limits().listed_failures {
            self.answer.failures.push(failure);
        } else {
            self.answer.failures_cut = true;
        }
    }

    /// Writes what waits.
    async fn write(&mut self) -> Result<(), Problem> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let documents = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        let is_checked = !self.collection.record().check_against.is_empty();
        let to_check = if is_checked { documents.clone() } else { Vec::new() };
        let n_documents = documents.len() as u64;
        let is_durable = self.params.commit == Commit::Disk;
        let written = self.collection.put(documents, is_durable).await?;
        self.app.metrics.documents_written.inc_by(n_documents);
        let mut counts = Counts::default();
        counts.add(&written.done);
        let answer = &mut self.answer;
        answer.added += counts.added;
        answer.replaced += counts.replaced;
        answer.unchanged += counts.unchanged;
        answer.late += counts.late;
        answer.snapshot = answer.snapshot.max(written.snapshot);
        if self.params.verdicts {
            for arrival in &written.arrivals {
                answer.verdicts.push(serde_json::to_value(arrival).map_err(Problem::internal)?);
            }
        }
        let checks = checks(self.app, self.caller, self.collection, to_check).await?;
        let most = self.app.limits().listed_failures as usize;
        let left = most.saturating_sub(self.answer.checks.len());
        let found = checks.into_iter().filter(|check| !check.sources.is_empty());
        self.answer.checks.extend(found.take(left));
        Ok(())
    }
}

/// Returns the id of a record that is no document, if it can be read.
fn id_of(record: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        id: Value,
    }
    match serde_json::from_slice::<Named>(record).ok()?.id {
        Value::String(id) => Some(id),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

/// One line of a body.
struct Line {
    /// Its bytes with the line break.
    n_bytes: u64,
    /// What stands in it; none if it is too long.
    content: Option<BytesMut>,
}

/// Cuts a body into lines.
struct Lines {
    reader: BodyReader,
    bytes: BytesMut,
    /// Bytes at the front without a line break.
    n_searched: usize,
    /// Bytes of the current line that were dropped, because it is too long.
    n_dropped: u64,
    most: usize,
    n_read: u64,
    /// Bytes of the whole body, at most.
    most_read: u64,
    is_over: bool,
    held: Held,
}

impl Lines {
    fn new(body: Body, app: &Shared, most_read: u64) -> Self {
        Self {
            n_read: 0,
            most_read,
            reader: BodyReader::new(body, app.limits()),
            bytes: BytesMut::new(),
            n_searched: 0,
            n_dropped: 0,
            most: app.limits().record_bytes as usize,
            is_over: false,
            held: app.bodies.hold(),
        }
    }

    async fn next(&mut self, hasher: &mut blake3::Hasher) -> Result<Option<Line>, Problem> {
        loop {
            let found = self.bytes[self.n_searched..].iter().position(|byte| *byte == b'\n');
            if let Some(at) = found {
                let line = self.bytes.split_to(self.n_searched + at + 1);
                return Ok(Some(self.line(line)));
            }
            self.n_searched = self.bytes.len();
            if self.is_over {
                if self.bytes.is_empty() && self.n_dropped == 0 {
                    return Ok(None);
                }
                let line = self.bytes.split();
                return Ok(Some(self.line(line)));
            }
            if self.bytes.len() > self.most {
                self.n_dropped += self.bytes.len() as u64;
                self.bytes.clear();
                self.n_searched = 0;
                // A record that is a little too long fails alone; one that does not end ends the request.
                if self.n_dropped > MOST_DROPPED * self.most as u64 {
                    return Err(too_large("record_bytes", self.most as u64));
                }
            }
            if self.n_read > self.most_read {
                return Err(too_large("atomic_bytes", self.most_read));
            }
            match self.reader.next().await? {
                Some(piece) => {
                    hasher.update(&piece);
                    self.n_read += piece.len() as u64;
                    self.held.set((self.bytes.len() + piece.len()) as u64)?;
                    self.bytes.extend_from_slice(&piece);
                }
                None => self.is_over = true,
            }
        }
    }

    fn line(&mut self, content: BytesMut) -> Line {
        self.n_searched = 0;
        let n_dropped = std::mem::take(&mut self.n_dropped);
        let is_kept = n_dropped == 0 && content.len() <= self.most + 1;
        let n_bytes = n_dropped + content.len() as u64;
        Line { n_bytes, content: is_kept.then_some(content) }
    }
}
