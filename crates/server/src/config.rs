//! What a server is started with.

use std::net::SocketAddr;
use std::path::PathBuf;

use retold::{Job, ReadOptions};

use crate::limits::Limits;

/// What a server is started with.
///
/// ```
/// let config = retold_server::Config::new("127.0.0.1:8600".parse()?, "data");
/// assert!(config.archives.is_empty() && config.token.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The folder that holds everything the server keeps.
    pub data: PathBuf,
    /// Indexes that are served as they are, and only read.
    pub archives: Vec<PathBuf>,
    /// Folders that jobs may read files from.
    pub roots: Vec<PathBuf>,
    /// Names by which the server is addressed, beside those of the loopback and the address it
    /// listens on.
    pub hosts: Vec<String>,
    /// A key that may do everything. Without one only addresses of the loopback are listened on, and
    /// whoever is there may do everything.
    pub token: Option<String>,
    /// Beginnings of addresses that webhooks may go to.
    pub webhooks: Vec<String>,
    /// How much may be asked for.
    pub limits: Limits,
    /// How files are read.
    pub read: ReadOptions,
    /// What a new collection is made with, unless the request says otherwise.
    pub job: Job,
    /// Jobs at once. The default is 1.
    pub n_jobs: usize,
    /// Threads of one job; 0 means as many as the machine runs at once. The default is 0.
    pub job_threads: usize,
    /// Bytes of memory for one job; 0 means half of the machine's. The default is 0.
    pub job_memory: u64,
    /// Whether a collection named `demo` is made of the sample news, if it is not there yet. The default
    /// is false.
    pub demo: bool,
}

impl Config {
    /// Listens on `listen` and keeps everything in `data`.
    pub fn new(listen: SocketAddr, data: impl Into<PathBuf>) -> Self {
        Self {
            listen,
            data: data.into(),
            archives: Vec::new(),
            roots: Vec::new(),
            hosts: Vec::new(),
            token: None,
            webhooks: Vec::new(),
            limits: Limits::default(),
            read: ReadOptions::default(),
            job: Job::default(),
            n_jobs: 1,
            job_threads: 0,
            job_memory: 0,
            demo: false,
        }
    }
}
