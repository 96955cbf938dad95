//! What a run may say about reading: names of fields, limits, encoding, format.

use serde::{Deserialize, Serialize};

use crate::format::Format;
use crate::pdf::PdfHelper;

/// Names under which records keep the parts of a document, tried in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fields {
    /// Name of the document. The default is `id`, `_id`, `docno`, `doc_id`.
    #[serde(rename = "id-field")]
    pub id: Vec<String>,
    /// The text. The default is `text`, `content`, `body`, `raw_content`, `article`.
    #[serde(rename = "text-field")]
    pub text: Vec<String>,
    /// Headline. The default is `title`, `headline`.
    #[serde(rename = "title-field")]
    pub title: Vec<String>,
    /// Time of publication. The default is `time`, `date`, `timestamp`, `published`.
    #[serde(rename = "time-field")]
    pub time: Vec<String>,
    /// Publisher. The default is `source`, `publisher`, `site`.
    #[serde(rename = "source-field")]
    pub source: Vec<String>,
    /// Address. The default is `url`, `uri`, `link`.
    #[serde(rename = "url-field")]
    pub url: Vec<String>,
    /// Language code. The default is `lang`, `language`.
    #[serde(rename = "language-field")]
    pub language: Vec<String>,
}

impl Default for Fields {
    fn default() -> Self {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Self {
            id: names(&["id", "_id", "docno", "doc_id"]),
            text: names(&["text", "content", "body", "raw_content", "article"]),
            title: names(&["title", "headline"]),
            time: names(&["time", "date", "timestamp", "published"]),
            source: names(&["source", "publisher", "site"]),
            url: names(&["url", "uri", "link"]),
            language: names(&["lang", "language"]),
        }
    }
}

/// How much one input may ask for. What goes past a limit is refused, and the refusal names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Bytes of one document after decompression. The default is 64 MiB.
    #[serde(rename = "max-document")]
    pub document_bytes: u64,
    /// Bytes of one line of JSON Lines or CSV. The default is 64 MiB.
    #[serde(rename = "max-line")]
    pub line_bytes: u64,
    /// Bytes that one compressed byte may become, counted above the first MiB. The default is 100;
    /// a compressed collection, such as `.jsonl.zst`, may reach ten times that.
    #[serde(rename = "max-ratio")]
    pub ratio: u64,
    /// Bytes of all members of one archive together. The default is 4 GiB.
    #[serde(rename = "max-archive")]
    pub archive_bytes: u64,
    /// Members of one archive. The default is 1,000,000.
    #[serde(rename = "max-members")]
    pub entries: u64,
    /// Archives inside archives. The default is 1: an archive may not hold another one.
    #[serde(rename = "max-nesting")]
    pub nesting: u32,
    /// Depth of nested JSON values. The default is 64; more than 512 counts as 512.
    #[serde(rename = "max-json-depth")]
    pub json_depth: u32,
    /// Depth of nested XML elements. The default is 256.
    #[serde(rename = "max-xml-depth")]
    pub xml_depth: u32,
    /// Bytes of a path, a member's name or a document's id. The default is 4,096.
    #[serde(rename = "max-name")]
    pub path_bytes: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            document_bytes: 64 << 20,
            line_bytes: 64 << 20,
            ratio: 100,
            archive_bytes: 4 << 30,
            entries: 1_000_000,
            nesting: 1,
            json_depth: 64,
            xml_depth: 256,
            path_bytes: 4096,
        }
    }
}

/// Where the headline of a record stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Headline {
    /// In a field of its own, if it has one.
    #[default]
    Field,
    /// Of a record without such a field, in the first line of the text that is not blank. The text
    /// is then what follows that line, and places in it count from there. A text of one line and a
    /// text with markup stay whole.
    FirstLine,
}

/// Settings of a [`Reader`](crate::Reader). Stored by the names of the command line's options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadOptions {
    /// Names of the fields of records.
    #[serde(flatten)]
    pub fields: Fields,
    /// Where the headline of a record stands. The default is a field of its own.
    pub headline: Headline,
    /// Further fields whose values go to `Document::fields`. The default is none.
    #[serde(rename = "store-fields")]
    pub further_fields: Vec<String>,
    /// How much one input may ask for.
    #[serde(flatten)]
    pub limits: Limits,
    /// Label of the text encoding, such as `windows-1251`. The default is to find out per file.
    pub encoding: Option<String>,
    /// The table of SQLite databases that holds the documents. The default is the only one.
    pub table: Option<String>,
    /// The query, `SELECT ...`, whose rows are the documents of SQLite databases, instead of a table.
    pub sql: Option<String>,
    /// Format of every file, containers apart. The default is to find out per file.
    #[serde(rename = "input-format")]
    pub format: Option<Format>,
    /// The program that reads PDF files, each within limits of its own. The default is none: PDF
    /// files are then refused, since no library can be trusted with them inside this process.
    #[serde(skip)]
    pub pdf_helper: Option<PdfHelper>,
}
