//! Retold finds what was told again.
//!
//! Documents come from a [`Source`], results go to a [`Sink`]; [`Find`] looks for copies,
//! [`Dedup`] decides which documents go, [`Query`] asks what a text was copied from, [`Stream`]
//! follows documents as they come, [`compare()`] sets two side by side.
//!
//! ```
//! use retold::{Document, Documents, Find, Found};
//!
//! let note = "The harbour board will close the east quay for repairs from Monday until Friday.";
//! let article = format!("Ships will have to wait. {note} Ferries are not affected by it at all.");
//! let documents = vec![Document::plain("note", note), Document::plain("article", article)];
//!
//! let mut found = Found::new();
//! Find::new(Documents::new(documents)).run(&mut found)?;
//! let pair = &found.pairs()[0];
//! assert_eq!(pair.kind.name(), "contained");
//! assert_eq!(pair.scores.a_in_b.get(), 1.0);
//! # Ok::<(), retold::Error>(())
//! ```
//!
//! What is to be done is a [`Job`]: plain data, which can be stored. What it is done with, threads,
//! memory, progress and the wish to stop, are [`Resources`], which never change the result.
#![doc = ""]
#![doc = include_str!("../docs/ten-questions.md")]

mod attribution;
mod compare;
mod dedup;
mod entities;
mod error;
mod find;
mod idf;
mod index;
mod job;
mod keep;
mod lineage;
mod links;
mod pipeline;
mod plan;
mod progress;
mod query;
mod quotations;
mod regroup;
mod resources;
mod result_folder;
mod resume;
mod sampling;
mod sink;
mod source;
pub mod stages;
mod stream;
mod strikes;
mod time;
mod tuning;

pub use self::attribution::{AttributedSource, Attribution};
pub use self::compare::{Comparison, compare, compare_quoted, read_document};
pub use self::dedup::Dedup;
pub use self::entities::{EntityLists, NamedEntities, NamedEntity, Unclassified, entities};
pub use self::error::{Error, Family};
pub use self::find::Find;
pub use self::idf::{IdfBuilder, IdfTable};
pub use self::index::{
    Added, Asking, Epoch, Expired, Explanation, Filter, Following, Index, IndexOptions, IndexStats,
    IndexWriter, MethodStats, PutDone, Rank, Searched, StoredDocument, TextStorage, Watch,
    WatchOptions, backup_index, check_index, is_index, repair_index, restore_index,
};
pub use self::job::{Copies, Decide, Job, PairsWritten};
pub use self::keep::Keep;
pub use self::lineage::{
    Change, Changes, Lineage, LineageDocument, LineageStep, MOST_COMPARED, MOST_DOCUMENTS,
};
pub use self::links::{Link, LinkedDocument, Links, LinksFormat, LinksWanted};
pub use self::pipeline::budget::give_back;
pub use self::pipeline::closed_sets::{MinCommon, Sets};
pub use self::pipeline::parallel::most_threads;
pub use self::pipeline::run::Outcome;
pub use self::plan::{Expected, Plan, PlanReport, StagePlan};
pub use self::progress::{Progress, Silent, Stage, Stop};
pub use self::query::{Answer, Answers, Hit, Query, rank_sources};
pub use self::quotations::{Credit, Quotations, Quotes};
pub use self::regroup::Regroup;
pub use self::resources::Resources;
pub use self::result_folder::{Texts, result_documents};
pub use self::sink::{
    Beginning, Cluster, Ending, Found, FoundCluster, FoundRemoval, Nothing, Pair, Removal, Sink,
    Tables, Wants,
};
pub use self::source::{Documents, Files, Opened, Opening, Source};
pub use self::stream::{Arrival, Stream, Telling, TimeWindow};
pub use self::strikes::{
    LeftDecision, LeftRow, Level, Rebuild, Rebuilt, Strike, StrikeKind, StrikeOutcome, StrikeRow,
    StrikeSettings, StrikeSink, StrikeTables, Struck, Twin, rebuild,
};
pub use self::time::{seconds, shown_time};
pub use self::tuning::{Aim, CurvePoint, Tried, Tuned, Tuning, TuningReport, TuningSample};

pub use retold_core::cluster::{Grouping, Joining};
pub use retold_core::document::{Document, Markup, Ordinal, Span};
pub use retold_core::error::ConfigError;
pub use retold_core::features::TextSettings;
pub use retold_core::methods::{METHODS, Parameter, Profile, Spec};
pub use retold_core::relation::{Agreement, Counted, Evidence, Kind, Passage, Relation, Scores};
pub use retold_core::relations::Relations;
pub use retold_core::verify::rule::Edits;
pub use retold_index::{CheckReport, FORMAT as INDEX_FORMAT, Problem, RepairReport};
pub use retold_read::{BadRecord, Fields, Format, Headline, Limits, PdfHelper, ReadOptions};
pub use retold_report::{
    ClusterRow, DocumentRow, Manifest, OutputError, PairRow, PairView, RemovalRow, Summary,
    TableFormat, Verdict,
};
