//! The tree as shapes.

use super::dot::GUESS;
use super::{VersionNode, VersionTree};
use crate::drawing::{Anchor, Drawing, Place, Shape};
use crate::font;
use crate::palette::Ink;

/// Width of the picture.
const WIDTH: f64 = 860.0;
/// Width of a column.
const COLUMN: f64 = 22.0;
/// Radius of a dot.
const DOT: f64 = 5.0;
/// Font sizes of names and of what stands below them, and heights of their lines.
const NAME: f64 = 13.0;
const SMALL: f64 = 11.0;
const NAME_LINE: f64 = 18.0;
const SMALL_LINE: f64 = 15.0;
/// Room between rows.
const GAP: f64 = 12.0;

/// Colours of what was added and dropped.
const ADDED: Ink = Ink::Series(2);
const DROPPED: Ink = Ink::Series(1);

/// Returns the documents in the order of their rows, each with its column.
///
/// The child with the most descendants comes last and stands in the column of its parent; the others
/// come before it, one column to the right. So no line crosses another, and there are few columns: a
/// document in the last of them has at least 2ⁿ documents around it.
pub(super) fn rows(documents: &[VersionNode]) -> Vec<(usize, usize)> {
    let mut n_below = vec![1_usize; documents.len()];
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); documents.len()];
    let mut open = Vec::new();
    for (number, node) in documents.iter().enumerate().rev() {
        match node.parent {
            Some(parent) => {
                assert!(parent < number, "a parent stands before its children");
                n_below[parent] += n_below[number];
                children[parent].push(number);
            }
            None => open.push((number, 0)),
        }
    }
    let mut rows = Vec::with_capacity(documents.len());
    while let Some((number, column)) = open.pop() {
        rows.push((number, column));
        let mut next = std::mem::take(&mut children[number]);
        // What is pushed first comes last.
        next.sort_by_key(|&child| std::cmp::Reverse((n_below[child], child)));
        let to_right = |(place, child)| (child, if place == 0 { column } else { column + 1 });
        open.extend(next.into_iter().enumerate().map(to_right));
    }
    rows
}

pub(super) fn draw(tree: &VersionTree) -> Drawing {
    let rows = rows(&tree.documents);
    let n_columns = rows.iter().map(|&(_, column)| column + 1).max().unwrap_or(1);
    let left = COLUMN * n_columns as f64 + 10.0;
    let mut drawing = Drawing { width: WIDTH, ..Drawing::default() };
    let room = drawing.width - left - 8.0;
    let mut y = drawing.heading(&tree.title, &tree.note) + GAP;
    let mut places: Vec<Place> = vec![(0.0, 0.0); tree.documents.len()];
    let mut texts: Vec<Shape> = Vec::new();
    for (number, column) in rows {
        let node = &tree.documents[number];
        places[number] = (COLUMN * (column as f64 + 0.5), y + NAME_LINE / 2.0);
        let mut line = |text: &str, size: f64, ink: Ink, x: f64, y: f64| {
            let text = font::fit(text, size, room - x);
            let at = (left + x, y);
            texts.push(Shape::Text { at, text, size, ink, anchor: Anchor::Start });
        };
        let name = font::fit(&node.name, NAME, 0.72 * room);
        line(&name, NAME, Ink::Text, 0.0, y + NAME_LINE / 2.0);
        let beside = font::width(&name, NAME) + 12.0;
        line(&node.details, SMALL, Ink::Soft, beside, y + NAME_LINE / 2.0);
        y += NAME_LINE;
        let rows = [
            (&node.step, "", Ink::Soft),
            (&node.added, "+ ", ADDED),
            (&node.dropped, "− ", DROPPED),
        ];
        for (text, sign, ink) in rows {
            if !text.is_empty() {
                line(&format!("{sign}{text}"), SMALL, ink, 0.0, y + SMALL_LINE / 2.0);
                y += SMALL_LINE;
            }
        }
        y += GAP;
    }
    for (node, &to) in tree.documents.iter().zip(&places) {
        if let Some(parent) = node.parent {
            let dash: &[f64] = if node.confidence < GUESS { &[4.0, 3.0] } else { &[] };
            let width = 1.2 + 1.6 * node.confidence.clamp(0.0, 1.0);
            drawing.path(way(places[parent], to), Ink::Series(0), width, dash);
        }
    }
    for (node, &at) in tree.documents.iter().zip(&places) {
        let ink = if node.parent.is_none() { Ink::Text } else { Ink::Series(0) };
        drawing.shapes.push(Shape::Circle { at, radius: DOT, ink });
    }
    drawing.shapes.extend(texts);
    drawing.height = y;
    drawing
}

/// Returns the way from a parent to a child: down, and round the corner into the row of the child.
fn way(from: Place, to: Place) -> Vec<Place> {
    const ROUND: f64 = 8.0;
    if (from.0 - to.0).abs() < 0.01 {
        return vec![from, to];
    }
    let bend = (0..=6).map(|step| {
        let angle = f64::from(step) / 6.0 * std::f64::consts::FRAC_PI_2;
        (from.0 + ROUND * (1.0 - angle.cos()), to.1 - ROUND * (1.0 - angle.sin()))
    });
    let mut points = vec![from];
    points.extend(bend);
    points.push(to);
    points
}
