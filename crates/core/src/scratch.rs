//! Room outside of memory: what does not fit a budget goes to scratch files.
//!
//! Core opens no files of its own. Whoever runs a job hands it a [`Scratch`], and two structures
//! use it: a [`Log`] of records that are read again by their place, and a [`Sorter`] of records
//! of one size that are read again in order. Both stay in memory as long as they fit their share
//! of the budget, and give the same results either way.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

/// Makes scratch files.
pub trait Scratch: Send + Sync {
    /// Makes an empty file that is gone when it is dropped.
    fn create(&self) -> io::Result<Box<dyn ScratchFile>>;
}

/// A file that grows at its end and is read anywhere.
pub trait ScratchFile: Send + Sync {
    /// Adds bytes at the end.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Fills `bytes` from the place `at` on; an error if the file ends before.
    fn read_at(&self, at: u64, bytes: &mut [u8]) -> io::Result<()>;
}

/// Scratch files that lie in memory: for tests, and for callers without a disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct InMemory;

impl Scratch for InMemory {
    fn create(&self) -> io::Result<Box<dyn ScratchFile>> {
        Ok(Box::<MemoryFile>::default())
    }
}

#[derive(Debug, Default)]
struct MemoryFile(Vec<u8>);

impl ScratchFile for MemoryFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn read_at(&self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        let start = usize::try_from(at).map_err(|_| io::ErrorKind::UnexpectedEof)?;
        let end = start.checked_add(bytes.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        let found = self.0.get(start..end).ok_or(io::ErrorKind::UnexpectedEof)?;
        bytes.copy_from_slice(found);
        Ok(())
    }
}

/// Bytes of a log that are moved at a time.
const CHUNK_BYTES: usize = 1 << 18;

/// Records of any size, one behind the other, read again by their place.
///
/// ```
/// use retold_core::scratch::{InMemory, Log};
/// let mut log = Log::new(4);
/// let first = log.push(b"told", &InMemory).unwrap();
/// let second = log.push(b"again", &InMemory).unwrap();
/// let mut bytes = Vec::new();
/// log.read(second, 5, &mut bytes).unwrap();
/// assert_eq!(bytes, b"again");
/// log.read(first, 4, &mut bytes).unwrap();
/// assert_eq!(bytes, b"told");
/// ```
pub struct Log {
    most_bytes: usize,
    /// The end of the log, in chunks with the place where each starts. No record is cut in two.
    chunks: Vec<(u64, Vec<u8>)>,
    /// Bytes in chunks.
    n_held: usize,
    /// Everything before this place lies in the file.
    n_filed: u64,
    file: Option<Box<dyn ScratchFile>>,
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Log")
            .field("held", &self.n_held)
            .field("filed", &self.n_filed)
            .finish_non_exhaustive()
    }
}

impl Log {
    /// Makes an empty log that keeps at most about `most_bytes` in memory.
    pub fn new(most_bytes: usize) -> Self {
        Self { most_bytes, chunks: Vec::new(), n_held: 0, n_filed: 0, file: None }
    }

    /// Adds a record and returns its place.
    pub fn push(&mut self, record: &[u8], scratch: &dyn Scratch) -> io::Result<u64> {
        if self.n_held + record.len() > self.most_bytes
            && self.n_held >= CHUNK_BYTES.min(self.most_bytes)
        {
            self.spill(scratch)?;
        }
        let at = self.len();
        match self.chunks.last_mut() {
            Some((_, chunk)) if chunk.len() + record.len() <= chunk.capacity() => {
                chunk.extend_from_slice(record);
            }
            _ => {
                let mut chunk =
                    Vec::with_capacity(record.len().max(CHUNK_BYTES.min(self.most_bytes)));
                chunk.extend_from_slice(record);
                self.chunks.push((at, chunk));
            }
        }
        self.n_held += record.len();
        Ok(at)
    }

    /// Moves everything to the file.
    pub fn spill(&mut self, scratch: &dyn Scratch) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(scratch.create()?),
        };
        for (_, chunk) in self.chunks.drain(..) {
            file.append(&chunk)?;
            self.n_filed += chunk.len() as u64;
        }
        self.n_held = 0;
        Ok(())
    }

    /// Reads `len` bytes from the place of a record on; `out` then holds them alone.
    pub fn read(&self, at: u64, len: usize, out: &mut Vec<u8>) -> io::Result<()> {
        out.clear();
        if at >= self.n_filed {
            let chunk = self.chunks.partition_point(|(start, _)| *start <= at);
            let (start, chunk) = chunk
                .checked_sub(1)
                .map(|i| &self.chunks[i])
                .ok_or(io::ErrorKind::UnexpectedEof)?;
            let from = (at - start) as usize;
            let found = chunk.get(from..from + len).ok_or(io::ErrorKind::UnexpectedEof)?;
            out.extend_from_slice(found);
            return Ok(());
        }
        let file = self.file.as_ref().ok_or(io::ErrorKind::UnexpectedEof)?;
        out.resize(len, 0);
        file.read_at(at, out)
    }

    /// Returns the number of bytes of all records.
    pub fn len(&self) -> u64 {
        self.n_filed + self.n_held as u64
    }

    /// Returns whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of bytes held in memory.
    pub fn held_bytes(&self) -> usize {
        self.chunks.iter().map(|(_, chunk)| chunk.capacity()).sum()
    }
}

/// Something of a fixed size that can be sorted and written down.
pub trait Record: Ord + Copy + Send {
    /// Bytes of one.
    const BYTES: usize;

    /// Writes it behind `out`.
    fn put(&self, out: &mut Vec<u8>);

    /// Reads it back from [`Self::BYTES`] bytes.
    fn get(bytes: &[u8]) -> Self;
}

impl Record for u64 {
    const BYTES: usize = 8;

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn get(bytes: &[u8]) -> Self {
        u64::from_le_bytes(bytes.try_into().expect("a record is as long as it says"))
    }
}

impl<A: Record, B: Record> Record for (A, B) {
    const BYTES: usize = A::BYTES + B::BYTES;

    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn get(bytes: &[u8]) -> Self {
        (A::get(&bytes[..A::BYTES]), B::get(&bytes[A::BYTES..]))
    }
}

impl Record for u32 {
    const BYTES: usize = 4;

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn get(bytes: &[u8]) -> Self {
        u32::from_le_bytes(bytes.try_into().expect("a record is as long as it says"))
    }
}

/// Bytes that one run reads at a time while runs are merged.
const READ_BYTES: usize = 1 << 16;

/// Records that come in any order and are read in ascending order.
///
/// What fits the budget is sorted in memory; beyond it, sorted runs go to a scratch file and are
/// merged when they are read.
///
/// ```
/// use retold_core::scratch::{InMemory, Sorter};
/// let mut sorter = Sorter::new(16);
/// for number in [5u64, 3, 9, 1, 7] {
///     sorter.push(number, &InMemory).unwrap();
/// }
/// let sorted = sorter.finish(&InMemory).unwrap();
/// assert_eq!(sorted.iter().map(Result::unwrap).collect::<Vec<_>>(), [1, 3, 5, 7, 9]);
/// ```
pub struct Sorter<R> {
    most_bytes: usize,
    records: Vec<R>,
    /// Start and number of records of every run in the file.
    runs: Vec<(u64, u64)>,
    n_filed: u64,
    file: Option<Box<dyn ScratchFile>>,
}

impl<R: Record> Sorter<R> {
    /// Makes an empty sorter that holds at most about `most_bytes` of records in memory.
    pub fn new(most_bytes: usize) -> Self {
        Self { most_bytes, records: Vec::new(), runs: Vec::new(), n_filed: 0, file: None }
    }

    /// Adds a record.
    pub fn push(&mut self, record: R, scratch: &dyn Scratch) -> io::Result<()> {
        if self.records.len() == self.records.capacity() {
            let most = (self.most_bytes / size_of::<R>()).max(1);
            if self.records.len() >= most {
                self.spill(scratch)?;
            } else {
                // A vector that doubles would hold three times what it needs while it moves.
                let more = self.records.len().clamp(64, 1 << 20).min(most - self.records.len());
                self.records.reserve_exact(more);
            }
        }
        self.records.push(record);
        Ok(())
    }

    fn spill(&mut self, scratch: &dyn Scratch) -> io::Result<()> {
        self.records.sort_unstable();
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(scratch.create()?),
        };
        self.runs.push((self.n_filed, self.records.len() as u64));
        let mut bytes = Vec::with_capacity(READ_BYTES + R::BYTES);
        for record in &self.records {
            record.put(&mut bytes);
            if bytes.len() >= READ_BYTES {
                file.append(&bytes)?;
                self.n_filed += bytes.len() as u64;
                bytes.clear();
            }
        }
        file.append(&bytes)?;
        self.n_filed += bytes.len() as u64;
        self.records.clear();
        Ok(())
    }

    /// Ends the adding.
    pub fn finish(mut self, scratch: &dyn Scratch) -> io::Result<Sorted<R>> {
        if self.file.is_some() {
            self.spill(scratch)?;
            self.records = Vec::new();
        }
        self.records.sort_unstable();
        Ok(Sorted { records: self.records, runs: self.runs, file: self.file })
    }

    /// Returns the number of bytes held in memory.
    pub fn held_bytes(&self) -> usize {
        self.records.capacity() * size_of::<R>()
    }
}

/// Records in ascending order, to be read as often as needed.
pub struct Sorted<R> {
    records: Vec<R>,
    runs: Vec<(u64, u64)>,
    file: Option<Box<dyn ScratchFile>>,
}

impl<R: Record> Sorted<R> {
    /// Reads all records in order.
    pub fn iter(&self) -> Merge<'_, R> {
        let mut merge = Merge {
            held: self.records.iter(),
            file: self.file.as_deref(),
            runs: self.runs.iter().map(|&run| SortedRun::new(run)).collect(),
            next: BinaryHeap::new(),
        };
        for run in 0..merge.runs.len() {
            merge.advance(run);
        }
        merge
    }

    /// Returns the number of records.
    pub fn len(&self) -> u64 {
        self.records.len() as u64 + self.runs.iter().map(|run| run.1).sum::<u64>()
    }

    /// Returns whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of bytes held in memory.
    pub fn held_bytes(&self) -> usize {
        self.records.capacity() * size_of::<R>()
    }
}

impl<'a, R: Record> IntoIterator for &'a Sorted<R> {
    type Item = io::Result<R>;
    type IntoIter = Merge<'a, R>;

    fn into_iter(self) -> Merge<'a, R> {
        self.iter()
    }
}

/// The records of some runs in order.
pub struct Merge<'a, R> {
    held: std::slice::Iter<'a, R>,
    file: Option<&'a dyn ScratchFile>,
    runs: Vec<SortedRun<R>>,
    /// The next record of every run, or why there is none.
    next: BinaryHeap<Reverse<Next<R>>>,
}

struct SortedRun<R> {
    at: u64,
    n_left: u64,
    /// Records read ahead, the next one last.
    ahead: Vec<R>,
}

impl<R: Record> SortedRun<R> {
    fn new((at, n_left): (u64, u64)) -> Self {
        Self { at, n_left, ahead: Vec::new() }
    }

    fn next(&mut self, file: &dyn ScratchFile) -> Option<io::Result<R>> {
        if self.ahead.is_empty() && self.n_left > 0 {
            let n = self.n_left.min((READ_BYTES / R::BYTES) as u64) as usize;
            let mut bytes = vec![0; n * R::BYTES];
            if let Err(error) = file.read_at(self.at, &mut bytes) {
                self.n_left = 0;
                return Some(Err(error));
            }
            self.ahead.extend(bytes.chunks_exact(R::BYTES).rev().map(R::get));
            self.at += bytes.len() as u64;
            self.n_left -= n as u64;
        }
        self.ahead.pop().map(Ok)
    }
}

/// A record with the run it comes from; errors come first.
struct Next<R> {
    record: io::Result<R>,
    run: usize,
}

impl<R: Ord> Next<R> {
    fn key(&self) -> (Option<&R>, usize) {
        (self.record.as_ref().ok(), self.run)
    }
}

impl<R: Ord> PartialEq for Next<R> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<R: Ord> Eq for Next<R> {}

impl<R: Ord> PartialOrd for Next<R> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<R: Ord> Ord for Next<R> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl<R: Record> Merge<'_, R> {
    fn advance(&mut self, run: usize) {
        if let Some(file) = self.file
            && let Some(record) = self.runs[run].next(file)
        {
            self.next.push(Reverse(Next { record, run }));
        }
    }
}

impl<R: Record> Iterator for Merge<'_, R> {
    type Item = io::Result<R>;

    fn next(&mut self) -> Option<io::Result<R>> {
        let Some(Reverse(Next { record, run })) = self.next.pop() else {
            return self.held.next().map(|record| Ok(*record));
        };
        self.advance(run);
        Some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Random;

    #[test]
    fn records_come_back_in_order_whatever_the_budget() {
        let mut random = Random::new(4);
        let records: Vec<(u64, u32)> =
            (0..5000).map(|_| (random.below(700) as u64, random.below(9) as u32)).collect();
        let mut expected = records.clone();
        expected.sort_unstable();
        for most_bytes in [0, 100, 4096, 1 << 20] {
            let mut sorter = Sorter::new(most_bytes);
            for &record in &records {
                sorter.push(record, &InMemory).expect("memory takes it");
            }
            let sorted = sorter.finish(&InMemory).expect("memory takes it");
            assert_eq!(sorted.len(), 5000);
            for _ in 0..2 {
                let found: Vec<_> = sorted.iter().map(|r| r.expect("it is there")).collect();
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn a_log_gives_back_what_was_put_in_whatever_the_budget() {
        let mut random = Random::new(5);
        let records: Vec<Vec<u8>> =
            (0..300).map(|_| (0..random.below(3000)).map(|i| i as u8).collect()).collect();
        for most_bytes in [0, 1000, 100_000, 1 << 30] {
            let mut log = Log::new(most_bytes);
            let places: Vec<u64> =
                records.iter().map(|r| log.push(r, &InMemory).expect("memory takes it")).collect();
            assert!(log.held_bytes() <= most_bytes.max(3000) + 2 * CHUNK_BYTES);
            let mut bytes = Vec::new();
            for (record, &place) in records.iter().zip(&places).rev() {
                log.read(place, record.len(), &mut bytes).expect("it is there");
                assert_eq!(&bytes, record);
            }
            assert!(log.read(log.len(), 1, &mut bytes).is_err());
        }
    }

    struct Broken;

    impl Scratch for Broken {
        fn create(&self) -> io::Result<Box<dyn ScratchFile>> {
            Err(io::ErrorKind::StorageFull.into())
        }
    }

    #[test]
    fn a_full_disk_is_an_error_and_no_loss() {
        let mut sorter = Sorter::new(8);
        sorter.push(1u64, &Broken).expect("fits");
        assert!(sorter.push(2u64, &Broken).is_err());
        let mut log = Log::new(2);
        log.push(b"ab", &Broken).expect("fits");
        assert!(log.push(b"cd", &Broken).is_err());
    }
}
