//! The visible text of an HTML page, aligned with the bytes of its source.
//!
//! # How it works
//! `html5gum` splits the source into tokens by the rules of the HTML standard;
//! [`ElementStack`] follows which elements are open; [`Page`] collects the text that is shown. No tree
//! is built: depth costs six bytes a level, attributes and comments are passed over without being kept.
//!
//! Block-level elements become blank lines, `br` a newline, character references the characters
//! they stand for. Line ends of the source become spaces, as they are shown, except where white
//! space counts (`pre`, `textarea`); white space at the start of a block is left out.
//! Scripts, styles, templates, titles, fallback content and elements with `hidden` are not shown.
//!
//! # Where we differ from a browser
//! Style sheets are not read, so what they hide is text and what they set apart is not. Misnested
//! formatting is not repaired, which moves no text.
//!
//! # Reference
//! HTML Living Standard, sections 13.2.5 (tokenization) and 15.3 (rendering, flow content).

use std::borrow::Cow;
use std::convert::Infallible;
use std::ops::Range;

use html5gum::{Emitter, Error, State, Tokenizer};

use super::alignment::{Alignment, Builder};
use super::char_floor;
use super::element_stack::ElementStack;
use super::elements::{BLOCK, Element};

/// The longest element or attribute name that is looked at; longer ones are unknown anyway.
const MAX_NAME: usize = 24;

/// Returns the visible text of a page.
pub(super) fn visible(source: &str) -> (Cow<'_, str>, Alignment) {
    if memchr::memchr2(b'<', b'&', source.as_bytes()).is_none() {
        return (Cow::Borrowed(source), Alignment::identity());
    }
    let page = Page::read(source, Blocks::Pass);
    (Cow::Owned(page.text), page.alignment.finish())
}

/// Whether the blocks of a page are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blocks {
    Keep,
    Pass,
}

/// A stretch of text that stands apart, with what tells main content from the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// Bytes of the visible text.
    pub(super) range: Range<usize>,
    /// Bytes inside links.
    pub(super) link_bytes: usize,
    /// Stands in an element for navigation or the like.
    pub(super) is_around: bool,
    /// Is a headline.
    pub(super) is_heading: bool,
}

/// What is shown of a page.
#[derive(Debug)]
pub(super) struct Page<'s> {
    source: &'s str,
    /// The visible text.
    pub(super) text: String,
    /// Its alignment with the source.
    pub(super) alignment: Builder,
    /// Its blocks in order, if they were asked for.
    pub(super) blocks: Vec<Block>,
    /// Stretches of the visible text inside `blockquote` and `q`, in order.
    pub(super) quotations: Vec<Range<usize>>,
    keep: Blocks,
    /// The next text begins a block.
    begins_block: bool,
    /// End of the last text in the source.
    source_end: usize,
}

impl<'s> Page<'s> {
    /// Reads a page.
    pub(super) fn read(source: &'s str, keep: Blocks) -> Self {
        let mut page = Self {
            source,
            text: String::new(),
            alignment: Builder::default(),
            blocks: Vec::new(),
            quotations: Vec::new(),
            keep,
            begins_block: true,
            source_end: 0,
        };
        let reader = Reader::new(source, &mut page);
        let Ok(()) = Tokenizer::new_with_emitter(source, reader).finish();
        page
    }

    /// Shows the source as it stands.
    fn show(&mut self, range: Range<usize>, context: &Context) {
        let Range { mut start, end } = self.whole_characters(range);
        let mut shown = &self.source[start..end];
        if self.begins_block && !context.open.keeps_space() {
            shown = shown.trim_ascii_start();
            start = end - shown.len();
        }
        if shown.is_empty() {
            return;
        }
        self.begin_text(start, context);
        if context.open.keeps_space() {
            self.text.push_str(shown);
        } else {
            for (i, line) in shown.split(['\n', '\r']).enumerate() {
                if i > 0 {
                    self.text.push(' ');
                }
                self.text.push_str(line);
            }
        }
        self.alignment.in_step(shown.len(), start);
        self.end_text(end, shown.len(), context);
    }

    /// Shows `shown` for a stretch of the source.
    fn replace(&mut self, range: Range<usize>, shown: &str, context: &Context) {
        let Range { start, end } = self.whole_characters(range);
        self.begin_text(start, context);
        self.text.push_str(shown);
        self.alignment.replaced(shown.len(), start..end);
        self.end_text(end, shown.len(), context);
    }

    /// Text ends at markup, which is ASCII, and comes in order; this holds should the tokenizer
    /// ever say otherwise.
    fn whole_characters(&self, range: Range<usize>) -> Range<usize> {
        let end = char_floor(self.source, range.end).max(self.source_end);
        char_floor(self.source, range.start).clamp(self.source_end, end)..end
    }

    /// Ends the line at a `br`.
    fn break_line(&mut self, tag: Range<usize>) {
        if !self.begins_block {
            let start = tag.start.max(self.source_end).min(tag.end);
            self.text.push('\n');
            self.alignment.replaced(1, start..tag.end);
            self.source_end = tag.end;
        }
    }

    fn begin_text(&mut self, start: usize, context: &Context) {
        if !self.begins_block {
            return;
        }
        self.begins_block = false;
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
            self.alignment.replaced(2, self.source_end..start);
        }
        if self.keep == Blocks::Keep {
            self.blocks.push(Block {
                range: self.text.len()..self.text.len(),
                link_bytes: 0,
                is_around: context.open.is_around(),
                is_heading: context.open.is_heading(),
            });
        }
    }

    fn end_text(&mut self, end: usize, len: usize, context: &Context) {
        self.source_end = end;
        if let Some(block) = self.blocks.last_mut() {
            block.range.end = self.text.len();
            block.link_bytes += if context.is_link { len } else { 0 };
        }
        if context.open.is_quotation() {
            self.quotations.push(self.text.len() - len..self.text.len());
        }
    }
}

/// Where in the page text stands.
#[derive(Debug)]
struct Context {
    open: ElementStack,
    is_link: bool,
}

/// A name that is kept as far as it can matter.
#[derive(Debug, Default)]
struct Name {
    bytes: [u8; MAX_NAME],
    len: usize,
}

impl Name {
    fn push(&mut self, s: &[u8]) {
        let room = MAX_NAME - self.len;
        let s = &s[..s.len().min(room)];
        self.bytes[self.len..self.len + s.len()].copy_from_slice(s);
        self.len += s.len();
    }

    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TagKind {
    #[default]
    Start,
    SelfClosing,
    End,
}

/// The tag being read.
#[derive(Debug, Default)]
struct Tag {
    name: Name,
    attribute: Name,
    kind: TagKind,
    is_hidden: bool,
    has_href: bool,
}

/// Takes tokens from the tokenizer and gives text to the page.
///
/// Tokens tile the source: one begins where the last one ended.
#[derive(Debug)]
struct Reader<'s, 'p> {
    source: &'s [u8],
    page: &'p mut Page<'s>,
    context: Context,
    /// Where the tokenizer is.
    position: usize,
    /// End of the last token.
    token_end: usize,
    /// Source text not yet handed to the page.
    run: Range<usize>,
    tag: Tag,
    /// Name of the last start tag: its end tag ends raw content.
    last_start: Name,
}

impl<'s, 'p> Reader<'s, 'p> {
    fn new(source: &'s str, page: &'p mut Page<'s>) -> Self {
        Self {
            source: source.as_bytes(),
            page,
            context: Context { open: ElementStack::new(), is_link: false },
            position: 0,
            token_end: 0,
            run: 0..0,
            tag: Tag::default(),
            last_start: Name::default(),
        }
    }

    /// Returns where the source holds the text token `text`, which ends at or near the current
    /// position, without a change; a CR may stand for an LF. `None` if the source differs, for
    /// example by a character reference.
    fn verbatim(&self, text: &[u8]) -> Option<Range<usize>> {
        let end = self.position.min(self.source.len());
        let stands_at = |start: usize| self.source[start..].starts_with(text);
        if let Some(start) = end.checked_sub(text.len())
            && start >= self.token_end
            && (stands_at(start) || (text == b"\n" && self.source[start] == b'\r'))
        {
            return Some(start..end);
        }
        // The `<` or `</` of what turned out to be no tag is told late.
        let start = self.text_start();
        let is_late = text.starts_with(b"<") && start + text.len() <= end;
        (is_late && stands_at(start)).then(|| start..start + text.len())
    }

    /// Returns where text after the last token starts: the tokenizer makes CR LF one character
    /// and passes over the LF.
    fn text_start(&self) -> usize {
        let (before, after) = self.source.split_at(self.token_end);
        self.token_end + usize::from(before.ends_with(b"\r") && after.starts_with(b"\n"))
    }

    fn flush(&mut self) {
        let run = std::mem::take(&mut self.run);
        if !run.is_empty() {
            self.page.show(run, &self.context);
        }
    }

    /// Ends a token that is no text.
    fn pass(&mut self) {
        self.flush();
        self.token_end = self.position.min(self.source.len());
    }

    fn end_attribute(&mut self) {
        match self.tag.attribute.as_bytes() {
            b"hidden" => self.tag.is_hidden = true,
            b"href" => self.tag.has_href = true,
            _ => {}
        }
        self.tag.attribute = Name::default();
    }
}

impl Emitter for Reader<'_, '_> {
    type Token = Infallible;

    fn move_position(&mut self, offset: isize) {
        self.position = self.position.saturating_add_signed(offset);
    }

    fn init_string(&mut self) {
        // Whatever was before, such as the border of a CDATA section, is no part of the text.
        self.token_end = self.token_end.max(self.position.min(self.source.len()));
    }

    fn emit_string(&mut self, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        let verbatim = self.verbatim(text);
        let is_verbatim = verbatim.is_some();
        let start = self.text_start();
        let end = self.position.min(self.source.len());
        let token = verbatim.unwrap_or(start.min(end)..end);
        self.token_end = token.end;
        if !self.context.open.is_seen() {
            return;
        }
        if !is_verbatim {
            self.flush();
            self.page.replace(token, &String::from_utf8_lossy(text), &self.context);
        } else if !self.run.is_empty() && start == token.start && start - self.run.end <= 1 {
            // Behind the run, or behind the LF after its CR.
            self.run.end = token.end;
        } else {
            self.flush();
            self.run = token;
        }
    }

    fn emit_eof(&mut self) {
        self.flush();
    }

    fn init_start_tag(&mut self) {
        self.tag = Tag::default();
    }

    fn init_end_tag(&mut self) {
        self.tag = Tag { kind: TagKind::End, ..Tag::default() };
    }

    fn push_tag_name(&mut self, s: &[u8]) {
        self.tag.name.push(s);
    }

    fn init_attribute(&mut self) {
        self.end_attribute();
    }

    fn push_attribute_name(&mut self, s: &[u8]) {
        self.tag.attribute.push(s);
    }

    fn set_self_closing(&mut self) {
        if self.tag.kind == TagKind::Start {
            self.tag.kind = TagKind::SelfClosing;
        }
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        self.end_attribute();
        let start = self.token_end;
        self.pass();
        let tag = std::mem::take(&mut self.tag);
        let element = Element::named(tag.name.as_bytes());
        let is_end = tag.kind == TagKind::End;
        let content = if is_end {
            self.context.open.end(element);
            None
        } else {
            let is_self_closing = tag.kind == TagKind::SelfClosing;
            let is_html = self.context.open.start(element, tag.is_hidden, is_self_closing);
            self.last_start = tag.name;
            element.content().filter(|_| is_html)
        };
        match element.name() {
            "a" => self.context.is_link = !is_end && tag.has_href,
            "br" if self.context.open.is_seen() => self.page.break_line(start..self.token_end),
            _ if element.is(BLOCK) && self.context.open.is_seen() => self.page.begins_block = true,
            _ => {}
        }
        content
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.tag.kind == TagKind::End && self.tag.name.as_bytes() == self.last_start.as_bytes()
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.context.open.is_foreign()
    }

    fn emit_current_comment(&mut self) {
        self.pass();
    }

    fn emit_current_doctype(&mut self) {
        self.pass();
    }

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    // What is neither text nor a tag's name is passed over.
    fn set_last_start_tag(&mut self, _: Option<&[u8]>) {}
    fn emit_error(&mut self, _: Error) {}
    fn pop_token(&mut self) -> Option<Infallible> {
        None
    }
    fn init_comment(&mut self) {}
    fn init_doctype(&mut self) {}
    fn set_force_quirks(&mut self) {}
    fn push_comment(&mut self, _: &[u8]) {}
    fn push_doctype_name(&mut self, _: &[u8]) {}
    fn push_attribute_value(&mut self, _: &[u8]) {}
    fn set_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn set_doctype_system_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_system_identifier(&mut self, _: &[u8]) {}
}
