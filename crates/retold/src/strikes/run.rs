//! The whole run: read, look for repeats, decide, tell, copy.

use std::collections::BTreeMap;
use std::time::Instant;

use retold_core::features::Featurizer;
use retold_report::{BadRow, Cut, Manifest, ManifestInput, ManifestRun};
use serde_json::json;

use super::copying::Copier;
use super::deciding::Deciding;
use super::near;
use super::order::Order;
use super::repeats::{Looking, Steps};
use super::sampling::Sampling;
use super::settings::{Level, StrikeSettings};
use super::taking::{Taken, Taker};
use super::telling::Telling;
use super::{StrikeOutcome, StrikeSink};
use crate::error::Error;
use crate::job::Job;
use crate::pipeline::budget::{Budget, give_back};
use crate::pipeline::manifest::peak_bytes;
use crate::pipeline::parallel::Pool;
use crate::pipeline::scratch::ScratchDir;
use crate::pipeline::sources::Sources;
use crate::progress::Stage;
use crate::resources::Resources;
use crate::resume::{self, Resume, belonging};
use crate::source::{Content, Opened, Opening, Source};

/// Strikes what stood before.
pub(super) fn run(
    (first, second): (Box<dyn Source>, Option<Box<dyn Source>>),
    settings: StrikeSettings,
    job: &Job,
    resources: &Resources,
    sink: &mut dyn StrikeSink,
) -> Result<StrikeOutcome, Error> {
    settings.check()?;
    let (progress, stop) = (&*resources.progress, &resources.stop);
    let budget = Budget::new(resources)?;
    let pool = Pool::new(resources)?;
    let scratch = ScratchDir::new(resources.scratch.as_deref());
    let mut options = job.read_options();
    let most = budget.most_record_bytes();
    options.limits.document_bytes = options.limits.document_bytes.min(most);
    options.limits.line_bytes = options.limits.line_bytes.min(most);
    let opening = Opening { options: &options, stop };
    let first = first.open(&opening)?;
    let second = second.map(|second| second.open(&opening)).transpose()?;
    let mut name = first.name.clone();
    let mut skipped = Vec::new();
    for opened in std::iter::once(&first).chain(&second) {
        if let Content::Files { skipped: of_source, .. } = &opened.content {
            skipped.extend(of_source.iter().cloned());
        }
    }
    let files = match &first.content {
        Content::Files { files, .. } => files.clone(),
        Content::Memory(_) | Content::Records(_) => Vec::new(),
    };
    let opened: Vec<&Opened> = std::iter::once(&first).chain(&second).collect();
    let mut resumed = None;
    if let Some(folder) = resources.resume.as_deref() {
        let limits = (&options, budget.most_document_bytes());
        let belongs = belonging("dedup", &all_settings(settings, job), limits, &opened, &[])?;
        if let Some(manifest) = sink.earlier()
            && resume::is_finished(folder, &belongs, &manifest, progress)?
        {
            return Ok(finished(manifest, settings));
        }
        resumed = Some((folder, belongs));
    }
    sink.begin()?;
    let resume = resumed.map(|(folder, belongs)| Resume::open(folder, &belongs)).transpose()?;
    let mut timings = BTreeMap::new();
    let mut at = Instant::now();
    let mut time = |stage: &str| {
        timings.insert(stage.to_owned(), at.elapsed().as_secs_f64());
        at = Instant::now();
    };
    let sources = Sources::new(first, second.map(|second| (second, true)), &options, stop);
    let least = settings.least_words() as usize;
    let sampling = (settings.level == Level::Passage).then(|| Sampling::new(least));
    let near = near::sampling(settings);
    let featurizer = Featurizer::new(job.text.clone(), job.seed);
    let taker = Taker {
        job,
        settings,
        sampling,
        near,
        featurizer: &featurizer,
        budget,
        scratch: &scratch,
        pool: &pool,
        progress,
        stop,
    };
    let mut taken = taker.take(sources, resume)?;
    for bad in skipped {
        progress.bad(&bad);
        taken.add_bad(bad, false)?;
    }
    let n_all = taken.collection.len() as u64;
    let n_documents = taken.collection.joined.map_or(n_all, |joined| u64::from(joined.0));
    if n_documents == 0 {
        if let Some(bad) = taken.bad.first() {
            name = format!("{name}; the first record refused was {bad}");
        }
        return Err(Error::Empty(name));
    }
    budget.check(n_all)?;
    time("1 read");
    for note in taken.collection.unranked(&job.keep)? {
        progress.note(&note);
    }
    let preference = taken.collection.preference(&job.keep, budget.ranks())?;
    let order = Order::new(&preference, taken.collection.joined, &taken.words)
        .ok_or_else(|| Error::Internal("more than a trillion words".to_owned()))?;
    drop(preference);
    // Words are gone through once for each kind of thing that is looked for, and piles once.
    let n_looks = 1 + u64::from(settings.boilerplate.is_some()) + u64::from(near.is_some());
    let looking = Looking {
        taken: &taken,
        steps: Steps::new(progress, n_all, 2 * n_looks),
        order: &order,
        settings,
        sampling,
        near,
        budget,
        scratch: &scratch,
        pool: &pool,
        stop,
    };
    progress.begin(Stage::Search, n_all);
    let marks = settings.boilerplate.map(|most| looking.boilerplate(most)).transpose()?;
    let (repeats, n_near_cut) = looking.repeats(marks.as_ref())?;
    time("2 search");
    progress.begin(Stage::Verify, repeats.len());
    let decided = Deciding::new(&looking, marks.as_ref(), progress).run(&repeats)?;
    drop(repeats);
    give_back();
    time("3 compare");
    let mut outcome = StrikeOutcome {
        settings,
        n_files: taken.files.len() as u64,
        n_documents,
        n_archive: n_all - n_documents,
        n_bad: taken.n_bad,
        n_cut_documents: taken.n_cut,
        n_collisions: decided.n_collisions,
        n_near_cut,
        ..StrikeOutcome::default()
    };
    let telling = Telling { looking: &looking, decided: &decided, progress };
    let cuts = telling.run(sink, &mut outcome)?;
    time("4 report");
    let mut copied_to = Vec::new();
    if let Some(folder) = sink.folder()
        && !files.is_empty()
        && !settings.report_only
    {
        let (options, shard_bytes) = (&options, job.shard_size);
        let copier = Copier {
            looking: &looking,
            cuts: &cuts,
            files: &files,
            options,
            shard_bytes,
            progress,
        };
        copied_to = copier.run(folder)?;
        time("5 copy");
    }
    let threads = pool.n_threads() as u32;
    let job_done = taken.resume.as_ref().map(Resume::job);
    let run = ManifestRun { threads, job: job_done, peak_bytes: peak_bytes(), timings };
    outcome.manifest = manifest(&outcome, &taken, job, run, &copied_to);
    sink.finish(&outcome)?;
    if let Some(resume) = taken.resume.take() {
        resume.remove()?;
    }
    progress.end();
    Ok(outcome)
}

/// Returns what is struck and how documents are read, as one object.
fn all_settings(settings: StrikeSettings, job: &Job) -> serde_json::Value {
    let mut all = json!(job);
    if let (Some(all), serde_json::Value::Object(settings)) = (all.as_object_mut(), json!(settings))
    {
        // Names that both have mean what is struck.
        all.extend(settings);
    }
    all
}

/// What was left out, as the manifest says it.
const CUT_DOCUMENTS: &str = "documents whose last words were not looked at";
const NEAR_CUT: &str =
    "shared runs of near-equal passages not followed: they had enough earlier places";
const COLLISIONS: &str = "runs left alone: their hashes are equal and their words are not";

/// Returns what the run came to that wrote a manifest.
fn finished(manifest: Manifest, settings: StrikeSettings) -> StrikeOutcome {
    let count = |name: &str| manifest.counts.get(name).copied().unwrap_or(0);
    let cut =
        |what: &str| manifest.cuts.iter().find(|cut| cut.what == what).map_or(0, |cut| cut.count);
    StrikeOutcome {
        settings,
        n_files: manifest.inputs.len() as u64,
        n_documents: count("documents"),
        n_archive: count("archive"),
        n_bad: manifest.n_bad,
        n_words: count("words"),
        n_struck_words: count("struck_words"),
        n_strikes: count("strikes"),
        n_boilerplate: count("strikes_boilerplate"),
        n_near: count("strikes_near"),
        n_struck_documents: count("struck_documents"),
        n_dropped: count("dropped"),
        n_review: count("review"),
        n_cut_documents: cut(CUT_DOCUMENTS),
        n_near_cut: cut(NEAR_CUT),
        n_collisions: cut(COLLISIONS),
        manifest,
    }
}

/// Describes a run.
fn manifest(
    outcome: &StrikeOutcome,
    taken: &Taken,
    job: &Job,
    run: ManifestRun,
    copied_to: &[String],
) -> Manifest {
    let inputs = taken.digests.iter().map(|digest| ManifestInput {
        name: digest.name.clone(),
        bytes: digest.bytes,
        kind: digest.kind.clone(),
        blake3: digest.is_complete.then(|| digest.blake3.clone()),
        n_documents: taken.n_per_file[digest.file as usize],
        n_bad: taken.bad_by_file.get(&digest.name).copied().unwrap_or(0),
        copied_to: copied_to.get(digest.file as usize).cloned(),
    });
    let counts = [
        ("documents", outcome.n_documents),
        ("archive", outcome.n_archive),
        ("words", outcome.n_words),
        ("struck_words", outcome.n_struck_words),
        ("strikes", outcome.n_strikes),
        ("strikes_boilerplate", outcome.n_boilerplate),
        ("strikes_near", outcome.n_near),
        ("struck_documents", outcome.n_struck_documents),
        ("dropped", outcome.n_dropped),
        ("review", outcome.n_review),
    ];
    let cuts = [
        (CUT_DOCUMENTS, outcome.n_cut_documents),
        (NEAR_CUT, outcome.n_near_cut),
        (COLLISIONS, outcome.n_collisions),
    ];
    let cuts = cuts.into_iter().filter(|&(_, count)| count > 0);
    let bad = taken.bad.iter().map(|bad| BadRow {
        file: bad.file.clone(),
        record: bad.record.unwrap_or(0),
        offset: bad.offset,
        reason: bad.reason.clone(),
    });
    let settings = all_settings(outcome.settings, job);
    Manifest {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: "dedup".to_owned(),
        method: outcome.settings.level.name().to_owned(),
        settings,
        seed: job.seed,
        inputs: inputs.collect(),
        joined_from: (outcome.n_archive > 0).then_some(outcome.n_documents),
        counts: counts.into_iter().map(|(name, n)| (name.to_owned(), n)).collect(),
        cuts: cuts.map(|(what, count)| Cut { what: what.to_owned(), limit: None, count }).collect(),
        n_bad: outcome.n_bad,
        bad_records: bad.collect(),
        finished: true,
        run,
        ..Manifest::default()
    }
}
