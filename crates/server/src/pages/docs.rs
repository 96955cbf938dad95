//! The documentation: the guide, the pages of all methods and the rest of `docs`, made to pages.

use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use maud::{PreEscaped, html};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use rust_embed::RustEmbed;

use super::page;
use crate::api::typed;
use crate::app::Shared;
use crate::problem::Problem;

/// Markdown files of the repository.
#[derive(RustEmbed)]
#[folder = "docs"]
#[include = "*.md"]
#[include = "*.png"]
struct Docs;

pub(super) fn router() -> Router<Shared> {
    Router::new().route("/docs", get(list)).route("/docs/{*path}", get(document))
}

async fn list() -> Response {
    let mut names: Vec<String> =
        Docs::iter().filter_map(|path| Some(path.strip_suffix(".md")?.to_owned())).collect();
    names.sort_by_key(|name| (name != "guide", name.contains('/'), name.clone()));
    let title = |name: &str| heading(&text(name).unwrap_or_default()).unwrap_or(name.to_owned());
    let (methods, others): (Vec<_>, Vec<_>) =
        names.into_iter().partition(|name| name.starts_with("methods/"));
    let content = html! {
        h1 { "Documentation" }
        ul { @for name in &others { li { a href={ "/docs/" (name) } { (title(name)) } } } }
        h2 { "Methods" }
        ul { @for name in &methods { li { a href={ "/docs/" (name) } { (title(name)) } } } }
        h2 { "For programs" }
        ul {
            li { a href="/openapi.json" { "/openapi.json" } ": everything that can be asked" }
            li { a href="/problems" { "/problems" } ": what codes of problems mean" }
            li { a href="/metrics" { "/metrics" } ": figures for Prometheus" }
        }
    };
    page("Documentation", &content).into_response()
}

async fn document(Path(path): Path<String>) -> Response {
    if path.strip_suffix(".png").is_some() {
        return match Docs::get(&path) {
            Some(picture) => typed(StatusCode::OK, "image/png", picture.data.into_owned()),
            None => Problem::not_found("address").into_response(),
        };
    }
    let name = path.strip_suffix(".md").unwrap_or(&path);
    let Some(markdown) = text(name) else {
        return Problem::not_found("address").into_response();
    };
    let title = heading(&markdown).unwrap_or_else(|| name.to_owned());
    page(&title, &html! { div .docs { (PreEscaped(rendered(&markdown))) } }).into_response()
}

fn text(name: &str) -> Option<String> {
    let file = Docs::get(&format!("{name}.md"))?;
    String::from_utf8(file.data.into_owned()).ok()
}

/// Returns the first heading of a document.
fn heading(markdown: &str) -> Option<String> {
    markdown.lines().find_map(|line| line.strip_prefix("# ")).map(|text| text.replace('`', ""))
}

/// Makes HTML of a document. Headings get ids, so that links to them work; what is HTML in it is shown as
/// text.
fn rendered(markdown: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
    let mut events: Vec<Event<'_>> = Vec::new();
    let mut begun: Option<(usize, HeadingLevel, String)> = None;
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                begun = Some((events.len(), level, String::new()));
                events.push(Event::Text(CowStr::Borrowed("")));
                continue;
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some((at, level, text)) = begun.take() {
                    let id = Some(CowStr::from(anchor(&text)));
                    let (classes, attrs) = (Vec::new(), Vec::new());
                    events[at] = Event::Start(Tag::Heading { level, id, classes, attrs });
                }
            }
            Event::Text(ref text) | Event::Code(ref text) => {
                if let Some((.., heading)) = &mut begun {
                    heading.push_str(text);
                }
            }
            _ => {}
        }
        let event = match event {
            Event::Html(text) if text.starts_with("<!--") => continue,
            Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let dest_url = link(&dest_url);
                Event::Start(Tag::Link { link_type, dest_url, title, id })
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                let dest_url = format!("/docs/{}", dest_url.trim_start_matches("docs/")).into();
                Event::Start(Tag::Image { link_type, dest_url, title, id })
            }
            other => other,
        };
        events.push(event);
    }
    let mut html = String::with_capacity(markdown.len() * 3 / 2);
    pulldown_cmark::html::push_html(&mut html, events.into_iter());
    html
}

/// The id of a heading, as links in the documents name it.
fn anchor(text: &str) -> String {
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

/// Turns a link between files of the repository into one between pages.
fn link(target: &str) -> CowStr<'static> {
    let (path, anchor) =
        target.split_once('#').map_or((target, ""), |(path, anchor)| (path, anchor));
    let is_elsewhere = target.contains("://") || path.is_empty() || path.starts_with('/');
    if is_elsewhere {
        return target.to_owned().into();
    }
    let path = path.trim_start_matches("./").trim_start_matches("../").trim_start_matches("docs/");
    let name = path.strip_suffix(".md").unwrap_or(path);
    let name = if name == "GUIDE" { "guide" } else { name };
    let candidates = [name.to_owned(), format!("methods/{name}"), format!("{name}/README")];
    let found = candidates.into_iter().find(|name| Docs::get(&format!("{name}.md")).is_some());
    let hash = if anchor.is_empty() { String::new() } else { format!("#{anchor}") };
    match found {
        Some(name) => format!("/docs/{name}{hash}").into(),
        None => "/docs".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_get_ids_links_lead_to_pages_and_markup_is_text() {
        let html =
            rendered("# A `b` c\n\n[x](docs/limits.md#why) [y](#a-b-c)\n\n<script>1</script>\n");
        assert!(html.contains("<h1 id=\"a-b-c\">A <code>b</code> c</h1>"), "{html}");
        assert!(html.contains("href=\"/docs/limits#why\""), "{html}");
        assert!(html.contains("href=\"#a-b-c\""), "{html}");
        assert!(!html.contains("<script>"), "{html}");
    }

    #[test]
    fn the_guide_and_a_page_for_every_method_are_there() {
        let methods = retold_core::methods::METHODS.iter();
        let names = methods.map(|method| format!("methods/{}", method.name));
        for name in names.chain(["guide".to_owned()]) {
            // A link that became a plain file would hold a path and no heading.
            assert!(text(&name).and_then(|text| heading(&text)).is_some(), "{name}");
        }
    }
}
