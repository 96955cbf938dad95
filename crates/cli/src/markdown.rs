//! Stories of methods on a terminal: headings, paragraphs, code and links of Markdown, plainly.

use retold_report::Style;
use unicode_width::UnicodeWidthStr;

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    /// A heading or a name.
    Strong,
    /// Something said in passing.
    Faint,
    /// Something to type.
    Code,
}

/// Returns `text` in the colour of `ink`.
pub(crate) fn paint(style: Style, ink: Ink, text: &str) -> String {
    if !style.colour {
        return text.to_owned();
    }
    let code = match ink {
        Ink::Strong => "1",
        Ink::Faint => "2",
        Ink::Code => "36",
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}

/// Returns Markdown as text: paragraphs filled to the width, indented under their headings.
pub(crate) fn plain(markdown: &str, style: Style) -> String {
    let mut out = String::new();
    let mut paragraph = String::new();
    let mut indent = 0;
    let flush = |paragraph: &mut String, out: &mut String, indent: usize| {
        if !paragraph.is_empty() {
            out.push_str(&wrapped(paragraph, style, indent, &" ".repeat(indent)));
            paragraph.clear();
        }
    };
    for line in markdown.lines() {
        if let Some(heading) = line.strip_prefix('#') {
            flush(&mut paragraph, &mut out, indent);
            out.push_str(&paint(style, Ink::Strong, heading.trim_start_matches('#').trim()));
            out.push('\n');
            indent = 2;
        } else if line.trim().is_empty() {
            flush(&mut paragraph, &mut out, indent);
            out.push('\n');
        } else {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(line.trim());
        }
    }
    flush(&mut paragraph, &mut out, indent);
    out
}

/// Returns one paragraph of Markdown filled to the width from column `indent` on.
///
/// The first line begins with `first`, which stands at the end of those columns or fills them.
pub(crate) fn wrapped(text: &str, style: Style, indent: usize, first: &str) -> String {
    fill(text, style, indent, first, None)
}

/// Returns the same, as something said in passing.
pub(crate) fn wrapped_faint(text: &str, style: Style, indent: usize) -> String {
    fill(text, style, indent, &" ".repeat(indent), Some(Ink::Faint))
}

fn fill(text: &str, style: Style, indent: usize, first: &str, ink: Option<Ink>) -> String {
    let mut out = first.to_owned();
    let mut column = indent;
    let mut is_code = false;
    for word in without_links(text).split_whitespace() {
        let (shown, width) = painted(word, style, ink, &mut is_code);
        if column > indent && column + 1 + width > usize::from(style.width) {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else if column > indent {
            out.push(' ');
            column += 1;
        }
        out.push_str(&shown);
        column += width;
    }
    out.push('\n');
    out
}

/// Returns a word in its colours and its width. `is_code` says whether the word begins inside
/// backquotes, and afterwards whether the next one does. Without colour the backquotes stay.
fn painted(word: &str, style: Style, ink: Option<Ink>, is_code: &mut bool) -> (String, usize) {
    if !style.colour {
        return (word.to_owned(), word.width());
    }
    let mut shown = String::new();
    let mut width = 0;
    for (at, part) in word.split('`').enumerate() {
        *is_code ^= at > 0;
        width += part.width();
        match (part, *is_code, ink) {
            ("", ..) => {}
            (_, true, None) => shown.push_str(&paint(style, Ink::Code, part)),
            (_, _, Some(ink)) => shown.push_str(&paint(style, ink, part)),
            (_, false, None) => shown.push_str(part),
        }
    }
    (shown, width)
}

/// Returns the text with `[name](address)` made `name`.
fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(middle) = rest.find("](") {
        let (Some(start), Some(end)) = (rest[..middle].rfind('['), rest[middle..].find(')')) else {
            break;
        };
        out.push_str(&rest[..start]);
        out.push_str(&rest[start + 1..middle]);
        rest = &rest[middle + end + 1..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const STORY: &str = "Name: what it is\nin a line.\n\n# Cost\nSee [`winnow`](crate::image) for \
                         `2 / w` of it.";

    #[test]
    fn a_story_is_filled_under_its_headings() {
        let style = Style { colour: false, width: 20, unicode: true };
        let expected =
            "Name: what it is in\na line.\n\nCost\n  See `winnow` for\n  `2 / w` of it.\n";
        assert_eq!(plain(STORY, style), expected);
    }

    #[test]
    fn code_is_coloured_word_by_word() {
        let style = Style { colour: true, width: 40, unicode: true };
        let expected = "use \u{1b}[36ma\u{1b}[0m \u{1b}[36mb\u{1b}[0m, not c\n";
        assert_eq!(wrapped("use `a b`, not c", style, 0, ""), expected);
    }
}
