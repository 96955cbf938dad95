//! The same job on documents that are in memory already.

use retold_core::document::Document;
use retold_core::relation::Relation;

use super::run::{Run, Wanted};
use crate::error::Error;
use crate::progress::{Progress, Silent, Stop};
use crate::settings::{PairsWritten, Settings};

/// What was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// All relations, whatever the settings say of pairs; `a` and `b` are positions in the documents given.
    pub relations: Vec<Relation>,
    /// Pairs that were compared.
    pub n_candidates: u64,
    /// Pairs that the search computed a similarity of.
    pub n_values: u64,
}

/// Finds copies among documents.
///
/// ```
/// use retold::{Document, Settings, find_in_memory};
/// let note = "The harbour board will close the east quay for repairs from Monday until Friday";
/// let documents = vec![
///     Document::plain("a", note),
///     Document::plain("b", "Apple growers expect the largest harvest in eleven years this month"),
///     Document::plain("c", note.to_uppercase()),
/// ];
/// let found = find_in_memory(documents, &Settings::default()).unwrap();
/// assert_eq!(found.relations.len(), 1);
/// assert_eq!((found.relations[0].a.0, found.relations[0].b.0), (0, 2));
/// ```
pub fn find_in_memory(documents: Vec<Document>, settings: &Settings) -> Result<Found, Error> {
    find_documents(documents, None, settings, &Silent, &Stop::new())
}

/// Finds copies of `others` in `documents`: every relation has one document of each. In the
/// relations the positions of `others` come after those of `documents`.
pub fn find_between_in_memory(
    mut documents: Vec<Document>,
    others: Vec<Document>,
    settings: &Settings,
) -> Result<Found, Error> {
    let second = documents.len();
    documents.extend(others);
    find_documents(documents, Some(second), settings, &Silent, &Stop::new())
}

/// Finds copies among documents, tells how far it is and can be stopped. From `second` on the
/// documents are another collection, and every relation has one document of each.
pub fn find_documents(
    documents: Vec<Document>,
    second: Option<usize>,
    settings: &Settings,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<Found, Error> {
    // Limits are for tables.
    let settings = &Settings { pairs: PairsWritten::All, ..settings.clone() };
    let mut run = Run::start_in_memory(documents, second, settings, progress, stop)?;
    let detected = run.detect(Wanted::Relations)?;
    if let Some(bad) = run.taken.bad.first() {
        return Err(Error::Internal(bad.to_string()));
    }
    let mut relations = run.relations.take().unwrap_or_default();
    relations.sort_by_key(|relation| (relation.a, relation.b));
    progress.end();
    let (n_candidates, n_values) = (detected.n_candidates, detected.n_values);
    Ok(Found { relations, n_candidates, n_values })
}
