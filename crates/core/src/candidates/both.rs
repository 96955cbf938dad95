//! For tests: what documents find, through every engine.

use std::collections::BTreeMap;
use std::io;

use super::block::{
    Answer, Block, BlockSearch as _, Blocks, CodePart, Shuffled, n_first, pairs_of_part,
    put_code_parts, put_lists,
};
use super::growing::Growing;
use super::lists::short_key;
use super::meeting::Payload as _;
use super::sealed::{Each, SearchError, SearchSetup, Searched, search};
use super::stored::{Entry, Holdings, Searching, StoredSearch};
use super::{Cuts, Found, Meeting, Partner, Window, probe};
use crate::document::Ordinal;
use crate::encode::{Encoded, Input, from_bytes, to_bytes};
use crate::executor::Inline;
use crate::image::images::{Images, whole};
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
        search(&meeting(), (store, whole), setup, each)
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
    if border.is_none() && images.len() <= 3_000 {
        for block_docs in [7, 1 << 40] {
            let by_blocks = found_by_blocks(&meeting, &images, block_docs);
            assert_eq!(by_blocks, found, "blocks of {block_docs}");
        }
    }
    found
}

/// Searches as a cluster does: postings are shuffled by key, lists by block, wanted images come in a
/// second round. Numbers of documents have gaps.
fn found_by_blocks<M: Meeting>(
    meeting: &impl Fn() -> M,
    images: &[Box<[u8]>],
    block_docs: u64,
) -> (Vec<Vec<Partner>>, Cuts) {
    let number = |doc: usize| doc as u64 * 3 + 5;
    let place = |number: u64| Ordinal((number as u32 - 5) / 3);
    let typed: Vec<M::Image> = images.iter().map(|image| from_bytes(image).expect("one")).collect();
    let facts_of = |image: &M::Image| {
        let mut facts = Vec::new();
        meeting().facts(image).encode(&mut facts);
        facts
    };
    let facts: Vec<Vec<u8>> = typed.iter().map(facts_of).collect();
    let mut postings: BTreeMap<u64, Vec<(usize, u32)>> = BTreeMap::new();
    let mut parts: BTreeMap<u64, Vec<(u64, CodePart)>> = BTreeMap::new();
    for (doc, image) in typed.iter().enumerate() {
        meeting().keys(image, |key, payload| {
            postings.entry(short_key(key)).or_default().push((doc, payload.to_bits()));
        });
        let n_parts = if block_docs > 100 { 1 } else { 256 };
        put_code_parts(&meeting(), image, n_parts, |part, of_part| {
            parts.entry(part).or_default().push((number(doc), of_part));
        });
    }
    let means = |bits| M::Payload::from_bits(bits);
    let mut lists: BTreeMap<u64, Vec<(u64, Vec<u8>)>> = BTreeMap::new();
    for (key, mut list) in postings {
        list.sort_unstable();
        list.dedup();
        let shuffled = |&(doc, payload): &(usize, u32)| Shuffled {
            doc: number(doc),
            payload,
            facts: &facts[doc],
        };
        let list: Vec<Shuffled<'_>> = list.iter().map(shuffled).collect();
        let meaning: (&dyn Fn(u32) -> bool, &dyn Fn(u32) -> bool) =
            (&|bits| means(bits).holds(), &|bits| means(bits).asks());
        let blocks = Blocks { n_docs: block_docs, n_first: n_first(&meeting().limits()) };
        put_lists(&list, blocks, meaning, |block, bytes| {
            lists.entry(block).or_default().push((key, bytes.to_vec()));
        });
    }
    let mut found = vec![Vec::new(); images.len()];
    let mut cuts = Cuts::default();
    let stop = meeting().limits().stop;
    let mut by_codes: BTreeMap<(u64, u64), (u32, u32)> = BTreeMap::new();
    for part in parts.into_values() {
        let (mut tiny, mut sets) = (Vec::new(), Vec::new());
        for (doc, of_part) in &part {
            match of_part {
                CodePart::Tiny { code, needed } => tiny.push((*doc, *code, *needed)),
                CodePart::Set(set) => sets.push((*doc, &set[..])),
            }
        }
        for pair in pairs_of_part(&tiny, &sets, stop, &mut cuts).expect("sets are read back") {
            by_codes.entry((pair.asker, pair.other)).or_insert((0, pair.needed)).0 += pair.n;
        }
    }
    for (block, lists) in &lists {
        let askers: Vec<usize> =
            (0..images.len()).filter(|&doc| number(doc) / block_docs == *block).collect();
        let mut wanted: Vec<u64> = Vec::new();
        for round in 0.. {
            assert!(round < 10, "images that are there are wanted");
            let n_wanted = wanted.len();
            let mut answers = Vec::new();
            let mut search = Block::new(meeting());
            for (key, list) in lists {
                search.add_list(*key, list).expect("lists are read back");
            }
            for &doc in &wanted {
                search.add_image(doc, &images[place(doc).index()]);
            }
            search.seal();
            for &asker in &askers {
                match search.ask(number(asker), &images[asker]).expect("an image") {
                    Answer::Wanted(more) => wanted.extend(more),
                    Answer::Found { partners, cuts, .. } => answers.push((asker, partners, cuts)),
                }
            }
            if wanted.len() > n_wanted {
                continue;
            }
            for (asker, partners, of_asker) in answers {
                cuts.add(&of_asker);
                found[asker] = partners
                    .into_iter()
                    .map(|(doc, partner)| Partner { ordinal: place(doc), ..partner })
                    .collect();
            }
            break;
        }
    }
    let mut met: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for ((asker, other), (n, needed)) in by_codes {
        if n >= needed {
            met.entry(place(asker).0).or_default().push(place(other).0);
        }
    }
    for (asker, others) in met {
        let mut own = Found { partners: found[asker as usize].clone(), ..Found::default() };
        probe::unite(&mut own, 0, &others);
        found[asker as usize] = own.partners;
    }
    (found, cuts)
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
            runs: None,
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
