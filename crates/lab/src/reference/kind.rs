//! What a list holds, told from its first lines.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::cells::{Cells, Delimiter};
use super::lines::Lines;

/// What a list holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ListKind {
    /// Pairs of documents, one a line.
    Pairs,
    /// Clusters, one a line.
    Clusters,
    /// A document and the name of its cluster, one document a line.
    Members,
    /// Relevance judgements: question, 0, document, grade.
    Qrels,
    /// Ranked answers: question, Q0, document, rank, score, name.
    Run,
    /// Passages as the XML of PAN.
    Pan,
    /// Passages as a table or JSON Lines.
    Spans,
}

impl ListKind {
    /// The names of the kinds.
    pub const NAMES: &'static [&'static str] =
        &["pairs", "clusters", "members", "qrels", "run", "pan", "spans"];

    /// Returns the name used in flags and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::Clusters => "clusters",
            Self::Members => "members",
            Self::Qrels => "qrels",
            Self::Run => "run",
            Self::Pan => "pan",
            Self::Spans => "spans",
        }
    }

    /// Tells a kind from the beginning of a list; none if it cannot be told.
    ///
    /// Lines of two or three cells are taken for pairs: a document and its cluster
    /// ([`ListKind::Members`]) and clusters of two look the same, so those have to be named.
    ///
    /// ```
    /// use retold_lab::reference::ListKind;
    /// assert_eq!(ListKind::detect(b"d1\td2\tnear-duplicate\n"), Some(ListKind::Pairs));
    /// assert_eq!(ListKind::detect(b"7 0 d1 1\n7 0 d2 0\n"), Some(ListKind::Qrels));
    /// ```
    pub fn detect(head: &[u8]) -> Option<Self> {
        let mut lines = Lines::new(head);
        let line = lines.next_line().ok()??.trim_start();
        if line.starts_with('<') {
            return Some(Self::Pan);
        }
        if line.starts_with('{') {
            return Self::of_json(line);
        }
        let mut cells = Vec::new();
        let delimiter = Delimiter::of(line);
        Cells::new(delimiter).of(line, |_, cell| cells.push(cell.to_lowercase()));
        let has = |name: &str| cells.iter().any(|cell| cell == name);
        if (has("this_offset") && has("source_offset")) || (has("a_start") && has("b_start")) {
            return Some(Self::Spans);
        }
        let is_number = |at: usize| cells[at].parse::<f64>().is_ok();
        match cells.len() {
            2 | 3 => Some(Self::Pairs),
            4 if matches!(cells[1].as_str(), "0" | "q0") && is_number(3) => Some(Self::Qrels),
            6 if cells[1] == "q0" && is_number(4) => Some(Self::Run),
            6 if (2..6).all(is_number) => Some(Self::Spans),
            _ if delimiter != Delimiter::Space && super::pairs::is_head(&cells) => {
                Some(Self::Pairs)
            }
            _ => None,
        }
    }

    fn of_json(line: &str) -> Option<Self> {
        // A line longer than the beginning that was handed in is cut; its first keys are enough.
        let has = |name: &str| match serde_json::from_str::<Value>(line) {
            Ok(value) => value.get(name).is_some(),
            Err(_) => line.contains(&format!("\"{name}\":")),
        };
        if has("members") || has("representative") {
            Some(Self::Clusters)
        } else if has("a_span") {
            Some(Self::Spans)
        } else if has("a") || has("id_a") || has("id1") {
            Some(Self::Pairs)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_told_by_their_first_line() {
        for (head, kind) in [
            ("# remark\n\nd1\td2\n", Some(ListKind::Pairs)),
            ("id_a\tid_b\trelation\tnote\n", Some(ListKind::Pairs)),
            ("d1 d2 0.5\n", Some(ListKind::Pairs)),
            (r#"{"a":"x","b":"y","relation":"exact"}"#, Some(ListKind::Pairs)),
            (r#"{"a":"x","b":"y","evidence":[{"a":[0,"#, Some(ListKind::Pairs)),
            (r#"{"id":0,"representative":"x","members":["x","y"]}"#, Some(ListKind::Clusters)),
            (r#"{"a":"x","b":"y","a_span":[0,5],"b_span":[1,6]}"#, Some(ListKind::Spans)),
            (
                "susp_id\tsrc_id\tx\tthis_offset\tthis_length\tsource_offset\n",
                Some(ListKind::Spans),
            ),
            ("s1 d1 0 5 10 5\n", Some(ListKind::Spans)),
            ("301 0 FBIS3-10082 1\n", Some(ListKind::Qrels)),
            ("301 Q0 FBIS3-10082 1 3.5 tag\n", Some(ListKind::Run)),
            ("<?xml version=\"1.0\"?><document reference=\"x\">", Some(ListKind::Pan)),
            ("d1 d2 d3 d4 d5\n", None),
            ("{\"x\":1}\n", None),
            ("", None),
        ] {
            assert_eq!(ListKind::detect(head.as_bytes()), kind, "{head}");
        }
    }

    #[test]
    fn names_are_those_of_files() {
        for &name in ListKind::NAMES {
            let kind: ListKind =
                serde_json::from_value(Value::String(name.to_owned())).expect("it is a kind");
            assert_eq!(kind.name(), name);
        }
    }
}
