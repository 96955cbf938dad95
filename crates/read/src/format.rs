//! The formats, in one table, and what a format reader is.
//!
//! A reader lives in a file of its own and is added to the list at the end of this one. It gets an
//! opened stream and cuts it into chunks: either documents that are ready, or raw bytes together
//! with the work that turns them into documents later, on the thread that took the batch.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use retold_core::document::Document;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::access::Access;
use crate::bad::{Fault, quoted};
use crate::fields::Names;
use crate::options::{Limits, ReadOptions};
use crate::pdf::helper::Helpers;
use crate::sniff::Look;
use crate::stream::Stream;

/// What every reader of a run shares.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) options: ReadOptions,
    pub(crate) names: Names,
    /// The processes that read PDF.
    pub(crate) pdf: Helpers,
    /// Whether the run was asked to stop.
    pub(crate) stop: Arc<AtomicBool>,
}

impl Context {
    pub(crate) fn new(options: ReadOptions, stop: Arc<AtomicBool>) -> Self {
        let pdf = Helpers::new(options.pdf_helper.clone());
        Self { names: Names::new(&options), options, pdf, stop }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.options.limits
    }
}

/// A stream, ready for a format reader.
pub(crate) struct Opened {
    /// The bytes from the first one on, decompressed.
    pub(crate) stream: Stream,
    pub(crate) context: Arc<Context>,
    /// Whether positions of the stream are positions of a regular file, so that a document can be
    /// read again.
    pub(crate) is_seekable: bool,
    /// The bytes at any position, for formats that need them; the stream is then empty.
    pub(crate) access: Option<Access>,
    /// Where the bytes lie if they are those of a file as it is, for formats that open it themselves.
    pub(crate) path: Option<PathBuf>,
}

/// Part of a stream on its way to becoming documents.
pub(crate) struct Chunk {
    /// How many record numbers it takes.
    pub(crate) records: u64,
    /// About how many bytes it holds.
    pub(crate) bytes: usize,
    pub(crate) work: Work,
}

/// Least bytes that a record takes in memory beside its text. A bad record takes them too, for its
/// file, number and reason.
pub(crate) const RECORD_BYTES: usize = 64;

impl Chunk {
    /// Returns about how much of a batch it takes.
    pub(crate) fn cost(&self) -> usize {
        let records = usize::try_from(self.records).unwrap_or(usize::MAX).max(1);
        self.bytes.saturating_add(records.saturating_mul(RECORD_BYTES))
    }

    /// Makes a chunk of one fault.
    pub(crate) fn fault(fault: Fault) -> Self {
        Self {
            records: u64::from(fault.record.is_some()),
            bytes: 0,
            work: Work::Ready(vec![Err(fault)]),
        }
    }
}

/// How a chunk becomes documents.
pub(crate) enum Work {
    /// These are its documents and faults.
    Ready(Vec<Result<Draft, Fault>>),
    /// This call makes them and hands them over one after another.
    Later(Box<Parse>),
}

/// Turns raw bytes into records.
pub(crate) type Parse = dyn FnOnce(&mut dyn FnMut(Result<Draft, Fault>)) + Send;

/// A document that does not know its file yet.
#[derive(Debug)]
pub(crate) struct Draft {
    /// The id is empty if the record has none.
    pub(crate) document: Document,
    /// Number of the record, counted from the first of its chunk.
    pub(crate) record: u64,
    /// Whether the document is a whole file or member. Without an id it then gets the name of that.
    pub(crate) is_whole: bool,
    /// What it is called inside its file, such as page and block. Without an id it then gets that
    /// behind the name of the file.
    pub(crate) part: Option<Box<str>>,
    /// Bytes of the file to read it again from.
    pub(crate) again: Option<Range<u64>>,
}

/// Cuts a stream into chunks.
pub(crate) trait Source: Send {
    /// Returns the next chunk. After a fault without a record number there is no further one.
    fn next(&mut self) -> Option<Chunk>;

    /// Returns how many records were passed over because they hold no text, such as images.
    fn skipped(&self) -> u64 {
        0
    }
}

/// What a format reader is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Text, turned into UTF-8 on the way.
    Utf8,
    /// Text as it is; the reader decodes it document by document.
    Text,
    /// Bytes in order.
    Bytes,
    /// Bytes at any position.
    Positions,
}

/// How a format is recognised and read.
pub(crate) struct Spec {
    /// Endings of file names, lower case, without the dot.
    pub(crate) endings: &'static [&'static str],
    /// What its reader is given.
    pub(crate) input: Input,
    /// Whether a file holds many documents, each bounded by itself.
    pub(crate) is_collection: bool,
    /// Whether the first bytes alone show the format, whatever the name says.
    pub(crate) shows: fn(&Look<'_>) -> bool,
    /// Opens a stream of this format.
    pub(crate) open: fn(Opened) -> Box<dyn Source>,
}

/// A format name that is not known.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("format {given} is not known; accepted: {accepted}")]
pub struct UnknownFormat {
    given: String,
    accepted: String,
}

macro_rules! formats {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal in $module:ident,)+) => {
        /// How documents stand in a file, once containers such as gzip or zip are taken off.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Format {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Format {
            /// All formats, in the order in which content is tried against them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the name used in flags, files and messages.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// Returns how the format is recognised and read.
            pub(crate) fn spec(self) -> &'static Spec {
                match self {
                    $(Self::$variant => &crate::$module::SPEC,)+
                }
            }
        }
    };
}

// The order is the order of recognition: what has a magic number first, plain text last.
formats! {
    /// Parquet: a row is a document.
    Parquet = "parquet" in parquet,
    /// Arrow (IPC) files, Feather among them, and streams: a row is a document.
    Arrow = "arrow" in arrow,
    /// SQLite databases: a row of a table or of a query is a document.
    Sqlite = "sqlite" in sqlite,
    /// PDF with a text layer: the file is one document.
    Pdf = "pdf" in pdf,
    /// Electronic books: the file is one document.
    Epub = "epub" in epub,
    /// Texts of `OpenDocument`: the file is one document.
    Odt = "odt" in odt,
    /// Word files (Office Open XML): the file is one document.
    Docx = "docx" in docx,
    /// Rich text: the file is one document.
    Rtf = "rtf" in rtf,
    /// Mailboxes: a message is a document.
    Mbox = "mbox" in mbox,
    /// Messages in files of their own.
    Eml = "eml" in eml,
    /// Web archives: WARC, and WET with plain text.
    Warc = "warc" in warc,
    /// Descriptions of other files without a text: METS, annotations of PAN; passed over.
    Annotations = "annotations" in annotations,
    /// Scanned pages (ALTO): a block is a document.
    Alto = "alto" in alto,
    /// News feeds: RSS, Atom, RDF and JSON Feed; an item is a document.
    Feed = "feed" in feed,
    /// JSON Lines: one object a line.
    Jsonl = "jsonl" in jsonl,
    /// JSON: an array of objects, one object, or objects one after another.
    Json = "json" in json,
    /// SGML collections: Reuters-21578 and TREC.
    Sgml = "sgml" in sgml,
    /// HTML: the file is one document.
    Html = "html" in html,
    /// XML packages of many documents, such as ROMIP's.
    Xml = "xml" in xml,
    /// Tables with tabs between the columns.
    Tsv = "tsv" in tsv,
    /// Tables with commas, semicolons or bars between the columns.
    Csv = "csv" in csv,
    /// LaTeX: the file is one document.
    Latex = "latex" in latex,
    /// Markdown: the file is one document.
    Markdown = "markdown" in markdown,
    /// Wikitext: the file is one document.
    Wiki = "wiki" in wiki,
    /// Plain text: the file is one document.
    Text = "text" in text,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(given: &str) -> Result<Self, UnknownFormat> {
        Self::ALL.iter().copied().find(|format| format.name() == given).ok_or_else(|| {
            let accepted = Self::ALL.iter().map(|format| format.name()).collect::<Vec<_>>();
            UnknownFormat { given: quoted(given), accepted: accepted.join(", ") }
        })
    }
}
