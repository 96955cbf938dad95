//! `retold completions`.

use clap::Args;
use clap_complete::Shell;

/// Print completions for a shell.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Completions {
    /// The shell: bash, zsh, fish, elvish, powershell.
    #[arg(value_name = "SHELL", value_enum, hide_possible_values = true)]
    pub(crate) shell: Shell,
}

const EXAMPLES: &str = "\
EXAMPLES
  retold completions bash > ~/.local/share/bash-completion/completions/retold
  retold completions zsh > ~/.zfunc/_retold
  retold completions fish > ~/.config/fish/completions/retold.fish";
