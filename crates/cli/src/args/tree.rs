//! `retold tree`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use retold::Profile;
use retold_lab::TreeFormat;
use serde_json::Value;

use super::values::{self, choice};
use super::{Color, InputArgs, TextArgs};

/// Show the tree of sentence beginnings by which codet compares a few documents.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Tree {
    /// Files of at most 20 documents, in the order in which they come; `-` is standard input.
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub(crate) files: Vec<PathBuf>,

    /// Words of a sentence that count (DT); 0 counts all. [default: 5]
    #[arg(long, value_name = "N", help_heading = "Method")]
    pub(crate) depth: Option<u32>,

    /// Starts in a sentence (PSC): with 2, it counts also from its second word on. [default: 1]
    #[arg(long, value_name = "N", help_heading = "Method")]
    pub(crate) suffixes: Option<u32>,

    /// Order of the words of a sentence (WS): idf (rarest first), text. [default: idf]
    #[arg(long, value_name = "HOW", help_heading = "Method")]
    pub(crate) order: Option<String>,

    /// What ends a sentence; `retold methods codet` lists the splitters.
    #[arg(long, value_name = "NAME", help_heading = "Method")]
    pub(crate) splitter: Option<String>,

    /// Whose setting of codet: paper (to the letter) or retold (the product's). [default: paper]
    #[arg(long, value_name = "WHOSE", hide_possible_values = true, help_heading = "Method")]
    #[arg(value_parser = choice::<Profile>(&["retold", "paper"]))]
    pub(crate) profile: Option<Profile>,

    /// Set another parameter of codet, such as `aggregate=max`; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = values::parameter)]
    #[arg(help_heading = "Method")]
    pub(crate) set: Vec<(String, Value)>,

    /// How it is written: text, dot (for Graphviz), svg. [default: by the ending of -o, else text]
    #[arg(long, value_name = "FORMAT", hide_possible_values = true, help_heading = "Output")]
    #[arg(value_parser = choice::<TreeFormat>(&["text", "dot", "svg"]))]
    pub(crate) format: Option<TreeFormat>,

    /// Show the tree after the last document only, not after each.
    #[arg(long, help_heading = "Output")]
    pub(crate) last: bool,

    /// Write to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Replace FILE if it is there.
    #[arg(long, help_heading = "Output")]
    pub(crate) overwrite: bool,

    /// Colour messages: auto, always, never.
    #[arg(long, value_name = "WHEN", value_parser = choice::<Color>(Color::NAMES))]
    #[arg(hide_possible_values = true, help_heading = "Output")]
    pub(crate) color: Option<Color>,

    #[command(flatten)]
    pub(crate) text: TextArgs,

    #[command(flatten)]
    pub(crate) input: InputArgs,
}

const EXAMPLES: &str = "\
EXAMPLES
  retold tree a.txt b.txt c.txt                       after a, after b and after c
  retold tree a.txt b.txt --order text --depth 0      whole sentences, words as they stand
  retold tree a.txt b.txt --stop-words none --stem none -o tree.svg
  retold tree stories.jsonl --last -o tree.dot && dot -Tpdf tree.dot > tree.pdf

A document walks down its sentences. A node adds its depth times the idf of its word to what the
document has in common (CS) with each that passed there before; words weigh what they weigh among
the documents shown. A document is contained in another if CS is more than `threshold` of what it
has in common with itself (SCS).";
