//! Messages, in files of their own or in mailboxes.
//!
//! `mail-parser` takes a message apart. Its text is what a mail program shows: the plain text, or where
//! there is none the HTML as plain text, with quoted passages marked by `>`. Cleaning leaves
//! quotations out (see `Markup::Mail` of the core). Attachments are not read.

use std::panic::catch_unwind;

use mail_parser::{MessageParser, PartType};
use retold_core::clean::{Clean, Text};
use retold_core::document::{Document, Markup};

use crate::format::Context;
use crate::quiet::quietly;
use crate::text::too_large;

/// Headers that messages have and other texts hardly.
const HEADERS: [&str; 9] = [
    "from",
    "to",
    "subject",
    "date",
    "message-id",
    "received",
    "return-path",
    "mime-version",
    "delivered-to",
];

/// Returns how many different headers of messages stand in the first lines, if these are headers.
pub(crate) fn count_headers(text: &str) -> usize {
    let mut seen = [false; HEADERS.len()];
    for line in text.lines().take(200) {
        if line.starts_with([' ', '\t']) {
            continue;
        }
        let Some((name, _)) = line.split_once(':') else { break };
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        {
            break;
        }
        let name = name.to_ascii_lowercase();
        if let Some(at) = HEADERS.iter().position(|header| *header == name) {
            seen[at] = true;
        }
    }
    seen.iter().filter(|seen| **seen).count()
}

/// Makes a document of a message; its id is empty.
pub(crate) fn document(message: &[u8], context: &Context) -> Result<Document, String> {
    // The parser panics where parts are cut in a way that it does not expect.
    let parsed = quietly(|| catch_unwind(|| MessageParser::default().parse(message)));
    let parsed = parsed.map_err(|_| "is broken: its parts do not fit together")?;
    let message = parsed.ok_or("is no message: it has no headers")?;
    if message.headers().is_empty() {
        return Err("is no message: it has no headers".to_owned());
    }
    let mut text = String::new();
    for part in message.text_bodies() {
        let shown = match &part.body {
            PartType::Text(text) => text.replace("\r\n", "\n"),
            PartType::Html(html) => with_quotations(html),
            _ => continue,
        };
        if !text.is_empty() && !shown.trim().is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(shown.trim_end());
    }
    if text.trim().is_empty() {
        return Err("the message has no text".to_owned());
    }
    let limit = context.limits().document_bytes;
    if text.len() as u64 > limit {
        return Err(too_large(limit));
    }
    let writer = message.from().and_then(|from| from.first());
    let source = writer.and_then(|writer| writer.address().or(writer.name()));
    Ok(Document {
        text,
        markup: Markup::Mail,
        title: message.subject().map(|subject| subject.trim().to_owned()),
        time: message.date().filter(|date| date.is_valid()).map(mail_parser::DateTime::to_rfc3339),
        source: source.map(ToOwned::to_owned),
        ..Document::default()
    })
}

/// Returns what is shown of an HTML message; lines inside `blockquote` begin with `>`.
fn with_quotations(html: &str) -> String {
    let mut out = String::new();
    let mut depth = 0_usize;
    let mut start = 0;
    let mut show = |piece: &str, depth: usize| {
        let shown = Text::new(piece, Markup::Html, Clean::default());
        if shown.as_str().trim().is_empty() {
            return;
        }
        for line in shown.as_str().trim_matches('\n').split('\n') {
            if depth > 0 {
                out.push_str("> ");
            }
            out.push_str(line);
            out.push('\n');
        }
    };
    for at in memchr::memchr_iter(b'<', html.as_bytes()) {
        let tag = &html.as_bytes()[at + 1..];
        let is_end = tag.first() == Some(&b'/');
        let name = tag.get(usize::from(is_end)..).unwrap_or_default();
        let is_quotation = name.get(..10).is_some_and(|it| it.eq_ignore_ascii_case(b"blockquote"));
        if !is_quotation || is_end && depth == 0 {
            continue;
        }
        if at > start {
            show(&html[start..at], depth);
        }
        start = at;
        depth = if is_end { depth - 1 } else { depth + 1 };
    }
    show(&html[start..], depth);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_of_html_are_marked() {
        let html = "<p>Yes.</p><blockquote><p>So?</p><BLOCKQUOTE>Ah</BLOCKQUOTE></blockquote>Bye";
        assert_eq!(with_quotations(html), "Yes.\n> So?\n> Ah\nBye\n");
        assert_eq!(with_quotations("</blockquote>x<blockquote"), "x\n");
    }

    #[test]
    fn headers_are_counted_up_to_the_text() {
        assert_eq!(count_headers("From: a\nTo: b\n c\nX-Y: z\n\nSubject: no"), 2);
        assert_eq!(count_headers("Dear all,\nFrom: a"), 0);
    }
}
