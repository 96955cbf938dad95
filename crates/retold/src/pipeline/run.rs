//! A run: documents are read, candidates searched and compared, relations gathered.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use retold_core::candidates::meeting::SeenKeys;
use retold_core::candidates::sealed::{Job, SearchError, Searched};
use retold_core::candidates::{Candidate, Judgement};
use retold_core::cluster::Grouping;
use retold_core::document::{Document, Ordinal};
use retold_core::features::Featurizer;
use retold_core::image::images::Images;
use retold_core::methods::Detector;
use retold_core::relation::{Kind, Relation, Scores};
use retold_read::{ReadOptions, Reader, discover};
use retold_report::{Cut, Manifest, OutputDir, PairsWriter, Summary};

use super::bits::Bits;
use super::budget::{Budget, give_back};
use super::closed_sets::{self, FoundSets, Units};
use super::clusters::ClusterLog;
use super::crowds::{self, Crowd};
use super::decisions::Decided;
use super::gathering::{Gathered, Gathering};
use super::group::Related;
use super::hearing::Hearing;
use super::intake::{self, Counter, Look, Taken};
use super::library::Library;
use super::linked::Links;
use super::manifest::search_report;
use super::page;
use super::parallel::Pool;
use super::proposals::{Proposals, Proposing};
use super::room::Room;
use super::scratch::ScratchDir;
use super::tables::{PairSink, Pairs};
use super::verifying::Verifying;
use crate::error::Error;
use crate::progress::{Progress, Stage, Stop};
use crate::settings::{Decide, PairsWritten, Settings};

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The figures.
    pub summary: Summary,
    /// How they came about.
    pub manifest: Manifest,
}

/// What a run reads.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    pub(crate) paths: &'a [PathBuf],
    /// The second collection; empty if the first is compared with itself.
    pub(crate) others: &'a [PathBuf],
}

/// What a run is for, each more than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wanted {
    /// Relations.
    Relations,
    /// Clusters, too.
    Clusters,
    /// What goes, too.
    Decisions,
}

/// A run under way.
pub(crate) struct Run<'a> {
    pub(super) command: &'static str,
    pub(crate) settings: &'a Settings,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) stop: &'a Stop,
    pub(super) budget: Budget,
    pub(super) scratch: ScratchDir,
    pub(super) detector: Box<dyn Detector>,
    featurizer: Featurizer,
    pub(super) pool: Pool,
    pub(crate) output: Option<OutputDir>,
    pub(crate) taken: Taken,
    /// `preference[ordinal]`: smaller is kept rather.
    pub(super) preference: Vec<u32>,
    pub(crate) files: Vec<retold_read::InputFile>,
    pub(super) read_options: ReadOptions,
    /// Bytes of all images.
    pub(super) n_image_bytes: u64,
    /// Where relations go if the caller wants them in memory.
    pub(crate) relations: Option<Vec<Relation>>,
    pub(super) started: Instant,
    pub(super) timings: BTreeMap<String, f64>,
}

/// What was found, before it is written down.
pub(crate) struct Detected {
    pub(crate) clusters: ClusterLog,
    /// What `dedup` does, if that was wanted.
    pub(crate) decided: Option<Decided>,
    pub(super) n_pairs: Vec<u32>,
    pub(super) n_partial: Vec<u32>,
    pub(super) is_cut: Bits,
    pub(crate) summary: Summary,
    pub(super) cuts: Vec<Cut>,
    pub(crate) n_candidates: u64,
    /// Pairs that the search computed a similarity of.
    pub(crate) n_values: u64,
    pub(super) page: Vec<retold_report::ClusterView>,
    pub(super) partials: Vec<retold_report::PairView>,
}

/// What is ready before anything is read.
struct Prepared<'a> {
    settings: &'a Settings,
    progress: &'a dyn Progress,
    stop: &'a Stop,
    budget: Budget,
    scratch: ScratchDir,
    detector: Box<dyn Detector>,
    featurizer: Featurizer,
    pool: Pool,
    started: Instant,
    timings: BTreeMap<String, f64>,
}

/// What was given to read.
enum Source {
    Files(Vec<retold_read::InputFile>),
    Memory(Vec<Document>),
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
        let prepared = Prepared::new(settings, progress, stop)?;
        let mut found = discover(inputs.paths)?;
        let mut second = None;
        if !inputs.others.is_empty() {
            let others = discover(inputs.others)?;
            second = Some(found.files.len());
            found.files.extend(others.files);
            found.skipped.extend(others.skipped);
        }
        for skipped in &found.skipped {
            progress.bad(skipped);
        }
        let output = output.map(|dir| OutputDir::create(dir, settings.overwrite)).transpose()?;
        let mut run = prepared.read(command, Source::Files(found.files), second)?;
        run.output = output;
        run.taken.n_bad += found.skipped.len() as u64;
        run.taken.bad.splice(0..0, found.skipped);
        run.taken.bad.truncate(intake::MOST_BAD);
        if run.taken.collection.len() == 0 {
            let names: Vec<String> = inputs
                .paths
                .iter()
                .chain(inputs.others)
                .map(|path| format!("`{}`", path.display()))
                .collect();
            let mut what = names.join(", ");
            if let Some(bad) = run.taken.bad.first() {
                what = format!("{what}; the first record refused was {bad}");
            }
            return Err(Error::Empty(what));
        }
        Ok(run)
    }

    /// Takes documents that are in memory; from `second` on they are another collection.
    pub(crate) fn start_in_memory(
        documents: Vec<Document>,
        second: Option<usize>,
        settings: &'a Settings,
        progress: &'a dyn Progress,
        stop: &'a Stop,
    ) -> Result<Self, Error> {
        let prepared = Prepared::new(settings, progress, stop)?;
        let mut run = prepared.read("find", Source::Memory(documents), second)?;
        run.relations = Some(Vec::new());
        Ok(run)
    }

    pub(super) fn time(&mut self, stage: &str, since: Instant) {
        self.timings.insert(stage.to_owned(), since.elapsed().as_secs_f64());
    }

    /// Returns an error if somebody asked the run to stop.
    pub(super) fn check_stop(&self, stage: Stage) -> Result<(), Error> {
        if self.stop.is_set() {
            let n_documents = self.taken.collection.len() as u64;
            return Err(Error::Stopped { stage: stage.name(), n_documents });
        }
        Ok(())
    }

    /// Searches, compares and groups; pairs are written on the way.
    pub(crate) fn detect(&mut self, wanted: Wanted) -> Result<Detected, Error> {
        let closed_sets = self.closed_sets()?;
        let mut images = std::mem::replace(&mut self.taken.images, Images::new(0));
        let comparing = Instant::now();
        let crowds = self.crowds(&images, wanted)?;
        let collection = &self.taken.collection;
        let library = Library::new(
            collection,
            &self.taken.texts,
            &self.featurizer,
            self.detector.shingles(),
            self.budget.profiles(collection.n_bytes),
        );
        let sink = self.sink()?;
        let verifying = Verifying {
            library: &library,
            detector: &*self.detector,
            is_judged: self.is_judged(),
            is_once: true.into(),
            making: sink.making(),
            passages_per_pair: self.settings.passages_per_pair,
            round_bytes: self.budget.round(),
            room: Room::new(self.budget.work()),
            pool: &self.pool,
            progress: self.progress,
            stop: self.stop,
        };
        let mut pairs = Pairs::new(&library, &self.preference, sink, self.settings);
        if collection.border.is_none() {
            for first in collection.firsts_with_copies() {
                self.check_stop(Stage::Verify)?;
                pairs.exact_group(first, self.stop)?;
            }
        }
        let mut links: Links<Related> = Links::new(collection.len(), &self.budget, &self.scratch);
        if closed_sets.is_some() {
            links = links.undivided();
        }
        let mut hearing = Hearing {
            run: self,
            wanted,
            pairs,
            links,
            picker: page::Picker::default(),
            lost: Vec::new(),
            n_lost: 0,
            crowds: &crowds,
            near: 1.0 - (1.0 - self.detector.rule().containment) / 2.0,
            is_in_crowds: true,
            members: Vec::new(),
            before_kept: Vec::new(),
        };
        let mut n_candidates = 0;
        if !crowds.is_empty() {
            let of_crowds = crowds.iter().flat_map(|crowd| {
                crowd.members.iter().map(|&member| Candidate::new(crowd.kept, member))
            });
            let listed = self.listed(of_crowds)?;
            n_candidates += verifying.run(&listed, &mut |found| hearing.hear(found))?;
        }
        hearing.is_in_crowds = false;
        verifying.is_once.store(false, Ordering::Relaxed);
        let searching = Instant::now();
        hearing.members.sort_unstable();
        let (proposals, searched) = self.search(&mut images, &hearing.members)?;
        let search_seconds = searching.elapsed().as_secs_f64();
        drop(images);
        give_back();
        n_candidates += verifying.run(&proposals, &mut |found| hearing.hear(found))?;
        drop(proposals);
        if !hearing.before_kept.is_empty() {
            let listed = self.listed(hearing.with_earlier().into_iter())?;
            n_candidates += verifying.run(&listed, &mut |found| hearing.hear(found))?;
        }
        let Hearing { mut pairs, links, mut picker, lost, n_lost, .. } = hearing;
        library.forget();
        give_back();
        let gathering = Gathering::new(
            &verifying,
            self.settings,
            (self.budget, &self.scratch),
            &self.preference,
            wanted,
        );
        let gathering = gathering.describing(self.output.is_some());
        let Gathered { clusters, decided, cuts: cluster_cuts } = if wanted >= Wanted::Clusters {
            gathering.run(links, closed_sets, &mut pairs, &mut picker)?
        } else {
            gathering.nothing()
        };
        let (page, partials) = if self.output.is_some() && self.settings.page {
            (picker.clusters(&clusters, &verifying)?, picker.partials(&verifying)?)
        } else {
            (Vec::new(), Vec::new())
        };
        let mut cuts = pairs.cuts();
        cuts.extend(search_report(&searched.cuts));
        cuts.extend(cluster_cuts);
        let Pairs { sink, n_written: n_pairs, n_partial, is_cut, summary, .. } = pairs;
        match sink {
            PairSink::Table(writer, _) => {
                writer.finish().map_err(Error::io("write", "pairs".as_ref()))?;
            }
            PairSink::Memory(relations) => self.relations = Some(relations),
            PairSink::Nowhere => {}
        }
        self.taken.n_bad += n_lost;
        self.taken.bad.extend(lost);
        self.taken.bad.truncate(intake::MOST_BAD);
        self.timings.insert("2 search".to_owned(), search_seconds);
        let compare_seconds = comparing.elapsed().as_secs_f64() - search_seconds;
        self.timings.insert("3 compare".to_owned(), compare_seconds);
        Ok(Detected {
            clusters,
            decided,
            n_pairs,
            n_partial,
            is_cut,
            summary,
            cuts,
            n_candidates,
            n_values: searched.n_compared,
            page,
            partials,
        })
    }

    /// Returns whether the method's word on its candidates counts.
    fn is_judged(&self) -> bool {
        self.settings.decide(&*self.detector) == Decide::Method
    }

    /// Returns where pairs go.
    fn sink(&self) -> Result<PairSink, Error> {
        let format = self.settings.format;
        Ok(match &self.output {
            None if self.relations.is_some() => PairSink::Memory(Vec::new()),
            Some(dir) => {
                let writer = PairsWriter::create(dir.path(), format);
                PairSink::Table(writer.map_err(Error::io("create", dir.path()))?, format)
            }
            None => PairSink::Nowhere,
        })
    }

    /// Finds candidates and puts them into the order in which they are compared.
    fn search(
        &self,
        images: &mut Images,
        members: &[(Ordinal, Ordinal)],
    ) -> Result<(Proposals, Searched), Error> {
        self.progress.begin(Stage::Search, 0);
        let failed = |error| self.scratch.failed(error);
        let mut image = Vec::new();
        for crowd in members.chunk_by(|x, y| x.0 == y.0) {
            let mut seen = SeenKeys::default();
            if images.read(crowd[0].0, &mut image).map_err(failed)? {
                self.detector.unseen(&image, &mut seen);
            }
            for &(_, member) in crowd {
                if images.read(member, &mut image).map_err(failed)? {
                    images.replace(member, self.detector.unseen(&image, &mut seen));
                }
            }
        }
        let collection = &self.taken.collection;
        let mut proposing =
            Proposing::new(collection.len(), self.is_judged(), &self.budget, &self.scratch);
        let job = Job {
            border: collection.border,
            memory_bytes: self.budget.search(),
            scratch: &self.scratch,
            executor: &self.pool,
        };
        let mut stopped = None;
        let searched = self.detector.search(images, &job, &mut |asker, partners| {
            for partner in partners {
                // The earlier document comes first in a pair, and it was the later one that asked.
                let says = Judgement { kind: partner.kind, scores: partner.scores }.flipped();
                if let Err(error) = proposing.push(Candidate::new(partner.ordinal, asker), says) {
                    stopped = Some(error);
                    return Err(std::io::ErrorKind::Other.into());
                }
            }
            Ok(())
        });
        if let Some(error) = stopped {
            return Err(error);
        }
        self.check_stop(Stage::Search)?;
        let searched = searched.map_err(|error| match error {
            SearchError::Scratch(source) => self.scratch.failed(source),
            SearchError::Stopped => Error::Internal("a search stopped by itself".to_owned()),
        })?;
        // Documents with the same words need no method to be found.
        let exact = Judgement { kind: Kind::Exact, scores: Scores::EQUAL };
        for &pair in &collection.across {
            proposing.push(pair, exact)?;
        }
        let ordered = proposing.ordered(collection, self.stop)?;
        self.check_stop(Stage::Search)?;
        let ordered = ordered.ok_or_else(|| Error::Internal("candidates are missing".to_owned()));
        Ok((ordered?, searched))
    }

    /// Finds the crowds, if pairs are written as stars around what is kept.
    fn crowds(&self, images: &Images, wanted: Wanted) -> Result<Vec<Crowd>, Error> {
        let Settings { pairs, grouping, .. } = *self.settings;
        let is_starred = pairs == PairsWritten::Star
            && wanted >= Wanted::Clusters
            && matches!(grouping, Grouping::Star | Grouping::Components);
        if !is_starred
            || self.taken.collection.border.is_some()
            || self.is_judged()
            || !self.detector.has_crowds()
        {
            return Ok(Vec::new());
        }
        let found = crowds::find(
            images,
            &*self.detector,
            &self.preference,
            (&self.budget, &self.scratch),
            &self.pool,
        )?;
        self.check_stop(Stage::Search)?;
        Ok(found)
    }

    /// Puts pairs into the order in which they are verified.
    fn listed(&self, pairs: impl Iterator<Item = Candidate>) -> Result<Proposals, Error> {
        let collection = &self.taken.collection;
        let mut proposing = Proposing::new(collection.len(), false, &self.budget, &self.scratch);
        for pair in pairs {
            proposing.push(pair, Judgement::UNKNOWN)?;
        }
        let ordered = proposing.ordered(collection, self.stop)?;
        self.check_stop(Stage::Search)?;
        ordered.ok_or_else(|| Error::Internal("candidates are missing".to_owned()))
    }

    /// Finds the groups whose images have enough in common, if such clusters are wanted, and writes
    /// the table of units down.
    fn closed_sets(&mut self) -> Result<Option<FoundSets>, Error> {
        if self.settings.grouping != Grouping::ClosedSets {
            return Ok(None);
        }
        let mining = Instant::now();
        self.progress.begin(Stage::Search, 0);
        let units = Units::of(&self.taken.images, &*self.detector);
        let units = units.map_err(|error| self.scratch.failed(error))?;
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
}

impl<'a> Prepared<'a> {
    fn new(
        settings: &'a Settings,
        progress: &'a dyn Progress,
        stop: &'a Stop,
    ) -> Result<Self, Error> {
        Ok(Self {
            settings,
            progress,
            stop,
            started: Instant::now(),
            budget: Budget::new(settings)?,
            scratch: ScratchDir::new(settings.scratch.as_deref()),
            detector: settings.detector()?,
            featurizer: Featurizer::new(settings.text.clone(), settings.seed),
            pool: Pool::with_stop(settings.threads, stop)?,
            timings: BTreeMap::new(),
        })
    }

    /// Reads all documents; from the file or document `second` on they are another collection.
    fn read(
        self,
        command: &'static str,
        source: Source,
        second: Option<usize>,
    ) -> Result<Run<'a>, Error> {
        let Self { settings, progress, stop, budget, .. } = self;
        let mut timings = self.timings;
        let table = settings.counts(&*self.detector)?;
        if table.is_some() {
            let seconds = self.started.elapsed().as_secs_f64();
            timings.insert("0 load statistics".to_owned(), seconds);
        }
        let counter = (self.detector.needs_counts() && table.is_none()).then(Counter::new);
        let mut look = Look {
            settings,
            budget,
            scratch: &self.scratch,
            detector: &*self.detector,
            featurizer: &self.featurizer,
            counts: table.as_ref(),
            counter: counter.as_ref(),
            second: second.map(|second| second as u32),
        };
        let read_options = look.read_options();
        let reading = Instant::now();
        let (files, mut taken) = match source {
            Source::Files(files) => {
                let reader = Reader::stopped_by(files.clone(), read_options.clone(), stop.flag());
                (files, intake::take(reader, &look, &self.pool, progress, stop)?)
            }
            Source::Memory(documents) => {
                let taken = intake::take_documents(documents, &look, &self.pool, progress, stop)?;
                (Vec::new(), taken)
            }
        };
        let stage = if counter.is_some() { "1 read and count" } else { "1 read" };
        timings.insert(stage.to_owned(), reading.elapsed().as_secs_f64());
        budget.check(taken.collection.len() as u64)?;
        if counter.is_some() {
            let imaging = Instant::now();
            look.counter = None;
            let counts = counter.as_ref().map(Counter::take);
            look.counts = counts.as_ref();
            for bad in intake::image_again(&mut taken, &look, &self.pool, progress, stop)? {
                progress.bad(&bad);
                taken.lose(bad);
            }
            timings.insert("1 image".to_owned(), imaging.elapsed().as_secs_f64());
        }
        let n_image_bytes = taken.images.n_bytes();
        let preference = taken.collection.preference(&settings.keep, budget.ranks())?;
        Ok(Run {
            command,
            settings,
            progress,
            stop,
            budget,
            scratch: self.scratch,
            detector: self.detector,
            featurizer: self.featurizer,
            pool: self.pool,
            output: None,
            taken,
            preference,
            files,
            read_options,
            n_image_bytes,
            relations: None,
            started: self.started,
            timings,
        })
    }
}
