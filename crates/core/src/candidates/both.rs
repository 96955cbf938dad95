//! For tests: what documents find, through every engine.

use std::collections::BTreeMap;
use std::io;

use super::growing::Growing;
use super::sealed::{Each, SearchError, SearchSetup, Searched, search};
use super::stored::{Entry, Holdings, Searching, StoredSearch};
use super::{Cuts, Found, Meeting, Partner, Window};
use crate::document::Ordinal;
use crate::encode::{Encoded, Input, from_bytes, to_bytes};
use crate::executor::Inline;
use crate::image::images::Images;
use crate::scratch::InMemory;

/// Returns what every document finds among those before it (or before `border`), and what was cut;
/// all engines have to agree.
pub(crate) fn found_by_all<M: Meeting>(
    meeting: impl Fn() -> M,
    images: &[M::Image],
    border: Option<u32>,
) -> (Vec<Vec<Partner>>, Cuts) {
    let images: Vec<Box<[u8]>> = images.iter().map(to_bytes).collect();
    let mut window = Growing::new(meeting());
    let found = agreed(&images, border, &mut window, |store, setup, each| {
        search(&meeting(), store, setup, each)
    });
    assert!(window.is_empty(), "who left is as if never come");
    let mut held = MapOfEntries::default();
    let mut cuts = Cuts::default();
    // A stored index is made anew for every document that asks.
    let n_asked = if images.len() <= 300 { images.len() } else { 0 };
    for (doc, image) in images[..n_asked].iter().enumerate() {
        if border.is_none_or(|border| doc >= border as usize) {
            let searching = Searching::new(meeting());
            let answers = searching.ask(&held, &[image]).expect("nothing fails in memory");
            assert_eq!(answers[0].partners, found.0[doc], "stored, document {doc}");
            cuts.add(&answers[0].cuts);
        }
        if border.is_none_or(|border| doc < border as usize) {
            let typed = from_bytes(image).expect("an image");
            held.add(&Entry::of(&meeting(), &typed, image), image);
        }
    }
    assert!(n_asked == 0 || cuts == found.1, "cuts of what is stored: {cuts:?}");
    found
}

/// The plainest index there is, in which documents have the order of their coming.
#[derive(Default)]
struct MapOfEntries {
    lists: BTreeMap<u64, Vec<(u32, u32)>>,
    entries: Vec<(Entry, Box<[u8]>)>,
}

impl MapOfEntries {
    fn add(&mut self, entry: &Entry, image: &[u8]) {
        let mut written = Vec::new();
        entry.encode(&mut written);
        let entry = Entry::decode(&mut Input::new(&written)).expect("as just written");
        for &(key, payload) in &entry.keys {
            self.lists.entry(key).or_default().push((self.entries.len() as u32, payload));
        }
        self.entries.push((entry, image.into()));
    }
}

impl Holdings for MapOfEntries {
    fn n_ordinals(&self) -> usize {
        self.entries.len()
    }

    fn list(&self, key: u64, out: &mut Vec<(u32, u32)>) -> io::Result<()> {
        out.extend(self.lists.get(&key).into_iter().flatten());
        Ok(())
    }

    fn facts(&self, doc: u32) -> io::Result<&[u8]> {
        Ok(&self.entries[doc as usize].0.facts)
    }

    fn image(&self, doc: u32, out: &mut Vec<u8>) -> io::Result<()> {
        let (entry, image) = &self.entries[doc as usize];
        assert!(entry.image.as_ref().is_none_or(|kept| kept == image));
        out.extend_from_slice(image);
        Ok(())
    }

    fn order(&self, doc: u32) -> io::Result<u64> {
        Ok(u64::from(doc))
    }

    fn tiny(&self, each: &mut dyn FnMut(u64, u32)) -> io::Result<()> {
        for ((entry, _), doc) in self.entries.iter().zip(0..) {
            entry.codes.iter().for_each(|&code| each(code, doc));
        }
        Ok(())
    }

    fn code_sets(&self, each: &mut dyn FnMut(u32, &[u8]) -> io::Result<()>) -> io::Result<()> {
        for ((entry, _), doc) in self.entries.iter().zip(0..) {
            if let Some(set) = &entry.code_set {
                each(doc, set)?;
            }
        }
        Ok(())
    }
}

/// The same with the engines given: an empty window, which all documents leave in the end, and the
/// search of a complete collection.
pub(crate) fn agreed(
    images: &[Box<[u8]>],
    border: Option<u32>,
    window: &mut dyn Window,
    search: impl Fn(&Images, &SearchSetup<'_>, &mut Each<'_>) -> Result<Searched, SearchError>,
) -> (Vec<Vec<Partner>>, Cuts) {
    let mut expected = Vec::new();
    let mut cuts = Cuts::default();
    for (doc, image) in (0..).zip(images) {
        let mut found = Found::default();
        match border {
            Some(border) if doc < border => {}
            _ => {
                let before = Ordinal(border.unwrap_or(doc));
                window.ask(image, before, &mut found).expect("images can be read back");
            }
        }
        if border.is_none_or(|border| doc < border) {
            window.insert(Ordinal(doc), image).expect("an image");
        }
        cuts.add(&found.cuts);
        expected.push(found.partners);
    }
    for memory_bytes in [1 << 30, 4000, 0] {
        let mut store = Images::new(memory_bytes);
        for (doc, image) in (0..).zip(images) {
            store.push(Ordinal(doc), image, &InMemory).expect("memory takes it");
        }
        let border = border.map(Ordinal);
        let setup = SearchSetup {
            border,
            without_passages: false,
            memory_bytes,
            scratch: &InMemory,
            executor: &Inline,
        };
        let mut sealed = vec![Vec::new(); images.len()];
        let searched = search(&store, &setup, &mut |asker, partners| {
            sealed[asker.index()] = partners.to_vec();
            Ok(())
        })
        .expect("nothing fails in memory");
        assert_eq!(sealed, expected, "sealed, with {memory_bytes} bytes");
        assert_eq!(searched.cuts, cuts, "cuts, with {memory_bytes} bytes");
    }
    for doc in 0..images.len() as u32 {
        window.remove(Ordinal(doc)).expect("it is there");
    }
    (expected, cuts)
}

/// Returns the ordinals of what every document finds.
pub(crate) fn ordinals(found: &[Vec<Partner>]) -> Vec<Vec<u32>> {
    let of = |partners: &Vec<Partner>| partners.iter().map(|partner| partner.ordinal.0).collect();
    found.iter().map(of).collect()
}
