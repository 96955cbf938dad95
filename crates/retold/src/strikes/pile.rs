//! Records that many threads throw on piles by their value and that are sorted pile by pile.

use std::io;
use std::sync::{Mutex, PoisonError};

use retold_core::scratch::{Record, Scratch, ScratchFile, Sorted, Sorter};

/// Two numbers, sorted by the first and then by the second.
pub(super) type Couple = (u64, u64);

/// Piles.
pub(super) const N_PILES: usize = 64;
/// Records that a thread gathers for one pile before it takes the lock.
const GATHERED: usize = 256;
/// Bytes read at a time.
const READ_BYTES: usize = 1 << 16;

/// Records of one range of values.
#[derive(Default)]
struct Pile {
    held: Vec<Couple>,
    file: Option<Box<dyn ScratchFile>>,
    n_filed: u64,
}

/// All piles.
pub(super) struct Piles<'a> {
    all: Vec<Mutex<Pile>>,
    scratch: &'a dyn Scratch,
    /// Bytes that one pile may hold in memory.
    most_bytes: usize,
}

impl<'a> Piles<'a> {
    pub(super) fn new(most_bytes: usize, scratch: &'a dyn Scratch) -> Self {
        let all = (0..N_PILES).map(|_| Mutex::default()).collect();
        Self { all, scratch, most_bytes: most_bytes / N_PILES }
    }

    /// Returns the number of records on all piles.
    pub(super) fn len(&self) -> u64 {
        let of_pile = |pile: &Mutex<Pile>| {
            let pile = pile.lock().unwrap_or_else(PoisonError::into_inner);
            pile.held.len() as u64 + pile.n_filed / Couple::BYTES as u64
        };
        self.all.iter().map(of_pile).sum()
    }

    /// Returns what one thread throws with.
    pub(super) fn thrower(&self) -> Thrower<'_> {
        Thrower { piles: self, gathered: vec![Vec::new(); N_PILES] }
    }

    fn add(&self, pile: usize, records: &mut Vec<Couple>) -> io::Result<()> {
        let mut pile = self.all[pile].lock().unwrap_or_else(PoisonError::into_inner);
        pile.held.append(records);
        if pile.held.len() * size_of::<Couple>() > self.most_bytes {
            pile.spill(self.scratch)?;
        }
        Ok(())
    }

    /// Sorts one pile, within so many bytes, and leaves it empty.
    pub(super) fn sorted(&self, pile: usize, most_bytes: usize) -> io::Result<Sorted<Couple>> {
        let mut pile = self.all[pile].lock().unwrap_or_else(PoisonError::into_inner);
        let Pile { held, file, n_filed } = std::mem::take(&mut *pile);
        let mut sorter = Sorter::new(most_bytes);
        if let Some(file) = file {
            let mut bytes = Vec::new();
            let mut at = 0;
            while at < n_filed {
                bytes.resize((n_filed - at).min(READ_BYTES as u64) as usize, 0);
                file.read_at(at, &mut bytes)?;
                for record in bytes.chunks_exact(Couple::BYTES) {
                    sorter.push(Couple::get(record), self.scratch)?;
                }
                at += bytes.len() as u64;
            }
        }
        for record in held {
            sorter.push(record, self.scratch)?;
        }
        sorter.finish(self.scratch)
    }
}

impl Pile {
    fn spill(&mut self, scratch: &dyn Scratch) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(scratch.create()?),
        };
        let mut bytes = Vec::with_capacity(self.held.len() * Couple::BYTES);
        for record in self.held.drain(..) {
            record.put(&mut bytes);
        }
        file.append(&bytes)?;
        self.n_filed += bytes.len() as u64;
        Ok(())
    }
}

/// Throws records of one thread.
pub(super) struct Thrower<'a> {
    piles: &'a Piles<'a>,
    gathered: Vec<Vec<Couple>>,
}

impl Thrower<'_> {
    /// Throws a record on a pile.
    #[inline]
    pub(super) fn throw(&mut self, pile: usize, record: Couple) -> io::Result<()> {
        let gathered = &mut self.gathered[pile];
        gathered.push(record);
        if gathered.len() >= GATHERED {
            self.piles.add(pile, gathered)?;
        }
        Ok(())
    }

    /// Throws what is still gathered.
    pub(super) fn finish(mut self) -> io::Result<()> {
        for (pile, records) in self.gathered.iter_mut().enumerate() {
            if !records.is_empty() {
                self.piles.add(pile, records)?;
            }
        }
        Ok(())
    }
}
