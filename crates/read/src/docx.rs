//! Word files (Office Open XML): the body, then footnotes and endnotes.
//!
//! Text that was deleted with changes tracked, comments, field codes, headers and footers are left
//! out.

use retold_core::document::Document;

use crate::format::{Context, Input, Spec};
use crate::office::{self, Mark, Paragraphs, attribute, describe, needed, part, walk};
use crate::zip::{self, Parts};

pub(crate) static SPEC: Spec = Spec {
    endings: &["docx", "docm", "dotx"],
    input: Input::Positions,
    is_collection: false,
    shows: |look| {
        is_shown(look.bytes) || zip::shows(look.bytes) && SPEC.endings.contains(&look.ending)
    },
    open: |opened| office::open(opened, document),
};

/// Returns whether the first members of a zip archive are those of a Word file. The name of the first is looked at by
/// itself: an archive may hold a Word file that is not compressed.
pub(crate) fn is_shown(head: &[u8]) -> bool {
    let has = |name: &[u8]| memchr::memmem::find(head, name).is_some();
    let first = head.get(30..).unwrap_or_default();
    let is_part = ["[Content_Types].xml", "_rels/", "docProps/", "word/", "customXml/"]
        .iter()
        .any(|name| first.starts_with(name.as_bytes()));
    zip::shows(head) && is_part && has(b"[Content_Types].xml") && has(b"word/")
}

fn document(parts: &mut Parts, context: &Context) -> Result<Document, String> {
    let main = main_part(parts, context)?;
    let mut text = Paragraphs::new();
    let xml = needed(parts, &main)?;
    append(&mut text, &xml, context)?;
    let folder = main.rsplit_once('/').map_or("", |(folder, _)| folder);
    for notes in ["footnotes", "endnotes"] {
        if let Some(xml) = part(parts, &format!("{folder}/{notes}.xml"))? {
            append(&mut text, &xml, context)?;
        }
    }
    let mut document = Document::plain("", text.finish(context)?);
    if let Some(xml) = part(parts, "docProps/core.xml")? {
        describe(&mut document, &xml, context)?;
    }
    Ok(document)
}

/// Returns the name of the part with the text, which the relations of the file name.
fn main_part(parts: &mut Parts, context: &Context) -> Result<String, String> {
    let mut main = None;
    if let Some(xml) = part(parts, "_rels/.rels")? {
        walk(&xml, context, &mut |mark| {
            if let Mark::Start(element) = mark
                && attribute(element, "Type").is_some_and(|kind| kind.ends_with("/officeDocument"))
            {
                main = attribute(element, "Target");
            }
            true
        })?;
    }
    let main = main.unwrap_or_else(|| "word/document.xml".to_owned());
    Ok(main.trim_start_matches('/').to_owned())
}

/// Appends the text of a part.
fn append(text: &mut Paragraphs, xml: &str, context: &Context) -> Result<(), String> {
    // The prefix of the root is that of all elements with text; it is `w` nearly everywhere.
    let mut prefix: Option<String> = None;
    let mut is_text = false;
    walk(xml, context, &mut |mark| {
        match mark {
            Mark::Start(element) => {
                let name = element.name();
                let name: &str = name.as_ref();
                let (before, local) = name.split_once(':').unwrap_or(("", name));
                let prefix = prefix.get_or_insert_with(|| before.to_owned());
                if local == "Fallback" {
                    return false;
                }
                if before != prefix {
                    return true;
                }
                match local {
                    "del" | "moveFrom" | "rPr" | "pPr" | "sectPr" => return false,
                    "footnote" | "endnote" if attribute(element, "type").is_some() => return false,
                    "t" => is_text = true,
                    "tab" => text.push("\t"),
                    "br" | "cr" => text.push("\n"),
                    "noBreakHyphen" => text.push("-"),
                    _ => {}
                }
            }
            Mark::Text(value) => {
                if is_text {
                    text.push(value);
                }
            }
            Mark::End(name) => {
                let (before, local) = name.split_once(':').unwrap_or(("", name));
                if prefix.as_deref() == Some(before) {
                    match local {
                        "t" => is_text = false,
                        "p" | "tc" => text.end(),
                        _ => {}
                    }
                }
            }
        }
        true
    })
}
