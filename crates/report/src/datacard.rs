//! `datacard.md`: what `dedup` did to a collection, in words that can be pasted where the collection is
//! described.
//!
//! Nothing in it depends on the machine: the same input and settings give the same card.

mod strikes;

pub use self::strikes::{StrikeCard, StruckStretch};

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use retold_core::relation::Kind;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::escape::escape_terminal;
use crate::manifest::Manifest;
use crate::numbers::{bytes, counted, grouped, percent};
use crate::style::one_line;
use crate::table::RemovalRow;
use crate::view::Summary;

/// Examples shown of each relation.
const MOST_EXAMPLES: usize = 3;
/// Inputs that are listed.
const MOST_INPUTS: usize = 50;

/// Gathers what a card says while documents are removed.
#[derive(Clone, Debug, Default)]
pub struct Datacard {
    /// Removed documents and their words, by relation.
    removed: [(u64, u64); Kind::ALL.len()],
    /// Documents left to a person, by relation.
    review: [u64; Kind::ALL.len()],
    examples: [Vec<String>; Kind::ALL.len()],
    /// Of everything that is removed, in order.
    hash: Sha256,
}

impl Datacard {
    /// Takes a document that is removed, or left to a person.
    pub fn push(&mut self, row: &RemovalRow<'_>, is_removed: bool) {
        let kind = row.relation as usize;
        if !is_removed {
            self.review[kind] += 1;
            return;
        }
        let (n, n_words) = &mut self.removed[kind];
        *n += 1;
        *n_words += u64::from(row.words);
        let examples = &mut self.examples[kind];
        if examples.len() < MOST_EXAMPLES {
            let share = percent(row.covered);
            examples.push(format!(
                "| {} | {} | {} | {share} |",
                row.relation,
                code(row.id),
                code(row.covered_by)
            ));
        }
        self.hash.update(row.file.as_bytes());
        self.hash.update([0]);
        self.hash.update(row.record.to_le_bytes());
    }

    /// Writes `datacard.md` into a folder.
    pub fn write(self, folder: &Path, summary: &Summary, manifest: &Manifest) -> io::Result<()> {
        fs::write(folder.join("datacard.md"), self.text(summary, manifest))
    }

    fn text(self, summary: &Summary, manifest: &Manifest) -> String {
        let mut out = String::new();
        let n_removed: u64 = self.removed.iter().map(|removed| removed.0).sum();
        let n_words: u64 = self.removed.iter().map(|removed| removed.1).sum();
        let n_review: u64 = self.review.iter().sum();
        let n_kept = summary.n_documents.saturating_sub(n_removed);
        let share = |n: u64| percent(n as f64 / summary.n_documents.max(1) as f64);
        put(&mut out, format_args!("# Deduplication\n"));
        put(
            &mut out,
            format_args!(
                "{} of {} ({}) {} removed, {} kept.\n",
                grouped(n_removed),
                counted(summary.n_documents, "document"),
                share(n_removed),
                if n_removed == 1 { "was" } else { "were" },
                grouped(n_kept)
            ),
        );
        put(&mut out, format_args!("| | documents | words |\n|---|---|---|"));
        let words = |n: u64| grouped(n);
        put(
            &mut out,
            format_args!(
                "| read | {} | {} |",
                grouped(summary.n_documents),
                words(summary.n_words)
            ),
        );
        if summary.n_archive > 0 {
            put(
                &mut out,
                format_args!("| archive, compared with | {} | |", grouped(summary.n_archive)),
            );
        }
        let kept_words = summary.n_words.saturating_sub(n_words);
        put(&mut out, format_args!("| kept | {} | {} |", grouped(n_kept), words(kept_words)));
        for (kind, (n, n_words)) in Kind::ALL.into_iter().zip(self.removed) {
            if n > 0 {
                put(
                    &mut out,
                    format_args!("| removed: {kind} | {} | {} |", grouped(n), words(n_words)),
                );
            }
        }
        put(&mut out, format_args!("| kept, but listed for review | {} | |", grouped(n_review)));
        put(&mut out, format_args!("| too short to judge | {} | |", grouped(summary.n_too_short)));
        put(
            &mut out,
            format_args!("| records that could not be read | {} | |\n", grouped(manifest.n_bad)),
        );
        self.put_why(&mut out, manifest);
        put_inputs(&mut out, manifest);
        finish_hash(&mut out, self.hash, manifest, "removed");
        out
    }

    /// Says by which rule documents were removed, with examples and settings.
    fn put_why(&self, out: &mut String, manifest: &Manifest) {
        let settings = &manifest.settings;
        let setting = |name: &str| match settings.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        };
        put(out, format_args!("## Why documents were removed\n"));
        let contained = if settings.get("remove-contained") == Some(&Value::Bool(true)) {
            "Documents that stand in a much longer one to that share were removed, too."
        } else {
            "Documents that stand in a much longer one were kept and listed for review."
        };
        put(
            out,
            format_args!(
                "A document was removed if a kept one has the same words in the same order, or is its \
                 near-duplicate and holds at least {} of its runs of words. {contained} Of several \
                 that cover each other, the kept one was chosen by {}.\n",
                setting("cover"),
                code(&setting("keep"))
            ),
        );
        if self.examples.iter().any(|examples| !examples.is_empty()) {
            put(out, format_args!("| relation | removed | kept | share held |\n|---|---|---|---|"));
            for example in self.examples.iter().flatten() {
                put(out, format_args!("{example}"));
            }
            out.push('\n');
        }
        put(out, format_args!("## How\n"));
        put(
            out,
            format_args!(
                "{} {}, method {}, profile {}, seed {}, parameters {}.\n",
                manifest.program,
                manifest.version,
                code(&manifest.method),
                code(&manifest.profile),
                manifest.seed,
                code(&manifest.parameters.to_string())
            ),
        );
        for approximate in &manifest.approximate {
            put(out, format_args!("Approximate: {}\n", one_line(approximate)));
        }
        for cut in &manifest.cuts {
            put(out, format_args!("{}.\n", one_line(&cut.told())));
        }
    }
}

/// Ends a card with the hash of the inputs and of what became of them.
fn finish_hash(out: &mut String, mut hash: Sha256, manifest: &Manifest, became: &str) {
    for input in &manifest.inputs {
        hash.update(input.blake3.as_deref().unwrap_or_default().as_bytes());
    }
    let _ = write!(out, "Hash of the inputs and of the list of what was {became} (SHA-256): `");
    for byte in hash.finalize() {
        let _ = write!(out, "{byte:02x}");
    }
    out.push_str("`\n");
}

fn put_inputs(out: &mut String, manifest: &Manifest) {
    put(out, format_args!("## What was read\n"));
    put(out, format_args!("| input | documents | size | BLAKE3 |\n|---|---|---|---|"));
    for input in manifest.inputs.iter().take(MOST_INPUTS) {
        put(
            out,
            format_args!(
                "| {} | {} | {} | {} |",
                code(&input.name),
                grouped(input.n_documents),
                bytes(input.bytes),
                input.blake3.as_deref().map(code).unwrap_or_default()
            ),
        );
    }
    if let Some(n_more) = manifest.inputs.len().checked_sub(MOST_INPUTS).filter(|&n| n > 0) {
        put(out, format_args!("| {} more, see `manifest.json` | | | |", grouped(n_more as u64)));
    }
    out.push('\n');
}

fn put(out: &mut String, line: std::fmt::Arguments<'_>) {
    let _ = writeln!(out, "{line}");
}

/// Returns a text from outside as code: on one line, and without what would end it.
fn code(text: &str) -> String {
    let plain: String = one_line(&escape_terminal(text))
        .chars()
        .map(|c| match c {
            '`' => '\'',
            '|' => '¦',
            other => other,
        })
        .collect();
    format!("`{plain}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_does_not_count_as_read_or_kept() {
        let summary =
            Summary { n_documents: 10, n_words: 1_000, n_archive: 90, ..Summary::default() };
        let text = Datacard::default().text(&summary, &Manifest::default());
        for line in ["| read | 10 | 1,000 |", "| archive, compared with | 90 | |", "| kept | 10 |"]
        {
            assert!(text.contains(line), "{text}");
        }
    }

    #[test]
    fn a_card_counts_what_went_and_shows_examples_without_their_tricks() {
        let mut card = Datacard::default();
        let row = |id, relation, covered| RemovalRow {
            id,
            file: "a.jsonl",
            record: 3,
            covered_by: "kept",
            covered_in: None,
            relation,
            covered,
            words: 100,
            decision: "removed",
        };
        for _ in 0..5 {
            card.push(&row("x`|\n# y", Kind::NearDuplicate, 0.875), true);
        }
        card.push(&row("z", Kind::Exact, 1.0), true);
        card.push(&row("w", Kind::Contained, 0.9), false);
        let summary = Summary { n_documents: 10, n_words: 1_000, ..Summary::default() };
        let manifest = Manifest {
            settings: serde_json::json!({ "cover": 0.8, "keep": "longest" }),
            ..Manifest::default()
        };
        let text = card.text(&summary, &manifest);
        assert!(text.contains("6 of 10 documents (60 %) were removed, 4 kept."), "{text}");
        assert!(text.contains("| removed: near-duplicate | 5 | 500 |"), "{text}");
        assert!(text.contains("| kept, but listed for review | 1 | |"), "{text}");
        assert_eq!(text.matches("| near-duplicate |").count(), MOST_EXAMPLES, "{text}");
        assert!(!text.contains("\n# y") && !text.contains("x`"), "{text}");
    }
}
