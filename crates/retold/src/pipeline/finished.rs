//! A result that is complete already, told once more.

use std::path::Path;

use retold_core::relation::Kind;
use retold_report::{Manifest, Summary};

use super::run::Outcome;

/// Returns the outcome of the run that wrote `manifest` into a folder, as far as it is known from there:
/// not what the largest clusters are about, and not how containments are spread.
pub(super) fn outcome_of(manifest: Manifest, folder: &Path, decides_only: bool) -> Outcome {
    let known = |name: &str| manifest.counts.get(name).copied();
    let count = |name: &str| known(name).unwrap_or(0);
    let summary = Summary {
        command: manifest.command.clone(),
        method: manifest.method.clone(),
        n_files: manifest.inputs.len() as u64,
        n_documents: count("documents"),
        n_archive: count("archive"),
        n_bytes: count("bytes"),
        n_words: count("words"),
        n_bad: manifest.n_bad,
        n_too_short: count("too_short"),
        pairs_by_kind: Kind::ALL
            .map(|kind| count(&format!("pairs_{}", kind.name().replace('-', "_")))),
        n_exact_groups: count("exact_groups"),
        n_exact_copies: count("exact_copies"),
        n_clusters: count("clusters"),
        n_clustered: count("clustered"),
        n_kept: count("representatives"),
        n_in_several: count("in_several_clusters"),
        n_removed: known("removed"),
        n_review: known("review"),
        decides_only,
        cuts: manifest.cuts.clone(),
        seconds: manifest.run.timings.values().sum(),
        output: Some(folder.display().to_string()),
        ..Summary::default()
    };
    Outcome { summary, manifest, tuning: None }
}
