//! Two documents side by side: relation, scores, and their texts with the passages marked.

use maud::{Markup, html};
use retold_core::relation::Kind;

use super::chart;
use super::policy::MAX_PARTNERS;
use crate::numbers::{bytes, counted, percent};
use crate::shown::{Mark, Piece, shown};
use crate::view::{PairView, SideView};

/// Tints that tell neighbouring passages apart.
const TINTS: usize = 6;

/// Shows a pair; `key` is unique on the page and made by us, not taken from documents.
pub(super) fn pair(view: &PairView, key: &str) -> Markup {
    let shown = shown(view);
    let n_differ: u64 = view.passages.iter().map(|passage| u64::from(passage.differ)).sum();
    let is_reordered = view.passages.iter().any(|passage| passage.moved > 0);
    html! {
        article.pair {
            header {
                div {
                    @if let Some(kind) = view.relation { (chip(kind)) }
                    div.meta { (in_words(view.relation)) }
                }
                (bar("resemblance", view.scores.resemblance.get()))
                (bar("left in right", view.scores.a_in_b.get()))
                (bar("right in left", view.scores.b_in_a.get()))
                @if let Some([left, right]) = view.vocabulary {
                    (bar("words left in right", left.get()))
                    (bar("words right in left", right.get()))
                }
            }
            div.sides {
                (side(&view.a, &shown.a, key, ["a", "b"]))
                (side(&view.b, &shown.b, key, ["b", "a"]))
            }
            p.key {
                @if view.passages.is_empty() { "No passage is shared." } @else {
                    (counted(view.passages.len() as u64, "passage"))
                    " marked; a number leads to its partner."
                }
                @if n_differ > 0 { " Underlined words differ." }
                @if is_reordered { " Dotted words stand in another order." }
                @if view.n_cut > 0 {
                    " " (counted(u64::from(view.n_cut), "more passage")) " not listed."
                }
            }
        }
    }
}

/// Says how the left document relates to the right one.
pub(super) fn in_words(relation: Option<Kind>) -> &'static str {
    match relation {
        Some(Kind::Exact) => "The same words in the same order",
        Some(Kind::NearDuplicate) => "Each tells most of the other",
        Some(Kind::Contains) => "The left one holds most of the right one",
        Some(Kind::Contained) => "Most of the left one stands in the right one",
        Some(Kind::Partial) => "They share passages",
        None => "Not related",
    }
}

/// Names a relation, with its colour.
pub(super) fn chip(kind: Kind) -> Markup {
    html! {
        span.chip {
            (chart::swatch(kind))
            (kind)
        }
    }
}

/// Shows a share as a bar with its figure.
pub(super) fn bar(name: &str, share: f64) -> Markup {
    html! {
        div.score {
            b { (percent(share)) }
            @if name.is_empty() { "\u{a0}" } @else { (name) }
            (chart::strip(share))
        }
    }
}

/// Shows one side; `ends` names this side and the other in link targets.
fn side(view: &SideView, pieces: &[Piece<'_>], key: &str, ends: [&str; 2]) -> Markup {
    let [here, there] = ends;
    let name = view.title.as_deref().unwrap_or(&view.id);
    let mut seen = Vec::new();
    html! {
        div.side {
            h4 dir="auto" { (name) }
            div.meta {
                @if view.title.is_some() { (view.id) " · " }
                @if let Some(source) = &view.source { (source) " · " }
                @if let Some(time) = &view.time { (time) " · " }
                (counted(u64::from(view.n_words), "word"))
            }
            div.text dir="auto" tabindex="0" role="region" aria-label={ "Text of " (name) } {
                @for piece in pieces {
                    @match piece {
                        Piece::Break => { "\n" }
                        Piece::Gap(count) => {
                            span.gap { "⋯ " (bytes(*count as u64)) " not shown ⋯" }
                        }
                        Piece::Text { text, passage: None, .. } => { span.plain { (text) } }
                        Piece::Text { text, passage: Some(index), mark } => {
                            @let number = index + 1;
                            @if is_first(&mut seen, *index) {
                                a class=(partner("n", *index)) id={ (key) "-" (here) (number) }
                                    href={ "#" (key) "-" (there) (number) } { (number) }
                            }
                            mark class=(classes(*index, *mark)) { (text) }
                        }
                    }
                }
            }
        }
    }
}

fn is_first(seen: &mut Vec<usize>, index: usize) -> bool {
    let is_first = !seen.contains(&index);
    if is_first {
        seen.push(index);
    }
    is_first
}

/// Returns the classes of a piece of a passage: its tint, its number, and how it agrees.
fn classes(index: usize, mark: Mark) -> String {
    let agrees = match mark {
        Mark::Same => "",
        Mark::Moved => " v",
        Mark::Differs => " d",
    };
    let tint = format!("t{}{agrees}", index % TINTS + 1);
    partner(&tint, index)
}

/// Returns `classes` and the one by which both ends of a passage light up together.
fn partner(classes: &str, index: usize) -> String {
    if index < MAX_PARTNERS { format!("{classes} m{}", index + 1) } else { classes.to_owned() }
}
