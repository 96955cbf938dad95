//! I-Match: one digest of the words that say most.
//!
//! # What it finds
//! Near-duplicates that agree exactly in their characteristic words, whatever their order: copies
//! with changed layout, moved paragraphs, other common words. One rare word more or less and the
//! pair is lost, unless `lexicons` are used.
//! # How it works
//! The distinct words of a document are ranked by idf in the collection
//! ([`terms`](crate::image::terms)), some are chosen, sorted by Unicode and hashed with SHA-1
//! ([`imatch`](crate::image::imatch)). Equal digests make near-duplicates
//! ([`equal`](crate::candidates::equal)).
//!
//! * `choice` = `rarest`, the form of the CoDet paper: leave out the `drop` words of highest idf,
//!   take the next `take`.
//! * `choice` = `interval`, the form `imatch-interval` of Chowdhury et al. as Uyar's thesis
//!   describes it: take every word that is neither too common nor too rare. The form also leaves
//!   out words that hold a digit (`digits` = `dropped`). In profile `paper` its words are those of
//!   the body in lower case, without stop words and stems; the other forms have the text of the
//!   CoDet paper there.
//! * `lexicons` = K repeats the choice among K random parts of all words, each without a share
//!   `removed` of them; one equal digest of the K + 1 is enough (Kołcz et al.).
//! # Parameters
//! `drop` = 2, `take` = 10 (permissive: 5). What is too common and too rare for an interval is said
//! by `bounds`. In profile `paper` they are `tails`: a word must stand in at least `min_df` = 3
//! documents, and its idf must be at least `min_idf` = 2.7, so it may stand in one document of 15.
//! In profile `retold` they are `quantile`: `low` = 0.2 and `high` = 0.8 are shares of the
//! collection's words ordered by idf; with `idf` they are idf values themselves. Both tails can be
//! cut only in a collection of 45 documents or more, and `retold find` is asked about two as well,
//! where the documents decide in the end. Document frequencies are those of the collection or of
//! the table given with `--idf`; a word that is not in the table is rare. `digits` = `kept`, or
//! `dropped` for words without any digit. `digest` = `newline` puts a line end between words,
//! `concat` nothing. `lexicons` = 8 and `removed` = 0.3, in profile `paper` no lexicons.
//! `most_bucket` = 1000 documents of one digest that answer, in profile `paper` all.
//! # Cost
//! Linear: one ranking and one look-up a document, times K + 1.
//! # Where we differ from the papers
//! Equal idf is decided by the word, ascending, which neither paper says. A document of fewer
//! than 3 distinct words has no signature. The thesis adds words to the digest without saying
//! what stands between them: `newline` is ours (`ab c` and `a bc` stay different), `concat` the
//! literal reading. The thesis removes both tails and the numerals, and gives no thresholds:
//! `min_df`, `min_idf`, the quantiles and `removed` are ours. Quantiles over all words cannot cut
//! the rare tail: half of the words of a collection stand in one document, so any upper quantile
//! above one half is the idf of these. Then two stories that differ in one misspelt word have
//! different digests.
//! # Reference
//! Chowdhury, Frieder, Grossman, `McCabe`: Collection statistics for fast duplicate document
//! detection, TOIS 2002; Kołcz, Chowdhury, Alspector: Improved robustness of signature-based
//! near-replica detection via lexicon randomization, KDD 2004; Varol, Can, Aykanat, Kaya: CoDet,
//! CIKM 2011, and Uyar, thesis, 2009, which compare with it.

use serde::{Deserialize, Serialize};

use super::{Form, Method, Profile, Recall, Skip, Spec, text};
use crate::candidates::equal::{Equal, Signatures};
use crate::error::ConfigError;
use crate::features::TextSettings;
use crate::features::counts::Counts;
use crate::features::derived::Derived;
use crate::features::reading::Reading;
use crate::image::digest::Sha1Digest;
use crate::image::imatch::{Choice, Lexicons, idf_quantile};
use crate::image::terms::{LEAST_WORDS, Term, distinct};
use crate::parameters::{Limit, parameters};
use crate::relation::Kind;
use crate::verify::rule::Rule;

/// The form of Uyar's thesis.
const INTERVAL: &str = "imatch-interval";

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "imatch",
    title: "one digest of characteristic words (I-Match)",
    finds: &[Kind::Exact, Kind::NearDuplicate],
    approximate: Some(
        "candidates: a pair that differs in one characteristic word is missed, unless a lexicon \
         leaves that word out.",
    ),
    forms: &[Form {
        name: INTERVAL,
        about: "I-Match with all words of middling idf, as in Uyar's thesis",
        parameters: &[("choice", "\"interval\""), ("digits", "\"dropped\"")],
    }],
    recall: Recall { percent: 25, why: "one changed word of those chosen changes the signature" },
    skips: &[
        Skip::kinds(
            &[Kind::Contains, Kind::Contained, Kind::Partial],
            "the characteristic words of the whole decide; a part has others",
        ),
        Skip::cases(
            &[
                "eight words in a hundred replaced",
                "numbers changed only",
                "one sentence deleted",
                "one sentence inserted",
                "three words in a hundred replaced",
                "japanese with a sentence shortened",
                "russian with edits",
                "turkish agency copy with edits",
            ],
            "characteristic words changed, in more lexicons than leave them out",
        ),
        Skip::cases(
            &["one word five hundred times against two hundred times"],
            "two distinct words are too few for a digest",
        ),
    ],
    ..Spec::of::<IMatch>(include_str!("imatch.rs"))
};

/// Which words make the digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Choosing {
    Rarest,
    Interval,
}

/// What the bounds of the interval are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Bounds {
    /// A least document frequency and a least idf.
    Tails,
    /// Shares of the collection's words.
    Quantile,
    /// Values of idf.
    Idf,
}

/// Whether words that hold a digit count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Digits {
    Kept,
    Dropped,
}

/// What stands between the words of a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Joining {
    Newline,
    Concat,
}

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// which words make the digest
        choice: Choosing = Choosing::Rarest;
        /// rarest: words of highest idf left out
        drop: usize = 2, in 0..=1000;
        /// rarest: words taken after them
        take: usize = 10, in 1..=1_000_000, permissive down to 5;
        /// whether words that hold a digit count
        digits: Digits = Digits::Kept;
        /// interval: bounded by `min_df` and `min_idf` (tails), or by low and high as quantile or idf
        bounds: Bounds = Bounds::Quantile, paper Bounds::Tails;
        /// interval between tails: documents that must hold a word
        min_df: usize = 3, in 1..=u32::MAX as usize;
        /// interval between tails: smallest idf
        min_idf: f64 = 2.7, in 0.0..;
        /// interval: lower bound; a quantile is at most 1
        low: f64 = 0.2, in 0.0..;
        /// interval: upper bound, at least low; a quantile is at most 1
        high: f64 = 0.8, in 0.0..;
        /// random parts of all words to try besides
        lexicons: usize = 8, paper 0, in 0..=64;
        /// share of words a lexicon lacks
        removed: f64 = 0.3, in 0.0..=1.0;
        /// what stands between words
        digest: Joining = Joining::Newline;
        /// documents of one digest that answer
        most_bucket: Limit = Limit::at(1000), paper Limit::NONE, in 1..;
    }
}

/// The method.
pub(super) struct IMatch {
    config: Config,
    lexicons: Lexicons,
    interval: Derived<Choice>,
}

impl Method for IMatch {
    type Config = Config;
    type Image = Signatures;
    type Meeting = Equal;
    const SPEC: &'static Spec = &SPEC;

    fn text(profile: Profile) -> TextSettings {
        text::as_in_codet(profile)
    }

    fn text_of_form(form: &str, profile: Profile) -> TextSettings {
        if form == INTERVAL { TextSettings::default() } else { Self::text(profile) }
    }

    fn check(config: &Config) -> Result<(), ConfigError> {
        let Config { low, high, bounds, .. } = *config;
        let most = if bounds == Bounds::Idf { f64::INFINITY } else { 1.0 };
        if low > most {
            return Err(ConfigError::value("low", "between 0 and 1", &low));
        }
        if !(low..=most).contains(&high) {
            let accepted = match bounds {
                Bounds::Idf => format!("at least {low}"),
                Bounds::Quantile | Bounds::Tails => format!("between {low} and 1"),
            };
            return Err(ConfigError::value("high", accepted, &high));
        }
        Ok(())
    }

    fn new(config: Config, seed: u64) -> Self {
        let lexicons = Lexicons::new(config.lexicons as u32, config.removed, seed);
        Self { config, lexicons, interval: Derived::default() }
    }

    fn needs_counts(&self) -> bool {
        true
    }

    fn image(&self, reading: &Reading<'_>) -> Option<Self::Image> {
        let counts = reading.counts();
        let mut terms = distinct(&reading.words.hashes, counts);
        if self.config.digits == Digits::Dropped {
            terms.retain(|term| !reading.written(term.at as usize).contains(char::is_numeric));
        }
        if terms.len() < LEAST_WORDS {
            return None;
        }
        let separator = match self.config.digest {
            Joining::Newline => "\n",
            Joining::Concat => "",
        };
        let word = |term: &Term| reading.word(term.at as usize);
        let choice = self.choice(counts);
        let signatures = self.lexicons.signatures(&terms, counts, choice, separator, word);
        let signature =
            |(lexicon, digest): (u32, Sha1Digest)| [&lexicon.to_le_bytes()[..], &digest].concat();
        let signatures: Vec<Vec<u8>> = signatures.into_iter().map(signature).collect();
        (!signatures.is_empty()).then_some(Signatures(signatures))
    }

    fn meeting(&self, _: Rule) -> Self::Meeting {
        Equal::new(self.config.most_bucket.get())
    }
}

impl IMatch {
    fn choice(&self, counts: &Counts) -> Choice {
        let Config { drop, take, min_df, min_idf, low, high, .. } = self.config;
        match (self.config.choice, self.config.bounds) {
            (Choosing::Rarest, _) => Choice::Rarest { drop, take },
            (Choosing::Interval, Bounds::Tails) => Choice::Tails { min_df: min_df as u32, min_idf },
            (Choosing::Interval, Bounds::Idf) => Choice::Interval { low, high },
            (Choosing::Interval, Bounds::Quantile) => self.interval(counts),
        }
    }

    /// Returns the interval of a collection; it is the same for all its documents.
    fn interval(&self, counts: &Counts) -> Choice {
        *self.interval.get(counts, || {
            let [low, high] =
                [self.config.low, self.config.high].map(|quantile| idf_quantile(counts, quantile));
            Choice::Interval { low, high }
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::super::trial::{Trial, copies};
    use super::*;

    proptest! {
        #[test]
        fn order_and_repetition_of_words_do_not_matter(seed in any::<u64>(), interval in any::<bool>()) {
            let collection = copies(6, 30, seed);
            let given = [("choice", json!(if interval { "interval" } else { "rarest" }))];
            for profile in Profile::ALL {
                let trial = Trial::new("imatch", profile, &given, &collection);
                for text in &collection {
                    let mut words: Vec<&str> = text.split(' ').collect();
                    words.sort_unstable();
                    words.extend(words.clone().iter().take(7));
                    let image = |text: &str| trial.image::<Signatures>(text);
                    prop_assert_eq!(image(&words.join(" ")), image(text));
                }
            }
        }

        #[test]
        fn fewer_words_find_all_that_more_words_find(seed in any::<u64>()) {
            let collection = copies(20, 40, seed);
            let pairs = |take: usize| {
                Trial::new("imatch", Profile::Paper, &[("take", json!(take))], &collection).numbers()
            };
            let permissive = pairs(5);
            prop_assert!(pairs(10).iter().all(|pair| permissive.contains(pair)));
        }
    }

    const STORY: &str = "harbour ferry island winter storm repairs engine captain timetable crew \
                         coast guard tourists";

    #[test]
    fn one_rare_word_more_loses_the_pair_and_a_lexicon_finds_it() {
        let changed = format!("{STORY} zeppelin");
        let both = [STORY, changed.as_str()];
        let pairs = |lexicons: usize| {
            Trial::new("imatch", Profile::Paper, &[("lexicons", json!(lexicons))], &both).numbers()
        };
        assert!(pairs(0).is_empty());
        assert_eq!(pairs(16), [(0, 1)]);
    }

    #[test]
    fn fewer_than_three_words_have_no_signature() {
        let trial = Trial::new("imatch", Profile::Retold, &[], &[STORY]);
        let has_image = |text: &str| trial.image::<Signatures>(text).is_some();
        assert!(!has_image("harbour ferry harbour") && !has_image(""));
        assert!(has_image("harbour ferry island"));
    }

    #[test]
    fn bounds_in_the_wrong_order_are_refused_by_name() {
        let given = std::iter::once(("low".to_owned(), Value::from(0.9))).collect();
        let made = super::super::make("imatch", Profile::Paper, &given, 1);
        let error = made.err().expect("there is nothing between them");
        assert_eq!(error.to_string(), "high must be between 0.9 and 1, got 0.8");
    }
}
