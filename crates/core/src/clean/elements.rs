//! What the elements of HTML mean to a reader of the text.
//!
//! The properties follow the HTML standard: its rendering section (which elements are blocks,
//! which are never shown), its parsing section (whose content is raw, whose end tag may be
//! missing, what leaves foreign content) and its list of void elements.

use html5gum::State;

/// Starts and ends a block: its text stands apart.
pub(super) const BLOCK: u16 = 1 << 0;
/// Has no content and no end tag.
pub(super) const VOID: u16 = 1 << 1;
/// Is never shown.
pub(super) const UNSEEN: u16 = 1 << 2;
/// Ends an open paragraph.
pub(super) const ENDS_P: u16 = 1 << 3;
/// Leaves SVG and `MathML`.
pub(super) const BREAKOUT: u16 = 1 << 4;
/// Keeps its white space.
pub(super) const PRE: u16 = 1 << 5;
/// Holds navigation and other matter around the main content.
pub(super) const AROUND: u16 = 1 << 6;
/// Is a headline.
pub(super) const HEADING: u16 = 1 << 7;
/// Shows HTML inside SVG or `MathML`.
pub(super) const INTEGRATION: u16 = 1 << 8;

/// Content is text with character references.
const RCDATA: u16 = 1 << 9;
/// Content is text.
const RAWTEXT: u16 = 1 << 10;
/// Content is a script.
const SCRIPT: u16 = 1 << 11;
/// Everything that follows is text.
const PLAINTEXT: u16 = 1 << 12;
/// Words of somebody else.
pub(super) const QUOTATION: u16 = 1 << 13;

/// A block that ends paragraphs and leaves foreign content.
const FLOW: u16 = BLOCK | ENDS_P | BREAKOUT;

/// Known elements in alphabetic order, for binary search.
const TABLE: &[(&str, u16)] = &[
    ("a", 0),
    ("address", BLOCK | ENDS_P),
    ("annotation-xml", INTEGRATION),
    ("area", VOID),
    ("article", BLOCK | ENDS_P),
    ("aside", BLOCK | ENDS_P | AROUND),
    ("audio", UNSEEN),
    ("b", BREAKOUT),
    ("base", VOID),
    ("basefont", VOID),
    ("bgsound", VOID),
    ("big", BREAKOUT),
    ("blockquote", FLOW | QUOTATION),
    ("body", BLOCK | BREAKOUT),
    ("br", VOID | BREAKOUT),
    ("canvas", UNSEEN),
    ("caption", BLOCK),
    ("center", FLOW),
    ("code", BREAKOUT),
    ("col", VOID),
    ("colgroup", 0),
    ("datalist", UNSEEN),
    ("dd", FLOW),
    ("desc", UNSEEN | INTEGRATION),
    ("details", BLOCK | ENDS_P),
    ("dialog", BLOCK | ENDS_P),
    ("dir", BLOCK | ENDS_P),
    ("div", FLOW),
    ("dl", FLOW),
    ("dt", FLOW),
    ("em", BREAKOUT),
    ("embed", VOID | BREAKOUT),
    ("fieldset", BLOCK | ENDS_P),
    ("figcaption", BLOCK | ENDS_P),
    ("figure", BLOCK | ENDS_P),
    ("footer", BLOCK | ENDS_P | AROUND),
    ("foreignobject", INTEGRATION),
    ("form", BLOCK | ENDS_P),
    ("frame", VOID),
    ("frameset", BLOCK),
    ("h1", FLOW | HEADING),
    ("h2", FLOW | HEADING),
    ("h3", FLOW | HEADING),
    ("h4", FLOW | HEADING),
    ("h5", FLOW | HEADING),
    ("h6", FLOW | HEADING),
    ("head", BREAKOUT),
    ("header", BLOCK | ENDS_P),
    ("hgroup", BLOCK | ENDS_P),
    ("hr", FLOW | VOID),
    ("html", BLOCK),
    ("i", BREAKOUT),
    ("iframe", UNSEEN | RAWTEXT),
    ("image", VOID),
    ("img", VOID | BREAKOUT),
    ("input", VOID),
    ("keygen", VOID),
    ("legend", BLOCK),
    ("li", FLOW),
    ("link", VOID),
    ("listing", FLOW | PRE),
    ("main", BLOCK | ENDS_P),
    ("math", 0),
    ("menu", FLOW | AROUND),
    ("meta", VOID | BREAKOUT),
    ("metadata", UNSEEN),
    ("mi", INTEGRATION),
    ("mn", INTEGRATION),
    ("mo", INTEGRATION),
    ("ms", INTEGRATION),
    ("mtext", INTEGRATION),
    ("nav", BLOCK | ENDS_P | AROUND),
    ("nobr", BREAKOUT),
    ("noembed", UNSEEN | RAWTEXT),
    ("noframes", UNSEEN | RAWTEXT),
    ("noscript", UNSEEN | RAWTEXT),
    ("ol", FLOW),
    ("optgroup", BLOCK),
    ("option", BLOCK | AROUND),
    ("p", FLOW),
    ("param", VOID),
    ("plaintext", BLOCK | ENDS_P | PRE | PLAINTEXT),
    ("pre", FLOW | PRE),
    ("q", QUOTATION),
    ("rp", UNSEEN),
    ("ruby", BREAKOUT),
    ("s", BREAKOUT),
    ("script", UNSEEN | SCRIPT),
    ("search", BLOCK | ENDS_P | AROUND),
    ("section", BLOCK | ENDS_P),
    ("select", BLOCK | AROUND),
    ("small", BREAKOUT),
    ("source", VOID),
    ("span", BREAKOUT),
    ("strike", BREAKOUT),
    ("strong", BREAKOUT),
    ("style", UNSEEN | RAWTEXT),
    ("sub", BREAKOUT),
    ("summary", BLOCK | ENDS_P),
    ("sup", BREAKOUT),
    ("svg", 0),
    ("table", FLOW),
    ("tbody", BLOCK),
    ("td", BLOCK),
    ("template", UNSEEN),
    ("textarea", BLOCK | PRE | RCDATA),
    ("tfoot", BLOCK),
    ("th", BLOCK),
    ("thead", BLOCK),
    ("title", UNSEEN | RCDATA | INTEGRATION),
    ("tr", BLOCK),
    ("track", VOID),
    ("tt", BREAKOUT),
    ("u", BREAKOUT),
    ("ul", FLOW),
    ("var", BREAKOUT),
    ("video", UNSEEN),
    ("wbr", VOID),
    ("xmp", BLOCK | ENDS_P | PRE | RAWTEXT),
];

/// Places for names that are not in the table; names that share a place are taken for one.
const N_OTHERS: usize = 256;

/// An element as far as its name tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element {
    index: u16,
    properties: u16,
}

impl Element {
    /// How many different elements can be told apart.
    pub(super) const COUNT: usize = TABLE.len() + N_OTHERS;

    /// Looks a lower-case name up.
    pub(super) fn named(name: &[u8]) -> Self {
        let known = TABLE.binary_search_by(|(known, _)| known.as_bytes().cmp(name));
        if let Ok(index) = known {
            return Self { index: index as u16, properties: TABLE[index].1 };
        }
        // FNV-1a; only few and small numbers are wanted.
        let mix = |hash: u32, &b: &u8| (hash ^ u32::from(b)).wrapping_mul(0x0100_0193);
        let hash = name.iter().fold(0x811C_9DC5, mix) as usize;
        Self { index: (TABLE.len() + hash % N_OTHERS) as u16, properties: 0 }
    }

    /// Returns a number below [`Element::COUNT`].
    pub(super) fn index(self) -> usize {
        self.index as usize
    }

    /// Returns whether it has any of the properties.
    pub(super) fn is(self, properties: u16) -> bool {
        self.properties & properties != 0
    }

    /// Returns its name, or the empty string if it is none of the known ones.
    pub(super) fn name(self) -> &'static str {
        TABLE.get(self.index()).map_or("", |(name, _)| name)
    }

    /// Returns how the content of an HTML element is to be read, if not as markup.
    pub(super) fn content(self) -> Option<State> {
        if self.is(RCDATA) {
            Some(State::RcData)
        } else if self.is(RAWTEXT) {
            Some(State::RawText)
        } else if self.is(SCRIPT) {
            Some(State::ScriptData)
        } else if self.is(PLAINTEXT) {
            Some(State::PlainText)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_every_name_is_found() {
        assert!(TABLE.is_sorted_by(|a, b| a.0 < b.0));
        for (name, properties) in TABLE {
            let element = Element::named(name.as_bytes());
            assert_eq!((element.name(), element.properties), (*name, *properties));
        }
    }

    #[test]
    fn an_unknown_element_has_a_place_and_no_properties() {
        let element = Element::named(b"x-teaser");
        assert!(element.index() < Element::COUNT && element.name().is_empty());
        assert!(!element.is(u16::MAX));
    }
}
