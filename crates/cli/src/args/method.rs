//! Options that choose a method and its parameters.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use retold::{Copies, Decide, Edits, Profile};
use serde_json::Value;

use super::values::{self, choice};

/// Which method, with which parameters.
#[derive(Debug, Args)]
#[command(next_help_heading = "Method")]
pub(crate) struct MethodArgs {
    /// Method to use; `retold methods` lists them.
    #[arg(long, value_name = "NAME", value_parser = values::method())]
    #[arg(hide_possible_values = true)]
    pub(crate) method: Option<String>,

    /// Whose setting of the method: retold (the product's) or paper (to the letter).
    #[arg(long, value_name = "WHOSE", hide_possible_values = true)]
    #[arg(value_parser = choice::<Profile>(&["retold", "paper"]))]
    pub(crate) profile: Option<Profile>,

    /// Who says what is related: documents (compared word by word) or method (its own rule).
    #[arg(long, value_name = "WHO", hide_possible_values = true)]
    #[arg(value_parser = choice::<Decide>(&["documents", "method"]))]
    pub(crate) decide: Option<Decide>,

    /// Which documents are exact copies without asking the method: words (those with the same
    /// words) or text (the same to the letter, to compare methods).
    #[arg(long, value_name = "WHAT", hide_possible_values = true)]
    #[arg(value_parser = choice::<Copies>(&["words", "text"]))]
    pub(crate) copies: Option<Copies>,

    /// Weigh words by a table that `retold idf build` made, not by the documents read.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) idf: Option<PathBuf>,

    /// Share of a document that must stand in the other to count as contained, above 0 up to 1.
    #[arg(long, value_name = "X")]
    pub(crate) containment: Option<f64>,

    /// Report only documents that have at least this share of their word runs in common, above 0
    /// up to 1, as near-duplicates.
    #[arg(long, value_name = "X")]
    pub(crate) similarity: Option<f64>,

    /// Words of a common passage from which two documents are partial copies.
    #[arg(long, value_name = "N")]
    pub(crate) passage_words: Option<u64>,

    /// Edits that a passage may have: none, light (a few words at a time) or heavy (rewritten,
    /// reordered, translated, summarised).
    #[arg(long, value_name = "HOW", hide_possible_values = true)]
    #[arg(value_parser = choice::<Edits>(&["none", "light", "heavy"]))]
    pub(crate) edits: Option<Edits>,

    /// Set a parameter of the method, such as `k=7`; `NAME=@FILE` takes the value from a file; may
    /// be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = values::parameter)]
    pub(crate) set: Vec<(String, Value)>,
}
