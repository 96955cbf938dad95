//! The `retold` command as a person or a script meets it: the real binary, real files.

#[cfg(unix)]
mod bad_input;
mod common;
mod config;
mod entities;
mod evaluate;
mod experiment;
mod generate;
mod help;
#[cfg(unix)]
mod interrupt;
mod judge;
mod messages;
mod mining;
mod running;
mod samples;
