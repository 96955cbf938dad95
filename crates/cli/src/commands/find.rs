//! `retold find`: what repeats what.

use retold::{Files, Find, Index, Nothing, Tables, Tuning, is_index};

use crate::commands::run;
use crate::failure::Failure;
use crate::settings::{Task, Volume};

/// Said after the figures of a run that writes nothing.
const NOTHING_WRITTEN: &str = "\nNothing was written; `-o DIR` writes pairs, passages and a page.";

/// Runs and prints the figures.
pub(crate) fn find(task: &Task) -> Result<(), Failure> {
    let Task { paths, against, index_method, aim, output, settings, talk } = task;
    let outcome = run::watched(*talk, paths, &settings.resources, |resources| {
        let mut find = Find::new(Files::new(paths));
        if let Some(aim) = *aim {
            let tuning = Tuning::new(Files::new(paths), aim).job(settings.job.clone());
            find = find.tuned(tuning.resources(resources.clone()).run()?);
        } else {
            find = find.job(settings.job.clone());
        }
        find = find.resources(resources);
        if let [path] = &against[..]
            && is_index(path)
        {
            find = find.against_index(Index::open(path)?, index_method.as_deref())?;
        } else if !against.is_empty() {
            find = find.against(Files::new(against));
        }
        match output {
            Some(output) => find.run(&mut Tables::new(output).overwrite(settings.overwrite)),
            None => find.run(&mut Nothing),
        }
    })?;
    let is_told = output.is_none() && talk.volume != Volume::Quiet;
    run::print(&outcome, *talk, is_told.then_some(NOTHING_WRITTEN))
}
