//! `retold man`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// Print the manual page, or write the pages of all commands.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Man {
    /// Folder for the pages of all commands.
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,

    /// Replace pages that are there.
    #[arg(long)]
    pub(crate) overwrite: bool,
}

const EXAMPLES: &str = "\
EXAMPLES
  retold man | man -l -                     read it now
  retold man ~/.local/share/man/man1        install the pages of all commands";
