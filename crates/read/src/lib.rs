//! Files, archives and streams in, documents out.
//!
//! [`discover`] turns paths into a list of files, [`Reader`] cuts the files into batches under a
//! lock, [`Batch::parse`] makes the documents on any thread, and [`Again`] reads a document once
//! more by its [`Place`].
//!
//! A file is taken apart in three steps: containers (gzip, zstd, xz, zip, tar) are opened as
//! streams, never unpacked to disk; the format is told from the first bytes, and from the name
//! where they do not say; a format reader cuts the stream into records. Formats stand in one
//! table in `format.rs`; each has a file of its own.
//!
//! Nothing that stands in an input ends a run: a record that cannot be read becomes a
//! [`BadRecord`] with its file, number, byte and reason, and [`Limits`] bound what any input can
//! ask for.

// What an input may hold ends no run: nothing here is taken for granted but what the line says that does.
#![deny(clippy::expect_used, clippy::unwrap_used)]

mod access;
mod again;
mod alto;
mod annotations;
mod archive;
mod arrow;
mod bad;
mod bytes;
mod compress;
mod copy;
mod csv;
mod docx;
mod eml;
mod encoding;
mod epub;
mod feed;
mod fields;
mod file;
mod format;
mod html;
mod input;
mod json;
mod jsonl;
mod latex;
mod line;
mod mail;
mod markdown;
mod mbox;
mod metered;
mod names;
mod odt;
mod office;
mod options;
mod pack;
mod parquet;
mod pdf;
mod quiet;
mod reader;
mod record_json;
mod rtf;
mod scan;
mod sgml;
mod sniff;
mod sqlite;
mod stream;
mod tar;
mod text;
mod tsv;
mod warc;
mod wiki;
mod xml;
mod zip;

pub use again::Again;
pub use bad::BadRecord;
pub use bytes::open_bytes;
pub use compress::uncompressed_name;
pub use copy::{Copied, CopiedLines, CopyError, Copying, WasRead, copy_kept, shard_path};
pub use encoding::is_encoding;
pub use fields::{Gathered, Names as FieldNames, Use as FieldUse};
pub use format::{Format, UnknownFormat};
pub use input::{DiscoverError, Discovered, InputFile, discover};
pub use line::LineReader;
pub use options::{Fields, Headline, Limits, ReadOptions};
pub use pdf::PdfHelper;
#[cfg(feature = "pdf")]
pub use pdf::serve_pdf;
pub use reader::{Batch, Digests, FileDigest, Place, ReadMark, Reader, Record};
pub use record_json::JsonRecords;
