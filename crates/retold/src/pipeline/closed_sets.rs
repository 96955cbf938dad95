//! Clusters as closed sets: the largest groups of documents whose images have enough units in
//! common, all together.
//!
//! The images of a method that keeps sets of units are turned round to an inverted table, one row
//! a unit with the documents that have it, and mined for maximal sets ([`retold_mine`]). With an
//! absolute threshold one search does. A threshold relative to the smallest image of a group is
//! not one threshold, so documents are taken by the size of their images: for each size m, sets
//! are sought among the documents of at least m units that hold one of exactly m, sharing what m
//! units ask for; a set inside one with shorter documents is left out.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::str::FromStr;

use rayon::slice::ParallelSliceMut;
use retold_core::document::Ordinal;
use retold_core::error::ConfigError;
use retold_core::executor::Executor;
use retold_core::image::images::Images;
use retold_core::methods::Detector;
use retold_mine::{
    Budget, Context, Cut as MinerCut, Flow, MINERS, Miner, Outcome, Target, Task, find, mine_while,
};
use retold_report::Cut;
use serde::{Deserialize, Serialize};

use super::collection::Collection;
use super::parallel::Pool;

/// The miner that goes by groups of related documents and can list a cover.
pub(crate) const AUTO_MINER: &str = "auto";
/// Sets listed of one group of related documents, when all are asked for.
const MOST_SETS: u64 = 100_000;
/// Steps of the search in one group.
const MOST_STEPS: u64 = 20_000_000;
/// Sets that a miner lists which searches the whole collection at once.
const MOST_SETS_IN_ALL: u64 = 1_000_000;
/// Steps of such a search.
const MOST_STEPS_IN_ALL: u64 = 50_000_000;
/// Sets compared with sets of smaller images, to leave out those that lie inside of one; beyond it a cover is
/// listed instead of all sets.
const MOST_LOOKS: u64 = 500_000_000;
/// Bytes that such a search may hold.
const MOST_BYTES_IN_ALL: usize = 1 << 30;

/// How many units the images of a cluster must have in common.
///
/// ```
/// use retold::MinCommon;
/// assert_eq!("85%".parse(), Ok(MinCommon::Share(0.85)));
/// assert_eq!("40".parse(), Ok(MinCommon::Units(40)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum MinCommon {
    /// So many.
    Units(u32),
    /// This share of the smallest image in the cluster.
    Share(f64),
}

impl Default for MinCommon {
    fn default() -> Self {
        Self::Share(0.85)
    }
}

impl FromStr for MinCommon {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let found = match text.strip_suffix('%') {
            Some(percent) => percent
                .trim()
                .parse()
                .ok()
                .map(|percent: f64| percent / 100.0)
                .filter(|share| *share > 0.0 && *share <= 1.0)
                .map(Self::Share),
            None => text.parse().ok().filter(|&units| units > 0).map(Self::Units),
        };
        let accepted = "a number of units such as 85, or a share of the smallest image such as 85%";
        found.ok_or_else(|| ConfigError::value("min-common", accepted, &text))
    }
}

impl TryFrom<String> for MinCommon {
    type Error = ConfigError;

    fn try_from(text: String) -> Result<Self, ConfigError> {
        text.parse()
    }
}

impl From<MinCommon> for String {
    fn from(common: MinCommon) -> Self {
        match common {
            MinCommon::Units(units) => units.to_string(),
            MinCommon::Share(share) => format!("{}%", share * 100.0),
        }
    }
}

/// Which sets are listed.
///
/// ```
/// use retold::{Grouping, Job, Sets};
/// let job = Job::default().with_clusters(Grouping::ClosedSets).with_sets(Sets::All);
/// # let _ = job;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sets {
    /// Enough that any two documents with enough in common stand together in one.
    #[default]
    Cover,
    /// All of them, up to a limit for each group of related documents.
    All,
}

/// How groups are sought.
#[derive(Clone, Copy)]
pub(crate) struct Search<'a> {
    miner: &'static dyn Miner,
    wanted: Sets,
    pool: &'a Pool,
}

impl<'a> Search<'a> {
    /// Returns the search by a miner.
    ///
    /// *Errors* as [`miner_for`] does.
    pub(crate) fn new(miner: &str, wanted: Sets, pool: &'a Pool) -> Result<Self, ConfigError> {
        Ok(Self { miner: miner_for(miner, wanted)?, wanted, pool })
    }

    fn task(self, min_support: u32) -> Task {
        let target = match self.wanted {
            Sets::Cover => Target::Cover,
            Sets::All => Target::Maximal,
        };
        let mut task = Task::new(target, min_support);
        task.min_size = 2;
        // No limit of time: a job gives the same result on every machine.
        task.budget = match self.miner.spec().name {
            AUTO_MINER => Budget {
                component_sets: Some(MOST_SETS),
                steps: Some(MOST_STEPS),
                ..Budget::default()
            },
            _ => Budget {
                sets: Some(MOST_SETS_IN_ALL),
                steps: Some(MOST_STEPS_IN_ALL),
                bytes: Some(MOST_BYTES_IN_ALL),
                ..Budget::default()
            },
        };
        task
    }
}

/// Returns the miner of a name.
///
/// *Errors* if there is none, or if it does not find the sets that are wanted.
pub(crate) fn miner_for(name: &str, wanted: Sets) -> Result<&'static dyn Miner, ConfigError> {
    let Some(miner) = find(name) else {
        let names: Vec<&str> = MINERS.iter().map(|miner| miner.spec().name).collect();
        return Err(ConfigError::value("miner", format!("one of {}", names.join(", ")), &name));
    };
    if wanted == Sets::Cover && !miner.spec().targets.contains(&Target::Cover) {
        let accepted = "auto, or sets must be all, as the other miners list all closed sets";
        return Err(ConfigError::value("miner", accepted, &name));
    }
    Ok(miner)
}

/// The units of all images, as they were made.
#[derive(Debug)]
pub(crate) struct Units {
    documents: Vec<Ordinal>,
    ends: Vec<usize>,
    all: Vec<u64>,
    /// Whether an image was no set of units.
    has_others: bool,
}

impl Default for Units {
    fn default() -> Self {
        Self { documents: Vec::new(), ends: vec![0], all: Vec::new(), has_others: false }
    }
}

/// Groups of documents with what they have in common, and what was cut.
#[derive(Debug, Default)]
pub(crate) struct FoundSets {
    pub(crate) sets: Vec<(Vec<Ordinal>, u32)>,
    pub(crate) cuts: Vec<Cut>,
}

impl Units {
    /// Takes the units of all images.
    pub(crate) fn of(images: &Images, detector: &dyn Detector) -> io::Result<Self> {
        let mut units = Self::default();
        let mut image = Vec::new();
        for ordinal in (0..images.n_ordinals() as u32).map(Ordinal) {
            if images.read(ordinal, &mut image)? {
                match detector.units(&image) {
                    Some(of_image) => units.push(ordinal, &of_image),
                    None => units.has_others = true,
                }
            }
        }
        Ok(units)
    }

    /// Returns the documents and how many units each has.
    pub(super) fn sizes(&self) -> impl Iterator<Item = (Ordinal, usize)> {
        let sizes = self.ends.windows(2).map(|ends| ends[1] - ends[0]);
        self.documents.iter().copied().zip(sizes)
    }

    fn push(&mut self, ordinal: Ordinal, units: &[u64]) {
        self.documents.push(ordinal);
        self.all.extend_from_slice(units);
        self.ends.push(self.all.len());
    }

    /// Returns an error if the images of a method are no sets.
    pub(crate) fn check(&self, method: &str) -> Result<(), ConfigError> {
        if self.has_others {
            let accepted = "used with a method whose images are sets of units, such as \
                            minimal-elements, lexical, shingling or winnowing";
            return Err(ConfigError::value("clusters = closed-sets", accepted, &method));
        }
        Ok(())
    }

    /// Turns the images round; not all of them if the pool is asked to stop.
    pub(crate) fn inverted(&self, pool: &Pool) -> Inverted {
        let mut pairs: Vec<(u64, u32)> = Vec::with_capacity(self.all.len());
        for (at, document) in self.documents.iter().enumerate() {
            if pool.is_stopped() {
                return Inverted::default();
            }
            let units = &self.all[self.ends[at]..self.ends[at + 1]];
            pairs.extend(units.iter().map(|&unit| (unit, document.0)));
        }
        pool.run_in(|| pairs.par_sort_unstable());
        let mut inverted = Inverted { starts: vec![0], ..Inverted::default() };
        for row in pairs.chunk_by(|x, y| x.0 == y.0) {
            if pool.is_stopped() {
                break;
            }
            inverted.units.push(row[0].0);
            inverted.documents.extend(row.iter().map(|&(_, document)| document));
            inverted.starts.push(inverted.documents.len());
        }
        inverted
    }

    /// Finds groups whose images have enough in common; some of them, or none, if the pool is
    /// asked to stop.
    pub(crate) fn closed_sets(
        &self,
        inverted: &Inverted,
        min_common: MinCommon,
        search: Search<'_>,
    ) -> FoundSets {
        let mut found = FoundSets::default();
        match min_common {
            MinCommon::Units(units) => {
                let mut context = Context::new();
                for row in inverted.rows() {
                    if search.pool.is_stopped() {
                        return found;
                    }
                    context.push(&mut row.to_vec());
                }
                found.mine(&context, units, search, |_| true);
            }
            MinCommon::Share(share) => self.by_size(inverted, share, search, &mut found),
        }
        found
    }

    fn by_size(
        &self,
        inverted: &Inverted,
        share: f64,
        mut search: Search<'_>,
        found: &mut FoundSets,
    ) {
        let pool = search.pool;
        let mut looks = MOST_LOOKS;
        let size = |at: usize| self.ends[at + 1] - self.ends[at];
        let n = self.documents.last().map_or(0, |last| last.index() + 1);
        let mut size_of = vec![0; n];
        let mut by_size: Vec<usize> =
            (0..self.documents.len()).filter(|&at| size(at) > 0).collect();
        for &at in &by_size {
            size_of[self.documents[at].index()] = size(at);
        }
        by_size.sort_by_key(|&at| (size(at), at));
        for level in by_size.chunk_by(|&x, &y| size(x) == size(y)) {
            if pool.is_stopped() {
                return;
            }
            let m = size(level[0]);
            let mut units: Vec<u64> = level
                .iter()
                .flat_map(|&at| &self.all[self.ends[at]..self.ends[at + 1]])
                .copied()
                .collect();
            units.sort_unstable();
            units.dedup();
            let mut context = Context::new();
            for unit in units {
                if pool.is_stopped() {
                    return;
                }
                let row = inverted.row_of(unit).iter().copied();
                context.push(&mut row.filter(|&doc| size_of[doc as usize] >= m).collect());
            }
            // The slack keeps 85 % of 100 at 85 although the product is a little more.
            #[expect(clippy::cast_sign_loss, reason = "a product of positive numbers")]
            let least = (share * m as f64 - 1e-9).ceil().max(1.0) as u32;
            let holds_shortest = |set: &[u32]| set.iter().any(|&doc| size_of[doc as usize] == m);
            let shorter = found.sets.len();
            found.mine(&context, least, search, holds_shortest);
            let n_left_out = found.drop_parts_of_earlier(shorter, &mut looks, pool);
            if n_left_out == 0 {
                continue;
            }
            if search.miner.spec().targets.contains(&Target::Cover) {
                // From here on, a cover: its sets are few, so that all of them can be compared.
                search.wanted = Sets::Cover;
                found.sets.truncate(shorter);
                found.mine(&context, least, search, holds_shortest);
                looks = u64::MAX;
                found.drop_parts_of_earlier(shorter, &mut looks, pool);
                let n_concerned = by_size.iter().filter(|&&at| size(at) >= m).count();
                found.cut(Cut {
                    what: ONLY_COVERED.to_owned(),
                    limit: Some(MOST_LOOKS),
                    count: n_concerned as u64,
                });
            } else {
                found.cut(Cut {
                    what: "closed sets that were not compared with those of smaller images, and left out"
                        .to_owned(),
                    limit: Some(MOST_LOOKS),
                    count: n_left_out,
                });
            }
        }
    }
}

impl FoundSets {
    fn mine(
        &mut self,
        context: &Context,
        min_support: u32,
        search: Search<'_>,
        is_wanted: impl Fn(&[u32]) -> bool + Send + Sync,
    ) {
        let Search { miner, pool, .. } = search;
        let task = search.task(min_support);
        let sets = &mut self.sets;
        let outcome = pool.run_in(|| {
            mine_while(miner, context, &task, &|| pool.is_stopped(), &mut |set, support| {
                if is_wanted(set) {
                    sets.push((set.iter().map(|&doc| Ordinal(doc)).collect(), support));
                }
                Flow::Continue(())
            })
        });
        for cut in cuts(miner, &task, &outcome) {
            self.cut(cut);
        }
    }

    /// Leaves out sets found after the first `n` that lie inside one of those, and those that are not compared because
    /// no looks are left; returns the number of these.
    fn drop_parts_of_earlier(&mut self, n: usize, looks: &mut u64, pool: &Pool) -> u64 {
        let later = self.sets.split_off(n);
        if later.is_empty() {
            return 0;
        }
        // A few bits of each set: one whose bits are not all there cannot lie inside of the other.
        let bits = |set: &[Ordinal]| set.iter().fold(0, |bits, doc| bits | 1u64 << (doc.0 % 64));
        let mut with: HashMap<Ordinal, Vec<(u64, u32)>> = HashMap::new();
        for (number, (set, _)) in (0..).zip(&self.sets) {
            let bits = bits(set);
            for &doc in set {
                with.entry(doc).or_default().push((bits, number));
            }
        }
        let mut n_left_out = 0;
        for (set, support) in later {
            if pool.is_stopped() {
                break;
            }
            let lists = set.iter().map(|doc| with.get(doc).map_or(&[][..], Vec::as_slice));
            let shortest = lists.min_by_key(|list| list.len()).unwrap_or_default();
            let Some(left) = looks.checked_sub(shortest.len() as u64) else {
                *looks = 0;
                n_left_out += 1;
                continue;
            };
            *looks = left;
            let own = bits(&set);
            let is_part = shortest.iter().any(|&(bits, number)| {
                let larger = &self.sets[number as usize].0;
                own & !bits == 0 && set.iter().all(|doc| larger.binary_search(doc).is_ok())
            });
            if !is_part {
                self.sets.push((set, support));
            }
        }
        n_left_out
    }

    /// Takes note of what a limit left out; of the same kind of cut the largest count stays.
    fn cut(&mut self, cut: Cut) {
        match self.cuts.iter_mut().find(|known| known.what == cut.what) {
            Some(known) => known.count = known.count.max(cut.count),
            None => self.cuts.push(cut),
        }
    }
}

/// What is said where a cover stands for all sets.
const ONLY_COVERED: &str = "documents in groups that have too many closed sets to list them all; \
                            every related pair still stands in one";

/// Returns what limits left out.
fn cuts(miner: &dyn Miner, task: &Task, outcome: &Outcome) -> Vec<Cut> {
    let mut cuts = Vec::new();
    let n_cut: u64 = outcome.cut_parts.iter().map(|part| part.n_items).sum();
    if n_cut > 0 {
        cuts.push(Cut { what: ONLY_COVERED.to_owned(), limit: Some(MOST_SETS), count: n_cut });
    }
    if let Some(cut) = outcome.cut {
        let limit = match cut {
            MinerCut::Sets => task.budget.sets,
            MinerCut::Steps => task.budget.steps,
            MinerCut::Bytes => task.budget.bytes.map(|bytes| bytes as u64),
            MinerCut::Time | MinerCut::Stopped => None,
        };
        cuts.push(Cut {
            what: format!(
                "closed sets that miner {} found before it reached its limit of {}; it did not come \
                 to the others",
                miner.spec().name,
                cut.name()
            ),
            limit,
            count: outcome.n_sets,
        });
    }
    cuts
}

/// For each unit the documents that have it, ascending.
#[derive(Debug, Default)]
pub(crate) struct Inverted {
    units: Vec<u64>,
    starts: Vec<usize>,
    documents: Vec<u32>,
}

impl Inverted {
    fn rows(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|pair| &self.documents[pair[0]..pair[1]])
    }

    fn row_of(&self, unit: u64) -> &[u32] {
        match self.units.binary_search(&unit) {
            Ok(at) => &self.documents[self.starts[at]..self.starts[at + 1]],
            Err(_) => &[],
        }
    }

    /// Writes the table as a FIMI file: one line a unit, documents by their numbers in the table
    /// of documents, counted from 0; copies have the units of their firsts. Leaves off if the pool
    /// is asked to stop.
    pub(crate) fn write(
        &self,
        path: &Path,
        collection: &Collection,
        pool: &Pool,
    ) -> io::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        let mut number = itoa::Buffer::new();
        let mut row: Vec<Ordinal> = Vec::new();
        for firsts in self.rows() {
            if pool.is_stopped() {
                break;
            }
            row.clear();
            for &first in firsts {
                row.extend(collection.group(Ordinal(first)));
            }
            row.sort_unstable();
            for (at, doc) in row.iter().enumerate() {
                if at > 0 {
                    out.write_all(b" ")?;
                }
                out.write_all(number.format(doc.0).as_bytes())?;
            }
            out.write_all(b"\n")?;
        }
        out.flush()
    }
}

#[cfg(test)]
mod tests;
