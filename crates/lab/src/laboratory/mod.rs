//! Experiments: designs of the laboratory run with the methods of this library, and their report.
//!
//! [`Lab::run`] carries out a design ([`crate::experiment`]); every finished cell goes to a
//! work file beside the output, so that the same command goes on where it was stopped.
//! [`Lab::finish`] writes the report: Markdown, one HTML page, charts as SVG and PNG, results and
//! times as JSON Lines, and the manifest. The folder appears when it is complete.

mod bench;
mod draw;
mod markdown;
mod page;
mod text;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use retold::{Resources, Stop};
use retold_report::{Manifest, OutputDir};
use serde_json::json;

pub use self::text::findings_text;
use crate::error::Error;
use crate::experiment::{
    self, Design, ExperimentError, Extent, Findings, Request, Verdicts, Watch,
};

/// Dots across a PNG chart: twice its size on a page, for sharp print.
const PNG_WIDTH: u32 = 1_440;

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
}

/// How far an experiment is.
#[derive(Clone, Copy, Debug)]
pub struct CellsDone<'a> {
    /// Cells done.
    pub n_done: usize,
    /// All cells.
    pub n_all: usize,
    /// The method of the cell that comes next; empty at the end.
    pub next: &'a str,
}

impl Lab {
    /// Runs designs in full, on documents that are drawn, and writes no report.
    pub fn new() -> Self {
        Self { extent: Extent::Full, data: None, output: None, resources: Resources::new() }
    }

    /// Sets how much of each design is run.
    #[must_use]
    pub fn extent(self, extent: Extent) -> Self {
        Self { extent, ..self }
    }

    /// Sets where the user's collections are: a folder with files named as designs name them, or any
    /// documents.
    #[must_use]
    pub fn data(self, path: impl Into<PathBuf>) -> Self {
        Self { data: Some(path.into()), ..self }
    }

    /// Sets what it is done with; progress is told to [`run`](Self::run) instead.
    #[must_use]
    pub fn resources(self, resources: Resources) -> Self {
        Self { resources, ..self }
    }

    /// Sets the folder of the report, and whether an earlier one may be replaced. Without it nothing
    /// is kept of a stopped experiment.
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
        let bench = bench::Bench::new(self.data.as_deref(), &self.resources);
        let mut work = self.work_file(design)?;
        let done = work.as_ref().map(|work| work.done.clone()).unwrap_or_default();
        let mut append = |line: &str| match &mut work {
            Some(work) => work.file.write_all(line.as_bytes()),
            None => Ok(()),
        };
        let request = Request {
            design,
            extent: self.extent,
            bench: &bench,
            done: &done,
            append: &mut append,
            watch: &Heeding { listener, stop: self.resources.stop_wish() },
        };
        experiment::run(request).map_err(|error| bench.told(error))
    }

    /// Writes the report and puts it in place; the work files go.
    pub fn finish(self, all: &[Findings]) -> Result<(), Error> {
        let Some(output) = self.output else { return Ok(()) };
        write_report(output.path(), all, self.extent)?;
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
        Work::open(&path).map(Some).map_err(Error::io("open", &path))
    }
}

impl Default for Lab {
    fn default() -> Self {
        Self::new()
    }
}

/// Hears of progress, and stops when asked to.
struct Heeding<'a> {
    listener: &'a dyn Fn(CellsDone<'_>),
    stop: &'a Stop,
}

impl Watch for Heeding<'_> {
    fn at(&self, done: usize, all: usize, what: &str) {
        (self.listener)(CellsDone { n_done: done, n_all: all, next: what });
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }
}

/// A work file: what is done, and where more goes.
struct Work {
    done: String,
    file: File,
}

impl Work {
    fn open(path: &Path) -> io::Result<Self> {
        let mut done = match fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        // A line that was being written when the program ended is done again.
        done.truncate(done.rfind('\n').map_or(0, |end| end + 1));
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        file.set_len(done.len() as u64)?;
        Ok(Self { done, file })
    }
}

/// Returns where work files of a report are: beside it.
fn work_folder(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".work");
    PathBuf::from(name)
}

/// Returns a name that is safe as a file's.
fn file_name(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = name.chars().map(safe).collect();
    name.trim_start_matches('.').to_owned()
}

fn write_report(folder: &Path, all: &[Findings], extent: Extent) -> Result<(), Error> {
    let plots = folder.join("plots");
    fs::create_dir_all(&plots).map_err(Error::io("create", &plots))?;
    let write =
        |path: PathBuf, bytes: &[u8]| fs::write(&path, bytes).map_err(Error::io("write", &path));
    let (mut results, mut times) = (String::new(), String::new());
    for findings in all {
        for record in &findings.records {
            let mut cell = json!({ "experiment": findings.name });
            let of = serde_json::to_value(&record.cell).expect("a cell is plain data");
            if let (Some(cell), Some(of)) = (cell.as_object_mut(), of.as_object()) {
                cell.extend(of.clone());
            }
            let _ = writeln!(results, "{cell}");
            let time = serde_json::to_string(&record.time).expect("a time is plain data");
            let _ = writeln!(times, "{time}");
        }
        for data in &findings.charts {
            let chart = draw::chart(data);
            let name = file_name(&data.id);
            write(plots.join(format!("{name}.svg")), chart.to_svg().as_bytes())?;
            write(plots.join(format!("{name}.png")), &chart.to_png(PNG_WIDTH))?;
        }
    }
    write(folder.join("results.jsonl"), results.as_bytes())?;
    write(folder.join("times.jsonl"), times.as_bytes())?;
    write(folder.join("report.md"), markdown::report(all).as_bytes())?;
    write(folder.join("report.html"), page::report(all).as_bytes())?;
    let manifest = manifest(all, extent);
    let path = folder.join("manifest.json");
    manifest.write(folder).map_err(Error::io("write", &path))
}

fn manifest(all: &[Findings], extent: Extent) -> Manifest {
    let extent = match extent {
        Extent::Quick => "quick",
        Extent::Full => "full",
    };
    let verdicts = || all.iter().flat_map(|findings| &findings.verdicts);
    let count = |verdict: Verdicts| verdicts().filter(|v| v.verdict == verdict).count() as u64;
    let mut counts = BTreeMap::new();
    counts.insert("experiments".to_owned(), all.len() as u64);
    counts.insert("cells".to_owned(), all.iter().map(|f| f.records.len() as u64).sum());
    counts.insert("claims_reproduced".to_owned(), count(Verdicts::Reproduced));
    counts.insert("claims_not_reproduced".to_owned(), count(Verdicts::NotReproduced));
    counts.insert("claims_open".to_owned(), count(Verdicts::Open));
    let settings = json!({
        "extent": extent,
        "experiments": all.iter().map(|f| json!({ "name": f.name, "setting": f.setting })).collect::<Vec<_>>(),
    });
    Manifest {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: "experiment".to_owned(),
        settings,
        counts,
        finished: true,
        ..Manifest::default()
    }
}

impl From<ExperimentError> for Error {
    fn from(error: ExperimentError) -> Self {
        match error {
            ExperimentError::Stopped { done, all } => Self::StoppedExperiment { done, all },
            other => Self::Experiment(other),
        }
    }
}
