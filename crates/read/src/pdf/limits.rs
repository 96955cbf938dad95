//! Limits that the process reading PDF sets itself.
//!
//! On Linux they hold for memory, processor time, files and what is left behind by a crash. Other
//! systems know some of them; there the time that the run allows is what always holds.

#[cfg(unix)]
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What the process may use.
#[derive(Debug)]
pub(super) struct Own {
    /// Address space that was in use before the first file.
    base_bytes: Option<u64>,
}

impl Own {
    /// Gives up what reading PDF does not need: files that grow, traces of crashes, and a life
    /// without the run it works for.
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
        Self { base_bytes: address_space() }
    }

    /// Sets limits for a file of `n_bytes`.
    pub(super) fn for_file(&self, n_bytes: u64) {
        #[cfg(unix)]
        {
            if let Some(base) = self.base_bytes {
                lower(Resource::As, base.saturating_add(super::helper::most_memory(n_bytes)));
            }
            let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime).tv_sec;
            lower(Resource::Cpu, used.unsigned_abs() + 2 + (n_bytes >> 20));
        }
    }
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
