//! A stored index: what stands behind its checksums, and files that are not as they were written.

use std::sync::{Arc, LazyLock};

use retold_core::candidates::stored::Entry;
use retold_core::encode::{Encoded, from_bytes, to_bytes};
use retold_core::image::bag::Bag;
use retold_core::image::feature_set::FeatureSet;
use retold_core::image::packed_rows::PackedRows;
use retold_core::image::pair_sample::PairSample;
use retold_core::image::rhythm::Rhythm;
use retold_core::image::sentence_tree::SentenceTree;
use retold_index::disk::Simulated;
use retold_index::{Disk, Kept, Put, Settings, Snapshot, Writer, check, decoders};

/// Decodes what methods keep of a document. What can be decoded is written again, and decoded as the same.
pub(crate) fn images(bytes: &[u8]) {
    let Some((&which, image)) = bytes.split_first() else { return };
    match which % 7 {
        0 => again::<Entry>(image),
        1 => again::<Bag>(image),
        2 => again::<FeatureSet>(image),
        3 => again::<PackedRows>(image),
        4 => again::<PairSample>(image),
        5 => again::<Rhythm>(image),
        _ => again::<SentenceTree>(image),
    }
}

fn again<T: Encoded>(bytes: &[u8]) {
    if let Some(value) = from_bytes::<T>(bytes) {
        let written = to_bytes(&value);
        let value = from_bytes::<T>(&written).expect("what was written can be read");
        assert_eq!(to_bytes(&value), written, "reading and writing change nothing");
    }
}

/// Decodes a record of the log; the first byte is its kind.
pub(crate) fn log_record(bytes: &[u8]) {
    if let Some((&kind, payload)) = bytes.split_first() {
        decoders::log_record(kind, payload);
    }
}

/// Reads a manifest of this JSON.
pub(crate) fn manifest(bytes: &[u8]) {
    decoders::manifest(bytes);
}

/// Reads the JSON at the end of a part; the first two bytes say how long the part is.
pub(crate) fn part_footer(bytes: &[u8]) {
    if let Some((end, json)) = bytes.split_first_chunk::<2>() {
        decoders::part_footer(json, u64::from(u16::from_le_bytes(*end)));
    }
}

/// An index of two parts with something removed, a log, a state and an attachment.
static WHOLE: LazyLock<(Vec<String>, Simulated)> = LazyLock::new(|| {
    let disk = Simulated::new();
    let mut settings = Settings::new(serde_json::json!({ "methods": ["anchor"] }), 1);
    settings.limits.most_bytes = 1 << 12;
    let shared: Arc<dyn Disk> = Arc::new(disk.clone());
    let mut writer = Writer::create(shared, settings).expect("memory can be written");
    for number in 0..120_u64 {
        let keys = (0..8).map(|key| (number % 7 + key, key as u32)).collect();
        let entry = Entry { keys, facts: vec![3, number as u8], ..Entry::default() };
        let kept = Kept { identity: Some(u128::from(number % 5)), entry: Some(entry) };
        let put = Put {
            id: format!("d{number}"),
            time: Some(number.cast_signed()),
            text: format!("text of number {number}, told again").into_bytes(),
            methods: vec![Some(kept)],
            ..Put::default()
        };
        writer.put(put).expect("memory can be written");
        if number % 20 == 19 {
            writer.remove(&format!("d{}", number / 2)).expect("memory can be written");
            writer.commit().expect("memory can be written");
        }
    }
    drop(writer);
    (disk.list().expect("memory can be read"), disk)
});

/// Changes bytes of the files of an index, three to a change: file, place and what is added. It is opened and
/// read, or its damage is told; a document that is read is one that was written.
pub(crate) fn files(bytes: &[u8]) {
    let (names, whole) = &*WHOLE;
    let disk = whole.fork();
    for change in bytes.chunks_exact(4).take(8) {
        let name = &names[usize::from(change[0]) % names.len()];
        let mut content = disk.content(name).unwrap_or_default();
        let at = usize::from(u16::from_le_bytes([change[1], change[2]]));
        match change[3] {
            0 => content.truncate(at),
            by => {
                let n = content.len().max(1);
                if let Some(byte) = content.get_mut(at % n) {
                    *byte = byte.wrapping_add(by);
                }
            }
        }
        disk.set_content(name, content);
    }
    let told = check(&disk);
    let Ok(snapshot) = Snapshot::open(&disk) else { return };
    for ordinal in snapshot.ordinals() {
        if let Ok(stored) = snapshot.document(ordinal) {
            let text = String::from_utf8(stored.text).expect("what was written is UTF-8");
            let number = stored.id.trim_start_matches('d');
            assert_eq!(text, format!("text of number {number}, told again"), "{told:?}");
        }
    }
    for key in 0..16 {
        let _ = snapshot.list(0, key, &mut Vec::new());
    }
}
