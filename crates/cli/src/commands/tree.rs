//! `retold tree`: the corpus tree of a few documents, step by step.

use retold_lab::{CorpusTree, tree_documents};
use retold_report::{OutputFile, counted, escape_terminal};

use crate::failure::Failure;
use crate::settings::Growing;
use crate::terminal;

/// Shows the tree, or writes it and says what is in it.
pub(crate) fn tree(growing: &Growing) -> Result<(), Failure> {
    let Growing { files, job, format, is_last_only, output, overwrite } = growing;
    let documents = tree_documents(files, job)?;
    let tree = CorpusTree::of(&documents, job)?;
    let first = if *is_last_only { tree.steps.len().saturating_sub(1) } else { 0 };
    let written = tree.written(*format, first..tree.steps.len());
    let Some(path) = output else { return terminal::print(&written) };
    OutputFile::write(path, *overwrite, written.as_bytes()).map_err(retold::Error::from)?;
    terminal::print(&format!(
        "{}: {} of {}\n",
        escape_terminal(&path.display().to_string()),
        counted(tree.nodes.len() as u64, "node"),
        counted(documents.len() as u64, "document")
    ))
}
