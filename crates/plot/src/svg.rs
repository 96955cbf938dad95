//! Shapes as SVG: small, without style sheets, with a title and a description for screen readers.
//!
//! Text and axes take the colour of the page around the picture (`currentColor`), so a chart
//! inside a dark page is readable.

use retold_svg::{Element, number};

use crate::drawing::{Anchor, Drawing, MARGIN, Shape};
use crate::palette::Ink;

/// Colour of text and lines in a picture that stands alone.
pub(crate) const COLOUR: &str = "#1d1b18";

/// Fonts for words; the first that the reader has is used.
pub(crate) const SANS: &str = "system-ui,'DejaVu Sans',Verdana,sans-serif";

/// Returns the drawing as one `svg` element with a title and a description.
pub(crate) fn write(drawing: &Drawing, title: &str, description: &str) -> String {
    let (width, height) = (drawing.width + 2.0 * MARGIN.0, drawing.height + 2.0 * MARGIN.1);
    let (left, top) = (-MARGIN.0, -MARGIN.1);
    let picture = Element::picture()
        .set("class", "plot")
        .set("width", format_args!("{width:.0}"))
        .set("height", format_args!("{height:.0}"))
        .set("viewBox", format_args!("{left} {top} {width:.0} {height:.0}"))
        .set("color", COLOUR)
        .set("font-family", SANS)
        .line(&Element::new("title").text(title))
        .line(&Element::new("desc").text(description))
        .lines(drawing.shapes.iter().map(element));
    format!("{picture}\n")
}

fn element(shape: &Shape) -> Element {
    match shape {
        Shape::Path { points, ink, width, dash } => {
            let path = painted(Element::new("polyline").set("fill", "none"), "stroke", *ink)
                .number("stroke-width", *width);
            let path = if dash.is_empty() {
                path
            } else {
                let lengths: Vec<String> = dash.iter().map(|&length| number(length)).collect();
                path.set("stroke-dasharray", lengths.join(" "))
            };
            path.points(points.iter().copied())
        }
        Shape::Area { points, ink, opacity } => {
            let area = painted(Element::new("polygon"), "fill", *ink);
            let area = if *opacity < 1.0 { area.number("fill-opacity", *opacity) } else { area };
            area.points(points.iter().copied())
        }
        Shape::Circle { at, radius, ink } => painted(Element::new("circle"), "fill", *ink)
            .numbers([("cx", at.0), ("cy", at.1), ("r", *radius)]),
        Shape::Text { at, text, size, ink, anchor } => {
            let element = painted(Element::new("text"), "fill", *ink).number("font-size", *size);
            let element = match anchor {
                Anchor::Start => element,
                Anchor::Middle => element.set("text-anchor", "middle"),
                Anchor::End => element.set("text-anchor", "end"),
            };
            element.numbers([("x", at.0), ("y", at.1 + 0.35 * size)]).text(text)
        }
    }
}

/// Adds the attributes that paint with an ink; `attribute` is `fill` or `stroke`.
fn painted(element: Element, attribute: &str, ink: Ink) -> Element {
    let opacity = match ink {
        Ink::Text => return element.set(attribute, "currentColor"),
        Ink::Soft => ".72",
        Ink::Grid => ".15",
        Ink::Series(_) => {
            let (r, g, b) = ink.rgb();
            return element.set(attribute, format_args!("#{r:02x}{g:02x}{b:02x}"));
        }
    };
    element.set(attribute, "currentColor").set(&format!("{attribute}-opacity"), opacity)
}
