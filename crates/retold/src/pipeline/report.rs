//! What a run hands over at its end: documents, clusters, what is removed, figures.

use std::time::Instant;

use retold_core::document::Ordinal;
use retold_report::{ClusterRow, DocumentRow, DocumentsWriter, Summary, Verdict};

use super::group::Grouped;
use super::run::{Detected, Outcome, Run};
use super::verdicts::Verdicts;
use crate::error::Error;
use crate::progress::Stage;
use crate::sink::{Cluster, Ending, Form, Sink};

/// Documents whose rows a thread makes at a time.
const DOCUMENTS_PER_PIECE: usize = 1_024;
/// Clusters that the summary names.
const MOST_NAMED: usize = 5;

impl Run<'_> {
    /// Hands everything over that is known at the end.
    pub(crate) fn report(
        &mut self,
        detected: &Detected,
        sink: &mut dyn Sink,
    ) -> Result<Outcome, Error> {
        let reporting = Instant::now();
        self.progress.begin(Stage::Report, 0);
        let mut summary = detected.summary.clone();
        let verdicts = Verdicts::new(&detected.clusters, self.intake.collection.len())?;
        self.fill(&mut summary, detected, &verdicts)?;
        let wants = sink.wants();
        match wants.documents {
            Form::Nothing => {}
            Form::Rows => self.document_rows(detected, &verdicts, sink)?,
            Form::Lines => self.document_lines(detected, &verdicts, sink)?,
        }
        drop(verdicts);
        if wants.clusters {
            self.clusters(detected, sink)?;
        }
        if let Some(decided) = &detected.decided {
            self.remove(decided, &mut summary, sink)?;
        }
        self.time("4 report", reporting);
        summary.seconds = self.started.elapsed().as_secs_f64();
        let manifest = self.manifest(detected, &summary);
        self.check_stop(Stage::Report)?;
        sink.finish(&mut Ending {
            summary: &mut summary,
            manifest: &manifest,
            clusters: &detected.page,
            partials: &detected.partials,
        })?;
        if let Some(resume) = self.intake.resume.take() {
            resume.remove()?;
        }
        Ok(Outcome { summary, manifest, tuning: self.tuning.clone() })
    }

    fn fill(
        &self,
        summary: &mut Summary,
        detected: &Detected,
        verdicts: &Verdicts,
    ) -> Result<(), Error> {
        let collection = &self.intake.collection;
        let clusters = &detected.clusters;
        self.command.clone_into(&mut summary.command);
        self.job.method.clone_into(&mut summary.method);
        summary.n_files = self.n_files as u64;
        summary.n_documents = collection.len() as u64;
        summary.n_bytes = collection.n_bytes;
        summary.n_words = collection.n_words;
        summary.n_bad = self.intake.n_bad;
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
        if let Some(joined) = collection.joined.filter(|_| detected.decided.is_some()) {
            // What is decided is decided about the others: an archive stays as it is.
            let count = |is_one: &dyn Fn(Ordinal) -> bool| {
                (0..joined.0).filter(|&doc| is_one(Ordinal(doc))).count() as u64
            };
            summary.n_documents = u64::from(joined.0);
            summary.n_archive = collection.len() as u64 - summary.n_documents;
            summary.n_words =
                (0..joined.0).map(|doc| u64::from(collection.n_words(Ordinal(doc)))).sum();
            summary.n_too_short = count(&|doc| collection.is_too_short(doc));
            summary.n_clustered = count(&|doc| verdicts.main(doc).is_some());
            summary.n_kept = count(&|doc| {
                let main = verdicts.main(doc);
                main.is_some_and(|id| clusters.representative(id as usize) == doc)
            });
        }
        Ok(())
    }

    fn document_rows(
        &self,
        detected: &Detected,
        verdicts: &Verdicts,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        for doc in self.intake.collection.documents() {
            self.check_stop(Stage::Report)?;
            self.row(doc, detected, verdicts, |row| sink.document(row))??;
        }
        Ok(())
    }

    fn document_lines(
        &self,
        detected: &Detected,
        verdicts: &Verdicts,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let n_documents = self.intake.collection.len();
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
                sink.document_lines(&lines, n)?;
            }
        }
        Ok(())
    }

    /// Hands on what the table of documents says of one.
    fn row<T>(
        &self,
        doc: Ordinal,
        detected: &Detected,
        verdicts: &Verdicts,
        each: impl FnOnce(&DocumentRow<'_>) -> T,
    ) -> Result<T, Error> {
        let collection = &self.intake.collection;
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
            file: &self.intake.files[entry.place.file as usize],
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
            is_too_short: entry.is_too_short,
            time: entry.ranks.time.as_deref(),
            source: entry.ranks.source.as_deref(),
            keep_value: entry.ranks.field.as_deref(),
        }))
    }

    fn clusters(&self, detected: &Detected, sink: &mut dyn Sink) -> Result<(), Error> {
        let collection = &self.intake.collection;
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
            let Grouped { members, representative, .. } = &cluster;
            sink.cluster(&Cluster { row, members, representative: *representative })?;
        }
        Ok(())
    }
}
