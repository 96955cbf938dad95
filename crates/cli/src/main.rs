//! The `retold` command: finds what was told again in document collections.
//!
//! Arguments are read together with a configuration file and the environment ([`layers`]), parsed
//! into plain structs ([`args`]), resolved into settings ([`settings`]) and run ([`commands`]).
//! Results go to stdout, everything else to stderr; exit codes stand in [`failure`].

mod args;
mod commands;
mod failure;
mod interrupt;
mod keys;
mod layers;
mod markdown;
mod progress;
mod settings;
mod terminal;

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::panic;
use std::process::ExitCode;

use clap::{ArgMatches, FromArgMatches as _};

use args::{Cli, Color, Command};
use failure::{Failure, code};

fn main() -> ExitCode {
    let line: Vec<OsString> = env::args_os().collect();
    if line.get(1).is_some_and(|word| word == READ_PDF) {
        return read_pdf();
    }
    panic::set_hook(Box::new(|panic| {
        let panic = panic.to_string().replace('\n', " ");
        let text = format!("internal error: {panic}; please report it");
        terminal::say("error", &text, Color::Auto);
    }));
    let ended = panic::catch_unwind(|| run(&line));
    ExitCode::from(match ended {
        Ok(Ok(())) => code::DONE,
        Ok(Err(failure)) => {
            let failure = show(failure);
            tell(&failure, typed_color(&line));
            failure.exit_code()
        }
        Err(_) => code::INTERNAL,
    })
}

/// First word of the command line of a process that reads PDF for another one; see [`read_pdf`].
const READ_PDF: &str = "read-pdf";

/// Reads PDF for the process that started this one; nobody types it.
fn read_pdf() -> ExitCode {
    ExitCode::from(match retold_read::serve_pdf() {
        Ok(()) => code::DONE,
        // Whoever asked has gone; there is nobody to tell.
        Err(_) => code::INTERNAL,
    })
}

/// Does what the command line asks for.
fn run(line: &[OsString]) -> Result<(), Failure> {
    let command = args::command();
    let matches = layers::parse(&command, line, env::vars_os())?;
    let cli =
        Cli::from_arg_matches(&matches).map_err(|error| Failure::from_clap(error, "retold"))?;
    if let Some(note) = threads_note(&matches) {
        terminal::say("note", &note, typed_color(line));
    }
    let typed = layers::typed_options(&command, line);
    done(cli.command, &typed).map_err(|failure| failure.naming_options(&command, &matches))
}

/// Does what a command asks for, of whose options some were `typed`.
fn done(command: Command, typed: &BTreeSet<String>) -> Result<(), Failure> {
    match command {
        Command::Find(args) => commands::find::find(&settings::find(args)?),
        Command::Dedup(args) => match settings::dedup(args, typed)? {
            (task, None) => commands::dedup::dedup(&task),
            (task, Some(strikes)) => commands::strikes::strike(&task, strikes),
        },
        Command::Plan(args) => commands::plan::plan(&settings::plan(*args)?),
        Command::Rebuild(args) => commands::rebuild::rebuild(args),
        Command::Regroup(args) => commands::regroup::regroup(settings::regroup(*args)),
        Command::Compare(args) => commands::compare::compare(&settings::compare(args)?),
        Command::Query(args) => commands::query::query(&settings::query(*args)?),
        Command::Stream(args) => commands::stream::stream(&settings::stream(*args)?),
        Command::Index(args) => commands::index::index(settings::index(*args)?),
        Command::Serve(args) => commands::serve::serve(settings::serve(*args)?),
        Command::Spark(args) => commands::spark::spark(&args),
        Command::Lineage(args) => commands::lineage::lineage(&settings::lineage(*args)?),
        Command::Links(args) => commands::links::links(&settings::links(*args)?),
        Command::Evaluate(args) => commands::evaluate::evaluate(&settings::evaluate(*args)?),
        Command::Idf(args) => commands::idf::idf(&settings::idf(*args)?),
        Command::Entities(args) => commands::entities::entities(&settings::entities(*args)),
        Command::Generate(args) => commands::generate::generate(&settings::generate(*args)?),
        Command::Experiment(args) => {
            commands::experiment::experiment(&settings::experiment(*args)?)
        }
        Command::Mine(args) => commands::mine::mine(&settings::mine(*args)?),
        Command::Lattice(args) => commands::lattice::lattice(&settings::lattice(args)),
        Command::Tree(args) => commands::tree::tree(&settings::tree(*args)?),
        Command::Pool(args) => commands::pool::pool(&settings::pool(*args)?),
        Command::Judge(args) => commands::judge::judge(&settings::judge(*args)?),
        Command::Methods(args) => commands::methods::methods(&args),
        Command::Completions(args) => commands::completions::completions(&args),
        Command::Man(args) => commands::man::man(&args),
    }
}

/// Returns what is to be said of `--threads` if fewer are started than asked for.
fn threads_note(matches: &ArgMatches) -> Option<String> {
    let (_, mut given) = matches.subcommand()?;
    while let Some((_, inner)) = given.subcommand() {
        given = inner;
    }
    // Not every command has these options.
    let is_quiet = given.try_get_one::<bool>("quiet").ok().flatten().is_some_and(|quiet| *quiet);
    let asked = *given.try_get_one::<usize>("threads").ok()??;
    let most = retold::most_threads();
    (asked > most && !is_quiet).then(|| {
        format!("{most} threads are started, not {asked}: more would only wait for each other")
    })
}

/// Prints help and versions; what cannot be printed is a failure of its own.
fn show(failure: Failure) -> Failure {
    let Failure::Shown(shown) = failure else { return failure };
    match shown.print().and_then(|()| io::stdout().flush()) {
        Ok(()) => Failure::Shown(shown),
        Err(error) => Failure::Print(error),
    }
}

/// Says what went wrong and what can be done.
fn tell(failure: &Failure, color: Color) {
    if let Some(message) = failure.message() {
        terminal::say(failure.word(), &message, color);
        if let Some(hint) = failure.hint() {
            terminal::say("hint", &hint, color);
        }
    }
}

/// Returns the `--color` that was typed, even in a line that is wrong elsewhere.
fn typed_color(line: &[OsString]) -> Color {
    let words: Vec<&str> = line.iter().filter_map(|word| word.to_str()).collect();
    let apart = words.windows(2).filter(|pair| pair[0] == "--color").map(|pair| pair[1]);
    let joined = words.iter().filter_map(|word| word.strip_prefix("--color="));
    match apart.chain(joined).last() {
        Some("always") => Color::Always,
        Some("never") => Color::Never,
        _ => Color::Auto,
    }
}
