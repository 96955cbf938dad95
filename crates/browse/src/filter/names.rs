//! The names that filters and orders may use, for each table.

use crate::table::ResultTable;

/// A name of a table: what a filter may ask for, and by what rows may be sorted.
#[derive(Debug)]
#[expect(clippy::struct_field_names, reason = "the name of a name is its name")]
pub(crate) struct Name {
    pub(crate) name: &'static str,
    /// Another name for the same.
    pub(crate) alias: Option<&'static str>,
    pub(crate) kind: Kind,
    pub(crate) subject: Subject,
    /// Whether rows may be sorted by it.
    pub(crate) is_sortable: bool,
    /// Whether rows are counted by it.
    pub(crate) has_facet: bool,
}

/// What the values of a name are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A whole number.
    Count,
    /// A share, in millionths.
    Share,
    /// A time, in seconds since the year 1.
    Time,
    /// A text, by its code.
    Text(Dictionary),
    /// One of a few texts, by its place in the list.
    Choice(&'static [&'static str]),
}

/// Texts with codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dictionary {
    Ids,
    Files,
    Sources,
    Languages,
}

impl Dictionary {
    /// Returns the name of its sections in the side file.
    pub(crate) fn section(self) -> &'static str {
        match self {
            Self::Ids => "ids",
            Self::Files => "files",
            Self::Sources => "sources",
            Self::Languages => "languages",
        }
    }
}

/// Where the values of a name come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A column of the table.
    Column(&'static str),
    /// The larger of two columns of the table.
    Larger(&'static str, &'static str),
    /// A column of `documents`, for the documents of the row: one of them has to fit.
    Document(&'static str),
    /// The ids of the documents of the row: one of them has to fit.
    Id,
    /// The clusters that all documents of the row are in: one of them has to fit.
    Cluster,
    /// A thing in which the two documents of a pair differ.
    Across,
}

/// Relations, in the order of their codes.
pub(crate) const RELATIONS: &[&str] =
    &["exact", "near-duplicate", "contains", "contained", "partial"];

/// Verdicts, in the order of their codes.
pub(crate) const VERDICTS: &[&str] = &["unique", "representative", "copy", "too-short"];

/// What the documents of a pair may differ in; these are columns of `documents`.
pub(crate) const DIFFERENCES: &[&str] = &["source", "language", "file"];

const fn name(name: &'static str, kind: Kind, subject: Subject) -> Name {
    Name { name, alias: None, kind, subject, is_sortable: false, has_facet: false }
}

impl Name {
    const fn sorted(self) -> Self {
        Self { is_sortable: true, ..self }
    }

    const fn counted(self) -> Self {
        Self { has_facet: true, ..self }
    }

    const fn or(self, alias: &'static str) -> Self {
        Self { alias: Some(alias), ..self }
    }
}

const ID: Name = name("id", Kind::Text(Dictionary::Ids), Subject::Id);
const SOURCE: Name =
    name("source", Kind::Text(Dictionary::Sources), Subject::Document("source")).counted();
const LANGUAGE: Name =
    name("language", Kind::Text(Dictionary::Languages), Subject::Document("language")).counted();
const TIME: Name = name("time", Kind::Time, Subject::Document("time")).sorted().counted();
const RELATION: Name =
    name("relation", Kind::Choice(RELATIONS), Subject::Column("relation")).sorted().counted();
const CLUSTER: Name = name("cluster", Kind::Count, Subject::Cluster);

static PAIRS: &[Name] = &[
    RELATION,
    name("in", Kind::Share, Subject::Larger("a_in_b", "b_in_a")).or("share").sorted().counted(),
    name("a_in_b", Kind::Share, Subject::Column("a_in_b")).sorted(),
    name("b_in_a", Kind::Share, Subject::Column("b_in_a")).sorted(),
    name("resemblance", Kind::Share, Subject::Column("resemblance")).sorted().counted(),
    name("words", Kind::Count, Subject::Larger("a_words", "b_words")).sorted().counted(),
    name("longest", Kind::Count, Subject::Column("longest")).sorted().counted(),
    SOURCE,
    LANGUAGE,
    TIME,
    ID,
    CLUSTER,
    name("across", Kind::Choice(DIFFERENCES), Subject::Across),
];

static CLUSTERS: &[Name] = &[
    name("id", Kind::Count, Subject::Column("id")).sorted(),
    name("size", Kind::Count, Subject::Column("size")).sorted().counted(),
    name("cohesion", Kind::Share, Subject::Column("cohesion")).sorted().counted(),
    name("pairs", Kind::Count, Subject::Column("pairs")).sorted(),
    name("exact", Kind::Count, Subject::Column("exact")).sorted(),
    name("near", Kind::Count, Subject::Column("near")).sorted(),
    name("contains", Kind::Count, Subject::Column("contains")).sorted(),
    name("contained", Kind::Count, Subject::Column("contained")).sorted(),
    name("partial", Kind::Count, Subject::Column("partial")).sorted(),
    name("derived", Kind::Count, Subject::Column("derived")).sorted(),
    name("common", Kind::Count, Subject::Column("common")).sorted(),
    name("shared", Kind::Count, Subject::Column("shared")).sorted().counted(),
    name("member", Kind::Text(Dictionary::Ids), Subject::Id),
    SOURCE,
    LANGUAGE,
    TIME,
];

static DOCUMENTS: &[Name] = &[
    name("verdict", Kind::Choice(VERDICTS), Subject::Column("verdict")).sorted().counted(),
    name("words", Kind::Count, Subject::Column("words")).sorted().counted(),
    Name { is_sortable: true, ..CLUSTER },
    Name { is_sortable: true, ..SOURCE },
    Name { is_sortable: true, ..LANGUAGE },
    TIME,
    ID,
    name("file", Kind::Text(Dictionary::Files), Subject::Column("file")).sorted(),
    name("pairs", Kind::Count, Subject::Column("pairs")).sorted().counted(),
    name("partial", Kind::Count, Subject::Column("partial")).sorted(),
];

static REMOVALS: &[Name] = &[
    ID,
    name("kept", Kind::Text(Dictionary::Ids), Subject::Column("kept")),
    name("share", Kind::Share, Subject::Column("share")).sorted().counted(),
    RELATION,
    name("words", Kind::Count, Subject::Column("words")).sorted().counted(),
    name("file", Kind::Text(Dictionary::Files), Subject::Column("file")).sorted(),
    SOURCE,
    LANGUAGE,
    TIME,
];

/// Returns the names of a table.
pub(crate) fn names(table: ResultTable) -> &'static [Name] {
    match table {
        ResultTable::Pairs => PAIRS,
        ResultTable::Clusters => CLUSTERS,
        ResultTable::Documents => DOCUMENTS,
        ResultTable::Removed | ResultTable::Review => REMOVALS,
    }
}

/// Returns a name of a table.
pub(crate) fn find(table: ResultTable, given: &str) -> Option<&'static Name> {
    names(table).iter().find(|name| name.name == given || name.alias == Some(given))
}

#[cfg(test)]
mod tests {
    use retold_core::relation;
    use retold_report::Verdict;

    use super::*;

    #[test]
    fn codes_of_relations_and_verdicts_are_their_places_in_the_lists() {
        let relations = relation::Kind::ALL.map(|kind| (kind as usize, kind.name()));
        assert!(relations.into_iter().eq(RELATIONS.iter().copied().enumerate()));
        let verdicts = Verdict::ALL.map(|verdict| (verdict as usize, verdict.name()));
        assert!(verdicts.into_iter().eq(VERDICTS.iter().copied().enumerate()));
    }

    #[test]
    fn the_documentation_lists_every_name_with_what_it_can_do() {
        let page = include_str!("../lib.rs");
        let lines: Vec<Vec<&str>> =
            page.lines().map(|line| line.split('|').map(str::trim).collect()).collect();
        for (column, table) in [
            (3, ResultTable::Pairs),
            (4, ResultTable::Clusters),
            (5, ResultTable::Documents),
            (6, ResultTable::Removed),
        ] {
            for name in names(table) {
                let quoted = format!("`{}`", name.name);
                let cell = lines.iter().find_map(|line| {
                    let cell = line.get(column).filter(|cell| !cell.is_empty())?;
                    (line.len() == 8 && line[1].contains(&quoted)).then_some(*cell)
                });
                let expected = match (name.is_sortable, name.has_facet) {
                    (true, true) => "s f",
                    (true, false) => "s",
                    (false, true) => "f",
                    (false, false) => "yes",
                };
                assert_eq!(cell, Some(expected), "{table}: {quoted}");
            }
        }
    }
}
