//! `SpotSigs`: signatures where stop words show running text.
//!
//! # What it finds
//! Near-duplicates of which each stands in a page of its own, with other menus, lists and
//! advertisements around it: those have few stop words and so leave few spots.
//! # How it works
//! A spot starts at a stop word, its antecedent, and names the `chain` content words after it
//! ([`spots`](crate::features::spots)): `a rally to kick off a weeklong campaign` has the spots
//! `a:rally:kick` and `a:weeklong:campaign`. Documents are bags of spots
//! ([`bag`](crate::image::bag)) and match if their Jaccard resemblance, Σ min / Σ max of the
//! counts, reaches `threshold`. Documents are kept by size class, so that only classes in reach
//! are asked, and looked up by as many spots as must be shared
//! ([`weighted`](crate::candidates::weighted)).
//! # Parameters
//! `antecedents` = the stop words that start a spot, such as `"a an the is"`; empty, the default,
//! takes all stop words of the document's language. `distance` = 1 steps over that many content
//! words from link to link, `chain` = 2 links. `threshold` = 0.44. `least_spots` = 4: documents
//! with fewer are not judged. `stop` = 1000 documents that one spot answers with, `most_reads` =
//! 200,000 list entries and `most_partners` = 1000 scored documents in one search; profile `paper`
//! knows no limits.
//! # Cost
//! One pass over the words; lists are as long as spots are common, which is rare.
//! # Where we differ from the papers
//! The paper gives each antecedent a distance and a chain length of its own; here they are the
//! same for all. Antecedents by language are ours: the paper lists English ones. A document whose
//! language is not known, or has no list, needs `antecedents`. Spots are asked in a fixed order
//! instead of by frequency. `threshold` and `least_spots` are starting values to be tuned.
//! Stemming or leaving out stop words would hide the antecedents; keep both off.
//! # Reference
//! Theobald, Siddharth, Paepcke: `SpotSigs`: robust and efficient near duplicate detection in large
//! web collections, SIGIR 2008.

use std::collections::HashMap;

use super::{Method, Recall, Skip, Spec};
use crate::candidates::Judgement;
use crate::candidates::weighted::{Limits, Measure, Reach, Weighted};
use crate::features::reading::Reading;
use crate::features::spots::{Role, Spots};
use crate::features::stop_words::StopWords;
use crate::hash::Prehashed;
use crate::image::bag::{Bag, Mass, Prefix};
use crate::parameters::{SHARE, parameters};
use crate::relation::{Kind, Score, Scores};
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "spotsigs",
    title: "stop words and the content words after them (SpotSigs)",
    finds: &[Kind::Exact, Kind::NearDuplicate],
    approximate: Some(
        "candidates: documents of few spots are not judged; where a limit of work is reached, \
         pairs are left out and counted.",
    ),
    recall: Recall { percent: 50, why: "by resemblance" },
    skips: &[
        Skip::kinds(
            &[Kind::Contains, Kind::Contained, Kind::Partial],
            "compares by resemblance; a part resembles the whole little",
        ),
        Skip::cases(
            &["one word five hundred times against two hundred times"],
            "one word repeated has no antecedent and so no spot",
        ),
    ],
    ..Spec::of::<SpotSigs>(include_str!("spotsigs.rs"))
};

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// stop words that start a spot, with spaces between; empty takes all stop words of the
        /// document's language
        antecedents: String = String::new();
        /// content words from link to link
        distance: usize = 1, in 1..=100;
        /// content words in a spot
        chain: usize = 2, in 1..=100;
        /// resemblance of spots from which documents match
        threshold: f64 = 0.44, in SHARE, permissive down to 0.2;
        /// spots below which a document is not judged
        least_spots: usize = 4, in 0..;
        ..limits: Limits;
    }
}

/// The method.
pub(super) struct SpotSigs {
    config: Config,
    antecedents: StopWords,
}

impl Method for SpotSigs {
    type Config = Config;
    type Image = Bag;
    type Meeting = Weighted<Resembles>;
    const SPEC: &'static Spec = &SPEC;

    fn new(config: Config, _: u64) -> Self {
        let antecedents = StopWords::from_words(config.antecedents.split_whitespace());
        Self { config, antecedents }
    }

    fn image(&self, reading: &Reading<'_>) -> Option<Bag> {
        let roles = self.roles(reading)?;
        let Config { distance, chain, threshold, least_spots, .. } = self.config;
        let mut spots = Vec::new();
        Spots { distance, chain }.each(&reading.words.hashes, &roles, |spot| spots.push(spot));
        if spots.len() < least_spots {
            return None;
        }
        let prefix = Prefix::of_share(threshold);
        Bag::count(spots, Mass::Weight, prefix, |_| 1, |n, _| f64::from(n))
    }

    fn meeting(&self, _: Rule) -> Weighted<Resembles> {
        Weighted::new(Resembles(self.config.threshold), self.config.limits)
    }
}

impl SpotSigs {
    /// Returns what each word is; `None` if no stop words are known.
    fn roles(&self, reading: &Reading<'_>) -> Option<Vec<Role>> {
        let stop = StopWords::for_language(&reading.language());
        if stop.is_none() && self.antecedents.is_empty() {
            return None;
        }
        let role = |word: &str| {
            let is_stop = stop.as_ref().is_some_and(|stop| stop.contains(word));
            if self.antecedents.contains(word) || (is_stop && self.antecedents.is_empty()) {
                Role::Antecedent
            } else if is_stop {
                Role::Stop
            } else {
                Role::Content
            }
        };
        // Each distinct word is folded once.
        let mut known: HashMap<u64, Role, Prehashed> = HashMap::default();
        let words = reading.words.hashes.iter().enumerate();
        Some(
            words
                .map(|(i, &hash)| *known.entry(hash).or_insert_with(|| role(&reading.word(i))))
                .collect(),
        )
    }
}

/// The measure: a resemblance of at least this much.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resembles(f64);

impl Measure for Resembles {
    type Image = Bag;

    fn bag<'a>(&self, bag: &'a Bag) -> &'a Bag {
        bag
    }

    fn reach(&self) -> Reach {
        Reach::OfSize { least: self.0 }
    }

    fn judge(&self, a: &Bag, b: &Bag) -> Option<Judgement> {
        let common = a.overlap(b, self.0)?;
        let share = |whole: f64| Score::new((common / whole).min(1.0)).expect("it is cut at 1");
        let scores = Scores {
            resemblance: share(a.total() + b.total() - common),
            a_in_b: share(a.total()),
            b_in_a: share(b.total()),
        };
        Some(Judgement { kind: Kind::NearDuplicate, scores })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::trial::Trial;
    use super::*;
    use crate::hash::Random;
    use crate::methods::Profile;

    const STORY: &str = "The ferry to the island stays in the harbour until the storm has passed. \
                         A spokesman of the coast guard said that the engine of the ship is under \
                         repair and that the crew was brought to a hotel near the old lighthouse.";

    #[test]
    fn menus_around_a_story_do_not_matter() {
        let page = format!("Home News Sport Weather Login Contact {STORY} Imprint Privacy Jobs");
        let other = "The price of tomatoes is a fifth higher than in the spring, said a trader at \
                     the market of the old town, and the onions are no cheaper than they were.";
        let texts = [STORY, &page, other];
        let pairs = Trial::new("spotsigs", Profile::Paper, &[], &texts).pairs();
        assert_eq!(pairs.len(), 1);
        assert!(pairs[0].scores.resemblance.get() > 0.8, "{:?}", pairs[0].scores);
    }

    #[test]
    fn chosen_antecedents_make_fewer_spots() {
        let total = |antecedents: &str| {
            let given = [("antecedents", json!(antecedents))];
            let trial = Trial::new("spotsigs", Profile::Paper, &given, &[STORY]);
            trial.image(STORY).map_or(0.0, |bag: Bag| bag.total())
        };
        // "the" nine times, "a" twice and "is" once, all with two content words after them but
        // the last "the": "old" is a stop word.
        assert!((total("a the is") - 11.0).abs() < f64::EPSILON, "{}", total("a the is"));
        assert!(total("") > 11.0);
        assert!(total("zzz").abs() < f64::EPSILON);
    }

    #[test]
    fn a_text_without_running_words_is_not_judged() {
        let trial = Trial::new("spotsigs", Profile::Paper, &[], &[STORY]);
        assert!(trial.image::<Bag>("Home News Sport Weather Login Contact Imprint").is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn lists_find_what_comparing_all_pairs_finds(seed in any::<u64>(), threshold in 0.1f64..=1.0) {
            let mut random = Random::new(seed);
            let mut word = || ["the", "of", "is", "ferry", "storm", "crew", "ship", "coast"][random.below(8)];
            let collection: Vec<String> = (0..14usize)
                .map(|i| (0..12 + 2 * i).map(|_| word()).collect::<Vec<_>>().join(" "))
                .collect();
            let given = [("threshold", json!(threshold))];
            let trial = Trial::new("spotsigs", Profile::Paper, &given, &collection);
            let expected = trial.compared(|a: &Bag, b| a.overlap(b, threshold).is_some());
            prop_assert_eq!(trial.numbers(), expected);
        }
    }
}
