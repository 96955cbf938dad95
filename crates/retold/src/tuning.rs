//! Threshold first: a wanted similarity and recall go in, parameters come out.
//!
//! Theory names the first setting of a method that should do ([`Spec::settings`], cheapest first),
//! and a sample of the collection shows whether it does: pairs that [`REFERENCE`] finds there are
//! looked for with the setting, and if too few are found the next one is tried.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use retold_core::document::Document;
use retold_core::features::{Featurizer, Words};
use retold_core::hash::Random;
use retold_core::methods;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::Error;
use crate::find::Find;
use crate::job::{Decide, Job, PairsWritten};
use crate::resources::{Resources, common_settings};
use crate::sampling::{ByContent, Drawing, read_for_sample};
use crate::sink::Found;
use crate::source::{Documents, Source};

/// The method that tells which pairs of a sample there are: it misses none.
const REFERENCE: &str = "full-fingerprint";
/// Documents and bytes of text of a sample at most.
const MOST_DOCUMENTS: usize = 20_000;
const MOST_BYTES: usize = 64 << 20;
/// Bytes of text that are read to draw a sample.
const MOST_READ_BYTES: u64 = 4 << 30;
/// Pairs of a sample from which its own are enough to measure by.
const LEAST_PAIRS: usize = 50;
/// Copies that are made where there are fewer.
const MADE_COPIES: usize = 400;
/// Words of a document that a copy is made of.
const LEAST_WORDS: usize = 50;

/// What is wanted of a search.
///
/// ```
/// use retold::Aim;
/// assert!(Aim::new(0.8, 0.95).is_ok());
/// assert!(Aim::new(0.8, 1.0).is_err(), "no setting can promise to miss nothing");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Aim {
    similarity: f64,
    recall: f64,
}

impl Aim {
    /// Wants the share `recall` of all pairs that have at least the share `similarity` of their word
    /// runs in common.
    ///
    /// *Errors* unless both are above 0, `similarity` is at most 1 and `recall` below 1.
    pub fn new(similarity: f64, recall: f64) -> Result<Self, Error> {
        let refused = |name: &'static str, accepted: &str, value: f64| {
            Err(Error::Config(retold_core::error::ConfigError::value(name, accepted, &value)))
        };
        if !(similarity > 0.0 && similarity <= 1.0) {
            return refused("similarity", "above 0 and at most 1", similarity);
        }
        if !(recall > 0.0 && recall < 1.0) {
            return refused("recall", "above 0 and below 1", recall);
        }
        Ok(Self { similarity, recall })
    }
}

/// Finds the parameters of a method for a wanted similarity and recall.
///
/// ```
/// use retold::{Aim, Document, Documents, Find, Found, Job, Profile, Tuning};
///
/// let words = |n: usize| (0..200).map(|i| format!("w{} ", (n * 71 + i * i) % 997)).collect::<String>();
/// let documents: Vec<_> = (0..60).map(|n| Document::plain(n.to_string(), words(n))).collect();
/// let job = Job::of("minhash", Profile::Retold)?;
/// let tuned = Tuning::new(Documents::new(documents.clone()), Aim::new(0.8, 0.95)?).job(job).run()?;
/// assert!(tuned.report().is_reached);
/// assert!(tuned.job().parameters().contains_key("bands"));
///
/// let mut found = Found::new();
/// Find::new(Documents::new(documents)).tuned(tuned).run(&mut found)?;
/// # Ok::<(), retold::Error>(())
/// ```
#[must_use = "nothing is done before it is run"]
pub struct Tuning {
    source: Box<dyn Source>,
    aim: Aim,
    job: Job,
    resources: Resources,
}

common_settings!(Tuning);

/// A job with the parameters that were found.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    job: Job,
    report: TuningReport,
}

impl Tuned {
    /// Returns the job.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Returns how its parameters were found.
    pub fn report(&self) -> &TuningReport {
        &self.report
    }

    pub(crate) fn into_parts(self) -> (Job, TuningReport) {
        (self.job, self.report)
    }
}

/// How parameters were found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TuningReport {
    /// What was wanted.
    pub aim: Aim,
    /// The method.
    pub method: String,
    /// Settings that were tried on the sample; the last one is the one that was taken.
    pub tried: Vec<Tried>,
    /// Whether the recall that was wanted was measured, or promised by theory where there was nothing
    /// to measure by.
    pub is_reached: bool,
    /// By similarity of the pairs: how many of them are found.
    pub curve: Vec<CurvePoint>,
    /// What was measured on.
    pub sample: TuningSample,
}

/// A setting that was tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Tried {
    /// Parameters of the method.
    pub parameters: Map<String, Value>,
    /// Share of the pairs of just the wanted similarity that theory promises; `None` if the method
    /// has no theory.
    pub promised: Option<f64>,
    /// Share of the pairs of the sample that was found; `None` if it has none.
    pub recall: Option<f64>,
    /// Bounds of the share, as the number of pairs allows: the 95 % interval of Wilson.
    pub bounds: Option<(f64, f64)>,
}

/// Pairs of about one similarity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CurvePoint {
    /// The smallest similarity; the next point begins 0.05 above.
    pub similarity: f64,
    /// Share of the pairs in the middle of the step that theory promises.
    pub promised: Option<f64>,
    /// Pairs of the sample.
    pub n_pairs: u64,
    /// Those of them that were found.
    pub n_found: u64,
}

/// What settings were tried on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TuningSample {
    /// Documents that were read to draw it.
    pub n_read: u64,
    /// Whether there were more, which a limit of 4 GiB of files left out.
    pub is_cut: bool,
    /// Documents with different words in the sample.
    pub n_documents: u64,
    /// Copies that were made of some, with words replaced, because it had fewer than 50 pairs.
    pub n_made: u64,
    /// Pairs of the wanted similarity or more, by `full-fingerprint`, which misses none.
    pub n_pairs: u64,
}

impl Tuning {
    /// Draws a sample from a source to find parameters for what is wanted. The source is read once
    /// for that, and has to be given to the search again.
    pub fn new(source: impl Source + 'static, aim: Aim) -> Self {
        Self { source: Box::new(source), aim, job: Job::default(), resources: Resources::new() }
    }

    /// Runs it.
    ///
    /// *Errors* if the method of the job has no settings to choose from, or if its parameters are
    /// set already.
    pub fn run(self) -> Result<Tuned, Error> {
        let Self { source, aim, job, resources } = self;
        let (spec, form) = methods::find(job.method())?;
        let of_form = form.map(methods::Form::values).unwrap_or_default();
        let settings = (spec.settings)(aim.similarity, aim.recall);
        if settings.is_empty() {
            let have =
                methods::METHODS.iter().filter(|spec| !(spec.settings)(0.8, 0.95).is_empty());
            let known: Vec<&str> = have.map(|spec| spec.name).collect();
            return Err(Error::NoSettings {
                method: spec.name.to_owned(),
                known: known.join(", "),
            });
        }
        let is_fixed =
            |name: &String| job.parameters.contains_key(name) || of_form.contains_key(name);
        if let Some(name) = settings.iter().flat_map(Map::keys).find(|name| is_fixed(name)) {
            return Err(Error::AlreadySet { parameter: name.clone() });
        }
        let job = job.with_parameter("similarity", aim.similarity).with_decide(Decide::Documents);
        let mut sample = Sample::draw(source, &job, &resources)?;
        let quiet =
            Resources { progress: std::sync::Arc::new(crate::progress::Silent), ..resources };
        let mut reference = sample.pairs(&job, Some(REFERENCE), &Map::new(), &quiet)?;
        if reference.len() < LEAST_PAIRS {
            sample.make_copies(aim.similarity, &job);
            reference = sample.pairs(&job, Some(REFERENCE), &Map::new(), &quiet)?;
        }
        let n_settings = settings.len();
        let mut report = TuningReport {
            aim,
            method: spec.name.to_owned(),
            tried: Vec::new(),
            is_reached: false,
            curve: Vec::new(),
            sample: TuningSample { n_pairs: reference.len() as u64, ..sample.about },
        };
        let mut chosen = job.clone();
        for (number, setting) in settings.into_iter().enumerate() {
            chosen.parameters.extend(setting.clone());
            let detector = chosen.detector()?;
            let promised = detector.chance(aim.similarity);
            // The last one is tried whatever theory says: there is none that finds more.
            if promised.is_some_and(|promised| promised < aim.recall) && number + 1 < n_settings {
                continue;
            }
            let found = sample.pairs(&job, None, &setting, &quiet)?;
            report.curve = curve(&reference, &found, aim.similarity, |x| detector.chance(x));
            let (recall, bounds) = recall(&reference, &found);
            report.is_reached = recall.or(promised).is_some_and(|recall| recall >= aim.recall);
            report.tried.push(Tried { parameters: setting, promised, recall, bounds });
            if report.is_reached {
                break;
            }
        }
        Ok(Tuned { job: chosen, report })
    }
}

/// Pairs by the numbers of their documents, with their similarity.
type Pairs = BTreeMap<(u32, u32), f64>;

/// Returns the share of pairs that were found, and its bounds.
///
/// A pair is drawn with the probability of its similarity ([`ByContent`]), so it counts inversely.
fn recall(reference: &Pairs, found: &Pairs) -> (Option<f64>, Option<(f64, f64)>) {
    let weight = |similarity: f64| 1.0 / similarity;
    let all: f64 = reference.values().map(|&x| weight(x)).sum();
    if reference.is_empty() {
        return (None, None);
    }
    let is_found = |pair: &(&(u32, u32), &f64)| found.contains_key(pair.0);
    let hits: f64 = reference.iter().filter(is_found).map(|(_, &x)| weight(x)).sum();
    let share = hits / all;
    (Some(share), Some(wilson(share, reference.len() as f64)))
}

/// Returns the bounds of a share of `n` at a level of 95 %, by Wilson.
fn wilson(share: f64, n: f64) -> (f64, f64) {
    const Z: f64 = 1.959_963_984_540_054;
    let (z2, mid) = (Z * Z, share + Z * Z / (2.0 * n));
    let reach = Z * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    (((mid - reach) / scale).max(0.0), ((mid + reach) / scale).min(1.0))
}

/// Returns by similarity, from the wanted one on, how many pairs are found.
fn curve(
    reference: &Pairs,
    found: &Pairs,
    similarity: f64,
    chance: impl Fn(f64) -> Option<f64>,
) -> Vec<CurvePoint> {
    const STEP: f64 = 0.05;
    let mut points = Vec::new();
    let n_steps = (1..20).find(|&n| similarity + f64::from(n) * STEP >= 1.0).unwrap_or(20);
    for step in 0..n_steps {
        let border = |step: i32| similarity + f64::from(step) * STEP;
        let (from, to) = (border(step), border(step + 1));
        let is_last = step + 1 == n_steps;
        let in_step = |x: f64| x >= from && (is_last || x < to);
        let pairs = || reference.iter().filter(|&(_, &x)| in_step(x));
        points.push(CurvePoint {
            similarity: from,
            promised: chance((from + STEP / 2.0).min(1.0)),
            n_pairs: pairs().count() as u64,
            n_found: pairs().filter(|(pair, _)| found.contains_key(pair)).count() as u64,
        });
    }
    points
}

/// Documents of a collection with different words, of which copies are drawn together.
struct Sample {
    documents: Vec<Document>,
    about: TuningSample,
}

impl Sample {
    fn draw(source: Box<dyn Source>, job: &Job, resources: &Resources) -> Result<Self, Error> {
        let mut drawing = Drawing::new(MOST_DOCUMENTS, MOST_BYTES);
        let mut seen = HashSet::new();
        let by_content = ByContent::new(job)?;
        let read = read_for_sample(source, job, resources, MOST_READ_BYTES, |documents, pool| {
            let draws = pool.map(&documents, |document| by_content.draw(document));
            for (document, draw) in documents.into_iter().zip(draws) {
                if let Some(draw) = draw.filter(|draw| seen.insert(draw.1)) {
                    drawing.push(draw, document);
                }
            }
        })?;
        let documents = drawing.into_documents();
        let about = TuningSample {
            n_read: read.n_documents,
            is_cut: read.is_cut,
            n_documents: documents.len() as u64,
            ..TuningSample::default()
        };
        Ok(Self { documents, about })
    }

    /// Adds copies of documents in which words were replaced, so that they are at least as similar
    /// as is wanted, and most not much more.
    fn make_copies(&mut self, similarity: f64, job: &Job) {
        let mut random = Random::new(job.seed);
        let featurizer = Featurizer::new(job.text.clone(), job.seed);
        let mut words = Words::default();
        let mut copies = Vec::new();
        let n = self.documents.len();
        for number in 0..n.min(MADE_COPIES) {
            let document = &self.documents[number];
            featurizer.words(document, &mut words);
            if words.spans.len() < LEAST_WORDS {
                continue;
            }
            // Evenly from the wanted similarity to half way to an equal copy.
            let wanted = similarity + (1.0 - similarity) * (number % 20) as f64 / 40.0;
            let kept = 2.0 * wanted / (1.0 + wanted);
            let chance = 1.0 - kept.powf(0.2);
            let n_words = words.spans.len();
            let is_replaced =
                |random: &mut Random| (random.below(1 << 20) as f64) < chance * f64::from(1 << 20);
            let mut places: Vec<usize> =
                (0..n_words).filter(|_| is_replaced(&mut random)).collect();
            if places.is_empty() {
                places.push(random.below(n_words));
            }
            let (mut text, mut last) = (String::with_capacity(document.text.len()), 0);
            for place in places {
                let span = words.spans[place].range();
                text.push_str(&document.text[last..span.start]);
                let _ = write!(text, "x{}", random.below(1_000_000));
                last = span.end;
            }
            text.push_str(&document.text[last..]);
            let language = document.language.clone();
            copies.push(Document { language, ..Document::plain(format!("copy {number}"), text) });
        }
        self.about.n_made = copies.len() as u64;
        self.documents.extend(copies);
    }

    /// Returns the pairs of at least the wanted similarity that a method finds: that of the job, or
    /// another with the same word runs.
    fn pairs(
        &self,
        job: &Job,
        method: Option<&str>,
        setting: &Map<String, Value>,
        resources: &Resources,
    ) -> Result<Pairs, Error> {
        let mut job = job.clone().with_pairs(PairsWritten::All);
        if let Some(method) = method {
            let k = job.detector()?.shingles().k();
            let similarity = job.parameters["similarity"].clone();
            method.clone_into(&mut job.method);
            job.parameters = Map::new();
            job = job.with_parameter("similarity", similarity).with_parameter("k", k);
        }
        job.parameters.extend(setting.clone());
        let mut found = Found::only_pairs();
        let documents = Documents::new(self.documents.clone());
        Find::new(documents).job(job).resources(resources.clone()).run(&mut found)?;
        let pairs = found.into_pairs().into_iter();
        Ok(pairs.map(|pair| ((pair.a.0, pair.b.0), pair.scores.resemblance.get())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_of_a_share_are_those_of_wilson() {
        // From statsmodels: proportion_confint(45, 50, method="wilson").
        let (low, high) = wilson(0.9, 50.0);
        assert!((low - 0.786_4).abs() < 1e-4 && (high - 0.956_5).abs() < 1e-4, "{low} {high}");
    }

    #[test]
    fn pairs_count_inversely_to_how_likely_they_are_drawn() {
        let reference = Pairs::from([((0, 1), 0.5), ((0, 2), 1.0)]);
        let found = Pairs::from([((0, 1), 0.5)]);
        let share = recall(&reference, &found).0.expect("there are pairs");
        assert!((share - 2.0 / 3.0).abs() < 1e-9);
        assert_eq!(recall(&Pairs::new(), &found), (None, None));
    }

    #[test]
    fn a_curve_has_every_pair_once() {
        let reference: Pairs = (0..=20).map(|n| ((n, n + 1), 0.8 + f64::from(n) / 100.0)).collect();
        let points = curve(&reference, &reference, 0.8, |_| None);
        assert_eq!(points.iter().map(|point| point.n_pairs).sum::<u64>(), 21);
        assert!(points.iter().all(|point| point.n_pairs == point.n_found));
    }
}
