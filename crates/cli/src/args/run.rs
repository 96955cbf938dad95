//! Options about running: machine, configuration, and how to talk.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use serde::Deserialize;

use super::values;

/// What every run that compares may be told.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Running")]
pub(crate) struct RunArgs {
    /// Seed of everything drawn at random.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// Read options from a TOML or JSON file, by the names they have here, or those of an earlier
    /// run from its manifest.json; `RETOLD_THREADS=2` in the environment goes before the file, what
    /// is typed before both.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
}

/// What a run may use of the machine.
#[derive(Debug, Args)]
#[command(next_help_heading = "Running")]
pub(crate) struct ResourceArgs {
    /// Number of threads; 0 means as many as the machine runs at once. At most four times as many
    /// are started, or 64 if that is more.
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,

    /// Memory of the whole process, such as 4G or 512M; what does not fit goes to scratch files. 0
    /// takes half of what the machine or its control group has.
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub(crate) memory: Option<u64>,

    /// Folder for scratch files.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) scratch: Option<PathBuf>,
}

/// How a command talks.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Running")]
pub(crate) struct MannerArgs {
    /// Print the result as JSON instead of text.
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Say nothing but results and errors.
    #[arg(short, long, overrides_with = "verbose")]
    pub(crate) quiet: bool,

    /// Name every record that was skipped, not only the first 20.
    #[arg(short, long, overrides_with = "quiet")]
    pub(crate) verbose: bool,

    /// Colour the output: auto, always, never.
    #[arg(long, value_name = "WHEN", value_parser = values::choice::<Color>(Color::NAMES))]
    #[arg(hide_possible_values = true)]
    pub(crate) color: Option<Color>,
}

/// When output is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// The names of the choices.
    pub(crate) const NAMES: &'static [&'static str] = &["auto", "always", "never"];
}
