//! New documents against an index: the documents of the index that may be related to them join the
//! run.

use std::collections::BTreeMap;

use retold_core::candidates::{Cuts, Judgement};
use retold_core::document::Ordinal;
use retold_core::features::counts::Counts;
use retold_core::image::images::Images;

use super::collection::Collection;
use super::parallel::Pool;
use super::scratch::ScratchDir;
use crate::error::Error;
use crate::index::Index;
use crate::source::Opened;

/// Fewest documents that ask together: those of a few words look through the whole index once for
/// all of them.
const LEAST_ASKERS: usize = 64;

/// An index that new documents are compared with, by one of its methods.
pub(crate) struct JoinedIndex {
    index: Index,
    number: usize,
}

/// What an index says of new documents.
pub(super) struct Joined {
    /// The documents of the index that may be related, by their numbers in it.
    pub(super) documents: Opened,
    /// Who may be related to whom: a new document, the number of one of these, and what the method
    /// says of them.
    pub(super) candidates: Vec<(Ordinal, u32, Judgement)>,
    pub(super) cuts: Cuts,
    pub(super) n_compared: u64,
}

impl JoinedIndex {
    /// Takes a method by its number.
    pub(crate) fn new(index: Index, number: usize) -> Self {
        Self { index, number }
    }

    /// Returns the statistics that images are made with.
    pub(super) fn counts(&self) -> Option<Counts> {
        self.index.counts(self.number)
    }

    /// Asks the index about the documents that were read.
    pub(super) fn search(
        &self,
        collection: &Collection,
        images: &Images,
        pool: &Pool,
        scratch: &ScratchDir,
    ) -> Result<Joined, Error> {
        let firsts: Vec<Ordinal> =
            collection.documents().filter(|&doc| collection.is_first(doc)).collect();
        let n_together = firsts.len().div_ceil(4 * pool.n_threads()).max(LEAST_ASKERS);
        let groups: Vec<&[Ordinal]> = firsts.chunks(n_together).collect();
        let asked = pool.map(&groups, |group| self.ask(collection, images, group, scratch));
        let mut pairs = Vec::new();
        let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
        let (mut cuts, mut n_compared) = (Cuts::default(), 0);
        for answers in asked {
            let answers = answers?;
            cuts.add(&answers.cuts);
            n_compared += answers.n_compared;
            for (new, doc, said) in answers.pairs {
                numbers.insert(doc, 0);
                pairs.extend(said.map(|said| (new, doc, said)));
            }
        }
        for (number, (_, slot)) in (0..).zip(&mut numbers) {
            *slot = number;
        }
        let mut documents = Vec::with_capacity(numbers.len());
        for &doc in numbers.keys() {
            documents.push(Ok(self.index.document_at(doc)?));
        }
        let candidates = pairs.into_iter().map(|(new, doc, said)| (new, numbers[&doc], said));
        let name = self.index.path().display().to_string();
        Ok(Joined {
            candidates: candidates.collect(),
            documents: Opened::new(name, documents.into_iter()),
            cuts,
            n_compared,
        })
    }

    fn ask(
        &self,
        collection: &Collection,
        images: &Images,
        group: &[Ordinal],
        scratch: &ScratchDir,
    ) -> Result<Answers, Error> {
        let (mut askers, mut encoded) = (Vec::new(), Vec::new());
        let mut answers = Answers::default();
        for &doc in group {
            for same in self.index.candidates(self.number, collection.words_key(doc), &[])? {
                answers.pairs.push((doc, same.doc, None));
            }
            let mut image = Vec::new();
            if images.read(doc, &mut image).map_err(|error| scratch.failed(error))? {
                askers.push(doc);
                encoded.push(image);
            }
        }
        let encoded: Vec<&[u8]> = encoded.iter().map(Vec::as_slice).collect();
        for (new, found) in askers.into_iter().zip(self.index.ask_images(self.number, &encoded)?) {
            answers.cuts.add(&found.cuts);
            answers.n_compared += found.n_compared;
            for other in self.index.candidates(self.number, None, &found.partners)? {
                let said = other.said.map(|(kind, scores)| Judgement { kind, scores });
                answers.pairs.push((new, other.doc, said));
            }
        }
        Ok(answers)
    }
}

/// What an index says of some documents.
#[derive(Default)]
struct Answers {
    pairs: Vec<(Ordinal, u32, Option<Judgement>)>,
    cuts: Cuts,
    n_compared: u64,
}
