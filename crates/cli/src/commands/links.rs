//! `retold links`: the graph of documents that share passages.

use std::io::{BufWriter, Write as _};

use retold::{Error, Links, is_index};
use retold_report::{OutputFile, counted, escape_terminal, grouped};
use serde_json::json;

use crate::commands::run;
use crate::failure::Failure;
use crate::settings::{Linking, Volume};
use crate::terminal;

/// Finds the links, and prints or writes them.
pub(crate) fn links(linking: &Linking) -> Result<(), Failure> {
    let Linking { archive, wanted, format, output, overwrite, resources, talk } = linking;
    // What cannot be written is told before the work.
    let file = output.as_deref().map(|path| OutputFile::create(path, *overwrite));
    let file = file.transpose().map_err(Error::from)?;
    let links = run::watched(*talk, &[], resources, |resources| {
        if is_index(archive) {
            Links::of_index(archive, wanted, &resources)
        } else {
            Links::of_results(archive, wanted)
        }
    })?;
    let (Some(path), Some(file)) = (output, file) else {
        let mut out = BufWriter::new(std::io::stdout().lock());
        let printed = links.write(*format, &mut out).and_then(|()| out.flush());
        return printed.map_err(Failure::Print);
    };
    let mut out = BufWriter::new(file);
    let failed = |source| Error::Io { what: "write", path: path.clone(), source };
    links.write(*format, &mut out).map_err(failed)?;
    let file = out.into_inner().map_err(|error| failed(error.into_error()))?;
    file.commit().map_err(Error::from)?;
    if talk.is_json {
        let cuts: Vec<_> =
            links.cuts.iter().map(|(what, count)| json!({"what": what, "count": count})).collect();
        let line = json!({
            "n_documents": links.n_documents,
            "n_linked": links.documents.len(),
            "n_links": links.links.len(),
            "n_left_out": links.n_left_out,
            "cuts": cuts,
            "output": path,
        });
        return terminal::print(&format!("{line}\n"));
    }
    let of = links.n_documents.map(|n| format!(" of {}", grouped(n))).unwrap_or_default();
    terminal::print(&format!(
        "{}: {} between {}{of} documents\n",
        escape_terminal(&path.display().to_string()),
        counted(links.links.len() as u64, "link"),
        grouped(links.documents.len() as u64),
    ))?;
    if talk.volume != Volume::Quiet {
        for (what, count) in &links.cuts {
            terminal::say("note", &format!("left out: {what}, {}", grouped(*count)), talk.color);
        }
    }
    Ok(())
}
