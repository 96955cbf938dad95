//! What things take.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::Result;

/// CPU time of the process, and time on the wall.
#[derive(Clone, Copy, Default)]
pub struct Spent {
    pub cpu: Duration,
    pub wall: Duration,
}

impl Spent {
    /// Does something and adds what it takes.
    pub fn on<T>(&mut self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let (cpu, wall) = (cpu_time()?, Instant::now());
        let done = work()?;
        self.cpu += cpu_time()?.saturating_sub(cpu);
        self.wall += wall.elapsed();
        Ok(done)
    }
}

/// Returns the CPU time of the process, of all its threads, user and system.
fn cpu_time() -> Result<Duration> {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Ok(Duration::new(u64::try_from(now.tv_sec)?, u32::try_from(now.tv_nsec)?))
}

/// What questions took, in order.
#[derive(Default)]
pub struct Times {
    spent: Vec<Spent>,
    counts: Vec<bool>,
    finds: Vec<bool>,
}

impl Times {
    /// Adds a question: whether it counts, and whether the document that it is from was found.
    pub fn add(&mut self, spent: Spent, counts: bool, finds: bool) {
        self.spent.push(spent);
        self.counts.push(counts);
        self.finds.push(finds);
    }

    /// Returns which questions count.
    pub fn counting(&self) -> Vec<bool> {
        self.counts.clone()
    }

    /// Returns those questions that are marked.
    pub fn of(&self, marks: &[bool]) -> Self {
        let mut some = Self::default();
        for (i, _) in marks.iter().enumerate().filter(|mark| *mark.1) {
            some.add(self.spent[i], self.counts[i], self.finds[i]);
        }
        some
    }

    pub fn n(&self) -> usize {
        self.spent.len()
    }

    /// Returns the share of questions that found the document they are from.
    pub fn share_found(&self) -> f64 {
        self.finds.iter().filter(|finds| **finds).count() as f64 / self.n().max(1) as f64
    }

    /// Returns the time, in milliseconds, that a share of the questions did not exceed.
    pub fn quantile(&self, share: f64, time: impl Fn(&Spent) -> Duration) -> f64 {
        let mut all: Vec<Duration> = self.spent.iter().map(time).collect();
        all.sort_unstable();
        let at = ((all.len() as f64 * share).ceil() as usize).clamp(1, all.len().max(1)) - 1;
        all.get(at).map_or(0.0, |time| time.as_secs_f64() * 1e3)
    }

    /// Returns the average CPU time in milliseconds.
    pub fn mean_cpu(&self) -> f64 {
        let all: Duration = self.spent.iter().map(|spent| spent.cpu).sum();
        all.as_secs_f64() * 1e3 / self.n().max(1) as f64
    }
}
