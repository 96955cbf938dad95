//! Bars: rows of horizontal bars, so that names stay readable however long they are.

use crate::axis::plain;
use crate::chart::{Chart, Group, WIDTH, say_empty};
use crate::drawing::{Anchor, Drawing};
use crate::font;
use crate::palette::Ink;

const SIZE: f64 = 12.0;

/// Lays out rows of bars.
pub(crate) fn draw(chart: &Chart, rows: &[String], groups: &[Group]) -> Drawing {
    let mut drawing = Drawing { width: WIDTH, ..Drawing::default() };
    let mut top = drawing.heading(&chart.title, &chart.note) + 4.0;
    let tint = |index: usize| groups[index].tint.unwrap_or(index);
    if groups.len() > 1 {
        top = legend(&mut drawing, groups, top, &tint);
    }
    let (thick, gap) = if groups.len() > 1 { (13.0, 10.0) } else { (17.0, 8.0) };
    let row_height = thick * groups.len().max(1) as f64 + gap;
    let bottom = top + row_height * rows.len().max(2) as f64;
    let names = rows.iter().map(|row| font::width(row, SIZE)).fold(0.0, f64::max);
    let left = (names + 10.0).clamp(20.0, 280.0);
    let right = WIDTH - 62.0;
    let values = groups.iter().flat_map(|group| &group.bars).flat_map(|bar| {
        let (low, high) = bar.interval.unwrap_or((bar.value, bar.value));
        [bar.value, low, high, 0.0]
    });
    let ruler = chart.x.fit(values, true);
    let x_of = |value: f64| left + (right - left) * ruler.share(value).clamp(0.0, 1.0);
    drawing.height = bottom + 42.0;
    for (share, name) in ruler.ticks() {
        let x = left + (right - left) * share;
        drawing.line((x, top), (x, bottom), Ink::Grid, 1.0);
        drawing.text((x, bottom + 10.0), name, 11.0, Ink::Soft, Anchor::Middle);
    }
    let middle = f64::midpoint(left, right);
    drawing.text((middle, bottom + 29.0), &chart.x.label, SIZE, Ink::Soft, Anchor::Middle);
    let n_shown = groups.iter().flat_map(|group| &group.bars).filter(|bar| bar.value.is_finite());
    if rows.is_empty() || n_shown.count() == 0 {
        say_empty(&mut drawing, (middle, f64::midpoint(top, bottom)));
    }
    let zero = x_of(0.0);
    for (index, row) in rows.iter().enumerate() {
        let from = top + row_height * index as f64 + gap / 2.0;
        let y = from + thick * groups.len().max(1) as f64 / 2.0;
        let name = font::fit(row, SIZE, left - 10.0);
        drawing.text((left - 8.0, y), &name, SIZE, Ink::Text, Anchor::End);
        for (position, group) in groups.iter().enumerate() {
            let Some(bar) = group.bars.get(index) else { continue };
            let (y0, y1) = (from + thick * position as f64, from + thick * (position + 1) as f64);
            let middle = f64::midpoint(y0, y1);
            if !chart.x.takes(bar.value) {
                drawing.text((zero + 4.0, middle), "–", 11.0, Ink::Soft, Anchor::Start);
                continue;
            }
            let end = x_of(bar.value);
            let ink = Ink::Series(tint(position));
            drawing.rectangle((zero, y0 + 1.0), (end, y1 - 1.0), ink, 1.0);
            let mut after = end.max(zero);
            if let Some((low, high)) = bar.interval
                && chart.x.takes(low)
                && chart.x.takes(high)
            {
                let (low, high) = (x_of(low), x_of(high));
                drawing.line((low, middle), (high, middle), Ink::Text, 1.2);
                for x in [low, high] {
                    drawing.line((x, middle - 3.0), (x, middle + 3.0), Ink::Text, 1.2);
                }
                after = after.max(high);
            }
            let text = value_text(bar.value);
            drawing.text((after + 5.0, middle), &text, 11.0, Ink::Text, Anchor::Start);
        }
    }
    drawing.line((zero, top), (zero, bottom), Ink::Text, 1.0);
    drawing
}

/// Names the groups beside squares of their colours.
fn legend(drawing: &mut Drawing, groups: &[Group], top: f64, tint: &dyn Fn(usize) -> usize) -> f64 {
    let (mut x, mut y) = (0.0, top + 6.0);
    for (index, group) in groups.iter().enumerate() {
        let width = font::width(&group.name, SIZE) + 34.0;
        if x > 0.0 && x + width > WIDTH {
            (x, y) = (0.0, y + 18.0);
        }
        drawing.rectangle((x, y - 5.0), (x + 10.0, y + 5.0), Ink::Series(tint(index)), 1.0);
        drawing.text((x + 16.0, y), &group.name, SIZE, Ink::Text, Anchor::Start);
        x += width;
    }
    y + 16.0
}

/// Writes a value with as many decimals as are worth reading.
pub(crate) fn value_text(value: f64) -> String {
    let size = value.abs();
    if size >= 100.0 || (size - size.round()).abs() < 1e-9 && size >= 2.0 {
        plain(value, 0)
    } else if size >= 10.0 {
        plain(value, 1)
    } else if size >= 0.1 || size == 0.0 {
        plain(value, 2)
    } else {
        plain(value, 3)
    }
}
