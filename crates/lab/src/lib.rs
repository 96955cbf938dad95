//! The laboratory: make test collections, measure, judge, reproduce.
//!
//! It depends on the `retold` library, never the other way round: who wants only to find copies
//! compiles nothing of it.

mod collections;
mod error;
mod evaluate;
mod laboratory;
mod lattice;
mod mining;
mod pool;

pub mod reference;
pub mod statistics;

pub mod experiment;
pub mod generate;
pub mod judging;
pub mod measures;

pub use self::collections::{Generate, Generated, count, read_plan};
pub use self::error::Error;
pub use self::evaluate::{
    Compared, CountFigures, EvaluateError, EvaluateSettings, Evaluated, EvaluatedResult, Figures,
    PlaceUnit, TruthFacts, evaluate,
};
pub use self::laboratory::{CellsDone, Lab, findings_text};
pub use self::lattice::{
    ItemLattice, LatticeError, MOST_CONCEPTS, Members, draw_lattice, lattice_of, members_of,
    names_of,
};
pub use self::mining::{
    CutComponent, Mined, Mining, MiningError, SetsTo, SizeRow, mine_each, mine_file,
};
pub use self::pool::{
    JudgementFile, Loosened, PoolBuilder, PoolDocuments, PoolMade, PoolPlan, judgement_path,
    judgements_beside, permissive, read_judgements, read_pool,
};
