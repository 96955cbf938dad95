//! Clusters and partial copies.

use maud::{Markup, html};
use retold_core::relation::Kind;

use super::pair::{bar, chip, pair};
use crate::numbers::{counted, grouped};
use crate::view::{ClusterView, MAX_MEMBERS, MemberView, Page};

/// The largest clusters; the first is open.
pub(super) fn clusters(page: &Page<'_>) -> Markup {
    let n_more = page.summary.n_clusters.saturating_sub(page.clusters.len() as u64);
    html! {
        section {
            h2 { "The largest clusters" }
            @if page.clusters.is_empty() {
                p.none { "No two documents tell enough of the same to form a cluster." }
            } @else {
                p.lede {
                    "Each cluster is one story told more than once. Its kept document stands for all; "
                    "open a cluster for its members and the passages they share."
                }
                @for (at, view) in page.clusters.iter().enumerate() { (cluster(view, at == 0)) }
                @if n_more > 0 {
                    p.more { (counted(n_more, "more cluster")) " in the table of clusters." }
                }
            }
        }
    }
}

/// Pairs that share passages without telling the same.
pub(super) fn partials(page: &Page<'_>) -> Markup {
    let n_partial = page.summary.pairs_by_kind[Kind::Partial as usize];
    let n_more = n_partial.saturating_sub(page.partials.len() as u64);
    html! {
        @if !page.partials.is_empty() {
            section.partials {
                h2 { "Partial copies" }
                p.lede { "Documents that share passages but tell different stories around them." }
                @for (at, view) in page.partials.iter().enumerate() {
                    (pair(view, &format!("s{at}")))
                }
                @if n_more > 0 {
                    p.more { (grouped(n_more)) " more" " in the table of pairs." }
                }
            }
        }
    }
}

fn cluster(view: &ClusterView, is_open: bool) -> Markup {
    let kept = view.members.iter().find(|member| member.id == view.representative);
    let name = kept.and_then(|member| member.title.as_deref()).unwrap_or(&view.representative);
    let n_more = view.size.saturating_sub(view.members.len().min(MAX_MEMBERS) as u64);
    html! {
        details.cluster open[is_open] {
            summary {
                span.size { (grouped(view.size)) small { "documents" } }
                span {
                    span.name dir="auto" { (name) }
                    span.meta {
                        "cluster " (view.id) " · kept " bdi { (view.representative) }
                        @if let Some(sources) = sources(view) { " · " bdi { (sources) } }
                    }
                }
                (bar("cohesion", view.cohesion))
            }
            div.inside {
                @if let Some((text, n_words)) = &view.shared {
                    p.shared {
                        "All members share " (counted(u64::from(*n_words), "word"))
                        @if let Some(n) = view.n_common {
                            " and " (counted(u64::from(n), "unit")) " of their images"
                        }
                        ": " q dir="auto" { (text) }
                    }
                }
                div.scroll {
                    table {
                        thead { tr {
                            th { "Document" } th { "Source" } th { "Time" } th.num { "Words" }
                            th { "Relation to the kept one" } th { "Found in the kept one" }
                        } }
                        tbody {
                            @for member in view.members.iter().take(MAX_MEMBERS) {
                                (row(member, member.id == view.representative))
                            }
                        }
                    }
                }
                @if n_more > 0 {
                    p.more { (counted(n_more, "more document")) " in the table of clusters." }
                }
                @for (at, view_pair) in view.pairs.iter().enumerate() {
                    (pair(view_pair, &format!("c{}-{at}", view.id)))
                }
            }
        }
    }
}

fn row(member: &MemberView, is_kept: bool) -> Markup {
    html! {
        tr {
            td {
                @if let Some(title) = &member.title { bdi { (title) } br; }
                bdi.mono { (member.id) }
            }
            td { (member.source.as_deref().unwrap_or("")) }
            td.nowrap { (member.time.as_deref().unwrap_or("")) }
            td.num { (grouped(u64::from(member.n_words))) }
            td {
                @if is_kept { b { "kept" } }
                @else if let Some(kind) = member.relation { (chip(kind)) }
                @else { span.meta { "through others" } }
            }
            td.share {
                @if let Some(scores) = member.scores.filter(|_| !is_kept) {
                    (bar("", scores.a_in_b.get()))
                }
            }
        }
    }
}

/// Names the sources of a cluster: `Wire, Portside and 3 more`.
fn sources(view: &ClusterView) -> Option<String> {
    let mut names: Vec<&str> =
        view.members.iter().filter_map(|member| member.source.as_deref()).collect();
    names.sort_unstable();
    names.dedup();
    match names.as_slice() {
        [] => None,
        [one] => Some((*one).to_owned()),
        [one, two] => Some(format!("{one} and {two}")),
        [one, two, rest @ ..] => Some(format!("{one}, {two} and {} more", rest.len())),
    }
}
