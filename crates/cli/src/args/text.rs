//! Options about how a document becomes words.

use clap::Args;
use retold_core::clean::{Form, Html};
use retold_core::features::stem::Stem;
use retold_core::segment::words::Case;

use super::values::{self, choice};

/// How a document becomes words.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Text")]
pub(crate) struct TextArgs {
    /// What counts of an HTML page: text (all visible), main (no menus), keep (markup too).
    #[arg(long, value_name = "PART", hide_possible_values = true)]
    #[arg(value_parser = choice::<Html>(&["text", "main", "keep"]))]
    pub(crate) html: Option<Html>,

    /// Unicode form: nfc, nfkc (also folds ligatures and widths), none.
    #[arg(long, value_name = "FORM", hide_possible_values = true)]
    #[arg(value_parser = choice::<Form>(&["nfc", "nfkc", "none"]))]
    pub(crate) form: Option<Form>,

    /// Letter case: auto (by language), lower, turkic (I is the capital of ı), keep.
    #[arg(long, value_name = "RULE", hide_possible_values = true)]
    #[arg(value_parser = choice::<Case>(&["auto", "lower", "turkic", "keep"]))]
    pub(crate) case: Option<Case>,

    /// Break Chinese and Japanese into words by dictionary, not by character.
    #[arg(long)]
    pub(crate) dictionary: bool,

    /// Words left out: none, language (the list of the document's language), words:A,B,C, or a file
    /// of words.
    #[arg(long, value_name = "WHICH")]
    pub(crate) stop_words: Option<String>,

    /// What stands for a word: none (itself), first-five (letters), snowball, shapes (letters that scanning confuses are one).
    #[arg(long, value_name = "RULE", hide_possible_values = true)]
    #[arg(value_parser = choice::<Stem>(&["none", "first-five", "snowball", "shapes"]))]
    pub(crate) stem: Option<Stem>,

    /// Language of documents that do not name theirs, such as `tr`.
    #[arg(long, value_name = "CODE", value_parser = values::language)]
    pub(crate) language: Option<String>,

    /// Detect the language of each document and report it.
    #[arg(long)]
    pub(crate) detect_language: bool,
}
