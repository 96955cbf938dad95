//! What a stored index keeps of a document for one method.

use crate::encode::{Encoded, Input, put_number};

/// Everything a stored index keeps of one document for one method.
///
/// ```
/// use retold_core::candidates::stored::Entry;
/// use retold_core::encode::{from_bytes, to_bytes};
/// let entry = Entry { keys: vec![(7, 0), (9, 1)], facts: vec![3], ..Entry::default() };
/// assert_eq!(from_bytes::<Entry>(&to_bytes(&entry)), Some(entry));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Keys under which others find the document, with their payloads, ascending and each pair
    /// once. Of a key the lower [`KEY_BITS`](super::KEY_BITS) bits are used.
    pub keys: Vec<(u64, u32)>,
    /// Its facts, encoded: the same number of bytes for every document of the method, or fewer.
    pub facts: Vec<u8>,
    /// Its image, encoded, where the method wants it kept.
    pub image: Option<Box<[u8]>>,
    /// Codes of a tiny document, ascending and each once.
    pub codes: Vec<u64>,
    /// Code set of a long document, encoded.
    pub code_set: Option<Box<[u8]>>,
}

impl Encoded for Entry {
    fn encode(&self, out: &mut Vec<u8>) {
        let Self { keys, facts, image, codes, code_set } = self;
        put_number(keys.len() as u64, out);
        let mut last = 0;
        for &(key, payload) in keys {
            put_number(key - last, out);
            put_number(u64::from(payload), out);
            last = key;
        }
        put_bytes(facts, out);
        put_number(codes.len() as u64, out);
        for &code in codes {
            code.encode(out);
        }
        for bytes in [image, code_set] {
            out.push(u8::from(bytes.is_some()));
            if let Some(bytes) = bytes {
                put_bytes(bytes, out);
            }
        }
    }

    fn decode(input: &mut Input<'_>) -> Option<Self> {
        let n = input.count()?;
        let mut keys = Vec::with_capacity(n);
        let mut key = 0u64;
        for _ in 0..n {
            key = key.checked_add(input.number()?)?;
            keys.push((key, u32::try_from(input.number()?).ok()?));
        }
        let facts = get_bytes(input)?.to_vec();
        let n = input.count()?;
        let codes = (0..n).map(|_| u64::decode(input)).collect::<Option<_>>()?;
        let image = get_optional(input)?;
        let code_set = get_optional(input)?;
        Some(Self { keys, facts, image, codes, code_set })
    }
}

fn put_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    put_number(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

fn get_bytes<'a>(input: &mut Input<'a>) -> Option<&'a [u8]> {
    let n = input.count()?;
    input.take(n)
}

fn get_optional(input: &mut Input<'_>) -> Option<Option<Box<[u8]>>> {
    match input.take(1)? {
        [0] => Some(None),
        [1] => Some(Some(get_bytes(input)?.into())),
        _ => None,
    }
}
