//! The text of Markdown: what is shown, without marks, addresses of links, HTML and front matter.
//!
//! `pulldown-cmark` reads it by the rules of `CommonMark` with tables, footnotes and strikethrough.
//!
//! # Reference
//! `CommonMark` Spec, version 0.31; GitHub Flavored Markdown Spec, section 4.10 (tables).

use std::borrow::Cow;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::alignment::Alignment;
use super::taken::Taken;

/// Returns the text without its marks.
pub(super) fn shown(source: &str) -> (Cow<'_, str>, Alignment) {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut taken = Taken::new(source);
    let mut is_metadata = false;
    for (event, range) in Parser::new_ext(source, options).into_offset_iter() {
        match event {
            Event::Text(_) if is_metadata => {}
            Event::Text(text) => {
                if source.get(range.clone()) == Some(&*text) {
                    taken.keep(range);
                } else {
                    taken.replace(range, &text);
                }
            }
            // The marks around code are part of its range.
            Event::Code(code) => match source[range.clone()].find(&*code) {
                Some(at) => taken.keep(range.start + at..range.start + at + code.len()),
                None => taken.replace(range, &code),
            },
            Event::SoftBreak => taken.replace(range, "\n"),
            Event::HardBreak => taken.end_line(1),
            Event::Start(Tag::MetadataBlock(_)) => is_metadata = true,
            Event::End(TagEnd::MetadataBlock(_)) => is_metadata = false,
            Event::Start(tag) if !is_inline(&tag) => taken.end_line(2),
            Event::End(TagEnd::TableCell) => taken.replace(range.end..range.end, "\t"),
            Event::End(tag) if !is_inline_end(tag) => taken.end_line(2),
            _ => {}
        }
    }
    taken.finish()
}

fn is_inline(tag: &Tag<'_>) -> bool {
    matches!(
        tag,
        Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough
            | Tag::Link { .. }
            | Tag::Image { .. }
            | Tag::TableCell
    )
}

fn is_inline_end(tag: TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Span;

    #[test]
    fn marks_go_and_positions_lead_back() {
        let source = "---\ntitle: x\n---\n# The *ferry*\n\nIt was [late](http://x.org/a) &amp; `wet`\n\
                      again.\n\n- one\n- two\n\n<div>raw</div>\n\n| a | b |\n|---|---|\n| c | d |\n";
        let (text, alignment) = shown(source);
        assert!(
            text.starts_with("The ferry\n\nIt was late & wet\nagain.\n\none\n\ntwo"),
            "{text:?}"
        );
        assert!(!text.contains("http") && !text.contains("title"), "{text:?}");
        for word in ["ferry", "late", "wet", "again", "two", "d"] {
            let at = text.rfind(word).expect("the word is shown") as u32;
            let found = alignment.original(Span::new(at, at + word.len() as u32));
            assert_eq!(found.of(source), Some(word));
        }
        let at = text.find('&').expect("a reference is shown") as u32;
        assert_eq!(alignment.original(Span::new(at, at + 1)).of(source), Some("&amp;"));
    }
}
