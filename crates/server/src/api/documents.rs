//! Documents of a collection, one by one.

use super::extract::too_large;
use super::{At, Given, Params, Route, json, json_with};
use crate::app::Shared;
use crate::collections::{Collection, Done, Written};
use crate::keys::{Caller, Scope};
use crate::notices::Check;
use crate::problem::{Code, Problem};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use retold::{Document, Markup};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/collections/{collection}/documents/{id}", Scope::Read, "One document")
            .answer::<DocumentAnswer>(200, "The document")
            .to(get),
        Route::put(
            "/collections/{collection}/documents/{id}",
            Scope::Write,
            "Add or replace one document",
        )
        .body::<DocumentBody>()
        .answer::<PutAnswer>(200, "It was there already, and is as given now")
        .answer::<PutAnswer>(201, "It is new")
        .to(put),
        Route::delete(
            "/collections/{collection}/documents/{id}",
            Scope::Write,
            "Remove a document",
        )
        .details(
            "With `purge=true` nothing of it is left in any file of the collection when the \
                 answer comes.",
        )
        .query::<RemoveParams>()
        .answer::<RemoveAnswer>(200, "It was removed")
        .to(remove),
    ]
}

/// A document as it is sent.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DocumentBody {
    /// The text.
    text: String,
    /// How it is marked up.
    #[serde(default)]
    markup: MarkupName,
    /// Headline.
    title: Option<String>,
    /// When it was published: RFC 3339, a date, or seconds since 1970.
    time: Option<String>,
    /// Who published it.
    source: Option<String>,
    /// Where it was found.
    url: Option<String>,
    /// Code of its language.
    language: Option<String>,
    /// Further fields, by which questions can be filtered.
    #[serde(default)]
    fields: BTreeMap<String, String>,
}

/// How a text is marked up.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum MarkupName {
    /// Plain text.
    #[default]
    Plain,
    /// HTML.
    Html,
    /// A message; what it quotes does not count.
    Mail,
    /// Markdown.
    Markdown,
    /// Wikitext.
    Wiki,
    /// LaTeX.
    Latex,
}

impl From<MarkupName> for Markup {
    fn from(name: MarkupName) -> Self {
        match name {
            MarkupName::Plain => Self::Plain,
            MarkupName::Html => Self::Html,
            MarkupName::Mail => Self::Mail,
            MarkupName::Markdown => Self::Markdown,
            MarkupName::Wiki => Self::Wiki,
            MarkupName::Latex => Self::Latex,
        }
    }
}

impl DocumentBody {
    pub(super) fn into_document(self, id: &str) -> Document {
        let Self { text, markup, title, time, source, url, language, fields } = self;
        let markup = markup.into();
        Document { id: id.to_owned(), text, markup, title, time, source, url, language, fields }
    }
}

/// A document of a collection.
#[derive(Serialize, JsonSchema)]
pub(super) struct DocumentAnswer {
    /// Its id.
    pub(super) id: String,
    /// Its text.
    pub(super) text: String,
    /// How it is marked up: `plain` or `html`.
    #[schemars(with = "String")]
    pub(super) markup: Markup,
    /// Headline.
    pub(super) title: Option<String>,
    /// When it was published, as it was written.
    pub(super) time: Option<String>,
    /// Who published it.
    pub(super) source: Option<String>,
    /// Where it was found.
    pub(super) url: Option<String>,
    /// Code of its language.
    pub(super) language: Option<String>,
    /// Further fields.
    pub(super) fields: BTreeMap<String, String>,
    /// Its number in the order of coming, from 1; 0 if it is no document of a collection.
    pub(super) number: u64,
    /// The document that its cluster began with, in a stream.
    pub(super) cluster: Option<String>,
    /// Who told it first, in a stream: id, time and source.
    #[schemars(with = "Option<Value>")]
    pub(super) first: Option<retold::Telling>,
}

impl DocumentAnswer {
    pub(super) fn of(document: Document) -> Self {
        let Document { id, text, markup, title, time, source, url, language, fields } = document;
        Self {
            id,
            text,
            markup,
            title,
            time,
            source,
            url,
            language,
            fields,
            number: 0,
            cluster: None,
            first: None,
        }
    }

    fn stored(stored: retold::StoredDocument) -> Self {
        Self {
            number: stored.seq + 1,
            cluster: stored.cluster,
            first: stored.first,
            ..Self::of(stored.document)
        }
    }
}

/// What became of a document.
#[derive(Serialize, JsonSchema)]
struct PutAnswer {
    /// Its id.
    id: String,
    /// What became of it.
    done: Done,
    /// Number of the state that has it.
    snapshot: u64,
    /// What the stream says of it, if the collection is one: what it is a copy of, its cluster, who told
    /// it first, which sentences are new.
    verdict: Option<Value>,
    /// What it was found to copy from, if posts to the collection are checked.
    check: Option<Check>,
}

/// How a document is removed.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RemoveParams {
    /// Whether it is erased from all files.
    #[serde(default)]
    purge: bool,
}

/// That a document was removed.
#[derive(Serialize, JsonSchema)]
struct RemoveAnswer {
    /// Its id.
    id: String,
    /// Whether nothing of it is left in any file.
    is_purged: bool,
}

async fn get(
    State(app): State<Shared>,
    caller: Caller,
    At((name, id)): At<(String, String)>,
) -> Result<Response, Problem> {
    let collection = app.collection(&caller, &name)?;
    let stored = app.work(&caller, move |_| Ok(collection.index().get(&id)?)).await?;
    let stored = stored.ok_or_else(|| Problem::not_found("document"))?;
    json(&DocumentAnswer::stored(stored))
}

async fn put(
    State(app): State<Shared>,
    caller: Caller,
    At((name, id)): At<(String, String)>,
    Given(body): Given<DocumentBody>,
) -> Result<Response, Problem> {
    let collection = app.collection(&caller, &name)?;
    check_id(&id, &app)?;
    let document = body.into_document(&id);
    let written = collection.put(vec![document.clone()], true).await?;
    app.metrics.documents_written.inc();
    let Written { done, arrivals, snapshot } = written;
    let done = done.first().copied().unwrap_or(Done::Unchanged);
    let verdict = arrivals.first().map(serde_json::to_value).transpose();
    let checks = checks(&app, &caller, &collection, vec![document]).await?;
    let status = if done == Done::Added { StatusCode::CREATED } else { StatusCode::OK };
    let answer = PutAnswer {
        id,
        done,
        snapshot,
        verdict: verdict.map_err(Problem::internal)?,
        check: checks.into_iter().next(),
    };
    json_with(status, &answer)
}

fn check_id(id: &str, app: &Shared) -> Result<(), Problem> {
    let most = app.limits().id_bytes;
    if id.is_empty() {
        return Err(Problem::new(Code::NotAccepted, "a document needs an id"));
    }
    if id.len() as u64 > most {
        return Err(too_large("id_bytes", most));
    }
    Ok(())
}

async fn remove(
    State(app): State<Shared>,
    caller: Caller,
    At((name, id)): At<(String, String)>,
    Params(params): Params<RemoveParams>,
) -> Result<Response, Problem> {
    let collection = app.collection(&caller, &name)?;
    if collection.remove(vec![id.clone()], params.purge).await? == 0 {
        return Err(Problem::not_found("document"));
    }
    json(&RemoveAnswer { id, is_purged: params.purge })
}

/// Checks posted texts, if posts to the collection are checked, and makes the notices.
pub(super) async fn checks(
    app: &Shared,
    caller: &Caller,
    collection: &Arc<Collection>,
    documents: Vec<Document>,
) -> Result<Vec<Check>, Problem> {
    let against = collection.record().check_against;
    if against.is_empty() {
        return Ok(Vec::new());
    }
    let collection = Arc::clone(collection);
    app.work(caller, move |app| {
        app.notices.follow(&collection)?;
        let checked = documents.iter().map(|document| app.notices.check(&against, document));
        checked.map(|check| check.map(|(check, _)| check)).collect()
    })
    .await
}
