//! The diagram as a picture: boxes in layers, joined by lines.
//!
//! Text and lines take the colour of the page around the picture (`currentColor`).

use std::fmt::Write as _;

use super::label::{Label, is_plain, labels};
use super::layout::{Layout, Size, layout};
use super::{Concept, Lattice};

/// Height of text, and of a line of it.
const FONT: f64 = 12.0;
const LINE: f64 = 16.0;

/// Width of a character of a font whose characters are equally wide, over its height; wide ones
/// (Chinese, for one) take a square. A little more than the widest such font in use.
const ADVANCE: f64 = 0.62;

/// Room around the text of a box.
const PADDING: (f64, f64) = (10.0, 6.0);

/// Room around the picture, and for the lines below it.
const MARGIN: f64 = 16.0;

/// Concepts up to which the description lists all of them.
const MOST_DESCRIBED: usize = 50;

/// How the picture is read.
const CAPTION: [&str; 2] = [
    "A box stands for all documents on the ways up from it;",
    "the number counts the units they have in common.",
];

pub(super) fn write(lattice: &Lattice, names: &[String]) -> String {
    let labels = labels(lattice, names);
    let sizes: Vec<Size> = labels.iter().map(size).collect();
    let layers: Vec<usize> = lattice.concepts().iter().map(Concept::n_items).collect();
    let laid = layout(&layers, &sizes, lattice.covers());

    let caption = CAPTION.map(|line| line.chars().count()).into_iter().max().unwrap_or(0);
    let width = laid.width.max(caption as f64 * FONT * 0.55) + 2.0 * MARGIN;
    let height = laid.height + 3.0 * MARGIN + LINE * CAPTION.len() as f64;
    let mut out = head(lattice, &labels, width, height);
    let left = (width - laid.width) / 2.0;
    put_lines(&mut out, &laid, left);
    for (at, (label, size)) in laid.centres.iter().zip(labels.iter().zip(&sizes)) {
        put_box(&mut out, label, *size, (at.0 + left, at.1 + MARGIN));
    }
    for (i, line) in CAPTION.iter().enumerate() {
        let y = laid.height + 2.0 * MARGIN + LINE * (i as f64 + 0.75);
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"currentColor\" \
             fill-opacity=\".72\" font-family=\"system-ui,'DejaVu Sans',Verdana,sans-serif\" \
             font-size=\"11\">{line}</text>",
            number(width / 2.0),
            number(y)
        );
    }
    out.push_str("</svg>\n");
    out
}

fn head(lattice: &Lattice, labels: &[Label], width: f64, height: f64) -> String {
    let counted = |n: usize, noun: &str| format!("{n} {noun}{}", if n == 1 { "" } else { "s" });
    let title = format!("Concept lattice of {}", counted(lattice.items().len(), "document"));
    let mut told = format!(
        "{} and {} between neighbours.",
        counted(labels.len(), "concept"),
        counted(lattice.covers().len(), "line")
    );
    if labels.len() <= MOST_DESCRIBED {
        for label in labels {
            let _ = write!(told, " {}.", label.whole);
        }
    }
    let (width, height) = (number(width), number(height));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\" color=\"#1d1b18\" \
         aria-labelledby=\"lattice-title lattice-told\" \
         font-family=\"ui-monospace,'DejaVu Sans Mono',Consolas,monospace\" font-size=\"{FONT}\">\n\
         <title id=\"lattice-title\">{}</title>\n<desc id=\"lattice-told\">{}</desc>\n",
        escape(&title),
        escape(&told)
    )
}

fn put_lines(out: &mut String, laid: &Layout, left: f64) {
    out.push_str(
        "<g fill=\"none\" stroke=\"currentColor\" stroke-opacity=\".45\" stroke-width=\"1.2\" \
         stroke-linejoin=\"round\">\n",
    );
    for line in &laid.lines {
        let points: Vec<String> = line
            .iter()
            .map(|&(x, y)| format!("{},{}", number(x + left), number(y + MARGIN)))
            .collect();
        let _ = writeln!(out, "<polyline points=\"{}\"/>", points.join(" "));
    }
    out.push_str("</g>\n");
}

fn put_box(out: &mut String, label: &Label, size: Size, centre: (f64, f64)) {
    let is_named = !label.names.is_empty();
    let _ = write!(
        out,
        "<g text-anchor=\"middle\" fill=\"currentColor\"><title>{}</title>\
         <rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"5\" fill-opacity=\"{}\" \
         stroke=\"currentColor\" stroke-opacity=\"{}\"/>",
        escape(&label.whole),
        number(centre.0 - size.width / 2.0),
        number(centre.1 - size.height / 2.0),
        number(size.width),
        number(size.height),
        if is_named { ".08" } else { ".02" },
        if is_named { ".8" } else { ".35" },
    );
    let first = centre.1 - size.height / 2.0 + PADDING.1 + LINE * 0.75;
    for (i, name) in label.names.iter().enumerate() {
        let _ = write!(
            out,
            "<text x=\"{}\" y=\"{}\" font-weight=\"bold\">{}</text>",
            number(centre.0),
            number(first + LINE * i as f64),
            escape(name)
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" fill-opacity=\".8\">{}</text></g>",
        number(centre.0),
        number(first + LINE * label.names.len() as f64),
        escape(&label.units)
    );
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

/// Writes a number with at most one decimal.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Makes text safe inside an element.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c if is_plain(c) => out.push(c),
            _ => out.push('\u{fffd}'),
        }
    }
    out
}
