//! Lines and points over two axes, each series named where it ends.

use crate::axis::Ruler;
use crate::chart::{Chart, Look, Point, Series, WIDTH, say_empty};
use crate::drawing::{Anchor, Drawing, Place};
use crate::font;
use crate::palette::{Ink, dash};

const SIZE: f64 = 12.0;
const SMALL: f64 = 11.0;
/// Room for the name of a series at the right.
const MOST_NAME: f64 = 190.0;
/// Distance between names.
const LINE: f64 = 15.0;
const PLOT_HEIGHT: f64 = 280.0;

/// The rectangle that the axes enclose.
#[derive(Clone, Copy)]
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Frame {
    fn place(self, x: &Ruler, y: &Ruler, point: (f64, f64)) -> Place {
        let (across, up) =
            (x.share(point.0).clamp(-0.02, 1.02), y.share(point.1).clamp(-0.02, 1.02));
        (self.left + (self.right - self.left) * across, self.bottom - (self.bottom - self.top) * up)
    }
}

/// A series with the look it got.
struct Placed<'a> {
    series: &'a Series,
    tint: usize,
    points: Vec<(&'a Point, Place)>,
}

/// Lays out series.
pub(crate) fn draw(chart: &Chart, all: &[Series]) -> Drawing {
    let mut drawing = Drawing { width: WIDTH, ..Drawing::default() };
    let mut top = drawing.heading(&chart.title, &chart.note) + 8.0;
    drawing.text((0.0, top), &chart.y.label, SMALL, Ink::Soft, Anchor::Start);
    top += 16.0;
    let seen: Vec<Vec<&Point>> = all
        .iter()
        .map(|series| {
            let takes = |point: &&Point| chart.x.takes(point.x) && chart.y.takes(point.y);
            series.points.iter().filter(takes).collect()
        })
        .collect();
    let points = || seen.iter().flatten();
    let y = chart.y.fit(
        points().flat_map(|point| {
            let (low, high) = point.interval.unwrap_or((point.y, point.y));
            [point.y, low, high]
        }),
        true,
    );
    let x = chart.x.fit(points().map(|point| point.x), false);
    let named = |series: &&Series| !matches!(series.look, Look::Fitted | Look::Points);
    let widest =
        all.iter().filter(named).map(|series| font::width(&series.name, SIZE)).fold(0.0, f64::max);
    let n_names = all.iter().filter(named).count();
    let height = PLOT_HEIGHT.max(LINE * n_names as f64);
    let frame = Frame {
        left: y.widest(SMALL).max(18.0) + 8.0,
        right: WIDTH - if widest > 0.0 { widest.min(MOST_NAME) + 30.0 } else { 24.0 },
        top,
        bottom: top + height,
    };
    axes(&mut drawing, chart, frame, &x, &y);
    drawing.height = frame.bottom + 46.0;
    if points().count() == 0 {
        let middle =
            (f64::midpoint(frame.left, frame.right), f64::midpoint(frame.top, frame.bottom));
        say_empty(&mut drawing, middle);
        return drawing;
    }
    let mut next = 0;
    let mut last = 0;
    let mut placed = Vec::new();
    for (series, points) in all.iter().zip(&seen) {
        let tint = match series.look {
            Look::Fitted => series.tint.unwrap_or(last),
            Look::Reference => 0,
            _ => series.tint.unwrap_or_else(|| {
                next += 1;
                next - 1
            }),
        };
        last = tint;
        let points =
            points.iter().map(|&point| (point, frame.place(&x, &y, (point.x, point.y)))).collect();
        placed.push(Placed { series, tint, points });
    }
    for one in &placed {
        intervals(&mut drawing, one, |point| {
            let (low, high) = point.interval?;
            let is_shown = chart.y.takes(low) && chart.y.takes(high);
            let at = |value| frame.place(&x, &y, (point.x, value));
            is_shown.then(|| (at(low), at(high)))
        });
    }
    for one in &placed {
        stroke(&mut drawing, one);
    }
    end_names(&mut drawing, &placed, frame);
    point_names(&mut drawing, &placed, frame);
    drawing
}

fn axes(drawing: &mut Drawing, chart: &Chart, frame: Frame, x: &Ruler, y: &Ruler) {
    for (share, name) in y.ticks() {
        let at = frame.bottom - (frame.bottom - frame.top) * share;
        drawing.line((frame.left, at), (frame.right, at), Ink::Grid, 1.0);
        drawing.text((frame.left - 7.0, at), name, SMALL, Ink::Soft, Anchor::End);
    }
    drawing.line((frame.left, frame.bottom), (frame.right, frame.bottom), Ink::Text, 1.0);
    let mut free_from = f64::NEG_INFINITY;
    for (share, name) in x.ticks() {
        let at = frame.left + (frame.right - frame.left) * share;
        drawing.line((at, frame.bottom), (at, frame.bottom + 4.0), Ink::Text, 1.0);
        let half = font::width(name, SMALL) / 2.0;
        // A name that would run into the one before it is left out; its mark stays.
        if at - half >= free_from {
            drawing.text((at, frame.bottom + 13.0), name, SMALL, Ink::Soft, Anchor::Middle);
            free_from = at + half + 7.0;
        }
    }
    let middle = f64::midpoint(frame.left, frame.right);
    drawing.text((middle, frame.bottom + 33.0), &chart.x.label, SIZE, Ink::Soft, Anchor::Middle);
}

/// Paints a band behind a line, whiskers behind single points.
fn intervals(
    drawing: &mut Drawing,
    placed: &Placed<'_>,
    ends: impl Fn(&Point) -> Option<(Place, Place)>,
) {
    let all: Vec<(Place, Place)> =
        placed.points.iter().filter_map(|(point, _)| ends(point)).collect();
    let ink = Ink::Series(placed.tint);
    if matches!(placed.series.look, Look::Line | Look::Curve) && all.len() > 2 {
        let lower = all.iter().map(|(low, _)| *low);
        let upper = all.iter().rev().map(|(_, high)| *high);
        drawing.area(lower.chain(upper).collect(), ink, 0.14);
    } else {
        for (low, high) in all {
            drawing.line(low, high, ink, 1.2);
            for end in [low, high] {
                drawing.line((end.0 - 3.0, end.1), (end.0 + 3.0, end.1), ink, 1.2);
            }
        }
    }
}

fn stroke(drawing: &mut Drawing, placed: &Placed<'_>) {
    let places: Vec<Place> = placed.points.iter().map(|(_, place)| *place).collect();
    let ink = Ink::Series(placed.tint);
    match placed.series.look {
        Look::Line | Look::Curve => drawing.path(places.clone(), ink, 2.0, dash(placed.tint)),
        Look::Fitted => drawing.path(places.clone(), ink, 1.2, &[3.0, 3.0]),
        Look::Reference => drawing.path(places.clone(), Ink::Soft, 1.6, &[5.0, 4.0]),
        Look::Points => {}
    }
    let has_markers = match placed.series.look {
        Look::Line | Look::Points => true,
        Look::Curve | Look::Reference => places.len() == 1,
        Look::Fitted => false,
    };
    if has_markers {
        let radius = if placed.series.look == Look::Points { 5.0 } else { 3.6 };
        for place in places {
            drawing.marker(place, placed.tint, radius);
        }
    }
}

/// Writes the name of each series at its end, pushed apart where ends are close.
fn end_names(drawing: &mut Drawing, all: &[Placed<'_>], frame: Frame) {
    let mut ends: Vec<(f64, f64, &Placed<'_>)> = all
        .iter()
        .filter(|one| !matches!(one.series.look, Look::Fitted | Look::Points))
        .filter_map(|one| {
            let rightmost =
                one.points.iter().map(|(_, place)| *place).max_by(|a, b| a.0.total_cmp(&b.0))?;
            Some((rightmost.0, rightmost.1, one))
        })
        .collect();
    // Equal ends keep the order of the series.
    ends.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut heights: Vec<f64> = ends.iter().map(|end| end.1.max(frame.top)).collect();
    for index in 1..heights.len() {
        heights[index] = heights[index].max(heights[index - 1] + LINE);
    }
    let mut most = frame.bottom;
    for height in heights.iter_mut().rev() {
        *height = height.min(most);
        most = *height - LINE;
    }
    for ((x, y, one), height) in ends.into_iter().zip(heights) {
        let at = frame.right + 16.0;
        let is_reference = one.series.look == Look::Reference;
        let ink = if is_reference { Ink::Soft } else { Ink::Series(one.tint) };
        if (height - y).abs() > 4.0 || at - x > 24.0 {
            let bend = (frame.right + 5.0).max(x + 4.0);
            drawing.path(vec![(x + 5.0, y), (bend, y), (at - 3.0, height)], ink, 0.7, &[]);
        }
        let name = font::fit(&one.series.name, SIZE, MOST_NAME);
        let ink = if is_reference { Ink::Soft } else { Ink::Text };
        if !is_reference {
            drawing.marker((at + 3.0, height), one.tint, 3.6);
        }
        drawing.text((at + 11.0, height), &name, SIZE, ink, Anchor::Start);
    }
}

/// Writes the names of points where there is room: right, left, above, below.
fn point_names(drawing: &mut Drawing, all: &[Placed<'_>], frame: Frame) {
    // Left, top, right, bottom of everything that may not be covered.
    let mut taken: Vec<[f64; 4]> = all
        .iter()
        .flat_map(|one| &one.points)
        .map(|(_, (x, y))| [x - 6.0, y - 6.0, x + 6.0, y + 6.0])
        .collect();
    for one in all {
        for (point, (x, y)) in &one.points {
            let own = format!(
                "{}{}",
                if one.series.look == Look::Points { &*one.series.name } else { "" },
                point.name
            );
            if own.is_empty() {
                continue;
            }
            let width = font::width(&own, SIZE);
            let boxed = |left: f64, middle: f64| [left, middle - 7.0, left + width, middle + 7.0];
            let choices = [
                boxed(x + 9.0, *y),
                boxed(x - 9.0 - width, *y),
                boxed(x - width / 2.0, y - 14.0),
                boxed(x - width / 2.0, y + 14.0),
                boxed(x + 7.0, y - 12.0),
                boxed(x + 7.0, y + 12.0),
                boxed(x - 7.0 - width, y - 12.0),
                boxed(x - 7.0 - width, y + 12.0),
                boxed(x + 9.0, y - 24.0),
                boxed(x + 9.0, y + 24.0),
                boxed(x - 9.0 - width, y - 24.0),
                boxed(x - 9.0 - width, y + 24.0),
            ];
            let cost = |at: &[f64; 4]| {
                let is_outside = at[0] < frame.left
                    || at[2] > WIDTH
                    || at[1] < frame.top - 8.0
                    || at[3] > frame.bottom;
                let n_hit = taken
                    .iter()
                    .filter(|t| at[0] < t[2] && at[2] > t[0] && at[1] < t[3] && at[3] > t[1])
                    .count();
                n_hit + if is_outside { 100 } else { 0 }
            };
            let best = choices.iter().min_by_key(|at| cost(at)).copied().unwrap_or(choices[0]);
            taken.push(best);
            let middle = f64::midpoint(best[1], best[3]);
            drawing.text((best[0], middle), &own, SIZE, Ink::Text, Anchor::Start);
        }
    }
}
