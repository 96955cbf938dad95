//! Limits that the process reading PDF sets itself.
//!
//! On Linux they hold for memory, processor time, files and what is left behind by a crash. Other
//! systems know some of them; there the time that the run allows is what always holds.
//!
//! Time is that of the processor, so that a good file is not refused because the machine is busy.
//! The system counts it in whole seconds; a thread looks more often.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

#[cfg(unix)]
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::helper::{LATE, most_memory, most_time};

/// How often the time is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// What the process may use.
#[derive(Debug)]
pub(super) struct Own {
    /// Address space that was in use before the first file.
    base_bytes: Option<u64>,
    /// Processor time at which the current file has to be read, in milliseconds.
    due: Arc<AtomicU64>,
    /// The thread that checks the time.
    watch: Option<Thread>,
}

/// Value of `due` while no file is read.
const IDLE: u64 = u64::MAX;

impl Own {
    /// Forbids what reading PDF does not need: to write files, to leave core dumps, and to live on
    /// after the run has ended.
    pub(super) fn set() -> Self {
        #[cfg(target_os = "linux")]
        {
            use rustix::process::{Signal, set_parent_process_death_signal};
            // Without it the end of the pipe ends the process.
            let _ = set_parent_process_death_signal(Some(Signal::KILL));
        }
        #[cfg(unix)]
        {
            lower(Resource::Core, 0);
            lower(Resource::Fsize, 0);
        }
        let due = Arc::new(AtomicU64::new(IDLE));
        let watch = if cfg!(unix) { watch(Arc::clone(&due)) } else { None };
        Self { base_bytes: address_space(), due, watch }
    }

    /// Sets limits for a file of `n_bytes`.
    pub(super) fn for_file(&self, n_bytes: u64) {
        #[cfg(unix)]
        {
            if let Some(base) = self.base_bytes {
                lower(Resource::As, base.saturating_add(most_memory(n_bytes)));
            }
            let most = most_time(n_bytes).as_millis() as u64;
            let due = used_ms() + most;
            self.due.store(due, Ordering::Relaxed);
            if let Some(watch) = &self.watch {
                watch.unpark();
            }
            lower(Resource::Cpu, due / 1000 + 2);
        }
    }

    /// Says that the file is read.
    pub(super) fn done(&self) {
        self.due.store(IDLE, Ordering::Relaxed);
    }
}

/// Ends the process when the file it reads is due.
fn watch(due: Arc<AtomicU64>) -> Option<Thread> {
    let look = move || {
        loop {
            match due.load(Ordering::Relaxed) {
                IDLE => thread::park(),
                due if used_ms() > due => process::exit(i32::from(LATE)),
                _ => thread::sleep(LOOK),
            }
        }
    };
    // Without the thread the system's own limit holds, a second or two later.
    let watch = thread::Builder::new().stack_size(64 << 10).spawn(look).ok()?;
    Some(watch.thread().clone())
}

/// Returns the processor time used so far, in milliseconds; 0 where it is not known.
fn used_ms() -> u64 {
    #[cfg(unix)]
    {
        let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        used.tv_sec.unsigned_abs() * 1000 + used.tv_nsec.unsigned_abs() / 1_000_000
    }
    #[cfg(not(unix))]
    0
}

/// Sets a limit below the one that cannot be raised; a limit that is not set leaves the others.
#[cfg(unix)]
fn lower(resource: Resource, to: u64) {
    let maximum = getrlimit(resource).maximum;
    let current = Some(maximum.map_or(to, |most| to.min(most)));
    let _ = setrlimit(resource, Rlimit { current, maximum });
}

/// Returns the address space in use, in bytes, where the system tells.
fn address_space() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}
