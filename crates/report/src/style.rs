//! How text is put on a terminal: colour, width, and which characters may be used.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::escape::escape_terminal;

/// What a terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether colours are wanted.
    pub colour: bool,
    /// Columns of the terminal.
    pub width: u16,
    /// Whether characters beyond ASCII may be used for lines, bars and marks.
    pub unicode: bool,
}

impl Default for Style {
    /// Plain text of 80 columns, as written to a file.
    fn default() -> Self {
        Self { colour: false, width: 80, unicode: true }
    }
}

/// What a piece of text is, from which its colour follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRole {
    /// Nothing in particular.
    Plain,
    /// A heading.
    Strong,
    /// A side remark.
    Faint,
    /// A bar or a rule of a chart.
    Bar,
    /// Something to type, such as a command.
    Code,
    /// Text that agrees.
    Same,
    /// A word that agrees and stands in another order.
    Moved,
    /// A word that differs.
    Differs,
    /// A warning.
    Warning,
}

impl Style {
    /// Returns the usable width: narrow terminals are not squeezed, wide ones not filled.
    pub(crate) fn columns(self, widest: usize) -> usize {
        usize::from(self.width).clamp(40, widest)
    }

    /// Returns `text` in the colour of its role, or as it is if colours are not wanted.
    pub fn paint(self, role: TextRole, text: &str) -> String {
        let code = match role {
            _ if !self.colour || text.is_empty() => return text.to_owned(),
            TextRole::Plain => return text.to_owned(),
            TextRole::Strong => "1",
            TextRole::Faint => "2",
            TextRole::Bar | TextRole::Code => "36",
            TextRole::Same => "32",
            TextRole::Moved => "35",
            TextRole::Differs => "1;4;33",
            TextRole::Warning => "33",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    /// Returns `unicode` if the terminal has it, else `ascii`.
    pub(crate) fn pick(self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.unicode { unicode } else { ascii }
    }

    /// Returns a horizontal rule.
    pub(crate) fn rule(self, width: usize) -> String {
        self.pick("─", "-").repeat(width)
    }

    /// Returns a bar of `share` of `width` columns; it is never empty if `share` is above 0.
    pub(crate) fn bar(self, share: f64, width: usize) -> String {
        #[expect(clippy::cast_sign_loss, reason = "a share is never below 0")]
        let eighths = (share.clamp(0.0, 1.0) * width as f64 * 8.0).round() as usize;
        let eighths = if share > 0.0 { eighths.max(1) } else { 0 };
        if !self.unicode {
            return "#".repeat(eighths.div_ceil(8));
        }
        let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
        format!("{}{part}", "█".repeat(eighths / 8))
    }

    /// Returns untrusted `text` made safe, on one line, and cut to `width` columns.
    pub(crate) fn fit(self, text: &str, width: usize) -> String {
        let safe = escape_terminal(text);
        if safe.width() <= width {
            return safe.into_owned();
        }
        let dots = self.pick("…", "...");
        let (head, _) = split_at_width(&safe, width.saturating_sub(dots.width()));
        format!("{head}{dots}")
    }
}

/// Splits `text` so that the first part takes at most `width` columns.
pub(crate) fn split_at_width(text: &str, width: usize) -> (&str, &str) {
    let mut taken = 0;
    for (at, cluster) in text.grapheme_indices(true) {
        taken += cluster.width();
        if taken > width {
            return text.split_at(at);
        }
    }
    (text, "")
}

/// Returns `painted`, which takes `taken` columns, followed by spaces up to `width` columns.
pub(crate) fn padded(mut painted: String, taken: usize, width: usize) -> String {
    painted.extend(std::iter::repeat_n(' ', width.saturating_sub(taken)));
    painted
}

/// Returns `text` with every run of white space made one space.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    let is_plain = !text.contains(|c: char| c.is_whitespace() && c != ' ') && !text.contains("  ");
    if is_plain {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_seen_unless_it_stands_for_nothing() {
        let style = Style::default();
        assert_eq!(style.bar(0.0, 10), "");
        assert_eq!(style.bar(0.000_1, 10), "▏");
        assert_eq!(style.bar(0.55, 10), "█████▌");
        assert_eq!(Style { unicode: false, ..style }.bar(0.55, 10), "######");
    }

    #[test]
    fn wide_characters_are_cut_by_the_columns_they_take() {
        let style = Style::default();
        assert_eq!(style.fit("新聞記事の見出し", 7), "新聞記…");
        assert_eq!(style.fit("şehir", 5), "şehir");
        assert_eq!(style.fit("a\u{1b}[2Jb", 20), "a\\u{1b}[2Jb");
    }

    #[test]
    fn nothing_is_painted_without_colour() {
        assert_eq!(Style::default().paint(TextRole::Differs, "word"), "word");
    }
}
