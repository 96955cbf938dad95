//! Reading generated files: what is accepted, what is refused, and with which reason.

mod archives;
mod bad_input;
mod bombs;
mod bytes;
mod common;
mod copying;
mod formats;
mod lines;
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(feature = "pdf")]
mod pdf_files;
