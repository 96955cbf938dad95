//! The concept lattice of some documents, from an inverted table to a picture.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use retold::Stop;
use retold_mine::{Concept, Lattice};
use retold_plot::{DiagramConcept, LatticeDiagram};
use retold_read::{Limits, open_bytes};
use retold_report::OutputFile;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use thiserror::Error as ThisError;

use crate::error::Error;
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
    /// Names that cannot be read.
    #[error("cannot use `{}`, line {line}: {reason}", path.display())]
    Names {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
        /// Why.
        reason: String,
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
    each_row(&documents, limits, |number, row: Named| {
        if members.contains(&row.id) {
            numbers.push(number);
        }
        numbers.len() < members.len()
    })?;
    Ok(Members { table, documents, numbers })
}

/// A row with an id.
#[derive(Deserialize)]
struct Named {
    id: String,
}

/// Reads the lines of a file, each as JSON, and hands them to `each` with their numbers from 0,
/// until it returns false.
fn each_row<T: DeserializeOwned>(
    path: &Path,
    limits: &Limits,
    mut each: impl FnMut(u64, T) -> bool,
) -> Result<(), Error> {
    let mut rows = Rows::open(path, limits)?;
    while rows.next()? {
        if !each(rows.n_read - 1, rows.parse()?) {
            break;
        }
    }
    Ok(())
}

/// The lines of a file, one after another, none longer than the limit.
struct Rows<'a> {
    path: &'a Path,
    lines: BufReader<Box<dyn Read + Send>>,
    line: Vec<u8>,
    n_read: u64,
    line_bytes: u64,
}

impl<'a> Rows<'a> {
    fn open(path: &'a Path, limits: &Limits) -> Result<Self, Error> {
        let bytes = open_bytes(path, limits).map_err(Error::io("open", path))?;
        let lines = BufReader::new(bytes);
        Ok(Self { path, lines, line: Vec::new(), n_read: 0, line_bytes: limits.line_bytes })
    }

    /// Goes to the next line; false at the end.
    fn next(&mut self) -> Result<bool, Error> {
        self.line.clear();
        let mut limited = self.lines.by_ref().take(self.line_bytes + 1);
        limited.read_until(b'\n', &mut self.line).map_err(Error::io("read", self.path))?;
        if self.line.is_empty() {
            return Ok(false);
        }
        self.n_read += 1;
        if self.line.len() as u64 > self.line_bytes {
            return Err(self.bad(format!("longer than the limit of {} bytes", self.line_bytes)));
        }
        Ok(true)
    }

    fn parse<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.line)
            .map_err(|error| self.bad(format!("no JSON object as is wanted: {error}")))
    }

    fn bad(&self, reason: String) -> Error {
        LatticeError::Names { path: self.path.to_owned(), line: self.n_read, reason }.into()
    }
}

/// Returns the ids of documents by their numbers, ascending, from a `documents.jsonl`: a document's
/// number is that of its line, from 0.
pub fn names_of(documents: &Path, numbers: &[u64], limits: &Limits) -> Result<Vec<String>, Error> {
    let mut rows = Rows::open(documents, limits)?;
    let mut names = Vec::new();
    for &number in numbers {
        while rows.n_read <= number {
            if !rows.next()? {
                let n = rows.n_read;
                return Err(rows.bad(format!("there is no document {number}, only {n} lines")));
            }
        }
        names.push(rows.parse::<Named>()?.id);
    }
    Ok(names)
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
    fn documents_are_named_by_their_lines() {
        let dir = tempfile::tempdir().expect("a folder for a test");
        let path = dir.path().join("documents.jsonl");
        let rows = "{\"id\":\"a\"}\n{\"id\":\"b\",\"file\":\"x\"}\n{oops\n{\"id\":\"d\"}";
        fs::write(&path, rows).expect("a file for a test");
        let limits = Limits::default();
        assert_eq!(names_of(&path, &[0, 1, 3], &limits).expect("good lines"), ["a", "b", "d"]);
        let told = |numbers: &[u64], limits| {
            names_of(&path, numbers, &limits).expect_err("a bad line").to_string()
        };
        assert!(told(&[2], limits).contains("documents.jsonl`, line 3: no JSON object"));
        assert!(told(&[9], limits).ends_with("there is no document 9, only 4 lines"));
        let short = Limits { line_bytes: 8, ..limits };
        assert!(told(&[0], short).ends_with("line 1: longer than the limit of 8 bytes"));
    }

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
