//! The laboratory: makes test collections, measures results, gathers judgements and runs the
//! experiments of papers again.
//!
//! Each module uses only modules that are listed before it:
//!
//! - [`statistics`]: confidence intervals and significance tests.
//! - [`measures`]: one implementation of every measure.
//! - [`mod@reference`]: references and lists of what was found, read from files; exact overlap.
//! - [`generate`]: test collections whose copies are known.
//! - [`judging`]: pools of pairs that methods nominate and people judge.
//! - `evaluate`: results measured against references ([`evaluate()`]).
//! - `mining` and `lattice`: frequent sets of a file ([`mine_file`]) and their lattice
//!   ([`lattice_of`]); `item_names`: what their numbers stand for ([`names_of`]).
//! - `corpus_tree`: the tree of words of a few documents, drawn ([`CorpusTree`]).
//! - `lineage`: who copied from whom, drawn ([`lineage_file`]).
//! - [`experiment`]: the designs of papers, run again.
//!
//! The laboratory depends on the `retold` library, never the other way round: a program that only
//! finds copies does not compile the laboratory.

mod error;

pub mod statistics;

pub mod measures;
pub mod reference;

pub mod generate;
pub mod judging;

mod corpus_tree;
mod evaluate;
mod item_names;
mod lattice;
mod lineage;
mod mining;

pub mod experiment;

pub use self::corpus_tree::{
    CorpusNode, CorpusTree, MOST_TREE_DOCUMENTS, MOST_TREE_NODES, TreeError, TreeFormat, TreePair,
    TreeStep, tree_documents,
};
pub use self::error::Error;
pub use self::evaluate::{
    Compared, CountFigures, EvaluateError, EvaluateSettings, Evaluated, EvaluatedResult, Figures,
    PlaceUnit, evaluate,
};
pub use self::experiment::{CellsDone, Lab, findings_text, verdicts_text};
pub use self::generate::{Generate, Generated, count, read_plan};
pub use self::item_names::{NamesError, names_of};
pub use self::judging::{
    JudgementFile, Loosened, PoolBuilder, PoolDocuments, PoolMade, PoolPlan, judgement_path,
    judgements_beside, permissive, read_judgements, read_pool,
};
pub use self::lattice::{
    ItemLattice, LatticeError, MOST_CONCEPTS, Members, draw_lattice, lattice_of, members_of,
};
pub use self::lineage::{LineageFormat, lineage_diagram, lineage_file};
pub use self::mining::{
    CutComponent, Mined, Mining, MiningError, SetsTo, SizeRow, mine_each, mine_file,
};
pub use self::reference::TruthFacts;
