//! Charts as inline SVG. Colours and type come from the style sheet, so they follow light and
//! dark; every chart carries its figures as text, and a sentence for those who cannot see it.

use maud::{Markup, html};
use retold_core::relation::Kind;

use crate::numbers::grouped;

/// Size of every chart, in its own units.
const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 190.0;

/// Where the bars of upright charts stand.
const FLOOR: f64 = HEIGHT - 24.0;
const CEILING: f64 = 22.0;

/// Marks below the histogram: where, what, and how they are set.
const TICKS: [(f64, &str, &str); 3] =
    [(0.0, "0 %", "start"), (0.5, "50 %", "middle"), (1.0, "100 %", "end")];

/// A bar a kind of relation.
pub(super) fn kinds(counts: &[u64; 5]) -> Markup {
    const LABEL: f64 = 104.0;
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let step = HEIGHT / counts.len() as f64;
    let rows: Vec<(Kind, u64, f64)> = Kind::ALL
        .into_iter()
        .zip(counts.iter().copied())
        .enumerate()
        .map(|(at, (kind, count))| (kind, count, at as f64 * step))
        .collect();
    let sentence = rows
        .iter()
        .map(|(kind, count, _)| format!("{kind} {}", grouped(*count)))
        .collect::<Vec<_>>()
        .join(", ");
    // The count stands behind its bar, so the longest bar leaves it room.
    let longest = WIDTH - LABEL - 60.0;
    html! {
        svg viewBox=(view_box()) role="img" aria-label=(sentence) {
            @for (kind, count, y) in rows {
                @let length = if count == 0 { 0.0 } else { (count as f64 / most * longest).max(1.5) };
                text x=(coordinate(LABEL - 10.0)) y=(coordinate(y + step / 2.0 + 4.0))
                    text-anchor="end" { (kind) }
                rect class={ "k-" (kind) } x=(coordinate(LABEL)) y=(coordinate(y + 7.0))
                    width=(coordinate(length)) height=(coordinate(step - 14.0)) rx="1.5" {}
                text.value x=(coordinate(LABEL + length + 7.0))
                    y=(coordinate(y + step / 2.0 + 4.0)) { (grouped(count)) }
            }
        }
    }
}

/// A column a tenth of containment.
pub(super) fn histogram(counts: &[u64; 10]) -> Markup {
    let most = counts.iter().copied().max().unwrap_or(0);
    let step = WIDTH / counts.len() as f64;
    let sentence = counts
        .iter()
        .enumerate()
        .map(|(tenth, count)| {
            format!("{} to {} percent: {}", tenth * 10, tenth * 10 + 10, grouped(*count))
        })
        .collect::<Vec<_>>()
        .join(", ");
    html! {
        svg viewBox=(view_box()) role="img" aria-label=(sentence) {
            @for (tenth, count) in counts.iter().copied().enumerate() {
                @let x = tenth as f64 * step;
                @let height = column_height(count as f64, most as f64);
                rect.fill x=(coordinate(x + 1.5)) y=(coordinate(FLOOR - height))
                    width=(coordinate(step - 3.0)) height=(coordinate(height)) rx="1.5" {}
                @if count == most && most > 0 {
                    text.value x=(coordinate(x + step / 2.0)) y=(coordinate(FLOOR - height - 6.0))
                        text-anchor="middle" { (grouped(count)) }
                }
            }
            line.axis x1="0" x2=(coordinate(WIDTH)) y1=(coordinate(FLOOR)) y2=(coordinate(FLOOR)) {}
            @for (at, label, anchor) in TICKS {
                text x=(coordinate(WIDTH * at)) y=(coordinate(HEIGHT - 6.0))
                    text-anchor=(anchor) { (label) }
            }
        }
    }
}

/// A column a doubling of cluster size; heights by the logarithm of the count.
pub(super) fn sizes(sizes: &[u64]) -> Markup {
    let bins = doublings(sizes);
    let tallest = bins.iter().map(|bin| log_height(bin.count)).fold(0.0, f64::max);
    let step = WIDTH / bins.len().max(4) as f64;
    let sentence = bins
        .iter()
        .map(|bin| format!("{} documents: {} clusters", bin.label(), grouped(bin.count)))
        .collect::<Vec<_>>()
        .join(", ");
    html! {
        svg viewBox=(view_box()) role="img" aria-label=(sentence) {
            @for (at, bin) in bins.iter().enumerate() {
                @let x = at as f64 * step;
                @let height = column_height(log_height(bin.count), tallest);
                rect.fill x=(coordinate(x + 1.5)) y=(coordinate(FLOOR - height))
                    width=(coordinate(step - 3.0)) height=(coordinate(height)) rx="1.5" {}
                @if bin.count > 0 {
                    text.value x=(coordinate(x + step / 2.0)) y=(coordinate(FLOOR - height - 6.0))
                        text-anchor="middle" { (short(bin.count)) }
                }
                @if bins.len() <= 7 || at % 2 == 0 {
                    text x=(coordinate(x + step / 2.0)) y=(coordinate(HEIGHT - 6.0))
                        text-anchor="middle" { (bin.label()) }
                }
            }
            line.axis x1="0" x2=(coordinate(WIDTH)) y1=(coordinate(FLOOR)) y2=(coordinate(FLOOR)) {}
        }
    }
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

fn view_box() -> String {
    format!("0 0 {} {}", coordinate(WIDTH), coordinate(HEIGHT))
}

/// Returns a coordinate with at most one decimal, so that pages are small and the same everywhere.
pub(super) fn coordinate(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
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
