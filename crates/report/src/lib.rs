//! Everything a run writes or shows: tables of what was found, the manifest, the terminal
//! summary and the HTML report.
//!
//! The story in the order a run meets it:
//!
//! 1. [`OutputDir`] makes a folder that gets its final name only when it is complete.
//! 2. [`PairsWriter`], [`DocumentsWriter`], [`ClustersWriter`] and [`RemovalsWriter`] write tables
//!    as JSON Lines, CSV or Parquet; the columns are the same in all three.
//! 3. [`Manifest`] says what was done: version, parameters, inputs with hashes, counts, cuts.
//!    [`Datacard`] says in words what `dedup` removed.
//! 4. [`summary_text`] summarises a run on a terminal, [`write_page`] in a browser.
//! 5. [`compare_text`] and [`compare_html`] show two documents side by side.
//!
//! The crate knows the vocabulary of [`retold_core`] and nothing of readers, threads or the
//! pipeline: plain data comes in, bytes go out, and the same data gives the same bytes.
//!
//! Texts, titles, ids and file names are not trusted. On a terminal they pass through
//! [`escape_terminal`], in CSV through a guard against formulas, in HTML they are text nodes.

mod compare;
mod datacard;
mod escape;
mod manifest;
mod numbers;
mod output;
mod page;
mod shown;
mod style;
mod summary;
pub mod table;
mod view;

pub use compare::{compare_text, passages_text};
pub use datacard::{Datacard, StrikeCard, StruckStretch};
pub use escape::escape_terminal;
pub use manifest::{BadRow, Cut, MAX_BAD_ROWS, Manifest, ManifestInput, ManifestRun, PROGRAM};
pub use numbers::{counted, grouped};
pub use output::{OutputDir, OutputError, OutputFile, WorkDir};
pub use page::{compare_html, page_around, write_page};
pub use style::{Style, TextRole};
pub use summary::summary_text;
pub use table::{
    ClusterRow, ClustersWriter, DocumentRow, DocumentsWriter, PairFields, PairRow, PairsWriter,
    RemovalRow, RemovalsWriter, TableFormat, TableWriter, UnknownFormat, Verdict, rounded,
};
pub use view::{
    ClusterView, MAX_MEMBERS, MemberView, Page, PairView, SideView, Summary, WINDOW_BYTES, Window,
};
