//! The laboratory: runs designs and writes one report of them.
//!
//! Every finished cell goes to a work file beside the output, so that the same command goes on
//! where it was stopped.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use retold::{Resources, Silent};
use retold_report::OutputDir;

use super::bench::Bench;
use super::design::{Design, Extent};
use super::findings::Findings;
use super::report::{file_name, write_report};
use super::run::{CellsDone, Request, run};
use super::sets::ListedSet;
use crate::error::Error;

/// A laboratory: runs designs and writes one report of them.
///
/// ```
/// use retold_lab::experiment::{Design, Extent};
/// use retold_lab::Lab;
///
/// let lab = Lab::new().extent(Extent::Quick);
/// let design = Design::built_in("known-item-180").expect("it is built in")?;
/// let findings = lab.run(&design, &|cells| println!("{} of {}", cells.n_done, cells.n_all))?;
/// assert!(!findings.tables.is_empty());
/// # Ok::<(), retold_lab::Error>(())
/// ```
pub struct Lab {
    extent: Extent,
    data: Option<PathBuf>,
    output: Option<OutputDir>,
    resources: Resources,
    /// Lines about the sets of the user's documents, for the report.
    sets: Mutex<String>,
}

impl Lab {
    /// Makes a laboratory that runs designs in full on drawn documents and writes no report.
    pub fn new() -> Self {
        let (resources, sets) = (Resources::new(), Mutex::default());
        Self { extent: Extent::Full, data: None, output: None, resources, sets }
    }

    /// Sets how much of each design is run.
    #[must_use]
    pub fn extent(self, extent: Extent) -> Self {
        Self { extent, ..self }
    }

    /// Sets where the user's collections are: a folder with files named as designs name them, or
    /// any documents.
    #[must_use]
    pub fn data(self, path: impl Into<PathBuf>) -> Self {
        Self { data: Some(path.into()), ..self }
    }

    /// Sets threads, memory and the stop signal. Progress goes to the listener of
    /// [`run`](Self::run) instead.
    #[must_use]
    pub fn resources(self, resources: Resources) -> Self {
        Self { resources, ..self }
    }

    /// Sets the folder of the report, and whether an earlier one may be replaced. Without it
    /// nothing is kept of a stopped experiment.
    ///
    /// *Errors* if the folder cannot be written: now, before hours of work.
    pub fn output(self, path: impl AsRef<Path>, overwrite: bool) -> Result<Self, Error> {
        Ok(Self { output: Some(OutputDir::create(path.as_ref(), overwrite)?), ..self })
    }

    /// Runs a design, or what is left of it, and tells `listener` before each cell. Stopping drops
    /// the cell under way; those done are in the work file.
    pub fn run(
        &self,
        design: &Design,
        listener: &dyn Fn(CellsDone<'_>),
    ) -> Result<Findings, Error> {
        let resources = self.resources.clone().progress(Silent);
        let bench = Bench { data: self.data.as_deref(), resources };
        let mut work = self.work_file(design)?;
        let done = work.as_ref().map(|work| work.done.clone()).unwrap_or_default();
        let began = Instant::now();
        let mut append = |line: &str| match &mut work {
            Some(work) => work.append(line),
            None => Ok(()),
        };
        let found = run(Request {
            design,
            extent: self.extent,
            bench: &bench,
            done: &done,
            append: &mut append,
            list: &mut |set| self.list(&set),
            listener,
        });
        let clock_seconds = match &mut work {
            Some(work) => work.clock_seconds()?,
            None => began.elapsed().as_secs_f64(),
        };
        Ok(Findings { clock_seconds, ..found? })
    }

    /// Notes a set for the report.
    fn list(&self, set: &ListedSet) {
        let line = serde_json::to_string(set).expect("a set is plain data");
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        sets.push_str(&line);
        sets.push('\n');
    }

    /// Writes the report, moves it to its final place and removes the work files.
    pub fn finish(self, all: &[Findings]) -> Result<(), Error> {
        let Some(output) = self.output else { return Ok(()) };
        write_report(output.path(), all, self.extent)?;
        let sets = self.sets.into_inner().unwrap_or_else(PoisonError::into_inner);
        if !sets.is_empty() {
            let path = output.path().join("sets.jsonl");
            fs::write(&path, sets).map_err(Error::io("write", &path))?;
        }
        let work = work_folder(output.final_path());
        output.commit()?;
        match fs::remove_dir_all(&work) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Error::io("remove", &work)(error))
            }
            _ => Ok(()),
        }
    }

    fn work_file(&self, design: &Design) -> Result<Option<Work>, Error> {
        let Some(output) = &self.output else { return Ok(None) };
        let folder = work_folder(output.final_path());
        fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
        let path = folder.join(format!("{}.jsonl", file_name(&design.name)));
        Work::open(path).map(Some)
    }
}

impl Default for Lab {
    fn default() -> Self {
        Self::new()
    }
}

/// A work file: the lines of cells that are done, and the open file for further ones. Beside it
/// lies a file of seconds, one number a line: how long each stretch between two cells took, so that
/// the time of an experiment is known over all its attempts.
struct Work {
    done: String,
    file: File,
    path: PathBuf,
    clock: File,
    last: Instant,
}

impl Work {
    fn open(path: PathBuf) -> Result<Self, Error> {
        let open = || {
            let mut done = match fs::read(&path) {
                Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
                Err(error) => return Err(error),
            };
            // The cell of an incomplete last line is run again.
            done.truncate(done.rfind('\n').map_or(0, |end| end + 1));
            let file = OpenOptions::new().create(true).append(true).open(&path)?;
            file.set_len(done.len() as u64)?;
            let clock_path = path.with_extension("seconds");
            let clock = OpenOptions::new().create(true).append(true).read(true).open(clock_path)?;
            Ok((done, file, clock))
        };
        let (done, file, clock) = open().map_err(Error::io("open", &path))?;
        Ok(Self { done, file, path, clock, last: Instant::now() })
    }

    fn append(&mut self, line: &str) -> Result<(), Error> {
        self.file.write_all(line.as_bytes()).map_err(Error::io("write", &self.path))?;
        self.tick()
    }

    /// Writes down how long the last stretch took.
    fn tick(&mut self) -> Result<(), Error> {
        let seconds = self.last.elapsed().as_secs_f64();
        self.last = Instant::now();
        let line = format!("{seconds:.3}\n");
        self.clock.write_all(line.as_bytes()).map_err(Error::io("write", &self.path))
    }

    /// Returns the seconds of all attempts until now.
    fn clock_seconds(&mut self) -> Result<f64, Error> {
        self.tick()?;
        let mut text = String::new();
        let read = self.clock.rewind().and_then(|()| self.clock.read_to_string(&mut text));
        read.map_err(Error::io("read", &self.path))?;
        Ok(text.lines().filter_map(|line| line.parse::<f64>().ok()).sum())
    }
}

/// Returns the folder of the work files, beside the report.
fn work_folder(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".work");
    PathBuf::from(name)
}
