//! Crowds of near-identical documents, found among those that meet in large groups.

use retold_core::candidates::meeting::SeenKeys;
use retold_core::document::Ordinal;
use retold_core::image::images::Images;

use super::Stages;
use crate::error::Error;
use crate::pipeline::crowds::{self, Crowd};

/// Documents of one minimum up to which they make no crowd.
pub const MOST_IN_FULL: usize = crowds::MOST_IN_FULL;

impl Stages {
    /// Returns the minima by which documents that are nearly the same meet. More than
    /// [`MOST_IN_FULL`] documents of one minimum may be a crowd.
    pub(super) fn minima(&self, image: &[u8]) -> Vec<u64> {
        crowds::minima(&*self.detector, image)
    }

    /// Finds the crowds among documents that hang together through minima of more than
    /// [`MOST_IN_FULL`] documents. `documents` have number, rank and image, in the order of their
    /// numbers; `minima` a minimum and a document. Returns the kept one and the members of each.
    pub fn crowds(
        &self,
        documents: &[(u64, u64, &[u8])],
        minima: &[(u64, u64)],
    ) -> Result<Vec<(u64, Vec<u64>)>, Error> {
        let mut images = Images::new(self.budget.images());
        let mut ranks: Vec<u64> = documents.iter().map(|document| document.1).collect();
        ranks.sort_unstable();
        let mut preference = Vec::with_capacity(documents.len());
        for (place, &(_, rank, image)) in (0..).zip(documents) {
            preference.push(ranks.partition_point(|&other| other < rank) as u32);
            let pushed = images.push(Ordinal(place), image, &self.scratch);
            pushed.map_err(|error| self.scratch.failed(error))?;
        }
        let place = |doc: u64| documents.partition_point(|other| other.0 < doc) as u32;
        let mut entries: Vec<(u64, (u32, u32))> = Vec::with_capacity(minima.len());
        for &(minimum, doc) in minima {
            let place = place(doc);
            entries.push((minimum, (preference[place as usize], place)));
        }
        entries.sort_unstable();
        let found = crowds::among(&images, &*self.detector, &preference, &entries);
        let found = found.map_err(|error| self.scratch.failed(error))?;
        let number = |place: Ordinal| documents[place.index()].0;
        Ok(found
            .into_iter()
            .map(|Crowd { kept, members }| {
                (number(kept), members.into_iter().map(number).collect())
            })
            .collect())
    }

    /// Returns what each member of a crowd takes part in the search with: what neither the kept one nor a
    /// member before it has. Members come in the order of their numbers.
    pub fn unseen<'i>(
        &self,
        kept: Option<&[u8]>,
        members: impl Iterator<Item = &'i [u8]>,
    ) -> Vec<Option<Box<[u8]>>> {
        let mut seen = SeenKeys::default();
        if let Some(kept) = kept {
            self.detector.unseen(kept, &mut seen);
        }
        members.map(|image| self.detector.unseen(image, &mut seen)).collect()
    }

    /// Returns the resemblance from which on a member of a crowd is near the kept one.
    pub fn near(&self) -> f64 {
        1.0 - (1.0 - self.rule.containment) / 2.0
    }
}
