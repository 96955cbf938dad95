//! Where the documents of a design come from: the user's collections, or a word model.

use std::cell::OnceCell;

use retold::{Document, Profile};
use retold_core::hash;
use serde_json::Map;

use super::bench::{Bench, Trial};
use super::design::{Axis, AxisValue, Design, Draw, Extent, Truth};
use super::drawing::{Chosen, Drawing};
use super::families::Families;
use crate::error::Error;

/// Where documents come from.
pub(super) enum Base {
    /// They are drawn from the word model.
    Drawn,
    /// They are the user's.
    Given(Given),
}

/// Documents of a collection of the user's.
pub(super) struct Given {
    collection: String,
    pub(super) documents: Vec<Document>,
    hash: u64,
    families: OnceCell<Families>,
}

impl Given {
    pub(super) fn new(collection: &str, documents: Vec<Document>) -> Self {
        let hash = documents.iter().fold(1, |sum, document| {
            let category = document.source.as_deref().unwrap_or_default();
            let sum = hash::mix(sum ^ hash::bytes(document.text.as_bytes(), 7));
            hash::mix(sum ^ hash::bytes(category.as_bytes(), 8))
        });
        let collection = collection.to_owned();
        Self { collection, documents, hash, families: OnceCell::new() }
    }
}

impl Base {
    /// Looks for the user's documents of a collection.
    pub(super) fn find(
        design: &Design,
        collection: &str,
        extent: Extent,
        bench: &Bench<'_>,
    ) -> Result<Self, Error> {
        let data = &design.data;
        let wanted = wanted(design, collection, extent);
        // Some will be left out as copies.
        let most = wanted.saturating_mul(2).saturating_add(100);
        let Some(mut documents) = bench.documents(data, collection, most)? else {
            return Ok(Self::Drawn);
        };
        if data.is_indented {
            for document in &mut documents {
                document.text = document.text.replace("\n ", "\n\n ");
            }
        }
        if data.is_purged
            && !data.is_natural
            && !matches!(design.truth, Truth::None | Truth::Method { .. })
        {
            let mut is_copy = vec![false; documents.len()];
            for relation in bench.relations(&purge()?, &documents)?.result {
                is_copy[relation.b.index()] = true;
            }
            let mut copies = is_copy.into_iter();
            documents.retain(|_| !copies.next().unwrap_or(false));
        }
        documents.truncate(wanted);
        if documents.is_empty() {
            return Err(design.unusable(format!("no usable documents in `{collection}`")).into());
        }
        Ok(Self::Given(Given::new(collection, documents)))
    }

    /// Returns a hash of the documents.
    pub(super) fn hash(&self) -> u64 {
        match self {
            Self::Drawn => 0,
            Self::Given(given) => given.hash,
        }
    }

    /// Says what the documents are, for readers of the report.
    pub(super) fn described(&self) -> String {
        match self {
            Self::Drawn => "documents drawn from a word model".to_owned(),
            Self::Given(given) => {
                format!("{} documents of `{}`", given.documents.len(), given.collection)
            }
        }
    }

    /// Chooses the documents of up to `n_sets` sets; none where documents are drawn for each set.
    pub(super) fn choose(&self, data: &Drawing) -> Option<Vec<Chosen>> {
        let Self::Given(given) = self else { return None };
        let families = || given.families.get_or_init(|| Families::of(&given.documents));
        Some(match data.draw {
            Draw::Order => data.in_order(given.documents.len()),
            Draw::Quota => data.by_quota(families()),
            Draw::OneCategory => data.by_category(families()),
        })
    }
}

/// Returns how many documents of a collection a design can use.
fn wanted(design: &Design, collection: &str, extent: Extent) -> usize {
    let data = &design.data;
    // Sets are drawn from the whole collection.
    if data.draw != Draw::Order {
        return usize::MAX;
    }
    let size = design.size(extent);
    let is_of = |value: &&AxisValue| value.collection.as_deref().is_none_or(|of| of == collection);
    let largest = |axis: &Axis, of: fn(&AxisValue) -> Option<usize>| {
        axis.values(extent).iter().filter(is_of).filter_map(of).max()
    };
    let most = |of: fn(&AxisValue) -> Option<usize>, usual: usize| {
        data.axes.iter().filter_map(|axis| largest(axis, of)).max().unwrap_or(usual)
    };
    let documents = most(|value| value.documents, size.documents);
    most(|value| value.sets, size.sets).saturating_mul(documents.max(size.documents))
}

/// Returns how copies are found that a collection had before anything was planted: by all runs of
/// words and with low thresholds, so that such copies count as false alarms for no method.
fn purge() -> Result<Trial, Error> {
    let parameters = [("k", 5.into()), ("containment", 0.4.into()), ("passage_words", 25.into())];
    let named = parameters.map(|(name, value)| (name.to_owned(), value));
    Ok(Trial::new("full-fingerprint", Profile::Retold, &Map::from_iter(named), 1)?)
}
