//! The text of Markdown: what is shown, without marks, addresses of links, tags and front matter.
//!
//! `pulldown-cmark` reads it by the rules of `CommonMark` with tables, footnotes and strikethrough.
//!
//! # Reference
//! `CommonMark` Spec, version 0.31; GitHub Flavored Markdown Spec, section 4.10 (tables).

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::alignment::Alignment;
use super::elements::{BLOCK, Element};
use super::html;
use super::taken::Taken;
use crate::document::Span;

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
            Event::Start(Tag::HtmlBlock) => show_html(&mut taken, source, range),
            // Between words a tag is nothing, unless it begins a line.
            Event::InlineHtml(tag) if begins_line(&tag) => taken.end_line(1),
            Event::Start(tag) if !is_inline(&tag) => taken.end_line(2),
            Event::End(TagEnd::TableCell) => taken.replace(range.end..range.end, "\t"),
            Event::End(tag) if !is_inline_end(tag) => taken.end_line(2),
            _ => {}
        }
    }
    taken.finish()
}

/// Shows what stands between the tags of a block of HTML.
fn show_html(taken: &mut Taken<'_>, source: &str, range: Range<usize>) {
    let Some(block) = source.get(range.clone()) else { return };
    let (text, alignment) = html::visible(block);
    let mut cursor = alignment.cursor();
    let (mut at, mut breaks, mut is_spaced) = (0, 2, false);
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        if !word.is_empty() {
            taken.end_line(breaks);
            let found = cursor.original(Span::new(at as u32, (at + word.len()) as u32));
            let place = range.start + found.start as usize..range.start + found.end as usize;
            if is_spaced && breaks == 0 {
                taken.replace(place.start..place.start, " ");
            }
            if source.get(place.clone()) == Some(word) {
                taken.keep(place);
            } else {
                taken.replace(place, word);
            }
            (breaks, is_spaced) = (0, false);
        }
        at += piece.len();
        breaks += usize::from(piece.ends_with('\n'));
        is_spaced |= piece.len() > word.len();
    }
    taken.end_line(2);
}

/// Returns whether a tag ends the line before it, as `<br>` does.
fn begins_line(tag: &str) -> bool {
    let name = tag.trim_start_matches(['<', '/']);
    let name = &name[..name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len())];
    let name = name.to_ascii_lowercase();
    name == "br" || Element::named(name.as_bytes()).is(BLOCK)
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

    #[test]
    fn the_text_of_html_is_shown_and_its_tags_are_not() {
        let source = "Before\n\n<div align=\"center\">\n<h1>The <b>ferry</b></h1>\nof&nbsp;M&uuml;ggel<br>lake\n\
                      </div>\n\n<!-- hidden -->\n\n<script>\nlet hidden;\n</script>\n\none<br>two <i>three</i>\n";
        let (text, alignment) = shown(source);
        assert_eq!(text, "Before\n\nThe ferry\n\nof Müggel\nlake\n\none\ntwo three");
        for word in ["ferry", "lake", "three"] {
            let at = text.find(word).expect("the word is shown") as u32;
            let found = alignment.original(Span::new(at, at + word.len() as u32));
            assert_eq!(found.of(source), Some(word));
        }
        let at = text.find("Müggel").expect("the word is shown") as u32;
        assert_eq!(alignment.original(Span::new(at, at + 7)).of(source), Some("M&uuml;ggel"));
    }

    #[test]
    fn broken_html_is_read_to_its_end() {
        for source in ["<div", "<div>\n<", "<!--", "<script>\nx", "a <", "a <b", "<div>&\n\n</div>"]
        {
            shown(source);
        }
        shown(&"<div>\n\n".repeat(10_000));
        shown(&format!("<div>{}", "&lt; x\n".repeat(10_000)));
    }
}
