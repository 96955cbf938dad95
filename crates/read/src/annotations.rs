//! Files that only describe others and hold no text: METS, and the annotations of PAN collections.
//!
//! They are passed over and counted as such, so that a folder as it is published can be read whole.
//! `retold evaluate` reads the annotations of PAN.

use crate::format::{Chunk, Input, Source, Spec};
use crate::sniff::Look;

pub(crate) static SPEC: Spec = Spec {
    endings: &["mets"],
    input: Input::Bytes,
    is_collection: false,
    shows,
    open: |_| Box::new(Passed),
};

fn shows(look: &Look<'_>) -> bool {
    if let Some((name, tag)) = root(look.start()) {
        let is_pan = name == "document"
            && tag.contains("reference=")
            && look.text.contains("<feature")
            && !look.text.contains("<content");
        return name == "mets" || is_pan;
    }
    // The list of pairs: a suspicious document and a source on each line.
    let mut lines = look.text.lines().take(20).filter(|line| !line.trim().is_empty()).peekable();
    let is_pair = |line: &str| {
        let mut names = line.split_whitespace();
        let (a, b, rest) = (names.next(), names.next(), names.next());
        a.is_some_and(|a| a.starts_with("suspicious-document"))
            && b.is_some_and(|b| b.starts_with("source-document"))
            && rest.is_none()
    };
    lines.peek().is_some() && lines.all(is_pair)
}

/// Returns the name of the root element without its prefix, and its tag.
pub(crate) fn root(text: &str) -> Option<(&str, &str)> {
    let mut start = text;
    // Declarations, comments and a document type may stand in front.
    loop {
        let end = match start {
            _ if start.starts_with("<!--") => start.find("-->")? + 3,
            _ if start.starts_with("<?") => start.find("?>")? + 2,
            _ if start.starts_with("<!DOCTYPE") => {
                let end = start.find('>')?;
                // Declarations may stand in brackets.
                if start[..end].contains('[') { start.find("]>")? + 2 } else { end + 1 }
            }
            _ => break,
        };
        start = start[end..].trim_start();
    }
    let tag = start.strip_prefix('<')?;
    let tag = &tag[..tag.find('>').unwrap_or(tag.len())];
    let name = tag.split(|c: char| c.is_whitespace() || c == '/').next()?;
    Some((name.rsplit(':').next()?, tag))
}

/// A file that is passed over.
struct Passed;

impl Source for Passed {
    fn next(&mut self) -> Option<Chunk> {
        None
    }

    fn skipped(&self) -> u64 {
        1
    }
}
