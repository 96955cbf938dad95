//! What `manifest.json` says of a run.

use std::collections::BTreeMap;

use retold_core::candidates::Cuts;
use retold_core::document::Ordinal;
use retold_core::relation::Kind;
use retold_report::{BadRow, Cut, Manifest, ManifestInput, ManifestRun, Summary};

use super::run::{Detected, Run};
use crate::resume::Resume;

impl Run<'_> {
    /// Describes the run.
    pub(super) fn manifest(&self, detected: &Detected, summary: &Summary) -> Manifest {
        let inputs = self
            .intake
            .digests
            .iter()
            .map(|digest| {
                let bad = self.intake.bad_by_file.get(&digest.name).copied().unwrap_or(0);
                ManifestInput {
                    name: digest.name.clone(),
                    bytes: digest.bytes,
                    kind: digest.kind.clone(),
                    blake3: digest.is_complete.then(|| digest.blake3.clone()),
                    n_documents: self.intake.n_per_file[digest.file as usize],
                    n_bad: bad,
                    copied_to: None,
                }
            })
            .collect();
        let mut counts = BTreeMap::new();
        let mut count = |name: &str, n: u64| {
            counts.insert(name.to_owned(), n);
        };
        count("documents", summary.n_documents);
        if summary.n_archive > 0 {
            count("archive", summary.n_archive);
        }
        count("bytes", summary.n_bytes);
        count("words", summary.n_words);
        count("too_short", summary.n_too_short);
        count("candidates", detected.n_candidates);
        count("similarity_values", detected.n_similarities);
        if !summary.decides_only {
            // Else it depends on the memory what images hold.
            count("image_bytes", self.n_image_bytes);
        }
        count("exact_groups", summary.n_exact_groups);
        count("exact_copies", summary.n_exact_copies);
        for kind in Kind::ALL {
            count(
                &format!("pairs_{}", kind.name().replace('-', "_")),
                summary.pairs_by_kind[kind as usize],
            );
        }
        count("clusters", summary.n_clusters);
        count("clustered", summary.n_clustered);
        count("representatives", summary.n_kept);
        count("in_several_clusters", summary.n_in_several);
        if let Some(n) = summary.n_removed {
            count("removed", n);
        }
        if let Some(n) = summary.n_review {
            count("review", n);
        }
        let spec = self.detector.spec();
        let place = |doc: Option<Ordinal>| doc.map(|doc| u64::from(doc.0));
        Manifest {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: self.command.to_owned(),
            method: spec.name.to_owned(),
            profile: self.job.profile.name().to_owned(),
            parameters: self.job.all_parameters().unwrap_or_default(),
            settings: serde_json::to_value(self.job).expect("a job is plain data"),
            tuning: self
                .tuning
                .as_ref()
                .map(|report| serde_json::to_value(report).expect("a report is plain data")),
            seed: self.job.seed,
            hashes: [
                ("words", "folded 128-bit multiplication, 64 bits"),
                ("runs", "rolling polynomial modulo 2^64"),
                ("exact copies", "128 bits over the words"),
                ("inputs", "blake3"),
            ]
            .map(|(role, name)| (role.to_owned(), name.to_owned()))
            .into(),
            inputs,
            second_from: place(self.intake.collection.border),
            joined_from: place(self.intake.collection.joined),
            counts,
            cuts: summary.cuts.clone(),
            approximate: spec.approximate.map(ToOwned::to_owned).into_iter().collect(),
            bad_records: self
                .intake
                .bad
                .iter()
                .map(|bad| BadRow {
                    file: bad.file.clone(),
                    record: bad.record.unwrap_or(0),
                    offset: bad.offset,
                    reason: bad.reason.clone(),
                })
                .collect(),
            n_bad: self.intake.n_bad,
            finished: true,
            run: ManifestRun {
                threads: self.pool.n_threads() as u32,
                job: self.intake.resume.as_ref().map(Resume::job),
                peak_bytes: peak_bytes(),
                timings: self.timings.clone(),
            },
            ..Manifest::default()
        }
    }
}

/// Returns the most memory the process held at a time, where the system tells.
pub(crate) fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

/// What a search may leave out, in words.
const SEARCH_CUTS: [&str; 3] = [
    "searches thinned or stopped at their limit of work",
    "candidates beyond the limit per document",
    "lists too long to be read, once for each document that asks",
];

/// Returns whether something was left out by the search, not by what came after it.
pub(super) fn is_of_search(cut: &Cut) -> bool {
    SEARCH_CUTS.contains(&cut.what.as_str())
}

/// Puts what a search left out into words.
pub(super) fn search_report(cuts: &Cuts) -> Vec<Cut> {
    let counts = [cuts.n_searches_cut, cuts.n_candidates_cut, cuts.n_stop_features];
    SEARCH_CUTS
        .into_iter()
        .zip(counts)
        .filter(|&(_, count)| count > 0)
        .map(|(what, count)| Cut { what: what.to_owned(), limit: None, count })
        .collect()
}
