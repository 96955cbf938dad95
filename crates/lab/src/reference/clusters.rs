//! Lists of clusters.

use std::borrow::Cow;
use std::io::BufRead;

use serde::Deserialize;

use super::cells::{Cells, Delimiter};
use super::error::ListError;
use super::lines::Lines;

/// What the last cell of a line of names is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LastCell {
    /// A document like the others; a number in brackets, `(7)`, is a count all the same.
    #[default]
    Document,
    /// The number of common units, as miners of frequent sets write it.
    Count,
}

/// One cluster of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ClusterLine<'a> {
    /// The document that stands for it, if the list names one.
    #[serde(borrow, default)]
    pub representative: Option<Cow<'a, str>>,
    /// Its documents.
    #[serde(borrow)]
    pub members: Vec<Cow<'a, str>>,
}

/// Reads clusters, one a line, and hands each to `each`.
///
/// A line is names between tabs, commas or white space, or JSON with `members` and perhaps
/// `representative`, as `retold find` writes it.
pub fn read_clusters<E: From<ListError>>(
    input: impl BufRead,
    last: LastCell,
    mut each: impl FnMut(&ClusterLine<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut lines = Lines::new(input);
    while let Some(line) = lines.next_line()? {
        if line.trim_start().starts_with('{') {
            match serde_json::from_str::<ClusterLine<'_>>(line) {
                Ok(cluster) => each(&cluster)?,
                Err(error) => {
                    return Err(ListError::line(lines.number(), error.to_string()).into());
                }
            }
            continue;
        }
        let mut cells = Cells::new(Delimiter::of(line));
        let mut members = Vec::new();
        cells.of(line, |_, cell| {
            if !cell.is_empty() {
                members.push(Cow::Borrowed(cell));
            }
        });
        let is_count = |cell: &str, is_bracketed: bool| {
            let inner = cell.strip_prefix('(').and_then(|cell| cell.strip_suffix(')'));
            let digits = if is_bracketed { inner } else { inner.or(Some(cell)) };
            digits.is_some_and(|digits| digits.parse::<u64>().is_ok())
        };
        let ends_in_count =
            members.last().is_some_and(|cell| is_count(cell, last == LastCell::Document));
        if ends_in_count {
            members.pop();
        } else if last == LastCell::Count {
            return Err(ListError::line(lines.number(), "the line does not end in a count").into());
        }
        each(&ClusterLine { representative: None, members })?;
    }
    Ok(())
}

/// Reads lines of a document and the name of its cluster and hands each to `each`.
pub fn read_members<E: From<ListError>>(
    input: impl BufRead,
    mut each: impl FnMut(&str, &str) -> Result<(), E>,
) -> Result<(), E> {
    let mut lines = Lines::new(input);
    while let Some(line) = lines.next_line()? {
        let mut cells = Cells::new(Delimiter::of(line));
        let mut pair = ["", ""];
        cells.of(line, |at, cell| {
            if let Some(place) = pair.get_mut(at) {
                *place = cell;
            }
        });
        let [document, cluster] = pair;
        if document.is_empty() || cluster.is_empty() {
            let reason = "a line is a document and the name of its cluster";
            return Err(ListError::line(lines.number(), reason).into());
        }
        each(document, cluster)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, last: LastCell) -> Result<Vec<Vec<String>>, String> {
        let mut seen = Vec::new();
        read_clusters(text.as_bytes(), last, |cluster| {
            seen.push(cluster.members.iter().map(ToString::to_string).collect());
            Ok::<(), ListError>(())
        })
        .map_err(|error| error.to_string())?;
        Ok(seen)
    }

    #[test]
    fn counts_of_miners_are_no_documents() {
        assert_eq!(
            read("1 4 (2)\n3 4\n", LastCell::Document),
            Ok(vec![vec!["1".to_owned(), "4".to_owned()], vec!["3".to_owned(), "4".to_owned()]])
        );
        let counted = read("1 4 2\n1 2 3 (3)\n", LastCell::Count).expect("two clusters");
        assert_eq!(counted.iter().map(Vec::len).collect::<Vec<_>>(), [2, 3]);
        let error = read("1 4 x\n", LastCell::Count).err();
        assert_eq!(error.as_deref(), Some("line 1: the line does not end in a count"));
    }

    #[test]
    fn json_lines_of_ours_are_read() {
        let text = r#"{"id":0,"size":2,"representative":"x","members":["x","y z"]}"#;
        read_clusters(text.as_bytes(), LastCell::Document, |cluster| {
            assert_eq!(cluster.representative.as_deref(), Some("x"));
            assert_eq!(cluster.members, ["x", "y z"]);
            Ok::<(), ListError>(())
        })
        .expect("one cluster");
        let error = read("{\"members\":3}", LastCell::Document).err().unwrap_or_default();
        assert!(error.starts_with("line 1: invalid type"), "{error}");
    }

    #[test]
    fn members_name_their_cluster() {
        let mut seen = Vec::new();
        let all = read_members("d1\tc\nd2\tc\n".as_bytes(), |document, cluster| {
            seen.push(format!("{document} in {cluster}"));
            Ok::<(), ListError>(())
        });
        assert!(all.is_ok());
        assert_eq!(seen, ["d1 in c", "d2 in c"]);
        let lone = read_members("d1\n".as_bytes(), |_, _| Ok::<(), ListError>(()));
        assert!(lone.is_err());
    }
}
