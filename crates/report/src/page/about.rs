//! The end of the page: method, inputs and settings.

use maud::{Markup, html};
use serde_json::Value;

use crate::manifest::Manifest;
use crate::numbers::{bytes, counted, grouped};

/// Inputs and bad records listed on the page; the manifest has all of them.
const MAX_ROWS: usize = 100;

/// Method, inputs, settings and what went wrong.
pub(super) fn about(manifest: &Manifest) -> Markup {
    html! {
        section.about {
            h2 { "How this was made" }
            p.lede { "The same inputs, settings, seed and version give the same result." }
            dl.made {
                dt { "Program" }
                dd { (manifest.program) " " (manifest.version) ", " (manifest.command) }
                dt { "Method" }
                dd {
                    (manifest.method)
                    @if !manifest.profile.is_empty() { ", profile " (manifest.profile) }
                }
                dt { "Seed" } dd { (manifest.seed) }
                @for (role, hash) in &manifest.hashes { dt { "Hash of " (role) } dd { (hash) } }
                @if !manifest.approximate.is_empty() {
                    dt { "Approximate" }
                    dd {
                        @for (at, step) in manifest.approximate.iter().enumerate() {
                            @if at > 0 { br; }
                            (step)
                        }
                    }
                }
                @if !manifest.finished {
                    dt { "Unfinished" }
                    dd { "The run was stopped before its end." }
                }
            }
            (inputs(manifest))
            (bad_records(manifest))
            (values("Parameters of the method", &manifest.parameters))
            (values("Settings of the run", &manifest.settings))
        }
    }
}

fn inputs(manifest: &Manifest) -> Markup {
    html! {
        @if !manifest.inputs.is_empty() {
            details open[manifest.inputs.len() <= 8] {
                summary { (counted(manifest.inputs.len() as u64, "input")) }
                div.scroll { table {
                    thead { tr {
                        th { "Name" } th { "Kind" } th.num { "Size" }
                        th.num { "Documents" } th.num { "Bad" } th { "BLAKE3" }
                    } }
                    tbody {
                        @for input in manifest.inputs.iter().take(MAX_ROWS) {
                            tr {
                                td { (input.name) } td { (input.kind) } td.num { (bytes(input.bytes)) }
                                td.num { (grouped(input.n_documents)) }
                                td.num { (grouped(input.n_bad)) }
                                td.mono { (input.blake3.as_deref().map_or("", start_of_hash)) }
                            }
                        }
                    }
                } }
                (more(manifest.inputs.len(), MAX_ROWS))
            }
        }
    }
}

/// Returns the first digits of a hash, enough for a person to compare.
fn start_of_hash(hash: &str) -> &str {
    hash.get(..16).unwrap_or(hash)
}

fn bad_records(manifest: &Manifest) -> Markup {
    html! {
        @if manifest.n_bad > 0 {
            details {
                summary { (counted(manifest.n_bad, "record")) " could not be read" }
                div.scroll { table {
                    thead { tr { th { "File" } th.num { "Record" } th.num { "Byte" } th { "Reason" } } }
                    tbody {
                        @for bad in manifest.bad_records.iter().take(MAX_ROWS) {
                            tr {
                                td { (bad.file) } td.num { (grouped(bad.record)) }
                                td.num { @if let Some(offset) = bad.offset { (grouped(offset)) } }
                                td { (bad.reason) }
                            }
                        }
                    }
                } }
                (more(usize::try_from(manifest.n_bad).unwrap_or(usize::MAX), MAX_ROWS))
            }
        }
    }
}

fn more(all: usize, listed: usize) -> Markup {
    html! {
        @if all > listed { p.more { (grouped((all - listed) as u64)) " more in manifest.json." } }
    }
}

fn values(title: &str, values: &Value) -> Markup {
    html! {
        @match values {
            Value::Null => {}
            Value::Object(fields) if fields.values().all(|value| !value.is_object()) => {
                details {
                    summary { (title) }
                    table.values { tbody {
                        @for (name, value) in fields {
                            tr { td { (name) } td.mono { (value) } }
                        }
                    } }
                }
            }
            other => {
                details {
                    summary { (title) }
                    pre.mono { (serde_json::to_string_pretty(other).unwrap_or_default()) }
                }
            }
        }
    }
}
