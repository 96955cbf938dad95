//! Reading generated files: what is accepted, what is refused, and with which reason.

mod archives;
mod bad_input;
mod bombs;
mod bytes;
mod common;
mod copying;
mod formats;
mod lines;
mod parquet_files;
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(feature = "pdf")]
mod pdf_files;
