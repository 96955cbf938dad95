//! The memory of a run: one number, and what each stage may take of it.
//!
//! Stages run one after the other and give back what they took, so their shares add up to more
//! than the whole. What is over a share goes to scratch files ([`ScratchDir`]); what cannot, the
//! table of documents and the relations of one group, is refused with the number that would do.
//!
//! [`ScratchDir`]: super::scratch::ScratchDir

use std::fs;

use crate::error::Error;
use crate::resources::Resources;

/// What the process needs before it has read anything: its code, threads and tables of words.
const BASE_BYTES: u64 = 24 << 20;
/// What is held of a document for the whole run, its entry in the table of words included.
pub(crate) const DOCUMENT_BYTES: u64 = 64;
/// What is taken where the machine does not tell how much it has.
const UNKNOWN_BYTES: u64 = 2 << 30;
/// A budget below this is a small one.
const SMALL_BYTES: u64 = 256 << 20;
/// Profiles at hand; more were never of use.
const MOST_PROFILE_BYTES: u64 = 2 << 30;
/// Bytes of memory that a byte of text takes while it is read or compared: the record, the text,
/// its words with their places, and the table of its runs.
const BYTES_PER_TEXT_BYTE: u64 = 12;

/// What a run may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    total: u64,
    /// What every log and sorter gets instead of its share, in tests.
    forced: Option<usize>,
}

impl Budget {
    /// Takes the budget of the resources, or half of what the machine has.
    ///
    /// *Errors* if nothing could be done with it.
    pub(crate) fn new(resources: &Resources) -> Result<Self, Error> {
        let total = match resources.memory_bytes {
            0 => {
                let half = machine_bytes().unwrap_or(UNKNOWN_BYTES) / 2;
                // What a process may have is for it alone; a quarter is for what no budget counts.
                let own = process_bytes().map_or(u64::MAX, |bytes| bytes / 4 * 3);
                half.min(own).max(Self::smallest(0))
            }
            given => given,
        };
        let budget = Self { total, forced: resources.spill_bytes };
        budget.check(0)?;
        Ok(budget)
    }

    /// Returns the smallest budget that will do for so many documents.
    pub(crate) fn smallest(n_documents: u64) -> u64 {
        // A quarter of the whole is for what has no share.
        let fixed = BASE_BYTES + n_documents * DOCUMENT_BYTES;
        (fixed * 4 / 3).next_multiple_of(1 << 20)
    }

    /// Refuses to go on if so many documents do not fit.
    pub(crate) fn check(&self, n_documents: u64) -> Result<(), Error> {
        let needed = Self::smallest(n_documents);
        if self.total >= needed {
            return Ok(());
        }
        let what = match n_documents {
            0 => "a run".to_owned(),
            n => format!("{n} documents"),
        };
        Err(self.too_small(&what, needed))
    }

    /// Refuses to go on: `what` needs that much.
    fn too_small(&self, what: &str, needed: u64) -> Error {
        Error::Memory { what: what.to_owned(), needed, given: self.total }
    }

    /// Returns a share in sixty-fourths of the whole.
    fn share(&self, n: u64) -> usize {
        self.forced.unwrap_or_else(|| usize::try_from(self.total / 64 * n).unwrap_or(usize::MAX))
    }

    /// What is known of every document: id, place and so on.
    pub(crate) fn entries(&self) -> usize {
        self.share(4)
    }

    /// Images of documents.
    pub(crate) fn images(&self) -> usize {
        self.share(8)
    }

    /// Postings and lists of a search.
    pub(crate) fn search(&self) -> usize {
        self.share(12)
    }

    /// Words of all documents with their places, where strikes are looked for.
    pub(crate) fn words(&self) -> usize {
        self.share(20)
    }

    /// Texts that cannot be read again where they came from: a buffer.
    pub(crate) fn texts(&self) -> usize {
        self.share(1).min(1 << 20)
    }

    /// Values that documents are ranked by, while they are sorted.
    pub(crate) fn ranks(&self) -> usize {
        self.share(8)
    }

    /// Pairs as they come, before they are put into groups.
    pub(crate) fn pairs(&self) -> usize {
        self.share(4)
    }

    /// Pairs by group.
    pub(crate) fn ordered_pairs(&self) -> usize {
        self.share(8)
    }

    /// Sets of word runs that are held from the first pass on.
    pub(crate) fn run_sets(&self) -> usize {
        self.share(if self.total < SMALL_BYTES { 4 } else { 12 })
    }

    /// Sets of word runs that were read from scratch, or made once more. No profiles are at hand then.
    pub(crate) fn runs_made(&self) -> usize {
        self.share(16)
    }

    /// Candidates that are decided about at a time.
    pub(crate) fn turns(&self) -> usize {
        self.share(8)
    }

    /// Profiles of documents at hand: three tenths of the text, at least 1 GiB for collections
    /// below that, and at most a quarter of the budget; a twelfth of a small one, where what lies
    /// between blocks of memory counts for more.
    pub(crate) fn profiles(&self, n_text_bytes: u64) -> usize {
        let by_text = n_text_bytes / 10 * 3;
        let planned = if n_text_bytes < 1 << 30 { by_text.max(1 << 30) } else { by_text };
        let part = if self.total < SMALL_BYTES { 12 } else { 4 };
        planned.min(MOST_PROFILE_BYTES).min(self.total / part) as usize
    }

    /// What one round of comparisons may find before it is written.
    pub(crate) fn round(&self) -> usize {
        self.share(4)
    }

    /// Clusters.
    pub(crate) fn clusters(&self) -> usize {
        self.share(2)
    }

    /// What is decided about documents.
    pub(crate) fn decisions(&self) -> usize {
        self.share(2)
    }

    /// Refuses a group of so many relations if it does not fit: half of the whole is free when
    /// clusters are made.
    pub(crate) fn check_relations(&self, n: u64, bytes_each: usize) -> Result<(), Error> {
        let needed = n.saturating_mul(bytes_each as u64).saturating_mul(2);
        if needed <= self.total {
            return Ok(());
        }
        let what = format!("a group of documents with {n} relations");
        Err(self.too_small(&what, needed.next_multiple_of(1 << 20)))
    }

    /// Refuses so many runs of words if they do not fit; `what` they are.
    pub(crate) fn check_runs(&self, what: &str, n_runs: u64) -> Result<(), Error> {
        let needed = n_runs.saturating_mul(8 * 8);
        if needed <= self.total {
            return Ok(());
        }
        let what = format!("{what} ({n_runs})");
        Err(self.too_small(&what, needed.next_multiple_of(1 << 20)))
    }

    /// Returns the most bytes of text that a document may have.
    pub(crate) fn most_document_bytes(&self) -> u64 {
        (self.total.saturating_sub(BASE_BYTES)) / BYTES_PER_TEXT_BYTE
    }

    /// Returns why a document of so many bytes is not taken, if it is not.
    pub(crate) fn refuses(&self, n_bytes: u64) -> Option<String> {
        (n_bytes > self.most_document_bytes()).then(|| {
            let needed = (BASE_BYTES + n_bytes * BYTES_PER_TEXT_BYTE).next_multiple_of(1 << 20);
            format!(
                "a text of {n_bytes} bytes is too large for a memory of {}; {} would do",
                size(self.total),
                size(needed)
            )
        })
    }

    /// Returns the bytes that all threads together may take for documents in work.
    pub(crate) fn work(&self) -> usize {
        let part = if self.total < SMALL_BYTES { 5 } else { 2 };
        usize::try_from(self.total / part).unwrap_or(usize::MAX)
    }

    /// Returns the bytes that a text of so many takes while it is worked on.
    pub(crate) fn work_of(n_text_bytes: usize) -> usize {
        n_text_bytes.saturating_mul(BYTES_PER_TEXT_BYTE as usize)
    }

    /// Returns the most bytes that the readers may take for one record or document.
    pub(crate) fn most_record_bytes(&self) -> u64 {
        self.total / 4
    }
}

/// Gives memory that was freed back to the system. Allocators keep it for what comes next; but a
/// stage that ends leaves much of it, in other sizes than the next stage asks for, and so does a
/// process that answers questions for days.
///
/// ```
/// retold::give_back();
/// ```
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        #[expect(unsafe_code, reason = "there is no safe way to say it")]
        // SAFETY: the function takes a number, may be called at any time from any thread, and
        // touches nothing but memory that is free.
        unsafe {
            libc::malloc_trim(0);
        }
    }
}

/// Returns a size as `--memory` takes it, rounded up to whole mebibytes.
pub(crate) fn size(n_bytes: u64) -> String {
    format!("{}M", n_bytes.div_ceil(1 << 20))
}

/// Returns the memory that the process may have (`ulimit -d`, `ulimit -v`), if that is limited.
pub(crate) fn process_bytes() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let names = ["Max data size", "Max address space"];
    names.iter().filter_map(|name| limit_of(&limits, name)).min()
}

/// Returns the memory of the machine, or of the control group the process is in.
fn machine_bytes() -> Option<u64> {
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let meminfo = fs::read_to_string("/proc/meminfo").ok();
    let installed = meminfo.as_deref().and_then(total_of);
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut limits = vec![number("/sys/fs/cgroup/memory/memory.limit_in_bytes")];
    limits.push(number("/sys/fs/cgroup/memory.max"));
    for path in groups.lines().filter_map(|line| line.strip_prefix("0::")) {
        // Every group above has a say, too.
        let mut path = path.trim_end_matches('/');
        while !path.is_empty() {
            limits.push(number(&format!("/sys/fs/cgroup{path}/memory.max")));
            path = path.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }
    limits.into_iter().chain([installed]).flatten().filter(|&limit| limit > 0).min()
}

/// Returns a limit that `/proc/self/limits` names; `None` if there is none.
fn limit_of(limits: &str, name: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Returns the total that `/proc/meminfo` names.
fn total_of(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(total: u64) -> Budget {
        Budget { total, forced: None }
    }

    #[test]
    fn a_budget_too_small_is_refused_with_the_one_that_would_do() {
        let error = budget(64 << 20).check(1_000_000).expect_err("too many").to_string();
        assert!(error.contains("1000000 documents"), "{error}");
        let needed = Budget::smallest(1_000_000);
        budget(needed).check(1_000_000).expect("what was named will do");
        assert!(budget(needed - (1 << 20)).check(1_000_000).is_err());
        budget(64 << 20).check(250_000).expect("a quarter of a million fits");
    }

    #[test]
    fn a_document_too_large_is_told_what_would_do() {
        let small = budget(64 << 20);
        assert!(small.refuses(1 << 20).is_none());
        let reason = small.refuses(10 << 20).expect("too large");
        assert!(reason.contains("too large for a memory of"), "{reason}");
        assert!(budget(144 << 20).refuses(10 << 20).is_none(), "{reason}");
    }

    #[test]
    fn the_machine_tells_its_memory() {
        assert_eq!(total_of("MemTotal:       2048 kB\nMemFree: 1 kB\n"), Some(2 << 20));
        assert_eq!(total_of("nothing"), None);
    }

    #[test]
    fn a_process_knows_its_own_limits() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max data size             67108864             unlimited            bytes     \n\
                      Max address space         unlimited            unlimited            bytes     \n";
        assert_eq!(limit_of(limits, "Max data size"), Some(64 << 20));
        assert_eq!(limit_of(limits, "Max address space"), None);
        assert_eq!(limit_of(limits, "Max file size"), None);
    }
}
