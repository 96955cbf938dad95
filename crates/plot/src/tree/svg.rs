//! The diagram as a picture: panels one below the other, each a tree from left to right.
//!
//! Text takes the colour of the page around the picture (`currentColor`).

use retold_svg::{Element, number};

use super::{NodeMark, TreeDiagram, TreeNode, TreePanel};
use crate::palette::Ink;
use crate::svg::{COLOUR, SANS};

/// Font sizes of labels, of details and notes, and of titles.
const FONT: f64 = 13.0;
const SMALL: f64 = 10.5;
const TITLE: f64 = 15.0;

/// Heights of a line of each.
const LINE: f64 = 17.0;
const SMALL_LINE: f64 = 14.0;
const TITLE_LINE: f64 = 24.0;

/// Width of a character as a share of the font size: a little more than most in the widest of the
/// fonts. Characters of Chinese and similar scripts are counted as squares.
const ADVANCE: f64 = 0.66;

/// Room around the text of a box.
const PADDING: (f64, f64) = (9.0, 5.0);

/// Room between columns, between boxes of a column, around the picture and between panels.
const COLUMN_GAP: f64 = 34.0;
const ROW_GAP: f64 = 10.0;
const MARGIN: f64 = 18.0;
const PANEL_GAP: f64 = 30.0;

/// Half the size of the dot that is the root.
const ROOT: f64 = 5.0;

/// A box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Where the boxes of a panel stand.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    pub(super) boxes: Vec<Place>,
    /// Height of the middle of the root.
    root: f64,
    width: f64,
    height: f64,
}

/// Puts the nodes of a panel in columns by depth: leaves one below the other, and every other node
/// halfway between its first and its last child.
pub(super) fn places(nodes: &[TreeNode]) -> Places {
    let mut depths = vec![0; nodes.len()];
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut tops = Vec::new();
    let mut columns: Vec<f64> = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        match node.parent {
            Some(parent) => {
                assert!(parent < at, "a parent stands before its children");
                depths[at] = depths[parent] + 1;
                children[parent].push(at);
            }
            None => tops.push(at),
        }
        if columns.len() <= depths[at] {
            columns.push(0.0);
        }
        columns[depths[at]] = columns[depths[at]].max(size(node).0);
    }
    let mut starts = Vec::new();
    let mut x = 2.0 * ROOT + COLUMN_GAP;
    for width in &columns {
        starts.push(x);
        x += width + COLUMN_GAP;
    }
    let width = (x - COLUMN_GAP).max(2.0 * ROOT);

    // Leaves from top to bottom, then parents from right to left.
    let mut middles = vec![0.0; nodes.len()];
    let mut y = 0.0;
    let mut open: Vec<usize> = tops.iter().rev().copied().collect();
    while let Some(at) = open.pop() {
        if children[at].is_empty() {
            let height = size(&nodes[at]).1;
            middles[at] = y + height / 2.0;
            y += height + ROW_GAP;
        }
        open.extend(children[at].iter().rev());
    }
    let halfway = |middles: &[f64], of: &[usize]| match of {
        [] => 0.0,
        [first, .., last] => f64::midpoint(middles[*first], middles[*last]),
        [one] => middles[*one],
    };
    for at in (0..nodes.len()).rev() {
        if !children[at].is_empty() {
            middles[at] = halfway(&middles, &children[at]);
        }
    }
    let boxes = nodes.iter().enumerate().map(|(at, node)| {
        let (width, height) = size(node);
        Place { x: starts[depths[at]], y: middles[at] - height / 2.0, width, height }
    });
    let root = halfway(&middles, &tops).max(ROOT);
    Places { boxes: boxes.collect(), root, width, height: (y - ROW_GAP).max(2.0 * ROOT) }
}

/// Returns width and height of a node's box.
fn size(node: &TreeNode) -> (f64, f64) {
    let details = node.details.iter().map(|line| text_width(line, SMALL));
    let widest = details.fold(text_width(&node.label, FONT), f64::max);
    let height = LINE + SMALL_LINE * node.details.len() as f64;
    ((widest + 2.0 * PADDING.0).ceil(), height + 2.0 * PADDING.1)
}

fn text_width(text: &str, font: f64) -> f64 {
    let width = |c: char| if c < '\u{1100}' { ADVANCE } else { 1.05 };
    text.chars().map(width).sum::<f64>() * font
}

pub(super) fn write(diagram: &TreeDiagram) -> String {
    let laid: Vec<Places> = diagram.panels.iter().map(|panel| places(&panel.nodes)).collect();
    let mut width = text_width(&diagram.title, TITLE).max(520.0);
    for (panel, places) in diagram.panels.iter().zip(&laid) {
        let notes = panel.notes.iter().map(|note| text_width(note, SMALL));
        width = notes.fold(width, f64::max).max(places.width).max(text_width(&panel.title, FONT));
    }
    let mut body = vec![legend()];
    let mut y = MARGIN + TITLE_LINE + LINE + PANEL_GAP;
    for (panel, places) in diagram.panels.iter().zip(&laid) {
        body.push(drawn(panel, places, y));
        y += TITLE_LINE
            + places.height
            + ROW_GAP
            + SMALL_LINE * panel.notes.len() as f64
            + PANEL_GAP;
    }
    let (width, height) = ((width + 2.0 * MARGIN).ceil(), (y - PANEL_GAP + MARGIN).ceil());
    let told: Vec<String> = diagram
        .panels
        .iter()
        .map(|panel| [&panel.title].into_iter().chain(&panel.notes).cloned().collect::<Vec<_>>())
        .map(|lines| lines.join(". "))
        .collect();
    let title = Element::new("text")
        .numbers([("x", MARGIN), ("y", MARGIN + TITLE)])
        .number("font-size", TITLE)
        .set("font-weight", "bold")
        .text(&diagram.title);
    let picture = Element::picture()
        .numbers([("width", width), ("height", height)])
        .set("viewBox", format_args!("0 0 {} {}", number(width), number(height)))
        .set("color", COLOUR)
        .set("fill", "currentColor")
        .set("aria-labelledby", "tree-title tree-told")
        .set("font-family", SANS)
        .number("font-size", FONT)
        .line(&Element::new("title").set("id", "tree-title").text(&diagram.title))
        .line(&Element::new("desc").set("id", "tree-told").text(&told.join(". ")))
        .line(&title)
        .lines(body);
    format!("{picture}\n")
}

/// Returns a panel whose title stands at `top`.
fn drawn(panel: &TreePanel, places: &Places, top: f64) -> Element {
    let text = |y: f64, size: f64| {
        Element::new("text").numbers([("x", MARGIN), ("y", y)]).number("font-size", size)
    };
    let mut group =
        Element::new("g").line(&text(top, FONT).set("font-weight", "bold").text(&panel.title));
    let above = top + TITLE_LINE - FONT;
    let root = (MARGIN + ROOT, above + places.root);
    for (node, place) in panel.nodes.iter().zip(&places.boxes) {
        let from = node.parent.map_or((root.0 + ROOT, root.1), |parent| {
            let parent = &places.boxes[parent];
            (MARGIN + parent.x + parent.width, above + parent.y + parent.height / 2.0)
        });
        let to = (MARGIN + place.x, above + place.y + place.height / 2.0);
        group = group.line(&curve(from, to, node.mark));
    }
    let dot = Element::new("circle").numbers([("cx", root.0), ("cy", root.1), ("r", ROOT)]);
    group = group.line(&dot);
    for (node, place) in panel.nodes.iter().zip(&places.boxes) {
        let place = Place { x: MARGIN + place.x, y: above + place.y, ..*place };
        group = group.line(&boxed(node, place));
    }
    let below = above + places.height + ROW_GAP;
    group.lines(panel.notes.iter().enumerate().map(|(at, note)| {
        let y = below + SMALL_LINE * (at as f64 + 0.75);
        text(y, SMALL).set("fill-opacity", ".8").text(note)
    }))
}

fn curve(from: (f64, f64), to: (f64, f64), mark: NodeMark) -> Element {
    let middle = f64::midpoint(from.0, to.0);
    let [x1, y1, x2, y2, middle] = [from.0, from.1, to.0, to.1, middle].map(number);
    let path = format!("M{x1} {y1}C{middle} {y1} {middle} {y2} {x2} {y2}");
    let (width, opacity) = match mark {
        NodeMark::Left => ("1", ".35"),
        NodeMark::Revisited => ("2.4", ".8"),
        NodeMark::New => ("1.3", ".6"),
    };
    Element::new("path")
        .set("d", path)
        .set("fill", "none")
        .set("stroke", "currentColor")
        .set("stroke-opacity", opacity)
        .set("stroke-width", width)
}

/// Returns the frame of a box.
fn frame(mark: NodeMark, place: Place) -> Element {
    let Place { x, y, width, height } = place;
    let frame = Element::new("rect")
        .numbers([("x", x), ("y", y), ("width", width), ("height", height)])
        .set("rx", "5");
    let colour = |index: usize| {
        let (red, green, blue) = Ink::Series(index).rgb();
        format!("#{red:02x}{green:02x}{blue:02x}")
    };
    match mark {
        NodeMark::Left => frame
            .set("fill-opacity", ".02")
            .set("stroke", "currentColor")
            .set("stroke-opacity", ".5")
            .set("stroke-dasharray", "3 2.5"),
        NodeMark::Revisited => frame
            .set("fill", colour(1))
            .set("fill-opacity", ".12")
            .set("stroke", colour(1))
            .set("stroke-width", "2.6"),
        NodeMark::New => frame
            .set("fill", colour(0))
            .set("fill-opacity", ".08")
            .set("stroke", colour(0))
            .set("stroke-width", "1.3"),
    }
}

fn boxed(node: &TreeNode, place: Place) -> Element {
    let text = |y: f64| {
        Element::new("text")
            .numbers([("x", place.x + place.width / 2.0), ("y", y)])
            .set("text-anchor", "middle")
    };
    let first = place.y + PADDING.1 + LINE * 0.76;
    let label = text(first).set("font-weight", "bold").text(&node.label);
    let mut group = Element::new("g").child(&frame(node.mark, place)).child(&label);
    for (at, line) in node.details.iter().enumerate() {
        let y = first + SMALL_LINE * (at as f64 + 1.0);
        group = group.child(&text(y).number("font-size", SMALL).text(line));
    }
    group
}

/// Returns what the frames mean.
fn legend() -> Element {
    let marks = [
        (NodeMark::New, "new in this step"),
        (NodeMark::Revisited, "was there, visited again"),
        (NodeMark::Left, "not visited in this step"),
    ];
    let (mut x, y) = (MARGIN, MARGIN + TITLE_LINE);
    let mut group = Element::new("g").number("font-size", SMALL);
    for (mark, meaning) in marks {
        let place = Place { x, y, width: 20.0, height: 12.0 };
        let words = Element::new("text").numbers([("x", x + 26.0), ("y", y + 10.0)]).text(meaning);
        group = group.child(&frame(mark, place)).child(&words);
        x += 26.0 + text_width(meaning, SMALL) + 12.0;
    }
    group
}
