//! Charts as inline SVG. Colours and type come from the style sheet, so they follow light and
//! dark; every chart carries its figures as text, and a sentence for those who cannot see it.

use maud::{Markup, PreEscaped};
use retold_core::relation::Kind;
use retold_svg::{Element, number};

use crate::numbers::grouped;

/// Size of every chart, in its own units.
const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 190.0;

/// Where the columns of a chart stand, and the highest place they reach.
const FLOOR: f64 = HEIGHT - 24.0;
const CEILING: f64 = 22.0;

/// Height of the marks below the columns.
const MARKS: f64 = HEIGHT - 6.0;

/// Marks below the histogram: where, what, and how they are aligned.
const TICKS: [(f64, &str, &str); 3] =
    [(0.0, "0 %", "start"), (0.5, "50 %", "middle"), (1.0, "100 %", "end")];

/// A bar for each kind of relation.
pub(super) fn kinds(counts: &[u64; 5]) -> Markup {
    const LABEL: f64 = 104.0;
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let step = HEIGHT / counts.len() as f64;
    // The count stands behind its bar, so the longest bar leaves it room.
    let longest = WIDTH - LABEL - 60.0;
    let rows = || Kind::ALL.into_iter().zip(counts.iter().copied());
    let mut chart = chart(rows().map(|(kind, count)| format!("{kind} {}", grouped(count))));
    for (at, (kind, count)) in rows().enumerate() {
        let (top, middle) = (at as f64 * step + 7.0, at as f64 * step + step / 2.0 + 4.0);
        let length = if count == 0 { 0.0 } else { (count as f64 / most * longest).max(1.5) };
        let bar = bar((LABEL, top), (length, step - 14.0)).set("class", kind_class(kind));
        chart = chart
            .child(&text((LABEL - 10.0, middle), "end", kind.name()))
            .child(&bar)
            .child(&value((LABEL + length + 7.0, middle), "start", &grouped(count)));
    }
    markup(&chart)
}

/// A column for each tenth of containment.
pub(super) fn histogram(counts: &[u64; 10]) -> Markup {
    let most = counts.iter().copied().max().unwrap_or(0);
    let step = WIDTH / counts.len() as f64;
    let mut chart = chart(counts.iter().enumerate().map(|(tenth, count)| {
        format!("{} to {} percent: {}", tenth * 10, tenth * 10 + 10, grouped(*count))
    }));
    for (at, &count) in counts.iter().enumerate() {
        let label = if count == most && most > 0 { grouped(count) } else { String::new() };
        chart = with_column(chart, at, step, column_height(count as f64, most as f64), &label);
    }
    chart = chart.child(&floor());
    for (at, label, anchor) in TICKS {
        chart = chart.child(&text((WIDTH * at, MARKS), anchor, label));
    }
    markup(&chart)
}

/// A column for each doubling of cluster size; heights by the logarithm of the count.
pub(super) fn sizes(sizes: &[u64]) -> Markup {
    let bins = doublings(sizes);
    let tallest = bins.iter().map(|bin| log_height(bin.count)).fold(0.0, f64::max);
    let step = WIDTH / bins.len().max(4) as f64;
    let mut chart = chart(
        bins.iter()
            .map(|bin| format!("{} documents: {} clusters", bin.label(), grouped(bin.count))),
    );
    for (at, bin) in bins.iter().enumerate() {
        let label = if bin.count > 0 { short(bin.count) } else { String::new() };
        let height = column_height(log_height(bin.count), tallest);
        chart = with_column(chart, at, step, height, &label);
        if bins.len() <= 7 || at % 2 == 0 {
            let middle = at as f64 * step + step / 2.0;
            chart = chart.child(&text((middle, MARKS), "middle", &bin.label()));
        }
    }
    markup(&chart.child(&floor()))
}

/// A small square in the colour of a relation.
pub(super) fn swatch(kind: Kind) -> Markup {
    let square = Element::new("rect").set("class", kind_class(kind));
    let square = square.numbers([("width", 9.0), ("height", 9.0), ("rx", 2.0)]);
    let picture = Element::new("svg").set("viewBox", "0 0 9 9").set("aria-hidden", "true");
    markup(&picture.child(&square))
}

/// A share as a part of a strip that is as wide as its place on the page.
pub(super) fn strip(share: f64) -> Markup {
    let part = |class, width| {
        Element::new("rect").set("class", class).numbers([("width", width), ("height", 5.0)])
    };
    let picture = Element::new("svg")
        .set("viewBox", "0 0 100 5")
        .set("preserveAspectRatio", "none")
        .set("aria-hidden", "true")
        .child(&part("track", 100.0))
        .child(&part("fill", share.clamp(0.0, 1.0) * 100.0));
    markup(&picture)
}

/// Starts a chart; the facts it shows are told in one sentence.
fn chart(facts: impl Iterator<Item = String>) -> Element {
    Element::new("svg")
        .set("viewBox", format_args!("0 0 {} {}", number(WIDTH), number(HEIGHT)))
        .set("role", "img")
        .set("aria-label", facts.collect::<Vec<_>>().join(", "))
}

fn markup(picture: &Element) -> Markup {
    PreEscaped(picture.to_string())
}

fn kind_class(kind: Kind) -> String {
    format!("k-{kind}")
}

/// A rectangle from its upper left corner and its size.
fn bar((x, y): (f64, f64), (width, height): (f64, f64)) -> Element {
    Element::new("rect").numbers([
        ("x", x),
        ("y", y),
        ("width", width),
        ("height", height),
        ("rx", 1.5),
    ])
}

/// Adds the `at`-th column, with a label above unless it is empty.
fn with_column(chart: Element, at: usize, step: f64, height: f64, label: &str) -> Element {
    let (x, top) = (at as f64 * step, FLOOR - height);
    let chart = chart.child(&bar((x + 1.5, top), (step - 3.0, height)).set("class", "fill"));
    if label.is_empty() {
        return chart;
    }
    chart.child(&value((x + step / 2.0, top - 6.0), "middle", label))
}

/// The line that columns stand on.
fn floor() -> Element {
    Element::new("line").set("class", "axis").numbers([
        ("x1", 0.0),
        ("x2", WIDTH),
        ("y1", FLOOR),
        ("y2", FLOOR),
    ])
}

fn text((x, y): (f64, f64), anchor: &str, text: &str) -> Element {
    Element::new("text").numbers([("x", x), ("y", y)]).set("text-anchor", anchor).text(text)
}

/// A figure beside its bar or above its column.
fn value(at: (f64, f64), anchor: &str, label: &str) -> Element {
    text(at, anchor, label).set("class", "value")
}

/// Clusters whose sizes lie between two powers of two.
struct Bin {
    first: u64,
    last: u64,
    count: u64,
}

impl Bin {
    fn label(&self) -> String {
        if self.first == self.last {
            short(self.first)
        } else {
            format!("{}–{}", short(self.first), short(self.last))
        }
    }
}

/// Sorts cluster sizes into 2, 3–4, 5–8, 9–16 and so on, up to the largest.
fn doublings(sizes: &[u64]) -> Vec<Bin> {
    let largest = sizes.iter().copied().max().unwrap_or(2);
    let mut bins = vec![Bin { first: 2, last: 2, count: 0 }];
    while let Some(&Bin { last, .. }) = bins.last().filter(|bin| bin.last < largest) {
        bins.push(Bin { first: last + 1, last: last.saturating_mul(2), count: 0 });
    }
    for &size in sizes {
        let at = bins.partition_point(|bin| bin.last < size);
        bins[at].count += 1;
    }
    bins
}

/// Returns the height of a column on a logarithmic scale: 0 for none, 1 for one.
fn log_height(count: u64) -> f64 {
    if count == 0 { 0.0 } else { 1.0 + (count as f64).log10() }
}

fn column_height(value: f64, most: f64) -> f64 {
    if value <= 0.0 { 0.0 } else { (value / most * (FLOOR - CEILING)).max(1.5) }
}

/// Returns a count that fits above a narrow column.
fn short(count: u64) -> String {
    match count {
        0..10_000 => grouped(count),
        10_000..1_000_000 => format!("{}k", count / 1_000),
        _ => format!("{}M", count / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cluster_sizes_fall_into_doublings() {
        let bins = doublings(&[2, 2, 3, 4, 5, 8, 9, 17]);
        let counts: Vec<(String, u64)> = bins.iter().map(|bin| (bin.label(), bin.count)).collect();
        let expected = [("2", 2), ("3–4", 2), ("5–8", 2), ("9–16", 1), ("17–32", 1)];
        assert_eq!(counts, expected.map(|(label, count)| (label.to_owned(), count)));
    }

    #[test]
    fn charts_of_nothing_and_of_very_much_are_drawn() {
        for chart in [
            kinds(&[0; 5]),
            histogram(&[0; 10]),
            sizes(&[]),
            kinds(&[u64::MAX / 8; 5]),
            histogram(&[u64::MAX / 16; 10]),
            sizes(&[u64::MAX, 2]),
        ] {
            let svg = chart.into_string();
            assert!(svg.starts_with("<svg") && !svg.contains("NaN") && !svg.contains("inf"));
        }
    }
}
