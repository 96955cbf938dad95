//! SVG elements as text: attributes, escaped text, and numbers with few digits.
//!
//! Charts, diagrams and pages are drawn from these elements. The same calls give the same bytes on
//! every machine.
//!
//! ```
//! use retold_svg::Element;
//! let mark = Element::new("rect").number("x", 1.0).number("width", 2.0 / 3.0);
//! let picture = Element::new("svg").set("role", "img").child(&mark);
//! assert_eq!(
//!     picture.to_string(),
//!     "<svg role=\"img\"><rect x=\"1\" width=\"0.67\"/></svg>"
//! );
//! ```

use std::fmt::{self, Write as _};

/// An element with its attributes and what is inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    name: &'static str,
    /// The attributes as text, each with a blank in front.
    attributes: String,
    /// What is inside, as text.
    content: String,
}

impl Element {
    /// Makes an element without attributes and content.
    pub fn new(name: &'static str) -> Self {
        Self { name, attributes: String::new(), content: String::new() }
    }

    /// Makes the root of a picture in a file of its own: an `svg` element that says which language
    /// it is written in and that it is one picture.
    pub fn picture() -> Self {
        Self::new("svg").set("xmlns", "http://www.w3.org/2000/svg").set("role", "img")
    }

    /// Adds an attribute; the value is escaped.
    #[must_use]
    pub fn set(mut self, name: &str, value: impl fmt::Display) -> Self {
        let _ = write!(self.attributes, " {name}=\"{}\"", escaped(&value.to_string()));
        self
    }

    /// Adds an attribute that is a number.
    #[must_use]
    pub fn number(self, name: &str, value: f64) -> Self {
        self.set(name, number(value))
    }

    /// Adds attributes that are numbers.
    #[must_use]
    pub fn numbers<const N: usize>(self, numbers: [(&str, f64); N]) -> Self {
        numbers.into_iter().fold(self, |element, (name, value)| element.number(name, value))
    }

    /// Adds the corners of a `polyline` or a `polygon`.
    #[must_use]
    pub fn points(self, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let points: Vec<String> =
            points.into_iter().map(|(x, y)| format!("{},{}", number(x), number(y))).collect();
        self.set("points", points.join(" "))
    }

    /// Appends text to the content; it is escaped.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.content.push_str(&escaped(text));
        self
    }

    /// Appends an element to the content.
    #[must_use]
    pub fn child(mut self, child: &Self) -> Self {
        let _ = write!(self.content, "{child}");
        self
    }

    /// Appends an element to the content, on a line of its own.
    #[must_use]
    pub fn line(mut self, child: &Self) -> Self {
        if self.content.is_empty() {
            self.content.push('\n');
        }
        let _ = writeln!(self.content, "{child}");
        self
    }

    /// Appends elements to the content, each on a line of its own.
    #[must_use]
    pub fn lines(self, children: impl IntoIterator<Item = Self>) -> Self {
        children.into_iter().fold(self, |element, child| element.line(&child))
    }
}

/// Writes the element as it stands in a file.
impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, attributes, content } = self;
        if content.is_empty() {
            write!(f, "<{name}{attributes}/>")
        } else {
            write!(f, "<{name}{attributes}>{content}</{name}>")
        }
    }
}

/// Returns a number with at most two decimals and no more digits than needed.
pub fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Returns whether a character is shown as itself. Control characters, invisible ones that turn
/// the direction of text around, and those that XML does not allow are not.
pub fn is_plain(letter: char) -> bool {
    !letter.is_control()
        && !matches!(letter, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Returns text that is safe inside an element and between quotation marks: line breaks and tabs
/// become blanks, and other characters that are not [plain](is_plain) become U+FFFD.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' | '\r' => out.push(' '),
            _ if is_plain(letter) => out.push(letter),
            _ => out.push('\u{fffd}'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_more_digits_than_needed() {
        let written = [0.0, -0.001, 12.0, 0.5, 1.0 / 3.0, 100.0, -2.25].map(number);
        assert_eq!(written, ["0", "0", "12", "0.5", "0.33", "100", "-2.25"]);
    }

    #[test]
    fn text_and_attributes_are_escaped() {
        let element = Element::new("text").set("id", "\"><b>").text("a & <b>\u{1}\u{202e}\nc");
        assert_eq!(
            element.to_string(),
            "<text id=\"&quot;&gt;&lt;b&gt;\">a &amp; &lt;b&gt;\u{fffd}\u{fffd} c</text>"
        );
    }

    #[test]
    fn children_stand_inside_in_order() {
        let dot = |x: f64| Element::new("circle").number("cx", x);
        let line = Element::new("polyline").points([(0.0, 1.0), (2.5, 3.0)]);
        let group = Element::new("g").lines([dot(1.0), dot(2.0)]).child(&line);
        assert_eq!(
            group.to_string(),
            "<g>\n<circle cx=\"1\"/>\n<circle cx=\"2\"/>\n<polyline points=\"0,1 2.5,3\"/></g>"
        );
    }
}
