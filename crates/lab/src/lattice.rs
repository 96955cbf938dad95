//! The concept lattice of some documents, from an inverted table to a picture.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use retold::Stop;
use retold_mine::{Concept, Lattice};
use retold_plot::{DiagramConcept, LatticeDiagram};
use retold_read::Limits;
use retold_report::OutputFile;
use serde::Deserialize;
use thiserror::Error as ThisError;

use crate::error::Error;
use crate::item_names::{Identified, each_row};
use crate::mining::transactions;

/// Concepts a lattice may have unless said otherwise: more are no picture.
pub const MOST_CONCEPTS: usize = 1_000;

/// A lattice with the items it was made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemLattice {
    /// The lattice.
    pub lattice: Lattice,
    /// Its items as the file names them, ascending.
    pub items: Vec<u64>,
}

/// A lattice that cannot be made or drawn.
#[derive(Debug, ThisError)]
pub enum LatticeError {
    /// Too many items or concepts.
    #[error(transparent)]
    Size(#[from] retold_mine::LatticeError),
    /// An item that no transaction holds.
    #[error("item {item} stands in no line of `{}`", path.display())]
    NoItem {
        /// The file.
        path: PathBuf,
        /// The item.
        item: u64,
    },
    /// A folder that has no table.
    #[error(
        "`{}` has no inverted table; `retold find --clusters closed-sets -o DIR` writes one",
        .0.display()
    )]
    NoTable(PathBuf),
    /// A cluster that is not there.
    #[error("there is no cluster {cluster} in `{}`", path.display())]
    NoCluster {
        /// The file.
        path: PathBuf,
        /// Its number.
        cluster: u64,
    },
    /// A file whose ending says nothing.
    #[error("a lattice is written to a file that ends in .svg or .dot, got `{}`", .0.display())]
    Ending(PathBuf),
}

/// Returns the concept lattice of some items of a file of transactions.
///
/// The file is read like one that is mined; see [`mine_file`](crate::mine_file).
pub fn lattice_of(
    input: &Path,
    items: &[u64],
    most_concepts: usize,
    limits: &Limits,
    stop: &Stop,
) -> Result<ItemLattice, Error> {
    let mut items = items.to_vec();
    items.sort_unstable();
    items.dedup();
    let named = transactions(input, limits, stop)?;
    let supports = named.context.supports();
    let number = |&item: &u64| {
        let number = named.item(item).filter(|&number| supports[number as usize] > 0);
        number.ok_or_else(|| LatticeError::NoItem { path: input.to_owned(), item })
    };
    let numbers = items.iter().map(number).collect::<Result<Vec<u32>, _>>()?;
    // Numbers ascend as names do, so places in the lattice are places in `items`.
    let is_stopped = || stop.is_set();
    let lattice = Lattice::of_while(&named.context, &numbers, most_concepts, &is_stopped);
    let lattice = lattice.map_err(|error| match error {
        retold_mine::LatticeError::Stopped => Error::StoppedMining { n_sets: 0 },
        error => LatticeError::from(error).into(),
    })?;
    Ok(ItemLattice { lattice, items })
}

/// The members of a cluster of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Members {
    /// The inverted table of the folder.
    pub table: PathBuf,
    /// The list of documents of the folder.
    pub documents: PathBuf,
    /// Numbers of the members, ascending: their lines in the list, from 0.
    pub numbers: Vec<u64>,
}

/// Returns the members of a cluster, from a folder that `find` wrote with closed sets as clusters
/// and tables as JSON Lines.
pub fn members_of(folder: &Path, cluster: u64, limits: &Limits) -> Result<Members, Error> {
    #[derive(Deserialize)]
    struct Cluster {
        id: u64,
        members: HashSet<String>,
    }
    let mut tables: Vec<PathBuf> = match fs::read_dir(folder) {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
        Err(error) => return Err(Error::io("read", folder)(error)),
    };
    tables.retain(|path| path.extension().is_some_and(|ending| ending == "dat"));
    tables.sort_unstable();
    let table = tables.into_iter().next();
    let table = table.ok_or_else(|| LatticeError::NoTable(folder.to_owned()))?;

    let clusters = folder.join("clusters.jsonl");
    let mut members = None;
    each_row(&clusters, limits, |_, row: Cluster| {
        members = (row.id == cluster).then_some(row.members);
        members.is_none()
    })?;
    let members =
        members.ok_or_else(|| LatticeError::NoCluster { path: clusters.clone(), cluster })?;
    let documents = folder.join("documents.jsonl");
    let mut numbers = Vec::new();
    each_row(&documents, limits, |number, row: Identified| {
        if members.contains(&row.id) {
            numbers.push(number);
        }
        numbers.len() < members.len()
    })?;
    Ok(Members { table, documents, numbers })
}

/// Writes the diagram of a lattice, as SVG or in the language of Graphviz by the ending of the
/// file: `.svg`, or `.dot` or `.gv`. With `overwrite` it may take the place of another file.
///
/// *Panics*: if there is not one name for each of its items.
pub fn draw_lattice(
    lattice: &Lattice,
    names: &[String],
    output: &Path,
    overwrite: bool,
) -> Result<(), Error> {
    let ending = output.extension().map(std::ffi::OsStr::to_ascii_lowercase);
    let text = match ending.as_ref().and_then(|ending| ending.to_str()) {
        Some("svg") => diagram(lattice, names).to_svg(),
        Some("dot" | "gv") => diagram(lattice, names).to_dot(),
        _ => return Err(LatticeError::Ending(output.to_owned()).into()),
    };
    Ok(OutputFile::write(output, overwrite, text.as_bytes())?)
}

/// Returns what is drawn of a lattice.
fn diagram(lattice: &Lattice, names: &[String]) -> LatticeDiagram {
    assert_eq!(names.len(), lattice.items().len(), "one name for each item");
    let concepts = lattice.concepts().iter().zip(lattice.first_places());
    let concept = |(concept, first_items): (&Concept, Vec<usize>)| DiagramConcept {
        items: concept.places().collect(),
        first_items,
        n_units: concept.n_units(),
    };
    LatticeDiagram {
        names: names.to_vec(),
        concepts: concepts.map(concept).collect(),
        covers: lattice.covers().to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lattice_goes_from_a_table_to_a_picture() {
        let dir = tempfile::tempdir().expect("a folder for a test");
        let path = dir.path().join("table.dat");
        fs::write(&path, "1 2 3\n1 2 3\n1 2 3\n1 2 4\n1 4\n2\n3 4\n3 4\n4\n").expect("a file");
        let limits = Limits::default();
        let made = lattice_of(&path, &[4, 1, 2, 3, 1], MOST_CONCEPTS, &limits, &Stop::new())
            .expect("a table");
        assert_eq!((made.items, made.lattice.concepts().len()), (vec![1, 2, 3, 4], 11));
        let names: Vec<String> = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        for (name, start) in [("l.svg", "<svg "), ("l.dot", "digraph "), ("l.GV", "digraph ")] {
            let out = dir.path().join(name);
            draw_lattice(&made.lattice, &names, &out, false).expect("it can be written");
            assert!(fs::read_to_string(out).expect("it was written").starts_with(start));
        }
        let refused = draw_lattice(&made.lattice, &names, Path::new("l.png"), false).unwrap_err();
        assert!(refused.to_string().ends_with("ends in .svg or .dot, got `l.png`"));
        let told = |items: &[u64]| {
            lattice_of(&path, items, 5, &limits, &Stop::new())
                .expect_err("it is refused")
                .to_string()
        };
        assert!(told(&[1, 9]).starts_with("item 9 stands in no line of `"));
        assert!(told(&[0]).starts_with("item 0 stands in no line of `"));
        assert!(told(&[1, 2, 3, 4]).contains("more than 5 concepts"));
    }
}
