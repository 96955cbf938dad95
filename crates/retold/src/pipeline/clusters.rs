//! The clusters of a run: written down as they are made, read again in the order of their first
//! members.

use retold_core::document::Ordinal;
use retold_core::scratch::Log;

use super::bytes::{Taking, put_number, put_text};
use super::group::Grouped;
use super::scratch::ScratchDir;
use super::shared::Shared;
use crate::error::Error;

/// What is at hand of a cluster.
#[derive(Clone, Copy, Debug)]
struct Slot {
    at: u64,
    len: u32,
    first: Ordinal,
    representative: Ordinal,
    n_members: u32,
}

/// All clusters.
#[derive(Debug)]
pub(crate) struct ClusterLog {
    slots: Vec<Slot>,
    log: Log,
    scratch: ScratchDir,
    record: Vec<u8>,
}

impl ClusterLog {
    /// Makes an empty one that keeps at most about `log_bytes` in memory.
    pub(crate) fn new(log_bytes: usize, scratch: &ScratchDir) -> Self {
        let scratch = scratch.clone();
        Self { slots: Vec::new(), log: Log::new(log_bytes), scratch, record: Vec::new() }
    }

    /// Adds a cluster. Those with the same first member come in the order of their members.
    pub(crate) fn push(&mut self, cluster: &Grouped) -> Result<(), Error> {
        self.record.clear();
        put(cluster, &mut self.record);
        let at = self.log.push(&self.record, &self.scratch);
        self.slots.push(Slot {
            at: at.map_err(|error| self.scratch.failed(error))?,
            len: self.record.len() as u32,
            first: cluster.members[0],
            representative: cluster.representative,
            n_members: cluster.members.len() as u32,
        });
        Ok(())
    }

    /// Puts all clusters in order.
    pub(crate) fn seal(&mut self) {
        // Stable: clusters that overlap keep their order.
        self.slots.sort_by_key(|slot| slot.first);
        self.slots.shrink_to_fit();
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns the document that stands for a cluster.
    pub(crate) fn representative(&self, id: usize) -> Ordinal {
        self.slots[id].representative
    }

    /// Returns the sizes of all clusters, in order.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = u64> {
        self.slots.iter().map(|slot| u64::from(slot.n_members))
    }

    /// Reads a cluster.
    pub(crate) fn get(&self, id: usize) -> Result<Grouped, Error> {
        let Slot { at, len, .. } = self.slots[id];
        let mut record = Vec::new();
        let read = self.log.read(at, len as usize, &mut record);
        read.map_err(|error| self.scratch.failed(error))?;
        take(&record)
    }

    /// Reads all clusters in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Result<Grouped, Error>> {
        (0..self.len()).map(|id| self.get(id))
    }

    /// Returns the numbers of the largest clusters, largest first.
    pub(crate) fn largest(&self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        let key = |&id: &usize| (u32::MAX - self.slots[id].n_members, id);
        if n < order.len() {
            order.select_nth_unstable_by_key(n, key);
            order.truncate(n);
        }
        order.sort_unstable_by_key(key);
        order
    }
}

fn put(cluster: &Grouped, out: &mut Vec<u8>) {
    let Grouped { members, representative, cohesion, kind_counts, n_derived, n_common, shared } =
        cluster;
    put_number(out, members.len() as u64);
    let mut last = 0;
    for member in members {
        put_number(out, u64::from(member.0 - std::mem::replace(&mut last, member.0)));
    }
    put_number(out, u64::from(representative.0));
    out.extend_from_slice(&cohesion.to_bits().to_le_bytes());
    for &count in kind_counts {
        put_number(out, count);
    }
    put_number(out, *n_derived);
    put_number(out, n_common.map_or(0, |n| u64::from(n) + 1));
    out.push(u8::from(shared.is_some()));
    if let Some(Shared { n_words, text }) = shared {
        put_number(out, u64::from(*n_words));
        put_text(out, text);
    }
}

fn take(record: &[u8]) -> Result<Grouped, Error> {
    let mut taking = Taking(record);
    let mut members = Vec::new();
    let mut last = 0;
    for _ in 0..taking.number()? {
        last += taking.small()?;
        members.push(Ordinal(last));
    }
    let representative = Ordinal(taking.small()?);
    let cohesion = f64::from_bits(taking.fixed()?);
    let mut kind_counts = [0; 5];
    for count in &mut kind_counts {
        *count = taking.number()?;
    }
    let n_derived = taking.number()?;
    let n_common = taking.number()?.checked_sub(1).map(|n| n as u32);
    let mut shared = None;
    if taking.byte()? == 1 {
        shared = Some(Shared { n_words: taking.small()?, text: taking.text()?.to_owned() });
    }
    Ok(Grouped { members, representative, cohesion, kind_counts, n_derived, n_common, shared })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster(members: &[u32], n_common: Option<u32>) -> Grouped {
        Grouped {
            members: members.iter().map(|&doc| Ordinal(doc)).collect(),
            representative: Ordinal(members[1]),
            cohesion: 1.0 / 3.0,
            kind_counts: [1, 2, 0, 7_000_000_000, 5],
            n_derived: 7,
            n_common,
            shared: n_common.map(|n_words| Shared { n_words, text: "käse".to_owned() }),
        }
    }

    #[test]
    fn clusters_come_back_in_the_order_of_their_first_members() {
        for log_bytes in [0, 1 << 20] {
            let mut log = ClusterLog::new(log_bytes, &ScratchDir::new(None));
            let made = [cluster(&[5, 6, 70_000], None), cluster(&[0, 9], Some(0))];
            for cluster in &made {
                log.push(cluster).expect("there is room");
            }
            log.seal();
            assert_eq!(log.get(0).expect("it is there"), made[1]);
            assert_eq!(log.get(1).expect("it is there"), made[0]);
            assert_eq!((log.largest(1), log.largest(9)), (vec![1], vec![1, 0]));
        }
    }
}
