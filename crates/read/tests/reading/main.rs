//! Reading generated files: what is accepted, what is refused, and with which reason.

mod archives;
mod arrow;
mod bad_input;
mod bombs;
mod bytes;
mod common;
mod copying;
mod feeds;
mod formats;
mod lines;
mod mails;
mod marked;
mod office;
mod parquet_files;
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(feature = "pdf")]
mod pdf_files;
mod sqlite;
