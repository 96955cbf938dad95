//! Cells that look at groups of documents instead of pairs: a miner on the images of a set, and the
//! clusters that relations or closed sets make.
//!
//! A method of a design with a `miner` or with `clusters` is such a cell. Both take the parameter
//! `common` of the method as the number of units that documents must have in common.

use std::collections::HashSet;
use std::time::Duration;

use retold::{
    Cluster, Document, Documents, Find, Grouping, Job, MinCommon, Sets, Sink, Stage, Wants,
};
use retold_core::features::{Featurizer, Words};
use retold_core::methods;
use retold_mine::{Context, Flow, Miner, Preparation, Target, Task, find, mine_while};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bench::{Bench, Clock, Ran, Trial};
use super::desk::Desk;
use super::measure::Measure;
use crate::error::Error;
use crate::reference::ExactOverlap;

/// Bytes that a miner of an experiment may hold.
const MOST_BYTES: usize = 1 << 30;

/// Runs of a miner whose fastest counts, and the seconds after which there are no more.
const MOST_REPEATS: usize = 5;
const ENOUGH_SECONDS: f64 = 0.5;

/// Pairs of one cell whose resemblance is computed; of more, as many are taken evenly.
const MOST_PAIRS: usize = 1_000_000;

/// Words in the runs by which documents are compared exactly.
const RUN_WORDS: usize = 5;

/// Resemblance below which a pair of one cluster is false.
const LEAST_RESEMBLANCE: f64 = 0.5;

/// What a method of a design does instead of finding relations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Groups {
    /// Its images are mined for maximal sets of documents.
    Mined(MinerPlan),
    /// Clusters are made and looked at.
    Clusters(Grouping),
}

/// A miner of a design.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MinerPlan {
    /// Its name, as `retold mine --algorithm` knows it.
    pub algorithm: String,
    /// Whether it sees the table as it is, without the reduction. The default is false.
    #[serde(default)]
    pub raw: bool,
    /// Seconds after which it has failed. The default is 10.
    #[serde(default = "ten")]
    pub most_seconds: f64,
}

fn ten() -> f64 {
    10.0
}

impl MinerPlan {
    /// Returns the miner; an error says which there are.
    pub(super) fn miner(&self) -> Result<&'static dyn Miner, String> {
        find(&self.algorithm).ok_or_else(|| format!("there is no miner `{}`", self.algorithm))
    }
}

/// Runs a cell of groups; the result is its figures.
pub(super) fn run_groups(
    desk: &mut Desk<'_>,
    trial: &Trial,
    groups: &Groups,
) -> Result<Ran<()>, Error> {
    let bench = desk.bench;
    match groups {
        Groups::Mined(plan) => mined(bench, &trial.job, plan, &desk.set().documents),
        Groups::Clusters(grouping) => {
            let runs = desk.runs(RUN_WORDS);
            clustered(bench, &trial.job, *grouping, (&desk.set().documents, &runs))
        }
    }
}

/// Returns the units that the documents of a group must have in common.
fn common(job: &Job) -> Result<u32, Error> {
    let common = job.all_parameters()?.get("common").and_then(Value::as_u64);
    common.map(|units| units as u32).ok_or_else(|| {
        let method = job.method();
        let reason = "a method with a parameter `common`, such as minimal-elements";
        retold::ConfigError::value("miner and clusters", reason, &method).into()
    })
}

/// Mines the images of documents. Making them is not timed, the reduction of the table is; of
/// several runs the fastest counts.
fn mined(
    bench: &Bench<'_>,
    job: &Job,
    plan: &MinerPlan,
    documents: &[Document],
) -> Result<Ran<()>, Error> {
    let miner = plan.miner().map_err(|reason| Error::internal(&reason))?;
    let context = inverted(bench, job, documents)?;
    let mut task = Task::new(Target::Maximal, common(job)?);
    task.preparation = if plan.raw { Preparation::Raw } else { Preparation::Reduced };
    task.budget.time = Some(Duration::from_secs_f64(plan.most_seconds));
    task.budget.bytes = Some(MOST_BYTES);
    let is_stopped = || bench.stop().is_set();
    let pool = bench.resources.thread_pool()?;
    let (mut sets, mut best, mut spent) = (MinedSets::default(), None, 0.0);
    let mut is_complete = true;
    for _ in 0..MOST_REPEATS {
        sets = MinedSets { is_in_one: vec![false; documents.len()], ..MinedSets::default() };
        let clock = Clock::start();
        let outcome = pool.install(|| {
            mine_while(miner, &context, &task, &is_stopped, &mut |set, _| {
                sets.take(set);
                Flow::Continue(())
            })
        });
        let (seconds, cpu_seconds) = clock.read();
        // By processor time, which a busy machine does not lengthen much.
        best = match best {
            Some((_, least)) if least <= cpu_seconds => best,
            _ => Some((seconds, cpu_seconds)),
        };
        spent += seconds;
        is_complete = outcome.is_complete();
        if !is_complete || spent > ENOUGH_SECONDS {
            break;
        }
    }
    let (seconds, cpu_seconds) = best.unwrap_or_default();
    Error::if_stopped(bench.stop(), Stage::Search, documents.len())?;
    let mut figures = vec![
        (Measure::Completed, f64::from(u8::from(is_complete))),
        (Measure::Units, context.n_transactions() as f64),
    ];
    // What a search came to before it was ended depends on the machine.
    if is_complete {
        figures.extend([
            (Measure::ClosedSets, sets.n as f64),
            (Measure::LargestCluster, sets.largest as f64),
            (Measure::Clustered, f64::from(sets.n_documents)),
        ]);
    }
    Ok(Ran { result: (), figures, seconds, cpu_seconds })
}

/// Figures of the sets of several documents that a miner gave out.
#[derive(Default)]
struct MinedSets {
    n: u64,
    largest: usize,
    /// Documents that are in one.
    n_documents: u32,
    is_in_one: Vec<bool>,
}

impl MinedSets {
    /// Counts a set; a document alone is a maximal set too, but no cluster.
    fn take(&mut self, set: &[u32]) {
        if set.len() < 2 {
            return;
        }
        self.n += 1;
        self.largest = self.largest.max(set.len());
        for &document in set {
            let is_known = &mut self.is_in_one[document as usize];
            self.n_documents += u32::from(!std::mem::replace(is_known, true));
        }
    }
}

/// Returns the inverted table of the images of documents: a row for every unit.
fn inverted(bench: &Bench<'_>, job: &Job, documents: &[Document]) -> Result<Context, Error> {
    let detector = methods::make(job.method(), job.profile(), job.parameters(), job.seed())?;
    let featurizer = Featurizer::new(job.text().clone(), job.seed());
    let mut words = Words::default();
    let mut pairs: Vec<(u64, u32)> = Vec::new();
    for (number, document) in documents.iter().enumerate() {
        Error::if_stopped(bench.stop(), Stage::Read, number)?;
        let places = detector.places();
        let units = featurizer.read(document, places, None, &mut words, |reading, _| {
            detector.image(reading).and_then(|image| detector.units(&image))
        });
        pairs.extend(units.into_iter().flatten().map(|unit| (unit, number as u32)));
    }
    pairs.sort_unstable();
    let mut context = Context::new();
    for row in pairs.chunk_by(|x, y| x.0 == y.0) {
        context.push(&mut row.iter().map(|&(_, document)| document).collect());
    }
    Ok(context)
}

/// Takes the members of clusters.
#[derive(Default)]
struct Members(Vec<Vec<usize>>);

impl Sink for Members {
    fn wants(&self) -> Wants {
        Wants::nothing().clusters()
    }

    fn cluster(&mut self, cluster: &Cluster<'_>) -> Result<(), retold::Error> {
        self.0.push(cluster.positions().collect());
        Ok(())
    }
}

/// Makes clusters and looks at their pairs: how many do not resemble each other. Exact copies are
/// left out, as every way of clustering puts them together.
fn clustered(
    bench: &Bench<'_>,
    job: &Job,
    grouping: Grouping,
    (documents, runs): (&[Document], &ExactOverlap),
) -> Result<Ran<()>, Error> {
    let units = MinCommon::Units(common(job)?);
    let job = job.clone().with_clusters(grouping).with_min_common(units).with_sets(Sets::Cover);
    let find = Find::new(Documents::new(documents)).job(job).resources(bench.resources.clone());
    let mut members = Members::default();
    let clock = Clock::start();
    find.run(&mut members)?;
    let (seconds, cpu_seconds) = clock.read();

    let mut pairs: HashSet<(u32, u32)> = HashSet::new();
    for cluster in &members.0 {
        Error::if_stopped(bench.stop(), Stage::Report, documents.len())?;
        for (at, &a) in cluster.iter().enumerate() {
            let of_a = cluster[at + 1..].iter().map(|&b| (a.min(b) as u32, a.max(b) as u32));
            pairs.extend(of_a.filter(|&(a, b)| !runs.is_copy(a, b)));
        }
    }
    let mut pairs: Vec<(u32, u32)> = pairs.into_iter().collect();
    pairs.sort_unstable();
    let step = pairs.len().div_ceil(MOST_PAIRS).max(1);
    let (mut n_looked_at, mut n_false) = (0_u64, 0_u64);
    for &(a, b) in pairs.iter().step_by(step) {
        n_looked_at += 1;
        n_false += u64::from(runs.of(a, b).resemblance() < LEAST_RESEMBLANCE);
    }
    let clustered: HashSet<usize> = members.0.iter().flatten().copied().collect();
    let largest = members.0.iter().map(Vec::len).max().unwrap_or(0);
    let figures = vec![
        (Measure::Clusters, members.0.len() as f64),
        (Measure::Clustered, clustered.len() as f64),
        (Measure::LargestCluster, largest as f64),
        (Measure::PairsInside, pairs.len() as f64),
        // A share of nothing is not finite and is left out.
        (Measure::FalsePairs, n_false as f64 / n_looked_at as f64),
        (Measure::TruePairs, 1.0 - n_false as f64 / n_looked_at as f64),
    ];
    Ok(Ran { result: (), figures, seconds, cpu_seconds })
}

#[cfg(test)]
mod tests {
    use retold::{Profile, Resources};

    use super::super::design::{Design, Extent};
    use super::super::lab::Lab;
    use super::*;

    fn words(from: u32, to: u32) -> Vec<String> {
        (from..to).map(|n| format!("word{n}")).collect()
    }

    /// A chain of three versions, each with another half replaced for good, and a stranger.
    fn chain() -> Vec<Document> {
        let version = |step: u32| words(60 * step, 60 * step + 120).join(" ");
        let mut all: Vec<Document> =
            (0..3).map(|step| Document::plain(step.to_string(), version(step))).collect();
        all.push(Document::plain("other", words(9000, 9100).join(" ")));
        all
    }

    fn trial(common: u32) -> Trial {
        let parameters =
            [("k", 5), ("common", common)].map(|(name, n)| (name.to_owned(), n.into()));
        Trial::new("minimal-b", Profile::Paper, &parameters.into_iter().collect(), 1)
            .expect("a method")
    }

    fn figure(ran: &Ran<()>, measure: Measure) -> Option<f64> {
        ran.figures.iter().find(|(name, _)| *name == measure).map(|(_, value)| *value)
    }

    #[test]
    fn a_chain_is_a_false_cluster_of_components_and_not_of_closed_sets() {
        let bench = Bench { data: None, resources: Resources::new().threads(1) };
        let documents = chain();
        let runs = ExactOverlap::new(&documents, RUN_WORDS);
        let of = |grouping| {
            clustered(&bench, &trial(30).job, grouping, (&documents, &runs)).expect("clusters")
        };
        let components = of(Grouping::Components);
        assert_eq!(figure(&components, Measure::LargestCluster), Some(3.0));
        assert_eq!(figure(&components, Measure::PairsInside), Some(3.0));
        let closed = of(Grouping::ClosedSets);
        assert_eq!(figure(&closed, Measure::Clusters), Some(2.0));
        assert_eq!(figure(&closed, Measure::PairsInside), Some(2.0));
        // Neighbours share a third of their runs, the ends of the chain none.
        assert_eq!(figure(&closed, Measure::FalsePairs), Some(1.0));
        assert_eq!(figure(&closed, Measure::TruePairs), Some(0.0));
    }

    #[test]
    fn miners_find_the_same_sets_raw_and_reduced() {
        let bench = Bench { data: None, resources: Resources::new().threads(1) };
        for (algorithm, raw) in [("fpmax", false), ("fpmax", true), ("add-intent", true)] {
            let algorithm = algorithm.to_owned();
            let plan = MinerPlan { algorithm, raw, most_seconds: 60.0 };
            let ran = mined(&bench, &trial(30).job, &plan, &chain()).expect("sets");
            assert_eq!(figure(&ran, Measure::ClosedSets), Some(2.0));
            assert_eq!(figure(&ran, Measure::Clustered), Some(3.0));
            assert_eq!(figure(&ran, Measure::Completed), Some(1.0));
        }
        let none = MinerPlan { algorithm: "fpmax".to_owned(), raw: true, most_seconds: 0.0 };
        let ran = mined(&bench, &trial(30).job, &none, &chain()).expect("a cut is no error");
        assert_eq!(figure(&ran, Measure::Completed), Some(0.0));
        assert_eq!(figure(&ran, Measure::ClosedSets), None);
    }

    #[test]
    fn a_design_with_clusters_runs_and_a_wrong_miner_is_refused() {
        let text = r#"
            title = "Own"
            question = "Which?"
            columns = ["clusters", "pairs_inside"]
            [data]
            collection = "none"
            quick = { documents = 20 }
            full = { documents = 20 }
            [[data.plan.variant]]
            documents = 50
            steps = [{ operation = "replace-words", percent = 1 }]
            [truth]
            kind = "none"
            [[method]]
            label = "closed sets"
            method = "minimal-b"
            parameters = { k = 5, common = 30 }
            clusters = "closed-sets"
        "#;
        let design = Design::parse("own", text).expect("a good design");
        let found = Lab::new().extent(Extent::Quick).run(&design, &|_| {}).expect("it runs");
        let cell = &found.records[0].cell;
        assert_eq!((cell.measures["clusters"], cell.measures["pairs_inside"]), (10.0, 10.0));
        let wrong = text.replace("clusters = \"closed-sets\"", "miner = { algorithm = \"magic\" }");
        let told = Design::parse("own", &wrong).expect_err("no such miner").to_string();
        assert!(told.contains("method `closed sets`: there is no miner `magic`"), "{told}");
    }
}
