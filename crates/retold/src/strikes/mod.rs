//! `dedup` below the document: passages, paragraphs, lines and sentences that stood before in the
//! collection are struck, and everything else of a record stays as it is.
//!
//! # What is struck
//!
//! Documents stand in the order of preference (`--keep`), those of an archive (`--against`) before all
//! others; the words of a document stand from left to right. So every word has a position, and of two
//! equal stretches one is the first.
//!
//! - **Passages.** A run of `min-words` words is a *repeat* if the same words in the same order begin
//!   at a position before it, in another document or in the same one, without overlapping it. Every
//!   word that lies in a repeat is struck, and no other. A *strike* is a longest stretch of struck
//!   words: repeats that overlap or touch are one strike. The first occurrence of a run is never a
//!   repeat, so it stays, unless parts of it lie in other repeats. A document that says the same three
//!   times over keeps the first of the three. Words in a row that only overlap themselves, such as the
//!   same word a hundred times, keep their first `min-words` words.
//! - **Units** (paragraphs, lines, sentences). A unit of at least `min-words` words is struck if a unit
//!   with the same words stands before it.
//! - **Near-equal passages** (`differ`). A passage of at least `min-words` words that a passage before
//!   it equals but for a share of its words, put in, left out or replaced, is struck as well. Passages
//!   that overlap or touch are one strike here, too.
//! - **Boilerplate.** A run, or a unit, that stands in more than so many documents of one source is
//!   struck wherever it stands in that source, the first occurrence included. This is done first;
//!   repeats are then looked for in what is left, and none reaches across boilerplate.
//!
//! # Twins
//!
//! Every struck word has a *twin*: the same word of a kept stretch. Where the first occurrence of a
//! repeat is itself struck in part, because that part stood even earlier, the twin of that part is
//! found there, and so on: twins are never struck themselves. A strike lists its twins from left to
//! right, one for each stretch that is kept in one piece. The edited words of a near-equal passage
//! have no twin, nor has boilerplate.
//!
//! # How it is found
//!
//! 1. [`taking`] reads every document once and keeps the hashes and places of its words on scratch
//!    ([`words`]). Of every run of `min-words` words one shorter run is [sampled](sampling), chosen by
//!    the words alone, and noted in a [filter] of bits: equal runs have equal samples, so a run whose
//!    sample was seen once is no repeat.
//! 2. [`repeats`] hashes the runs that are left, in parts that are sorted one by one; of equal ones the
//!    first is known, and the others are repeats of it.
//! 3. [`deciding`] takes the documents in the order of preference, compares the words of each repeat
//!    with those of its first occurrence, makes strikes of them and finds their twins. [`near`] follows
//!    shared samples across edited words.
//! 4. [`telling`] reads the documents with strikes again and hands these on; [`copying`] writes the
//!    records without them.
//!
//! Memory is bounded by the budget at every step; scratch takes some three times the text.

mod copying;
mod deciding;
mod filter;
mod found;
mod near;
mod order;
mod pile;
mod rebuilding;
mod repeats;
mod run;
mod sampling;
mod settings;
mod tables;
mod taking;
mod telling;
#[cfg(test)]
mod tests;
mod words;

use std::path::Path;

use retold_core::document::Span;
use retold_report::Manifest;
use serde::{Deserialize, Serialize};

pub use self::found::Struck;
pub use self::rebuilding::{Rebuild, Rebuilt};
pub use self::settings::{Level, StrikeSettings};
pub use self::tables::StrikeTables;
use crate::error::Error;
use crate::job::Job;
use crate::resources::{Resources, common_settings};
use crate::source::Source;

/// Strikes what stood before in a collection: passages, paragraphs, lines or sentences.
///
/// What a word is, how files are read and which document is preferred is told by the
/// [job](Self::job); its method and everything about pairs and clusters is not looked at.
///
/// ```
/// use retold::{Document, Documents, Keep, Job, Strike, StrikeSettings, Struck};
///
/// let notice = "The harbour board will close the east quay for repairs from Monday until Friday.";
/// let documents = vec![
///     Document::plain("a", notice),
///     Document::plain("b", format!("Ships will have to wait. {notice} Ferries are not affected.")),
/// ];
/// let mut struck = Struck::new();
/// let outcome = Strike::new(Documents::new(documents))
///     .settings(StrikeSettings { min_words: Some(10), ..StrikeSettings::default() })
///     .job(Job::default().with_keep(Keep::First))
///     .run(&mut struck)?;
/// let strike = &struck.strikes()[0];
/// assert_eq!((strike.id.as_str(), strike.twins[0].id.as_str()), ("b", "a"));
/// assert_eq!(struck.texts()[1], "Ships will have to wait. Ferries are not affected.");
/// assert_eq!(outcome.n_struck_words, 14);
/// # Ok::<(), retold::Error>(())
/// ```
#[must_use = "nothing is done before it is run"]
pub struct Strike {
    source: Box<dyn Source>,
    against: Option<Box<dyn Source>>,
    settings: StrikeSettings,
    job: Job,
    resources: Resources,
}

common_settings!(Strike);

impl Strike {
    /// Strikes in the documents of a source what stood before in it.
    pub fn new(source: impl Source + 'static) -> Self {
        Self {
            source: Box::new(source),
            against: None,
            settings: StrikeSettings::default(),
            job: Job::default(),
            resources: Resources::new(),
        }
    }

    /// Also strikes what the documents of another source hold. These stay as they are and are not
    /// copied.
    ///
    /// ```
    /// use retold::{Document, Documents, Level, Strike, StrikeSettings, Struck};
    ///
    /// let line = "Sign up for our newsletter and never miss a story";
    /// let new = Documents::new(vec![Document::plain("new", format!("Ships wait.\n{line}\n"))]);
    /// let old = Documents::new(vec![Document::plain("old", line)]);
    /// let mut struck = Struck::new();
    /// Strike::new(new)
    ///     .against(old)
    ///     .settings(StrikeSettings { level: Level::Line, ..StrikeSettings::default() })
    ///     .run(&mut struck)?;
    /// assert_eq!((struck.texts()[0].as_str(), struck.texts().len()), ("Ships wait.\n", 1));
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn against(self, source: impl Source + 'static) -> Self {
        Self { against: Some(Box::new(source)), ..self }
    }

    /// Sets what is struck.
    pub fn settings(self, settings: StrikeSettings) -> Self {
        Self { settings, ..self }
    }

    /// Runs it and hands strikes and documents to `sink`.
    pub fn run(self, sink: &mut dyn StrikeSink) -> Result<StrikeOutcome, Error> {
        let Self { source, against, settings, job, resources } = self;
        resources.resumable(run::run((source, against), settings, &job, &resources, sink))
    }
}

/// Takes strikes and what is left of documents.
///
/// [`StrikeTables`] writes files, [`Struck`] keeps both in memory.
pub trait StrikeSink: Send {
    /// A job begins. A sink that writes somewhere makes sure now that it can.
    fn begin(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Returns the manifest of an earlier result, as [`Sink::earlier`](crate::Sink::earlier) does.
    fn earlier(&self) -> Option<Manifest> {
        None
    }

    /// Returns the folder that records are copied into. The default is none.
    fn folder(&self) -> Option<&Path> {
        None
    }

    /// Takes a document; documents come in the order in which they were read. `original` is its text
    /// if it has strikes or if the sink [wants](Self::wants_texts) all.
    fn document(
        &mut self,
        row: &LeftRow,
        strikes: &[StrikeRow],
        original: Option<&str>,
    ) -> Result<(), Error>;

    /// Returns whether the texts of documents without strikes are needed. The default is no.
    fn wants_texts(&self) -> bool {
        false
    }

    /// Everything was handed over.
    fn finish(&mut self, _outcome: &StrikeOutcome) -> Result<(), Error> {
        Ok(())
    }
}

/// Why a stretch is struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StrikeKind {
    /// The same words stood before.
    Repeat,
    /// Nearly the same words stood before.
    Near,
    /// It stands in many documents of one source.
    Boilerplate,
}

impl StrikeKind {
    /// Returns the name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Repeat => "repeat",
            Self::Near => "near",
            Self::Boilerplate => "boilerplate",
        }
    }
}

/// A stretch of a document that is struck: one line of `strikes.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrikeRow {
    /// The document.
    pub id: String,
    /// Its file.
    pub file: String,
    /// Number of its record in the file.
    pub record: u64,
    /// Bytes of the document's text, as it was.
    pub span: Span,
    /// Why.
    pub kind: StrikeKind,
    /// Words struck.
    pub words: u32,
    /// The struck text.
    pub text: String,
    /// Where the same words are kept, from left to right.
    pub twins: Vec<Twin>,
}

/// A kept stretch with the words of a struck one, or of a part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Twin {
    /// Its document.
    pub id: String,
    /// The file of that.
    pub file: String,
    /// Number of its record in the file.
    pub record: u64,
    /// Bytes of that document's text, as it was.
    pub span: Span,
    /// The stretch of the struck document that it is the twin of.
    pub of: Span,
}

/// What is left of a document: one line of `documents.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeftRow {
    /// The document.
    pub id: String,
    /// Its file.
    pub file: String,
    /// Number of its record in the file.
    pub record: u64,
    /// Strikes in it.
    pub strikes: u32,
    /// Words it had.
    pub words: u32,
    /// Words that are left.
    pub left_words: u32,
    /// Bytes its text had.
    pub bytes: u64,
    /// Bytes that are left.
    pub left_bytes: u64,
    /// Share of its words that is left; 1 if it had none.
    pub left: f64,
    /// What becomes of it.
    pub decision: LeftDecision,
}

/// What becomes of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LeftDecision {
    /// It is kept.
    Kept,
    /// It is kept, and so little of it is left that a person should look.
    Review,
    /// So little of it is left that it is dropped.
    Dropped,
}

/// What striking came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StrikeOutcome {
    /// What was struck, and how it was asked for.
    pub settings: StrikeSettings,
    /// Files read.
    pub n_files: u64,
    /// Documents read, without those of an archive.
    pub n_documents: u64,
    /// Documents of the archive.
    pub n_archive: u64,
    /// Records that could not be read.
    pub n_bad: u64,
    /// Words of the documents, without those of an archive.
    pub n_words: u64,
    /// Words struck.
    pub n_struck_words: u64,
    /// Strikes.
    pub n_strikes: u64,
    /// Strikes of boilerplate among them.
    pub n_boilerplate: u64,
    /// Strikes of near-equal passages among them.
    pub n_near: u64,
    /// Documents with strikes.
    pub n_struck_documents: u64,
    /// Documents of which so little is left that they are dropped.
    pub n_dropped: u64,
    /// Documents of which so little is left that a person should look.
    pub n_review: u64,
    /// Documents whose words beyond the limit were not looked at.
    pub n_cut_documents: u64,
    /// Shared samples of near-equal passages beyond the limit per sample, not looked at.
    pub n_near_cut: u64,
    /// Runs with equal hashes but other words, left alone.
    pub n_collisions: u64,
    /// What was done, for the manifest.
    #[serde(skip)]
    pub(crate) manifest: Manifest,
}

/// Puts a text together again from what is left of it and what was struck.
///
/// `None` if the strikes do not belong to the text: they must be in order and lie in it.
///
/// ```
/// use retold::{Span, rebuild};
/// let strikes = [(Span::new(0, 4), "One "), (Span::new(8, 13), " five")];
/// assert_eq!(rebuild("four", strikes).as_deref(), Some("One four five"));
/// assert_eq!(rebuild("four", [(Span::new(9, 13), "five")]), None);
/// ```
pub fn rebuild<'a>(
    left: &str,
    strikes: impl IntoIterator<Item = (Span, &'a str)>,
) -> Option<String> {
    let (mut out, mut rest) = (String::new(), left);
    for (span, text) in strikes {
        let kept = rest.get(..(span.start as usize).checked_sub(out.len())?)?;
        out.push_str(kept);
        out.push_str(text);
        rest = &rest[kept.len()..];
        if out.len() != span.end as usize {
            return None;
        }
    }
    out.push_str(rest);
    Some(out)
}
