//! From the arguments of `retold tree` to what is shown.

use std::path::PathBuf;

use retold::{Job, Profile};
use retold_lab::TreeFormat;

use super::{with_input, with_text};
use crate::args::Tree;
use crate::failure::Failure;

/// A corpus tree to show, resolved.
#[derive(Debug)]
pub(crate) struct Growing {
    /// The documents.
    pub(crate) files: Vec<PathBuf>,
    /// How they are read and compared.
    pub(crate) job: Job,
    /// How the tree is written.
    pub(crate) format: TreeFormat,
    /// Whether only the last step is shown.
    pub(crate) is_last_only: bool,
    /// The file; none is standard output.
    pub(crate) output: Option<PathBuf>,
    /// Whether it may take the place of another file.
    pub(crate) overwrite: bool,
}

/// Resolves `retold tree`.
pub(crate) fn tree(args: Tree) -> Result<Growing, Failure> {
    let Tree {
        files,
        depth,
        suffixes,
        order,
        splitter,
        profile,
        set,
        format,
        last,
        output,
        overwrite,
        // Messages look it up in what was typed.
        color: _,
        text,
        input,
    } = args;
    let mut job = Job::of("codet", profile.unwrap_or(Profile::Paper))?;
    for (name, value) in set {
        job = job.with_parameter(name, value);
    }
    if let Some(depth) = depth {
        job = job.with_parameter("depth", if depth == 0 { u32::MAX } else { depth });
    }
    if let Some(suffixes) = suffixes {
        job = job.with_parameter("suffixes", suffixes);
    }
    if let Some(order) = order {
        job = job.with_parameter("order", order);
    }
    if let Some(splitter) = splitter {
        job = job.with_parameter("splitter", splitter);
    }
    let job = with_input(input, with_text(text, job)?);
    job.check()?;
    let output = output.filter(|path| path.as_os_str() != "-");
    let by_ending = output.as_deref().and_then(TreeFormat::of_ending);
    let format = match (format, &output, by_ending) {
        (Some(format), ..) => format,
        (None, Some(path), None) => {
            return Err(Failure::hinted(
                format!(
                    "a tree is written to a file that ends in .txt, .dot or .svg, got `{}`",
                    path.display()
                ),
                "`--format` names the format of a file with another ending",
            ));
        }
        (None, _, by_ending) => by_ending.unwrap_or_default(),
    };
    Ok(Growing { files, job, format, is_last_only: last, output, overwrite })
}
