//! `retold rebuild`: the texts as they were before `dedup --level`.

use retold::{Rebuild, Resources};
use retold_report::grouped;
use serde_json::json;

use crate::args;
use crate::commands::run;
use crate::failure::Failure;
use crate::settings;
use crate::terminal;

/// Runs and prints the figures.
pub(crate) fn rebuild(args: args::Rebuild) -> Result<(), Failure> {
    let args::Rebuild { clean, output, overwrite, manner } = args;
    let talk = settings::talk(manner);
    let rebuilt = run::watched(talk, &[], &Resources::new(), |resources| {
        Rebuild::open(&clean)?.run(&output, overwrite, &resources)
    })?;
    if talk.is_json {
        let mut told = json!(rebuilt);
        told["output"] = json!(output);
        return terminal::print(&format!("{told:#}\n"));
    }
    terminal::print(&format!(
        "{} documents put together, {} of which had strikes: {} bytes of text\nWritten to {}\n",
        grouped(rebuilt.n_documents),
        grouped(rebuilt.n_struck_documents),
        grouped(rebuilt.n_bytes),
        output.display()
    ))
}
