//! From the arguments of `retold lineage` and `retold links` to what is done.

use std::path::{Path, PathBuf};

use retold::{LinksFormat, LinksWanted, Resources, Texts};
use retold_lab::LineageFormat;

use super::{Talk, pdf_helper, resources_of, talk};
use crate::args::{Lineage, Links};
use crate::failure::Failure;

/// A lineage to tell, resolved.
#[derive(Debug)]
pub(crate) struct Descent {
    /// The folder with results.
    pub(crate) found: PathBuf,
    /// Number of the cluster.
    pub(crate) cluster: u64,
    /// Where texts are.
    pub(crate) texts: Texts,
    /// How it is written.
    pub(crate) format: LineageFormat,
    /// The file; none is standard output.
    pub(crate) output: Option<PathBuf>,
    /// Whether it may take the place of another file.
    pub(crate) overwrite: bool,
    /// What it is done with.
    pub(crate) resources: Resources,
    /// How to talk.
    pub(crate) talk: Talk,
}

/// Links to find, resolved.
#[derive(Debug)]
pub(crate) struct Linking {
    /// An index or a folder with results.
    pub(crate) archive: PathBuf,
    /// Which links.
    pub(crate) wanted: LinksWanted,
    /// How they are written.
    pub(crate) format: LinksFormat,
    /// The file; none is standard output.
    pub(crate) output: Option<PathBuf>,
    /// Whether it may take the place of another file.
    pub(crate) overwrite: bool,
    /// What it is done with.
    pub(crate) resources: Resources,
    /// How to talk.
    pub(crate) talk: Talk,
}

/// Resolves `retold lineage`.
pub(crate) fn lineage(args: Lineage) -> Result<Descent, Failure> {
    let Lineage { found, cluster, texts, format, output, overwrite, resources, manner } = args;
    let (output, by_ending) = file(output, LineageFormat::of_ending);
    let endings = "a lineage is written to a file that ends in .json, .dot, .svg or .png";
    Ok(Descent {
        found,
        cluster,
        texts: Texts { paths: texts, pdf_helper: pdf_helper() },
        format: chosen(format, by_ending, output.as_deref(), endings)?,
        output,
        overwrite,
        resources: resources_of(resources),
        talk: talk(manner),
    })
}

/// Resolves `retold links`.
pub(crate) fn links(args: Links) -> Result<Linking, Failure> {
    let Links {
        archive,
        method,
        relations,
        min_words,
        format,
        output,
        overwrite,
        resources,
        manner,
    } = args;
    let (output, by_ending) = file(output, LinksFormat::of_ending);
    let endings = "links are written to a file that ends in .jsonl, .tsv, .graphml or .dot";
    Ok(Linking {
        archive,
        wanted: LinksWanted { method, relations, min_words: min_words.unwrap_or_default() },
        format: chosen(format, by_ending, output.as_deref(), endings)?,
        output,
        overwrite,
        resources: resources_of(resources),
        talk: talk(manner),
    })
}

/// Returns the file to write, if it is not standard output, and the format that its ending names.
fn file<F>(
    output: Option<PathBuf>,
    of_ending: impl Fn(&Path) -> Option<F>,
) -> (Option<PathBuf>, Option<F>) {
    let output = output.filter(|path| path.as_os_str() != "-");
    let by_ending = output.as_deref().and_then(of_ending);
    (output, by_ending)
}

/// Returns the format that was named, or that of the ending; `endings` says which there are.
fn chosen<F: Default>(
    named: Option<F>,
    by_ending: Option<F>,
    output: Option<&Path>,
    endings: &str,
) -> Result<F, Failure> {
    match (named.or(by_ending), output) {
        (Some(format), _) => Ok(format),
        (None, None) => Ok(F::default()),
        (None, Some(path)) => Err(Failure::hinted(
            format!("{endings}, got `{}`", path.display()),
            "`--format` names the format of a file with another ending",
        )),
    }
}
