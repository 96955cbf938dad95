//! What a job is done with: threads, memory, scratch files, and who hears of it.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::Error;
use crate::pipeline::parallel::most_threads;
use crate::progress::{Progress, Silent, Stop};

/// What a job is done with. None of it changes the result.
///
/// ```
/// use retold::{Resources, Stop};
///
/// let stop = Stop::new();
/// let resources = Resources::new().threads(2).memory(512 << 20).stop(&stop);
/// # let _ = resources;
/// ```
#[derive(Clone)]
pub struct Resources {
    pub(crate) threads: usize,
    pub(crate) pool: Option<Arc<ThreadPool>>,
    pub(crate) memory_bytes: u64,
    pub(crate) spill_bytes: Option<usize>,
    pub(crate) scratch: Option<PathBuf>,
    pub(crate) resume: Option<PathBuf>,
    pub(crate) progress: Arc<dyn Progress>,
    pub(crate) stop: Stop,
}

impl Resources {
    /// Takes the whole machine: all its threads, half of its memory, its folder for temporary
    /// files. Nobody hears of the progress and nobody stops it.
    pub fn new() -> Self {
        Self {
            threads: 0,
            pool: None,
            memory_bytes: 0,
            spill_bytes: None,
            scratch: None,
            resume: None,
            progress: Arc::new(Silent),
            stop: Stop::new(),
        }
    }

    /// Sets the number of threads; 0 means as many as the machine has. No more than
    /// [`most_threads`](crate::most_threads) are started.
    ///
    /// ```
    /// let one = retold::Resources::new().threads(1);
    /// # let _ = one;
    /// ```
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, pool: None, ..self }
    }

    /// Lends threads instead of starting some: those of a pool that the caller has anyway.
    ///
    /// ```
    /// use std::sync::Arc;
    /// let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// let resources = retold::Resources::new().pool(Arc::new(pool));
    /// # Ok::<(), rayon::ThreadPoolBuildError>(())
    /// ```
    #[must_use]
    pub fn pool(self, pool: Arc<ThreadPool>) -> Self {
        Self { pool: Some(pool), ..self }
    }

    /// Sets the memory that the whole process may take, in bytes; what does not fit goes to scratch
    /// files. 0 means half of what the machine, or the control group of the process, has.
    ///
    /// ```
    /// use retold::{Document, Documents, Error, Find, Nothing, Resources};
    ///
    /// let documents = Documents::new(vec![Document::plain("a", "some text")]);
    /// let job = Find::new(documents).resources(Resources::new().memory(1 << 20));
    /// let Err(Error::Memory { needed, .. }) = job.run(&mut Nothing) else { panic!("it is too little") };
    /// assert!(needed > 1 << 20);
    /// ```
    #[must_use]
    pub fn memory(self, memory_bytes: u64) -> Self {
        Self { memory_bytes, ..self }
    }

    /// Sets the memory of every list that can go to a scratch file, in bytes, instead of its share:
    /// for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn spill(self, spill_bytes: usize) -> Self {
        Self { spill_bytes: Some(spill_bytes), ..self }
    }

    /// Sets the folder for scratch files.
    ///
    /// ```
    /// let resources = retold::Resources::new().scratch("/var/tmp");
    /// # let _ = resources;
    /// ```
    #[must_use]
    pub fn scratch(self, folder: impl Into<PathBuf>) -> Self {
        Self { scratch: Some(folder.into()), ..self }
    }

    /// Sets a folder in which [`Find`](crate::Find), [`Dedup`](crate::Dedup) and
    /// [`Strike`](crate::Strike) write down what they read, and what is decided, so that the same job
    /// with the same folder goes on after it was interrupted, however that was. A folder that belongs to
    /// another job or to files that changed is refused. It is removed when the job is done. Sources
    /// must be [`Files`](crate::Files).
    ///
    /// ```
    /// use retold::{Dedup, Files, Found, Resources};
    /// # let folder = tempfile::tempdir()?;
    /// # let (path, folder) = (folder.path().join("news.jsonl"), folder.path().join("dedup.resume"));
    /// # std::fs::write(&path, "{\"id\": 1, \"text\": \"some text\"}\n")?;
    /// let dedup = Dedup::new(Files::new([path])).resources(Resources::new().resume(&folder));
    /// dedup.run(&mut Found::new())?;
    /// assert!(!folder.exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn resume(self, folder: impl Into<PathBuf>) -> Self {
        Self { resume: Some(folder.into()), ..self }
    }

    /// Sets who hears of the progress.
    #[must_use]
    pub fn progress(self, progress: impl Progress + 'static) -> Self {
        Self { progress: Arc::new(progress), ..self }
    }

    /// Sets the wish to stop that the job looks at.
    #[must_use]
    pub fn stop(self, stop: &Stop) -> Self {
        Self { stop: stop.clone(), ..self }
    }

    /// Says of a run that was stopped that it can be resumed, if it can.
    pub(crate) fn resumable<T>(&self, ended: Result<T, Error>) -> Result<T, Error> {
        match (ended, &self.resume) {
            (Err(Error::Stopped { stage, n_documents }), Some(folder)) => {
                Err(Error::StoppedResumable { stage, n_documents, folder: folder.clone() })
            }
            (ended, _) => ended,
        }
    }

    /// Returns who hears of the progress, for jobs built on this library.
    pub fn progress_listener(&self) -> &dyn Progress {
        &*self.progress
    }

    /// Returns the wish to stop, for jobs built on this library.
    pub fn stop_wish(&self) -> &Stop {
        &self.stop
    }

    /// Returns the threads that were lent, or starts some: no more than
    /// [`most_threads`](crate::most_threads), and as many as the machine has if none were asked for.
    ///
    /// ```
    /// let pool = retold::Resources::new().threads(2).thread_pool()?;
    /// assert_eq!(pool.current_num_threads(), 2);
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn thread_pool(&self) -> Result<Arc<ThreadPool>, Error> {
        if let Some(pool) = &self.pool {
            return Ok(Arc::clone(pool));
        }
        let n_threads = self.threads.min(most_threads());
        let pool = ThreadPoolBuilder::new().num_threads(n_threads).build();
        pool.map(Arc::new).map_err(|error| Error::Internal(error.to_string()))
    }
}

impl Default for Resources {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resources")
            .field("threads", &self.threads)
            .field("memory_bytes", &self.memory_bytes)
            .field("scratch", &self.scratch)
            .finish_non_exhaustive()
    }
}

/// Gives a builder of jobs, which is `#[must_use]`, the settings that all of them have.
macro_rules! common_settings {
    ($builder:ident) => {
        impl $builder {
            /// Sets everything that is to be done at once.
            pub fn job(self, job: $crate::Job) -> Self {
                Self { job, ..self }
            }

            /// Sets everything that it is done with at once.
            pub fn resources(self, resources: $crate::Resources) -> Self {
                Self { resources, ..self }
            }

            /// Sets the method, by its name, and the text settings to those that the method usually
            /// has. A name that does not exist is an error when the job is run.
            pub fn method(mut self, name: impl Into<String>) -> Self {
                self.job = self.job.for_method(name.into());
                self
            }

            /// Sets the profile, and the text settings to those that the method has in it.
            pub fn profile(mut self, profile: $crate::Profile) -> Self {
                let method = self.job.method.clone();
                self.job = self.job.with_profile(profile).for_method(method);
                self
            }

            /// Sets one parameter of the method.
            pub fn parameter(
                self,
                name: impl Into<String>,
                value: impl Into<serde_json::Value>,
            ) -> Self {
                Self { job: self.job.with_parameter(name, value), ..self }
            }

            /// Sets the number of threads; 0 means as many as the machine has.
            pub fn threads(self, threads: usize) -> Self {
                Self { resources: self.resources.threads(threads), ..self }
            }

            /// Sets the memory that the whole process may take, in bytes; what does not fit goes to
            /// scratch files. 0 means half of what the machine has.
            pub fn memory(self, memory_bytes: u64) -> Self {
                Self { resources: self.resources.memory(memory_bytes), ..self }
            }

            /// Sets who hears of the progress.
            pub fn progress(self, progress: impl $crate::Progress + 'static) -> Self {
                Self { resources: self.resources.progress(progress), ..self }
            }

            /// Sets the wish to stop that the job looks at.
            pub fn stop(self, stop: &$crate::Stop) -> Self {
                Self { resources: self.resources.stop(stop), ..self }
            }
        }
    };
}

pub(crate) use common_settings;
