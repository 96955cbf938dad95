//! What a step from one document to another costs, in hundredths of a word.
//!
//! The weights were chosen on one half of the development sets (`bench/README.md`).

use std::collections::HashMap;

use retold_core::features::Words;
use retold_core::hash::mix;

use super::MOST_COMPARED;
use crate::pipeline::parallel::Pool;

/// What an added word costs; the unit of all costs is a hundredth of it.
const ADDED: i64 = 100;
/// What a dropped word costs.
const DROPPED: i64 = 50;
/// What each doubling of the number of documents between parent and child costs at most.
const MOST_OLDER: i64 = 3_000;
/// What it costs for each word of the shorter one: 2 % of an added word.
const OLDER: i64 = 2;

/// Documents nearest to each, by their sketches, that are compared in a large cluster.
const NEAREST: usize = 32;
/// Documents just before each, in time, that are compared in a large cluster.
const JUST_BEFORE: usize = 8;
/// Smallest hashes in a sketch, each by another mixture.
const SKETCH: usize = 32;

/// Returns a cost in words.
pub(super) fn in_words(cost: i64) -> f64 {
    cost as f64 / ADDED as f64
}

/// A document made ready for comparison.
pub(super) struct Version {
    pub(super) words: Words,
    /// Years that it names, each as often as it does, ascending.
    years: Vec<u16>,
    time: Option<i64>,
}

impl Version {
    pub(super) fn new(words: Words, text: &str, time: Option<i64>) -> Self {
        let mut years: Vec<u16> =
            words.spans.iter().filter_map(|span| span.of(text)).filter_map(year).collect();
        years.sort_unstable();
        Self { words, years, time }
    }
}

/// Returns the year that a word names: four digits from 1900 to 2099.
fn year(word: &str) -> Option<u16> {
    let is_digits = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    let year = is_digits.then(|| word.parse().ok()).flatten()?;
    (1900..2100).contains(&year).then_some(year)
}

/// A step that may be part of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) parent: usize,
    pub(super) child: usize,
    pub(super) cost: i64,
}

/// All steps that may be part of the tree, and what each document costs as its root.
pub(super) struct Costs {
    pub(super) roots: Vec<i64>,
    /// By child, then by parent.
    pub(super) steps: Vec<Step>,
    /// Whether every two documents were compared.
    pub(super) is_complete: bool,
    /// Where the steps to each child begin.
    starts: Vec<usize>,
    /// Which documents have a time.
    has_time: Vec<bool>,
}

impl Costs {
    /// Compares documents, which stand in the order of their times.
    pub(super) fn of(versions: &[Version], pool: &Pool) -> Self {
        let bags = bags(versions);
        let roots = versions.iter().map(|version| ADDED * version.words.hashes.len() as i64);
        let is_complete = versions.len() <= MOST_COMPARED;
        let partners = if is_complete { None } else { Some(partners(versions, &bags, pool)) };
        let everyone: Vec<usize> = (0..versions.len()).collect();
        let to = |&child: &usize| -> Vec<Step> {
            let parents = partners.as_ref().map_or(&everyone, |partners| &partners[child]);
            let steps = parents.iter().filter(|&&parent| parent != child).filter_map(|&parent| {
                let cost = cost((versions, &bags), parent, child)?;
                Some(Step { parent, child, cost })
            });
            steps.collect()
        };
        let steps: Vec<Vec<Step>> = pool.map(&everyone, to);
        let mut starts = vec![0];
        for of_child in &steps {
            starts.push(starts[starts.len() - 1] + of_child.len());
        }
        let has_time = versions.iter().map(|version| version.time.is_some()).collect();
        Self { roots: roots.collect(), steps: steps.concat(), is_complete, starts, has_time }
    }

    /// Returns the cost that is little for two documents: what a doubling of the number of documents
    /// between them costs.
    pub(super) fn little(&self, one: usize, other: usize) -> i64 {
        little(self.roots[one].min(self.roots[other]) / ADDED)
    }

    /// Returns whether both documents have a time.
    pub(super) fn is_timed(&self, one: usize, other: usize) -> bool {
        self.has_time[one] && self.has_time[other]
    }

    /// Returns what a step costs; `None` if it cannot be.
    pub(super) fn step(&self, parent: usize, child: usize) -> Option<i64> {
        let to_child = &self.steps[self.starts[child]..self.starts[child + 1]];
        let at = to_child.binary_search_by_key(&parent, |step| step.parent).ok()?;
        Some(to_child[at].cost)
    }
}

/// Returns what a step costs; `None` if the parent is later than the child.
fn cost((versions, bags): (&[Version], &[Bag]), parent: usize, child: usize) -> Option<i64> {
    let (n_added, n_dropped) = bags[parent].changes_to(&bags[child]);
    let changed = ADDED * n_added + DROPPED * n_dropped;
    let n_words = |number: usize| versions[number].words.hashes.len() as i64;
    let little = little(n_words(parent).min(n_words(child)));
    match (versions[parent].time, versions[child].time) {
        (Some(before), Some(after)) if before > after => None,
        (Some(before), Some(after)) if before < after => {
            // They stand in the order of their times.
            let is_until = |version: &Version| version.time.is_some_and(|time| time <= before);
            let is_before = |version: &Version| version.time.is_some_and(|time| time < after);
            let n_between =
                versions.partition_point(is_before) - versions.partition_point(is_until);
            Some(changed + (little as f64 * ((n_between + 1) as f64).log2()).round() as i64)
        }
        _ => {
            let newer = later_year(&versions[parent].years, &versions[child].years);
            Some(changed - little / 2 * newer)
        }
    }
}

/// Returns what a doubling of the number of documents between two costs, of which the shorter has so
/// many words.
fn little(n_words: i64) -> i64 {
    (OLDER * n_words).clamp(1, MOST_OLDER)
}

/// Returns 1 if the last year that is added is later than the last that is dropped, −1 if it is
/// earlier, and 0 if there is none of both or they are the same.
fn later_year(parent: &[u16], child: &[u16]) -> i64 {
    let (mut one, mut other) = (parent.iter().rev().peekable(), child.iter().rev().peekable());
    loop {
        match (one.peek(), other.peek()) {
            (Some(dropped), Some(added)) if dropped == added => {
                one.next();
                other.next();
            }
            // The first that differs is the last year of its side, and the other side has none later.
            (dropped, added) => return dropped.cmp(&added).reverse() as i64,
        }
    }
}

/// The words of a document that tell it from others of the cluster, each with how often it stands
/// there, ascending.
struct Bag {
    words: Vec<(u64, u32)>,
    n_words: i64,
}

impl Bag {
    /// Returns how many words another one adds and drops.
    fn changes_to(&self, child: &Self) -> (i64, i64) {
        let (mut one, mut other) = (self.words.as_slice(), child.words.as_slice());
        let mut n_common = 0;
        while let ([(a, n_a), rest_a @ ..], [(b, n_b), rest_b @ ..]) = (one, other) {
            if a == b {
                n_common += i64::from(*n_a.min(n_b));
            }
            if a <= b {
                one = rest_a;
            }
            if b <= a {
                other = rest_b;
            }
        }
        (child.n_words - n_common, self.n_words - n_common)
    }
}

/// Makes bags. Left out are words of a single document, and words that stand in all documents
/// equally often.
fn bags(versions: &[Version]) -> Vec<Bag> {
    let counted = versions.iter().map(|version| {
        let mut hashes = version.words.hashes.clone();
        hashes.sort_unstable();
        let mut words: Vec<(u64, u32)> = Vec::new();
        for hash in hashes {
            match words.last_mut() {
                Some((last, n)) if *last == hash => *n += 1,
                _ => words.push((hash, 1)),
            }
        }
        words
    });
    let counted: Vec<Vec<(u64, u32)>> = counted.collect();
    // For each word: in how many documents it stands, how often in one, and whether in others as often.
    let mut holders: HashMap<u64, (usize, u32, bool)> = HashMap::new();
    for &(word, n) in counted.iter().flatten() {
        let held = holders.entry(word).or_insert((0, n, true));
        held.0 += 1;
        held.2 &= held.1 == n;
    }
    let tells = |word: &u64| {
        let (n_documents, _, is_even) = holders[word];
        n_documents > 1 && !(is_even && n_documents == versions.len())
    };
    let bag = |words: Vec<(u64, u32)>| {
        let words: Vec<(u64, u32)> = words.into_iter().filter(|(word, _)| tells(word)).collect();
        let n_words = words.iter().map(|&(_, n)| i64::from(n)).sum();
        Bag { words, n_words }
    };
    counted.into_iter().map(bag).collect()
}

/// Returns the documents that each is compared with in a large cluster, ascending.
fn partners(versions: &[Version], bags: &[Bag], pool: &Pool) -> Vec<Vec<usize>> {
    let sketches: Vec<[u32; SKETCH]> = pool.map(bags, |bag| {
        let mut sketch = [u32::MAX; SKETCH];
        for &(word, _) in &bag.words {
            for (number, least) in (1..).zip(&mut sketch) {
                *least = (*least).min((mix(word ^ mix(number)) >> 32) as u32);
            }
        }
        sketch
    });
    let everyone: Vec<usize> = (0..versions.len()).collect();
    let near: Vec<Vec<usize>> = pool.map(&everyone, |&one| {
        let common = |other: usize| {
            sketches[one].iter().zip(&sketches[other]).filter(|(a, b)| a == b).count()
        };
        // Of those that are equally near, those beside it in time.
        let mut others: Vec<(usize, usize, usize)> = (0..versions.len())
            .filter(|&other| other != one)
            .map(|other| (SKETCH - common(other), other.abs_diff(one), other))
            .collect();
        if others.len() > NEAREST {
            others.select_nth_unstable(NEAREST);
            others.truncate(NEAREST);
        }
        others.into_iter().map(|(_, _, other)| other).collect()
    });
    let mut partners = vec![Vec::new(); versions.len()];
    for (one, near) in near.into_iter().enumerate() {
        for other in near {
            partners[one].push(other);
            partners[other].push(one);
        }
        partners[one].extend(one.saturating_sub(JUST_BEFORE)..one);
        // The first keeps the tree in one piece, whoever is near to whom.
        partners[one].push(0);
        partners[0].push(one);
    }
    for list in &mut partners {
        list.sort_unstable();
        list.dedup();
    }
    partners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_tell_the_direction() {
        assert_eq!(later_year(&[2019], &[2021]), 1);
        assert_eq!(later_year(&[2019, 2021], &[2019, 2019]), -1);
        assert_eq!(later_year(&[2019], &[2019]), 0);
        assert_eq!(later_year(&[], &[1990]), 1);
        assert_eq!(year("2021"), Some(2021));
        assert_eq!(
            (year("1899"), year("20211"), year("2o21"), year("+202")),
            (None, None, None, None)
        );
    }
}
