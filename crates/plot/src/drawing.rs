//! A chart as shapes: what both kinds of file are made from.

use crate::font;
use crate::palette::{self, Ink};

/// Room around everything, at the sides and above and below.
pub(crate) const MARGIN: (f64, f64) = (8.0, 4.0);

/// A place: right and down from the upper left corner.
pub(crate) type Place = (f64, f64);

/// Where a text stands relative to its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// Something to be painted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Path { points: Vec<Place>, ink: Ink, width: f64, dash: &'static [f64] },
    Area { points: Vec<Place>, ink: Ink, opacity: f64 },
    Circle { at: Place, radius: f64, ink: Ink },
    Text { at: Place, text: String, size: f64, ink: Ink, anchor: Anchor },
}

/// Shapes on a sheet, in the order they are painted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drawing {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) shapes: Vec<Shape>,
}

impl Drawing {
    pub(crate) fn line(&mut self, from: Place, to: Place, ink: Ink, width: f64) {
        self.path(vec![from, to], ink, width, &[]);
    }

    pub(crate) fn path(&mut self, points: Vec<Place>, ink: Ink, width: f64, dash: &'static [f64]) {
        if points.len() > 1 {
            self.shapes.push(Shape::Path { points, ink, width, dash });
        }
    }

    pub(crate) fn area(&mut self, points: Vec<Place>, ink: Ink, opacity: f64) {
        self.shapes.push(Shape::Area { points, ink, opacity });
    }

    pub(crate) fn rectangle(&mut self, from: Place, to: Place, ink: Ink, opacity: f64) {
        self.area(vec![from, (to.0, from.1), to, (from.0, to.1)], ink, opacity);
    }

    pub(crate) fn text(&mut self, at: Place, text: &str, size: f64, ink: Ink, anchor: Anchor) {
        self.shapes.push(Shape::Text { at, text: text.to_owned(), size, ink, anchor });
    }

    /// Paints the marker of a series.
    pub(crate) fn marker(&mut self, at: Place, index: usize, radius: f64) {
        let ink = Ink::Series(index);
        let corners = palette::marker(index);
        if corners.is_empty() {
            self.shapes.push(Shape::Circle { at, radius, ink });
        } else {
            let corner = |&(x, y): &Place| (at.0 + radius * x, at.1 + radius * y);
            self.area(corners.iter().map(corner).collect(), ink, 1.0);
        }
    }

    /// Paints title and note at the top; returns the height they take.
    pub(crate) fn heading(&mut self, title: &str, note: &str) -> f64 {
        let most = self.width - 8.0;
        let mut y = 14.0;
        for line in font::wrap(title, 15.0, most) {
            self.text((0.0, y), &line, 15.0, Ink::Text, Anchor::Start);
            y += 20.0;
        }
        for line in font::wrap(note, 11.5, most) {
            self.text((0.0, y), &line, 11.5, Ink::Soft, Anchor::Start);
            y += 16.0;
        }
        y
    }
}
