//! Lists that say what is true, and lists of what was found: pairs, clusters, relevance judgements
//! and rankings, passages.
//!
//! - [`ListKind`] tells from the first lines what a list holds.
//! - [`read_pairs`]: `a b [label or score]` as TSV, CSV, words or JSON Lines.
//! - [`read_clusters`] and [`read_members`]: a cluster a line, or a document and its cluster a
//!   line.
//! - [`read_judgements`] and [`read_ranking`]: the qrels and runs of TREC.
//! - [`read_passages`] and [`read_pan`]: passages as a table or JSON Lines, or the XML of PAN.
//! - [`ExactOverlap`] is a reference without a list: what documents have in common, counted.
//! - [`Names`] turns names into the numbers that [`measures`](crate::measures) work on.
//!
//! Whole files and folders become numbers by `read_found` and `read_truth`.
//!
//! Readers take bytes from anywhere and hand out one line at a time, so a list of any length is
//! read in the memory of its longest line. A line that cannot be read ends the reading with its
//! number and the reason: a list with holes would give wrong figures.

mod cells;
mod clusters;
mod counting;
mod error;
mod exact;
mod found;
mod kind;
mod lines;
mod names;
mod pairs;
mod pan;
mod passages;
mod ranking;
mod source;
mod truth;

pub use self::clusters::{ClusterLine, LastCell, read_clusters, read_members};
pub(crate) use self::counting::{Claim, Counting};
pub use self::error::{ListError, ListFileError};
pub use self::exact::{ExactOverlap, Overlap};
pub(crate) use self::found::{ReadFound, read_found};
pub use self::kind::ListKind;
pub use self::names::Names;
pub use self::pairs::{Evidence, PairLine, ScoreOf, is_negative, read_pairs};
pub use self::pan::{read_pan, write_pan};
pub use self::passages::{PassageLine, read_passages};
pub use self::ranking::{Judgement, Ranked, read_judgements, read_ranking};
pub(crate) use self::source::{Halt, Source, held, kind_of, n_lines, open, xml_files};
pub use self::truth::TruthFacts;
pub(crate) use self::truth::read_truth;
