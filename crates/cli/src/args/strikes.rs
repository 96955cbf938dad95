//! Options of `retold dedup` below the document.

use clap::Args;
use retold::{Level, StrikeSettings};

use super::values::{choice, number, share};

/// What is struck in documents.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Below the document")]
pub(crate) struct StrikeArgs {
    /// What is looked at: document (whole ones), or strike passage, paragraph, line or sentence where
    /// it stood before; the first in the order of --keep stays.
    #[arg(long, value_name = "LEVEL", hide_possible_values = true, default_value = "document")]
    #[arg(value_parser = choice::<DedupLevel>(&["document", "passage", "paragraph", "line", "sentence"]))]
    pub(crate) level: DedupLevel,

    /// Words that a passage (default 50), paragraph, line or sentence (default 5) must have to be
    /// struck.
    #[arg(long, value_name = "N")]
    pub(crate) min_words: Option<u32>,

    /// Also strike passages that differ from an earlier one in at most this share of their words,
    /// such as 5%. Of passages only: 5% of a line of less than 20 words is not one word, and longer
    /// lines would have to be found by runs of a few words, which stand everywhere.
    #[arg(long, value_name = "P%", value_parser = percent)]
    pub(crate) differ: Option<f64>,

    /// Strike what stands in more than N documents of one source wherever it stands there.
    #[arg(long, value_name = "N")]
    pub(crate) boilerplate: Option<u32>,

    /// List documents for review that have less than this share of their words left.
    #[arg(long, value_name = "X", value_parser = share)]
    pub(crate) least_left: Option<f64>,

    /// Put these into `dropped` instead.
    #[arg(long)]
    pub(crate) drop_short: bool,

    /// List what would be struck, and copy no records.
    #[arg(long)]
    pub(crate) report_only: bool,
}

/// What `dedup` looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DedupLevel {
    #[default]
    Document,
    Passage,
    Paragraph,
    Line,
    Sentence,
}

impl StrikeArgs {
    /// Options that say nothing where whole documents are looked at.
    pub(crate) const OPTIONS: [&'static str; 6] =
        ["min-words", "differ", "boilerplate", "least-left", "drop-short", "report-only"];

    /// Returns what is struck, unless whole documents are looked at.
    pub(crate) fn settings(self) -> Option<StrikeSettings> {
        let Self { level, min_words, differ, boilerplate, least_left, drop_short, report_only } =
            self;
        let level = match level {
            DedupLevel::Document => return None,
            DedupLevel::Passage => Level::Passage,
            DedupLevel::Paragraph => Level::Paragraph,
            DedupLevel::Line => Level::Line,
            DedupLevel::Sentence => Level::Sentence,
        };
        Some(StrikeSettings {
            level,
            min_words,
            differ: differ.unwrap_or_default(),
            boilerplate,
            least_left,
            drop_short,
            report_only,
        })
    }
}

/// Reads `5%` or `0.05`.
fn percent(given: &str) -> Result<f64, String> {
    let found = match given.trim().strip_suffix('%') {
        Some(percent) => number(percent).map(|percent| percent / 100.0),
        None => number(given),
    };
    let is_share = |share: &f64| (0.0..=1.0).contains(share);
    found
        .ok()
        .filter(is_share)
        .ok_or_else(|| format!("a share such as 5% was expected, got `{given}`"))
}
