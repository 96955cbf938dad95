//! A log of frames, each with a checksum, of which whatever was not written whole is cut off.
//!
//! A frame is its kind (one byte), the length of its payload (four bytes), a hash of all that with the
//! number of the frame (eight bytes), and the payload; numbers have their lowest byte first.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};

use retold_core::hash;

/// Bytes before the payload of a frame.
const HEADER_BYTES: usize = 1 + 4 + 8;
/// Bytes after which what was written is made durable. What is lost before costs only time.
const SYNC_BYTES: u64 = 64 << 20;

/// A log that is open.
pub(super) struct Frames {
    file: File,
    /// Where the next frame begins.
    end: u64,
    n_whole: u64,
    n_unsynced: u64,
}

/// Hears of a frame: its kind and its payload. The answer is for the caller to define.
type Each<'a> = dyn FnMut(u8, &[u8]) -> bool + 'a;

impl Frames {
    /// Opens a log and hands over its frames. What stands behind the last one of which `counts` says
    /// that all up to it counts is cut off.
    pub(super) fn open(file: File, counts: &mut Each<'_>) -> io::Result<Self> {
        let mut open = Self { file, end: u64::MAX, n_whole: u64::MAX, n_unsynced: 0 };
        let (mut end, mut n_whole, mut n_read) = (0, 0, 0);
        let mut at = 0;
        open.each(&mut |kind, payload| {
            at += (HEADER_BYTES + payload.len()) as u64;
            n_read += 1;
            if counts(kind, payload) {
                (end, n_whole) = (at, n_read);
            }
            true
        })?;
        (open.end, open.n_whole) = (end, n_whole);
        open.file.set_len(end)?;
        Ok(open)
    }

    /// Hands over the frames up to the first that is not whole, as long as `each` wants more.
    pub(super) fn each(&self, each: &mut Each<'_>) -> io::Result<()> {
        let len = self.file.metadata()?.len().min(self.end);
        let mut reader = BufReader::with_capacity(1 << 20, &self.file);
        reader.seek(SeekFrom::Start(0))?;
        let (mut at, mut payload) = (0, Vec::new());
        for number in 0..self.n_whole {
            let mut header = [0; HEADER_BYTES];
            if at + HEADER_BYTES as u64 > len {
                break;
            }
            reader.read_exact(&mut header)?;
            at += HEADER_BYTES as u64;
            let (start, checksum) = header.split_at(5);
            let n_bytes = u32::from_le_bytes([start[1], start[2], start[3], start[4]]);
            if u64::from(n_bytes) > len - at {
                break;
            }
            payload.resize(n_bytes as usize, 0);
            reader.read_exact(&mut payload)?;
            at += u64::from(n_bytes);
            if checksum != checksum_of(start, &payload, number) || !each(start[0], &payload) {
                break;
            }
        }
        Ok(())
    }

    /// Writes a frame behind the others.
    pub(super) fn append(&mut self, kind: u8, payload: &[u8]) -> io::Result<()> {
        let too_long = |_| io::Error::other("more than four gigabytes in one piece");
        let n_bytes = u32::try_from(payload.len()).map_err(too_long)?;
        let mut header = vec![kind];
        header.extend_from_slice(&n_bytes.to_le_bytes());
        let checksum = checksum_of(&header, payload, self.n_whole);
        header.extend_from_slice(&checksum);
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(&header)?;
        self.file.write_all(payload)?;
        let n_written = (header.len() + payload.len()) as u64;
        self.end += n_written;
        self.n_whole += 1;
        self.n_unsynced += n_written;
        if self.n_unsynced >= SYNC_BYTES { self.sync() } else { Ok(()) }
    }

    /// Makes what was written durable.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.n_unsynced = 0;
        self.file.sync_data()
    }
}

fn checksum_of(start: &[u8], payload: &[u8], number: u64) -> [u8; 8] {
    (hash::bytes(payload, number) ^ hash::mix(hash::bytes(start, number))).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Opens a file as a log in which frames of kind 2 count; returns their payloads.
    fn opened(bytes: &[u8]) -> (Frames, Vec<Vec<u8>>) {
        let mut file = tempfile::tempfile().expect("a file for a test");
        file.write_all(bytes).expect("it can be written");
        let frames = Frames::open(file, &mut |kind, _| kind == 2).expect("it can be read");
        let mut payloads = Vec::new();
        let listed = frames.each(&mut |_, payload| {
            payloads.push(payload.to_vec());
            true
        });
        listed.expect("it can be read");
        (frames, payloads)
    }

    fn bytes(frames: &Frames) -> Vec<u8> {
        let mut file = &frames.file;
        file.seek(SeekFrom::Start(0)).expect("a file");
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).expect("it can be read");
        bytes
    }

    /// A log of `a b|c|d`, where `|` is behind what counts.
    fn log() -> Vec<u8> {
        let (mut frames, _) = opened(&[]);
        for (kind, payload) in [(1, "first"), (2, "second"), (2, ""), (1, "last")] {
            frames.append(kind, payload.as_bytes()).expect("it can be written");
        }
        bytes(&frames)
    }

    #[test]
    fn what_does_not_count_is_cut_off_and_the_rest_goes_on() {
        let (mut frames, payloads) = opened(&log());
        assert_eq!(payloads, [&b"first"[..], b"second", b""]);
        frames.append(2, b"more").expect("it can be written");
        let (_, payloads) = opened(&bytes(&frames));
        assert_eq!(payloads, [&b"first"[..], b"second", b"", b"more"]);
    }

    #[test]
    fn a_log_cut_anywhere_holds_what_counted_before() {
        let log = log();
        let second = HEADER_BYTES * 2 + "firstsecond".len();
        for len in 0..=log.len() {
            let (_, payloads) = opened(&log[..len]);
            let expected = match len {
                _ if len < second => 0,
                _ if len < second + HEADER_BYTES => 2,
                _ => 3,
            };
            assert_eq!(payloads.len(), expected, "{len} bytes");
        }
    }

    #[test]
    fn no_changed_bit_is_taken_for_true() {
        let log = log();
        let (_, whole) = opened(&log);
        for bit in 0..log.len() * 8 {
            let mut changed = log.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            let (_, payloads) = opened(&changed);
            assert!(whole.starts_with(&payloads), "bit {bit}");
        }
    }
}
