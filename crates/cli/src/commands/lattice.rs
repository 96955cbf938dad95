//! `retold lattice`: how a few documents agree, drawn.

use retold_lab::{ItemLattice, draw_lattice, lattice_of, members_of, names_of};
use serde_json::json;

use crate::failure::Failure;
use crate::interrupt::STOP;
use crate::settings::{Drawing, Drawn};
use crate::terminal;

/// Draws the lattice and says what is in it.
pub(crate) fn lattice(drawing: &Drawing) -> Result<(), Failure> {
    let Drawing { file, what, most_concepts, output, overwrite, limits, talk } = drawing;
    let (table, items, names) = match what {
        Drawn::Cluster(cluster) => {
            let members = members_of(file, *cluster, limits)?;
            (members.table, members.numbers, Some(members.documents))
        }
        Drawn::Items { items, names } => (file.clone(), items.clone(), names.clone()),
    };
    let ItemLattice { lattice, items } = lattice_of(&table, &items, *most_concepts, limits, &STOP)?;
    let names = match names {
        Some(path) => names_of(&path, &items, limits)?,
        None => items.iter().map(u64::to_string).collect(),
    };
    draw_lattice(&lattice, &names, output, *overwrite)?;
    let (n_concepts, n_lines) = (lattice.concepts().len(), lattice.covers().len());
    if talk.is_json {
        let line = json!({
            "n_items": items.len(),
            "n_concepts": n_concepts,
            "n_lines": n_lines,
            "output": output,
        });
        return terminal::print(&format!("{line}\n"));
    }
    let counted = |n: usize, noun: &str| format!("{n} {noun}{}", if n == 1 { "" } else { "s" });
    terminal::print(&format!(
        "{}: {} of {}, {}\n",
        output.display(),
        counted(n_concepts, "concept"),
        counted(items.len(), "document"),
        counted(n_lines, "line")
    ))
}
