//! Test collections whose copies are known, with a log that replays to the same bytes.
//!
//! A [`Plan`] says what is made of a collection: variants of its documents, each by a sequence of
//! [`Operation`]s, and queries pasted together from several documents. [`make`] carries it out.
//!
//! What is edited is the clean text of a document: markup taken out, Unicode composed. Every step
//! comes down to [`Edit`]s, stretches that were replaced and by what, and the log holds them all.
//! So [`replay()`] needs the inputs and the log but no random numbers, and what is true of a pair
//! follows by tracking the stretches ([`truth`]), not by asking a detector.
//!
//! Every made document draws from a random stream of its own, which depends on the seed and the
//! numbers of document and variant in their lists. Names do not matter, since they may be paths and
//! a folder may be moved; nor does the number of threads.
//!
//! [`Generate`] is the front door: it reads files, carries out a plan or a log and writes the
//! collection with its reference into a folder.
//!
//! ```
//! use retold::Document;
//! use retold_lab::generate::{Operation, Plan, Percent, Unit, make};
//!
//! let inputs = [Document::plain("a", "One.\n\nTwo.\n\nThree.\n\nFour.")];
//! let delete = Operation::Delete { percent: Percent::new(50.0), unit: Unit::Paragraph };
//! let made = make(&Plan::of(7, [delete]), &inputs).unwrap();
//! assert_eq!(made.log[0].output, "a~1");
//! assert_eq!(made.log[0].after.paragraphs, 2);
//! ```

pub mod collection;
pub mod counts;
pub mod edit;
pub mod log;
pub mod plan;
pub mod replay;
pub mod truth;

mod builder;
mod draw;
mod error;
mod folder;
mod generated;
mod inputs;
mod make;
mod operations;
mod tables;
mod track;
mod units;

#[cfg(test)]
mod tests;

pub use self::builder::{Generate, count, read_plan};
pub use self::collection::Collection;
pub use self::counts::Counts;
pub use self::edit::{Edit, Put};
pub use self::error::{GenerateError, ReplayError};
pub use self::generated::Generated;
pub use self::log::{Amount, Changed, Entry, Head, Log, Step};
pub use self::make::{Finished, Made, Maker, Task, make, make_while, remake};
pub use self::plan::{
    Extent, Operation, Percent, Place, Plan, Query, Ratio, Related, Spread, Unit, Variant,
};
pub use self::replay::{replay, replay_entry};
pub use self::truth::{CopiedSpan, Pair, Reference, Trace};
