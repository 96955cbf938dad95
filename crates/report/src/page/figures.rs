//! The top of the page: headline, key figures, what to know before reading on, charts.

use maud::{Markup, html};
use retold_core::relation::Kind;

use super::chart;
use crate::numbers::{bytes, counted, grouped, percent, rough};
use crate::view::Summary;

/// The headline and the key figures.
pub(super) fn masthead(summary: &Summary, title: &str) -> Markup {
    let share = |count: u64| percent(count as f64 / summary.n_documents.max(1) as f64);
    let largest = summary.cluster_sizes.iter().copied().max().unwrap_or(0);
    let partial = summary.pairs_by_kind[Kind::Partial as usize];
    let of_all = format!("{} of all documents", share(summary.n_copies()));
    let in_groups = match summary.n_exact_groups {
        0 => "copies with the same words".to_owned(),
        groups => format!("copies, in {}", counted(groups, "group")),
    };
    html! {
        header.masthead {
            p.brand { "Retold" }
            h1 { (title) }
            p.facts {
                (counted(summary.n_files, "file")) " · " (bytes(summary.n_bytes)) " · "
                (rough(summary.n_words)) " words"
                @if !summary.method.is_empty() { " · method " (summary.method) }
            }
            dl.figures {
                (figure("Documents", summary.n_documents, ""))
                @if summary.n_archive > 0 {
                    (figure("Archive", summary.n_archive, "compared with, not changed"))
                }
                (figure("Copies", summary.n_copies(), &of_all))
                (figure("Clusters", summary.n_clusters, &if largest > 0 {
                    format!("the largest has {}", grouped(largest))
                } else {
                    String::new()
                }))
                (figure("Word for word", summary.n_exact_copies, &in_groups))
                (figure("Partial copies", partial, "pairs that share passages"))
                @if let Some(removed) = summary.n_removed {
                    (figure("Removed", removed, "each covered by a kept one"))
                }
            }
        }
    }
}

fn figure(name: &str, count: u64, remark: &str) -> Markup {
    html! {
        div { dt { (name) } dd { (grouped(count)) @if !remark.is_empty() { small { (remark) } } } }
    }
}

/// What a reader must know: what was cut, not read or not judged.
pub(super) fn notices(summary: &Summary) -> Markup {
    let has_any = !summary.cuts.is_empty()
        || summary.n_bad > 0
        || summary.n_too_short > 0
        || summary.n_review.unwrap_or(0) > 0;
    html! {
        @if has_any {
            ul.notices {
                @for cut in &summary.cuts {
                    li { (cut.told()) "." }
                }
                @if summary.n_bad > 0 {
                    li {
                        (counted(summary.n_bad, "record"))
                        " could not be read; see the end of this page."
                    }
                }
                @if summary.n_too_short > 0 {
                    li { (counted(summary.n_too_short, "document")) " had too few words to judge." }
                }
                @if let Some(review) = summary.n_review.filter(|&review| review > 0) {
                    li {
                        (counted(review, "document"))
                        " left to you to decide; see the table of reviews."
                    }
                }
            }
        }
    }
}

/// Relations, containments and cluster sizes as charts.
pub(super) fn charts(summary: &Summary) -> Markup {
    html! {
        section {
            h2 { "What was found" }
            p.lede { (counted(summary.n_pairs(), "pair")) ", each verified on the whole texts." }
            div.charts {
                figure {
                    figcaption { h3 { "How pairs relate" } p { "Pairs by kind" } }
                    (chart::kinds(&summary.pairs_by_kind))
                }
                figure {
                    figcaption {
                        h3 { "How much is shared" }
                        p { "Pairs by share of one document found in the other" }
                    }
                    (chart::histogram(&summary.containment_histogram))
                }
                @if !summary.cluster_sizes.is_empty() {
                    figure {
                        figcaption {
                            h3 { "How large clusters are" }
                            p { "Clusters by number of documents (log scales)" }
                        }
                        (chart::sizes(&summary.cluster_sizes))
                    }
                }
            }
        }
    }
}
