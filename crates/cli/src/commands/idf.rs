//! `retold idf`: a frozen table of how many documents hold each word.

use retold::{Files, IdfBuilder, IdfTable};

use crate::commands::run;
use crate::failure::Failure;
use crate::settings::Counting;
use crate::terminal;

/// Counts, writes the table and says what it holds.
pub(crate) fn idf(job: &Counting) -> Result<(), Failure> {
    let Counting { paths, output, settings, talk } = job;
    let IdfTable { n_documents, n_words, n_bad, .. } =
        run::watched(*talk, paths, &settings.resources, |resources| {
            IdfBuilder::new(Files::new(paths))
                .job(settings.job.clone())
                .resources(resources)
                .overwrite(settings.overwrite)
                .write(output)
        })?;
    if talk.is_json {
        let line = serde_json::json!({
            "n_documents": n_documents,
            "n_words": n_words,
            "n_bad": n_bad,
            "output": output,
        });
        return terminal::print(&format!("{line}\n"));
    }
    let skipped = if n_bad > 0 { format!(", {n_bad} records skipped") } else { String::new() };
    let name = output.display();
    terminal::print(&format!("{name}: {n_words} words of {n_documents} documents{skipped}\n"))
}
