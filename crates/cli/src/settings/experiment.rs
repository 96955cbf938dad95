//! From the arguments of `retold experiment` to designs.

use std::fs;
use std::path::PathBuf;

use retold::Resources;
use retold_lab::experiment::{BUILT_IN, Design, Extent};

use super::{Talk, talk};
use crate::args::Experiment;
use crate::failure::Failure;

/// Experiments to run, resolved.
#[derive(Debug)]
pub(crate) struct Experimenting {
    /// What to run; none lists what there is.
    pub(crate) designs: Vec<Design>,
    /// How much of each.
    pub(crate) extent: Extent,
    /// The user's collections.
    pub(crate) data: Option<PathBuf>,
    /// Where the report goes.
    pub(crate) output: Option<PathBuf>,
    /// Whether an earlier report is replaced.
    pub(crate) overwrite: bool,
    /// What it is done with.
    pub(crate) resources: Resources,
    /// How to talk.
    pub(crate) talk: Talk,
}

/// Resolves `retold experiment`.
pub(crate) fn experiment(args: Experiment) -> Result<Experimenting, Failure> {
    let Experiment { names, quick, data, output, overwrite, threads, manner } = args;
    let mut designs = Vec::new();
    for name in &names {
        match name.as_str() {
            "list" => {}
            "all" => {
                let all = BUILT_IN.iter().filter_map(|(name, _)| Design::built_in(name));
                designs.extend(all.collect::<Result<Vec<_>, _>>()?);
            }
            name => designs.push(design(name)?),
        }
    }
    let extent = if quick { Extent::Quick } else { Extent::Full };
    let resources = Resources::new().threads(threads.unwrap_or_default());
    Ok(Experimenting { designs, extent, data, output, overwrite, resources, talk: talk(manner) })
}

/// Returns a design by its name or from a file.
fn design(name: &str) -> Result<Design, Failure> {
    if let Some(design) = Design::built_in(name) {
        return Ok(design?);
    }
    let path = PathBuf::from(name);
    let is_file = path.extension().is_some_and(|ending| ending == "toml") || path.exists();
    if !is_file {
        let known: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
        let message = format!("there is no experiment `{name}`");
        let hint = format!("known are {}; or name a file with a design", known.join(", "));
        return Err(Failure::Usage { message, hint: Some(hint) });
    }
    let io = |source| retold::Error::Io { what: "read", path: path.clone(), source };
    let text = fs::read_to_string(&path).map_err(io)?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let design = Design::parse(&stem.unwrap_or_else(|| name.to_owned()), &text);
    Ok(design?)
}
