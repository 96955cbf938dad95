//! Names of items: which document a number of an inverted table stands for.
//!
//! A file of names is the `documents.jsonl` of a run, or plain text with a name a line. Either way
//! the first line names item 0.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use retold_read::{Limits, open_bytes};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use thiserror::Error as ThisError;

use crate::error::Error;

/// Names that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
#[error("cannot use `{}`, line {line}: {reason}", path.display())]
pub struct NamesError {
    /// The file.
    pub path: PathBuf,
    /// Line, from 1.
    pub line: u64,
    /// Why.
    pub reason: String,
}

/// A row with an id.
#[derive(Deserialize)]
pub(crate) struct Identified {
    pub(crate) id: String,
}

/// Returns the names of items by their numbers, ascending, from a file of names.
pub fn names_of(file: &Path, numbers: &[u64], limits: &Limits) -> Result<Vec<String>, Error> {
    let mut rows = Rows::open(file, limits)?;
    let mut names = Vec::new();
    for &number in numbers {
        while rows.n_read <= number {
            if !rows.next()? {
                let n = rows.n_read;
                return Err(rows.bad(format!("there is no document {number}, only {n} lines")));
            }
        }
        names.push(rows.name()?);
    }
    Ok(names)
}

/// Reads the lines of a file, each as JSON, and hands them to `each` with their numbers from 0,
/// until it returns false.
pub(crate) fn each_row<T: DeserializeOwned>(
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

    /// Returns the `id` of a line that is a JSON object, and any other line as it is.
    fn name(&self) -> Result<String, Error> {
        if self.line.starts_with(b"{") {
            return Ok(self.parse::<Identified>()?.id);
        }
        let line = str::from_utf8(&self.line).map_err(|_| self.bad("no UTF-8".to_owned()))?;
        let name = line.trim_end_matches(['\r', '\n']);
        if name.is_empty() {
            return Err(self.bad("a name must have at least one character".to_owned()));
        }
        Ok(name.to_owned())
    }

    fn bad(&self, reason: String) -> Error {
        NamesError { path: self.path.to_owned(), line: self.n_read, reason }.into()
    }
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
    fn a_plain_list_of_names_serves_too() {
        let dir = tempfile::tempdir().expect("a folder for a test");
        let path = dir.path().join("names.txt");
        fs::write(&path, "first story\r\n\nthird\n").expect("a file for a test");
        let limits = Limits::default();
        assert_eq!(names_of(&path, &[0, 2], &limits).expect("names"), ["first story", "third"]);
        let told = names_of(&path, &[1], &limits).expect_err("an empty line").to_string();
        assert!(told.ends_with("line 2: a name must have at least one character"), "{told}");
    }
}
