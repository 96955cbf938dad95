//! Where results go: tables in a folder, memory, or anything else.

mod found;
mod tables;

use std::path::{Path, PathBuf};

use retold_core::document::Ordinal;
use retold_core::relation::Relation;
use retold_report::{
    ClusterRow, ClusterView, DocumentRow, Manifest, PairRow, PairView, RemovalRow, Summary,
};

pub use self::found::{Found, FoundCluster, FoundRemoval};
pub use self::tables::Tables;
use crate::error::Error;
use crate::job::Job;

/// Takes what a job finds, as it is found.
///
/// [`Tables`] writes files, [`Found`] keeps results in memory, [`Nothing`] takes none; figures are
/// returned in any case. What a sink does not [want](Self::wants) is not made.
///
/// ```
/// use retold::{Document, Documents, Error, Find, Pair, Sink};
///
/// /// Prints the ids of related documents.
/// struct Print;
///
/// impl Sink for Print {
///     fn pair(&mut self, pair: &Pair<'_>) -> Result<(), Error> {
///         let row = pair.row();
///         println!("{} {} {}", row.a, row.relation, row.b);
///         Ok(())
///     }
/// }
///
/// let text = "The harbour board will close the east quay for repairs from Monday until Friday";
/// let documents = vec![Document::plain("a", text), Document::plain("b", text)];
/// Find::new(Documents::new(documents)).run(&mut Print)?;
/// # Ok::<(), Error>(())
/// ```
pub trait Sink: Send {
    /// A job begins. A sink that writes somewhere makes sure now that it can.
    fn begin(&mut self, _beginning: &Beginning<'_>) -> Result<(), Error> {
        Ok(())
    }

    /// Returns the folder and the manifest of an earlier result that stands where this one would go and
    /// may not be replaced: a run that is [resumed](crate::Resources::resume) ends at once if that is
    /// the result of the same job. The default is none.
    fn earlier(&self) -> Option<(PathBuf, Manifest)> {
        None
    }

    /// Returns what is to be made for this sink. The default is pairs.
    fn wants(&self) -> Wants {
        Wants::nothing().pairs()
    }

    /// Returns the folder for what cannot be handed over row by row: the documents that `dedup`
    /// keeps. The default is none, and nothing of that kind is written.
    fn folder(&self) -> Option<&Path> {
        None
    }

    /// Takes a related pair.
    fn pair(&mut self, _pair: &Pair<'_>) -> Result<(), Error> {
        Ok(())
    }

    /// Takes pairs as lines of JSON, where the sink asked for these.
    #[doc(hidden)]
    fn pair_lines(&mut self, _lines: &[u8], _n_pairs: u64) -> Result<(), Error> {
        Ok(())
    }

    /// Takes what was found about a document; documents come in order.
    fn document(&mut self, _row: &DocumentRow<'_>) -> Result<(), Error> {
        Ok(())
    }

    /// Takes documents as lines of JSON, where the sink asked for these.
    #[doc(hidden)]
    fn document_lines(&mut self, _lines: &[u8], _n_documents: u64) -> Result<(), Error> {
        Ok(())
    }

    /// Takes a cluster; clusters come in the order of their first documents.
    fn cluster(&mut self, _cluster: &Cluster<'_>) -> Result<(), Error> {
        Ok(())
    }

    /// Takes a document that `dedup` removes, or leaves to a person.
    fn removal(&mut self, _removal: &Removal<'_>) -> Result<(), Error> {
        Ok(())
    }

    /// Everything was handed over.
    fn finish(&mut self, _ending: &mut Ending<'_>) -> Result<(), Error> {
        Ok(())
    }
}

/// In which form rows are handed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// Not at all.
    #[default]
    Nothing,
    /// Row by row.
    Rows,
    /// As lines of JSON, encoded by the threads that made the rows.
    Lines,
}

/// What is made for a [`Sink`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    pub(crate) pairs: Form,
    pub(crate) documents: Form,
    pub(crate) clusters: bool,
    pub(crate) shared_texts: bool,
    pub(crate) page: bool,
}

impl Wants {
    /// Nothing but figures.
    ///
    /// ```
    /// # use retold::*;
    /// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// # let documents = || Documents::new(vec![Document::plain("a", text), Document::plain("b", text)]);
    /// struct Sizes(Vec<usize>);
    /// impl Sink for Sizes {
    ///     fn wants(&self) -> Wants {
    ///         Wants::nothing().clusters()
    ///     }
    ///     fn cluster(&mut self, cluster: &Cluster<'_>) -> Result<(), Error> {
    ///         self.0.push(cluster.positions().count());
    ///         Ok(())
    ///     }
    /// }
    /// let mut sizes = Sizes(Vec::new());
    /// Find::new(documents()).run(&mut sizes)?;
    /// assert_eq!(sizes.0, [2]);
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Related pairs, too.
    #[must_use]
    pub fn pairs(self) -> Self {
        Self { pairs: Form::Rows, ..self }
    }

    /// What was found about each document, too.
    ///
    /// ```
    /// # use retold::*;
    /// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// # let documents = || Documents::new(vec![Document::plain("a", text), Document::plain("b", text)]);
    /// #[derive(Default)]
    /// struct Copies(Vec<String>);
    /// impl Sink for Copies {
    ///     fn wants(&self) -> Wants {
    ///         Wants::nothing().documents().clusters()
    ///     }
    ///     fn document(&mut self, row: &DocumentRow<'_>) -> Result<(), Error> {
    ///         if row.verdict == Verdict::Copy {
    ///             self.0.push(row.id.to_owned());
    ///         }
    ///         Ok(())
    ///     }
    /// }
    /// let mut copies = Copies::default();
    /// Find::new(documents()).run(&mut copies)?;
    /// assert_eq!(copies.0, ["b"]);
    /// # Ok::<(), retold::Error>(())
    /// ```
    #[must_use]
    pub fn documents(self) -> Self {
        Self { documents: Form::Rows, ..self }
    }

    /// Clusters, too. Without them none are made, unless the job needs them.
    #[must_use]
    pub fn clusters(self) -> Self {
        Self { clusters: true, ..self }
    }

    /// The text that all documents of a cluster share, too.
    ///
    /// ```
    /// # use retold::*;
    /// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// # let documents = || Documents::new(vec![Document::plain("a", text), Document::plain("b", text)]);
    /// #[derive(Default)]
    /// struct Shared(String);
    /// impl Sink for Shared {
    ///     fn wants(&self) -> Wants {
    ///         Wants::nothing().shared_texts()
    ///     }
    ///     fn cluster(&mut self, cluster: &Cluster<'_>) -> Result<(), Error> {
    ///         self.0 = cluster.row().shared_text.unwrap_or_default().to_owned();
    ///         Ok(())
    ///     }
    /// }
    /// let mut shared = Shared::default();
    /// Find::new(documents()).run(&mut shared)?;
    /// assert_eq!(shared.0, text);
    /// # Ok::<(), retold::Error>(())
    /// ```
    #[must_use]
    pub fn shared_texts(self) -> Self {
        Self { shared_texts: true, ..self.clusters() }
    }
}

/// A related pair. Positions count documents from 0 in the order of reading; those of a second
/// collection follow those of the first.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    pub(crate) row: PairRow<'a>,
    pub(crate) a: Ordinal,
    pub(crate) b: Ordinal,
}

impl<'a> Pair<'a> {
    /// Returns ids, relation, scores and passages.
    pub fn row(&self) -> &PairRow<'a> {
        &self.row
    }

    /// Returns the pair as data of its own, with positions instead of ids.
    pub fn relation(&self) -> Relation {
        let PairRow { relation: kind, scores, evidence, .. } = self.row;
        Relation { a: self.a, b: self.b, kind, scores, evidence: evidence.clone() }
    }

    /// Returns the positions of both documents, the smaller first.
    ///
    /// ```
    /// # use retold::*;
    /// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// # let documents = || Documents::new(vec![Document::plain("a", text), Document::plain("b", text)]);
    /// struct Print;
    /// impl Sink for Print {
    ///     fn pair(&mut self, pair: &Pair<'_>) -> Result<(), Error> {
    ///         assert_eq!(pair.positions(), (0, 1));
    ///         assert_eq!((pair.row().a, pair.row().b), ("a", "b"));
    ///         Ok(())
    ///     }
    /// }
    /// Find::new(documents()).run(&mut Print)?;
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn positions(&self) -> (usize, usize) {
        (self.a.index(), self.b.index())
    }
}

/// A cluster.
#[derive(Clone, Copy, Debug)]
pub struct Cluster<'a> {
    pub(crate) row: ClusterRow<'a>,
    pub(crate) members: &'a [Ordinal],
    pub(crate) representative: Ordinal,
}

impl<'a> Cluster<'a> {
    /// Returns ids and figures.
    pub fn row(&self) -> &ClusterRow<'a> {
        &self.row
    }

    /// Returns the positions of its documents, ascending.
    pub fn positions(&self) -> impl Iterator<Item = usize> + '_ {
        self.members.iter().map(|member| member.index())
    }

    /// Returns the position of the document that stands for it.
    pub fn representative(&self) -> usize {
        self.representative.index()
    }
}

/// A document that `dedup` removes, or leaves to a person.
#[derive(Clone, Copy, Debug)]
pub struct Removal<'a> {
    pub(crate) row: RemovalRow<'a>,
    pub(crate) document: Ordinal,
    pub(crate) covered_by: Ordinal,
    pub(crate) is_removed: bool,
}

impl<'a> Removal<'a> {
    /// Returns ids and figures.
    pub fn row(&self) -> &RemovalRow<'a> {
        &self.row
    }

    /// Returns the position of the document.
    pub fn position(&self) -> usize {
        self.document.index()
    }

    /// Returns the position of the kept document that holds it.
    pub fn covered_by(&self) -> usize {
        self.covered_by.index()
    }

    /// Returns whether it is removed; otherwise it is listed for review and kept.
    ///
    /// ```
    /// # use retold::*;
    /// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// # let documents = || Documents::new(vec![Document::plain("a", text), Document::plain("b", text)]);
    /// #[derive(Default)]
    /// struct Gone(Vec<usize>);
    /// impl Sink for Gone {
    ///     fn removal(&mut self, removal: &Removal<'_>) -> Result<(), Error> {
    ///         if removal.is_removed() {
    ///             self.0.push(removal.position());
    ///         }
    ///         Ok(())
    ///     }
    /// }
    /// let mut gone = Gone::default();
    /// Dedup::new(documents()).run(&mut gone)?;
    /// assert_eq!(gone.0, [1]);
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn is_removed(&self) -> bool {
        self.is_removed
    }
}

/// What is known when a job begins.
#[derive(Clone, Copy, Debug)]
pub struct Beginning<'a> {
    pub(crate) job: &'a Job,
    pub(crate) is_deciding: bool,
}

impl Beginning<'_> {
    /// Returns what is to be done.
    pub fn job(&self) -> &Job {
        self.job
    }

    /// Returns whether it is decided which documents are removed, as `dedup` does.
    ///
    /// ```
    /// # use retold::*;
    /// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// # let documents = || Documents::new(vec![Document::plain("a", text), Document::plain("b", text)]);
    /// struct Expecting(bool);
    /// impl Sink for Expecting {
    ///     fn begin(&mut self, beginning: &Beginning<'_>) -> Result<(), Error> {
    ///         assert_eq!(beginning.job().method(), "anchor");
    ///         assert_eq!(beginning.is_deciding(), self.0);
    ///         Ok(())
    ///     }
    /// }
    /// Find::new(documents()).run(&mut Expecting(false))?;
    /// Dedup::new(documents()).run(&mut Expecting(true))?;
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn is_deciding(&self) -> bool {
        self.is_deciding
    }
}

/// What is known at the end of a job.
pub struct Ending<'a> {
    pub(crate) summary: &'a mut Summary,
    pub(crate) manifest: &'a Manifest,
    pub(crate) clusters: &'a [ClusterView],
    pub(crate) partials: &'a [PairView],
}

impl Ending<'_> {
    /// Returns the figures.
    pub fn summary(&self) -> &Summary {
        self.summary
    }

    /// Returns how they came about.
    ///
    /// ```
    /// # use retold::*;
    /// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// # let documents = || Documents::new(vec![Document::plain("a", text), Document::plain("b", text)]);
    /// struct Told(u64);
    /// impl Sink for Told {
    ///     fn finish(&mut self, ending: &mut Ending<'_>) -> Result<(), Error> {
    ///         self.0 = ending.manifest().counts["candidates"];
    ///         assert_eq!(ending.summary().n_documents, 2);
    ///         Ok(())
    ///     }
    /// }
    /// Find::new(documents()).run(&mut Told(0))?;
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn manifest(&self) -> &Manifest {
        self.manifest
    }
}

/// Takes nothing: for figures alone.
///
/// ```
/// # use retold::*;
/// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
/// # let documents = || Documents::new(vec![Document::plain("a", text), Document::plain("b", text)]);
/// let outcome = Find::new(documents()).run(&mut Nothing)?;
/// assert_eq!(outcome.summary().n_clusters, 1);
/// # Ok::<(), retold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Sink for Nothing {
    fn wants(&self) -> Wants {
        Wants::nothing().clusters()
    }
}
