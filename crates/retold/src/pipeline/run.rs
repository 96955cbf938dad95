//! A run: documents are read, candidates searched and compared, relations gathered.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

use retold_core::candidates::meeting::SeenKeys;
use retold_core::candidates::sealed::{SearchError, SearchSetup, Searched};
use retold_core::candidates::{Candidate, Judgement};
use retold_core::cluster::Grouping;
use retold_core::document::Ordinal;
use retold_core::features::Featurizer;
use retold_core::image::images::Images;
use retold_core::methods::Detector;
use retold_core::relation::{Kind, Scores};
use retold_core::relations::Relations;
use retold_core::verify::rule::Rule;
use retold_read::ReadOptions;
use retold_report::{Cut, Manifest, Summary};

use super::bits::Bits;
use super::boilerplate::Boilerplate;
use super::budget::{Budget, give_back};
use super::closed_sets::{FoundSets, Search, Units};
use super::cluster_lines::{run_name, write_lines};
use super::clusters::ClusterLog;
use super::common_runs::CommonRuns;
use super::crowds::{self, Crowd};
use super::decisions::Decided;
use super::finished::outcome_of;
use super::gathering::{Gathered, Gathering};
use super::group::Related;
use super::handling::PairHandler;
use super::intake::{self, Intake};
use super::joining::JoinedIndex;
use super::library::Library;
use super::linked::Links;
use super::losses::Losses;
use super::manifest::search_report;
use super::page;
use super::parallel::Pool;
use super::preparing::Prepared;
use super::proposals::{Proposals, Proposing};
use super::scratch::ScratchDir;
use super::sources::Sources;
use super::tables::Pairs;
use super::verifying::Verifying;
use super::work_memory::WorkMemory;
use crate::error::Error;
use crate::job::{Copies, Decide, Job, PairsWritten};
use crate::progress::{Progress, Stage, Stop};
use crate::resources::Resources;
use crate::resume::{self, Resume};
use crate::sink::{Beginning, Sink, Wants};
use crate::source::{Content, Opened, Opening, Source};
use crate::tuning::TuningReport;

/// What a job came to.
///
/// ```
/// # use retold::*;
/// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
/// # let documents = || Documents::new(vec![Document::plain("a", text), Document::plain("b", text)]);
/// let outcome = Find::new(documents()).method("minhash").run(&mut Nothing)?;
/// assert_eq!(outcome.summary().n_pairs(), 1);
/// assert_eq!(outcome.manifest().method, "minhash");
/// assert!(outcome.manifest().approximate[0].contains("missed with probability"));
/// # Ok::<(), retold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Outcome {
    pub(crate) summary: Summary,
    pub(crate) manifest: Manifest,
    pub(crate) tuning: Option<TuningReport>,
}

impl Outcome {
    /// Returns the figures.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Returns how they came about.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns how the parameters of the method were found, if they were
    /// ([`Tuning`](crate::Tuning)).
    pub fn tuning(&self) -> Option<&TuningReport> {
        self.tuning.as_ref()
    }
}

/// Documents that ask before it is told again how far the search is.
const ASKERS_TOLD: u32 = 1_024;

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
    pub(crate) job: &'a Job,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) stop: &'a Stop,
    pub(super) budget: Budget,
    pub(super) scratch: ScratchDir,
    /// The method as it searches: its thresholds may be below [those](Self::rule) of the job.
    pub(super) detector: Box<dyn Detector>,
    /// When two documents count as related, if the documents decide.
    pub(super) rule: Rule,
    pub(crate) featurizer: Featurizer,
    pub(super) pool: Pool,
    /// What is left out of comparisons.
    pub(super) boilerplate: Option<Boilerplate>,
    /// Where the sink wants what cannot be handed over row by row.
    pub(super) folder: Option<PathBuf>,
    pub(crate) intake: Intake,
    /// `preference[ordinal]`: smaller is kept rather.
    pub(super) preference: Vec<u32>,
    /// Files that can be read again.
    pub(crate) files: Vec<retold_read::InputFile>,
    /// Files that were read.
    pub(super) n_files: usize,
    pub(super) read_options: ReadOptions,
    /// How the parameters of the job were found, if they were.
    pub(crate) tuning: Option<TuningReport>,
    /// Bytes of all images.
    pub(super) n_image_bytes: u64,
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
    pub(crate) n_similarities: u64,
    pub(super) page: Vec<retold_report::ClusterView>,
    pub(super) partials: Vec<retold_report::PairView>,
}

/// How a run begins.
pub(crate) enum Started<'a> {
    /// All documents are read.
    Run(Box<Run<'a>>),
    /// It was to be resumed, and an earlier run of the same job came to its end.
    Finished(Box<Outcome>),
}

impl<'a> Run<'a> {
    /// Checks the job, opens sources and sink, and reads all documents.
    pub(crate) fn start(
        command: &'static str,
        (first, second): (Box<dyn Source>, Option<Box<dyn Source>>),
        sink: &mut dyn Sink,
        is_deciding: bool,
        job: &'a Job,
        resources: &'a Resources,
        index: Option<&JoinedIndex>,
    ) -> Result<Started<'a>, Error> {
        let mut prepared = Prepared::new(job, resources)?;
        let (options, stop) = (prepared.read_options(), prepared.stop);
        let opening = Opening { options: &options, stop };
        let first = first.open(&opening)?;
        let second = second.map(|second| second.open(&opening)).transpose()?;
        let (mut names, mut skipped) = (Vec::new(), Vec::new());
        for opened in std::iter::once(&first).chain(&second) {
            names.push(opened.name.clone());
            if let Content::Files { skipped: of_source, .. } = &opened.content {
                skipped.extend(of_source.iter().cloned());
            }
        }
        for bad in &skipped {
            prepared.progress.bad(bad);
        }
        let opened: Vec<&Opened> = std::iter::once(&first).chain(&second).collect();
        let mut resumed = None;
        if let Some(folder) = resources.resume.as_deref() {
            let belongs = prepared.belongs(command, &options, &opened)?;
            if let Some((path, manifest)) = sink.earlier()
                && resume::is_finished(folder, &belongs, &manifest, prepared.progress)?
            {
                let decides_only = job.decides_only(is_deciding);
                let outcome = outcome_of(manifest, &path, decides_only);
                return Ok(Started::Finished(Box::new(outcome)));
            }
            resumed = Some((folder, belongs));
        }
        sink.begin(&Beginning { job, is_deciding })?;
        let resume = resumed.map(|(folder, belongs)| Resume::open(folder, &belongs)).transpose()?;
        prepared.count_boilerplate(&options, &opened, index.is_some())?;
        let sources =
            Sources::new(first, second.map(|second| (second, is_deciding)), &options, stop);
        let keeps_runs = job.decides_only(is_deciding);
        let mut run = prepared.read(command, sources, options, index, keeps_runs, resume)?;
        if is_deciding {
            run.prefer_archive();
        }
        run.folder = sink.folder().map(ToOwned::to_owned);
        run.intake.n_bad += skipped.len() as u64;
        run.intake.bad.splice(0..0, skipped);
        run.intake.bad.truncate(intake::MOST_BAD);
        if run.intake.collection.len() == 0 {
            let mut what = names.join(", ");
            if let Some(bad) = run.intake.bad.first() {
                what = format!("{what}; the first record refused was {bad}");
            }
            return Err(Error::Empty(what));
        }
        Ok(Started::Run(Box::new(run)))
    }

    /// Puts the documents of an archive before all others in the order of preference: what it holds
    /// stays.
    pub(crate) fn prefer_archive(&mut self) {
        let collection = &self.intake.collection;
        if collection.joined.is_none() {
            return;
        }
        let mut order: Vec<Ordinal> = collection.documents().collect();
        order.sort_by_key(|&doc| (!collection.is_joined(doc), self.preference[doc.index()]));
        for (rank, doc) in (0..).zip(order) {
            self.preference[doc.index()] = rank;
        }
    }

    pub(super) fn time(&mut self, stage: &str, since: Instant) {
        self.timings.insert(stage.to_owned(), since.elapsed().as_secs_f64());
    }

    /// Returns an error if somebody asked the run to stop.
    pub(super) fn check_stop(&self, stage: Stage) -> Result<(), Error> {
        if self.stop.is_set() {
            let n_documents = self.intake.collection.len() as u64;
            return Err(Error::Stopped { stage: stage.name(), n_documents });
        }
        Ok(())
    }

    /// Searches, compares and groups; pairs go to `sink` on the way.
    pub(crate) fn detect(
        &mut self,
        wanted: Wanted,
        sink: &mut dyn Sink,
    ) -> Result<Detected, Error> {
        let wants = sink.wants();
        let closed_sets = self.closed_sets()?;
        let mut images = std::mem::replace(&mut self.intake.images, Images::new(0));
        let comparing = Instant::now();
        let crowds = self.crowds(&images, wanted)?;
        let collection = &self.intake.collection;
        let library = Library::new(
            collection,
            &self.intake.texts,
            &self.featurizer,
            self.detector.shingles(),
            self.budget.profiles(collection.n_bytes),
        )
        .without(self.boilerplate.as_ref());
        let verifying = Verifying {
            library: &library,
            detector: &*self.detector,
            rule: self.rule,
            asked: self.judged_relations(!crowds.is_empty()),
            common_runs: self.common_runs(&library)?,
            is_judged: self.is_judged(),
            is_once: true.into(),
            making: wants.pairs,
            passages_per_pair: self.job.passages_per_pair,
            round_bytes: self.budget.round(),
            memory: WorkMemory::new(self.budget.work()),
            pool: &self.pool,
            progress: self.progress,
            stop: self.stop,
        };
        let mut pairs = Pairs::new(&library, &self.preference, sink, self.job);
        if collection.border.is_none() {
            for first in collection.firsts_with_copies() {
                self.check_stop(Stage::Verify)?;
                if self.job.relations.has(Kind::Exact) {
                    pairs.exact_group(first, self.stop)?;
                } else {
                    pairs.count_group(first);
                }
            }
        }
        let mut links: Links<Related> = Links::new(collection.len(), &self.budget, &self.scratch);
        if closed_sets.is_some() {
            links = links.undivided();
        }
        let mut handler = PairHandler {
            run: self,
            wanted,
            pairs,
            links,
            picker: page::Picker::default(),
            losses: Losses::new(collection.len()),
            crowds: &crowds,
            near: 1.0 - (1.0 - self.rule.containment) / 2.0,
            is_in_crowds: true,
            members: Vec::new(),
            before_kept: Vec::new(),
        };
        let mut n_candidates = 0;
        if !crowds.is_empty() {
            let of_crowds = crowds.iter().flat_map(|crowd| {
                crowd.members.iter().map(|&member| Candidate::new(crowd.kept, member))
            });
            let of_crowds = of_crowds.filter(|pair| collection.is_wanted(pair.a, pair.b));
            let listed = self.listed(of_crowds)?;
            n_candidates += verifying.run(&listed, &mut |found| handler.take(found))?;
        }
        handler.is_in_crowds = false;
        verifying.is_once.store(false, Ordering::Relaxed);
        let searching = Instant::now();
        handler.members.sort_unstable();
        let (proposals, searched) = self.search(&mut images, &handler.members)?;
        let search_seconds = searching.elapsed().as_secs_f64();
        drop(images);
        give_back();
        n_candidates += verifying.run(&proposals, &mut |found| handler.take(found))?;
        drop(proposals);
        if !handler.before_kept.is_empty() {
            let earlier = handler.with_earlier().into_iter();
            let listed =
                self.listed(earlier.filter(|pair| collection.is_wanted(pair.a, pair.b)))?;
            n_candidates += verifying.run(&listed, &mut |found| handler.take(found))?;
        }
        let PairHandler { mut pairs, links, mut picker, mut losses, .. } = handler;
        library.forget();
        give_back();
        let Gathered { clusters, decided, cuts: cluster_cuts } =
            self.gather(wanted, wants, &verifying, links, closed_sets, (&mut pairs, &mut picker))?;
        let (page, partials) = if wants.page {
            (picker.clusters(&clusters, &verifying)?, picker.partials(&verifying)?)
        } else {
            (Vec::new(), Vec::new())
        };
        let mut cuts = pairs.cuts();
        cuts.extend(self.boilerplate.iter().flat_map(Boilerplate::cuts));
        cuts.extend(verifying.common_runs.as_ref().and_then(CommonRuns::cut));
        cuts.extend(search_report(&searched.cuts));
        cuts.extend(cluster_cuts);
        let Pairs { n_written: n_pairs, n_partial, is_cut, summary, .. } = pairs;
        // What clusters have in common and what the page shows is read once more.
        library.lost().into_iter().for_each(|lost| losses.take(lost, self.progress));
        losses.count(&mut self.intake.n_bad, &mut self.intake.bad);
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
            n_similarities: searched.n_compared,
            page,
            partials,
        })
    }

    /// Makes clusters of the relations, and decides what goes, as far as that is wanted.
    pub(super) fn gather(
        &self,
        wanted: Wanted,
        wants: Wants,
        verifying: &Verifying<'_>,
        links: Links<Related>,
        closed_sets: Option<FoundSets>,
        (pairs, picker): (&mut Pairs<'_>, &mut page::Picker),
    ) -> Result<Gathered, Error> {
        let gathering = Gathering::new(
            verifying,
            self.job,
            (self.budget, &self.scratch),
            &self.preference,
            wanted,
        );
        if wanted < Wanted::Clusters {
            return Ok(gathering.nothing());
        }
        let is_described = wants.shared_texts && !self.job.no_shared_text;
        gathering.describing(is_described).run(links, closed_sets, pairs, picker)
    }

    /// Counts the word runs of all documents, if distinctive ones are asked for.
    fn common_runs(&self, library: &Library<'_>) -> Result<Option<CommonRuns>, Error> {
        let least = self.job.distinctive;
        least.map(|least| CommonRuns::of(self, library, least)).transpose()
    }

    /// Returns which relations are compared for: those asked for, and those that tell what stands near
    /// the kept document of a crowd.
    fn judged_relations(&self, has_crowds: bool) -> Relations {
        let of_crowds = [Kind::NearDuplicate];
        let of_crowds = Relations::of(if has_crowds { &of_crowds } else { &[] });
        self.job.relations.with(of_crowds)
    }

    /// Returns whether a search can find nothing that is asked for: documents with the same words are
    /// known from reading.
    pub(super) fn needs_no_search(&self) -> bool {
        let is_exact_only = self.job.relations == Relations::of(&[Kind::Exact]);
        is_exact_only && self.job.copies == Copies::Words && !self.is_judged()
    }

    /// Returns whether the method's word on its candidates counts.
    pub(super) fn is_judged(&self) -> bool {
        self.job.decider(&*self.detector) == Decide::Method
    }

    /// Finds candidates and puts them into the order in which they are compared.
    fn search(
        &self,
        images: &mut Images,
        members: &[(Ordinal, Ordinal)],
    ) -> Result<(Proposals, Searched), Error> {
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
        let collection = &self.intake.collection;
        let mut proposing =
            Proposing::new(collection.len(), self.is_judged(), &self.budget, &self.scratch);
        let without_passages = !self.is_judged() && !self.job.relations.has(Kind::Partial);
        let searched = self
            .search_all(images, without_passages, &mut |pair, said| proposing.push(pair, said))?;
        let ordered = proposing.ordered(collection, self.stop)?;
        self.check_stop(Stage::Search)?;
        let ordered = ordered.ok_or_else(|| Error::Internal("candidates are missing".to_owned()));
        Ok((ordered?, searched))
    }

    /// Returns what a search runs with.
    pub(super) fn search_setup(&self, without_passages: bool) -> SearchSetup<'_> {
        SearchSetup {
            border: self.intake.collection.border,
            without_passages,
            runs: Some(&self.intake.run_sets),
            memory_bytes: self.budget.search(),
            scratch: &self.scratch,
            executor: &self.pool,
        }
    }

    /// Returns why a search ended early.
    pub(super) fn search_failed(&self, error: SearchError) -> Error {
        match error {
            SearchError::Scratch(source) => self.scratch.failed(source),
            SearchError::Stopped => Error::Internal("a search stopped by itself".to_owned()),
        }
    }

    /// Finds candidates and hands them to `each`, with what the method says of them.
    pub(super) fn search_all(
        &self,
        images: &Images,
        without_passages: bool,
        each: &mut dyn FnMut(Candidate, Judgement) -> Result<(), Error>,
    ) -> Result<Searched, Error> {
        let collection = &self.intake.collection;
        self.progress.begin(Stage::Search, collection.len() as u64);
        let search = self.search_setup(without_passages);
        let (mut stopped, mut next_told) = (None, 0);
        let nothing = Images::new(0);
        let images = if self.needs_no_search() { &nothing } else { images };
        let searched = self.detector.search(images, &search, &mut |asker, partners| {
            if asker.0 >= next_told {
                next_told = asker.0.saturating_add(ASKERS_TOLD);
                self.progress.at(u64::from(asker.0), collection.len() as u64);
            }
            let is_wanted = |other: Ordinal| collection.is_wanted(other, asker);
            for partner in partners.iter().filter(|partner| is_wanted(partner.ordinal)) {
                // The earlier document comes first in a pair, and it was the later one that asked.
                let judgement = Judgement { kind: partner.kind, scores: partner.scores }.flipped();
                if let Err(error) = each(Candidate::new(partner.ordinal, asker), judgement) {
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
        let searched = searched.map_err(|error| self.search_failed(error))?;
        // Documents with the same words need no method to be found.
        let exact = Judgement { kind: Kind::Exact, scores: Scores::EQUAL };
        for &pair in &collection.across {
            each(pair, exact)?;
        }
        for &(pair, judgement) in &self.intake.joined {
            each(pair, judgement)?;
        }
        let mut searched = searched;
        searched.cuts.add(&self.intake.searched.cuts);
        searched.n_compared += self.intake.searched.n_compared;
        Ok(searched)
    }

    /// Finds the crowds, if pairs are written as stars around what is kept.
    fn crowds(&self, images: &Images, wanted: Wanted) -> Result<Vec<Crowd>, Error> {
        let Job { pairs, clusters, .. } = *self.job;
        let is_starred = pairs != Some(PairsWritten::All)
            && wanted >= Wanted::Clusters
            && matches!(clusters, Grouping::Star | Grouping::Components);
        if !is_starred
            || self.needs_no_search()
            || self.intake.collection.border.is_some()
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
        let collection = &self.intake.collection;
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
        if self.job.clusters != Grouping::ClosedSets {
            return Ok(None);
        }
        let mining = Instant::now();
        self.progress.begin(Stage::Search, 0);
        let units = Units::of(&self.intake.images, &*self.detector);
        let units = units.map_err(|error| self.scratch.failed(error))?;
        units.check(&self.job.method)?;
        let inverted = units.inverted(&self.pool);
        let collection = &self.intake.collection;
        let name =
            run_name(self.detector.spec().name, &self.detector.parameters(), self.files.len());
        if let Some(folder) = &self.folder {
            let path = folder.join(format!("{name}.dat"));
            inverted.write(&path, collection, &self.pool).map_err(Error::io("write", &path))?;
        }
        let Job { min_common, sets, ref miner, .. } = *self.job;
        let search = Search::new(miner, sets, &self.pool)?;
        let found = units.closed_sets(&inverted, min_common, search);
        if let Some(folder) = &self.folder {
            let path = folder.join(format!("{name}.txt"));
            write_lines(&path, &found.sets, (&units, min_common), collection, &self.pool)?;
        }
        drop(units);
        self.time("2 closed sets", mining);
        Ok(Some(found))
    }
}
