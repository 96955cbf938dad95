//! Pools: pairs of results, judged by people.

use std::path::PathBuf;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use retold::{Document, Markup};
use retold_core::clean::{Clean, Text};
use retold_lab::judging::{Answer, Question, Subject, is_name as is_person};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::documents::DocumentAnswer;
use super::jobs::job_of;
use super::{At, Given, Params, Route, json, json_with};
use crate::app::Shared;
use crate::collections::is_name;
use crate::cursor::Cursor;
use crate::jobs::Status;
use crate::keys::{Caller, Scope};
use crate::pools::{Record, Stored};
use crate::problem::{Code, Problem};
use crate::time::rfc3339;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/pools", Scope::Read, "All pools")
            .answer::<PoolList>(200, "The pools, by name")
            .to(list),
        Route::post("/pools", Scope::Write, "Make a pool of the pairs of results")
            .body::<PoolBody>()
            .answer::<PoolAnswer>(201, "It is there")
            .to(create),
        Route::get("/pools/{pool}/next", Scope::Judge, "What a person judges next")
            .query::<NextParams>()
            .answer::<NextAnswer>(
                200,
                "A pair with both texts, without markup, or nothing that is left",
            )
            .to(next),
        Route::get("/pools/{pool}/judgements", Scope::Read, "All judgements")
            .query::<PageParams>()
            .answer::<JudgementList>(200, "Judgements in the order in which they were given")
            .to(judgements),
        Route::post("/pools/{pool}/judgements", Scope::Judge, "Judge a pair")
            .body::<JudgementBody>()
            .answer::<JudgementAnswer>(201, "It is on the disk")
            .to(judge),
        Route::get("/pools/{pool}/agreement", Scope::Read, "How far people agree")
            .answer::<Value>(200, "What is decided, and measures of agreement")
            .to(agreement),
    ]
}

/// What people are asked.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum QuestionName {
    /// Is the first document contained in the second?
    #[default]
    Containment,
    /// Do both tell the same?
    NearDuplicate,
    /// Do they share a passage that was copied?
    Partial,
}

impl QuestionName {
    fn question(self) -> Question {
        match self {
            Self::Containment => Question::Containment,
            Self::NearDuplicate => Question::NearDuplicate,
            Self::Partial => Question::Partial,
        }
    }
}

/// A pool that is to be made.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PoolBody {
    /// Its name: letters a to z, digits, `.`, `_` and `-`, at most 64.
    #[schemars(regex(pattern = r"^[a-z0-9][a-z0-9._-]{0,63}$"))]
    name: String,
    /// Numbers of the results whose pairs are judged, over the same documents.
    #[schemars(length(min = 1, max = 100))]
    results: Vec<u64>,
    /// What people are asked.
    #[serde(default)]
    question: QuestionName,
    /// Groups of about equal size. The default is 1.
    #[schemars(range(min = 1, max = 1000))]
    groups: Option<u32>,
    /// Seed by which pairs are dealt. The default is 1.
    seed: Option<u64>,
}

/// A pool.
#[derive(Serialize, JsonSchema)]
struct PoolAnswer {
    /// Its name.
    name: String,
    /// What people are asked.
    question: String,
    /// The question as a sentence.
    sentence: String,
    /// Numbers of the results whose pairs are judged.
    results: Vec<u64>,
    /// Pairs, each direction counted where it matters.
    entries: u64,
    /// Groups.
    groups: u32,
    /// When it was made.
    created: String,
}

/// All pools.
#[derive(Serialize, JsonSchema)]
struct PoolList {
    /// The pools, by name.
    pools: Vec<PoolAnswer>,
}

/// For whom, and of which group.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NextParams {
    /// The person, if it is not the name of the key.
    by: Option<String>,
    /// Only of one group, from 1.
    group: Option<u32>,
}

/// What a person judges next.
#[derive(Serialize, JsonSchema)]
struct NextAnswer {
    /// The question as a sentence.
    question: String,
    /// The first document; none if nothing is left.
    a: Option<DocumentAnswer>,
    /// The second document.
    b: Option<DocumentAnswer>,
    /// The group.
    group: Option<u32>,
    /// Pairs that this person may still judge.
    left: u64,
    /// Those of them that are not shown now, as enough other people are looking at them. A pair is held
    /// for ten minutes for whoever it was shown to.
    leased: u64,
}

/// A page.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PageParams {
    /// Where the page begins: `next` of the page before.
    after: Option<String>,
    /// Rows of a page. The default is 100.
    limit: Option<u64>,
}

/// A judgement that is given.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct JudgementBody {
    /// Id of the first document.
    a: String,
    /// Id of the second document.
    b: String,
    /// The answer.
    answer: AnswerName,
    /// The person, if it is not the name of the key.
    by: Option<String>,
}

/// An answer.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum AnswerName {
    Yes,
    No,
    Unsure,
}

/// A judgement.
#[derive(Serialize, JsonSchema)]
struct JudgementAnswer {
    /// Its number in the pool.
    number: u64,
    /// Id of the first document.
    a: String,
    /// Id of the second document.
    b: Option<String>,
    /// The answer: `yes`, `no` or `unsure`.
    answer: String,
    /// The person.
    by: String,
    /// Whether it breaks a tie of others.
    breaks_tie: bool,
    /// When it was given.
    time: String,
}

/// A page of judgements.
#[derive(Serialize, JsonSchema)]
struct JudgementList {
    /// The judgements.
    judgements: Vec<JudgementAnswer>,
    /// Where the next page begins, if there is one.
    next: Option<String>,
}

fn told(record: Record) -> PoolAnswer {
    PoolAnswer {
        question: record.question.name().to_owned(),
        sentence: record.question.sentence().to_owned(),
        name: record.name,
        results: record.results,
        entries: record.n_entries,
        groups: record.n_groups,
        created: rfc3339(record.created),
    }
}

fn told_judgement(stored: Stored) -> JudgementAnswer {
    let Stored { number, time, judgement } = stored;
    JudgementAnswer {
        number,
        a: judgement.subject.a,
        b: judgement.subject.b,
        answer: judgement.answer.name().to_owned(),
        by: judgement.by,
        breaks_tie: judgement.breaks_tie,
        time: rfc3339(time),
    }
}

/// Returns whether a caller may see the results of a pool. A pool outlives results that are forgotten;
/// it is then for keys that are for all collections.
fn may_see(app: &Shared, caller: &Caller, record: &Record) -> bool {
    caller.sees_all() || record.results.iter().all(|number| job_of(app, caller, *number).is_ok())
}

fn pool_of(app: &Shared, caller: &Caller, name: &str) -> Result<Record, Problem> {
    let record = app.pools.get(name)?.filter(|record| may_see(app, caller, record));
    record.ok_or_else(|| Problem::not_found("pool"))
}

async fn list(State(app): State<Shared>, caller: Caller) -> Result<Response, Problem> {
    let pools = app.pools.list()?.into_iter().filter(|record| may_see(&app, &caller, record));
    json(&PoolList { pools: pools.map(told).collect() })
}

async fn create(
    State(app): State<Shared>,
    caller: Caller,
    Given(body): Given<PoolBody>,
) -> Result<Response, Problem> {
    let PoolBody { name, results, question, groups, seed } = body;
    let refused = |detail: &str| Err(Problem::new(Code::NotAccepted, detail));
    if !is_name(&name) {
        return refused("`name` cannot be the name of a pool");
    }
    if results.is_empty() || results.len() > 100 {
        return refused("`results` names from 1 to 100 results");
    }
    let groups = groups.unwrap_or(1);
    if !(1..=1_000).contains(&groups) {
        return refused("`groups` is from 1 to 1,000");
    }
    let mut folders: Vec<(u64, String, PathBuf)> = Vec::new();
    for number in results {
        let job = job_of(&app, &caller, number).map_err(|_| Problem::not_found("result"))?;
        if job.status != Status::Done {
            return refused("a pool is made of results of jobs that are done");
        }
        let method = job.wanted.settings.method().to_owned();
        folders.push((number, method, app.results.folder(number)));
    }
    app.free.check()?;
    let question = question.question();
    let record = app
        .work(&caller, move |app| {
            app.pools.create(&name, question, groups, seed.unwrap_or(1), &folders)
        })
        .await?;
    json_with(StatusCode::CREATED, &told(record))
}

/// Returns the name that judgements are given under.
fn person(caller: &Caller, by: Option<String>) -> Result<String, Problem> {
    let name = by.unwrap_or_else(|| caller.name.to_string());
    if is_person(&name) {
        return Ok(name);
    }
    let detail = "`by` has letters, digits, `-`, `_` and `.`, at most 64 bytes";
    Err(Problem::new(Code::NotAccepted, detail))
}

/// Returns a document as people read it: its text without markup.
fn read(document: Document) -> DocumentAnswer {
    let text = Text::of(&document, Clean::default()).as_str().to_owned();
    DocumentAnswer::of(Document { text, markup: Markup::Plain, ..document })
}

async fn next(
    State(app): State<Shared>,
    caller: Caller,
    At(name): At<String>,
    Params(params): Params<NextParams>,
) -> Result<Response, Problem> {
    let record = pool_of(&app, &caller, &name)?;
    let person = person(&caller, params.by)?;
    let answer = app
        .work(&caller, move |app| {
            let next = app.pools.next(&name, &person, params.group)?;
            let (mut a, mut b, mut group) = (None, None, None);
            if let Some((subject, of)) = next.subject {
                let mut ids = vec![subject.a.clone()];
                ids.extend(subject.b.clone());
                let number = record.results.first().copied().unwrap_or(0);
                let documents = app.results.documents(app, number, &ids)?;
                let find = |id: &str| documents.iter().find(|document| document.id == id).cloned();
                a = find(&subject.a).map(read);
                b = subject.b.as_deref().and_then(find).map(read);
                group = Some(of);
            }
            let question = record.question.sentence().to_owned();
            let (left, leased) = (next.n_left as u64, next.n_leased as u64);
            Ok(NextAnswer { question, a, b, group, left, leased })
        })
        .await?;
    json(&answer)
}

async fn judge(
    State(app): State<Shared>,
    caller: Caller,
    At(name): At<String>,
    Given(body): Given<JudgementBody>,
) -> Result<Response, Problem> {
    pool_of(&app, &caller, &name)?;
    let person = person(&caller, body.by)?;
    let subject = Subject { a: body.a, b: Some(body.b) };
    let answer = match body.answer {
        AnswerName::Yes => Answer::Yes,
        AnswerName::No => Answer::No,
        AnswerName::Unsure => Answer::Unsure,
    };
    let stored =
        app.work(&caller, move |app| app.pools.judge(&name, &person, &subject, answer)).await?;
    json_with(StatusCode::CREATED, &told_judgement(stored))
}

async fn judgements(
    State(app): State<Shared>,
    caller: Caller,
    At(name): At<String>,
    Params(params): Params<PageParams>,
) -> Result<Response, Problem> {
    pool_of(&app, &caller, &name)?;
    let limit = params.limit.unwrap_or(100).clamp(1, app.limits().page_rows) as usize;
    let list = format!("judgements/{name}");
    let after = Cursor::position(params.after.as_deref(), &list)?;
    let mut stored =
        app.work(&caller, move |app| app.pools.judgements(&name, after, limit + 1)).await?;
    let next = (stored.len() > limit).then(|| {
        stored.truncate(limit);
        Cursor::at(stored.last().map_or(0, |stored| stored.number), &list)
    });
    let judgements = stored.into_iter().map(told_judgement).collect();
    json(&JudgementList { judgements, next })
}

async fn agreement(
    State(app): State<Shared>,
    caller: Caller,
    At(name): At<String>,
) -> Result<Response, Problem> {
    pool_of(&app, &caller, &name)?;
    let agreement = app.work(&caller, move |app| app.pools.agreement(&name)).await?;
    json(&agreement)
}
