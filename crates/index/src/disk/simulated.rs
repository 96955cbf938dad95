//! A folder in memory that can lose its power.
//!
//! Of every file it keeps the content of the last sync and what was done since, and the same of
//! the names. [`Simulated::power_cut`] gives a disk in one of the states a real one may be found in
//! afterwards; the rules are those of [`disk`](super).

use std::{
    collections::BTreeMap,
    fmt, io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use self::{
    file::{Change, File},
    names::{NameChange, Names},
};
use super::{Call, Disk, DiskFile, cannot_grow, check_name, dice::Dice};

mod file;
mod names;

/// What becomes of the changes that were not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// None of them happened.
    LoseAll,
    /// All of them happened.
    KeepAll,
    /// Bit i says whether the i-th unsynced thing is kept: first the files with unsynced
    /// changes, each as a whole, then the changes of names. There are
    /// [`n_unsynced`](Simulated::n_unsynced).
    Subset(u64),
    /// Anything that can be, chosen by this seed.
    Random(u64),
}

/// A folder in memory, see the [module](super). Clones are the same folder; [`Simulated::fork`]
/// makes another one.
#[derive(Clone, Default)]
pub struct Simulated {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    is_locked: Arc<AtomicBool>,
    watcher: Mutex<Option<Watcher>>,
}

type Watcher = Arc<dyn Fn(Call, &Simulated) + Send + Sync>;

#[derive(Clone, Debug, Default)]
struct State {
    files: BTreeMap<u64, File>,
    names: Names,
    next_file: u64,
    /// Bytes that fit; `None` for any number.
    capacity: Option<u64>,
    /// Syncs of files that fail from now on.
    n_failing_syncs: u64,
}

impl Simulated {
    /// An empty folder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns another folder in the same state, with what is synced and what is not. It has no
    /// watcher and nobody holds its lock.
    #[must_use]
    pub fn fork(&self) -> Self {
        let mut state = self.state().clone();
        state.forget_closed(true);
        Self::with(state)
    }

    /// Returns the folder as it is found after a power cut, everything in it being durable.
    #[must_use]
    pub fn power_cut(&self, cut: Cut) -> Self {
        let state = self.state().clone();
        let kept = |i: usize| match cut {
            Cut::KeepAll => true,
            Cut::Subset(kept) => i < 64 && kept >> i & 1 == 1,
            Cut::LoseAll | Cut::Random(_) => false,
        };
        let mut dice = if let Cut::Random(seed) = cut { Some(Dice::new(seed)) } else { None };
        let stale: Vec<Arc<Vec<u8>>> = state.files.values().map(|file| file.now.clone()).collect();
        let mut n_things = 0;
        let mut files = BTreeMap::new();
        for (&id, file) in &state.files {
            let content = match &mut dice {
                _ if !file.has_unsynced() => file.synced.clone(),
                Some(dice) => file.after_cut(dice, &stale),
                None => {
                    n_things += 1;
                    if kept(n_things - 1) { file.kept() } else { file.synced.clone() }
                }
            };
            files.insert(id, File::durable(content));
        }
        let names = match &mut dice {
            Some(dice) => state.names.after_cut(dice),
            None => state.names.with_changes(|i| kept(n_things + i)),
        };
        let mut state = State { files, names, next_file: state.next_file, ..State::default() };
        state.forget_closed(true);
        Self::with(state)
    }

    /// Returns how many files and changes of names a power cut could lose: the bits of
    /// [`Cut::Subset`].
    pub fn n_unsynced(&self) -> usize {
        let state = self.state();
        state.files.values().filter(|file| file.has_unsynced()).count() + state.names.n_changes()
    }

    /// Calls `watcher` before everything that changes the disk, syncs included. It may fork the
    /// folder or cut its power, not change it.
    pub fn watch(&self, watcher: impl Fn(Call, &Simulated) + Send + Sync + 'static) {
        *lock(&self.shared.watcher) = Some(Arc::new(watcher));
    }

    /// Sets how many bytes fit, or that there is no limit. An append that does not fit writes what
    /// fits and fails with [`io::ErrorKind::StorageFull`]; so does the making of a file when
    /// nothing is free.
    pub fn set_capacity(&self, n_bytes: Option<u64>) {
        self.state().capacity = n_bytes;
    }

    /// Returns the bytes of all files that have a name or are open.
    pub fn n_bytes(&self) -> u64 {
        self.state().n_bytes()
    }

    /// Lets the next `n` syncs of files fail as on a real system: what was not synced can still be
    /// read, but counts as written, and no later sync makes it durable.
    pub fn fail_file_syncs(&self, n: u64) {
        self.state().n_failing_syncs = n;
    }

    /// Returns how many files are open.
    pub fn n_open(&self) -> usize {
        self.state().files.values().map(|file| file.n_open).sum()
    }

    /// Returns the content of a file as a reader would see it.
    pub fn content(&self, name: &str) -> Option<Vec<u8>> {
        let state = self.state();
        let id = state.names.get(name)?;
        Some(state.files[&id].now.to_vec())
    }

    /// Puts a file there with this content, durably, in place of what had the name: for damage.
    pub fn set_content(&self, name: &str, content: Vec<u8>) {
        let mut state = self.state();
        let id = state.next_file;
        state.next_file += 1;
        state.files.insert(id, File::durable(Arc::new(content)));
        state.names.set_durably(name, id);
        state.forget_closed(false);
    }

    fn with(state: State) -> Self {
        let shared = Shared { state: Mutex::new(state), ..Shared::default() };
        Self { shared: Arc::new(shared) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.shared.state)
    }

    /// Tells the watcher what is about to happen.
    fn about_to(&self, call: Call) {
        let watcher = lock(&self.shared.watcher).clone();
        if let Some(watcher) = watcher {
            watcher(call, self);
        }
    }

    fn opened(&self, id: u64) -> Box<dyn DiskFile> {
        if let Some(file) = self.state().files.get_mut(&id) {
            file.n_open += 1;
        }
        Box::new(Open { disk: self.clone(), id })
    }
}

impl State {
    /// Drops files that no name leads to, now or after a power cut, and that nobody has open.
    fn forget_closed(&mut self, all_closed: bool) {
        if all_closed {
            self.files.values_mut().for_each(|file| file.n_open = 0);
        }
        let named = self.names.all_files();
        self.files.retain(|id, file| file.n_open > 0 || named.contains(id));
    }

    fn n_bytes(&self) -> u64 {
        let named = self.names.now_files();
        let is_there = |id: &u64, file: &File| file.n_open > 0 || named.contains(id);
        let there = self.files.iter().filter(|(id, file)| is_there(id, file));
        there.map(|(_, file)| file.now.len() as u64).sum()
    }

    fn free(&self) -> u64 {
        self.capacity.map_or(u64::MAX, |capacity| capacity.saturating_sub(self.n_bytes()))
    }

    fn id_of(&self, name: &str) -> io::Result<u64> {
        check_name(name)?;
        self.names.get(name).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Simulated {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        let files = state.names.now().iter().map(|(name, id)| (name, &state.files[id]));
        out.debug_map().entries(files).finish()
    }
}

impl Disk for Simulated {
    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        check_name(name)?;
        self.about_to(Call::Create);
        let mut state = self.state();
        if state.names.get(name).is_some() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        if state.free() == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let id = state.next_file;
        state.next_file += 1;
        state.files.insert(id, File::default());
        state.names.change(NameChange::Create(name.into(), id));
        drop(state);
        Ok(self.opened(id))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        let id = self.state().id_of(name)?;
        Ok(self.opened(id))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        check_name(to)?;
        self.about_to(Call::Rename);
        let mut state = self.state();
        let id = state.id_of(from)?;
        if from != to {
            state.names.change(NameChange::Rename { from: from.into(), to: to.into(), id });
        }
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.about_to(Call::Remove);
        let mut state = self.state();
        state.id_of(name)?;
        state.names.change(NameChange::Remove(name.into()));
        Ok(())
    }

    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.state().names.now().keys().map(ToString::to_string).collect())
    }

    fn sync(&self) -> io::Result<()> {
        self.about_to(Call::SyncNames);
        let mut state = self.state();
        state.names.sync();
        state.forget_closed(false);
        Ok(())
    }

    fn lock(&self) -> io::Result<Option<Box<dyn Send + Sync>>> {
        let is_locked = self.shared.is_locked.clone();
        if is_locked.swap(true, Ordering::SeqCst) {
            return Ok(None);
        }
        Ok(Some(Box::new(Held(is_locked))))
    }
}

struct Held(Arc<AtomicBool>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

#[derive(Debug)]
struct Open {
    disk: Simulated,
    id: u64,
}

impl Open {
    fn with<T>(&self, work: impl FnOnce(&mut File) -> T) -> T {
        let mut state = self.disk.state();
        work(state.files.get_mut(&self.id).expect("open files are kept"))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut state = self.disk.state();
        if let Some(file) = state.files.get_mut(&self.id) {
            file.n_open -= 1;
        }
        state.forget_closed(false);
    }
}

impl DiskFile for Open {
    fn len(&self) -> io::Result<u64> {
        Ok(self.with(|file| file.now.len() as u64))
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.with(|file| {
            let from = usize::try_from(offset).unwrap_or(usize::MAX);
            let found = file.now.get(from..from.saturating_add(out.len()));
            out.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
            Ok(())
        })
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        self.disk.about_to(Call::Append);
        let free = usize::try_from(self.disk.state().free()).unwrap_or(usize::MAX);
        let fits = &bytes[..bytes.len().min(free)];
        self.with(|file| {
            if !fits.is_empty() {
                file.change(Change::Write { at: file.now.len(), bytes: fits.into() });
            }
        });
        if fits.len() < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        self.disk.about_to(Call::Truncate);
        self.with(|file| {
            let now = file.now.len() as u64;
            if len > now {
                return Err(cannot_grow(now, len));
            }
            if len < now {
                file.change(Change::Cut(len as usize));
            }
            Ok(())
        })
    }

    fn sync(&self) -> io::Result<()> {
        self.disk.about_to(Call::SyncFile);
        let mut state = self.disk.state();
        let is_failing = state.n_failing_syncs > 0;
        state.n_failing_syncs = state.n_failing_syncs.saturating_sub(1);
        let file = state.files.get_mut(&self.id).expect("open files are kept");
        if is_failing {
            file.lose_unsynced();
            return Err(io::Error::from_raw_os_error(rustix::io::Errno::IO.raw_os_error()));
        }
        file.sync();
        Ok(())
    }
}
