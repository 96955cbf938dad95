//! The concept lattice of some documents, from an inverted table to a picture.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use retold_mine::Lattice;
use retold_read::{Limits, open_bytes};
use serde::Deserialize;
use thiserror::Error as ThisError;

use crate::error::Error;
use crate::mining::transactions;
use crate::progress::Stop;
use crate::whole::WholeFile;

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
) -> Result<ItemLattice, Error> {
    let mut items = items.to_vec();
    items.sort_unstable();
    items.dedup();
    let named = transactions(input, limits, &Stop::new())?;
    let supports = named.context.supports();
    let number = |&item: &u64| {
        let number = named.item(item).filter(|&number| supports[number as usize] > 0);
        number.ok_or_else(|| LatticeError::NoItem { path: input.to_owned(), item })
    };
    let numbers = items.iter().map(number).collect::<Result<Vec<u32>, _>>()?;
    // Numbers ascend as names do, so places in the lattice are places in `items`.
    let lattice =
        Lattice::of(&named.context, &numbers, most_concepts).map_err(LatticeError::from)?;
    Ok(ItemLattice { lattice, items })
}

/// Returns the ids of documents by their numbers, ascending, from a `documents.jsonl`: a document's
/// number is that of its line, from 0.
pub fn names_of(documents: &Path, numbers: &[u64], limits: &Limits) -> Result<Vec<String>, Error> {
    #[derive(Deserialize)]
    struct Row {
        id: String,
    }
    let bytes = open_bytes(documents, limits).map_err(Error::io("open", documents))?;
    let mut lines = BufReader::new(bytes);
    let (mut line, mut n_read) = (Vec::new(), 0);
    let mut names = Vec::new();
    for &number in numbers {
        let bad = |line: u64, reason: String| {
            Error::from(LatticeError::Names { path: documents.to_owned(), line, reason })
        };
        while n_read <= number {
            line.clear();
            let mut limited = lines.by_ref().take(limits.line_bytes + 1);
            limited.read_until(b'\n', &mut line).map_err(Error::io("read", documents))?;
            if line.is_empty() {
                let reason = format!("there is no document {number}, only {n_read} lines");
                return Err(bad(n_read, reason));
            }
            n_read += 1;
            if line.len() as u64 > limits.line_bytes {
                let most = limits.line_bytes;
                return Err(bad(n_read, format!("longer than the limit of {most} bytes")));
            }
        }
        let row: Row = serde_json::from_slice(&line)
            .map_err(|error| bad(n_read, format!("no JSON object with an id: {error}")))?;
        names.push(row.id);
    }
    Ok(names)
}

/// Writes the diagram of a lattice, as SVG or in the language of Graphviz by the ending of the
/// file: `.svg`, or `.dot` or `.gv`.
///
/// *Panics*: if there is not one name for each of its items.
pub fn draw_lattice(lattice: &Lattice, names: &[String], output: &Path) -> Result<(), Error> {
    let ending = output.extension().map(std::ffi::OsStr::to_ascii_lowercase);
    let text = match ending.as_ref().and_then(|ending| ending.to_str()) {
        Some("svg") => lattice.to_svg(names),
        Some("dot" | "gv") => lattice.to_dot(names),
        _ => return Err(LatticeError::Ending(output.to_owned()).into()),
    };
    let write = || {
        let mut file = WholeFile::create(output)?;
        file.write_all(text.as_bytes())?;
        file.commit()
    };
    write().map_err(Error::io("write", output))
}

#[cfg(test)]
mod tests {
    use std::fs;

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
        let made = lattice_of(&path, &[4, 1, 2, 3, 1], MOST_CONCEPTS, &limits).expect("a table");
        assert_eq!((made.items, made.lattice.concepts().len()), (vec![1, 2, 3, 4], 11));
        let names: Vec<String> = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        for (name, start) in [("l.svg", "<svg "), ("l.dot", "digraph "), ("l.GV", "digraph ")] {
            let out = dir.path().join(name);
            draw_lattice(&made.lattice, &names, &out).expect("it can be written");
            assert!(fs::read_to_string(out).expect("it was written").starts_with(start));
        }
        let refused = draw_lattice(&made.lattice, &names, Path::new("l.png")).unwrap_err();
        assert!(refused.to_string().ends_with("ends in .svg or .dot, got `l.png`"));
        let told = |items: &[u64]| {
            lattice_of(&path, items, 5, &limits).expect_err("it is refused").to_string()
        };
        assert!(told(&[1, 9]).starts_with("item 9 stands in no line of `"));
        assert!(told(&[0]).starts_with("item 0 stands in no line of `"));
        assert!(told(&[1, 2, 3, 4]).contains("more than 5 concepts"));
    }
}
