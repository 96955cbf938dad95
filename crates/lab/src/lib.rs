//! The laboratory: make test collections, measure, judge, reproduce.
//!
//! Each module uses those before it:
//!
//! - [`statistics`]: intervals and tests.
//! - [`measures`]: one implementation of every measure.
//! - [`mod@reference`]: lists of what is true and of what was found, read from files.
//! - [`generate`]: test collections whose copies are known.
//! - [`judging`]: what methods nominate, for people to judge.
//! - `evaluate`: results against lists ([`evaluate()`]).
//! - `mining` and `lattice`: frequent sets of a file ([`mine_file`]) and their lattice
//!   ([`lattice_of`]).
//! - [`experiment`]: designs of papers, run again.
//!
//! The laboratory depends on the `retold` library, never the other way round: whoever wants only to
//! find copies compiles nothing of it.

mod error;

pub mod statistics;

pub mod measures;
pub mod reference;

pub mod generate;
pub mod judging;

mod evaluate;
mod lattice;
mod mining;

pub mod experiment;

pub use self::error::Error;
pub use self::evaluate::{
    Compared, CountFigures, EvaluateError, EvaluateSettings, Evaluated, EvaluatedResult, Figures,
    PlaceUnit, evaluate,
};
pub use self::experiment::{CellsDone, Lab, findings_text};
pub use self::generate::{Generate, Generated, count, read_plan};
pub use self::judging::{
    JudgementFile, Loosened, PoolBuilder, PoolDocuments, PoolMade, PoolPlan, judgement_path,
    judgements_beside, permissive, read_judgements, read_pool,
};
pub use self::lattice::{
    ItemLattice, LatticeError, MOST_CONCEPTS, Members, draw_lattice, lattice_of, members_of,
    names_of,
};
pub use self::mining::{
    CutComponent, Mined, Mining, MiningError, SetsTo, SizeRow, mine_each, mine_file,
};
pub use self::reference::TruthFacts;
