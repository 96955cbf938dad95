//! `retold completions`: what a shell needs to complete our names.

use crate::args::{self, Completions};
use crate::failure::Failure;
use crate::terminal;

/// Prints the script.
pub(crate) fn completions(args: &Completions) -> Result<(), Failure> {
    let Completions { shell } = args;
    let mut script = Vec::new();
    clap_complete::generate(*shell, &mut args::command(), "retold", &mut script);
    terminal::print(&String::from_utf8_lossy(&script))
}
