//! The `retold` command as a person or a script meets it: the real binary, real files.

#[cfg(unix)]
mod bad_input;
mod common;
mod config;
mod entities;
mod experiment;
mod generate;
mod help;
#[cfg(unix)]
mod interrupt;
mod messages;
mod mining;
mod running;
mod samples;
