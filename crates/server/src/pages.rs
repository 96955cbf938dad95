//! Pages for people, and what stands beside the API: health, metrics, the OpenAPI document.
//!
//! The pages are files in `assets`, inside the program; in debug builds they are read at every request.
//! They hold no data: what they show they ask of the API, with the key of the person. So they are
//! served without one.

mod docs;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use maud::{DOCTYPE, Markup, html};
use rust_embed::RustEmbed;

use crate::api::{openapi_json, typed};
use crate::app::Shared;
use crate::keys::{Caller, Scope};
use crate::problem::{Code, Problem};

/// Addresses that are answered with the shell, which shows the page that belongs to the address. The
/// same list with its pages is in `assets/pages/index.js`.
const PATHS: &[&str] = &[
    "/",
    "/new",
    "/check",
    "/search",
    "/live",
    "/compare",
    "/judge",
    "/judge/{pool}",
    "/notices",
    "/experiments",
    "/jobs/{job}",
    "/results/{result}",
    "/results/{result}/clusters/{cluster}",
    "/results/{result}/pairs/{pair}",
];

/// The files of the pages.
#[derive(RustEmbed)]
#[folder = "assets"]
#[exclude = "*.md"]
struct Assets;

pub(crate) fn router() -> Router<Shared> {
    let mut router = Router::new()
        .route("/assets/{*path}", get(asset))
        .route("/problems", get(problems))
        .route("/openapi.json", get(openapi))
        .route("/health/live", get(live))
        .route("/health/ready", get(ready))
        .route("/metrics", get(metrics))
        .merge(docs::router());
    for path in PATHS {
        router = router.route(path, get(shell));
    }
    router
}

/// Returns whether something is served without a key: it holds no data.
pub(crate) fn is_public(path: &str) -> bool {
    !path.starts_with("/api/") && !matches!(path, "/metrics" | "/openapi.json")
}

/// Answers with the shell. It names all scripts and texts, so that a browser asks for them at once and
/// not for each when another one has said that it needs it.
async fn shell(headers: HeaderMap) -> Response {
    let Some(shell) = Assets::get("shell.html") else {
        return Problem::not_found("address").into_response();
    };
    let mut paths: Vec<_> = Assets::iter().collect();
    paths.sort_unstable();
    let mut links = String::new();
    for path in paths {
        let link = match path.rsplit_once('.') {
            Some((_, "js")) => format!("<link rel=\"modulepreload\" href=\"/assets/{path}\">\n"),
            Some((_, "json")) => {
                format!("<link rel=\"preload\" as=\"fetch\" crossorigin href=\"/assets/{path}\">\n")
            }
            _ => continue,
        };
        links.push_str(&link);
    }
    let shell = String::from_utf8_lossy(&shell.data).replace("</head>", &format!("{links}</head>"));
    tagged(shell.into_bytes(), content_type("shell.html"), &headers)
}

async fn asset(Path(path): Path<String>, headers: HeaderMap) -> Response {
    file(&path, &headers)
}

/// Answers with a file of the pages, or that the one the browser has is still right.
fn file(path: &str, headers: &HeaderMap) -> Response {
    match Assets::get(path) {
        Some(file) => tagged(file.data.into_owned(), content_type(path), headers),
        None => Problem::not_found("address").into_response(),
    }
}

/// Answers with bytes, or that those the browser has are still right.
fn tagged(bytes: Vec<u8>, content_type: &'static str, headers: &HeaderMap) -> Response {
    let tag = format!("\"{}\"", blake3::hash(&bytes).to_hex());
    let known = headers.get(header::IF_NONE_MATCH).and_then(|known| known.to_str().ok());
    let mut response = if known.is_some_and(|known| known.contains(&tag)) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        typed(StatusCode::OK, content_type, bytes)
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        _ => "text/plain; charset=utf-8",
    }
}

async fn openapi() -> Response {
    typed(StatusCode::OK, "application/json", openapi_json())
}

/// Says that the process lives.
async fn live() -> Response {
    typed(StatusCode::OK, "text/plain; charset=utf-8", "alive\n")
}

/// Says that requests are served: not when the server ends, nor when nothing can be written.
async fn ready(State(app): State<Shared>) -> Result<Response, Problem> {
    if app.is_ending() {
        return Err(Problem::new(Code::ShuttingDown, "the server is ending"));
    }
    app.free.check()?;
    Ok(typed(StatusCode::OK, "text/plain; charset=utf-8", "ready\n"))
}

async fn metrics(State(app): State<Shared>, caller: Caller) -> Result<Response, Problem> {
    if !caller.has(Scope::Read) || !caller.sees_all() {
        let detail = "figures are for keys with the scope `read` and for all collections";
        return Err(Problem::new(Code::Forbidden, detail));
    }
    let text = app.metrics.text(&app.now());
    Ok(typed(StatusCode::OK, "application/openmetrics-text; version=1.0.0; charset=utf-8", text))
}

/// A page that the server makes itself, in the look of the others.
fn page(title: &str, content: &Markup) -> Html<String> {
    let page = html! {
        (DOCTYPE)
        html lang="en" data-theme="auto" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " – Retold" }
                link rel="icon" href="/assets/icon.svg" type="image/svg+xml";
                link rel="stylesheet" href="/assets/style.css";
            }
            body {
                header .top {
                    a .brand href="/" { img src="/assets/icon.svg" alt="" width="28" height="28"; "Retold" }
                    a href="/docs" { "Documentation" }
                }
                main { (content) }
            }
        }
    };
    Html(page.into_string())
}

async fn problems() -> Response {
    let content = html! {
        h1 { "Problems" }
        p { "What the server answers when it cannot do what was asked, by code." }
        @for code in Code::ALL {
            h2 id=(code.name()) { (code.name()) " " small { (code.status().as_u16()) } }
            p { (code.title()) ". " (code.advice()) }
        }
    };
    page("Problems", &content).into_response()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    fn text(path: &str) -> String {
        let file = Assets::get(path).expect("a file of the pages");
        String::from_utf8(file.data.into_owned()).expect("text")
    }

    fn scripts() -> Vec<(String, String)> {
        let is_own =
            |path: &str| path.strip_suffix(".js").is_some() && !path.starts_with("vendor/");
        let paths = Assets::iter().map(std::borrow::Cow::into_owned);
        paths.filter(|path| is_own(path)).map(|path| (path.clone(), text(&path))).collect()
    }

    /// Returns what stands between two marks, everywhere in a text.
    fn between<'a>(text: &'a str, before: &'a str, after: char) -> impl Iterator<Item = &'a str> {
        text.split(before).skip(1).filter_map(move |rest| rest.split(after).next())
    }

    #[test]
    fn the_shell_is_served_for_the_addresses_of_all_pages() {
        let index = text("pages/index.js");
        let listed: BTreeSet<&str> = between(&index, "path: '", '\'').collect();
        let as_script = |path: &&str| path.replace('{', ":").replace('}', "");
        let served: BTreeSet<String> = PATHS.iter().map(as_script).collect();
        assert_eq!(served, listed.into_iter().map(str::to_owned).collect());
    }

    #[test]
    fn every_language_has_the_same_texts_with_the_same_values() {
        let of = |language: &str| -> BTreeMap<String, BTreeSet<String>> {
            let texts: BTreeMap<String, String> =
                serde_json::from_str(&text(&format!("texts/{language}.json"))).expect("JSON");
            let values =
                |text: &str| between(text, "{", '}').map(str::to_owned).collect::<BTreeSet<_>>();
            texts.into_iter().map(|(key, text)| (key, values(&text))).collect()
        };
        assert_eq!(of("en"), of("tr"));
    }

    #[test]
    fn every_text_that_a_page_asks_for_is_there() {
        let texts: BTreeMap<String, String> =
            serde_json::from_str(&text("texts/en.json")).expect("JSON");
        let mut missing = BTreeSet::new();
        let mut n_asked = 0;
        for (path, script) in scripts() {
            // As `t('key'`, and not as the end of another name.
            let is_call =
                |before: &str| !before.ends_with(|c: char| c.is_alphanumeric() || c == '.');
            let pieces: Vec<&str> = script.split("t('").collect();
            let calls = pieces.windows(2).filter(|pair| is_call(pair[0]));
            for key in calls.filter_map(|pair| pair[1].split('\'').next()) {
                n_asked += 1;
                if !texts.contains_key(key) {
                    missing.insert(format!("{path}: {key}"));
                }
            }
        }
        assert!(n_asked > 20 && missing.is_empty(), "{missing:#?}");
    }

    #[test]
    fn no_page_makes_markup_of_text() {
        for (path, script) in scripts() {
            for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("]
            {
                assert!(!script.contains(word), "{path} has {word}");
            }
        }
    }
}
