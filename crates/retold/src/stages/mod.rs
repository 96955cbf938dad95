//! A run cut into stages, for programs that spread it over many machines.
//!
//! Each stage takes little: a document, a pair, the lists of a block, the relations of a group. Who
//! strings the stages together brings what belongs together to one place, by a shuffle; `retold.spark` in the
//! Python package does it with Spark. What is decided here is decided by the code of
//! [`Find`](crate::Find) and [`Dedup`](crate::Dedup), so that the results are the same:
//!
//! | stage | takes | gives |
//! |---|---|---|
//! | [`Stages::image`] | a document | what is known of it, its image |
//! | [`Stages::pack_minima`], [`Stages::part_minima`], [`Stages::crowds`], [`Stages::unseen`] | images | crowds, and what their members have of their own |
//! | [`Stages::pack_postings`], [`Stages::part_lists`] | images; a part of all postings | postings; the lists of each block |
//! | [`Stages::block`], [`Stages::add_lists`] | the lists of a block | candidates of its documents |
//! | [`Stages::pack_codes`], [`Stages::part_codes`] | images; a part of all codes | candidates of tiny documents |
//! | [`Stages::verifier`] | a long document and its candidates | relations |
//! | [`Stages::limited`] | relations of documents that have too many | which of them are reported |
//! | [`Stages::group`] | relations that hang together | clusters, and what goes |
//!
//! Documents are known by numbers of 64 bits: their place in the order in which one machine would read
//! them. Pairs name the earlier document first.

mod crowding;
mod grouping;
mod imaging;
mod limiting;
mod packing;
mod verifying;

pub use self::crowding::MOST_IN_FULL;
pub use self::grouping::{
    GroupDecision, GroupDocument, GroupRelation, Grouped, StageCluster, forest,
};
pub use self::imaging::Imaged;
pub use self::limiting::{Extent, LimitedPair, whole};
pub use self::packing::{Met, Packed};
pub use self::verifying::{StagePair, Verifier};
pub use retold_core::candidates::Judgement;
pub use retold_core::candidates::block::{Answer, BlockSearch, CodePair};
pub use retold_core::features::counts::Counts;
pub use retold_core::relation::Score;

use retold_core::candidates::block::{self, Blocks, CodePart, Shuffled};
use retold_core::candidates::{Cuts, KEY_BITS};
use retold_core::cluster::Grouping;
use retold_core::error::ConfigError;
use retold_core::features::Featurizer;
use retold_core::methods::Detector;
use retold_core::relations::Relations;
use retold_core::verify::rule::{Edits, Rule};

use crate::error::Error;
use crate::job::{Decide, Job, PairsWritten};
use crate::pipeline::budget::Budget;
use crate::pipeline::intake::Counter;
use crate::pipeline::scratch::ScratchDir;
use crate::resources::Resources;

/// A job, cut into stages.
pub struct Stages {
    job: Job,
    /// The method as it searches.
    detector: Box<dyn Detector>,
    /// When two documents count as related, if the documents decide.
    rule: Rule,
    featurizer: Featurizer,
    is_judged: bool,
    budget: Budget,
    scratch: ScratchDir,
    counter: Counter,
}

impl Stages {
    /// Cuts a job into stages.
    ///
    /// *Errors* if the job cannot be done, or not in stages: closed sets need the images of all
    /// documents in one place, documents that are in several cliques need all clusters, boilerplate is
    /// known after another look at all documents, and with heavy edits images have two parts.
    pub fn new(job: Job) -> Result<Self, Error> {
        let asked = job.detector()?;
        refuse(&job, &*asked)?;
        Ok(Self {
            detector: job.searcher()?,
            rule: asked.rule(),
            featurizer: job.featurizer(&*asked),
            is_judged: job.decider(&*asked) == Decide::Method,
            budget: Budget::new(&Resources::new())?,
            scratch: ScratchDir::new(None),
            counter: Counter::new(),
            job,
        })
    }

    /// Returns the job.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Returns whether the statistics of the collection are needed to make images, and not given.
    pub fn needs_counts(&self) -> bool {
        self.detector.needs_counts() && self.job.idf.is_none()
    }

    /// Loads the frozen statistics that the job names, if it needs any.
    pub fn frozen_counts(&self) -> Result<Option<Counts>, Error> {
        self.job.counts(&*self.detector)
    }

    /// Returns whether tiny documents are looked for by codes.
    pub fn looks_for_codes(&self) -> bool {
        self.detector.looks_for_codes()
    }

    /// Returns whether crowds of near-identical documents are compared with one of them.
    pub fn has_crowds(&self) -> bool {
        self.job.pairs != Some(PairsWritten::All)
            && matches!(self.job.clusters, Grouping::Star | Grouping::Components)
            && !self.is_judged
            && self.detector.has_crowds()
    }

    /// Returns the pairs reported per document.
    pub fn pairs_per_document(&self) -> u32 {
        self.job.reported_per_document()
    }

    /// Hands over the postings of a document: the bits of each key that count, and its payload.
    /// Returns the document's facts, or `None` if the bytes are no image.
    fn postings(&self, image: &[u8], each: &mut dyn FnMut(u64, u32)) -> Option<Vec<u8>> {
        let facts = self.detector.facts(image)?;
        self.detector.keys(image, &mut |key, payload| each(key >> (64 - KEY_BITS), payload));
        Some(facts)
    }

    /// Cuts the list of a key, sorted by document and payload, for the blocks of those that ask it.
    fn put_lists(&self, list: &[Shuffled<'_>], block_docs: u64, each: impl FnMut(u64, &[u8])) {
        let holds = |payload| self.detector.holds_and_asks(payload).0;
        let asks = |payload| self.detector.holds_and_asks(payload).1;
        let blocks = Blocks { n_docs: block_docs, n_first: self.detector.n_first() };
        block::put_lists(list, blocks, (&holds, &asks), each);
    }

    /// Makes an empty block.
    pub fn block(&self) -> Box<dyn BlockSearch> {
        self.detector.block()
    }

    /// Hands over what a shuffle by codes needs of an image, in about so many parts.
    fn code_parts(&self, image: &[u8], n_parts: u64, each: &mut dyn FnMut(u64, CodePart)) -> bool {
        self.detector.code_parts(image, Self::n_code_parts(n_parts), each)
    }

    /// Returns in how many parts codes are cut if so many are asked for.
    pub fn n_code_parts(n_parts: u64) -> u64 {
        n_parts.clamp(1, block::MOST_CODE_PARTS).next_power_of_two()
    }

    /// Finds pairs of tiny and long documents in one part of all codes.
    ///
    /// *Errors* if a set cannot be read.
    fn code_pairs(
        &self,
        tiny: &[(u64, u64, u32)],
        sets: &[(u64, &[u8])],
    ) -> Result<Vec<CodePair>, Error> {
        block::pairs_of_part(tiny, sets, self.detector.stop(), &mut Cuts::default())
            .map_err(|error| Error::Internal(error.to_string()))
    }

    /// Returns what a method says of a pair that was found by codes, or not at all.
    pub fn unsaid() -> Judgement {
        Judgement::UNKNOWN
    }
}

/// Refuses jobs that cannot be done in stages.
fn refuse(job: &Job, detector: &dyn Detector) -> Result<(), ConfigError> {
    let refused = |name: &'static str, accepted: &str, given: &dyn std::fmt::Display| {
        let accepted = format!("{accepted} where a job is spread over machines");
        Err(ConfigError::value(name, &accepted, given))
    };
    if !matches!(job.clusters, Grouping::Star | Grouping::Components) {
        return refused("clusters", "star or components", &format!("{:?}", job.clusters));
    }
    if job.pairs == Some(PairsWritten::Nothing) {
        return refused("pairs", "star or all", &"none");
    }
    if job.relations != Relations::ALL {
        return refused("relations", "all", &"some");
    }
    if let Some(most) = job.boilerplate {
        return refused("boilerplate", "none", &most);
    }
    if let Some(least) = job.distinctive {
        return refused("distinctive", "none", &least);
    }
    if detector.rule().edits == Edits::Heavy {
        return refused("edits", "light", &"heavy");
    }
    Ok(())
}
