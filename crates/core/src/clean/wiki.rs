//! The text of wikitext: templates, references, tables' marks, files and tags left out.
//!
//! # How it works
//! One pass over the source with a stack of what is open. Templates `{{…}}`, references `<ref>…</ref>`,
//! comments and links to files and categories are left out with all inside them; links are replaced by
//! what they show, headings, lists and cells by their text. Templates are not expanded, so what only
//! they would show is not there.

use std::borrow::Cow;

use super::ahead::{Ahead, Pairs};
use super::alignment::Alignment;
use super::elements::{BLOCK, Element};
use super::taken::Taken;

/// What is left out to its end tag.
const HIDDEN: [&str; 10] = [
    "ref",
    "math",
    "gallery",
    "timeline",
    "score",
    "templatestyles",
    "imagemap",
    "graph",
    "style",
    "script",
];

/// Prefixes of links that show no text, in the languages of the largest wikis.
const FILES: [&str; 14] = [
    "file",
    "image",
    "category",
    "datei",
    "bild",
    "kategorie",
    "fichier",
    "catégorie",
    "archivo",
    "categoría",
    "файл",
    "категория",
    "media",
    "immagine",
];

/// Deepest nesting of links and templates that is followed.
const DEEPEST: usize = 64;

/// Returns the text without its markup.
pub(super) fn shown(source: &str) -> (Cow<'_, str>, Alignment) {
    let mut reader = Reader {
        source,
        at: 0,
        taken: Taken::new(source),
        open: Vec::new(),
        ahead: Ahead::new(source),
        templates: Pairs::of(source, "{{", "}}"),
        links: Pairs::of(source, "[[", "]]"),
        is_heading_row: false,
    };
    reader.read();
    reader.taken.finish()
}

/// What is open at a point of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Link,
    /// A link to an address, `[http://… text]`.
    Address,
}

struct Reader<'s> {
    source: &'s str,
    at: usize,
    taken: Taken<'s>,
    open: Vec<Open>,
    ahead: Ahead<'s>,
    templates: Pairs,
    links: Pairs,
    /// Whether the line holds the headings of a table, which `!!` parts.
    is_heading_row: bool,
}

impl Reader<'_> {
    fn read(&mut self) {
        let bytes = self.source.as_bytes();
        let mut is_line_start = true;
        while self.at < bytes.len() {
            if is_line_start {
                self.line_start();
                is_line_start = false;
                continue;
            }
            let rest = &self.source[self.at..];
            let stop = rest.find(['\n', '{', '[', ']', '\'', '<', '&', '|', '=', '_', '!']);
            let n = stop.unwrap_or(rest.len());
            if n > 0 {
                self.keep(n);
                continue;
            }
            is_line_start = self.mark(rest);
        }
    }

    fn keep(&mut self, n: usize) {
        self.taken.keep(self.at..self.at + n);
        self.at += n;
    }

    /// Takes what stands at the start of a line: headings, lists, rows of tables.
    fn line_start(&mut self) {
        let rest = &self.source[self.at..];
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        self.is_heading_row = line.starts_with('!');
        let marks = line.len() - line.trim_start_matches(['*', '#', ':', ';', ' ']).len();
        if line.starts_with("{|") || line.starts_with("|-") || line.starts_with("|}") {
            self.at += line.len();
        } else if line.starts_with('|') || line.starts_with('!') {
            self.taken.end_line(1);
            // `| style="…" | text`: what stands before the second bar is not shown.
            let cell = line[1..].trim_start_matches('+');
            let before = line.len() - cell.len();
            let bar = cell.find('|').filter(|&at| {
                cell[..at].contains('=')
                    && !cell[..at].contains("[[")
                    && !cell[at..].starts_with("||")
            });
            self.at += before + bar.map_or(0, |at| at + 1);
        } else if line.starts_with('=')
            && line.trim_end().ends_with('=')
            && line.trim_end().len() > 2
        {
            self.taken.end_line(2);
            self.at += line.len() - line.trim_start_matches('=').len();
        } else if marks > 0 {
            self.taken.end_line(1);
            self.at += marks;
        } else if line.starts_with("----") || line.starts_with("#REDIRECT") {
            self.at += line.len();
        }
    }

    /// Takes a mark; returns whether a line begins behind it.
    fn mark(&mut self, rest: &str) -> bool {
        let bytes = rest.as_bytes();
        match bytes[0] {
            b'\n' => {
                let is_blank = rest[1..].trim_start_matches([' ', '\t', '\r']).starts_with('\n');
                self.taken.end_line(if is_blank { 2 } else { 1 });
                self.at += 1;
                return true;
            }
            b'{' if rest.starts_with("{{") => {
                self.at = self.templates.end_of(self.at).unwrap_or(self.at + 2);
            }
            b'{' if rest.starts_with("{|") => self.at += 2,
            b'[' if rest.starts_with("[[") => self.link(rest),
            b'[' if is_address(&rest[1..]) => {
                let end = rest.find([' ', ']', '\n']).unwrap_or(rest.len());
                self.at += end;
                if rest[end..].starts_with(' ') && self.open.len() < DEEPEST {
                    self.at += 1;
                    self.open.push(Open::Address);
                }
            }
            b']' if rest.starts_with("]]") && self.open.last() == Some(&Open::Link) => {
                self.open.pop();
                self.at += 2;
            }
            b']' if self.open.last() == Some(&Open::Address) => {
                self.open.pop();
                self.at += 1;
            }
            b'\'' if rest.starts_with("''") => {
                self.at += rest.len() - rest.trim_start_matches('\'').len();
            }
            b'<' => self.tag(rest),
            b'&' => self.reference(rest),
            b'|' | b'!'
                if rest.starts_with("||") || self.is_heading_row && rest.starts_with("!!") =>
            {
                self.taken.replace(self.at..self.at + 2, "\t");
                self.at += 2;
            }
            b'=' if rest.starts_with("==") => {
                let marks = rest.len() - rest.trim_start_matches('=').len();
                let after = rest[marks..].trim_start_matches([' ', '\t', '\r']);
                // The end of a heading.
                if after.is_empty() || after.starts_with('\n') {
                    self.taken.end_line(2);
                    self.at += marks;
                } else {
                    self.keep(marks);
                }
            }
            b'_' if rest.starts_with("__") => {
                let end = rest[2..].find("__").filter(|&end| {
                    end > 0 && rest[2..2 + end].bytes().all(|byte| byte.is_ascii_uppercase())
                });
                match end {
                    Some(end) => self.at += end + 4,
                    None => self.keep(2),
                }
            }
            _ => self.keep(1),
        }
        false
    }

    /// Takes the beginning of a link: what it shows follows.
    fn link(&mut self, rest: &str) {
        let inner = &rest[2..];
        let end = inner.find(['|', ']', '\n', '[', '{']).unwrap_or(inner.len());
        let target = &inner[..end];
        let prefix = target.split_once(':').map(|(prefix, _)| prefix.trim().to_lowercase());
        let is_hidden = |prefix: String| FILES.contains(&prefix.as_str()) || is_language(target);
        if prefix.is_some_and(is_hidden) {
            self.at = self.links.end_of(self.at).unwrap_or(self.at + 2);
        } else if inner[end..].starts_with('|') && self.open.len() < DEEPEST {
            self.open.push(Open::Link);
            self.at += 2 + end + 1;
        } else if self.open.len() < DEEPEST {
            self.open.push(Open::Link);
            self.at += 2;
        } else {
            self.keep(2);
        }
    }

    fn tag(&mut self, rest: &str) {
        if rest.starts_with("<!--") {
            let end = self.ahead.find("-->", self.at);
            self.at = end.map_or(self.source.len(), |end| end + 3);
            return;
        }
        let inner = rest[1..].trim_start_matches('/');
        let n_name = inner.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inner.len());
        let name = inner[..n_name].to_ascii_lowercase();
        // A tag is not that long, and text may hold a lone sign.
        let end = self.ahead.find(">", self.at).map(|end| end - self.at);
        let Some(end) = end.filter(|&end| !name.is_empty() && end < 4_096) else {
            self.keep(1);
            return;
        };
        let is_start = !rest.starts_with("</") && !rest[..end].ends_with('/');
        self.at += end + 1;
        if is_start && HIDDEN.contains(&name.as_str()) {
            if let Some(close) = self.ahead.find(&format!("</{name}"), self.at) {
                let end = self.ahead.find(">", close);
                self.at = end.map_or(self.source.len(), |end| end + 1);
            }
        } else if name == "br" || Element::named(name.as_bytes()).is(BLOCK) {
            self.taken.end_line(1);
        }
    }

    /// Takes a character reference.
    fn reference(&mut self, rest: &str) {
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        let name = end.map_or("", |end| &rest[1..end]);
        let number = name.strip_prefix("#x").map(|digits| u32::from_str_radix(digits, 16));
        let number = number.or_else(|| name.strip_prefix('#').map(str::parse::<u32>));
        let shown = match name {
            "nbsp" | "thinsp" | "ensp" | "emsp" => Some(' '),
            "ndash" => Some('–'),
            "mdash" => Some('—'),
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "minus" => Some('−'),
            "times" => Some('×'),
            "hellip" => Some('…'),
            _ => number.and_then(Result::ok).and_then(char::from_u32),
        };
        match (shown, end) {
            (Some(shown), Some(end)) => {
                let shown = shown.to_string();
                self.taken.replace(self.at..self.at + end + 1, &shown);
                self.at += end + 1;
            }
            _ => self.keep(1),
        }
    }
}

/// Returns whether a link leads to the same page in another language, and is not shown in the text: `[[de:Hafen]]`.
fn is_language(target: &str) -> bool {
    let code = target.split_once(':').map_or("", |(code, _)| code);
    matches!(code.len(), 2 | 3) && code.bytes().all(|byte| byte.is_ascii_lowercase())
}

fn is_address(text: &str) -> bool {
    ["http://", "https://", "//", "ftp://", "mailto:"].iter().any(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Span;

    #[test]
    fn markup_goes_and_positions_lead_back() {
        let source = "{{Infobox|a={{b}}}}\n'''Ferry''' is a [[boat|vessel]] on the [[sea]].<ref name=x>A \
                      book</ref> See [http://x.org/ the site].\n== Use ==\n* one\n* two &nbsp;three\n\
                      [[File:x.jpg|thumb|A [[boat]]]]\n{| class=x\n|-\n! Head\n|-\n| style=\"a\" | c1 || c2\n|}\n\
                      [[Category:Boats]]<!-- no -->";
        let (text, alignment) = shown(source);
        let expected = "Ferry is a vessel on the sea. See the site.\n\nUse \n\none\ntwo  three\nHead\nc1 \t c2";
        assert_eq!(text, expected);
        for word in ["Ferry", "vessel", "sea", "site", "Use", "three", "Head", "c2"] {
            let at = text.find(word).expect("the word is shown") as u32;
            let found = alignment.original(Span::new(at, at + word.len() as u32));
            assert_eq!(found.of(source), Some(word));
        }
    }

    #[test]
    fn headings_of_tables_are_parted_and_links_between_languages_are_not_shown() {
        let source = "{|\n! One !! Two\n|-\n| a!! || b\n|}\nA [[:de:Kai|quay]], [[ISO:x]] one<hr>two\n[[de:Hafen]]";
        assert_eq!(shown(source).0, "One \t Two\na!! \t b\nA quay, ISO:x one\ntwo");
    }

    #[test]
    fn what_has_no_end_stays_text() {
        for source in ["{{ open", "[[ open", "a < b", "a ] b", "x & y", "__a", "<ref>x"] {
            assert!(shown(source).0.contains(|c: char| c.is_alphabetic()), "{source}");
        }
        assert_eq!(shown("").0, "");
        shown(&"[[".repeat(10_000));
        shown(&"{{".repeat(10_000));
    }
}
