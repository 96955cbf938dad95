//! A disk that fails, stops or kills at a chosen call or step.

use std::{
    collections::BTreeMap,
    fmt, io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rustix::io::Errno;

use super::{Disk, DiskFile};

/// What is asked of a disk or of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Call {
    /// [`Disk::create`].
    Create,
    /// [`Disk::open`].
    Open,
    /// [`Disk::rename`].
    Rename,
    /// [`Disk::remove`].
    Remove,
    /// [`Disk::list`].
    List,
    /// [`Disk::sync`].
    SyncNames,
    /// [`Disk::lock`].
    Lock,
    /// [`DiskFile::len`].
    Len,
    /// [`DiskFile::read_at`].
    Read,
    /// [`DiskFile::append`].
    Append,
    /// [`DiskFile::truncate`].
    Truncate,
    /// [`DiskFile::sync`].
    SyncFile,
}

impl Call {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Create,
        Self::Open,
        Self::Rename,
        Self::Remove,
        Self::List,
        Self::SyncNames,
        Self::Lock,
        Self::Len,
        Self::Read,
        Self::Append,
        Self::Truncate,
        Self::SyncFile,
    ];

    /// Those that change what the disk holds, and the syncs.
    pub const WRITING: [Self; 7] = [
        Self::Create,
        Self::Rename,
        Self::Remove,
        Self::SyncNames,
        Self::Append,
        Self::Truncate,
        Self::SyncFile,
    ];

    /// Those that need space.
    pub const GROWING: [Self; 2] = [Self::Create, Self::Append];
}

/// How a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// EIO: the device is broken.
    Broken,
    /// ENOSPC: the disk is full.
    Full,
    /// EDQUOT: the user's share of the disk is full.
    Quota,
    /// EINTR: a signal came.
    Interrupted,
    /// EAGAIN: not now.
    Again,
    /// EROFS: the disk cannot be written to any more.
    ReadOnly,
    /// EMFILE: too many files are open.
    TooManyFiles,
    /// An append writes the first half and then finds the disk full. Other calls are not hit.
    ShortWrite,
    /// A read fills the first half and then finds the end. Other calls are not hit.
    ShortRead,
}

impl FaultKind {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Broken,
        Self::Full,
        Self::Quota,
        Self::Interrupted,
        Self::Again,
        Self::ReadOnly,
        Self::TooManyFiles,
        Self::ShortWrite,
        Self::ShortRead,
    ];

    fn error(self) -> io::Error {
        let number = match self {
            Self::Broken => Errno::IO,
            Self::Full | Self::ShortWrite => Errno::NOSPC,
            Self::Quota => Errno::DQUOT,
            Self::Interrupted => Errno::INTR,
            Self::Again => Errno::AGAIN,
            Self::ReadOnly => Errno::ROFS,
            Self::TooManyFiles => Errno::MFILE,
            Self::ShortRead => return io::ErrorKind::UnexpectedEof.into(),
        };
        number.into()
    }

    fn hits(self, call: Call) -> bool {
        match self {
            Self::ShortWrite => call == Call::Append,
            Self::ShortRead => call == Call::Read,
            _ => true,
        }
    }
}

/// Which call fails, and how.
#[derive(Clone, Debug)]
pub struct Fault {
    /// How.
    pub kind: FaultKind,
    /// The calls that are counted and that fail.
    pub calls: Vec<Call>,
    /// Which of them fails, counted from the setting of the fault; 1 is the next one.
    pub nth: u64,
    /// Whether those after it fail as well.
    pub for_ever: bool,
}

/// A disk that does what another does, until it is told to fail. Clones are the same disk.
pub struct Faulty<D> {
    disk: Arc<D>,
    script: Arc<Mutex<Script>>,
}

type Action = Arc<dyn Fn() -> io::Result<()> + Send + Sync>;

#[derive(Default)]
struct Script {
    fault: Option<Fault>,
    n_matching: u64,
    n_failed: u64,
    calls: BTreeMap<Call, u64>,
    steps: BTreeMap<&'static str, u64>,
    actions: Vec<(String, u64, Action)>,
}

impl<D: Disk> Faulty<D> {
    /// Wraps a disk. Nothing fails yet.
    pub fn new(disk: D) -> Self {
        Self { disk: Arc::new(disk), script: Arc::default() }
    }

    /// Returns the disk beneath.
    pub fn inner(&self) -> &D {
        &self.disk
    }

    /// Lets calls fail, in place of what was to fail before.
    pub fn fail(&self, fault: Fault) {
        let mut script = lock(&self.script);
        (script.fault, script.n_matching) = (Some(fault), 0);
    }

    /// Lets nothing fail any more.
    pub fn heal(&self) {
        lock(&self.script).fault = None;
    }

    /// Returns how many calls have failed on purpose.
    pub fn n_failed(&self) -> u64 {
        lock(&self.script).n_failed
    }

    /// Returns how many of these calls were made, failed ones included.
    pub fn n_calls(&self, calls: &[Call]) -> u64 {
        let script = lock(&self.script);
        calls.iter().filter_map(|call| script.calls.get(call)).sum()
    }

    /// Returns the steps that were reached, with how often.
    pub fn steps(&self) -> BTreeMap<&'static str, u64> {
        lock(&self.script).steps.clone()
    }

    /// Runs `action` at the `hit`-th time that a step is reached, counted from the start. An error
    /// of it is what the step gives.
    pub fn at_step(
        &self,
        step: &str,
        hit: u64,
        action: impl Fn() -> io::Result<()> + Send + Sync + 'static,
    ) {
        lock(&self.script).actions.push((step.to_owned(), hit, Arc::new(action)));
    }

    /// Kills this process, as by `kill -9`, at the `hit`-th time that a step is reached.
    pub fn kill_at(&self, step: &str, hit: u64) {
        self.at_step(step, hit, || {
            use rustix::process::{Signal, getpid, kill_process};
            kill_process(getpid(), Signal::KILL)?;
            loop {
                std::thread::park(); // the signal may take a moment
            }
        });
    }
}

impl<D> Faulty<D> {
    fn call(&self, call: Call) -> Result<(), FaultKind> {
        lock(&self.script).call(call)
    }

    fn whole(&self, call: Call) -> io::Result<()> {
        self.call(call).map_err(FaultKind::error)
    }
}

impl Script {
    fn call(&mut self, call: Call) -> Result<(), FaultKind> {
        *self.calls.entry(call).or_default() += 1;
        let Some(fault) = &self.fault else { return Ok(()) };
        if !fault.calls.contains(&call) || !fault.kind.hits(call) {
            return Ok(());
        }
        self.n_matching += 1;
        let fails = if fault.for_ever {
            self.n_matching >= fault.nth
        } else {
            self.n_matching == fault.nth
        };
        if fails {
            self.n_failed += 1;
            return Err(fault.kind);
        }
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<D> Clone for Faulty<D> {
    fn clone(&self) -> Self {
        Self { disk: self.disk.clone(), script: self.script.clone() }
    }
}

impl<D: fmt::Debug> fmt::Debug for Faulty<D> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fault = lock(&self.script).fault.clone();
        out.debug_struct("Faulty").field("disk", &self.disk).field("fault", &fault).finish()
    }
}

impl<D: Disk + 'static> Disk for Faulty<D> {
    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        self.whole(Call::Create)?;
        Ok(Box::new(FaultyFile { file: self.disk.create(name)?, disk: self.clone() }))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        self.whole(Call::Open)?;
        Ok(Box::new(FaultyFile { file: self.disk.open(name)?, disk: self.clone() }))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.whole(Call::Rename)?;
        self.disk.rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.whole(Call::Remove)?;
        self.disk.remove(name)
    }

    fn list(&self) -> io::Result<Vec<String>> {
        self.whole(Call::List)?;
        self.disk.list()
    }

    fn sync(&self) -> io::Result<()> {
        self.whole(Call::SyncNames)?;
        self.disk.sync()
    }

    fn lock(&self) -> io::Result<Option<Box<dyn Send + Sync>>> {
        self.whole(Call::Lock)?;
        self.disk.lock()
    }

    fn step(&self, name: &'static str) -> io::Result<()> {
        let actions: Vec<Action> = {
            let mut script = lock(&self.script);
            let hits = script.steps.entry(name).or_default();
            *hits += 1;
            let hits = *hits;
            let due = script.actions.iter().filter(|(step, hit, _)| step == name && *hit == hits);
            due.map(|(_, _, action)| action.clone()).collect()
        };
        for action in actions {
            action()?;
        }
        self.disk.step(name)
    }
}

struct FaultyFile<D> {
    file: Box<dyn DiskFile>,
    disk: Faulty<D>,
}

impl<D> fmt::Debug for FaultyFile<D> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.file.fmt(out)
    }
}

impl<D: Disk> DiskFile for FaultyFile<D> {
    fn len(&self) -> io::Result<u64> {
        self.disk.whole(Call::Len)?;
        self.file.len()
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        match self.disk.call(Call::Read) {
            Ok(()) => self.file.read_at(offset, out),
            Err(kind) => {
                if kind == FaultKind::ShortRead {
                    let half = out.len() / 2;
                    self.file.read_at(offset, &mut out[..half])?;
                }
                Err(kind.error())
            }
        }
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        match self.disk.call(Call::Append) {
            Ok(()) => self.file.append(bytes),
            Err(kind) => {
                if kind == FaultKind::ShortWrite {
                    self.file.append(&bytes[..bytes.len() / 2])?;
                }
                Err(kind.error())
            }
        }
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        self.disk.whole(Call::Truncate)?;
        self.file.truncate(len)
    }

    fn sync(&self) -> io::Result<()> {
        self.disk.whole(Call::SyncFile)?;
        self.file.sync()
    }
}
