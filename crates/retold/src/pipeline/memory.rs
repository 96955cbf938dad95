//! The same job on documents that are in memory already.

use retold_core::document::Document;
use retold_core::features::Featurizer;
use retold_core::relation::Relation;

use super::intake::{Look, take_documents};
use super::library::Library;
use super::parallel::Pool;
use super::tables::{PairSink, Pairs};
use super::verifying::Verifying;
use crate::error::Error;
use crate::progress::{Silent, Stop};
use crate::settings::Settings;

/// What was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// All relations; `a` and `b` are positions in the documents given.
    pub relations: Vec<Relation>,
    /// Pairs that were compared.
    pub n_candidates: u64,
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
    let detector = settings.detector()?;
    let featurizer = Featurizer::new(settings.text.clone(), settings.seed);
    let pool = Pool::new(settings.threads)?;
    let look = Look { settings, detector: &*detector, featurizer: &featurizer };
    let taken = take_documents(documents, &look, &pool);
    let (candidates, _) = taken.candidates.propose(&pool);
    let n_candidates = candidates.len() as u64;
    let library =
        Library::new(&taken.collection, &taken.texts, &featurizer, detector.shingles(), 1 << 30);
    let verifying = Verifying {
        library: &library,
        detector: &*detector,
        passages_per_pair: settings.passages_per_pair,
        pool: &pool,
        progress: &Silent,
        stop: &Stop::new(),
    };
    let sink = PairSink::Memory(Vec::new());
    let mut pairs =
        Pairs::new(&library, sink, settings.pairs_per_document, settings.passages_per_pair);
    pairs.exact_groups()?;
    verifying.run(candidates, &mut |found| match found {
        Ok(found) => pairs.verified(&found),
        Err(bad) => Err(Error::Internal(bad.to_string())),
    })?;
    let PairSink::Memory(mut relations) = pairs.sink else {
        return Err(Error::Internal("relations went elsewhere".to_owned()));
    };
    relations.sort_by_key(|relation| (relation.a, relation.b));
    Ok(Found { relations, n_candidates })
}
