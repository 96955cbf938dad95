//! Two overlapping circles: how many things are in the first only, in both, in the second only.

use std::f64::consts::TAU;

use crate::axis::plain;
use crate::chart::{Chart, Venn, WIDTH};
use crate::drawing::{Anchor, Drawing, Place};
use crate::font;
use crate::palette::Ink;

const SIZE: f64 = 13.0;
const RADIUS: f64 = 96.0;
const CORNERS: usize = 72;

/// Lays out two circles of equal size; numbers say how large their parts are.
pub(crate) fn draw(chart: &Chart, venn: &Venn) -> Drawing {
    let mut drawing = Drawing { width: WIDTH, ..Drawing::default() };
    let top = drawing.heading(&chart.title, &chart.note) + 30.0;
    let y = top + RADIUS;
    let middle = WIDTH / 2.0;
    let centres = [middle - 0.62 * RADIUS, middle + 0.62 * RADIUS];
    for (index, (x, name)) in centres.into_iter().zip(&venn.names).enumerate() {
        let mut corners = circle((x, y));
        drawing.area(corners.clone(), Ink::Series(index), 0.18);
        corners.extend(corners.first().copied());
        drawing.path(corners, Ink::Series(index), 1.6, &[]);
        let (at, anchor) = match index {
            0 => (x - 0.3 * RADIUS, Anchor::End),
            _ => (x + 0.3 * RADIUS, Anchor::Start),
        };
        let name = font::fit(name, SIZE, WIDTH / 2.0 - 90.0);
        drawing.text((at, top - 10.0), &name, SIZE, Ink::Text, anchor);
    }
    let places = [centres[0] - 0.45 * RADIUS, middle, centres[1] + 0.45 * RADIUS];
    for ((x, n), part) in
        places.into_iter().zip(venn.counts).zip(["only here", "in both", "only here"])
    {
        drawing.text((x, y - 8.0), &plain(n as f64, 0), 18.0, Ink::Text, Anchor::Middle);
        drawing.text((x, y + 12.0), part, 11.0, Ink::Soft, Anchor::Middle);
    }
    drawing.height = y + RADIUS + 14.0;
    drawing
}

fn circle((x, y): Place) -> Vec<Place> {
    let corner = |number: usize| {
        let angle = TAU * number as f64 / CORNERS as f64;
        (x + RADIUS * angle.cos(), y + RADIUS * angle.sin())
    };
    (0..CORNERS).map(corner).collect()
}
