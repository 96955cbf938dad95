//! KOALA: substrings of consonants, all of them or the rarest.
//!
//! # What it finds
//! Documents of which one stands in the other, in whole or in part, by the share n/|A| of the
//! substrings of A that stand in B.
//! # How it works
//! A document is its letters, here its consonants, one after the other; vowels are what printing
//! errors and endings change first. The full fingerprint (`koala-full`) is all substrings of
//! `length` letters ([`characters`](crate::features::characters)). The selective one
//! (`koala-selective`) is a fixed number, chosen by the lowest frequency of their first five
//! letters in the collection: `stored` of them are kept where others find them, and a document
//! asks with the `asked` rarest ([`overlap`](crate::candidates::overlap)). How documents relate
//! follows from the shares ([`graded`](crate::candidates::graded)).
//! # Parameters
//! `selection` = selective, `stored` = 100 and `asked` = 1000, as published; `length` = 30
//! letters; `letters` = consonants in the paper, all here. `share` = 0.25, from which documents
//! are related; `containment` = 0.6 makes a relation a containment. `least_df` = 2 here: five
//! letters that no other document of the collection holds are as rare as can be and find nobody, so
//! they come last; in the paper's setting, 1, they come first. `short` = whole takes a text
//! of fewer letters for one substring.
//! # Cost
//! A few multiplications a letter. Full: 16 bytes a letter. Selective: 16 bytes for each of at
//! most `asked` substrings, and the frequencies of all runs of five letters. No more than 16
//! million letters of a document are looked at.
//! # Where we differ from the papers
//! The length, the share and the frequency that is counted are ours: the number of documents of
//! the collection that hold the five letters; substrings of equal frequency are taken by their
//! hashes. |A| is the number of substrings of A; for selective fingerprints, of those stored of
//! it. In the product's setting pairs are then aligned on the documents.
//! # Reference
//! Heintze: Scalable document fingerprinting, USENIX Workshop on Electronic Commerce 1996.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Form, Method, Recall, Skip, Spec};
use crate::candidates::graded::Graded;
use crate::candidates::overlap::{Decision, Limits, Overlap, ShareOf};
use crate::features::Places;
use crate::features::characters::{Letters, MOST_CHARACTERS, Substrings, letters};
use crate::features::grams::Short;
use crate::features::reading::Reading;
use crate::image::feature_set::FeatureSet;
use crate::parameters::{SHARE, parameters};
use crate::relation::Kind;
use crate::verify::rule::Rule;

/// Letters at the start of a substring whose frequency decides.
const FIRST: usize = 5;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "koala",
    title: "substrings of letters, all or the rarest (KOALA)",
    finds: &Kind::ALL,
    approximate: Some(
        "selective fingerprints: shares are estimates, and a passage of a long document may keep \
         none of its substrings.",
    ),
    forms: &[
        Form {
            name: "koala-full",
            about: "all substrings",
            parameters: &[("selection", "\"full\"")],
        },
        Form {
            name: "koala-selective",
            about: "the substrings with the rarest first five letters",
            parameters: &[("selection", "\"selective\"")],
        },
    ],
    recall: Recall { percent: 85, why: "a passage is too small a part" },
    skips: &[Skip::cases(
        &["a passage just long enough"],
        "of the hundred rarest substrings that are kept too few stand in the common passage",
    )],
    ..Spec::of::<Koala>(include_str!("koala.rs"))
};

/// Which substrings are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Selection {
    /// All.
    Full,
    /// Those whose first five letters are rarest.
    Selective,
}

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// which substrings are kept
        selection: Selection = Selection::Selective;
        /// which letters count
        letters: Letters = Letters::All, paper Letters::Consonants;
        /// letters in a substring
        length: usize = 30, in 1..=4096;
        /// with selective: substrings kept for others to find
        stored: usize = 100, in 1..=1 << 20;
        /// with selective: substrings to search with
        asked: usize = 1000, in 1..=1 << 20;
        /// with selective: documents that must hold the first letters; rarer substrings are taken last
        least_df: usize = 2, paper 1, in 0..;
        /// how texts shorter than a substring are treated
        short: Short = Short::Whole, paper Short::None;
        /// share of a document's substrings from which it is related
        share: f64 = 0.25, in SHARE, permissive down to 0.1;
        ..limits: Limits;
    }
}

/// The method.
pub(super) struct Koala {
    config: Config,
    substrings: Substrings,
    first: Substrings,
}

impl Method for Koala {
    type Config = Config;
    type Image = FeatureSet;
    type Meeting = Graded<Overlap>;
    const SPEC: &'static Spec = &SPEC;
    const PLACES: Places = Places::Dropped;

    fn new(config: Config, _: u64) -> Self {
        let substrings = Substrings::new(config.length);
        // A substring shorter than five letters is its own beginning.
        let first = Substrings::new(FIRST.min(config.length));
        Self { config, substrings, first }
    }

    fn needs_counts(&self) -> bool {
        self.config.selection == Selection::Selective
    }

    fn counts_words(&self) -> bool {
        false
    }

    fn count(&self, reading: &Reading<'_>, each: &mut dyn FnMut(u64)) {
        let mut firsts: Vec<u64> = self.first.of(self.letters(reading)).collect();
        firsts.sort_unstable();
        firsts.dedup();
        firsts.into_iter().for_each(each);
    }

    fn image(&self, reading: &Reading<'_>) -> Option<FeatureSet> {
        let n = self.letters(reading).take(self.config.length).count();
        if n < self.config.length {
            let is_kept = n > 0 && self.config.short == Short::Whole;
            return is_kept
                .then(|| FeatureSet::new(Substrings::new(n).of(self.letters(reading)).collect()));
        }
        Some(match self.config.selection {
            Selection::Full => FeatureSet::new(self.substrings.of(self.letters(reading)).collect()),
            Selection::Selective => self.rarest(reading),
        })
    }

    fn meeting(&self, rule: Rule) -> Graded<Overlap> {
        let Config { share, limits, .. } = self.config;
        let decision = Decision::containment(share).share_of(ShareOf::Stored);
        Graded::new(Overlap::new(decision, limits), rule.containment)
    }
}

impl Koala {
    fn letters<'a>(&self, reading: &Reading<'a>) -> impl Iterator<Item = u32> + Clone + 'a {
        letters(reading.text, self.config.letters, reading.is_turkic()).take(MOST_CHARACTERS)
    }

    /// Keeps the substrings with the rarest first letters, each once.
    fn rarest(&self, reading: &Reading<'_>) -> FeatureSet {
        let counts = reading.counts();
        let most = self.config.asked.max(self.config.stored);
        let mut rarest: BTreeSet<(bool, u32, u64)> = BTreeSet::new();
        // Both give one hash for each start.
        let firsts = self.first.of(self.letters(reading));
        for (first, substring) in firsts.zip(self.substrings.of(self.letters(reading))) {
            let df = counts.df(first);
            let ranked = ((df as usize) < self.config.least_df, df, substring);
            if rarest.len() == most {
                if rarest.last().is_some_and(|last| ranked >= *last) || !rarest.insert(ranked) {
                    continue;
                }
                rarest.pop_last();
            } else {
                rarest.insert(ranked);
            }
        }
        let ranked: Vec<u64> = rarest.into_iter().map(|(.., substring)| substring).collect();
        let of = |n: usize| ranked[..n.min(ranked.len())].to_vec();
        FeatureSet::asking(of(self.config.asked), Some(of(self.config.stored)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::trial::{Pair, Trial, sentences};
    use super::*;
    use crate::methods::Profile;

    fn scored(texts: &[&str], given: &[(&str, Value)]) -> Vec<(u32, u32, Kind, f64, f64)> {
        let scored =
            |Pair { a, b, kind, scores }| (a, b, kind, scores.a_in_b.get(), scores.b_in_a.get());
        let trial = Trial::new("koala", Profile::Paper, given, texts);
        trial.pairs().into_iter().map(scored).collect()
    }

    #[test]
    fn two_of_four_substrings_are_in_the_other() {
        // T-KOA: abc and bcd of abcdef are in zabcdq.
        let given = [("selection", json!("full")), ("letters", json!("all")), ("length", json!(3))];
        assert_eq!(scored(&["abcdef", "zabcdq"], &given), [(0, 1, Kind::Partial, 0.5, 0.5)]);
    }

    #[test]
    fn a_document_inside_another_is_found_by_both_forms() {
        let inside = sentences(1, 300);
        let longer = format!("{}{inside}{}", sentences(2, 100), sentences(3, 100));
        for selection in ["full", "selective"] {
            let texts = [inside.as_str(), &sentences(4, 300), &longer];
            let found = scored(&texts, &[("selection", json!(selection))]);
            assert_eq!(found.len(), 1, "{selection}: {found:?}");
            let (a, b, kind, a_in_b, b_in_a) = found[0];
            assert_eq!((a, b, kind), (0, 2, Kind::Contained), "{selection}");
            // What is stored of the longer one is rarest, so it comes from its own parts.
            assert!(a_in_b > 0.95 && b_in_a < 0.6, "{selection}: {a_in_b}, {b_in_a}");
        }
    }

    #[test]
    fn changed_vowels_matter_only_where_vowels_are_letters() {
        let plain = sentences(1, 200);
        let changed = plain.replace('e', "é").replace('o', "a");
        let with = |letters: &str| {
            scored(
                &[&plain, &changed],
                &[("letters", json!(letters)), ("selection", json!("full"))],
            )
        };
        assert_eq!(with("consonants")[0].3.total_cmp(&1.0), std::cmp::Ordering::Equal);
        assert_eq!(with("all"), []);
    }

    #[test]
    fn the_rarest_beginnings_are_kept() {
        // Every document begins alike; only the middle of the last is its own.
        let common = sentences(1, 30);
        let own = format!("{common} qqqxxxqqqxxx {common}");
        let given = [
            ("length", json!(6)),
            ("letters", json!("all")),
            ("stored", json!(5)),
            ("asked", json!(20)),
        ];
        let trial = Trial::new("koala", Profile::Paper, &given, &[&common, &common, &own]);
        let image: FeatureSet = trial.image(&own).expect("it is long enough");
        assert_eq!((image.len(), image.n_stored()), (20, 5));
        let wanted: Vec<u64> =
            Substrings::new(6).of(letters("qqqxxxqqqxxx", Letters::All, false)).collect();
        let n_own = |place: &usize| wanted.contains(&image.features()[*place]);
        assert!((0..20).filter(|&place| image.is_stored(place)).filter(n_own).count() >= 1);
        assert!((0..20).filter(n_own).count() >= 6, "all six of its own are asked with");
    }

    #[test]
    fn what_nobody_else_has_comes_first_in_the_paper_and_last_in_the_product() {
        // The same syllables with other letters, so that few runs of five letters are common.
        let shifted = |number: u64, by: u8| -> String {
            let shift =
                |b: u8| if b.is_ascii_lowercase() { (b - b'a' + by) % 26 + b'a' } else { b };
            sentences(number, 400).bytes().map(|b| char::from(shift(b))).collect()
        };
        let passage = sentences(1, 60);
        let texts = [shifted(2, 3) + &passage, passage.clone() + &shifted(3, 9)];
        let pairs = |profile| Trial::new("koala", profile, &[], &texts).pairs().len();
        assert_eq!((pairs(Profile::Retold), pairs(Profile::Paper)), (1, 0));
    }

    #[test]
    fn a_short_text_counts_whole_or_not_at_all() {
        let texts = ["Too short", "too short!", "12:30"];
        let n = |profile| Trial::new("koala", profile, &[], &texts).pairs().len();
        assert_eq!((n(Profile::Retold), n(Profile::Paper)), (1, 0));
    }
}
