//! `retold entities`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use retold_core::clean::Html;
use retold_core::entities::Size;
use retold_core::methods::Profile;

use super::values::{self, choice};
use super::{InputArgs, MannerArgs};

/// Show the persons, places and organisations that a document names.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Entities {
    /// The document; `-` is standard input.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, required = true)]
    pub(crate) file: PathBuf,

    /// Add rule words from a file of `list<TAB>word`.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Lists")]
    pub(crate) rules: Option<PathBuf>,

    /// Add names from a file of `category<TAB>name`.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Lists")]
    pub(crate) gazetteer: Option<PathBuf>,

    /// Leave out the lists that come with the program.
    #[arg(long, help_heading = "Lists")]
    pub(crate) no_bundled: bool,

    /// How many of these names are used: small, middle, full [default: full].
    #[arg(long, value_name = "SIZE", hide_possible_values = true, help_heading = "Lists")]
    #[arg(value_parser = choice::<Size>(&["small", "middle", "full"]))]
    pub(crate) lists: Option<Size>,

    /// Whose rules: retold (the product's), paper (thesis') [default: retold].
    #[arg(long, value_name = "WHOSE", hide_possible_values = true, help_heading = "Lists")]
    #[arg(value_parser = choice::<Profile>(&["retold", "paper"]))]
    pub(crate) profile: Option<Profile>,

    /// What counts of an HTML page: text (all visible), main (no menus), keep (markup too).
    #[arg(long, value_name = "PART", hide_possible_values = true, help_heading = "Text")]
    #[arg(value_parser = choice::<Html>(&["text", "main", "keep"]))]
    pub(crate) html: Option<Html>,

    /// Language of a document that does not name its own, such as `tr`; detected if not given.
    #[arg(long, value_name = "CODE", value_parser = values::language, help_heading = "Text")]
    pub(crate) language: Option<String>,

    #[command(flatten)]
    pub(crate) input: InputArgs,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

const EXAMPLES: &str = "\
EXAMPLES
  retold entities story.html                       the text with its names marked
  retold entities story.txt --language tr --json   names with their places in the file
  retold entities story.txt --gazetteer names.tsv  names of your own beside the others

LISTS
  Turkish and English come with the program. A gazetteer has lines such as
    organisation<TAB>Harbour Watch
  of person, location or organisation. Rules have lines such as
    person_prefix<TAB>Captain
  of person_prefix, person_suffix, location_suffix, organisation_suffix, location_head,
  organisation_head, joiner, particle, abbreviation, elision and article.

UNCLASSIFIED
  Words with capitals that no rule classified are listed as `unclassified`: beginnings of
  sentences, and names that are on no list.";
