//! `retold regroup`: other thresholds and clusters from a result.

use retold::{Nothing, Regroup, Tables};

use crate::commands::run;
use crate::failure::Failure;
use crate::settings::{Regrouping, Volume};

/// Said after the figures of a run that writes nothing.
const NOTHING_WRITTEN: &str = "\nNothing was written; `-o DIR` writes the tables.";

/// Runs and prints the figures.
pub(crate) fn regroup(task: Regrouping) -> Result<(), Failure> {
    let Regrouping { found, output, overwrite, resources, talk, change } = task;
    let outcome = run::watched(talk, &[], &resources, |resources| {
        let regroup = change(Regroup::open(&found)?).resources(resources);
        match &output {
            Some(output) => regroup.run(&mut Tables::new(output).overwrite(overwrite)),
            None => regroup.run(&mut Nothing),
        }
    })?;
    let is_told = output.is_none() && talk.volume != Volume::Quiet;
    run::print(&outcome, talk, is_told.then_some(NOTHING_WRITTEN))
}
