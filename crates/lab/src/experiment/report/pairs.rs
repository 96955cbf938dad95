//! Pairs that two methods judge differently, side by side: the common part in italics.

use maud::{Markup, html};

use crate::experiment::{Example, ExampleKind, ExampleSide};

/// Shows all examples of an experiment, closed until somebody asks for them.
pub(super) fn pair_views(examples: &[Example]) -> Markup {
    html! {
        @if !examples.is_empty() {
            details.table {
                summary { "Pairs that one method found and the other did not (" (examples.len()) ")" }
                p.key { "What both texts have in common, in the same order, is in italics." }
                @for example in examples { (pair_view(example)) }
            }
        }
    }
}

fn pair_view(example: &Example) -> Markup {
    let what = match example.kind {
        ExampleKind::Found => "found by",
        ExampleKind::FalseAlarm => "false alarm of",
    };
    html! {
        div.example {
            p {
                strong { (what) " " (example.found_by) }
                ", not by " (example.missed_by)
                span.soft { "; resemblance " (format!("{:.2}", example.resemblance)) }
            }
            div.sides { @for side in &example.sides { (shown(side)) } }
        }
    }
}

fn shown(side: &ExampleSide) -> Markup {
    html! {
        div.side {
            h4 { (side.id) }
            div.text {
                @for piece in &side.pieces {
                    @if piece.is_common { em { (piece.text) } } @else { (piece.text) }
                    " "
                }
                @if side.is_cut { "…" }
            }
        }
    }
}
