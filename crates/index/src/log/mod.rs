//! The log: what was put and removed since the last flush.
//!
//! A record is a length, a kind that is never 0, a payload and a checksum, so that zeros never
//! pass for one. A group of records counts from its commit record on; a group without one never
//! happened. The log starts with the states of the index, as a group of its own.

mod record;

pub(crate) use self::record::{Record, put_record};
use crate::disk::{Disk, DiskFile};
use crate::error::{Doing as _, Error, Result};
use crate::format::{HEADER_BYTES, Kind, SUM_BYTES, Seed, header, read_header, u32_at, u64_at};

/// Bytes of a record before its payload: length and kind.
const HEAD_BYTES: usize = 5;
/// Bytes of a record beside its payload.
const FRAME_BYTES: u64 = (HEAD_BYTES + SUM_BYTES) as u64;
/// Bytes read at a time.
const READ_BYTES: usize = 1 << 20;

/// Appends a record with its checksum; the buffer starts at `base` of the file.
pub(crate) fn frame(record: &Record<'_>, base: u64, seed: Seed, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&[0; HEAD_BYTES]);
    out[start + 4] = record.kind();
    put_record(record, out);
    let len = (out.len() - start - HEAD_BYTES) as u32;
    out[start..start + 4].copy_from_slice(&len.to_le_bytes());
    let sum = seed.sum(&out[start..], base + start as u64);
    out.extend_from_slice(&sum.to_le_bytes());
}

/// A log that is being read.
#[derive(Debug)]
pub(crate) struct LogReader {
    name: String,
    file: Box<dyn DiskFile>,
    seed: Seed,
    /// Length of the file when it was opened.
    len: u64,
    /// Where the next record starts.
    at: u64,
    buffer: Vec<u8>,
    /// Where the buffer starts.
    base: u64,
    /// Whether the file became shorter while it was read.
    has_shrunk: bool,
}

/// A record as it is stored.
#[derive(Debug)]
struct Framed<'a> {
    kind: u8,
    payload: &'a [u8],
}

impl LogReader {
    /// Opens a log and checks its header.
    pub(crate) fn open(disk: &dyn Disk, index: u128, number: u64) -> Result<Self> {
        let name = Kind::Log.name(number);
        let file = disk.open(&name).doing(|| format!("open `{name}`"))?;
        let len = file.len().doing(|| format!("read the length of `{name}`"))?;
        let seed = Seed::new(index, number);
        let mut log = Self {
            name,
            file,
            seed,
            len,
            at: HEADER_BYTES,
            buffer: Vec::new(),
            base: 0,
            has_shrunk: false,
        };
        log.fill(0, HEADER_BYTES.min(len))?;
        let header = &log.buffer[..HEADER_BYTES.min(len) as usize];
        if read_header(&log.name, Kind::Log, header)? != (index, number) {
            return Err(Error::damaged(&log.name, 0, "it belongs to another index"));
        }
        Ok(log)
    }

    /// Returns the open file.
    pub(crate) fn into_file(self) -> Box<dyn DiskFile> {
        self.file
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Fills the buffer so that it holds the bytes from `from` to `to`, which are in the file.
    fn fill(&mut self, from: u64, to: u64) -> Result<()> {
        if from >= self.base && to <= self.base + self.buffer.len() as u64 {
            return Ok(());
        }
        let end = to.max((from + READ_BYTES as u64).min(self.len));
        self.buffer.resize((end - from) as usize, 0);
        self.base = from;
        let read = self.file.read_at(from, &mut self.buffer);
        if let Err(error) = read {
            self.buffer.clear();
            if error.kind() == std::io::ErrorKind::UnexpectedEof {
                let len = self.file.len().doing(|| format!("read `{}`", self.name))?;
                if len < self.len {
                    // A writer took back a group that did not fit the disk.
                    self.len = len;
                    self.has_shrunk = true;
                }
            }
            return Err(Error::io(format!("read `{}`", self.name), error));
        }
        Ok(())
    }

    /// Returns the record at a place and where it ends; `None` if there is none.
    fn framed(&mut self, at: u64) -> Result<Option<(u64, Framed<'_>)>> {
        if self.len.saturating_sub(at) < FRAME_BYTES {
            return Ok(None);
        }
        self.fill(at, at + HEAD_BYTES as u64)?;
        let from = (at - self.base) as usize;
        let n = u64::from(u32_at(&self.buffer, from));
        let end = at + FRAME_BYTES + n;
        if end > self.len || self.buffer[from + 4] == 0 {
            return Ok(None);
        }
        self.fill(at, end)?;
        let from = (at - self.base) as usize;
        let bytes = &self.buffer[from..from + (end - at) as usize];
        let (content, sum) = bytes.split_at(bytes.len() - SUM_BYTES);
        if self.seed.sum(content, at) != u64_at(sum, 0) {
            return Ok(None);
        }
        Ok(Some((end, Framed { kind: content[4], payload: &content[HEAD_BYTES..] })))
    }

    /// Calls `each` with every committed group in order: its records, its commit number, and where
    /// it ends.
    ///
    /// Behind the last one may be a group that was not committed, or not wholly written: it is
    /// left out. If bytes behind it show that it had been committed, the log is damaged there; the
    /// groups that follow are called with as well, so that they can be saved.
    pub(crate) fn groups(
        mut self,
        mut each: impl FnMut(Vec<Record<'static>>, u64, u64) -> Result<()>,
    ) -> Result<(LogEnd, Self)> {
        let mut end = LogEnd { committed: self.at, unmarked: self.at, n_lost: 0, damage: None };
        let mut last = None;
        let mut group = Vec::new();
        loop {
            let at = self.at;
            let found = self.framed(at).map(|found| {
                found.map(|(end, framed)| (end, Record::read(framed.kind, framed.payload)))
            });
            let what = match found {
                Err(_) if std::mem::take(&mut self.has_shrunk) => continue,
                Err(error) => return Err(error),
                Ok(None) => None,
                Ok(Some((_, None))) => Some("a record holds nonsense"),
                Ok(Some((next, Some(Record::Commit(number))))) => {
                    if last.is_none_or(|last| number == last + 1) {
                        each(std::mem::take(&mut group), number, next)?;
                        last = Some(number);
                        (self.at, end.committed, end.unmarked) = (next, next, next);
                        continue;
                    }
                    Some("commits are not in order")
                }
                Ok(Some((next, Some(Record::Synced(number))))) => {
                    if last == Some(number) && group.is_empty() {
                        (self.at, end.committed) = (next, next);
                        continue;
                    }
                    Some("a mark is in the wrong place")
                }
                Ok(Some((next, Some(record)))) => {
                    group.push(record);
                    self.at = next;
                    continue;
                }
            };
            // The group is broken, or the end is reached.
            let is_first = last.is_none();
            let proof = self.find_proof(at, last)?;
            let what = match (what, is_first, proof) {
                (Some(what), ..) => what,
                // The first group is synced before the manifest names the log.
                (None, true, _) => "the states cannot be read",
                (None, false, Some(_)) => "a record is broken, but what follows it was committed",
                (None, false, None) => return Ok((end, self)),
            };
            end.damage.get_or_insert_with(|| Error::damaged(&self.name, at, what));
            group.clear();
            // What follows the next commit is whole again.
            let Some((number, next)) = self.find_commit(at, last)? else {
                end.n_lost += self.len.saturating_sub(end.committed);
                return Ok((end, self));
            };
            end.n_lost += next - end.committed;
            last = Some(number);
            (self.at, end.committed, end.unmarked) = (next, next, next);
        }
    }

    /// Looks behind a record that is broken for one that shows that it had been whole once: the
    /// commit of the group after it, or the mark that its own group was synced. Only one group
    /// at a time is written and not yet synced, and a power cut may leave any piece of it.
    fn find_proof(&mut self, broken: u64, last: Option<u64>) -> Result<Option<u64>> {
        let next = last.map_or(0, |last| last + 1);
        let proves = |kind, number| match kind {
            record::COMMIT => number > next,
            _ => number >= next,
        };
        Ok(self.find(broken, proves)?.map(|found| found.0))
    }

    /// Looks behind a record that is broken for the next commit; returns its number and its end.
    fn find_commit(&mut self, broken: u64, last: Option<u64>) -> Result<Option<(u64, u64)>> {
        self.find(broken, |kind, number| {
            kind == record::COMMIT && last.is_none_or(|last| number > last)
        })
    }

    /// Looks behind a place for a whole record of a number, a commit or a mark; returns the number
    /// and where the record ends.
    fn find(
        &mut self,
        behind: u64,
        is_wanted: impl Fn(u8, u64) -> bool,
    ) -> Result<Option<(u64, u64)>> {
        let n_bytes = FRAME_BYTES + 8;
        let mut at = behind + 1;
        while at + n_bytes <= self.len {
            // As many places as one reading gives.
            let end = (at + READ_BYTES as u64).min(self.len);
            self.fill(at, end)?;
            let from = (at - self.base) as usize;
            let bytes = &self.buffer[from..from + (end - at) as usize];
            for (i, window) in bytes.windows(n_bytes as usize).enumerate() {
                let kind = window[4];
                if window[..4] != [8, 0, 0, 0] || !matches!(kind, record::COMMIT | record::SYNCED) {
                    continue;
                }
                let (content, sum) = window.split_at(HEAD_BYTES + 8);
                let (number, start) = (u64_at(content, HEAD_BYTES), at + i as u64);
                if is_wanted(kind, number) && self.seed.sum(content, start) == u64_at(sum, 0) {
                    return Ok(Some((number, start + n_bytes)));
                }
            }
            at = end - (n_bytes - 1);
            if end == self.len {
                break;
            }
        }
        Ok(None)
    }
}

/// How the reading of a log ended.
#[derive(Debug)]
pub(crate) struct LogEnd {
    /// Where the last committed group ends, with the mark behind it.
    pub(crate) committed: u64,
    /// Where it ends without the mark.
    pub(crate) unmarked: u64,
    /// Bytes of damaged groups.
    pub(crate) n_lost: u64,
    /// The first damage, if there is any.
    pub(crate) damage: Option<Error>,
}

/// A log that is being written.
#[derive(Debug)]
pub(crate) struct LogWriter {
    pub(crate) number: u64,
    file: Box<dyn DiskFile>,
    seed: Seed,
    /// Bytes of committed groups, and all before them.
    committed: u64,
    /// Bytes of the file, with what was written of the group that is not committed.
    filed: u64,
    /// What is not written yet.
    buffer: Vec<u8>,
    /// Whether the last group is not yet marked as synced.
    needs_mark: bool,
}

impl LogWriter {
    /// Makes a new log with its first group, and syncs it.
    pub(crate) fn create(
        disk: &dyn Disk,
        index: u128,
        number: u64,
        records: &[Record<'_>],
        commit: u64,
    ) -> Result<Self> {
        let name = Kind::Log.name(number);
        let file = disk.create(&name).doing(|| format!("create `{name}`"))?;
        let seed = Seed::new(index, number);
        let mut log = Self {
            number,
            file,
            seed,
            committed: 0,
            filed: 0,
            buffer: header(Kind::Log, index, number).to_vec(),
            needs_mark: false,
        };
        for record in records {
            log.push(record);
        }
        log.push(&Record::Commit(commit));
        log.write()?;
        log.sync()?;
        Ok(log)
    }

    /// Goes on with a log whose committed groups end at `committed`; what is behind is cut off.
    ///
    /// A mark goes as well, and is made anew: marks are not synced, and if a sync fails, what can
    /// be read may never reach the disk and would be a hole before the next group.
    pub(crate) fn go_on(reader: LogReader, number: u64, committed: u64) -> Result<Self> {
        let (len, seed, name) = (reader.len(), reader.seed, reader.name().to_owned());
        let file = reader.into_file();
        if len > committed {
            file.truncate(committed).doing(|| format!("cut `{name}`"))?;
        }
        // The process that wrote the last group may have died before it synced it.
        file.sync().doing(|| format!("sync `{name}`"))?;
        let buffer = Vec::new();
        Ok(Self { number, file, seed, committed, filed: committed, buffer, needs_mark: true })
    }

    /// Returns the bytes of the log, with what is not yet written.
    pub(crate) fn n_bytes(&self) -> u64 {
        self.filed + self.buffer.len() as u64
    }

    /// Returns the bytes of committed groups, and all before them.
    pub(crate) fn committed(&self) -> u64 {
        self.committed
    }

    /// Returns the bytes that are not written yet.
    pub(crate) fn n_buffered(&self) -> usize {
        self.buffer.len()
    }

    /// Adds a record to the group; it is written later.
    pub(crate) fn push(&mut self, record: &Record<'_>) {
        frame(record, self.filed, self.seed, &mut self.buffer);
    }

    /// Takes back all of the group that is not committed, written or not.
    pub(crate) fn take_back(&mut self) -> Result<()> {
        self.buffer.clear();
        if self.filed > self.committed {
            let what = format!("cut `{}`", Kind::Log.name(self.number));
            let cut = self.file.truncate(self.committed);
            cut.map_err(|source| Error::Io { what, source })?;
            self.filed = self.committed;
        }
        Ok(())
    }

    /// Writes what was added.
    pub(crate) fn write(&mut self) -> Result<()> {
        let name = || format!("write `{}`", Kind::Log.name(self.number));
        // Should it fail, some of it may be in the file, and is cut off with the group.
        self.filed += self.buffer.len() as u64;
        self.file.append(&self.buffer).doing(name)?;
        // A group of a few MiB is rare; its room is given back.
        self.buffer.clear();
        self.buffer.shrink_to(1 << 20);
        Ok(())
    }

    /// Makes everything that was written durable.
    pub(crate) fn sync(&mut self) -> Result<()> {
        // Not `doing`: a sync that fails for want of space has lost data all the same.
        if let Err(source) = self.file.sync() {
            // The group can still be read, but may never reach the disk: a later sync would say
            // that all is well. So nobody shall find it and build on it.
            let _ = self.file.truncate(self.committed);
            let what = format!("sync `{}`", Kind::Log.name(self.number));
            return Err(Error::Io { what, source });
        }
        self.committed = self.filed;
        self.needs_mark = true;
        Ok(())
    }

    /// Says behind the last group that it was synced, so that damage to it is told from a power
    /// cut. Not needed where another group follows.
    ///
    /// It is no loss if it cannot be written, but what there is of it must not stand before the next group.
    pub(crate) fn mark_synced(&mut self, commit: u64) -> Result<()> {
        if self.needs_mark && self.buffer.is_empty() && self.filed == self.committed {
            self.needs_mark = false;
            self.push(&Record::Synced(commit));
            if self.write().is_err() {
                self.take_back()?;
            }
        }
        Ok(())
    }
}
