//! Groups of options that most commands take together.

use clap::Args;

use super::{LimitArgs, MethodArgs, ReadArgs, RunArgs, TextArgs};

/// What every command takes that reads documents.
#[derive(Clone, Debug, Args)]
pub(crate) struct InputArgs {
    #[command(flatten)]
    pub(crate) read: ReadArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// What every command takes that compares documents by one method.
#[derive(Debug, Args)]
pub(crate) struct DetectArgs {
    #[command(flatten)]
    pub(crate) method: MethodArgs,

    #[command(flatten)]
    pub(crate) text: TextArgs,

    #[command(flatten)]
    pub(crate) input: InputArgs,
}
