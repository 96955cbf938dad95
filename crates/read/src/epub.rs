//! Electronic books: the chapters in the order in which they are read, as one document.
//!
//! A chapter is XHTML; what is shown of it is the text. Tables of contents for programs are left out.

use std::collections::BTreeMap;

use retold_core::clean::{Clean, Text};
use retold_core::document::{Document, Markup};

use crate::bad::quoted;
use crate::format::{Context, Input, Spec};
use crate::office::{self, Mark, attribute, describe, has_type, needed, part, walk};
use crate::text::too_large;
use crate::zip::{self, Parts};

pub(crate) static SPEC: Spec = Spec {
    endings: &["epub"],
    input: Input::Positions,
    is_collection: false,
    shows: |look| {
        is_shown(look.bytes) || zip::shows(look.bytes) && SPEC.endings.contains(&look.ending)
    },
    open: |opened| office::open(opened, document),
};

/// Elements of HTML that have no content; all others need an end tag.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

/// Returns whether a zip archive says that it is a book.
pub(crate) fn is_shown(head: &[u8]) -> bool {
    has_type(head, "application/epub+zip")
}

fn document(parts: &mut Parts, context: &Context) -> Result<Document, String> {
    let container = needed(parts, "META-INF/container.xml")?;
    let mut package = None;
    walk(&container, context, &mut |mark| {
        if let Mark::Start(element) = mark
            && element.local_name().as_ref() == "rootfile"
        {
            package = package.take().or_else(|| attribute(element, "full-path"));
        }
        true
    })?;
    let package = package.ok_or("is broken: its container names no package")?;
    let xml = needed(parts, &package)?;
    let mut document = Document::default();
    describe(&mut document, &xml, context)?;
    let limit = context.limits().document_bytes;
    for chapter in chapters(&xml, &package, context)? {
        // A chapter may be named twice, or lie outside the book.
        let Some(xhtml) = part(parts, &chapter)? else { continue };
        let xhtml = with_end_tags(&xhtml);
        let shown = Text::new(&xhtml, Markup::Html, Clean::default());
        let shown = shown.as_str().trim();
        if !shown.is_empty() {
            if !document.text.is_empty() {
                document.text.push_str("\n\n");
            }
            document.text.push_str(shown);
        }
        if document.text.len() as u64 > limit {
            return Err(too_large(limit));
        }
    }
    Ok(document)
}

/// Returns the names of the parts with the chapters, in order.
fn chapters(xml: &str, package: &str, context: &Context) -> Result<Vec<String>, String> {
    let mut items: BTreeMap<String, String> = BTreeMap::new();
    let mut order = Vec::new();
    walk(xml, context, &mut |mark| {
        let Mark::Start(element) = mark else { return true };
        match element.local_name().as_ref() {
            "item" => {
                let kind = attribute(element, "media-type").unwrap_or_default();
                let is_index = attribute(element, "properties")
                    .is_some_and(|all| all.split_whitespace().any(|one| one == "nav"));
                if let (Some(id), Some(address)) =
                    (attribute(element, "id"), attribute(element, "href"))
                    && matches!(kind.as_str(), "application/xhtml+xml" | "text/html" | "")
                    && !is_index
                {
                    items.insert(id, address);
                }
            }
            "itemref" => order.extend(attribute(element, "idref")),
            _ => {}
        }
        true
    })?;
    if order.is_empty() {
        return Err(format!("is broken: {} lists no chapters", quoted(package)));
    }
    let folder = package.rsplit_once('/').map_or("", |(folder, _)| folder);
    let found = order.iter().filter_map(|id| items.get(id));
    Ok(found.map(|address| resolved(folder, address)).collect())
}

/// Returns the name of the part that an address in a folder of the book leads to.
fn resolved(folder: &str, address: &str) -> String {
    let address = address.split('#').next().unwrap_or_default();
    let address = unescaped(address);
    let mut path: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in address.split('/') {
        match step {
            "" | "." => {}
            ".." => _ = path.pop(),
            step => path.push(step),
        }
    }
    path.join("/")
}

/// Resolves `%20` and the like.
fn unescaped(address: &str) -> String {
    let mut bytes = Vec::with_capacity(address.len());
    let mut rest = address.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Writes `<a id="x"/>` as `<a id="x"></a>`: HTML has no short form, and would take all that follows
/// for the content of the element.
fn with_end_tags(xhtml: &str) -> String {
    let mut out = String::with_capacity(xhtml.len());
    let (mut copied, mut open) = (0, None);
    for at in memchr::memchr2_iter(b'<', b'>', xhtml.as_bytes()) {
        if xhtml[at..].starts_with('<') {
            open = Some(at + 1);
            continue;
        }
        let Some(start) = open.take() else { continue };
        let Some(tag) = xhtml[start..at].strip_suffix('/') else { continue };
        let name_end = tag.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(tag.len());
        let name = tag[..name_end].to_ascii_lowercase();
        if !name.is_empty() && !VOID.contains(&name.as_str()) {
            out.extend([&xhtml[copied..at - 1], "></", &name, ">"]);
            copied = at + 1;
        }
    }
    out.push_str(&xhtml[copied..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_to_parts_inside_the_book() {
        assert_eq!(resolved("OEBPS", "text/one%20a.xhtml#top"), "OEBPS/text/one a.xhtml");
        assert_eq!(resolved("a/b", "../c.html"), "a/c.html");
        assert_eq!(resolved("", "../../etc/x"), "etc/x");
        assert_eq!(unescaped("%zz%4"), "%zz%4");
    }

    #[test]
    fn short_tags_get_an_end_tag() {
        let xhtml = "<script src='a'/><p>one<br/>two<a id=\"x\"/></p>";
        let html = "<script src='a'></script><p>one<br/>two<a id=\"x\"></a></p>";
        assert_eq!(with_end_tags(xhtml), html);
    }
}
