//! For tests: what documents find, through every engine.

use super::growing::Growing;
use super::sealed::{Each, SearchError, SearchSetup, Searched, search};
use super::{Cuts, Found, Meeting, Partner, Window};
use crate::document::Ordinal;
use crate::encode::to_bytes;
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
    found
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
        let setup = SearchSetup { border, memory_bytes, scratch: &InMemory, executor: &Inline };
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
