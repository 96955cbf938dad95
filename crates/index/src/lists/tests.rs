use proptest::prelude::*;
use retold_core::hash::Random;

use super::*;
use crate::format::Sink;

fn written(postings: &[Posting], n_docs: u32) -> (Option<Lists>, Stored) {
    let mut sink = Sink::in_memory();
    let mut writer = ListsWriter::new(&sink, n_docs);
    for &posting in postings {
        writer.push(posting, &mut sink).expect("memory takes it");
    }
    let lists = writer.finish(&mut sink).expect("memory takes it");
    (lists, Stored::in_memory("lists".to_owned(), sink.into_bytes()))
}

fn come_back(postings: &[Posting], n_docs: u32) {
    let (lists, file) = written(postings, n_docs);
    let Some(lists) = lists else {
        assert!(postings.is_empty());
        return;
    };
    assert_eq!(lists.n_postings, postings.len() as u64);
    let first_keys = FirstKeys::default();
    let mut cursor = lists.cursor(n_docs, &first_keys, &file).expect("it is whole");
    let mut found = Vec::new();
    while let Some(posting) = cursor.peek().expect("it is whole") {
        found.push(posting);
        cursor.advance();
    }
    assert_eq!(found, postings);
    for list in postings.chunk_by(|a, b| a.0 == b.0) {
        let key = list[0].0;
        let mut found = Vec::new();
        lists
            .look_up(key, n_docs, &first_keys, &file, |doc, payload| {
                found.push((key, doc, payload));
            })
            .expect("it is whole");
        assert_eq!(found, list);
    }
    for key in postings.iter().map(|posting| posting.0.wrapping_add(1)).take(100) {
        if postings.binary_search_by_key(&key, |posting| posting.0).is_err() {
            let unexpected = |_, _| panic!("no list has this key");
            lists.look_up(key, n_docs, &first_keys, &file, unexpected).expect("it is whole");
        }
    }
}

proptest! {
    #[test]
    fn lists_come_back(
        mut postings in prop::collection::vec((any::<u64>(), 0u32..70_000, any::<u32>()), 0..900),
        shift in 0u32..64,
        payload_shift in 0u32..33,
    ) {
        for posting in &mut postings {
            posting.0 >>= shift;
            posting.2 = posting.2.checked_shr(payload_shift).unwrap_or(0);
        }
        postings.sort_unstable();
        postings.dedup();
        come_back(&postings, 70_000);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 1016)) {
        let mut n = 0u32;
        let _ = Block::new(&bytes).read(7, None, 100, |_, _, _| n += 1);
        prop_assert!(n < 1 << 30);
    }
}

#[test]
fn long_lists_go_over_several_blocks() {
    let mut postings = vec![(3, 5, 0)];
    postings.extend((0..50_000).map(|doc| (7, doc, 0)));
    postings.push((9, 0, 0));
    postings.extend((0..50_000).map(|doc| (u64::MAX, doc, doc % 5)));
    come_back(&postings, 50_000);
    come_back(&(0..30_000).map(|key| (key, 0, 0)).collect::<Vec<_>>(), 1);
    come_back(&[(0, 0, u32::MAX), (u64::MAX, 0, 0)], 1);
}

#[test]
fn a_posting_takes_less_than_five_bytes() {
    let mut random = Random::new(3);
    let mut postings: Vec<Posting> =
        (0..1_000_000).map(|_| (random.next_u64() >> 24, random.below(10_000) as u32, 0)).collect();
    postings.sort_unstable();
    postings.dedup();
    let (lists, file) = written(&postings, 10_000);
    let bytes = file.len as f64 / lists.expect("there are lists").n_postings as f64;
    // The distances carry 20 + 1.5 bits, the documents 14.
    assert!(bytes < 4.75, "{bytes} bytes a posting");
}
