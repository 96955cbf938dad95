//! Options about how files become documents.

use clap::{ArgAction, Args};
use retold::{Format, Headline};

use super::values;

/// How files become documents.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct ReadArgs {
    /// Read every file as this format instead of finding out.
    #[arg(long, value_name = "FORMAT", value_parser = values::format())]
    pub(crate) input_format: Option<Format>,

    /// Encoding of all text, such as `windows-1254`, instead of finding out.
    #[arg(long, value_name = "LABEL", value_parser = values::encoding)]
    pub(crate) encoding: Option<String>,

    /// Table of SQLite databases that holds the documents; not needed if there is only one.
    #[arg(long, value_name = "NAME", conflicts_with = "sql")]
    pub(crate) table: Option<String>,

    /// Query of SQLite databases whose rows are the documents: `SELECT ...`.
    #[arg(long, value_name = "SELECT")]
    pub(crate) sql: Option<String>,

    /// Fields of records that hold the id, the first found counts.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', action = ArgAction::Set)]
    pub(crate) id_field: Option<Vec<String>>,

    /// Fields that hold the text.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', action = ArgAction::Set)]
    pub(crate) text_field: Option<Vec<String>>,

    /// Fields that hold the headline.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', action = ArgAction::Set)]
    pub(crate) title_field: Option<Vec<String>>,

    /// Where the headline of a record without such a field stands: nowhere (`field`), or in the
    /// first line of its text (`first-line`), which is then not compared.
    #[arg(long, value_name = "WHERE", value_parser = values::choice::<Headline>(&["field", "first-line"]))]
    pub(crate) headline: Option<Headline>,

    /// Fields that hold the time of publication.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', action = ArgAction::Set)]
    pub(crate) time_field: Option<Vec<String>>,

    /// Fields that hold the publisher.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', action = ArgAction::Set)]
    pub(crate) source_field: Option<Vec<String>>,

    /// Fields that hold the URL.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', action = ArgAction::Set)]
    pub(crate) url_field: Option<Vec<String>>,

    /// Fields that hold the language.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', action = ArgAction::Set)]
    pub(crate) language_field: Option<Vec<String>>,

    /// Further fields to keep; an index stores them, for filters.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', action = ArgAction::Set)]
    pub(crate) store_fields: Option<Vec<String>>,

    /// Stop at the first record that cannot be read instead of skipping it.
    #[arg(long)]
    pub(crate) strict: bool,
}

/// How much one input may ask for.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Limits")]
#[expect(clippy::struct_field_names, reason = "fields are named as the options are")]
pub(crate) struct LimitArgs {
    /// Largest document after decompression; larger ones are refused.
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub(crate) max_document: Option<u64>,

    /// Longest line of JSON Lines or CSV.
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub(crate) max_line: Option<u64>,

    /// Most bytes of all members of an archive together.
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub(crate) max_archive: Option<u64>,

    /// Most members of an archive.
    #[arg(long, value_name = "N")]
    pub(crate) max_members: Option<u64>,

    /// Most bytes that one compressed byte may become, above the first MiB.
    #[arg(long, value_name = "N")]
    pub(crate) max_ratio: Option<u64>,

    /// Deepest nesting of archives.
    #[arg(long, value_name = "N")]
    pub(crate) max_nesting: Option<u32>,

    /// Deepest nesting of JSON values, at most 512.
    #[arg(long, value_name = "N")]
    pub(crate) max_json_depth: Option<u32>,

    /// Deepest nesting of XML elements.
    #[arg(long, value_name = "N")]
    pub(crate) max_xml_depth: Option<u32>,

    /// Longest path, name of a member or id, in bytes.
    #[arg(long, value_name = "N")]
    pub(crate) max_name: Option<u32>,

    /// Most words of a document that are compared; a document that is cut is reported.
    #[arg(long, value_name = "N")]
    pub(crate) max_words: Option<usize>,
}
