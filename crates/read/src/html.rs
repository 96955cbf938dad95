//! HTML: a file is one document, kept with its markup.
//!
//! Tags are taken out later, by cleaning, so that positions stay those of the source.

use crate::format::{Format, Input, Spec};
use crate::sniff::Look;
use crate::text;

pub(crate) static SPEC: Spec = Spec {
    endings: &["html", "htm", "xhtml", "shtml"],
    input: Input::Text,
    is_collection: false,
    shows,
    open: |opened| text::whole(opened, Format::Html),
};

/// How much of a page is searched for the declaration of its charset, as browsers do.
const PRESCAN_BYTES: usize = 1024;

/// Returns whether the first element is one that only pages begin with.
fn shows(look: &Look<'_>) -> bool {
    let mut start = look.start();
    // Declarations and comments may stand in front.
    loop {
        let end = match start {
            _ if start.starts_with("<!--") => start.find("-->").map(|end| end + 3),
            _ if start.starts_with("<?xml") => start.find("?>").map(|end| end + 2),
            _ => break,
        };
        let Some(end) = end else { return false };
        start = start[end..].trim_start();
    }
    let has = |name: &str| {
        let begin = start.as_bytes().get(..name.len());
        let after = start.as_bytes().get(name.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(name.as_bytes()))
            && matches!(after, Some(b'>' | b' ' | b'\t' | b'\r' | b'\n'))
    };
    ["<!doctype html", "<html", "<head", "<body", "<title", "<meta", "<script", "<div", "<table"]
        .into_iter()
        .any(has)
}

/// Finds the charset a page declares: in the XML declaration or a `meta` element.
pub(crate) fn charset(page: &[u8]) -> Option<String> {
    let head = &page[..page.len().min(4 * PRESCAN_BYTES)];
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let xml = head.trim_start().strip_prefix("<?xml").and_then(|rest| {
        let declaration = &rest[..rest.find("?>")?];
        value_after(declaration, "encoding")
    });
    xml.or_else(|| {
        head.match_indices("<meta").find_map(|(at, _)| {
            let element = &head[at..];
            value_after(&element[..element.find('>')?], "charset")
        })
    })
}

/// Returns the value after `name=`, with or without quotes.
pub(crate) fn value_after(text: &str, name: &str) -> Option<String> {
    let rest = &text[text.find(name)? + name.len()..];
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let rest = rest.strip_prefix(['"', '\'']).unwrap_or(rest);
    let end = rest.find(|c: char| matches!(c, '"' | '\'' | ';' | '>' | '/') || c.is_whitespace());
    let value = &rest[..end.unwrap_or(rest.len())];
    (!value.is_empty()).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charsets_are_found_where_pages_declare_them() {
        let found = |page: &str| charset(page.as_bytes());
        assert_eq!(found("<META charset=KOI8-R>").as_deref(), Some("koi8-r"));
        let old = "<html><head><meta http-equiv='Content-Type' content='text/html; charset=windows-1251'>";
        assert_eq!(found(old).as_deref(), Some("windows-1251"));
        assert_eq!(
            found("<?xml version='1.0' encoding='iso-8859-9'?><html>").as_deref(),
            Some("iso-8859-9")
        );
        assert_eq!(found("<html><body>charset=x</body>"), None);
    }
}
