//! Pools of nominated pairs and what people say about them.
//!
//! Recall needs to know what there is to find, and nobody reads all pairs of a collection. So
//! several methods nominate with permissive settings, people judge the union, and what they decide
//! serves as the list of truth:
//!
//! 1. A [`Question`] is what people are asked about two documents. [`permissive`] loosens methods,
//!    and a [`PoolBuilder`] runs them; [`Nominations`] gathers who claims what.
//! 2. A [`Pool`] takes nominations in and deals them into groups. It only grows: a later method
//!    adds the pairs that nobody nominated before.
//! 3. A [`Sitting`] hands one person what still needs judgement, each answer becomes a
//!    [`Judgement`], a line in a file that only grows as well.
//! 4. A [`Tally`] sets judgements beside the pool: what is decided, what is not, and
//!    [`Assessors`] how far people agree.
//! 5. A [`Difference`] compares two methods where only documents that one of them found are
//!    judged.
//!
//! Both files are JSON Lines with a header; they merge by being put one behind the other. A line
//! that a crash tore is reported with its number, and all others count.
//!
//! Pooling: Varol, Can, Aykanat, Kaya: CoDet, CIKM 2011, section 4. Difference sets: Uyar:
//! Near-duplicate news detection using named entities, 2009, section 6.1.

mod assessors;
mod builder;
mod difference;
mod documents;
mod files;
mod judgement;
mod lines;
mod loosened;
mod pool;
mod question;
mod sitting;
mod tally;
#[cfg(test)]
mod tests;

pub use self::assessors::{Assessors, TwoAssessors};
pub use self::builder::{PoolBuilder, PoolMade, PoolPlan};
pub use self::difference::{Difference, Unjudged};
pub use self::documents::PoolDocuments;
pub use self::files::{
    JudgementFile, judgement_path, judgements_beside, read_judgements, read_pool,
};
pub use self::judgement::{
    Answer, Conflict, Judgement, Judgements, Place, is_name, judgements_header,
};
pub use self::lines::{BadLine, JudgingError};
pub use self::loosened::{Loosened, permissive};
pub use self::pool::{
    Between, Entry, Header, Nominations, NotAsked, POOL_FORMAT, Pool, PoolRun, Subject, Taken,
};
pub use self::question::Question;
pub use self::sitting::Sitting;
pub use self::tally::{Standing, State, Tally, Vote};
