//! Lists that say what is true, and lists of what was found: pairs, clusters, relevance judgements
//! and rankings, passages.
//!
//! - [`ListKind`] tells from the first lines what a list holds.
//! - [`read_pairs`]: `a b [label or score]` as TSV, CSV, words or JSON Lines.
//! - [`read_clusters`] and [`read_members`]: a cluster a line, or a document and its cluster a line.
//! - [`read_judgements`] and [`read_ranking`]: the qrels and runs of TREC.
//! - [`read_passages`] and [`read_pan`]: passages as a table or JSON Lines, or the XML of PAN.
//! - [`Names`] turns names into the numbers that [`measures`](crate::measures) work on.
//!
//! Readers take bytes from anywhere and hand out one line at a time, so a list of any length is
//! read in the memory of its longest line. A line that cannot be read ends the reading with its
//! number and the reason: a list with holes would give wrong figures.

mod cells;
mod clusters;
mod error;
mod kind;
mod lines;
mod names;
mod pairs;
mod pan;
mod passages;
mod ranking;

pub use self::clusters::{ClusterLine, LastCell, read_clusters, read_members};
pub use self::error::ListError;
pub use self::kind::ListKind;
pub use self::names::Names;
pub use self::pairs::{Evidence, PairLine, ScoreOf, is_negative, read_pairs};
pub use self::pan::read_pan;
pub use self::passages::{PassageLine, read_passages};
pub use self::ranking::{Judgement, Ranked, read_judgements, read_ranking};
