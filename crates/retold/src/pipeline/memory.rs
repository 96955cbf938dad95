//! The same job on documents that are in memory already.

use retold_core::document::Document;
use retold_core::features::Featurizer;
use retold_core::relation::Relation;

use super::intake::{Counter, Look, image_again, take_documents};
use super::library::Library;
use super::parallel::Pool;
use super::tables::{PairSink, Pairs};
use super::verifying::Verifying;
use crate::error::Error;
use crate::progress::{Silent, Stage, Stop};
use crate::settings::{Decide, Settings};

/// What was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// All relations; `a` and `b` are positions in the documents given.
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
    find_among(documents, None, settings, &Stop::new())
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
    find_among(documents, Some(second), settings, &Stop::new())
}

/// Finds copies among documents, or with `second` between those before and from that position on.
pub(crate) fn find_among(
    documents: Vec<Document>,
    second: Option<usize>,
    settings: &Settings,
    stop: &Stop,
) -> Result<Found, Error> {
    let detector = settings.detector()?;
    let featurizer = Featurizer::new(settings.text.clone(), settings.seed);
    let pool = Pool::with_stop(settings.threads, stop)?;
    let table = settings.counts(&*detector)?;
    let counter = (detector.needs_counts() && table.is_none()).then(Counter::new);
    let mut look = Look {
        settings,
        detector: &*detector,
        featurizer: &featurizer,
        counts: table.as_ref(),
        counter: counter.as_ref(),
        second: second.map(|_| u32::MAX),
        units: None,
    };
    let mut taken = take_documents(documents, second, &look, &pool);
    let counts = counter.as_ref().map(Counter::take);
    if let Some(counts) = &counts {
        look.counter = None;
        look.counts = Some(counts);
        let lost = image_again(&mut taken, &look, &pool, &Silent, stop);
        debug_assert!(lost.is_empty(), "documents in memory can be read again");
    }
    let border = taken.collection.border;
    let mut proposed = taken.candidates.propose(border, &pool);
    proposed.add_exact(&taken.collection.across);
    if stop.is_set() {
        let n_documents = taken.collection.len() as u64;
        return Err(Error::Stopped { stage: Stage::Search.name(), n_documents });
    }
    let (n_candidates, n_values) = (proposed.pairs.len() as u64, proposed.n_values);
    let library =
        Library::new(&taken.collection, &taken.texts, &featurizer, detector.shingles(), 1 << 30);
    let is_judged = settings.decide(&*detector) == Decide::Method;
    let verifying = Verifying {
        library: &library,
        detector: &*detector,
        judged: is_judged.then_some(&proposed),
        passages_per_pair: settings.passages_per_pair,
        pool: &pool,
        progress: &Silent,
        stop,
    };
    let sink = PairSink::Memory(Vec::new());
    let mut pairs =
        Pairs::new(&library, sink, settings.pairs_per_document, settings.passages_per_pair);
    if border.is_none() {
        pairs.exact_groups()?;
    }
    verifying.run(proposed.pairs.clone(), &mut |found| match found {
        Ok(found) => pairs.verified(&found),
        Err(bad) => Err(Error::Internal(bad.to_string())),
    })?;
    let PairSink::Memory(mut relations) = pairs.sink else {
        return Err(Error::Internal("relations went elsewhere".to_owned()));
    };
    relations.sort_by_key(|relation| (relation.a, relation.b));
    Ok(Found { relations, n_candidates, n_values })
}
