//! The diagram as a picture: boxes in layers, joined by lines.
//!
//! Text and lines take the colour of the page around the picture (`currentColor`).

use std::fmt::Write as _;

use retold_svg::{Element, number};

use super::LatticeDiagram;
use super::label::{Label, labels};
use super::layout::{Layout, Size, layout};
use crate::svg::{COLOUR, SANS};

/// Font size, and height of a line of text.
const FONT: f64 = 12.0;
const LINE: f64 = 16.0;

/// Width of a character in a monospace font as a share of the font size: a little more than in the
/// widest such font. Characters of Chinese and similar scripts are counted as squares.
const ADVANCE: f64 = 0.62;

/// Room around the text of a box.
const PADDING: (f64, f64) = (10.0, 6.0);

/// Room around the picture, and for the lines below it.
const MARGIN: f64 = 16.0;

/// The description lists the concepts if there are at most so many.
const MOST_DESCRIBED: usize = 50;

/// How the picture is read.
const CAPTION: [&str; 2] = [
    "A box stands for all documents on the ways up from it;",
    "the number counts the units they have in common.",
];

/// Fonts for names and numbers, whose characters are equally wide.
const MONOSPACE: &str = "ui-monospace,'DejaVu Sans Mono',Consolas,monospace";

pub(super) fn write(diagram: &LatticeDiagram) -> String {
    let labels = labels(diagram);
    let sizes: Vec<Size> = labels.iter().map(size).collect();
    let layers: Vec<usize> = diagram.concepts.iter().map(|concept| concept.items.len()).collect();
    let laid = layout(&layers, &sizes, &diagram.covers);

    let caption = CAPTION.map(|line| line.chars().count()).into_iter().max().unwrap_or(0);
    let width = laid.width.max(caption as f64 * FONT * 0.55) + 2.0 * MARGIN;
    let height = laid.height + 3.0 * MARGIN + LINE * CAPTION.len() as f64;
    // A whole number, as all places of the layout are.
    let left = ((width - laid.width) / 2.0).round();
    let boxes = laid
        .centres
        .iter()
        .zip(labels.iter().zip(&sizes))
        .map(|(&(x, y), (label, &size))| boxed(label, size, (x + left, y + MARGIN)));
    let captions = CAPTION.iter().enumerate().map(|(i, line)| {
        let y = laid.height + 2.0 * MARGIN + LINE * (i as f64 + 0.75);
        Element::new("text")
            .numbers([("x", width / 2.0), ("y", y)])
            .set("text-anchor", "middle")
            .set("fill", "currentColor")
            .set("fill-opacity", ".72")
            .set("font-family", SANS)
            .set("font-size", "11")
            .text(line)
    });
    let picture = Element::picture()
        .numbers([("width", width), ("height", height)])
        .set("viewBox", format_args!("0 0 {} {}", number(width), number(height)))
        .set("color", COLOUR)
        .set("aria-labelledby", "lattice-title lattice-told")
        .set("font-family", MONOSPACE)
        .number("font-size", FONT)
        .lines(described(diagram, &labels))
        .line(&lines(&laid, left))
        .lines(boxes)
        .lines(captions);
    format!("{picture}\n")
}

/// Returns the title of the picture and its description in words.
fn described(diagram: &LatticeDiagram, labels: &[Label]) -> [Element; 2] {
    let counted = |n: usize, noun: &str| format!("{n} {noun}{}", if n == 1 { "" } else { "s" });
    let title = format!("Concept lattice of {}", counted(diagram.names.len(), "document"));
    let mut told = format!(
        "{} and {} between neighbours.",
        counted(labels.len(), "concept"),
        counted(diagram.covers.len(), "line")
    );
    if labels.len() <= MOST_DESCRIBED {
        for label in labels {
            let _ = write!(told, " {}.", label.whole);
        }
    }
    [
        Element::new("title").set("id", "lattice-title").text(&title),
        Element::new("desc").set("id", "lattice-told").text(&told),
    ]
}

fn lines(laid: &Layout, left: f64) -> Element {
    let line = |corners: &Vec<(f64, f64)>| {
        Element::new("polyline").points(corners.iter().map(|&(x, y)| (x + left, y + MARGIN)))
    };
    Element::new("g")
        .set("fill", "none")
        .set("stroke", "currentColor")
        .set("stroke-opacity", ".45")
        .set("stroke-width", "1.2")
        .set("stroke-linejoin", "round")
        .lines(laid.lines.iter().map(line))
}

fn boxed(label: &Label, size: Size, centre: (f64, f64)) -> Element {
    let (x, top) = (centre.0, centre.1 - size.height / 2.0);
    let [fill, stroke] = if label.names.is_empty() { [".02", ".35"] } else { [".08", ".8"] };
    let frame = Element::new("rect")
        .numbers([("x", x - size.width / 2.0), ("y", top)])
        .numbers([("width", size.width), ("height", size.height)])
        .set("rx", "5")
        .set("fill-opacity", fill)
        .set("stroke", "currentColor")
        .set("stroke-opacity", stroke);
    let line = |i: usize| {
        let y = top + PADDING.1 + LINE * 0.75 + LINE * i as f64;
        Element::new("text").numbers([("x", x), ("y", y)])
    };
    let mut group = Element::new("g")
        .set("text-anchor", "middle")
        .set("fill", "currentColor")
        .child(&Element::new("title").text(&label.whole))
        .child(&frame);
    for (i, name) in label.names.iter().enumerate() {
        group = group.child(&line(i).set("font-weight", "bold").text(name));
    }
    let units = line(label.names.len()).set("fill-opacity", ".8").text(&label.units);
    group.child(&units)
}

/// Returns how much room a label takes.
fn size(label: &Label) -> Size {
    let lines = label.names.iter().chain([&label.units]);
    let widest = lines.map(|line| text_width(line)).fold(0.0, f64::max);
    let n_lines = label.names.len() + 1;
    Size {
        width: (widest + 2.0 * PADDING.0).ceil(),
        height: LINE * n_lines as f64 + 2.0 * PADDING.1,
    }
}

fn text_width(text: &str) -> f64 {
    let width = |c: char| if c < '\u{1100}' { ADVANCE } else { 1.05 };
    text.chars().map(width).sum::<f64>() * FONT
}
