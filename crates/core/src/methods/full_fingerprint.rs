//! Full fingerprinting (FFP): every run of words of every document.
//!
//! # What it finds
//! Containment in both directions and near-duplicates: the most effective of the methods compared
//! by the CoDet paper.
//! # How it works
//! All runs of `k` words go to inverted lists without sampling
//! ([`inverted`](crate::candidates::inverted)); pairs that may share enough of them are aligned
//! ([`align`](crate::verify::align)) and scored on the full sets.
//! # Parameters
//! `k` = 4 words and `containment` = 0.6, as compared in the CoDet paper (60 % is taken as at
//! least 0.60); `k` = 6 is the form of Wang and Chang. `passage_words` = 40.
//! # Cost
//! 8 bytes for every word of the collection, and not linear: a run shared by n documents is read
//! n times. That is why it is a yardstick and not the default.
//! # Where we differ from the papers
//! The prefix filter skips lists that cannot change the outcome; nothing else is skipped, so the
//! result is that of comparing all pairs by their runs. Partial copies and passages are added.
//! # Reference
//! Varol, Can, Aykanat, Kaya: CoDet, CIKM 2011, as FFP; Wang, Chang, AIRS 2009, as Full-FP.

use serde::{Deserialize, Serialize};

use super::{Method, Parameter, RULE_PARAMETERS, Spec, build, within};
use crate::candidates::inverted::{Inverted, Kept, Voting};
use crate::error::ConfigError;
use crate::features::shingles::Shingles;
use crate::relation::Kind;
use crate::verify::rule::Rule;

/// What is known of the method.
pub(super) static SPEC: Spec = Spec {
    name: "full-fingerprint",
    title: "all word runs in inverted lists (FFP)",
    finds: &Kind::ALL,
    approximate: None,
    is_quadratic: false,
    parameters: &[
        Parameter { name: "k", about: "words in a run, 1 to 64" },
        RULE_PARAMETERS[0],
        RULE_PARAMETERS[1],
    ],
    source: include_str!("full_fingerprint.rs"),
    build: build::<FullFingerprint>,
};

/// Parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Config {
    k: usize,
    #[serde(flatten)]
    rule: Rule,
}

impl Default for Config {
    fn default() -> Self {
        Self { k: 4, rule: Rule::default() }
    }
}

/// The method.
pub(super) struct FullFingerprint {
    config: Config,
    shingles: Shingles,
}

impl Method for FullFingerprint {
    type Config = Config;
    type Image = Kept;
    type Candidates = Inverted;
    const SPEC: &'static Spec = &SPEC;

    fn new(config: Config, _: u64) -> Result<Self, ConfigError> {
        config.rule.check()?;
        let shingles = Shingles::new(within("k", config.k, 1..=64)?);
        Ok(Self { config, shingles })
    }

    fn config(&self) -> &Config {
        &self.config
    }

    fn shingles(&self) -> Shingles {
        self.shingles
    }

    fn rule(&self) -> Rule {
        self.config.rule
    }

    fn image(&self, words: &[u64]) -> Kept {
        Kept { rest: self.shingles.of(words), is_whole: true, ..Kept::default() }
    }

    fn candidates(&self) -> Inverted {
        let rule = self.config.rule;
        Inverted::new(Voting {
            share: rule.containment,
            least: rule.containment,
            least_common: 0.0,
            rare: 32,
            passage_votes: u32::MAX,
            passage_share: 1.0,
            passage_votes_whole: rule.passage_words / 2 + 1,
            stop: usize::MAX,
            most_reads: usize::MAX,
            most_merges: usize::MAX,
            most_candidates: usize::MAX,
        })
    }
}
