//! Candidates for edited text beside those of a method: both searches side by side.
//!
//! With `--edits heavy` a method that [asks for it](super::Method::SEARCHES_EDITED) has images of two parts:
//! its own, and the [word pairs](crate::image::pair_sample) that rewriting leaves. Each part has a search of
//! its own, and who is found by one of them is a candidate.

use std::io;

use crate::candidates::close_pairs::ClosePairs;
use crate::candidates::growing::Growing;
use crate::candidates::probe::unite;
use crate::candidates::sealed::{self, Each, SearchError, SearchSetup, Searched};
use crate::candidates::stored::{Entry, Holdings, Matches, Searching, StoredSearch};
use crate::candidates::{Found, Meeting, Window};
use crate::document::Ordinal;
use crate::encode::{FORMAT, Input, from_bytes, put_number, to_bytes};
use crate::image::images::Images;
use crate::image::pair_sample::PairSample;
use crate::scratch::Sorter;

/// Puts the two parts of an image together; either may be missing.
pub(super) fn join(own: Option<&[u8]>, pairs: Option<&PairSample>) -> Option<Box<[u8]>> {
    let pairs = pairs.filter(|pairs| !pairs.is_empty());
    if own.is_none() && pairs.is_none() {
        return None;
    }
    let own = own.unwrap_or_default();
    let mut out = vec![FORMAT];
    put_number(own.len() as u64, &mut out);
    out.extend_from_slice(own);
    if let Some(pairs) = pairs {
        out.extend_from_slice(&to_bytes(pairs));
    }
    Some(out.into())
}

/// Returns the two parts of an image; `None` if it is none.
fn split(image: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&format, rest) = image.split_first()?;
    let mut input = Input::new(rest);
    let n = input.count().filter(|_| format == FORMAT)?;
    let own = input.take(n)?;
    let pairs = input.take(input.len())?;
    Some((own, pairs))
}

/// Returns the method's own part of an image; what is no image is returned as it is, and cannot be decoded.
pub(super) fn own(image: &[u8]) -> &[u8] {
    split(image).map_or(image, |parts| parts.0)
}

/// Returns the word pairs of an image, likewise.
fn pairs(image: &[u8]) -> &[u8] {
    split(image).map_or(image, |parts| parts.1)
}

/// Returns the word pairs of an image, decoded; none if it has none.
pub(super) fn sample(image: &[u8]) -> Option<PairSample> {
    from_bytes(pairs(image))
}

/// Searches a complete collection for both.
pub(super) fn search<M: Meeting>(
    meeting: &M,
    images: &Images,
    setup: &SearchSetup<'_>,
    each: &mut Each<'_>,
) -> Result<Searched, SearchError> {
    if setup.without_passages {
        return sealed::search(meeting, (images, own), setup, each);
    }
    let mut close: Sorter<(u32, u32)> = Sorter::new(setup.memory_bytes / 8);
    let by_pairs = sealed::search(&ClosePairs, (images, pairs), setup, &mut |asker, partners| {
        partners
            .iter()
            .try_for_each(|partner| close.push((asker.0, partner.ordinal.0), setup.scratch))
    })?;
    let close = close.finish(setup.scratch)?;
    let mut close = close.iter().peekable();
    // Returns the documents that the next asker up to a given one found by its pairs.
    let mut next = |last: u32| -> io::Result<Option<(u32, Vec<u32>)>> {
        let mut of: Option<(u32, Vec<u32>)> = None;
        while let Some(pair) = close.next_if(
            |pair| !matches!(pair, Ok((asker, _)) if *asker > of.as_ref().map_or(last, |of| of.0)),
        ) {
            let (asker, other) = pair?;
            of.get_or_insert_with(|| (asker, Vec::new())).1.push(other);
        }
        Ok(of)
    };
    let mut found = Found::default();
    let mut searched = sealed::search(meeting, (images, own), setup, &mut |asker, partners| {
        found.partners.clear();
        found.partners.extend_from_slice(partners);
        while let Some((earlier, others)) = next(asker.0)? {
            if earlier == asker.0 {
                unite(&mut found, 0, &others);
                break;
            }
            let mut alone = Found::default();
            unite(&mut alone, 0, &others);
            each(Ordinal(earlier), &alone.partners)?;
        }
        each(asker, &found.partners)
    })?;
    while let Some((asker, others)) = next(u32::MAX)? {
        found.partners.clear();
        unite(&mut found, 0, &others);
        each(Ordinal(asker), &found.partners)?;
    }
    searched.cuts.add(&by_pairs.cuts);
    searched.n_compared += by_pairs.n_compared;
    Ok(searched)
}

/// A window for both.
pub(super) struct BothWindows<M: Meeting> {
    own: Growing<M>,
    pairs: Growing<ClosePairs>,
}

impl<M: Meeting> BothWindows<M> {
    pub(super) fn new(meeting: M) -> Self {
        Self { own: Growing::new(meeting), pairs: Growing::new(ClosePairs) }
    }

    /// Returns the two parts of an image, each with its window.
    fn each_part(image: &[u8]) -> io::Result<(&[u8], &[u8])> {
        split(image).ok_or_else(no_image)
    }
}

fn no_image() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "an image cannot be read back")
}

impl<M: Meeting> Window for BothWindows<M> {
    fn insert(&mut self, ordinal: Ordinal, image: &[u8]) -> io::Result<()> {
        let (own, pairs) = Self::each_part(image)?;
        if !own.is_empty() {
            self.own.insert(ordinal, own)?;
        }
        if !pairs.is_empty() {
            self.pairs.insert(ordinal, pairs)?;
        }
        Ok(())
    }

    fn remove(&mut self, ordinal: Ordinal) -> io::Result<()> {
        self.own.remove(ordinal)?;
        self.pairs.remove(ordinal)
    }

    fn ask(&self, image: &[u8], before: Ordinal, found: &mut Found) -> io::Result<()> {
        let (own, pairs) = Self::each_part(image)?;
        let start = found.partners.len();
        if !own.is_empty() {
            self.own.ask(own, before, found)?;
        }
        if !pairs.is_empty() {
            let mut close = Found::default();
            self.pairs.ask(pairs, before, &mut close)?;
            add(found, start, &close);
        }
        Ok(())
    }

    fn held_bytes(&self) -> usize {
        self.own.held_bytes() + self.pairs.held_bytes()
    }
}

/// Adds what was found by word pairs to what was found before, from `start` on.
fn add(found: &mut Found, start: usize, close: &Found) {
    let others: Vec<u32> = close.partners.iter().map(|partner| partner.ordinal.0).collect();
    unite(found, start, &others);
    found.cuts.add(&close.cuts);
    found.n_compared += close.n_compared;
}

/// Returns what a stored index keeps of a document.
pub(super) fn entry<M: Meeting>(meeting: &M, image: &[u8]) -> Option<Entry> {
    let (own, pairs) = split(image)?;
    let mut entry = Entry::of(meeting, &from_bytes(own)?, image);
    if !pairs.is_empty() {
        entry.keys.extend(Entry::of(&ClosePairs, &from_bytes(pairs)?, &[]).keys);
        entry.keys.sort_unstable();
        entry.keys.dedup();
    }
    Some(entry)
}

/// Searches a stored index for both. The lists of both lie beside each other: two keys of unlike kinds are
/// equal as seldom as any two.
pub(super) struct BothSearches<M> {
    own: Searching<M>,
    pairs: Searching<ClosePairs>,
}

impl<M: Meeting> BothSearches<M> {
    pub(super) fn new(meeting: M) -> Self {
        Self { own: Searching::new(meeting), pairs: Searching::new(ClosePairs) }
    }
}

impl<M: Meeting> StoredSearch for BothSearches<M> {
    fn ask(&self, holdings: &dyn Holdings, askers: &[&[u8]]) -> io::Result<Vec<Found>> {
        let parts: Vec<(&[u8], &[u8])> = askers
            .iter()
            .map(|image| split(image).ok_or_else(no_image))
            .collect::<io::Result<_>>()?;
        let of_own: Vec<&[u8]> = parts.iter().map(|parts| parts.0).collect();
        let mut all = self.own.ask(&OwnHoldings(holdings), &of_own)?;
        for ((_, pairs), found) in parts.iter().zip(&mut all).filter(|(part, _)| !part.1.is_empty())
        {
            for close in self.pairs.ask(holdings, &[pairs])? {
                add(found, 0, &close);
            }
        }
        Ok(all)
    }

    fn matches(
        &self,
        holdings: &dyn Holdings,
        asker: &[u8],
        docs: &[u32],
        n_documents: u64,
    ) -> io::Result<Matches> {
        self.own.matches(&OwnHoldings(holdings), own(asker), docs, n_documents)
    }
}

/// What is held, with the method's own part of images.
struct OwnHoldings<'a>(&'a dyn Holdings);

impl Holdings for OwnHoldings<'_> {
    fn n_ordinals(&self) -> usize {
        self.0.n_ordinals()
    }

    fn list(&self, key: u64, out: &mut Vec<(u32, u32)>) -> io::Result<()> {
        self.0.list(key, out)
    }

    fn facts(&self, doc: u32) -> io::Result<&[u8]> {
        self.0.facts(doc)
    }

    fn image(&self, doc: u32, out: &mut Vec<u8>) -> io::Result<()> {
        let mut image = Vec::new();
        self.0.image(doc, &mut image)?;
        out.extend_from_slice(own(&image));
        Ok(())
    }

    fn order(&self, doc: u32) -> io::Result<u64> {
        self.0.order(doc)
    }

    fn tiny(&self, each: &mut dyn FnMut(u64, u32)) -> io::Result<()> {
        self.0.tiny(each)
    }

    fn code_sets(&self, each: &mut dyn FnMut(u32, &[u8]) -> io::Result<()>) -> io::Result<()> {
        self.0.code_sets(each)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::super::{Detector, Profile, make};
    use super::*;
    use crate::candidates::both::{agreed, ordinals};
    use crate::candidates::meeting::SeenKeys;
    use crate::document::Document;
    use crate::features::{Featurizer, Places, TextSettings, Words};

    fn detector() -> Box<dyn Detector> {
        let parameters = Map::from_iter([("edits".to_owned(), json!("heavy"))]);
        make("anchor", Profile::Retold, &parameters, 1).expect("a method")
    }

    fn image(detector: &dyn Detector, words: impl IntoIterator<Item = u64>) -> Box<[u8]> {
        let words: Vec<String> = words.into_iter().map(|word| format!("w{word}")).collect();
        let featurizer = Featurizer::new(TextSettings::default(), 1).with_content(true);
        let document = Document::plain("d", words.join(" "));
        featurizer
            .read(&document, Places::Dropped, None, &mut Words::default(), |reading, _| {
                detector.image(reading)
            })
            .expect("long enough")
    }

    /// Every third word is another one.
    fn reworded(words: std::ops::Range<u64>) -> impl Iterator<Item = u64> {
        words.map(|word| if word.is_multiple_of(3) { word + 1_000_000 } else { word })
    }

    #[test]
    fn what_either_search_finds_is_found_by_all_engines() {
        let detector = detector();
        let of = |words: Vec<u64>| image(&*detector, words);
        let images = [
            of((0..300).collect()),
            of(reworded(0..300).collect()),
            of((5_000..5_300).collect()),
            of((100..200).chain(9_000..9_100).collect()),
            of((7_000..7_050).chain(reworded(5_100..5_160)).collect()),
        ];
        let (found, _) = agreed(&images, None, &mut *detector.window(), |store, setup, each| {
            detector.search(store, setup, each)
        });
        assert_eq!(ordinals(&found), [vec![], vec![0], vec![], vec![0, 1], vec![2]]);
        let searched = |at: usize| detector.judge(&images[at], &images[0]).is_some();
        assert_eq!([searched(1), searched(2), searched(3)], [true, false, true]);
    }

    #[test]
    fn what_a_crowd_has_seen_leaves_both_parts() {
        let detector = detector();
        let image = image(&*detector, 0..300);
        let mut seen = SeenKeys::default();
        assert_eq!(detector.unseen(&image, &mut seen).as_deref(), Some(&*image));
        assert_eq!(detector.unseen(&image, &mut seen), None);
    }

    #[test]
    fn bytes_that_are_no_image_are_refused() {
        let detector = detector();
        for bytes in [&[][..], &[1], &[1, 200], &[9, 1, 1, 1], &[1, 1, 1, 7, 7, 7]] {
            assert!(detector.entry(bytes).is_none());
            assert!(detector.window().insert(Ordinal(0), bytes).is_err(), "{bytes:?}");
            assert!(detector.stored().matches(&Nothing, bytes, &[], 1).is_err());
        }
    }

    struct Nothing;

    impl Holdings for Nothing {
        fn n_ordinals(&self) -> usize {
            0
        }
        fn list(&self, _: u64, _: &mut Vec<(u32, u32)>) -> io::Result<()> {
            Ok(())
        }
        fn facts(&self, _: u32) -> io::Result<&[u8]> {
            Ok(&[])
        }
        fn image(&self, _: u32, _: &mut Vec<u8>) -> io::Result<()> {
            Ok(())
        }
        fn order(&self, _: u32) -> io::Result<u64> {
            Ok(0)
        }
        fn tiny(&self, _: &mut dyn FnMut(u64, u32)) -> io::Result<()> {
            Ok(())
        }
        fn code_sets(&self, _: &mut dyn FnMut(u32, &[u8]) -> io::Result<()>) -> io::Result<()> {
            Ok(())
        }
    }
}
