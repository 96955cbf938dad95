//! Watches and notices: who hears of copies, in an inbox, a feed and by webhook.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use retold_svg::escaped;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json as value;

use super::{At, Given, Params, Route, json, json_with, typed};
use crate::app::Shared;
use crate::keys::{Caller, Scope, random_name, random_secret};
use crate::notices::{Notice, Watch};
use crate::problem::{Code, Problem};
use crate::time::{now, rfc3339};

/// Notices of a feed.
const FEED_LENGTH: usize = 100;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/collections/{collection}/watches", Scope::Read, "All watches")
            .answer::<WatchList>(200, "The watches, without their secrets")
            .to(list),
        Route::post("/collections/{collection}/watches", Scope::Write, "Watch documents")
            .details(
                "Whoever posts a text to a collection that is checked against this one, and copies \
                 from a watched document, gives a notice: in the inbox (/notices), in the feeds, and \
                 by webhook if an address is given that an administrator has allowed.",
            )
            .body::<WatchBody>()
            .answer::<WatchAnswer>(201, "It is there; its secret is told this once")
            .to(create),
        Route::delete("/collections/{collection}/watches/{watch}", Scope::Write, "Watch no more")
            .details("Notices that were made stay.")
            .answer_of(204, "It is gone", &[])
            .to(remove),
        Route::get("/notices", Scope::Read, "The inbox")
            .query::<NoticeParams>()
            .answer::<NoticeList>(200, "Notices, oldest first")
            .to(inbox),
        Route::put("/notices/{notice}", Scope::Write, "Mark a notice as read or not")
            .body::<MarkBody>()
            .answer::<Notice>(200, "The notice")
            .to(mark),
        Route::get("/notices/feed.json", Scope::Read, "The last notices as a JSON feed")
            .query::<FeedParams>()
            .answer_of(200, "A feed of version 1.1", &["application/feed+json"])
            .to(json_feed),
        Route::get("/notices/feed.atom", Scope::Read, "The last notices as an Atom feed")
            .query::<FeedParams>()
            .answer_of(200, "A feed", &["application/atom+xml"])
            .to(atom_feed),
    ]
}

/// A watch that is to be made.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WatchBody {
    /// What it is called for people.
    #[schemars(length(min = 1, max = 200))]
    name: String,
    /// Ids of the documents that are watched; left out means all.
    documents: Option<BTreeSet<String>>,
    /// Least share of the posted text, or of the watched document, that has to match. The default is 0:
    /// whatever the collection reports.
    #[schemars(range(min = 0.0, max = 1.0))]
    least_share: Option<f64>,
    /// Address that notices are sent to.
    webhook: Option<String>,
}

/// A watch.
#[derive(Serialize, JsonSchema)]
struct WatchAnswer {
    /// Its id.
    id: String,
    /// What it is called for people.
    name: String,
    /// The watched collection.
    collection: String,
    /// Ids of the documents that are watched; none means all.
    documents: Option<BTreeSet<String>>,
    /// Least share that has to match.
    least_share: f64,
    /// Address that notices are sent to.
    webhook: Option<String>,
    /// When it was made.
    created: String,
    /// By what webhooks are signed (HMAC-SHA256 of the body); told when the watch is made.
    secret: Option<String>,
}

/// All watches of a collection.
#[derive(Serialize, JsonSchema)]
struct WatchList {
    /// The watches.
    watches: Vec<WatchAnswer>,
}

/// Which notices.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoticeParams {
    /// Only of one watch.
    watch: Option<String>,
    /// Only those that nobody has read.
    #[serde(default)]
    unread: bool,
    /// Number of the last notice that was seen.
    #[serde(default)]
    after: u64,
    /// Notices of a page. The default is 100.
    limit: Option<u64>,
}

/// Which feed.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FeedParams {
    /// Only of one watch.
    watch: Option<String>,
}

/// A page of notices.
#[derive(Serialize, JsonSchema)]
struct NoticeList {
    /// The notices, oldest first.
    notices: Vec<Notice>,
    /// The number to go on with, if there are more.
    next: Option<u64>,
}

/// Whether a notice was read.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MarkBody {
    /// Whether it was read.
    is_read: bool,
}

fn told(watch: Watch, with_secret: bool) -> WatchAnswer {
    let Watch { id, collection, name, documents, least_share, webhook, secret, created } = watch;
    let secret = with_secret.then_some(secret);
    let created = rfc3339(created);
    WatchAnswer { id, name, collection, documents, least_share, webhook, created, secret }
}

async fn list(
    State(app): State<Shared>,
    caller: Caller,
    At(name): At<String>,
) -> Result<Response, Problem> {
    app.collection(&caller, &name)?;
    let watches = app.work(&caller, move |app| app.notices.watches(&name)).await?;
    json(&WatchList { watches: watches.into_iter().map(|watch| told(watch, false)).collect() })
}

async fn create(
    State(app): State<Shared>,
    caller: Caller,
    At(collection): At<String>,
    Given(body): Given<WatchBody>,
) -> Result<Response, Problem> {
    app.collection(&caller, &collection)?;
    let WatchBody { name, documents, least_share, webhook } = body;
    let refused = |detail: &str| Err(Problem::new(Code::NotAccepted, detail));
    if name.is_empty() || name.len() > 200 {
        return refused("`name` has from 1 to 200 bytes");
    }
    let least_share = least_share.unwrap_or(0.0);
    if !(0.0..=1.0).contains(&least_share) {
        return refused("`least_share` is from 0 to 1");
    }
    if let Some(url) = &webhook
        && !app.notices.webhooks.is_allowed(url)
    {
        return refused("no administrator has allowed this address (--allow-webhook)");
    }
    let watch = Watch {
        id: random_name()?,
        collection,
        name,
        documents,
        least_share,
        webhook,
        secret: random_secret()?,
        created: now(),
    };
    let stored = watch.clone();
    app.wait(move |app| app.notices.add_watch(&stored)).await?;
    json_with(StatusCode::CREATED, &told(watch, true))
}

async fn remove(
    State(app): State<Shared>,
    caller: Caller,
    At((collection, id)): At<(String, String)>,
) -> Result<Response, Problem> {
    app.collection(&caller, &collection)?;
    let is_gone = app
        .wait(move |app| match app.notices.watch(&id)? {
            Some(watch) if watch.collection == collection => app.notices.remove_watch(&id),
            _ => Ok(false),
        })
        .await?;
    if is_gone {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Err(Problem::not_found("watch"))
}

async fn inbox(
    State(app): State<Shared>,
    caller: Caller,
    Params(params): Params<NoticeParams>,
) -> Result<Response, Problem> {
    let limit = params.limit.unwrap_or(100).clamp(1, app.limits().page_rows) as usize;
    let seen = caller.clone();
    let mut notices = app
        .work(&caller, move |app| {
            app.notices.list(params.after, limit + 1, |notice| {
                seen.may_see(&notice.collection)
                    && params.watch.as_ref().is_none_or(|watch| *watch == notice.watch)
                    && !(params.unread && notice.is_read)
            })
        })
        .await?;
    let next = (notices.len() > limit).then(|| {
        notices.truncate(limit);
        notices.last().map_or(0, |notice| notice.number)
    });
    json(&NoticeList { notices, next })
}

async fn mark(
    State(app): State<Shared>,
    caller: Caller,
    At(number): At<u64>,
    Given(body): Given<MarkBody>,
) -> Result<Response, Problem> {
    let notice = app
        .wait(move |app| {
            let may_see = |notice: &Notice| caller.may_see(&notice.collection);
            app.notices.mark(number, body.is_read, may_see)
        })
        .await?;
    json(&notice.ok_or_else(|| Problem::not_found("notice"))?)
}

/// Returns the last notices that a caller may see, newest first.
async fn last(
    app: &Shared,
    caller: &Caller,
    watch: Option<String>,
) -> Result<Vec<Notice>, Problem> {
    let seen = caller.clone();
    let mut notices = app
        .work(caller, move |app| {
            app.notices.list(0, usize::MAX, |notice| {
                seen.may_see(&notice.collection)
                    && watch.as_ref().is_none_or(|watch| *watch == notice.watch)
            })
        })
        .await?;
    notices.reverse();
    notices.truncate(FEED_LENGTH);
    Ok(notices)
}

/// Returns a notice as a headline and a sentence.
fn shown(notice: &Notice) -> (String, String) {
    let posted = notice.posted_title.as_deref().unwrap_or(&notice.posted);
    let matched = notice.matched["id"].as_str().unwrap_or_default();
    // Notices that were made before hits had `of_text` have the share of word runs.
    let [of_text, of_runs] = ["of_text", "a_in_b"].map(|name| notice.matched[name].as_f64());
    let share = of_text.or(of_runs).unwrap_or(0.0);
    let title = format!("{posted} copies from {matched}");
    let percent = (share * 100.0).round();
    let text = format!(
        "{percent} % of \u{201c}{posted}\u{201d}, posted to {}, stand in {matched} of {}.",
        notice.posted_to, notice.collection
    );
    (title, text)
}

async fn json_feed(
    State(app): State<Shared>,
    caller: Caller,
    Params(params): Params<FeedParams>,
) -> Result<Response, Problem> {
    let notices = last(&app, &caller, params.watch).await?;
    let items: Vec<_> = notices
        .iter()
        .map(|notice| {
            let (title, text) = shown(notice);
            value!({
                "id": format!("urn:retold:notice:{}", notice.number),
                "title": title,
                "content_text": text,
                "date_published": rfc3339(notice.time),
                "_retold": notice,
            })
        })
        .collect();
    let feed = value!({
        "version": "https://jsonfeed.org/version/1.1",
        "title": "Retold notices",
        "items": items,
    });
    Ok(typed(StatusCode::OK, "application/feed+json", feed.to_string()))
}

async fn atom_feed(
    State(app): State<Shared>,
    caller: Caller,
    Params(params): Params<FeedParams>,
) -> Result<Response, Problem> {
    let notices = last(&app, &caller, params.watch).await?;
    let updated = notices.first().map_or(0, |notice| notice.time);
    let mut entries = String::new();
    for notice in &notices {
        let (title, text) = shown(notice);
        let (number, time) = (notice.number, rfc3339(notice.time));
        let _ = write!(
            entries,
            "<entry><id>urn:retold:notice:{number}</id><title>{}</title><updated>{time}</updated>\
             <content type=\"text\">{}</content></entry>",
            escaped(&title),
            escaped(&text),
        );
    }
    let feed = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\
         <id>urn:retold:notices</id><title>Retold notices</title><updated>{}</updated>\
         <author><name>Retold</name></author>{entries}</feed>\n",
        rfc3339(updated),
    );
    Ok(typed(StatusCode::OK, "application/atom+xml", feed))
}
