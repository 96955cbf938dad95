//! `find`: the whole job, from paths to an output folder.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::Instant;

use retold_core::candidates::{Candidate, Cuts};
use retold_core::cluster::{Cluster, Clusters, Edge, Grouping, cluster, of_sets};
use retold_core::document::Ordinal;
use retold_core::features::Featurizer;
use retold_core::methods::{Detector, Running};
use retold_core::relation::{Kind, Relation};
use retold_read::{Reader, discover};
use retold_report::{
    BadRow, ClusterRow, ClustersWriter, Cut, DocumentRow, DocumentsWriter, Manifest, ManifestInput,
    ManifestRun, OutputDir, PairsWriter, Summary, TableFormat, Verdict,
};

use super::closed_sets::{self, Collecting, FoundSets, Units};
use super::collection::Collection;
use super::intake::{self, Counter, Look, Taken};
use super::library::Library;
use super::page;
use super::parallel::Pool;
use super::shared::{Shared, shared};
use super::tables::{PairSink, Pairs};
use super::verifying::Verifying;
use crate::error::Error;
use crate::progress::{Progress, Stage, Stop};
use crate::settings::{Decide, Settings};

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The figures.
    pub summary: Summary,
    /// How they came about.
    pub manifest: Manifest,
}

/// Finds copies in the documents under `paths`.
///
/// With an output folder, `pairs`, `documents`, `clusters`, `manifest.json` and `report.html` are
/// written beside it and renamed into place at the end. Without one, only the figures remain.
pub fn find(
    paths: &[PathBuf],
    output: Option<&Path>,
    settings: &Settings,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<Outcome, Error> {
    find_between(paths, &[], output, settings, progress, stop)
}

/// Finds copies of the documents under `others` in those under `paths`: pairs have one document
/// of each. With no `others`, copies among the documents under `paths` are found.
pub fn find_between(
    paths: &[PathBuf],
    others: &[PathBuf],
    output: Option<&Path>,
    settings: &Settings,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<Outcome, Error> {
    let inputs = Inputs { paths, others };
    let mut run = Run::start("find", inputs, output, settings, progress, stop)?;
    let detected = run.detect()?;
    let outcome = run.report(&detected, |_, _| Ok(()))?;
    progress.end();
    Ok(outcome)
}

/// What a run reads.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    pub(crate) paths: &'a [PathBuf],
    /// The second collection; empty if the first is compared with itself.
    pub(crate) others: &'a [PathBuf],
}

/// A run under way.
pub(crate) struct Run<'a> {
    command: &'static str,
    pub(crate) settings: &'a Settings,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) stop: &'a Stop,
    detector: Box<dyn Detector>,
    featurizer: Featurizer,
    pool: Pool,
    pub(crate) output: Option<OutputDir>,
    pub(crate) taken: Taken,
    pub(crate) files: Vec<retold_read::InputFile>,
    /// Bytes held of all documents before the search.
    n_image_bytes: u64,
    /// Units of all images, if clusters are made of them.
    units: Option<Collecting>,
    /// Where relations go if the caller wants them in memory.
    pub(crate) relations: Option<Vec<Relation>>,
    started: Instant,
    timings: BTreeMap<String, f64>,
}

/// What was found, before it is written down.
pub(crate) struct Detected {
    pub(crate) edges: Vec<Edge>,
    pub(crate) clusters: Vec<Grouped>,
    /// `preference[ordinal]`: smaller is kept rather.
    pub(crate) preference: Vec<u32>,
    n_pairs: Vec<u32>,
    n_partial: Vec<u32>,
    is_cut: Vec<bool>,
    pub(crate) summary: Summary,
    cuts: Vec<Cut>,
    n_candidates: u64,
    /// Pairs that the search computed a similarity of.
    n_values: u64,
    page: Vec<retold_report::ClusterView>,
    partials: Vec<retold_report::PairView>,
}

/// A cluster of documents, copies included.
pub(crate) struct Grouped {
    pub(crate) members: Vec<Ordinal>,
    pub(crate) representative: Ordinal,
    pub(crate) cohesion: f64,
    pub(crate) kind_counts: [u64; 5],
    /// Units that all images have in common, if that made the cluster.
    pub(crate) n_common: Option<u32>,
    /// The text that all members have, if it was looked for and there is any.
    pub(crate) shared: Option<Shared>,
}

impl<'a> Run<'a> {
    /// Checks the settings, prepares the output and reads all documents.
    pub(crate) fn start(
        command: &'static str,
        inputs: Inputs<'_>,
        output: Option<&Path>,
        settings: &'a Settings,
        progress: &'a dyn Progress,
        stop: &'a Stop,
    ) -> Result<Self, Error> {
        let started = Instant::now();
        let mut timings = BTreeMap::new();
        let detector = settings.detector()?;
        let table = settings.counts(&*detector)?;
        if table.is_some() {
            timings.insert("0 load statistics".to_owned(), started.elapsed().as_secs_f64());
        }
        let mut found = discover(inputs.paths)?;
        let mut second = None;
        if !inputs.others.is_empty() {
            let others = discover(inputs.others)?;
            second = Some(found.files.len() as u32);
            found.files.extend(others.files);
            found.skipped.extend(others.skipped);
        }
        for skipped in &found.skipped {
            progress.bad(skipped);
        }
        let output = output.map(|dir| OutputDir::create(dir, settings.overwrite)).transpose()?;
        let featurizer = Featurizer::new(settings.text.clone(), settings.seed);
        let pool = Pool::with_stop(settings.threads, stop)?;
        let counter = (detector.needs_counts() && table.is_none()).then(Counter::new);
        let units = (settings.grouping == Grouping::ClosedSets)
            .then(|| Collecting::new(Units::default().into()));
        let mut look = Look {
            settings,
            detector: &*detector,
            featurizer: &featurizer,
            counts: table.as_ref(),
            counter: counter.as_ref(),
            second,
            units: units.as_ref(),
        };
        let reader = Reader::new(found.files.clone(), settings.read_options());
        let reading = Instant::now();
        let mut taken = intake::take(reader, &look, &pool, progress, stop)?;
        let stage = if counter.is_some() { "1 read and count" } else { "1 read" };
        timings.insert(stage.to_owned(), reading.elapsed().as_secs_f64());
        taken.n_bad += found.skipped.len() as u64;
        taken.bad.splice(0..0, found.skipped);
        taken.bad.truncate(intake::MOST_BAD);
        if taken.collection.len() == 0 {
            let names: Vec<String> = inputs
                .paths
                .iter()
                .chain(inputs.others)
                .map(|path| format!("`{}`", path.display()))
                .collect();
            let mut what = names.join(", ");
            if let Some(bad) = taken.bad.first() {
                what = format!("{what}; the first record refused was {bad}");
            }
            return Err(Error::Empty(what));
        }
        if counter.is_some() {
            let imaging = Instant::now();
            look.counter = None;
            let counts = counter.as_ref().map(Counter::take);
            look.counts = counts.as_ref();
            for bad in intake::image_again(&mut taken, &look, &pool, progress, stop) {
                progress.bad(&bad);
                taken.lose(bad);
            }
            timings.insert("1 image".to_owned(), imaging.elapsed().as_secs_f64());
        }
        let n_image_bytes = taken.candidates.held_bytes() as u64;
        Ok(Self {
            command,
            settings,
            progress,
            stop,
            detector,
            featurizer,
            pool,
            output,
            taken,
            files: found.files,
            n_image_bytes,
            units,
            relations: None,
            started,
            timings,
        })
    }

    fn check_stop(&self, stage: Stage) -> Result<(), Error> {
        if self.stop.is_set() {
            let n_documents = self.taken.collection.len() as u64;
            return Err(Error::Stopped { stage: stage.name(), n_documents });
        }
        Ok(())
    }

    fn time(&mut self, stage: &str, since: Instant) {
        self.timings.insert(stage.to_owned(), since.elapsed().as_secs_f64());
    }

    /// Searches, compares and groups; pairs are written on the way.
    pub(crate) fn detect(&mut self) -> Result<Detected, Error> {
        let closed_sets = self.closed_sets()?;
        let searching = Instant::now();
        self.progress.begin(Stage::Search, 0);
        let empty = self.detector.candidates(Running::Within);
        let structure = std::mem::replace(&mut self.taken.candidates, empty);
        let border = self.taken.collection.border;
        let mut proposed = structure.propose(border, &self.pool);
        proposed.add_exact(&self.taken.collection.across);
        let n_candidates = proposed.pairs.len() as u64;
        let n_values = proposed.n_values;
        if self.stop.is_set() {
            let n_documents = self.taken.collection.len() as u64;
            return Err(Error::Stopped { stage: Stage::Search.name(), n_documents });
        }
        self.time("2 search", searching);

        let comparing = Instant::now();
        let library = Library::new(
            &self.taken.collection,
            &self.taken.texts,
            &self.featurizer,
            self.detector.shingles(),
            self.profile_budget(),
        );
        let is_judged = self.settings.decide(&*self.detector) == Decide::Method;
        let candidates =
            if is_judged { proposed.pairs.clone() } else { std::mem::take(&mut proposed.pairs) };
        let verifying = Verifying {
            library: &library,
            detector: &*self.detector,
            judged: is_judged.then_some(&proposed),
            passages_per_pair: self.settings.passages_per_pair,
            pool: &self.pool,
            progress: self.progress,
            stop: self.stop,
        };
        let format = self.settings.format;
        let sink = match &self.output {
            None if self.relations.is_some() => PairSink::Memory(Vec::new()),
            Some(dir) => PairSink::Table(
                PairsWriter::create(dir.path(), format).map_err(Error::io("create", dir.path()))?,
                format,
            ),
            None => PairSink::Nowhere,
        };
        let per_document = self.settings.pairs_per_document;
        let mut pairs = Pairs::new(&library, sink, per_document, self.settings.passages_per_pair);
        if border.is_none() {
            pairs.exact_groups()?;
        }
        let mut lost = Vec::new();
        let mut shown = page::Picker::default();
        verifying.run(candidates, &mut |found| match found {
            Ok(found) => {
                shown.offer(&found);
                pairs.verified(&found)
            }
            Err(bad) => {
                lost.push(bad);
                Ok(())
            }
        })?;

        let preference = self.taken.collection.preference(&self.settings.keep);
        let rule = self.detector.rule();
        let mut cluster_cuts = Vec::new();
        let mut clusters =
            group(&pairs.edges, &self.taken.collection, &preference, |edges, best| {
                if let Some(FoundSets { sets, cuts }) = closed_sets {
                    cluster_cuts = cuts;
                    return of_sets(sets, best);
                }
                let (grouping, joining) = (self.settings.grouping, self.settings.joining);
                let Clusters { clusters, n_cut } =
                    cluster(edges, best, grouping, joining, rule.containment, &self.pool);
                if n_cut > 0 {
                    cluster_cuts.push(Cut {
                        what:
                            "cliques around documents that have too many; every related pair still \
                           stands in one; documents concerned"
                                .to_owned(),
                        limit: None,
                        count: n_cut,
                    });
                }
                clusters
            });
        self.check_stop(Stage::Report)?;
        if self.output.is_some() {
            let found = self.pool.map(&clusters, |cluster| {
                if self.stop.is_set() {
                    return None;
                }
                let shingles = self.detector.shingles();
                shared(&library, &cluster.members, cluster.representative, shingles)
            });
            for (cluster, shared) in clusters.iter_mut().zip(found) {
                cluster.shared = shared;
            }
        }
        for cluster in &clusters {
            let centre = first_of(&self.taken.collection, cluster.representative);
            for &member in &cluster.members {
                let member = first_of(&self.taken.collection, member);
                if member != centre {
                    self.check_stop(Stage::Report)?;
                    pairs.star(centre, member, || {
                        verifying.pair(Candidate::new(centre, member)).ok().flatten()
                    })?;
                }
            }
        }
        let (page, partials) = if self.output.is_some() && self.settings.page {
            (page::clusters(&clusters, &verifying, &pairs.edges), shown.views(&verifying))
        } else {
            (Vec::new(), Vec::new())
        };
        match std::mem::replace(&mut pairs.sink, PairSink::Nowhere) {
            PairSink::Table(writer, _) => {
                writer.finish().map_err(Error::io("write", "pairs".as_ref())).map(|_| ())?;
            }
            PairSink::Memory(relations) => self.relations = Some(relations),
            PairSink::Nowhere => {}
        }
        let mut cuts = pairs.cuts();
        cuts.extend(search_report(&proposed.cuts));
        cuts.extend(cluster_cuts);
        let Pairs { edges, n_written: n_pairs, n_partial, is_cut, summary, .. } = pairs;
        for bad in lost {
            self.progress.bad(&bad);
            self.taken.lose(bad);
        }
        self.time("3 compare", comparing);
        Ok(Detected {
            edges,
            clusters,
            preference,
            n_pairs,
            n_partial,
            is_cut,
            summary,
            cuts,
            n_candidates,
            n_values,
            page,
            partials,
        })
    }

    /// Finds the groups whose images have enough in common, if such clusters are wanted, and writes
    /// the table of units down.
    fn closed_sets(&mut self) -> Result<Option<FoundSets>, Error> {
        let Some(units) = self.units.take() else { return Ok(None) };
        let mining = Instant::now();
        self.progress.begin(Stage::Search, 0);
        let units = units.lock().unwrap_or_else(PoisonError::into_inner);
        units.check(&self.settings.method)?;
        let inverted = units.inverted(&self.pool);
        if let Some(output) = &self.output {
            let name = closed_sets::run_name(
                self.detector.spec().name,
                &self.detector.parameters(),
                self.files.len(),
            );
            let path = output.path().join(format!("{name}.dat"));
            inverted
                .write(&path, &self.taken.collection, &self.pool)
                .map_err(Error::io("write", &path))?;
        }
        let Settings { min_common, closed_sets, .. } = *self.settings;
        let found = units.closed_sets(&inverted, min_common, closed_sets, &self.pool);
        drop(units);
        self.time("2 closed sets", mining);
        Ok(Some(found))
    }

    /// Memory for profiles: three tenths of the text (the search has given its memory back), at
    /// least 1 GiB for collections below that, and at most a third of the budget.
    fn profile_budget(&self) -> usize {
        let n_bytes = self.taken.collection.n_bytes as usize;
        let by_text = n_bytes / 10 * 3;
        let planned = if n_bytes < 1 << 30 { by_text.max(1 << 30) } else { by_text };
        match self.settings.memory_bytes as usize {
            0 => planned.min(2 << 30),
            budget => planned.min((budget / 3).max(16 << 20)),
        }
    }

    /// Writes everything down; `more` adds to the output before it is put into place.
    pub(crate) fn report(
        &mut self,
        detected: &Detected,
        more: impl FnOnce(&mut Self, &mut Summary) -> Result<(), Error>,
    ) -> Result<Outcome, Error> {
        let reporting = Instant::now();
        self.progress.begin(Stage::Report, 0);
        let mut summary = detected.summary.clone();
        self.fill(&mut summary, detected);
        if let Some(dir) = self.output.as_ref().map(|dir| dir.path().to_owned()) {
            self.write_documents(&dir, detected).map_err(Error::io("write", &dir))?;
            self.write_clusters(&dir, detected).map_err(Error::io("write", &dir))?;
        }
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
            if self.stop.is_set() {
                let n_documents = self.taken.collection.len() as u64;
                return Err(Error::Stopped { stage: Stage::Report.name(), n_documents });
            }
            output.commit()?;
        }
        Ok(Outcome { summary, manifest })
    }

    fn fill(&self, summary: &mut Summary, detected: &Detected) {
        let collection = &self.taken.collection;
        self.command.clone_into(&mut summary.command);
        self.settings.method.clone_into(&mut summary.method);
        summary.n_files = self.files.len() as u64;
        summary.n_documents = collection.len() as u64;
        summary.n_bytes = collection.n_bytes;
        summary.n_words = collection.n_words;
        summary.n_bad = self.taken.n_bad;
        summary.n_too_short = self.n_too_short();
        summary.n_clusters = detected.clusters.len() as u64;
        summary.cluster_sizes =
            detected.clusters.iter().map(|cluster| cluster.members.len() as u64).collect();
        let verdicts = Verdicts::new(&detected.clusters, collection.len());
        summary.n_clustered = verdicts.n_clustered();
        summary.n_kept = verdicts.n_kept();
        summary.n_in_several = verdicts.n_in_several();
        summary.largest = largest(&detected.clusters, 5)
            .into_iter()
            .map(|i| {
                let cluster = &detected.clusters[i];
                let name = collection.entry(cluster.representative).id.to_string();
                (name, cluster.members.len() as u64)
            })
            .collect();
        summary.cuts.clone_from(&detected.cuts);
    }

    fn n_too_short(&self) -> u64 {
        self.taken.collection.entries.iter().filter(|entry| entry.is_too_short).count() as u64
    }

    fn write_documents(&self, dir: &Path, detected: &Detected) -> std::io::Result<()> {
        let collection = &self.taken.collection;
        let verdicts = Verdicts::new(&detected.clusters, collection.len());
        let row = |i: usize| {
            let entry = &collection.entries[i];
            let clusters = verdicts.clusters(i);
            let cluster = verdicts.main(i);
            let kept = cluster.map(|id| detected.clusters[id as usize].representative);
            let verdict = match kept {
                Some(kept) if kept.index() == i => Verdict::Representative,
                Some(_) => Verdict::Copy,
                None if entry.is_too_short => Verdict::TooShort,
                None => Verdict::Unique,
            };
            DocumentRow {
                id: &entry.id,
                file: &self.taken.files[entry.place.file as usize],
                record: entry.place.record,
                n_words: entry.n_words,
                verdict,
                cluster,
                clusters: if clusters.len() > 1 { clusters } else { &[] },
                representative: kept
                    .filter(|kept| kept.index() != i)
                    .map(|kept| &*collection.entry(kept).id),
                exact_copy_of: entry.copy_of.map(|first| &*collection.entry(first).id),
                n_pairs: detected.n_pairs[i],
                pairs_cut: detected.is_cut[i],
                n_partial: detected.n_partial[i],
                notes: if entry.is_cut { &["words beyond the limit were not read"] } else { &[] },
                language: entry.language.as_deref(),
            }
        };
        let format = self.settings.format;
        let mut writer = DocumentsWriter::create(dir, format)?;
        if format == TableFormat::Jsonl {
            let starts: Vec<usize> = (0..collection.len()).step_by(4096).collect();
            let pieces = self.pool.map(&starts, |&start| {
                let mut out = Vec::new();
                let end = (start + 4096).min(collection.len());
                (start..end).for_each(|i| DocumentsWriter::encode(&row(i), &mut out));
                (out, (end - start) as u64)
            });
            for (lines, n) in pieces {
                writer.push_encoded(&lines, n)?;
            }
        } else {
            for i in 0..collection.len() {
                writer.push(&row(i))?;
            }
        }
        writer.finish().map(|_| ())
    }

    fn write_clusters(&self, dir: &Path, detected: &Detected) -> std::io::Result<()> {
        let collection = &self.taken.collection;
        let mut writer = ClustersWriter::create(dir, self.settings.format)?;
        for (id, cluster) in detected.clusters.iter().enumerate() {
            let members: Vec<&str> =
                cluster.members.iter().map(|&member| &*collection.entry(member).id).collect();
            writer.push(&ClusterRow {
                id: id as u32,
                members: &members,
                representative: &collection.entry(cluster.representative).id,
                cohesion: cluster.cohesion,
                n_pairs: cluster.kind_counts.iter().sum(),
                kind_counts: cluster.kind_counts,
                n_common: cluster.n_common,
                shared_words: cluster.shared.as_ref().map(|shared| shared.n_words),
                shared_text: cluster.shared.as_ref().map(|shared| &*shared.text),
            })?;
        }
        writer.finish().map(|_| ())
    }

    fn manifest(&self, detected: &Detected, summary: &Summary) -> Manifest {
        let inputs = self
            .taken
            .digests
            .iter()
            .map(|digest| {
                let bad = self.taken.bad_by_file.get(&digest.name).copied().unwrap_or(0);
                ManifestInput {
                    name: digest.name.clone(),
                    bytes: digest.bytes,
                    kind: digest.kind.clone(),
                    blake3: digest.is_complete.then(|| digest.blake3.clone()),
                    n_documents: self.taken.n_per_file[digest.file as usize],
                    n_bad: bad,
                }
            })
            .collect();
        let mut counts = BTreeMap::new();
        let mut count = |name: &str, n: u64| {
            counts.insert(name.to_owned(), n);
        };
        count("documents", summary.n_documents);
        count("bytes", summary.n_bytes);
        count("words", summary.n_words);
        count("too_short", summary.n_too_short);
        count("candidates", detected.n_candidates);
        count("similarity_values", detected.n_values);
        count("image_bytes", self.n_image_bytes);
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
        count("in_several_clusters", summary.n_in_several);
        if let Some(n) = summary.n_removed {
            count("removed", n);
        }
        if let Some(n) = summary.n_review {
            count("review", n);
        }
        let spec = self.detector.spec();
        Manifest {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: self.command.to_owned(),
            method: spec.name.to_owned(),
            profile: self.settings.profile.name().to_owned(),
            parameters: self.detector.parameters(),
            settings: serde_json::to_value(self.settings).expect("settings are plain data"),
            seed: self.settings.seed,
            hashes: [
                ("words", "folded 128-bit multiplication, 64 bits"),
                ("runs", "rolling polynomial modulo 2^64"),
                ("exact copies", "128 bits over the words"),
                ("inputs", "blake3"),
            ]
            .map(|(role, name)| (role.to_owned(), name.to_owned()))
            .into(),
            inputs,
            counts,
            cuts: summary.cuts.clone(),
            approximate: spec.approximate.map(ToOwned::to_owned).into_iter().collect(),
            bad_records: self
                .taken
                .bad
                .iter()
                .map(|bad| BadRow {
                    file: bad.file.clone(),
                    record: bad.record.unwrap_or(0),
                    offset: bad.offset,
                    reason: bad.reason.clone(),
                })
                .collect(),
            n_bad: self.taken.n_bad,
            finished: true,
            run: ManifestRun {
                threads: self.pool.n_threads() as u32,
                peak_bytes: peak_bytes(),
                timings: self.timings.clone(),
            },
            ..Manifest::default()
        }
    }
}

/// Returns the most memory the process held at a time, where the system tells.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

/// Returns the first document with the words of this one.
pub(crate) fn first_of(collection: &Collection, doc: Ordinal) -> Ordinal {
    collection.entry(doc).copy_of.unwrap_or(doc)
}

/// Returns the positions of the largest clusters, largest first.
pub(crate) fn largest(clusters: &[Grouped], n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..clusters.len()).collect();
    order.sort_by_key(|&i| (usize::MAX - clusters[i].members.len(), i));
    order.truncate(n);
    order
}

/// Makes clusters of firsts and brings their copies in.
pub(crate) fn group(
    edges: &[Edge],
    collection: &Collection,
    preference: &[u32],
    cluster: impl FnOnce(&[Edge], &[u32]) -> Vec<Cluster>,
) -> Vec<Grouped> {
    // A first is as good as the best of its copies.
    let mut best = preference.to_vec();
    for first in collection.firsts_with_copies() {
        let of_group = collection.group(first).into_iter().map(|doc| preference[doc.index()]).min();
        best[first.index()] = of_group.expect("a group has its first");
    }
    let mut clusters = cluster(edges, &best);
    // A document may be in several; their numbers ascend.
    let mut clusters_of: HashMap<Ordinal, Vec<usize>> = HashMap::new();
    for (i, cluster) in clusters.iter().enumerate() {
        for &member in &cluster.members {
            clusters_of.entry(member).or_default().push(i);
        }
    }
    for first in collection.firsts_with_copies() {
        clusters_of.entry(first).or_insert_with(|| {
            clusters.push(Cluster { members: vec![first], representative: first, n_common: None });
            vec![clusters.len() - 1]
        });
    }
    let mut kinds = vec![[0u64; 5]; clusters.len()];
    for edge in edges {
        if let (Some(of_a), Some(of_b)) = (clusters_of.get(&edge.a), clusters_of.get(&edge.b)) {
            let n = (collection.group(edge.a).len() * collection.group(edge.b).len()) as u64;
            for x in of_a.iter().filter(|x| of_b.binary_search(x).is_ok()) {
                kinds[*x][edge.kind as usize] += n;
            }
        }
    }
    let mut grouped: Vec<Grouped> = clusters
        .into_iter()
        .zip(kinds)
        .map(|(cluster, mut kind_counts)| {
            let mut members = Vec::new();
            for &first in &cluster.members {
                let group = collection.group(first);
                let n = group.len() as u64;
                kind_counts[Kind::Exact as usize] += n * (n - 1) / 2;
                members.extend(group);
            }
            members.sort_unstable();
            let representative = *members
                .iter()
                .min_by_key(|doc| preference[doc.index()])
                .expect("a cluster has members");
            let n = members.len() as u64;
            let n_related: u64 = kind_counts.iter().sum();
            let cohesion = n_related as f64 / (n * (n - 1) / 2) as f64;
            let n_common = cluster.n_common;
            Grouped { members, representative, cohesion, kind_counts, n_common, shared: None }
        })
        .collect();
    grouped.sort_by(|x, y| x.members[0].cmp(&y.members[0]).then_with(|| x.members.cmp(&y.members)));
    grouped
}

/// Where each document stands in clusters that may overlap.
struct Verdicts {
    starts: Vec<usize>,
    clusters: Vec<u32>,
    /// The cluster that decides what is said of a document: one that it represents, else its first.
    main: Vec<u32>,
    n_kept: u64,
}

impl Verdicts {
    fn new(clusters: &[Grouped], n_documents: usize) -> Self {
        let mut starts = vec![0; n_documents + 1];
        let mut main = vec![u32::MAX; n_documents];
        for (id, cluster) in clusters.iter().enumerate() {
            for member in &cluster.members {
                starts[member.index() + 1] += 1;
                let main = &mut main[member.index()];
                *main = (*main).min(id as u32);
            }
        }
        for i in 0..n_documents {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut of_documents = vec![0; starts[n_documents]];
        for (id, cluster) in clusters.iter().enumerate() {
            for member in &cluster.members {
                of_documents[next[member.index()]] = id as u32;
                next[member.index()] += 1;
            }
        }
        let mut is_kept = vec![false; n_documents];
        for (id, cluster) in clusters.iter().enumerate() {
            let kept = cluster.representative.index();
            if !is_kept[kept] {
                main[kept] = id as u32;
                is_kept[kept] = true;
            }
        }
        let n_kept = is_kept.iter().filter(|&&is_kept| is_kept).count() as u64;
        Self { starts, clusters: of_documents, main, n_kept }
    }

    /// All clusters of a document, ascending.
    fn clusters(&self, document: usize) -> &[u32] {
        &self.clusters[self.starts[document]..self.starts[document + 1]]
    }

    fn main(&self, document: usize) -> Option<u32> {
        Some(self.main[document]).filter(|&id| id != u32::MAX)
    }

    fn n_clustered(&self) -> u64 {
        self.main.iter().filter(|&&id| id != u32::MAX).count() as u64
    }

    fn n_kept(&self) -> u64 {
        self.n_kept
    }

    fn n_in_several(&self) -> u64 {
        self.starts.windows(2).filter(|pair| pair[1] - pair[0] > 1).count() as u64
    }
}

/// Puts what a search left out into words.
fn search_report(cuts: &Cuts) -> Vec<Cut> {
    let named = [
        ("searches thinned or stopped at their limit of work", cuts.n_searches_cut),
        ("candidates beyond the limit per document", cuts.n_candidates_cut),
        ("word runs too common to vote", cuts.n_stop_features),
    ];
    named
        .into_iter()
        .filter(|&(_, count)| count > 0)
        .map(|(what, count)| Cut { what: what.to_owned(), limit: None, count })
        .collect()
}
