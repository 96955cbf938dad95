//! What a run writes down at its end: the tables of documents and clusters, the manifest, the page.

use std::path::Path;
use std::time::Instant;

use retold_core::document::Ordinal;
use retold_report::{
    ClusterRow, ClustersWriter, DocumentRow, DocumentsWriter, Summary, TableFormat, Verdict,
};

use super::page;
use super::run::{Detected, Outcome, Run};
use super::verdicts::Verdicts;
use crate::error::Error;
use crate::progress::Stage;

/// Documents whose rows a thread makes at a time.
const DOCUMENTS_PER_PIECE: usize = 1_024;
/// Clusters that the summary names.
const MOST_NAMED: usize = 5;

impl Run<'_> {
    /// Writes everything down; `more` adds to the output before it is put into place.
    pub(crate) fn report(
        &mut self,
        detected: &Detected,
        more: impl FnOnce(&mut Self, &mut Summary) -> Result<(), Error>,
    ) -> Result<Outcome, Error> {
        let reporting = Instant::now();
        self.progress.begin(Stage::Report, 0);
        let mut summary = detected.summary.clone();
        let verdicts = Verdicts::new(&detected.clusters, self.taken.collection.len())?;
        self.fill(&mut summary, detected, &verdicts)?;
        if let Some(dir) = self.output.as_ref().map(|dir| dir.path().to_owned()) {
            self.write_documents(&dir, detected, &verdicts)?;
            self.write_clusters(&dir, detected)?;
        }
        drop(verdicts);
        more(self, &mut summary)?;
        self.time("4 report", reporting);
        summary.seconds = self.started.elapsed().as_secs_f64();
        let manifest = self.manifest(detected, &summary);
        if let Some(output) = self.output.take() {
            let dir = output.path().to_owned();
            summary.output = Some(output.final_path().display().to_string());
            manifest.write(&dir).map_err(Error::io("write", &dir))?;
            if self.settings.page {
                page::write(&dir, &summary, &manifest, &detected.page, &detected.partials)
                    .map_err(Error::io("write", &dir))?;
            }
            self.check_stop(Stage::Report)?;
            output.commit()?;
        }
        Ok(Outcome { summary, manifest })
    }

    fn fill(
        &self,
        summary: &mut Summary,
        detected: &Detected,
        verdicts: &Verdicts,
    ) -> Result<(), Error> {
        let collection = &self.taken.collection;
        let clusters = &detected.clusters;
        self.command.clone_into(&mut summary.command);
        self.settings.method.clone_into(&mut summary.method);
        summary.n_files = self.files.len() as u64;
        summary.n_documents = collection.len() as u64;
        summary.n_bytes = collection.n_bytes;
        summary.n_words = collection.n_words;
        summary.n_bad = self.taken.n_bad;
        summary.n_too_short =
            collection.documents().filter(|&doc| collection.is_too_short(doc)).count() as u64;
        summary.n_clusters = clusters.len() as u64;
        summary.cluster_sizes = clusters.sizes().collect();
        summary.n_clustered = verdicts.n_clustered();
        summary.n_kept = verdicts.n_kept();
        summary.n_in_several = verdicts.n_in_several();
        for id in clusters.largest(MOST_NAMED) {
            let name = collection.id(clusters.representative(id))?;
            summary.largest.push((name, summary.cluster_sizes[id]));
        }
        summary.cuts.clone_from(&detected.cuts);
        Ok(())
    }

    fn write_documents(
        &self,
        dir: &Path,
        detected: &Detected,
        verdicts: &Verdicts,
    ) -> Result<(), Error> {
        let failed = |error| Error::io("write", dir)(error);
        let n_documents = self.taken.collection.len();
        let format = self.settings.format;
        let mut writer = DocumentsWriter::create(dir, format).map_err(failed)?;
        if format == TableFormat::Jsonl {
            let starts: Vec<usize> = (0..n_documents).step_by(DOCUMENTS_PER_PIECE).collect();
            // In rounds, so that the lines of the whole collection never wait in line.
            for round in starts.chunks(4 * self.pool.n_threads()) {
                self.check_stop(Stage::Report)?;
                let pieces: Vec<Result<_, Error>> = self.pool.map(round, |&start| {
                    let mut out = Vec::new();
                    let end = (start + DOCUMENTS_PER_PIECE).min(n_documents);
                    for doc in start..end {
                        self.row(Ordinal(doc as u32), detected, verdicts, |row| {
                            DocumentsWriter::encode(row, &mut out);
                        })?;
                    }
                    Ok((out, (end - start) as u64))
                });
                for piece in pieces {
                    let (lines, n) = piece?;
                    writer.push_encoded(&lines, n).map_err(failed)?;
                }
            }
        } else {
            for doc in self.taken.collection.documents() {
                self.check_stop(Stage::Report)?;
                self.row(doc, detected, verdicts, |row| writer.push(row))?.map_err(failed)?;
            }
        }
        writer.finish().map(|_| ()).map_err(failed)
    }

    /// Hands on what the table of documents says of one.
    fn row<T>(
        &self,
        doc: Ordinal,
        detected: &Detected,
        verdicts: &Verdicts,
        each: impl FnOnce(&DocumentRow<'_>) -> T,
    ) -> Result<T, Error> {
        let collection = &self.taken.collection;
        let entry = collection.entry(doc)?;
        let cluster = verdicts.main(doc);
        let kept = cluster.map(|id| detected.clusters.representative(id as usize));
        let verdict = match kept {
            Some(kept) if kept == doc => Verdict::Representative,
            Some(_) => Verdict::Copy,
            None if entry.is_too_short => Verdict::TooShort,
            None => Verdict::Unique,
        };
        let id = |other: Option<Ordinal>| other.map(|other| collection.id(other)).transpose();
        let representative = id(kept.filter(|&kept| kept != doc))?;
        let exact_copy_of = id(entry.copy_of)?;
        Ok(each(&DocumentRow {
            id: &entry.id,
            file: &self.taken.files[entry.place.file as usize],
            record: entry.place.record,
            n_words: entry.n_words,
            verdict,
            cluster,
            clusters: &verdicts.several(doc),
            representative: representative.as_deref(),
            exact_copy_of: exact_copy_of.as_deref(),
            n_pairs: detected.n_pairs[doc.index()],
            pairs_cut: detected.is_cut.contains(doc),
            n_partial: detected.n_partial[doc.index()],
            notes: if entry.is_cut { &["words beyond the limit were not read"] } else { &[] },
            language: entry.language.as_deref(),
        }))
    }

    fn write_clusters(&self, dir: &Path, detected: &Detected) -> Result<(), Error> {
        let failed = |error| Error::io("write", dir)(error);
        let collection = &self.taken.collection;
        let mut writer = ClustersWriter::create(dir, self.settings.format).map_err(failed)?;
        for (id, cluster) in (0..).zip(detected.clusters.iter()) {
            self.check_stop(Stage::Report)?;
            let cluster = cluster?;
            let ids = cluster.members.iter().map(|&member| collection.id(member));
            let ids: Vec<String> = ids.collect::<Result<_, Error>>()?;
            let members: Vec<&str> = ids.iter().map(String::as_str).collect();
            let row = ClusterRow {
                id,
                members: &members,
                representative: &collection.id(cluster.representative)?,
                cohesion: cluster.cohesion,
                n_pairs: cluster.kind_counts.iter().sum(),
                kind_counts: cluster.kind_counts,
                n_derived: cluster.n_derived,
                n_common: cluster.n_common,
                shared_words: cluster.shared.as_ref().map(|shared| shared.n_words),
                shared_text: cluster.shared.as_ref().map(|shared| &*shared.text),
            };
            writer.push(&row).map_err(failed)?;
        }
        writer.finish().map(|_| ()).map_err(failed)
    }
}
