//! Clusters as closed sets: the largest groups of documents whose images have enough units in
//! common, all together.
//!
//! The images of a method that keeps sets of units are turned round to an inverted table, one row
//! a unit with the documents that have it, and mined for maximal sets ([`retold_mine`]). With an
//! absolute threshold one search does. A threshold relative to the smallest image of a group is
//! not one threshold, so documents are taken by the size of their images: for each size m, sets
//! are sought among the documents of at least m units that hold one of exactly m, sharing what m
//! units ask for; a set inside one with shorter documents is left out.

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
use retold_mine::{Context, Flow, Target, Task, find, mine_while};
use retold_report::Cut;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::collection::Collection;
use super::parallel::Pool;

/// Sets listed of one group of related documents, when all are asked for.
const MOST_SETS: u64 = 100_000;
/// Steps of the search in one group.
const MOST_STEPS: u64 = 20_000_000;

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
        wanted: Sets,
        pool: &Pool,
    ) -> FoundSets {
        let mut found = FoundSets::default();
        match min_common {
            MinCommon::Units(units) => {
                let mut context = Context::new();
                for row in inverted.rows() {
                    if pool.is_stopped() {
                        return found;
                    }
                    context.push(&mut row.to_vec());
                }
                found.mine(&context, units, wanted, pool, |_| true);
            }
            MinCommon::Share(share) => self.by_size(inverted, share, wanted, pool, &mut found),
        }
        found
    }

    fn by_size(
        &self,
        inverted: &Inverted,
        share: f64,
        wanted: Sets,
        pool: &Pool,
        found: &mut FoundSets,
    ) {
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
            found.mine(&context, least, wanted, pool, holds_shortest);
            found.drop_parts_of_earlier(shorter, pool);
        }
    }
}

impl FoundSets {
    fn mine(
        &mut self,
        context: &Context,
        min_support: u32,
        wanted: Sets,
        pool: &Pool,
        is_wanted: impl Fn(&[u32]) -> bool + Send + Sync,
    ) {
        let target = match wanted {
            Sets::Cover => Target::Cover,
            Sets::All => Target::Maximal,
        };
        let mut task = Task::new(target, min_support);
        task.min_size = 2;
        task.budget.component_sets = Some(MOST_SETS);
        task.budget.steps = Some(MOST_STEPS);
        let miner = find("auto").expect("the miner is registered");
        let sets = &mut self.sets;
        let outcome = pool.run_in(|| {
            mine_while(miner, context, &task, &|| pool.is_stopped(), &mut |set, support| {
                if is_wanted(set) {
                    sets.push((set.iter().map(|&doc| Ordinal(doc)).collect(), support));
                }
                Flow::Continue(())
            })
        });
        let n_cut: u64 = outcome.cut_parts.iter().map(|part| part.n_items).sum();
        if n_cut > 0 {
            self.cuts.push(Cut {
                what: "closed sets of groups of documents that have too many; \
                       every related pair still stands in one; documents concerned"
                    .to_owned(),
                limit: Some(MOST_SETS),
                count: n_cut,
            });
        }
    }

    /// Leaves out sets found after the first `n` that lie inside one of those.
    fn drop_parts_of_earlier(&mut self, n: usize, pool: &Pool) {
        let later = self.sets.split_off(n);
        let mut with: std::collections::HashMap<Ordinal, Vec<usize>> =
            std::collections::HashMap::new();
        if !later.is_empty() {
            for (number, (set, _)) in self.sets.iter().enumerate() {
                for &doc in set {
                    with.entry(doc).or_default().push(number);
                }
            }
        }
        for (set, support) in later {
            if pool.is_stopped() {
                return;
            }
            let is_part = with.get(&set[0]).into_iter().flatten().any(|&number| {
                let larger = &self.sets[number].0;
                set.iter().all(|doc| larger.binary_search(doc).is_ok())
            });
            if !is_part {
                self.sets.push((set, support));
            }
        }
    }
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

/// Returns the name of a run as the paper forms it: `b_1_20_s_100_n1-12` for the form of the image,
/// the offset and length of its word runs, its size, and the first and last of the input files.
/// Other images are named by their method.
pub(crate) fn run_name(method: &str, parameters: &Value, n_files: usize) -> String {
    let number = |name: &str| parameters[name].as_u64();
    let image = match (parameters["form"].as_str(), number("offset"), number("k"), number("size")) {
        (Some(form), Some(offset), Some(length), Some(size)) => {
            format!("{form}_{offset}_{length}_s_{size}")
        }
        _ => method.to_owned(),
    };
    format!("{image}_n1-{n_files}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::Resources;

    fn units(images: &[&[u64]]) -> Units {
        let mut units = Units::default();
        for (at, image) in images.iter().enumerate() {
            units.push(Ordinal(at as u32), image);
        }
        units
    }

    fn sets(images: &[&[u64]], common: &str, wanted: Sets) -> Vec<(Vec<u32>, u32)> {
        let pool = Pool::new(&Resources::new().threads(1)).unwrap();
        let units = units(images);
        let inverted = units.inverted(&pool);
        let found = units.closed_sets(&inverted, common.parse().unwrap(), wanted, &pool);
        assert!(found.cuts.is_empty());
        let numbers = |set: Vec<Ordinal>| set.into_iter().map(|doc| doc.0).collect();
        let mut sets: Vec<(Vec<u32>, u32)> =
            found.sets.into_iter().map(|(set, common)| (numbers(set), common)).collect();
        sets.sort();
        sets
    }

    #[test]
    fn nothing_is_found_once_nobody_wants_it() {
        let stop = crate::progress::Stop::new();
        let pool = Pool::new(&Resources::new().threads(1).stop(&stop)).unwrap();
        let units = units(&FOUR);
        let inverted = units.inverted(&pool);
        stop.set();
        for common in ["2", "60%"] {
            let common = common.parse().unwrap();
            assert!(units.closed_sets(&inverted, common, Sets::All, &pool).sets.is_empty());
        }
        assert_eq!(units.inverted(&pool).rows().count(), 0);
    }

    const FOUR: [&[u64]; 4] =
        [&[1, 2, 3, 4, 5], &[1, 2, 3, 4, 6], &[1, 2, 3, 7, 8], &[4, 5, 7, 8, 9]];

    #[test]
    fn documents_without_enough_in_common_are_not_joined_by_a_chain() {
        // T-FCA: d2 and d4 share one unit, though components at two would hold all four.
        let wanted = [(vec![0, 1, 2], 3), (vec![0, 3], 2), (vec![2, 3], 2)];
        assert_eq!(sets(&FOUR, "2", Sets::All), wanted);
        assert_eq!(sets(&FOUR, "2", Sets::Cover), wanted);
        assert_eq!(sets(&FOUR, "60%", Sets::All), [(vec![0, 1, 2], 3)]);
    }

    #[test]
    fn a_share_is_of_the_smallest_image() {
        // A short document of four units stands in a long one; so do the long one and its twin.
        let images: [&[u64]; 3] =
            [&[1, 2, 3, 4], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], &[2, 3, 4, 5, 6, 7, 8, 9, 10, 11]];
        let wanted = [(vec![0, 1], 4), (vec![1, 2], 9)];
        assert_eq!(sets(&images, "90%", Sets::All), wanted);
        assert_eq!(sets(&images, "90%", Sets::Cover), wanted);
        // Three of four units are in common to all: the pair of long ones is part of that.
        assert_eq!(sets(&images, "75%", Sets::All), [(vec![0, 1, 2], 3)]);
    }

    #[test]
    fn a_threshold_is_read_as_it_is_written() {
        for text in ["85", "85%", "1", "100%", "12.5%"] {
            let common: MinCommon = text.parse().unwrap();
            assert_eq!(String::from(common), text);
        }
        for text in ["0", "0%", "101%", "-3", "many", "NaN%", ""] {
            assert!(text.parse::<MinCommon>().is_err(), "{text}");
        }
    }

    #[test]
    fn runs_are_named_as_in_the_paper() {
        let parameters = serde_json::json!({ "form": "b", "offset": 1, "k": 20, "size": 100 });
        assert_eq!(run_name("minimal-elements", &parameters, 12), "b_1_20_s_100_n1-12");
        assert_eq!(run_name("lexical", &serde_json::json!({}), 3), "lexical_n1-3");
    }
}
