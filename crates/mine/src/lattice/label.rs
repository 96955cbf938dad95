//! What stands in a box.

use super::{Concept, Lattice};

/// Names shown in a box; of more, the number is told.
const MOST_NAMES: usize = 6;

/// Characters of a name that are shown: the last ones, where paths differ.
const MOST_CHARS: usize = 30;

/// The lines of a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Label {
    /// Items that first appear here.
    pub(super) names: Vec<String>,
    /// Number of common units.
    pub(super) units: String,
    /// All items and the number of their common units, for those who ask.
    pub(super) whole: String,
}

/// Returns the labels of all concepts.
///
/// *Panics*: if there is not one name for each item.
pub(super) fn labels(lattice: &Lattice, names: &[String]) -> Vec<Label> {
    assert_eq!(names.len(), lattice.items().len(), "one name for each item");
    let firsts = lattice.first_places();
    let folder = common_folder(names);
    let label = |(concept, first): (&Concept, Vec<usize>)| {
        let n_shown = if first.len() > MOST_NAMES { MOST_NAMES - 1 } else { first.len() };
        let mut shown: Vec<String> =
            first[..n_shown].iter().map(|&place| shortened(&names[place][folder..])).collect();
        if first.len() > n_shown {
            shown.push(format!("and {} more", first.len() - n_shown));
        }
        let units = units(concept.n_units());
        let all: Vec<&str> = concept.places().map(|place| names[place].as_str()).collect();
        let whole = match &all[..] {
            [] => format!("all: {units}"),
            all => format!("{}: {units}", all.join(", ")),
        };
        Label { names: shown, units, whole }
    };
    lattice.concepts().iter().zip(firsts).map(label).collect()
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

/// Returns whether a character is shown as itself; others could break a line or turn it around.
pub(super) fn is_plain(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}
