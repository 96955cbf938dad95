//! The plain form of filters and orders: every row is looked at as JSON.

use std::cmp::Ordering;

use proptest::prelude::*;
use retold_browse::{ResultTable, quoted};
use serde_json::Value;

use crate::made::Made;

/// A value of a row.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub(crate) enum Plain {
    Number(f64),
    Text(String),
}

/// What a term says of a value; the sign is one of those of the language, `=` for none.
#[derive(Clone, Debug)]
pub(crate) struct PlainTerm {
    is_negated: bool,
    name: &'static str,
    sign: &'static str,
    value: Option<Plain>,
}

/// Names of a table with the values that terms are made of.
fn asked(table: ResultTable) -> &'static [(&'static str, &'static [&'static str])] {
    const RELATIONS: &[&str] = &["exact", "near-duplicate", "contains", "contained", "partial"];
    const SHARES: &[&str] = &["0", "0.25", "0.5", "1"];
    const COUNTS: &[&str] = &["0", "1", "2", "3", "8589934592"];
    const SOURCES: &[&str] = &["wire", "Coast Wire", "none", "say \"so\"", "nobody"];
    const TIMES: &[&str] = &["2023", "2022-06", "2024-02-10"];
    const IDS: &[&str] = &["Doc-1", "Doc-10", "İd \"11\"", "nobody"];
    const FILES: &[&str] = &["news/1.txt", "news"];
    match table {
        ResultTable::Pairs => &[
            ("relation", RELATIONS),
            ("in", SHARES),
            ("a_in_b", SHARES),
            ("words", COUNTS),
            ("longest", COUNTS),
            ("source", SOURCES),
            ("time", TIMES),
            ("id", IDS),
            ("cluster", COUNTS),
            ("across", &["source", "file"]),
        ],
        ResultTable::Clusters => &[
            ("size", COUNTS),
            ("cohesion", SHARES),
            ("pairs", COUNTS),
            ("shared", COUNTS),
            ("source", SOURCES),
            ("time", TIMES),
            ("member", IDS),
        ],
        ResultTable::Documents => &[
            ("verdict", &["unique", "copy", "too-short"]),
            ("words", COUNTS),
            ("cluster", COUNTS),
            ("source", SOURCES),
            ("time", TIMES),
            ("id", IDS),
            ("file", FILES),
        ],
        ResultTable::Removed | ResultTable::Review => &[
            ("relation", RELATIONS),
            ("share", SHARES),
            ("words", COUNTS),
            ("kept", IDS),
            ("id", IDS),
            ("source", SOURCES),
            ("time", TIMES),
        ],
    }
}

/// Returns the names by which a table is sorted here; empty is the order of the file.
pub(crate) fn orders(table: ResultTable) -> &'static [&'static str] {
    match table {
        ResultTable::Pairs => {
            &["", "in", "-in", "relation", "-words", "longest", "-longest", "-time"]
        }
        ResultTable::Clusters => {
            &["", "size", "-size", "-pairs", "cohesion", "shared", "time", "-id"]
        }
        ResultTable::Documents => &["", "-words", "source", "-source", "time", "cluster", "file"],
        ResultTable::Removed | ResultTable::Review => &["", "-share", "words", "-relation", "time"],
    }
}

fn is_text(name: &str) -> bool {
    matches!(name, "source" | "id" | "member" | "file" | "kept")
}

fn is_choice(name: &str) -> bool {
    matches!(name, "relation" | "verdict" | "across")
}

/// Returns random terms for a table.
pub(crate) fn some_terms(table: ResultTable) -> impl Strategy<Value = Vec<PlainTerm>> {
    let term =
        (any::<bool>(), any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..7_usize);
    let term = term.prop_map(move |(is_negated, name, value, sign)| {
        let (name, values) = name.get(asked(table));
        let value = value.get(values);
        let (sign, value) = if is_choice(name) {
            ("=", Some(Plain::Text((*value).to_owned())))
        } else if sign == 6 {
            ("=", None)
        } else if is_text(name) {
            ("=", Some(Plain::Text((*value).to_owned())))
        } else {
            let number = value.parse().map(Plain::Number).ok().filter(|_| *name != "time");
            let value = number.unwrap_or_else(|| Plain::Text((*value).to_owned()));
            (["=", ">", ">=", "<", "<=", ".."][sign], Some(value))
        };
        PlainTerm { is_negated, name, sign, value }
    });
    prop::collection::vec(term, 0..3)
}

impl PlainTerm {
    /// Returns the term as the language writes it.
    fn written(&self) -> String {
        let value = match &self.value {
            None => "none".to_owned(),
            Some(Plain::Text(text)) if is_text(self.name) => quoted(text),
            Some(Plain::Text(text)) => text.clone(),
            Some(Plain::Number(number)) => number.to_string(),
        };
        let negation = if self.is_negated { "-" } else { "" };
        match self.sign {
            "=" => format!("{negation}{}:{value}", self.name),
            ".." => format!("{negation}{}:{value}..", self.name),
            sign => format!("{negation}{}:{sign}{value}", self.name),
        }
    }

    /// Returns whether the term holds for a row.
    fn holds(&self, made: &Made, table: ResultTable, row: &Value) -> bool {
        let fits = |value: &Option<Plain>| match (value, &self.value) {
            (None, None) => true,
            (Some(Plain::Text(time)), Some(Plain::Text(asked))) if self.name == "time" => {
                // A period is compared with as much of the time as it names.
                is_so(time.get(..asked.len()).cmp(&Some(asked.as_str())), self.sign)
            }
            (Some(value), Some(asked)) => {
                value.partial_cmp(asked).is_some_and(|order| is_so(order, self.sign))
            }
            _ => false,
        };
        values(made, table, row, self.name).iter().any(fits) != self.is_negated
    }
}

/// Returns terms as a filter.
pub(crate) fn written(terms: &[PlainTerm]) -> String {
    terms.iter().map(PlainTerm::written).collect::<Vec<_>>().join(" ")
}

fn is_so(order: Ordering, sign: &str) -> bool {
    match sign {
        "=" => order.is_eq(),
        ">" => order.is_gt(),
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        _ => order.is_ge(),
    }
}

/// Returns the numbers of the rows that all terms let pass, sorted.
pub(crate) fn rows(made: &Made, table: ResultTable, terms: &[PlainTerm], sort: &str) -> Vec<u64> {
    let all = made.rows(table);
    let passes = |&row: &usize| terms.iter().all(|term| term.holds(made, table, &all[row]));
    let mut rows: Vec<usize> = (0..all.len()).filter(passes).collect();
    let (name, is_descending) = sort.strip_prefix('-').map_or((sort, false), |name| (name, true));
    if !name.is_empty() {
        rows.sort_by(|&a, &b| {
            let [a, b] = [a, b].map(|row| first(made, table, &all[row], name));
            match (a, b) {
                (Some(a), Some(b)) => {
                    let order = a.partial_cmp(&b).expect("values of a name are of one kind");
                    if is_descending { order.reverse() } else { order }
                }
                (a, b) => a.is_none().cmp(&b.is_none()),
            }
        });
    }
    rows.into_iter().map(|row| row as u64).collect()
}

/// Returns the value by which a row is sorted.
fn first(made: &Made, table: ResultTable, row: &Value, name: &str) -> Option<Plain> {
    if let "relation" | "verdict" = name {
        let text = row[name].as_str()?;
        let order = ["exact", "near-duplicate", "contains", "contained", "partial"];
        return order.iter().position(|other| *other == text).map(|at| Plain::Number(at as f64));
    }
    let values = values(made, table, row, name).into_iter().flatten();
    values.min_by(|a, b| a.partial_cmp(b).expect("values of a name are of one kind"))
}

fn number(value: &Value) -> Option<Plain> {
    value.as_f64().map(Plain::Number)
}

fn text(value: &Value) -> Option<Plain> {
    value.as_str().map(|text| Plain::Text(text.to_owned()))
}

fn time(document: &Value) -> Option<Plain> {
    text(&document["time"]).filter(|time| *time != Plain::Text("soon".to_owned()))
}

/// Returns all values that a row has under a name.
fn values(made: &Made, table: ResultTable, row: &Value, name: &str) -> Vec<Option<Plain>> {
    let documents = made.rows(ResultTable::Documents);
    let none = Value::Null;
    let of_id = |id: &Value| documents.iter().find(|row| row["id"] == *id).unwrap_or(&none);
    let ids: Vec<&Value> = match table {
        ResultTable::Pairs => vec![&row["a"], &row["b"]],
        ResultTable::Clusters => row["members"].as_array().expect("a list").iter().collect(),
        _ => vec![&row["id"]],
    };
    let own: Vec<&Value> = match table {
        ResultTable::Documents => vec![row],
        _ => ids.iter().map(|id| of_id(id)).collect(),
    };
    let clusters = |document: &Value| -> Vec<u64> {
        let list = document["clusters"].as_array().cloned().unwrap_or_default();
        list.iter().chain([&document["cluster"]]).filter_map(Value::as_u64).collect()
    };
    let larger = |names: [&str; 2]| {
        let [one, other] = names.map(|name| row[name].as_f64().expect("a number"));
        vec![Some(Plain::Number(one.max(other)))]
    };
    match (name, table) {
        ("in", _) => larger(["a_in_b", "b_in_a"]),
        ("words", ResultTable::Pairs) => larger(["a_words", "b_words"]),
        ("words", ResultTable::Documents) => vec![number(&row["n_words"])],
        ("longest", _) if row["longest_words"].is_null() && row["relation"] == "exact" => {
            vec![number(&row["a_words"])]
        }
        ("longest", _) => vec![number(&row["longest_words"])],
        ("pairs", _) => vec![number(&row["n_pairs"])],
        ("shared", _) => vec![number(&row["shared_words"])],
        ("share", _) => vec![number(&row["covered"])],
        ("id", ResultTable::Clusters) => vec![number(&row["id"])],
        ("id" | "member", _) => ids.into_iter().map(text).collect(),
        ("kept", _) => vec![text(&row["covered_by"])],
        ("source", _) => own.into_iter().map(|document| text(&document["source"])).collect(),
        ("time", _) => own.into_iter().map(time).collect(),
        ("across", _) => {
            let differs = |name: &&str| {
                let [a, b] = [own[0], own[1]].map(|document| &document[*name]);
                !a.is_null() && !b.is_null() && a != b
            };
            let differing = ["source", "file"].into_iter().filter(differs);
            differing.map(|name| Some(Plain::Text(name.to_owned()))).collect()
        }
        ("cluster", _) => {
            let mut common = clusters(own[0]);
            common.retain(|cluster| own.iter().all(|other| clusters(other).contains(cluster)));
            let common: Vec<_> = common.iter().map(|n| Some(Plain::Number(*n as f64))).collect();
            if common.is_empty() { vec![None] } else { common }
        }
        ("size" | "cohesion" | "a_in_b" | "words", _) => vec![number(&row[name])],
        _ => vec![text(&row[name])],
    }
}
