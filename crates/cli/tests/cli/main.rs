//! The `retold` command as a person or a script meets it: the real binary, real files.

#[cfg(unix)]
mod bad_input;
mod common;
mod config;
mod entities;
mod evaluate;
mod experiment;
mod generate;
mod graphs;
mod help;
mod index;
#[cfg(unix)]
mod interrupt;
mod judge;
#[cfg(target_os = "linux")]
mod limits;
mod messages;
mod mining;
#[cfg(unix)]
mod outputs;
#[cfg(target_os = "linux")]
mod pdf;
#[cfg(target_os = "linux")]
#[path = "../../../read/tests/reading/pdf_files.rs"]
mod pdf_files;
mod planning;
mod regroup;
mod running;
mod samples;
mod serve;
mod spark;
mod strikes;
mod tree;
mod verdicts;
