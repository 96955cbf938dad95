//! `lineage DATA`: how often the lineage of version chains is right, beside two simple baselines.
//!
//! DATA holds `terms_versions` and `german_law` of the development data: `NAME.jsonl.zst` with the
//! versions and `NAME.pairs.tsv` with consecutive ones. The true parent of a version is the one before
//! it. Chains are looked at one by one, and mixed: eight families at a time in one cluster.
//!
//! The weights of the costs were chosen on the first part: families at even places in the order of
//! their names, and chains of up to 20 versions of `terms_versions`. The second part was not looked at.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use retold::{Document, Job, Lineage, Resources, TextSettings, seconds};
use retold_core::features::shingles::Shingles;
use retold_core::features::{Featurizer, Words};
use retold_read::{ReadOptions, Reader, discover};

/// Families of a mixture.
const MIXED: usize = 8;

fn main() {
    let data: PathBuf = std::env::args_os().nth(1).expect("usage: lineage DATA").into();
    println!(
        "share of true steps that are found / of steps told that are true / neighbours found\n"
    );
    let mut sure = [[Bins::default(); 2]; 2];
    for name in ["german_law", "terms_versions"] {
        let chains = chains(&data, name);
        let is_chosen_on = |(place, chain): (usize, &Vec<Version>)| {
            place % 2 == 0 || (name == "terms_versions" && chain.len() <= 20)
        };
        for (part, is_first) in [("weights chosen here", true), ("not looked at before", false)] {
            let part_chains: Vec<Vec<Version>> = chains
                .iter()
                .enumerate()
                .filter(|&(place, chain)| is_chosen_on((place, chain)) == is_first)
                .map(|(_, chain)| chain.clone())
                .collect();
            let mixed: Vec<Vec<Version>> = part_chains.chunks(MIXED).map(<[_]>::concat).collect();
            for (how, groups) in [("one by one", &part_chains), ("mixed", &mixed)] {
                let started = Instant::now();
                let mut rows: BTreeMap<&str, Tally> = BTreeMap::new();
                for group in groups {
                    judge(group, &mut rows, &mut sure[usize::from(!is_first)]);
                }
                let n_true = groups.iter().flatten().filter(|version| version.parent.is_some());
                println!(
                    "{name}, {part}, {how}: {} clusters, {} true steps, {:.1} s",
                    groups.len(),
                    n_true.count(),
                    started.elapsed().as_secs_f64()
                );
                for (row, tally) in rows {
                    println!("  {row:32} {}", tally.told());
                }
            }
        }
    }
    println!("\nconfidence, and share of steps that are true");
    for (part, sure) in ["weights chosen here", "not looked at before"].into_iter().zip(sure) {
        for (how, bins) in ["with times", "without times"].into_iter().zip(sure) {
            println!("  {part:20} {how:14} {}", bins.told());
        }
    }
}

/// A version with the id of the one before it.
#[derive(Clone)]
struct Version {
    document: Document,
    parent: Option<String>,
}

/// Reads the chains of a set, in the order of their names.
fn chains(data: &Path, name: &str) -> Vec<Vec<Version>> {
    let pairs = fs::read_to_string(data.join(format!("{name}.pairs.tsv"))).expect("the pairs");
    let parents: HashMap<&str, &str> = pairs
        .lines()
        .filter_map(|line| {
            let mut cells = line.split('\t');
            Some((cells.next()?, cells.next()?))
        })
        .map(|(parent, child)| (child, parent))
        .collect();
    let files = discover(&[data.join(format!("{name}.jsonl.zst"))]).expect("the versions").files;
    let mut reader = Reader::new(files, ReadOptions::default());
    let mut chains: BTreeMap<String, Vec<Version>> = BTreeMap::new();
    while let Some(batch) = reader.next_batch() {
        batch.parse(&mut |record| {
            let document = record.expect("a good record").document;
            let mut first = document.id.as_str();
            while let Some(before) = parents.get(first) {
                first = before;
            }
            let parent = parents.get(&*document.id).map(|&parent| parent.to_owned());
            chains.entry(first.to_owned()).or_default().push(Version { document, parent });
        });
    }
    chains.into_values().filter(|chain| chain.len() > 1).collect()
}

/// What was told, and how much of it is true.
#[derive(Clone, Copy, Default)]
struct Tally {
    n_true: usize,
    n_told: usize,
    n_right: usize,
    n_neighbours: usize,
}

impl Tally {
    fn add(&mut self, truth: &[Option<usize>], told: &[Option<usize>]) {
        for child in 0..truth.len() {
            self.n_told += usize::from(told[child].is_some());
            if let Some(parent) = truth[child] {
                self.n_true += 1;
                self.n_right += usize::from(told[child] == Some(parent));
                let is_neighbour = told[child] == Some(parent) || told[parent] == Some(child);
                self.n_neighbours += usize::from(is_neighbour);
            }
        }
    }

    fn told(&self) -> String {
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        format!(
            "{:.3} / {:.3} / {:.3}",
            share(self.n_right, self.n_true),
            share(self.n_right, self.n_told),
            share(self.n_neighbours, self.n_true)
        )
    }
}

/// Steps by their confidence: how many, and how many are true.
#[derive(Clone, Copy, Default)]
struct Bins([(usize, usize); 5]);

impl Bins {
    const ENDS: [f64; 5] = [0.25, 0.5, 0.75, 0.95, 1.1];

    fn add(&mut self, confidence: f64, is_right: bool) {
        let bin = Self::ENDS.iter().position(|&end| confidence < end).expect("at most 1");
        self.0[bin].0 += 1;
        self.0[bin].1 += usize::from(is_right);
    }

    fn told(&self) -> String {
        let names = ["below 0.25", "0.25 to 0.5", "0.5 to 0.75", "0.75 to 0.95", "more"];
        let bins = names.iter().zip(self.0);
        let told = bins.map(|(name, (n, right))| {
            format!("{name}: {:.2} of {n}", right as f64 / n.max(1) as f64)
        });
        told.collect::<Vec<_>>().join("; ")
    }
}

/// Tells the parents of a group in all ways.
fn judge(group: &[Version], rows: &mut BTreeMap<&str, Tally>, sure: &mut [Bins; 2]) {
    let places: HashMap<&str, usize> =
        group.iter().enumerate().map(|(place, version)| (&*version.document.id, place)).collect();
    let truth: Vec<Option<usize>> = group
        .iter()
        .map(|version| version.parent.as_deref().map(|parent| places[parent]))
        .collect();
    let mut add = |row, told: &[Option<usize>]| {
        rows.entry(row).or_default().add(&truth, told);
    };
    for (number, row) in
        ["1 lineage, with times", "4 lineage, without times"].into_iter().enumerate()
    {
        let is_timed = number == 0;
        let documents = group.iter().map(|version| Document {
            time: version.document.time.clone().filter(|_| is_timed),
            // A name that tells nothing of the order.
            id: hidden(&version.document.id),
            ..version.document.clone()
        });
        let documents: Vec<Document> = documents.collect();
        let hidden: HashMap<&str, usize> =
            documents.iter().enumerate().map(|(place, document)| (&*document.id, place)).collect();
        let lineage = Lineage::of(&documents, &Job::default(), &Resources::new()).expect("a tree");
        let mut told = vec![None; group.len()];
        for step in &lineage.steps {
            let (parent, child) = (hidden[&*step.parent], hidden[&*step.child]);
            told[child] = Some(parent);
            if let Some(is_true) = truth[child] {
                sure[number].add(step.confidence, is_true == parent);
            }
        }
        add(row, &told);
    }
    let times: Vec<i64> = group
        .iter()
        .map(|version| version.document.time.as_deref().and_then(seconds).expect("a time"))
        .collect();
    let runs = runs(group);
    let nearest = |child: usize, is_timed: bool| {
        let may = |&parent: &usize| parent != child && (!is_timed || times[parent] < times[child]);
        let others = (0..group.len()).filter(may);
        // Of equally near ones the latest with times, and one that says nothing without.
        let key = |&parent: &usize| (resemblance(&runs[child], &runs[parent]), times[parent]);
        if is_timed {
            return others.max_by(|a, b| {
                let (a, b) = (key(a), key(b));
                a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
            });
        }
        let name = |place: usize| hidden(&group[place].document.id);
        others.max_by(|a, b| key(a).0.total_cmp(&key(b).0).then_with(|| name(*a).cmp(&name(*b))))
    };
    let all = |is_timed| (0..group.len()).map(|child| nearest(child, is_timed)).collect::<Vec<_>>();
    add("2 nearest earlier by resemblance", &all(true));
    add("5 nearest by resemblance", &all(false));
    let latest = |child: usize| {
        let earlier = (0..group.len()).filter(|&parent| times[parent] < times[child]);
        earlier.max_by_key(|&parent| times[parent])
    };
    add("3 latest earlier one", &(0..group.len()).map(latest).collect::<Vec<_>>());
}

/// Returns a name that stands for an id and does not tell its number.
fn hidden(id: &str) -> String {
    format!("{:016x}", retold_core::hash::bytes(id.as_bytes(), 1))
}

/// Returns the distinct runs of five words of every version, ascending.
fn runs(group: &[Version]) -> Vec<Vec<u64>> {
    let featurizer = Featurizer::new(TextSettings::default(), 1);
    let of = |version: &Version| {
        let mut words = Words::default();
        featurizer.words(&version.document, &mut words);
        let mut runs = Vec::new();
        Shingles::new(5).each(&words.hashes, |hash| runs.push(hash));
        runs.sort_unstable();
        runs.dedup();
        runs
    };
    group.iter().map(of).collect()
}

fn resemblance(a: &[u64], b: &[u64]) -> f64 {
    let (mut one, mut other, mut n_common) = (a, b, 0_usize);
    while let ([x, rest_x @ ..], [y, rest_y @ ..]) = (one, other) {
        n_common += usize::from(x == y);
        if x <= y {
            one = rest_x;
        }
        if y <= x {
            other = rest_y;
        }
    }
    n_common as f64 / (a.len() + b.len() - n_common).max(1) as f64
}
