//! Shapes as SVG: small, without style sheets, readable aloud.
//!
//! Text and axes take the colour of the page around the picture (`currentColor`), so a chart
//! inside a dark page is readable.

use std::fmt::Write as _;

use crate::drawing::{Anchor, Drawing, MARGIN, Shape};
use crate::palette::Ink;

/// Returns the drawing as one `svg` element with a title and a description.
pub(crate) fn write(drawing: &Drawing, title: &str, description: &str) -> String {
    let (width, height) = (drawing.width + 2.0 * MARGIN.0, drawing.height + 2.0 * MARGIN.1);
    let (left, top) = (-MARGIN.0, -MARGIN.1);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" class=\"plot\" width=\"{width:.0}\" \
         height=\"{height:.0}\" viewBox=\"{left} {top} {width:.0} {height:.0}\" color=\"#1d1b18\" \
         font-family=\"system-ui,'DejaVu Sans',Verdana,sans-serif\">\n<title>{}</title>\n\
         <desc>{}</desc>\n",
        escape(title),
        escape(description)
    );
    for shape in &drawing.shapes {
        shape_to(shape, &mut out);
        out.push('\n');
    }
    out.push_str("</svg>\n");
    out
}

fn shape_to(shape: &Shape, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = match shape {
        Shape::Path { points, ink, width, dash } => {
            let (ink, width) = (paint("stroke", *ink), number(*width));
            let dash = match dash {
                [] => String::new(),
                dash => {
                    let lengths: Vec<String> = dash.iter().map(|&length| number(length)).collect();
                    format!(" stroke-dasharray=\"{}\"", lengths.join(" "))
                }
            };
            let points = places(points);
            write!(
                out,
                "<polyline fill=\"none\"{ink} stroke-width=\"{width}\"{dash} points=\"{points}\"/>"
            )
        }
        Shape::Area { points, ink, opacity } => {
            let ink = paint("fill", *ink);
            let opacity = if *opacity < 1.0 {
                format!(" fill-opacity=\"{}\"", number(*opacity))
            } else {
                String::new()
            };
            write!(out, "<polygon{ink}{opacity} points=\"{}\"/>", places(points))
        }
        Shape::Circle { at, radius, ink } => {
            let ink = paint("fill", *ink);
            let (x, y, r) = (number(at.0), number(at.1), number(*radius));
            write!(out, "<circle{ink} cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>")
        }
        Shape::Text { at, text, size, ink, anchor } => {
            let anchor = match anchor {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor=\"middle\"",
                Anchor::End => " text-anchor=\"end\"",
            };
            let (x, y, size) = (number(at.0), number(at.1 + 0.35 * size), number(*size));
            let (ink, text) = (paint("fill", *ink), escape(text));
            write!(out, "<text{ink} font-size=\"{size}\"{anchor} x=\"{x}\" y=\"{y}\">{text}</text>")
        }
    };
}

/// Returns the attribute that paints with an ink.
fn paint(attribute: &str, ink: Ink) -> String {
    match ink {
        Ink::Text => format!(" {attribute}=\"currentColor\""),
        Ink::Soft => format!(" {attribute}=\"currentColor\" {attribute}-opacity=\".72\""),
        Ink::Grid => format!(" {attribute}=\"currentColor\" {attribute}-opacity=\".15\""),
        Ink::Series(_) => {
            let (r, g, b) = ink.rgb();
            format!(" {attribute}=\"#{r:02x}{g:02x}{b:02x}\"")
        }
    }
}

fn places(points: &[(f64, f64)]) -> String {
    let place = |&(x, y): &(f64, f64)| format!("{},{}", number(x), number(y));
    points.iter().map(place).collect::<Vec<_>>().join(" ")
}

/// Writes a number with at most two decimals and no more digits than needed.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Makes text safe inside an element; characters that XML does not allow are left out.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' | '\r' => out.push(' '),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c < ' ' => {}
            c => out.push(c),
        }
    }
    out
}
