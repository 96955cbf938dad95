//! Texts of `OpenDocument`: the body, then its notes.
//!
//! Tracked deletions, comments, formulas and descriptions of pictures are left out.

use retold_core::document::Document;

use crate::format::{Context, Input, Spec};
use crate::office::{self, Mark, Paragraphs, attribute, describe, has_type, needed, part, walk};
use crate::zip::{self, Parts};

pub(crate) static SPEC: Spec = Spec {
    endings: &["odt", "ott"],
    input: Input::Positions,
    is_collection: false,
    shows: |look| {
        is_shown(look.bytes) || zip::shows(look.bytes) && SPEC.endings.contains(&look.ending)
    },
    open: |opened| office::open(opened, document),
};

/// Most spaces that one element may stand for.
const MOST_SPACES: usize = 256;

/// Returns whether a zip archive says that it is a text.
pub(crate) fn is_shown(head: &[u8]) -> bool {
    has_type(head, "application/vnd.oasis.opendocument.text")
}

fn document(parts: &mut Parts, context: &Context) -> Result<Document, String> {
    let xml = needed(parts, "content.xml")?;
    let mut document = Document::plain("", text(&xml, context)?);
    if let Some(xml) = part(parts, "meta.xml")? {
        describe(&mut document, &xml, context)?;
    }
    Ok(document)
}

fn text(xml: &str, context: &Context) -> Result<String, String> {
    let (mut body, mut notes) = (Paragraphs::new(), Paragraphs::new());
    // Paragraphs that are open, and notes around here.
    let (mut n_open, mut n_notes) = (0_u32, 0_u32);
    walk(xml, context, &mut |mark| {
        let text = if n_notes > 0 { &mut notes } else { &mut body };
        match mark {
            Mark::Start(element) => {
                let name = element.name();
                match name.as_ref() {
                    "text:tracked-changes"
                    | "office:annotation"
                    | "text:note-citation"
                    | "text:ruby-text"
                    | "svg:title"
                    | "svg:desc"
                    | "office:forms"
                    | "math:math"
                    | "office:scripts"
                    | "office:automatic-styles" => return false,
                    "text:p" | "text:h" => n_open += 1,
                    "text:note" => n_notes += 1,
                    "text:s" => {
                        let n = attribute(element, "c").and_then(|n| n.parse::<usize>().ok());
                        text.push(&" ".repeat(n.unwrap_or(1).min(MOST_SPACES)));
                    }
                    "text:tab" => text.push("\t"),
                    "text:line-break" => text.push("\n"),
                    _ => {}
                }
            }
            Mark::Text(value) if n_open > 0 => text.push(value),
            Mark::End("text:p" | "text:h") => {
                n_open = n_open.saturating_sub(1);
                text.end();
            }
            Mark::End("text:note") => n_notes = n_notes.saturating_sub(1),
            Mark::Text(_) | Mark::End(_) => {}
        }
        true
    })?;
    let (mut text, notes) = (body.finish(context)?, notes.finish(context)?);
    if !notes.is_empty() {
        text.extend(["\n\n", &notes]);
    }
    Ok(text)
}
