//! Exact: the same words in the same order, nothing else.
//!
//! # What it finds
//! Copies that agree in every word after cleaning and folding: case, punctuation, white space
//! and markup may differ.
//! # How it works
//! Documents whose word sequences have the same 128-bit hash
//! ([`whole`](crate::features::shingles::whole)) are one group. Every run does this first,
//! whatever its method; this method stops there.
//! # Parameters
//! None that matter; `k`, `containment` and `passage_words` only say how scores are shown.
//! # Cost
//! One pass over the text, 16 bytes a document.
//! # Where we differ from the papers
//! The papers' checksum is taken of the bytes; ours of the folded words.
//! # Reference
//! Whole-document checksum, named as a baseline by Wang and Chang, AIRS 2009.

use serde::{Deserialize, Serialize};

use super::{Method, Parameter, RULE_PARAMETERS, Spec, build, within};
use crate::candidates::{Candidate, Candidates, Cuts};
use crate::document::Ordinal;
use crate::error::ConfigError;
use crate::executor::Executor;
use crate::features::shingles::Shingles;
use crate::relation::Kind;
use crate::verify::rule::Rule;

/// What is known of the method.
pub(super) static SPEC: Spec = Spec {
    name: "exact",
    title: "the same words in the same order",
    finds: &[Kind::Exact],
    approximate: None,
    is_quadratic: false,
    parameters: &[
        Parameter { name: "k", about: "words in a run, 1 to 64" },
        RULE_PARAMETERS[0],
        RULE_PARAMETERS[1],
    ],
    source: include_str!("exact.rs"),
    build: build::<Exact>,
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
        Self { k: 5, rule: Rule::default() }
    }
}

/// The method.
pub(super) struct Exact {
    config: Config,
    shingles: Shingles,
}

impl Method for Exact {
    type Config = Config;
    type Image = ();
    type Candidates = Nobody;
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

    fn image(&self, _: &[u64]) {}

    fn candidates(&self) -> Nobody {
        Nobody
    }
}

/// Proposes nobody: exact copies are collapsed before candidates are asked for.
pub(super) struct Nobody;

impl Candidates<()> for Nobody {
    fn insert(&mut self, _: Ordinal, (): ()) {}

    fn held_bytes(&self) -> usize {
        0
    }

    fn propose(self: Box<Self>, _: &dyn Executor) -> (Vec<Candidate>, Cuts) {
        (Vec::new(), Cuts::default())
    }
}
