//! The elements that are open at a point of a page.
//!
//! A stack instead of a tree: enough to know whether text is shown, whether its white space
//! counts, and whether the tags around it are HTML or SVG and `MathML`. End tags that are left out
//! by rule (`p`, `li`, `td` …) are implied, stray end tags are ignored, and every push is popped
//! at most once, so the cost is linear in the number of tags at any depth.

use super::elements::{
    AROUND, BLOCK, BREAKOUT, ENDS_P, Element, HEADING, INTEGRATION, PRE, QUOTATION, UNSEEN, VOID,
};

/// How far down an element with a missing end tag is looked for; real pages need a few steps.
const MAX_STEPS: usize = 64;

/// Which kind of markup the children of an element are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Space {
    #[default]
    Html,
    Svg,
    Math,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    element: Element,
    is_unseen: bool,
    space: Space,
}

/// The stack of open elements.
#[derive(Debug)]
pub(super) struct ElementStack {
    stack: Vec<Entry>,
    /// How often each element is on the stack.
    counts: Box<[u32; Element::COUNT]>,
    n_unseen: u32,
    n_pre: u32,
    n_around: u32,
    n_heading: u32,
    n_quotation: u32,
}

impl ElementStack {
    /// Nothing is open.
    pub(super) fn new() -> Self {
        let counts = Box::new([0; Element::COUNT]);
        Self {
            stack: Vec::new(),
            counts,
            n_unseen: 0,
            n_pre: 0,
            n_around: 0,
            n_heading: 0,
            n_quotation: 0,
        }
    }

    /// Takes a start tag and returns whether the element is HTML: only then its name tells how
    /// its content is to be read.
    pub(super) fn start(&mut self, element: Element, is_hidden: bool, self_closing: bool) -> bool {
        if self.is_foreign() && element.is(BREAKOUT) {
            while self.is_foreign() {
                self.pop();
            }
        }
        let is_html = !self.is_foreign();
        if is_html {
            self.imply_ends(element);
        }
        let space = self.space_within(element);
        let is_empty =
            if is_html && space == Space::Html { element.is(VOID) } else { self_closing };
        if !is_empty {
            let is_unseen = is_hidden || element.is(UNSEEN);
            self.push(Entry { element, is_unseen, space });
        }
        is_html
    }

    /// Takes an end tag; one without a start tag does nothing.
    pub(super) fn end(&mut self, element: Element) {
        if self.counts[element.index()] > 0 {
            while self.pop() != Some(element) {}
        }
    }

    /// Returns whether text is shown here.
    pub(super) fn is_seen(&self) -> bool {
        self.n_unseen == 0
    }

    /// Returns whether white space counts here.
    pub(super) fn keeps_space(&self) -> bool {
        self.n_pre > 0
    }

    /// Returns whether this is navigation or other matter around the main content.
    pub(super) fn is_around(&self) -> bool {
        self.n_around > 0
    }

    /// Returns whether this is a headline.
    pub(super) fn is_heading(&self) -> bool {
        self.n_heading > 0
    }

    /// Returns whether this is a quotation.
    pub(super) fn is_quotation(&self) -> bool {
        self.n_quotation > 0
    }

    /// Returns whether tags here are SVG or `MathML`.
    pub(super) fn is_foreign(&self) -> bool {
        self.space() != Space::Html
    }

    fn space(&self) -> Space {
        self.stack.last().map_or(Space::Html, |top| top.space)
    }

    fn space_within(&self, element: Element) -> Space {
        match (self.space(), element.name()) {
            (_, "svg") => Space::Svg,
            (_, "math") => Space::Math,
            (Space::Svg | Space::Math, _) if element.is(INTEGRATION) => Space::Html,
            (space, _) => space,
        }
    }

    /// Closes what cannot contain `element`.
    fn imply_ends(&mut self, element: Element) {
        if element.is(ENDS_P) {
            self.close(&["p"], |open| open.is(BLOCK));
        }
        match element.name() {
            "li" => self.close(&["li"], is_list_border),
            "dd" | "dt" => self.close(&["dd", "dt"], is_list_border),
            "option" | "optgroup" => self.close(&["option"], |open| open.is(BLOCK)),
            "td" | "th" => self.close(&["td", "th"], is_table),
            "tr" => self.close(&["tr"], is_table),
            "tbody" | "thead" | "tfoot" => self.close(&["tbody", "thead", "tfoot"], is_table),
            _ => {}
        }
    }

    /// Pops to the nearest of `names`, unless a border stands before it.
    fn close(&mut self, names: &[&str], is_border: fn(Element) -> bool) {
        for (steps, entry) in self.stack.iter().rev().take(MAX_STEPS).enumerate() {
            if names.contains(&entry.element.name()) {
                for _ in 0..=steps {
                    self.pop();
                }
                return;
            }
            if is_border(entry.element) {
                return;
            }
        }
    }

    fn push(&mut self, entry: Entry) {
        self.stack.push(entry);
        self.counts[entry.element.index()] += 1;
        self.n_unseen += u32::from(entry.is_unseen);
        self.n_pre += u32::from(entry.element.is(PRE));
        self.n_around += u32::from(entry.element.is(AROUND));
        self.n_heading += u32::from(entry.element.is(HEADING));
        self.n_quotation += u32::from(entry.element.is(QUOTATION));
    }

    fn pop(&mut self) -> Option<Element> {
        let entry = self.stack.pop()?;
        self.counts[entry.element.index()] -= 1;
        self.n_unseen -= u32::from(entry.is_unseen);
        self.n_pre -= u32::from(entry.element.is(PRE));
        self.n_around -= u32::from(entry.element.is(AROUND));
        self.n_heading -= u32::from(entry.element.is(HEADING));
        self.n_quotation -= u32::from(entry.element.is(QUOTATION));
        Some(entry.element)
    }
}

fn is_list_border(open: Element) -> bool {
    open.is(BLOCK) && !matches!(open.name(), "address" | "div" | "p")
}

fn is_table(open: Element) -> bool {
    open.name() == "table"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(name: &str) -> Element {
        Element::named(name.as_bytes())
    }

    fn open(names: &[&str]) -> ElementStack {
        let mut open = ElementStack::new();
        for name in names {
            if let Some(name) = name.strip_prefix('/') {
                open.end(element(name));
            } else {
                let bare = element(name.trim_end_matches('!'));
                open.start(bare, name.ends_with('!'), false);
            }
        }
        open
    }

    #[test]
    fn a_hidden_item_ends_with_the_next_item() {
        assert!(!open(&["ul", "li!", "b"]).is_seen());
        assert!(open(&["ul", "li!", "b", "li"]).is_seen());
        assert!(open(&["ul", "li!", "/ul"]).is_seen());
        assert!(!open(&["ul", "li!", "ul", "li"]).is_seen(), "an inner list is still hidden");
    }

    #[test]
    fn a_hidden_paragraph_ends_with_the_next_block() {
        assert!(open(&["p!", "em", "div"]).is_seen());
        assert!(!open(&["p!", "em", "span"]).is_seen());
    }

    #[test]
    fn hidden_cells_end_with_the_next_cell() {
        assert!(open(&["table", "tr", "td!", "td"]).is_seen());
        assert!(open(&["table", "tr!", "td", "tr"]).is_seen());
        assert!(!open(&["table", "tr", "td!", "table", "tr", "td"]).is_seen());
    }

    #[test]
    fn a_stray_end_tag_does_nothing() {
        assert!(!open(&["div!", "/section", "/p"]).is_seen());
        assert!(open(&["section", "div!", "/section"]).is_seen());
    }

    #[test]
    fn html_in_svg_leaves_it() {
        assert!(open(&["svg", "g", "path"]).is_foreign());
        assert!(!open(&["svg", "g", "p"]).is_foreign());
        assert!(!open(&["svg", "foreignobject"]).is_foreign());
        assert!(open(&["svg", "foreignobject", "p", "/foreignobject"]).is_foreign());
        assert!(!open(&["svg", "g", "/svg"]).is_foreign());
    }
}
