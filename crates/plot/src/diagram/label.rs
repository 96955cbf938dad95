//! The text in a box.

use super::{DiagramConcept, LatticeDiagram};

/// The most names shown in a box; further ones are counted.
const MOST_NAMES: usize = 6;

/// Characters of a name that are shown: the last ones, where paths differ.
const MOST_CHARS: usize = 30;

/// The lines of a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Label {
    /// Documents that no box above has.
    pub(super) names: Vec<String>,
    /// Number of common units.
    pub(super) units: String,
    /// All documents and the number of their common units, shown on request.
    pub(super) whole: String,
}

/// Returns the labels of all concepts.
pub(super) fn labels(diagram: &LatticeDiagram) -> Vec<Label> {
    let names = &diagram.names;
    let folder = common_folder(names);
    let label = |concept: &DiagramConcept| {
        let first = &concept.first_items;
        let n_shown = if first.len() > MOST_NAMES { MOST_NAMES - 1 } else { first.len() };
        let mut shown: Vec<String> =
            first[..n_shown].iter().map(|&item| shortened(&names[item][folder..])).collect();
        if first.len() > n_shown {
            shown.push(format!("and {} more", first.len() - n_shown));
        }
        let units = units(concept.n_units);
        let all: Vec<&str> = concept.items.iter().map(|&item| names[item].as_str()).collect();
        let whole = match &all[..] {
            [] => format!("all: {units}"),
            all => format!("{}: {units}", all.join(", ")),
        };
        Label { names: shown, units, whole }
    };
    diagram.concepts.iter().map(label).collect()
}

fn units(n: u64) -> String {
    if n == 1 { "1 unit".to_owned() } else { format!("{n} units") }
}

/// Returns the length of the folders that all names begin with; they need not be shown.
fn common_folder(names: &[String]) -> usize {
    let [first, others @ ..] = names else { return 0 };
    if others.is_empty() {
        return 0;
    }
    let is_common = |&end: &usize| others.iter().all(|name| name.starts_with(&first[..end]));
    first.match_indices('/').map(|(at, _)| at + 1).take_while(is_common).last().unwrap_or(0)
}

fn shortened(name: &str) -> String {
    let n_chars = name.chars().count();
    if n_chars <= MOST_CHARS {
        return name.to_owned();
    }
    let tail = name.chars().skip(n_chars - (MOST_CHARS - 1));
    std::iter::once('…').chain(tail).collect()
}
