//! What ends a run: three families, and the wish to stop.

use std::io;
use std::path::{Path, PathBuf};

use retold_core::entities::ListError;
use retold_core::error::ConfigError;
use retold_read::{BadRecord, DiscoverError};
use retold_report::OutputError;
use thiserror::Error;

use crate::pipeline::budget::size;

/// Why a run ended early. The family decides the exit code.
///
/// ```
/// use retold::{Error, Files, Find, Nothing};
///
/// let error = Find::new(Files::new(["no/such/folder"])).run(&mut Nothing).unwrap_err();
/// assert!(matches!(error, Error::Discover(_)), "{error}");
/// assert!(error.to_string().contains("no/such/folder"));
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// Settings or paths the caller can fix.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Inputs that are not there.
    #[error(transparent)]
    Discover(#[from] DiscoverError),
    /// An output folder that cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A bad record in a strict run.
    #[error("{0}")]
    Input(BadRecord),
    /// Nothing to read.
    #[error("no documents in {0}")]
    Empty(String),
    /// A file that could not be read or written.
    #[error("cannot {what} `{}`: {source}", path.display())]
    Io {
        /// What was tried: `write`, `create`.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A folder of results that cannot be used.
    #[error("cannot use results `{}`: {reason}", path.display())]
    Results {
        /// The folder.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A document of earlier results whose text is not where it was looked for.
    #[error("the text of `{id}` was not found, nor those of {} others", n_missing - 1)]
    NoText {
        /// The document.
        id: String,
        /// Documents that are missing, this one included.
        n_missing: usize,
    },
    /// A result folder that lacks what is asked for.
    #[error("cannot regroup `{}`: {reason}", folder.display())]
    NotEnough {
        /// The folder.
        folder: PathBuf,
        /// What it lacks.
        reason: String,
        /// What to do.
        hint: String,
    },
    /// A folder of an interrupted run that cannot go on.
    #[error("cannot resume from `{}`: {reason}", folder.display())]
    Resume {
        /// The folder.
        folder: PathBuf,
        /// Why.
        reason: String,
    },
    /// A table of statistics that cannot be used.
    #[error("cannot use `{}`, line {line}: {reason}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// Where.
        line: u64,
        /// Why.
        reason: String,
    },
    /// A list of names or rule words that cannot be used.
    #[error("cannot use `{}`: {source}", path.display())]
    List {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        source: ListError,
    },
    /// A method that needs statistics where there is no collection to take them from.
    #[error(
        "method `{0}` weighs words by how many documents hold them, and a stream does not know its documents beforehand"
    )]
    NeedsTable(String),
    /// A method of an index whose statistics are lost.
    #[error("the statistics of method `{method}` in index `{}` are lost", index.display())]
    LostStatistics {
        /// The index.
        index: PathBuf,
        /// The method.
        method: String,
    },
    /// Rows of a copy that could not be written.
    #[error(transparent)]
    Copy(#[from] retold_read::CopyError),
    /// Somebody asked the run to stop; nothing was written.
    #[error("stopped during {stage} after {n_documents} documents; nothing was written")]
    Stopped {
        /// The stage it was in.
        stage: &'static str,
        /// Documents read so far.
        n_documents: u64,
    },
    /// Somebody asked the run to stop; it can be resumed.
    #[error(
        "stopped during {stage} after {n_documents} documents; the same command goes on from `{}`",
        folder.display()
    )]
    StoppedResumable {
        /// The stage it was in.
        stage: &'static str,
        /// Documents read so far.
        n_documents: u64,
        /// What it goes on from.
        folder: PathBuf,
    },
    /// An index that cannot be read or written.
    #[error("cannot use index `{}`: {source}", path.display())]
    Index {
        /// The index.
        path: PathBuf,
        /// Why.
        source: retold_index::Error,
    },
    /// An index that says something of itself which is not understood.
    #[error("cannot use index `{}`: {reason}", path.display())]
    NotReadable {
        /// The index.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A method that an index was not made for.
    #[error("index `{}` was not made for method `{method}`; it has {known}", index.display())]
    NoSuchMethod {
        /// The index.
        index: PathBuf,
        /// The method asked for.
        method: String,
        /// Those it has.
        known: String,
    },
    /// A method that an index would have twice.
    #[error("an index has each method once, and `{0}` is there already")]
    MethodTwice(String),
    /// A method without settings for a wanted similarity.
    #[error(
        "method `{method}` has nothing to be set for a wanted recall; {known} have. Without a recall, a \
         similarity works with every method"
    )]
    NoSettings {
        /// The method.
        method: String,
        /// Those that have some.
        known: String,
    },
    /// A parameter that is to be found, but was given.
    #[error("parameter `{parameter}` is found for a wanted recall and cannot be set beside it")]
    AlreadySet {
        /// The parameter.
        parameter: String,
    },
    /// Standard input, where documents have to be read twice.
    #[error(
        "standard input can be read once, and a wanted recall needs a sample first: write it to a file"
    )]
    ReadTwice,
    /// An index without a method.
    #[error("an index needs a method")]
    NoMethod,
    /// A stream that would let documents of others leave an index.
    #[error(
        "index `{}` holds documents that did not come through this stream, such as `{id}`, and they would leave with it",
        index.display()
    )]
    OtherDocuments {
        /// The index.
        index: PathBuf,
        /// One of them.
        id: String,
    },
    /// A document whose text lies elsewhere and is no longer what it was.
    #[error("the text of `{id}` in `{}` is no longer what was indexed", path.display())]
    Changed {
        /// The document.
        id: String,
        /// Where its text was.
        path: PathBuf,
    },
    /// Somebody asked to add no more documents.
    #[error(
        "stopped after {n_documents} documents, which are in the index; add the same again to go on"
    )]
    StoppedAdding {
        /// Documents taken.
        n_documents: u64,
    },
    /// Somebody asked to follow no longer.
    #[error("stopped after {n_documents} documents")]
    StoppedFollowing {
        /// Documents answered.
        n_documents: u64,
    },
    /// A budget of memory that is too small.
    #[error("{what} cannot be held in {}; the smallest memory that will do is {}", size(*given), size(*needed))]
    Memory {
        /// What does not fit.
        what: String,
        /// The bytes that would do.
        needed: u64,
        /// The bytes there are.
        given: u64,
    },
    /// A limit of the process, such as `ulimit -d` sets it, that is too small.
    #[error("{what} cannot be held in {}, which is all that this process may have; it needs {}", size(*given), size(*needed))]
    ProcessMemory {
        /// What does not fit.
        what: String,
        /// The bytes that would do.
        needed: u64,
        /// The bytes there are.
        given: u64,
    },
    /// Our mistake.
    #[error("internal error: {0}; please report it")]
    Internal(String),
}

/// Whose an error is; it decides the exit code of the program.
///
/// ```
/// use retold::{Document, Documents, Family, Find, Nothing};
///
/// let documents = || Documents::new(vec![Document::plain("a", "some text")]);
/// let family = |find: Find| find.run(&mut Nothing).unwrap_err().family();
/// assert_eq!(family(Find::new(documents()).method("no such method")), Family::User);
/// assert_eq!(family(Find::new(documents()).parameter("k", 0)), Family::User);
/// assert_eq!(family(Find::new(Documents::default())), Family::Input);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Family {
    /// The caller's: settings, paths, a full disk.
    User,
    /// The input's: a bad record in a strict run, or nothing to read.
    Input,
    /// Nobody's: the work was asked to stop.
    Stopped,
    /// This program's.
    Internal,
}

impl Error {
    /// Returns whose the error is.
    pub fn family(&self) -> Family {
        match self {
            Self::Config(_)
            | Self::Discover(_)
            | Self::Output(_)
            | Self::Io { .. }
            | Self::Results { .. }
            | Self::NoText { .. }
            | Self::Table { .. }
            | Self::NotEnough { .. }
            | Self::Resume { .. }
            | Self::List { .. }
            | Self::NeedsTable(_)
            | Self::Memory { .. }
            | Self::ProcessMemory { .. }
            | Self::Index { .. }
            | Self::NotReadable { .. }
            | Self::NoSuchMethod { .. }
            | Self::LostStatistics { .. }
            | Self::MethodTwice(_)
            | Self::NoSettings { .. }
            | Self::AlreadySet { .. }
            | Self::ReadTwice
            | Self::NoMethod
            | Self::OtherDocuments { .. }
            | Self::Copy(_) => Family::User,
            Self::Input(_) | Self::Empty(_) | Self::Changed { .. } => Family::Input,
            Self::Stopped { .. }
            | Self::StoppedResumable { .. }
            | Self::StoppedFollowing { .. }
            | Self::StoppedAdding { .. } => Family::Stopped,
            Self::Internal(_) => Family::Internal,
        }
    }

    /// An error about an index.
    pub(crate) fn index(path: &Path) -> impl FnOnce(retold_index::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Index { path, source }
    }

    /// An error about one file.
    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { what, path, source }
    }
}
