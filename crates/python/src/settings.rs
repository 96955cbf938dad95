//! What Python wants done, read from JSON with the names of the command line's options.

use std::path::PathBuf;

use pyo3::PyResult;
use retold::{Job, Kind, Resources};
use serde_json::{Map, Value};

use crate::errors::usage;

/// Reads a job. A name that is not known is refused.
pub(crate) fn job(settings: &str) -> PyResult<Job> {
    serde_json::from_str(settings).map_err(usage)
}

/// Takes apart an object of settings that are not those of a job.
pub(crate) struct Named(Map<String, Value>);

impl Named {
    pub(crate) fn new(settings: &str) -> PyResult<Self> {
        serde_json::from_str(settings).map(Self).map_err(usage)
    }

    /// Takes a setting, if it is there; `null` counts as not there.
    pub(crate) fn take<T: serde::de::DeserializeOwned>(
        &mut self,
        name: &str,
    ) -> PyResult<Option<T>> {
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => serde_json::from_value(value)
                .map(Some)
                .map_err(|error| usage(format!("{name}: {error}"))),
        }
    }

    /// Takes names of relations.
    pub(crate) fn relations(&mut self) -> PyResult<Vec<Kind>> {
        Ok(self.take("relations")?.unwrap_or_default())
    }

    /// Refuses what was not taken.
    pub(crate) fn end(self) -> PyResult<()> {
        match self.0.keys().next() {
            Some(name) => Err(usage(format!("there is no setting `{name}`"))),
            None => Ok(()),
        }
    }
}

/// Reads what the work is done with: `threads`, `memory` in bytes, `scratch`.
pub(crate) fn resources(settings: &str) -> PyResult<Resources> {
    let mut named = Named::new(settings)?;
    let mut resources = Resources::new()
        .threads(named.take("threads")?.unwrap_or(0))
        .memory(named.take("memory")?.unwrap_or(0));
    if let Some(scratch) = named.take::<PathBuf>("scratch")? {
        resources = resources.scratch(scratch);
    }
    named.end()?;
    Ok(resources)
}
