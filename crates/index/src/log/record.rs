//! The records of a log, as bytes and back.

use std::borrow::Cow;

use retold_core::candidates::stored::Entry;
use retold_core::encode::{Encoded as _, Input, put_number};

use crate::document::{Kept, Put, check_entry};

const PUT: u8 = 1;
const REMOVE: u8 = 2;
const STATE: u8 = 3;
pub(super) const COMMIT: u8 = 4;
const EXPIRE: u8 = 5;
pub(super) const SYNCED: u8 = 6;

/// One record of a log.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Record<'a> {
    /// A document, with its sequence number, and its entries if they are encoded already.
    Put(Cow<'a, Put>, u64),
    /// The document with this id goes.
    Remove(Cow<'a, str>),
    /// A state gets a value, or goes.
    State(Cow<'a, str>, Option<Cow<'a, [u8]>>),
    /// All documents older than this go.
    Expire(i64),
    /// All since the commit before is there, under this number.
    Commit(u64),
    /// The commit before this record was synced.
    Synced(u64),
}

impl Record<'_> {
    pub(super) fn kind(&self) -> u8 {
        match self {
            Self::Put(..) => PUT,
            Self::Remove(_) => REMOVE,
            Self::State(..) => STATE,
            Self::Expire(_) => EXPIRE,
            Self::Commit(_) => COMMIT,
            Self::Synced(_) => SYNCED,
        }
    }

    /// Reads a record; `None` if it holds nonsense.
    pub(crate) fn read(kind: u8, payload: &[u8]) -> Option<Record<'static>> {
        let mut input = Input::new(payload);
        let record = match kind {
            PUT => {
                let (put, seq) = read_document(&mut input)?;
                Record::Put(Cow::Owned(put), seq)
            }
            REMOVE => Record::Remove(Cow::Owned(text(&mut input)?)),
            STATE => {
                let name = text(&mut input)?;
                let value = match input.take(1)? {
                    [0] => None,
                    [1] => Some(Cow::Owned(string(&mut input)?.to_vec())),
                    _ => return None,
                };
                Record::State(Cow::Owned(name), value)
            }
            EXPIRE => Record::Expire(u64::decode(&mut input)?.cast_signed()),
            COMMIT => Record::Commit(u64::decode(&mut input)?),
            SYNCED => Record::Synced(u64::decode(&mut input)?),
            _ => return None,
        };
        input.is_empty().then_some(record)
    }
}

/// Appends the payload of a record.
pub(crate) fn put_record(record: &Record<'_>, out: &mut Vec<u8>) {
    match record {
        Record::Put(put, seq) => put_document(put, *seq, out),
        Record::Remove(id) => put_string(id.as_bytes(), out),
        Record::State(name, value) => {
            put_string(name.as_bytes(), out);
            out.push(u8::from(value.is_some()));
            if let Some(value) = value {
                put_string(value, out);
            }
        }
        Record::Expire(before) => out.extend_from_slice(&before.to_le_bytes()),
        Record::Commit(number) | Record::Synced(number) => {
            out.extend_from_slice(&number.to_le_bytes());
        }
    }
}

fn put_document(put: &Put, seq: u64, out: &mut Vec<u8>) {
    let Put { id, time, record, text, methods } = put;
    seq.encode(out);
    put_string(id.as_bytes(), out);
    out.push(u8::from(time.is_some()));
    if let Some(time) = time {
        out.extend_from_slice(&time.to_le_bytes());
    }
    put_string(record, out);
    put_string(text, out);
    put_number(methods.len() as u64, out);
    for kept in methods {
        let Some(Kept { identity, entry }) = kept else {
            out.push(0);
            continue;
        };
        out.push(1 | u8::from(identity.is_some()) << 1 | u8::from(entry.is_some()) << 2);
        if let Some(identity) = identity {
            out.extend_from_slice(&identity.to_le_bytes());
        }
        if let Some(entry) = entry {
            entry.encode(out);
        }
    }
}

fn read_document(input: &mut Input<'_>) -> Option<(Put, u64)> {
    let seq = u64::decode(input)?;
    let id = text(input)?;
    let time = match input.take(1)? {
        [0] => None,
        [1] => Some(u64::decode(input)?.cast_signed()),
        _ => return None,
    };
    let record = string(input)?.to_vec();
    let text = string(input)?.to_vec();
    let n_methods = input.count()?;
    let mut methods = Vec::with_capacity(n_methods);
    for _ in 0..n_methods {
        let [flags] = *input.take(1)? else { return None };
        if flags > 7 || flags > 0 && flags & 1 == 0 {
            return None;
        }
        if flags == 0 {
            methods.push(None);
            continue;
        }
        let identity = match flags & 2 {
            0 => None,
            _ => Some(u128::from_le_bytes(input.take(16)?.try_into().ok()?)),
        };
        let entry = match flags & 4 {
            0 => None,
            _ => Some(Entry::decode(input)?).filter(|entry| check_entry(entry).is_ok()),
        };
        if flags & 4 != 0 && entry.is_none() {
            return None;
        }
        methods.push(Some(Kept { identity, entry }));
    }
    Some((Put { id, time, record, text, methods }, seq))
}

fn put_string(bytes: &[u8], out: &mut Vec<u8>) {
    put_number(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

fn string<'a>(input: &mut Input<'a>) -> Option<&'a [u8]> {
    let n = usize::try_from(input.number()?).ok()?;
    input.take(n)
}

fn text(input: &mut Input<'_>) -> Option<String> {
    String::from_utf8(string(input)?.to_vec()).ok()
}
