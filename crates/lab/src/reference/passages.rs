//! Lists of passages: which part of which document comes from which part of which other one.

use std::borrow::Cow;
use std::io::BufRead;

use serde::Deserialize;

use super::cells::{Cells, Delimiter};
use super::error::ListError;
use super::lines::Lines;
use crate::measures::passages::Part;

/// One passage of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassageLine<'a> {
    /// Document that holds the copy.
    pub copy: Cow<'a, str>,
    /// Document it comes from.
    pub source: Cow<'a, str>,
    /// The passage in the copy.
    pub in_copy: Part,
    /// The passage in the source.
    pub in_source: Part,
    /// Its label in the list, such as how it was disguised.
    pub label: Option<Cow<'a, str>>,
}

/// Where things stand in a line of a table.
#[derive(Clone, Copy, Debug)]
struct Columns {
    copy: usize,
    source: usize,
    /// Two numbers of the copy, two of the source.
    places: [usize; 4],
    /// Whether the second number of a side is a length or an end.
    has_lengths: bool,
    label: Option<usize>,
}

impl Columns {
    const PLAIN: Self =
        Self { copy: 0, source: 1, places: [2, 3, 4, 5], has_lengths: true, label: Some(6) };

    fn of_head(cells: &[String]) -> Option<Self> {
        let find = |names: &[&str]| cells.iter().position(|cell| names.contains(&cell.as_str()));
        let ends = ["a_start", "a_end", "b_start", "b_end"];
        let lengths = ["this_offset", "this_length", "source_offset", "source_length"];
        let all = |names: [&str; 4]| -> Option<[usize; 4]> {
            let places = names.map(|name| find(&[name]));
            places.iter().all(Option::is_some).then(|| places.map(Option::unwrap_or_default))
        };
        let (places, has_lengths) = match (all(lengths), all(ends)) {
            (Some(places), _) => (places, true),
            (None, Some(places)) => (places, false),
            _ => return None,
        };
        Some(Self {
            copy: find(&["susp_id", "copy", "this_reference", "a", "id_a"])?,
            source: find(&["src_id", "source", "source_reference", "b", "id_b"])?,
            places,
            has_lengths,
            label: find(&["label", "category", "obfuscation", "kind"]),
        })
    }
}

/// Reads passages and hands each to `each`.
///
/// A table names its columns in the first line: documents as `susp_id src_id`, `copy source` or
/// `a b`, places as `this_offset this_length source_offset source_length` or `a_start a_end b_start
/// b_end`, and perhaps `label`, `category`, `obfuscation` or `kind`, the first of them that is there.
/// Without names the columns are copy, source, place and length in the copy, place and length in
/// the source, label. Or each line is JSON with `a`, `b`, `a_span` and `b_span`, both
/// `[start, end]`; `a` is taken for the copy.
pub fn read_passages<E: From<ListError>>(
    input: impl BufRead,
    mut each: impl FnMut(&PassageLine<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut lines = Lines::new(input);
    let mut columns: Option<Columns> = None;
    while let Some(line) = lines.next_line()? {
        if line.trim_start().starts_with('{') {
            match json(line) {
                Ok(passage) => each(&passage)?,
                Err(reason) => return Err(ListError::line(lines.number(), reason).into()),
            }
            continue;
        }
        let mut cells = Cells::new(Delimiter::of(line));
        let mut row = Vec::with_capacity(8);
        cells.of(line, |_, cell| row.push(cell));
        let known = if let Some(known) = columns {
            known
        } else {
            let names: Vec<String> = row.iter().map(|cell| cell.to_lowercase()).collect();
            let head = Columns::of_head(&names);
            columns = head.or(Some(Columns::PLAIN));
            if head.is_some() {
                continue;
            }
            Columns::PLAIN
        };
        match of_row(&row, &known) {
            Ok(passage) => each(&passage)?,
            Err(reason) => return Err(ListError::line(lines.number(), reason).into()),
        }
    }
    Ok(())
}

fn of_row<'a>(row: &[&'a str], columns: &Columns) -> Result<PassageLine<'a>, String> {
    let cell = |at: usize| row.get(at).copied().unwrap_or_default();
    let number = |at: usize| {
        let cell = cell(at);
        cell.parse::<u64>().map_err(|_| format!("a place must be a whole number, got `{cell}`"))
    };
    let part = |start: usize, other: usize| -> Result<Part, String> {
        let (start, other) = (number(start)?, number(other)?);
        Ok(if columns.has_lengths {
            Part::of_length(start, other)
        } else {
            Part { start, end: other }
        })
    };
    let (copy, source) = (cell(columns.copy), cell(columns.source));
    if copy.is_empty() || source.is_empty() {
        return Err("a passage needs two names of documents".to_owned());
    }
    let [a, b, c, d] = columns.places;
    let label = columns.label.map(cell).filter(|label| !label.is_empty());
    Ok(PassageLine {
        copy: Cow::Borrowed(copy),
        source: Cow::Borrowed(source),
        in_copy: part(a, b)?,
        in_source: part(c, d)?,
        label: label.map(Cow::Borrowed),
    })
}

fn json(line: &str) -> Result<PassageLine<'_>, String> {
    #[derive(Deserialize)]
    struct Json<'a> {
        #[serde(borrow)]
        a: Cow<'a, str>,
        #[serde(borrow)]
        b: Cow<'a, str>,
        a_span: (u64, u64),
        b_span: (u64, u64),
        #[serde(borrow, default)]
        label: Option<Cow<'a, str>>,
    }
    let json: Json<'_> = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let part = |(start, end)| Part { start, end };
    Ok(PassageLine {
        copy: json.a,
        source: json.b,
        in_copy: part(json.a_span),
        in_source: part(json.b_span),
        label: json.label,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<String>, String> {
        let mut seen = Vec::new();
        read_passages(text.as_bytes(), |passage| {
            let PassageLine { copy, source, in_copy, in_source, label } = passage;
            let label = label.as_deref().unwrap_or("-");
            seen.push(format!(
                "{copy} {}-{} {source} {}-{} {label}",
                in_copy.start, in_copy.end, in_source.start, in_source.end
            ));
            Ok::<(), ListError>(())
        })
        .map_err(|error| error.to_string())?;
        Ok(seen)
    }

    #[test]
    fn tables_with_and_without_names_are_read() {
        let head = "susp_id\tsrc_id\tcategory\tthis_offset\tthis_length\tsource_offset\tsource_length\tobfuscation\n";
        let named = read(&format!("{head}s1\td1\tx\t5\t10\t0\t9\tnone\n"));
        assert_eq!(named, Ok(vec!["s1 5-15 d1 0-9 x".to_owned()]));
        assert_eq!(read("s1 d1 5 10 0 9\n"), Ok(vec!["s1 5-15 d1 0-9 -".to_owned()]));
        let ends = read("a\tb\ta_start\ta_end\tb_start\tb_end\ns1\td1\t5\t10\t0\t9\n");
        assert_eq!(ends, Ok(vec!["s1 5-10 d1 0-9 -".to_owned()]));
    }

    #[test]
    fn json_lines_are_read() {
        let line = r#"{"a":"s","b":"d","a_span":[1,4],"b_span":[0,3],"words":2}"#;
        assert_eq!(read(line), Ok(vec!["s 1-4 d 0-3 -".to_owned()]));
    }

    #[test]
    fn what_is_no_place_is_named() {
        let error = read("s1 d1 5 ten 0 9\n").err();
        assert_eq!(error.as_deref(), Some("line 1: a place must be a whole number, got `ten`"));
        assert!(read("s1\n").is_err());
    }
}
