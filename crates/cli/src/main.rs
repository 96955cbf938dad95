//! The `retold` command: finds what was told again in document collections.
//!
//! Arguments are read together with a configuration file and the environment ([`layers`]), parsed
//! into plain structs ([`args`]), resolved into settings ([`settings`]) and run ([`commands`]).
//! Results go to stdout, everything else to stderr; exit codes stand in [`failure`].

mod args;
mod commands;
mod failure;
mod interrupt;
mod layers;
mod markdown;
mod progress;
mod settings;
mod terminal;

use std::env;
use std::ffi::OsString;
use std::panic;
use std::process::ExitCode;

use clap::FromArgMatches as _;

use args::{Cli, Color, Command};
use failure::{Failure, code};

fn main() -> ExitCode {
    let line: Vec<OsString> = env::args_os().collect();
    panic::set_hook(Box::new(|panic| {
        let panic = panic.to_string().replace('\n', " ");
        let text = format!("internal error: {panic}; please report it");
        terminal::say("error", &text, Color::Auto);
    }));
    let ended = panic::catch_unwind(|| run(&line));
    ExitCode::from(match ended {
        Ok(Ok(())) => code::DONE,
        Ok(Err(failure)) => {
            tell(&failure);
            failure.exit_code()
        }
        Err(_) => code::INTERNAL,
    })
}

/// Does what the command line asks for.
fn run(line: &[OsString]) -> Result<(), Failure> {
    let matches = layers::parse(&args::command(), line, env::vars_os())?;
    let cli =
        Cli::from_arg_matches(&matches).map_err(|error| Failure::from_clap(error, "retold"))?;
    match cli.command {
        Command::Find(args) => commands::find::find(&settings::find(args)?),
        Command::Dedup(args) => commands::dedup::dedup(&settings::dedup(args)?),
        Command::Compare(args) => commands::compare::compare(&settings::compare(args)?),
        Command::Methods(args) => commands::methods::methods(&args),
        Command::Completions(args) => commands::completions::completions(&args),
        Command::Man(args) => commands::man::man(&args),
    }
}

/// Says what went wrong and what can be done.
fn tell(failure: &Failure) {
    if let Failure::Shown(shown) = failure {
        // Help that cannot be printed is lost: whoever asked has gone.
        let _ = shown.print();
    }
    if let Some(message) = failure.message() {
        terminal::say(failure.word(), &message, Color::Auto);
        if let Some(hint) = failure.hint() {
            terminal::say("hint", &hint, Color::Auto);
        }
    }
}
