//! `find`, `dedup`, and cutting a result anew.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use retold::{Dedup, Find, Index, Job, Outcome, PairsWritten, Regroup, Tables};
use tempfile::TempDir;

use crate::errors::usage;
use crate::results::{Taken, Taking};
use crate::running::Runner;
use crate::settings::{self, Named};
use crate::sources::{Input, Raised};
use crate::tables::Table;

/// What was found.
#[pyclass(frozen, module = "retold._retold", name = "Result")]
pub(crate) struct Findings {
    pub(crate) taken: Taken,
    outcome: Outcome,
    /// The tables as files, if all pairs were asked for: they can be cut anew.
    stored: Option<Stored>,
}

/// The tables of a result as files.
#[derive(Clone)]
struct Stored {
    folder: PathBuf,
    /// Goes with the last result that needs it.
    _temporary: Option<Arc<TempDir>>,
}

#[pymethods]
impl Findings {
    #[getter]
    fn pairs(&self) -> Table {
        self.taken.pairs.clone()
    }

    #[getter]
    fn clusters(&self) -> Table {
        self.taken.clusters.clone()
    }

    #[getter]
    fn documents(&self) -> Table {
        self.taken.documents.clone()
    }

    #[getter]
    fn removed(&self) -> Table {
        self.taken.removed.clone()
    }

    #[getter]
    fn review(&self) -> Table {
        self.taken.review.clone()
    }

    #[getter]
    fn is_deciding(&self) -> bool {
        self.taken.is_deciding
    }

    #[getter]
    fn kept_rows(&self) -> Vec<u64> {
        self.taken.kept_rows.clone()
    }

    /// The figures, as JSON.
    fn summary(&self) -> String {
        self.outcome.summary().to_json().to_string()
    }

    /// How they came about, as JSON.
    fn manifest(&self) -> String {
        serde_json::to_string(self.outcome.manifest()).expect("a manifest is plain data")
    }

    /// Cuts the result at other thresholds, without another run.
    #[pyo3(signature = (settings, resources, is_deciding, progress = None))]
    fn regroup(
        &self,
        py: Python<'_>,
        settings: &str,
        resources: &str,
        is_deciding: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let Some(stored) = self.stored.clone() else {
            return Err(usage("not all pairs are there: find them with pairs=\"all\""));
        };
        let mut named = Named::new(settings)?;
        let containment = named.take::<f64>("containment")?;
        let passage_words = named.take::<u32>("passage-words")?;
        let shared = named.take::<f64>("shared")?;
        let distinctive = named.take::<u32>("distinctive")?;
        let clusters = named.take("clusters")?;
        let join = named.take("join")?;
        let keep = named.take("keep")?;
        let cover = named.take("cover")?;
        let remove_contained = named.take("remove-contained")?;
        named.end()?;
        let runner = Runner::new(resources, progress)?;
        runner.run(py, move |resources| {
            let mut regroup =
                Regroup::open(&stored.folder)?.resources(resources).deciding(is_deciding);
            if let Some(containment) = containment {
                regroup = regroup.containment(containment);
            }
            if let Some(passage_words) = passage_words {
                regroup = regroup.passage_words(passage_words);
            }
            if let Some(shared) = shared {
                regroup = regroup.shared(shared);
            }
            if let Some(distinctive) = distinctive {
                regroup = regroup.distinctive(distinctive);
            }
            if let Some(clusters) = clusters {
                regroup = regroup.clusters(clusters);
            }
            if let Some(join) = join {
                regroup = regroup.join(join);
            }
            if let Some(keep) = keep {
                regroup = regroup.keep(keep);
            }
            if let Some(cover) = cover {
                regroup = regroup.cover(cover);
            }
            if let Some(remove_contained) = remove_contained {
                regroup = regroup.remove_contained(remove_contained);
            }
            let mut taking = Taking::new(None);
            let outcome = regroup.run(&mut taking)?;
            Ok(Self { taken: taking.taken(&outcome)?, outcome, stored: Some(stored) })
        })
    }
}

/// What a search is compared with beside itself.
enum Against {
    Input(Input),
    Index(PathBuf, Option<String>),
}

/// Takes `None`, an input, or `("index", (path, method))`.
fn against_of(given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Against>> {
    let Some(given) = given else { return Ok(None) };
    let (kind, value): (String, Bound<'_, PyAny>) = given.extract()?;
    if kind == "index" {
        let (path, method) = value.extract()?;
        return Ok(Some(Against::Index(path, method)));
    }
    Ok(Some(Against::Input(Input::of(given)?)))
}

/// One search, ready to run.
struct Search {
    input: Input,
    against: Option<Against>,
    raised: Raised,
    job: Job,
    /// A folder to write to, and whether an earlier one is replaced.
    output: Option<(PathBuf, bool)>,
    is_deciding: bool,
}

impl Search {
    fn run(self, resources: retold::Resources) -> Result<Findings, retold::Error> {
        let Self { input, against, raised, job, output, is_deciding } = self;
        let job = job.with_no_page(true);
        let has_all = job.pairs() == Some(PairsWritten::All);
        let (folder, overwrite, temporary) = match output {
            Some((path, overwrite)) => (Some(path), overwrite, None),
            None if has_all => {
                let temporary = temporary_folder()?;
                (Some(temporary.path().join("found")), false, Some(Arc::new(temporary)))
            }
            None => (None, false, None),
        };
        let tables = folder.as_ref().map(|folder| Tables::new(folder).overwrite(overwrite));
        let stored = folder.filter(|_| has_all);
        let stored = stored.map(|folder| Stored { folder, _temporary: temporary });
        let mut taking = Taking::new(tables);
        let source = input.source(&raised);
        macro_rules! searched {
            ($builder:ident) => {{
                let search = $builder::new(source).job(job).resources(resources);
                match against {
                    None => search,
                    Some(Against::Input(input)) => search.against(input.source(&raised)),
                    Some(Against::Index(path, method)) => {
                        search.against_index(Index::open(path)?, method.as_deref())?
                    }
                }
                .run(&mut taking)?
            }};
        }
        let outcome = if is_deciding { searched!(Dedup) } else { searched!(Find) };
        Ok(Findings { taken: taking.taken(&outcome)?, outcome, stored })
    }
}

fn temporary_folder() -> Result<TempDir, retold::Error> {
    let folder = tempfile::Builder::new().prefix("retold-").tempdir();
    folder.map_err(|source| retold::Error::Io {
        what: "create",
        path: std::env::temp_dir(),
        source,
    })
}

/// Looks for copies.
#[pyfunction]
#[pyo3(signature = (input, settings, resources, against = None, output = None, overwrite = false, progress = None))]
#[expect(clippy::too_many_arguments, reason = "Python's keyword arguments")]
pub(crate) fn find(
    py: Python<'_>,
    input: &Bound<'_, PyAny>,
    settings: &str,
    resources: &str,
    against: Option<&Bound<'_, PyAny>>,
    output: Option<PathBuf>,
    overwrite: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Findings> {
    search(py, false, input, settings, resources, against, output, overwrite, progress)
}

/// Looks for copies and decides which documents go.
#[pyfunction]
#[pyo3(signature = (input, settings, resources, against = None, output = None, overwrite = false, progress = None))]
#[expect(clippy::too_many_arguments, reason = "Python's keyword arguments")]
pub(crate) fn dedup(
    py: Python<'_>,
    input: &Bound<'_, PyAny>,
    settings: &str,
    resources: &str,
    against: Option<&Bound<'_, PyAny>>,
    output: Option<PathBuf>,
    overwrite: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Findings> {
    search(py, true, input, settings, resources, against, output, overwrite, progress)
}

#[expect(clippy::too_many_arguments, reason = "those of Python, handed on")]
fn search(
    py: Python<'_>,
    is_deciding: bool,
    input: &Bound<'_, PyAny>,
    settings: &str,
    resources: &str,
    against: Option<&Bound<'_, PyAny>>,
    output: Option<PathBuf>,
    overwrite: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Findings> {
    let runner = Runner::new(resources, progress)?;
    let search = Search {
        job: settings::job(settings)?,
        input: Input::of(input)?,
        against: against_of(against)?,
        raised: Raised::clone(runner.raised()),
        output: output.map(|path| (path, overwrite)),
        is_deciding,
    };
    runner.run(py, move |resources| Ok(search.run(resources)?))
}
