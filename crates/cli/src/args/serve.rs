//! `retold serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::MannerArgs;
use super::values;

/// Serve collections over HTTP: an API, jobs, results and notices.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Serve {
    /// Indexes to serve; they are only read.
    #[arg(value_name = "INDEX", value_hint = ValueHint::DirPath)]
    pub(crate) archives: Vec<PathBuf>,

    /// Address to listen on; port 0 takes any that is free.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8600")]
    pub(crate) listen: SocketAddr,

    /// Folder that holds everything the server keeps; it is made if it is not there.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    #[arg(required_unless_present = "demo")]
    pub(crate) data: Option<PathBuf>,

    /// Load the sample news; without --data everything is gone when the server ends.
    #[arg(long)]
    pub(crate) demo: bool,

    /// Folder that jobs may read files from; may be given several times.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) root: Vec<PathBuf>,

    /// File with a key that may do everything; its first line is taken. The variable `RETOLD_TOKEN`
    /// holds one as well. Without a key only addresses of this machine are listened on.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Safety")]
    pub(crate) token_file: Option<PathBuf>,

    /// Name by which the server is addressed, if it is not that of the address; may be given several
    /// times.
    #[arg(long, value_name = "NAME", help_heading = "Safety")]
    pub(crate) host: Vec<String>,

    /// Address, or beginning of addresses, that notices may be sent to; may be given several times.
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url, help_heading = "Safety")]
    pub(crate) allow_webhook: Vec<String>,

    /// A limit and its value, by the names of /api/v1/limits; may be given several times.
    #[arg(long, value_name = "NAME=N", help_heading = "Safety")]
    pub(crate) limit: Vec<String>,

    /// Jobs at once. [default: 1]
    #[arg(long, value_name = "N", help_heading = "Running")]
    pub(crate) jobs: Option<usize>,

    /// Threads of one job; 0 means as many as the machine runs at once.
    #[arg(long, value_name = "N", help_heading = "Running")]
    pub(crate) threads: Option<usize>,

    /// Memory of one job, such as 2G. [default: half of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = values::size, help_heading = "Running")]
    pub(crate) memory: Option<u64>,

    #[command(flatten)]
    pub(crate) manner: MannerArgs,
}

const EXAMPLES: &str = "\
EXAMPLES
  retold serve --demo                                  sample news on http://127.0.0.1:8600
  retold serve archive.idx --data state                an index, and what people do with it
  retold serve --data state --root /srv/news           jobs may read files below /srv/news
  retold serve --data state --listen 0.0.0.0:8600 --token-file key.txt --host news.example.org
  curl -s localhost:8600/api/v1/collections/demo/query --json '{\"text\": \"...\"}'

/openapi.json on the server describes everything that can be asked. docs/operating.md tells how to
back up, restore, upgrade and watch a server.";
