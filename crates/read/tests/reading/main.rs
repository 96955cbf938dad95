//! Reading generated files: what is accepted, what is refused, and with which reason.

mod common;
mod formats;
mod lines;
