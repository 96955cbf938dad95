//! `retold methods`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use retold::Profile;

use super::run::Color;
use super::values;

/// List the methods, or tell how one works.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Methods {
    /// Name of a method: tells its story, its parameters and their defaults.
    #[arg(value_name = "NAME", value_parser = values::method(), hide_possible_values = true)]
    pub(crate) name: Option<String>,

    /// Write a page in Markdown for each method, and a list of them, into DIR.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "name")]
    pub(crate) pages: Option<PathBuf>,

    /// Replace pages that are there.
    #[arg(long)]
    pub(crate) overwrite: bool,

    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,

    /// Print the JSON Schema of the parameters of one method, or of all by their names.
    #[arg(long, conflicts_with_all = ["json", "pages"])]
    pub(crate) schema: bool,

    /// Whose defaults a schema names: retold (the product's) or paper (to the letter).
    #[arg(long, value_name = "WHOSE", hide_possible_values = true)]
    #[arg(value_parser = values::choice::<Profile>(&["retold", "paper"]))]
    pub(crate) profile: Option<Profile>,

    /// Colour the output: auto, always, never.
    #[arg(long, value_name = "WHEN", value_parser = values::choice::<Color>(Color::NAMES))]
    #[arg(hide_possible_values = true)]
    pub(crate) color: Option<Color>,
}

const EXAMPLES: &str = "\
EXAMPLES
  retold methods           what there is, in one table
  retold methods minhash   how it works, what it costs, what it can be told
  retold methods --json    names, parameters and defaults for programs
  retold methods minhash --schema   what it can be told, as JSON Schema
  retold methods --pages docs/methods   the same as pages";
