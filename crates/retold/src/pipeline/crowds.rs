//! Crowds: many documents that are nearly the same, compared with one of them instead of each
//! with each.
//!
//! A crowd is found by its images, before the search: documents that share one of four minima of
//! their units meet, and those that have most units in common with the first of them make a crowd
//! if there are more than [`MOST_IN_FULL`]. The most preferred stands for the crowd, and every other
//! member is verified against it, like any pair. Members that prove near enough then take part in
//! the search only with what neither the kept one nor a member before them has. So a crowd costs as
//! much as so many distinct documents, and whoever stands in a part that is a member's own is found
//! all the same.
//!
//! What follows for two members from their nearness to the kept one (1 - resemblance is a distance)
//! is counted in the cluster as derived; it is never written as a pair. `--pairs all` makes no
//! crowds.

use std::collections::HashMap;

use retold_core::document::Ordinal;
use retold_core::executor::Executor;
use retold_core::hash;
use retold_core::image::images::Images;
use retold_core::methods::Detector;
use retold_core::scratch::Sorter;

use super::budget::Budget;
use super::parallel::Pool;
use super::scratch::ScratchDir;
use crate::error::Error;

/// Documents of the largest group that is compared in full.
pub(crate) const MOST_IN_FULL: usize = 32;
/// Minima by which documents meet. One changed word of two hundred changes a minimum in one of ten
/// documents, and all four in one of ten thousand.
const N_MINIMA: u64 = 4;
/// Units below which a document is in no crowd: it is compared quickly anyway.
const LEAST_UNITS: usize = 8;
/// Share of its units, in hundredths, that a member has in common with the first of its crowd.
const LEAST_COMMON: usize = 85;
/// Crowds that the documents of one minimum may make.
const MOST_OF_ONE: usize = 8;

/// Many documents that are nearly the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Crowd {
    /// The most preferred.
    pub(crate) kept: Ordinal,
    /// The others, in order.
    pub(crate) members: Vec<Ordinal>,
}

/// Finds the crowds among documents, by their images. They are sorted by their kept documents.
pub(crate) fn find(
    images: &Images,
    detector: &dyn Detector,
    preference: &[u32],
    (budget, scratch): (&Budget, &ScratchDir),
    pool: &Pool,
) -> Result<Vec<Crowd>, Error> {
    let failed = |error| scratch.failed(error);
    let mut image = Vec::new();
    let mut minima: Sorter<(u64, (u32, u32))> = Sorter::new(budget.ordered_pairs());
    for doc in (0..images.n_ordinals() as u32).map(Ordinal) {
        if pool.is_stopped() {
            return Ok(Vec::new());
        }
        if !images.read(doc, &mut image).map_err(failed)? {
            continue;
        }
        for minimum in self::minima(detector, &image) {
            let entry = (minimum, (preference[doc.index()], doc.0));
            minima.push(entry, scratch).map_err(failed)?;
        }
    }
    let minima = minima.finish(scratch).map_err(failed)?;
    let mut finding = Finding { images, detector, crowd_of: HashMap::new(), crowds: Vec::new() };
    let mut docs: (u64, Vec<u32>) = (0, Vec::new());
    for entry in &minima {
        let (minimum, (_, doc)) = entry.map_err(failed)?;
        if minimum != docs.0 {
            finding.meet(&docs.1).map_err(failed)?;
            docs = (minimum, Vec::new());
            if pool.is_stopped() {
                return Ok(Vec::new());
            }
        }
        docs.1.push(doc);
    }
    finding.meet(&docs.1).map_err(failed)?;
    Ok(finding.finish(preference))
}

/// Returns the minima by which a document meets others that are nearly the same.
pub(crate) fn minima(detector: &dyn Detector, image: &[u8]) -> Vec<u64> {
    let units = detector.units(image).unwrap_or_default();
    if units.len() < LEAST_UNITS {
        return Vec::new();
    }
    let minimum = |number: u64| {
        let mixed = |unit: &u64| hash::mix(unit ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        units.iter().map(mixed).min().unwrap_or_default()
    };
    (0..N_MINIMA).map(minimum).collect()
}

/// Finds the crowds among documents by their minima, sorted and each with the rank and the number of a
/// document.
pub(crate) fn among(
    images: &Images,
    detector: &dyn Detector,
    preference: &[u32],
    minima: &[(u64, (u32, u32))],
) -> std::io::Result<Vec<Crowd>> {
    let mut finding = Finding { images, detector, crowd_of: HashMap::new(), crowds: Vec::new() };
    for same in minima.chunk_by(|x, y| x.0 == y.0) {
        let docs: Vec<u32> = same.iter().map(|&(_, (_, doc))| doc).collect();
        finding.meet(&docs)?;
    }
    Ok(finding.finish(preference))
}

struct Finding<'a> {
    images: &'a Images,
    detector: &'a dyn Detector,
    /// The crowd that a document is in.
    crowd_of: HashMap<u32, usize>,
    /// Documents of each crowd, the one that the others were compared with first.
    crowds: Vec<Vec<u32>>,
}

impl Finding<'_> {
    fn units(&self, doc: u32) -> std::io::Result<Vec<u64>> {
        let mut image = Vec::new();
        self.images.read(Ordinal(doc), &mut image)?;
        Ok(self.detector.units(&image).unwrap_or_default())
    }

    /// Takes documents that share a minimum, by preference.
    fn meet(&mut self, docs: &[u32]) -> std::io::Result<()> {
        if docs.len() <= MOST_IN_FULL {
            return Ok(());
        }
        let known = docs.iter().find_map(|doc| self.crowd_of.get(doc)).copied();
        let mut free: Vec<u32> = Vec::new();
        free.extend(docs.iter().filter(|doc| !self.crowd_of.contains_key(doc)));
        if let Some(crowd) = known {
            let (near, far) = self.split(self.crowds[crowd][0], &free)?;
            self.crowd_of.extend(near.iter().map(|&doc| (doc, crowd)));
            self.crowds[crowd].extend(near);
            free = far;
        }
        for _ in 0..MOST_OF_ONE {
            if free.len() <= MOST_IN_FULL {
                break;
            }
            let (near, far) = self.split(free[0], &free[1..])?;
            if near.len() >= MOST_IN_FULL {
                let crowd: Vec<u32> = std::iter::once(free[0]).chain(near).collect();
                self.crowd_of.extend(crowd.iter().map(|&doc| (doc, self.crowds.len())));
                self.crowds.push(crowd);
            }
            free = far;
        }
        Ok(())
    }

    /// Returns the documents that have most units in common with one, and the others.
    fn split(&self, centre: u32, docs: &[u32]) -> std::io::Result<(Vec<u32>, Vec<u32>)> {
        let of_centre = self.units(centre)?;
        let (mut near, mut far) = (Vec::new(), Vec::new());
        for &doc in docs {
            let units = self.units(doc)?;
            let n_common = n_common(&of_centre, &units);
            let is_near = n_common * 100 >= of_centre.len().max(units.len()) * LEAST_COMMON;
            if is_near { near.push(doc) } else { far.push(doc) }
        }
        Ok((near, far))
    }

    fn finish(self, preference: &[u32]) -> Vec<Crowd> {
        let crowd = |docs: Vec<u32>| {
            let kept = docs.iter().copied().min_by_key(|&doc| preference[doc as usize]);
            let kept = kept.expect("a crowd has members");
            let mut members: Vec<Ordinal> =
                docs.into_iter().filter(|&doc| doc != kept).map(Ordinal).collect();
            members.sort_unstable();
            Crowd { kept: Ordinal(kept), members }
        };
        let mut crowds: Vec<Crowd> = self.crowds.into_iter().map(crowd).collect();
        crowds.sort_by_key(|crowd| crowd.kept);
        crowds
    }
}

/// Returns the number of units in common; both are ascending.
fn n_common(mut one: &[u64], mut other: &[u64]) -> usize {
    let mut n = 0;
    while let (Some(x), Some(y)) = (one.first(), other.first()) {
        n += usize::from(x == y);
        (one, other) = (&one[usize::from(x <= y)..], &other[usize::from(y <= x)..]);
    }
    n
}
