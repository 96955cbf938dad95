//! Shingling: resemblance and containment of the sets of word runs, as Broder defined them.
//!
//! # What it finds
//! `resemblance` finds near-duplicates: documents that have a large part of all their shingles in
//! common. `containment` also finds a document that stands in a larger one.
//! # How it works
//! A document is the set S of its runs of `w` words. r(A,B) = |S(A)∩S(B)| / |S(A)∪S(B)| and
//! c(A,B) = |S(A)∩S(B)| / |S(A)| are counted exactly in inverted lists
//! ([`overlap`](crate::candidates::overlap)), without comparing all pairs. With `counting` = bag
//! the second, third and further occurrence of a run are runs of their own.
//! # Parameters
//! `w` = 10 words in the paper setting and 5 in the product's; `offset` = 1 between the starts of
//! two runs; `unit` = word, `char` for runs of characters with one space between words, `solid`
//! without spaces. `counting` = set or bag. `short` = whole makes a document of fewer than `w` words
//! one single run; the papers leave it without any, and so does the paper setting (`none`).
//! `measure` says what is compared: `resemblance` with the threshold `resemblance` = 0.5 (ours: the
//! papers leave it open), `containment` with the threshold `containment` = 0.6. In the product's
//! setting documents that share `partial_from` = 21 runs are partial copies.
//! # Cost
//! 8 bytes for every different run of every document, 20 more in the lists; a run that n documents
//! share is read n times unless the prefix filter passes over it.
//! # Where we differ from the papers
//! Runs are 64-bit hashes of words that were lower-cased first: of ten million different runs, two
//! agree by chance with odds of one in 370,000. In the product's setting pairs are aligned on the
//! documents before they are reported. A feature that more than `stop` documents share brings in
//! only the first of them there.
//! # Reference
//! Broder: On the resemblance and containment of documents, SEQUENCES 1997, section 2; Broder,
//! Glassman, Manasse, Zweig: Syntactic clustering of the web, WWW 1997.

use serde::{Deserialize, Serialize};

use super::overlaps::{self, Measure};
use super::{Form, Method, Spec};
use crate::candidates::overlap::{Limits, Overlap};
use crate::features::grams::{Grams, Short, Unit};
use crate::features::reading::Reading;
use crate::features::shingles::Shingles;
use crate::image::feature_set::FeatureSet;
use crate::parameters::{SHARE, parameters};
use crate::relation::Kind;
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "shingling",
    title: "resemblance and containment of word runs (Broder)",
    finds: &Kind::ALL,
    approximate: Some(
        "documents that share nothing but runs of more than `stop` documents are related to the \
         first of these only; without the limit nothing is missed.",
    ),
    forms: &[
        Form {
            name: "resemblance",
            about: "common runs over the runs of both",
            parameters: &[("measure", "\"resemblance\"")],
        },
        Form {
            name: "containment",
            about: "common runs over the runs of one",
            parameters: &[("measure", "\"containment\"")],
        },
    ],
    decides_with: &["containment"],
    ..Spec::of::<Shingling>(include_str!("shingling.rs"))
};

/// Whether repeats of a run count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Counting {
    /// A run counts once.
    Set,
    /// A run counts as often as it stands there.
    Bag,
}

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// words or characters in a run
        w: usize = 5, paper 10, in 1..=1024;
        /// units between the starts of two runs
        offset: usize = 1, in 1..=1024;
        /// words, or characters with one space between words (char) or none (solid)
        unit: Unit = Unit::Word;
        /// set: a run counts once; bag: as often as it stands
        counting: Counting = Counting::Set;
        /// how texts of fewer than w units are treated
        short: Short = Short::Whole, paper Short::None;
        /// which share is compared
        measure: Measure = Measure::Containment, paper Measure::Resemblance;
        /// threshold of that measure
        resemblance: f64 = 0.5, in SHARE, permissive down to 0.25;
        /// common features from which documents below the threshold count as partial copies, 0 for
        /// never
        partial_from: usize = 21, paper 0, in 0..=u32::MAX as usize;
        ..limits: Limits;
    }
}

/// The method.
pub(super) struct Shingling {
    config: Config,
    grams: Grams,
}

impl Method for Shingling {
    type Config = Config;
    type Image = FeatureSet;
    type Meeting = Overlap;
    const SPEC: &'static Spec = &SPEC;

    fn new(config: Config, _: u64) -> Self {
        let grams = Grams::new(config.w, config.offset, config.unit, config.short);
        Self { config, grams }
    }

    fn shingles(&self) -> Shingles {
        Shingles::new(if self.config.unit == Unit::Word { self.config.w.min(64) } else { 5 })
    }

    fn image(&self, reading: &Reading<'_>) -> Option<FeatureSet> {
        let grams = self.grams.of(reading);
        (!grams.is_empty()).then(|| match self.config.counting {
            Counting::Set => FeatureSet::new(grams),
            Counting::Bag => FeatureSet::bag(grams),
        })
    }

    fn meeting(&self, rule: Rule) -> Overlap {
        let Config { measure, resemblance, partial_from, offset, limits, .. } = self.config;
        let threshold = match measure {
            Measure::Resemblance => resemblance,
            Measure::Containment => rule.containment,
        };
        let partial_from = overlaps::partial_from(partial_from, rule, offset);
        Overlap::new(measure.at_least(threshold).partial_from(partial_from), limits)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::trial::Trial;
    use super::*;
    use crate::methods::Profile;

    const A: &str = "a rose is a rose is a rose";
    const B: &str = "a rose is a flower which is a rose";

    #[test]
    fn roses_have_the_published_shares() {
        // T-BRO: resemblance and containment of A in B for w = 1, 2, 3.
        let bag = [(0.7, 0.875), (0.5, 0.714_286), (0.3, 0.5)];
        let set = [(0.6, 1.0), (0.5, 1.0), (0.428_571, 1.0)];
        for (counting, expected) in [("bag", bag), ("set", set)] {
            for (w, (resemblance, containment)) in (1..).zip(expected) {
                let given =
                    [("w", json!(w)), ("counting", json!(counting)), ("containment", json!(0.01))];
                let trial = Trial::new("containment", Profile::Paper, &given, &[A, B]);
                let scores = trial.pairs()[0].scores;
                let is_near = |x: f64, y: f64| (x - y).abs() < 1e-6;
                assert!(is_near(scores.resemblance.get(), resemblance), "{counting}, w = {w}");
                assert!(is_near(scores.a_in_b.get(), containment), "{counting}, w = {w}");
            }
        }
    }

    #[test]
    fn the_two_forms_differ_on_a_document_inside_another() {
        let long = "one two three four five six seven eight nine ten eleven twelve thirteen";
        let short = "three four five six seven eight";
        let kinds = |form: &str, profile| {
            Trial::new(form, profile, &[("w", json!(3))], &[short, long]).kinds()
        };
        for profile in Profile::ALL {
            assert_eq!(kinds("containment", profile), [(0, 1, Kind::Contained)]);
            assert_eq!(kinds("resemblance", profile), []);
        }
    }

    #[test]
    fn a_short_document_is_judged_only_where_it_counts_whole() {
        let texts = ["so it goes", "So it goes!"];
        let n_found = |profile| Trial::new("containment", profile, &[], &texts).pairs().len();
        assert_eq!((n_found(Profile::Retold), n_found(Profile::Paper)), (1, 0));
    }

    #[test]
    fn characters_forgive_a_word_split_in_two() {
        let texts =
            ["the harbour board closes the east quay", "the har bour board closes the ea st quay"];
        let score = |unit: &str| {
            let given = [("unit", json!(unit)), ("w", json!(4)), ("resemblance", json!(0.01))];
            let pairs = Trial::new("resemblance", Profile::Paper, &given, &texts).pairs();
            pairs.first().map_or(0.0, |pair| pair.scores.resemblance.get())
        };
        assert!((score("solid") - 1.0).abs() < f64::EPSILON);
        assert!(score("char") > 0.4 && score("char") < 1.0);
        assert!(score("word") < 0.2);
    }
}
