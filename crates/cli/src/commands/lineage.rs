//! `retold lineage`: who most likely copied from whom.

use std::io::Write as _;

use retold::Lineage;
use retold_lab::{LineageFormat, lineage_file};
use retold_report::{OutputFile, counted, escape_terminal};
use serde_json::json;

use crate::commands::run;
use crate::failure::Failure;
use crate::settings::{Descent, Volume};
use crate::terminal;

/// Makes the tree, and prints or writes it.
pub(crate) fn lineage(descent: &Descent) -> Result<(), Failure> {
    let Descent { found, cluster, texts, format, output, overwrite, resources, talk } = descent;
    let lineage = run::watched(*talk, &[], resources, |resources| {
        Lineage::of_cluster(found, *cluster, texts, &resources)
    })?;
    let title = format!("Cluster {cluster}: who most likely copied from whom");
    let written = lineage_file(&lineage, &title, *format);
    let Some(path) = output else {
        if *format == LineageFormat::Png {
            let printed = std::io::stdout().write_all(&written);
            return printed.map_err(Failure::Print);
        }
        return terminal::print(&String::from_utf8_lossy(&written));
    };
    OutputFile::write(path, *overwrite, &written).map_err(retold::Error::from)?;
    let n_ties = lineage.steps.iter().filter(|step| step.is_tie).count();
    if talk.is_json {
        let line = json!({
            "n_documents": lineage.documents.len(),
            "n_ties": n_ties,
            "root": lineage.documents.first().map(|root| &root.id),
            "root_confidence": lineage.root_confidence,
            "is_complete": lineage.is_complete,
            "n_left_out": lineage.n_left_out,
            "output": path,
        });
        return terminal::print(&format!("{line}\n"));
    }
    let mut told = format!(
        "{}: {} in {}",
        escape_terminal(&path.display().to_string()),
        counted(lineage.documents.len() as u64, "document"),
        counted(lineage.steps.len() as u64, "step"),
    );
    if n_ties > 0 {
        told.push_str(&format!(", {} of them ties", n_ties));
    }
    terminal::print(&format!("{told}\n"))?;
    if talk.volume != Volume::Quiet {
        if !lineage.is_complete {
            let text = "the cluster is large, so only near documents were compared";
            terminal::say("note", text, talk.color);
        }
        if lineage.n_left_out > 0 {
            let left_out = counted(lineage.n_left_out as u64, "document");
            let text =
                format!("{left_out} are left out: a tree has at most {}", retold::MOST_DOCUMENTS);
            terminal::say("note", &text, talk.color);
        }
    }
    Ok(())
}
