//! Retold finds what was told again.
//!
//! The library people depend on: files in, relations, clusters and reports out. [`find()`] looks
//! for copies in a collection, [`dedup()`] writes the collection without them, [`compare()`] sets
//! two documents side by side.
//!
//! ```
//! use retold::{Document, Settings, compare};
//!
//! let note = "The harbour board will close the east quay for repairs from Monday until Friday.";
//! let article = format!("Ships will have to wait. {note} Ferries are not affected.");
//! let a = Document::plain("note", note);
//! let b = Document::plain("article", article);
//! let view = compare(&a, &b, &Settings::default()).unwrap();
//! assert_eq!(view.relation.unwrap().name(), "contained");
//! assert_eq!(view.scores.a_in_b.get(), 1.0);
//! ```

mod entities;
mod error;
mod evaluate;
mod experiment;
mod generate;
mod idf;
mod lattice;
mod mining;
mod pipeline;
mod pool;
mod progress;
mod settings;
mod time;

pub use retold_core as core;
pub use retold_lab as lab;
pub use retold_mine as mine;
pub use retold_read as read;
pub use retold_report as report;

pub use self::entities::{EntityLists, NamedEntities, NamedEntity, entities};
pub use self::error::Error;
pub use self::evaluate::{
    Compared, CountFigures, EvaluateError, EvaluateSettings, Evaluated, EvaluatedResult, Figures,
    PlaceUnit, TruthFacts, evaluate,
};
pub use self::experiment::{Lab, LabOptions, findings_text};
pub use self::generate::{Generated, count, generate, read_plan, regenerate};
pub use self::idf::{IdfTable, build_idf};
pub use self::lattice::{
    ItemLattice, LatticeError, MOST_CONCEPTS, Members, draw_lattice, lattice_of, members_of,
    names_of,
};
pub use self::mining::{
    CutComponent, Mined, Mining, MiningError, SetsTo, SizeRow, mine_each, mine_file,
};
pub use self::pipeline::closed_sets::{MinCommon, Sets};
pub use self::pipeline::compare::{compare, read_one};
pub use self::pipeline::dedup::dedup;
pub use self::pipeline::find::{find, find_between};
pub use self::pipeline::memory::{Found, find_between_in_memory, find_documents, find_in_memory};
pub use self::pipeline::parallel::most_threads;
pub use self::pipeline::query::{Answer, Answers, Hit, query};
pub use self::pipeline::run::Outcome;
pub use self::pipeline::stream::{Arrival, Stream, StreamHit, TimeWindow, follow};
pub use self::pool::{
    JudgementFile, Loosened, PoolMade, PoolPlan, Shelf, add_to_pool, judgement_path,
    judgements_beside, make_difference, make_pool, permissive, read_judgements, read_pool,
};
pub use self::progress::{Progress, Silent, Stage, Stop};
pub use self::settings::{Decide, Keep, PairsWritten, Settings};
pub use self::time::seconds;
pub use retold_core::document::Document;
pub use retold_core::methods::{METHODS, Parameter, Profile, Spec};
