//! What ends a command early: the message, the one thing to do about it, and the exit code.

use std::io;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use retold::{ConfigError, Error, Family, OutputError};
use retold_lab::generate::ReplayError;
use retold_lab::reference::ListFileError;
use retold_lab::{Error as LabError, EvaluateError};

/// Why a command did not come to its end.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line, the environment or a configuration file asks for something that cannot
    /// be done.
    Usage {
        /// What is wrong, as a lower-case fragment.
        message: String,
        /// The one thing to do about it.
        hint: Option<String>,
    },
    /// Help or the version was asked for; clap prints it.
    Shown(clap::Error),
    /// The run ended early.
    Run {
        /// Why.
        error: LabError,
        /// Records that were skipped before.
        n_skipped: u64,
    },
    /// Results could not be printed.
    Print(io::Error),
}

/// Exit codes, all of them.
pub(crate) mod code {
    /// The command did what it was asked.
    pub(crate) const DONE: u8 = 0;
    /// Something the caller can fix: options, paths, a full disk.
    pub(crate) const USER: u8 = 2;
    /// An input that cannot be used: a bad record in a strict run, or no documents at all.
    pub(crate) const INPUT: u8 = 3;
    /// A mistake of this program.
    pub(crate) const INTERNAL: u8 = 4;
    /// Stopped by Ctrl-C, as shells count it.
    pub(crate) const STOPPED: u8 = 130;
}

impl Failure {
    /// Makes a usage failure without a hint.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: None }
    }

    /// Makes a usage failure with a hint.
    pub(crate) fn hinted(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: Some(hint.into()) }
    }

    /// Calls settings of which the library says that they cannot be used by their options, where the
    /// command has these: `--differ`, not `differ`.
    pub(crate) fn naming_options(
        mut self,
        program: &clap::Command,
        mut matches: &clap::ArgMatches,
    ) -> Self {
        if let Self::Run {
            error: LabError::Retold(Error::Config(ConfigError::Value { name, .. })),
            ..
        } = &mut self
        {
            let mut here = program;
            while let Some((below, of_below)) = matches.subcommand() {
                (here, matches) = (here.find_subcommand(below).unwrap_or(here), of_below);
            }
            let option = name.replace('_', "-");
            if here.get_arguments().any(|arg| arg.get_long() == Some(&*option)) {
                *name = format!("`--{option}`");
            }
        }
        self
    }

    /// Makes one from what clap says, in the words of this program.
    pub(crate) fn from_clap(error: clap::Error, command: &str) -> Self {
        if matches!(
            error.kind(),
            ErrorKind::DisplayHelp
                | ErrorKind::DisplayVersion
                | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        ) {
            return Self::Shown(error);
        }
        let message = clap_message(&error);
        let suggested = [
            ContextKind::SuggestedArg,
            ContextKind::SuggestedSubcommand,
            ContextKind::SuggestedValue,
        ]
        .into_iter()
        .find_map(|kind| first_text(error.get(kind)?));
        let hint = match suggested {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("`{command} --help` shows what is accepted"),
        };
        Self::Usage { message, hint: Some(hint) }
    }

    /// Returns the exit code; the only place where it is decided.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Shown(error) if error.use_stderr() => code::USER,
            Self::Shown(_) => code::DONE,
            // Whoever closed the pipe has seen enough.
            Self::Print(error) if error.kind() == io::ErrorKind::BrokenPipe => code::DONE,
            Self::Usage { .. } | Self::Print(_) => code::USER,
            Self::Run { error, .. } => match error.family() {
                Family::User => code::USER,
                Family::Input => code::INPUT,
                Family::Stopped => code::STOPPED,
                _ => code::INTERNAL,
            },
        }
    }

    /// Returns what the message begins with: stopping as asked is no error.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Run { error, .. } if error.family() == Family::Stopped => "stopped",
            _ => "error",
        }
    }

    /// Returns what there is to say; nothing if whoever asked knows.
    pub(crate) fn message(&self) -> Option<String> {
        match self {
            Self::Usage { message, .. } => Some(message.clone()),
            Self::Shown(_) => None,
            Self::Run { error, .. } => {
                let text = error.to_string();
                Some(text.strip_prefix("stopped ").map(str::to_owned).unwrap_or(text))
            }
            Self::Print(error) if error.kind() == io::ErrorKind::BrokenPipe => None,
            Self::Print(error) => Some(format!("cannot print: {error}")),
        }
    }

    /// Returns the one thing to do.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Usage { hint, .. } => hint.clone(),
            Self::Shown(_) | Self::Print(_) => None,
            Self::Run { error, n_skipped } => run_hint(error, *n_skipped),
        }
    }
}

impl From<LabError> for Failure {
    fn from(error: LabError) -> Self {
        Self::Run { error, n_skipped: 0 }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        LabError::from(error).into()
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Error::from(error).into()
    }
}

fn run_hint(error: &LabError, n_skipped: u64) -> Option<String> {
    let text = match error {
        LabError::Retold(error) => return library_hint(error, n_skipped),
        LabError::Plan { .. } => "`retold generate --help` shows what a plan looks like",
        LabError::Log {
            source: ReplayError::Missing { .. } | ReplayError::Different { .. },
            ..
        } => "name the same files as when it was made",
        LabError::Lists(ListFileError::Line { .. }) => {
            "`retold evaluate --help` shows what lists look like"
        }
        LabError::Lists(ListFileError::Unknown(_)) => {
            "name it with `--kind`, or `--found-kind` if it is a result"
        }
        LabError::Lists(ListFileError::NoTables(_)) => {
            "`retold find -o DIR` writes such a folder; `--format parquet` is not read"
        }
        LabError::Evaluate(EvaluateError::Units { .. } | EvaluateError::NoText(_)) => {
            "pass the collection with `--texts`, by which places are converted"
        }
        LabError::Judging(_) => {
            "`retold pool` makes pools, `retold judge --as NAME` files of judgements"
        }
        LabError::Mining(_) => "`retold mine --list` tells what there is and what each finds",
        LabError::Transactions { .. } => "`retold mine --help` shows what such a file looks like",
        _ => return None,
    };
    Some(text.to_owned())
}

fn library_hint(error: &Error, n_skipped: u64) -> Option<String> {
    match error {
        Error::Config(ConfigError::UnknownMethod { .. }) => {
            Some("`retold methods` lists them".to_owned())
        }
        Error::Config(ConfigError::UnknownParameter { method, .. }) => {
            Some(format!("`retold methods {method}` tells what they do"))
        }
        Error::NotEnough { hint, .. } => Some(hint.clone()),
        Error::Resume { folder, .. } => {
            Some(format!("delete `{}` to begin anew", folder.display()))
        }
        Error::NeedsTable(method) => Some(format!(
            "make a table once with `retold idf build ARCHIVE -o FILE --method {method}` and pass `--idf FILE`"
        )),
        Error::LostStatistics { index, .. } => {
            Some(format!("`retold index refresh {}` takes them anew", index.display()))
        }
        Error::OtherDocuments { .. } => {
            Some("without `--forget` documents stay; `retold index expire` removes by time".to_owned())
        }
        Error::NoText { .. } => {
            Some("name an index or files that hold the documents with `--in`".to_owned())
        }
        Error::Results { reason, .. } if reason.ends_with("is not there") => Some(
            "run it in the folder where the results were made, or name the texts with `--in`"
                .to_owned(),
        ),
        Error::Table { .. } => Some(
            "make it again with `retold idf build` and the same --method, --profile and text options"
                .to_owned(),
        ),
        Error::Memory { needed, .. } => {
            Some(format!("pass `--memory {}M`", needed.div_ceil(1 << 20)))
        }
        Error::ProcessMemory { needed, .. } => {
            Some(format!("`ulimit -d {}` allows it", needed.div_ceil(1 << 10)))
        }
        Error::List { .. } => {
            Some("`retold entities --help` shows what such a file looks like".to_owned())
        }
        Error::Output(OutputError::Exists(_)) => {
            Some("pass `--overwrite` to replace an earlier result".to_owned())
        }
        Error::Output(OutputError::FileExists(_)) => {
            Some("pass `--overwrite` to replace it".to_owned())
        }
        Error::Output(OutputError::NoFile { .. }) => Some("name another file".to_owned()),
        Error::Output(OutputError::NotOurs(_)) => Some("name another folder with `-o`".to_owned()),
        Error::Input(_) => {
            Some("without `--strict` such records are skipped and counted".to_owned())
        }
        // What was skipped has been said; that nothing was needs a reason.
        Error::Empty(_) if n_skipped == 0 => {
            Some("hidden files in folders are passed over; name one to read it".to_owned())
        }
        _ => None,
    }
}

/// Names that are listed in a message; of longer lists the hint tells the nearest.
const MOST_LISTED: usize = 12;

/// Says what clap found wrong on one line.
fn clap_message(error: &clap::Error) -> String {
    let text = |kind| error.get(kind).and_then(first_text);
    let arg = text(ContextKind::InvalidArg);
    let value = text(ContextKind::InvalidValue);
    match (error.kind(), arg, value) {
        (ErrorKind::UnknownArgument, Some(arg), _) => format!("there is no option `{arg}` here"),
        (ErrorKind::InvalidSubcommand, ..) => {
            let given = text(ContextKind::InvalidSubcommand).unwrap_or_default();
            format!("there is no command `{given}`")
        }
        (ErrorKind::InvalidValue, Some(arg), Some(value)) if value.is_empty() => {
            format!("{} needs a value", option_name(&arg))
        }
        (ErrorKind::InvalidValue, Some(arg), Some(value)) => {
            let accepted = match error.get(ContextKind::ValidValue) {
                Some(ContextValue::Strings(names)) if names.len() > MOST_LISTED => {
                    return format!("{} does not know `{value}`", option_name(&arg));
                }
                Some(ContextValue::Strings(names)) => listed(names),
                _ => "something else".to_owned(),
            };
            format!("{} must be {accepted}, got `{value}`", option_name(&arg))
        }
        (ErrorKind::ValueValidation, Some(arg), Some(value)) => {
            let reason = std::error::Error::source(error)
                .map_or_else(|| "it is not accepted".to_owned(), ToString::to_string);
            if reason.contains(&value) {
                format!("{}: {reason}", option_name(&arg))
            } else {
                format!("{}: {reason}, got `{value}`", option_name(&arg))
            }
        }
        (ErrorKind::MissingRequiredArgument, ..) => {
            let missing = match error.get(ContextKind::InvalidArg) {
                Some(ContextValue::Strings(names)) => names.join(" and "),
                _ => "an argument".to_owned(),
            };
            format!("{missing} must be given")
        }
        _ => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            first.strip_prefix("error: ").unwrap_or(first).to_owned()
        }
    }
}

/// Returns `--cover` for clap's `--cover <X>`.
fn option_name(arg: &str) -> String {
    format!("`{}`", arg.split(' ').next().unwrap_or(arg))
}

/// Joins names for a sentence: `a, b or c`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} or {last}", rest.join(", ")),
    }
}

fn first_text(value: &ContextValue) -> Option<String> {
    match value {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => texts.first().cloned(),
        _ => None,
    }
}
