//! `datacard.md` where passages, paragraphs, lines or sentences were struck.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::{MOST_EXAMPLES, code, finish_hash, put, put_inputs};
use crate::manifest::Manifest;
use crate::numbers::{counted, grouped, percent};

/// Characters of a struck text that an example shows.
const SHOWN_CHARS: usize = 60;

/// A stretch that was struck, as far as a card tells of it.
#[derive(Clone, Copy, Debug)]
pub struct StruckStretch<'a> {
    /// Why: `repeat`, `near`, `boilerplate`.
    pub kind: &'static str,
    /// The document.
    pub id: &'a str,
    /// Its file.
    pub file: &'a str,
    /// Number of its record in the file.
    pub record: u64,
    /// Bytes of its text.
    pub span: (u32, u32),
    /// Words struck.
    pub words: u32,
    /// The struck text.
    pub text: &'a str,
    /// The document in which the same words are kept.
    pub kept_in: Option<&'a str>,
}

/// Gathers what a card says while stretches are struck.
#[derive(Clone, Debug, Default)]
pub struct StrikeCard {
    /// Strikes and their words, by kind.
    struck: BTreeMap<&'static str, (u64, u64)>,
    examples: BTreeMap<&'static str, Vec<String>>,
    /// Of everything that is struck, in order.
    hash: Sha256,
}

impl StrikeCard {
    /// Takes a stretch that is struck.
    pub fn push(&mut self, strike: &StruckStretch<'_>) {
        let (n, n_words) = self.struck.entry(strike.kind).or_default();
        *n += 1;
        *n_words += u64::from(strike.words);
        let examples = self.examples.entry(strike.kind).or_default();
        if examples.len() < MOST_EXAMPLES {
            let mut shown: String = strike.text.chars().take(SHOWN_CHARS).collect();
            if shown.len() < strike.text.len() {
                shown.push('…');
            }
            examples.push(format!(
                "| {} | {} | {} | {} | {} |",
                strike.kind,
                code(strike.id),
                grouped(u64::from(strike.words)),
                strike.kept_in.map(code).unwrap_or_default(),
                code(&shown)
            ));
        }
        self.hash.update(strike.file.as_bytes());
        self.hash.update([0]);
        self.hash.update(strike.record.to_le_bytes());
        self.hash.update(strike.span.0.to_le_bytes());
        self.hash.update(strike.span.1.to_le_bytes());
    }

    /// Writes `datacard.md` into a folder.
    pub fn write(self, folder: &Path, manifest: &Manifest) -> io::Result<()> {
        fs::write(folder.join("datacard.md"), self.text(manifest))
    }

    fn text(self, manifest: &Manifest) -> String {
        let mut out = String::new();
        let count = |name: &str| manifest.counts.get(name).copied().unwrap_or(0);
        let (n_documents, n_words) = (count("documents"), count("words"));
        let n_struck = count("struck_words");
        put(&mut out, format_args!("# Deduplication below the document\n"));
        put(
            &mut out,
            format_args!(
                "{} of {} ({}) were struck in {} of {}.\n",
                grouped(n_struck),
                counted(n_words, "word"),
                percent(n_struck as f64 / n_words.max(1) as f64),
                grouped(count("struck_documents")),
                counted(n_documents, "document")
            ),
        );
        put(&mut out, format_args!("| | number | words |\n|---|---|---|"));
        let left = n_words.saturating_sub(n_struck);
        put(
            &mut out,
            format_args!("| documents read | {} | {} |", grouped(n_documents), grouped(n_words)),
        );
        put(
            &mut out,
            format_args!(
                "| left | {} | {} |",
                grouped(n_documents - count("dropped").min(n_documents)),
                grouped(left)
            ),
        );
        for (kind, (n, n_words)) in &self.struck {
            put(
                &mut out,
                format_args!("| strikes: {kind} | {} | {} |", grouped(*n), grouped(*n_words)),
            );
        }
        for (name, what) in [
            ("dropped", "documents dropped, with too little left"),
            ("review", "documents to be reviewed, with little left"),
            ("archive", "documents of the archive, not changed"),
        ] {
            if count(name) > 0 {
                put(&mut out, format_args!("| {what} | {} | |", grouped(count(name))));
            }
        }
        put(
            &mut out,
            format_args!("| records that could not be read | {} | |\n", grouped(manifest.n_bad)),
        );
        self.put_why(&mut out, manifest);
        put_inputs(&mut out, manifest);
        finish_hash(&mut out, self.hash, manifest, "struck");
        out
    }

    /// Says by which rule stretches were struck, with examples and settings.
    fn put_why(&self, out: &mut String, manifest: &Manifest) {
        let setting = |name: &str| match manifest.settings.get(name) {
            Some(serde_json::Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        };
        let is_set = |name: &str| match manifest.settings.get(name) {
            None | Some(serde_json::Value::Null | serde_json::Value::Bool(false)) => false,
            Some(value) => value.as_f64() != Some(0.0) || name == "min-words",
        };
        put(out, format_args!("## Why text was struck\n"));
        let mut why = format!(
            "Level {}: what stood before in the collection, in the order of {}, was struck; the first \
             occurrence stays.",
            code(&setting("level")),
            code(&setting("keep"))
        );
        if is_set("differ") {
            why.push_str(" `near` equals an earlier passage but for a share of its words.");
        }
        if is_set("boilerplate") {
            why.push_str(
                " `boilerplate` stands in many documents of one source, and no occurrence of it stays.",
            );
        }
        put(out, format_args!("{why}\n"));
        if !self.examples.is_empty() {
            put(
                out,
                format_args!(
                    "| kind | document | words | kept in | begins |\n|---|---|---|---|---|"
                ),
            );
            for example in self.examples.values().flatten() {
                put(out, format_args!("{example}"));
            }
            out.push('\n');
        }
        put(out, format_args!("## How\n"));
        let settings =
            ["level", "min-words", "differ", "boilerplate", "least-left", "drop-short", "keep"];
        let settings: Vec<String> = settings
            .iter()
            .filter(|name| is_set(name))
            .map(|name| format!("{name} {}", code(&setting(name))))
            .collect();
        put(
            out,
            format_args!(
                "{} {}, seed {}, {}.\n",
                manifest.program,
                manifest.version,
                manifest.seed,
                settings.join(", ")
            ),
        );
        for cut in &manifest.cuts {
            put(out, format_args!("{}.\n", cut.told()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_counts_what_was_struck_and_shows_examples_without_their_tricks() {
        let mut card = StrikeCard::default();
        for record in 0..5 {
            card.push(&StruckStretch {
                kind: "repeat",
                id: "x`|\n# y",
                file: "a.jsonl",
                record,
                span: (0, 10),
                words: 50,
                text: "words",
                kept_in: Some("first"),
            });
        }
        let counts =
            [("documents", 10), ("words", 1_000), ("struck_words", 250), ("struck_documents", 5)];
        let manifest = Manifest {
            counts: counts.into_iter().map(|(name, n)| (name.to_owned(), n)).collect(),
            settings: serde_json::json!({
                "level": "passage", "keep": "first", "min-words": 50, "differ": 0.0,
                "boilerplate": null, "least-left": null, "drop-short": false,
            }),
            ..Manifest::default()
        };
        let text = card.text(&manifest);
        assert!(
            text.contains("250 of 1,000 words (25 %) were struck in 5 of 10 documents."),
            "{text}"
        );
        assert!(text.contains("| strikes: repeat | 5 | 250 |"), "{text}");
        assert_eq!(text.matches("| repeat |").count(), MOST_EXAMPLES, "{text}");
        // What was not asked for is not spoken of.
        assert!(text.contains("level `passage`, min-words `50`, keep `first`.\n"), "{text}");
        assert!(!text.contains("`near`") && !text.contains("boilerplate"), "{text}");
        assert!(!text.contains("\n# y") && !text.contains("x`"), "{text}");
    }
}
