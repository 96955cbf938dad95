//! Results in memory.

use retold_core::relation::{Kind, Relation};
use retold_report::DocumentRow;

use super::{Beginning, Cluster, Ending, Pair, Removal, Sink, Wants};
use crate::error::Error;

/// Keeps what is found in memory.
///
/// ```
/// use retold::{Document, Documents, Find, Found};
///
/// let text = "The harbour board will close the east quay for repairs from Monday until Friday";
/// let documents = vec![
///     Document::plain("a", text),
///     Document::plain("b", "Apple growers expect the largest harvest in eleven years this month"),
///     Document::plain("c", text.to_uppercase()),
/// ];
/// let mut found = Found::new();
/// Find::new(Documents::new(documents)).run(&mut found)?;
/// let pair = &found.pairs()[0];
/// assert_eq!((found.id(pair.a.index()), found.id(pair.b.index())), ("a", "c"));
/// assert_eq!(found.clusters()[0].documents(), [0, 2]);
/// # Ok::<(), retold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Found {
    wants: Wants,
    ids: Vec<String>,
    pairs: Vec<Relation>,
    clusters: Vec<FoundCluster>,
    removals: Vec<FoundRemoval>,
}

/// A cluster that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundCluster {
    documents: Vec<usize>,
    representative: usize,
}

impl FoundCluster {
    /// Returns the positions of its documents, ascending.
    pub fn documents(&self) -> &[usize] {
        &self.documents
    }

    /// Returns the position of the document that stands for it.
    pub fn representative(&self) -> usize {
        self.representative
    }
}

/// A document that `dedup` removes, or leaves to a person.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoundRemoval {
    document: usize,
    covered_by: usize,
    relation: Kind,
    covered: f64,
    is_removed: bool,
}

impl FoundRemoval {
    /// Returns the position of the document.
    pub fn document(&self) -> usize {
        self.document
    }

    /// Returns the position of the kept document that holds it.
    pub fn covered_by(&self) -> usize {
        self.covered_by
    }

    /// Returns how it relates to the kept document.
    pub fn relation(&self) -> Kind {
        self.relation
    }

    /// Returns the share of it that stands in the kept document.
    ///
    /// ```
    /// # use retold::*;
    /// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// # let documents = || Documents::new(vec![Document::plain("a", text), Document::plain("b", text)]);
    /// let mut found = Found::new();
    /// Dedup::new(documents()).run(&mut found)?;
    /// let gone = &found.removals()[0];
    /// assert_eq!((gone.relation(), gone.covered()), (Kind::Exact, 1.0));
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn covered(&self) -> f64 {
        self.covered
    }

    /// Returns whether it is removed; otherwise it is listed for review and kept.
    pub fn is_removed(&self) -> bool {
        self.is_removed
    }
}

impl Found {
    /// Makes an empty one that takes pairs, clusters and removals.
    pub fn new() -> Self {
        let wants = Wants::nothing().pairs().clusters().documents();
        Self {
            wants,
            ids: Vec::new(),
            pairs: Vec::new(),
            clusters: Vec::new(),
            removals: Vec::new(),
        }
    }

    /// Makes an empty one that takes pairs only: no clusters are made.
    ///
    /// ```
    /// # use retold::*;
    /// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// # let documents = || Documents::new(vec![Document::plain("a", text), Document::plain("b", text)]);
    /// let mut found = Found::only_pairs();
    /// Find::new(documents()).run(&mut found)?;
    /// assert_eq!((found.pairs().len(), found.clusters().len()), (1, 0));
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn only_pairs() -> Self {
        Self { wants: Wants::nothing().pairs(), ..Self::new() }
    }

    /// Returns the pairs, by their documents. `a` and `b` are positions.
    ///
    /// ```
    /// # use retold::*;
    /// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// # let documents = || Documents::new(vec![Document::plain("a", text), Document::plain("b", text)]);
    /// let mut found = Found::new();
    /// Find::new(documents()).run(&mut found)?;
    /// for pair in found.pairs() {
    ///     let share = pair.scores.a_in_b.get();
    ///     println!("{} {} {}: {share}", found.id(pair.a.index()), pair.kind, found.id(pair.b.index()));
    /// }
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn pairs(&self) -> &[Relation] {
        &self.pairs
    }

    /// Returns the pairs and forgets the rest.
    ///
    /// ```
    /// # use retold::*;
    /// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// # let documents = || Documents::new(vec![Document::plain("a", text), Document::plain("b", text)]);
    /// let mut found = Found::only_pairs();
    /// Find::new(documents()).run(&mut found)?;
    /// let pairs: Vec<Relation> = found.into_pairs();
    /// assert_eq!(pairs[0].kind, Kind::Exact);
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn into_pairs(self) -> Vec<Relation> {
        self.pairs
    }

    /// Returns the clusters, in the order of their first documents.
    ///
    /// ```
    /// # use retold::*;
    /// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// # let documents = || Documents::new(vec![Document::plain("a", text), Document::plain("b", text)]);
    /// let mut found = Found::new();
    /// Find::new(documents()).run(&mut found)?;
    /// let cluster = &found.clusters()[0];
    /// assert_eq!((cluster.documents(), cluster.representative()), (&[0, 1][..], 0));
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn clusters(&self) -> &[FoundCluster] {
        &self.clusters
    }

    /// Returns what `dedup` removes or leaves to a person, by document.
    ///
    /// ```
    /// # use retold::*;
    /// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// # let documents = || Documents::new(vec![Document::plain("a", text), Document::plain("b", text)]);
    /// let mut found = Found::new();
    /// Dedup::new(documents()).run(&mut found)?;
    /// let gone: Vec<usize> = found.removals().iter().map(|removal| removal.document()).collect();
    /// assert_eq!(gone, [1]);
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn removals(&self) -> &[FoundRemoval] {
        &self.removals
    }

    /// Returns the id of the document at a position; empty if only pairs are taken.
    ///
    /// ```
    /// # use retold::*;
    /// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// # let documents = || Documents::new(vec![Document::plain("a", text), Document::plain("b", text)]);
    /// let mut found = Found::new();
    /// Find::new(documents()).run(&mut found)?;
    /// assert_eq!([found.id(0), found.id(1), found.id(2)], ["a", "b", ""]);
    /// assert_eq!(found.n_documents(), 2);
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn id(&self, position: usize) -> &str {
        self.ids.get(position).map_or("", String::as_str)
    }

    /// Returns the number of documents; 0 if only pairs are taken.
    pub fn n_documents(&self) -> usize {
        self.ids.len()
    }
}

impl Default for Found {
    fn default() -> Self {
        Self::new()
    }
}

impl Sink for Found {
    fn begin(&mut self, _: &Beginning<'_>) -> Result<(), Error> {
        *self = Self { wants: self.wants, ..Self::new() };
        Ok(())
    }

    fn wants(&self) -> Wants {
        self.wants
    }

    fn pair(&mut self, pair: &Pair<'_>) -> Result<(), Error> {
        self.pairs.push(pair.relation());
        Ok(())
    }

    fn document(&mut self, row: &DocumentRow<'_>) -> Result<(), Error> {
        self.ids.push(row.id.to_owned());
        Ok(())
    }

    fn cluster(&mut self, cluster: &Cluster<'_>) -> Result<(), Error> {
        self.clusters.push(FoundCluster {
            documents: cluster.positions().collect(),
            representative: cluster.representative(),
        });
        Ok(())
    }

    fn removal(&mut self, removal: &Removal<'_>) -> Result<(), Error> {
        self.removals.push(FoundRemoval {
            document: removal.position(),
            covered_by: removal.covered_by(),
            relation: removal.row().relation,
            covered: removal.row().covered,
            is_removed: removal.is_removed(),
        });
        Ok(())
    }

    fn finish(&mut self, _: &mut Ending) -> Result<(), Error> {
        self.pairs.sort_by_key(|pair| (pair.a, pair.b));
        self.removals.sort_by_key(|removal| removal.document);
        Ok(())
    }
}
